# SPDX-License-Identifier: GPL-3.0-or-later
"""Why a move is bad, or good, in one or two sentences that say only what the engine's searches show; "" if nothing is sure.

Mates come first, then forced draws, material that is won against every good defence, and trades into lost pawn endings.
"""

from collections.abc import Iterator
from typing import NamedTuple

import chess
from chess.engine import Cp

from ..games.adjudication import MATE_SCORE
from . import judge
from .exchange import Evaluator
from .motifs import HANGING, VALUES, back_rank, motif
from .study import Line, Search

SIDES = ("Black", "White")
COUNTS = ("", "a", "two", "three", "four", "five", "six", "seven", "eight", "nine")
PERPETUAL = "perpetual check"
GAP = " ... "  # for the middle of a long line
ANSWERS = 3  # of the defender's best that are looked at
SHORT = 6  # plies below which a line is continued
LAST = 16  # plies of a line that are looked at
BEGIN = 6  # plies within which a gain begins
KEPT = 6  # plies that a gain must stay
TAIL = 4  # plies at the end of a long line of which the worst counts, as an exchange may be under way
SHOWN = 5  # plies that are written out
FORCED = 4  # plies of captures and checks before a motif
LEAST_SHARE, GREATEST_SHARE = 60, 400  # centipawns of score for each pawn of material
LEVEL = 30  # centipawns within which a score is a draw
WON = 300  # centipawns of a won pawn ending
SOON = 3  # moves to a mate that is named in a decided game, too
PIECE = 3  # pawns that a piece is worth
ALONE = "forks", "skewers", "pins", "traps"  # motifs that are reasons even where no material is certain


def why_bad(board: chess.Board, played: Line, best: Line, search: Search, is_marked: bool, evaluator: Evaluator) -> str | None:
    """Return why the first move of `played` is worse than that of `best`; None if it is not, because the game was a draw anyway.

    Both lines start at `board`, which has the game's history. Scores are from White's side. Without a mark, as in a game that is
    decided, only a piece that is lost soon and a short mate count.
    """
    bad, good = _walk(board, played, not board.turn, search), _walk(board, best, board.turn, search)
    if not is_marked:
        return _slip(bad, good, search, evaluator)
    if good.mate == 0 and bad.score == Cp(0) and evaluator.is_drawn(board):
        return None
    ends = " ".join([*_mates(bad, good), *_draws(bad, good)][:2])
    return ends or _material(bad, good, search, evaluator) or _trade(bad)


def why_best(board: chess.Board, best: Line, threat: Line | None, search: Search, evaluator: Evaluator) -> tuple[str, str]:
    """Return what the other side threatens that the first move of `best` parries, and what that move wins; "" where it is not sure.

    `threat` is what the other side plays if the side to move passes; None in check.
    """
    good, against = _walk(board, best, board.turn, search), None
    if threat:
        passed = board.copy()
        passed.push(chess.Move.null())
        against = _walk(passed, threat, passed.turn, search)
    if good.mate > 0:
        return "", f"Mates{_in(good.mate)}: {good.text(0, 1)}."
    if against and against.mate > 0 and good.mate == 0:
        return f"{SIDES[against.side]} threatens mate{_in(against.mate)}: {against.text(0, 1)}.", ""
    if how := good.draw():
        return "", f"Draws by {how}."
    if won := _forced(good, 1, search, evaluator):
        return "", f"Wins {won.words}: {won.how(0)}."
    won = _forced(against, 1, search, evaluator) if against and good.mate == 0 else None
    if against and won and good.points + against.points >= LEAST_SHARE * won.worth and min(good.worths) > -won.worth:
        return f"{SIDES[against.side]} threatens {against.text(0, 1)}, which wins {won.words}.", ""
    return "", ""


class _Walk:
    """A line on boards. Score and gains are those of the side that the line is good for."""

    def __init__(self, board: chess.Board, line: Line, side: chess.Color) -> None:
        self.side, self.moves = side, line.moves[:LAST]
        self.score = line.score if side else -line.score
        self.points, self.mate = self.score.score(mate_score=MATE_SCORE), self.score.mate() or 0
        self.boards = [board]
        for move in self.moves:
            self.boards.append(_after(self.boards[-1], move))
        leads = [{kind: len(at.pieces(kind, side)) - len(at.pieces(kind, not side)) for kind in VALUES} for at in self.boards]
        self.gains = [{kind: lead[kind] - leads[0][kind] for kind in VALUES} for lead in leads]
        self.worths = [sum(VALUES[kind] * number for kind, number in gain.items()) for gain in self.gains]  # in pawns

    def text(self, first: int, last: int) -> str:
        """Return the moves from ply `first` to before ply `last` with their numbers, without the middle of a long line."""
        if last - first > SHOWN:
            return f"{self.text(first, first + 1)}{GAP}{self.text(last - 1, last)}"
        return self.boards[first].variation_san(self.moves[first:last]).replace(". ", ".")

    def draw(self) -> str:
        """Return how a line of score 0 ends in a draw that the side forces soon; "" if it does not show one."""
        if self.score != Cp(0):
            return ""
        last = self.boards[-1]
        checks = [board.is_check() for board in self.boards[1:] if board.turn != self.side][-2:]
        repeats = any(board.is_repetition(2) for board in (last, *(_after(last, move) for move in last.legal_moves)))
        endings = {
            "stalemate": last.is_stalemate(),
            "insufficient material": last.is_insufficient_material(),
            PERPETUAL: len(checks) == 2 and all(checks) and repeats,
            "repetition": last.is_repetition(3),
            "the fifty-move rule": last.is_fifty_moves(),
        }
        return next((ending for ending, holds in endings.items() if holds), "")

    def quiet_end(self, first: int, evaluator: Evaluator) -> int:
        """Return the quiet ply at which the side has what it keeps: the most, or a pawn less, at all quiet plies of some moves; 0: nothing.

        They begin soon after ply `first`, or after a promotion. Where none is quiet, the worst of the last plies of a long line counts.
        """
        first = next((ply for ply, move in enumerate(self.moves, start=1) if move.promotion and ply > first), first)
        quiet = [ply for ply in range(first, len(self.boards)) if self._is_quiet(ply, evaluator)]
        spans = [[ply for ply in quiet if start <= ply <= start + KEPT] for start in quiet if start <= first + BEGIN]
        ends = [min(span, key=self.worths.__getitem__) for span in spans]
        if not any(self.worths[end] > 0 for end in ends):
            ends = [min(range(max(first, LAST - TAIL), len(self.boards)), key=self.worths.__getitem__, default=0)]
        most = max(self.worths[end] for end in ends)  # the last pawn of it may need too many moves
        return next(end for end in ends if self.worths[end] >= max(1, most - 1)) if most > 0 else 0

    def _is_quiet(self, ply: int, evaluator: Evaluator) -> bool:
        """Return whether the line exchanges nothing there, or neither side can win material at once."""
        at, ends = self.boards[ply], ply == len(self.moves)
        is_tense = ends or at.is_check() or at.is_capture(self.moves[ply]) or self.boards[ply - 1].is_capture(self.moves[ply - 1])
        return not is_tense or evaluator.is_settled(at)


def _walk(board: chess.Board, line: Line, side: chess.Color, search: Search, least: int = SHORT) -> _Walk:
    """Return a line on boards, continued by another search if it is shorter than `least` plies."""
    walk = _Walk(board, line, side)
    if len(walk.moves) < least and not walk.boards[-1].is_game_over() and (more := search(walk.boards[-1], 1)):
        walk = _Walk(board, line._replace(moves=(*walk.moves, *more[0].moves)), side)
    return walk


class _Gain(NamedTuple):
    """What the side of a line keeps whatever the defender answers to its move before ply `ply`."""

    walk: _Walk  # with the answer that leaves least
    ply: int
    end: int  # the ply at which it is there to stay

    @property
    def worth(self) -> int:
        return self.walk.worths[self.end]

    @property
    def words(self) -> str:
        return _words(self.walk, self.end)

    def sentence(self) -> str:
        """Return what the move that was played loses."""
        return f"{'Allows' if self.words.startswith('a new') else 'Loses'} {self.words}: {self.how(1)}."

    def how(self, first: int) -> str:
        """Return the moves from ply `first` that win it, with the motif if they have one."""
        walk = self.walk
        for ply in range(self.ply, self.end + 1, 2):
            word = motif(walk.boards, walk.moves, ply)
            if word.startswith(HANGING) and (ply > self.ply or word.split()[-1] not in self.words):
                word = ""  # taken back, or part of a trade
            if word:
                return f"{walk.text(first, ply)} {word}"
            forced = walk.moves[ply - 1 : ply + 1]
            boards = walk.boards[ply - 1 : ply + 1]
            if ply - self.ply >= FORCED or not all(
                at.is_capture(move) or at.gives_check(move) or at.is_check() for at, move in zip(boards, forced, strict=False)
            ):
                break
        return walk.text(first, self.decision())

    def is_far(self) -> bool:
        """Return whether it takes many moves with a quiet one among them, where another search may see something else."""
        walk, plies = self.walk, range(self.ply - 1, self.decision(), 2)
        forced = all(walk.boards[ply].is_capture(walk.moves[ply]) or walk.boards[ply + 1].is_check() for ply in plies)
        return GAP in self.how(self.ply - 1) and not forced and not self.words.startswith("a new")

    def decision(self) -> int:
        """Return the ply up to which what is won is on the side's account."""
        worths = self.walk.worths[: self.end + 1]
        return next(ply for ply in range(self.ply, self.end + 1) if min(worths[ply:]) >= self.worth)


def _after(board: chess.Board, move: chess.Move) -> chess.Board:
    board = board.copy()
    board.push(move)
    return board


def _in(mate: int) -> str:
    return f" in {mate}" if mate > 1 else ""


def _mates(bad: _Walk, good: _Walk) -> Iterator[str]:
    """Yield sentences about mates that are missed or allowed."""
    if good.mate > 0:
        yield f"Misses mate{_in(good.mate)}{back_rank(good.boards[-1])}: {good.text(0, 1)}."
    if bad.mate > 0:
        yield f"Allows mate{_in(bad.mate)}{back_rank(bad.boards[-1])}: {bad.text(1, 2)}."


def _draws(bad: _Walk, good: _Walk) -> Iterator[str]:
    """Yield sentences about draws that are allowed or missed."""
    if good.score > Cp(LEVEL) and (how := bad.draw()):
        reply = bad.text(1, 2 if how == PERPETUAL else len(bad.moves))
        yield f"Lets {SIDES[bad.side]} draw by {how}: {reply}." if reply else f"Draws by {how}."
    if bad.score > Cp(LEVEL) and (how := good.draw()):
        yield f"Misses a draw by {how}: {good.text(0, 1)}."


def _material(bad: _Walk, good: _Walk, search: Search, evaluator: Evaluator) -> str:
    """Return what the move played loses or misses, whichever is more."""
    loss = good.points + bad.points
    lost, won = _forced(bad, 2, search, evaluator), _forced(good, 1, search, evaluator)
    taken = -bad.worths[bad.quiet_end(2, evaluator) or -1]  # by the move that was played
    missed = won.worth - max(0, taken) if won else 0
    if lost and lost.worth >= missed and _agrees(lost, lost.worth, loss, missed):
        return lost.sentence()
    if won and missed > 0 and 2 * missed >= won.worth and _agrees(won, missed, loss):
        return f"Misses {won.words}: {won.how(0)}."
    for verb, walk, ply in (("Allows", bad, 2), ("Misses", good, 1)):
        if (word := motif(walk.boards, walk.moves, ply)).startswith(ALONE):
            return f"{verb} {walk.text(ply - 1, ply)}, which {word}."
    return ""


def _forced(walk: _Walk, ply: int, search: Search, evaluator: Evaluator) -> _Gain | None:
    """Return what the side of a line wins by its move before `ply`, against each of the best answers; None: nothing."""
    is_possible = max(walk.worths[ply:], default=0) > 0 and not walk.boards[ply].is_game_over()
    if not is_possible or not (answers := search(walk.boards[ply], ANSWERS)):
        return None
    best = judge.win_percent(answers[0].score)
    gains = []
    for answer in answers:
        mate = (answer.score if walk.side else -answer.score).mate() or 0
        if mate <= 0 and abs(judge.win_percent(answer.score) - best) < judge.INACCURACY.loss:
            line = answer._replace(moves=(*walk.moves[:ply], *answer.moves))
            branches = (_walk(walk.boards[0], line, walk.side, search, least) for least in (SHORT, LAST))
            found = (_Gain(branch, ply, branch.quiet_end(ply + 1, evaluator)) for branch in branches)
            if not (gain := next((gain for gain in found if gain.worth > 0), None)):
                return None
            gains.append(gain)
    return min(gains, key=lambda gain: gain.worth, default=None)


def _agrees(gain: _Gain, worth: int, loss: int, other: int = 0) -> bool:
    """Return whether the gain is near, and the score falls as material of this worth makes it fall: not less and, for pawns, not much more.

    `other` is what the move misses besides.
    """
    if loss < LEAST_SHARE * worth or gain.is_far():
        return False
    end = gain.walk.boards[gain.end]
    return (
        worth >= PIECE
        or loss <= GREATEST_SHARE * (worth + max(0, other))
        or not end.occupied & ~(end.kings | end.pawns)
        or _passed(end, gain.walk.side) > _passed(gain.walk.boards[0], gain.walk.side)
    )


def _slip(bad: _Walk, good: _Walk, search: Search, evaluator: Evaluator) -> str:
    """Return the mate in a few moves that is given up, or the piece that can be taken at once or by the next move."""
    if (0 < good.mate <= SOON and bad.mate >= 0) or (0 < bad.mate <= SOON and good.mate >= 0):
        return next(_mates(bad, good))
    if bad.mate == good.mate == 0:
        lost = _forced(bad, 2, search, evaluator)
        if lost and lost.worth >= PIECE and lost.decision() <= FORCED and _agrees(lost, lost.worth, good.points + bad.points):
            return lost.sentence()
    return ""


def _words(walk: _Walk, end: int) -> str:
    """Return the pieces won up to a ply, in words. One pawn with a piece is left out."""
    gain = walk.gains[end]
    own = (move for at, move in zip(walk.boards, walk.moves[:end], strict=False) if at.turn == walk.side)
    if new := next((move.promotion for move in own if move.promotion and gain[move.promotion] > 0), None):
        return f"a new {chess.piece_name(new)}"
    count = {chess.piece_name(kind): number for kind, number in gain.items()}
    minors = count["bishop"] + count["knight"]
    if minors * count["rook"] == -1 and not count["queen"]:
        return "the exchange"
    if count["bishop"] * count["knight"] < 0:  # one for the other is an even trade
        count |= {"bishop": 0, "knight": 0, max("bishop", "knight", key=lambda name: abs(count[name])): minors}
    won, given = ({name: abs(number) for name, number in count.items() if number * sign > 0} for sign in (1, -1))
    for side in (won, given):
        if side.get("pawn") == 1 and set(won) != {"pawn"}:
            del side["pawn"]
    texts = (
        " and ".join(f"{COUNTS[number]} {name}{'s' if number > 1 else ''}" for name, number in side.items())
        for side in (won, given)
    )
    return " for ".join(filter(None, texts))


def _trade(bad: _Walk) -> str:
    """Return whether the pieces go, and a lost pawn ending remains."""
    pieces = [at.occupied & ~(at.kings | at.pawns) for at in bad.boards[: FORCED + 1]]
    bare = pieces.index(0) if 0 in pieces else 0
    return (
        f"Trades into a pawn ending that is lost: {bad.text(0 if bare == 1 else 1, bare)}." if bare and bad.points >= WON else ""
    )


def _passed(board: chess.Board, side: chess.Color) -> int:
    """Return the number of a side's passed pawns."""

    def is_free(pawn: chess.Square) -> bool:
        near = (
            other for other in board.pieces(chess.PAWN, not side) if abs(chess.square_file(other) - chess.square_file(pawn)) < 2
        )
        return not any(
            (chess.square_rank(other) > chess.square_rank(pawn)) == side
            for other in near
            if chess.square_rank(other) != chess.square_rank(pawn)
        )

    return sum(map(is_free, board.pieces(chess.PAWN, side)))
