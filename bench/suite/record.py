# SPDX-License-Identifier: GPL-3.0-or-later
"""The journal of a suite run (`--journal`), which a later run resumes or compares itself with."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from ..common.command import CommandError
from ..common.journal import Journal, Kind, load_lines, read
from .solver import Attempt

KIND = Kind("suite", "run of a suite", "position")
Attempts = dict[str, Attempt]  # of one engine, by position


class Record(NamedTuple):
    """What the journal of another run holds."""

    names: list[str]  # of the engines
    limit: str
    attempts: list[Attempts]  # of each engine


class SuiteJournal(Journal):
    """The journal of a run: a line for each attempt. `attempts` are those of each engine that it held when it was opened."""

    KIND = KIND

    def __init__(self, path: Path, settings: Mapping[str, Any], *, resume: bool) -> None:
        """See Journal."""
        self.attempts: list[Attempts] = [{} for _ in settings["engines"]]
        super().__init__(path, settings, resume=resume)

    def _load_line(self, line: dict[str, Any]) -> None:
        _load_line(self.attempts, line)


def _load_line(attempts: list[Attempts], line: dict[str, Any]) -> None:
    """Add the attempt that a line holds."""
    attempt = Attempt(**line)
    attempts[attempt.engine][attempt.key] = attempt


def load(path: Path) -> Record:
    """Read the journal of a run that may be going on. Raises CommandError if it is not one of ours or a line is damaged, OSError."""
    contents = read(path, KIND)
    if contents is None:
        raise CommandError(f"{path} holds no {KIND.run}")
    names = [engine["name"] for engine in contents.settings["engines"]]
    record = Record(names, contents.settings["limit"], [{} for _ in names])
    load_lines(path, KIND, contents, lambda line: _load_line(record.attempts, line))
    return record
