# SPDX-License-Identifier: GPL-3.0-or-later
"""The process and its surroundings: command line, end, clients that die or do not read, terminal, Ctrl-C."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress

import pytest
from search_output import after, check_search
from uci_process import MODULE, TIMEOUT, UciProcess, environment, run_once

from coachwhip import __version__
from coachwhip.__main__ import main


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
        (["perft", "2", "startpos"], "Nodes searched: 400"),
        (["analyze", "--help"], "coachwhip analyse"),
        (["eval", "8/8/8/4k3/8/8/4P3/4K3 w - - 0 1"], "Evaluation "),
        (["--version"], f"coachwhip {__version__}"),
        (["--help"], "coachwhip"),
    ):
        assert main(words) == 0
        out, err = capfd.readouterr()
        assert said in out
        assert err == ""


@pytest.mark.parametrize("module", ["faulthandler", "threading", "coachwhip.uci.loop", "coachwhip.core"])
def test_ctrl_c_while_a_module_is_imported_is_quiet(module: str) -> None:
    code = (
        "import signal, sys\n"
        f"sys.addaudithook(lambda event, of: (event, of[0]) == ('import', {module!r})"
        " and signal.raise_signal(signal.SIGINT))\n"
        "from coachwhip.__main__ import main; sys.exit(main())"
    )
    done = run_once(command=[sys.executable, "-c", code])
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


def test_a_second_ctrl_c_while_python_ends_is_quiet() -> None:
    code = (
        "import atexit, signal, sys; atexit.register(signal.raise_signal, signal.SIGINT)\n"
        "from coachwhip.__main__ import main; sys.exit(main())"
    )
    done = run_once("--version", command=[sys.executable, "-c", code])
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("interrupted", "words", "said"),
    [
        ("functools.cached_property.__set_name__", ["train", "x", "--output", "y"], ""),
        ("argparse.ArgumentParser.format_usage", ["bench", "1"], "coachwhip bench: interrupted\n"),
    ],
)
def test_ctrl_c_where_python_makes_another_error_of_it_is_quiet(
    interrupted: str, words: list[str], said: str
) -> None:
    code = (
        "import argparse, functools, signal, sys; "
        f"{interrupted} = lambda *_: signal.raise_signal(signal.SIGINT) or ''\n"
        "from coachwhip.__main__ import main; sys.exit(main())"
    )
    done = run_once(*words, command=[sys.executable, "-c", code])
    assert (done.returncode, done.stdout, done.stderr) == (130, "", said)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["position startpos", "blah blah"], "unknown command 'blah'; see coachwhip --help"),
        (["matchh", "--games", "2"], "unknown command 'matchh'; did you mean match?"),
        (["match", "--gmaes", "2"], "unrecognized arguments: --gmaes 2; see coachwhip match --help"),
        (["perft", "x"], "expected a whole number"),
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
    assert err.startswith(("coachwhip: ", "coachwhip match: ", "coachwhip perft: "))
    assert said in err
    assert len(err.splitlines()) == 1


@pytest.mark.parametrize("words", [["position fen blah", "go depth 2"], ["perft x", "d"]])
def test_a_command_that_is_misunderstood_ends_the_run(
    words: list[str], capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 2
    assert len(capfd.readouterr().out.splitlines()) == 1


def test_start_up_loads_nothing_heavy() -> None:
    """Up to `uciok` neither a library, nor the weights, nor a tool."""
    code = (
        "import sys; sys.argv[1:] = ['uci']; from coachwhip.__main__ import main; main();"
        "print(*sorted(sys.modules), file=sys.stderr)"
    )
    loaded = set(run_once(command=[sys.executable, "-c", code]).stderr.split())
    assert "coachwhip.uci.loop" in loaded
    assert not loaded & {"numpy", "chess", "rich", "asyncio", "argparse", "subprocess"}
    assert not [
        name
        for name in loaded
        if name.startswith(
            (
                "coachwhip.bench",
                "coachwhip.evaluation",
                "coachwhip.games",
                "coachwhip.learn",
                "coachwhip.study",
            )
        )
    ]


@pytest.mark.parametrize(
    ("lines", "quits"),
    [
        (["isready"], True),
        (["go infinite"], True),
        (["go ponder wtime 1000 btime 1000"], False),
        (["go movetime 600000"], True),
        (["perft 20", "stop"], True),
        (["bench 30", "stop"], True),
    ],
)
def test_an_end_at_any_time(lines: list[str], quits: bool) -> None:
    """Quit stops any search, the end of input only an endless one; perft and bench need a stop."""
    with UciProcess() as engine:
        engine.ask("position startpos")
        engine.send(*lines)
        if quits:
            engine.quit()
        else:
            engine.ask()
            engine.close_input()
            assert engine.finish() == 0
            assert engine.errors == b""


@pytest.mark.parametrize("lines", ["perft 20\nquit", "go movetime 600000", ""])
def test_the_client_dies(lines: str) -> None:
    """With both ends closed nothing need be written to notice it.

    Without closing our input (""), the next line finds it out.
    """
    pipe = subprocess.PIPE
    with subprocess.Popen(MODULE, stdin=pipe, stdout=pipe, stderr=pipe, env=environment()) as process:
        assert process.stdin
        assert process.stdout
        assert process.stderr
        process.stdin.write(f"isready\n{lines}\n".encode())
        process.stdin.flush()
        assert process.stdout.readline() == b"readyok\n"
        process.stdout.close()
        deadline = time.monotonic() + TIMEOUT
        with suppress(BrokenPipeError):  # it may leave at any line
            while not lines and process.poll() is None and time.monotonic() < deadline:
                process.stdin.write(b"go infinite\nisready\n")
                process.stdin.flush()
                time.sleep(0.01)
        with suppress(BrokenPipeError):
            process.stdin.close()
        assert process.wait(TIMEOUT) == 0
        assert lines or process.stderr.read() == b""


def test_a_thread_that_is_left_never_sees_python_taken_apart() -> None:
    """When the client dies a search stops, but a bench goes on next to the end of the process.

    Its next report would crash.
    """
    code = (
        "import atexit, os, sys; atexit.register(os.write, 2, b'apart'); "
        "from coachwhip.__main__ import main; sys.exit(main())"
    )
    pipe = subprocess.PIPE
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=pipe, stdout=pipe, stderr=pipe, env=environment()
    ) as process:
        assert process.stdin
        assert process.stdout
        assert process.stderr
        process.stdin.write(b"bench 30\n")
        process.stdin.flush()
        assert process.stderr.readline()  # it has started
        process.stdout.close()
        process.stdin.close()
        assert not process.stderr.read().endswith(b"apart")
        assert process.wait(TIMEOUT) == 0


def test_a_batch_with_a_slow_reader() -> None:
    """Its answers fill the pipe long before they are read."""
    text = "go perft 2\nd\neval\n" * 40 + "go depth 3\nquit\n"
    with subprocess.Popen(
        MODULE, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment()
    ) as process:
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
    assert [said.count(word) for word in (b"Nodes searched: 400", b"Fen: ", b"bestmove ")] == [40, 40, 1]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminals of this kind")
@pytest.mark.parametrize("last", [b"quit\n", b"\x04", b""], ids=["quit", "Ctrl-D", "closed"])
def test_a_session_on_a_terminal(last: bytes) -> None:
    """Typed lines, answers, a search that `stop` ends, and a terminal that is closed in mid-search."""
    import pty

    master, terminal = pty.openpty()
    with subprocess.Popen(
        MODULE, stdin=terminal, stdout=terminal, stderr=terminal, env=environment()
    ) as process:
        os.close(terminal)
        seen = b""

        def until(word: bytes, sent: bytes = b"") -> None:
            nonlocal seen
            os.write(master, sent)
            while word not in seen:
                seen += os.read(master, 4096)
            seen = seen.partition(word)[2]

        until(b"quit to leave")
        until(b"uciok", b"uci\r")  # what the Enter key sends
        until(b"info depth 3 ", b"go infinite\n")
        until(b"bestmove ", b"stop\n")
        until(b"info depth 3 ", b"go infinite\n")
        if last:
            until(b"bestmove ", last)
        else:
            os.close(master)
        assert process.wait(TIMEOUT) == 0
    if last:
        os.close(master)


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
