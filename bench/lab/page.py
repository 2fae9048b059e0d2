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
OPACITY = "99"  # of the bars, hexadecimal: their text is read on white and on black
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
.board svg {{ max-width: 100%; height: auto; }}
img {{ width: min(100%, 36rem); background: #fff; }}
.bars {{ max-width: 46rem; padding: 0; list-style: none; font-size: 0.85rem; line-height: 1.5; print-color-adjust: exact; }}
.bars li {{ display: flex; justify-content: space-between; padding: 0 0.3rem; margin-bottom: 2px; }}
.bars.kinds li {{ width: fit-content; }}
table {{ border-collapse: collapse; font-size: 0.85rem; font-variant-numeric: tabular-nums; }}
th, td {{ padding: 0.2rem 0.4rem; text-align: right; border-bottom: 1px solid #8884; white-space: nowrap; }}
th {{ white-space: normal; vertical-align: bottom; }}
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
    """A bar for each rung, behind its name and number, so that a phone has room for it. The logarithmic scale starts at one node."""
    bars = bars_of(report)
    longest = math.log(max((nodes for _, nodes in bars), default=1)) or 1
    yield "<h2>Nodes of each rung</h2>"
    yield _paragraph("Mean of a position at the deepest depth that all positions finished (d). Logarithmic scale.")
    kinds = (_bar(kind, 100, f"{kind}: {text}", "") for kind, text in KINDS.items())
    yield f'<ul class="bars kinds">{"".join(kinds)}</ul>'
    items = (
        _bar(row.row.kind, 100 * math.log(nodes) / longest, row.row.label, f"{short(nodes)} (d={row.depth})")
        for row, nodes in bars
    )
    yield f'<ul class="bars">{"".join(items)}</ul>'


def _bar(kind: str, percent: float, name: str, number: str) -> str:
    colour = f"{COLOURS[kind]}{OPACITY}"
    style = f"background: linear-gradient(90deg, {colour} {percent:.1f}%, transparent 0)"
    return f'<li style="{style}">{escape(name)}<span>{number}</span></li>\n'


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
    yield _paragraph(
        "What each search plays and thinks, in pawns from Black's side; ! and red arrows mark material thrown away. "
        "The green arrow is the move of a nearly full-width search."
    )
    for each in shown:
        arrows = [_arrow(each.best, "green"), *(_arrow(move, "red") for move in each.worth)]
        yield f"<h3>{escape(each.case.title)}</h3>\n\n<p><code>{escape(each.case.fen)}</code></p>"
        yield f'<div class="board">{chess.svg.board(chess.Board(each.case.fen), arrows=arrows, size=BOARD)}</div>'
        heading, *rows = horizon_table(each)
        yield _table(heading, rows)
        yield _paragraph(each.case.text)
        yield _paragraph(verdict(each))


def _arrow(text: str, colour: str) -> chess.svg.Arrow:
    move = chess.Move.from_uci(text)
    return chess.svg.Arrow(move.from_square, move.to_square, color=colour)
