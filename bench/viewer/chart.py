# SPDX-License-Identifier: GPL-3.0-or-later
"""The report's graph: White's winning chances after every move. The curve is SVG; labels and dots are HTML, readable at any width."""

from collections.abc import Iterator, Sequence
from html import escape
from typing import NamedTuple

import chess

from . import judge

WIDTH, HEIGHT = 720, 180  # in SVG units; the page stretches them
LABELS = 8  # at most so many on the axis of the moves
STEPS = (1, 2, 5, 10, 20, 25, 50, 100, 200, 250, 500, 1000)  # between two labels, in moves


class Dot(NamedTuple):
    """A bad move on the graph."""

    at: int  # index of the position after it
    kind: str
    link: str
    title: str


def graph(number: int, label: str, boards: Sequence[chess.Board], percents: Sequence[float | None], dots: Sequence[Dot]) -> str:
    """The figure of game `number`; `percents` are White's winning chances in each position, None where unknown."""
    last = max(len(boards) - 1, 1)
    points = [(index * WIDTH / last, HEIGHT * (1 - each / 100)) for index, each in enumerate(percents) if each is not None]
    if not points:
        return ""
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    area = f"{points[0][0]:.1f},{HEIGHT} {line} {points[-1][0]:.1f},{HEIGHT}"
    curve = (
        f'<svg class="graph" viewBox="0 0 {WIDTH} {HEIGHT}" preserveAspectRatio="none" role="img" aria-label="{escape(label)}" '
        f'data-game="{number}"><rect class="black" width="{WIDTH}" height="{HEIGHT}"/><polygon class="white" points="{area}"/>'
        f'<line class="level" x1="0" y1="{HEIGHT // 2}" x2="{WIDTH}" y2="{HEIGHT // 2}"/><polyline class="curve" points="{line}"/>'
        f'<line class="cursor" x1="0" y1="0" x2="0" y2="{HEIGHT}"/></svg>'
    )
    spots = "".join(
        f'<a class="dot {dot.kind}" style="left: {100 * dot.at / last:.2f}%; top: {100 - (percents[dot.at] or 0):.2f}%" '
        f'href="{dot.link}" title="{escape(dot.title)}" tabindex="-1" aria-hidden="true"></a>'
        for dot in dots
    )
    across = "".join(f'<span style="left: {100 * index / last:.2f}%">{move}</span>' for index, move in ticks(boards))
    kinds = " ".join(f'<span><span class="key {each.name}"></span> {each.name}</span>' for each in judge.JUDGEMENTS)
    return f"""<figure class="chart">
<figcaption>White's winning chances after each move</figcaption>
<div class="up" aria-hidden="true"><span>100 %</span><span>50 %</span><span>0 %</span></div>
<div class="area">{curve}{spots}</div>
<div class="across" aria-hidden="true">{across}</div>
<p class="note">move number; dots: {kinds}</p>
</figure>"""


def ticks(boards: Sequence[chess.Board]) -> Iterator[tuple[int, int]]:
    """Index of a position and the number of the move that led there: whole moves at even distances, at most LABELS of them."""
    numbers = [board.fullmove_number for board in boards]
    step = next((each for each in STEPS if (numbers[-1] - numbers[0]) // each < LABELS), STEPS[-1])
    for index, move in enumerate(numbers[:-1]):
        if move not in numbers[max(0, index - 1) : index] and (move % step == 0 or move == numbers[0] == 1):
            yield index + 1, move
