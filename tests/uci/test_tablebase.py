# SPDX-License-Identifier: GPL-3.0-or-later
"""Endgame tables: what is read, which root moves are kept, and what the search asks and makes of the answers."""

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
from coachwhip.uci.tablebase import Tablebase, Verdict
from places import DATA
from uci_process import UciProcess

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture(scope="session")
def folder(any_data: Path) -> str:
    """Our own tables of three men, and then those of three and four men in ../shared."""
    return str(any_data / "syzygy")


@pytest.fixture(scope="session")
def summary(any_data: Path) -> str:
    """What is said of the tables in `folder`."""
    return "5 WDL and 5 DTZ tables, up to 3 pieces" if any_data == DATA else "35 WDL and 35 DTZ tables, up to 4 pieces"


@pytest.fixture(scope="session")
def tables(folder: str) -> Any:
    tables = Tablebase(folder)
    yield tables
    tables.close()


class InventedTables(Tablebase):
    """Tables of three men whose answers the test makes up, so that none need be on the disk."""

    def __init__(self, wdl: Callable[[chess.Board], int | None], dtz: Callable[[chess.Board], int | None]) -> None:
        self._board = chess.Board
        self._tables: Any = type("", (), {"get_wdl": staticmethod(wdl), "get_dtz": staticmethod(dtz)})
        self._unread = ""
        self.rule50 = True
        self.max_pieces = 3


def queen_wins(board: chess.Board) -> int:
    """KQvK with the queen safe."""
    return 2 if board.pieces(chess.QUEEN, board.turn) else -2


def judge(tables: Tablebase, fen: str, moves: str = "", limit: int = 7) -> Verdict | None:
    position = Position(fen)
    for move in moves.split():
        position.make(move)
    return tables.judge(position, position.legal_moves(), limit)


def ranks(tables: Tablebase, fen: str, moves: str = "") -> list[tuple[int, list[str]]]:
    """The result of each rank and its moves."""
    verdict = judge(tables, fen, moves)
    assert verdict
    return [(rank.wdl, rank.moves) for rank in verdict.ranks]


# Without tables on the disk


@pytest.mark.parametrize("path", ["./no/such/folder/", os.pathsep, "", "\0"])
def test_a_path_without_tables_is_rejected(path: str) -> None:
    with pytest.raises(ValueError, match="no Syzygy tables"):
        Tablebase(path)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("readme.txt", "no Syzygy tables"),
        ("KQvK.rtbz", "no WDL tables in .*; left out, since their headers are damaged: KQvK.rtbz"),
        ("KQvK.rtbw", "no WDL tables in .*; left out, since their headers are damaged: KQvK.rtbw"),
    ],
)
def test_a_folder_without_tables_is_rejected(name: str, message: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(b"no table at all")
    with pytest.raises(ValueError, match=message):
        Tablebase(str(tmp_path))


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
    assert verdict.ranks[0].score_cp == (20000 - 4 if best[0][0] == 2 else 1)
    assert sum(len(rank.moves) for rank in verdict.ranks) == verdict.hits == len(Position(fen).legal_moves())
    tables.rule50 = False
    assert ranks(tables, fen)[0] == (2, ["b1b3"] if counter else ["b1b3", "b1b4"])


def test_a_mate_is_a_win_whatever_was_counted() -> None:
    tables = InventedTables(queen_wins, lambda _: -9)
    assert ranks(tables, "k7/8/1K6/8/8/8/8/4Q3 w - - 100 80")[0] == (2, ["e1e8"])


def test_every_lost_move_is_searched() -> None:
    """Captures too, though they have the shortest dtz; from where the fifty-move rule can help, the moves that it saves."""
    tables = InventedTables(lambda board: 2 if board.turn else -2, lambda _: 30)
    tables.max_pieces = 4
    fen = "8/8/8/4k3/3Q4/8/8/K6R b - - {} 80"
    assert [(wdl, sorted(moves)) for wdl, moves in ranks(tables, fen.format(60))] == [(-2, ["e5d4", "e5e6", "e5f5"])]
    assert [(wdl, sorted(moves)) for wdl, moves in ranks(tables, fen.format(80))] == [(-1, ["e5e6", "e5f5"]), (-2, ["e5d4"])]


def test_a_winner_who_repeats_gets_on() -> None:
    tables = InventedTables(queen_wins, lambda board: -2 if board.piece_at(chess.B3) else -9)
    fen = "8/8/8/4k3/8/8/8/KQ6 w - - 0 1"
    assert len(ranks(tables, fen, "b1b2 e5e6 b2b1")) == 1
    assert ranks(tables, fen, "b1b2 e5e6 b2b1 e6e5")[0] == (2, ["b1b3"])


def test_a_third_repetition_is_a_draw() -> None:
    """The winning side may not go back once more, whatever the tables promise there."""
    tables = InventedTables(queen_wins, lambda board: -1 if board.piece_at(chess.B1) else -20)
    moves = "b1b2 e5e6 b2b1 e6e5 b1b2 e5e6"
    assert "b2b1" in ranks(tables, "8/8/8/4k3/8/8/8/KQ6 w - - 0 1", moves)[0][1]  # the second time
    assert "c2b1" in ranks(tables, "8/8/8/4k3/8/8/8/KQ6 w - - 0 1", f"{moves} b2b1 e6e5 b1c2 e5e6")[-1][1]


def test_outside_the_tables() -> None:
    tables = InventedTables(queen_wins, lambda _: -1)
    assert judge(tables, chess.STARTING_FEN) is None
    assert judge(tables, "8/8/8/4k3/8/8/8/KQ6 w - - 0 1", limit=2) is None
    assert judge(InventedTables(lambda _: None, lambda _: -1), "8/8/8/4k3/8/8/8/KQ6 w - - 0 1") is None


# In the search

CAPTURE = "8/8/8/8/8/2k5/1rK5/8 w - - 0 1"  # the only sensible move takes, and two kings are left
ENDING = "8/8/8/2k5/2p5/8/1PK5/8 w - - 0 1"


def searched(probe: Any, fen: str = ENDING, pieces: int = 3, probe_depth: int = 1, **limits: Any) -> Any:
    engine = oracle.new_engine()
    engine.set_tablebase(probe, pieces, probe_depth)
    return engine.search(Position(fen), **limits)


def test_asked_only_where_tables_can_know() -> None:
    asked: list[str] = []
    result = searched(asked.append, depth=12)
    assert asked
    for fen in asked:
        assert chess.popcount(chess.Board(fen).occupied) <= 3
        assert fen.split(" ")[2:5:2] == ["-", "0"]
    assert result.info.tbhits == 0
    castling: list[str] = []
    searched(castling.append, fen="r3k3/p7/8/8/8/8/8/4K3 b q - 0 1", pieces=4, depth=8)
    assert all(" q " not in fen for fen in castling)
    deep: list[str] = []
    searched(deep.append, probe_depth=6, depth=12)
    assert 0 < len(deep) < len(asked)
    never: list[str] = []
    searched(never.append, probe_depth=100, depth=9)
    assert not any(chess.popcount(chess.Board(fen).occupied) == 3 for fen in never)


def test_answers_count_and_decide() -> None:
    """Taking the rook is lost or won as the tables say of the position after it."""
    fen = "7k/8/8/8/8/1r6/P7/K7 w - - 0 1"
    won = searched(lambda _: -2, fen=fen, depth=4)
    assert (won.bestmove, won.info.is_tb, won.info.is_mate) == ("a2b3", True, False)
    assert won.info.tbhits > 0
    assert searched(lambda _: 2, fen=fen, depth=4).bestmove != "a2b3"


def test_a_win_by_table_is_shown_below_every_mate_and_above_every_evaluation() -> None:
    lost = searched(lambda _: -2, fen="8/8/8/8/1q6/K1P5/8/k7 w - - 0 1", pieces=3, depth=4)
    assert lost.bestmove in ("c3b4", "a3b4")
    assert 19_800 < lost.info.score_cp <= 20_000
    assert not lost.info.is_mate
    mate = searched(lambda _: 2, fen="7k/R7/6K1/8/8/8/6p1/8 w - - 0 1", pieces=3, depth=4)
    assert (mate.info.is_mate, mate.info.mate_in) == (True, 1)


def test_a_mate_behind_a_win_by_table_is_found() -> None:
    """The rook takes the knight, which the tables call won, and mates two plies later."""

    def white_wins(fen: str) -> int:
        return 2 if fen.split()[1] == "w" else -2

    won = searched(white_wins, fen="7k/8/6K1/8/8/8/8/Rn6 w - - 0 1", depth=5, searchmoves=["a1b1"])
    assert won.info.tbhits > 0
    assert (won.info.is_mate, won.info.mate_in) == (True, 2)


@pytest.mark.parametrize(("answer", "score"), [(0, 0), (1, -1), (-1, 1)])
def test_draws_by_table(answer: int, score: int) -> None:
    """The pawn takes the last piece: with draws in the tables that is all there is to have."""
    result = searched(lambda _: answer, fen="7k/8/8/8/8/1r6/P7/K7 w - - 0 1", pieces=3, depth=2)
    assert (result.bestmove, result.info.score_cp) == ("a2b3", score)


def test_an_exception_ends_the_search_and_is_raised() -> None:
    def broken(_: str) -> int:
        raise OSError("gone")

    with pytest.raises(OSError, match="gone"):
        searched(broken, depth=20)


# With tables on the disk


def suite(data: Path) -> list[tuple[str, int, set[str]]]:
    """FEN, wdl and the moves that keep it, of every position of the suite; our own was made by a solver, not from tables."""
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


def test_the_engine_plays_the_suite(tables: Tablebase, folder: str, summary: str, any_data: Path) -> None:
    """The judgement of each position, and the move, score and hits of a session."""
    rows = suite(any_data)
    assert len(rows) > 200
    wrong = []
    with UciProcess() as engine:
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
        engine.quit()
    assert not wrong


def test_several_lines_show_the_rest_of_the_moves(folder: str, any_data: Path) -> None:
    """After the moves that keep the result come those that give some of it away, worse by the tables themselves."""
    rows = suite(any_data)
    with chess.syzygy.open_tablebase(folder) as oracle_tables, UciProcess() as engine:
        engine.ask(f"setoption name SyzygyPath value {folder}", "setoption name MultiPV value 4")
        for fen, _, _ in rows[:: len(rows) // 12]:
            board = chess.Board(fen)
            results = []
            lines = engine.go(f"position fen {fen}", "go nodes 100")[:-1]
            last = max(index for index, line in enumerate(lines) if " multipv 1 " in line)
            firsts = [line.split(" pv ")[1].split(" ")[0] for line in lines[last:]]
            for move in firsts:
                board.push_uci(move)
                results.append(2 if board.is_checkmate() else -oracle_tables.probe_wdl(board))
                board.pop()
            assert len(set(firsts)) == len(firsts) == min(4, board.legal_moves.count()), fen
            assert results == sorted(results, reverse=True), (fen, firsts)
        engine.quit()


def test_the_loser_captures_and_promotes(shared_data: Path) -> None:
    """The other moves are mated at once."""
    with UciProcess() as engine:
        engine.ask(f"setoption name SyzygyPath value {shared_data / 'syzygy'}")
        for fen, best in (("3Kq3/8/8/3q4/8/8/2k5/8 w - - 0 100", "d8e8"), ("8/7P/8/8/8/5k2/7K/4q3 w - - 0 100", "h7h8q")):
            lines = engine.go(f"position fen {fen}", "go depth 6")
            assert lines[-1].split(" ")[1] == best
            assert " mate -1 " not in lines[-2]
        engine.quit()


@pytest.mark.parametrize(
    "fen", ["8/8/8/3k4/8/8/2PK4/8 w - - 0 1", "8/8/8/4k3/8/8/8/K6R w - - 67 100", "8/8/4k3/8/8/8/8/QK6 w - - 82 100"]
)
def test_a_win_is_won(tables: Tablebase, fen: str) -> None:
    """Each side makes any of its best moves: the winner always gets there, whatever the moves already counted."""
    rng = random.Random(fen)
    position = Position(fen)
    while position.result() == "*":
        verdict = tables.judge(position, position.legal_moves(), 7)
        assert verdict
        assert abs(verdict.ranks[0].wdl) == 2
        position.make(rng.choice(verdict.ranks[0].moves))
    assert position.result() == "1-0"


def test_options_in_a_session(folder: str, summary: str, tmp_path: Path) -> None:
    fen = "8/8/8/4k3/8/8/8/KQ6 w - - 0 1"
    with UciProcess() as engine:
        (line,) = engine.ask("setoption name SyzygyPath value ./syzygy/")
        assert line == "info string setoption: SyzygyPath: no Syzygy tables in './syzygy/'; keeping <empty>"
        assert " tbhits 0 " in engine.go(f"position fen {fen}", "go depth 3")[-2]
        (line,) = engine.ask(f"setoption name SyzygyPath value {tmp_path}{os.pathsep}{folder}")
        assert line.startswith(f"info string SyzygyPath: {summary}; none in ")
        assert not re.search(" tbhits 0 ", engine.go(f"position fen {fen}", "go depth 3")[-2])
        assert engine.go(f"position fen {fen}", "go depth 3 searchmoves a1a2 b1b8")[-1].split(" ")[1] in ("a1a2", "b1b8")
        (line,) = engine.ask("setoption name SyzygyProbeLimit value 8")
        assert "keeping 7" in line
        assert engine.ask("setoption name SyzygyProbeLimit value 2") == []
        assert " tbhits 0 " in engine.go(f"position fen {fen}", "go depth 3")[-2]
        assert engine.ask("setoption name SyzygyProbeLimit value 7") == []
        lines = engine.go("position fen 8/8/8/4k3/8/1p6/2R5/K7 w - - 0 1", "go depth 10 searchmoves c2c1 c2b2 c2g2")
        assert not re.search(" tbhits 0 ", lines[-2])  # asked inside the search, once the pawn or the rook is taken
        for go in ("go depth 6", "go mate 2"):  # a short mate is still a mate
            assert " score mate 2 " in engine.go("position fen 6k1/8/5K2/8/8/8/8/1Q6 w - - 0 1", go)[-2]
        cursed = "position fen 8/8/8/4k3/8/8/8/K6R w - - 90 100"  # won but for the fifty-move rule
        assert " score cp 1 " in engine.go(cursed, "go depth 3")[-2]
        engine.send("setoption name Syzygy50MoveRule value false")
        assert re.search(r" score (cp 1\d{4}|mate \d+) ", engine.go(cursed, "go depth 3")[-2])
        assert engine.ask("setoption name SyzygyPath value <empty>") == []
        assert " tbhits 0 " in engine.go(f"position fen {fen}", "go depth 3")[-2]
        engine.quit()
