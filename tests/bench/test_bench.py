# SPDX-License-Identifier: GPL-3.0-or-later
"""The measuring commands: bench is a signature, perft finds what is wrong and names it."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import chess
import pytest
from coachwhip.bench import bench, perft
from coachwhip.core.engine import Position, build_info

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
DEPTH = 5


def test_bench_gives_the_same_nodes_every_time(capsys: pytest.CaptureFixture[str]) -> None:
    first, second = bench.run(DEPTH), bench.run(DEPTH)
    assert first.nodes > 1000
    assert [position.nodes for position in first.positions] == [position.nodes for position in second.positions]
    assert [position.bestmove for position in first.positions] == [position.bestmove for position in second.positions]
    assert bench.main([str(DEPTH)]) == 0
    out, err = capsys.readouterr()
    build, *positions = err.splitlines()
    assert build == build_info()
    assert len(positions) == len(first.positions)
    nodes, nodes_word, nps, nps_word = out.splitlines()[-1].split()
    assert (int(nodes), nodes_word, nps_word) == (first.nodes, "nodes", "nps")
    assert int(nps) > 0


def test_bench_counts_do_not_depend_on_the_process(user_environment: dict[str, str]) -> None:
    code = f"from coachwhip.bench import bench; print(bench.run({DEPTH}, fens=bench.read_positions()[:8]).nodes)"
    counts = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**user_environment, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert counts == {f"{bench.run(DEPTH, fens=bench.read_positions()[:8]).nodes}\n"}


def test_bench_prints_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert bench.main([str(DEPTH), "--json", "--hash", "1"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["depth"] == DEPTH
    assert printed["hash"] == 1
    assert printed["threads"] == 1
    assert printed["nodes"] == sum(position["nodes"] for position in printed["positions"])


@pytest.mark.parametrize(
    "words", [["0"], ["x"], ["5", "--set", "no_such_tunable=1"], ["5", "--set", "a"], ["5", "--weights", "no-such-file"]]
)
def test_bench_refuses_bad_words_without_leaving(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert bench.main(words) == 2
    assert "coachwhip bench: " in capsys.readouterr().err


def test_perft_prints_divide_and_total(capsys: pytest.CaptureFixture[str]) -> None:
    assert perft.main(["3", *KIWIPETE.split()]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "e1g1: 2059" in lines
    assert "Nodes searched: 97862" in lines
    assert any(line.startswith("NPS: ") for line in lines)
    assert perft.main(["4", "--no-divide"]) == 0
    assert capsys.readouterr().out.splitlines()[:2] == ["", "Nodes searched: 197281"]


@pytest.mark.parametrize("place", [0, 3, 7])
def test_options_may_stand_between_the_words(place: int, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["2", *KIWIPETE.split()]
    assert perft.main([*words[:place], "--no-divide", "--threads", "1", *words[place:]]) == 0
    assert capsys.readouterr().out.splitlines()[:2] == ["", "Nodes searched: 2039"]


@pytest.mark.parametrize("words", [["--threads", "2"], ["--hash", "1"], ["--threads", "3", "--hash", "4"]])
def test_perft_counts_the_same_with_threads_and_a_table(
    words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def printed(*more: str) -> dict[str, Any]:
        assert perft.main(["5", "--json", *more]) == 0
        out: dict[str, Any] = json.loads(capsys.readouterr().out)
        return out

    assert printed(*words)["divide"] == printed()["divide"]
    suite = tmp_path / "suite.epd"
    suite.write_text(f'{KIWIPETE}; id "kiwi; pete"; D1 48; D2 2039; D3 97862; D4 4085603;\n')
    assert perft.main(["--suite", str(suite), *words]) == 0


def test_perft_prints_json_with_960_castling(capsys: pytest.CaptureFixture[str]) -> None:
    assert perft.main(["2", KIWIPETE, "--json", "--chess960"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["nodes"] == 2039 == sum(printed["divide"].values())
    assert "e1h1" in printed["divide"]


def test_a_suite_with_a_planted_count_is_found_and_the_rest_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    suite = tmp_path / "suite.epd"
    suite.write_text(
        f"# counts\n{chess.STARTING_FEN} ;D1 20 ;D2 400 ;D3 8903\n{KIWIPETE} ;D1 48 ;D2 2039 ;D3 97862 ;D4 4085603\n"
        "bqnbnrkr/pppppppp/8/8/8/8/PPPPPPPP/BQNBNRKR w HFhf - 0 1 ;D1 20\n"
    )
    assert perft.main(["--suite", str(suite), "--max-nodes", "100000", "--json"]) == 1
    out, err = capsys.readouterr()
    printed = json.loads(out)
    assert (printed["positions"], printed["counts"], printed["nodes"]) == (3, 7, 20 + 400 + 8902 + 48 + 2039 + 97862 + 20)
    (wrong,) = printed["wrong"]
    assert (wrong["source"], wrong["depth"], wrong["expected"], wrong["counted"]) == ("suite.epd:2", 3, 8903, 8902)
    assert "the expected count is wrong" in wrong["reason"]
    assert "suite.epd:2: depth 3" in err
    suite.write_text(suite.read_text().replace("8903", "8902"))
    assert perft.main(["--suite", str(suite), "--max-nodes", "9000"]) == 0
    assert "Wrong: 0" in capsys.readouterr().out


class _Faulty:
    """A position that forgets or invents a move, wherever in the tree it comes up."""

    missing = invented = ""

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
        return [*counts, (self.invented, 1)] if self.invented else counts


@pytest.mark.parametrize("fault", ["missing", "invented"])
def test_a_wrong_move_is_named_where_it_is_wrong(
    fault: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    suite = tmp_path / "suite.epd"
    suite.write_text(f"{KIWIPETE} ;D1 48 ;D2 2039 ;D3 97862\n")
    monkeypatch.setattr(_Faulty, fault, {"missing": "e8c8", "invented": "a1a8"}[fault])
    monkeypatch.setattr(perft, "Position", _Faulty)
    assert perft.main(["--suite", str(suite), "--json"]) == 1
    (wrong,) = json.loads(capsys.readouterr().out)["wrong"]
    if fault == "invented":
        assert wrong["reason"].startswith("here illegal move generated a1a8: ")
        return
    assert wrong["depth"] == 2
    assert "legal move missing e8c8" in wrong["reason"]
    board = chess.Board(KIWIPETE)
    board.push_uci(wrong["reason"].split()[1])  # "after MOVE ..."
    assert chess.Move.from_uci("e8c8") in board.legal_moves
    assert board.fen() in wrong["reason"]


def test_a_count_that_nobody_could_wait_for_is_given_up(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Fourteen plies of Kiwipete are 10^21 leaves."""
    suite = tmp_path / "suite.epd"
    suite.write_text(f"{KIWIPETE} ;D1 48 ;D14 100\n")
    assert perft.main(["--suite", str(suite)]) == 1
    assert (
        f"suite.epd:1: depth 14: given up, expected 100: {KIWIPETE}\n    too many leaves at depth 5 already"
        in capsys.readouterr().err
    )


@pytest.mark.parametrize("castling", ["KQkq", "qkQK", "kQkq"])
def test_castling_rights_in_any_order_can_be_judged(castling: str) -> None:
    """The core reads them all; python-chess, which judges, reads only the first."""
    fen = KIWIPETE.replace("KQkq", castling)
    assert "the expected count is wrong" in perft.first_wrong_move(fen, 2)


@pytest.mark.parametrize(
    "text",
    [
        "",
        f"{KIWIPETE}",
        f"{KIWIPETE} ;D1",
        f"{KIWIPETE} ;D1 4_8",
        f"{KIWIPETE} ;D0 1",
        f"{KIWIPETE} ;D1 ٤٨",
        f"{KIWIPETE} ;X1 48",
        f"{KIWIPETE} ;D21 48",
    ],
)
def test_a_bad_suite_line_is_named(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    suite = tmp_path / "bad.epd"
    suite.write_text(f"{chess.STARTING_FEN} ;D1 20\n{text or 'x'}\n", encoding="utf-8")
    assert perft.main(["--suite", str(suite)]) == 2
    assert "bad.epd:2: " in capsys.readouterr().err


@pytest.mark.parametrize(
    "words", [[], ["21"], ["-1"], ["3", "8/8/8/8/8/8/8/8", "w", "-", "-"], ["--suite", "no-such-file"], ["2", "--suite", "x"]]
)
def test_perft_refuses_bad_words(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert perft.main(words) == 2
    out, err = capsys.readouterr()
    assert not out
    assert "coachwhip perft: " in err
