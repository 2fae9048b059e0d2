# SPDX-License-Identifier: GPL-3.0-or-later
"""One game between two engines that differ in their tunables alone. Depends only on the settings and the game."""

import random
from collections.abc import Mapping
from typing import NamedTuple

from ..common.adjudication import BLACK_WINS, DRAW, WHITE_WINS
from ..common.openings import Opening
from ..common.own_game import OwnGames

WHITE_SCORE = {WHITE_WINS: 1, DRAW: 0, BLACK_WINS: -1}


class PairGame(NamedTuple):
    """One of the two games of a pair: the one with an even number has `plus` as White, the odd one `minus`."""

    number: int
    opening: Opening
    plus: Mapping[str, int]
    minus: Mapping[str, int]


def play(settings: OwnGames, game: PairGame) -> int:
    """Play a game to its end: 1 if `plus` won, -1 if it lost, 0 for a draw."""
    pair, reversed_colours = divmod(game.number, 2)
    sides = (game.minus, game.plus) if reversed_colours else (game.plus, game.minus)
    position = settings.start(game.opening, random.Random(f"{settings.seed} {pair}"))
    result = settings.play([settings.engine(side) for side in sides], position, settings.rules)
    return -WHITE_SCORE[result] if reversed_colours else WHITE_SCORE[result]
