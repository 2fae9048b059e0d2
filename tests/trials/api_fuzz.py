# SPDX-License-Identifier: GPL-3.0-or-later
"""Hostile texts, codes and boards for the Python API, by hand: `api_fuzz.py [--count N] [--seed S]`.

Each is read, or rejected with ValueError or TypeError and one printable line; what is read is consistent.
sanitizers.py runs it too.
"""

import argparse
import random
import sys
from collections.abc import Callable
from typing import Any

import chess
import numpy as np
from coachwhip.core.engine import Engine, Position, is_ok
from coachwhip.core.learning.scorer import pack
from coachwhip.evaluation import config

FENS = [
    chess.STARTING_FEN,
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "1rr1k1rr/8/8/3pP3/8/8/8/1RR1K1RR w HCgb d6 4 9",
    "8/k1P5/8/1K6/8/8/2p5/8 b - - 99 120",
]
MOVES = [
    "e2e4",
    "e1g1",
    "e1h1",
    "c7c8q",
    "c2c1n",
    "O-O",
    "O-O-O+",
    "Nf3",
    "Qxf6",
    "c8=Q+",
    "exd6",
    "Nbd2",
    "R1xc3#",
    "Bd3xa6",
]
LETTERS = (
    "".join(map(chr, range(128)))
    + "PNBRQKpnbrqkabcdefgh12345678/-+#=xOw " * 8
    + "\u0435\u212a\u0661\u00a0\ud800\U0001f600"
)


def mutated(rng: random.Random, texts: list[str]) -> str:
    """Random letters, or a text with some changed, dropped or put in."""
    if rng.random() < 0.1:
        return "".join(rng.choices(LETTERS, k=rng.choice((0, 1, 2, 3, 4, 5, 60, 4000))))
    text = rng.choice(texts)
    for _ in range(rng.randint(0, 3)):
        at = rng.randint(0, len(text))
        text = text[:at] + "".join(rng.choices(LETTERS, k=rng.randint(0, 2))) + text[at + rng.randint(0, 2) :]
    return text


def mutated_board(rng: random.Random) -> chess.Board:
    """A board whose attributes contradict each other."""
    board = chess.Board(rng.choice(FENS), chess960=True)
    for _ in range(rng.randint(1, 4)):
        move = chess.Move(
            rng.randrange(-2, 70), rng.randrange(-70, 300), rng.choice((None, 0, 5, 6, -9, 2**31 - 1))
        )
        change: dict[str, Any] = {
            rng.choice(("pawns", "kings", "rooks", "castling_rights", "queens")): rng.choice(
                (0, -1, 2**64, rng.getrandbits(64))
            ),
            "ep_square": rng.choice((None, -1, 20, 43, 64, 2**40)),
            "halfmove_clock": rng.choice((-1, 5, 2**40)),
            "occupied_co": [rng.getrandbits(64), rng.getrandbits(64)],
            "move_stack": [move],
        }
        name = rng.choice(list(change))
        setattr(board, name, change[name])
    return board


def check(faults: list[str], read: Callable[[Any], Any], given: Any) -> Any:
    """Read something; note a fault unless it is rejected with one line."""
    try:
        return read(given)
    except (ValueError, TypeError, OverflowError, IndexError) as error:
        if not str(error).isprintable() or len(str(error)) > 400:
            faults.append(f"{given!r:.200}: {error!r:.400}")
        return None


def main() -> int:
    """Print the number of inputs and the faults."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--count", type=int, default=100_000, help="inputs (default 100000)")
    parser.add_argument("--seed", type=int, default=1, help="default 1")
    args = parser.parse_args()
    rng, position, read = random.Random(args.seed), Position(), 0
    faults: list[str] = []
    values, network = config.evaluator()
    engine, scores = Engine(values, 1, network=network), np.zeros(1, np.int32)
    for number in range(args.count):
        kind = number % 4
        if kind == 0:
            text = mutated(rng, FENS)
            new = check(faults, lambda fen: Position(fen, rng.random() < 0.5), text)
            check(faults, pack, text)
            if new is not None:
                position = new
                engine.evaluate_slice([text], 0, 1, scores)
        elif kind == 1:
            new = check(faults, Position.from_board, mutated_board(rng))
        elif kind == 2:
            new = check(faults, rng.choice((position.make, position.san, position.see)), mutated(rng, MOVES))
            new = check(
                faults, position.make, rng.choice((*position.moves(), rng.randrange(-9, 1 << 17), -(2**70)))
            )
        else:
            new = check(
                faults,
                position.make_san,
                mutated(rng, MOVES + [position.san(move) for move in position.moves()]),
            )
            check(faults, rng.choice((position.piece_at, position.bitboard)), mutated(rng, ["e4", "N"]))
        read += isinstance(new, Position)
        if not all(is_ok(each) for each in (position, new) if isinstance(each, Position)):
            faults.append(f"input {number}: {position!r} is not consistent")
    print(f"{args.count} inputs, {read} positions read, {len(faults)} faults", *faults[:9], sep="\n")
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main())
