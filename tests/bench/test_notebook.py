# SPDX-License-Identifier: GPL-3.0-or-later
"""docs/search.ipynb: every cell runs, in order, and shows what the stored notebook shows; its `assert` lines check what its text says."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from places import ROOT, TOOLS

NOTEBOOK = ROOT / "docs" / "search.ipynb"
STORED: dict[str, Any] = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
LARGEST = 50_000  # bytes
STEPS = (
    "Minimax",
    "Alpha-beta",
    "The order of the moves",
    "iterative deepening",
    "The table",
    "Quiescence",
    "technique by technique",
)
LATER_STEPS = ("Switch a technique off", "Change a weight")


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The notebook after a run in a fresh process."""
    target = tmp_path_factory.mktemp("notebook") / "ran.ipynb"
    command = [sys.executable, str(TOOLS / "notebook.py"), str(NOTEBOOK), str(target)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-5000:]
    found: dict[str, Any] = json.loads(target.read_text(encoding="utf-8"))
    return found


def code_cells(notebook: dict[str, Any]) -> list[dict[str, Any]]:
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def source(cell: dict[str, Any]) -> str:
    return "".join(cell["source"])


def prose(notebook: dict[str, Any]) -> str:
    return "\n".join(source(cell) for cell in notebook["cells"] if cell["cell_type"] == "markdown")


def shown(cell: dict[str, Any]) -> str:
    """What a cell prints. The engine's numbers may be others after a change of search or weights: they are masked."""
    text = "".join("".join(output.get("text", ())) for output in cell["outputs"])
    return re.sub(r"\s*[-+]?\d[\d,.]*|\s+-(?=\s)", " #", text) if "engine" in cell["metadata"].get("tags", ()) else text


def test_every_cell_shows_what_is_stored(ran: dict[str, Any]) -> None:
    cells = code_cells(ran)
    assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1))
    renew = "python tests/tools/notebook.py docs/search.ipynb renews the outputs"
    assert [shown(cell) for cell in cells] == [shown(cell) for cell in code_cells(STORED)], renew
    assert all(cell["outputs"] or "class Ordered" in source(cell) for cell in cells)
    pictures = [output for cell in cells for output in cell["outputs"] if "image/png" in output.get("data", {})]
    assert len(pictures) == 2


def test_the_numbers_of_the_text_are_computed(ran: dict[str, Any]) -> None:
    computed = "".join(shown(cell) + source(cell).replace("_", ",") for cell in code_cells(ran))
    numbers = re.findall(r"\d+,\d{3}", prose(STORED))
    assert len(numbers) >= 3
    assert all(number in computed for number in numbers)


def test_the_claims_are_checked() -> None:
    """Each step with a code cell has at least one `assert`."""
    text = "\n".join(source(cell) for cell in STORED["cells"])
    for section in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        assert "\nassert " in section, section[:60]


def test_the_steps_are_there_in_order() -> None:
    headings = re.findall(r"^## (\d)\. (.*)$", prose(STORED), re.MULTILINE)
    assert [int(number) for number, _ in headings] == list(range(1, 10))
    for step, (_, heading) in zip((*STEPS, *LATER_STEPS), headings, strict=True):
        assert step.lower() in heading.lower()


def test_it_is_small_and_names_no_machine() -> None:
    text = NOTEBOOK.read_text(encoding="utf-8")
    assert len(text.encode()) < LARGEST
    assert not re.search(r"/(?:home|root|tmp|work|Users)/|C:\\", text)
    assert STORED["metadata"]["kernelspec"]["name"] == "python3"
    assert not [cell for cell in STORED["cells"] if "execution" in cell["metadata"]]


def test_the_links_lead_somewhere() -> None:
    targets = re.findall(r"\]\(([^)#]+)\)", prose(STORED))
    named = re.findall(r"`((?:bench|core|evaluation)/[\w./]+)`", prose(STORED))
    assert targets
    assert named
    assert all((NOTEBOOK.parent / target).exists() for target in targets)
    assert all((ROOT / Path(name)).exists() for name in named)
    assert "docs/search.ipynb" in (ROOT / "README.md").read_text(encoding="utf-8")
