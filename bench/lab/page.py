# SPDX-License-Identifier: GPL-3.0-or-later
"""The laboratory's page: table, plot, techniques and the horizon effect, in one HTML file that needs no network."""

import math
from base64 import b64encode
from collections.abc import Iterator, Sequence
from html import escape
from io import BytesIO
from pathlib import Path

import chess
import chess.svg

from ..common.files import write_bytes
from .horizon import Shown, verdict
from .horizon import table as horizon_table
from .plot import COLOURS, bars_of, draw_lines
from .report import KINDS, Report, cells_of, headings, notes, short, theory
from .techniques import BY_KEY

ABOUT = (
    "Adversarial search, one technique after another on the same positions, in the engine itself: each row of the table switches "
    "on one technique more. Made by coachwhip lab."
)
BOARD = 320  # pixels
NO_PLOT = "The plot is missing because matplotlib is not installed: pip install 'coachwhip[bench]'"
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
img, .board svg {{ max-width: 100%; height: auto; }}
img {{ background: #fff; }}
.bar {{ display: grid; grid-template-columns: min(13rem, 36%) minmax(0, 1fr); gap: 0.5rem; font-size: 0.85rem; line-height: 1.4; }}
.bar span {{ display: flex; align-items: center; gap: 0.3rem; padding-right: 5.5rem; white-space: nowrap; }}
.bar b {{ font-weight: normal; }}
.bar i {{ flex: none; height: 0.8rem; }}
table {{ border-collapse: collapse; font-size: 0.85rem; font-variant-numeric: tabular-nums; }}
th, td {{ padding: 0.2rem 0.6rem; text-align: right; border-bottom: 1px solid #8884; white-space: nowrap; }}
th:first-child, td:first-child {{ text-align: left; position: sticky; left: 0; background: Canvas; }}
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
    rows = [*map(cells_of, report.rows), *theory(report)]
    blocks = [
        _paragraph(ABOUT),
        *_bars(report),
        _plot(report),
        _table(headings(report), rows),
        *map(_paragraph, notes(report)),
        *_techniques(report),
        *_horizon(shown),
    ]
    write_bytes(path, PAGE.format(body="\n\n".join(blocks)).encode())


def _paragraph(words: str) -> str:
    return f"<p>{escape(words)}</p>"


def _scroll(content: str) -> str:
    """What may be wider than the page."""
    return f'<div class="scroll" tabindex="0">\n{content}\n</div>'


def _table(heading: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    head = "".join(f"<th>{escape(cell)}</th>" for cell in heading)
    body = "\n".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
    return _scroll(f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>")


def _bars(report: Report) -> Iterator[str]:
    """One bar for each rung, on a logarithmic scale that starts at one node."""
    bars = [(row, row.nodes[row.depth - 1] or 1.0) for row in bars_of(report)]
    longest = max((math.log(nodes) for _, nodes in bars), default=0.0) or 1.0
    yield "<h2>Nodes of each rung</h2>"
    yield _paragraph(f"Mean of a position at the deepest depth that all positions finished (d), log scale. {KINDS}")
    for row, nodes in bars:
        width = 100 * math.log(max(nodes, 1)) / longest
        bar = f'<i style="width: {width:.1f}%; background: {COLOURS[row.row.kind]}"></i>'
        yield f'<div class="bar"><b>{escape(row.row.label)}</b><span>{bar}{short(nodes)} (d={row.depth})</span></div>'


def _plot(report: Report) -> str:
    try:
        figure = draw_lines(report)
    except ImportError:
        return _paragraph(NO_PLOT)
    data = BytesIO()
    figure.savefig(data, format="svg", metadata={"Date": None})
    source = f"data:image/svg+xml;base64,{b64encode(data.getvalue()).decode()}"
    return f'<p><img alt="Nodes by depth; the table below has the numbers" src="{source}"></p>'


def _techniques(report: Report) -> Iterator[str]:
    yield "<h2>The techniques</h2>"
    for key in dict.fromkeys(key for summary in report.rows for key in summary.row.keys):
        technique = BY_KEY[key]
        link = f'<a href="{escape(technique.source)}">Source</a>'
        yield f"<p><b>{technique.title}</b> ({technique.kind}). {escape(technique.text)} {link}</p>"


def _horizon(shown: Sequence[Shown]) -> Iterator[str]:
    yield "<h2>The horizon effect</h2>"
    yield _paragraph("What each search plays and thinks, in pawns from Black's side; ! marks material thrown away.")
    for each in shown:
        yield f"<h3>{escape(each.case.title)}</h3>\n\n<p><code>{escape(each.case.fen)}</code></p>"
        thrown = [chess.svg.Arrow(move.from_square, move.to_square, color="red") for move in map(chess.Move.from_uci, each.worth)]
        best = chess.Move.from_uci(each.best)
        arrows = [chess.svg.Arrow(best.from_square, best.to_square, color="green"), *thrown]
        yield f'<div class="board">{chess.svg.board(chess.Board(each.case.fen), arrows=arrows, size=BOARD)}</div>'
        yield _paragraph("Green: the move of the nearly full-width search; red: moves that throw material away.")
        heading, *rows = horizon_table(each)
        yield _table(heading, rows)
        yield _paragraph(each.case.text)
        yield _paragraph(verdict(each))
