# SPDX-License-Identifier: GPL-3.0-or-later
"""The tests' own data are what tests/tools/make_data.py makes: samples are worked out once more, with python-chess and by the rules."""

import io
import lzma
import random
from pathlib import Path

import chess
import chess.pgn
import chess.syzygy
import oracle
import own_positions
import pytest
import syzygy_writer
import three_men
from coachwhip.core.engine import Position
from coachwhip.evaluation import config
from places import DATA, FROZEN_WEIGHTS

SUITES = sorted({name for name, *_ in own_positions.KINDS})
COUNTED_AGAIN = 8000  # leaves; counts above it are left to whoever makes the data
CHANCES = 400  # positions of each table


def test_the_data_stay_small() -> None:
    assert sum(path.stat().st_size for path in DATA.rglob("*") if path.is_file()) < 500_000


# --- Tables of three men ---


@pytest.fixture(scope="module")
def solved() -> dict[str, three_men.Solution]:
    return three_men.solve_all()


def random_board(piece: str, rng: random.Random) -> chess.Board:
    """King and piece against king, either colour's, either side to move."""
    while True:
        board = chess.Board(None)
        for letter, square in zip(["K", "k", piece], rng.sample(range(64), 3), strict=True):
            board.set_piece_at(square, chess.Piece.from_symbol(letter))
        board.turn = rng.random() < 0.5
        if board.is_valid():
            return board if rng.random() < 0.5 else board.mirror()


@pytest.mark.parametrize("piece", three_men.PIECES)
def test_tables_say_what_the_solver_found(piece: str, solved: dict[str, three_men.Solution]) -> None:
    """tests/trials/check_tables.py compares all positions."""
    rng = random.Random(piece)
    with chess.syzygy.open_tablebase(str(DATA / "syzygy")) as tables:
        for _ in range(CHANCES):
            board = random_board(piece, rng)
            assert (tables.probe_wdl(board), tables.probe_dtz(board)) == three_men.outcome(board, solved), board.fen()


def by_one_move(board: chess.Board, solved: dict[str, three_men.Solution]) -> tuple[int, int]:
    """The outcome of a position from that of the positions after python-chess's legal moves."""
    if board.is_checkmate():
        return -2, -1
    plies: dict[int, list[int]] = {2: [], 0: [], -2: []}
    for move in board.legal_moves:
        zeroing = board.is_zeroing(move)
        board.push(move)
        wdl, dtz = three_men.outcome(board, solved)
        plies[-wdl].append(1 if zeroing or board.is_checkmate() else 1 + abs(dtz))
        board.pop()
    if plies[2]:
        return 2, min(plies[2])
    return (-2, -max(plies[-2])) if plies[-2] and not plies[0] else (0, 0)


@pytest.mark.parametrize("piece", three_men.PIECES)
def test_every_outcome_follows_from_those_after_one_move(piece: str, solved: dict[str, three_men.Solution]) -> None:
    """The fewest plies for who wins, the most for who loses, by the rules of python-chess."""
    rng = random.Random(f"one move {piece}")
    for _ in range(CHANCES):
        board = random_board(piece, rng)
        assert three_men.outcome(board, solved) == by_one_move(board, solved), board.fen()


def test_the_writer_still_writes_the_same_files(solved: dict[str, three_men.Solution]) -> None:
    folder = DATA / "syzygy"
    for piece in "QB":
        assert syzygy_writer.wdl_file(piece, solved[piece]) == (folder / f"K{piece}vK.rtbw").read_bytes()
    assert syzygy_writer.dtz_file("Q", solved["Q"]) == (folder / "KQvK.rtbz").read_bytes()


PLACES = syzygy_writer.PIECE_PLACES
LISTS = {
    "noise": random.Random("noise").choices(range(200), k=PLACES),
    "two in turn": [place % 2 for place in range(PLACES)],
    "one exception": [int(place == 20_000) for place in range(PLACES)],
    "long runs": [place // 5000 for place in range(PLACES)],
}


@pytest.mark.parametrize("kind", LISTS)
def test_any_list_comes_back(kind: str, tmp_path: Path) -> None:
    """Written as the distances of KQvK, and read with python-chess."""
    values = LISTS[kind]
    order = (0, 1, 2)
    header = syzygy_writer.DTZ_MAGIC + bytes([0, 0, *syzygy_writer.letters("Q", order)])
    packed = syzygy_writer.pack(values, syzygy_writer.WINS_IN_PLIES)
    (tmp_path / "KQvK.rtbz").write_bytes(syzygy_writer.assembled(header, [packed]))
    positions = syzygy_writer.piece_positions(order)
    with chess.syzygy.open_tablebase(str(tmp_path)) as tables:
        for place in [*range(0, PLACES, 61), 19_999, 20_000, 20_001, PLACES - 1]:
            board = chess.Board(None)
            for letter, square in zip("KQk", positions[place], strict=True):
                board.set_piece_at(int(square), chess.Piece.from_symbol(letter))
            assert tables.probe_dtz_table(board, 2) == (values[place], 1), place


# --- Counts, positions and games ---


@pytest.mark.parametrize("name", SUITES)
def test_counts_are_counted_again(name: str) -> None:
    """The small ones of every fourth position; each position has what its file promises."""
    lines = (DATA / "perft" / f"{name}.epd").read_text().splitlines()
    wanted = [(count, holds) for kind, count, _, holds in own_positions.KINDS if kind == name]
    assert len(lines) == sum(count for count, _ in wanted)
    assert len({line.partition(" ;")[0] for line in lines}) == len(lines)
    for number, line in enumerate(lines):
        fen, *fields = line.split(" ;")
        board = chess.Board(fen, chess960=set(fen.split()[2]) - set("KQkq-") != set())
        assert board.is_valid()
        assert any(holds(board) for _, holds in wanted), fen
        assert [field.split()[0] for field in fields] == [f"D{depth}" for depth in range(1, len(fields) + 1)]
        for depth, field in enumerate(fields, 1):
            if number % 4 == 0 and int(field.split()[1]) <= COUNTED_AGAIN:
                assert own_positions.leaves(board, depth) == int(field.split()[1]), (fen, depth)


@pytest.mark.parametrize(("name", "chess960"), [("games", False), ("chess960-games", True)])
def test_positions_are_described_as_python_chess_sees_them(name: str, chess960: bool) -> None:
    lines = lzma.decompress((DATA / "positions" / f"{name}.tsv.xz").read_bytes()).decode().splitlines()
    for line in lines[::5]:
        board = chess.Board(line.partition("\t")[0], chess960=chess960)
        assert board.is_valid()
        assert own_positions.described(board) == line


@pytest.mark.parametrize(("name", "count"), [("games", 24), ("chess960-games", 12)])
def test_games_are_legal_and_end_as_they_say(name: str, count: int) -> None:
    text = io.StringIO((DATA / "games" / f"{name}.pgn").read_text())
    games = list(iter(lambda: chess.pgn.read_game(text), None))
    assert len(games) == count
    for game in games:
        assert not game.errors
        assert game.headers["Result"] == game.end().board().result(claim_draw=True)


def test_mates_are_those_of_a_plain_solver() -> None:
    for line in (DATA / "suites" / "mates.epd").read_text().splitlines():
        board, operations = chess.Board.from_epd(line)
        assert oracle.mate_distance(Position(board.fen()), 2) == operations["dm"]


def test_the_frozen_weights_have_every_entry() -> None:
    """A new weight comes into tests/data/frozen_weights.py with zeros; WeightsError names it."""
    assert config.load(FROZEN_WEIGHTS).keys() == config.load_default().keys()
    assert len(oracle.frozen_weights()) == len(config.flatten(config.load_default()))
