# SPDX-License-Identifier: GPL-3.0-or-later
"""The journal of an analysis (`--journal`): a line for each game that was analysed to its end."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import chess
from chess.engine import Cp, Mate, MateGiven, Score

from ..common.journal import Journal, Kind, checked
from ..viewer.study import Line, Look, Study

SCORES: dict[str, Callable[[int], Score]] = {
    "cp": Cp,
    "mate": Mate,
    "mated": lambda _: MateGiven,
}  # by the word of the journal; the last: White has mated


class Analysed(NamedTuple):
    """What is known of a game."""

    looks: list[Look]  # of each position
    puzzles: list[str]


class AnalysisJournal(Journal):
    """The journal of a run. `games` are those that it held when it was opened, by their number."""

    KIND = Kind("analyse", "analysis", "game")

    def __init__(self, path: Path, settings: Mapping[str, Any], studies: Sequence[Study], *, resume: bool) -> None:
        """See Journal. `studies` are all games of the run."""
        self._boards = {number: study.boards for number, study in enumerate(studies, start=1)}
        self.games: dict[int, Analysed] = {}
        super().__init__(path, settings, resume=resume)

    def _take(self, line: dict[str, Any]) -> None:
        number = checked(line["game"], int)
        looks = [
            Look(tuple(_line_of(values, board) for values in lines), checked(depth, int))
            for board, (depth, lines) in zip(self._boards[number], line["looks"], strict=True)
        ]
        if not all(look.lines for look in looks):
            raise ValueError("a position without a score")
        self.games[number] = Analysed(looks, [checked(each, str) for each in line["puzzles"]])

    def keep(self, number: int, study: Study, puzzles: list[str]) -> None:
        """Put a finished game on disk. Raises OSError."""
        looks = [[look.depth, [_values(line) for line in look.lines]] for look in study.looks if look]
        self.append({"game": number, "looks": looks, "puzzles": puzzles})


def _values(line: Line) -> list[Any]:
    """A line as values for JSON."""
    mate = line.score.mate()
    word = "cp" if mate is None else "mated" if line.score == MateGiven else "mate"
    return [word, line.score.score() if mate is None else mate, *(move.uci() for move in line.moves)]


def _line_of(values: list[Any], board: chess.Board) -> Line:
    """The line of these values, from a position. Raises an error of `journal.REJECTED`."""
    word, value, *words = values
    moves = tuple(map(chess.Move.from_uci, words))
    board = board.copy(stack=False)
    for move in moves:
        if not board.is_legal(move):
            raise ValueError(f"{move} is not legal in {board.fen()}")
        board.push(move)
    score = SCORES[word](checked(value, int))
    return Line(score, moves)
