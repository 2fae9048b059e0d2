# SPDX-License-Identifier: GPL-3.0-or-later
"""What can be said of a move, as data: each kind of claim, and the function that finds it in the bad and the good line.

The moves of a claim begin at the position before the move, so those of what it allows with the move itself.
"""

from collections.abc import Iterator, Mapping
from enum import Enum
from typing import Any, NamedTuple, TypeAlias

import chess
from chess.engine import Cp

from . import judge
from .line import PERPETUAL, Ask, Line, Variation, passed_pawns
from .motifs import Kind, Motif, is_back_rank, motif

ANSWERS = 3  # of the defender's best that are looked at
SHORT = 6  # plies below which a line is continued
LONG = 16  # the same, of a line without a gain
SHOWN = 5  # plies that are written out
FORCED = 4  # plies of captures and checks before a motif
LEAST_SHARE, GREATEST_SHARE = 60, 400  # centipawns of score for each pawn of material
LEVEL = 30  # centipawns within which a score is a draw
WON = 300  # centipawns of a won pawn ending
SOON = 3  # moves to a mate that is named in a decided game, too
PIECE = 3  # pawns that a piece is worth
ALONE = Kind.FORK, Kind.SKEWER, Kind.PIN, Kind.TRAP  # motifs that are reasons even where no material is certain


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


class Tactic(NamedTuple):
    """A motif where no material is certain."""

    role: Role
    moves: tuple[chess.Move, ...]
    motif: Motif


class Trade(NamedTuple):
    """A trade of the last pieces into a pawn ending that is lost."""

    role: Role
    moves: tuple[chess.Move, ...]


Claim: TypeAlias = Mate | Draw | Material | Tactic | Trade
KINDS = {"mate": Mate, "draw": Draw, "material": Material, "tactic": Tactic, "trade": Trade}


def plain(claim: Claim) -> dict[str, Any]:
    """Return a claim as values for JSON."""
    values = claim._asdict()
    values |= {"role": claim.role.value, "moves": [move.uci() for move in claim.moves]}
    if found := values.get("motif"):
        values["motif"] = {"kind": found.kind.value, "squares": [*map(chess.square_name, found.squares)]}
    return {"kind": type(claim).__name__.lower(), **values}


def from_plain(values: Mapping[str, Any]) -> Claim:
    """Return the claim of which `plain` has made these values."""
    fields = {name: tuple(value) if isinstance(value, list) else value for name, value in values.items() if name != "kind"}
    fields |= {"role": Role(values["role"]), "moves": tuple(map(chess.Move.from_uci, values["moves"]))}
    if found := values.get("motif"):
        fields["motif"] = Motif(Kind(found["kind"]), tuple(map(chess.parse_square, found["squares"])))
    claim: Claim = KINDS[values["kind"]](**fields)
    return claim


def follow(board: chess.Board, line: Line, side: chess.Color, ask: Ask, least: int = SHORT) -> Variation:
    """Return a line on boards, continued by another search if it is shorter than `least` plies."""
    found = Variation(board, line, side)
    if len(found.moves) < least and not found.boards[-1].is_game_over() and (more := ask(found.boards[-1], 1)):
        found = Variation(board, line._replace(moves=(*found.moves, *more[0].moves)), side)
    return found


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


def material(bad: Variation, good: Variation, ask: Ask) -> Material | Tactic | None:
    """Return what the move played loses or misses, whichever is more."""
    loss = good.points + bad.points
    lost, won = forced(bad, 2, ask), forced(good, 1, ask)
    taken = -bad.values[bad.quiet_end(2) or -1]  # by the move that was played
    missed = won.value - max(0, taken) if won else 0
    if lost and lost.value >= missed and lost.agrees(lost.value, loss, missed):
        return lost.claim(Role.ALLOWS)
    if won and missed > 0 and 2 * missed >= won.value and won.agrees(missed, loss):
        return won.claim(Role.MISSES)
    for role, line, ply in ((Role.ALLOWS, bad, 2), (Role.MISSES, good, 1)):
        if (found := motif(line.boards, line.moves, ply)) and found.kind in ALONE:
            return Tactic(role, line.moves[:ply], found)
    return None


def trade(bad: Variation) -> Trade | None:
    """Return whether the pieces go, and a lost pawn ending remains."""
    pieces = [at.occupied & ~(at.kings | at.pawns) for at in bad.boards[: FORCED + 1]]
    bare = pieces.index(0) if 0 in pieces else 0
    return Trade(Role.ALLOWS, bad.moves[:bare]) if bare and bad.points >= WON else None


def slip(bad: Variation, good: Variation, ask: Ask) -> Claim | None:
    """Return the mate in a few moves that is given up, or the piece that can be taken at once or by the next move."""
    if (0 < good.mate <= SOON and bad.mate >= 0) or (0 < bad.mate <= SOON and good.mate >= 0):
        return next(mates(bad, good))
    if bad.mate == good.mate == 0:
        lost = forced(bad, 2, ask)
        if lost and lost.value >= PIECE and lost.decided() <= FORCED and lost.agrees(lost.value, good.points + bad.points):
            return lost.claim(Role.ALLOWS)
    return None


class Gain(NamedTuple):
    """Material won by the move before `ply` against every good defence."""

    line: Variation  # with the answer that leaves least
    ply: int
    end: int  # the ply at which it is there to stay

    @property
    def value(self) -> int:
        """What is won, in pawns."""
        return self.line.values[self.end]

    def claim(self, role: Role) -> Material:
        """Return it in words' data: up to its motif, which comes at once or after a few captures and checks."""
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
        return Material(role, line.moves[: self.decided()], won, given, promoted)

    def decided(self) -> int:
        """Return the ply up to which what is won is on the side's account."""
        values = self.line.values[: self.end + 1]
        return next(ply for ply in range(self.ply, self.end + 1) if min(values[ply:]) >= self.value)

    def agrees(self, value: int, loss: int, other: int = 0) -> bool:
        """Return whether the gain comes soon and the score confirms it: 60 to 400 centipawns a pawn. `other` is missed besides."""
        if loss < LEAST_SHARE * value or self._is_far():
            return False
        start, end, side = self.line.boards[0], self.line.boards[self.end], self.line.side
        return (
            value >= PIECE
            or loss <= GREATEST_SHARE * (value + max(0, other))
            or not end.occupied & ~(end.kings | end.pawns)
            or passed_pawns(end, side) > passed_pawns(start, side)
        )

    def _is_far(self) -> bool:
        """Return whether it takes many moves with a quiet one among them, where another search may see something else."""
        line, claim = self.line, self.claim(Role.ALLOWS)
        plies = range(self.ply - 1, self.decided(), 2)
        is_forced = all(line.boards[ply].is_capture(line.moves[ply]) or line.boards[ply + 1].is_check() for ply in plies)
        return len(claim.moves) - self.ply >= SHOWN and not is_forced and not claim.promoted

    def _is_forced(self, ply: int) -> bool:
        """Return whether the move before a ply and its answer are captures, checks, or moves out of check."""
        for at, move in zip(self.line.boards[ply - 1 : ply + 1], self.line.moves[ply - 1 : ply + 1], strict=False):
            if not (at.is_capture(move) or at.gives_check(move) or at.is_check()):
                return False
        return True

    def _taken(self, ply: int) -> str:
        return chess.piece_name(self.line.boards[ply - 1].piece_type_at(self.line.moves[ply - 1].to_square) or chess.PAWN)

    def _pieces(self) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
        """Return the piece of a promotion, "" if there is none, and the pieces won and given. One pawn with a piece is left out."""
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


def forced(line: Variation, ply: int, ask: Ask) -> Gain | None:
    """Return what the side of a line wins by its move before `ply`, against each of the best answers; None: nothing."""
    is_possible = max(line.values[ply:], default=0) > 0 and not line.boards[ply].is_game_over()
    if not is_possible or not (answers := ask(line.boards[ply], ANSWERS)):
        return None
    best = judge.win_percent(answers[0].score)
    gains = []
    for answer in answers:
        mate = (answer.score if line.side else -answer.score).mate() or 0
        if mate <= 0 and abs(judge.win_percent(answer.score) - best) < judge.INACCURACY.loss:
            whole = answer._replace(moves=(*line.moves[:ply], *answer.moves))
            branches = (follow(line.boards[0], whole, line.side, ask, least) for least in (SHORT, LONG))
            found = (Gain(branch, ply, branch.quiet_end(ply + 1)) for branch in branches)
            if not (gain := next((gain for gain in found if gain.value > 0), None)):
                return None
            gains.append(gain)
    return min(gains, key=lambda gain: gain.value, default=None)
