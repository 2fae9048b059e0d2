# SPDX-License-Identifier: GPL-3.0-or-later
"""`coachwhip reference`: a table of small games and algorithms, with their nodes; the search of a tree, drawn; a maze, played."""

import argparse
import json
import random
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import chess

from ...cli.command import CommandError, Parser, file_name, numbers, whole_number
from ...cli.files import read_bytes, write_bytes
from ...cli.outputs import add_force, check_outputs
from ...cli.table import plain
from .alphabeta import alpha_beta
from .beam import beam
from .chance import expectimax
from .check import check
from .draw import Drawn, page
from .game import CHANCE, Counted, Game
from .games.board import Chess, material
from .games.coins import CoinRow
from .games.dice import Dice
from .games.halving import Halving
from .games.maze import TRAP, UNDECIDED, Maze
from .games.tictactoe import TicTacToe
from .games.tree import AIMA_TREE, read_tree
from .horizon import Truncated, at_depth, h_minimax
from .iterative import alpha_beta_list, minimax_list
from .minimax import minimax
from .multiplayer import max_n
from .negamax import negamax, negamax_alpha_beta
from .quiescence import quiet

BEAM = 5  # moves
EXACT = (minimax, negamax, minimax_list, alpha_beta, negamax_alpha_beta, alpha_beta_list)  # three visit all nodes, three prune
MIDDLEGAME = "r2q1rk1/ppp2ppp/2np1n2/2b1p3/2B1P1b1/2NP1N2/PPP2PPP/R1BQ1RK1 w - - 0 8"
MAX_DRAWN, OTHERS = 500, 20  # nodes; other trees of a page
BOTH: dict[str, Callable[[Any, Any], Any]] = {"minimax": minimax, "alpha_beta": alpha_beta}  # shown next to each other
SEARCHES = BOTH | {
    "expectimax": lambda game, state: expectimax(game, state, game.odds, 0),
    "max_n": lambda game, state: max_n(game, state, getattr(game, "players", 0) or 2),
}


class Row(NamedTuple):
    """The result of one algorithm on one game. Values are for the player to move."""

    game: str
    algorithm: str
    value: str
    move: str
    nodes: int


def run(name: str, algorithm: str, game: Game[Any, Any], search: Callable[[Game[Any, Any], Any], Any]) -> Row:
    """Search a game from its start and count the nodes."""
    counted: Any = Counted(game)
    counted.odds = getattr(game, "odds", None)
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
    yield run("dice 4, limit 4", "expectimax", Dice(faces=4, limit=4), SEARCHES["expectimax"])


def chess_position(depth: int) -> Iterator[Row]:
    """Search MIDDLEGAME to a fixed depth by minimax, alpha-beta, with quiescence, and beam. The evaluation is material."""
    rules = Chess(chess.Board(MIDDLEGAME))
    name = f"chess, depth {depth}"
    short: Game[Any, Any] = Truncated(rules, material, at_depth(depth))
    calm: Game[Any, Any] = Truncated(rules, quiet(rules, material, rules.noisy, rules.may_stand_pat), at_depth(depth))
    yield run(name, "h_minimax", rules, lambda game, state: h_minimax(game, state, material, at_depth(depth)))
    yield run(name, "alpha_beta", short, alpha_beta)
    yield run(name, "alpha_beta, quiescence", calm, alpha_beta)
    yield run(name, f"beam of {BEAM}", short, partial(beam, width=BEAM, guess=lambda node, player: material(node.state, player)))


def mazes(rounds: int) -> Iterator[Row]:
    """Search the first scene of a maze, and play it out against ghosts that hunt or wander: instead of the move, how it ended."""
    for name in (*BOTH, "expectimax"):
        for ghosts, text in (("hunt", TRAP), ("wander", TRAP.replace("G", "W"))):
            maze = Maze(text, rounds, chance=name == "expectimax")
            *_, end = maze.played(partial(SEARCHES[name], maze), seed=2)
            yield run(f"maze, ghosts {ghosts}", name, maze, SEARCHES[name])._replace(move=f"{end.outcome}, {end.score}")


def main(argv: Sequence[str]) -> int:
    """Run the subcommand."""
    parser = Parser("reference", "Compare textbook searches on small games; draw the search of a tree; play in a maze.")
    add, what = parser.add_argument, parser.add_mutually_exclusive_group().add_argument
    add("--depth", type=whole_number(1, 4), default=2, metavar="N", help="plies in chess, rounds in a maze (default 2)")
    what("--json", action="store_true", help="print one JSON object instead of text")
    what("--tree", help='search a tree: "[[3, 12, 8], [2, 4, 6], [14, 5, 2]]"; for max_n with leaves like (3, 1)')
    what("--file", type=file_name, help="search the tree in a file")
    what("--random", type=numbers(2, 6), metavar="BRANCHING,DEPTH", help="search a random tree")
    what(
        "--maze",
        type=file_name,
        help="play in the maze of a file: # or % wall, . food, P player, G and W ghosts".replace("%", "%%"),
    )
    what("--check", type=file_name, metavar="FILE.py", help="check your own searches; new: print a file to start from")
    add("--algorithm", choices=SEARCHES, help="search of the tree or the maze (default alpha_beta, or what the tree needs)")
    add("--order", type=order, help="who moves in the tree, level by level: max,chance,min (default max,min)")
    add("--min-first", dest="order", action="store_const", const=(1, 0), help="MIN moves first in the tree")
    add("--seed", type=whole_number(0, 10**9), metavar="N", help="of random trees and ghosts")
    add("--report", type=file_name, metavar="FILE", help="write a page of HTML that goes through the search of the tree")
    add("--exercise", action="store_true", help="let the page start with an exercise")
    add_force(add)
    return parser.run(argv, _reference)


def order(text: str) -> tuple[int, ...]:
    """Read who moves: MAX is 0, MIN 1, CHANCE -1."""
    movers = {"max": 0, "min": 1, "chance": CHANCE}
    words = text.lower().replace(",", " ").split()
    if not words or not movers.keys() >= {*words}:
        raise argparse.ArgumentTypeError(f"expected max, min and chance, such as max,chance,min, not {text[:40]!r}")
    return tuple(movers[word] for word in words)


def _reference(args: argparse.Namespace) -> int:
    check_outputs(args, {"report": "a page of coachwhip"})
    shows_tree = args.tree is not None or args.file or args.random
    if (args.report and not shows_tree) or (args.exercise and not args.report):
        raise CommandError("--report needs a tree, and --exercise needs --report")
    if args.check:
        return check(args.check)
    (_show_tree if shows_tree else _play_maze if args.maze else _compare)(args)
    return 0


def _read(path: Path) -> str:
    try:
        return read_bytes(path).decode()
    except UnicodeDecodeError as error:
        raise CommandError(f"{path}: {error}") from error


def _compare(args: argparse.Namespace) -> None:
    rows = [*small_games(), *mazes(args.depth), *chess_position(args.depth)]
    table = plain(Row._fields, [[*row[:-1], f"{row.nodes:,}"] for row in rows], left=4)
    print(json.dumps([row._asdict() for row in rows], indent=2) if args.json else table)


def _play_maze(args: argparse.Namespace) -> None:
    try:
        maze = Maze(_read(args.maze), args.depth, chance=args.algorithm == "expectimax")
    except ValueError as error:
        raise CommandError(f"{args.maze}: {error}") from error
    for scene in maze.played(partial(SEARCHES[args.algorithm or "alpha_beta"], maze), args.seed):
        if scene.outcome or scene.ply % len(scene.cells) == 0:
            print(maze.drawn(scene))
    if scene.outcome == UNDECIDED:
        print(f"Nothing was eaten in {maze.patience} rounds, four for each cell, so the game ends here.")


def _filled(tree: Any, source: random.Random) -> Any:  # with random leaves
    return [_filled(child, source) for child in tree] if isinstance(tree, list) else Fraction(source.randint(0, 20))


def _root(args: argparse.Namespace, source: random.Random) -> Any:
    if args.random:
        branching, depth = args.random
        tree: Any = None
        for _ in range(depth):
            tree = [tree] * branching
        return _filled(tree, source)
    try:
        return read_tree(_read(args.file) if args.file else args.tree)
    except ValueError as error:
        raise CommandError(f"{args.file or '--tree'}: {error}") from error


def _algorithm(root: Any, args: argparse.Namespace) -> str:
    """Return the search of a tree: what is asked for, if it can search this one. Raises CommandError."""
    needed = "max_n" if "(" in str(root).replace("Fraction(", "") else "expectimax" if CHANCE in (args.order or ()) else None
    if needed == "max_n" and args.order:
        raise CommandError("vectors are searched without --order: the players take turns")
    if needed and args.algorithm not in (None, needed):
        raise CommandError(
            f"{'vectors need' if needed == 'max_n' else 'chance needs'} --algorithm {needed}, not {args.algorithm}"
        )
    return needed or args.algorithm or "alpha_beta"


def _show_tree(args: argparse.Namespace) -> None:
    source = random.Random(args.seed)
    root = _root(args, source)
    name = _algorithm(root, args)
    names = [name, *(other for other in BOTH if name in BOTH and other != name)]

    def watched(tree: Any) -> tuple[Drawn, str]:
        searches = [Drawn(tree, SEARCHES[name], args.order) for name in names]
        return searches[0], "\n".join(f"{name}: {search.result_line()}" for name, search in zip(names, searches, strict=True))

    drawn, results = watched(root)
    if args.report and len(drawn.nodes) > MAX_DRAWN:
        raise CommandError(f"a page has at most {MAX_DRAWN} nodes, not {len(drawn.nodes)}")
    if args.report:
        others = [watched(_filled(root, source)) for _ in range(OTHERS * (not drawn.players))]
        text = page([(drawn, results), *others], exercise=args.exercise, prunes=name not in ("expectimax", "max_n"))
        write_bytes(args.report, text.encode())
    elif len(drawn.nodes) > MAX_DRAWN:
        print(f"{len(drawn.nodes)} nodes", results, sep="\n")
    else:
        print(drawn.outline(), "", *map(drawn.sentence, range(len(drawn.steps))), "", results, sep="\n")
