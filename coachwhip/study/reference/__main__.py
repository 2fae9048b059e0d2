# SPDX-License-Identifier: GPL-3.0-or-later
"""`coachwhip reference`: a table of small games and algorithms, with their nodes.

It also draws the search of a tree, plays in a maze, and checks someone's search.
"""

import argparse
import json
import random
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
from .. import reference
from .alphabeta import alpha_beta
from .beam import beam
from .chance import expectimax
from .check import check
from .deepening import iterative_deepening
from .draw import Drawn, page
from .forward_pruning import forward_pruning
from .game import CHANCE, Counted, Game
from .games.board import Chess, material
from .games.coins import CoinRow
from .games.dice import Dice
from .games.halving import Halving
from .games.maze import TRAP, UNDECIDED, Maze
from .games.tictactoe import TicTacToe
from .games.tree import AIMA_TREE, first_leaf, read_tree
from .horizon import Truncated, at_depth, h_minimax
from .multiplayer import max_n
from .quiescence import quiet
from .scout import principal_variation
from .trace import Traced

BEAM = 5  # moves
MARGIN, TREE_MARGIN = 100, 2  # of ProbCut: centipawns, and in a tree
MIDDLEGAME = "r2q1rk1/ppp2ppp/2np1n2/2b1p3/2B1P1b1/2NP1N2/PPP2PPP/R1BQ1RK1 w - - 0 8"
HIDDEN = Traced([[[3, 0], 3], [[2, 0], 2], [[1, 9], 9]])  # the third move looks like 1, and is the best
SURE = Traced([[[[4]]], [[[1], [6]]]])  # two plies deep, the second move looks like 1
MAX_DRAWN, OTHERS = 500, 20  # nodes; other trees of a page
EPILOG = """\
--check runs the functions minimax, alpha_beta, expectimax, max_n and best_move of a file, each
f(game, state), or f(tree) of a nested list. The searches here cut if alpha and beta are equal; yours may cut
only if alpha is larger."""
BOTH = ("minimax", "alpha_beta")  # shown next to each other
NEWER = ("principal_variation", "alpha_beta_table", "alpha_beta_killers")
EXACT = (*BOTH, "negamax", "minimax_list", "negamax_alpha_beta", "alpha_beta_list", *NEWER)
Search = Callable[[Any, Any], Any]
SEARCHES: dict[str, Search] = {name: getattr(reference, name) for name in BOTH}
SEARCHES["expectimax"] = lambda game, state: expectimax(game, state, game.odds, 0)
SEARCHES["max_n"] = lambda game, state: max_n(game, state, getattr(game, "players", 0) or 2)
FOR_TREES = SEARCHES | {name: getattr(reference, name) for name in EXACT}
FOR_TREES["iterative_deepening"] = lambda game, state: iterative_deepening(
    game, state, first_leaf, game.depth
)
FOR_TREES["late_move_reductions"] = lambda game, state: forward_pruning(
    game, state, first_leaf, game.depth, reduces=True
)
FOR_TREES["probcut"] = lambda game, state: forward_pruning(
    game, state, first_leaf, game.depth, margin=TREE_MARGIN
)
WHY = {  # part of a name -> why the value is minimax's, or not
    "max": "the definition",
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
    """The result of one algorithm on one game.

    Values are for the player to move; `exact`: the value is minimax's, and why.
    """

    game: str
    algorithm: str
    value: str
    move: str
    exact: str
    nodes: int


def run(name: str, algorithm: str, game: Game[Any, Any], search: Search, expected: Any = None) -> Row:
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
    games: tuple[tuple[str, Any, Sequence[str]], ...] = (
        ("tree of AIMA", Traced(AIMA_TREE.initial().subtree), EXACT),
        ("halving 15", Halving(15), EXACT),
        ("late moves hide", HIDDEN, ("alpha_beta", "iterative_deepening", "late_move_reductions")),
        ("looks sure", SURE, ("alpha_beta", "iterative_deepening", "probcut")),
        ("tic-tac-toe", TicTacToe(), ("alpha_beta", *NEWER)),
    )
    for name, game, algorithms in games:
        expected = alpha_beta(game, game.initial()).value
        for algorithm in algorithms:
            yield run(name, algorithm, game, FOR_TREES[algorithm], expected)
    yield run("coins 1 5 2 4", "max_n", CoinRow((1, 5, 2, 4)), lambda game, state: max_n(game, state, 3))
    yield run("dice 4, limit 4", "expectimax", Dice(faces=4, limit=4), SEARCHES["expectimax"])


def chess_position(depth: int) -> Iterator[Row]:
    """Search MIDDLEGAME to a fixed depth by minimax, and by searches that are faster, deeper or wrong.

    The evaluation is material.
    """
    rules = Chess(chess.Board(MIDDLEGAME))
    short: Game[Any, Any] = Truncated(rules, material, at_depth(depth))
    calm: Game[Any, Any] = Truncated(
        rules, quiet(rules, material, rules.noisy, rules.may_stand_pat), at_depth(depth)
    )
    pruning = partial(forward_pruning, evaluate=material, depth=depth)
    searches: tuple[tuple[str, Game[Any, Any], Search], ...] = (
        ("h_minimax", rules, partial(h_minimax, evaluate=material, cutoff=at_depth(depth))),
        ("alpha_beta", short, alpha_beta),
        ("principal_variation", short, principal_variation),
        ("late_move_reductions", rules, partial(pruning, reduces=True)),
        ("probcut", rules, partial(pruning, margin=MARGIN)),
        ("alpha_beta, quiescence", calm, alpha_beta),
        (
            f"beam of {BEAM}",
            short,
            partial(beam, width=BEAM, guess=lambda node, player: material(node.state, player)),
        ),
    )
    expected = alpha_beta(short, short.initial()).value
    for algorithm, game, search in searches:
        yield run(f"chess, depth {depth}", algorithm, game, search, expected)


def mazes(rounds: int) -> Iterator[Row]:
    """Search the first scene of a maze, and play it out against ghosts that hunt or wander.

    Instead of the move the result has how the game ended.
    """
    for name in (*BOTH, "expectimax"):
        for ghosts, text in (("hunt", TRAP), ("wander", TRAP.replace("G", "W"))):
            maze = Maze(text, rounds, chance=name == "expectimax")
            *_, end = maze.played(partial(SEARCHES[name], maze), seed=2)
            yield run(f"maze, ghosts {ghosts}", name, maze, SEARCHES[name])._replace(
                move=f"{end.outcome}, {end.score}"
            )


def main(argv: Sequence[str]) -> int:
    """Run the subcommand."""
    about = (
        "Compare textbook searches on small games; draw the search of a tree; play in a maze; check your own."
    )
    parser = WritingParser("reference", about, EPILOG)
    add, what = parser.add_argument, parser.add_mutually_exclusive_group().add_argument
    add(
        "--depth",
        type=whole_number(1, 4),
        default=2,
        metavar="N",
        help="plies in chess, rounds in a maze (default 2)",
    )
    what("--json", action="store_true", help="print one JSON object instead of text")
    what(
        "--tree",
        help='search a tree: "[[3, 12, 8], [2, 4, 6], [14, 5, 2]]"; for max_n with leaves like (3, 1)',
    )
    what("--file", type=file_name, help="search the tree in a file")
    what("--random", type=numbers(2, high=6, low=1), metavar="BRANCHING,DEPTH", help="search a random tree")
    what(
        "--maze",
        type=file_name,
        help="play in the maze of a file: # or %% wall, . food, P player, G and W ghosts",
    )
    what(
        "--check",
        type=file_name,
        metavar="FILE.py",
        help="check your own searches; new: print a file to start from",
    )
    what_for = "search of the tree or the maze, by default alpha_beta or what the tree needs"
    searches = f"{what_for}: {', '.join(FOR_TREES)}"
    add("--algorithm", choices=FOR_TREES, metavar="NAME", help=searches)
    add(
        "--order",
        type=order,
        metavar="PLAYERS",
        help="who moves in the tree, level by level: max,chance,min (default max,min)",
    )
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
        raise argparse.ArgumentTypeError(
            f"expected max, min and chance, such as max,chance,min, not {text[:40]!r}"
        )
    return tuple(movers[word] for word in words)


def _reference(args: argparse.Namespace) -> int:
    shows_tree = args.tree is not None or args.file or args.random
    if (args.report and not shows_tree) or (args.exercise and not args.report):
        raise CommandError("--report needs a tree, and --exercise needs --report")
    if args.check:
        return check(args.check)
    (_show_tree if shows_tree else _play_maze if args.maze else _compare)(args)
    return 0


def _read(source: Path | str, parse: Callable[[str], Any]) -> Any:
    """Return what `parse` makes of a file, or of the text of --tree. Raises CommandError."""
    try:
        return parse(read_bytes(source).decode() if isinstance(source, Path) else source)
    except ValueError as error:
        raise CommandError(f"{source if isinstance(source, Path) else '--tree'}: {error}") from error


def _compare(args: argparse.Namespace) -> None:
    rows = [*small_games(), *mazes(args.depth), *chess_position(args.depth)]
    table = plain(Row._fields, [[*row[:-1], f"{row.nodes:,}"] for row in rows], left=5)
    print(json.dumps([row._asdict() for row in rows], indent=2) if args.json else table)


def _play_maze(args: argparse.Namespace) -> None:
    maze = _read(args.maze, partial(Maze, rounds=args.depth, chance=args.algorithm == "expectimax"))
    if args.algorithm not in (None, *SEARCHES):
        raise CommandError(f"a maze is searched by {', '.join((*BOTH, 'expectimax'))}, not {args.algorithm}")
    for scene in maze.played(partial(SEARCHES[args.algorithm or "alpha_beta"], maze), args.seed):
        if scene.outcome or scene.ply % len(scene.cells) == 0:
            print(maze.drawn(scene))
    if scene.outcome == UNDECIDED:
        print(f"Nothing was eaten in {maze.patience} rounds, four for each cell, so the game ends here.")


def _filled(tree: Any, source: random.Random) -> Any:  # with random leaves
    return (
        [_filled(child, source) for child in tree]
        if isinstance(tree, list)
        else Fraction(source.randint(0, 20))
    )


def _algorithm(tree: Traced, args: argparse.Namespace) -> str:
    """Return the search of a tree: what is asked for, if it can search this one. Raises CommandError."""
    needed = "max_n" if tree.players else "expectimax" if CHANCE in (args.order or ()) else None
    name = needed or args.algorithm or "alpha_beta"
    if tree.players and args.order:
        raise CommandError("vectors are searched without --order: the players take turns")
    if args.algorithm not in (None, name):
        raise CommandError(
            f"{'vectors need' if tree.players else 'chance needs'} --algorithm {name}, not {args.algorithm}"
        )
    if name not in SEARCHES and args.order not in (None, (0, 1), (1, 0)):
        raise CommandError(f"{name} needs players who take turns")
    if name == "principal_variation" and any(leaf.subtree.denominator != 1 for leaf in tree.leaves):
        raise CommandError(f"{name} needs whole numbers")
    return name


def _show_tree(args: argparse.Namespace) -> None:
    source = random.Random(args.seed)
    root: Any = None
    for _ in range(args.random[1] if args.random else 0):
        root = [root] * args.random[0]
    root = _filled(root, source) if args.random else _read(args.file or args.tree, read_tree)
    name = _algorithm(Traced(root), args)
    names = [name, *(other for other in BOTH if name in BOTH and other != name)]

    def watched(tree: Any) -> tuple[Drawn, str]:
        searches = [Drawn(tree, FOR_TREES[name], args.order) for name in names]
        return searches[0], "\n".join(
            f"{name}: {search.result_line()}" for name, search in zip(names, searches, strict=True)
        )

    drawn, results = watched(root)
    if args.report and len(drawn.nodes) > MAX_DRAWN:
        raise CommandError(f"a page has at most {MAX_DRAWN} nodes, not {len(drawn.nodes)}")
    if args.report:
        others = [watched(_filled(root, source)) for _ in range(OTHERS * (not drawn.players))]
        text = page(
            [(drawn, results), *others], exercise=args.exercise, prunes=name not in ("expectimax", "max_n")
        )
        write_bytes(args.report, text.encode())
    elif len(drawn.nodes) > MAX_DRAWN:
        print(f"{len(drawn.nodes)} nodes", results, sep="\n")
    else:
        print(drawn.outline(), "", *map(drawn.sentence, range(len(drawn.steps))), "", results, sep="\n")
