# SPDX-License-Identifier: GPL-3.0-or-later
"""The log of the conversation: whole, in order, both ways, and no hindrance when it cannot be written."""

import os
import re
import signal
import sys
from pathlib import Path

import pytest
from coachwhip.uci.writer import LoggedWriter
from crashing_engine import LOST
from places import TOOLS
from uci_process import UciProcess, run_once

import coachwhip
from coachwhip import build_info

LINE = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} \[\d+\] (>>|<<|==) (.*)")
END = ("==", "end")

CRASHING = [sys.executable, str(TOOLS / "crashing_engine.py")]


def entries(path: Path) -> list[tuple[str, ...]]:
    """Mark and text of each line of a log."""
    lines = [LINE.fullmatch(line) for line in path.read_text().splitlines()]
    assert all(lines)
    return [match.groups() for match in lines if match]


def read_or_written(path: Path) -> list[tuple[str, ...]]:
    return [entry for entry in entries(path) if entry[0] in (">>", "<<")]


def test_the_log_holds_the_conversation(tmp_path: Path) -> None:
    path, other = tmp_path / "a log.txt", tmp_path / "other.txt"
    with UciProcess() as engine:
        assert engine.ask(f"setoption name Debug Log File value {path}") == []
        said = engine.go("position startpos", "go depth 3")
        (message,) = engine.ask(f"setoption name Debug Log File value {tmp_path}/no/such/folder/log.txt")
        assert message.startswith("info string setoption: Debug Log File: ")
        assert engine.ask(f"setoption name Debug Log File value {other}", "position startpos moves e2e4") == []
        assert engine.ask("setoption name Debug Log File value <empty>", "ucinewgame") == []
        engine.quit()
    talk = read_or_written(path)
    assert talk[:4] == [(">>", "isready"), ("<<", "readyok"), (">>", "position startpos"), (">>", "go depth 3")]
    assert [line for direction, line in talk if direction == "<<"][1 : len(said) + 1] == said
    assert talk[-1] == (">>", f"setoption name Debug Log File value {other}")
    assert entries(path)[-1] == entries(other)[-1] == END
    assert "position startpos moves e2e4" in other.read_text()
    assert "ucinewgame" not in other.read_text()


def test_the_log_begins_with_the_program_the_machine_and_the_options(tmp_path: Path) -> None:
    path = tmp_path / "log.txt"
    with UciProcess("--set", "use_lmr=0") as engine:
        engine.ask("setoption name SyzygyPath value <empty>", "setoption name Hash value 2", "setoption name Seed value 8")
        engine.ask(f"setoption name Debug Log File value {path}")
        engine.quit()
    found = entries(path)
    facts = [text for mark, text in found if mark == "=="]
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


def test_one_command_of_the_command_line_ends_its_log(tmp_path: Path) -> None:
    path = tmp_path / "log.txt"
    assert run_once(f"setoption name Debug Log File value {path}", "go depth 2").returncode == 0
    assert entries(path)[-1] == END


@pytest.mark.skipif(os.name == "nt", reason="Windows ends a process that gets a signal")
def test_a_crash_is_reported_in_the_log(tmp_path: Path) -> None:
    path = tmp_path / "log.txt"
    with UciProcess() as engine:
        engine.ask(f"setoption name Debug Log File value {path}")
        engine.send("position startpos moves d2d4", "go infinite")
        engine.read_until("info depth 5 ")
        os.kill(engine.process.pid, signal.SIGSEGV)
        assert engine.finish() == -signal.SIGSEGV
        assert engine.errors == b""  # a GUI would hide it
    before, crash, report = path.read_text().partition("Fatal Python error: Segmentation fault\n")
    assert crash
    assert "in search" in report
    assert [text for text in before.splitlines() if ">>" in text][-1].endswith(" >> go infinite")
    assert " == end" not in before


def test_without_a_log_a_crash_is_reported_on_standard_error(tmp_path: Path) -> None:
    path = tmp_path / "log.txt"
    for log in ("", f"setoption name Debug Log File value {path}\nsetoption name Debug Log File value <empty>\n"):
        done = run_once(command=CRASHING, text=f"{log}position fen {LOST}\ngo depth 2\n")
        assert done.returncode < 0
        assert "Fatal Python error: Segmentation fault" in done.stderr
    assert entries(path)[-1] == END


def test_a_line_is_logged_before_it_is_said() -> None:
    """Else what a client sends in answer could be logged before it, or a new log begin with the line before it."""
    order: list[str] = []

    class Out:
        closed = False

        def look(self) -> bool:
            return False

        def __call__(self, line: str, /) -> None:
            order.append(f"said {line}")

    write = LoggedWriter(Out())
    write._log = lambda direction, line: order.append(f"logged {direction} {line}")  # type: ignore[assignment]
    write("readyok")
    assert order == ["logged << readyok", "said readyok"]
