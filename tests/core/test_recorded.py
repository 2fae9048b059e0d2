# SPDX-License-Identifier: GPL-3.0-or-later
"""`decode_games`: recorded games become the positions that python-chess finds in them; bytes that are no game are rejected."""

import random
import struct
from collections.abc import Sequence

import chess
import labelled_files
import numpy as np
import oracle
import pytest
from coachwhip.core.engine import (
    MAX_RECORDED_PLIES,
    NEVER_HIDDEN,
    PACKED_SIZE,
    ROW_SIZE,
    Position,
    decode_games,
    unpack,
)
from coachwhip.evaluation.learn import labelled
from coachwhip.evaluation.learn.rows import ROW

PLIES_AT = 1 + PACKED_SIZE
FIRST_PLY = PLIES_AT + 6


def data_of(games: Sequence[labelled.Game]) -> list[bytes]:
    return [labelled.recorded(game) for game in games]


def decode(parts: Sequence[bytes], *, every: bool = True, first: int = 0) -> tuple[np.ndarray, list[int]]:
    """The rows, and how many each game has."""
    data = b"".join(parts)
    rows, counts = np.zeros((1 + len(data) // 4, ROW_SIZE), np.uint8), np.empty(len(parts), np.int64)
    ends = np.cumsum([len(part) for part in parts], dtype=np.int64)
    size = decode_games(data, ends, rows, counts, first=first, every=every)
    assert size == counts.sum()
    return rows[:size].view(ROW)[:, 0], counts.tolist()


def all_games() -> list[labelled_files.Played]:
    return labelled_files.many(24, plies=80, side_lines=2)


def test_every_position_is_that_of_python_chess() -> None:
    rows, counts = decode(data_of([each.game for each in all_games()]))
    assert counts == [len(each.rows) for each in all_games()]
    expected = [row for each in all_games() for row in each.rows]
    seen = {"castling": 0, "en passant": 0, "promotion": 0, "hidden": 0, "960": 0}
    for row, wanted in zip(rows, expected, strict=True):
        assert row["board"].tobytes() == wanted.packed
        assert int(row["score"]) == wanted.score
        assert int(row["result"]) == wanted.result
        assert bool(row["is_quiet"]) == wanted.is_quiet
        board = wanted.board
        assert chess.Board(unpack(row["board"]), chess960=True).epd() == chess.Board(oracle.fen_of(board), chess960=True).epd()
        seen["castling"] += board.is_castling(wanted.best)
        seen["en passant"] += board.is_en_passant(wanted.best)
        seen["promotion"] += wanted.best.promotion is not None
        seen["hidden"] += int(row["hidden_from"]) != NEVER_HIDDEN
        seen["960"] += bool(board.chess960 and board.clean_castling_rights())
    assert min(seen.values()) > 1, seen


def test_codes_of_moves_are_those_of_their_description() -> None:
    rng = random.Random(3)
    count = 0
    for kind in oracle.KINDS:
        board = oracle.start_board(kind, rng)
        position = Position(oracle.fen_of(board), chess960=board.chess960)
        for move in oracle.play(board, rng, greedy=True, plies=40):
            for each in board.legal_moves:
                assert position.move_code(each.uci()) == labelled_files.code(board, each)
                count += 1
            position.make(move.uci())
    assert count > 1500
    with pytest.raises(ValueError, match="illegal move 'e2e5'"):
        Position().move_code("e2e5")


@pytest.mark.parametrize("limit", [0, 200, 32_767])
def test_a_limit_chooses_what_a_search_through_the_game_chooses(limit: int) -> None:
    """Of rows that can be used, those with `hidden_from` beyond a limit are the quiet ones within it, each once a game."""
    rows, counts = decode(data_of([each.game for each in all_games()]), every=False)
    assert rows["is_quiet"].all()
    at = 0
    for each, count in zip(all_games(), counts, strict=True):
        part = rows[at : at + count]
        at += count
        chosen = part[(np.abs(part["score"].astype(int)) <= limit) & (part["hidden_from"] > limit)]
        wanted = labelled_files.usable(each, limit)
        assert [row["board"].tobytes() for row in chosen] == [row.packed for row in wanted]
        assert chosen["score"].tolist() == [row.score for row in wanted]


def test_the_longest_game_is_decoded_and_no_longer_one() -> None:
    moves = ["g1f3", "g8f6", "f3g1", "f6g8"]
    position, codes = Position(), []
    for move in moves:
        codes.append(position.move_code(move))
        position.make(move)
    plies = tuple(labelled.Ply(codes[number % 4], number % 100) for number in range(MAX_RECORDED_PLIES))
    lines = (labelled.SideLine(MAX_RECORDED_PLIES - 1, (codes[3],), codes[0], 7),)
    game = labelled.Game(0, "1/2-1/2", Position().pack(), plies, lines)
    (part,) = data_of([game])
    rows, _ = decode([part])
    assert len(rows) == MAX_RECORDED_PLIES + 1
    assert rows["board"][:, -1].max() == 255  # plies of the fifty-move rule, as far as a byte goes
    with pytest.raises(ValueError, match="game 0 does not fit into the format"):
        labelled.recorded(game._replace(plies=(*plies, plies[0])))
    longer = bytearray(part)
    longer[PLIES_AT : PLIES_AT + 2] = struct.pack("<H", MAX_RECORDED_PLIES + 1)
    with pytest.raises(ValueError, match="game 0: it is too long"):
        decode([bytes(longer)])


# --- Bytes that are no game ---


def simple(*, side_lines: bool = True) -> bytes:
    position = Position()
    moves = [position.move_code("e2e4")]
    lines = (labelled.SideLine(0, (position.move_code("d2d4"),), 0, 5),)
    position.make("d2d4")
    lines = (lines[0]._replace(best=position.move_code("d7d5")),)
    game = labelled.Game(0, "1-0", Position().pack(), (labelled.Ply(moves[0], 31),), lines if side_lines else ())
    return data_of([game])[0]


def changed(data: bytes, at: int, *values: int) -> bytes:
    return data[:at] + bytes(values) + data[at + len(values) :]


WHOLE = simple()


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "it ends too early"),
        (WHOLE[:10], "it ends too early"),
        (WHOLE[: FIRST_PLY + 3], "it ends too early"),
        (WHOLE[:-1], "it ends too early"),
        (WHOLE[: FIRST_PLY + 5], "it ends too early"),
        (WHOLE + b"\0", "bytes follow its end"),
        (simple(side_lines=False) + b"\0\0", "bytes follow its end"),
        (changed(WHOLE, 0, 3), "it has no result"),
        (changed(WHOLE, 1 + 24, 2), "these bytes are not a packed position"),
        (changed(WHOLE, 1 + 8, 5 | 5 << 4), "White and Black must have one king each"),  # three white kings
        (changed(WHOLE, 1, 0), "White and Black must have one king each"),  # no white king is left in place
        (changed(WHOLE, FIRST_PLY, 0, 0), "ply 1: the move is illegal"),
        (changed(WHOLE, FIRST_PLY, 0xFF, 0xFF), "ply 1: the move is illegal"),
        (changed(WHOLE, FIRST_PLY + 4, 0, 0), "ply 1: a side line from here, or from a later ply, cannot be played"),  # no moves
        (
            changed(WHOLE, FIRST_PLY + 4, 1, 0x40),
            "ply 1: a side line from here, or from a later ply, cannot be played",
        ),  # from ply 2
        (changed(WHOLE, FIRST_PLY + 6, 0, 0), "ply 1: a side line from here, or from a later ply, cannot be played"),
        (
            changed(WHOLE, FIRST_PLY + 8, 0, 0),
            "ply 1: a side line from here, or from a later ply, cannot be played",
        ),  # its best move
        (changed(WHOLE, PLIES_AT + 2, 9), "it ends too early"),
        (changed(WHOLE, PLIES_AT + 2, 0), "bytes follow its end"),
        (changed(WHOLE, PLIES_AT, 2), "ply 2: the move is illegal"),
    ],
)
def test_bytes_that_are_no_game_are_rejected(data: bytes, why: str) -> None:
    decode([WHOLE, WHOLE])
    with pytest.raises(ValueError, match=f"^game 71: (ply [12]: )?{why}$"):
        decode([WHOLE, data, WHOLE], first=70)


def test_wrong_start_positions_are_rejected() -> None:
    """Castling rights and pawns to take that are impossible, and everything a FEN is rejected for."""
    bad = {
        "the side not to move is in check": "4k3/8/8/8/8/8/4R3/4K3 w - - 0 1",
        "a pawn is on the first or last rank": "P3k3/8/8/8/8/8/8/4K3 w - - 0 1",
        "there are more pieces of one colour than promotion allows": "4k3/8/8/8/8/PPPPPPPP/8/QQ2K3 w - - 0 1",
        "there are more than 8 pawns of one colour": "4k3/8/8/8/7P/PPPPPPPP/8/4K3 w - - 0 1",
    }
    for why, fen in bad.items():
        with pytest.raises(ValueError, match=f"game 0: {why}"):
            decode([WHOLE[:1] + packed_by_hand(chess.Board(fen)) + bytes(6)])
    rights = "its castling rights or its pawn to take en passant are not possible"
    for fen, special in (
        ("4k3/8/8/8/8/8/8/R3K3 w - - 0 1", None),
        ("4k3/8/8/8/8/R7/8/4K3 w - - 0 1", chess.A3),
        ("4k3/8/8/8/8/8/4K3/R7 w - - 0 1", chess.A1),
        ("4k3/8/8/8/8/8/8/rK6 w - - 0 1", chess.A1),
        ("4k3/8/8/8/8/8/8/RR2K3 w - - 0 1", (chess.A1, chess.B1)),
        ("4k3/8/8/8/4P3/8/8/4K3 b - - 0 1", chess.E4),  # nobody can take it
        ("4k3/8/8/8/3pP3/8/8/4K3 w - - 0 1", chess.E4),  # of stm
        ("4k3/8/8/8/3pP3/4B3/8/4K3 b - - 0 1", chess.E4),  # it cannot have come there
        ("4k3/8/8/8/2PpP3/8/8/4K3 b - - 0 1", (chess.C4, chess.E4)),
    ):
        part = WHOLE[:1] + packed_by_hand(chess.Board(fen), special) + bytes(6)
        if special is None:
            decode([part])
            continue
        with pytest.raises(ValueError, match=f"game 0: {rights}"):
            decode([part])


def packed_by_hand(board: chess.Board, special: int | tuple[int, ...] | None = None) -> bytes:
    """As core/board/packed.pxd describes it; `special`: rooks to castle and pawns to take."""
    marked = (special,) if isinstance(special, int) else special or ()
    codes = []
    for square in chess.SquareSet(board.occupied):
        piece = board.piece_at(square)
        assert piece is not None
        kind = piece.piece_type - 1
        if square in marked:
            kind = 7 if kind == 0 else 6
        codes.append(kind | (0 if piece.color else 8))
    codes += [0] * (32 - len(codes))
    pairs = bytes(low | high << 4 for low, high in zip(codes[::2], codes[1::2], strict=True))
    return struct.pack("<Q", board.occupied) + pairs + bytes([0 if board.turn else 1, board.halfmove_clock])


def test_random_bytes_do_no_harm() -> None:
    """Whatever the bytes are, they are decoded or rejected; what is decoded are legal positions."""
    rng = random.Random(5)
    parts = data_of([each.game for each in all_games() if each.game.plies][:20])
    engine, scores, rejected, accepted = oracle.new_engine(), np.empty(1, np.int16), 0, 0
    for _ in range(4_000):
        data = bytearray(rng.choice(parts))
        for _ in range(rng.randint(1, 3)):
            data[rng.randrange(len(data))] = rng.randrange(256)
        if rng.random() < 0.2:
            del data[rng.randrange(len(data)) :]
        try:
            rows, _ = decode([bytes(data)])
        except ValueError as error:
            rejected += str(error).startswith("game 0: ")
            continue
        accepted += 1
        if len(rows):
            row = rng.randrange(len(rows))
            engine.static_scores(rows["board"][row : row + 1].copy(), scores)
            assert Position(unpack(rows["board"][row]), chess960=True).is_ok()
    assert rejected + accepted == 4_000
    assert min(rejected, accepted) > 200


def test_arrays_that_do_not_fit_are_rejected() -> None:
    rows, counts, ends = np.empty((9, ROW_SIZE), np.uint8), np.empty(1, np.int64), np.array([len(WHOLE)])
    with pytest.raises(ValueError, match="a row has 32 bytes, not 31"):
        decode_games(WHOLE, ends, np.empty((9, 31), np.uint8), counts)
    with pytest.raises(ValueError, match="room for 2 counts of 1 games"):
        decode_games(WHOLE, ends, rows, np.empty(2, np.int64))
    with pytest.raises(ValueError, match="no room for its rows"):
        decode_games(WHOLE, ends, rows[:1], counts)
    for wrong in ([len(WHOLE) + 1], [-1], [5, 4]):
        with pytest.raises(ValueError, match=r"game \d: it ends outside the data"):
            decode_games(WHOLE, np.array(wrong), rows, np.empty(len(wrong), np.int64))
    with pytest.raises(ValueError, match="game 0: it ends too early"):
        decode_games(b"", np.array([0]), rows, counts)
    with pytest.raises(ValueError, match="no room for its rows"):
        decode_games(WHOLE, ends, rows[:0], counts)
    assert decode_games(b"", ends[:0], rows, counts[:0]) == 0
