# SPDX-License-Identifier: GPL-3.0-or-later
"""docs/learning.md: its five commands do what it promises, run word by word in an empty folder, and it names nothing that is not there.

The page's own numbers are small enough for a test, so none is made smaller here.
"""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import chess
import pytest
from coachwhip.core.engine import network_header
from coachwhip.evaluation import config
from coachwhip.evaluation.learn import labelled
from coachwhip.evaluation.learn.network import from_bytes
from pages import Shell, blocks, commands
from places import ROOT

from coachwhip.__main__ import SUBCOMMANDS, main

PAGE = (ROOT / "docs" / "learning.md").read_text(encoding="utf-8")
FAULTS = re.compile(r"(\w+): time loss 0, illegal move 0, crash 0, stall 0")


def section(title: str) -> str:
    """The text below a heading, up to the next one of its level."""
    (text,) = re.findall(rf"^## {title}\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL)
    return str(text)


class Ran(NamedTuple):
    """What the commands left and said."""

    folder: Path
    said: dict[str, str]  # standard output by subcommand


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Ran:
    """All steps of the page, each in a shell, from an empty folder."""
    folder, programs = tmp_path_factory.mktemp("empty"), tmp_path_factory.mktemp("bin")
    shell = Shell(folder, programs)
    steps = section("Five commands")
    (openings,) = blocks(steps, "epd")
    (folder / "openings.epd").write_text(openings, encoding="utf-8")
    said = {}
    for command in commands(steps):
        said[name_of(command)] = shell.run(command)
    return Ran(folder, said)


def name_of(command: str) -> str:
    """Which subcommand or UCI command it runs; `echo` for a step that runs none."""
    words = shlex.split(command)
    return next(word for word in words if word in (*SUBCOMMANDS, "eval", "echo"))


def test_the_page_has_five_commands() -> None:
    found = commands(section("Five commands"))
    assert [name_of(command) for command in found] == ["selfplay", "train", "echo", "eval", "match", "weights"]
    assert [command.split()[0] for command in found].count("coachwhip") == 5
    assert re.findall(r"^\*\*(\d)\. ", PAGE, re.MULTILINE) == list("12345")


def test_the_data_are_there(ran: Ran) -> None:
    found = labelled.summary(ran.folder / "own.bin")
    assert found.games == 500
    assert found.plies > 20_000
    assert "500 games" in ran.said["selfplay"]


def test_the_network_predicts_the_labels_better_than_the_terms(ran: Ran) -> None:
    data = (ran.folder / "net.cwnet").read_bytes()
    assert network_header(data)["hidden"] == from_bytes(data).hidden == 16
    (of_terms, with_network) = re.findall(r"terms (0\.\d+), with the network (0\.\d+)", ran.said["train"])[0]
    assert float(with_network) < float(of_terms)
    assert from_bytes(data).provenance["files"][0]["name"] == "own.bin"


def test_eval_shows_what_the_page_shows(ran: Ran) -> None:
    """The same lines, if perhaps with other numbers."""

    def without_numbers(text: str) -> list[str]:
        return [" ".join(re.sub(r"[+-]?\d+(\.\d+)?", "#", line).split()) for line in text.strip().splitlines()]

    (shown,) = (text for text in blocks(section("Five commands"), "text") if "Material" in text)
    assert without_numbers(ran.said["eval"]) == without_numbers(shown)
    (line,) = [line for line in ran.said["eval"].splitlines() if line.startswith("Network ")]
    assert re.fullmatch(r"Network [+-]\d\.\d\d from White's side, added to the terms' [+-]\d\.\d\d", line)


def test_the_match_ends_without_faults(ran: Ran) -> None:
    assert "mine against shipped: 20 games" in ran.said["match"]
    assert FAULTS.findall(ran.said["match"]) == ["mine", "shipped"]


def test_the_openings_are_different_and_legal() -> None:
    (openings,) = blocks(section("Five commands"), "epd")
    boards = [chess.Board.from_epd(line)[0] for line in openings.splitlines()]
    assert len({board.epd() for board in boards}) == len(boards) == 10
    assert all(board.is_valid() for board in boards)


def test_what_is_shipped_stands_alone(ran: Ran, tmp_path: Path) -> None:
    """All numbers are in it, and it finds the network beside it, in whatever folder the two are."""
    for name in ("shipped.py", "net.cwnet"):
        (tmp_path / name).write_bytes((ran.folder / name).read_bytes())
    assert config.evaluator(tmp_path / "shipped.py") == config.evaluator(ran.folder / "mine.py")
    assert (tmp_path / "shipped.py").read_text(encoding="utf-8") == config.dump(config.load_default() | {"NETWORK": "net.cwnet"})


# --- The rest of the page ---


def words_of(command: str) -> Iterator[str]:
    """The options of a command that belong to its subcommand."""
    yield from (word for word in shlex.split(command)[2:] if word.startswith("--"))


def test_commands_that_are_too_long_to_run_have_options_that_exist(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    found = commands(section("A real network"))
    assert len(found) == 4
    for command in found:
        assert main([name_of(command), "--help"]) == 0
        known = set(re.findall(r"--[\w-]+", capsys.readouterr().out))
        assert set(words_of(command)) <= known, command


def test_links_lead_somewhere() -> None:
    targets = re.findall(r"\]\(([^)]+)\)", PAGE)
    headings = {
        re.sub(r"[^\w -]", "", title).strip().lower().replace(" ", "-") for title in re.findall(r"^#+ (.*)$", PAGE, re.MULTILINE)
    }
    assert targets
    for target in targets:
        assert target[1:] in headings if target.startswith("#") else (ROOT / "docs" / target).exists(), target
    assert "docs/learning.md" in (ROOT / "README.md").read_text(encoding="utf-8")
    assert "## Training of networks" in (ROOT / "bench" / "results.md").read_text(encoding="utf-8")
