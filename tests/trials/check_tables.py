# SPDX-License-Identifier: GPL-3.0-or-later
"""Every legal position of the tests' own tables, read with python-chess: `check_tables.py [OTHER_TABLES ...]`.

Each position up to reflections is compared with the solver of tests/tools/three_men.py, and with the tables in the other folders.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

import chess
import chess.syzygy

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tools"))
import three_men
from places import DATA


def positions(piece: str, solution: three_men.Solution) -> Iterator[tuple[chess.Board, int]]:
    """Every position up to reflections (only of the files, if there is a pawn), and its signed plies, 0 for a draw."""
    kind = chess.PIECE_SYMBOLS.index(piece.lower())
    for turn, plies, legal in (
        (chess.WHITE, solution.white, solution.white_is_legal),
        (chess.BLACK, solution.black, solution.black_is_legal),
    ):
        for king, man, lone in zip(*legal.nonzero(), strict=True):
            rank, file = divmod(int(man if piece == "P" else king), 8)
            if file > 3 or (piece != "P" and rank > file):
                continue
            men = {king: chess.Piece(chess.KING, True), man: chess.Piece(kind, True), lone: chess.Piece(chess.KING, False)}
            board = chess.Board(None)
            board.set_piece_map({int(square): each for square, each in men.items()})
            board.turn = turn
            found = int(plies[king, man, lone])
            yield board, (0 if found < 0 else found if turn else -max(found, 1))


def main() -> None:
    """Compare all, and end with 1 if there is a difference."""
    own = chess.syzygy.open_tablebase(str(DATA / "syzygy"))
    others = [chess.syzygy.open_tablebase(path) for path in sys.argv[1:]]
    wrong = 0
    for piece, solution in three_men.solve_all().items():
        count = 0
        for number, (board, expected) in enumerate(positions(piece, solution)):
            count += 1
            if number < 100:
                assert board.is_valid()
            mirrored = board if number % 2 else board.mirror()
            found = [(tables.probe_wdl(mirrored), tables.probe_dtz(mirrored)) for tables in (own, *others)]
            sign = (expected > 0) - (expected < 0)
            if any(each != (2 * sign, expected) for each in found):
                wrong += 1
                print(mirrored.fen(), "solver:", expected, "tables (wdl, dtz):", found)
        print(f"K{piece}vK: {count} positions compared", flush=True)
    print(f"{wrong} differ")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
