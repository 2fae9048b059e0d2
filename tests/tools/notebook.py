# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs a notebook in a fresh kernel of this Python, in an empty folder, with this checkout's coachwhip.

`python tests/tools/notebook.py docs/search.ipynb` renews the outputs that the notebook shows; its pictures get few colours to be small.
"""

import asyncio
import io
import json
import os
import sys
import tempfile
from base64 import b64decode, b64encode
from pathlib import Path
from typing import Any

from places import ROOT

TIMEOUT = 300  # seconds for one cell; a limit for what hangs
COLOURS = 64  # of a picture


def executed(path: Path) -> dict[str, Any]:
    """The notebook with the outputs of a run. Raises nbclient's CellExecutionError if a cell fails."""
    os.environ["JUPYTER_PLATFORM_DIRS"] = "1"  # where Jupyter will look in its next version; it warns without
    import nbformat
    from nbclient import NotebookClient

    if sys.platform == "win32":
        asyncio.set_event_loop_policy(asyncio.WindowsSelectorEventLoopPolicy())  # ZeroMQ needs it
    notebook = nbformat.read(path, as_version=4)
    with tempfile.TemporaryDirectory() as folder:
        homes = {"IPYTHONDIR": folder, "JUPYTER_RUNTIME_DIR": folder}
        client = NotebookClient(
            notebook, timeout=TIMEOUT, kernel_name="python3", resources={"metadata": {"path": folder}}, coalesce_streams=True
        )
        client.execute(env={**os.environ, **homes, "PYTHONPATH": str(ROOT)})
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)  # the times of the run
        for output in cell.get("outputs", ()):
            if "image/png" in output.get("data", {}):
                output.data["image/png"] = small(output.data["image/png"])
    found: dict[str, Any] = notebook
    return found


def small(picture: str) -> str:
    """A picture, PNG in base64, with COLOURS at most."""
    from PIL import Image  # matplotlib needs it, too

    data = io.BytesIO()
    with Image.open(io.BytesIO(b64decode(picture))) as image:
        image.convert("RGB").quantize(COLOURS).save(data, "png", optimize=True)
    return b64encode(data.getvalue()).decode()


def main(words: list[str]) -> int:
    """Write the notebook with the outputs of a run, to the second file if there is one."""
    source, target = Path(words[0]), Path(words[-1])
    found = json.dumps(executed(source), indent=1, ensure_ascii=False)
    target.write_text(found + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
