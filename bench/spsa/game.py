# SPDX-License-Identifier: GPL-3.0-or-later
"""One game between two engines that differ in their tunables alone. Depends only on the settings and the game."""

import random
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from ...core.engine import Engine
from ..common.adjudication import BLACK_WINS, DRAW, UNFINISHED, WHITE_WINS
from ..common.openings import Opening
from ..common.own_game import result_so_far, start_position, white_score
from ..common.rules import Rules

if TYPE_CHECKING:
    from chess.engine import Score

WHITE_SCORE = {WHITE_WINS: 1, DRAW: 0, BLACK_WINS: -1}


class SpsaSettings(NamedTuple):
    """What every game has in common."""

    weights: tuple[int, ...]
    nodes: int  # a move
    hash_mb: int
    seed: int
    random_plies: int  # at most so many random moves follow the opening
    rules: Rules
    network: bytes | None = None
    tunables: tuple[tuple[str, int], ...] = ()  # what both sides have, in addition to what is tuned


class PairGame(NamedTuple):
    """One of the two games of a pair: the one with an even number has `plus` as White, the odd one `minus`."""

    number: int
    opening: Opening
    plus: Mapping[str, int]
    minus: Mapping[str, int]


def play(settings: SpsaSettings, game: PairGame) -> int:
    """Play a game to its end: 1 if `plus` won, -1 if it lost, 0 for a draw."""
    pair, reversed_colours = divmod(game.number, 2)
    engines = [
        Engine(settings.weights, settings.hash_mb, tunables={**dict(settings.tunables), **values}, network=settings.network)
        for values in (game.plus, game.minus)
    ]
    if reversed_colours:
        engines.reverse()
    position = start_position(game.opening, settings.random_plies, random.Random(f"{settings.seed} {pair}"))
    scores: list[Score] = []
    while (result := result_so_far(position, scores, settings.rules)) == UNFINISHED:
        engine = engines[position.stm == "b"]
        engine.prepare()
        searched = engine.search(position, soft_nodes=settings.nodes)
        scores.append(white_score(position, searched))
        position.make(searched.bestmove)
    return -WHITE_SCORE[result] if reversed_colours else WHITE_SCORE[result]
