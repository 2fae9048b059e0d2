# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads from a command line which engines to run, for every measuring command.

The options of one engine come after its `--engine` or `--revision`; an `--option` before the first is for
every engine, and a `--set` for every one of ours. A command adds options of its own that work in the same way
with `of_engine`, and reads them with `values_of`.
"""

import argparse
import os
import re
import shlex
from collections.abc import Collection, Container, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ...cli.checkout import import_root
from ...cli.command import CommandError, assignment, file_name, seconds, suggestion, tunables_of, warn
from ...text import printable
from . import builds

START_SECONDS = 30.0  # an engine has to answer `uciok`, unless the user says otherwise
# set in every engine that has them, unless the user says otherwise
FAIR_OPTIONS = {"Threads": "1", "OwnBook": "false"}


class EngineSpec(NamedTuple):
    """An engine from the command line."""

    command: tuple[str, ...]
    name: str  # "" for the name it gives itself
    options: Mapping[str, str]
    start_seconds: float = START_SECONDS  # how long it may take to answer `uciok`

    def settings(self, known: Container[str]) -> dict[str, str]:
        """Return the options to set in an engine that has the options `known`."""
        return {name: value for name, value in {**FAIR_OPTIONS, **self.options}.items() if name in known}

    def require_options(self, engine: str, known: Collection[str]) -> None:
        """Raise ValueError, with the nearest name, if the engine lacks an option that the user has set."""
        for name in self.options:
            if name not in known:
                raise ValueError(f"{engine} has no option {name}{suggestion(name, known)}")

    def unusable(self, why: object) -> str:
        """Return the message that this is no engine."""
        reason = why.strerror if isinstance(why, OSError) and why.strerror else why
        return f"cannot use {' '.join(self.command)!r} as an engine: {reason}"


Words = Sequence[tuple[str, Any]]  # options about engines and their values, in the order in which they stand


class _InOrder(argparse.Action):
    """Collects (option, value) pairs of several options in one list, in the order in which they stand."""

    def __call__(
        self,
        _parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        value: Any,
        _option: str | None = None,
    ) -> None:
        setattr(namespace, self.dest, [*getattr(namespace, self.dest), (self.option_strings[0], value)])


def of_engine(**settings: Any) -> dict[str, Any]:
    """Return the keywords of `add_argument` for an option of the preceding engine.

    They are `settings`, and where the option is collected.
    """
    return {"action": _InOrder, "dest": "engine_words", "default": [], **settings}


def add_engine_arguments(parser: "argparse._ActionsContainer") -> None:
    """Add the options that `engine_specs` reads to a parser."""
    add = parser.add_argument
    add("--engine", **of_engine(metavar="COMMAND", help="command line of a UCI engine; may be repeated"))
    add(
        "--revision",
        **of_engine(metavar="REV", help="coachwhip at a git revision, built on demand; may be repeated"),
    )
    help_name = "name of the preceding engine in the results (default: the name it reports)"
    add("--name", **of_engine(type=printable, metavar="NAME", help=help_name))
    help_option = "UCI option of the preceding engine; before the first engine: of all engines"
    add("--option", **of_engine(type=assignment, metavar="NAME=VALUE", help=help_option))
    help_set = (
        "change a tunable of the preceding --revision; before the first engine: of all coachwhip engines"
    )
    add("--set", **of_engine(type=assignment, metavar="NAME=VALUE", help=help_set))
    help_start = f"how long an engine may take to answer uciok (default {START_SECONDS:g})"
    add("--start-timeout", type=seconds, default=START_SECONDS, metavar="SECONDS", help=help_start)
    add(
        "--repository",
        type=file_name,
        metavar="DIR",
        help="git checkout with the revisions (default: the current one)",
    )


class _Group(NamedTuple):
    """The options of one engine."""

    kind: str  # "--engine" or "--revision"; "" for coachwhip itself, and the options before the first engine
    engine: str
    options: dict[str, str]
    tunables: dict[str, str]
    others: dict[str, Any]  # by all other options


def _groups(words: Words) -> list[_Group]:
    """Return the options before the first engine, then those of each engine."""
    groups = [_Group("", "", {}, {}, {})]
    for option, value in words:
        if option in ("--engine", "--revision"):
            groups.append(_Group(option, value, {}, {}, {}))
        elif option in ("--option", "--set"):
            (groups[-1].options if option == "--option" else groups[-1].tunables).update([value])
        else:
            groups[-1].others[option] = value
    return groups


def values_of(words: Words, option: str) -> list[Any]:
    """Return the value of a command's own option for each engine; None for an engine without it."""
    return [group.others.get(option) for group in _groups(words)[1:]]


def engine_specs(
    words: Words, repository: Path | None = None, *, start_seconds: float = START_SECONDS
) -> list[EngineSpec]:
    """Return the engines of the collected words; without any, coachwhip itself.

    Revisions are built here, from `repository`. Raises CommandError for a word without its engine, an unknown
    tunable, a command line that cannot be split, or a revision that cannot be built.
    """
    first, *groups = _groups(words)
    if not groups:
        groups = [first]
    elif first.others:
        word = next(iter(first.others))
        raise CommandError(f"{word} comes before the first engine: put it after the --engine it belongs to")
    foreign = [group for group in groups if group.kind == "--engine"]  # which may be any engine
    for group in foreign:
        if group.tunables or (first.tunables and foreign == groups):
            setting = "=".join(next(iter({**group.tunables, **first.tunables}.items())))
            advice = f"for another engine, write it in the command: --engine '{group.engine} --set {setting}'"
            raise CommandError(f"--set is for --revision and coachwhip itself; {advice}")
    if first in groups:  # a revision has its own table, and reports unknown names when it starts
        tunables_of(f"{name}={value}" for name, value in first.tunables.items())
    specs = []
    for group in groups:
        command, name = _command(group, {**first.tunables, **group.tunables}, repository)
        options = {**first.options, **group.options}
        specs.append(EngineSpec(command, group.others.get("--name", name), options, start_seconds))
    return specs


def _command(
    group: _Group, tunables: Mapping[str, str], repository: Path | None
) -> tuple[tuple[str, ...], str]:
    """Return the command of an engine, with the tunables for coachwhip, and the name of a revision.

    Raises CommandError.
    """
    if group.kind == "--engine":
        return _split(group.engine), ""
    changes = [f"{name}={value}" for name, value in tunables.items()]
    settings = [word for change in changes for word in ("--set", change)]
    if not group.kind:
        return (*own_command(), *settings), ""
    name, command = builds.build(group.engine, builds.find_repository(repository), warn)
    return (*command, *settings), " ".join([name, *changes])


def _split(command: str, *, windows: bool = os.name == "nt") -> tuple[str, ...]:
    """Split a command line: a program's path, or words quoted as in the system's shell.

    Raises CommandError.
    """
    if re.search(r"[\s'\"\\]", command) and os.path.isfile(command):
        return (os.path.abspath(command),)
    try:
        words = tuple(shlex.split(command, posix=not windows))
    except ValueError as error:
        raise CommandError(f"--engine {command!r}: {error}") from error
    if windows:  # backslashes are part of a path there, and the quotes are still there
        words = tuple(re.sub(r"""^(["'])(.*)\1$""", r"\2", word) for word in words)
    if not words:
        raise CommandError("--engine needs a command")
    return words


def own_command() -> tuple[str, ...]:
    """Return the command that runs this coachwhip, from any working directory."""
    return builds.start_command(import_root())


def distinct(names: Sequence[str]) -> list[str]:
    """Return the names, with a number for repeated ones."""
    return [
        f"{name} ({number})" if names.count(name) > 1 else name for number, name in enumerate(names, start=1)
    ]
