# SPDX-License-Identifier: GPL-3.0-or-later
"""Which engines a measuring command is to run: read from its command line, ourselves by default.

`--name` and `--option` belong to the `--engine` or `--revision` before them; an option before the first is for every engine.
"""

import argparse
import os
import shlex
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from .command import CommandError, assignment

FAIR_OPTIONS = {"Threads": "1", "OwnBook": "false"}  # set wherever an engine has them, unless the user says otherwise


class EngineSpec(NamedTuple):
    """An engine as the user gave it."""

    command: tuple[str, ...]
    name: str  # "" for the name it gives itself
    options: Mapping[str, str]


class _InOrder(argparse.Action):
    """Collects (option, value) pairs of several options in one list, in the order in which they stand."""

    def __call__(
        self, _parser: argparse.ArgumentParser, namespace: argparse.Namespace, value: Any, _option: str | None = None
    ) -> None:
        setattr(namespace, self.dest, [*getattr(namespace, self.dest), (self.option_strings[0], value)])


def add_engine_arguments(parser: argparse.ArgumentParser) -> None:
    """Give a parser `--engine`, `--revision`, `--name` and `--option`; `engine_specs` reads what they collect."""
    add = parser.add_argument
    shared: dict[str, Any] = {"action": _InOrder, "dest": "engine_words", "default": []}
    add("--engine", metavar="COMMAND", help="command line of a UCI engine; may be given several times", **shared)
    add("--revision", metavar="REV", help="ourselves as of a git revision, built if need be; likewise", **shared)
    add("--name", help="what to call the engine named last (default: its own name)", **shared)
    help_option = "UCI option of the engine named last; of every engine, if it stands before the first"
    add("--option", type=assignment, metavar="NAME=VALUE", help=help_option, **shared)


def engine_specs(words: Sequence[tuple[str, Any]], *, with_ours: bool) -> list[EngineSpec]:
    """The engines that the collected words name; ourselves first if `with_ours`, and alone where none is named.

    Raises CommandError for a word without the engine it belongs to, or a command line that cannot be split.
    """
    named = any(option in ("--engine", "--revision") for option, _ in words)
    specs = [EngineSpec(own_command(), "", {})] if with_ours or not named else []
    shared: dict[str, str] = {}
    begun = not named  # options without an engine are ours
    for option, value in words:
        if option in ("--engine", "--revision"):
            specs.append(EngineSpec(_split(value), "", {}) if option == "--engine" else _of_revision(value))
            begun = True
        elif option == "--option" and not begun:
            shared[value[0]] = value[1]
        elif not specs:
            raise CommandError("--name stands behind the engine that it names")
        elif option == "--name":
            specs[-1] = specs[-1]._replace(name=value)
        else:
            specs[-1] = specs[-1]._replace(options={**specs[-1].options, value[0]: value[1]})
    return [spec._replace(options={**shared, **spec.options}) for spec in specs]


def _of_revision(revision: str) -> EngineSpec:
    """Ourselves as of a git revision. Raises CommandError."""
    from .builds import build, find_repository

    made = build(revision, find_repository(), lambda line: print(line, file=sys.stderr, flush=True))
    return EngineSpec(made.command, made.name, {})


def _split(command: str) -> tuple[str, ...]:
    """The words of a command line, quoted as the system's shell does. Raises CommandError."""
    try:
        words = tuple(shlex.split(command, posix=os.name != "nt"))
    except ValueError as error:
        raise CommandError(f"--engine {command!r}: {error}") from error
    if not words:
        raise CommandError("--engine needs a command")
    return words


def own_command() -> tuple[str, ...]:
    """The command that runs this very coachwhip, from any working directory."""
    above = Path(__file__).resolve().parent.parent  # the checkout, or the installed package
    return start_command(sys.executable, above if (above / "coachwhip").is_dir() else above.parent)


def start_command(python: str, root: Path) -> tuple[str, ...]:
    """The command that runs the package `coachwhip` in `root` with an interpreter, from any working directory."""
    code = f"import sys; sys.path.insert(0, {str(root)!r}); from coachwhip.__main__ import main; sys.exit(main())"
    return python, "-c", code


def distinct(names: Sequence[str]) -> list[str]:
    """The names, numbered where one occurs twice."""
    return [f"{name} ({number})" if names.count(name) > 1 else name for number, name in enumerate(names, start=1)]
