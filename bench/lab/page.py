# SPDX-License-Identifier: GPL-3.0-or-later
"""The laboratory's page: table, plot, techniques and the horizon effect, in one file that needs no network; HTML or Markdown."""

import html
from base64 import b64encode
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from ..common.files import write_bytes
from . import plot
from .horizon import Shown, verdict
from .horizon import table as horizon_table
from .report import Report, cells_of, headings, notes, theory
from .techniques import BY_KEY

NARROW = "(max-width: 40rem)"
IN_THE_DARK = "(prefers-color-scheme: dark)"
WIDE_SIZE, NARROW_SIZE = (10.0, 5.5), (4.6, 5.2)  # inches
POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
# The markers of matplotlib around (0, 0), as paths of SVG.
SHAPES = {
    "o": "M-4 0A4 4 0 1 1 4 0A4 4 0 1 1-4 0Z",
    "s": "M-4-4H4V4H-4Z",
    "D": "M0-5L5 0L0 5L-5 0Z",
    "^": "M0-5L4.5 4H-4.5Z",
    "v": "M0 5L4.5-4H-4.5Z",
    "P": "M-1.7-5H1.7V-1.7H5V1.7H1.7V5H-1.7V1.7H-5V-1.7H-1.7Z",
    "*": "M0-5.5L1.3-1.8H5.2L2.1.7L3.2 4.5L0 2.2L-3.2 4.5L-2.1.7L-5.2-1.8H-1.3Z",
    "X": "M-4.7-2.3L-2.3-4.7L0-2.3L2.3-4.7L4.7-2.3L2.3 0L4.7 2.3L2.3 4.7L0 2.3L-2.3 4.7L-4.7 2.3L-2.3 0Z",
}
HTML = (".html", ".htm")  # endings; a page of another name is Markdown
DASHES = {"-": "", "--": "7 4", "-.": "9 3 2 3", ":": "2 3"}


class Drawn(NamedTuple):
    """The plot for HTML: pictures (SVG) by width and scheme, and the lines as both schemes show them, in the order of the legend."""

    wide: tuple[bytes, bytes]  # light, dark
    narrow: tuple[bytes, bytes]
    lines: list[tuple[plot.Style, plot.Style]]  # light, dark


def more_files(path: Path | None) -> list[Path]:
    """What a page needs next to its own file: the plot of a Markdown page."""
    return [path.with_suffix(".png")] if path and path.name and path.suffix.lower() not in HTML else []


def page(report: Report, shown: Sequence[Shown], path: Path) -> None:
    """Write all of it as a page that stands alone: HTML for .html, Markdown otherwise. Raises OSError.

    The plot is inside an HTML page, and a .png beside a Markdown one; a page without matplotlib has none.
    """
    body: _Markdown = _Html() if path.suffix.lower() in HTML else _Markdown()
    body.heading(1, "The search laboratory")
    body.paragraph(
        "Adversarial search, one technique after another on the same positions, in the engine itself: each row of the table switches "
        "on one technique more. Made by coachwhip lab."
    )
    try:
        body.plot(report, path)
    except ImportError:
        body.paragraph("The plot is missing because matplotlib is not installed: pip install 'coachwhip[bench]'")
    body.table([headings(report), *(cells_of(summary) for summary in report.rows), *theory(report)])
    for note in notes(report):
        body.paragraph(note)
    _techniques(body, report)
    _horizon(body, shown)
    write_bytes(path, body.finished().encode())


def _techniques(body: "_Markdown", report: Report) -> None:
    body.heading(2, "The techniques")
    for key in dict.fromkeys(key for summary in report.rows for key in summary.row.keys):
        technique = BY_KEY[key]
        body.technique(technique.title.removeprefix("+ "), technique.kind, technique.text, technique.source)


def _horizon(body: "_Markdown", shown: Sequence[Shown]) -> None:
    body.heading(2, "The horizon effect")
    body.paragraph("What each search plays and thinks, in pawns from Black's side; ! marks material thrown away.")
    for each in shown:
        body.heading(3, each.case.title)
        body.code(each.case.fen)
        body.table(horizon_table(each))
        body.paragraph(each.case.text)
        body.paragraph(verdict(each))


def _drawn(report: Report) -> Drawn:
    """All pictures of the plot. Raises ImportError without matplotlib."""
    schemes = (plot.LIGHT, plot.DARK)
    wide, narrow = (tuple(plot.drawing(report, scheme, size) for scheme in schemes) for size in (WIDE_SIZE, NARROW_SIZE))
    lines = list(zip(*(plot.styles(report, scheme) for scheme in schemes), strict=True))
    return Drawn((wide[0], wide[1]), (narrow[0], narrow[1]), lines)


class _Markdown:
    """Collects blocks of Markdown."""

    def __init__(self) -> None:
        self.blocks: list[str] = []

    def raw(self, block: str) -> None:
        self.blocks.append(block)

    def heading(self, level: int, words: str) -> None:
        self.raw(f"{'#' * level} {words}")

    def paragraph(self, words: str) -> None:
        self.raw(words.replace("*", "\\*"))

    def code(self, words: str) -> None:
        self.raw(f"`{words}`")

    def plot(self, report: Report, path: Path) -> None:
        """Write the plot beside the page. Raises OSError, ImportError without matplotlib."""
        plot.plot(report, path.with_suffix(".png"))
        self.raw(f"![nodes by depth]({path.with_suffix('.png').name})")

    def table(self, rows: Sequence[Sequence[str]]) -> None:
        lines = [f"| {' | '.join(row)} |" for row in rows]
        lines.insert(1, "|" + "---|" * len(rows[0]))
        self.raw("\n".join(lines))

    def technique(self, title: str, kind: str, words: str, source: str) -> None:
        self.raw(f"**{title}** ({kind}). {words} [Source]({source})")

    def finished(self) -> str:
        return "\n\n".join(self.blocks) + "\n"


class _Html(_Markdown):
    """The same in HTML."""

    def heading(self, level: int, words: str) -> None:
        self.raw(f"<h{level}>{html.escape(words)}</h{level}>")

    def paragraph(self, words: str) -> None:
        self.raw(f"<p>{html.escape(words)}</p>")

    def code(self, words: str) -> None:
        self.raw(f"<p><code>{html.escape(words)}</code></p>")

    def plot(self, report: Report, path: Path) -> None:  # noqa: ARG002 - the plot is inside the page
        """Put the plot into the page: a picture for each width and scheme, and the legend. Raises ImportError without matplotlib."""
        drawn = _drawn(report)
        sources = (
            (f"{NARROW} and {IN_THE_DARK}", drawn.narrow[1]),
            (NARROW, drawn.narrow[0]),
            (IN_THE_DARK, drawn.wide[1]),
        )
        pictures = "\n".join(f'<source media="{media}" srcset="{_data(picture)}">' for media, picture in sources)
        legend = "\n".join(_entry(number, *line) for number, line in enumerate(drawn.lines))
        self.raw(
            f"<figure>\n<figcaption>{plot.TITLE}: nodes by depth</figcaption>\n<picture>\n{pictures}\n"
            f'<img alt="Nodes by depth; the table below has the numbers" src="{_data(drawn.wide[0])}">\n</picture>\n'
            f'<p>The lines in the order of the ladder ({plot.KINDS}):</p>\n<ol class="legend">\n{legend}\n</ol>\n</figure>'
        )

    def table(self, rows: Sequence[Sequence[str]]) -> None:
        head, *body = ("".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in row) for tag, row in _tagged(rows))
        lines = "\n".join(f"<tr>{row}</tr>" for row in body)
        self.raw(
            f'<div class="scroll" tabindex="0" role="region" aria-label="Table">\n<table>\n<thead><tr>{head}</tr></thead>\n'
            f"<tbody>\n{lines}\n</tbody>\n</table>\n</div>"
        )

    def technique(self, title: str, kind: str, words: str, source: str) -> None:
        link = f'<a href="{html.escape(source)}">Source</a>'
        self.raw(f"<p><b>{html.escape(title)}</b> ({kind}). {html.escape(words)} {link}</p>")

    def finished(self) -> str:
        style = Path(__file__).with_name("page.css").read_text(encoding="utf-8")
        head = (
            f'<meta charset="utf-8">\n<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n<meta name="color-scheme" content="light dark">\n'
            f"<title>The search laboratory</title>\n<style>\n{style}</style>"
        )
        return f'<!doctype html>\n<html lang="en">\n<head>\n{head}\n</head>\n<body>\n{super().finished()}</body>\n</html>\n'


def _tagged(rows: Sequence[Sequence[str]]) -> list[tuple[str, Sequence[str]]]:
    """Each row with the tag of its cells: the first row has the headings."""
    return [("td" if index else "th", row) for index, row in enumerate(rows)]


def _data(picture: bytes) -> str:
    """An SVG picture as an address."""
    return f"data:image/svg+xml;base64,{b64encode(picture).decode()}"


def _entry(number: int, light: plot.Style, dark: plot.Style) -> str:
    """One line of the legend: a piece of the line with its marker, and its name."""
    marker = f'<path d="{SHAPES[light.marker]}" transform="translate(22 7)" fill="currentColor"/>' if light.marker else ""
    dashes = light.line if isinstance(light.line, str) else "-."
    piece = f'<line x1="0" y1="7" x2="44" y2="7" stroke="currentColor" stroke-width="2" stroke-dasharray="{DASHES[dashes]}"/>'
    return (
        f'<li style="--light: {light.colour}; --dark: {dark.colour}"><span class="number">{number if light.marker else ""}</span>'
        f'<svg viewBox="0 0 44 14" aria-hidden="true">{piece}{marker}</svg>{html.escape(light.label)}</li>'
    )
