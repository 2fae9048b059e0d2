# SPDX-License-Identifier: GPL-3.0-or-later
"""The journal of an analysis (`--journal`): a line for each game that was analysed to its end."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import chess
from chess.engine import Cp, Mate, MateGiven, Score

from ..common.journal import Journal, Kind
from ..viewer.study import Line, Look, Study

SCORES: dict[str, Callable[[int], Score]] = {
    "cp": Cp,
    "mate": Mate,
    "mated": lambda _: MateGiven,
}  # by the word of the journal; the last: White has mated


class Analysed(NamedTuple):
    """The analysis of a game."""

    looks: list[Look]  # of each position
    puzzles: list[str]


class AnalysisJournal(Journal):
    """The journal of a run. `games` are those in the file when it was opened, by number."""

    KIND = Kind("analyse", "analysis", "game")

    def __init__(self, path: Path, settings: Mapping[str, Any], *, resume: bool) -> None:
        """See Journal."""
        self.games: dict[int, Analysed] = {}
        super().__init__(path, settings, resume=resume)

    def _load_line(self, line: dict[str, Any]) -> None:
        looks = [Look(tuple(map(_line_of, lines)), depth) for depth, lines in line["looks"]]
        self.games[line["game"]] = Analysed(looks, line["puzzles"])

    def keep(self, number: int, study: Study, puzzles: list[str]) -> None:
        """Write a finished game to the file. Raises OSError."""
        looks = [[look.depth, [_values(line) for line in look.lines]] for look in study.looks if look]
        self.append({"game": number, "looks": looks, "puzzles": puzzles})


def _values(line: Line) -> list[Any]:
    """Return a line as values for JSON."""
    mate = line.score.mate()
    word = "cp" if mate is None else "mated" if line.score == MateGiven else "mate"
    return [word, line.score.score() if mate is None else mate, *(move.uci() for move in line.moves)]


def _line_of(values: list[Any]) -> Line:
    """Return the line of these values."""
    word, value, *moves = values
    return Line(SCORES[word](value), tuple(map(chess.Move.from_uci, moves)))
