# SPDX-License-Identifier: GPL-3.0-or-later
"""One game between two UCI engines, judged by python-chess: who moves, who is out of time, and the record of it.

An engine that exceeds its clock, sends an illegal move, stalls or dies loses that game, and the game is kept with the reason. How games
end is `common.adjudication`.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from itertools import chain
from textwrap import fill
from typing import Any, NamedTuple

import chess
import chess.engine
import chess.pgn

from ..common.adjudication import BLACK_WINS, UNFINISHED, Ending, find_ending, win
from ..common.openings import Opening
from ..common.pgn import COLUMNS, game_text
from ..common.rules import Rules
from ..engines.client import FAILED_STARTS, Client, Patience, legal_move, position_command
from ..engines.clock import Clock, TimeControl
from ..engines.faults import CRASH, ILLEGAL_MOVE, STALL, TIME_LOSS, EngineFault, StartError
from ..engines.info import Info, read_info, reported_nodes
from ..engines.spec import EngineSpec
from .schedule import Pairing

STALL_TIMED = 10.0  # seconds of silence after its time is up that make a stalled engine
STALL_UNTIMED = 60.0  # the same after `go` or its last line, for searches without a clock
TOLERANCE = 1.1  # of a node limit: engines look at their count now and then
FAULTS = (TIME_LOSS, ILLEGAL_MOVE, CRASH, STALL)  # each loses the game
INTERRUPTED = "interrupted"
TERMINATIONS = {TIME_LOSS: "time forfeit", ILLEGAL_MOVE: "rules infraction", CRASH: "abandoned", STALL: "abandoned"}
TERMINATIONS |= {INTERRUPTED: "unterminated"}


@dataclass(frozen=True)
class Contest:
    """Who plays, and how."""

    players: tuple[EngineSpec, ...]
    controls: tuple[TimeControl, ...]  # of each player
    rules: Rules
    stall: float | None = None  # seconds after which a silent engine is given up; None for the defaults


class MoveRecord(NamedTuple):
    """A move as it was played: `score` is from White's side; None where there is no clock, or the engine reported nothing.

    Times have whole microseconds, as in the journal: a resumed match finds a game in the PGN file by its text.
    """

    move: str  # UCI
    seconds: float
    clock: float | None  # what remained after the move, increment included
    score: chess.engine.Score | None
    depth: int | None
    nodes: int | None


@dataclass(frozen=True)
class GameRecord:
    """A game from its opening to its end: what the wire gives, the journal holds, and the tally counts."""

    number: int  # of its pairing
    date: str  # and time of its end, by which matches that share a PGN file tell their games apart
    opening: Opening
    white: str
    black: str
    moves: tuple[MoveRecord, ...]
    result: str  # 1-0, 0-1, 1/2-1/2, or * when interrupted
    reason: str
    detail: str = ""  # what exactly was wrong, where an engine forfeited
    oversteps: tuple[int, int] = (0, 0)  # in how many searches White and Black exceeded their node limit

    @property
    def culprit(self) -> chess.Color | None:
        """Who forfeited the game; None if nobody did."""
        return self.result == BLACK_WINS if self.reason in FAULTS else None

    def explanation(self) -> str:
        """Why the game ended, in words, with the name of the engine that was at fault."""
        if self.culprit is None:
            return self.reason
        return f"{self.reason} of {self.white if self.culprit else self.black}" + (f": {self.detail}" if self.detail else "")

    def to_json(self) -> dict[str, Any]:
        """The record as plain data; scores as python-chess writes them: `+35` or `#-3`."""
        data: dict[str, Any] = {"game": self.number, "date": self.date}
        if any(self.oversteps):
            data["oversteps"] = list(self.oversteps)
        data |= {"fen": self.opening.fen, "chess960": self.opening.chess960, "book": self.opening.moves}
        data |= {"white": self.white, "black": self.black, "result": self.result, "reason": self.reason, "detail": self.detail}
        scores = [None if move.score is None else str(move.score) for move in self.moves]
        return data | {"moves": [list(move._replace(score=score)) for move, score in zip(self.moves, scores, strict=True)]}  # type: ignore[arg-type]

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "GameRecord":
        """The inverse of `to_json`. Raises KeyError, TypeError or ValueError for data of another form."""
        moves = tuple(MoveRecord(move, spent, clock, _score(score), *rest) for move, spent, clock, score, *rest in data["moves"])
        opening = Opening(data["fen"], data["chess960"], data["book"])
        by_white, by_black = data.get("oversteps", (0, 0))
        ending = data["result"], data["reason"], data["detail"], (by_white, by_black)
        return cls(data["game"], data["date"], opening, data["white"], data["black"], moves, *ending)

    def pgn(self, headers: Mapping[str, str]) -> str:
        """The game as PGN, with `[%eval]` and depth, `[%emt]` and `[%clk]` comments."""
        game = chess.pgn.Game()
        game.setup(self.opening.start())
        game.headers.update(headers)
        game.headers.update({"White": self.white, "Black": self.black, "Result": self.result})
        game.headers["Termination"] = TERMINATIONS.get(self.reason, "normal")
        node: chess.pgn.GameNode = game
        for book_move in self.opening.moves.split():
            node = node.add_main_variation(chess.Move.from_uci(book_move), comment="book")
        for record in self.moves:
            node = node.add_main_variation(chess.Move.from_uci(record.move))
            if record.score is not None:
                node.set_eval(chess.engine.PovScore(record.score, chess.WHITE), record.depth)
            node.set_emt(record.seconds)
            if record.clock is not None:
                node.set_clock(record.clock)
        ending = self.explanation().replace("{", "(").replace("}", ")")
        node.comment = fill(f"{node.comment} {ending}", COLUMNS - len("{  }"), break_on_hyphens=False).strip()
        return game_text(game)


def _score(text: str | None) -> chess.engine.Score | None:
    if text is None or not text.startswith("#"):
        return None if text is None else chess.engine.Cp(int(text))
    mate = int(text[1:])
    return chess.engine.MateGiven if text == "#+0" else chess.engine.Mate(mate)


class Game:
    """A game that is being played."""

    def __init__(
        self, pairing: Pairing, engines: tuple[Client, Client], contest: Contest, is_stopped: Callable[[], bool] = lambda: False
    ) -> None:
        """The engines are White's and Black's. Before each move `is_stopped` is asked whether the game is to end, unfinished."""
        self._pairing = pairing
        self._engines = {chess.WHITE: engines[0], chess.BLACK: engines[1]}
        self._contest = contest
        self._is_stopped = is_stopped
        self._board = pairing.opening.position()
        controls = {"w": contest.controls[pairing.white], "b": contest.controls[pairing.black]}
        self._clocks = {side: Clock(control, contest.rules.margin) for side, control in controls.items()}
        self._history = pairing.opening.moves.split()
        self._moves: list[MoveRecord] = []
        self._oversteps = {chess.WHITE: 0, chess.BLACK: 0}

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
        date = datetime.now(timezone.utc).isoformat()
        white, black = (engine.name for engine in self._engines.values())
        oversteps = self._oversteps[chess.WHITE], self._oversteps[chess.BLACK]
        moves = tuple(self._moves)
        return GameRecord(self._pairing.number, date, self._pairing.opening, white, black, moves, *ending, detail, oversteps)

    def _prepare(self, engine: Client) -> None:
        """Have a process that is ready for a new game.

        Raises EngineFault if it has worked before: the engine loses the game. Raises StartError, which ends the match, if it
        never has, or several starts in a row have failed.
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
        opening = self._pairing.opening
        position = position_command(opening.fen, self._history, chess960=opening.chess960)
        try:
            reply = self._engines[turn].go(position, go, self._patience(allowance), search.read)
        except EngineFault as fault:
            searched = f", {search.nodes} nodes searched" if search.nodes else ""
            raise EngineFault(fault.reason, f"asked {go!r}: {fault.detail}{searched}") from fault
        finally:
            self._oversteps[turn] += search.nodes > search.limit
        if allowance is not None and reply.seconds > allowance:
            raise EngineFault(TIME_LOSS, f"{reply.seconds:.3f} s used, {allowance:.3f} s allowed")
        move = legal_move(self._board, reply.move)
        clock.spend(reply.seconds)
        info = last_info(search.lines)
        remaining = round(clock.remaining, 6) if clock.control.base else None
        nodes = search.nodes or info.nodes
        self._moves.append(MoveRecord(move.uci(), round(reply.seconds, 6), remaining, white_score(info, turn), info.depth, nodes))
        self._history.append(move.uci())
        self._board.push(move)

    def _patience(self, allowance: float | None) -> Patience:
        """When an engine that may take so many seconds, None for any number, is given up."""
        if allowance is None:
            return Patience(after_line=self._contest.stall or STALL_UNTIMED)
        return Patience(after_command=allowance + (self._contest.stall or STALL_TIMED))


class _Search:
    """What an engine prints during one search. The lines are read when its clock has stopped, but for the nodes."""

    def __init__(self, limit: int) -> None:
        self.lines: list[str] = []
        self.nodes = 0  # the most that any line said
        self.limit = TOLERANCE * limit if limit else math.inf

    def read(self, _seconds: float, line: str) -> bool:
        """Keep the line; whether it is a sign that the engine will answer: beyond its nodes it should have."""
        self.lines.append(line)
        self.nodes = max(self.nodes, reported_nodes(line))
        return self.nodes <= self.limit


def last_info(lines: Sequence[str]) -> Info:
    """What the last line about the main variation says, one with an exact score if there is one."""
    read = (info for line in reversed(lines) if (info := read_info(line)))
    infos = (info for info in read if info.multipv == 1 and (info.cp, info.mate) != (None, None))
    last = next(infos, Info())
    return next((info for info in chain([last], infos) if not info.is_bound), last)


def white_score(info: Info, turn: chess.Color) -> chess.engine.Score | None:
    """The score from White's side in what the engine that plays `turn` says; None if it gives none."""
    if info.cp is None and info.mate is None:
        return None
    score = chess.engine.Cp(info.cp) if info.mate is None else chess.engine.Mate(info.mate)  # type: ignore[arg-type]
    return chess.engine.PovScore(score, turn).white()
