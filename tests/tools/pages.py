# SPDX-License-Identifier: GPL-3.0-or-later
"""The commands of the project's pages, and a shell in which they can be run word by word."""

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest
from places import ROOT

from coachwhip.__main__ import SUBCOMMANDS

LAUNCH = "import sys; sys.path.insert(0, {root!r}); from coachwhip.__main__ import main; sys.exit(main())"


def blocks(text: str, kind: str) -> list[str]:
    """The contents of the blocks of a kind."""
    return re.findall(rf"^```{kind}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def commands(text: str) -> list[str]:
    """The commands in a text, those of several lines joined; then those of coachwhip that are the second cell of a table's row."""
    lines = [line for block in blocks(text, "sh") for line in block.replace("\\\n", "").splitlines() if not line.startswith("#")]
    return lines + re.findall(r"^\|[^|]*\| `(coachwhip [^`]*)` \|", text, re.MULTILINE)


def sections(text: str) -> Iterator[tuple[str, str]]:
    """The title of a page and its headings of the second level, and the text below each up to the next one."""
    for part in re.split(r"^## ", text.removeprefix("# "), flags=re.MULTILINE):
        title, _, below = part.partition("\n")
        yield title, below


def read_only(words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a subcommand read its command line, without running it. Raises KeyError or SystemExit for one that it refuses."""
    module = import_module(f"coachwhip.{SUBCOMMANDS[words[0]][0]}")
    with monkeypatch.context() as patch:
        patch.setattr(module, "execute", lambda parser, argv, *_, **__: parser.parse_intermixed_args(argv) and 0)
        assert module.main(words[1:]) == 0


class Shell:
    """Runs commands in a folder; `coachwhip` is this checkout's, started by a script in the folder `programs`."""

    def __init__(self, folder: Path, programs: Path) -> None:
        self.folder = folder
        launcher = programs / "coachwhip"
        launcher.write_text(
            f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -c {shlex.quote(LAUNCH.format(root=str(ROOT)))} "$@"\n'
        )
        launcher.chmod(0o755)
        self._environment = os.environ | {"PATH": os.pathsep.join([str(programs), os.environ.get("PATH", os.defpath)])}

    def run(self, command: str) -> str:
        """Run a command; returns its standard output. Raises AssertionError with all it said if it fails."""
        done = subprocess.run(
            command, shell=True, cwd=self.folder, env=self._environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
        assert "Traceback" not in done.stderr, f"{command}\n{done.stderr}"
        return done.stdout
