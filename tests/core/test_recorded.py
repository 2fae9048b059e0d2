# SPDX-License-Identifier: GPL-3.0-or-later
"""viriformat: recorded games become the positions that python-chess finds; other bytes are rejected."""

import random
import struct

import chess
import game_files
import numpy as np
import oracle
import pytest
from coachwhip.core.engine import Position, is_ok, move_code
from coachwhip.core.learning.scorer import PACKED_SIZE, Scorer, decode_games, encode_game, unpack

MAX_PLIES = 1 << 14  # of a game
EXAMPLE = bytes.fromhex(  # of the specification: 1. e4 e5 2. Qh5 Ke7 3. Qxe5#
    "ffff00000000ffff 16422561000000008888 88889ecaade9 40 00 0100 0000 02 00"
    "0c070a00 34091400 c309e2ff 3c0dff7f 2709ff7f 00000000"
)


def decode(data: bytes, max_score: int = 32_766, first: int = 0) -> tuple[np.ndarray, np.ndarray, int]:
    """The rows, the games, and where the last one ends."""
    rows, games = np.zeros((len(data) // 4, PACKED_SIZE), np.uint8), np.zeros((len(data) // 36, 3), np.int64)
    count, size, end = decode_games(data, rows, games, max_score=max_score, first=first)
    assert size == games[:count, 2].sum()
    return rows[:size], games[:count], end


def all_games() -> list[game_files.Played]:
    return game_files.many(24, plies=80)


def test_the_example_of_the_specification_is_written_and_read() -> None:
    position, plies = Position(), []
    for move, score in zip("e2e4 e7e5 d1h5 e8e7 h5e5".split(), (10, 20, -30, 32_767, 32_767), strict=True):
        plies.append((move_code(position, move), score))
        position.make(move)
    assert encode_game(Position().fen(), 2, plies) == EXAMPLE
    rows, games, end = decode(EXAMPLE)
    assert [unpack(row).split()[:2] for row in rows] == [
        ["rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR", "w"],
        ["rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR", "b"],
        ["rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR", "w"],
    ]  # mates, and captures, are left out
    assert [struct.unpack_from("<hB", row, 28) for row in rows] == [(10, 2), (20, 2), (-30, 2)]
    assert (games.tolist(), end) == ([[0, 56, 3]], 56)


@pytest.mark.parametrize("limit", [0, 200, 32_766])
def test_every_position_is_that_of_python_chess(limit: int) -> None:
    """Of a game, the quiet ones within a limit, each once."""
    data = b"".join(each.data for each in all_games())
    rows, games, end = decode(data, limit)
    assert end == len(data)
    expected = [each.usable(limit) for each in all_games()]
    assert games[:, 2].tolist() == list(map(len, expected))
    assert games[:, 1].tolist() == np.cumsum([len(each.data) for each in all_games()]).tolist()
    assert [row.tobytes() for row in rows] == [row.packed for each in expected for row in each]
    for row, board in zip(rows, (row.board for each in expected for row in each), strict=True):
        assert (
            chess.Board(unpack(row), chess960=True).epd()
            == chess.Board(oracle.fen_of(board), chess960=True).epd()
        )
    played = [row for each in all_games() for row in each.rows]
    assert sum(row.board.is_castling(row.move) for row in played) > 1
    assert sum(row.board.is_en_passant(row.move) for row in played) > 1
    assert sum(row.move.promotion is not None for row in played) > 1
    assert sum(bool(row.board.chess960 and row.board.clean_castling_rights()) for row in played) > 1
    assert sum(len({row.key for row in each.rows}) < len(each.rows) for each in all_games()) > 1


def test_moves_are_written_as_the_specification_has_them() -> None:
    rng = random.Random(3)
    count = 0
    for kind in oracle.KINDS:
        board = oracle.start_board(kind, rng)
        position = Position(oracle.fen_of(board), chess960=board.chess960)
        for move in oracle.play(board, rng, greedy=True, plies=40):
            for each in board.legal_moves:
                game = encode_game(position.fen(), 0, [(move_code(position, each.uci()), -5)])
                assert game[32:] == struct.pack("<Hhi", game_files.word(board, each), -5, 0)
                count += 1
            position.make(move.uci())
    assert count > 1500


def test_games_of_other_programs_are_read() -> None:
    """Clock, move number and score may be 0; nobody need be able to take en passant.

    Extensions are skipped.
    """
    board = chess.Board("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1")
    start = bytearray(game_files.packed(board, 0, 1, number=0))
    start[24] = 128 | chess.E3
    game = game_files.game(bytes(start), [(game_files.word(board, chess.Move.from_uci("g8f6")), -7)])
    rows, games, end = decode(game_files.EXTENSION + bytes(16) + game + game_files.EXTENSION + game)
    assert [unpack(row) for row in rows] == [board.fen()] * 2
    assert games[:, :2].tolist() == [[37, 77], [98, 138]]
    assert end == 138
    with pytest.raises(ValueError, match=r"^game 0, at byte 0: the extension record before it has no end"):
        decode(game_files.EXTENSION[:-1] + b"\1" + game)


def test_a_game_is_as_whole_as_its_last_byte() -> None:
    """What is torn is left out, wherever it is."""
    data = game_files.EXTENSION + EXAMPLE + game_files.EXTENSION + EXAMPLE
    for size in range(len(data)):
        _, games, end = decode(data[:size])
        assert len(games) == (size >= 77)
        assert end == max(part for part in (0, 21, 77, 98) if part <= size)


def test_the_longest_game_is_decoded_and_no_longer_one() -> None:
    board, plies = chess.Board(), []
    for number in range(MAX_PLIES):
        move = chess.Move.from_uci(("g1f3", "g8f6", "f3g1", "f6g8")[number % 4])
        plies.append((game_files.word(board, move), number % 100))
    start = game_files.packed(board, 0, 1)
    rows, games, _ = decode(game_files.game(start, plies))
    assert (len(rows), len(games)) == (4, 1)
    with pytest.raises(ValueError, match="game 0, at byte 0: it is too long"):
        decode(game_files.game(start, [*plies, plies[0]]))


def changed(data: bytes, at: int, *values: int) -> bytes:
    return data[:at] + bytes(values) + data[at + len(values) :]


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (changed(EXAMPLE, 30, 3), "it has no result"),
        (changed(EXAMPLE, 24, 65), "these bytes are not a packed position"),
        (changed(EXAMPLE, 8, 7), "these bytes are not a packed position"),  # a piece of type 7
        (changed(EXAMPLE, 2, 1), "these bytes are not a packed position"),  # 33 pieces
        (changed(EXAMPLE, 8, 5 | 5 << 4), "White and Black must have one king each"),
        (changed(EXAMPLE, 32, 0, 1), "ply 1: the move is illegal"),
        (changed(EXAMPLE, 36, 0xFF, 0xFF), "ply 2: the move is illegal"),
        (changed(EXAMPLE, 33, 0x47), "ply 1: the move is illegal"),  # en passant
        (changed(EXAMPLE, 33, 0xC7), "ply 1: the move is illegal"),  # a promotion
        (changed(EXAMPLE, 41, 0x89), "ply 3: the move is illegal"),  # castling
        (EXAMPLE[:-4] + EXAMPLE, "ply 6: the move is illegal"),  # without its end
    ],
)
def test_bytes_that_are_no_game_are_rejected(data: bytes, why: str) -> None:
    with pytest.raises(ValueError, match=f"^game 71, at byte 56: {why}$"):
        decode(EXAMPLE + data + EXAMPLE, first=70)


def test_wrong_start_positions_are_rejected() -> None:
    """Castling rights that are impossible, and everything a FEN is rejected for."""
    bad = {
        "the side not to move is in check": "4k3/8/8/8/8/8/4R3/4K3 w - - 0 1",
        "a pawn is on the first or last rank": "P3k3/8/8/8/8/8/8/4K3 w - - 0 1",
        "there are more pieces of one colour than promotion allows": "4k3/8/8/8/8/PPPPPPPP/8/QQ2K3 w - - 0 1",
        "there are more than 8 pawns of one colour": "4k3/8/8/8/7P/PPPPPPPP/8/4K3 w - - 0 1",
    }
    for why, fen in bad.items():
        with pytest.raises(ValueError, match=f"game 0, at byte 0: {why}"):
            decode(game_files.game(game_files.packed(chess.Board(fen), 0, 0), []))
    for fen, rooks in (
        ("4k3/8/8/8/8/R7/8/4K3 w - - 0 1", (1,)),
        ("4k3/8/8/8/8/8/4K3/R7 w - - 0 1", (0,)),
        ("4k3/8/8/8/8/8/8/RR2K3 w - - 0 1", (0, 1)),
    ):
        start = bytearray(game_files.packed(chess.Board(fen), 0, 0))
        decode(game_files.game(bytes(start), []))
        for place in rooks:
            start[8 + place // 2] += 3 << 4 * (place & 1)
        with pytest.raises(ValueError, match="game 0, at byte 0: its castling rights are not possible"):
            decode(game_files.game(bytes(start), []))


def test_random_bytes_do_no_harm() -> None:
    """Whatever the bytes are, they are decoded or rejected; what is decoded are legal positions."""
    rng = random.Random(5)
    parts = [each.data for each in all_games() if each.rows][:20]
    scorer, scores, rejected, accepted = Scorer(oracle.terms()), np.empty(1, np.int16), 0, 0
    for _ in range(4_000):
        data = bytearray(rng.choice(parts) + rng.choice(parts))
        for _ in range(rng.randint(1, 3)):
            data[rng.randrange(len(data))] = rng.randrange(256)
        if rng.random() < 0.2:
            del data[rng.randrange(len(data)) :]
        try:
            rows, _, _ = decode(bytes(data))
        except ValueError as error:
            rejected += str(error).startswith("game ")
            continue
        accepted += 1
        if len(rows):
            row = rng.randrange(len(rows))
            scorer.scores(rows[row : row + 1].copy(), scores)
            assert is_ok(Position(unpack(rows[row]), chess960=True))
    assert rejected + accepted == 4_000
    assert min(rejected, accepted) > 200
