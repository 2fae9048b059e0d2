# SPDX-License-Identifier: GPL-3.0-or-later
"""The trials of the move generator and of spoilt files, shortened: they find nothing, go on where they stopped, and do see faults."""

import json
import random
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import chess
import pytest
from coachwhip.core.engine import Position
from places import ROOT

TRIALS = ROOT / "tests" / "trials"


@pytest.fixture(autouse=True)
def trials(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the modules of the trials are found."""
    monkeypatch.syspath_prepend(str(TRIALS))


def run(name: str, *words: str, code: int = 0) -> dict[str, Any]:
    """What a trial prints."""
    done = subprocess.run([sys.executable, str(TRIALS / name), *words], capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stderr
    return dict(json.loads(done.stdout))


def test_the_move_generator_agrees_and_a_run_goes_on(tmp_path: Path) -> None:
    words = ("--seed", "7", "--journal", str(tmp_path / "run.jsonl"))
    first = run("movegen.py", "--count", "1", *words)
    assert (first["faults"], first["pieces"]) == ([], 1)
    second = run("movegen.py", "--count", str(first["count"] + 1), *words, "--resume")
    assert (second["faults"], second["pieces"]) == ([], 2)
    assert second["counts"]["positions"] > first["counts"]["positions"] >= 2000
    assert {"positions, standard", "positions, chess960"} <= set(second["counts"])


def test_the_move_generator_s_odd_positions_agree() -> None:
    import movegen

    found = movegen.piece(3, movegen.KINDS.index("odd"))
    assert found.faults == []
    assert found.counts["set up"] > 50
    board = next(board for board in (movegen.odd_board(random.Random(seed)) for seed in range(99)) if board.ep_square)
    assert board.piece_at(board.ep_square or 0) is None


@pytest.mark.parametrize("name", ["legal_moves", "gives_check", "fen", "key", "in_check"])
def test_the_move_generator_trial_sees_faults(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    import movegen

    class Wrong(Position):
        """The core with one wrong answer, now and then."""

    right = getattr(Position, name)
    wrong: dict[str, Any] = {
        "legal_moves": lambda self: right(self)[: 7 if self.ply == 9 else None],
        "gives_check": lambda self, move: right(self, move) != (self.ply == 9),
        "fen": lambda self: right(self) + ("0" if self.ply == 9 else ""),
        "key": property(lambda self: 5 if self.ply in (7, 9) else right.__get__(self)),
        "in_check": property(lambda self: right.__get__(self) != (self.ply == 9)),
    }
    setattr(Wrong, name, wrong[name])
    monkeypatch.setattr(movegen, "Position", Wrong)
    game = movegen.Game(chess.Board(), Counter(), {})
    with pytest.raises((movegen.Fault, ValueError)):
        game.play(random.Random(1), 20)


def test_spoilt_files_of_every_kind_are_read_or_refused(tmp_path: Path) -> None:
    import file_readers

    kinds = len(file_readers.READERS)
    found = run("mutated_files.py", "--count", str(3 * kinds), "--files", "3", "--seed", "20", "--keep", str(tmp_path))
    assert found["faults"] == []
    assert (found["count"], found["pieces"]) == (3 * kinds, kinds)
    assert not list(tmp_path.iterdir())


def test_every_reader_reads_the_files_that_are_spoilt(tmp_path: Path) -> None:
    import file_readers

    for name, reader in file_readers.READERS.items():
        for number, content in enumerate(reader.seeds()):
            path = tmp_path / f"{number}{reader.suffix}"
            path.write_bytes(content)
            if (name, number) in {
                ("weights", 2),
                ("wdl-fit", 2),
                ("wdl-fit xz", 2),
            }:  # a network that is not there, games without scores
                with pytest.raises(reader.refuses):
                    reader.read(path)
            else:
                assert reader.read(path) == "", (name, number)


def test_faults_of_a_reader_are_seen(tmp_path: Path) -> None:
    import mutated_files
    from file_readers import Reader

    def raising(error: Exception) -> Reader:
        def read(_path: Path) -> str:
            raise error

        return Reader("", list, read, (ValueError,))

    path = tmp_path / "spoilt"
    path.write_bytes(b"")
    assert mutated_files.read(raising(ValueError("spoilt: no.")), path) == "refused"
    assert "does not name the file" in mutated_files.read(raising(ValueError("no.")), path)
    assert "not one line" in mutated_files.read(raising(ValueError("spoilt\nno.")), path)
    assert mutated_files.read(raising(RecursionError("deep")), path).startswith("RecursionError: deep (")
    assert mutated_files.read(Reader("", list, lambda _: "inconsistent", ()), path) == "inconsistent"
