# SPDX-License-Identifier: GPL-3.0-or-later
"""`coachwhip reference`: a table of small games and algorithms, with their nodes; the search of a tree, drawn; a maze, played."""

import argparse
import json
import random
import re
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import chess

from ...cli.command import CommandError, add_shared, file_name, numbers, whole_number
from ...cli.files import read_bytes, write_bytes
from ...cli.table import plain
from ...cli.targets import Output, WritingParser
from .alphabeta import alpha_beta
from .beam import beam
from .chance import expectimax
from .check import check
from .deepening import iterative_deepening
from .draw import Drawn, page
from .explicit_stack import alpha_beta_list, minimax_list
from .forward_pruning import forward_pruning
from .game import CHANCE, Counted, Game
from .games.board import Chess, material
from .games.coins import CoinRow
from .games.dice import Dice
from .games.halving import Halving
from .games.maze import TRAP, UNDECIDED, Maze
from .games.tictactoe import TicTacToe
from .games.tree import AIMA_TREE, Tree, first_leaf, read_tree
from .horizon import Truncated, at_depth, h_minimax
from .killers import alpha_beta_killers
from .minimax import minimax
from .multiplayer import max_n
from .negamax import negamax, negamax_alpha_beta
from .quiescence import quiet
from .scout import principal_variation
from .trace import Traced
from .transposition import alpha_beta_table

BEAM = 5  # moves
MARGIN = 100  # centipawns, of ProbCut
EXACT = (minimax, negamax, minimax_list, alpha_beta, negamax_alpha_beta, alpha_beta_list)  # three visit all nodes, three prune
NEWER = (principal_variation, alpha_beta_table, alpha_beta_killers)
MIDDLEGAME = "r2q1rk1/ppp2ppp/2np1n2/2b1p3/2B1P1b1/2NP1N2/PPP2PPP/R1BQ1RK1 w - - 0 8"
HIDDEN = Tree([[[3, 0], 3], [[2, 0], 2], [[1, 9], 9]])  # the third move looks like 1, and is the best
SURE = Tree([[[[4]]], [[[1], [6]]]])  # two plies deep, the second move looks like 1
TREE_MARGIN = 2  # of ProbCut in a tree
MAX_DRAWN, OTHERS = 500, 20  # nodes; other trees of a page
BOTH: dict[str, Callable[[Any, Any], Any]] = {"minimax": minimax, "alpha_beta": alpha_beta}  # shown next to each other
SEARCHES = BOTH | {
    "expectimax": lambda game, state: expectimax(game, state, game.odds, 0),
    "max_n": lambda game, state: max_n(game, state, getattr(game, "players", 0) or 2),
}
FOR_TREES = SEARCHES | {
    "principal_variation": principal_variation,
    "iterative_deepening": lambda game, state: iterative_deepening(game, state, first_leaf, game.depth),
    "late_move_reductions": lambda game, state: forward_pruning(game, state, first_leaf, game.depth, reduces=True),
    "probcut": lambda game, state: forward_pruning(game, state, first_leaf, game.depth, margin=TREE_MARGIN),
    "alpha_beta_table": alpha_beta_table,
    "alpha_beta_killers": alpha_beta_killers,
}
WHY = {
    "minimax": "the definition",
    "alpha_beta": "cuts only what cannot matter",
    "principal_variation": "searches again what is better than expected",
    "alpha_beta_table": "searches each state once for a window",
    "alpha_beta_killers": "takes the moves in another order",
    "iterative_deepening": "the last search is the full one",
    "late_move_reductions": "searches late moves less deeply",
    "probcut": "trusts a shallow search",
    "beam": "leaves moves out",
    "quiescence": "searches captures below the depth",
}


class Row(NamedTuple):
    """The result of one algorithm on one game. Values are for the player to move; `exact`: the value is minimax's, and why."""

    game: str
    algorithm: str
    value: str
    move: str
    exact: str
    nodes: int


def run(
    name: str, algorithm: str, game: Game[Any, Any], search: Callable[[Game[Any, Any], Any], Any], expected: Any = None
) -> Row:
    """Search a game from its start and count the nodes; `expected` is minimax's value, if it is known."""
    counted: Any = Counted(game)
    counted.odds, counted.depth = getattr(game, "odds", None), getattr(game, "depth", 0)
    answer = search(counted, counted.initial())
    value = getattr(answer, "values", None) or answer.value
    why = next((f": {WHY[key]}" for key in reversed(WHY) if key in algorithm), "")
    exact = "" if expected is None else f"{'yes' if value == expected else 'no'}{why}"
    return Row(name, algorithm, str(value), str(answer.move), exact, counted.nodes)


def small_games() -> Iterator[Row]:
    """Search games small enough to search to the end."""
    games: tuple[tuple[str, Game[Any, Any]], ...] = (("tree of AIMA", AIMA_TREE), ("halving 15", Halving(15)))
    for name, game in games:
        hashable = Traced(game.initial().subtree) if isinstance(game, Tree) else game  # for the table
        for algorithm in (*EXACT, *NEWER):
            yield run(name, algorithm.__name__, hashable, algorithm, minimax(game, game.initial()).value)
    trees = (("late moves hide", HIDDEN, "late_move_reductions"), ("looks sure", SURE, "probcut"))
    for name, tree, pruning in trees:
        for algorithm_name in ("alpha_beta", "iterative_deepening", pruning):
            traced = Traced(tree.initial().subtree)
            yield run(name, algorithm_name, traced, FOR_TREES[algorithm_name], minimax(tree, tree.initial()).value)
    for algorithm in (alpha_beta, *NEWER):
        yield run("tic-tac-toe", algorithm.__name__, TicTacToe(), algorithm, 0)
    yield run("coins 1 5 2 4", "max_n", CoinRow((1, 5, 2, 4)), lambda game, state: max_n(game, state, 3))
    yield run("dice 4, limit 4", "expectimax", Dice(faces=4, limit=4), SEARCHES["expectimax"])


def chess_position(depth: int) -> Iterator[Row]:
    """Search MIDDLEGAME to a fixed depth by minimax, and by searches that are faster, deeper or wrong. The evaluation is material."""
    rules = Chess(chess.Board(MIDDLEGAME))
    short: Game[Any, Any] = Truncated(rules, material, at_depth(depth))
    calm: Game[Any, Any] = Truncated(rules, quiet(rules, material, rules.noisy, rules.may_stand_pat), at_depth(depth))
    pruning = partial(forward_pruning, evaluate=material, depth=depth)
    searches: tuple[tuple[str, Game[Any, Any], Callable[[Any, Any], Any]], ...] = (
        ("alpha_beta", short, alpha_beta),
        ("principal_variation", short, principal_variation),
        ("late_move_reductions", rules, partial(pruning, reduces=True)),
        ("probcut", rules, partial(pruning, margin=MARGIN)),
        ("alpha_beta, quiescence", calm, alpha_beta),
        (f"beam of {BEAM}", short, partial(beam, width=BEAM, guess=lambda node, player: material(node.state, player))),
    )
    name = f"chess, depth {depth}"
    expected = alpha_beta(short, short.initial()).value
    yield run(name, "h_minimax", rules, lambda game, state: h_minimax(game, state, material, at_depth(depth)), expected)
    for algorithm, game, search in searches:
        yield run(name, algorithm, game, search, expected)


def mazes(rounds: int) -> Iterator[Row]:
    """Search the first scene of a maze, and play it out against ghosts that hunt or wander: instead of the move, how it ended."""
    for name in (*BOTH, "expectimax"):
        for ghosts, text in (("hunt", TRAP), ("wander", TRAP.replace("G", "W"))):
            maze = Maze(text, rounds, chance=name == "expectimax")
            *_, end = maze.played(partial(SEARCHES[name], maze), seed=2)
            yield run(f"maze, ghosts {ghosts}", name, maze, SEARCHES[name])._replace(move=f"{end.outcome}, {end.score}")


def main(argv: Sequence[str]) -> int:
    """Run the subcommand."""
    parser = WritingParser("reference", "Compare textbook searches on small games; draw the search of a tree; play in a maze.")
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
    add("--algorithm", choices=FOR_TREES, help="search of the tree or the maze (default alpha_beta, or what the tree needs)")
    add("--order", type=order, help="who moves in the tree, level by level: max,chance,min (default max,min)")
    add("--min-first", dest="order", action="store_const", const=(1, 0), help="MIN moves first in the tree")
    add("--seed", type=whole_number(0, 10**9), metavar="N", help="of random trees and ghosts")
    page = "write a page of HTML that goes through the search of the tree"
    add("--report", type=Output("a page of coachwhip"), metavar="FILE", help=page)
    add("--exercise", action="store_true", help="let the page start with an exercise")
    add_shared(add, "--force")
    return parser.run(argv, _reference)


def order(text: str) -> tuple[int, ...]:
    """Read who moves: MAX is 0, MIN 1, CHANCE -1."""
    movers = {"max": 0, "min": 1, "chance": CHANCE}
    words = text.lower().replace(",", " ").split()
    if not words or not movers.keys() >= {*words}:
        raise argparse.ArgumentTypeError(f"expected max, min and chance, such as max,chance,min, not {text[:40]!r}")
    return tuple(movers[word] for word in words)


def _reference(args: argparse.Namespace) -> int:
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
    table = plain(Row._fields, [[*row[:-1], f"{row.nodes:,}"] for row in rows], left=5)
    print(json.dumps([row._asdict() for row in rows], indent=2) if args.json else table)


def _play_maze(args: argparse.Namespace) -> None:
    try:
        maze = Maze(_read(args.maze), args.depth, chance=args.algorithm == "expectimax")
    except ValueError as error:
        raise CommandError(f"{args.maze}: {error}") from error
    if args.algorithm not in (None, *SEARCHES):
        raise CommandError(f"a maze is searched by {', '.join((*BOTH, 'expectimax'))}, not {args.algorithm}")
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
    name = needed or args.algorithm or "alpha_beta"
    if name not in SEARCHES and args.order not in (None, (0, 1), (1, 0)):
        raise CommandError(f"{name} needs players who take turns")
    if name == "principal_variation" and re.search(r"[./]|Fraction.\d+, [^1]", str(root)):
        raise CommandError("principal_variation needs whole numbers")
    return name


def _show_tree(args: argparse.Namespace) -> None:
    source = random.Random(args.seed)
    root = _root(args, source)
    name = _algorithm(root, args)
    names = [name, *(other for other in BOTH if name in BOTH and other != name)]

    def watched(tree: Any) -> tuple[Drawn, str]:
        searches = [Drawn(tree, FOR_TREES[name], args.order) for name in names]
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
