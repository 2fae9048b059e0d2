# SPDX-License-Identifier: GPL-3.0-or-later
"""Endgame tables: what is read, which root moves are kept, what the search asks and does with answers."""

from __future__ import annotations

import os
import random
import re
from typing import TYPE_CHECKING, Any

import chess
import chess.syzygy
import oracle
import pytest
from coachwhip.core.engine import Position
from coachwhip.uci.tablebase import Rank, Tablebase
from places import DATA

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from uci_process import UciProcess


@pytest.fixture(scope="session")
def folder(any_data: Path) -> str:
    """Our own tables of three pieces, and then those of three and four pieces in ../shared."""
    return str(any_data / "syzygy")


@pytest.fixture(scope="session")
def summary(any_data: Path) -> str:
    """What is said of the tables in `folder`."""
    return (
        "5 WDL and 5 DTZ tables, up to 3 pieces"
        if any_data == DATA
        else "35 WDL and 35 DTZ tables, up to 4 pieces"
    )


@pytest.fixture(scope="session")
def tables(folder: str) -> Any:
    tables = Tablebase(folder)
    yield tables
    tables.close()


class InventedTables(Tablebase):
    """Tables of three pieces whose answers the test makes up, so that none need be on the disk."""

    def __init__(
        self, wdl: Callable[[chess.Board], int | None], dtz: Callable[[chess.Board], int | None]
    ) -> None:
        self._board = chess.Board
        self._tables: Any = type("", (), {"get_wdl": staticmethod(wdl), "get_dtz": staticmethod(dtz)})
        self._unread = ""
        self.rule50 = True
        self.max_pieces = 3


def queen_wins(board: chess.Board) -> int:
    """KQvK with the queen safe."""
    return 2 if board.pieces(chess.QUEEN, board.turn) else -2


def judge(tables: Tablebase, fen: str, moves: str = "", limit: int = 7) -> list[Rank] | None:
    position = Position(fen)
    for move in moves.split():
        position.make(move)
    return tables.judge(position, position.legal_moves(), limit)


def ranks(tables: Tablebase, fen: str, moves: str = "") -> list[tuple[int, list[str]]]:
    """The result of each rank and its moves."""
    verdict = judge(tables, fen, moves)
    assert verdict
    return [(rank.wdl, rank.moves) for rank in verdict]


# Without tables on the disk


@pytest.mark.parametrize("name", ["readme.txt", "KQvK.rtbz", "KQvK.rtbw"])
def test_a_path_without_tables_is_rejected(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(b"no table at all")
    left_out = f"no WDL tables in .*; left out, since their headers are damaged: {name}"
    with pytest.raises(ValueError, match="no Syzygy tables" if name == "readme.txt" else left_out):
        Tablebase(str(tmp_path))
    for path in ("./no/such/folder/", os.pathsep, "", "\0"):
        with pytest.raises(ValueError, match="no Syzygy tables"):
            Tablebase(path)


def test_a_truncated_table_knows_nothing_and_says_so_once(tmp_path: Path) -> None:
    (tmp_path / "KQvK.rtbw").write_bytes((DATA / "syzygy" / "KQvK.rtbw").read_bytes()[:20])
    tables = Tablebase(str(tmp_path))
    assert tables.summary == "1 WDL and 0 DTZ tables, up to 3 pieces"
    assert judge(tables, "8/8/8/4k3/8/8/8/KQ6 w - - 0 1") is None
    assert "cannot be read" in tables.take_fault()
    assert tables.take_fault() == ""
    tables.close()


@pytest.mark.parametrize(
    ("counter", "best"),
    [
        (0, [(2, ["b1b3", "b1b4"])]),  # all wins that make progress soon
        (50, [(2, ["b1b3"]), (2, ["b1b4"])]),  # the faster one first
        (95, [(2, ["b1b3"]), (1, ["b1b4"])]),
        (98, [(1, ["b1b3"]), (1, ["b1b4"])]),
    ],
)
def test_the_counted_moves_limit_the_win(counter: int, best: list[tuple[int, list[str]]]) -> None:
    def dtz(board: chess.Board) -> int:
        return -3 if board.piece_at(chess.B3) else -9

    def result(board: chess.Board) -> int:
        return queen_wins(board) if board.piece_at(chess.B3) or board.piece_at(chess.B4) else 0

    tables = InventedTables(result, dtz)
    fen = f"8/8/8/4k3/8/8/8/KQ6 w - - {counter} 80"
    assert ranks(tables, fen)[: len(best)] == best
    verdict = judge(tables, fen)
    assert verdict
    assert verdict[0].score_cp == (20000 - 4 if best[0][0] == 2 else 1)
    assert sum(len(rank.moves) for rank in verdict) == len(Position(fen).legal_moves())
    tables.rule50 = False
    assert ranks(tables, fen)[0] == (2, ["b1b3"] if counter else ["b1b3", "b1b4"])


BLACK = "8/8/8/4k3/3Q4/8/8/K6R b - - {} 80"  # lost, with a capture
WHITE = "8/8/8/4k3/8/8/8/KQ6 w - - 0 1"


def test_which_moves_are_kept() -> None:
    tables = InventedTables(queen_wins, lambda _: -9)
    # It is mate, whatever was counted.
    assert ranks(tables, "k7/8/1K6/8/8/8/8/4Q3 w - - 100 80")[0] == (2, ["e1e8"])
    # Every lost move, captures too, though they have the shortest dtz; from where the fifty-move rule can
    # help, those that it saves.
    tables = InventedTables(lambda board: 2 if board.turn else -2, lambda _: 30)
    tables.max_pieces = 4
    assert [(wdl, sorted(moves)) for wdl, moves in ranks(tables, BLACK.format(60))] == [
        (-2, ["e5d4", "e5e6", "e5f5"])
    ]
    assert [(wdl, sorted(moves)) for wdl, moves in ranks(tables, BLACK.format(80))] == [
        (-1, ["e5e6", "e5f5"]),
        (-2, ["e5d4"]),
    ]
    # A winner who repeats gets on.
    tables = InventedTables(queen_wins, lambda board: -2 if board.piece_at(chess.B3) else -9)
    assert len(ranks(tables, WHITE, "b1b2 e5e6 b2b1")) == 1
    assert ranks(tables, WHITE, "b1b2 e5e6 b2b1 e6e5")[0] == (2, ["b1b3"])
    # A third repetition is a draw, whatever the tables promise there.
    tables = InventedTables(queen_wins, lambda board: -1 if board.piece_at(chess.B1) else -20)
    moves = "b1b2 e5e6 b2b1 e6e5 b1b2 e5e6"
    assert "b2b1" in ranks(tables, WHITE, moves)[0][1]  # the second time
    assert "c2b1" in ranks(tables, WHITE, f"{moves} b2b1 e6e5 b1c2 e5e6")[-1][1]


def test_outside_the_tables() -> None:
    tables = InventedTables(queen_wins, lambda _: -1)
    assert judge(tables, chess.STARTING_FEN) is None
    assert judge(tables, WHITE, limit=2) is None
    assert judge(InventedTables(lambda _: None, lambda _: -1), WHITE) is None


# In the search

ENDING = "8/8/8/2k5/2p5/8/1PK5/8 w - - 0 1"


def searched(probe: Any, fen: str = ENDING, pieces: int = 3, probe_depth: int = 1, **limits: Any) -> Any:
    engine = oracle.new_engine()
    engine.set_tablebase(probe, pieces, probe_depth)
    return engine.search(Position(fen), **limits)


def test_asked_only_where_tables_can_know() -> None:
    def asked(**options: Any) -> list[str]:
        fens: list[str] = []
        assert searched(fens.append, **options).info.tbhits == 0
        return fens

    usual = asked(depth=12)
    assert all(
        chess.popcount(chess.Board(fen).occupied) <= 3 and fen.split(" ")[2:5:2] == ["-", "0"]
        for fen in usual
    )
    assert not any(" q " in fen for fen in asked(fen="r3k3/p7/8/8/8/8/8/4K3 b q - 0 1", pieces=4, depth=8))
    assert 0 < len(asked(probe_depth=6, depth=12)) < len(usual)
    assert not any(chess.popcount(chess.Board(fen).occupied) == 3 for fen in asked(probe_depth=100, depth=9))


TAKING = "7k/8/8/8/8/1r6/P7/K7 w - - 0 1"  # the pawn may take the last piece


@pytest.mark.parametrize(
    ("fen", "answer", "depth", "best", "low", "high"),
    [
        # A win by table is shown below every mate and above every evaluation; with draws there is nothing
        # else to have.
        (TAKING, -2, 4, "a2b3", 19_800, 20_000),
        (TAKING, 0, 2, "a2b3", 0, 0),
        (TAKING, 1, 2, "a2b3", -1, -1),
        (TAKING, -1, 2, "a2b3", 1, 1),
        ("8/8/8/8/1q6/K1P5/8/k7 w - - 0 1", -2, 4, "c3b4 a3b4", 19_800, 20_000),
    ],
)
def test_answers_of_tables_decide(fen: str, answer: int, depth: int, best: str, low: int, high: int) -> None:
    result = searched(lambda _: answer, fen=fen, depth=depth)
    assert result.bestmove in best.split()
    assert low <= result.info.score_cp <= high
    assert result.info.tbhits > 0
    assert (result.info.is_tb, result.info.is_mate) == (abs(answer) == 2, False)


def test_a_mate_is_found_next_to_and_behind_a_win_by_table() -> None:
    """The rook takes the knight, which the tables call won, and mates two plies later."""
    assert searched(lambda _: 2, fen=TAKING, depth=4).bestmove != "a2b3"
    mate = searched(lambda _: 2, fen="7k/R7/6K1/8/8/8/6p1/8 w - - 0 1", depth=4)
    assert (mate.info.is_mate, mate.info.mate_in) == (True, 1)
    white_wins = lambda fen: 2 if fen.split()[1] == "w" else -2  # noqa: E731
    won = searched(white_wins, fen="7k/8/6K1/8/8/8/8/Rn6 w - - 0 1", depth=5, searchmoves=["a1b1"])
    assert won.info.tbhits > 0
    assert (won.info.is_mate, won.info.mate_in) == (True, 2)


def test_an_exception_ends_the_search_and_is_raised() -> None:
    def broken(_: str) -> int:
        raise OSError("gone")

    with pytest.raises(OSError, match="gone"):
        searched(broken, depth=20)


# With tables on the disk


def suite(data: Path) -> list[tuple[str, int, set[str]]]:
    """FEN, wdl and the moves that keep it, of every position of the suite.

    Our own was made by a solver, not from tables.
    """
    rows = []
    path = data / "endgame" / "syzygy-wdl-dtz.epd"
    for line in path.read_text(encoding="utf-8").splitlines():
        board = chess.Board()
        operations = board.set_epd(line)
        best = operations.get("bm") or list(board.legal_moves)
        assert isinstance(best, list)
        wdl = operations["wdl"]
        assert isinstance(wdl, int)
        if board.is_game_over():
            continue
        rows.append((board.fen(), wdl, {move.uci() for move in best}))
    return rows


def test_the_engine_plays_the_suite(
    engine: UciProcess, tables: Tablebase, folder: str, summary: str, any_data: Path
) -> None:
    """The judgement of each position, and the move, score and hits of a session."""
    rows = suite(any_data)
    assert len(rows) > 200
    wrong = []
    assert engine.ask(f"setoption name SyzygyPath value {folder}") == [f"info string SyzygyPath: {summary}"]
    for fen, wdl, keeping in rows[:: len(rows) // 30]:
        judged = ranks(tables, fen)
        assert judged[0][0] == wdl, fen
        assert {move for result, moves in judged for move in moves if result == wdl} <= keeping, fen
        lines = engine.go(f"position fen {fen}", "go nodes 100")
        match = re.search(r"score (cp|mate) (-?\d+) .*tbhits ([1-9]\d*) ", lines[-2])
        assert match, lines[-2]
        value = int(match[2]) * (1 if match[1] == "cp" else 20_000)
        if lines[-1].split(" ")[1] not in keeping or (value > 1) != (wdl == 2) or (value < -1) != (wdl == -2):
            wrong.append((fen, lines[-2:]))
    assert not wrong


@pytest.mark.parametrize(
    "fen",
    [
        "8/8/8/3k4/8/8/2PK4/8 w - - 0 1",
        "8/8/8/4k3/8/8/8/K6R w - - 67 100",
        "8/8/4k3/8/8/8/8/QK6 w - - 82 100",
    ],
)
def test_a_win_is_won(tables: Tablebase, fen: str) -> None:
    """Each side makes any of its best moves: the winner gets there, whatever was already counted."""
    rng = random.Random(fen)
    position = Position(fen)
    while position.result() == "*":
        verdict = tables.judge(position, position.legal_moves(), 7)
        assert verdict
        assert abs(verdict[0].wdl) == 2
        position.make(rng.choice(verdict[0].moves))
    assert position.result() == "1-0"


def test_options_in_a_session(engine: UciProcess, folder: str, summary: str, tmp_path: Path) -> None:
    def last(fen: str, go: str = "depth 3") -> str:
        return engine.go(f"position fen {fen}", f"go {go}")[-2]

    (line,) = engine.ask("setoption name SyzygyPath value ./syzygy/")
    assert line == "info string setoption: SyzygyPath: no Syzygy tables in './syzygy/'; keeping no tables"
    assert " tbhits 0 " in last(WHITE)
    (line,) = engine.ask(f"setoption name SyzygyPath value {tmp_path}{os.pathsep}{folder}")
    assert line.startswith(f"info string SyzygyPath: {summary}; none in ")
    assert " tbhits 0 " not in last(WHITE)
    assert engine.go(f"position fen {WHITE}", "go depth 3 searchmoves a1a2 b1b8")[-1].split(" ")[1] in (
        "a1a2",
        "b1b8",
    )
    (line,) = engine.ask("setoption name SyzygyProbeLimit value 8")
    assert "keeping 7" in line
    assert engine.ask("setoption name SyzygyProbeLimit value 2") == []
    assert " tbhits 0 " in last(WHITE)
    assert engine.ask("setoption name SyzygyProbeLimit value 7") == []
    inside = last("8/8/8/4k3/8/1p6/2R5/K7 w - - 0 1", "depth 10 searchmoves c2c1 c2b2 c2g2")
    assert " tbhits 0 " not in inside  # asked inside the search, once the pawn or the rook is taken
    for go in ("depth 6", "mate 2"):  # a short mate is still a mate
        assert " score mate 2 " in last("6k1/8/5K2/8/8/8/8/1Q6 w - - 0 1", go)
    cursed = "8/8/8/4k3/8/8/8/K6R w - - 90 100"  # won but for the fifty-move rule
    assert " score cp 1 " in last(cursed)
    engine.send("setoption name Syzygy50MoveRule value false")
    assert re.search(r" score (cp 1\d{4}|mate \d+) ", last(cursed))
    assert engine.ask("setoption name SyzygyPath value <empty>") == []
    assert " tbhits 0 " in last(WHITE)
