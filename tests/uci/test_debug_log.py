# SPDX-License-Identifier: GPL-3.0-or-later
"""The log of the conversation: whole, in order, both ways, and where a crash is reported."""

import os
import re
import signal
import sys
from pathlib import Path

import pytest
from coachwhip.uci.writer import LoggedWriter
from uci_process import UciProcess

import coachwhip
from coachwhip import build_info

LINE = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} \[\d+\] (>>|<<|==) (.*)")
END = ("==", "end")


def entries(path: Path) -> list[tuple[str, ...]]:
    """Mark and text of each line of a log."""
    lines = [LINE.fullmatch(line) for line in path.read_text().splitlines()]
    assert all(lines)
    return [match.groups() for match in lines if match]


def test_the_log_holds_the_facts_and_the_conversation(tmp_path: Path) -> None:
    path, other = tmp_path / "a log.txt", tmp_path / "other.txt"
    with UciProcess("--set", "use_lmr=0") as engine:
        engine.ask(
            "setoption name SyzygyPath value <empty>",
            "setoption name Hash value 2",
            "setoption name Seed value 8",
        )
        assert engine.ask(f"setoption name Debug Log File value {path}") == []
        answers = engine.go("position startpos", "go depth 3")
        (message,) = engine.ask(f"setoption name Debug Log File value {tmp_path}/no/such/folder/log.txt")
        assert message.startswith("info string setoption: Debug Log File: ")
        assert (
            engine.ask(f"setoption name Debug Log File value {other}", "position startpos moves e2e4") == []
        )
        assert engine.ask("setoption name Debug Log File value <empty>", "ucinewgame") == []
        engine.quit()
    facts = [text for mark, text in entries(path) if mark == "=="]
    assert facts[:2] == [f"program: coachwhip {coachwhip.__version__}", f"build: {build_info()}"]
    assert facts[2].startswith(f"system: Python {sys.version.split()[0]} on {sys.platform}, ")
    assert facts[3:] == [
        f"folder: {Path.cwd()}",
        "seed: 8",
        "tunables: use_lmr=0",
        "option Hash: 2",
        "option SyzygyPath: <empty>",
        "option Seed: 8",
        "end",
    ]
    talk = [entry for entry in entries(path) if entry[0] != "=="]
    assert talk[:4] == [
        (">>", "isready"),
        ("<<", "readyok"),
        (">>", "position startpos"),
        (">>", "go depth 3"),
    ]
    assert [line for mark, line in talk if mark == "<<"][1 : len(answers) + 1] == answers
    assert talk[-1] == (">>", f"setoption name Debug Log File value {other}")
    assert entries(path)[-1] == entries(other)[-1] == END
    assert "position startpos moves e2e4" in other.read_text()
    assert "ucinewgame" not in other.read_text()


@pytest.mark.skipif(os.name == "nt", reason="Windows ends a process that gets a signal")
@pytest.mark.parametrize("logged", [True, False])
def test_a_crash_is_reported_in_the_log_or_on_standard_error(logged: bool, tmp_path: Path) -> None:
    path = tmp_path / "log.txt"
    with UciProcess() as engine:
        engine.ask(f"setoption name Debug Log File value {path}")
        if not logged:
            engine.ask("setoption name Debug Log File value <empty>")
        engine.send("position startpos moves d2d4", "go infinite")
        engine.read_until("info depth 5 ")
        os.kill(engine.process.pid, signal.SIGSEGV)
        assert engine.finish() == -signal.SIGSEGV
    text = path.read_text() if logged else engine.errors.decode()
    assert not logged or engine.errors == b""  # a GUI would hide it
    before, crash, report = text.partition("Fatal Python error: Segmentation fault\n")
    assert crash
    assert "search_job.py" in report
    if logged:
        assert [line for line in before.splitlines() if ">>" in line][-1].endswith(" >> go infinite")
        assert " == end" not in before
    else:
        assert entries(path)[-1] == END


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no such device")
def test_a_full_disk_ends_the_log_with_a_message(tmp_path: Path) -> None:
    path = tmp_path / "log.txt"
    lines: list[str] = []

    class Out:
        closed = False
        is_closed = staticmethod(lambda: False)

        def __call__(self, line: str, /) -> None:
            lines.append(line)
            # The log has it before the client can answer.
            assert "readyok" not in line or path.read_text().endswith(" << readyok\n")

    write = LoggedWriter(Out())
    write.log_to(str(path))
    write("readyok")
    with pytest.raises(OSError, match="No space left"):
        write.log_to("/dev/full", ["a fact"])
    write.log_to("")
    with open("/dev/full", "wb", buffering=0) as full:
        write._file = full
        write("uciok")
    write("bestmove e2e4")
    message = "info string Debug Log File: [Errno 28] No space left on device; the log ends here"
    assert lines == ["readyok", message, "uciok", "bestmove e2e4"]
