# SPDX-License-Identifier: GPL-3.0-or-later
"""What a release rests on: metadata and workflows."""

import re
import runpy
import sys
from typing import Any

import pytest
from coachwhip.uci.format import AUTHOR
from places import ROOT

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


@pytest.fixture(scope="module")
def project() -> dict[str, Any]:
    """pyproject.toml."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


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


# --- Workflows ---


def test_workflows_have_few_rights() -> None:
    """The schema is checked by .ci/lint."""
    assert [path.name for path in WORKFLOWS] == ["tests.yml", "wheels.yml"]
    for path in WORKFLOWS:
        text = path.read_text(encoding="utf-8")
        assert re.search(r"^permissions:(?: \{\}|\n  contents: read)$", text, re.MULTILINE), path
        used = re.findall(r"uses: (\S+)", text)
        assert used
        assert [name for name in used if not re.fullmatch(r"[\w-]+/[\w-]+@(?:v\d+|release/v\d+)", name)] == []
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
