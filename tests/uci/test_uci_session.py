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

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"


@pytest.fixture
def engine() -> Iterator[UciProcess]:
    with UciProcess() as process:
        yield process
        if process.process.poll() is None:
            process.quit()


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
    for nodes in (1, 2, 29, 400, 2500, 9000):
        engine.send(f"position fen {KIWIPETE}", f"go{words} nodes {nodes}")
        lines = engine.go("ponderhit") if words == " ponder" else engine.read_until("bestmove")
        counts = [int(line.split(" nodes ")[1].split(" ")[0]) for line in lines if " nodes " in line]
        assert max(counts) == counts[-1] <= nodes
        assert counts[-1] == nodes or (len(options) == 2 and nodes >= 400)
        move = board.parse_uci(lines[-1].split(" ")[1])
        assert "searchmoves" not in words or move.uci() in words


def test_greeting(engine: UciProcess) -> None:
    engine.send("uci")
    lines = engine.read_until("uciok")
    assert lines[0] == f"id name coachwhip {__version__}"
    assert lines[1].startswith("id author ")
    assert all(line.startswith("option name ") for line in lines[2:-1])
    assert engine.ask("debug on", "register later", "ucinewgame", "position startpos", "", "# note", "stop", "ponderhit") == []
    assert b"\r" not in engine.raw
    assert not re.search(rb" \n", engine.raw)


@pytest.mark.parametrize(
    "go",
    [
        "go depth 6",
        "go nodes 20000",
        "go movetime 100",
        "go wtime 1000 btime 1000",
        "go wtime 1000 btime 1000 winc 100 binc 100",
        "go wtime 200 btime 200 movestogo 1",
        "go wtime 100",
        "go btime 100",
        "go depth 40 movetime 100",
        "go mate 1 movetime 100",
        "go wtime 60000 btime 60000 nodes 5000",
    ],
)
def test_every_limit_ends_the_search(engine: UciProcess, go: str) -> None:
    check_search(engine.go("position startpos", go))
    check_search(engine.go(f"position fen {KIWIPETE} moves e1g1 h3g2", go), after("e1g1 h3g2", KIWIPETE))


def test_infinite_on_a_finished_search_waits(engine: UciProcess) -> None:
    engine.send("position fen 7k/R7/6K1/8/8/8/8/8 w - - 0 1", "go infinite depth 2")
    engine.read_until("info depth 2 ")
    assert not [line for line in engine.ask() if line.startswith("bestmove")]
    engine.send("stop")
    assert engine.read_until("bestmove")[-1].startswith("bestmove a7a8")


def test_chess960_castling(engine: UciProcess) -> None:
    castle = "4k3/8/8/8/8/8/8/4K2R w K - 0 1"
    engine.send(f"position fen {castle}", "go perft 1")
    assert "e1g1: 1" in engine.read_until("info string perft took ")
    engine.send("setoption name UCI_Chess960 value true", f"position fen {castle}", "go perft 1")
    assert "e1h1: 1" in engine.read_until("info string perft took ")
    engine.send("position startpos", "setoption name UCI_Chess960 value false")
    for spelling in ("e1g1", "e1h1"):
        assert engine.ask(f"position fen {castle} moves {spelling}") == []


@pytest.mark.parametrize("command", ["perft", "go perft"])
def test_perft(engine: UciProcess, command: str) -> None:
    engine.send(f"position fen {KIWIPETE}", f"{command} 3")
    lines = engine.read_until("info string perft took ")
    moves = [line for line in lines if re.fullmatch(r"[a-h][1-8][a-h][1-8][nbrq]?: \d+", line)]
    assert len(moves) == 48
    assert lines[48:51] == ["", "Nodes searched: 97862", ""]
    assert sum(int(line.split(": ")[1]) for line in moves) == 97862


def test_d(engine: UciProcess) -> None:
    lines = engine.ask(f"position fen {KIWIPETE}", "d")
    assert f"Fen: {KIWIPETE}" in lines
    assert [line for line in lines if re.fullmatch(r"Key: [0-9A-F]{16}", line)]
    assert "In check: no" in lines
    assert "In check: yes" in engine.ask("position fen 4k3/8/8/8/8/8/8/4RK2 b - - 0 1", "d")


def test_eval_compiler_help(engine: UciProcess) -> None:
    assert len(engine.ask("position startpos", "eval")) > 5
    assert engine.ask("compiler")[0].startswith("coachwhip ")
    assert [line for line in engine.ask("help") if line.startswith("bench ")]


def test_threads(engine: UciProcess) -> None:
    assert engine.ask("setoption name Threads value 3") == []
    check_search(engine.go(f"position fen {KIWIPETE}", "go depth 8"), chess.Board(KIWIPETE))
    engine.send("position startpos", "go infinite", "setoption name Threads value 2")
    check_search(engine.read_until("info depth 8 ") + engine.go("stop"))
    check_search(engine.go("go wtime 1000 btime 1000"))

    def search() -> str:
        lines = engine.go("setoption name Threads value 1", "ucinewgame", "position startpos", "go depth 8")
        return re.sub(r" nps \d+| time \d+", "", lines[-2])

    first = search()
    engine.go("setoption name Threads value 4", "go movetime 50")
    assert search() == first


def test_weights_file(engine: UciProcess, tmp_path: os.PathLike[str]) -> None:
    printed = run_once("weights").stdout
    good = os.path.join(tmp_path, "my weights.py")
    bad = os.path.join(tmp_path, "bad.py")
    with open(good, "w", encoding="utf-8") as file:
        file.write(printed)
    with open(bad, "w", encoding="utf-8") as file:
        file.write("import os\nos.remove('x')\n")
    before = engine.ask("eval")
    assert engine.ask(f"setoption name WeightsFile value {good}") == []
    assert engine.ask("eval") == before
    for path in (bad, os.path.join(tmp_path, "absent.py"), os.fspath(tmp_path)):
        (answer,) = engine.ask(f"setoption name WeightsFile value {path}")
        assert answer.startswith("info string setoption: WeightsFile: ")
        assert good in answer
    assert engine.ask("setoption name WeightsFile value <empty>", "eval") == before
    assert run_once("--weights", good, "go", "depth", "2").returncode == 0
    refused = run_once("--weights", bad, "go", "depth", "2")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr.startswith("coachwhip: WeightsFile: ")
    assert len(refused.stderr.splitlines()) == 1


def test_weights_file_with_a_network(engine: UciProcess, tmp_path: Path) -> None:
    """It plays with the network at once, and a network that cannot be used leaves everything as it was."""
    text = run_once("weights").stdout
    for number, name in enumerate(("one", "two", "bad")):
        data = networks.by_chance(16, number).encode()
        (tmp_path / f"{name}.cwnet").write_bytes(data[:-1] if name == "bad" else data)
        path = tmp_path / f"{name}.py"
        path.write_text(re.sub(r"^NETWORK = .*$", f'NETWORK = "{name}.cwnet"', text, flags=re.MULTILINE), encoding="utf-8")
    plain = engine.ask("eval")
    seen = [plain]
    for name in ("one", "two"):
        assert engine.ask(f"setoption name WeightsFile value {tmp_path / name}.py") == []
        seen.append(engine.ask("eval"))
        assert [line for line in seen[-1] if line.startswith("Network ")]
        assert seen[-1] not in seen[:-1]
    (answer,) = engine.ask(f"setoption name WeightsFile value {tmp_path / 'bad'}.py")
    assert answer.startswith(
        "info string setoption: WeightsFile: bad.py: NETWORK: bad.cwnet cannot be used: the network is truncated"
    )
    assert engine.ask("eval") == seen[-1]
    assert engine.ask("setoption name WeightsFile value <empty>", "eval") == plain
    assert "Network " in run_once("--weights", str(tmp_path / "one.py"), "eval").stdout
    refused = run_once("--weights", str(tmp_path / "bad.py"), "go", "depth", "2")
    assert (refused.returncode, refused.stdout, len(refused.stderr.splitlines())) == (2, "", 1)


def test_python_chess_is_told_at_once_that_its_position_was_refused() -> None:
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
            while board.ply() < 40 and not board.is_game_over():
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


@pytest.mark.parametrize(
    "lines",
    [
        ["position startpos", "go infinite", "stop"],
        ["position startpos", "go ponder wtime 1000 btime 1000", "ponderhit"],
        ["position startpos", "go ponder depth 3", "ponderhit"],
        ["position fen 7k/8/8/8/8/8/r7/1r5K w - - 0 1", "go movetime 50"],  # mate
        ["position fen k7/8/8/8/8/8/1r6/K7 w - - 0 1", "go depth 4"],  # one legal move
        ["setoption name UCI_LimitStrength value true", "position startpos", "go ponder wtime 100 btime 100", "ponderhit"],
        ["setoption name MultiPV value 3", f"position fen {KIWIPETE}", "go infinite", "stop"],
        ["setoption name Threads value 2", f"position fen {KIWIPETE}", "go movetime 100"],
    ],
)
def test_the_score_of_the_move_stands_before_the_bestmove(engine: UciProcess, lines: list[str]) -> None:
    position = next(line for line in lines if line.startswith("position"))
    board = chess.Board(position[13:]) if "fen" in position else chess.Board()
    check_search(engine.go(*lines), board, multipv=3)


# The command line


def test_quoted_commands_stand_alone() -> None:
    done = run_once("position startpos moves e2e4", "go depth 4", "d", "quit")
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    end = next(index for index, line in enumerate(lines) if line.startswith("bestmove"))
    check_search(lines[: end + 1], after("e2e4"))
    done = run_once("position startpos moves e2e4", "d")
    assert "Fen: rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1" in done.stdout


@pytest.mark.parametrize(
    ("words", "said"), [(["uci"], "uciok"), (["go", "perft", "2"], "Nodes searched: 400"), (["go", "depth", "5"], "bestmove ")]
)
def test_one_shot_commands(words: list[str], said: str) -> None:
    done = run_once(*words)
    assert (done.returncode, done.stderr) == (0, "")
    assert said in done.stdout


def test_version_and_help() -> None:
    assert run_once("--version").stdout == f"coachwhip {__version__}\n"
    assert run_once("--help").returncode == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["blah"], "unknown command 'blah'"),
        (["position startpos", "blah blah"], "unknown command 'blah'"),
        (["--blah"], "unknown option --blah"),
        (["--weights"], "--weights needs a file name"),
        (["--weights", "absent.py", "uci"], "absent.py"),
        ([""], "unknown command"),
    ],
)
def test_bad_command_lines(words: list[str], said: str) -> None:
    done = run_once(*words)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("coachwhip: ")
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["go", "dpeth", "5"], "'dpeth 5'"),
        (["position startpos", "go movetime 100 nosuch"], "'nosuch'"),
        (["go", "depth", "abc"], "depth 'abc'"),
        (["go", "perft"], "perft"),
    ],
)
def test_one_shot_go_with_a_word_that_means_nothing_searches_nothing(words: list[str], named: str) -> None:
    done = run_once(*words)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(("coachwhip: go: not understood: ", "coachwhip: perft: "))
    assert named in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("words", [["position fen blah", "go depth 2"], ["perft x", "d"]])
def test_one_shot_that_is_misunderstood_fails(words: list[str]) -> None:
    done = run_once(*words)
    assert done.returncode == 2
    assert "info string " in done.stdout


def answers(text: str) -> list[str]:
    """What a batch is answered, without divide's lines and those of searches; of depth 10, the line with the exact score is kept."""
    done = run_once(text=text)
    assert done.returncode == 0
    kept = re.findall(
        r"^(?:bestmove|Nodes searched: \d+|\d+ nodes|Fen: .*$|info depth 10 (?=seldepth)(?!.*bound ))", done.stdout, re.MULTILINE
    )
    return [word.strip() for word in kept]


@pytest.mark.parametrize("end", ["quit\n", ""])
@pytest.mark.parametrize(
    ("batch", "said"),
    [
        (f"position fen {KIWIPETE}\nperft 2\nposition startpos\nperft 2\n", ["Nodes searched: 2039", "Nodes searched: 400"]),
        ("go depth 10\nposition startpos moves e2e4\nperft 3\n", ["info depth 10", "bestmove", "Nodes searched: 13160"]),
        ("go infinite\nperft 3\n", ["bestmove", "Nodes searched: 8902"]),
    ],
)
def test_batches_keep_their_answers(batch: str, said: list[str], end: str) -> None:
    assert answers(batch + end) == said


def test_the_last_search_of_a_batch_is_cut_by_quit_alone() -> None:
    batch = "go depth 10\nposition startpos moves e2e4\ngo depth 10\n"
    assert answers(batch) == ["info depth 10", "bestmove"] * 2
    assert answers(batch + "quit\n") in (["info depth 10", "bestmove", "bestmove"], ["info depth 10", "bestmove"] * 2)
    assert answers("go depth 10\nd\n")[-1].startswith("Fen: ")


def test_a_batch_with_a_slow_reader() -> None:
    """Its answers fill the pipe long before they are read."""
    text = f"position fen {KIWIPETE}\n" + "go perft 2\nd\neval\n" * 40 + "go depth 3\nquit\n"
    with subprocess.Popen(MODULE, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment()) as process:
        assert process.stdin
        assert process.stdout
        process.stdin.write(text.encode())
        process.stdin.close()
        time.sleep(1.5)
        said = b""
        while chunk := os.read(process.stdout.fileno(), 4096):
            said += chunk
            time.sleep(0.002)
        assert process.wait(TIMEOUT) == 0
    assert len(said) > 2**16
    assert said.count(b"Nodes searched: 2039") == 40
    assert said.count(b"Fen: ") == 40
    assert said.count(b"bestmove ") == 1


@pytest.mark.parametrize("ending", [b"\r", b"\r\n", b"\n"])
def test_line_ends_of_every_kind(ending: bytes) -> None:
    """Each command is answered before anything else is sent."""
    with UciProcess(ending=ending) as process:
        process.send("uci")
        process.read_until("uciok")
        assert process.ask("position startpos moves e2e4") == []
        assert [line for line in process.ask("d") if line.startswith("Fen: ")]
        process.quit()
        assert b"Unknown" not in process.raw


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminals of this kind")
def test_a_session_on_a_terminal() -> None:
    """Typed lines, answers, a search that `stop` ends, and a terminal that is closed in mid-search."""
    import pty

    for last in (b"quit\n", b"", None):  # None: the terminal is closed
        master, terminal = pty.openpty()
        with subprocess.Popen(MODULE, stdin=terminal, stdout=terminal, stderr=terminal, env=environment()) as process:
            os.close(terminal)
            seen = b""

            def until(word: bytes, master: int = master) -> None:
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
            if last is not None:
                os.write(master, last or b"\x04")  # Ctrl-D
                until(b"bestmove ")
            else:
                os.close(master)
            assert process.wait(TIMEOUT) == 0
        if last is not None:
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
