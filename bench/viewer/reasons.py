# SPDX-License-Identifier: GPL-3.0-or-later
"""Why a move is bad, or good, in one or two sentences that say only what the engine's lines show.

Mates come first, then draws, material, and the themes of the evaluation. Material and themes are those of the last quiet position
of a line, in which no exchange is in progress.
"""

import chess
from chess.engine import Cp, Limit, SimpleEngine

from ..common.adjudication import FIFTY_MOVES, MATE_SCORE
from ..common.evaluator import Evaluator
from .study import Line, lines_of

SIDES = ("Black", "White")
VALUES = {chess.QUEEN: 9, chess.ROOK: 5, chess.BISHOP: 3, chess.KNIGHT: 3, chess.PAWN: 1}
GROUPS = ((chess.QUEEN,), (chess.ROOK,), (chess.BISHOP, chess.KNIGHT), (chess.PAWN,))
COUNTS = ("", "a", "two", "three", "four", "five", "six", "seven", "eight", "nine")
FIRST, LAST = 4, 12  # plies between which a line must have a quiet position; later moves are less reliable
SOON = 9  # plies within which material must change hands
SHOWN = 4  # plies that are written out
PAWN = 60  # centipawns of score that each pawn of material must make
LEAST = 30  # centipawns that make a theme worth a word
THEMES = {  # of the evaluation, with words for more and for less
    "King": ("king is", "safer", "weaker"),
    "Passed pawns": ("passed pawns are", "stronger", "weaker"),
    "Pawns": ("pawn structure is", "stronger", "weaker"),
    "Space": ("space is", "larger", "smaller"),
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
    bad, good = _Walk(board, played, evaluator), _Walk(board, best, evaluator)
    loss = good.points - bad.points
    sentences = _mates(bad, good) or _draws(bad, good) or _material(bad, good, loss)
    if not sentences and good.static() - bad.static() >= loss / 2:
        sentences = _themes(good, bad, not board.turn, max(LEAST, loss / 3))
    return " ".join(sentences)


def why_best(board: chess.Board, best: Line, threat: Line | None, evaluator: Evaluator) -> str:
    """Return what the first move of `best` wins, parries or improves; "" if the lines do not show it.

    `threat` is what the other side plays if the side to move passes; None in check.
    """
    good = _Walk(board, best, evaluator)
    if good.mate > 0:
        return f"Mates{_in(good.mate)}: {good.text(0, 1)}."
    if how := good.draw():
        return f"Draws by {how}."
    if won := good.won(1):
        return f"Wins {won}: {good.text(0, good.decision(1))}."
    if threat:
        passed = board.copy()
        passed.push(chess.Move.null())
        against = _Walk(passed, threat, evaluator)
        if against.mate > 0 and good.mate == 0:
            return f"Parries mate{_in(against.mate)}: {against.text(0, 1)}."
        value = against.worth()
        if (won := against.won(1)) and good.worth() > -value and good.points + against.points >= PAWN * value:
            return f"Parries {against.text(0, against.decision(1))}, which wins {won}."
    start = _Walk(board, Line(best.score, ()), evaluator)
    return " ".join(_themes(start, good, board.turn, LEAST)[:1]) if evaluator.is_quiet(board) else ""


def advise(engine: SimpleEngine, board: chess.Board, limit: Limit, evaluator: Evaluator) -> tuple[chess.Move, str]:
    """Return the best move of a position, and why it is good; searches outside any game."""
    (best,) = lines_of([engine.analyse(board, limit)])
    threat = None
    if not board.is_check():
        passed = board.copy(stack=False)
        passed.push(chess.Move.null())
        (threat,) = lines_of([engine.analyse(passed, limit)])
    return best.moves[0], why_best(board, best, threat, evaluator)


class _Walk:
    """A line on boards, and its quiet end. Scores and gains are those of the player who begins it."""

    def __init__(self, board: chess.Board, line: Line, evaluator: Evaluator) -> None:
        self.player, self.moves, self._evaluator = board.turn, line.moves, evaluator
        self.score = line.score if board.turn else -line.score
        self.points = self.score.score(mate_score=MATE_SCORE)
        self.mate = self.score.mate() or 0
        self.boards = [board]
        for move in line.moves:
            self.boards.append(self.boards[-1].copy())
            self.boards[-1].push(move)
        plies = range(FIRST, min(len(self.boards), 2 * LAST))
        self._quiet = [ply for ply in plies if evaluator.is_quiet(self.boards[ply])]
        self.end = max((ply for ply in self._quiet if ply <= LAST), default=0)  # 0: there is none

    def text(self, first: int, last: int) -> str:
        """Return the moves from ply `first` to before ply `last` with their numbers, without the middle of a long line."""
        if last - first > SHOWN:
            return f"{self.text(first, first + 1)} ... {self.text(last - 1, last)}"
        return self.boards[first].variation_san(self.moves[first:last]).replace(". ", ".")

    def draw(self) -> str:
        """Return by which rule a line of score 0 ends in a draw; "" if it does not show one."""
        last = self.boards[-1]
        rules = {
            "stalemate": last.is_stalemate(),
            "insufficient material": last.is_insufficient_material(),
            "the fifty-move rule": last.halfmove_clock >= FIFTY_MOVES,
            "repetition": any(board.is_repetition(2) for board in (last, *_next(last))),
        }
        return next((rule for rule, holds in rules.items() if holds and self.score == Cp(0)), "")

    def gain(self, ply: int) -> dict[int, int]:
        """Return how many pieces of each kind the player wins up to a ply, less those lost."""
        before, after = self.boards[0], self.boards[ply]
        return {kind: _lead(after, kind, self.player) - _lead(before, kind, self.player) for kind in VALUES}

    def worth(self, ply: int | None = None) -> int:
        """Return the gain up to a ply, or the quiet end, in pawns."""
        gain = self.gain(self.end if ply is None else ply)
        return sum(value * gain[kind] for kind, value in VALUES.items())

    def won(self, sign: int) -> str:
        """Return the pieces won (`sign` 1) or lost (-1) soon and for good, in words; "" for none."""
        worth = sign * self.worth()
        is_kept = all(sign * self.worth(ply) >= worth for ply in self._quiet if ply > self.end)
        return _words(self.gain(self.end), sign) if worth > 0 and is_kept and self.decision(sign) <= SOON else ""

    def decision(self, sign: int) -> int:
        """Return the ply up to which the most valuable pieces are won (`sign` 1) or lost (-1)."""
        gains = [self.gain(ply) for ply in range(self.end + 1)]
        counts = [[sign * sum(gain[kind] for kind in group) for gain in gains] for group in GROUPS]
        count = next(count for count in counts if count[-1] > 0)
        return next(ply for ply in range(self.end + 1) if min(count[ply:]) >= count[-1])

    def pieces(self, side: chess.Color) -> list[int]:
        """Return how many pieces of each kind a side has at the quiet end, without pawns."""
        return [len(self.boards[self.end].pieces(kind, side)) for kind in VALUES if kind != chess.PAWN]

    def terms(self) -> dict[str, tuple[float, float]]:
        """Return the themes at the quiet end; the safety of a king is its shelter less the attack on it."""
        terms = self._evaluator.terms(self.boards[self.end])
        (white, black), (by_white, by_black) = (terms.get(name, (0, 0)) for name in ("King shelter", "King attack"))
        return {**terms, "King": (white - by_black, black - by_white)}

    def static(self) -> float:
        """Return the evaluation of the quiet end."""
        score = sum(white - black for white, black in self._evaluator.terms(self.boards[self.end]).values())
        return score if self.player else -score


def _next(board: chess.Board) -> list[chess.Board]:
    boards = []
    for move in board.legal_moves:
        boards.append(board.copy())
        boards[-1].push(move)
    return boards


def _lead(board: chess.Board, kind: chess.PieceType, side: chess.Color) -> int:
    return len(board.pieces(kind, side)) - len(board.pieces(kind, not side))


def _in(mate: int) -> str:
    return f" in {mate}" if mate > 1 else ""


def _mates(bad: _Walk, good: _Walk) -> list[str]:
    sentences = [f"Misses mate{_in(good.mate)}: {good.text(0, 1)}."] if good.mate > 0 else []
    return sentences + ([f"Allows mate{_in(-bad.mate)}: {bad.text(1, 2)}."] if bad.mate < 0 else [])


def _draws(bad: _Walk, good: _Walk) -> list[str]:
    if good.score > Cp(LEAST) and (how := bad.draw()):
        reply = bad.text(1, 2 if how == "repetition" else len(bad.moves))
        return [f"Lets {SIDES[not bad.player]} draw by {how}: {reply}." if reply else f"Draws by {how}."]
    if bad.score < Cp(-LEAST) and (how := good.draw()):
        return [f"Misses a draw by {how}: {good.text(0, 1)}."]
    return []


def _material(bad: _Walk, good: _Walk, loss: int) -> list[str]:
    """Return sentences about what the played line loses and the best one wins."""
    change = good.worth() - bad.worth()
    if not (bad.end and good.end and change >= 1 and loss >= PAWN * change):
        return []
    best = good.text(0, 1)
    if lost := bad.won(-1):
        instead = f" {best} loses only {less}." if (less := good.won(-1)) else ""
        return [f"Loses {lost}: {bad.text(1, bad.decision(-1))}.{instead}"]
    if bad.worth() >= 0 and (won := good.won(1)):
        line = good.text(0, good.decision(1))
        if bad.worth():
            return [f"Wins only {less}: {line} wins {won}."] if (less := bad.won(1)) else []
        return [f"Misses {line}, which wins {won}."]
    return []


def _words(gain: dict[int, int], sign: int) -> str:
    """Return the pieces won (`sign` 1) or lost (-1) in words, as "the exchange for a pawn"."""
    count = {chess.piece_name(kind): sign * number for kind, number in gain.items()}
    minors = count["bishop"] + count["knight"]
    if minors * count["rook"] == -1:
        count = {"the exchange": count["rook"], **count, "rook": 0, "bishop": 0, "knight": 0}
    elif count["bishop"] * count["knight"] < 0:  # one for the other is an even trade
        count |= {"bishop": 0, "knight": 0, max("bishop", "knight", key=lambda name: abs(count[name])): minors}
    return " for ".join(
        " and ".join(_counted(name, side * number) for name, number in count.items() if side * number > 0)
        for side in (1, -1)
        if any(side * number > 0 for number in count.values())
    )


def _counted(name: str, number: int) -> str:
    return name if name.startswith("the ") else f"{COUNTS[number]} {name}{'s' if number > 1 else ''}"


def _themes(old: _Walk, new: _Walk, favoured: chess.Color, least: float) -> list[str]:
    """Return a sentence about what changes most from one quiet end to the other: one or two themes, by at least `least` centipawns."""
    before, after = old.terms(), new.terms()
    changes = []
    for theme, (what, more, less) in THEMES.items():
        if theme not in before:
            continue
        gains = [after[theme][not side] - before[theme][not side] for side in (favoured, not favoured)]
        own, theirs = gains[0], -gains[1]
        side, size = (favoured, own) if own >= theirs else (not favoured, theirs)
        if min(size, own + theirs) >= least and (theme not in OF_PIECES or old.pieces(side) == new.pieces(side)):
            changes.append((size, f"{SIDES[side]}'s {what} {more if side == favoured else less} by {size / 100:.1f}"))
    words = [text for _, text in sorted(changes, reverse=True)[:2]]
    if "Network" in before and len(words) < 2:
        size = (after["Network"][0] - before["Network"][0]) * (1 if favoured else -1)
        if size >= least:
            words.append(f"the network's judgement of the position is better for {SIDES[favoured]} by {size / 100:.1f}")
    text = ", ".join(words)
    return [f"{text[0].upper()}{text[1:]}."] if text else []
