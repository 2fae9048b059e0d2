# SPDX-License-Identifier: GPL-3.0-or-later
"""`--replay LOG`: the same searches again, up to the command in which the core crashed, and a clear word about what is no log."""

import re
import sys
from pathlib import Path
from typing import Any

import pytest
from crashing_engine import LOST
from places import TOOLS
from uci_process import UciProcess, run_once

MOVES = ("", " moves e2e4", " moves e2e4 c7c5 g1f3")
FIRST = "2026-01-02 03:04:05.678 [7] == coachwhip log 1\n"


def conversation(done: Any) -> list[str]:
    """What a replay shows, without what depends on the time."""
    return [re.sub(r" (nps|time) \d+", "", line) for line in done.stdout.splitlines()]


def replay(path: Path, *words: str, **options: Any) -> Any:
    return run_once("--replay", str(path), *words, **options)


def test_a_session_of_fixed_nodes_is_the_same_again(tmp_path: Path) -> None:
    path = tmp_path / "log.txt"
    with UciProcess("--set", "use_lmr=0") as engine:
        engine.ask("setoption name MultiPV value 2", f"setoption name Debug Log File value {path}", "ucinewgame")
        said = [engine.go(f"position startpos{moves}", f"go nodes {3000 + len(moves)}") for moves in MOVES]
        engine.quit()
    done = replay(path)
    assert done.returncode == 0
    shown = [line.removeprefix("<< ") for line in conversation(done) if line.startswith("<< ") and line != "<< readyok"]
    assert shown == [re.sub(r" (nps|time) \d+", "", line) for lines in said for line in lines]
    assert done.stderr.splitlines()[-1].endswith("3 searches repeated, 3 with the same move and nodes")
    assert path.read_text().count("coachwhip log 1") == 1  # the log that is read is not written to


def test_searches_that_the_clock_or_a_stop_ended_are_repeated(tmp_path: Path) -> None:
    path = tmp_path / "log.txt"
    with UciProcess() as engine:
        engine.ask(f"setoption name Debug Log File value {path}")
        engine.go("position startpos", "go movetime 60")
        engine.go("position startpos moves e2e4", "go wtime 1500 btime 1500")
        engine.send("go infinite searchmoves c7c5 e7e5")
        engine.read_until("info depth 7 ")
        engine.go("stop")
        engine.send("position startpos moves g1f3", "go ponder wtime 900 btime 900")
        engine.read_until("info depth 6 ")
        engine.go("ponderhit")
        engine.send("go perft 9")
        engine.ask("stop")
        engine.go("go mate 1 depth 5")
        engine.send("go mate 50")
        engine.read_until("info depth 6 ")
        engine.send("go depth 2")  # the next search stops one that would not end by itself
        engine.read_until("bestmove ")
        engine.read_until("bestmove ")
        engine.quit()
    done = replay(path)
    shown = done.stdout.splitlines()
    assert not [line for line in shown if re.match(">> .*(time|infinite|ponder|go mate 50)", line)]
    assert ">> go mate 1 depth 5" in shown
    assert "<< info string perft stopped" in shown
    assert [line[3:] for line in shown if line.startswith("<< bestmove")] == re.findall("<< (bestmove .*)", path.read_text())
    assert done.stderr.splitlines()[-1].endswith("7 searches repeated, 7 with the same move and nodes")


def test_a_session_with_its_timing(tmp_path: Path) -> None:
    path = tmp_path / "log.txt"
    with UciProcess() as engine:
        engine.ask(f"setoption name Debug Log File value {path}")
        engine.send("go infinite")
        engine.read_until("info depth 5 ")
        engine.go("stop")
        engine.quit()
    shown = replay(path, "--timed").stdout.splitlines()
    sent = [line for line in shown if line.startswith(">>")]
    assert sent == [">> position startpos", ">> isready", ">> go infinite", ">> stop", ">> quit"]
    assert len([line for line in shown if line.startswith("<< bestmove ")]) == 1


def test_a_crash_is_reached_again(tmp_path: Path) -> None:
    path = tmp_path / "log.txt"
    crashing = [sys.executable, str(TOOLS / "crashing_engine.py")]
    lost = f"position fen {LOST}"
    with UciProcess(command=crashing) as engine:
        engine.ask("setoption name Hash value 2", f"setoption name Debug Log File value {path}")
        engine.go("position startpos", "go nodes 2500")
        engine.send(lost, "go depth 6 wtime 60000 btime 60000")
        assert engine.finish() < 0
    crashed = replay(path, command=crashing)
    assert crashed.returncode < 0
    assert crashed.stdout.splitlines()[-2:] == [f">> {lost}", ">> go depth 6 nodes 10000000"]
    assert "Fatal Python error: Segmentation fault" in crashed.stderr
    cured = replay(path)
    assert cured.returncode == 0
    assert conversation(cured)[: len(conversation(crashed))] == conversation(crashed)
    assert "the log has no end after 'go depth 6 wtime 60000 btime 60000': Fatal Python error: Segmentation fault" in cured.stderr
    assert cured.stdout.splitlines()[-1].startswith("<< bestmove ")


def test_sessions_in_one_log(tmp_path: Path) -> None:
    """Of two processes at once, and of one after them; the last is taken where none is named."""
    path = tmp_path / "log.txt"
    log = f"setoption name Debug Log File value {path}"
    with UciProcess() as one, UciProcess() as two:
        for number, engine in enumerate((one, two)):
            engine.ask(log)
            engine.go(f"go nodes {3000 + number}")
        one.go("position startpos moves a2a3", "go nodes 3100")
        for engine in (one, two):
            engine.quit()
    run_once(log, "go nodes 3002")
    for words, nodes in ((("--session", "1"), ["3000", "3100"]), (("--session", "2"), ["3001"]), ((), ["3002"])):
        done = replay(path, *words)
        assert [line.split()[-1] for line in done.stdout.splitlines() if line.startswith(">> go")] == nodes
        assert " of 3\n" in done.stderr
    refused = replay(path, "--session", "4")
    assert (refused.returncode, refused.stderr) == (2, f"coachwhip: {path} has 3 sessions, and no session 4\n")


@pytest.mark.parametrize("content", ["", "uci\nisready\n", "\0" * 1000, FIRST.replace("log 1", "log 2"), FIRST[8:]])
def test_what_is_no_log_is_refused_in_one_sentence(content: str, tmp_path: Path) -> None:
    path = tmp_path / "log.txt"
    path.write_text(content)
    done = replay(path)
    why = "is no log of coachwhip: its first line should end with '== coachwhip log 1'"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"coachwhip: {path} {why}\n")


def test_torn_and_foreign_lines_are_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "log.txt"
    lines = [FIRST, FIRST.replace("[7] == coachwhip log 1", "[8] >> go depth 9"), "2026-13-45 99:04:05.678 [7] >> go depth 8\n"]
    lines += ["\xff\n", FIRST.replace("== coachwhip log 1", ">> go depth 2"), "2026-01-02 03:04:0"]
    path.write_text("".join(lines), encoding="latin-1")
    assert [line for line in replay(path).stdout.splitlines() if line.startswith(">>")] == [">> go depth 2 nodes 10000000"]


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--replay",), "--replay needs a file name"),
        (("--replay", "no.txt"), "cannot read no.txt: No such file or directory"),
        (
            ("--replay", "no.txt", "go"),
            "--replay takes options and commands from the log: only --session and --timed stand beside it",
        ),
        (("--session", "x", "--replay", "no.txt"), "--session needs a number, not 'x'"),
        (("--timed",), "--session and --timed belong to --replay"),
    ],
)
def test_a_wrong_command_line_is_told(words: tuple[str, ...], why: str) -> None:
    done = run_once(*words)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"coachwhip: {why}\n")


def test_a_tunable_that_is_gone_is_told(tmp_path: Path) -> None:
    path = tmp_path / "log.txt"
    path.write_text(FIRST + FIRST.replace("coachwhip log 1", "tunables: no_such=1"))
    done = replay(path)
    assert done.returncode == 2
    assert "this session cannot be run here: no tunable is called 'no_such'" in done.stderr
