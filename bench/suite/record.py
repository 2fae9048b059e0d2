# SPDX-License-Identifier: GPL-3.0-or-later
"""The file a suite run leaves: JSON, first a line that says what is run, then a line for each finished position.

A line is written and flushed as soon as its position is done, so that a run that was killed loses nothing but what it was
searching; a last line that was torn is dropped. The same file is what a later run resumes, or compares itself with.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from io import FileIO
from pathlib import Path
from typing import Any, NamedTuple

from ..common.command import CommandError, append, naming
from ..common.lock import hold
from ..engines.greeting import START_SECONDS
from ..engines.spec import EngineSpec
from .task import Attempt, Task

FORMAT = 1


class Plan(NamedTuple):
    """Everything that decides the results of a run."""

    files: tuple[str, ...]  # absolute
    kind: str  # of the limit: time (seconds), depth or nodes
    limit: float
    patience: float  # seconds after which a silent engine has stalled
    engines: tuple[EngineSpec, ...]

    def __str__(self) -> str:
        return f"{self.limit:g} s a position" if self.kind == "time" else f"{self.kind} {self.limit:g} a position"


class Record(NamedTuple):
    """What a file holds."""

    plan: Plan
    digest: str  # of the positions
    total: int  # attempts that make the run complete
    attempts: list[Attempt]


def digest_of(tasks: Sequence[Task]) -> str:
    """A fingerprint of the positions and their questions."""
    text = json.dumps([task._asdict() for task in tasks], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


class Writer:
    """An open file to which attempts are added; to be closed, with contextlib.closing."""

    def __init__(self, file: FileIO, path: Path) -> None:
        self._file = file
        self._path = path

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def add(self, attempt: Attempt) -> None:
        """Write one finished position."""
        self._line(attempt._asdict())

    def begin(self, plan: Plan, tasks: Sequence[Task]) -> None:
        """Write what is to be run."""
        engines = [spec._asdict() for spec in plan.engines]
        head = {"coachwhip suite": FORMAT, "digest": digest_of(tasks), "total": len(tasks) * len(plan.engines)}
        self._line({**head, **plan._asdict(), "engines": engines})

    def _line(self, value: Mapping[str, object]) -> None:
        with naming(self._path):
            append(self._file, json.dumps(value).encode() + b"\n")


def create(path: Path, plan: Plan, tasks: Sequence[Task]) -> Writer:
    """Start a file. Raises CommandError rather than overwrite a run that is unfinished or going on, or a file of another kind; OSError."""
    file = _open(path)
    try:
        if path.stat().st_size:
            found = load(path)
            if len(found.attempts) < found.total:
                raise CommandError(f"{path} holds an unfinished run: continue it with --resume {path}, or remove it")
        file.truncate(0)
    except BaseException:
        file.close()
        raise
    writer = Writer(file, path)
    writer.begin(plan, tasks)
    return writer


def reopen(path: Path) -> Writer:
    """Open a file that was loaded to add what is missing; a torn last line is cut off first. Raises CommandError, OSError."""
    file = _open(path)
    file.truncate(path.read_bytes().rfind(b"\n") + 1)
    return Writer(file, path)


def _open(path: Path) -> FileIO:
    """Open a file for this run alone, to add lines. Raises CommandError if another run has it, OSError."""
    file = path.open("ab", buffering=0)  # what is not on disk is nowhere
    try:
        hold(file, path)
    except CommandError:
        file.close()
        raise
    return file


def load(path: Path) -> Record:
    """Read a file. Raises CommandError if it is not one of ours or a line is damaged, OSError."""
    lines = path.read_bytes().split(b"\n")[:-1]  # what follows the last line end was torn
    attempts: dict[tuple[str, int], Attempt] = {}
    at = 1
    try:
        head = json.loads(lines[0])
        if head["coachwhip suite"] != FORMAT:
            raise ValueError(f"written by another version (format {head['coachwhip suite']})")
        plan = _plan(head)
        for line in lines[1:]:
            at += 1
            attempt = _attempt(json.loads(line), len(plan.engines))
            attempts[attempt.key, attempt.engine] = attempt
        return Record(plan, str(head["digest"]), int(head["total"]), list(attempts.values()))
    except (ValueError, KeyError, IndexError, TypeError, AttributeError) as error:
        raise CommandError(f"{path}:{at}: not what `coachwhip suite --save` writes ({error})") from error


def _plan(head: Mapping[str, Any]) -> Plan:
    """The plan of a file's first line."""
    engines = tuple(
        EngineSpec(tuple(spec["command"]), spec["name"], dict(spec["options"]), float(spec.get("start_seconds", START_SECONDS)))
        for spec in head["engines"]
    )
    if head["kind"] not in ("time", "depth", "nodes"):
        raise ValueError(f"unknown limit {head['kind']!r}")
    return Plan(tuple(head["files"]), head["kind"], float(head["limit"]), float(head["patience"]), engines)


def _attempt(fields: Mapping[str, Any], engines: int) -> Attempt:
    """One line's attempt."""
    attempt = Attempt(**fields)
    if not 0 <= attempt.engine < engines:
        raise ValueError(f"engine {attempt.engine} of {engines}")
    return attempt
