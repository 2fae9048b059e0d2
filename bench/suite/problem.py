# SPDX-License-Identifier: GPL-3.0-or-later
"""What a test position asks, what an engine's attempt at it was, and when that attempt counts as solved.

Pure values: no engine, no file. Moves are UCI text throughout, written as the position's own rules (Chess960 or not) write them.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from ..engines.faults import CRASH, ILLEGAL_MOVE, NO_START, STALL


class Problem(NamedTuple):
    """A position with its question: the moves to find or avoid, else the mate to announce, else the best graded move."""

    file: str
    label: str  # its id, made unique in the file
    fen: str
    chess960: bool
    best: tuple[str, ...] = ()  # bm
    avoid: tuple[str, ...] = ()  # am
    mate: int | None = None  # dm: moves to the mate, negative where the side to move is mated
    grades: Mapping[str, int] | None = None  # points by move; None where the position is not graded

    @property
    def key(self) -> str:
        """What identifies the position from one run to the next."""
        return f"{self.file}: {self.label}"

    @property
    def asked_mate(self) -> int | None:
        """The mate that is to be announced; None where moves decide."""
        return None if self.best or self.avoid else self.mate

    @property
    def max_points(self) -> int | None:
        """Points of the best graded move; None where the position is not graded."""
        return None if self.grades is None else max(self.grades.values())


class Moment(NamedTuple):
    """What an engine preferred from some moment of its search on."""

    seconds: float  # since `go`
    depth: int | None
    nodes: int | None
    move: str
    mate: int | None  # in moves, from the side to move; None for a score in centipawns


class Attempt(NamedTuple):
    """One engine at one position. `solved_*` is the moment from which its choice stayed right until the end."""

    key: str
    fen: str
    engine: int  # index into the run's engines
    solved: bool = False
    fault: str = ""  # "", or one of FAULTS
    detail: str = ""
    move: str = ""
    mate: int | None = None
    asked_mate: int | None = None  # None where another question was asked
    points: int | None = None  # None where the position is not graded
    max_points: int | None = None
    depth: int | None = None
    seconds: float = 0.0  # of the whole search
    nodes: int | None = None
    solved_seconds: float | None = None
    solved_depth: int | None = None
    solved_nodes: int | None = None


FAULTS = (CRASH, STALL, ILLEGAL_MOVE, NO_START)


def is_right(problem: Problem, move: str, mate: int | None) -> bool:
    """Whether this choice answers the question. Where moves are given they decide, and a `dm` in addition is ignored."""
    if problem.best or problem.avoid:
        return (not problem.best or move in problem.best) and move not in problem.avoid
    if problem.asked_mate is not None:
        return mate == problem.asked_mate
    return problem.grades is not None and problem.grades.get(move) == problem.max_points


def solution(problem: Problem, moments: Iterable[Moment]) -> Moment | None:
    """The first moment from which the choice stays right until the last one; None if the last one is wrong."""
    found: Moment | None = None
    for moment in moments:
        if not is_right(problem, moment.move, moment.mate):
            found = None
        elif found is None:
            found = moment
    return found


def attempt(problem: Problem, engine: int, moments: list[Moment]) -> Attempt:
    """The record of a search with a legal move; the last moment is its end, with that move."""
    end = moments[-1]
    found = solution(problem, moments)
    return Attempt(
        problem.key,
        problem.fen,
        engine,
        solved=found is not None,
        move=end.move,
        mate=end.mate,
        asked_mate=problem.asked_mate,
        points=None if problem.grades is None else problem.grades.get(end.move, 0),
        max_points=problem.max_points,
        depth=end.depth,
        seconds=end.seconds,
        nodes=end.nodes,
        solved_seconds=found.seconds if found else None,
        solved_depth=found.depth if found else None,
        solved_nodes=found.nodes if found else None,
    )


def failure(problem: Problem, engine: int, fault: str, detail: str) -> Attempt:
    """The record of a search without a legal move."""
    return Attempt(
        problem.key,
        problem.fen,
        engine,
        fault=fault,
        detail=detail,
        asked_mate=problem.asked_mate,
        points=None if problem.grades is None else 0,
        max_points=problem.max_points,
    )
