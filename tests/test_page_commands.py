# SPDX-License-Identifier: GPL-3.0-or-later
"""Every command in the `sh` blocks of README.md and docs/*.md, and in README.md's table, runs as it stands; every `python` block is a program.

The commands of a section of README.md and docs/learning.md, and those of another page, run in order from an empty folder. SMALLER
replaces the numbers of games, seconds, nodes and plies of a command that would take too long, never what the command does. NOT_RUN says
which commands no test runs here, and why. docs/maintaining.md is left out: its commands publish, or take hours.
"""

import re
import shlex
import sys
from pathlib import Path

import pytest
from pages import Shell, blocks, commands, read_only, sections
from places import ROOT

PAGES = [ROOT / "README.md", *(page for page in sorted((ROOT / "docs").glob("*.md")) if page.name != "maintaining.md")]

# What a page says -> what is run instead.
SMALLER = {
    "movetime 2000": "movetime 50",
    "--games 4000 --nodes 300": "--games 300 --nodes 80",
    "--games 200 --nodes 1000": "--games 2 --nodes 80",
    "--games 20 --nodes 10000": "--games 2 --nodes 80",
    "--games 200 --tc 2+0.02": "--games 2 --max-moves 3 --tc 0.2+0.02",
    "selfplay own.bin --games 20000": "selfplay own.bin --games 300 --nodes 80",
    "--games 1000 --tc 5+0.05": "--games 2 --max-moves 3 --tc 0.2+0.02",
    "train own.bin": "train own.bin --hidden 16 --epochs 4 --batch 256 --validation 0.25",
    "--games 1000 --nodes 8000": "--games 2 --nodes 80",
    "--tune rfp_margin=75:40:120:8 --games 20000": "--tune rfp_margin=75:40:120:8 --games 4 --nodes 50",
    "coachwhip bench 16": "coachwhip bench 8",
    "coachwhip suite --time 0.5": "coachwhip suite --time 0.01",
    "--games 40 --tc 5+0.05": "--games 2 --max-moves 3 --tc 0.2+0.02",
    "--own-tc 10+0.1": "--games 2 --max-moves 1 --tc 0.2+0.02 --own-tc 0.2+0.02",
    "coachwhip analyse --time 0.2": "coachwhip analyse --nodes 100",
    "analyse games.pgn --nodes 200000": "analyse games.pgn --nodes 200",
    "coachwhip lab --plot": "coachwhip lab --depth 1 --plot",
    "coachwhip lab --depth 4": "coachwhip lab --depth 1",
    "coachwhip bench  ": "coachwhip bench 5  ",
    "coachwhip perft 8": "coachwhip perft 6",
    "coachwhip lab --depth 5": "coachwhip lab --depth 1",
}

# The beginning of a command -> who runs it, or why nobody does.
NOT_RUN = {
    "python3 -m venv .venv && ": ".ci/run, word by word",
    "python3 -m pip install . pyinstaller && ": "tests/trials/machines.py, word by word",
    "uvx ": "needs uv and a package index",
    "fastchess ": "another program, and an older coachwhip",
    "cutechess-cli ": "another program, and an older coachwhip",
}
# Words of commands that take minutes or more, and whose command lines are only read.
ONLY_READ = {"--revision", "big.bin", "ranking.jsonl"}
WRITES = re.compile(r"(?:--(?:output|report|plot|page|pgn|journal)|>) ([\w.]+)")

TO_RUN = [
    (page, title, text)
    for page in PAGES
    for title, text in (
        sections(page.read_text("utf-8")) if page.name in ("README.md", "learning.md") else [("all", page.read_text("utf-8"))]
    )
    if commands(text)
]
PROGRAMS = [(page, block) for page in PAGES for block in blocks(page.read_text("utf-8"), "python")]


def smaller(command: str) -> str:
    """The command with small numbers."""
    for words, fewer in SMALLER.items():
        command = command.replace(words, fewer)
    return command


@pytest.mark.takes_long
@pytest.mark.parametrize(("page", "title", "text"), TO_RUN, ids=[f"{page.name}: {title}" for page, title, _ in TO_RUN])
def test_the_commands_run(
    page: Path, title: str, text: str, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a shell; the files that they name are there afterwards, and not empty."""
    shell = Shell(tmp_path_factory.mktemp("empty"), tmp_path_factory.mktemp("bin"))
    for command in commands(text):
        if command.startswith(tuple(NOT_RUN)):
            continue
        if ONLY_READ & set(shlex.split(command)):
            read_only(shlex.split(command, comments=True)[1:], monkeypatch)
            continue
        shell.run(smaller(command))
        for name in WRITES.findall(command.partition("  #")[0]):
            assert (shell.folder / name).stat().st_size > 0, f"{page.name}, {title}: {command}"


@pytest.mark.parametrize(("page", "program"), PROGRAMS, ids=[f"{page.name}: {len(block)} letters" for page, block in PROGRAMS])
def test_the_programs_run(page: Path, program: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They print something: what a comment at the end says, if there is one."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    (tmp_path / "bin").mkdir()
    (tmp_path / "program.py").write_text(program, encoding="utf-8")
    said = Shell(tmp_path, tmp_path / "bin").run(f"{shlex.quote(sys.executable)} program.py")
    expected = re.search(r"  # (.*:.*)\n\Z", program)
    assert said.strip() if expected is None else expected[1] in said.splitlines(), page
