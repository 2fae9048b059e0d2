# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs engines on test positions and watches how their choices change.

The stopwatch runs from the moment `go` is written. Where a move is wrong, a second search of the right ones alone (`searchmoves`)
shows what the engine thinks of them; it decides nothing and costs solved positions nothing. An engine that crashes, stalls or plays an
illegal move has failed that position, and a fresh process takes the next one.
"""

from collections.abc import Sequence
from typing import NamedTuple

import chess
from chess.engine import Cp, Mate

from ..common.adjudication import MATE_SCORE
from ..common.punctual import undisturbed
from ..engines.client import FAILED_STARTS, Client, Patience, legal_move, position_command
from ..engines.clock import Clock, TimeControl
from ..engines.faults import CRASH, ILLEGAL_MOVE, NO_START, STALL, EngineFault, StartError
from ..engines.info import Info, read_info
from ..engines.pool import EnginePool
from ..engines.spec import EngineSpec
from .epd import Problem

FAULTS = (CRASH, STALL, ILLEGAL_MOVE, NO_START)


class Moment(NamedTuple):
    """What an engine preferred from some moment of its search on."""

    seconds: float = 0.0  # since `go`
    depth: int | None = None
    nodes: int | None = None
    move: str = ""
    mate: int | None = None  # in moves, from the side to move; None for a score in centipawns
    score: int | None = None  # centipawns, a mate in n moves is MATE_SCORE - n; None if the engine gives none


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
    score: int | None = None  # of the move, as in Moment; None if it is right
    solution_score: int | None = None  # of the solution, with `am` of the best other move; None if the engine cannot tell


def follow(stamped: Sequence[tuple[float, str]], board: chess.Board) -> list[Moment]:
    """What the engine preferred from each of its `info` lines on, in order; lines without a legal move are left out.

    A mate score that is only a bound announces nothing, and leaves what was announced before as it was. A bound is taken for the score
    of a move that has no other.
    """
    moments: list[Moment] = []
    mate = None
    last = Moment()
    for seconds, line in stamped:
        info = read_info(line)
        if info is None or info.multipv != 1 or not info.move:
            continue
        try:
            move = board.uci(board.parse_uci(info.move))
        except ValueError:
            continue
        mate = mate if info.is_bound else info.mate
        score = last.score if info.is_bound and move == last.move else _score(info)
        last = Moment(seconds, info.depth, info.nodes, move, mate, score)
        moments.append(last)
    return moments


def _score(info: Info) -> int | None:
    """In centipawns."""
    if info.mate is not None:
        return Mate(info.mate).score(mate_score=MATE_SCORE)
    return None if info.cp is None else Cp(info.cp).score()


def attempt(problem: Problem, engine: int, moments: Sequence[Moment], fault: str = "", detail: str = "") -> Attempt:
    """The record of a search. It is solved from the first moment on from which the choice stays right until the last."""
    since: Moment | None = None
    for moment in moments:
        since = (since or moment) if problem.is_right(moment.move, moment.mate) else None
    end = moments[-1] if moments else Moment()
    return Attempt(
        problem.key,
        problem.fen,
        engine,
        since is not None,
        fault,
        detail,
        end.move,
        end.mate,
        problem.mate,
        None if problem.grades is None else problem.grades.get(end.move, 0),
        problem.max_points,
        end.depth,
        end.seconds,
        end.nodes,
        since and since.seconds,
        since and since.depth,
        since and since.nodes,
        None if since else end.score,
    )


class Solvers:
    """The engines of a run, which its threads share."""

    def __init__(self, specs: Sequence[EngineSpec], control: TimeControl, patience: float, concurrency: int) -> None:
        """An engine counts as stalled after `patience` seconds."""
        self._engines = EnginePool(lambda index: Client(specs[index]), idle=len(specs) * concurrency)
        self._go = Clock(control).go({})
        self._patience = Patience(patience)
        self.close = self._engines.close

    def solve(self, item: tuple[Problem, int]) -> Attempt | None:
        """Have an engine, by its index, solve a problem; None if it failed to start too often to be tried again."""
        problem, engine = item
        with self._engines.borrow(engine) as client:
            if client.failed_starts >= FAILED_STARTS:
                return None
            return undisturbed(lambda: self._search(client, problem, engine))

    def _search(self, client: Client, problem: Problem, engine: int) -> Attempt:
        """Search one position with everything forgotten."""
        try:
            moments = self._moments(client, problem, self._go)
        except StartError as error:
            return attempt(problem, engine, (), NO_START, str(error))
        except EngineFault as fault:
            client.close()
            return attempt(problem, engine, (), fault.reason, fault.detail)
        found = attempt(problem, engine, moments)
        solutions = problem.solutions()
        if found.solved or found.score is None or not solutions:
            return found
        try:
            end = self._moments(client, problem, f"{self._go} searchmoves {' '.join(solutions)}")[-1]
        except (StartError, EngineFault):  # an engine without `searchmoves` may do anything
            client.close()
            return found
        return found._replace(solution_score=end.score if end.move in solutions else None)

    def _moments(self, client: Client, problem: Problem, go: str) -> list[Moment]:
        """What the engine preferred in one search, its move last. Raises StartError, EngineFault."""
        board = chess.Board(problem.fen, chess960=problem.chess960)
        position = position_command(problem.fen, chess960=problem.chess960)
        stamped: list[tuple[float, str]] = []
        client.new_game(chess960=problem.chess960)
        reply = client.go(position, go, self._patience, lambda seconds, line: stamped.append((seconds, line)))
        move = board.uci(legal_move(board, reply.move))
        moments = follow(stamped, board)
        end = (moments or [Moment()])[-1]
        score = end.score if end.move == move else None  # else it is another move's
        return [*moments, end._replace(seconds=reply.seconds, move=move, score=score)]
