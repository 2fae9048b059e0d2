# SPDX-License-Identifier: GPL-3.0-or-later
"""Claims in English. A new kind of claim or motif gets its words here, and nowhere else."""

from collections import Counter
from collections.abc import Iterable, Sequence

import chess

from .claims import Claim, Draw, Mate, Material, Role, Threat, Trade, is_exchange, passed
from .exchange import along
from .line import SHOWN
from .motifs import Kind, Motif

COUNTS = ("", "a", "two", "three", "four", "five", "six", "seven", "eight", "nine")
MOTIFS = {  # with the pieces on its squares
    Kind.DOUBLE_CHECK: "gives double check",
    Kind.PROMOTION: "promotes",
    Kind.DISCOVERED_CHECK: "gives a discovered check",
    Kind.DISCOVERED_ATTACK: "discovers an attack on the {}",
    Kind.FORK: "forks {} and {}",
    Kind.SKEWER: "skewers {} and {}",
    Kind.PIN: "pins the {}",
    Kind.PINNED: "attacks the pinned {}",
    Kind.TRAP: "traps the {}",
    Kind.HANGING: "takes an undefended {}",
}


def reason(claims: Iterable[Claim], board: chess.Board) -> str:
    """Return claims about a move in the position before it, in one or two sentences."""
    return " ".join(sentence(claim, board) for claim in claims)


def sentence(claim: Claim, board: chess.Board) -> str:
    """Return a claim about a move in the position before it."""
    if claim.role is Role.THREATENS:
        board = passed(board)
    side = ("Black", "White")[board.turn ^ (claim.role is Role.ALLOWS)]
    quoted = quote(board, claim.moves, 1 if claim.role is Role.ALLOWS else 0)
    match claim:
        case Mate(role, _, number):
            rank = " on the back rank" * claim.is_back_rank
            verb = {Role.WINS: "Mates", Role.THREATENS: f"{side} threatens mate"}.get(
                role, f"{role.value.capitalize()} mate"
            )
            return f"{verb}{f' in {number}' * (number > 1)}{rank}: {quoted}."
        case Draw(role, _, ending):
            if role is Role.MISSES:
                return f"Misses a draw by {ending}: {quoted}."
            return (
                f"Lets {side} draw by {ending}: {quoted}."
                if role is Role.ALLOWS and quoted
                else f"Draws by {ending}."
            )
        case Material(Role.THREATENS):
            return f"{side} threatens {quote(board, claim.moves[:1])}, which wins {_gain(claim)}."
        case Material(role):
            verb = "Loses" if role is Role.ALLOWS and not claim.promoted else role.value.capitalize()
            doing = f" {motif_words(claim.motif, board, claim.moves)}" if claim.motif else ""
            return f"{verb} {_gain(claim)}: {quoted}{doing}."
        case Trade(Role.MISSES, _, pieces):
            return f"Misses the trade of {_plurals(pieces)}: {quoted}."
        case Trade(_, _, pieces, is_lost):
            return (
                f"Trades {_plurals(pieces)}, and the {'draw' if is_lost else 'win'} is gone: "
                f"{quoted or quote(board, claim.moves)}."
            )
        case Threat(role, moves, threat):
            then = along(board, (*moves, chess.Move.null()))
            mate = "mate: " * along(then, threat).is_checkmate()
            return f"{role.value.capitalize()} {quoted}, which threatens {mate}{quote(then, threat)}."


def quote(board: chess.Board, moves: Sequence[chess.Move], first: int = 0) -> str:
    """Return moves with their numbers from index `first` on, without the middle of a long line."""
    if len(moves) - first > SHOWN:
        return f"{quote(board, moves[: first + 1], first)} ... {quote(board, moves, len(moves) - 1)}"
    return along(board, moves[:first]).variation_san(moves[first:]).replace(". ", ".")


def motif_words(motif: Motif, board: chess.Board, moves: Sequence[chess.Move]) -> str:
    """Return what the last move of a line from the board does."""
    before = along(board, moves[:-1])
    names = [chess.piece_name(before.piece_type_at(square) or chess.KING) for square in motif.squares]
    if motif.kind is Kind.FORK and names[0] == names[1]:
        return f"forks two {names[0]}s"
    return MOTIFS[motif.kind].format(*names)


def _gain(claim: Material) -> str:
    if claim.promoted:
        return f"a new {claim.promoted}"
    if is_exchange(claim.won, claim.given):
        return "the exchange"
    return " for ".join(filter(None, map(_pieces, (claim.won, claim.given))))


def _plurals(names: Sequence[str]) -> str:
    return " and ".join(f"{name}s" for name in names)


def _pieces(names: Iterable[str]) -> str:
    return " and ".join(
        f"{COUNTS[number]} {name}{'s' * (number > 1)}" for name, number in Counter(names).items()
    )
