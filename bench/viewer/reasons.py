# SPDX-License-Identifier: GPL-3.0-or-later
"""Why a move is bad, or good, in one or two sentences that say only what the engine's lines show.

Mates come first, then draws, material, and the themes of the evaluation. Material and themes are those of the last quiet position
of a line, in which no exchange is in progress.
"""

import chess
from chess.engine import Cp

from ..common.adjudication import MATE_SCORE
from ..common.evaluator import Evaluator
from .study import Line

SIDES = ("Black", "White")
VALUES = {chess.QUEEN: 9, chess.ROOK: 5, chess.BISHOP: 3, chess.KNIGHT: 3, chess.PAWN: 1}
GROUPS = ((chess.QUEEN,), (chess.ROOK,), (chess.BISHOP, chess.KNIGHT), (chess.PAWN,))
COUNTS = ("", "a", "two", "three", "four", "five", "six", "seven", "eight", "nine")
NEW = "a new"
PERPETUAL = "perpetual check"
FIRST, LAST = 4, 12  # plies between which a line has its quiet end; later moves are less reliable
SAFE = 14  # plies in which a good line must lose nothing; nothing is won that is lost again in twice LAST
SOON = 10  # plies within which material must change hands
SHOWN = 5  # plies that are written out
PAWN = 60  # centipawns of score that each pawn of material must make
ALONE = 150  # the same where only the bad line has a quiet end
LEAST = 30  # centipawns that make a theme worth a word
THEMES = {  # of the evaluation, with words for more and for less
    "King": ("king is", "safer", "weaker"),
    "Passed pawns": ("passed pawns are", "stronger", "weaker"),
    "Pawns": ("pawn structure is", "stronger", "weaker"),
    "Minor pieces": ("knights and bishops are", "better placed", "worse placed"),
    "Rooks, queens": ("rooks and queens are", "better placed", "worse placed"),
    "Mobility": ("pieces are", "more active", "less active"),
    "Piece squares": ("pieces are", "better placed", "worse placed"),
}
OF_PIECES = list(THEMES)[3:]  # compared only for the same pieces, since fewer have less of them


def why_bad(board: chess.Board, played: Line, best: Line, evaluator: Evaluator) -> str:
    """Return why the first move of `played` is worse than that of `best`; "" if the lines do not show it.

    Both lines start at `board`, which has the game's history. Their scores are from White's side.
    """
    taken = _taken(board, best)
    bad, good = _Walk(board, played, evaluator, -1, taken), _Walk(board, best, evaluator, 1, taken)
    loss = good.points - bad.points
    sentences = [*_mates(bad, good), *_draws(bad, good)] or _material(bad, good, loss, taken)
    if not sentences and bad.end and good.end and bad.worth == good.worth and loss / 2 <= good.static - bad.static <= 2 * loss:
        sentences = _themes(good, bad, not board.turn, loss)
    return " ".join(sentences)


def why_best(board: chess.Board, best: Line, threat: Line | None, evaluator: Evaluator) -> str:
    """Return what the first move of `best` wins, parries or improves; "" if the lines do not show it.

    `threat` is what the other side plays if the side to move passes; None in check.
    """
    good = _Walk(board, best, evaluator)
    if good.mate > 0:
        return f"Mates{_in(good.mate)}: {good.text(0, 1)}."
    if how := good.draw(board.turn):
        return f"Draws by {how}."
    if won := good.won():
        return f"Wins{' back' if _taken(board, best) else ''} {won}: {good.text(0, good.decision())}."
    if threat:
        passed = board.copy()
        passed.push(chess.Move.null())
        against = _Walk(passed, threat, evaluator)
        if against.mate > 0 and good.mate == 0:
            return f"Parries mate{_in(against.mate)}: {against.text(0, 1)}."
        if (won := against.won()) and good.worth > -against.worth and good.points + against.points >= PAWN * against.worth:
            return f"Parries {against.text(0, against.decision())}, which wins {won}."
    start = _Walk(board, Line(best.score, ()), evaluator)
    return " ".join(_themes(start, good, board.turn, 3 * LEAST)) if good.end and evaluator.is_quiet(board) else ""


class _Walk:
    """A line on boards, and its quiet end. Scores and gains are those of the player who begins it."""

    def __init__(self, board: chess.Board, line: Line, evaluator: Evaluator, sign: int = 1, taken: int = 0) -> None:
        """Begin with the loss of a piece of the kind `taken` (0: of none); `sign` -1 for a line that is bad for the player.

        The quiet end is the last quiet position after which a good line loses no material, and a bad one wins none.
        """
        self.player, self.moves = board.turn, line.moves
        self.score = line.score if board.turn else -line.score
        self.points, self.mate = self.score.score(mate_score=MATE_SCORE), self.score.mate() or 0
        self.boards = [board]
        for move in line.moves:
            self.boards.append(_after(self.boards[-1], move))
        leads = [{kind: _lead(after, kind, board.turn) for kind in VALUES} for after in self.boards]
        self.gains = [{kind: lead[kind] - leads[0][kind] - (kind == taken) for kind in VALUES} for lead in leads]
        worths = [sum(VALUES[kind] * number for kind, number in gain.items()) for gain in self.gains]
        quiet = [ply for ply in range(FIRST, min(len(self.boards), 2 * LAST)) if evaluator.is_quiet(self.boards[ply])]
        near = [ply for ply in quiet if sign < 0 or ply <= SAFE]
        kept = (ply for ply in near if all(sign * worths[later] >= sign * worths[ply] for later in near if later > ply))
        self.end = max((ply for ply in kept if ply <= LAST), default=0)  # 0: there is none
        self.worth = worths[self.end]  # in pawns
        self._is_kept = all(sign * worths[later] >= sign * self.worth for later in quiet if later > self.end)
        self.terms = evaluator.terms(self.boards[self.end])
        score = sum(white - black for white, black in self.terms.values())
        self.static = score if board.turn else -score

    def text(self, first: int, last: int) -> str:
        """Return the moves from ply `first` to before ply `last` with their numbers, without the middle of a long line."""
        if last - first > SHOWN:
            return f"{self.text(first, first + 1)} ... {self.text(last - 1, last)}"
        return self.boards[first].variation_san(self.moves[first:last]).replace(". ", ".")

    def draw(self, side: chess.Color) -> str:
        """Return how a line of score 0 ends in a draw that `side` forces soon; "" if it does not show one."""
        if self.score != Cp(0) or len(self.moves) > LAST:
            return ""
        last = self.boards[-1]
        checks = [board.is_check() for board in self.boards[1:] if board.turn != side][-2:]
        repeats = any(board.is_repetition(2) for board in (last, *(_after(last, move) for move in last.legal_moves)))
        endings = {
            "stalemate": last.is_stalemate(),
            "insufficient material": last.is_insufficient_material(),
            PERPETUAL: len(checks) == 2 and all(checks) and repeats,
        }
        return next((ending for ending, holds in endings.items() if holds), "")

    def won(self, sign: int = 1) -> str:
        """Return the pieces that are won (`sign` -1: lost) soon, in words; "" if none are."""
        if sign * self.worth <= 0 or not self._is_kept or self.decision(sign) > SOON:
            return ""
        gain, ply = self.gains[self.end], self.decision(sign)
        promoted = self.moves[ply - 1].promotion if ply else None
        return f"{NEW} {chess.piece_name(promoted)}" if promoted and sign * gain[promoted] > 0 else _words(gain, sign)

    def decision(self, sign: int = 1) -> int:
        """Return the ply up to which the most valuable of the pieces are won (`sign` -1: lost)."""
        counts = ([sign * sum(gain[kind] for kind in group) for gain in self.gains[: self.end + 1]] for group in GROUPS)
        count = next(count for count in counts if count[-1] > 0)
        return next(ply for ply in range(self.end + 1) if min(count[ply:]) >= count[-1])


def _after(board: chess.Board, move: chess.Move) -> chess.Board:
    board = board.copy()
    board.push(move)
    return board


def _lead(board: chess.Board, kind: chess.PieceType, side: chess.Color) -> int:
    return len(board.pieces(kind, side)) - len(board.pieces(kind, not side))


def _in(mate: int) -> str:
    return f" in {mate}" if mate > 1 else ""


def _mates(bad: _Walk, good: _Walk) -> list[str]:
    sentences = [f"Misses mate{_in(good.mate)}: {good.text(0, 1)}."] if good.mate > 0 else []
    return sentences + ([f"Allows mate{_in(-bad.mate)}: {bad.text(1, 2)}."] if bad.mate < 0 else [])


def _draws(bad: _Walk, good: _Walk) -> list[str]:
    if good.score > Cp(LEAST) and (how := bad.draw(not bad.player)):
        reply = bad.text(1, 2 if how == PERPETUAL else len(bad.moves))
        return [f"Lets {SIDES[not bad.player]} draw by {how}: {reply}." if reply else f"Draws by {how}."]
    if bad.score < Cp(-LEAST) and (how := good.draw(bad.player)):
        return [f"Misses a draw by {how}: {good.text(0, 1)}."]
    return []


def _taken(board: chess.Board, best: Line) -> int:
    """Return the kind of the piece that the last move took and the best one wins back; 0 if there is none."""
    if not board.move_stack or not best.moves or best.moves[0].to_square != board.peek().to_square:
        return 0
    before = board.copy()
    last = before.pop()
    taken = (before.piece_type_at(last.to_square) or chess.PAWN) if before.is_capture(last) else 0
    taker = board.piece_type_at(last.to_square)
    return taken if taker and taken and VALUES[taker] >= VALUES[taken] else 0


def _material(bad: _Walk, good: _Walk, loss: int, taken: int) -> list[str]:
    """Return sentences about what the played line loses, or the best one wins."""
    change = good.worth - bad.worth
    if not bad.end or change < 1 or loss < (PAWN if good.end else ALONE) * change:
        return []
    if lost := bad.won(-1):
        if not bad.decision(-1):
            return [f"Misses {good.text(0, 1)}, which wins back a {chess.piece_name(taken)}."]
        instead = f" {good.text(0, 1)} loses only {less}." if (less := good.won(-1)) else ""
        instead = f" {good.text(0, good.decision())} wins {won}." if (won := good.won()) else instead
        verb = "Allows" if lost.startswith(NEW) else "Loses"
        return [f"{verb} {lost}: {bad.text(1, bad.decision(-1))}.{instead}"]
    won, less = good.won(), bad.won()
    if not won or (bad.worth and not less):
        return []
    line = good.text(0, good.decision())
    return [f"Wins only {less}: {line} wins {won}." if less else f"Misses {line}, which wins {won}."]


def _words(gain: dict[int, int], sign: int) -> str:
    """Return the pieces won (`sign` -1: lost) in words, as "the exchange for a pawn"."""
    count = {chess.piece_name(kind): sign * number for kind, number in gain.items()}
    minors = count["bishop"] + count["knight"]
    if minors * count["rook"] == -1:
        count = {"the exchange": count["rook"], **count, "rook": 0, "bishop": 0, "knight": 0}
    elif count["bishop"] * count["knight"] < 0:  # one for the other is an even trade
        count |= {"bishop": 0, "knight": 0, max("bishop", "knight", key=lambda name: abs(count[name])): minors}
    sides: dict[bool, list[str]] = {True: [], False: []}
    for name, number in count.items():
        if number:
            many = f"{COUNTS[abs(number)]} {name}{'s' if abs(number) > 1 else ''}"
            sides[number > 0].append(name if name == "the exchange" else many)
    return " for ".join(" and ".join(names) for names in sides.values() if names)


def _themes(old: _Walk, new: _Walk, favoured: chess.Color, gain: float) -> list[str]:
    """Return a sentence about the one or two themes that change most from one quiet end to the other, in favour of a side.

    Each makes at least a third of its gain, and at most twice as much.
    """
    least, most = max(LEAST, gain / 3), 2 * gain
    changes = []
    sides = (favoured, not favoured)
    for theme, (what, more, less) in THEMES.items():
        own, theirs = (_value(new, theme, side) - _value(old, theme, side) for side in sides)
        size, side, word = max((own, favoured, more), (-theirs, not favoured, less))
        pieces = [[len(walk.boards[walk.end].pieces(kind, side)) for kind in list(VALUES)[:-1]] for walk in (old, new)]
        if least <= min(size, own - theirs) and size <= most and (theme not in OF_PIECES or pieces[0] == pieces[1]):
            changes.append((size, f"{SIDES[side]}'s {what} {word} by {size / 100:.1f}"))
    words = [text for _, text in sorted(changes, reverse=True)[:2]]
    own, theirs = (_value(new, "Network", side) - _value(old, "Network", side) for side in sides)
    if len(words) < 2 and own - theirs >= least:
        words.append(f"the network's judgement of the position is better for {SIDES[favoured]} by {(own - theirs) / 100:.1f}")
    text = ", ".join(words)
    return [f"{text[0].upper()}{text[1:]}."] if text else []


def _value(walk: _Walk, theme: str, side: chess.Color) -> float:
    """Return a side's value of a theme at the quiet end; the safety of its king is the shelter less the attack on it."""
    if theme == "King":
        return _value(walk, "King shelter", side) - _value(walk, "King attack", not side)
    return walk.terms[theme][not side] if theme in walk.terms else 0
