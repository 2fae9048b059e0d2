# SPDX-License-Identifier: GPL-3.0-or-later
"""The record of a game: what a worker returns, the journal holds, the tally counts, the PGN file shows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from textwrap import fill
from typing import Any, NamedTuple

import chess
import chess.engine
import chess.pgn

from ...cli.command import LARGEST_TIME
from ...cli.journal import part
from ...core.engine import Position
from ...games.adjudication import BLACK_WINS, DRAW, WHITE_WINS, parse_score
from ...games.openings import Opening
from ...games.pgn import COLUMNS
from ..engines.faults import CRASH, ILLEGAL_MOVE, STALL, TIME_LOSS

FAULTS = (TIME_LOSS, ILLEGAL_MOVE, CRASH, STALL)  # each loses the game
# by kind, an entry for each search: the first tells what and where, the others are empty
Warnings = Mapping[str, Sequence[str]]
INTERRUPTED = "interrupted"
DETAILS = 6  # index of the first of them in a MoveRecord
LARGEST_CLOCK = 1000 * LARGEST_TIME  # seconds; each move may add some
TERMINATIONS = {
    TIME_LOSS: "time forfeit",
    ILLEGAL_MOVE: "rules infraction",
    CRASH: "abandoned",
    STALL: "abandoned",
}
TERMINATIONS |= {INTERRUPTED: "unterminated"}


class MoveRecord(NamedTuple):
    """A move as it was played.

    `score` is from White's side. Clock and score are None where there is no clock, or the engine reported
    nothing. Times have whole microseconds, as in the journal: a resumed match finds a game in the PGN file by
    its text.
    """

    move: str  # UCI
    seconds: float
    clock: float | None  # what remained after the move, increment included
    score: chess.engine.Score | None
    depth: int | None
    nodes: int | None
    nps: int | None = None  # this and the PV on request only
    pv: str = ""  # UCI, with blanks between the moves

    def details(self) -> str:
        """Return what `--pgn-details` adds to the comment."""
        if self.nps is None:
            return ""
        return f"[%nodes {self.nodes or 0}] [%nps {self.nps}]" + (f" [%pv {self.pv}]" if self.pv else "")


@dataclass(frozen=True)
class GameRecord:
    """A game from its opening to its end."""

    number: int  # of its pairing
    date: str  # and time of its end, which distinguishes the games of matches that share a PGN file
    opening: Opening
    white: str
    black: str
    moves: tuple[MoveRecord, ...]
    result: str  # 1-0, 0-1, 1/2-1/2, or * when interrupted
    reason: str
    detail: str = ""  # what exactly was wrong, where an engine forfeited
    warnings: tuple[Warnings, Warnings] = ({}, {})  # about White and Black

    @property
    def culprit(self) -> chess.Color | None:
        """The side that forfeited the game; None if neither did."""
        return self.result == BLACK_WINS if self.reason in FAULTS else None

    def explanation(self) -> str:
        """Explain why the game ended, with the name of an engine that was at fault."""
        if self.culprit is None:
            return self.reason
        return f"{self.reason} of {self.white if self.culprit else self.black}" + (
            f": {self.detail}" if self.detail else ""
        )

    def to_json(self) -> dict[str, Any]:
        """Return the record as plain data; scores as python-chess writes them: `+35` or `#-3`."""
        moves: list[Sequence[Any]] = []
        for record in self.moves:
            move, spent, clock, score, *counts = record[: None if record.details() else DETAILS]
            moves.append([move, spent, clock, None if score is None else str(score), *counts])
        return {**vars(self), "moves": moves}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "GameRecord":
        """Return the record that `to_json` wrote.

        Raises ValueError, LookupError, TypeError, AttributeError, ArithmeticError for another.
        """
        fen, chess960, book_moves = data["opening"]
        opening = Opening(part(fen, str), part(chess960, bool), part(book_moves, str))
        position = Position(fen, chess960)
        for move in book_moves.split():
            position.make(move)
        moves = []
        for move, spent, clock, score, depth, nodes, *details in data["moves"]:
            nps, pv = details or (None, "")
            position.make(move)
            if not all(
                0 <= seconds < LARGEST_CLOCK for seconds in ([spent] if clock is None else [spent, clock])
            ):
                raise ValueError(f"{spent} and {clock} are no times")
            for count in (depth, nodes, nps):
                part(0 if count is None else count, int)
            read_score = None if score is None else parse_score(score)
            moves.append(MoveRecord(move, spent, clock, read_score, depth, nodes, nps, part(pv, str)))
        about_white, about_black = data["warnings"]
        for kind, examples in [*about_white.items(), *about_black.items()]:
            if not part(examples, list):
                raise ValueError(f"{kind!r} without an example")
            for example in examples:
                part(example, str)
        record = cls(
            **{**data, "opening": opening, "moves": tuple(moves), "warnings": (about_white, about_black)}
        )
        for text in (record.date, record.white, record.black, record.result, record.reason, record.detail):
            part(text, str)
        if part(record.number, int) < 0 or record.result not in (WHITE_WINS, BLACK_WINS, DRAW):
            raise ValueError(f"number {record.number}, result {record.result!r}")
        return record

    def game(self, headers: Mapping[str, str]) -> chess.pgn.Game:
        """Return the game for PGN, with `[%eval]` and depth, `[%emt]` and `[%clk]` comments."""
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
            if details := record.details():
                node.comment = _filled(f"{node.comment} {details}")
        ending = self.explanation().replace("{", "(").replace("}", ")")
        node.comment = _filled(f"{node.comment} {ending}")
        return game


def _filled(comment: str) -> str:
    """Return a comment in lines of the width of PGN."""
    return fill(comment, COLUMNS - len("{  }"), break_on_hyphens=False).strip()
