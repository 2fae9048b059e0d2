# SPDX-License-Identifier: GPL-3.0-or-later
"""UCI_Elo: how weaker play comes about.

Two things make it weaker, both without waiting: the engine searches fewer nodes, so that it overlooks what lies deeper, and it
does not always play the best move it sees but one nearly as good in its eyes, the more so the lower the level (softmax choice:
probability falls with the loss in centipawns, https://en.wikipedia.org/wiki/Softmax_function). What would cost more than a few times the temperature is
never chosen, so a piece is left hanging only where the short search does not see it, and a mate in one is always seen.
"""

from __future__ import annotations

from math import exp, log2

from .chance import pick

# Elo, nodes of the search, temperature in centipawns. Nodes rise and temperature falls from row to row, so strength does not fall.
# The distances are those of games between neighbouring levels (bench/results.md); where the scale begins is a convention.
ANCHORS = (
    (500, 60, 112.0),
    (800, 160, 78.0),
    (1080, 400, 55.0),
    (1360, 1_500, 34.0),
    (1720, 6_000, 20.0),
    (2340, 30_000, 10.0),
    (2800, 150_000, 4.0),
)
SCAN_SHARE = 4  # a quarter of the nodes again goes into a look at every move
WORST = 3.0  # a move that loses more than so many temperatures is out of the question
SECOND_PLACE = 12  # centipawns that any move but the search's own is taken to lose, for the short look may flatter it


class Level:
    """How to play at some strength."""

    __slots__ = ("nodes", "temperature")

    def __init__(self, nodes: int, temperature: float) -> None:
        self.nodes = nodes
        self.temperature = temperature


def level(elo: int) -> Level:
    """The level of an Elo, between the anchors: nodes geometrically, temperature linearly."""
    low = high = ANCHORS[0]
    elo = min(max(elo, low[0]), ANCHORS[-1][0])
    for above in ANCHORS[1:]:
        high = above
        if elo <= above[0]:
            break
        low = above
    part = (elo - low[0]) / (high[0] - low[0])
    nodes = 2 ** (log2(low[1]) + part * (log2(high[1]) - log2(low[1])))
    return Level(round(nodes), low[2] + part * (high[2] - low[2]))


def choose(best: str, scores: dict[str, int], temperature: float, *seeds: int) -> str:
    """One of the moves in `scores` (centipawns by a short look at each); `best` is the choice of the longer search."""
    top = max(scores.values())
    moves, weights = [], []
    for move, score in scores.items():
        loss = 0 if move == best else top - score + SECOND_PLACE
        moves.append(move)
        weights.append(exp(-loss / temperature) if loss <= WORST * temperature else 0.0)
    return moves[pick(weights, *seeds)]
