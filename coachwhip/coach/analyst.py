# SPDX-License-Identifier: GPL-3.0-or-later
"""Drives the engine: a first look at every position of a game, a second at bad moves, then their claims.

Positions are analysed from the last to the first, so that the transposition table already knows the position
after a move when the one before it is analysed.
"""

from collections.abc import Callable, Iterator, Sequence

import chess
from chess.engine import Cp, InfoDict, Limit, SimpleEngine

from . import judge, verdict
from .line import Line
from .study import AnalysedGame, Analysis

CHOICES = 3  # best moves that the second look finds before a bad move; more follow while the last one is good
# Time and nodes of the second look are LONGER times the first one's, its depth is DEEPER plies more.
LONGER, DEEPER = 4, 2


class Analyst:
    """An engine with the limit of its first look, and the number of lines that are kept."""

    def __init__(self, engine: SimpleEngine, limit: Limit, multipv: int = 1) -> None:
        self._engine, self._limit, self._multipv = engine, limit, multipv

    def analyse(
        self,
        game: AnalysedGame,
        advance: Callable[[], object] = lambda: None,
        *,
        explains: bool = True,
        first: int = 0,
    ) -> None:
        """Analyse every position. The results so far are kept if an exception or Ctrl-C ends it.

        `advance` is called for each. With `explains`, bad moves get claims, and the positions before them are
        searched for the best moves. `first` is the index of the first position. Raises ValueError if the
        engine does not play this variant, EngineError if it does not accept a position.
        """
        if not game.boards:
            return
        if (variant := game.boards[0].uci_variant) != "chess":
            raise ValueError(f"coachwhip plays standard chess and Chess960, not {variant}")
        for index, board in _positions(game, first):
            lines, depth = self._look(game, board, self._limit, self._multipv)
            game.analyses[index] = Analysis(lines, depth)
            if not (explains and game.is_marked(index)):
                advance()
        if explains:
            marked = set(filter(game.is_marked, range(len(game.nodes))))
            self._look_again(game, marked, first)
            for index, board in _positions(game, first):
                self._explain(game, index, board)
                if index in marked:
                    advance()

    def _look(
        self, game: AnalysedGame, board: chess.Board, limit: Limit, count: int
    ) -> tuple[tuple[Line, ...], int]:
        """Return the best lines of a board, and the depth of the search."""
        infos = self._engine.analyse(board, limit, multipv=count, game=game)
        return lines_of(infos), infos[0]["depth"]

    def _look_again(self, game: AnalysedGame, marked: set[int], first: int) -> None:
        """Search the positions around marked moves for longer, and those before them for the best moves."""
        limit = _longer(self._limit)
        for index, board in _positions(game, first):
            if index in marked or index - 1 in marked:
                count = max(self._multipv, CHOICES if index in marked else 1)
                lines, depth = self._look(game, board, limit, count)
                known = game.analyses[index]
                score = known and known.score
                game.analyses[index] = Analysis(
                    lines[: self._multipv], depth, lines if index in marked else (), first=score
                )

    def _explain(self, game: AnalysedGame, index: int, board: chess.Board) -> None:
        """Give a bad move its claims, and the position before it all good moves."""
        move, before = game.judged_move(index), game.analyses[index]
        if not move or not before or not (move.judgement or move.is_slip):
            game.analyses[index] = before and before._replace(choices=())
            return
        reply, is_marked = move.after.lines[0], bool(move.judgement)
        played = reply._replace(moves=(move.move, *reply.moves))
        claims = verdict.against(board, played, before.lines[0], judgement=move.judgement)
        if claims is None:  # the engine's score is too high
            drawn = tuple(line._replace(score=Cp(0)) for line in before.lines)
            game.analyses[index] = before._replace(lines=drawn, choices=())
            return
        choices = self._all_good(game, board, before.choices or before.lines) if is_marked else ()
        game.analyses[index] = before._replace(choices=choices, claims=claims)

    def _all_good(self, game: AnalysedGame, board: chess.Board, lines: tuple[Line, ...]) -> tuple[Line, ...]:
        """Return the lines of all good moves, the best being known, and of one other, if there is one."""
        loss = abs(judge.win_percent(lines[0].score) - judge.win_percent(lines[-1].score))
        if loss >= judge.GOOD or len(lines) == board.legal_moves.count():
            return lines
        return self._all_good(game, board, self._look(game, board, self._limit, 2 * len(lines))[0])


def _positions(game: AnalysedGame, first: int) -> Iterator[tuple[int, chess.Board]]:
    """Yield the positions with their history, as the engine takes it, from the last to the first."""
    board = game.game.end().board()
    for index in range(len(game.nodes), first - 1, -1):
        yield index, for_engine(board)
        if index:
            board.pop()


def for_engine(board: chess.Board) -> chess.Board:
    """Return the board, without its history if that has null moves, which UCI does not."""
    return board if all(board.move_stack) else board.copy(stack=False)


def lines_of(infos: Sequence[InfoDict]) -> tuple[Line, ...]:
    """Return the lines of python-chess's `analyse` with `multipv`."""
    return tuple(Line(info["score"].white(), tuple(info.get("pv", ()))) for info in infos)


def _longer(limit: Limit) -> Limit:
    """Return the limit of the second look."""
    more = {name: value * LONGER for name in ("time", "nodes") if (value := getattr(limit, name))}
    return Limit(**more, depth=limit.depth and limit.depth + DEEPER)
