# SPDX-License-Identifier: GPL-3.0-or-later
"""What can be said of a move, as data: the kinds of claims, and functions that find them in two lines.

The lines are the bad one and the good one. The moves of a claim begin at the position before the move, so
those of what it allows with the move itself.
"""

from collections.abc import Iterator, Mapping
from enum import Enum
from typing import Any, NamedTuple, TypeAlias

import chess
from chess.engine import Cp

from . import judge
from .exchange import before_exchange, counted, outcome, pieces_left, wins_on
from .line import PERPETUAL, Line, Variation, after
from .motifs import Kind, Motif, is_back_rank, motif

FORCED = 4  # plies of captures and checks before a motif
LEAST_SHARE = 60  # centipawns of score for each pawn of material
PAWN_MOST = 250  # centipawns that a single pawn explains
LEVEL = 30  # centipawns within which a score is a draw
# percent of winning chances: the game is won from WINNING on, and lost below LOSING
WINNING, LOSING = 60, 25
FEW = 4  # pieces, besides kings and pawns, after a trade
PIECES = (chess.QUEEN, chess.ROOK, chess.BISHOP, chess.KNIGHT)
NEAR = 2  # plies after the answer within which a single pawn is won
SOON_PLIES = 10  # after which what is won is not waited for
SOON = 3  # moves to a mate that is named in a decided game, too
THREATENED = 2  # pawns that a threat wins at least


class Role(Enum):
    """What the move has to do with the claim."""

    ALLOWS = "allows"
    MISSES = "misses"
    WINS = "wins"  # for the side to move
    THREATENS = "threatens"  # for the other side, which moves after a pass


class Mate(NamedTuple):
    """A mate in `number` moves."""

    role: Role
    moves: tuple[chess.Move, ...]
    number: int
    is_back_rank: bool = False


class Draw(NamedTuple):
    """A draw that a side forces."""

    role: Role
    moves: tuple[chess.Move, ...]
    ending: str


class Material(NamedTuple):
    """Pieces won, by their names, for pieces given; or a promotion to the piece `promoted`."""

    role: Role
    moves: tuple[chess.Move, ...]  # up to the motif, or until it is won
    won: tuple[str, ...]
    given: tuple[str, ...]
    promoted: str = ""
    motif: Motif | None = None  # of the last move


class Trade(NamedTuple):
    """A trade of equal pieces that gives a win away, or a draw, or one that would have kept it."""

    role: Role
    moves: tuple[chess.Move, ...]
    pieces: tuple[str, ...]  # of each side
    is_lost: bool  # not drawn


class Threat(NamedTuple):
    """A move that threatens to capture and win two pawns or more, or to mate at once."""

    role: Role
    moves: tuple[chess.Move, ...]  # the last one threatens
    next: tuple[chess.Move, ...]  # the threat


Claim: TypeAlias = Mate | Draw | Material | Trade | Threat
KINDS = {"mate": Mate, "draw": Draw, "material": Material, "trade": Trade, "threat": Threat}


def plain(claim: Claim) -> dict[str, Any]:
    """Return a claim as values for JSON."""
    values = claim._asdict()
    values |= {"role": claim.role.value}
    for name in values.keys() & {"moves", "next"}:
        values[name] = [move.uci() for move in values[name]]
    if found := values.get("motif"):
        values["motif"] = {"kind": found.kind.value, "squares": [*map(chess.square_name, found.squares)]}
    return {"kind": type(claim).__name__.lower(), **values}


def from_plain(values: Mapping[str, Any]) -> Claim:
    """Return the claim of which `plain` has made these values."""
    fields = {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in values.items()
        if name != "kind"
    }
    fields |= {"role": Role(values["role"])}
    for name in fields.keys() & {"moves", "next"}:
        fields[name] = tuple(map(chess.Move.from_uci, values[name]))
    if found := values.get("motif"):
        fields["motif"] = Motif(Kind(found["kind"]), tuple(map(chess.parse_square, found["squares"])))
    claim: Claim = KINDS[values["kind"]](**fields)
    return claim


class Gain(NamedTuple):
    """Pieces that the move before `ply` of a line wins."""

    line: Variation
    ply: int
    decided: int  # the ply from which they are on the side's account
    end: int  # the ply after the exchange that decides

    @property
    def value(self) -> int:
        """What is won, in pawns."""
        return self.line.values[self.end]

    def claim(self, role: Role) -> Material:
        """Return it in words' data.

        It goes up to its motif, which comes at once or after a few captures and checks.
        """
        line, (promoted, won, given) = self.line, self._pieces()
        for ply in range(self.ply, self.end + 1, 2):
            found = motif(line.boards, line.moves, ply)
            if found and found.kind is Kind.HANGING:  # else taken back, or part of a trade
                is_named = self._taken(ply) in ({promoted} if promoted else {*won, *given})
                found = found if ply == self.ply and is_named and not is_exchange(won, given) else None
            if found:
                return Material(role, line.moves[:ply], won, given, promoted, found)
            if ply - self.ply >= FORCED or not self._is_forced(ply):
                break
        return Material(role, line.moves[: self.decided], won, given, promoted)

    def _is_forced(self, ply: int) -> bool:
        """Return whether the move before a ply and its answer are captures, checks, or moves out of check."""
        for at, move in zip(
            self.line.boards[ply - 1 : ply + 1], self.line.moves[ply - 1 : ply + 1], strict=False
        ):
            if not (at.is_capture(move) or at.gives_check(move) or at.is_check()):
                return False
        return True

    def _taken(self, ply: int) -> str:
        return chess.piece_name(
            self.line.boards[ply - 1].piece_type_at(self.line.moves[ply - 1].to_square) or chess.PAWN
        )

    def _pieces(self) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
        """Return the piece of a promotion, "" if there is none, and the pieces won and given.

        One pawn with a piece is left out.
        """
        count = dict(self.line.gains[self.end])
        for at, move in zip(self.line.boards, self.line.moves[: self.end], strict=False):
            if at.turn == self.line.side and move.promotion and count[move.promotion] > 0:
                return chess.piece_name(move.promotion), (), ()
        minors = count[chess.BISHOP] + count[chess.KNIGHT]
        if count[chess.BISHOP] * count[chess.KNIGHT] < 0:  # one for the other is an even trade
            more = max(chess.BISHOP, chess.KNIGHT, key=lambda kind: abs(count[kind]))
            count |= {chess.BISHOP: 0, chess.KNIGHT: 0, more: minors}
        if minors * count[chess.ROOK] == -1 and not count[chess.QUEEN]:
            count[chess.PAWN] = 0
        won = {kind: number for kind, number in count.items() if number > 0}
        given = {kind: -number for kind, number in count.items() if number < 0}
        for side in (won, given):
            if side.get(chess.PAWN) == 1 and {*won} != {chess.PAWN}:
                del side[chess.PAWN]
        return "", _names(won), _names(given)


def is_exchange(won: tuple[str, ...], given: tuple[str, ...]) -> bool:
    """Return whether a rook is won for a bishop or knight."""
    return won == ("rook",) and given in (("bishop",), ("knight",))


def _names(pieces: Mapping[chess.PieceType, int]) -> tuple[str, ...]:
    return tuple(chess.piece_name(kind) for kind, number in pieces.items() for _ in range(number))


def proof(
    board: chess.Board, moves: tuple[chess.Move, ...], base: chess.Board | None = None, soon: int = SOON_PLIES
) -> Gain | None:
    """Return what the last of some moves wins, by the search that counts pieces; None if it shows nothing."""
    at = board
    for move in moves:
        at = after(at, move)
    if not (found := outcome(at)):
        return None
    line = Variation(board, Line(Cp(0), (*moves, *found.moves)), not at.turn, base)
    calm = [ply for ply in range(len(moves), len(line.boards)) if not line.takes(ply)]
    kept = {ply: min(line.values[later] for later in calm if later >= ply) for ply in calm}
    near = [ply for ply in calm if ply <= len(moves) + soon] or calm[:1]
    most = max(kept[ply] for ply in near)  # the last pawn of it may need too many moves
    start = next(ply for ply in near if kept[ply] >= max(1, most - 1) or kept[ply] == most)
    end = next(ply for ply in calm if ply >= start and line.values[ply] == kept[start])
    return Gain(line, len(moves), line.decided(len(moves), end), end)


def mates(bad: Variation, good: Variation) -> Iterator[Mate]:
    """Yield the mates that are missed or allowed."""
    if good.mate > 0:
        yield Mate(Role.MISSES, good.moves[:1], good.mate, is_back_rank(good.boards[-1]))
    if bad.mate > 0:
        yield Mate(Role.ALLOWS, bad.moves[:2], bad.mate, is_back_rank(bad.boards[-1]))


def draws(bad: Variation, good: Variation) -> Iterator[Draw]:
    """Yield the draws that are allowed or missed."""
    if good.score > Cp(LEVEL) and (ending := bad.draw()):
        yield Draw(Role.ALLOWS, bad.moves[: 2 if ending == PERPETUAL else None], ending)
    if bad.score > Cp(LEVEL) and (ending := good.draw()):
        yield Draw(Role.MISSES, good.moves[:1], ending)


def material(bad: Variation, good: Variation, soon: int = SOON_PLIES) -> Material | None:
    """Return what the move played loses or misses.

    What is lost counts from the position before the exchange under way, so that a recapture wins nothing;
    what is missed from the board. It is what the move loses against the best one, by the search that counts
    pieces, so nothing that is lost anyway; the score must fall with it. A single pawn is also lost by the
    engine's line, and soon.
    """
    if len(bad.moves) < 2 or not good.moves:
        return None
    lost, won = _lost(bad, good, soon), proof(good.boards[0], good.moves[:1])
    if not lost:
        return None
    before, then, *_, last = lost.line.values
    missed = won.line.values[-1] if won else 0
    net = last - before + missed
    is_lost = not won or (then <= 0 and last >= missed - before)
    gain, role = (lost, Role.ALLOWS) if is_lost or not won else (won, Role.MISSES)
    if not is_lost and gain.value <= before - then:
        return None  # the move played takes as much
    loss = good.points + bad.points
    if (
        net < 1
        or not 1 <= gain.value <= 2 * net
        or loss < LEAST_SHARE * net
        or (net == 1 and loss > PAWN_MOST)
    ):
        return None
    claim, line = gain.claim(role), bad if is_lost else good
    is_near = gain.decided - gain.ply <= NEAR and line.keeps(gain.value - gain.line.values[0])
    return claim if is_near or claim.won != ("pawn",) else None


def _lost(bad: Variation, good: Variation, soon: int) -> Gain | None:
    """Return what the answer to the move played wins.

    Where no history tells what the exchange under way has won so far, and both moves take on one square, it
    counts from there on if it is more than a pawn.
    """
    board, played, best = bad.boards[0], bad.moves[0], good.moves[0]
    goes_on = board.is_capture(played) or board.is_capture(best)
    lost = proof(board, bad.moves[:2], before_exchange(board) if goes_on else board, soon)
    if lost and not board.move_stack and board.is_capture(played) and played.to_square == best.to_square:
        later = proof(board, bad.moves[:2], bad.boards[1], soon)
        return later if later and later.value > 1 else lost
    return lost


def trades(bad: Variation, good: Variation) -> Iterator[Trade]:
    """Yield the trade that the move allows or misses, if because of it the game is lost or no longer won."""
    best, worst = judge.win_percent(good.score), 100 - judge.win_percent(bad.score)
    is_lost = worst < LOSING <= best
    if not is_lost and not worst < WINNING <= best:
        return
    found, other = traded(bad), traded(good)
    if found and not other:
        yield Trade(Role.ALLOWS, *found, is_lost)
    if other and not found:
        yield Trade(Role.MISSES, *other, is_lost)


def traded(line: Variation) -> tuple[tuple[chess.Move, ...], tuple[str, ...]] | None:
    """Return the moves of at most four plies by which equal pieces go, and these, if few remain."""
    first = line.boards[0]
    for ply, at in enumerate(line.boards[: FORCED + 1]):
        gone = [
            kind
            for kind in PIECES
            if all(len(at.pieces(kind, side)) < len(first.pieces(kind, side)) for side in chess.COLORS)
        ]
        is_even = abs(line.values[ply]) <= 1 and not line.takes(ply)
        if gone and is_even and pieces_left(at) <= FEW:
            return line.moves[:ply], tuple(map(chess.piece_name, gone))
    return None


def threats(bad: Variation, good: Variation) -> Iterator[Threat]:
    """Yield what the answer to the move played threatens, and what the best move would have threatened."""
    for line, role, ply in ((bad, Role.ALLOWS, 2), (good, Role.MISSES, 1)):
        if len(line.moves) >= ply and is_new(line, ply) and (found := threat(line.boards[ply])):
            yield Threat(role, line.moves[:ply], (found,))


def is_new(line: Variation, ply: int) -> bool:
    """Return whether no exchange goes on before a ply of a line."""
    return not wins_on(line.boards[ply], line.moves[ply - 1].to_square)


def threat(board: chess.Board) -> chess.Move | None:
    """Return the capture or mate in one that the side not to move threatens; None in check.

    After a pass the capture would win two pawns more.
    """
    if board.is_check():
        return None
    then = passed(board)
    for move in then.legal_moves:
        if after(then, move).is_checkmate():
            return move
    now, later = counted(board), counted(then)
    if not now or not later or later[-1].lead + now[-1].lead < THREATENED:
        return None
    move = later[-1].moves[0]
    return move if then.is_capture(move) else None


def passed(board: chess.Board) -> chess.Board:
    """Return the board after a pass."""
    return after(board, chess.Move.null())


def slip(bad: Variation, good: Variation) -> Claim | None:
    """Return the mate in a few moves that is given up, or the piece to take at once or a move later."""
    if (0 < good.mate <= SOON and bad.mate >= 0) or (0 < bad.mate <= SOON and good.mate >= 0):
        return next(mates(bad, good))
    claim = material(bad, good, FORCED - 2) if bad.mate == good.mate == 0 else None
    is_piece = claim and (claim.promoted or {*claim.won} - {"pawn"})
    return claim if claim and claim.role is Role.ALLOWS and is_piece and len(claim.moves) <= FORCED else None
