# SPDX-License-Identifier: GPL-3.0-or-later
"""The traffic of the programs that people use, replayed line by line against the installed command; then those programs themselves.

Cute Chess, fastchess, and lichess-bot, as their sources and logs show it. The polyglot adaptor, which speaks xboard's protocol,
plays for real; python-chess does in test_in_process.py and test_uci_session.py.
"""

from __future__ import annotations

import shlex
import subprocess
from contextlib import suppress
from typing import TYPE_CHECKING

import chess
import chess.engine
import chess.pgn
import pytest
from programs import program
from uci_model import after, check_search
from uci_process import TIMEOUT, UciProcess, environment, installed_command

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

BISHOPS_SWAPPED = "bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w HFhf - 0 1"


@pytest.fixture
def engine() -> Iterator[UciProcess]:
    with UciProcess(command=installed_command(), ending=b"\r\n") as process:
        yield process
        process.quit()
        assert b"\r" not in process.raw


def declared(engine: UciProcess) -> dict[str, str]:
    """The options, by name: what follows `type`."""
    engine.send("uci")
    lines = [line.removeprefix("option name ") for line in engine.read_until("uciok") if line.startswith("option ")]
    return {line.partition(" type ")[0]: line.partition(" type ")[2] for line in lines}


def moves_of(lines: list[str]) -> list[str]:
    """The move to play and the one to ponder on."""
    return lines[-1].split(" ")[1::2]


def test_cute_chess(engine: UciProcess) -> None:
    """`position` after every ply, clocks of many kinds, pondering with a hit and with a miss, stop, infinite analysis."""
    options = declared(engine)
    assert {"Hash", "Threads", "Ponder", "MultiPV", "UCI_Chess960", "UCI_LimitStrength", "UCI_Elo"} <= options.keys()
    assert engine.ask() == []
    assert engine.ask("debug on", "register later", "setoption name Hash value 32") == []
    for _ in range(2):
        assert engine.ask("ucinewgame", "setoption name Ponder value true", "setoption name UCI_Chess960 value false") == []
        engine.send("position startpos")
        best, reply = moves_of(engine.go("go wtime 1000 btime 1000 winc 10 binc 10 movestogo 40"))
        engine.send(f"position startpos moves {best}")
        engine.send(f"position startpos moves {best} {reply}")
        engine.send("go ponder wtime 900 btime 900 winc 10 binc 10 movestogo 39")
        assert engine.ask() is not None  # readyok comes while it ponders
        hit = engine.go("ponderhit")
        check_search(hit, after(f"{best} {reply}"))
        engine.send(f"position startpos moves {best} {reply}", "go ponder wtime 900 btime 900 winc 10 binc 10")
        assert engine.go("stop")[-1].startswith("bestmove ")
        engine.send(f"position startpos moves {best}")  # the opponent played something else, and it is analysed
        engine.send("go infinite")
        check_search(engine.go("stop"), after(best))
        check_search(engine.go("go movetime 50 depth 5 nodes 100000"), after(best))
    assert engine.go("position startpos", "go wtime -170671 btime 100 winc 0 binc 0")[-1].startswith("bestmove ")


def test_fastchess(engine: UciProcess) -> None:
    """What it checks before it lets an engine play, in its order; then games of Chess960 with three `isready` around each move.

    A side without a clock is left out. check_search is stricter than fastchess.
    """
    assert "Hash" in declared(engine)
    black = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"
    white = "3r2k1/p5n1/1pq1p2p/2p3p1/2P1P1n1/1P1P2pP/PN1Q2K1/5R2 w - - 0 27"
    assert engine.ask("ucinewgame", "position startpos") == engine.ask() == []
    for fen, limits in (
        (white, "wtime 100"),
        (black, "btime 100"),
        (black, "wtime 100 winc 100 btime 100 binc 100"),
        (black, "btime 100 binc 100 wtime 100 winc 100"),
    ):
        assert engine.ask(f"position fen {fen}") == engine.ask() == []
        check_search(engine.go(f"go {limits}"), chess.Board(fen))
    assert engine.ask("setoption name Threads value 1", "setoption name Hash value 16") == []
    assert engine.ask("setoption name UCI_Chess960 value true", "ucinewgame") == []
    board = chess.Board(BISHOPS_SWAPPED, chess960=True)
    for ply in range(24):
        moves = f" moves {' '.join(move.uci() for move in board.move_stack)}" if board.move_stack else ""
        assert engine.ask() == []
        assert engine.ask(f"position fen {BISHOPS_SWAPPED}{moves}") == []
        side = "wtime 300 winc 20" if board.turn else "btime 300 binc 20"
        limits = (f"go {side}", "go nodes 3000", "go depth 4 movetime 100", "go wtime 300 btime 300")[ply % 4]
        move = check_search(engine.go(limits), board)
        assert move
        board.push(move)
        assert engine.ask() == []
    engine.send("go wtime 100000 btime 100000", "stop")
    engine.read_until("bestmove")
    engine.send("stop")


def test_lichess_bot(engine: UciProcess) -> None:
    """Its five default options as they stand in its file, a folder of tables that is not there, and pondering."""
    options = {"Move Overhead": 100, "Threads": 4, "Hash": 512, "SyzygyPath": "./syzygy/", "UCI_ShowWDL": "true"}
    assert options.keys() <= declared(engine).keys()
    lines = engine.ask(*(f"setoption name {name} value {value}" for name, value in options.items()))
    assert [line for line in lines if not line.startswith("info string")] == []
    assert len(lines) <= 1  # about the folder
    assert engine.ask("setoption name UCI_Chess960 value false", "ucinewgame") == []
    lines = engine.go("position startpos", "go movetime 300")
    check_search(lines)
    assert [line for line in lines if " wdl " in line]
    best, reply = moves_of(lines)
    engine.send(f"position startpos moves {best} {reply}", "go ponder wtime 58000 btime 58000 winc 500 binc 500")
    assert engine.go("position startpos", "stop")[-1].startswith("bestmove ")
    lines = engine.go("position startpos", "go wtime 2000 btime 2000 winc 0 binc 0 movetime 100 searchmoves a2a3 h2h3")
    assert moves_of(lines)[0] in ("a2a3", "h2h3")


@pytest.mark.needs_program("polyglot")
def test_the_polyglot_adaptor_plays_a_whole_game(tmp_path: Path) -> None:
    """Debian's, which speaks xboard's protocol and drives a UCI engine: it is asked for moves until the game is over."""
    script = tmp_path / "coachwhip.sh"
    script.write_text(f"#!/bin/sh\nexec {shlex.join(installed_command())}\n")
    script.chmod(0o755)
    (tmp_path / "coachwhip.ini").write_text(
        f"[PolyGlot]\nEngineName = coachwhip\nEngineDir = {tmp_path}\nEngineCommand = {script}\nBook = false\n"
        f"LogFile = {tmp_path / 'polyglot.log'}\nLog = true\n[Engine]\nHash = 8\n"
    )
    board = chess.Board()
    command = [program("polyglot"), str(tmp_path / "coachwhip.ini")]
    pipe = subprocess.PIPE  # the folder: where the adaptor puts a log before it has read where to
    process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, bufsize=1, env=environment(), cwd=tmp_path)
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
