# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs engines on test positions and watches how their choices change.

The stopwatch runs from the moment `go` is written. An engine that crashes, stalls or plays an illegal move has failed that
position, and a fresh process takes the next one.
"""

from collections.abc import Sequence
from typing import NamedTuple

import chess

from ..common.punctual import undisturbed
from ..engines.client import FAILED_STARTS, Client, Patience, legal_move, position_command
from ..engines.clock import Clock, TimeControl
from ..engines.faults import NO_START, EngineFault, StartError
from ..engines.info import read_info
from ..engines.pool import EnginePool
from ..engines.spec import EngineSpec
from .problem import Attempt, Moment, Problem, attempt, failure


def follow(stamped: Sequence[tuple[float, str]], board: chess.Board) -> list[Moment]:
    """What the engine preferred from each of its `info` lines on, in order; lines without a legal move are left out.

    A mate score that is only a bound announces nothing, and leaves what was announced before as it was.
    """
    moments: list[Moment] = []
    moves: dict[str, str] = {}
    mate = None
    for seconds, line in stamped:
        info = read_info(line)
        if info is None or info.multipv != 1 or not info.move:
            continue
        if info.move not in moves:
            try:
                moves[info.move] = board.uci(board.parse_uci(info.move))
            except ValueError:
                continue
        mate = mate if info.is_bound else info.mate
        moments.append(Moment(seconds, info.depth, info.nodes, moves[info.move], mate))
    return moments


class Solver:
    """One engine."""

    def __init__(self, spec: EngineSpec, index: int) -> None:
        self.client = Client(spec)
        self._index = index

    @property
    def is_given_up(self) -> bool:
        """Whether the engine failed to start too often to be tried again."""
        return self.client.failed_starts >= FAILED_STARTS

    def solve(self, problem: Problem, control: TimeControl, patience: float) -> Attempt:
        """Search one position with everything forgotten; after `patience` seconds the engine counts as stalled."""
        board = chess.Board(problem.fen, chess960=problem.chess960)
        stamped: list[tuple[float, str]] = []
        position, go = position_command(problem.fen, chess960=problem.chess960), Clock(control).go({})
        try:
            self.client.new_game(chess960=problem.chess960)
            reply = self.client.go(position, go, Patience(patience), lambda seconds, line: stamped.append((seconds, line)))
            move = legal_move(board, reply.move)
        except StartError as error:
            return failure(problem, self._index, NO_START, str(error))
        except EngineFault as fault:
            self.client.close()
            return failure(problem, self._index, fault.reason, fault.detail)
        moments = follow(stamped, board)
        last = moments[-1] if moments else Moment(0.0, None, None, "", None)
        moments.append(last._replace(seconds=reply.seconds, move=board.uci(move)))
        return attempt(problem, self._index, moments)

    def close(self, *, politely: bool = False) -> None:
        """End the process."""
        self.client.close(politely=politely)

    def end(self) -> None:
        """End the process for good. It may be called from any thread."""
        self.client.end()


class Solved(NamedTuple):
    """A finished attempt, and whether its engine is tried no more."""

    attempt: Attempt
    gave_up: bool


class Solvers:
    """The engines of a run, which its threads share."""

    def __init__(self, specs: Sequence[EngineSpec], control: TimeControl, patience: float, concurrency: int) -> None:
        self._engines = EnginePool(lambda index: Solver(specs[index], index), idle=len(specs) * concurrency)
        self._control = control
        self._patience = patience

    def solve(self, item: tuple[Problem, int]) -> Solved | None:
        """Have an engine, by its index, solve a problem; None if it failed to start too often."""
        problem, engine = item
        with self._engines.borrow(engine) as solver:
            if solver.is_given_up:
                return None
            done = undisturbed(lambda: solver.solve(problem, self._control, self._patience))
            return Solved(done, solver.is_given_up)

    def close(self) -> None:
        """End the engines."""
        self._engines.close()
