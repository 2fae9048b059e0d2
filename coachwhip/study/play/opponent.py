# SPDX-License-Identifier: GPL-3.0-or-later
"""The engine as the person's opponent: its moves, hints, threats, and what it says to a draw.

What changes the game stops the search for the position before, and a search waits for the one before it.
"""

import threading
from functools import partial

import chess
from chess.engine import Limit, SimpleEngine

from ...coach import verdict
from ...coach.analyst import for_engine, lines_of
from ...coach.claims import Role, passed
from ...coach.line import Line
from ...coach.words import sentence
from ...games.adjudication import MATE_SCORE
from .game import Game

HINT = Limit(nodes=200_000, time=1)  # of the search of `hint`, at full strength
THREAT = 100  # centipawns that a pass would cost, from which on the other side threatens something
DRAW_FROM = 30  # number of the move from which on the engine accepts a draw
DRAW_SCORE = 20  # centipawns: it does if neither side is ahead by more in the search of `hint`


class Opponent:
    """Plays one side of a game. Nobody else may use the engine; every call waits for it."""

    def __init__(self, engine: SimpleEngine, game: Game) -> None:
        self._engine, self._game = engine, game
        self._lock = threading.Lock()  # held during a search; taken before `game.changed`

    def answer(self) -> str | None:
        """Think and move.

        Return the move in SAN, None if the game changes or ends meanwhile, or the engine is not to move.
        Raises EngineTerminatedError if the engine is closed.
        """
        game = self._game
        with self._lock:
            with game.changed:
                if not game.is_engine_to_move:
                    return None
                changes, board = game.changes, for_engine(game.board)
                # With the book, at the chosen strength.
                options = {"UCI_AnalyseMode": False} | (
                    {"UCI_LimitStrength": True, "UCI_Elo": elo} if (elo := game.setup.elo) else {}
                )
                search = game.search = self._engine.analysis(
                    board, self._limit(), game=game.tree, options=options
                )
            move = search.wait().move
            with game.changed:
                board = game.node.board()
                return board.san(move) if move and changes == game.changes and game.make(move) else None

    def _limit(self) -> Limit:
        """Return the time for the next move."""
        game, control = self._game, self._game.setup.control
        if not game.has_clock:
            return Limit(time=control.time)
        white, black = game.clock(chess.WHITE), game.clock(chess.BLACK)
        return Limit(
            white_clock=white, black_clock=black, white_inc=control.increment, black_inc=control.increment
        )

    def threat(self) -> tuple[chess.Board, Line | None, str] | None:
        """Return the position after a pass, what the other side threatens there, and words for it.

        There is no line if that is nothing. None if it is not the person's turn, or no longer.
        """
        game = self._game
        changes, board = game.changes, game.node.board()
        passed, side = _passed(board), chess.COLOR_NAMES[not board.turn].capitalize()
        if board.is_check():
            return passed, None, "You are in check."
        if not any(passed.legal_moves):
            return passed, None, f"{side} would have no move if you passed: stalemate."
        search = partial(self._lines, changes)
        best, threats = search(board, 1), search(passed, 1)
        if not best or not threats or changes != game.changes:
            return None
        gain = threats[0].score.score(mate_score=MATE_SCORE) - best[0].score.score(mate_score=MATE_SCORE)
        if (gain if passed.turn else -gain) < THREAT:
            return passed, None, f"{side} threatens nothing."
        claim = verdict.about(passed, threats[0], None)
        why = sentence(claim, passed) if claim else ""
        move = passed.variation_san(threats[0].moves[:1]).replace(". ", ".")
        return passed, threats[0], f"{side} threatens {move}. {why}".rstrip()

    def hint(self) -> tuple[chess.Board, Line, str] | None:
        """Return the position, the best line at full strength, and a sentence with the move.

        The sentence says why the move is good, if that is sure. None if it is not the person's turn, or no
        longer.
        """
        game = self._game
        changes, board = game.changes, game.node.board()
        search = partial(self._lines, changes)
        if not (lines := search(board, 1)):
            return None
        (best,), threats = lines, () if board.is_check() else search(_passed(board), 1)
        claim = verdict.about(board, best, threats[0] if threats else None)
        why, move = sentence(claim, board) if claim else "", f"Perhaps {board.san(best.moves[0])}."
        words = f"{why} {move}" if claim and claim.role is Role.THREATENS else f"{move} {why}".strip()
        return (board, best, words) if changes == game.changes else None

    def offer_draw(self) -> bool:
        """Answer an offer on the person's turn; return whether the engine accepts, which ends the game."""
        game = self._game
        changes = game.changes
        if game.board.fullmove_number < DRAW_FROM or not (lines := self._lines(changes, game.board, 1)):
            return False
        return abs(lines[0].score.score(mate_score=MATE_SCORE)) <= DRAW_SCORE and game.agree(changes)

    def _lines(self, changes: int, board: chess.Board, count: int) -> tuple[Line, ...]:
        """Return the best lines of a board, their scores from White's side.

        There are none if the game has changed, or it is not the person's turn.
        """
        game = self._game
        with self._lock:
            with game.changed:
                if changes != game.changes or game.ending or game.is_engine_to_move:
                    return ()
                # In no game, so the engine forgets it before the next move.
                search = game.search = self._engine.analysis(for_engine(board), HINT, multipv=count)
            search.wait()
        lines = lines_of(search.multipv)
        return lines if changes == game.changes and lines and lines[0].moves else ()


def _passed(board: chess.Board) -> chess.Board:
    """Return the board, which has no check, with the other side to move and without its history."""
    return passed(board).copy(stack=False)
