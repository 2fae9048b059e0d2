# SPDX-License-Identifier: GPL-3.0-or-later
"""What a release rests on: one version everywhere, the changelog, the guide for contributors, and the workflows."""

import re
import runpy
import shlex
import subprocess
import sys
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from coachwhip.uci.format import AUTHOR
from pages import read_only
from places import ROOT
from uci_process import UciProcess, run_once

import coachwhip

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

CHANGELOG = (ROOT / "docs" / "changelog.md").read_text(encoding="utf-8")
GUIDE = ROOT / ".github" / "CONTRIBUTING.md"
README = (ROOT / "README.md").read_text(encoding="utf-8")
BUILDING = (ROOT / "docs" / "building.md").read_text(encoding="utf-8")
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
UNRELEASED = "Unreleased"
VERSION = re.compile(r"(\d+)\.(\d+)\.(\d+)(\.dev0)?")
HEADING = re.compile(rf"\[(?:{UNRELEASED}|(\d+\.\d+\.\d+)\] - (\d{{4}}-\d\d-\d\d))\]?")
SECTIONS = {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}


@pytest.fixture(scope="module")
def project() -> dict[str, Any]:
    """pyproject.toml."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


# --- Version and changelog ---


def numbers(version: str) -> tuple[int, ...]:
    """Of X.Y.Z."""
    return tuple(map(int, version.split(".")))


def fault_of(changelog: str, version: str) -> str:
    """What in the changelog contradicts the version, by the rule in CONTRIBUTING.md; "" if nothing does."""
    headings = re.findall(r"^## (.*)$", changelog, re.MULTILINE)
    parsed = [HEADING.fullmatch(heading) for heading in headings]
    named = VERSION.fullmatch(version)
    if not named or not all(parsed):
        return "a version or a heading has another form"
    released = [match[1] for match in parsed if match and match[1]]
    if released != sorted(set(released), key=numbers, reverse=True):
        return "the newest is not first"
    days = [date.fromisoformat(match[2]) for match in parsed if match and match[2]]
    if days != sorted(days, reverse=True):
        return "a release is older than one before it"
    unreleased = [place for place, heading in enumerate(headings) if heading == f"[{UNRELEASED}]"]
    if unreleased != ([0] if named[4] else []):
        return f"{UNRELEASED} is on top while the version ends in .dev0, and only then"
    here = version.removesuffix(".dev0")
    if named[4]:
        return f"{here} is released already" if released and numbers(here) <= numbers(released[0]) else ""
    return "" if released[:1] == [here] else f"{here} has no heading on top"


def test_changelog_and_version_agree() -> None:
    assert fault_of(CHANGELOG, coachwhip.__version__) == ""
    assert set(re.findall(r"^### (.*)$", CHANGELOG, re.MULTILINE)) <= SECTIONS
    assert "`## [X.Y.Z] - YYYY-MM-DD`" in GUIDE.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("headings", "version", "fault"),
    [
        (["[Unreleased]"], "0.1.0.dev0", ""),
        (["[Unreleased]", "[0.1.0] - 2026-12-01"], "0.2.0.dev0", ""),
        (["[0.1.0] - 2026-12-01"], "0.1.0", ""),
        (["[0.10.0] - 2026-12-02", "[0.9.0] - 2026-12-01"], "0.10.0", ""),
        (["[Unreleased]"], "0.1.0", "and only then"),
        (["[Unreleased]", "[0.1.0] - 2026-12-01"], "0.1.0", "and only then"),
        (["[0.1.0] - 2026-12-01"], "0.2.0.dev0", "is on top while"),
        (["[0.1.0] - 2026-12-01", "[Unreleased]"], "0.2.0.dev0", "is on top while"),
        (["[Unreleased]", "[0.1.0] - 2026-12-01"], "0.1.0.dev0", "0.1.0 is released already"),
        (["[0.1.0] - 2026-12-01"], "0.2.0", "0.2.0 has no heading on top"),
        (["[0.1.0] - 2026-12-01", "[0.2.0] - 2026-11-01"], "0.1.0", "the newest is not first"),
        (["[0.2.0] - 2026-11-01", "[0.1.0] - 2026-12-01"], "0.2.0", "older than"),
        (["0.1.0"], "0.1.0", "another form"),
        (["[0.1.0] - 2026-12-01"], "0.1", "another form"),
    ],
)
def test_the_rule_of_versions(headings: list[str], version: str, fault: str) -> None:
    said = fault_of("".join(f"## {heading}\n\n- text\n" for heading in headings), version)
    assert fault in said
    assert bool(fault) == bool(said)


def test_one_version_everywhere() -> None:
    """The engine's name and the command; the metadata that a build writes are compared in test_packaging.py."""
    name = f"coachwhip {coachwhip.__version__}"
    assert run_once("--version").stdout == f"{name}\n"
    with UciProcess() as engine:
        engine.send("uci")
        assert f"id name {name}" in engine.read_until("uciok")
        engine.quit()


# --- Metadata ---


def test_the_package_names_its_authors_and_pythons(project: dict[str, Any]) -> None:
    metadata, wheels = project["project"], project["tool"]["cibuildwheel"]
    assert [author["name"].lower() for author in metadata["authors"]] == [AUTHOR]
    pythons = re.findall(r"Python :: (3\.\d+)$", "\n".join(metadata["classifiers"]), re.MULTILINE)
    assert metadata["requires-python"] == f">={pythons[0]}"
    assert wheels["build"].split() == [f"cp{python.replace('.', '')}-*" for python in pythons]
    assert metadata["classifiers"] == sorted(metadata["classifiers"])


def test_what_tries_a_wheel_notices_another_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    check = runpy.run_path(str(ROOT / ".ci" / "play.py"))["check"]
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    engine = [sys.executable, "-m", "coachwhip"]
    said = check(engine, "", depth="3")
    nodes = said.split()[0]
    assert re.fullmatch(r"\d+ nodes \d+ nps", said)
    assert check(engine, nodes, depth="3").split()[0] == nodes
    with pytest.raises(SystemExit, match=rf"bench searched {nodes} nodes .* says Bench: 1{nodes}"):
        check(engine, f"1{nodes}", depth="3")
    with pytest.raises(SystemExit, match="exit code 3"):
        check([sys.executable, "-c", "import sys; sys.exit(3)"], "")
    with pytest.raises(SystemExit, match="no uciok in a session"):
        check([sys.executable, "-c", ""], "")


# --- The guide for contributors ---


def lines_of(kind: str) -> list[str]:
    """The lines of the guide's blocks of a kind, those in a list item too."""
    text = GUIDE.read_text(encoding="utf-8")
    blocks = re.findall(rf"^ *```{kind}\n(.*?)^ *```$", text, re.MULTILINE | re.DOTALL)
    return [line.strip() for block in blocks for line in block.splitlines()]


OTHER_PROGRAMS = ("pip install cosmic-ray", "cr-report --show-diff --surviving-only python.sqlite")


def check_command(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A command of the guide can be given as it stands."""
    words = shlex.split(line)
    if line in README.splitlines():
        return
    if words[0] == "coachwhip":
        read_only(words[1:], monkeypatch)
    elif words[:3] == ["python3", "-m", "pytest"]:
        places = [word for word in words[3:] if word.startswith("tests")]
        assert places
        assert all((ROOT / place).exists() for place in places), line
        assert set(words[3:]) - set(places) <= {"-x", "-k", "perft"}, line
    elif words[0] == "git":
        assert subprocess.run(["git", words[1], "-h"], capture_output=True, check=False).returncode == 129, line
    elif words[0] == "python3" and words[1].startswith("tests/trials/"):
        told = subprocess.run(
            [sys.executable, *words[1:2], "--help"], cwd=ROOT, capture_output=True, text=True, check=True
        ).stdout
        assert all(re.search(rf"{word}\b", told) for word in words[2:] if word.startswith("--")), line
    elif words[0] == "python3":
        assert (ROOT / words[1]).is_file(), line
        assert f"`{line}`" in BUILDING, line
    elif line in OTHER_PROGRAMS:
        return
    else:
        assert line in (".ci/run", ".ci/lint")
        assert (ROOT / line).is_file()


def test_the_commands_of_the_guide_can_be_given(monkeypatch: pytest.MonkeyPatch) -> None:
    trials = re.findall(r"^\| `(python3 tests/trials/.*?)` \|", GUIDE.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(trials) > 5
    commands = lines_of("sh") + trials
    assert len(commands) > 15 + len(trials)
    assert {"python3 setup.py build_ext --inplace", "coachwhip bench", ".ci/run", ".ci/lint"} <= set(commands)
    for command in commands:
        check_command(command, monkeypatch)


@pytest.mark.parametrize(
    "command",
    [
        "coachwhip match --no-such-option",
        "coachwhip no-such-tool",
        "python3 -m pytest tests/no_such.py",
        "git no-such",
        "python3 x.py",
        "x",
    ],
)
def test_commands_that_do_not_exist_would_be_noticed(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises((AssertionError, KeyError, SystemExit)):
        check_command(command, monkeypatch)


def links(path: Path) -> Iterator[str]:
    """Targets of links within the checkout."""
    for target in re.findall(r"\]\(([^)]+)\)", path.read_text(encoding="utf-8")):
        if not target.startswith("https://"):
            yield target


def headings(path: Path) -> set[str]:
    """The anchors of a page."""
    titles = re.findall(r"^#+ (.*)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title).strip().lower().replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", [GUIDE, ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))], ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    found = list(links(page))
    assert found or page.name in ("building.md", "glossary.md")
    for target in found:
        name, _, anchor = target.partition("#")
        place = (page.parent / name).resolve() if name else page
        assert place.exists(), target
        assert not anchor or anchor in headings(place), target


def test_the_guide_names_what_is_there() -> None:
    named = re.findall(r"`((?:tests|docs|core|coachwhip|\.github|\.ci)/[\w./]*)`", GUIDE.read_text(encoding="utf-8"))
    assert "coachwhip/__init__.py" in named
    assert not [name for name in named if not (ROOT / name).exists()]
    assert "docs/changelog.md" in README
    assert ".github/CONTRIBUTING.md" in README


# --- Workflows ---


def test_workflows_have_few_rights() -> None:
    """The schema is checked by .ci/lint."""
    assert [path.name for path in WORKFLOWS] == ["tests.yml", "wheels.yml"]
    for path in WORKFLOWS:
        text = path.read_text(encoding="utf-8")
        assert re.search(r"^permissions:(?: \{\}|\n  contents: read)$", text, re.MULTILINE), path
        used = re.findall(r"uses: (.+)", text)
        assert used
        assert [name for name in used if not re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40} # v[\d.]+", name)] == []
        checkouts = [name for name in used if name.startswith("actions/checkout@")]
        assert text.count("persist-credentials: false") == len(checkouts)
        assert "secrets." not in text
        assert "pull_request_target" not in text


def test_only_a_tag_publishes() -> None:
    text = (ROOT / ".github" / "workflows" / "wheels.yml").read_text(encoding="utf-8")
    _, _, publish = text.partition("\n  publish:\n")
    assert text.count("id-token: write") == publish.count("id-token: write") == 1
    assert "    if: github.event_name == 'push' && startsWith(github.ref, 'refs/tags/v')\n" in publish
    assert "    needs: [wheels, sdist]\n" in publish
    assert "actions/checkout" not in publish


def test_the_workflow_tells_the_stated_node_count_as_ci_does() -> None:
    """The same line of git finds it."""
    workflow = (ROOT / ".github" / "workflows" / "wheels.yml").read_text(encoding="utf-8")
    wanted = r"git log --grep='\^Bench: \[0-9\]' -1 --format='%\(trailers:key=Bench,valueonly\)'"
    assert re.search(wanted, workflow)
    assert re.search(wanted, (ROOT / ".ci" / "run").read_text(encoding="utf-8"))
