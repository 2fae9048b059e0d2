# SPDX-License-Identifier: GPL-3.0-or-later
"""The page of a match: cross table, the course of Elo and LLR, pairs, and the games in the viewer."""

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from itertools import combinations
from pathlib import Path

from ...cli.files import write_bytes
from ...games.pages import board_page
from ...games.pages.chart import bars, course, levels
from ...games.pages.study import Analysis, Line, Study
from ...text import counted, storable
from .plot import course as course_of
from .plot import elo_levels
from .record import GameRecord
from .sprt import Sprt
from .standings import cross_table, notes
from .tally import Tally

PAIR_POINTS = ("0", "½", "1", "1½", "2")
STYLE = """\
.match { padding: 0.75rem 1.25rem 0; columns: 2 30rem; column-gap: 2rem; }
.match > * { break-inside: avoid; }
.match h2 { margin-top: 0.75rem; font-size: 1rem; break-after: avoid; }
.match p { margin: 0.15rem 0; }
.match .scroll { overflow-x: auto; }
.match table { table-layout: auto; width: auto; max-width: none; }
.match th, .match td { white-space: nowrap; }
.match :is(th, td):nth-child(2) { text-align: left; }
.match .graph { cursor: auto; }
.legend, .lines, [data-step="better"], [data-step="worse"], .keys li:nth-child(n + 6), .game .note { display: none; }
"""


def study_of(record: GameRecord, headers: Mapping[str, str]) -> Study:
    """Return a game of the match with the scores that its players gave."""
    study = Study(record.game(headers), "", is_judged=False)
    study.name_opening()
    for at, move in enumerate(record.moves, start=1 + len(study.nodes) - len(record.moves)):
        if move.score is not None:
            study.analyses[at] = Analysis((Line(move.score, ()),), move.depth or 0)
    return study


def write_page(path: Path, tally: Tally, names: Sequence[str], sprt: Sprt | None, studies: Sequence[Study]) -> None:
    """Write the page with these games. Raises OSError."""
    heading = " against ".join(names) if len(names) == 2 else f"Match of {len(names)} engines"
    shown = f"; the first {len(studies)} are here" if len(studies) < len(tally.results) else ""
    described = f"{counted(len(tally.results), 'game')}{shown}; scores are the players' own"
    page = board_page.page(studies, described, heading, "\n".join(_summary(tally, names, sprt)))
    write_bytes(path, storable(page).encode())


def _summary(tally: Tally, names: Sequence[str], sprt: Sprt | None) -> Iterator[str]:
    """What stands above the games."""
    yield f'<style>\n{STYLE}</style>\n<section class="match" aria-label="Results">'
    yield from (f"<p>{escape(line)}</p>" for line in notes(tally, names, sprt))
    if len(names) > 2:
        headings, rows = cross_table(tally, names)
        head = "".join(f'<th scope="col">{escape(cell)}</th>' if cell else "<td></td>" for cell in headings)
        body = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
        yield f'<div class="scroll" tabindex="0"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'
    for first, second in combinations(range(len(names)), 2):
        if any(counts := tally.pairs(first, second)):
            lengths = ((points, count / max(counts), f"{count}") for points, count in zip(PAIR_POINTS, counts, strict=True))
            yield bars(f"Points of {names[first]} in pairs against {names[second]}", lengths)
    if len(names) == 2:
        steps = course_of(tally, sprt)
        yield course(f"Elo of {names[0]}, with its 95 % interval", [step[:4] for step in steps], elo_levels(steps), [0])
        if sprt:
            values = [(step.games, step.llr, step.llr, step.llr) for step in steps]
            marks = levels([*sprt.bounds(), *(step.llr for step in steps)])
            yield course("LLR, between the bounds of the SPRT", values, marks, [0, *sprt.bounds()])
    yield "</section>"
