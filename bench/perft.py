# SPDX-License-Identifier: GPL-3.0-or-later
"""`coachwhip perft`: leaf counts of the move tree, for one position or for whole suites of known counts.

A wrong count says only that some move is wrong somewhere below. With python-chess as the oracle `first_wrong_move` walks
down to the position in which the lists of legal moves differ, and names the move. https://www.chessprogramming.org/Perft
"""

import argparse
import json
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ..core.engine import MAX_THREADS, STARTPOS_FEN, Position
from ..uci.parse import reason, shorten
from .common.command import CommandError, execute, file_name, per_second, whole_number
from .common.fen import SHOWN, is_shredder, read_epd
from .common.files import read_text
from .common.progress import Bar, progress
from .data import PERFT

if TYPE_CHECKING:
    import chess

MAX_DEPTH = 20  # what Position.perft accepts
MAX_NODES = 5_000_000  # default of --max-nodes
MAX_HASH_MB = 65536  # as the UCI option Hash
HOPELESS = 10_000_000  # leaves: a deeper count is not begun for a smaller promise; what comes next takes a second or two
BAR_AFTER = 1.0  # seconds a count may take before a bar is drawn

HASH_HELP = (
    "size of the table that keeps the counts of positions seen before (default 0: none, every position is counted); several times "
    "as fast. Positions are compared by keys of 128 random bits: a count of a million million lookups is wrong with a chance of "
    "3 in a million million"
)

MakePosition = Callable[[str, bool], Position]  # from (fen, chess960)


class Line(NamedTuple):
    """One position of a suite and its known counts as (depth, nodes), shallow ones first."""

    source: str  # "file:line"
    fen: str
    counts: tuple[tuple[int, int], ...]


class Wrong(NamedTuple):
    """A count that is off, and the sentence that names the first wrong move."""

    source: str
    fen: str
    depth: int
    expected: int
    counted: int | None  # None: given up
    reason: str


class SuiteResult(NamedTuple):
    """Totals of a suite run."""

    positions: int
    counts: int
    nodes: int
    seconds: float
    wrong: tuple[Wrong, ...]

    def as_dict(self) -> dict[str, object]:
        """The run as JSON-ready values."""
        nps = per_second(self.nodes, self.seconds)
        return {**self._asdict(), "nps": nps, "wrong": [wrong._asdict() for wrong in self.wrong]}


def parse_line(text: str, source: str) -> Line:
    """Read `FEN ;D1 20 ;D2 400`. Raises CommandError that names the source."""
    fen, operations = read_epd(text)
    counts = []
    for name, nodes in operations.items():
        if name[:1] != "D" or not _is_number(name[1:]):
            continue
        if not (_is_number(nodes) and 1 <= int(name[1:]) <= MAX_DEPTH):
            raise CommandError(f"{source}: expected ;D<depth> <nodes>, not '{shorten(f'{name} {nodes}')}'")
        counts.append((int(name[1:]), int(nodes)))
    if not counts:
        raise CommandError(f"{source}: no count, expected FEN ;D1 20 ;D2 400")
    return Line(source, fen, tuple(sorted(counts)))


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= 18


def read_suite(path: Path) -> list[Line]:
    """All lines of a suite file but blank ones and # comments. Raises CommandError, OSError."""
    lines = enumerate(read_text(path).splitlines(), start=1)
    found = [parse_line(text, f"{path.name}:{number}") for number, text in lines if text.strip() and not text.startswith("#")]
    if not found:
        raise CommandError(f"{path}: no position in it")
    return found


def run_suite(
    lines: Sequence[Line],
    *,
    max_nodes: int = MAX_NODES,
    max_depth: int = MAX_DEPTH,
    threads: int = 1,
    hash_mb: int = 0,
    make: MakePosition = Position,
    advance: Callable[[], None] = lambda: None,
    say: Callable[[str], None] = lambda _: None,
) -> SuiteResult:
    """Count every listed depth of at most `max_nodes` leaves. `advance` is called after each line, `say` with each wrong one.

    A depth is given up if one before it has far more leaves: a suite that promises a handful for billions costs no hours.

    `threads` and `hash_mb` are those of `Position.perft`.
    `make` builds a position from (fen, chess960). Raises CommandError for a FEN that it rejects.
    """
    counts = nodes = 0
    seconds = 0.0
    wrong = []
    for line in lines:
        position = _position(line.fen, make, line.source)
        before = 0  # the last depth that was counted
        for depth, expected in line.counts:
            if expected > max_nodes or depth > max_depth:
                continue
            small = _last_small(position, range(before + 1, depth), max(max_nodes, HOPELESS))
            start = time.perf_counter()
            counted = position.perft(depth, threads=threads, hash_mb=hash_mb) if small == depth - 1 else None
            seconds += time.perf_counter() - start
            counts += 1
            nodes += counted or 0
            before = depth
            if counted != expected:
                why = (
                    first_wrong_move(line.fen, depth, make)
                    if counted is not None
                    else f"too many leaves at depth {small + 1} already"
                )
                wrong.append(Wrong(line.source, line.fen, depth, expected, counted, why))
                say(describe(wrong[-1]))
                break  # what is deeper is wrong for the same reason
        advance()
    return SuiteResult(len(lines), counts, nodes, seconds, tuple(wrong))


def _last_small(position: Position, depths: range, most: int) -> int:
    """The last of some depths that has, as those before it, no more than `most` leaves; if there is none, the depth before them."""
    for depth in depths:
        if position.perft(depth) > most:
            return depth - 1
    return depths.stop - 1


def describe(wrong: Wrong) -> str:
    """The report of one wrong count, two lines."""
    counted = "given up" if wrong.counted is None else wrong.counted
    return f"{wrong.source}: depth {wrong.depth}: {counted}, expected {wrong.expected}: {wrong.fen}\n    {wrong.reason}"


def _position(fen: str, make: MakePosition, source: str) -> Position:
    try:
        return make(fen, is_shredder(fen))
    except ValueError as error:
        raise CommandError(f"{source}: {reason(error)}: {shorten(fen, SHOWN)}") from error


def first_wrong_move(fen: str, depth: int, make: MakePosition = Position) -> str:
    """Follow the first root move whose count python-chess does not share, until the legal moves themselves differ.

    Returns a sentence that names the move, or says that python-chess counts the same and the suite is to blame.
    """
    import chess

    plain = Position(fen, is_shredder(fen)).fen()  # castling rights in the order that python-chess wants
    board = chess.Board(plain, chess960=is_shredder(fen))
    position = make(fen, board.chess960)
    path: list[str] = []
    for remaining in range(depth, 0, -1):
        ours = dict(position.divide(remaining))
        theirs = {board.uci(move): move for move in board.legal_moves}
        if ours.keys() != theirs.keys():
            where = f"after {' '.join(path)}" if path else "here"
            return f"{where} {_difference(set(ours), set(theirs))}: {board.fen(shredder=board.chess960)}"
        wrong = next((move for text, move in theirs.items() if ours[text] != _oracle(board, move, remaining - 1)), None)
        if wrong is None:
            break
        path.append(board.uci(wrong))
        position.make(path[-1])
        board.push(wrong)
    return f"python-chess counts the same {'after ' + ' '.join(path) if path else 'here: the expected count is wrong'}"


def _difference(ours: set[str], theirs: set[str]) -> str:
    """Name the moves that only one side has."""
    parts = [("illegal move generated", ours - theirs), ("legal move missing", theirs - ours)]
    return ", ".join(f"{what} {' '.join(sorted(moves))}" for what, moves in parts if moves)


def _oracle(board: "chess.Board", move: "chess.Move", depth: int) -> int:
    """python-chess's leaf count `depth` plies behind `move`, which is taken back."""
    board.push(move)
    if depth == 0:
        leaves = 1
    elif depth == 1:
        leaves = board.legal_moves.count()
    else:
        leaves = sum(_oracle(board, reply, depth - 1) for reply in board.legal_moves)
    board.pop()
    return leaves


def main(argv: Sequence[str]) -> int:
    """The subcommand. Returns 1 if a suite's count is off, 2 for a bad FEN or file."""
    parser = argparse.ArgumentParser(
        prog="coachwhip perft", description="Count the leaves of the tree of legal moves, or check suites of known counts."
    )
    parser.add_argument("depth", nargs="?", type=whole_number(0, MAX_DEPTH), help="plies")
    parser.add_argument("fen", nargs="*", help="position, quoted or as separate words (default: the start position)")
    suite = f"EPD files with lines FEN ;D1 20 ;D2 400 (without FILE: {PERFT.in_words()})"
    parser.add_argument("--suite", nargs="*", type=file_name, metavar="FILE", help=suite)
    parser.add_argument(
        "--max-nodes", type=whole_number(0, 10**15), default=MAX_NODES, metavar="N", help="skip larger counts of a suite"
    )
    parser.add_argument(
        "--max-depth", type=whole_number(1, MAX_DEPTH), default=MAX_DEPTH, metavar="N", help="skip deeper counts of a suite"
    )
    parser.add_argument(
        "--threads", type=whole_number(1, MAX_THREADS), default=1, metavar="N", help="counting threads (default 1)"
    )
    parser.add_argument("--hash", type=whole_number(0, MAX_HASH_MB), default=0, metavar="MB", help=HASH_HELP)
    parser.add_argument("--chess960", action="store_true", help="write castling as king takes rook")
    parser.add_argument("--no-divide", action="store_true", help="leave out the count of each root move")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of text")
    return execute(parser, argv, _perft)


def _perft(args: argparse.Namespace) -> int:
    """Run with the parsed arguments."""
    if args.suite is not None:
        if args.depth is not None:
            raise CommandError("give a DEPTH or --suite, not both")
        return _suite(args)
    if args.depth is None:
        raise CommandError("give a DEPTH, or --suite with a file or without")
    return _single(args)


@contextmanager
def late_bar() -> Iterator[Callable[[int, int, int], None]]:
    """A function for `on_progress` of `Position.divide`, which shows a bar on standard error once BAR_AFTER seconds are over."""
    begun = time.monotonic()
    shown = 0
    bar: Bar | None = None
    with ExitStack() as stack:

        def on_progress(done: int, parts: int, _leaves: int) -> None:
            nonlocal bar, shown
            if bar is None and time.monotonic() - begun >= BAR_AFTER:
                bar = stack.enter_context(progress("perft", parts))
            if bar is not None and done > shown:
                bar.advance(done - shown)
                shown = done

        yield on_progress


def _single(args: argparse.Namespace) -> int:
    """One position: divide, total, time."""
    fen = " ".join(args.fen) or STARTPOS_FEN
    position = _position(fen, lambda text, shredder: Position(text, args.chess960 or shredder), "fen")
    start = time.perf_counter()
    divide: list[tuple[str, int]] = []
    if args.depth:
        with late_bar() as on_progress:
            divide = position.divide(args.depth, threads=args.threads, hash_mb=args.hash, on_progress=on_progress)
    nodes = sum(count for _, count in divide) if args.depth else 1
    seconds = time.perf_counter() - start
    if args.no_divide:
        divide = []
    if args.json:
        totals = {
            "fen": position.fen(),
            "depth": args.depth,
            "nodes": nodes,
            "seconds": seconds,
            "nps": per_second(nodes, seconds),
        }
        print(json.dumps({**totals, "divide": dict(divide)}, indent=1))
        return 0
    for move, count in divide:
        print(f"{move}: {count}")
    print(f"\nNodes searched: {nodes}\nTime: {round(seconds * 1000)} ms\nNPS: {per_second(nodes, seconds)}")
    return 0


def _suite(args: argparse.Namespace) -> int:
    """Suites, in the order given."""
    if not args.suite:
        PERFT.announce()
    lines = [line for path in args.suite or [PERFT.path] for line in read_suite(path)]
    with progress("perft", len(lines)) as bar:
        result = run_suite(
            lines,
            max_nodes=args.max_nodes,
            max_depth=args.max_depth,
            threads=args.threads,
            hash_mb=args.hash,
            advance=bar.advance,
            say=bar.say,
        )
    if args.json:
        print(json.dumps(result.as_dict(), indent=1))
    else:
        print(
            f"Positions: {result.positions}\nCounts: {result.counts}\nWrong: {len(result.wrong)}\nNodes searched: {result.nodes}"
        )
        print(f"Time: {round(result.seconds * 1000)} ms\nNPS: {per_second(result.nodes, result.seconds)}")
    return 1 if result.wrong else 0
