# SPDX-License-Identifier: GPL-3.0-or-later
"""`coachwhip reference`: prints a table of small games and algorithms, with the number of nodes that each one visits."""

import argparse
import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import chess

from ...cli.command import Parser, whole_number
from ...cli.table import plain
from .alphabeta import alpha_beta
from .beam import beam
from .chance import expectimax
from .game import Counted, Game
from .games.board import Chess, material
from .games.coins import CoinRow
from .games.dice import Dice
from .games.halving import Halving
from .games.tictactoe import TicTacToe
from .games.tree import AIMA_TREE
from .horizon import Truncated, at_depth, h_minimax
from .iterative import alpha_beta_list, minimax_list
from .minimax import minimax
from .multiplayer import max_n
from .negamax import negamax, negamax_alpha_beta
from .quiescence import quiet

BEAM = 5  # moves
EXACT = (minimax, negamax, minimax_list, alpha_beta, negamax_alpha_beta, alpha_beta_list)  # three visit all nodes, three prune
MIDDLEGAME = "r2q1rk1/ppp2ppp/2np1n2/2b1p3/2B1P1b1/2NP1N2/PPP2PPP/R1BQ1RK1 w - - 0 8"


class Row(NamedTuple):
    """The result of one algorithm on one game. Values are for the player to move."""

    game: str
    algorithm: str
    value: str
    move: str
    nodes: int


def run(name: str, algorithm: str, game: Game[Any, Any], search: Callable[[Game[Any, Any], Any], Any]) -> Row:
    """Search a game from its start and count the nodes."""
    counted = Counted(game)
    answer = search(counted, counted.initial())
    value = getattr(answer, "values", None) or answer.value
    return Row(name, algorithm, str(value), str(answer.move), counted.nodes)


def small_games() -> Iterator[Row]:
    """Search games small enough to search to the end."""
    games: tuple[tuple[str, Game[Any, Any]], ...] = (("tree of AIMA", AIMA_TREE), ("halving 15", Halving(15)))
    for name, game in games:
        for algorithm in EXACT:
            yield run(name, algorithm.__name__, game, algorithm)
    yield run("tic-tac-toe", "alpha_beta", TicTacToe(), alpha_beta)
    yield run("coins 1 5 2 4", "max_n", CoinRow((1, 5, 2, 4)), lambda game, state: max_n(game, state, 3))
    dice = Dice(faces=4, limit=4)
    yield run("dice 4, limit 4", "expectimax", dice, lambda game, state: expectimax(game, state, dice.odds))


def chess_position(depth: int) -> Iterator[Row]:
    """Search MIDDLEGAME to a fixed depth by minimax, alpha-beta, with quiescence, and beam. The evaluation is material."""
    rules = Chess(chess.Board(MIDDLEGAME))
    name = f"chess, depth {depth}"
    short: Game[Any, Any] = Truncated(rules, material, at_depth(depth))
    calm: Game[Any, Any] = Truncated(rules, quiet(rules, material, rules.noisy, rules.may_stand_pat), at_depth(depth))
    yield run(name, "h_minimax", rules, lambda game, state: h_minimax(game, state, material, at_depth(depth)))
    yield run(name, "alpha_beta", short, alpha_beta)
    yield run(name, "alpha_beta, quiescence", calm, alpha_beta)
    yield run(
        name, f"beam of {BEAM}", short,
        lambda game, state: beam(game, state, BEAM, lambda reached, player: material(reached.state, player)),
    )  # fmt: skip


def main(argv: Sequence[str]) -> int:
    """Run the subcommand."""
    parser = Parser("reference", "Compare textbook searches on small games.")
    about = "depth of the chess position's search, in plies (default 2)"
    parser.add_argument("--depth", type=whole_number(1, 4), default=2, metavar="N", help=about)
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of text")
    return parser.run(argv, _reference)


def _reference(args: argparse.Namespace) -> int:
    rows = [*small_games(), *chess_position(args.depth)]
    if args.json:
        print(json.dumps([row._asdict() for row in rows], indent=2))
    else:
        print(plain(Row._fields, [[*row[:-1], f"{row.nodes:,}"] for row in rows], left=4))
    return 0
