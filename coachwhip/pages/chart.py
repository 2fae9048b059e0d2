# SPDX-License-Identifier: GPL-3.0-or-later
"""The pages' charts: curves and bars.

Curves are SVG, which the page stretches; labels are HTML, which it does not.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from html import escape
from typing import NamedTuple

WIDTH, HEIGHT = 720, 180  # in SVG units
LABELS = 8  # at most so many distances between the labels of an axis
COLOURS = ("curve", "mistake", "text", "soft", "inaccuracy")  # of the curves, by the style sheet
DASHES = ("none", "7 3", "2 3", "9 3 2 3")


class Curve(NamedTuple):
    """A curve of a chart: its points from left to right; y is None where it is not known."""

    name: str
    points: Sequence[tuple[float, float | None]]


class Axes(NamedTuple):
    """The values of x and y at the edges of a chart."""

    left: float
    right: float
    bottom: float
    top: float

    def across(self, x: float) -> float:
        """Return the distance from the left edge as a share of the width."""
        return (x - self.left) / ((self.right - self.left) or 1)

    def path(self, points: Iterable[tuple[float, float | None]]) -> str:
        """Return the known points in SVG units; those above or below the chart are on its edge."""
        known = [(x, min(self.top, max(self.bottom, y))) for x, y in points if y is not None]
        scale = HEIGHT / (self.top - self.bottom)
        return " ".join(f"{WIDTH * self.across(x):.1f},{scale * (self.top - y):.1f}" for x, y in known)


def chart(
    caption: str,
    label: str,
    curves: Sequence[Curve],
    up: Sequence[float],
    across: Sequence[tuple[float, str]] = (),
    unit: str = "",
    *,
    interval: Sequence[tuple[float, float, float]] = (),
    text: Callable[[float], str] = "{:g}".format,
    cursor: str = "",
) -> str:
    """Return a figure of curves with their names; `label` says in words what they show.

    `up` are the values of y that have a label, a `text`, at even distances from the bottom to the top;
    `across` are values of x and their labels, and `unit` is what they count. `interval` is an area: x, lower
    and upper end. With a `cursor`, the figure is low.
    """
    places = [x for x, _ in across] + [x for curve in curves for x, _ in curve.points]
    axes = Axes(min(places), max(places), up[0], up[-1])
    ends = [*((x, low) for x, low, _ in interval), *((x, high) for x, _, high in reversed(interval))]
    body, keys = f'<polygon class="interval" points="{axes.path(ends)}"/>', ""
    for index, curve in enumerate(curves):
        dashes = DASHES[index % len(DASHES)]
        style = (
            f'class="curve" style="stroke: var(--{COLOURS[index % len(COLOURS)]}); '
            f'stroke-dasharray: {dashes}"'
        )
        body += f'<polyline {style} points="{axes.path(curve.points)}"/>'
        key = f'<svg class="key" viewBox="0 0 32 4" aria-hidden="true"><path {style} d="M0 2H32"/></svg>'
        keys += f" <span>{key} {escape(curve.name)}</span>"
    area, labels = svg(label, body) + cursor, [(axes.across(x), name) for x, name in across]
    return figure(
        f"{escape(caption)}:{keys}", map(text, up), area, labels, unit, "area low" if cursor else "area"
    )


def figure(
    caption: str,
    up: Iterable[str],
    area: str,
    across: Iterable[tuple[float, str]],
    note: str,
    kind: str = "area",
) -> str:
    """Return the frame of a chart, whose parts are HTML.

    `up` are labels from the bottom to the top, `across` have their place, 0 to 1.
    """
    marks = "".join(f"<span>{mark}</span>" for mark in reversed([*up]))
    places = "".join(f'<span style="left: {100 * place:.2f}%">{mark}</span>' for place, mark in across)
    below = (
        f'\n<div class="across" aria-hidden="true">{places}</div>\n<p class="note">{note}</p>'
        if places
        else ""
    )
    return f"""<figure class="chart">
<figcaption>{caption}</figcaption>
<div class="up" aria-hidden="true">{marks}</div>
<div class="{kind}">{area}</div>{below}
</figure>"""


def svg(label: str, body: str) -> str:
    """Return a picture of WIDTH and HEIGHT."""
    shape = f'viewBox="0 0 {WIDTH} {HEIGHT}" preserveAspectRatio="none"'
    return f'<svg class="graph" {shape} role="img" aria-label="{escape(label)}">{body}</svg>'


def levels(values: Iterable[float], least: float = 0) -> list[float]:
    """Return round labels, from low to high, of an axis that has all finite `values`.

    Their distance is not below `least`.
    """
    finite = [*filter(math.isfinite, values)]
    low, high = min(finite), max(finite)
    power = math.floor(math.log10((high - low) or 1))
    sizes = (digit * 10.0**exponent for exponent in (power - 1, power) for digit in (1, 2, 5))
    step = max(least, next(size for size in sizes if high - low <= LABELS * size))
    first = math.floor(low / step)
    return [round(step * place, 9) for place in range(first, max(first + 1, math.ceil(high / step)) + 1)]


def whole_numbers(first: int, last: int) -> list[tuple[float, str]]:
    """Return the labels of an axis of whole numbers, for `across`."""
    return [(number, f"{number:.0f}") for number in levels([first, last], 1) if first <= number <= last]


def bars(title: str, rows: Iterable[tuple[str, float, str]]) -> str:
    """Return bars with a heading: a row has its label, its length as a share of the width, and its number."""
    cells = "".join(
        f'<span>{escape(label)}</span><span><i style="width: {100 * share:.1f}%"></i></span>'
        f"<span>{number}</span>"
        for label, share, number in rows
    )
    return f'<h2>{escape(title)}</h2>\n<div class="bars">{cells}</div>'
