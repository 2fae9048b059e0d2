# SPDX-License-Identifier: GPL-3.0-or-later
"""What a hand-in is tried on: random trees and small games, small ones first, with right values and moves."""

import random
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from .chance import expectimax
from .game import CHANCE, Game
from .games.coins import CoinRow
from .games.dice import Dice
from .games.halving import Halving
from .games.tictactoe import TicTacToe
from .multiplayer import max_n
from .trace import Traced

FUNCTIONS = ("minimax", "alpha_beta", "expectimax", "max_n", "best_move")
TREES, PLAYERS = 240, 3  # random trees of a function; players of max_n
LEAVES = (range(-9, 10), range(-3, 4), range(3), range(-90, -60), range(40, 70), range(-5000, 5000))
BOARDS = ("xo.xo....", "x.o.xo...", "xoxo.....", "xo.ox.x.o", "xxo.o.x.o", "..xoxo...")  # x moves


class Case(NamedTuple):
    """A game, as nested lists if it is a tree, its value for player 0 (max_n: for each), and best moves."""

    name: str
    game: Any
    tree: Any
    value: Any
    moves: list[Any]
    order: Sequence[int] | None = None


def cases(function: str, form: str) -> list[Case]:
    """Return the cases for a function in the form `tree` or `game`."""
    order = {"expectimax": (0, CHANCE), "max_n": None}.get(function, (0, 1))
    trees = sorted(_trees(function == "max_n"), key=lambda tree: len(Traced(tree).nodes))
    solved = [_solved(str(tree), Traced(tree, order), tree, order) for tree in trees]
    return solved if form == "tree" else [*solved, *(_solved(name, game) for name, game in _games(function))]


def _trees(vectors: bool) -> Iterator[Any]:
    source = random.Random(78)
    for index in range(TREES):
        tree = _tree(source, 1 + index % 6, LEAVES[index // 6 % len(LEAVES)], is_root=True)
        yield _with_vectors(tree, source) if vectors else tree


def _tree(source: random.Random, depth: int, leaves: range, *, is_root: bool = False) -> Any:
    if depth == 0 or (not is_root and source.random() < 0.12):
        return source.choice(leaves)
    return [_tree(source, depth - 1, leaves) for _ in range(source.choice((1, 2, 2, 3, 3)))]


def _with_vectors(tree: Any, source: random.Random) -> Any:
    """Put vectors at the leaves in which no player has a number twice: one move is best everywhere."""
    count = len(Traced(tree).leaves)
    vectors = list(zip(*(source.sample(range(-count, count), count) for _ in range(PLAYERS)), strict=True))

    def filled(node: Any) -> Any:
        return [filled(child) for child in node] if isinstance(node, list) else vectors.pop()

    return filled(tree)


def _games(function: str) -> Iterator[tuple[str, Game[Any, Any]]]:
    if function == "max_n":
        yield "coins 1 5 2 4", CoinRow((1, 5, 2, 4))
    elif function == "expectimax":
        yield from ((f"dice with {faces} faces, limit {faces}", Dice(faces, faces)) for faces in (2, 3, 4))
    else:
        yield from ((f"halving from {number}", Halving(number)) for number in range(1, 12))
        yield from ((f"tic-tac-toe from {board}", TicTacToe(board)) for board in BOARDS)


def _solved(name: str, game: Any, tree: Any = None, order: Sequence[int] | None = None) -> Case:
    def value(state: Any) -> Any:
        return max_n(game, state, game.players).values if players else expectimax(game, state, odds, 0).value

    odds: Any = getattr(game, "odds", None)
    players = getattr(game, "players", 0)
    values = {move: value(game.result(game.initial(), move)) for move in game.actions(game.initial())}
    own = {move: each[0] if players else each for move, each in values.items()}
    moves = [move for move in own if own[move] == max(own.values())]
    if tree:
        game.read.clear()
    return Case(name, game, tree, values[moves[0]], moves, order)
