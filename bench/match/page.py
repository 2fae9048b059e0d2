# SPDX-License-Identifier: GPL-3.0-or-later
"""The page of a match: cross table, pairs, the course of Elo and LLR, and the games in the viewer. One HTML file, no network."""

import math
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from itertools import combinations
from pathlib import Path

from ...text import storable
from ..common.files import write_bytes
from ..common.pgn import RawGame, read_game
from ..viewer import report
from ..viewer.judge import JUDGEMENTS
from ..viewer.study import Line, Look, Side, Step, Study
from .plot import Step as Point
from .plot import course, frame
from .sprt import Sprt
from .standings import cross_table, notes
from .tally import Tally

PAIR_POINTS = ("0", "½", "1", "1½", "2")
WIDTH, HEIGHT = 720, 180  # of a curve, in SVG units; the page stretches them
ROOM = 1.25  # height of the LLR's frame, as a share of the bounds
STYLE = """\
.match { padding: 0.75rem 1.25rem 0; }
.match p { margin: 0.15rem 0; }
.match .scroll { overflow-x: auto; }
.match table { table-layout: auto; width: auto; max-width: none; }
.match th, .match td { white-space: nowrap; }
.match :is(th, td):nth-child(2) { text-align: left; }
.match figure { max-width: 60rem; }
.course { display: block; width: 100%; height: 100%; border: 1px solid var(--rule); border-radius: 4px; }
.course * { vector-effect: non-scaling-stroke; }
.course .band { fill: var(--chosen); }
.course .curve { fill: none; stroke: var(--accent); stroke-width: 1.5; }
.course .level { stroke: var(--level); stroke-dasharray: 4 4; }
.pairs { display: grid; grid-template-columns: max-content minmax(0, 1fr) max-content; gap: 0.2rem 0.6rem; max-width: 30rem; }
.pairs span { font-variant-numeric: tabular-nums; }
.pairs i { display: block; height: 100%; background: var(--accent); border-radius: 2px; }
.legend, .lines, [data-step="better"], [data-step="worse"], .keys li:nth-child(n + 6), .game .note { display: none; }
"""


class _Played(Study):
    """A game of the match with the scores that its players gave. They judge no move, since they are of two engines."""

    def __init__(self, text: str) -> None:
        super().__init__(read_game(RawGame(1, text)), "")
        self.name_opening()
        for at, node in enumerate(self.nodes, start=1):
            if pov := node.eval():
                self.looks[at] = Look((Line(pov.white(), ()),), node.eval_depth() or 0)

    @property
    def complete(self) -> bool:
        """No position is missing: those of the opening have no score."""
        return True

    def steps(self) -> Iterator[Step]:
        """No move is judged."""
        return iter(())

    def sides(self) -> tuple[Side, Side]:
        """The players, without results."""
        counts = {each.name: 0 for each in JUDGEMENTS}
        white, black = (Side(self.game.headers[colour], 0, None, None, counts) for colour in ("White", "Black"))
        return white, black


def write_page(path: Path, tally: Tally, names: Sequence[str], sprt: Sprt | None, texts: Mapping[int, str]) -> None:
    """Write the page with the games `texts`, PGN by their numbers. Raises OSError."""
    heading = " against ".join(names) if len(names) == 2 else f"Match of {len(names)} engines"
    shown = f"; the first {len(texts)} are here" if len(texts) < len(tally.results) else ""
    studies = [_Played(texts[number]) for number in sorted(texts)]
    described = f"{len(tally.results)} games{shown}; scores are the players' own"
    page = report.page(studies, described, heading, "\n".join(_summary(tally, names, sprt)))
    write_bytes(path, storable(page).encode())


def _summary(tally: Tally, names: Sequence[str], sprt: Sprt | None) -> Iterator[str]:
    """What stands above the games."""
    yield f'<style>\n{STYLE}</style>\n<section class="match" aria-label="Results">'
    yield from (f"<p>{escape(line)}</p>" for line in notes(tally, names, sprt))
    table = cross_table(tally, names)
    if len(names) == 2:  # their difference is above
        table = table[0][:2] + table[0][4:], [row[:2] + row[4:] for row in table[1]]
    headings, rows = table
    head = "".join(f'<th scope="col">{escape(cell)}</th>' for cell in headings)
    body = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
    yield f'<div class="scroll" tabindex="0"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'
    if len(names) == 2:
        yield from _curves(course(tally, sprt), names, sprt)
    for first, second in combinations(range(len(names)), 2):
        if any(counts := tally.pairs(first, second)):
            yield _bars(f"Points of {names[first]} in pairs against {names[second]}", counts)
    yield "</section>"


def _bars(title: str, counts: Sequence[int]) -> str:
    """A bar for each number of points that a pair of games can give."""
    bars = "".join(
        f'<span>{points}</span><span><i style="width: {100 * count / max(counts):.1f}%"></i></span><span>{count}</span>'
        for points, count in zip(PAIR_POINTS, counts, strict=True)
    )
    return f'<h3>{escape(title)}</h3>\n<div class="pairs">{bars}</div>'


def _curves(points: Sequence[Point], names: Sequence[str], sprt: Sprt | None) -> Iterator[str]:
    """Elo with its interval over the games, and the LLR."""
    low, high = frame(points)
    games = [point.games for point in points]
    known = [(point.games, point.elo) for point in points if math.isfinite(point.elo)]
    band = [(at, max(low, min(high, point.low))) for at, point in zip(games, points, strict=True)]
    band += [(at, max(low, min(high, point.high))) for at, point in zip(games[::-1], points[::-1], strict=True)]
    yield _curve(f"Elo of {names[0]} and its 95 % interval", known, (low, high), games[-1], [0.0], band)
    if sprt:
        lower, upper = sprt.bounds()
        line = [(0, 0.0), *((point.games, point.llr) for point in points)]
        ends = min([lower, *(y for _, y in line)]) * ROOM, max([upper, *(y for _, y in line)]) * ROOM
        title = f"LLR; the test accepts {sprt.elo0:g} at {lower:.2f} and {sprt.elo1:g} at {upper:.2f}"
        yield _curve(title, line, ends, games[-1], [lower, 0.0, upper])


def _curve(
    title: str,
    line: Sequence[tuple[float, float]],
    ends: tuple[float, float],
    games: int,
    levels: Sequence[float],
    band: Sequence[tuple[float, float]] = (),
) -> str:
    """A figure of values over the games, from the lower to the upper of `ends`."""
    low, high = ends

    def height(value: float) -> float:
        return HEIGHT * (high - value) / (high - low)

    def path(points: Sequence[tuple[float, float]]) -> str:
        return " ".join(f"{WIDTH * at / games:.1f},{height(value):.1f}" for at, value in points)

    marks = "".join(f'<line class="level" x1="0" y1="{height(y):.1f}" x2="{WIDTH}" y2="{height(y):.1f}"/>' for y in levels)
    area = f'<polygon class="band" points="{path(band)}"/>' if band else ""
    scale = "".join(f"<span>{value:+.1f}</span>" for value in (high, (low + high) / 2, low))
    return f"""<figure class="chart">
<figcaption>{escape(title)}</figcaption>
<div class="up">{scale}</div>
<div class="area"><svg class="course" viewBox="0 0 {WIDTH} {HEIGHT}" preserveAspectRatio="none" role="img" aria-label="{escape(title)}">\
{area}{marks}<polyline class="curve" points="{path(line)}"/></svg></div>
<p class="note">games finished: 0 to {games}</p>
</figure>"""
