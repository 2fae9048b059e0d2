# SPDX-License-Identifier: GPL-3.0-or-later
"""The measuring commands: bench is a signature, perft finds what is wrong and names it."""

import json
import subprocess
import sys
from pathlib import Path

import chess
import pytest
from coachwhip.bench import bench, perft
from coachwhip.core.engine import Position, build_info

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
DEPTH = 5


def test_bench_is_the_same_every_time_and_in_every_process(
    capsys: pytest.CaptureFixture[str], user_environment: dict[str, str]
) -> None:
    assert bench.main([str(DEPTH)]) == 0
    out, err = capsys.readouterr()
    build, *positions = err.splitlines()
    assert build == build_info()
    assert len(positions) > 50
    nodes, nodes_word, nps, nps_word = out.splitlines()[-1].split()
    assert (nodes_word, nps_word) == ("nodes", "nps")
    assert int(nodes) > 1000
    assert int(nps) > 0
    words = [sys.executable, "-m", "coachwhip", "bench", str(DEPTH), "--json"]
    done = subprocess.run(
        words, env={**user_environment, "PYTHONHASHSEED": "2"}, capture_output=True, text=True, check=True
    )
    assert done.stderr.splitlines() == [build, *positions]
    again = json.loads(done.stdout)
    assert (again["depth"], again["threads"], again["nodes"]) == (DEPTH, 1, int(nodes))
    assert again["nodes"] == sum(position["nodes"] for position in again["positions"])


@pytest.mark.parametrize("words", [["x"], ["500"], ["5", "--set", "no_such_tunable=1"]])
def test_bench_rejects_bad_words_without_leaving(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert bench.main(words) == 2
    assert "coachwhip bench: " in capsys.readouterr().err


def test_perft_prints_divide_and_total(capsys: pytest.CaptureFixture[str]) -> None:
    assert perft.main(["3", *KIWIPETE.split()]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "e1g1: 2059" in lines
    assert "Nodes searched: 97862" in lines
    assert any(line.startswith("NPS: ") for line in lines)
    assert perft.main(["2", KIWIPETE, "--json", "--chess960"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["nodes"] == 2039 == sum(printed["divide"].values())
    assert "e1h1" in printed["divide"]


def test_perft_options_stand_anywhere(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["2", *KIWIPETE.split()]
    for place in (0, 3, 7):
        assert perft.main([*words[:place], "--threads", "1", *words[place:]]) == 0
        assert "Nodes searched: 2039" in capsys.readouterr().out.splitlines()


def test_a_suite_with_a_planted_count_is_found_and_the_rest_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    suite = tmp_path / "suite.epd"
    suite.write_text(
        f"# counts\n{chess.STARTING_FEN} ;D1 20 ;D2 400 ;D3 8903\n"
        f"{KIWIPETE} ;D1 48 ;D2 2039 ;D3 97862 ;D4 4085603\n"
        "bqnbnrkr/pppppppp/8/8/8/8/PPPPPPPP/BQNBNRKR w HFhf - 0 1 ;D1 20\n"
    )
    assert perft.main(["--suite", str(suite), "--max-nodes", "100000", "--json"]) == 1
    out, err = capsys.readouterr()
    printed = json.loads(out)
    assert (printed["positions"], printed["counts"], printed["nodes"]) == (
        3,
        7,
        20 + 400 + 8902 + 48 + 2039 + 97862 + 20,
    )
    (wrong,) = printed["wrong"]
    assert (wrong["source"], wrong["depth"], wrong["expected"], wrong["counted"]) == (
        "suite.epd:2",
        3,
        8903,
        8902,
    )
    assert "the expected count is wrong" in wrong["reason"]
    assert "suite.epd:2: depth 3" in err
    suite.write_text(suite.read_text().replace("8903", "8902"))
    assert perft.main(["--suite", str(suite), "--max-nodes", "9000"]) == 0
    assert "Wrong: 0" in capsys.readouterr().out


class _Faulty:
    """A position that forgets a move, wherever in the tree it comes up."""

    missing = "e8c8"

    def __init__(self, fen: str, chess960: bool = False) -> None:
        self._position = Position(fen, chess960)
        self.fen = self._position.fen
        self.make = self._position.make

    def perft(self, depth: int, **_: int) -> int:
        return sum(count for _, count in self.divide(depth))

    def divide(self, depth: int) -> list[tuple[str, int]]:
        counts = []
        for move in self._position.legal_moves():
            if move == self.missing:
                continue
            self.make(move)
            counts.append((move, 1 if depth == 1 else self.perft(depth - 1)))
            self._position.undo()
        return counts


def test_a_wrong_move_is_named_where_it_is_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    suite = tmp_path / "suite.epd"
    suite.write_text(f"{KIWIPETE} ;D1 48 ;D2 2039 ;D3 97862\n")
    monkeypatch.setattr(perft, "Position", _Faulty)
    assert perft.main(["--suite", str(suite), "--json"]) == 1
    (wrong,) = json.loads(capsys.readouterr().out)["wrong"]
    assert wrong["depth"] == 2
    assert "legal move missing e8c8" in wrong["reason"]
    board = chess.Board(KIWIPETE)
    board.push_uci(wrong["reason"].split()[1])  # "after MOVE ..."
    assert chess.Move.from_uci("e8c8") in board.legal_moves
    assert board.fen() in wrong["reason"]


def test_a_bad_suite_line_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    suite = tmp_path / "bad.epd"
    for counts in ("", " ;D1", " ;D1 4_8", " ;D0 1", " ;D1 ٤٨", " ;X1 48", " ;D21 48"):
        suite.write_text(f"{chess.STARTING_FEN} ;D1 20\n{KIWIPETE}{counts}\n", encoding="utf-8")
        assert perft.main(["--suite", str(suite)]) == 2
        assert "bad.epd:2: " in capsys.readouterr().err


@pytest.mark.parametrize(
    "words",
    [
        *(
            [],
            ["21"],
            ["-1"],
            ["3", "8/8/8/8/8/8/8/8", "w", "-", "-"],
            ["--suite", "no-such-file"],
            ["2", "--suite", "x"],
        ),
        *(["3", "--threads", "0"], ["3", "--threads", "257"], ["3", "--hash", "-1"], ["3", "--hash", "x"]),
    ],
)
def test_perft_rejects_bad_words(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert perft.main(words) == 2
    out, err = capsys.readouterr()
    assert not out
    assert "coachwhip perft: " in err
