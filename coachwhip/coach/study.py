# SPDX-License-Identifier: GPL-3.0-or-later
"""A game and its analysis: the scores of all positions of the main line, and the judgements of the moves.

All scores here are from White's side.
"""

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cached_property
from typing import Any, NamedTuple

import chess
import chess.pgn
from chess.engine import PovScore, Score

from ..boards import Position
from ..cli.journal import part
from ..games.adjudication import MATE_SCORE, parse_score
from ..games.opening_names import known_moves, opening
from ..text import reason, shorten
from ..uci.parse import MAX_NAMED
from . import claims, judge, words
from .claims import Claim
from .line import Line

LINE_PLIES = 10  # of a line that is shown; later moves of an engine's line are unreliable
SLIP = 180  # centipawns that a move without a mark loses at least to get a reason
OUR_REASON = re.compile(r" ?\(coachwhip: [^()]*\)")  # in a comment
MOVE_NAGS = frozenset(range(1, 7))  # ! ? !! ?? !? ?!


class Analysis(NamedTuple):
    """The engine's analysis of a position: its lines, the best first, and the search depth."""

    lines: tuple[Line, ...]
    depth: int
    # Where the game goes on with a bad move: the lines of all good moves, and one that is not good.
    choices: tuple[Line, ...] = ()
    claims: tuple[Claim, ...] = ()  # why the move played is bad; none if nothing is sure
    first: Score | None = None  # of the first look, if there was a second one

    @property
    def score(self) -> Score:
        """The score of the best line."""
        return self.lines[0].score


class JudgedMove(NamedTuple):
    """A move of the game and its judgement."""

    at: int  # index of the move, 0 for the first
    san: str
    move: chess.Move
    white: bool
    before: Analysis
    after: Analysis
    loss_cp: int
    loss: float  # percent points of winning chances
    accuracy: float
    judgement: judge.Judgement | None

    @property
    def is_slip(self) -> bool:
        """Whether it loses much in centipawns, as it may in a decided game without a judgement."""
        before, after = (
            look.score.score(mate_score=MATE_SCORE) * (1 if self.white else -1)
            for look in (self.before, self.after)
        )
        return before - after >= SLIP and self.before.lines[0].moves[:1] != (self.move,)

    def better_lines(self) -> list[Line]:
        """Return the lines of the position before the move that score better for its player than the move."""
        others = [line for line in self.before.lines if line.moves and line.moves[0] != self.move]
        return [
            line
            for line in others
            if (line.score > self.after.score if self.white else line.score < self.after.score)
        ]


class AnalysedGame:
    """A game and its analysis.

    A game of an unknown variant, or whose start cannot be read, has no positions.
    """

    def __init__(self, game: chess.pgn.Game, label: str, *, is_judged: bool = True) -> None:
        """`is_judged` False: the scores are the players' own, so no move is judged."""
        self.game = game
        self.label = label
        self.colours = tuple(chess.COLORS) if is_judged else ()  # whose moves are judged
        self.nodes = list(game.mainline())
        self.boards: list[chess.Board] = []  # without move stacks, which would take many times the memory
        with suppress(ValueError):
            self.boards.append(game.board())
        for node in self.nodes:
            board = self.boards[-1].copy(stack=False)
            board.push(node.move)
            board.clear_stack()
            self.boards.append(board)
        self.analyses: list[Analysis | None] = [None] * len(self.boards)

    @property
    def fault(self) -> str:
        """Return what could not be read, "" if all could."""
        faults = "; ".join(map(reason, self.game.errors[:MAX_NAMED]))
        return faults and f"{self.label}: {faults}"

    @property
    def complete(self) -> bool:
        """Return whether every position has been analysed.

        A game that is not judged needs no score of its opening.
        """
        return not self.colours or None not in self.analyses

    @cached_property
    def book(self) -> int:
        """The number of moves that belong to an opening with a name; none of them is an inaccuracy."""
        return known_moves(self.boards)

    def is_marked(self, index: int) -> bool:
        """Return whether the move with this index gets a sign."""
        move = self.judged_move(index)
        return bool(move and move.judgement)

    def reason(self, index: int) -> str:
        """Return why the move with this index is bad, in one or two sentences; "" if nothing is sure."""
        before = self.analyses[index]
        return words.reason(before.claims, self.boards[index]) if before else ""

    def to_json(self) -> list[Any]:
        """Return the analysis of a game as plain data, for a journal."""

        def plain(lines: Iterable[Line]) -> list[list[str]]:
            return [[str(line.score), *map(chess.Move.uci, line.moves)] for line in lines]

        return [
            [
                analysis.depth,
                plain(analysis.lines),
                plain(analysis.choices),
                [*map(claims.plain, analysis.claims)],
                analysis.first and str(analysis.first),
            ]
            for analysis in filter(None, self.analyses)
        ]

    def load(self, data: list[Any]) -> None:
        """Take the analysis from what `to_json` returned for this game.

        Raises ValueError, LookupError, TypeError, AttributeError for another.
        """

        def read(lines: list[list[str]], board: chess.Board) -> tuple[Line, ...]:
            for _, *moves in lines:
                position = Position.from_board(board)
                for move in moves:
                    position.make(move)
            return tuple(
                Line(parse_score(score), tuple(map(chess.Move.from_uci, moves))) for score, *moves in lines
            )

        analyses: list[Analysis | None] = []
        for board, (depth, lines, choices, known, first) in zip(self.boards, data, strict=True):
            if not lines:
                raise ValueError("a position without a line")
            found = tuple(map(claims.from_plain, known))
            words.reason(found, board)  # each can be said
            score = parse_score(first) if first else None
            analyses.append(
                Analysis(read(lines, board), part(depth, int), read(choices, board), found, score)
            )
        self.analyses = analyses

    def judged_moves(self) -> Iterator[JudgedMove]:
        """Return the moves for which the positions before and after have been analysed.

        A player who is not judged has none.
        """
        return filter(None, map(self.judged_move, range(len(self.nodes))))

    def judged_move(self, index: int) -> JudgedMove | None:
        """Return the move with this index; None unless it can be judged."""
        board, before = self.boards[index], self.analyses[index]
        after = self.analyses[index + 1] if index < len(self.nodes) else None
        if not before or not after or board.turn not in self.colours:
            return None
        move, sign = self.nodes[index].move, 1 if board.turn else -1
        chances = [judge.win_percent(look.score) for look in (before, after)]
        first = [judge.win_percent(look.first or look.score) for look in (before, after)]
        drop = sign * (chances[0] - chances[1])
        best = before.lines[0].moves[:1] == (move,)  # then the scores differ only by the search depth
        loss = 0.0 if best else max(0.0, min(drop, sign * (first[0] - first[1])))  # both looks must agree
        loss_cp = (
            0 if best else max(0, sign * (judge.centipawns(before.score) - judge.centipawns(after.score)))
        )
        is_decided = min(chances) > judge.DECIDED or max(chances) < 100 - judge.DECIDED
        judged = judge.move_accuracy(drop), None if is_decided else judge.judge(loss)
        if index < self.book and judged[1] is judge.INACCURACY:
            judged = judged[0], None
        return JudgedMove(index, board.san(move), move, board.turn, before, after, loss_cp, loss, *judged)

    def annotate(self, annotator: str) -> None:
        """Write the results so far into the game; a second call changes nothing.

        Every move gets `[%eval ...]`, as Lichess and GUIs read it, bad moves a NAG, the reason, and the
        better lines as variations. The game keeps its variations and comments, except our earlier reasons; a
        move that a human annotator has judged keeps that judgement and gets no other.
        """
        for node, analysis in zip(self.nodes, self.analyses[1:], strict=True):
            if analysis:
                node.set_eval(PovScore(analysis.score, chess.WHITE))
        for move in self.judged_moves():
            node = self.nodes[move.at]
            comment = OUR_REASON.sub("", node.comment)
            why = self.reason(move.at)
            node.comment = f"{comment} (coachwhip: {why})".strip() if why else comment
            if move.judgement:
                if not MOVE_NAGS & node.nags:
                    node.nags.add(move.judgement.nag)
                for line in move.better_lines():
                    if not node.parent.has_variation(line.moves[0]):
                        node.parent.add_line(line.moves[:LINE_PLIES])
                        node.parent.variation(line.moves[0]).set_eval(PovScore(line.score, chess.WHITE))
        if any(self.analyses):
            self.game.headers.setdefault("Annotator", annotator)
            self.name_opening()

    def name_opening(self) -> None:
        """Add the tags ECO and Opening to a game without them, if the opening has a name."""
        if not self.game.headers.get("Opening", "").strip("?. -") and (names := opening(self.boards)):
            code, name = names
            if not self.game.headers.get("ECO", "").strip("?. -"):
                self.game.headers["ECO"] = code
            self.game.headers["Opening"] = name


def colours_of(name: str, game: chess.pgn.Game) -> tuple[chess.Color, ...]:
    """Return which players of a game have all words of `name` in their names, in any order and case."""
    words = {*re.findall(r"\w+", name.casefold())}
    names = {colour: {*re.findall(r"\w+", player_of(game, colour).casefold())} for colour in chess.COLORS}
    return tuple(colour for colour in chess.COLORS if words and words <= names[colour])


def player_of(game: chess.pgn.Game, colour: chess.Color) -> str:
    """Return the name of a player, "?" if the game does not give it."""
    return game.headers.get("White" if colour else "Black", "?")


def title(game: chess.pgn.Game) -> str:
    """Return the players of a game, shortened and printable."""
    return " - ".join(shorten(game.headers.get(colour, "?")) for colour in ("White", "Black"))


def score_text(score: Score) -> str:
    """Return White's score as text: `+0.31`, `0.00`, `#3`, `#-2`; `mate` if the position is checkmate."""
    mate = score.mate()
    if mate is not None:
        return f"#{mate}" if mate else "mate"
    value = score.score()
    return f"{value / 100:+.2f}" if value else "0.00"
