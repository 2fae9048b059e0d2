# SPDX-License-Identifier: GPL-3.0-or-later
"""The traffic of the programs that people use, replayed line by line against the installed command; then those programs themselves.

Cute Chess, fastchess, python-chess, lichess-bot, Arena and the polyglot adaptor, as their sources and logs show it. The programs
that can be had here play for real: python-chess with both of its faces, the polyglot adaptor, and xboard on a screen that nobody
sees.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import time
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
MATE_IN_TWO = "kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1"
FORCED_MATE = "a1a6"


@pytest.fixture(params=[b"\n", b"\r\n"], ids=["LF", "CRLF"])
def engine(request: pytest.FixtureRequest) -> Iterator[UciProcess]:
    with UciProcess(command=installed_command(), ending=request.param) as process:
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


# --- Replayed traffic ---


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
    """Threads first, Chess960, three `isready` around each move; a side without a clock is left out."""
    declared(engine)
    assert engine.ask("setoption name Threads value 1", "setoption name Hash value 16") == []
    assert engine.ask("setoption name UCI_Chess960 value true", "ucinewgame") == []
    board = chess.Board(BISHOPS_SWAPPED, chess960=True)
    for ply in range(24):
        moves = f" moves {' '.join(move.uci() for move in board.move_stack)}" if board.move_stack else ""
        assert engine.ask() == []
        assert engine.ask(f"position fen {BISHOPS_SWAPPED}{moves}") == []
        side = "wtime 300 winc 20" if board.turn else "btime 300 binc 20"
        limits = (f"go {side}", "go nodes 3000", "go depth 4 movetime 100", "go wtime 300 btime 300")[ply % 4]
        move = board.parse_uci(moves_of(engine.go(limits))[0])
        assert board.uci(move) == move.uci()
        board.push(move)
        assert engine.ask() == []
    engine.send("go wtime 100000 btime 100000", "stop")
    engine.read_until("bestmove")
    engine.send("stop")


def test_the_steps_of_fastchess_compliance(engine: UciProcess) -> None:
    """What fastchess checks before it lets an engine play, in its order; check_search is stricter than fastchess."""
    assert "Hash" in declared(engine)
    black = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"
    white = "3r2k1/p5n1/1pq1p2p/2p3p1/2P1P1n1/1P1P2pP/PN1Q2K1/5R2 w - - 0 27"
    both = "wtime 100 winc 100 btime 100 binc 100"
    assert engine.ask("ucinewgame", "position startpos") == engine.ask() == []
    for fen, limits in (
        (white, "wtime 100"),
        (black, "btime 100"),
        (black, both),
        (black, "btime 100 binc 100 wtime 100 winc 100"),
    ):
        assert engine.ask(f"position fen {fen}") == engine.ask() == []
        check_search(engine.go(f"go {limits}"), chess.Board(fen))
    assert engine.ask("ucinewgame") == []
    for moves in ("", "e2e4 e7e5"):
        assert engine.ask(f"position startpos{' moves ' * bool(moves)}{moves}") == []
        check_search(engine.go("go wtime 100 btime 100"), after(moves))
    assert engine.ask() == []


def test_lichess_bot(engine: UciProcess) -> None:
    """Its five default options as they stand in its file, a folder of tables that is not there, and pondering."""
    assert {"Move Overhead", "Threads", "Hash", "SyzygyPath", "UCI_ShowWDL"} <= declared(engine).keys()
    lines = engine.ask(
        "setoption name Move Overhead value 100",
        "setoption name Threads value 4",
        "setoption name Hash value 512",
        "setoption name SyzygyPath value ./syzygy/",
        "setoption name UCI_ShowWDL value true",
    )
    assert [line for line in lines if not line.startswith("info string")] == []
    assert len(lines) <= 1  # about the folder
    assert engine.ask("setoption name UCI_Chess960 value false", "ucinewgame") == []
    engine.send("position startpos", "go movetime 300")
    lines = engine.read_until("bestmove")
    shares = [line.partition(" wdl ")[2].split(" ")[:3] for line in lines if " wdl " in line]
    assert shares
    assert all(sum(map(int, each)) == 1000 for each in shares)
    best, reply = moves_of(lines)
    engine.send(f"position startpos moves {best} {reply}", "go ponder wtime 58000 btime 58000 winc 500 binc 500")
    assert engine.go("position startpos", "stop")[-1].startswith("bestmove ")
    lines = engine.go("position startpos", "go wtime 2000 btime 2000 winc 0 binc 0 movetime 100 searchmoves a2a3 h2h3")
    assert moves_of(lines)[0] in ("a2a3", "h2h3")


def test_arena(engine: UciProcess) -> None:
    """Its mate search, the weaker play of its level dialogue, and analysis with several lines."""
    options = declared(engine)
    assert options["UCI_LimitStrength"] == "check default false"
    assert engine.ask(f"position fen {MATE_IN_TWO}") == []
    lines = engine.go("go mate 2")
    assert moves_of(lines)[0] == FORCED_MATE
    assert any(" score mate 2 " in line for line in lines)
    assert engine.ask("setoption name UCI_LimitStrength value true", "setoption name UCI_Elo value 1500") == []
    best = moves_of(engine.go("position startpos", "go wtime 10000 btime 10000"))[0]
    assert chess.Move.from_uci(best) in chess.Board().legal_moves
    assert engine.ask("setoption name UCI_LimitStrength value false", "setoption name MultiPV value 3") == []
    lines = engine.go("go depth 8")
    assert {line.partition(" multipv ")[2].split(" ")[0] for line in lines if " multipv " in line} == {"1", "2", "3"}
    engine.send("go infinite", "stop", "stop")
    engine.read_until("bestmove")


def adapted_game(engine: UciProcess, plies: range) -> None:
    """What the adaptor sends for the moves of these plies, others being an opponent's: the whole game each time, and the clocks."""
    board = chess.Board()
    clocks = [2000, 2000]
    for ply in range(plies.stop):
        if board.is_game_over():
            break
        if ply in plies:
            moves = " ".join(move.uci() for move in board.move_stack)
            engine.send(f"position startpos moves {moves}" if moves else "position startpos")
            lines = engine.go(f"go wtime {clocks[0]} btime {clocks[1]}")
            board.push(check_search(lines, board) or chess.Move.null())
        else:
            board.push(sorted(board.legal_moves, key=str)[ply % board.legal_moves.count()])
        clocks[ply % 2] -= 150


@pytest.mark.parametrize("plies", [range(24), range(0, 24, 2), range(1, 24, 2)], ids=["both sides", "White", "Black"])
def test_polyglot_adaptor(engine: UciProcess, plies: range) -> None:
    """What it makes of xboard's protocol: options once more with xboard's sizes, a folder that is not there, two new games."""
    declared(engine)
    lines = engine.ask(
        "setoption name Hash value 8", "setoption name Hash value 68", "setoption name SyzygyPath value /EGT/Syzygy"
    )
    assert [line for line in lines if not line.startswith("info string")] == []
    assert engine.ask("ucinewgame") == []
    engine.send("ucinewgame")
    adapted_game(engine, plies)


# --- The programs themselves ---


def test_python_chess() -> None:
    """Options of every kind, several lines, mate, win-draw-loss, pondering, Chess960: the synchronous face."""
    with chess.engine.SimpleEngine.popen_uci(installed_command(), env=environment(), timeout=TIMEOUT) as engine:
        engine.configure({"Hash": 8, "Threads": 2, "Move Overhead": 10, "UCI_ShowWDL": True})
        several = engine.analyse(chess.Board(), chess.engine.Limit(depth=8), multipv=3)
        assert [info["multipv"] for info in several] == [1, 2, 3]
        assert len({info["pv"][0] for info in several}) == 3
        scores = [info["score"].relative for info in several]
        assert scores == sorted(scores, reverse=True)
        assert all("wdl" in info and info["wdl"].relative.total() == 1000 for info in several)
        mate = engine.play(chess.Board(MATE_IN_TWO), chess.engine.Limit(mate=2), info=chess.engine.INFO_SCORE)
        assert (mate.move, mate.info["score"].relative) == (chess.Move.from_uci(FORCED_MATE), chess.engine.Mate(2))
        board = chess.Board(BISHOPS_SWAPPED, chess960=True)
        for _ in range(16):
            played = engine.play(board, chess.engine.Limit(white_clock=2, black_clock=2), ponder=True)
            assert played.move
            assert played.move in board.legal_moves
            board.push(played.move)


def adaptor(folder: Path, name: str) -> list[str]:
    """The command of Debian's polyglot, which speaks xboard's protocol and drives a UCI engine."""
    command = installed_command()
    script = folder / f"{name}.sh"
    script.write_text(f"#!/bin/sh\nexec {shlex.join(command)}\n")
    script.chmod(0o755)
    settings = folder / f"{name}.ini"
    settings.write_text(
        f"[PolyGlot]\nEngineName = {name}\nEngineDir = {folder}\nEngineCommand = {script}\nBook = false\n"
        f"LogFile = {folder / name}.log\nLog = true\n[Engine]\nHash = 8\n"
    )
    return [program("polyglot"), str(settings)]


@pytest.mark.needs_program("polyglot")
def test_the_polyglot_adaptor_plays_a_whole_game(tmp_path: Path) -> None:
    """It speaks xboard's protocol on its outside: it is told the game's moves and answers with its own until the game is over."""
    board = chess.Board()
    process = subprocess.Popen(
        adaptor(tmp_path, "coachwhip"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        bufsize=1,
        env=environment(),
        cwd=tmp_path,  # where the adaptor puts a log before it has read where to
    )
    assert process.stdin
    assert process.stdout
    try:
        process.stdin.write("xboard\nprotover 2\nnew\nlevel 0 0:10 0.05\nforce\n")
        while not board.is_game_over(claim_draw=True) and board.ply() < 300:
            process.stdin.write("time 60\notim 60\ngo\n")
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


def saved_game(path: Path) -> chess.pgn.Game:
    """The game in a file, as soon as there is one with a result. xboard stays open after it."""
    deadline = time.monotonic() + 4 * TIMEOUT
    while time.monotonic() < deadline:
        with suppress(FileNotFoundError), path.open() as file:
            game = chess.pgn.read_game(file)
            if game is not None and game.headers["Result"] != "*" and game.end().ply():
                return game
        time.sleep(0.2)
    raise AssertionError("no game was saved")


@pytest.mark.takes_long
@pytest.mark.needs_program("xboard", "polyglot", "Xvfb")
def test_xboard_plays_a_game(tmp_path: Path) -> None:
    """Two of ours on a board that nobody sees; the file that xboard saves, and it saves it when it is over, holds a legal game."""
    saved = tmp_path / "game.pgn"
    first, second = (shlex.join(adaptor(tmp_path, name)) for name in ("white", "black"))
    read, write = os.pipe()
    screen = subprocess.Popen(
        [program("Xvfb"), "-displayfd", str(write), "-screen", "0", "1024x768x24"], pass_fds=[write], stderr=subprocess.DEVNULL
    )
    os.close(write)
    try:
        with os.fdopen(read) as displays:
            display = displays.readline().strip()
        assert display
        board = subprocess.Popen(
            [
                program("xboard"), "-fcp", first, "-scp", second, "-mg", "1", "-tc", "0:05", "-inc", "0", "-sgf", str(saved), "-xponder",
            ],
            env={**environment(), "DISPLAY": f":{display}", "HOME": str(tmp_path)},
            cwd=tmp_path,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )  # fmt: skip
        try:
            game = saved_game(saved)
        finally:
            board.kill()
            board.wait()
    finally:
        screen.kill()
        screen.wait()
    assert not game.errors
    assert game.end().ply() > 20
