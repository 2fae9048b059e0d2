# SPDX-License-Identifier: GPL-3.0-or-later
"""Timed trials of the UCI face, which have no place among the tests: `uci_evidence.py latency|threads|scores [COUNT]`.

latency: from `stop` to `bestmove`, and from `isready` to `readyok` under search, at random moments in random positions.
threads: nodes per second with two threads against one, in turn.
scores: games as lichess-bot plays them, on short clocks with pondering; how many moves came without a score. Each prints what it saw.
"""

import argparse
import random
import re
import statistics
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

import chess
import chess.engine

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tools"))
from uci_process import UciProcess, environment, installed_command

SEED = 2024
LONGEST = 0.4  # seconds a search runs before it is stopped
CLOCK, INCREMENT = 3.0, 0.03  # seconds
MOST_MOVES = 120  # of a game, both sides together
MOVETIME = 3000  # milliseconds of each search of the trial of threads
POSITIONS = (
    "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
    "r1bqk2r/ppp1b1pp/2n5/4pp2/8/P1PP1NP1/2Q1PP1P/1RB1KB1R b Kkq - 2 10",
    "1r2k2r/p1p2ppp/2p5/4b3/4Pp2/1P3K1P/P1P3P1/R1B4R w k - 1 16",
)


def random_position(generator: random.Random) -> chess.Board:
    """Some way into a game of random moves that is not over."""
    board = chess.Board()
    for _ in range(generator.randrange(120)):
        board.push(generator.choice(list(board.legal_moves)))
        if board.is_game_over():
            board.pop()
            break
    return board


def milliseconds(engine: UciProcess, line: str, answer: str) -> float:
    """From the write of a line to the read of its answer."""
    start = time.perf_counter()
    engine.send(line)
    engine.read_until(answer)
    return 1000 * (time.perf_counter() - start)


def told(name: str, values: Sequence[float]) -> None:
    """The spread, in milliseconds."""
    order = sorted(values)
    shares = ", ".join(f"{share:g} % {order[int(len(order) * share / 100)]:.2f}" for share in (50, 90, 99))
    print(f"{name}: {len(order)} times, {shares}, most {order[-1]:.2f} ms")


def latency(count: int) -> None:
    """Random stops in random positions."""
    generator = random.Random(SEED)
    stops, readies = [], []
    with UciProcess(command=installed_command()) as engine:
        engine.ask("setoption name Hash value 64")
        for _ in range(count):
            engine.send(f"position fen {random_position(generator).fen()}", "go infinite")
            time.sleep(generator.uniform(0.001, LONGEST))
            readies.append(milliseconds(engine, "isready", "readyok"))
            stops.append(milliseconds(engine, "stop", "bestmove"))
        engine.quit()
    told("isready to readyok", readies)
    told("stop to bestmove", stops)


def speed(engine: UciProcess, threads: int, fen: str) -> float:
    """Nodes per second of the last line that says so."""
    engine.ask(f"setoption name Threads value {threads}", "ucinewgame", f"position fen {fen}")
    lines = engine.go(f"go movetime {MOVETIME}")
    nodes, spent = next(m for line in reversed(lines) if (m := re.search(r" nodes (\d+) .* time (\d+)", line))).groups()
    return 1000 * int(nodes) / max(1, int(spent))


def threads(count: int) -> None:
    """One thread and two, in turn on the same positions."""
    ratios = []
    with UciProcess(command=installed_command()) as engine:
        engine.ask("setoption name Hash value 64")
        for number in range(count):
            fen = POSITIONS[number % len(POSITIONS)]
            one, two = speed(engine, 1, fen), speed(engine, 2, fen)
            ratios.append(two / one)
            print(f"{one / 1e6:.2f} and {two / 1e6:.2f} million nodes per second: {two / one:.2f}")
        engine.quit()
    print(f"median {statistics.median(ratios):.2f}, {min(ratios):.2f} to {max(ratios):.2f}")


def play_game(players: Sequence[chess.engine.SimpleEngine], number: int, board: chess.Board) -> tuple[int, int, int]:
    """One game of two engines that both ponder; returns moves, ponder hits, and moves without a score."""
    clock = [CLOCK, CLOCK]
    expected: list[chess.Move | None] = [None, None]
    moves = hits = without = 0
    while not board.is_game_over(claim_draw=True) and moves < MOST_MOVES:
        side = board.turn
        hits += bool(board.move_stack) and board.peek() == expected[side]
        limit = chess.engine.Limit(white_clock=clock[1], black_clock=clock[0], white_inc=INCREMENT, black_inc=INCREMENT)
        start = time.perf_counter()
        result = players[side].play(board, limit, game=number, info=chess.engine.INFO_ALL, ponder=True)
        clock[side] += INCREMENT - (time.perf_counter() - start)
        assert result.move
        moves += 1
        without += "score" not in result.info
        expected[side] = result.ponder
        board.push(result.move)
    return moves, hits, without


def scores(count: int) -> None:
    """Games under lichess-bot's default options, from the start position and from random ones in turn."""
    generator = random.Random(SEED)
    total = [0, 0, 0]
    with ExitStack() as stack:
        players = [stack.enter_context(chess.engine.SimpleEngine.popen_uci(installed_command(), env=environment())) for _ in "wb"]
        for engine in players:
            engine.configure({"Move Overhead": 100, "Threads": 1, "Hash": 64, "UCI_ShowWDL": True})
        for number in range(count):
            board = random_position(generator) if number % 2 else chess.Board()
            total = [before + now for before, now in zip(total, play_game(players, number, board), strict=True)]
    print(f"{count} games, {total[0]} moves, {total[1]} of them after a ponder hit, {total[2]} without a score")


TRIALS = {"latency": (latency, 500), "threads": (threads, 9), "scores": (scores, 20)}


def main() -> None:
    """Run one trial."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trial", choices=TRIALS)
    parser.add_argument("count", type=int, nargs="?")
    args = parser.parse_args()
    trial, count = TRIALS[args.trial]
    trial(args.count or count)


if __name__ == "__main__":
    main()
