# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs engines on test positions and watches how their choices change.

The stopwatch runs from the moment `go` is written. An engine that crashes, stalls or plays an illegal move
has failed that position, and a fresh process takes the next one.
"""

from collections.abc import Sequence
from typing import NamedTuple

import chess

from ...games.time_control import Clock, TimeControl
from ..engines.client import FAILED_STARTS, Client, Patience, legal_move, position_command
from ..engines.faults import CRASH, ILLEGAL_MOVE, NO_START, STALL, EngineFault, StartError
from ..engines.info import read_info
from ..engines.pool import EnginePool
from .epd import Problem

FAULTS = (CRASH, STALL, ILLEGAL_MOVE, NO_START)


class Moment(NamedTuple):
    """An engine's choice from some moment of its search on."""

    seconds: float = 0.0  # since `go`
    depth: int | None = None
    nodes: int | None = None
    move: str = ""
    mate: int | None = None  # in moves, from the side to move; None for a score in centipawns


class Attempt(NamedTuple):
    """One engine at one position.

    `solved_*` is the moment from which its choice stayed right until the end.
    """

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


Attempts = dict[str, Attempt]  # of one engine, by position


def follow(stamped: Sequence[tuple[float, str]], board: chess.Board) -> list[Moment]:
    """Return the engine's choice from each of its `info` lines on, in order.

    Lines without a legal move are left out.

    A bound announces no mate; the last exact announcement stands.
    """
    moments: list[Moment] = []
    mate = None
    for seconds, line in stamped:
        info = read_info(line)
        if info is None or info.multipv != 1 or not info.pv:
            continue
        try:
            move = board.uci(legal_move(board, info.pv[0]))
        except EngineFault:
            continue
        mate = mate if info.is_bound else info.mate
        moments.append(Moment(seconds, info.depth, info.nodes, move, mate))
    return moments


def attempt(
    problem: Problem, engine: int, moments: Sequence[Moment], fault: str = "", detail: str = ""
) -> Attempt:
    """Return the record of a search.

    It is solved from the first moment on from which the choice stays right until the last.
    """
    since: Moment | None = None
    for moment in moments:
        since = (since or moment) if problem.is_right(moment.move, moment.mate) else None
    end = moments[-1] if moments else Moment()
    points = None if problem.grades is None else problem.grades.get(end.move, 0)
    answer = end.move, end.mate, problem.mate, points, problem.max_points, end.depth, end.seconds, end.nodes
    solved = since[:3] if since else (None, None, None)
    return Attempt(problem.key, problem.fen, engine, since is not None, fault, detail, *answer, *solved)


def solve(
    engines: EnginePool[Client], control: TimeControl, patience: float, item: tuple[Problem, int]
) -> Attempt | None:
    """Let an engine, by its index, solve a problem with empty tables.

    It has stalled after `patience` seconds. Returns None if it failed to start too often to be tried again.
    """
    problem, engine = item
    board = chess.Board(problem.fen, chess960=problem.chess960)
    position = position_command(problem.fen, chess960=problem.chess960)
    stamped: list[tuple[float, str]] = []
    with engines.borrow(engine) as client:
        if client.failed_starts >= FAILED_STARTS:
            return None
        try:
            client.new_game(chess960=problem.chess960)
            go, limit = Clock(control).go({}), Patience(patience)
            reply = client.go(position, go, limit, lambda seconds, line: stamped.append((seconds, line)))
            move = board.uci(legal_move(board, reply.move))
        except StartError as error:
            return attempt(problem, engine, (), NO_START, str(error))
        except EngineFault as fault:
            client.close()
            return attempt(problem, engine, (), fault.reason, fault.detail)
    moments = follow(stamped, board)
    end = (moments or [Moment()])[-1]._replace(seconds=reply.seconds, move=move)
    return attempt(problem, engine, [*moments, end])
