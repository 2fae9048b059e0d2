# SPDX-License-Identifier: GPL-3.0-or-later
"""FEN: what is read, what is written, what is rejected."""

import chess
import pytest
from coachwhip.core.engine import STARTPOS_FEN, Position, is_ok
from hypothesis import given, settings
from hypothesis import strategies as st

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
FUZZ = settings(max_examples=120, derandomize=True, database=None)


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
    assert (
        Position(f"4k3/8/8/8/8/8/8/R3K3 w - - {counters}").fen() == f"4k3/8/8/8/8/8/8/R3K3 w - - {expected}"
    )


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
def test_castling_rights_without_king_and_rook_are_dropped(
    given_field: str, placement: str, kept: str
) -> None:
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
    text = draw(
        st.sampled_from(
            [STARTPOS_FEN, KIWIPETE, "4k3/8/8/3pP3/8/8/8/RK5R w HA d6 3 9", "8/k1P5/8/1K6/8/8/8/8 b"]
        )
    )
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(text)))
        removed = draw(st.integers(0, 2))
        text = (
            text[:at]
            + draw(st.text("pnbrqkPNBRQK12345678/ wb-abcdefghABCDEFGH09", max_size=2))
            + text[at + removed :]
        )
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
    assert sorted(Position(text, chess960=True).legal_moves()) == sorted(
        move.uci() for move in board.legal_moves
    )
