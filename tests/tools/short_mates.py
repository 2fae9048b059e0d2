# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether an announced mate is there: every move and every reply is tried, up to a number of positions."""

from coachwhip.core.engine import Position


class TooLong(Exception):
    """More positions than allowed."""


class Prover:
    """Tries everything. `most`: positions that one question may cost."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._left = 0

    def is_sound(self, fen: str, first: str, mate_in: int) -> bool | None:
        """Whether, after the move `first`, its side mates within `mate_in` moves, counted with it, or is mated within -`mate_in`.

        None if that would take too long. Draws by the clock or by repetition only keep a side from mating, so that a mate
        announced by a search that knows them must be there without them.
        """
        self._left = self._most
        position = Position(fen)
        position.make(first)
        try:
            return self._lost(position, mate_in - 1) if mate_in > 0 else self._won(position, -mate_in)
        except TooLong:
            return None

    def _won(self, position: Position, moves: int) -> bool:
        """Whether the side to move mates within so many moves."""
        legal = position.legal_moves()
        checks = [move for move in legal if position.gives_check(move)]
        if moves == 1:
            return any(self._try(position, move, 0) for move in checks)
        quiet = [move for move in legal if move not in checks]
        return any(self._try(position, move, moves - 1) for move in checks + quiet)

    def _try(self, position: Position, move: str, more: int) -> bool:
        self._count()
        position.make(move)
        try:
            return self._lost(position, more)
        finally:
            position.undo()

    def _lost(self, position: Position, moves: int) -> bool:
        """Whether the side to move is mated now or, whatever it does, within so many moves of the other side."""
        replies = position.legal_moves()
        if not replies:
            return position.in_check
        if moves <= 0:
            return False
        for move in replies:
            self._count()
            position.make(move)
            try:
                if not self._won(position, moves):
                    return False
            finally:
                position.undo()
        return True

    def _count(self) -> None:
        self._left -= 1
        if self._left < 0:
            raise TooLong
