# SPDX-License-Identifier: GPL-3.0-or-later
"""Why a move is bad, or good, in one or two sentences that say only what the engine's lines show.

Mates come first, then draws, material, and the themes of the evaluation. Material and themes are those of the last quiet position
of a line, in which no exchange is in progress.
"""

from collections.abc import Iterator

import chess
from chess.engine import Cp

from ..adjudication import MATE_SCORE
from ..evaluator import Evaluator
from .study import Line

SIDES = ("Black", "White")
VALUES = {chess.QUEEN: 9, chess.ROOK: 5, chess.BISHOP: 3, chess.KNIGHT: 3, chess.PAWN: 1}
GROUPS = ((chess.QUEEN,), (chess.ROOK,), (chess.BISHOP, chess.KNIGHT), (chess.PAWN,))
COUNTS = ("", "a", "two", "three", "four", "five", "six", "seven", "eight", "nine")
NEW = "a new"
PERPETUAL = "perpetual check"
FIRST, LAST = 4, 12  # plies between which a line has its quiet end; later moves are less reliable
SAFE = 14  # plies in which nothing is won that is lost again
SOON = 10  # plies within which material must change hands
SHOWN = 5  # plies that are written out
PAWN = 60  # centipawns of score that each pawn of material must make
ALONE = 150  # the same where only the bad line has a quiet end
LEAST = 30  # centipawns that make a theme worth a word
THEMES = {  # of the evaluation, with words for more and for less
    "King": ("king is", "safer", "weaker"),
    "Passed pawns": ("passed pawns are", "stronger", "weaker"),
    "Pawns": ("pawn structure is", "stronger", "weaker"),
    "Network": ("position, as the network judges it, is", "better", "worse"),
    "Minor pieces": ("knights and bishops are", "better placed", "worse placed"),
    "Rooks, queens": ("rooks and queens are", "better placed", "worse placed"),
    "Mobility": ("pieces are", "more active", "less active"),
    "Piece squares": ("pieces are", "better placed", "worse placed"),
}
OF_PIECES = list(THEMES)[4:]  # compared only for the same pieces, since fewer have less of them


def why_bad(board: chess.Board, played: Line, best: Line, evaluator: Evaluator) -> str:
    """Return why the first move of `played` is worse than that of `best`; "" if the lines do not show it.

    Both lines start at `board`, which has the game's history. Their scores are from White's side.
    """
    bad, good = _Walk(board, played, evaluator, not board.turn), _Walk(board, best, evaluator, board.turn)
    loss = good.points + bad.points
    if reason := " ".join(_ends(bad, good)) or _material(bad, good, loss):
        return reason
    is_same = bad.end and good.end and good.worth + bad.worth == 0
    return _themes(good, bad, loss) if is_same and loss / 2 <= good.static + bad.static <= 2 * loss else ""


def why_best(board: chess.Board, best: Line, threat: Line | None, evaluator: Evaluator) -> str:
    """Return what the first move of `best` wins, parries or improves; "" if the lines do not show it.

    `threat` is what the other side plays if the side to move passes; None in check.
    """
    good = _Walk(board, best, evaluator, board.turn)
    if good.mate > 0:
        return f"Mates{_in(good.mate)}: {good.text(0, 1)}."
    if how := good.draw():
        return f"Draws by {how}."
    if won := good.won():
        return f"Wins {won}: {good.text(0, good.decision())}."
    if threat:
        passed = board.copy()
        passed.push(chess.Move.null())
        against = _Walk(passed, threat, evaluator, passed.turn)
        if against.mate > 0 and good.mate == 0:
            return f"Parries mate{_in(against.mate)}: {against.text(0, 1)}."
        if (won := against.won()) and good.worth > -against.worth and good.points + against.points >= PAWN * against.worth:
            return f"Parries {against.text(0, against.decision())}, which wins {won}."
    start = _Walk(board, Line(best.score, ()), evaluator, board.turn)
    return _themes(start, good, 3 * LEAST) if good.end and evaluator.is_quiet(board) else ""


class _Walk:
    """A line on boards, and its quiet end. Scores and gains are those of the side that the line is good for."""

    def __init__(self, board: chess.Board, line: Line, evaluator: Evaluator, side: chess.Color) -> None:
        """Find the quiet end: the last quiet position after which the side loses no material."""
        self.side, self.moves = side, line.moves
        self.score = line.score if side else -line.score
        self.points, self.mate = self.score.score(mate_score=MATE_SCORE), self.score.mate() or 0
        self.boards = [board]
        for move in line.moves:
            self.boards.append(_after(self.boards[-1], move))
        leads = [{kind: len(at.pieces(kind, side)) - len(at.pieces(kind, not side)) for kind in VALUES} for at in self.boards]
        self.gains = [{kind: lead[kind] - leads[0][kind] for kind in VALUES} for lead in leads]
        worths = [sum(VALUES[kind] * number for kind, number in gain.items()) for gain in self.gains]
        quiet = [ply for ply in range(FIRST, min(len(self.boards), SAFE + 1)) if evaluator.is_quiet(self.boards[ply])]
        kept = (ply for ply in quiet if all(worths[later] >= worths[ply] for later in quiet if later > ply))
        self.end = max((ply for ply in kept if ply <= LAST), default=0)  # 0: there is none
        self.worth = worths[self.end]  # in pawns
        self.terms = evaluator.terms(self.boards[self.end])
        score = sum(white - black for white, black in self.terms.values())
        self.static = score if side else -score

    def text(self, first: int, last: int) -> str:
        """Return the moves from ply `first` to before ply `last` with their numbers, without the middle of a long line."""
        if last - first > SHOWN:
            return f"{self.text(first, first + 1)} ... {self.text(last - 1, last)}"
        return self.boards[first].variation_san(self.moves[first:last]).replace(". ", ".")

    def draw(self) -> str:
        """Return how a line of score 0 ends in a draw that the side forces soon; "" if it does not show one."""
        if self.score != Cp(0) or len(self.moves) > LAST:
            return ""
        last = self.boards[-1]
        checks = [board.is_check() for board in self.boards[1:] if board.turn != self.side][-2:]
        repeats = any(board.is_repetition(2) for board in (last, *(_after(last, move) for move in last.legal_moves)))
        endings = {
            "stalemate": last.is_stalemate(),
            "insufficient material": last.is_insufficient_material(),
            PERPETUAL: len(checks) == 2 and all(checks) and repeats,
        }
        return next((ending for ending, holds in endings.items() if holds), "")

    def won(self) -> str:
        """Return the pieces that are won soon, in words; "" if none are."""
        if self.worth <= 0 or self.decision() > SOON:
            return ""
        gain, promoted = self.gains[self.end], self.moves[self.decision() - 1].promotion
        return f"{NEW} {chess.piece_name(promoted)}" if promoted and gain[promoted] > 0 else _words(gain)

    def decision(self) -> int:
        """Return the ply up to which the most valuable of the pieces are won."""
        counts = ([sum(gain[kind] for kind in group) for gain in self.gains[: self.end + 1]] for group in GROUPS)
        count = next(count for count in counts if count[-1] > 0)
        return next(ply for ply in range(self.end + 1) if min(count[ply:]) >= count[-1])


def _after(board: chess.Board, move: chess.Move) -> chess.Board:
    board = board.copy()
    board.push(move)
    return board


def _in(mate: int) -> str:
    return f" in {mate}" if mate > 1 else ""


def _ends(bad: _Walk, good: _Walk) -> Iterator[str]:
    """Yield sentences about mates and draws."""
    if good.mate > 0:
        yield f"Misses mate{_in(good.mate)}: {good.text(0, 1)}."
    if bad.mate > 0:
        yield f"Allows mate{_in(bad.mate)}: {bad.text(1, 2)}."
    if good.score > Cp(LEAST) and (how := bad.draw()):
        reply = bad.text(1, 2 if how == PERPETUAL else len(bad.moves))
        yield f"Lets {SIDES[bad.side]} draw by {how}: {reply}." if reply else f"Draws by {how}."
    if bad.score > Cp(LEAST) and (how := good.draw()):
        yield f"Misses a draw by {how}: {good.text(0, 1)}."


def _material(bad: _Walk, good: _Walk, loss: int) -> str:
    """Return what the played line loses, and the best one wins."""
    change = good.worth + bad.worth
    if not bad.end or change < 1 or loss < (PAWN if good.end else ALONE) * change:
        return ""
    won, lost = good.won(), bad.won()
    line = good.text(0, good.decision()) if won else ""
    if lost:
        verb = "Allows" if lost.startswith(NEW) else "Loses"
        return f"{verb} {lost}: {bad.text(1, max(2, bad.decision()))}." + (f" {line} wins {won}." if won else "")
    return f"Misses {line}, which wins {won}." if won else ""


def _words(gain: dict[int, int]) -> str:
    """Return the pieces won in words, as "the exchange for a pawn"."""
    count = {chess.piece_name(kind): number for kind, number in gain.items()}
    minors = count["bishop"] + count["knight"]
    if minors * count["rook"] == -1:
        count = {"the exchange": count["rook"], "queen": count["queen"], "pawn": count["pawn"]}
    elif count["bishop"] * count["knight"] < 0:  # one for the other is an even trade
        count |= {"bishop": 0, "knight": 0, max("bishop", "knight", key=lambda name: abs(count[name])): minors}
    sides: dict[bool, list[str]] = {True: [], False: []}
    for name, number in count.items():
        if number:
            many = f"{COUNTS[abs(number)]} {name}{'s' if abs(number) > 1 else ''}"
            sides[number > 0].append(name if name == "the exchange" else many)
    return " for ".join(" and ".join(names) for names in sides.values() if names)


def _themes(old: _Walk, new: _Walk, gain: float) -> str:
    """Return the one or two themes that change most from one quiet end to the other, in favour of the side of `new`.

    Each makes at least a third of the gain, and at most twice as much.
    """
    changes = []
    sides = (new.side, not new.side)
    for theme, (what, more, less) in THEMES.items():
        own, theirs = (_value(new, theme, side) - _value(old, theme, side) for side in sides)
        size, side, word = max((own, sides[0], more), (-theirs, sides[1], less))
        pieces = [[len(walk.boards[walk.end].pieces(kind, side)) for kind in list(VALUES)[:-1]] for walk in (old, new)]
        is_sure = max(LEAST, gain / 3) <= min(size, own - theirs) and size <= 2 * gain
        if is_sure and (theme not in OF_PIECES or pieces[0] == pieces[1]):
            changes.append((size, f"{SIDES[side]}'s {what} {word} by {size / 100:.1f}"))
    words = ", ".join(text for _, text in sorted(changes, reverse=True)[:2])
    return f"{words}." if words else ""


def _value(walk: _Walk, theme: str, side: chess.Color) -> float:
    """Return a side's value of a theme at the quiet end; the safety of its king is the shelter less the attack on it."""
    if theme == "King":
        return _value(walk, "King shelter", side) - _value(walk, "King attack", not side)
    return walk.terms[theme][not side] if theme in walk.terms else 0
