# SPDX-License-Identifier: GPL-3.0-or-later
"""The shipped data are used where no file is named, are listed by `coachwhip data`, and are named in the help."""

import io
import json
import re
import shlex
from pathlib import Path

import chess
import chess.pgn
import pytest
from coachwhip.bench import data
from coachwhip.bench.common.openings import chess960_starts
from coachwhip.bench.engines.spec import own_command
from coachwhip.bench.learn import wdl_fit

from coachwhip.__main__ import main


def run(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> tuple[str, str]:
    """What a command prints on standard output and standard error."""
    assert main(list(words)) == code
    said = capsys.readouterr()
    return said.out, said.err


def test_data_lists_them(capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = run(capsys, "data")
    for name, each in data.ALL.items():
        (row,) = [line for line in out.splitlines() if line.startswith(f"{name} ")]
        assert row.split()[-1] == str(each.number)
        assert str(each.path) in row
        assert run(capsys, "data", name)[0] == f"{each.path}\n"
    listed = json.loads(run(capsys, "data", "--json")[0])
    assert {name: entry["file"] for name, entry in listed.items()} == {name: str(each.path) for name, each in data.ALL.items()}
    assert "invalid choice: 'nothing'" in run(capsys, "data", "nothing", code=2)[1]


def test_suite_takes_the_shipped_positions(capsys: pytest.CaptureFixture[str]) -> None:
    out, err = run(capsys, "suite", "--nodes", "20", "--json")
    found = json.loads(out)
    assert found["files"] == [str(data.TACTICS.path)]
    assert found["positions"] == data.TACTICS.number
    assert f"using the {data.TACTICS.number} built-in test positions" in err


def test_analyse_takes_the_shipped_games(capsys: pytest.CaptureFixture[str]) -> None:
    out, err = run(capsys, "analyse", "--nodes", "30", "--json")
    assert len(json.loads(out)["games"]) == data.GAMES.number
    assert f"using the {data.GAMES.number} built-in games" in err
    _, err = run(capsys, "analyse", "--nodes", "30", "--output", str(data.GAMES.path), code=2)
    assert "is one of the files to read" in err


def test_wdl_fit_takes_the_scored_games(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are enough for a model with the right shape: the side that is ahead wins more often than not from some score on."""
    pytest.importorskip("scipy")
    monkeypatch.setattr(wdl_fit, "ROUNDS", 1)
    out, err = run(capsys, "wdl-fit")
    games, scores, loss = re.findall(r"# (\d+) games, (\d+) scores, mean loss ([\d.]+) nats", out)[0]
    assert (int(games), int(scores) > 5000) == (data.SCORED.number, True)
    assert float(loss) < 0.95  # a guess has ln 3
    middle = [float(number) for number in re.findall(r"MIDDLE = \((.*)\)", out)[0].split(",")]
    assert 20 < sum(middle) < 600  # with all pieces on the board, in centipawns
    assert f"using the {data.SCORED.number} built-in scored games" in err
    broken = tmp_path / "broken.pgn.xz"
    broken.write_bytes(data.SCORED.path.read_bytes()[:1000])
    assert f"{broken}: not a whole compressed file" in run(capsys, "wdl-fit", str(broken), code=2)[1]


def first_fens(path: Path) -> set[str]:
    """The start positions of the games in a file."""
    file = io.StringIO(path.read_text(encoding="utf-8"))
    return {game.board().fen(shredder=True) for game in iter(lambda: chess.pgn.read_game(file), None)}


def test_a_match_begins_with_the_shipped_openings(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    lines = data.OPENINGS.path.read_text(encoding="utf-8").splitlines()
    shipped = {chess.Board.from_epd(line)[0].fen(shredder=True) for line in lines}
    chess960 = {opening().fen for opening in chess960_starts()}
    assert len(chess960) == 960
    engines = [word for name in "ab" for word in ("--engine", shlex.join(own_command()), "--name", name)]
    path = tmp_path / "games.pgn"
    for words, allowed, openings in (
        ([], shipped, 2),
        (["--chess960"], chess960, 2),
        (["--openings", "startpos"], {chess.STARTING_FEN}, 1),
    ):
        limits = ["--games", "4", "--nodes", "20", "--max-moves", "2", "--concurrency", "1"]
        _, err = run(capsys, "match", *engines, *limits, "--pgn", str(path), *words)
        started = first_fens(path)
        assert len(started) == openings
        assert started <= {chess.Board(fen, chess960=True).fen(shredder=True) for fen in allowed}
        assert (f"using the {data.OPENINGS.number} built-in balanced openings" in err) == (not words)
        path.unlink()
