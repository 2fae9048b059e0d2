# SPDX-License-Identifier: GPL-3.0-or-later
"""The report's graphs: expected score and clocks after every move. Curves are SVG; labels and dots are HTML, readable at any width."""

from collections.abc import Iterator, Sequence
from html import escape

import chess

from . import judge
from .clock import clock_text

WIDTH, HEIGHT = 720, 180  # in SVG units; the page stretches them
LABELS = 8  # at most so many on the axis of the moves
STEPS = (1, 2, 5, 10, 20, 25, 50, 100, 200, 250, 500, 1000)  # between two labels, in moves


def graph(
    number: int,
    label: str,
    boards: Sequence[chess.Board],
    odds: Sequence[tuple[int, int, int] | None],
    dots: Sequence[tuple[int, judge.Judgement, str, str]],
) -> str:
    """Return the figure of game `number`.

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
        f'{bands}<line class="level" x1="0" y1="{HEIGHT // 2}" x2="{WIDTH}" y2="{HEIGHT // 2}"/>'
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
<div class="area">{_svg(number, label, body)}{spots}</div>
<div class="across" aria-hidden="true">{across}</div>
<p class="note">move number; dots: {kinds}</p>
</figure>"""


def clocks(number: int, label: str, left: Sequence[Sequence[float | None]]) -> str:
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
<div class="area low">{_svg(number, label, body)}</div>
</figure>"""


def _points(values: Sequence[float | None]) -> str:
    """Return the points of a curve of values from 0 to 1, without the unknown ones."""
    last = max(len(values) - 1, 1)
    return " ".join(f"{at * WIDTH / last:.1f},{HEIGHT * (1 - value):.1f}" for at, value in enumerate(values) if value is not None)


def _svg(number: int, label: str, body: str) -> str:
    """Return a graph with a cursor at the position on the board."""
    return (
        f'<svg class="graph" viewBox="0 0 {WIDTH} {HEIGHT}" preserveAspectRatio="none" role="img" aria-label="{escape(label)}" '
        f'data-game="{number}"><rect class="black" width="{WIDTH}" height="{HEIGHT}"/>{body}</svg><div class="cursor"></div>'
    )


def ticks(boards: Sequence[chess.Board]) -> Iterator[tuple[int, int]]:
    """Return the labels of the axis: index of a position and number of its move, at even distances, at most LABELS of them."""
    numbers = [board.fullmove_number for board in boards]
    step = next((size for size in STEPS if (numbers[-1] - numbers[0]) // size < LABELS), STEPS[-1])
    for index, move in enumerate(numbers[:-1]):
        if move not in numbers[max(0, index - 1) : index] and (move % step == 0 or move == numbers[0] == 1):
            yield index + 1, move
