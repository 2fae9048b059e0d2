# SPDX-License-Identifier: GPL-3.0-or-later
"""One game between two UCI engines, judged by python-chess: who moves, who is out of time, and the record of it.

An engine's clock runs from the moment `go` is written to the moment `bestmove` is read. An engine that exceeds it, sends an
illegal move, stalls or dies loses that game, and the game is kept with the reason. How games end is `common.adjudication`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from textwrap import fill
from types import NoneType
from typing import Any, NamedTuple, Protocol

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
from .notices import OVERSTEP, Notice, Tell, ignore
from .seat import Seat

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
    """A move as it was played: `score` is from White's side; None where there is no clock, or the engine said nothing.

    Times have whole microseconds, as in the journal: a resumed match finds a game in the PGN file by its text.
    """

    move: str  # UCI
    seconds: float
    clock: float | None  # what was left after the move, increment included
    score: chess.engine.Score | None
    depth: int | None
    nodes: int | None


@dataclass(frozen=True)
class GameRecord:
    """A game from its opening to its end."""

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
        return more | {
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
        texts = [checked(data[name], str) for name in ("fen", "book", "white", "black", "result", "reason", "detail")]
        fen, book, white, black, result, reason, detail = texts
        if result not in RESULTS:
            raise ValueError(f"unknown result {result!r}")
        ours, theirs = (checked(count, int) for count in data.get("oversteps", (0, 0)))
        return cls(
            Opening(fen, checked(data["chess960"], bool), book), white, black, moves, result, reason, detail, (ours, theirs)
        )

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


class Stop(Protocol):
    """Asked between moves whether running games are to end, as interrupted."""

    @property
    def is_set(self) -> bool:
        """Whether they are."""


class Interruption:
    """A Stop for threads of one process."""

    is_set: bool = False


def play_game(
    seats: tuple[Seat, Seat],
    opening: Opening,
    controls: tuple[TimeControl, TimeControl],
    rules: Rules,
    stop: Stop,
    tell: Tell = ignore,
) -> GameRecord:
    """Play one game to its end; seats and time controls are White's and Black's. `tell` is told what they do meanwhile.

    Raises StartError if an engine cannot be used at all.
    """
    white, black = seats
    moves: list[MoveRecord] = []
    oversteps = {chess.WHITE: 0, chess.BLACK: 0}

    def note(mover: chess.Color, notice: Notice) -> None:
        oversteps[mover] += notice.kind == OVERSTEP
        tell(notice)

    ended = _prepare(seats, chess960=opening.chess960)
    ending, detail = ended or _play(seats, opening, controls, rules, stop, moves, note)
    counted = oversteps[chess.WHITE], oversteps[chess.BLACK]
    return GameRecord(opening, white.name, black.name, tuple(moves), *ending, detail, counted)


def _prepare(seats: tuple[Seat, Seat], *, chess960: bool) -> tuple[Ending, str] | None:
    """Have both engines ready; how the game ends if one that has worked before is not."""
    for colour, seat in zip((chess.WHITE, chess.BLACK), seats, strict=True):
        try:
            seat.prepare(chess960=chess960)
        except EngineFault as fault:
            return Ending(win(not colour), fault.reason), fault.detail
    return None


def _play(
    seats: tuple[Seat, Seat],
    opening: Opening,
    controls: tuple[TimeControl, TimeControl],
    rules: Rules,
    stop: Stop,
    moves: list[MoveRecord],
    note: Callable[[chess.Color, Notice], None],
) -> tuple[Ending, str]:
    """Fill `moves` until the game is over; returns how, and what was wrong. `note` is told what the side to move does."""
    board = opening.position()
    clocks = {side: Clock(control, rules.margin) for side, control in zip("wb", controls, strict=True)}
    scores: list[chess.engine.Score | None] = []
    history = opening.moves.split()
    while (ending := find_ending(board, scores, rules)) is None:
        if stop.is_set:
            return Ending(UNFINISHED, INTERRUPTED), ""
        mover = board.turn
        clock = clocks["w" if mover == chess.WHITE else "b"]
        position = position_command(opening.fen, history, chess960=opening.chess960)
        try:
            seat = seats[0 if mover == chess.WHITE else 1]
            move, record = _move(seat, board, clock, position, clock.go(clocks), partial(note, mover))
        except EngineFault as fault:
            ending = Ending(win(not mover), fault.reason)
            return (Ending(UNFINISHED, INTERRUPTED), "") if stop.is_set else (ending, fault.detail)
        moves.append(record)
        scores.append(record.score)
        history.append(record.move)
        board.push(move)
    return ending, ""


def _move(seat: Seat, board: chess.Board, clock: Clock, position: str, go: str, tell: Tell) -> tuple[chess.Move, MoveRecord]:
    """One move, judged. Raises EngineFault."""
    allowance = clock.allowance
    answer = seat.play(position, go, allowance, clock.control.nodes, tell)
    if allowance is not None and answer.seconds > allowance:
        raise EngineFault(TIME_LOSS, f"{answer.seconds:.3f} s used, {allowance:.3f} s allowed")
    move = legal_move(board, answer.move)
    clock.spend(answer.seconds)
    score, depth, nodes = said(answer.info, board.turn)
    left = round(clock.left, 6) if clock.control.base else None
    return move, MoveRecord(move.uci(), round(answer.seconds, 6), left, score, depth, answer.nodes or nodes)


def said(line: str, turn: chess.Color) -> tuple[chess.engine.Score | None, int | None, int | None]:
    """Score from White's side, depth and nodes of an `info` line sent by the engine that plays `turn`; None where not given."""
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
