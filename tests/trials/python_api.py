# SPDX-License-Identifier: GPL-3.0-or-later
"""The Python API next to other packages, by hand: `python_api.py [--rounds N]`.

bulletchess and pyrust-chess are left out, by name, where they are not installed. Each row is the same work on
random games, as a program of that package would write it, and is checked once: the same results as with
python-chess. The packages take turns, and the fastest of N rounds counts. Numbers are CPU time as a ratio to
python-chess: how many times faster; those of the engine are calls a second of CPU time, of wall-clock time
for `evaluate_many`.
"""

import argparse
import os
import platform
import random
import time
from collections.abc import Callable
from datetime import date
from functools import partial
from importlib import import_module, metadata
from typing import Any

import chess
from coachwhip.core.engine import Engine
from coachwhip.evaluation import config

import coachwhip

GAMES, PLIES, POSITIONS = 30, 80, 300
SECONDS = 0.02  # of calls that are timed together
ROWS = {
    "FEN to position": "return [{read} for fen in fens]",
    "position to FEN": "return [board.fen() for board in boards]",
    "list of legal moves": "return [{moves} for board in boards]",
    "play a game from UCI": (
        "for game in uci_games:\n  board = {new}\n  for move in game: {uci}\n  ends.append(board.fen())\n"
        " return ends"
    ),
    "play a game from SAN": (
        "for game in san_games:\n  board = {new}\n  for move in game: {san}\n  ends.append(board.fen())\n"
        " return ends"
    ),
    "perft 4 in a Python loop": "return perft({new}, 4)",
    "the same, counting the moves of the last ply": "return count({new}, 4)",
    "check, mate, stalemate": "return [({check}, {mate}, {stale}) for board in boards]",
}
PERFT = (
    "def {name}(board, depth):\n {end}\n n = 0\n for move in {moves}:\n  {make}\n"
    "  n += {name}(board, depth - 1)\n  {undo}\n return n"
)
BOARD = {
    "new": "Board()", "read": "Board(fen)", "moves": "list(board.legal_moves)",
    "uci": "board.push_uci(move)", "san": "board.push_san(move)", "make": "board.push(move)",
    "undo": "board.pop()", "check": "board.is_check()",
    "mate": "board.is_checkmate()", "stale": "board.is_stalemate()",
}  # fmt: skip
CODE: dict[str, dict[str, str]] = {
    "coachwhip": {
        "new": "Position()", "read": "Position(fen)", "moves": "board.moves()",
        "uci": "board.make(move)", "san": "board.make_san(move)", "make": "board.make(move)",
        "undo": "board.undo()", "check": "board.in_check",
        "mate": "board.is_checkmate()", "stale": "board.is_stalemate()",
    },
    "chess": BOARD,
    "bulletchess": {
        "new": "Board()", "read": "Board.from_fen(fen)", "moves": "board.legal_moves()",
        "uci": "board.apply(Move.from_uci(move))", "san": "board.apply(Move.from_san(move, board))",
        "make": "board.apply(move)", "undo": "board.undo()",
        "check": "board in CHECK", "mate": "board in CHECKMATE", "stale": "board in STALEMATE",
    },
    "pyrust-chess": BOARD,
}  # fmt: skip
# f696a45
BEFORE = {
    "moves": "board.legal_moves()",
    "san": "None.no_such_function",
    "mate": "board.result()",
    "stale": "None",
}


def random_games() -> dict[str, Any]:
    """FENs, and games as UCI and as SAN."""
    rng = random.Random(77)
    fens, games = [], []
    for _ in range(GAMES):
        board = chess.Board()
        game: list[tuple[str, str]] = []
        while len(game) < PLIES and (moves := list(board.legal_moves)):
            move = rng.choice(moves)
            game.append((move.uci(), board.san(move)))
            board.push(move)
            fens.append(board.fen())
        games.append(game)
    return {
        "fens": rng.sample(fens, POSITIONS),
        "uci_games": [[uci for uci, _ in game] for game in games],
        "san_games": [[san for _, san in game] for game in games],
    }


def works(package: str) -> dict[str, Callable[[], Any]]:
    """The rows of a package, as functions without arguments."""
    library: Any = import_module(package.replace("-", "_"))
    code = CODE[package]
    if package == "coachwhip" and not hasattr(library.Position, "moves"):
        code = code | BEFORE
    names = {
        name: getattr(library, name) for name in dir(library) if not name.startswith("_")
    } | random_games()
    exec(PERFT.format(name="perft", end="if depth == 0: return 1", **code), names)
    exec(PERFT.format(name="count", end=f"if depth == 1: return len({code['moves']})", **code), names)
    names["boards"] = eval(f"[{code['read']} for fen in fens]", names)
    for number, row in enumerate(ROWS.values()):
        exec(f"def work{number}():\n ends = []\n {row.format(**code)}", names)
    return {row: names[f"work{number}"] for number, row in enumerate(ROWS)}


def seconds(work: Callable[[], Any], clock: Callable[[], float] = time.process_time) -> float:
    """How long a call takes: of several, where one is too short for the clock and the caches."""
    start, calls = clock(), 0
    while clock() - start < SECONDS:
        work()
        calls += 1
    return (clock() - start) / calls


def comparable(row: str, result: Any) -> Any:
    """What must be equal: packages write the ep square in other cases, and moves as other objects."""
    if row in ("FEN to position", "list of legal moves"):
        return [len(each) for each in result] if row == "list of legal moves" else len(result)
    return (
        [each.split()[:3] if isinstance(each, str) else each for each in result]
        if isinstance(result, list)
        else result
    )


def compare(rounds: int) -> tuple[list[str], dict[str, list[str]]]:
    """The columns, and the ratios of each row."""
    table, columns = {}, []
    for package in CODE:
        try:
            table[package] = works(package)
            columns.append(f"{package} {metadata.version(package)}")
        except ImportError:
            print(f"{package} is not installed: left out")
    rows: dict[str, list[str]] = {}
    for row in ROWS:
        expected, times = comparable(row, table["chess"][row]()), {}
        for package in table:
            try:
                result = comparable(row, table[package][row]())
            except AttributeError:  # the package has no such function
                continue
            if result != expected:
                print(f"{package}: another result than python-chess: {row}")
            times[package] = float("inf")
        for _ in range(rounds):
            times = {package: min(least, seconds(table[package][row])) for package, least in times.items()}
        rows[row] = [f"{times['chess'] / times[each]:.1f}" if each in times else "-" for each in table]
    return columns, rows


def of_engine(rounds: int) -> dict[str, str]:
    """Calls a second of what no other package has."""
    fens = random_games()["fens"]
    values, network = config.evaluator()
    engine = Engine(values, 1, network=network)
    positions, boards = [coachwhip.Position(fen) for fen in fens], [chess.Board(fen) for fen in fens]
    todo: dict[str, Callable[[], Any]] = {
        "Engine.evaluate(Position)": lambda: [engine.evaluate(position) for position in positions],
        "evaluate(FEN)": lambda: [coachwhip.evaluate(fen) for fen in fens],
        "evaluate(Board)": lambda: [coachwhip.evaluate(board) for board in boards],
        "Engine.search of one node": lambda: [engine.search(position, nodes=1) for position in positions],
    }
    times = dict.fromkeys(todo, float("inf"))
    for _ in range(rounds):
        times = {name: min(least, seconds(todo[name])) for name, least in times.items()}
    rates = {name: f"{len(fens) / least:,.0f}" for name, least in times.items()}
    many: Any = getattr(coachwhip, "evaluate_many", None)
    for threads in (1, os.cpu_count() or 1) if many else ():
        all_of_them = partial(many, 100 * fens, threads=threads)
        least = min(seconds(all_of_them, time.perf_counter) for _ in range(rounds))
        rates[f"evaluate_many(FENs, threads={threads})"] = f"{100 * len(fens) / least:,.0f}"
    return rates


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=7, help="default 7")
    args = parser.parse_args()
    heads, ratios = compare(args.rounds)
    print(f"Python {platform.python_version()}, {date.today()}\n")  # noqa: DTZ011
    print(f"| task | {' | '.join(heads)} |\n|---|{'---|' * len(heads)}")
    for row, cells in ratios.items():
        print(f"| {row} | {' | '.join(cells)} |")
    for row, rate in of_engine(args.rounds).items():
        print(f"| {row}, calls a second | {rate} |{' - |' * (len(heads) - 1)}")
