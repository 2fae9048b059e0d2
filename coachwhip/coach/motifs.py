# SPDX-License-Identifier: GPL-3.0-or-later
"""The motif by which a move wins material, in words: each from the attacks on the board and from the moves that follow."""

from collections.abc import Iterator, Sequence

import chess

from .exchange import Evaluator

VALUES = {chess.QUEEN: 9, chess.ROOK: 5, chess.BISHOP: 3, chess.KNIGHT: 3, chess.PAWN: 1}  # in pawns
KING = 100  # what a king counts among them
HANGING = "takes an undefended"
BACK_RANKS = chess.BB_RANK_1, chess.BB_RANK_8  # of White, of Black


class _Shot:
    """A move of a line, the position after it, and what follows."""

    def __init__(self, boards: Sequence[chess.Board], moves: Sequence[chess.Move], ply: int) -> None:
        self.before, self.after, self.move = boards[ply - 1], boards[ply], moves[ply - 1]
        self.to, self.side, self.enemy = self.move.to_square, not self.after.turn, self.after.turn
        self.reply, self.next = (*moves[ply : ply + 2], None, None)[:2]
        later = list(zip(boards[ply + 1 :], moves[ply + 1 :], strict=False))[::2]
        self.captures = {(move.from_square, move.to_square) for at, move in later if at.is_capture(move)}  # of the side
        self.targets = chess.SquareSet(self.after.occupied_co[self.enemy])

    def value(self, square: chess.Square) -> int:
        return VALUES.get(self.after.piece_type_at(square) or chess.KING, KING)

    def name(self, square: chess.Square) -> str:
        return chess.piece_name(self.after.piece_type_at(square) or chess.KING)

    def is_safe(self) -> bool:
        """Return whether the piece that moved cannot be taken with a gain."""
        return not _wins_on(self.to, self.after, 0)

    def is_hanging(self, square: chess.Square, by: int, others: chess.SquareSet) -> bool:
        """Return whether a piece of this value wins something where it takes on the square; `others` do not count as defenders."""
        return self.value(square) > by or not self.after.attackers(self.enemy, square) - others

    def rays(self, slider: chess.Square) -> Iterator[tuple[chess.Square, chess.Square]]:
        """Yield pairs of enemy pieces that stand behind each other on a line of the slider, the front one first."""
        for front in self.after.attacks(slider) & self.targets:
            behind = chess.SquareSet(chess.ray(slider, front)) & chess.SquareSet(self.after.occupied)
            beyond = [square for square in behind if front in chess.SquareSet(chess.between(slider, square))]
            if beyond and (back := min(beyond, key=lambda square: chess.square_distance(front, square))) in self.targets:
                yield front, back


def motif(boards: Sequence[chess.Board], moves: Sequence[chess.Move], ply: int) -> str:
    """Return what the move before position `ply` of a line does, as "forks king and rook"; "" if it is none of the motifs."""
    shot = _Shot(boards, moves, ply)
    return next(
        (
            word
            for find in (_double_check, _promotes, _discovers, _forks, _skewers, _pins, _traps, _hangs)
            if (word := find(shot))
        ),
        "",
    )


def back_rank(board: chess.Board) -> str:
    """Return " on the back rank" if the board is such a mate: the king behind its own pieces."""
    king = board.king(board.turn)
    if king is None or not board.is_checkmate() or not BACK_RANKS[not board.turn] & chess.BB_SQUARES[king]:
        return ""
    ahead = chess.SquareSet(chess.BB_KING_ATTACKS[king] & ~BACK_RANKS[not board.turn])
    along = all(chess.square_rank(square) == chess.square_rank(king) for square in board.checkers())
    return " on the back rank" if along and any(board.color_at(square) == board.turn for square in ahead) else ""


def _double_check(shot: _Shot) -> str:
    return "gives double check" if len(shot.after.checkers()) > 1 else ""


def _promotes(shot: _Shot) -> str:
    return "promotes" if shot.move.promotion and shot.is_safe() else ""


def _discovers(shot: _Shot) -> str:
    """The move opens the line of another piece, which attacks the king, or takes next."""
    left = chess.SquareSet.from_square(shot.move.from_square)
    for slider in chess.SquareSet(shot.after.occupied_co[shot.side]) - chess.SquareSet.from_square(shot.to):
        for target in (shot.after.attacks(slider) - shot.before.attacks(slider)) & shot.targets:
            if left & chess.SquareSet(chess.between(slider, target)):
                if shot.value(target) == KING:
                    return "gives a discovered check"
                if shot.value(target) > 1 and (slider, target) in shot.captures:
                    return f"discovers an attack on the {shot.name(target)}"
    return ""


def _forks(shot: _Shot) -> str:
    """The piece that moved attacks two pieces, each of which it can take with a gain, and takes one."""
    attacked = shot.after.attacks(shot.to) & shot.targets - shot.after.pieces(chess.PAWN, shot.enemy)
    by = shot.value(shot.to)
    forked = sorted((square for square in attacked if shot.is_hanging(square, by, attacked)), key=shot.value, reverse=True)
    takes = any((shot.to, square) in shot.captures for square in attacked)
    if len(forked) < 2 or not takes or not shot.is_safe():
        return ""
    first, second = map(shot.name, forked[:2])
    return f"forks two {first}s" if first == second else f"forks {first} and {second}"


def _skewers(shot: _Shot) -> str:
    """A piece must leave the line of the piece that moved, which takes the one behind it."""
    for front, back in shot.rays(shot.to):
        takes = shot.next and shot.next.from_square == shot.to and shot.next.to_square == back
        if takes and shot.value(front) >= shot.value(back) and shot.value(front) > shot.value(shot.to) and shot.is_safe():
            return f"skewers {shot.name(front)} and {shot.name(back)}"
    return ""


def _pins(shot: _Shot) -> str:
    """The move pins a piece, or attacks one that is pinned, and it is taken there or where it takes the piece that pins it."""
    taken = {square for _, square in shot.captures}
    if shot.reply and shot.next and shot.next.to_square == shot.reply.to_square == shot.to:
        taken.add(shot.reply.from_square)
    for slider in chess.SquareSet(shot.after.occupied_co[shot.side]):
        if shot.after.piece_type_at(slider) in (chess.BISHOP, chess.ROOK, chess.QUEEN):
            for front, back in shot.rays(slider):
                is_pin = shot.value(back) > max(shot.value(front), min(shot.value(slider), KING - 1)) and front in taken
                if is_pin and slider == shot.to:
                    return f"pins the {shot.name(front)}"
                if is_pin and front in shot.after.attacks(shot.to) and front not in shot.before.attacks(shot.move.from_square):
                    return f"attacks the pinned {shot.name(front)}"
    return ""


def _traps(shot: _Shot) -> str:
    """A piece is attacked without a check, loses wherever it goes, and is taken."""
    if shot.after.is_check():
        return ""
    for target in shot.after.attacks(shot.to) & shot.targets:
        if not 2 < shot.value(target) < KING or not shot.is_hanging(target, shot.value(shot.to), chess.SquareSet()):
            continue
        escapes = [move for move in shot.after.legal_moves if move.from_square == target]
        taken = shot.next and shot.next.to_square in (target, *(move.to_square for move in escapes if move == shot.reply))
        if taken and all(_is_lost_after(shot.after, move) for move in escapes):
            return f"traps the {shot.name(target)}"
    return ""


def _is_lost_after(board: chess.Board, move: chess.Move) -> bool:
    """Return whether a piece can be taken with a gain where it moves, for more than it takes there."""
    after = board.copy(stack=False)
    after.push(move)
    won = VALUES.get(board.piece_type_at(move.to_square) or chess.KING, 0) * 100
    return _wins_on(move.to_square, after, won)


def _wins_on(square: chess.Square, board: chess.Board, least: int) -> bool:
    """Return whether a capture on the square wins more than so many centipawns."""
    return any(move.to_square == square and Evaluator.see(board, move) > least for move in board.legal_moves)


def _hangs(shot: _Shot) -> str:
    kind = shot.before.piece_type_at(shot.to)
    if not kind or kind == chess.PAWN or shot.before.attackers(shot.enemy, shot.to):
        return ""
    return f"{HANGING} {chess.piece_name(kind)}"
