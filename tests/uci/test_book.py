# SPDX-License-Identifier: GPL-3.0-or-later
"""The opening book: read as python-chess reads it, chosen from as the options say, kept out of analysis."""

from __future__ import annotations

import struct
import sys
from contextlib import closing
from typing import TYPE_CHECKING

import chess
import chess.polyglot
import pytest
from coachwhip.core.engine import Position
from coachwhip.uci.book import SHIPPED, Book
from coachwhip.uci.session import Session
from uci_process import UciProcess

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

CASTLING = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"


def entry(board: chess.Board, move: str, weight: int) -> bytes:
    """One entry as the format has it; castling is written as the king taking its rook."""
    parsed = chess.Move.from_uci(move)
    code = parsed.to_square | parsed.from_square << 6
    return struct.pack(">QHHI", chess.polyglot.zobrist_hash(board), code, weight, 0)


def write(path: Path, entries: Iterable[bytes]) -> Path:
    path.write_bytes(b"".join(sorted(entries)))
    return path


@pytest.fixture
def book(tmp_path: Path) -> Path:
    """Three first moves, one without weight, another that is no move, and one reply."""
    start, after = chess.Board(), chess.Board()
    after.push_uci("d2d4")
    first = [
        entry(start, "e2e5", 9),
        entry(start, "e2e4", 3),
        entry(start, "d2d4", 1),
        entry(start, "a2a3", 0),
    ]
    return write(tmp_path / "book.bin", [*first, entry(after, "d7d5", 1)])


def chosen(
    path: Path, position: Position, moves: list[str] | None = None, best: bool = True, game: int = 0
) -> str:
    """The move of a book, "" if it has none."""
    with closing(Book(str(path))) as reader:
        found = reader.choose(position, moves or [], best, game)
    return found[0] if found else ""


def test_the_greatest_weight_or_drawn_by_weight_among_what_is_allowed(book: Path) -> None:
    assert chosen(book, Position()) == "e2e4"
    drawn = [chosen(book, Position(), best=False, game=game) for game in range(400)]
    assert set(drawn) == {"e2e4", "d2d4"}
    assert 250 < drawn.count("e2e4") < 350
    assert chosen(book, Position(), ["d2d4", "h2h3"]) == "d2d4"
    assert chosen(book, Position(), ["a2a3"]) == ""  # without weight


@pytest.mark.parametrize(("chess960", "move"), [(False, "e1g1"), (True, "e1h1")])
def test_castling_is_spelled_as_the_game_spells_it(tmp_path: Path, chess960: bool, move: str) -> None:
    path = write(tmp_path / "castling.bin", [entry(chess.Board(CASTLING), "e1h1", 1)])
    for allowed in ([], ["e1h1"]):
        assert chosen(path, Position(CASTLING, chess960=chess960), allowed) == move


@pytest.mark.parametrize("data", [b"", b"no book", b"x" * 16 + b"a" * 16])
def test_what_is_no_book_is_rejected(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "odd.bin").write_bytes(data)
    with pytest.raises(ValueError, match="not a Polyglot book"):
        Book(str(tmp_path / "odd.bin"))
    with pytest.raises(OSError, match="nothing"):
        Book(str(tmp_path / "nothing.bin"))


def bestmove(lines: list[str]) -> str:
    return lines[-1].split(" ")[1]


def test_in_a_session(engine: UciProcess, book: Path) -> None:
    assert engine.ask(f"setoption name BookFile value {book}") == []
    searched = bestmove(engine.go("go nodes 3000"))
    assert engine.ask("setoption name OwnBook value true", "setoption name BookBestMove value true") == []
    lines = engine.go("go wtime 1000 btime 1000")
    assert lines[0] == "info string book move e2e4, weight 3 of 4"
    assert (bestmove(lines), len(lines)) == ("e2e4", 3)
    assert bestmove(engine.go("go wtime 1000 btime 1000 searchmoves d2d4")) == "d2d4"
    # analysis wants the search
    assert (
        bestmove(engine.go("setoption name UCI_AnalyseMode value true", "ucinewgame", "go nodes 3000"))
        == searched
    )
    engine.send("setoption name UCI_AnalyseMode value false")
    for lines in (engine.go("go infinite", "stop"), engine.go("go mate 1 nodes 1000")):
        assert not any("book move" in line for line in lines)
    # a book move under ponder waits for the ponderhit
    engine.send("position startpos moves d2d4", "go ponder wtime 1000 btime 1000")
    assert not any(line.startswith("bestmove") for line in engine.ask())
    assert bestmove(engine.go("ponderhit")) == "d7d5"
    # a wrong file is reported once, and the old book stays
    (message,) = engine.ask("setoption name BookFile value no-such-file.bin")
    assert message.startswith("info string setoption: BookFile: ")
    assert bestmove(engine.go("position startpos", "go movetime 100")) == "e2e4"
    assert engine.ask("setoption name BookFile value <empty>") == []
    assert "weight 3 of 4" not in engine.go("go nodes 100")[0]  # the shipped book takes its place


def test_without_python_chess_a_message_says_what_to_install(
    book: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "chess.polyglot", None)
    session = Session()
    for option, value in (("OwnBook", "true"), ("BookFile", str(book))):
        assert "a book needs python-chess: python3 -m pip install chess; keeping" in session.set_option(
            option, value
        )


def test_own_book_plays_from_the_shipped_book(engine: UciProcess) -> None:
    """Each process draws its own moves, unless there is a Seed."""
    with chess.polyglot.open_reader(SHIPPED) as reader:
        first = {found.move.uci() for found in reader.find_all(chess.Board())}
    assert len(first) > 2
    assert book_move(engine) == ""
    drawn = []
    for seed in (0, 0, 9, 9):
        with UciProcess() as other:
            assert other.ask("setoption name OwnBook value true", f"setoption name Seed value {seed}") == []
            drawn.append([book_move(other) for _ in range(10) if not other.ask("ucinewgame")])
            other.quit()
    assert {move for moves in drawn for move in moves} <= first
    assert drawn[0] != drawn[1]
    assert drawn[2] == drawn[3]


def book_move(engine: UciProcess) -> str:
    """The move of the book at the start position, "" if the engine searches."""
    engine.send("position startpos", "go nodes 50")
    said = engine.read_until("bestmove")
    found = [line.split()[4].rstrip(",") for line in said if line.startswith("info string book move ")]
    assert not found or said[-1].split()[1] == found[0]
    return found[0] if found else ""
