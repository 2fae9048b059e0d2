# SPDX-License-Identifier: GPL-3.0-or-later
"""The shipped data are used where no file is named, are listed by `coachwhip data`, and are named in the help."""

import io
import json
import shlex
from pathlib import Path

import chess
import chess.pgn
import pytest
from coachwhip.bench.engines.spec import own_command

from coachwhip.__main__ import main
from coachwhip.games import data
from coachwhip.games.openings import chess960_starts
from coachwhip.study.analyse import __main__ as analyse


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


def test_analyse_takes_the_shipped_games(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One of them."""
    first = data.GAMES.path.read_text(encoding="utf-8").split("[Event ")[1]
    (few := tmp_path / "few.pgn").write_text(f"[Event {first}", encoding="utf-8")
    monkeypatch.setattr(analyse, "GAMES", data.GAMES._replace(path=few))
    out, err = run(capsys, "analyse", "--nodes", "30")
    assert "[Event " in out
    assert f"using the 1 built-in games, {few}" in err


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
