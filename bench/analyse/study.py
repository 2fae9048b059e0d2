# SPDX-License-Identifier: GPL-3.0-or-later
"""The analysis of one game: the engine's scores of every position of the main line, and the judgements of the moves.

All scores here are from White's side. Positions are analysed from the last to the first, so that the transposition table already
knows what follows a move when the position before it is analysed.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import NamedTuple

import chess
import chess.pgn
from chess.engine import InfoDict, Limit, Score, SimpleEngine

from . import judge


class Line(NamedTuple):
    """A line of play and its score."""

    score: Score
    moves: tuple[chess.Move, ...]


class Look(NamedTuple):
    """The engine's analysis of a position: its lines, the best first, and the search depth."""

    lines: tuple[Line, ...]
    depth: int

    @property
    def score(self) -> Score:
        """The score of the best line."""
        return self.lines[0].score


class Step(NamedTuple):
    """A move of the game and its judgement."""

    at: int  # index of the move, 0 for the first
    san: str
    move: chess.Move
    white: bool
    before: Look
    after: Look
    loss_cp: int
    loss: float  # percent points of winning chances
    accuracy: float
    judgement: judge.Judgement | None


class Side(NamedTuple):
    """The results of one player; `accuracy` and `loss_cp` (the mean loss) are None if no move was judged."""

    name: str
    moves: int
    accuracy: float | None
    loss_cp: float | None
    counts: dict[str, int]  # judgement -> how often

    def cells(self) -> list[str]:
        """Accuracy, average loss and counts for a table."""
        accuracy = "-" if self.accuracy is None else f"{self.accuracy:.1f} %"
        loss = "-" if self.loss_cp is None else f"{self.loss_cp:.0f}"
        return [accuracy, loss, *map(str, self.counts.values())]


class Study:
    """A game and its analysis. A game of an unknown variant, or whose start cannot be read, has no positions."""

    def __init__(self, game: chess.pgn.Game, label: str) -> None:
        self.game = game
        self.label = label
        self.nodes = list(game.mainline())
        self.boards: list[chess.Board] = []  # without move stacks, which would take many times the memory
        with suppress(ValueError):
            self.boards.append(game.board())
        for node in self.nodes:
            board = self.boards[-1].copy(stack=False)
            board.push(node.move)
            board.clear_stack()
            self.boards.append(board)
        self.looks: list[Look | None] = [None] * len(self.boards)

    @property
    def complete(self) -> bool:
        """Whether every position has been analysed."""
        return None not in self.looks

    def look(self, engine: SimpleEngine, limit: Limit, multipv: int, advance: Callable[[], None]) -> None:
        """Let the engine analyse every position. The results so far are kept if an exception or Ctrl-C ends it.

        Raises ValueError if the engine does not play this variant or does not accept a position.
        """
        if not self.boards:
            return
        board = self.game.end().board()
        if board.uci_variant != "chess":
            raise ValueError(f"coachwhip plays standard chess and Chess960, not {board.uci_variant}")
        for index in range(len(self.nodes), -1, -1):
            known = board if all(board.move_stack) else self.boards[index]  # UCI has no null moves
            infos = engine.analyse(known, limit, multipv=multipv, game=self)
            if "score" not in infos[0]:
                raise ValueError(infos[0].get("string", "the engine gave no score"))
            self.looks[index] = Look(tuple(_line(info) for info in infos), infos[0]["depth"])
            advance()
            if index:
                board.pop()

    def steps(self) -> Iterator[Step]:
        """The moves for which the positions before and after have been analysed."""
        for index, node in enumerate(self.nodes):
            before, after = self.looks[index], self.looks[index + 1]
            if before and after:
                board = self.boards[index]
                yield _step(index, board.san(node.move), node.move, board.turn, before, after)

    def sides(self) -> tuple[Side, Side]:
        """The results of White and of Black."""
        steps = list(self.steps())
        first = steps[0].at if steps else 0
        percents = [judge.win_percent(look.score) for look in self.looks[first:] if look]
        weights = judge.weights(percents)
        white = _side(self.game.headers.get("White", "?"), [pair for pair in zip(steps, weights, strict=True) if pair[0].white])
        black = _side(
            self.game.headers.get("Black", "?"), [pair for pair in zip(steps, weights, strict=True) if not pair[0].white]
        )
        return white, black


def _line(info: InfoDict) -> Line:
    return Line(info["score"].white(), tuple(info.get("pv", ())))


def _step(index: int, san: str, move: chess.Move, white: bool, before: Look, after: Look) -> Step:
    sign = 1 if white else -1
    best = bool(before.lines[0].moves) and before.lines[0].moves[0] == move  # then the scores differ only by the search depth
    drop = sign * (judge.win_percent(before.score) - judge.win_percent(after.score))
    loss = 0.0 if best else max(0.0, drop)
    loss_cp = 0 if best else max(0, sign * (judge.centipawns(before.score) - judge.centipawns(after.score)))
    return Step(index, san, move, white, before, after, loss_cp, loss, judge.move_accuracy(drop), judge.judge(loss))


def _side(name: str, steps: Sequence[tuple[Step, float]]) -> Side:
    counts = {each.name: sum(step.judgement is each for step, _ in steps) for each in judge.JUDGEMENTS}
    accuracy = judge.accuracy([step.accuracy for step, _ in steps], [weight for _, weight in steps])
    loss = sum(step.loss_cp for step, _ in steps) / len(steps) if steps else None
    return Side(name, len(steps), accuracy, loss, counts)


def score_text(score: Score) -> str:
    """White's score as text: `+0.31`, `0.00`, `#3`, `#-2`; `mate` if the position is checkmate."""
    mate = score.mate()
    if mate is not None:
        return f"#{mate}" if mate else "mate"
    value = score.score()
    return f"{value / 100:+.2f}" if value else "0.00"
