# SPDX-License-Identifier: GPL-3.0-or-later
"""The laboratory's page: table, plot, techniques and the horizon effect, in one HTML file that needs no network."""

from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path

import chess
import chess.svg

from ..common.files import write_bytes
from ..common.plot import html_image
from .horizon import Shown, table, verdict
from .plot import draw
from .report import Report, text
from .techniques import BY_KEY

ABOUT = (
    "Adversarial search, one technique after another on the same positions, in the engine itself: each row of the table switches "
    "on one technique more. Made by coachwhip lab."
)
BOARD = 320  # pixels
PAGE = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>The search laboratory</title>
<style>
:root {{ color-scheme: light dark; }}
body {{ max-width: 72rem; margin: 0 auto; padding: 1rem; font: 16px/1.5 system-ui, sans-serif; overflow-wrap: break-word; }}
p {{ max-width: 46rem; }}
.scroll {{ overflow-x: auto; margin: 1rem 0; }}
.board svg {{ max-width: 100%; height: auto; }}
img {{ background: #fff; }}
</style>
</head>
<body>
<h1>The search laboratory</h1>
{body}
</body>
</html>
"""


def page(report: Report, shown: Sequence[Shown], path: Path) -> None:
    """Write the page; without matplotlib it has no plot. Raises OSError."""
    blocks = [
        _paragraph(ABOUT),
        html_image(lambda: draw(report), "Nodes of each row; the table below has the numbers"),
        _lines(text(report)),
        *_techniques(report),
        *_horizon(shown),
    ]
    write_bytes(path, PAGE.format(body="\n\n".join(blocks)).encode())


def _paragraph(words: str) -> str:
    return f"<p>{escape(words)}</p>"


def _lines(text: str) -> str:
    """Lines as a terminal shows them; they may be wider than the page."""
    return f'<pre class="scroll" tabindex="0">{escape(text)}</pre>'


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
        yield f'<div class="board">{chess.svg.board(chess.Board(each.case.fen), arrows=arrows, size=BOARD)}</div>'
        yield _lines(table(each))
        yield _paragraph(each.case.text)
        yield _paragraph(verdict(each))


def _arrow(text: str, colour: str) -> chess.svg.Arrow:
    move = chess.Move.from_uci(text)
    return chess.svg.Arrow(move.from_square, move.to_square, color=colour)
