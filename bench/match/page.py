# SPDX-License-Identifier: GPL-3.0-or-later
"""The page of a match: cross table, the course of Elo and LLR, pairs, and the games in the viewer."""

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

from ...cli.files import write_bytes
from ...coach.line import Line
from ...coach.study import AnalysedGame, Analysis
from ...pages import board_page
from ...pages.chart import Curve, bars, chart, levels, whole_numbers
from ...pages.frame import table
from ...text import counted
from .record import GameRecord
from .sprt import Sprt
from .standings import WITHOUT, complaints, cross_table, notes, one_line, tallies
from .tally import Tally

PAIR_POINTS = ("0", "½", "1", "1½", "2")
STANDINGS = 400  # at most so many are drawn
# The share of the games after which the axis holds every interval whole; the wider ones before run out of it.
SETTLED = 0.1
LEAST_FRAME = 20.0  # Elo to either side of 0
STYLE = """\
.summary { columns: 2 30rem; column-gap: 2rem; }
.summary > * { break-inside: avoid; }
.summary p { margin: 0.15rem 0; }
.legend, .lines, [data-step="better"], [data-step="worse"], .keys li:nth-child(n + 6), .game .note {
  display: none;
}
"""


class Standing(NamedTuple):
    """How a match stood: Elo (None: not known) and the ends of its 95 % interval, which may be infinite."""

    games: int
    elo: float | None
    low: float
    high: float
    llr: float  # 0 without a test


def course(tally: Tally, sprt: Sprt | None) -> list[Standing]:
    """Return how the match stood after finished pairs, in the order of finishing, and after the last game."""
    so_far, standings = Tally(), []
    every = max(1, len(tally.results) // 2 // STANDINGS)
    for number, result in tally.results.items():
        so_far.count(number, result)
        done = len(so_far.results)
        if (number ^ 1 in so_far.results and done // 2 % every == 0) or done == len(tally.results):
            elo, _ = so_far.judge(0, 1)
            llr = sprt.llr(so_far.pairs(0, 1)) if sprt else 0.0
            standings.append(Standing(done, elo.elo if elo.is_known else None, elo.low, elo.high, llr))
    return standings


def elo_levels(standings: Sequence[Standing]) -> list[float]:
    """Return the labels of the axis of Elo, from low to high."""
    settled = [standing for standing in standings if standing.games >= SETTLED * standings[-1].games]
    return levels([-LEAST_FRAME, LEAST_FRAME, *(end for standing in settled for end in standing[2:4])])


def study_of(record: GameRecord, headers: Mapping[str, str]) -> AnalysedGame:
    """Return a game of the match with the scores that its players gave."""
    study = AnalysedGame(record.game(headers), "", is_judged=False)
    study.name_opening()
    for at, move in enumerate(record.moves, start=1 + len(study.nodes) - len(record.moves)):
        if move.score is not None:
            study.analyses[at] = Analysis((Line(move.score, ()),), move.depth or 0)
    return study


def write_page(
    path: Path, tally: Tally, names: Sequence[str], sprt: Sprt | None, studies: Sequence[AnalysedGame]
) -> None:
    """Write the page with these games. Raises OSError."""
    heading = " against ".join(names) if len(names) == 2 else f"Match of {len(names)} engines"
    shown = f"; the first {len(studies)} are here" if len(studies) < len(tally.results) else ""
    described = f"{counted(len(tally.results), 'game')}{shown}; scores are the players' own"
    page = board_page.page(studies, described, heading, "\n".join(_summary(tally, names, sprt)))
    write_bytes(path, page.encode())


def _summary(tally: Tally, names: Sequence[str], sprt: Sprt | None) -> Iterator[str]:
    """Yield what stands above the games, in HTML."""
    yield f'<style>\n{STYLE}</style>\n<section class="summary" aria-label="Results">'
    yield from (f"<p>{escape(line)}</p>" for line in [*complaints(tally, names), *notes(tally, names, sprt)])
    for number, each in enumerate(tallies(tally) if len(names) > 2 else ()):
        headings, rows = cross_table(each, names)
        yield f"<p>{WITHOUT}</p>" * number
        yield table(headings[1:], [[f"{place}. {name}", *cells] for place, name, *cells in rows])
    for first, second in combinations(range(len(names)), 2):
        if any(counts := tally.pairs(first, second)):
            lengths = (
                (points, count / max(counts), f"{count}")
                for points, count in zip(PAIR_POINTS, counts, strict=True)
            )
            yield bars(f"Points of {names[first]} in pairs against {names[second]}", lengths)
    if len(names) == 2:
        yield from _charts(tally, names, sprt)
    yield "</section>"


def _charts(tally: Tally, names: Sequence[str], sprt: Sprt | None) -> Iterator[str]:
    """Yield the charts of Elo and LLR over the games."""
    standings = course(tally, sprt)
    games, elo, low, high, llr = zip(*standings, strict=True)
    label, ends = f"After {counted(games[-1], 'game')}: {one_line(tally, sprt)}", (0, games[-1])
    axis = whole_numbers(*ends), "games"
    curves = [
        Curve("Elo", [*zip(games, elo, strict=True)]),
        Curve("equal strength", [(end, 0) for end in ends]),
    ]
    interval = [*zip(games, low, high, strict=True)]
    yield chart(
        f"Elo of {names[0]} and its 95 % interval",
        label,
        curves,
        elo_levels(standings),
        *axis,
        interval=interval,
    )
    if sprt:
        curves = [Curve("LLR", [*zip(games, llr, strict=True)])]
        for name, bound in zip(("lower bound", "upper bound"), sprt.bounds(), strict=True):
            curves.append(Curve(name, [(end, bound) for end in ends]))
        yield chart("LLR of the SPRT", label, curves, levels([*sprt.bounds(), *llr]), *axis)
