# SPDX-License-Identifier: GPL-3.0-or-later
"""The laboratory's page: a bar for each row, the table and the techniques."""

import math
from html import escape
from itertools import chain
from pathlib import Path

from ...cli.files import write_bytes
from ...pages import frame
from ...pages.chart import bars
from .report import Report, short, text
from .techniques import BY_KEY

ABOUT = """<p>Adversarial search, one technique after another on the same positions, in the engine itself: each row of the table switches
on one technique more. Made by coachwhip lab.</p>"""


def page(report: Report, path: Path) -> None:
    """Write the page. Raises OSError."""
    keys = chain.from_iterable(summary.row.keys for summary in report.rows)
    techniques = [BY_KEY[key] for key in dict.fromkeys(keys)]
    explained = "\n".join(
        f"<p><b>{each.title}</b> ({each.kind}). {escape(each.text)} "
        f'<a href="{escape(each.source)}">Source</a></p>'
        for each in techniques
    )
    figures = f'<pre tabindex="0">{escape(text(report))}</pre>'
    parts = ABOUT, _bars(report), figures, "<h2>The techniques</h2>", explained
    write_bytes(path, frame.report("The search laboratory", *parts).encode())


def _bars(report: Report) -> str:
    """A bar for each row that finished a depth everywhere, as long as the logarithm of its nodes."""
    nodes = {
        f"{row.row.label} (d={row.depth})": row.nodes[row.depth - 1] or 1 for row in report.rows if row.depth
    }
    most = math.log(max([*nodes.values(), 2]))
    title = "Nodes at the deepest depth (d), mean of a position, on a logarithmic scale"
    return bars(
        title, ((label, math.log(max(count, 1)) / most, short(count)) for label, count in nodes.items())
    )
