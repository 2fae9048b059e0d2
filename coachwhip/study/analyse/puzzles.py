# SPDX-License-Identifier: GPL-3.0-or-later
"""Puzzles from analysed games: positions at a mistake in which one move is much better than all others."""

from collections.abc import Iterator
from typing import Any

import chess
from chess.engine import Limit, SimpleEngine

from ...coach import judge
from ...coach.analyst import lines_of
from ...coach.study import AnalysedGame, title
from ...text import printable

MUCH_BETTER = judge.BLUNDER.loss  # percent points of winning chances between the two best moves
SOURCES = (judge.MISTAKE, judge.BLUNDER)


def puzzles(study: AnalysedGame, engine: SimpleEngine, limit: Limit) -> Iterator[str]:
    """Yield lines of EPD: where a player missed the only good move, and where the mistake can be punished.

    The two best moves decide whether there is only one.
    """
    searched = set()
    for move in study.judged_moves():
        judgement = move.judgement
        if judgement is None or judgement not in SOURCES:
            continue
        for index in (move.at, move.at + 1):
            board = study.boards[index]
            if index in searched or board.legal_moves.count() < 2:
                continue
            searched.add(index)
            analysis = study.analyses[index]
            lines = (analysis and analysis.choices) or lines_of(
                engine.analyse(board, limit, multipv=2, game=study)
            )
            chances = [judge.win_percent(line.score) for line in lines[:2]]
            if len(chances) > 1 and abs(chances[0] - chances[1]) >= MUCH_BETTER:
                mistake = study.boards[move.at].variation_san([move.move])
                yield _line(
                    board, lines[0].moves[0], title(study.game), f"{study.label}: {mistake}{judgement.sign}"
                )


def _line(board: chess.Board, best: chess.Move, players: str, place: str) -> str:
    """Return a position as EPD, with its answer (bm), a name (id), and the mistake in the game (c0)."""
    name = f"{players}, {board.fullmove_number}{'.' if board.turn else '...'}"
    words: dict[str, Any] = {
        key: printable(text).replace('"', "'") for key, text in (("id", name), ("c0", place))
    }
    return board.epd(
        shredder=board.chess960, bm=[best], **words, hmvc=board.halfmove_clock, fmvn=board.fullmove_number
    )
