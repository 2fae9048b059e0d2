# SPDX-License-Identifier: GPL-3.0-or-later
"""`coachwhip perft`: leaf counts of the move tree, for one position or for whole suites of known counts.

A wrong count says only that some move is wrong somewhere below. With python-chess as the oracle
`first_wrong_move` walks down to the position in which the lists of legal moves differ, and names the move.
https://www.chessprogramming.org/Perft
"""

import argparse
import json
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ..cli.command import CommandError, Parser, add_shared, file_name, per_second, whole_number
from ..cli.files import numbered_lines, short_name
from ..cli.progress import progress
from ..core.engine import MAX_THREADS, STARTPOS_FEN, Position
from ..games.data import PERFT
from ..games.fen import MAX_QUOTED, is_shredder, read_epd
from ..text import parse_int, reason, shorten
from ..uci.options import MAX_HASH_MB

if TYPE_CHECKING:
    import chess

MAX_DEPTH = 20  # what Position.perft accepts
MAX_NODES = 5_000_000  # default of --max-nodes


@dataclass
class PerftCount:
    """A known count of a position in a suite, and our count."""

    source: str  # "file:line"
    fen: str
    depth: int
    expected: int
    counted: int = 0
    reason: str = ""  # names the first wrong move
    seconds: float = 0.0

    def __str__(self) -> str:
        return (
            f"{self.source}: depth {self.depth}: {self.counted}, expected {self.expected}: {self.fen}\n"
            f"    {self.reason}"
        )


def parse_line(text: str, source: str) -> list[PerftCount]:
    """Read `FEN ;D1 20 ;D2 400`, shallow counts first. Raises CommandError that names the source."""
    fen, operations = read_epd(text)
    counts = []
    for name, nodes in operations.items():
        depth, expected = parse_int(name[1:]), parse_int(nodes)
        if name[:1] != "D" or depth is None:
            continue
        if expected is None or expected < 0 or not 1 <= depth <= MAX_DEPTH:
            raise CommandError(f"{source}: expected ;D<depth> <nodes>, not '{shorten(f'{name} {nodes}')}'")
        counts.append(PerftCount(source, fen, depth, expected))
    if not counts:
        raise CommandError(f"{source}: no counts; expected lines like FEN ;D1 20 ;D2 400")
    return sorted(counts, key=lambda count: count.depth)


def read_suite(path: Path) -> list[list[PerftCount]]:
    """Read the counts of each position of a suite file. Raises CommandError, OSError."""
    suite = [parse_line(text, f"{short_name(path)}:{number}") for number, text in numbered_lines(path)]
    if not suite:
        raise CommandError(f"{path}: it contains no position")
    return suite


def check(known: Sequence[PerftCount], max_nodes: int, *, threads: int, hash_mb: int) -> list[PerftCount]:
    """Count the depths of a position of at most `max_nodes` leaves, to the first wrong count; return them.

    Raises CommandError for a FEN that is no position.
    """
    position = _position(known[0].fen, known[0].source, chess960=False)
    done: list[PerftCount] = []
    for count in known:
        if count.expected > max_nodes:
            continue
        done.append(count)
        start = time.perf_counter()
        count.counted = position.perft(count.depth, threads=threads, hash_mb=hash_mb)
        count.seconds = time.perf_counter() - start
        if count.counted != count.expected:
            count.reason = first_wrong_move(count.fen, count.depth)
            break  # what is deeper is wrong for the same reason
    return done


def _position(fen: str, source: str, *, chess960: bool) -> Position:
    try:
        return Position(fen, chess960 or is_shredder(fen))
    except ValueError as error:
        raise CommandError(f"{source}: {reason(error)}: {shorten(fen, MAX_QUOTED)}") from error


def first_wrong_move(fen: str, depth: int) -> str:
    """Follow the first root move whose count python-chess does not share, until the legal moves differ.

    Returns a sentence that names the move, or says that python-chess counts the same and the suite is to
    blame.
    """
    import chess

    position = Position(fen, is_shredder(fen))
    # with castling rights in the order that python-chess wants
    board = chess.Board(position.fen(), chess960=is_shredder(fen))
    path: list[str] = []
    for remaining in range(depth, 0, -1):
        ours = dict(position.divide(remaining))
        theirs = {board.uci(move): move for move in board.legal_moves}
        if ours.keys() != theirs.keys():
            where = f"after {' '.join(path)}" if path else "here"
            parts = [
                ("illegal move generated", ours.keys() - theirs),
                ("legal move missing", theirs.keys() - ours),
            ]
            difference = ", ".join(f"{what} {' '.join(sorted(moves))}" for what, moves in parts if moves)
            return f"{where} {difference}: {board.fen(shredder=board.chess960)}"
        wrong = next(
            (move for text, move in theirs.items() if ours[text] != _oracle(board, move, remaining - 1)), None
        )
        if wrong is None:
            break
        path.append(board.uci(wrong))
        position.make(path[-1])
        board.push(wrong)
    return (
        "python-chess counts the same "
        f"{'after ' + ' '.join(path) if path else 'here: the expected count is wrong'}"
    )


def _oracle(board: "chess.Board", move: "chess.Move", depth: int) -> int:
    """Return python-chess's leaf count `depth` plies behind `move`, which is taken back."""
    if not depth:
        return 1
    board.push(move)
    leaves = (
        board.legal_moves.count()
        if depth == 1
        else sum(_oracle(board, reply, depth - 1) for reply in board.legal_moves)
    )
    board.pop()
    return leaves


def main(argv: Sequence[str]) -> int:
    """Run the subcommand. Returns 1 if a suite's count is off, 2 for a bad FEN or file."""
    parser = Parser("perft", "Count the leaves of the tree of legal moves, or check suites of known counts.")
    add = parser.add_argument
    add("depth", nargs="?", type=whole_number(0, MAX_DEPTH), help="depth in plies")
    add("fen", nargs="*", help="position, quoted or as separate words, or startpos (the default)")
    suite = f"EPD files with lines FEN ;D1 20 ;D2 400 (without FILE: {PERFT.in_words()})"
    add("--suite", nargs="*", type=file_name, metavar="FILE", help=suite)
    about = "skip counts of a suite above N"
    add("--max-nodes", type=whole_number(0, 10**15), default=MAX_NODES, metavar="N", help=about)
    add(
        "--threads",
        type=whole_number(1, MAX_THREADS),
        default=1,
        metavar="N",
        help="counting threads (default 1)",
    )
    table = "table of positions counted before, found by 64-bit keys: several times as fast (default 0: none)"
    add("--hash", type=whole_number(0, MAX_HASH_MB), default=0, metavar="MB", help=table)
    add("--chess960", action="store_true", help="write castling as king takes rook")
    add_shared(add, "--json")
    return parser.run(argv, _perft)


def _perft(args: argparse.Namespace) -> int:
    if (args.suite is None) == (args.depth is None):
        raise CommandError("give either a DEPTH or --suite (with a file or without)")
    return _single(args) if args.suite is None else _suite(args)


def _single(args: argparse.Namespace) -> int:
    """Count one position, and print the count of each move as soon as it is known, the total and the time."""
    fen = " ".join(args.fen)
    position = _position(STARTPOS_FEN if fen in ("", "startpos") else fen, "fen", chess960=args.chess960)
    on_move = None if args.json else partial(print, sep=": ", flush=True)
    start = time.perf_counter()
    divide = (
        dict(position.divide(args.depth, on_move=on_move, threads=args.threads, hash_mb=args.hash))
        if args.depth
        else {}
    )
    nodes, seconds = sum(divide.values()) if args.depth else 1, time.perf_counter() - start
    if args.json:
        totals = {"nodes": nodes, "seconds": seconds, "nps": per_second(nodes, seconds), "divide": divide}
        print(json.dumps({"fen": position.fen(), "depth": args.depth, **totals}, indent=1))
    else:
        print()
        _print_speed(nodes, seconds)
    return 0


def _suite(args: argparse.Namespace) -> int:
    if not args.suite:
        PERFT.warn_default()
    suite = [known for path in args.suite or [PERFT.path] for known in read_suite(path)]
    done: list[PerftCount] = []
    with progress("perft", len(suite)) as bar:
        for known in suite:
            done += check(known, args.max_nodes, threads=args.threads, hash_mb=args.hash)
            if done and done[-1].reason:
                for text in str(done[-1]).splitlines():
                    bar.log(text)
            bar.advance()
    wrong = [count for count in done if count.reason]
    nodes, seconds = sum(count.counted for count in done), sum(count.seconds for count in done)
    if args.json:
        totals = {"positions": len(suite), "counts": len(done), "nodes": nodes, "seconds": seconds}
        print(
            json.dumps(
                {**totals, "wrong": [asdict(count) for count in wrong], "nps": per_second(nodes, seconds)},
                indent=1,
            )
        )
    else:
        print(f"Positions: {len(suite)}\nCounts: {len(done)}\nWrong: {len(wrong)}")
        _print_speed(nodes, seconds)
    return 1 if wrong else 0


def _print_speed(nodes: int, seconds: float) -> None:
    print(f"Nodes searched: {nodes}\nTime: {round(seconds * 1000)} ms\nNPS: {per_second(nodes, seconds):,}")
