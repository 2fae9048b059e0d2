# SPDX-License-Identifier: GPL-3.0-or-later
"""Whole conversations with the real process: what a GUI, a match runner and a shell see."""

from __future__ import annotations

import os
import random
import re
import signal
import struct
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import chess
import chess.engine
import chess.polyglot
import networks
import pytest
from uci_model import after, check_search
from uci_process import MODULE, TIMEOUT, UciProcess, environment, run_once

from coachwhip import __version__
from coachwhip.__main__ import main

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
DEFAULTS = ("Threads value 1", "MultiPV value 1", "UCI_LimitStrength value false", "UCI_Chess960 value false")


@pytest.fixture(scope="module")
def shared() -> Iterator[UciProcess]:
    with UciProcess() as process:
        yield process
        process.quit()


@pytest.fixture
def engine(shared: UciProcess) -> UciProcess:
    """One process for all these tests, with the default options."""
    assert shared.ask(*(f"setoption name {option}" for option in DEFAULTS), "ucinewgame", "position startpos") == []
    return shared


def test_greeting() -> None:
    with UciProcess() as engine:
        engine.send("uci")
        lines = engine.read_until("uciok")
        assert lines[0] == f"id name coachwhip {__version__}"
        assert lines[1].startswith("id author ")
        assert all(line.startswith("option name ") for line in lines[2:-1])
        assert (
            engine.ask("debug on", "register later", "ucinewgame", "position startpos", "", "# note", "stop", "ponderhit") == []
        )
        assert b"\r" not in engine.raw
        assert not re.search(rb" \n", engine.raw)
        engine.quit()


@pytest.mark.parametrize(
    "options",
    [
        (),
        ("MultiPV value 4",),
        ("Threads value 3",),
        *((f"UCI_Elo value {elo}", "UCI_LimitStrength value true") for elo in (500, 2800)),
    ],
)
@pytest.mark.parametrize("words", ["", " searchmoves e2a6 a2a4", " ponder"])
def test_no_search_has_more_nodes_than_asked_for(engine: UciProcess, options: tuple[str, ...], words: str) -> None:
    """Where the limit ends the search, the last line has exactly so many. A level may need fewer."""
    engine.send(*(f"setoption name {option}" for option in options))
    board = chess.Board(KIWIPETE)
    for nodes in (1, 2, 29, 400, 2500):
        engine.send(f"position fen {KIWIPETE}", f"go{words} nodes {nodes}")
        lines = engine.go("ponderhit") if words == " ponder" else engine.read_until("bestmove")
        counts = [int(line.split(" nodes ")[1].split(" ")[0]) for line in lines if " nodes " in line]
        assert max(counts) == counts[-1] <= nodes
        assert counts[-1] == nodes or (len(options) == 2 and nodes >= 400)
        move = board.parse_uci(lines[-1].split(" ")[1])
        assert "searchmoves" not in words or move.uci() in words


@pytest.mark.parametrize(
    "go",
    [
        "depth 6",
        "nodes 20000",
        "movetime 50",
        "wtime 500 btime 500 winc 10 binc 10",
        "wtime 200 btime 200 movestogo 1",
        "wtime 100",
        "btime 100",
        "depth 40 movetime 50",
        "mate 1 movetime 50",
        "wtime 60000 btime 60000 nodes 5000",
    ],
)
def test_every_limit_ends_the_search_with_the_score_of_its_move(engine: UciProcess, go: str) -> None:
    check_search(engine.go(f"go {go}"))
    check_search(engine.go(f"position fen {KIWIPETE} moves e1g1 h3g2", f"go {go}"), after("e1g1 h3g2", KIWIPETE))


@pytest.mark.parametrize(
    "lines",
    [
        ["go infinite", "stop"],
        ["go ponder wtime 1000 btime 1000", "ponderhit"],
        ["position fen 7k/8/8/8/8/8/r7/1r5K w - - 0 1", "go movetime 50"],  # mate
        ["position fen k7/8/8/8/8/8/1r6/K7 w - - 0 1", "go depth 4"],  # one legal move
        ["setoption name UCI_LimitStrength value true", "go ponder wtime 100 btime 100", "ponderhit"],
        ["setoption name MultiPV value 3", f"position fen {KIWIPETE}", "go infinite", "stop"],
        ["setoption name Threads value 2", f"position fen {KIWIPETE}", "go movetime 100"],
    ],
)
def test_the_score_of_the_move_stands_before_the_bestmove(engine: UciProcess, lines: list[str]) -> None:
    fen = next((line[13:] for line in lines if line.startswith("position")), chess.STARTING_FEN)
    check_search(engine.go(*lines), chess.Board(fen), multipv=3)


def test_chess960_castling(engine: UciProcess) -> None:
    castle = "4k3/8/8/8/8/8/8/4K2R w K - 0 1"
    engine.send(f"position fen {castle}", "go perft 1")
    assert "e1g1: 1" in engine.read_until("info string perft took ")
    engine.send("setoption name UCI_Chess960 value true", f"position fen {castle}", "go perft 1")
    assert "e1h1: 1" in engine.read_until("info string perft took ")
    engine.send("position startpos", "setoption name UCI_Chess960 value false")
    for spelling in ("e1g1", "e1h1"):
        assert engine.ask(f"position fen {castle} moves {spelling}") == []


def test_perft_d_eval_and_help(engine: UciProcess) -> None:
    engine.send(f"position fen {KIWIPETE}", "go perft 3")
    lines = engine.read_until("info string perft took ")
    moves = [line for line in lines if re.fullmatch(r"[a-h][1-8][a-h][1-8][nbrq]?: \d+", line)]
    assert lines[:51] == [*sorted(moves), "", "Nodes searched: 97862", ""]
    assert sum(int(line.split(": ")[1]) for line in moves) == 97862
    lines = engine.ask("d")
    assert f"Fen: {KIWIPETE}" in lines
    assert [line for line in lines if re.fullmatch(r"Key: [0-9A-F]{16}", line)]
    assert "In check: no" in lines
    assert "In check: yes" in engine.ask("position fen 4k3/8/8/8/8/8/8/4RK2 b - - 0 1", "d")
    assert len(engine.ask("position startpos", "eval")) > 5
    assert engine.ask("compiler")[0].startswith("coachwhip ")
    assert [line for line in engine.ask("help") if line.startswith("bench ")]


def test_threads(engine: UciProcess) -> None:
    """They change only between searches, and one thread gives the same result each time."""
    engine.ask("setoption name Threads value 3")
    engine.send("go infinite", "setoption name Threads value 2")
    check_search(engine.read_until("info depth 6 ") + engine.go("stop"))

    def search() -> str:
        lines = engine.go("setoption name Threads value 1", "ucinewgame", "position startpos", "go depth 8")
        return re.sub(r" nps \d+| time \d+", "", lines[-2])

    first = search()
    engine.go("setoption name Threads value 4", "go movetime 50")
    assert search() == first


def test_weights_file_and_its_network(engine: UciProcess, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """It plays with them at once, and a file that cannot be used leaves everything as it was."""
    text = run_once("weights").stdout
    for number, name in enumerate(("one", "two", "bad")):
        data = networks.by_chance(16, number).encode()
        (tmp_path / f"{name}.cwnet").write_bytes(data[:-1] if name == "bad" else data)
        path = tmp_path / f"my {name}.py"
        path.write_text(re.sub(r"^NETWORK = .*$", f'NETWORK = "{name}.cwnet"', text, flags=re.MULTILINE), encoding="utf-8")
    (tmp_path / "import.py").write_text("import os\nos.remove('x')\n")
    seen = [engine.ask("eval")]
    for name in ("one", "two"):
        assert engine.ask(f"setoption name WeightsFile value {tmp_path}/my {name}.py") == []
        seen.append(engine.ask("eval"))
        assert [line for line in seen[-1] if line.startswith("Network ")]
        assert seen[-1] not in seen[:-1]
    truncated = "my bad.py: NETWORK: bad.cwnet cannot be used: the network is truncated"
    for file, reason in (("my bad.py", truncated), ("import.py", ""), ("absent.py", ""), ("", "")):
        (answer,) = engine.ask(f"setoption name WeightsFile value {tmp_path / file}")
        assert answer.startswith(f"info string setoption: WeightsFile: {reason}")
        assert "my two.py" in answer
    assert engine.ask("eval") == seen[-1]
    assert engine.ask("setoption name WeightsFile value <empty>", "eval") == seen[0]
    assert main(["--weights", str(tmp_path / "my one.py"), "eval"]) == 0
    assert "Network " in capfd.readouterr().out
    assert main(["--weights", str(tmp_path / "my bad.py"), "go", "depth", "2"]) == 2
    out, err = capfd.readouterr()
    assert (out, len(err.splitlines())) == ("", 1)


def test_python_chess_is_answered_at_once_where_its_position_was_rejected() -> None:
    with chess.engine.SimpleEngine.popen_uci(MODULE, env=environment(), timeout=TIMEOUT) as engine:
        board = chess.Board("4k3/8/8/8/8/8/8/4RK2 w - - 0 1")  # whose move gives up a king: python-chess sends it
        limit = chess.engine.Limit(white_clock=3600, black_clock=3600)
        result = engine.play(board, limit, info=chess.engine.INFO_ALL, ponder=True)
        assert result.move == chess.Move.null()
        assert "in check" in result.info["string"]
        assert engine.analysis(board).wait().move == chess.Move.null()
        assert engine.play(chess.Board(), chess.engine.Limit(depth=3)).move in list(chess.Board().legal_moves)


@pytest.mark.parametrize("kind", ["plain", "weaker", "book"])
def test_every_move_has_a_score(tmp_path: os.PathLike[str], kind: str) -> None:
    """A client takes the score from the lines after `go` or `ponderhit`: python-chess ponders, hits and misses, and stops."""
    book = os.path.join(tmp_path, "book.bin")
    with open(book, "wb") as file:
        file.write(struct.pack(">QHHI", chess.polyglot.zobrist_hash(chess.Board()), 28 | 12 << 6, 1, 0))  # e2e4
    settings: dict[str, dict[str, bool | str]] = {
        "weaker": {"UCI_LimitStrength": True},
        "book": {"OwnBook": True, "BookFile": book},
    }
    generator = random.Random(5)
    with chess.engine.SimpleEngine.popen_uci(MODULE, env=environment(), timeout=TIMEOUT) as engine:
        engine.configure(settings.get(kind, {}))
        hits = 0
        for _ in range(10):  # a weak level in a slow build may have no move to ponder in a whole game
            board = chess.Board()
            while board.ply() < 16 and not board.is_game_over():
                limit = chess.engine.Limit(white_clock=1, black_clock=1, white_inc=0.02, black_inc=0.02)
                result = engine.play(board, limit, info=chess.engine.INFO_ALL, ponder=True)
                assert result.move
                assert "score" in result.info, board.fen()
                assert result.info["pv"][0] == result.move
                assert kind != "book" or board.ply() or result.info["nodes"] == 0
                board.push(result.move)
                if result.ponder and generator.random() < 0.7:
                    hits += 1
                    if generator.random() < 0.5:
                        time.sleep(0.05)
                    board.push(result.ponder)
                elif not board.is_game_over():
                    board.push(generator.choice(list(board.legal_moves)))
            if hits:
                break
        assert hits


# The command line


def test_commands_of_the_command_line(capfd: pytest.CaptureFixture[str]) -> None:
    """Words in quotes are a command of their own; each runs to its end."""
    assert main(["position startpos moves e2e4", "go depth 4", "d", "quit", "uci"]) == 0
    lines = capfd.readouterr().out.splitlines()
    end = next(index for index, line in enumerate(lines) if line.startswith("bestmove"))
    check_search(lines[: end + 1], after("e2e4"))
    assert "Fen: rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1" in lines
    assert "uciok" not in lines
    for words, said in (
        (["uci"], "uciok"),
        (["go", "perft", "2"], "Nodes searched: 400"),
        (["--version"], f"coachwhip {__version__}"),
    ):
        assert main(words) == 0
        out, err = capfd.readouterr()
        assert said in out
        assert err == ""
    assert main(["--help"]) == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["position startpos", "blah blah"], "unknown command 'blah'"),
        (["--blah"], "--blah"),
        (["--weights"], "--weights"),
        (["--help=3"], "--help"),
        (["--weights", "absent.py", "uci"], "absent.py"),
        ([""], "unknown command"),
        # words of a `go` that mean nothing: nothing is searched
        (["go", "dpeth", "5"], "go: not understood: 'dpeth 5'"),
        (["position startpos", "go movetime 100 nosuch"], "go: not understood: 'nosuch'"),
        (["go", "depth", "abc"], "go: not understood: depth 'abc'"),
        (["go", "perft"], "perft: expected a depth"),
    ],
)
def test_bad_command_lines(words: list[str], said: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert err.startswith("coachwhip: ")
    assert said in err
    assert len(err.splitlines()) == 1


@pytest.mark.parametrize("words", [["position fen blah", "go depth 2"], ["perft x", "d"]])
def test_a_command_that_is_misunderstood_ends_the_run(words: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    assert len(capfd.readouterr().out.splitlines()) == 1


def test_a_batch_with_a_slow_reader() -> None:
    """Its answers fill the pipe long before they are read."""
    text = f"position fen {KIWIPETE}\n" + "go perft 2\nd\neval\n" * 40 + "go depth 3\nquit\n"
    with subprocess.Popen(MODULE, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment()) as process:
        assert process.stdin
        assert process.stdout
        process.stdin.write(text.encode())
        process.stdin.close()
        time.sleep(0.5)
        said = b""
        while chunk := os.read(process.stdout.fileno(), 4096):
            said += chunk
            time.sleep(0.002)
        assert process.wait(TIMEOUT) == 0
    assert len(said) > 2**16
    assert said.count(b"Nodes searched: 2039") == 40
    assert said.count(b"Fen: ") == 40
    assert said.count(b"bestmove ") == 1


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminals of this kind")
@pytest.mark.parametrize("last", [b"quit\n", b"\x04", b""], ids=["quit", "Ctrl-D", "closed"])
def test_a_session_on_a_terminal(last: bytes) -> None:
    """Typed lines, answers, a search that `stop` ends, and a terminal that is closed in mid-search."""
    import pty

    master, terminal = pty.openpty()
    with subprocess.Popen(MODULE, stdin=terminal, stdout=terminal, stderr=terminal, env=environment()) as process:
        os.close(terminal)
        seen = b""

        def until(word: bytes) -> None:
            nonlocal seen
            while word not in seen:
                seen += os.read(master, 4096)
            seen = seen.partition(word)[2]

        os.write(master, b"uci\r")  # what the Enter key sends
        until(b"uciok")
        os.write(master, b"go infinite\n")
        until(b"info depth 3 ")
        os.write(master, b"stop\n")
        until(b"bestmove ")
        os.write(master, b"go infinite\n")
        until(b"info depth 3 ")
        if last:
            os.write(master, last)
            until(b"bestmove ")
        else:
            os.close(master)
        assert process.wait(TIMEOUT) == 0
    if last:
        os.close(master)


def test_bench_in_a_session() -> None:
    """The result is a line of the session; the positions go by on stderr."""
    with UciProcess() as engine:
        engine.send("bench 1")
        (line,) = engine.read_until("")
        assert re.fullmatch(r"\d+ nodes \d+ nps", line)
        engine.send("bench nonsense")
        (line,) = engine.read_until("info string")
        assert line == "info string bench: error: argument depth: expected a whole number from 1 to 127, not 'nonsense'"
        engine.send(f"bench {'x' * 100_000}")
        (line,) = engine.read_until("info string")
        assert len(line) < 250
        engine.send("quit")
        assert engine.finish() == 0
        assert b"nonsense" in engine.errors


@pytest.mark.skipif(sys.platform == "win32", reason="Windows cannot send a lone SIGINT to a child")
@pytest.mark.parametrize(("words", "code"), [(["go", "infinite"], 0), ([], 130)])
def test_ctrl_c(words: list[str], code: int) -> None:
    with UciProcess(*words) as engine:
        if not words:
            engine.send("go infinite")
        engine.read_until("info depth 3 ")
        engine.process.send_signal(signal.SIGINT)
        engine.read_until("bestmove")
        assert engine.finish() == code
        assert engine.errors == b""


def test_start_up_loads_nothing_heavy() -> None:
    """Up to `uciok` neither a library, nor the engine and its weights, nor a tool."""
    code = (
        "import sys; sys.argv[1:] = ['uci']; from coachwhip.__main__ import main; main();"
        "print(*sorted(sys.modules), file=sys.stderr)"
    )
    loaded = set(run_once(command=[sys.executable, "-c", code]).stderr.split())
    assert "coachwhip.uci.loop" in loaded
    assert not loaded & {"numpy", "chess", "rich", "asyncio", "argparse", "subprocess", "coachwhip.core.engine"}
    assert not [name for name in loaded if name.startswith(("coachwhip.evaluation", "coachwhip.bench"))]
