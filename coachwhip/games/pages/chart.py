# SPDX-License-Identifier: GPL-3.0-or-later
"""The pages' graphs: expected score and clocks after every move, a value over games, bars. Curves are SVG; labels and dots readable HTML."""

import math
from collections.abc import Iterable, Iterator, Sequence
from html import escape

import chess

from . import judge
from .pgn_clock import clock_text

WIDTH, HEIGHT = 720, 180  # in SVG units; the page stretches them
LABELS = 8  # at most so many on the axis of the moves
CURSOR = '<div class="cursor"></div>'  # at the position on the board
STEPS = (1, 2, 5, 10, 20, 25, 50, 100, 200, 250, 500, 1000)  # between two labels


def graph(
    label: str,
    boards: Sequence[chess.Board],
    odds: Sequence[tuple[int, int, int] | None],
    dots: Sequence[tuple[int, judge.Judgement, str, str]],
) -> str:
    """Return the figure of a game.

    `odds` are White's wins, draws and losses in 1000 games from each position, None if unknown. A dot has the position after a bad
    move, its judgement, link and title.
    """
    scores = [None if wdl is None else judge.expected_score(wdl) / 100 for wdl in odds]
    line = _points(scores)
    if not line:
        return ""
    first, last = (line.split()[place].split(",")[0] for place in (0, -1))
    bands = "".join(
        f'<polygon class="{kind}" points="{first},{HEIGHT} {_points([sum(wdl[:count]) / 1000 if wdl else None for wdl in odds])} '
        f'{last},{HEIGHT}"/>'
        for kind, count in (("draw", 2), ("white", 1))
    )
    body = (
        f'<rect class="black" width="{WIDTH}" height="{HEIGHT}"/>{bands}<line class="level" x1="0" y1="{HEIGHT // 2}" x2="{WIDTH}" y2="{HEIGHT // 2}"/>'
        f'<polyline class="curve casing" points="{line}"/><polyline class="curve" points="{line}"/>'
    )
    end = max(len(boards) - 1, 1)
    spots = "".join(
        f'<a class="dot {kind.name}" style="left: {100 * at / end:.2f}%; top: {100 - 100 * (scores[at] or 0):.2f}%" '
        f'href="{link}" title="{escape(title)}" tabindex="-1" aria-hidden="true">{kind.sign}</a>'
        for at, kind, link, title in dots
    )
    across = "".join(f'<span style="left: {100 * index / end:.2f}%">{move}</span>' for index, move in ticks(boards))
    kinds = " ".join(f'<span><span class="dot {kind.name}">{kind.sign}</span> {kind.name}</span>' for kind in judge.JUDGEMENTS)
    areas = " ".join(
        f'<span><span class="key {kind}"></span> {text}</span>'
        for kind, text in (("white", "White wins"), ("draw", "draw"), ("black", "Black wins"))
    )
    return f"""<figure class="chart">
<figcaption>White's expected score after each move (line), and how such games end: {areas}</figcaption>
<div class="up" aria-hidden="true"><span>100 %</span><span>50 %</span><span>0 %</span></div>
<div class="area">{_svg(label, body)}{CURSOR}{spots}</div>
<div class="across" aria-hidden="true">{across}</div>
<p class="note">move number; dots: {kinds}</p>
</figure>"""


def clocks(label: str, left: Sequence[Sequence[float | None]]) -> str:
    """Return the figure of the seconds left to White and Black in each position; "" if the game has no clocks."""
    most = max((seconds for pair in left for seconds in pair if seconds is not None), default=0)
    if not most:
        return ""
    curves = zip(("white", "black"), zip(*left, strict=True), strict=True)
    body = "".join(
        f'<polyline class="time {colour}" points="{_points([None if left is None else left / most for left in seconds])}"/>'
        for colour, seconds in curves
    )
    return f"""<figure class="chart">
<figcaption>Clocks: <span class="key time white"></span> White, <span class="key time black"></span> Black</figcaption>
<div class="up" aria-hidden="true"><span>{clock_text(most)}</span><span>0:00</span></div>
<div class="area low">{_svg(label, body)}{CURSOR}</div>
</figure>"""


def _points(values: Sequence[float | None]) -> str:
    """Return the points of a curve of values from 0 to 1, without the unknown ones."""
    last = max(len(values) - 1, 1)
    return " ".join(f"{at * WIDTH / last:.1f},{HEIGHT * (1 - value):.1f}" for at, value in enumerate(values) if value is not None)


def _svg(label: str, body: str) -> str:
    shape = f'viewBox="0 0 {WIDTH} {HEIGHT}" preserveAspectRatio="none"'
    return f'<svg class="graph" {shape} role="img" aria-label="{escape(label)}">{body}</svg>'


def ticks(boards: Sequence[chess.Board]) -> Iterator[tuple[int, int]]:
    """Return the labels of the axis: index of a position and number of its move, at even distances, at most LABELS of them."""
    numbers = [board.fullmove_number for board in boards]
    step = next((size for size in STEPS if (numbers[-1] - numbers[0]) // size < LABELS), STEPS[-1])
    for index, move in enumerate(numbers[:-1]):
        if move not in numbers[max(0, index - 1) : index] and (move % step == 0 or move == numbers[0] == 1):
            yield index + 1, move


def levels(values: Iterable[float], least: float = 0) -> list[int]:
    """Return round labels, from low to high, of an axis that has 0, `least` to either side of it, and all finite `values`."""
    finite = [-least, least, *filter(math.isfinite, values)]
    low, high = min(finite), max(finite)
    step = next((size for size in STEPS if high - low <= LABELS * size), STEPS[-1])
    return [step * place for place in range(math.floor(low / step), math.ceil(high / step) + 1)]


def course(caption: str, steps: Sequence[tuple[int, float, float, float]], marks: Sequence[int], lines: Iterable[float]) -> str:
    """Return the figure of a value that changes with the games; a step has their number, the value, and the ends of its interval.

    What is not finite is not known. `marks` are the labels of the value, from low to high; `lines` are values that have a level line.
    """
    last = steps[-1][0]

    def point(games: int, value: float) -> str:
        share = (min(marks[-1], max(marks[0], value)) - marks[0]) / (marks[-1] - marks[0])
        return f"{games * WIDTH / last:.1f},{HEIGHT * (1 - share):.1f}"

    ends = [*(point(games, low) for games, _, low, _ in steps), *(point(games, high) for games, *_, high in reversed(steps))]
    curve = " ".join(point(games, value) for games, value, *_ in steps if math.isfinite(value))
    rules = "".join(f'<polyline class="level" points="{point(0, value)} {point(last, value)}"/>' for value in lines)
    body = f'<polygon class="interval" points="{" ".join(ends)}"/>{rules}<polyline class="curve" points="{curve}"/>'
    up = "".join(f"<span>{mark}</span>" for mark in reversed(marks))
    across = "".join(f'<span style="left: {100 * games / last:.2f}%">{games}</span>' for games in levels([last])[:-1])
    return f"""<figure class="chart">
<figcaption>{escape(caption)}</figcaption>
<div class="up" aria-hidden="true">{up}</div>
<div class="area">{_svg(caption, body)}</div>
<div class="across" aria-hidden="true">{across}</div>
<p class="note">games</p>
</figure>"""


def bars(title: str, rows: Iterable[tuple[str, float, str]]) -> str:
    """Return bars with a heading: a row has its label, its length as a share of the width, and its number."""
    cells = "".join(
        f'<span>{escape(label)}</span><span><i style="width: {100 * share:.1f}%"></i></span><span>{number}</span>'
        for label, share, number in rows
    )
    return f'<h2>{escape(title)}</h2>\n<div class="bars">{cells}</div>'
