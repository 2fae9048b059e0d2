# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the cells of a notebook in order, in an empty folder, with this checkout's coachwhip.

`python tests/tools/notebook.py docs/search.ipynb` renews the outputs that the notebook shows: what a cell prints, and the figures that
it draws, in few colours to be small. Jupyter would also show the value of a cell's last line, so a cell ends with none. It is not
Jupyter that runs here because a kernel brings thirty packages, which would make the installation for the tests a fifth longer.
"""

import io
import json
import os
import sys
import tempfile
from base64 import b64encode
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

from places import ROOT

COLOURS = 64  # of a picture
MAGIC = "%matplotlib inline\n"  # asks Jupyter to show figures, as is done here


def execute(notebook: dict[str, Any]) -> None:
    """Run every cell and keep its outputs. Raises whatever a cell raises."""
    import matplotlib as mpl

    mpl.use("Agg")
    names: dict[str, Any] = {"__name__": "__main__"}
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    for number, cell in enumerate(cells, 1):
        code, printed = "".join(cell["source"]).replace(MAGIC, ""), io.StringIO()
        with redirect_stdout(printed):
            exec(compile(code, f"cell {number}", "exec"), names)
        text = printed.getvalue().splitlines(keepends=True)
        cell["execution_count"] = number
        cell["outputs"] = [{"name": "stdout", "output_type": "stream", "text": text}] if text else []
        cell["outputs"] += [{"data": {"image/png": each}, "metadata": {}, "output_type": "display_data"} for each in pictures()]


def pictures() -> list[str]:
    """The open figures as PNG in base64 with COLOURS at most; they are closed."""
    from matplotlib import pyplot as plt
    from PIL import Image  # matplotlib needs it, too

    found = []
    for number in plt.get_fignums():
        drawn, small = io.BytesIO(), io.BytesIO()
        plt.figure(number).savefig(drawn, format="png", bbox_inches="tight")
        with Image.open(drawn) as image:
            image.convert("RGB").quantize(COLOURS).save(small, "png", optimize=True)
        found.append(b64encode(small.getvalue()).decode())
    plt.close("all")
    return found


def main(words: list[str]) -> int:
    """Write the notebook with the outputs of a run, to the second file if there is one."""
    source, target = Path(words[0]), Path(words[-1]).absolute()
    notebook = json.loads(source.read_text(encoding="utf-8"))
    sys.path[0] = str(ROOT)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        execute(notebook)
        os.chdir(ROOT)  # Windows removes no folder that a process is in
    target.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
