# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes the tests' own data anew: `python tests/tools/make_data.py [tables perft games positions books suites endgames]`.

Everything comes from chance with fixed seeds, from python-chess, from the solver of three men, and from coachwhip itself, which
plays the games and grades moves with the tests' own weights. tests/data/README.md says what each file is.
"""

from __future__ import annotations

import lzma
import random
import re
import struct
import sys
from collections import Counter
from typing import TYPE_CHECKING

import chess
import chess.pgn
import chess.polyglot
import oracle
import own_openings
import own_positions
import syzygy_writer
import three_men
from coachwhip.core.engine import Position
from places import DATA

if TYPE_CHECKING:
    from collections.abc import Iterator

    from coachwhip.core.engine import SearchInfo

MOST_LEAVES = 150_000  # of a perft count
NODES = 3000  # a move of a game
GAMES = {"games": ("standard", 24), "chess960-games": ("dfrc", 12)}
RANDOM_PLIES = 6  # before the engine takes over
MOST_PLIES = 240
BOOK_PLIES = 16
GRADES = (10, 7, 4, 1)


def write(name: str, text: str) -> None:
    """Write a file; one that ends in .xz is compressed."""
    path = DATA / name
    path.parent.mkdir(parents=True, exist_ok=True)
    data = text.encode()
    path.write_bytes(lzma.compress(data, preset=9) if path.suffix == ".xz" else data)


def read_games(name: str) -> list[chess.pgn.Game]:
    """The games of one of our own files."""
    with (DATA / "games" / f"{name}.pgn").open(encoding="utf-8") as file:
        return list(iter(lambda: chess.pgn.read_game(file), None))


# --- Tables and counts ---


def make_tables() -> None:
    """Syzygy files of all endings of three men."""
    for piece, solution in three_men.solve_all().items():
        for suffix, data in (
            ("rtbw", syzygy_writer.wdl_file(piece, solution)),
            ("rtbz", syzygy_writer.dtz_file(piece, solution)),
        ):
            path = DATA / "syzygy" / f"K{piece}vK.{suffix}"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)


def make_perft() -> None:
    """Positions of each kind with their leaf counts."""
    lines: dict[str, list[str]] = {}
    for number, (name, count, source, wanted) in enumerate(own_positions.KINDS):
        boards = own_positions.found(source, wanted, count, f"perft {number}")
        lines.setdefault(name, []).extend(own_positions.perft_line(board, MOST_LEAVES) for board in boards)
    for name, texts in lines.items():
        write(f"perft/{name}.epd", "\n".join(texts) + "\n")


# --- Games, and what is taken from them ---


def play(board: chess.Board, rng: random.Random) -> None:
    """Play a game on a start position: a few moves by chance, then the engine against itself."""
    engine = oracle.new_engine(hash_mb=4)
    for _ in range(RANDOM_PLIES):
        board.push(rng.choice(list(board.legal_moves)))
    position = Position(oracle.fen_of(board.root()), chess960=board.chess960)
    for move in board.move_stack:
        position.make(board.uci(move))
    while not board.is_game_over(claim_draw=True) and board.ply() < MOST_PLIES:
        best = engine.search(position, nodes=NODES).bestmove
        board.push(board.parse_uci(best))
        position.make(best)


def make_games() -> None:
    """Games of the engine against itself."""
    for name, (kind, count) in GAMES.items():
        rng = random.Random(name)
        texts = []
        for number in range(1, count + 1):
            board = oracle.start_board(kind, rng)
            play(board, rng)
            game = chess.pgn.Game.from_board(board)
            game.headers.update(
                {"Event": "Own play", "Site": "coachwhip", "Round": str(number), "White": "coachwhip", "Black": "coachwhip"}
            )
            game.headers["Result"] = board.result(claim_draw=True)
            texts.append(str(game))
        write(f"games/{name}.pgn", "\n\n".join(texts) + "\n")


def game_boards(name: str) -> Iterator[chess.Board]:
    """Every position of our own games."""
    for game in read_games(name):
        board = game.board()
        for move in game.mainline_moves():
            board.push(move)
            yield board.copy(stack=False)


def last_boards(kind: str, count: int) -> Iterator[chess.Board]:
    """The last positions of random games that ended on the board."""
    rng = random.Random(f"last {kind}")
    for _ in range(count):
        board = oracle.start_board(kind, rng)
        for _move in oracle.play(board, rng, True, 400):
            if board.is_insufficient_material():
                break
        if board.is_game_over():
            yield board.copy(stack=False)


def make_positions() -> None:
    """A choice of the positions of our own games and of random games, with what python-chess says of each."""
    for name, kind, count in (("games", "standard", 500), ("chess960-games", "dfrc", 250)):
        rng = random.Random(f"positions {name}")
        played = {board.epd(): board for board in game_boards(name)}
        ends = {board.epd(): board for board in last_boards(kind, 60)}
        wild = own_positions.found(own_positions.games(kind), own_positions.anything, count // 2, f"wild {kind}")
        chosen = [*rng.sample(list(played.values()), count // 2), *ends.values(), *wild]
        write(f"positions/{name}.tsv.xz", "".join(f"{own_positions.described(board)}\n" for board in chosen))


def make_books() -> None:
    """An opening book in Polyglot's format from our own games, and double Chess960 openings, one a line."""
    counts: Counter[tuple[int, int]] = Counter()
    for game in read_games("games"):
        board = game.board()
        for move in list(game.mainline_moves())[:BOOK_PLIES]:
            counts[chess.polyglot.zobrist_hash(board), own_openings.polyglot_move(board, move)] += 1
            board.push(move)
    entries = sorted((key, move, count) for (key, move), count in counts.items())
    path = DATA / "books" / "own.bin"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(struct.pack(">QHHI", key, move, count, 0) for key, move, count in entries))
    starts = own_positions.found(own_positions.games("dfrc"), own_positions.may_castle, 40, "book")
    write("books/dfrc.epd", "".join(f"{board.fen()}\n" for board in starts))


# --- Questions ---


def endgame_lines(count: int, seed: str) -> Iterator[str]:
    """Positions of three men with the outcome, and the moves that keep it where others do not."""
    solved = three_men.solve_all()
    rng = random.Random(seed)
    seen: Counter[str] = Counter()
    while sum(seen.values()) < count:
        piece = "QRPQRPQRPBN"[sum(seen.values()) % 11]
        board = chess.Board(None)
        for letter, square in zip(["K", "k", piece], rng.sample(range(64), 3), strict=True):
            board.set_piece_at(square, chess.Piece.from_symbol(letter))
        board.turn = rng.random() < 0.5
        board = board if rng.random() < 0.5 else board.mirror()
        if not board.is_valid():
            continue
        wdl, dtz = three_men.outcome(board, solved)
        moves = list(board.legal_moves)
        keeping = [move for move in moves if -outcome_after(board, move, solved) == wdl]
        is_question = 0 < len(keeping) < len(moves)
        if not is_question and rng.random() < 0.7:  # the others are easy
            continue
        seen[piece] += 1
        label = f"K{piece}vK.{seen[piece]:03}"
        yield board.epd(wdl=wdl, dtz=dtz, bm=keeping, id=label) if is_question else board.epd(wdl=wdl, dtz=dtz, id=label)


def outcome_after(board: chess.Board, move: chess.Move, solved: dict[str, three_men.Solution]) -> int:
    """The outcome for the side that is to move after `move`."""
    board.push(move)
    wdl, _ = three_men.outcome(board, solved)
    board.pop()
    return wdl


def make_endgames() -> None:
    """Questions about three men."""
    write("endgame/syzygy-wdl-dtz.epd", "".join(f"{line}\n" for line in endgame_lines(300, "endgames")))


def mate_lines() -> Iterator[str]:
    """Short mates on the way of random games, found by trying everything; as many of each length."""
    seen: Counter[int] = Counter()
    for board in own_positions.games("standard", 0.2)(random.Random("mates")):
        if board.fullmove_number < 12 or not any(board.legal_moves):
            continue
        mate = oracle.mate_distance(Position(board.fen()), 2)
        if mate and seen[mate] < 6:
            seen[mate] += 1
            yield board.epd(dm=mate, id=f"mate {mate} {seen[mate]}")
        if sum(seen.values()) == 24:  # 1, 2, -1, -2
            return


def graded_line(board: chess.Board, label: str) -> str:
    """A position with the points of the four moves that the engine likes best."""
    moves: dict[int, chess.Move] = {}
    for info in searched(board):
        moves[info.multipv] = chess.Move.from_uci(info.pv[0])
    graded = [moves[number] for number in sorted(moves)]
    return board.epd(
        bm=graded[:1],
        id=label,
        c7=" ".join(board.san(move) for move in graded),
        c8=" ".join(map(str, GRADES)),
        c9=" ".join(move.uci() for move in graded),
    )


def searched(board: chess.Board) -> list[SearchInfo]:
    """The lines of the last depth."""
    infos: list[SearchInfo] = []
    oracle.new_engine(hash_mb=4).search(Position(board.fen()), depth=8, multipv=len(GRADES), on_info=infos.append)
    return [info for info in infos if info.depth == 8 and not info.bound and not info.currmove]


def make_suites() -> None:
    """Positions with a question: mates, graded moves, and the only move that keeps a win or a draw."""
    write("suites/mates.epd", "".join(f"{line}\n" for line in mate_lines()))
    rng = random.Random("graded")
    boards = [board for board in game_boards("games") if board.legal_moves.count() >= 10 and board.fullmove_number > 8]
    chosen = rng.sample(boards, 20)
    write("suites/graded.epd", "".join(f"{graded_line(board, f'graded {i}')}\n" for i, board in enumerate(chosen, 1)))
    only = [line for line in endgame_lines(1000, "only moves") if re.search(r" bm \S+;", line)]
    write("suites/best-moves.epd", "".join(f"{line}\n" for line in only[:30]))


MAKERS = {
    "tables": make_tables,
    "perft": make_perft,
    "games": make_games,
    "positions": make_positions,
    "books": make_books,
    "suites": make_suites,
    "endgames": make_endgames,
}


def main() -> None:
    """Make what is named, or everything."""
    for name in sys.argv[1:] or MAKERS:
        print(name, flush=True)
        MAKERS[name]()


if __name__ == "__main__":
    main()
