# SPDX-License-Identifier: GPL-3.0-or-later
"""Games of our own engine against itself inside this process: where they start, their scores, and how they end."""

import random

from chess.engine import Cp, Mate, Score

from ...core.engine import Position, SearchResult
from .adjudication import UNFINISHED, by_score
from .openings import Opening
from .rules import Rules


def start_position(opening: Opening, random_plies: int, rng: random.Random) -> Position:
    """The opening and some random moves, so that no two games are the same; never a position where the game is over."""
    book = Position(opening.fen, chess960=opening.chess960)
    for move in opening.moves.split():
        book.make(move)
    while True:
        position = book.copy()
        for _ in range(rng.randint(0, random_plies)):
            if position.result() == UNFINISHED:
                position.make(rng.choice(position.legal_moves()))
        if position.result() == UNFINISHED:
            return position


def result_so_far(position: Position, scores: list[Score], rules: Rules) -> str:
    """How the game has ended, by the rules of chess or by adjudication."""
    result = position.result()
    if result == UNFINISHED:
        ending = by_score(len(scores) // 2 + 1, scores, rules)
        return ending.result if ending else UNFINISHED
    return result


def white_score(position: Position, result: SearchResult) -> Score:
    """The score of a search, from White's side."""
    assert result.info is not None, "a position that goes on has a move, and a search of it a score"
    score = Mate(result.info.mate_in) if result.info.is_mate else Cp(result.info.score_cp)
    return score if position.stm == "w" else -score
