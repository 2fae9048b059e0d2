# SPDX-License-Identifier: GPL-3.0-or-later
"""lichess-bot, whose traffic is replayed with Windows line ends, and the polyglot adaptor, for real.

python-chess does in test_in_process.py and test_session.py.
"""

from __future__ import annotations

import shlex
import subprocess
from contextlib import suppress
from typing import TYPE_CHECKING

import chess
import pytest
from programs import program
from search_output import check_search
from uci_process import TIMEOUT, UciProcess, environment, installed_command

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def engine() -> Iterator[UciProcess]:
    with UciProcess(command=installed_command(), ending=b"\r\n") as process:
        yield process
        process.quit()
        assert b"\r" not in process.raw


def declared(engine: UciProcess) -> dict[str, str]:
    """The options, by name: what follows `type`."""
    engine.send("uci")
    lines = [
        line.removeprefix("option name ") for line in engine.read_until("uciok") if line.startswith("option ")
    ]
    return {line.partition(" type ")[0]: line.partition(" type ")[2] for line in lines}


def moves_of(lines: list[str]) -> list[str]:
    """The move to play and the one to ponder on."""
    return lines[-1].split(" ")[1::2]


def test_lichess_bot(engine: UciProcess) -> None:
    """Its five default options as in its file, a folder of tables that is not there, and pondering."""
    options = {
        "Move Overhead": 100,
        "Threads": 4,
        "Hash": 512,
        "SyzygyPath": "./syzygy/",
        "UCI_ShowWDL": "true",
    }
    assert options.keys() <= declared(engine).keys()
    lines = engine.ask(*(f"setoption name {name} value {value}" for name, value in options.items()))
    assert [line for line in lines if not line.startswith("info string")] == []
    assert len(lines) <= 1  # about the folder
    assert engine.ask("setoption name UCI_Chess960 value false", "ucinewgame") == []
    lines = engine.go("position startpos", "go movetime 300")
    check_search(lines)
    assert [line for line in lines if " wdl " in line]
    best, reply = moves_of(lines)
    engine.send(
        f"position startpos moves {best} {reply}", "go ponder wtime 58000 btime 58000 winc 500 binc 500"
    )
    assert engine.go("position startpos", "stop")[-1].startswith("bestmove ")
    lines = engine.go(
        "position startpos", "go wtime 2000 btime 2000 winc 0 binc 0 movetime 100 searchmoves a2a3 h2h3"
    )
    assert moves_of(lines)[0] in ("a2a3", "h2h3")


@pytest.mark.needs_program("polyglot")
def test_the_polyglot_adaptor_plays_a_whole_game(tmp_path: Path) -> None:
    """Debian's, which speaks xboard's protocol and drives a UCI engine, is asked for moves to the end."""
    script = tmp_path / "coachwhip.sh"
    script.write_text(f"#!/bin/sh\nexec {shlex.join(installed_command())}\n")
    script.chmod(0o755)
    (tmp_path / "coachwhip.ini").write_text(
        f"[PolyGlot]\nEngineName = coachwhip\nEngineDir = {tmp_path}\nEngineCommand = {script}\n"
        "Book = false\n"
        f"LogFile = {tmp_path / 'polyglot.log'}\nLog = true\n[Engine]\nHash = 8\n"
    )
    board = chess.Board()
    command = [program("polyglot"), str(tmp_path / "coachwhip.ini")]
    pipe = subprocess.PIPE  # the folder: where the adaptor puts a log before it has read where to
    process = subprocess.Popen(
        command, stdin=pipe, stdout=pipe, text=True, bufsize=1, env=environment(), cwd=tmp_path
    )
    assert process.stdin
    assert process.stdout
    try:
        process.stdin.write("xboard\nprotover 2\nnew\nlevel 0 0:10 0.02\nforce\n")
        while not board.is_game_over(claim_draw=True) and board.ply() < 80:
            process.stdin.write("time 20\notim 20\ngo\n")
            answer = ""
            while not answer.startswith(("move ", "resign", "1-0", "0-1", "1/2")):
                answer = process.stdout.readline()
                assert answer, "the adaptor has gone"
            if not answer.startswith("move "):
                break
            board.push(board.parse_uci(answer.split()[1]))
            process.stdin.write("force\n")
        process.stdin.write("quit\n")
        assert process.wait(TIMEOUT) == 0
    finally:
        process.kill()
        process.stdout.close()
        with suppress(OSError):
            process.stdin.close()
    assert board.ply() > 20
