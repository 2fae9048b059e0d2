# SPDX-License-Identifier: GPL-3.0-or-later
"""The frame of every page: one HTML file that needs no other, with the style `report.css`; and tables."""

from base64 import b64encode
from collections.abc import Iterable, Sequence
from hashlib import sha256
from html import escape
from pathlib import Path

from ..text import storable

HERE = Path(__file__).parent
SERVED = "connect-src 'self'; "
PAWN = (
    "<rect width='16' height='16' rx='3' fill='%23b58863'/>"
    "<path d='M8 2a3 3 0 0 1 2 5l2 6H4l2-6a3 3 0 0 1 2-5z' fill='%23fff'/>"
)
ICON = f"""<link rel="icon" href="data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'>{PAWN}</svg>">"""


def document(title: str, body: str, script: str = "", *, served: bool = False) -> str:
    """Return a page of this body, in HTML. Its Content-Security-Policy allows only the script given.

    `served`: a server sends it, and its script may send requests to that.
    """
    own = f"'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'" if script else "'none'"
    allowed = f"{SERVED * served}img-src data:; style-src 'unsafe-inline'; script-src {own}"
    page = f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; {allowed}; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
{ICON}
<title>{escape(title)} - coachwhip</title>
<style>
{(HERE / "report.css").read_text(encoding="utf-8")}</style>
</head>
<body>
{body}
{f"<script>{script}</script>" if script else ""}
</body>
</html>
"""
    return storable(page)


def report(title: str, *parts: str) -> str:
    """Return a page without games: a heading, and below it parts in HTML."""
    return document(
        title, "\n".join(['<main class="report">', f"<h1>{escape(title)}</h1>", *parts, "</main>"])
    )


def table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table in HTML, which scrolls where it has no room. The first column names the rows."""
    head = "".join(f'<th scope="col">{escape(cell)}</th>' for cell in headings)
    body = ""
    for name, *cells in rows:
        values = "".join(f"<td>{escape(cell)}</td>" for cell in cells)
        body += f'<tr><th scope="row">{escape(name)}</th>{values}</tr>'
    return (
        f'<div class="scroll" tabindex="0"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody>'
        "</table></div>"
    )
