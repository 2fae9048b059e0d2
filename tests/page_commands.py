# SPDX-License-Identifier: GPL-3.0-or-later
"""The commands and programs of README.md, docs/*.md, docs/search.ipynb and `--help` run.

Commands are the lines of `sh` blocks, those in README.md's table, and the examples of each `--help`, programs
the `python` blocks and the notebook's cells, whose `assert` lines hold. The commands of a section of
README.md and docs/learning.md, and those of another page, run in order from an empty folder, with fewer
games, seconds, nodes and plies. docs/maintaining.md is left out: its commands publish, or take hours. They
run the coachwhip of the environment that pytest is in: in `.ci/run` that of the wheel, where a file or module
may be missing. Only `.ci/run` and `pytest tests/page_commands.py` run them: they take as long as half of all
tests.
"""

import json
import os
import re
import runpy
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path

import pytest
from places import ROOT

from coachwhip.__main__ import SUBCOMMANDS
from coachwhip.cli.command import Parser

PAGES = [
    ROOT / "README.md",
    *(page for page in sorted((ROOT / "docs").glob("*.md")) if page.name != "maintaining.md"),
]

# Put behind the options of a subcommand; the last of two equal ones counts.
FEWER = {
    "bench": "5",
    "lab": "--depth 1",
    "match": "--games 2 --max-moves 2",
    "selfplay": "--games 640 --nodes 50",
    "spsa": "--games 4 --nodes 50",
    "train": "--hidden 16 --epochs 2 --batch 64 --validation 0.25",
    "tune": "--epochs 5 --only material,tempo --wdl 0 --validation 0.5",
}
# For the subcommands whose help has no example that runs.
SMALL = [
    "coachwhip play",
    "coachwhip bench",
    "coachwhip perft 3",
    "coachwhip suite --nodes 20",
    "coachwhip reference",
    "coachwhip lab",
    (
        "coachwhip match --engine coachwhip --name a --engine coachwhip --name b --nodes 20 --pgn games.pgn "
        "--report match.html"
    ),
    "coachwhip analyse games.pgn --depth 1 --report games.html",
    "coachwhip weights > weights.py",
    "coachwhip tunables",
    "coachwhip data",
]
# The beginning of a command -> who runs it, or why nobody does.
NOT_RUN = {
    "python3 -m venv .venv && ": ".ci/run, word by word",
    "python3 -m pip install . pyinstaller && ": "tests/trials/machines.py, word by word",
    "coachwhip play --browser": "serves until Ctrl-C",
    "pdoc ": "an extra that no test needs",
    "uvx ": "needs uv and a package index",
    "fastchess ": "another program, and an older coachwhip",
    "cutechess-cli ": "another program, and an older coachwhip",
}
# Words of commands that take minutes or more or do not end, and whose command lines are only read.
ONLY_READ = {
    "--browser",
    "--revision",
    "big.vf",
    "deep.vf",
    "ranking.jsonl",
    "gnuchess --uci",
    "./a",
    "more.vf",
}
NOT_INSTALLED = {".c", ".html", ".pxd", ".pyx"}  # sources of the core, and what Cython makes of them
WRITES = re.compile(r"(?:--(?:output|report|pgn|journal)|>) ([\w.]+)")


def blocks(text: str, kind: str) -> list[str]:
    return re.findall(rf"^```{kind}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def commands(text: str) -> list[str]:
    """The commands in a text, those of several lines joined.

    Those of coachwhip that are the second cell of a table's row come last.
    """
    lines = [
        line
        for block in blocks(text, "sh")
        for line in block.replace("\\\n", "").splitlines()
        if not line.startswith("#")
    ]
    lines += re.findall(r"^\|[^|]*\| `(coachwhip [^`]*)` \|", text, re.MULTILINE)
    return [line.partition("  #")[0].strip() for line in lines]


def groups() -> Iterator[tuple[str, list[str]]]:
    """The commands that share a folder, and where they are."""
    for page in PAGES:
        text = page.read_text("utf-8")
        parts = (
            re.split(r"^## ", text, flags=re.MULTILINE)
            if page.name in ("README.md", "learning.md")
            else [text]
        )
        for part in parts:
            if found := [command for command in commands(part) if not command.startswith(tuple(NOT_RUN))]:
                yield f"{page.name}: {part.partition(chr(10))[0]}", found


GROUPS = list(groups())
NOTEBOOK = json.loads((ROOT / "docs" / "search.ipynb").read_text("utf-8"))
CELLS = "\n".join("".join(cell["source"]) for cell in NOTEBOOK["cells"] if cell["cell_type"] == "code")
PROGRAMS = [
    *((page.name, block) for page in PAGES for block in blocks(page.read_text("utf-8"), "python")),
    ("search.ipynb", CELLS.replace("%matplotlib inline", "")),
]


def smaller(command: str) -> str:
    """The command with small numbers."""
    command = re.sub(r"(--nodes|movetime) \d+", r"\1 50", command)
    command = re.sub(r"--time [\d.]+", "--time 0.002", command)
    command = re.sub(r"tc [\d.]+\+", "tc 0.2+", command).replace("--own-tc", "--tc 0.2+0.02 --own-tc")
    command = re.sub(r"(bench|perft) \d+", r"\1 5", command)
    subcommand = command.split()[1]
    if "--epd" in command or re.search(r"bench \d", command):
        return command
    options, arrow, output = command.partition(" > ")
    return f"{options} {FEWER.get(subcommand, '')}{arrow}{output}"


def read_only(words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a subcommand read its command line, without running it.

    Raises KeyError or CommandError for one that it rejects.
    """
    module = import_module(f"coachwhip.{SUBCOMMANDS[words[0]][0]}")
    monkeypatch.setattr(Parser, "run", lambda parser, argv, _: parser.parse_intermixed_args(argv) and 0)
    assert module.main(words[1:]) == 0


@pytest.fixture
def shell(tmp_path: Path) -> Callable[[str], str]:
    """Run a command of this environment's `coachwhip` in an empty folder; return what it prints."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
    environment = os.environ | {"PATH": path, "MPLBACKEND": "Agg"}

    def run(command: str) -> str:
        done = subprocess.run(
            command,
            shell=True,
            cwd=tmp_path,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
        assert "Traceback" not in done.stderr, f"{command}\n{done.stderr}"
        return done.stdout

    return run


@pytest.mark.parametrize(("title", "group"), GROUPS, ids=[title for title, _ in GROUPS])
def test_the_commands_run(
    title: str, group: list[str], shell: Callable[[str], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The files that they name are there afterwards, and not empty."""
    for command in group:
        words = shlex.split(command)
        if ONLY_READ & set(words):
            read_only(words[1:], monkeypatch)
            continue
        shell(smaller(command))
        for name in WRITES.findall(command):
            assert (tmp_path / name).stat().st_size > 0, f"{title}: {command}"


def test_the_examples_of_help_and_every_subcommand_run(
    shell: Callable[[str], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the order of the subcommands, since `train` reads what `selfplay` writes."""
    texts = [shell(f"coachwhip {name} --help") for name in ("", *SUBCOMMANDS)]
    examples = re.findall(r"^  (coachwhip .*?)(?:  .*)?$", "\n".join(texts), re.MULTILINE)
    group = ["cp $(coachwhip data openings) book.epd", *examples, *SMALL]
    assert {words[1] for words in map(shlex.split, group) if not ONLY_READ & set(words)} >= set(SUBCOMMANDS)
    test_the_commands_run("--help", group, shell, tmp_path, monkeypatch)


def test_every_file_of_a_package_is_installed() -> None:
    """Most would be missed only where they are first read."""
    for package, folder in runpy.run_path(str(ROOT / "setup.py"), run_name="setup")["packages"](ROOT).items():
        installed = {path.name for place in import_module(package).__path__ for path in Path(place).iterdir()}
        files = {
            path.name
            for path in (ROOT / folder).iterdir()
            if path.is_file() and path.suffix not in NOT_INSTALLED
        }
        assert files - {"Makefile", "results.md"} <= installed, package


@pytest.mark.parametrize(
    ("page", "program"), PROGRAMS, ids=[f"{page}: {len(block)} letters" for page, block in PROGRAMS]
)
def test_the_programs_run(page: str, program: str, shell: Callable[[str], str], tmp_path: Path) -> None:
    """They print something: what a comment at the end says, if there is one."""
    (tmp_path / "program.py").write_text(program, encoding="utf-8")
    printed = shell(f"{shlex.quote(sys.executable)} program.py")
    expected = re.search(r"  # (.*:.*)\n\Z", program)
    assert printed.strip() if expected is None else expected[1] in printed.splitlines(), page
