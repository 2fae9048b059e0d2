# SPDX-License-Identifier: GPL-3.0-or-later
"""Books of openings in each format."""

import re
import struct
from pathlib import Path
from typing import Any

import chess
import chess.polyglot
import pytest

from coachwhip.cli.command import CommandError
from coachwhip.games.fen import is_shredder, read_epd
from coachwhip.games.openings import Opening, choose, open_book

PGN = """\
[Event "one"]
[Result "1-0"]

1. e4 {best by test} e5 (1... c5 2. Nf3) 2. Nf3 Nc6
3. Bb5 1-0

[Event "two"]
[FEN "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"]
[SetUp "1"]

1. e4 Kd7 *

[Event "broken"]

1. e4 e5 2. Ke3 *
"""


def read(path: Path, count: int = 10**6, **options: Any) -> list[Opening]:
    """All the openings of a file, in its order."""
    return [opening() for opening in open_book(path, **options)[:count]]


def test_positions_are_read_and_bad_ones_named(tmp_path: Path) -> None:
    path = tmp_path / "book.epd"
    path.write_text(
        '# comment\n\nrnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - bm e5; id "x";\n'
        "bqnbnrkr/pppppppp/8/8/8/8/PPPPPPPP/BQNBNRKR w HFhf - 3 9\n8/8/8/8/8/8/8/8 w - - 0 1\nnonsense\n"
    )
    first, second = read(path, 2)
    assert first == (
        chess.Board("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1").fen(),
        False,
        "",
    )
    assert second == ("bqnbnrkr/pppppppp/8/8/8/8/PPPPPPPP/BQNBNRKR w HFhf - 3 9", True, "")
    book = open_book(path)
    for entry, line in ((2, 5), (3, 6)):
        with pytest.raises(CommandError, match=rf"book\.epd:{line}"):
            book[entry]()
    path.write_text(
        "7k/5KQ1/8/8/8/8/8/8 b KQkq -; hmvc 3; fmvn 60;\n7k/8/8/8/8/8/8/R3K3 w KQ -; hmvc 3; fmvn 60;\n"
    )
    book = open_book(path)
    with pytest.raises(
        CommandError,
        match="not a position that can be played: 7k/5KQ1/8/8/8/8/8/8 b KQkq -; hmvc 3; fmvn 60;",
    ):
        book[0]()
    assert book[1]().fen == "7k/8/8/8/8/8/8/R3K3 w Q - 3 60"
    path.write_text("\n")
    with pytest.raises(CommandError, match="no opening"):
        open_book(path)


def test_castling_of_chess960_is_named(tmp_path: Path) -> None:
    """The rights KQkq of a shuffled position need --chess960: the message says what helps, and it does."""
    path = tmp_path / "book.epd"
    path.write_text("rkrnb1nb/ppppp2p/8/5qp1/8/5N2/PPPP1PPP/RKRNBQ1B w KQkq -\n")
    advice = "castling rights of Chess960: give --chess960, or name the files of the rooks: (.*)$"
    with pytest.raises(CommandError, match=rf"^book\.epd:1: {advice}") as info:
        read(path)
    (opening,) = read(path, chess960=True)
    named = re.search(advice, str(info.value))
    assert named
    path.write_text(named[1])
    assert read(path) == [opening]
    path.write_text("7k/5KQ1/8/8/8/8/8/8 b - -\n")  # mate: no matter of castling
    with pytest.raises(CommandError, match="not a position that can be played"):
        read(path)


def test_pgn_gives_lines(tmp_path: Path) -> None:
    path = tmp_path / "book.pgn"
    path.write_text(PGN)
    one, two = read(path, 2)
    assert one == (chess.STARTING_FEN, False, "e2e4 e7e5 g1f3 b8c6 f1b5")
    assert two == ("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", False, "e2e4 e8d7")
    assert [opening.moves for opening in read(path, 2, plies=3)] == ["e2e4 e7e5 g1f3", "e2e4 e8d7"]
    with pytest.raises(CommandError, match=r"book\.pgn:13: .*Ke3"):
        read(path)


@pytest.mark.parametrize("name", ["book.epd", "book.pgn"])
def test_what_no_game_can_reach_is_no_opening(tmp_path: Path, name: str) -> None:
    """python-chess takes eight pawns and three rooks; coachwhip would reject it and keep another position."""
    fen = "4k3/pppppppp/8/8/8/8/PPPPPPPP/R2RK2R w - - 0 1"
    (tmp_path / name).write_text(fen if name.endswith("epd") else f'[SetUp "1"]\n[FEN "{fen}"]\n\n1. a3 *\n')
    with pytest.raises(CommandError, match=rf"^{name}:1: .*more pieces of one colour than promotion allows"):
        read(tmp_path / name)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("book.epd", "8/8/4k3/8/8/3QK3/8/8 w - - 100 80\n"),
        ("book.pgn", '[Event "x"]\n\n1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8 *\n'),
    ],
)
def test_where_the_game_is_drawn_is_no_opening(tmp_path: Path, name: str, text: str) -> None:
    """By fifty moves or repetition: selfplay and spsa looked for a game from there forever."""
    (tmp_path / name).write_text(text)
    with pytest.raises(CommandError, match=rf"^{name}:1: not a position that can be played"):
        read(tmp_path / name)


def test_a_polyglot_book_gives_different_lines(tmp_path: Path) -> None:
    def entry(line: str, weight: int) -> bytes:
        """The last move of a line, in the position before it."""
        board = Opening(chess.STARTING_FEN, chess960=False, moves=line).position()
        move = board.pop()
        return struct.pack(
            ">QHHI", chess.polyglot.zobrist_hash(board), move.to_square | move.from_square << 6, weight, 0
        )

    path = tmp_path / "book.bin"
    entries = [entry("e2e4", 3), entry("d2d4", 1), entry("e2e4 e7e5", 1), entry("e2e4 c7c5", 1)]
    path.write_bytes(b"".join(sorted(entries)))
    lines = [opening.moves for opening in read(path, seed=1)]
    assert sorted(lines) == ["d2d4", "e2e4 c7c5", "e2e4 e7e5"]
    assert lines == [opening.moves for opening in read(path, seed=1)]
    assert sorted(opening.moves for opening in read(path, seed=1, plies=1)) == ["d2d4", "e2e4"]


def test_the_seed_decides_the_order_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "book.fen"
    path.write_text("".join(f"4k3/8/8/8/8/8/4P3/4K3 w - - 0 {number}\n" for number in range(1, 51)))
    book = open_book(path)
    first = choose(book, 20, 3)
    assert choose(book, 20, 3) == first
    assert choose(book, 30, 3)[:20] == first
    assert choose(book, 20, 4) != first
    assert len(set(first)) == 20
    assert choose(book, 100, 3)[50:] == choose(book, 50, 3)  # used again when they run out


def test_a_line_starts_with_a_fen() -> None:
    for line, fen in (
        ("4k3/8/8/8/8/8/8/4K3 w - - 3 9", "4k3/8/8/8/8/8/8/4K3 w - - 3 9"),
        ('4k3/8/8/8/8/8/8/4K3 w - - bm Kd2; id "x";', "4k3/8/8/8/8/8/8/4K3 w - -"),
        ("4k3/8/8/8/8/8/8/4K3 w - - 3 9 ;D1 5", "4k3/8/8/8/8/8/8/4K3 w - - 3 9"),
        ("4k3/8/8/8/8/8/8/4K3 w - - \u0663 \u0669", "4k3/8/8/8/8/8/8/4K3 w - -"),
        ("nonsense", "nonsense"),
    ):
        assert read_epd(line)[0] == fen
        assert not is_shredder(fen)
    assert is_shredder("bqnbnrkr/pppppppp/8/8/8/8/PPPPPPPP/BQNBNRKR w Hk - 0 1")
