# SPDX-License-Identifier: GPL-3.0-or-later
"""What coachwhip ships to start with is what it should be: legal, and as many as the help says."""

import json

import chess
import pytest
from coachwhip.bench import perft
from coachwhip.bench.suite.epd import read_file

from coachwhip.__main__ import main
from coachwhip.games import data
from coachwhip.games.openings import open_book


def test_openings_are_balanced_and_different() -> None:
    lines = data.OPENINGS.path.read_text(encoding="utf-8").splitlines()
    found = [chess.Board.from_epd(line) for line in lines]
    assert data.OPENINGS.number == len(found) == len({board.epd() for board, _ in found})
    for board, operations in found:
        assert abs(int(str(operations["ce"]))) < 60, board.epd()
        assert any(board.legal_moves), board.epd()
    assert [opening().fen for opening in open_book(data.OPENINGS.path)] == [
        f"{board.epd()} 0 1" for board, _ in found
    ]


def test_perft_counts_are_right() -> None:
    found = perft.read_suite(data.PERFT.path)
    assert data.PERFT.number == len(found) == len({counts[0].fen for counts in found})
    assert perft.main(["--suite", "--max-nodes", "5000"]) == 0


def test_tactics_have_one_best_move() -> None:
    problems, idle = read_file(data.TACTICS.path, "tactics.epd")
    assert data.TACTICS.number == len(problems)
    assert not idle
    assert (
        len({problem.fen for problem in problems})
        == len({problem.label for problem in problems})
        == len(problems)
    )
    for problem in problems:
        assert len(problem.best) == 1
        assert not problem.avoid
        assert chess.Board(problem.fen).is_legal(chess.Move.from_uci(problem.best[0]))


def test_data_lists_them(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["data", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert {name: entry["file"] for name, entry in listed.items()} == {
        name: str(each.path) for name, each in data.ALL.items()
    }
    assert main(["data"]) == 0
    rows = capsys.readouterr().out.splitlines()
    for name, each in data.ALL.items():
        (row,) = [row for row in rows if row.startswith(f"{name} ")]
        assert row.split()[-1] == str(each.number)
        assert main(["data", name]) == 0
        assert capsys.readouterr().out == f"{each.path}\n"
