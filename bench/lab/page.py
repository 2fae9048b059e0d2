# SPDX-License-Identifier: GPL-3.0-or-later
"""The laboratory's page: table, plot, techniques and the horizon effect, in one HTML file that needs no network."""

from base64 import b64encode
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path

from ..common.command import CommandError
from ..common.files import write_bytes
from . import plot
from .horizon import Shown, verdict
from .horizon import table as horizon_table
from .report import Report, cells_of, headings, notes, theory
from .techniques import BY_KEY

NARROW = "(max-width: 40rem)"
IN_THE_DARK = "(prefers-color-scheme: dark)"
WIDE_SIZE, NARROW_SIZE = (10.0, 5.5), (4.6, 5.2)  # inches
MARKERS = dict(zip(plot.MARKERS, "●■◆▲▼✚★✖", strict=True))  # the markers of the plot as text
ABOUT = (
    "Adversarial search, one technique after another on the same positions, in the engine itself: each row of the table switches "
    "on one technique more. Made by coachwhip lab."
)
PAGE = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>The search laboratory</title>
<style>
{style}</style>
</head>
<body>
{body}
</body>
</html>
"""


def require_page(path: Path) -> None:
    """Reject the name of a page that is not HTML, before the work. Raises CommandError."""
    if path.suffix.lower() not in (".html", ".htm"):
        raise CommandError(f"--page {path}: the page is HTML, so the name must end in .html")


def page(report: Report, shown: Sequence[Shown], path: Path) -> None:
    """Write the page; without matplotlib it has no plot. Raises OSError."""
    blocks = ["<h1>The search laboratory</h1>", _paragraph(ABOUT)]
    try:
        blocks.append(_plot(report))
    except ImportError:
        blocks.append(_paragraph("The plot is missing because matplotlib is not installed: pip install 'coachwhip[bench]'"))
    blocks.append(_table([headings(report), *(cells_of(summary) for summary in report.rows), *theory(report)]))
    blocks += map(_paragraph, notes(report))
    blocks += _techniques(report)
    blocks += _horizon(shown)
    style = Path(__file__).with_name("page.css").read_text(encoding="utf-8")
    write_bytes(path, PAGE.format(style=style, body="\n\n".join(blocks)).encode())


def _paragraph(words: str) -> str:
    return f"<p>{escape(words)}</p>"


def _table(rows: Sequence[Sequence[str]]) -> str:
    head = "".join(f"<th>{escape(cell)}</th>" for cell in rows[0])
    body = "\n".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows[1:])
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="Table">\n<table>\n<thead><tr>{head}</tr></thead>\n'
        f"<tbody>\n{body}\n</tbody>\n</table>\n</div>"
    )


def _plot(report: Report) -> str:
    """A picture for each width and colour scheme, and the legend as text. Raises ImportError without matplotlib."""
    media = (
        (f"{NARROW} and {IN_THE_DARK}", plot.DARK, NARROW_SIZE),
        (NARROW, plot.LIGHT, NARROW_SIZE),
        (IN_THE_DARK, plot.DARK, WIDE_SIZE),
    )
    lines = zip(plot.styles(report, plot.LIGHT), plot.styles(report, plot.DARK), strict=True)
    return "\n".join(
        [
            f"<figure>\n<figcaption>{plot.TITLE}: nodes by depth</figcaption>\n<picture>",
            *(f'<source media="{query}" srcset="{_picture(report, scheme, size)}">' for query, scheme, size in media),
            f'<img alt="Nodes by depth; the table below has the numbers" src="{_picture(report, plot.LIGHT, WIDE_SIZE)}">',
            f'</picture>\n<p>The lines in the order of the ladder ({plot.KINDS}):</p>\n<ol class="legend">',
            *(_legend(number, *line) for number, line in enumerate(lines)),
            "</ol>\n</figure>",
        ]
    )


def _legend(number: int, light: plot.Style, dark: plot.Style) -> str:
    marker, shown = (MARKERS[light.marker], number) if light.marker else ("┄", "")
    return (
        f'<li style="--light: {light.colour}; --dark: {dark.colour}"><span class="number">{shown}</span>'
        f'<span class="marker">{marker}</span><span>{escape(light.label)}</span></li>'
    )


def _picture(report: Report, scheme: plot.Scheme, size: tuple[float, float]) -> str:
    """The plot as an address of an SVG picture."""
    return f"data:image/svg+xml;base64,{b64encode(plot.drawing(report, scheme, size)).decode()}"


def _techniques(report: Report) -> Iterator[str]:
    yield "<h2>The techniques</h2>"
    for key in dict.fromkeys(key for summary in report.rows for key in summary.row.keys):
        technique = BY_KEY[key]
        title, link = escape(technique.title.removeprefix("+ ")), f'<a href="{escape(technique.source)}">Source</a>'
        yield f"<p><b>{title}</b> ({technique.kind}). {escape(technique.text)} {link}</p>"


def _horizon(shown: Sequence[Shown]) -> Iterator[str]:
    yield "<h2>The horizon effect</h2>"
    yield _paragraph("What each search plays and thinks, in pawns from Black's side; ! marks material thrown away.")
    for each in shown:
        yield f"<h3>{escape(each.case.title)}</h3>\n\n<p><code>{escape(each.case.fen)}</code></p>"
        yield _table(horizon_table(each))
        yield _paragraph(each.case.text)
        yield _paragraph(verdict(each))
