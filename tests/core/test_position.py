# SPDX-License-Identifier: GPL-3.0-or-later
"""The position: FEN in and out, what is rejected and what is repaired, make and undo, keys, draws, results."""

import random

import chess
import oracle
import pytest
from coachwhip.core.engine import STARTPOS_FEN, Position, can_repeat, is_ok, pawn_key
from hypothesis import given, settings
from hypothesis import strategies as st

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
FUZZ = settings(max_examples=120, derandomize=True, database=None)


# --- FEN in and out ---


def test_the_default_is_the_start_position() -> None:
    assert Position().fen() == STARTPOS_FEN == chess.STARTING_FEN
    assert Position().board().split("\n") == [
        "rnbqkbnr", "pppppppp", "........", "........", "........", "........", "PPPPPPPP", "RNBQKBNR",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "fen"),
    [
        ("4k3/8/8/8/8/8/8/4K3 b", "4k3/8/8/8/8/8/8/4K3 b - - 0 1"),
        ("r3k3/8/8/8/8/8/8/4K3 b q", "r3k3/8/8/8/8/8/8/4K3 b q - 0 1"),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6", "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1"),
        ("4k3/8/8/8/8/8/8/4K3 w - - 7", "4k3/8/8/8/8/8/8/4K3 w - - 7 1"),
        ("4k3/8/8/8/8/8/8/4K3 w - - 7 33", "4k3/8/8/8/8/8/8/4K3 w - - 7 33"),
        ("  4k3/8/8/8/8/8/8/4K3\tw  -\t- 7   33 \n", "4k3/8/8/8/8/8/8/4K3 w - - 7 33"),
        ("4k3/44/8/1511/8/8/8/4K3 w", "4k3/8/8/8/8/8/8/4K3 w - - 0 1"),
    ],
)
def test_missing_fields_get_defaults(text: str, fen: str) -> None:
    assert Position(text).fen() == fen


@pytest.mark.parametrize(
    ("counters", "expected"),
    [
        ("abc 12", "0 12"),
        ("-3 5", "0 5"),
        ("3 0", "3 1"),
        ("1_0 2_0", "0 1"),
        ("\u0661\u0662 \u00b2", "0 1"),
        ("99999999999999999999 99999999999999999999", "9999 99999"),
        ("7 " + 5000 * "9", "7 99999"),
    ],
)
def test_senseless_counters_are_repaired(counters: str, expected: str) -> None:
    assert Position(f"4k3/8/8/8/8/8/8/R3K3 w - - {counters}").fen() == f"4k3/8/8/8/8/8/8/R3K3 w - - {expected}"


@pytest.mark.parametrize(
    ("given_field", "placement", "kept"),
    [
        ("KQkq", "4k3/8/8/8/8/8/8/4K3", "-"),
        ("KQkq", "r3k3/8/8/8/8/8/8/4K2R", "Kq"),
        ("KQkq", "r3k2r/8/8/8/8/8/4K3/R6R", "kq"),
        ("KQkq", "8/r3k2r/8/8/8/8/8/R3K2R", "KQ"),
        ("KQkq", "n3k2n/8/8/8/8/8/8/b3K2B", "-"),
        ("KQkq", "Rn2k2r/8/8/8/8/8/8/rN2K2R", "Kk"),  # rooks of the other colour
        ("KKQQ", "r3k2r/8/8/8/8/8/8/R3K2R", "KQ"),
        ("qkQK", "r3k2r/8/8/8/8/8/8/R3K2R", "KQkq"),
        ("HAha", "r3k2r/8/8/8/8/8/8/R3K2R", "KQkq"),
        ("GBgb", "r3k2r/8/8/8/8/8/8/R3K2R", "-"),
    ],
)
def test_castling_rights_without_king_and_rook_are_dropped(given_field: str, placement: str, kept: str) -> None:
    assert Position(f"{placement} w {given_field} - 0 1").fen().split()[2] == kept


@pytest.mark.parametrize(
    ("text", "xfen", "shredder"),
    [
        (STARTPOS_FEN, "KQkq", "HAha"),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w HAha - 0 1", "KQkq", "HAha"),
        # X-FEN: K and Q mean the outermost rook of the wing; an inner one is named by its file.
        ("1rr1k1rr/8/8/8/8/8/8/1RR1K1RR w KQkq - 0 1", "KQkq", "HBhb"),
        ("1rr1k1rr/8/8/8/8/8/8/1RR1K1RR w GCgc - 0 1", "GCgc", "GCgc"),
        ("1rr1k1rr/8/8/8/8/8/8/1RR1K1RR w HCgb - 0 1", "KCgq", "HCgb"),
        ("1rr1k1rr/8/8/8/8/8/8/1RR1K1RR w KCgq - 0 1", "KCgq", "HCgb"),
        ("1r3kr1/8/8/8/8/8/8/R1K1R3 w KQkq - 0 1", "KQkq", "EAgb"),  # each side its own squares
        ("1r3kr1/8/8/8/8/8/8/R1K1R3 w Eg - 0 1", "Kk", "Eg"),
        ("4k3/8/8/8/8/8/8/RK5R w HA - 0 1", "KQ", "HA"),
    ],
)
def test_castling_rights_in_both_spellings(text: str, xfen: str, shredder: str) -> None:
    plain, letters = Position(text), Position(text, chess960=True)
    assert plain.fen().split()[2] == xfen
    assert letters.fen().split()[2] == shredder
    assert plain.key == letters.key
    assert Position(plain.fen()).key == Position(letters.fen()).key == plain.key
    board = chess.Board(text, chess960=True)
    assert (board.castling_xfen(), board.castling_shredder_fen()) == (xfen, shredder)


def test_every_chess960_start_position_comes_back() -> None:
    for number in range(0, 960, 7):
        board = chess.Board.from_chess960_pos(number)
        for fen in (board.fen(), board.shredder_fen()):
            assert Position(fen).fen() == board.fen()
            assert Position(fen, chess960=True).fen() == board.shredder_fen()


# --- What is rejected ---


@pytest.mark.parametrize(
    ("fen", "message"),
    [
        ("", "fields"),
        (f"{STARTPOS_FEN} extra", "fields"),
        ("8/8/8/8/8/8/8 w", "found 7"),
        ("4k3/8/8/9/8/8/8/4K3 w", "not a piece"),
        ("4k3/8/8/ppppppppp/8/8/8/4K3 w", "rank 5"),
        (f"4k3/8/8/{100000 * '1'}/8/8/8/4K3 w", "rank 5"),
        ("4k3/8/8/4\u043a3/8/8/8/4K3 w", "not a piece"),
        ("4k3/8/8/\ud8007/8/8/8/4K3 w", "not a piece"),
        ("4k3/8/8/8/8/8/8/8 w - - 0 1", "one king each"),
        ("4k3/8/8/8/8/8/8/K3K3 w - - 0 1", "one king each"),
        ("4k3/8/8/8/8/8/8/P3K3 w - - 0 1", "first or last rank"),
        ("4k3/pppppppp/p7/8/8/8/8/4K3 w - - 0 1", "8 pawns"),
        ("QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/KQQQQQQk w - - 0 1", "promotion"),
        ("4k3/8/8/8/8/8/PPPPPPPP/QQ2K3 w - - 0 1", "promotion allows"),
        ("4k3/8/8/8/8/8/8/4K3 x - - 0 1", "side to move"),
        ("4k3/8/8/8/8/8/8/4RK2 w - - 0 1", "not to move is in check"),
        ("4k3/8/8/8/8/8/8/4K3 w X - 0 1", "'X' is not a castling right"),
        ("4k3/8/8/8/8/8/8/4K3 w \u212a - 0 1", "castling"),
        ("4k3/8/8/8/8/8/8/4K3 w - e4 0 1", "en-passant"),
        ("4k3/8/8/8/8/8/8/4K3 w - e9 0 1", "not a square"),
    ],
)
def test_a_bad_fen_is_rejected_with_one_message(fen: str, message: str) -> None:
    with pytest.raises(ValueError, match=message) as raised:
        Position(fen)
    text = str(raised.value)
    assert "\n" not in text
    assert text.isprintable()
    assert len(text) < 200


@st.composite
def nearly_fens(draw: st.DrawFn) -> str:
    """A FEN with a few characters changed, dropped or put in."""
    text = draw(st.sampled_from([STARTPOS_FEN, KIWIPETE, "4k3/8/8/3pP3/8/8/8/RK5R w HA d6 3 9", "8/k1P5/8/1K6/8/8/8/8 b"]))
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(text)))
        removed = draw(st.integers(0, 2))
        text = text[:at] + draw(st.text("pnbrqkPNBRQK12345678/ wb-abcdefghABCDEFGH09", max_size=2)) + text[at + removed :]
    return text


@FUZZ
@given(nearly_fens())
def test_what_is_accepted_is_consistent_and_comes_back(text: str) -> None:
    try:
        position = Position(text)
    except ValueError:
        return
    assert is_ok(position)
    assert Position(position.fen()).fen() == position.fen()
    assert Position(position.fen()).key == position.key
    board = chess.Board(position.fen(), chess960=True)
    assert sorted(Position(text, chess960=True).legal_moves()) == sorted(move.uci() for move in board.legal_moves)


# --- Moves as text ---


@pytest.mark.parametrize(
    "text",
    ["", "e2", "e2e5", "e7e5", "0000", "e2e4x", "e2e4q", "e2e4 ", " e2e4", "e9e4", "i2i4", "e2-e4", "Nf3", "\u0435\u0032\u0435\u0034",
     "e2e4e2e4", "\x00\x00\x00\x00", "\ud800\ud800\ud800\ud800", "e" * 100000],
)  # fmt: skip
def test_an_illegal_move_changes_nothing(text: str) -> None:
    position = Position()
    for use in (position.make, position.gives_check, position.see):
        with pytest.raises(ValueError, match="illegal move") as raised:
            use(text)
        assert len(str(raised.value)) < 200
        assert str(raised.value).isprintable()
        assert ("UCI" in str(raised.value)) == (text not in ("e2e5", "e7e5", "e2e4q"))
    assert (position.fen(), position.ply) == (STARTPOS_FEN, 0)


# --- Make, undo, copy ---


def test_make_and_undo_walk_the_same_line() -> None:
    rng = random.Random("undo")
    for kind in oracle.KINDS:
        board = oracle.start_board(kind, rng)
        position = Position(oracle.fen_of(board), chess960=board.chess960)
        trail = []
        for move in oracle.play(board, rng, greedy=True, plies=60):
            trail.append((position.fen(), position.key, pawn_key(position), position.is_draw(), position.legal_moves()))
            position.make(board.uci(move))
        assert position.ply == len(trail)
        for state in reversed(trail):
            position.undo()
            assert (position.fen(), position.key, pawn_key(position), position.is_draw(), position.legal_moves()) == state
        with pytest.raises(IndexError):
            position.undo()


# --- Draws and results ---


def play(position: Position, moves: str) -> Position:
    for move in moves.split():
        position.make(move)
    return position


@pytest.mark.parametrize(
    ("fen", "insufficient"),
    [
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 1", True),
        ("4k1b1/8/8/8/8/8/8/4K3 w - - 0 1", True),
        ("4kb2/8/8/8/8/8/8/2B1K3 w - - 0 1", True),  # both on dark squares
        ("2b1k3/8/8/8/8/8/8/2B1K3 w - - 0 1", False),  # a helpmate exists
        ("4k3/8/8/8/8/B7/8/2B1K3 w - - 0 1", True),
        ("4k3/8/8/8/8/8/8/2BBK3 w - - 0 1", False),
        ("4k3/8/8/8/8/8/8/1NN1K3 w - - 0 1", False),
        ("4k3/8/8/8/8/8/7P/4K3 w - - 0 1", False),
    ],
)
def test_insufficient_material(fen: str, insufficient: bool) -> None:
    position = Position(fen)
    assert position.is_draw() == insufficient == chess.Board(fen).is_insufficient_material()
    assert position.result() == ("1/2-1/2" if insufficient else "*")


def test_a_lost_castling_right_makes_another_position() -> None:
    fen = "4k3/8/8/8/8/8/8/R3K3 w Q - 0 1"
    position = play(Position(fen), "a1b1 e8d8 b1a1 d8e8 a1b1 e8d8 b1a1 d8e8")
    assert not position.is_draw()  # the first of the three had the right
    assert play(position, "a1b1 e8d8 b1a1 d8e8").is_draw()


def test_an_en_passant_chance_makes_another_position() -> None:
    moves = "g1h1 g8h8 h1g1 h8g8 "
    taken = play(Position("6k1/3p4/8/4P3/8/8/8/6K1 b - - 0 1"), "d7d5 " + 2 * moves)
    assert not taken.is_draw()
    assert play(taken, moves).is_draw()
    pinned = play(Position("4r1k1/3p4/8/4P3/8/8/8/4K3 b - - 0 1"), "d7d5 " + 2 * "e1f1 g8h8 f1e1 h8g8 ")
    assert pinned.is_draw()  # no legal capture: the same position three times


def repeats(position: Position) -> bool:
    """Whether some move leads to a position that has been there, by trying them all."""
    earlier = [position.key]
    back = position.copy()
    while back.ply:
        back.undo()
        earlier.append(back.key)
    found = False
    for move in position.legal_moves():
        position.make(move)
        found |= position.key in earlier
        position.undo()
    return found


@pytest.mark.parametrize("fen", [chess.STARTING_FEN, "4k3/8/8/8/8/8/8/RN1QKB2 w - - 0 1", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"])
def test_a_repetition_is_foreseen_exactly_where_a_move_repeats(fen: str) -> None:
    rng = random.Random(5)
    seen = []
    for _ in range(30):
        position = Position(fen)
        for _ in range(40):
            if position.result() != "*":
                break
            board = chess.Board(position.fen())
            quiet = [move for move in position.legal_moves() if not board.is_capture(chess.Move.from_uci(move))]
            last = quiet[-6:] if rng.random() < 0.7 else quiet  # few pieces moving much come back often
            position.make(rng.choice(last or position.legal_moves()))
            seen.append(can_repeat(position))
            assert seen[-1] == repeats(position), position.fen()
    assert sum(seen) > 25
    assert not all(seen)


@pytest.mark.parametrize(
    ("fen", "result"),
    [
        ("7k/8/8/8/8/8/R7/K7 w - - 99 80", "*"),
        ("7k/8/8/8/8/8/R7/K7 w - - 100 80", "1/2-1/2"),
        ("7k/8/8/8/8/8/R7/K7 w - - 150 80", "1/2-1/2"),
        ("R5k1/5ppp/8/8/8/8/8/7K b - - 100 80", "1-0"),  # mate comes first
        ("R5k1/5pp1/8/8/8/8/8/7K b - - 100 80", "1/2-1/2"),
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 80", "1/2-1/2"),
        ("7k/6Q1/6K1/8/8/8/8/8 b - - 0 80", "1-0"),
        ("8/8/8/8/8/4k3/5q2/7K w - - 0 80", "1/2-1/2"),
        ("8/8/8/8/8/4k3/4q3/7K w - - 0 80", "*"),
        ("8/8/8/8/8/6k1/6q1/7K w - - 0 80", "0-1"),
        ("8/8/8/8/8/6k1/5q2/7K w - - 0 80", "1/2-1/2"),
    ],
)
def test_results(fen: str, result: str) -> None:
    assert Position(fen).result() == result


def test_a_very_long_game_is_played_and_its_counters_stop_instead_of_wrapping() -> None:
    """A GUI may play on for ever; a wrapped counter would hide fifty moves (and did, after 55,537 plies from here)."""
    fen = "7k/8/8/8/8/8/8/RK6 w - - 9999 1"
    position = Position(fen)
    for _ in range(56_000 // 4):
        for move in ("a1a2", "h8g8", "a2a1", "g8h8"):
            position.make(move)
    assert position.fen().split()[4] == "65535"
    assert position.is_draw()
    for _ in range(56_000):
        position.undo()
    assert position.fen() == fen
