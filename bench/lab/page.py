# SPDX-License-Identifier: GPL-3.0-or-later
"""The laboratory's page: a bar for each row, the table, the techniques and the horizon effect, in the viewer's frame."""

import math
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path

import chess
import chess.svg

from ..common.files import write_bytes
from ..viewer.chart import bars
from ..viewer.frame import document
from .horizon import Shown, table, verdict
from .report import Report, short, text
from .techniques import BY_KEY

ABOUT = (
    "Adversarial search, one technique after another on the same positions, in the engine itself: each row of the table switches "
    "on one technique more. Made by coachwhip lab."
)
STYLE = """\
.lab { display: block; }
.lab p { max-width: 46rem; }
.lab a { text-decoration: underline; }
.lab pre { overflow-x: auto; }
.lab .board { max-width: 20rem; }
"""


def page(report: Report, shown: Sequence[Shown], path: Path) -> None:
    """Write the page. Raises OSError."""
    blocks = [
        f'<style>\n{STYLE}</style>\n<main class="lab">\n<h1>The search laboratory</h1>',
        _paragraph(ABOUT),
        _bars(report),
        _lines(text(report)),
        *_techniques(report),
        *_horizon(shown),
        "</main>",
    ]
    write_bytes(path, document("The search laboratory", "\n\n".join(blocks)).encode())


def _paragraph(words: str) -> str:
    return f"<p>{escape(words)}</p>"


def _lines(text: str) -> str:
    """Lines as a terminal shows them; they may be wider than the page."""
    return f'<pre tabindex="0">{escape(text)}</pre>'


def _bars(report: Report) -> str:
    """A bar for each row that finished a depth everywhere, as long as the logarithm of its nodes."""
    nodes = {f"{row.row.label} (d={row.depth})": row.nodes[row.depth - 1] or 1 for row in report.rows if row.depth}
    most = math.log(max([*nodes.values(), 2]))
    title = "Nodes at the deepest depth (d), mean of a position, on a logarithmic scale"
    return bars(title, ((label, math.log(max(count, 1)) / most, short(count)) for label, count in nodes.items()))


def _techniques(report: Report) -> Iterator[str]:
    yield "<h2>The techniques</h2>"
    for key in dict.fromkeys(key for summary in report.rows for key in summary.row.keys):
        technique = BY_KEY[key]
        link = f'<a href="{escape(technique.source)}">Source</a>'
        yield f"<p><b>{technique.title}</b> ({technique.kind}). {escape(technique.text)} {link}</p>"


def _horizon(shown: Sequence[Shown]) -> Iterator[str]:
    yield "<h2>The horizon effect</h2>"
    yield _paragraph(
        "What each search plays and thinks, in pawns from Black's side; ! and red arrows mark material thrown away. "
        "The green arrow is the move of a nearly full-width search."
    )
    for each in shown:
        arrows = [_arrow(each.best, "green"), *(_arrow(move, "red") for move in each.worth)]
        yield f"<h3>{escape(each.case.title)}</h3>\n\n<p><code>{escape(each.case.fen)}</code></p>"
        yield f'<div class="board">{chess.svg.board(chess.Board(each.case.fen), arrows=arrows)}</div>'
        yield _lines(table(each))
        yield _paragraph(each.case.text)
        yield _paragraph(verdict(each))


def _arrow(text: str, colour: str) -> chess.svg.Arrow:
    move = chess.Move.from_uci(text)
    return chess.svg.Arrow(move.from_square, move.to_square, color=colour)
