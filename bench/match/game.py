# SPDX-License-Identifier: GPL-3.0-or-later
"""Plays one game between two UCI engines, judged by python-chess: who moves, and who is out of time.

An engine that exceeds its clock, sends an illegal move, stalls or dies loses that game. `games.adjudication`
decides how games end, and `record` holds them.
"""

import math
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import chain

import chess
import chess.engine

from ...cli.command import per_second
from ...cli.fair_timing import fair_timing
from ...core.engine import Position
from ...games.adjudication import UNFINISHED, Ending, find_ending, win
from ...games.rules import Rules
from ...games.time_control import Clock, TimeControl
from ..engines.client import FAILED_STARTS, Client, Patience, legal_move, position_command
from ..engines.faults import CRASH, TIME_LOSS, EngineFault, StartError
from ..engines.info import Info, read_info, reported_nodes
from ..engines.pool import EnginePool
from ..engines.spec import EngineSpec
from ..engines.traffic import Traffic
from .record import INTERRUPTED, GameRecord, MoveRecord
from .schedule import Pairing

IDLE_ENGINES = 4  # engines that stay for each game that is played at a time
STALL_TIMED = 10.0  # seconds of silence after its time is up that make a stalled engine
STALL_UNTIMED = 60.0  # the same after `go` or its last line, for searches without a clock
LAST_LINES = 4096  # of a search that are kept: an engine may write without end
TOLERANCE = 1.1  # of a node limit: engines look at their count now and then
# warnings: errors in the output of a search, which lose no game
ILLEGAL_PV, LONG_PV, OTHER_PV, NO_MATE = (
    "illegal move in PV",
    "PV longer than the game",
    "PV of another move",
    "mate not given",
)


@dataclass(frozen=True)
class Contest:
    """Who plays, and how."""

    players: tuple[EngineSpec, ...]
    controls: tuple[TimeControl, ...]  # of each player
    rules: Rules
    has_details: bool = False  # the records have nps and PV of each search


def engine_pool(contest: Contest, concurrency: int, traffic: Traffic | None = None) -> EnginePool[Client]:
    """Return the engines for `concurrency` games at a time; `traffic` gets all their lines."""
    return EnginePool(lambda player: Client(contest.players[player], traffic), IDLE_ENGINES * concurrency)


def play(contest: Contest, engines: EnginePool[Client], pairing: Pairing) -> GameRecord:
    """Play a game. Raises StartError if an engine cannot be used at all."""
    with engines.borrow(pairing.white) as white, engines.borrow(pairing.black) as black:
        return Game(pairing, (white, black), contest, lambda: engines.is_closed).play()


def play_there(contest: Contest, pairing: Pairing) -> GameRecord:
    """Play a game on a worker of a cluster, with engines of its own.

    So the worker keeps nothing that has to be cleaned up.
    """
    fair_timing()
    with closing(engine_pool(contest, 1)) as engines:
        return play(contest, engines, pairing)


class Game:
    """A game that is being played."""

    def __init__(
        self,
        pairing: Pairing,
        engines: tuple[Client, Client],
        contest: Contest,
        is_stopped: Callable[[], bool] = lambda: False,
    ) -> None:
        """Set up a game of these engines, White's first.

        Before each move, `is_stopped` says whether to end it unfinished.
        """
        self._pairing = pairing
        self._engines = {chess.WHITE: engines[0], chess.BLACK: engines[1]}
        self._contest = contest
        self._is_stopped = is_stopped
        self._board = pairing.opening.position()
        controls = {"w": contest.controls[pairing.white], "b": contest.controls[pairing.black]}
        self._clocks = {side: Clock(control, contest.rules.margin) for side, control in controls.items()}
        self._history = pairing.opening.moves.split()
        self._position = Position.from_board(self._board)
        self._moves: list[MoveRecord] = []
        self._warnings: dict[chess.Color, dict[str, list[str]]] = {chess.WHITE: {}, chess.BLACK: {}}

    def play(self) -> GameRecord:
        """Play to the end. Raises StartError if an engine cannot be used at all."""
        colour, detail = chess.WHITE, ""
        try:
            for colour in (chess.WHITE, chess.BLACK):
                self._prepare(self._engines[colour])
            while (ending := self._ending()) is None and not self._is_stopped():
                colour = self._board.turn
                self._move()
        except EngineFault as fault:
            ending = None if self._is_stopped() else Ending(win(not colour), fault.reason)
            detail = fault.detail
        if ending is None:
            ending, detail = Ending(UNFINISHED, INTERRUPTED), ""
        date = datetime.now(UTC).isoformat()
        white, black = (engine.name for engine in self._engines.values())
        for side, warnings in self._warnings.items():
            if find_ending(self._board, [], Rules()) is None or ending.result == win(side):
                warnings.pop(NO_MATE, None)
        moves, warned = tuple(self._moves), (self._warnings[chess.WHITE], self._warnings[chess.BLACK])
        return GameRecord(
            self._pairing.number, date, self._pairing.opening, white, black, moves, *ending, detail, warned
        )

    def _prepare(self, engine: Client) -> None:
        """Start a new game in an engine.

        Raises EngineFault if it fails after it has worked before: it loses the game. Raises StartError, which
        ends the match, if it has never worked, or several starts in a row have failed.
        """
        try:
            engine.start()
        except StartError as error:
            if not engine.was_started or engine.failed_starts >= FAILED_STARTS:
                raise
            raise EngineFault(CRASH, str(error)) from error
        engine.new_game(chess960=self._pairing.opening.chess960)

    def _ending(self) -> Ending | None:
        return find_ending(self._board, [move.score for move in self._moves], self._contest.rules)

    def _move(self) -> None:
        """Have the side to move make its move. Raises EngineFault."""
        turn = self._board.turn
        clock = self._clocks["w" if turn == chess.WHITE else "b"]
        search = _Search(clock.control.nodes)
        go, allowance = clock.go(self._clocks), clock.allowance
        patience = (
            Patience(after_line=STALL_UNTIMED) if allowance is None else Patience(allowance + STALL_TIMED)
        )
        opening = self._pairing.opening
        position = position_command(opening.fen, self._history, chess960=opening.chess960)
        try:
            reply = self._engines[turn].go(position, go, patience, search.read)
        except EngineFault as fault:
            searched = f", {search.nodes} nodes searched" if search.nodes else ""
            raise EngineFault(fault.reason, f"asked {go!r}: {fault.detail}{searched}") from fault
        finally:
            if search.nodes > search.limit:
                self._warn("node limit overstepped", f"{search.nodes} nodes")
        if allowance is not None and reply.seconds > allowance:
            raise EngineFault(TIME_LOSS, f"{reply.seconds:.3f} s used, {allowance:.3f} s allowed")
        move = legal_move(self._board, reply.move)
        clock.spend(reply.seconds)
        info = last_info(search.lines)
        remaining = round(clock.remaining, 6) if clock.control.base else None
        nodes = search.nodes or info.nodes
        record = MoveRecord(
            move.uci(), round(reply.seconds, 6), remaining, white_score(info, turn), info.depth, nodes
        )
        if self._contest.has_details:
            record = record._replace(
                nps=info.nps or per_second(nodes or 0, reply.seconds), pv=" ".join(info.pv)
            )
        self._moves.append(record)
        if (info.mate or 0) > 0 and not info.is_bound:
            self._warn(NO_MATE, f"mate {info.mate}")
        wrong, pv = pv_fault(search.lines, reply.move, self._position)
        if wrong:
            self._warn(wrong, pv)
        self._history.append(move.uci())
        self._position.make(move.uci())
        self._board.push(move)

    def _warn(self, kind: str, example: str) -> None:
        """Count a search of the side to move; of its kind, the first one of the game is kept."""
        seen = self._warnings[self._board.turn].setdefault(kind, [])
        seen.append("" if seen else f"{example} in {self._board.fen()}")


class _Search:
    """The output of one search; only node counts are parsed while the clock runs."""

    def __init__(self, limit: int) -> None:
        self.lines: deque[str] = deque(maxlen=LAST_LINES)
        self.nodes = 0  # the most that any line reported
        self.limit = TOLERANCE * limit if limit else math.inf

    def read(self, _seconds: float, line: str) -> bool:
        """Store the line; return False if the engine has searched more than its nodes without an answer."""
        self.lines.append(line)
        self.nodes = max(self.nodes, reported_nodes(line))
        return self.nodes <= self.limit


def pv_fault(lines: Sequence[str], move: str, position: Position) -> tuple[str, str]:
    """Return the error in the last PV of a search, "" without one, and its moves up to there.

    The search was of `position` and chose `move`.
    """
    mains = (
        info.pv for line in reversed(lines) if (info := read_info(line)) and info.multipv == 1 and info.pv
    )
    pv, made = next(mains, ()), 0
    try:
        for text in pv:
            if position.result() != "*":
                return LONG_PV, " ".join(pv[: made + 1])
            position.make(text)
            made += 1
    except ValueError:
        return ILLEGAL_PV, " ".join(pv[: made + 1])
    finally:
        for _ in range(made):
            position.undo()
    return (OTHER_PV if pv and pv[0].lower() != move.lower() else ""), " ".join(pv)


def last_info(lines: Sequence[str]) -> Info:
    """Return the last line about the main variation, one with an exact score if there is one."""
    read = (info for line in reversed(lines) if (info := read_info(line)))
    infos = (info for info in read if info.multipv == 1 and (info.cp, info.mate) != (None, None))
    last = next(infos, Info())
    return next((info for info in chain([last], infos) if not info.is_bound), last)


def white_score(info: Info, turn: chess.Color) -> chess.engine.Score | None:
    """Return the score of the engine that plays `turn`, from White's side; None if it reports none."""
    if info.cp is None and info.mate is None:
        return None
    score = chess.engine.Cp(info.cp) if info.mate is None else chess.engine.Mate(info.mate)  # type: ignore[arg-type]
    return chess.engine.PovScore(score, turn).white()
