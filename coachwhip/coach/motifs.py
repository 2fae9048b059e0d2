# SPDX-License-Identifier: GPL-3.0-or-later
"""Motifs (fork, pin, ...), read from the attacks on the board and confirmed by the moves that follow."""

from collections.abc import Iterator, Sequence
from enum import Enum
from typing import NamedTuple

import chess

from .exchange import VALUES, wins_on

KING = 100  # pawns that a king counts among the VALUES
BACK_RANKS = chess.BB_RANK_1, chess.BB_RANK_8  # of White, of Black
SLIDERS = chess.BISHOP, chess.ROOK, chess.QUEEN


class Kind(Enum):
    """What a move does."""

    DOUBLE_CHECK = "double check"
    PROMOTION = "promotion"
    DISCOVERED_CHECK = "discovered check"
    DISCOVERED_ATTACK = "discovered attack"
    FORK = "fork"
    SKEWER = "skewer"
    PIN = "pin"
    PINNED = "attack on a pinned piece"
    TRAP = "trap"
    HANGING = "hanging piece"


class Motif(NamedTuple):
    """What a move does, and the squares of the pieces that it does it to, as they stand before it."""

    kind: Kind
    squares: tuple[chess.Square, ...] = ()


class _Moment:
    """A move of a line, the position after it, and what follows."""

    def __init__(self, boards: Sequence[chess.Board], moves: Sequence[chess.Move], ply: int) -> None:
        self.before, self.after, self.move = boards[ply - 1], boards[ply], moves[ply - 1]
        self.to, self.side, self.enemy = self.move.to_square, not self.after.turn, self.after.turn
        self.reply, self.next = (*moves[ply : ply + 2], None, None)[:2]
        later = list(zip(boards[ply + 1 :], moves[ply + 1 :], strict=False))[::2]
        # the captures of the side
        self.captures = {(move.from_square, move.to_square) for at, move in later if at.is_capture(move)}
        self.targets = chess.SquareSet(self.after.occupied_co[self.enemy])

    def value(self, square: chess.Square) -> int:
        return VALUES.get(self.after.piece_type_at(square) or chess.KING, KING)

    def is_safe(self) -> bool:
        """Return whether the piece that moved cannot be taken with a gain."""
        return not wins_on(self.after, self.to)

    def is_hanging(self, square: chess.Square, by: int, others: chess.SquareSet) -> bool:
        """Return whether a piece worth `by` gains by capturing here, ignoring the defenders `others`."""
        return self.value(square) > by or not self.after.attackers(self.enemy, square) - others

    def pinned_before(self, front: chess.Square, back: chess.Square) -> bool:
        """Return whether the piece that moved attacked along this line before."""
        start = self.move.from_square
        return front in self.before.attacks(start) and back in chess.SquareSet(chess.ray(start, front))

    def rays(self, slider: chess.Square) -> Iterator[tuple[chess.Square, chess.Square]]:
        """Yield pairs of enemy pieces behind each other on a line of the slider, the front one first."""
        for front in self.after.attacks(slider) & self.targets:
            behind = chess.SquareSet(chess.ray(slider, front)) & chess.SquareSet(self.after.occupied)
            beyond = [square for square in behind if front in chess.SquareSet(chess.between(slider, square))]
            if (
                beyond
                and (back := min(beyond, key=lambda square: chess.square_distance(front, square)))
                in self.targets
            ):
                yield front, back


def motif(boards: Sequence[chess.Board], moves: Sequence[chess.Move], ply: int) -> Motif | None:
    """Return what the move before position `ply` of a line does; None if it is none of the motifs."""
    moment = _Moment(boards, moves, ply)
    return next(filter(None, (find(moment) for find in FINDERS)), None)


def is_back_rank(board: chess.Board) -> bool:
    """Return whether the board is a mate on the back rank: the king behind its own pieces."""
    king = board.king(board.turn)
    if king is None or not board.is_checkmate() or not BACK_RANKS[not board.turn] & chess.BB_SQUARES[king]:
        return False
    ahead = chess.SquareSet(chess.BB_KING_ATTACKS[king] & ~BACK_RANKS[not board.turn])
    along = all(chess.square_rank(square) == chess.square_rank(king) for square in board.checkers())
    return along and any(board.color_at(square) == board.turn for square in ahead)


def _double_check(moment: _Moment) -> Motif | None:
    return Motif(Kind.DOUBLE_CHECK) if len(moment.after.checkers()) > 1 else None


def _promotion(moment: _Moment) -> Motif | None:
    return Motif(Kind.PROMOTION) if moment.move.promotion and moment.is_safe() else None


def _discovery(moment: _Moment) -> Motif | None:
    """The move opens the line of another piece, which attacks the king, or takes next."""
    left = chess.SquareSet.from_square(moment.move.from_square)
    for slider in chess.SquareSet(moment.after.occupied_co[moment.side]) - chess.SquareSet.from_square(
        moment.to
    ):
        for target in (moment.after.attacks(slider) - moment.before.attacks(slider)) & moment.targets:
            if left & chess.SquareSet(chess.between(slider, target)):
                if moment.value(target) == KING:
                    return Motif(Kind.DISCOVERED_CHECK)
                if moment.value(target) > 1 and (slider, target) in moment.captures:
                    return Motif(Kind.DISCOVERED_ATTACK, (target,))
    return None


def _fork(moment: _Moment) -> Motif | None:
    """The piece that moved attacks two pieces, each of which it can take with a gain, and takes one."""
    attacked = moment.after.attacks(moment.to) & moment.targets - moment.after.pieces(
        chess.PAWN, moment.enemy
    )
    by = moment.value(moment.to)
    forked = [square for square in attacked if moment.is_hanging(square, by, attacked)]
    takes = any((moment.to, square) in moment.captures for square in attacked)
    if len(forked) < 2 or not takes or not moment.is_safe():
        return None
    return Motif(Kind.FORK, tuple(sorted(forked, key=moment.value, reverse=True)[:2]))


def _skewer(moment: _Moment) -> Motif | None:
    """A piece must leave the line of the piece that moved, which takes the one behind it."""
    for front, back in moment.rays(moment.to):
        takes = moment.next and moment.next.from_square == moment.to and moment.next.to_square == back
        is_first = moment.value(front) >= moment.value(back) and moment.value(front) > moment.value(moment.to)
        if takes and is_first and moment.is_safe():
            return Motif(Kind.SKEWER, (front, back))
    return None


def _pin(moment: _Moment) -> Motif | None:
    """The move pins a piece, or attacks a pinned one, and the piece falls.

    It is taken there, or where it takes the piece that pins it.
    """
    taken = {square for _, square in moment.captures}
    if moment.reply and moment.next and moment.next.to_square == moment.reply.to_square == moment.to:
        taken.add(moment.reply.from_square)
    for slider in chess.SquareSet(moment.after.occupied_co[moment.side]):
        if moment.after.piece_type_at(slider) in SLIDERS:
            for front, back in moment.rays(slider):
                least = max(moment.value(front), min(moment.value(slider), KING - 1))
                if moment.value(back) <= least or front not in taken:
                    continue
                if slider == moment.to and not moment.pinned_before(front, back):
                    return Motif(Kind.PIN, (front,))
                if front in moment.after.attacks(moment.to) - moment.before.attacks(moment.move.from_square):
                    return Motif(Kind.PINNED, (front,))
    return None


def _trap(moment: _Moment) -> Motif | None:
    """A piece is attacked without a check, loses wherever it goes, and is taken."""
    if moment.after.is_check():
        return None
    for target in (
        moment.after.attacks(moment.to) - moment.before.attacks(moment.move.from_square)
    ) & moment.targets:
        is_attacked = moment.is_hanging(target, moment.value(moment.to), chess.SquareSet())
        if not 2 < moment.value(target) < KING or not is_attacked:
            continue
        escapes = [move for move in moment.after.legal_moves if move.from_square == target]
        ends = {target, *(move.to_square for move in escapes if move == moment.reply)}
        if (
            moment.next
            and moment.next.to_square in ends
            and all(_is_lost_after(moment.after, move) for move in escapes)
        ):
            return Motif(Kind.TRAP, (target,))
    return None


def _is_lost_after(board: chess.Board, move: chess.Move) -> bool:
    """Return whether a piece can be taken with a gain where it moves, for more than it takes there."""
    after = board.copy(stack=False)
    after.push(move)
    won = VALUES.get(board.piece_type_at(move.to_square) or chess.KING, 0) * 100
    return wins_on(after, move.to_square, won)


def _hanging(moment: _Moment) -> Motif | None:
    kind = moment.before.piece_type_at(moment.to)
    if not kind or kind == chess.PAWN or moment.before.attackers(moment.enemy, moment.to):
        return None
    return Motif(Kind.HANGING, (moment.to,))


# The first that holds counts.
FINDERS = _double_check, _promotion, _discovery, _fork, _skewer, _pin, _trap, _hanging
