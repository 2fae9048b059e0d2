# SPDX-License-Identifier: GPL-3.0-or-later
"""Opening books in the Polyglot format, read by python-chess, which is imported with the first book.

The move is the one of greatest weight, or a random one with probabilities by weight. Source of the format:
http://hgm.nubati.net/book_format.html.
"""

from __future__ import annotations

import os
from random import Random

from ..compressed import LONGEST_START, compression

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..core.engine import Position

SHIPPED = os.path.join(os.path.dirname(__file__), "book.bin")  # played from where no other book is named
ENTRY_BYTES = 16
KEY_BYTES = 8
SAMPLES = 512  # entries whose keys are checked for ascending order, which the lookup in the file needs


class Book:
    """One book file. Raises OSError if it cannot be read, ValueError if it is not a Polyglot book."""

    def __init__(self, path: str) -> None:
        _check(path)
        try:
            import chess
            import chess.polyglot
        except ImportError:
            raise ValueError("a book needs python-chess: python3 -m pip install chess") from None
        self._board = chess.Board
        self._reader = chess.polyglot.open_reader(path)

    def close(self) -> None:
        """Close the file."""
        self._reader.close()

    def choose(
        self, position: Position, allowed: list[str], best_move: bool, *seeds: int
    ) -> tuple[str, int, int] | None:
        """Return a move, as the position writes it, its weight and the sum of all weights.

        None if all weights are 0. `allowed`: the moves to choose from, empty: all. `best_move`: the greatest
        weight, the first in the file among equals; else random by weight, from position and `seeds`.
        """
        from ..core.engine import passed_square

        as_played = position.copy()
        as_played.chess960 = True  # the book writes castling as king takes rook
        spelling = dict(zip(as_played.legal_moves(), position.legal_moves(), strict=True))
        weights: dict[str, int] = {}
        fields = as_played.fen().split(" ")
        fields[3] = passed_square(position)  # part of the key wherever a pawn attacks it, even a pinned one
        for entry in self._reader.find_all(self._board(" ".join(fields), chess960=True)):
            code = entry.move.uci()
            move = spelling.get(code)
            if move is not None and (not allowed or move in allowed or code in allowed):
                weights[move] = weights.get(move, 0) + entry.weight
        total = sum(weights.values())
        if not total:
            return None
        moves = list(weights)
        if best_move:
            chosen = max(moves, key=weights.__getitem__)
        else:
            chosen = Random(f"{position.key} {seeds}").choices(moves, list(weights.values()))[0]
        return chosen, weights[chosen], total


def _check(path: str) -> None:
    size = os.path.getsize(path)
    with open(path, "rb") as file:
        if kind := compression(file.read(LONGEST_START)):
            raise ValueError(f"not a Polyglot book: it is compressed ({kind})")
        if size == 0 or size % ENTRY_BYTES:
            raise ValueError(
                f"not a Polyglot book: its size of {size} bytes is not a multiple of {ENTRY_BYTES}"
            )
        keys = []
        for sample in range(SAMPLES):
            file.seek(size // ENTRY_BYTES * sample // SAMPLES * ENTRY_BYTES)
            keys.append(file.read(KEY_BYTES))
    if keys != sorted(keys):
        raise ValueError("not a Polyglot book: its keys are not in order")
