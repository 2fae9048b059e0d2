# SPDX-License-Identifier: GPL-3.0-or-later
"""One game between two UCI engines, judged by python-chess: who moves, who is out of time, and the record of it.

An engine's clock runs from the moment `go` is written to the moment `bestmove` is read. An engine that exceeds it, sends an
illegal move, stalls or dies loses that game, and the game is kept with the reason. How games end is `common.adjudication`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timezone
from textwrap import fill
from types import NoneType
from typing import Any, NamedTuple

import chess
import chess.engine
import chess.pgn

from ..common.adjudication import BLACK_WINS, DRAW, UNFINISHED, WHITE_WINS, Ending, find_ending, win
from ..common.journal import checked
from ..common.openings import Opening
from ..common.pgn import COLUMNS, game_text
from ..common.rules import Rules
from ..engines.client import legal_move, position_command
from ..engines.clock import Clock, TimeControl
from ..engines.faults import CRASH, ILLEGAL_MOVE, STALL, TIME_LOSS, EngineFault
from ..engines.info import read_info
from .schedule import Pairing
from .seat import OVERSTEP, Notice, Report, Seat, ignore

FAULTS = (TIME_LOSS, ILLEGAL_MOVE, CRASH, STALL)  # each loses the game
INTERRUPTED = "interrupted"
RESULTS = (WHITE_WINS, DRAW, BLACK_WINS, UNFINISHED)
TERMINATIONS = {
    TIME_LOSS: "time forfeit",
    ILLEGAL_MOVE: "rules infraction",
    CRASH: "abandoned",
    STALL: "abandoned",
    INTERRUPTED: "unterminated",
}


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
    date: str  # as PGN writes it
    opening: Opening
    white: str
    black: str
    moves: tuple[MoveRecord, ...]
    result: str  # 1-0, 0-1, 1/2-1/2, or * when interrupted
    reason: str
    detail: str = ""  # what exactly was wrong, where an engine forfeited
    oversteps: tuple[int, int] = (0, 0)  # in how many searches White and Black exceeded their node limit

    @property
    def culprit(self) -> str | None:
        """Who forfeited the game, as "white" or "black"; None if nobody did."""
        if self.reason not in FAULTS:
            return None
        return "black" if self.result == WHITE_WINS else "white"

    def explanation(self) -> str:
        """Why the game ended, in words, with the name of the engine that was at fault."""
        if self.culprit is None:
            return self.reason
        name = self.white if self.culprit == "white" else self.black
        return f"{self.reason} of {name}" + (f": {self.detail}" if self.detail else "")

    def to_json(self) -> dict[str, Any]:
        """The record as plain data."""
        more = {"oversteps": list(self.oversteps)} if any(self.oversteps) else {}
        return (
            {"game": self.number, "date": self.date}
            | more
            | {
                "fen": self.opening.fen,
                "chess960": self.opening.chess960,
                "book": self.opening.moves,
                "white": self.white,
                "black": self.black,
                "result": self.result,
                "reason": self.reason,
                "detail": self.detail,
                "moves": [
                    [move.move, move.seconds, move.clock, _score_text(move.score), move.depth, move.nodes] for move in self.moves
                ],
            }
        )

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "GameRecord":
        """The inverse of `to_json`. Raises KeyError, TypeError, ValueError or OverflowError for data of another form."""
        moves = tuple(
            MoveRecord(
                checked(move, str),
                float(checked(seconds, int, float)),
                checked(clock, int, float, NoneType),
                _score(checked(score, str, NoneType)),
                checked(depth, int, NoneType),
                checked(nodes, int, NoneType),
            )
            for move, seconds, clock, score, depth, nodes in data["moves"]
        )
        texts = [checked(data[name], str) for name in ("date", "fen", "book", "white", "black", "result", "reason", "detail")]
        date, fen, book, white, black, result, reason, detail = texts
        if result not in RESULTS:
            raise ValueError(f"unknown result {result!r}")
        by_white, by_black = (checked(count, int) for count in data.get("oversteps", (0, 0)))
        opening = Opening(fen, checked(data["chess960"], bool), book)
        ending = result, reason, detail, (by_white, by_black)
        return cls(checked(data["game"], int), date, opening, white, black, moves, *ending)

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


def _score_text(score: chess.engine.Score | None) -> str | None:
    """`+35` or `#-3`, as python-chess writes scores."""
    return None if score is None else str(score)


def _score(text: str | None) -> chess.engine.Score | None:
    """The inverse of `_score_text`."""
    if text is None:
        return None
    if not text.startswith("#"):
        return chess.engine.Cp(int(text))
    mate = int(text[1:])
    return chess.engine.MateGiven if text == "#+0" else chess.engine.Mate(mate)


class Game:
    """A game that is being played."""

    def __init__(
        self,
        pairing: Pairing,
        seats: tuple[Seat, Seat],
        controls: tuple[TimeControl, TimeControl],
        rules: Rules,
        is_stopped: Callable[[], bool] = lambda: False,
        report: Report = ignore,
    ) -> None:
        """Seats and time controls are White's and Black's. Before each move `is_stopped` is asked whether the game is to end, unfinished."""
        self._pairing = pairing
        self._seats = dict(zip((chess.WHITE, chess.BLACK), seats, strict=True))
        self._rules = rules
        self._is_stopped = is_stopped
        self._report = report
        self._board = pairing.opening.position()
        self._clocks = {side: Clock(control, rules.margin) for side, control in zip("wb", controls, strict=True)}
        self._history = pairing.opening.moves.split()
        self._moves: list[MoveRecord] = []
        self._oversteps = {chess.WHITE: 0, chess.BLACK: 0}

    def play(self) -> GameRecord:
        """Play to the end. Raises StartError if an engine cannot be used at all."""
        colour, detail = chess.WHITE, ""
        try:
            for colour in (chess.WHITE, chess.BLACK):
                self._seats[colour].prepare(chess960=self._pairing.opening.chess960)
            while (ending := self._ending()) is None and not self._is_stopped():
                colour = self._board.turn
                self._move()
        except EngineFault as fault:
            ending = None if self._is_stopped() else Ending(win(not colour), fault.reason)
            detail = fault.detail
        if ending is None:
            ending, detail = Ending(UNFINISHED, INTERRUPTED), ""
        return self._record(ending, detail)

    def _ending(self) -> Ending | None:
        return find_ending(self._board, [move.score for move in self._moves], self._rules)

    def _move(self) -> None:
        """Have the side to move make its move. Raises EngineFault."""
        opening, turn = self._pairing.opening, self._board.turn
        clock = self._clocks["w" if turn == chess.WHITE else "b"]
        allowance = clock.allowance
        position = position_command(opening.fen, self._history, chess960=opening.chess960)
        answer = self._seats[turn].play(position, clock.go(self._clocks), allowance, clock.control.nodes, self._note)
        if allowance is not None and answer.seconds > allowance:
            raise EngineFault(TIME_LOSS, f"{answer.seconds:.3f} s used, {allowance:.3f} s allowed")
        move = legal_move(self._board, answer.move)
        clock.spend(answer.seconds)
        score, depth, nodes = read_score(answer.info, turn)
        remaining = round(clock.remaining, 6) if clock.control.base else None
        self._moves.append(MoveRecord(move.uci(), round(answer.seconds, 6), remaining, score, depth, answer.nodes or nodes))
        self._history.append(move.uci())
        self._board.push(move)

    def _note(self, notice: Notice) -> None:
        """Count and report what the engine to move does."""
        self._oversteps[self._board.turn] += notice.kind == OVERSTEP
        self._report(notice)

    def _record(self, ending: Ending, detail: str) -> GameRecord:
        date = datetime.now(timezone.utc).strftime("%Y.%m.%d")
        white, black = (seat.name for seat in self._seats.values())
        oversteps = self._oversteps[chess.WHITE], self._oversteps[chess.BLACK]
        opening = self._pairing.opening
        return GameRecord(self._pairing.number, date, opening, white, black, tuple(self._moves), *ending, detail, oversteps)


def read_score(line: str, turn: chess.Color) -> tuple[chess.engine.Score | None, int | None, int | None]:
    """Score from White's side, depth and nodes of an `info` line sent by the engine that plays `turn`; None for what it lacks."""
    info = read_info(line)
    if info is None:
        return None, None, None
    score: chess.engine.Score | None = None
    if info.cp is not None:
        score = chess.engine.Cp(info.cp)
    elif info.mate is not None:
        score = chess.engine.Mate(info.mate)
    if score is not None:
        score = chess.engine.PovScore(score, turn).white()
    return score, info.depth, info.nodes
