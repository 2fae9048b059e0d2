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
    given = []

    class Spied(Position):
        def perft(self, depth: int, **settings: Any) -> int:
            given.append(settings)
            return super().perft(depth, **settings)

    suite = tmp_path / "suite.epd"
    suite.write_text(f'{KIWIPETE}; id "kiwi; pete"; D1 48; D2 2039; D3 97862; D4 4085603;\n')
    lines = perft.read_suite(suite)
    threads, hash_mb = 3, 1
    assert perft.run_suite(lines, threads=threads, hash_mb=hash_mb, make=Spied).wrong == ()
    assert given == [{"threads": threads, "hash_mb": hash_mb}] * 4
    assert perft.main(["--suite", str(suite), *words]) == 0


@pytest.mark.parametrize("words", [["--threads", "0"], ["--threads", "257"], ["--hash", "-1"], ["--hash", "x"]])
def test_perft_names_a_bad_number_of_threads_or_size_of_table(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert perft.main(["3", *words]) == 2
    out, err = capsys.readouterr()
    assert not out
    assert f"{words[0]}: expected a whole number" in err


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
    assert perft.main(["--suite", str(suite), "--max-depth", "2"]) == 0
    assert "Wrong: 0" in capsys.readouterr().out


class _Faulty:
    """A position that forgets or invents a move, wherever in the tree it comes up."""

    def __init__(self, position: Position, missing: str = "", invented: str = "") -> None:
        self._position = position
        self._missing = missing
        self._invented = invented

    def perft(self, depth: int, **_: int) -> int:
        return sum(count for _, count in self.divide(depth))

    def divide(self, depth: int) -> list[tuple[str, int]]:
        counts = []
        for move in self._position.legal_moves():
            if move == self._missing:
                continue
            self._position.make(move)
            counts.append((move, 1 if depth == 1 else self.perft(depth - 1)))
            self._position.undo()
        return [*counts, (self._invented, 1)] if self._invented else counts

    def make(self, move: str) -> None:
        self._position.make(move)


def faulty(**fault: str) -> perft.MakePosition:
    """A maker of faulty positions, for `perft`'s parameter `make`."""

    def make(fen: str, chess960: bool) -> Position:
        position: object = _Faulty(Position(fen, chess960), **fault)
        return position  # type: ignore[return-value]

    return make


def test_a_missing_move_is_named_where_it_is_missing() -> None:
    line = perft.parse_line(f"{KIWIPETE} ;D1 48 ;D2 2039 ;D3 97862", "here:1")
    (wrong,) = perft.run_suite([line], make=faulty(missing="e8c8")).wrong
    assert wrong.depth == 2
    assert "after " in wrong.reason
    assert "legal move missing e8c8" in wrong.reason
    first = wrong.reason.split()[1].rstrip(":")
    board = chess.Board(KIWIPETE)
    board.push_uci(first)
    assert chess.Move.from_uci("e8c8") in board.legal_moves
    assert board.fen() in wrong.reason


def test_an_illegal_move_is_named() -> None:
    reason = perft.first_wrong_move(KIWIPETE, 1, make=faulty(invented="a1a8"))
    assert reason.startswith("here illegal move generated a1a8: ")


def test_a_count_that_nobody_could_wait_for_is_given_up() -> None:
    """Fourteen plies of Kiwipete are 10^21 leaves."""
    line = perft.parse_line(f"{KIWIPETE} ;D1 48 ;D14 100", "here:1")
    (wrong,) = perft.run_suite([line]).wrong
    assert (wrong.depth, wrong.counted) == (14, None)
    assert (
        perft.describe(wrong) == f"here:1: depth 14: given up, expected 100: {KIWIPETE}\n    too many leaves at depth 5 already"
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
