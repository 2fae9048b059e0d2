# SPDX-License-Identifier: GPL-3.0-or-later
"""The graphs of a game: White's winning chances and the clocks after every move."""

from collections.abc import Iterator, Sequence
from html import escape

import chess

from ..coach import judge
from ..games.pgn_clock import clock_text
from .chart import HEIGHT, WIDTH, Axes, Curve, chart, figure, levels, svg

CURSOR = '<div class="cursor"></div>'  # at the position on the board


def graph(
    label: str,
    boards: Sequence[chess.Board],
    chances: Sequence[float | None],
    dots: Sequence[tuple[int, judge.Judgement, str, str]],
) -> str:
    """Return the figure of a game.

    `chances` are White's winning chances in each position in percent, None if unknown. A dot has the position
    after a bad move, its judgement, link and title.
    """
    axes = Axes(0, len(boards) - 1, 0, 100)
    line = axes.path(enumerate(chances))
    if not line:
        return ""
    first, last = (line.split()[place].split(",")[0] for place in (0, -1))
    body = (
        f'<rect class="black" width="{WIDTH}" height="{HEIGHT}"/>'
        f'<polygon class="white" points="{first},{HEIGHT} {line} {last},{HEIGHT}"/>'
        f'<polyline class="level" points="0,{HEIGHT // 2} {WIDTH},{HEIGHT // 2}"/>'
        f'<polyline class="curve casing" points="{line}"/><polyline class="curve" points="{line}"/>'
    )
    spots = "".join(
        f'<a class="dot {kind.name}" style="left: {100 * axes.across(at):.2f}%; '
        f'top: {100 - (chances[at] or 0):.2f}%" '
        f'href="{link}" title="{escape(title)}" tabindex="-1" aria-hidden="true">{kind.sign}</a>'
        for at, kind, link, title in dots
    )
    kinds = " ".join(
        f'<span><span class="dot {kind.name}">{kind.sign}</span> {kind.name}</span>'
        for kind in judge.JUDGEMENTS
    )
    caption = "White's winning chances after each move, by which moves are judged"
    across = [(axes.across(index), f"{move}") for index, move in ticks(boards)]
    return figure(
        caption,
        ("0 %", "50 %", "100 %"),
        svg(label, body) + CURSOR + spots,
        across,
        f"move number; dots: {kinds}",
    )


def clocks(label: str, left: Sequence[Sequence[float | None]]) -> str:
    """Return the figure of the seconds left to both sides in each position; "" without clocks."""
    most = max((seconds for pair in left for seconds in pair if seconds is not None), default=0)
    curves = [
        Curve(name, [*enumerate(side)])
        for name, side in zip(("White", "Black"), zip(*left, strict=True), strict=True)
    ]
    return chart("Clocks", label, curves, (0, most), text=clock_text, cursor=CURSOR) if most else ""


def ticks(boards: Sequence[chess.Board]) -> Iterator[tuple[int, int]]:
    """Return the labels of the axis: index of a position and number of its move."""
    numbers = [board.fullmove_number for board in boards]
    marks = levels((numbers[0], numbers[-1]), 1)
    for index, move in enumerate(numbers[:-1]):
        if move not in numbers[max(0, index - 1) : index] and (move in marks or move == numbers[0] == 1):
            yield index + 1, move
