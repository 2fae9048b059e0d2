# SPDX-License-Identifier: GPL-3.0-or-later
"""The plots of all subcommands: each is drawn, with whole ticks where things are counted, and names of any letters are text."""

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from coachwhip.bench.common.learning import plot_losses
from coachwhip.bench.common.plot import as_text, new_figure, picture
from coachwhip.bench.lab import experiment, techniques
from coachwhip.bench.lab import plot as lab_plot
from coachwhip.bench.lab.report import summarise
from coachwhip.bench.match.plot import plot_match
from coachwhip.bench.match.sprt import Sprt
from coachwhip.bench.match.tally import Result, Tally
from coachwhip.bench.suite import report as suite_report
from matplotlib.figure import Figure

HOSTILE = ["_hidden $x^2$ <b>", "棋 $a_", "\x1b[31mred"]
DEPTH = 3


def losses(*numbers: int) -> list[tuple[int, float, float]]:
    return [(number, 0.7 / (number + 1), 0.8) for number in numbers]


def draw_match(path: Path, engines: int, sprt: Sprt | None) -> None:
    tally = Tally()
    for number in range(12):
        first = number // 2 % engines
        players = (first, (first + 1) % engines)
        white, black = players if number % 2 else players[::-1]
        tally.results[number] = Result(white, black, 1.0 if number % 3 else 0.5, "", None)
    plot_match(path, tally, HOSTILE[:engines], sprt)


def draw_suite(path: Path) -> None:
    run = [SimpleNamespace(solved_seconds=seconds) for seconds in (0.1, None, 2.0)]
    suite_report.draw(path, "100 ms $ position", HOSTILE[:2], [run, []])  # type: ignore[list-item]


def draw_lab(path: Path) -> None:
    """Made-up counts: each row searches a little less than the one before."""
    rows = tuple(techniques.ladder())
    what = experiment.Experiment(("a position",), rows, DEPTH, 10**6, 1, (), {})
    results = {
        (row, 0): tuple(experiment.Searched(30**depth - row, 0.1, 0, "e2e4", 0) for depth in range(1, DEPTH + 1))
        for row in range(len(rows))
    }
    picture(lab_plot.draw(summarise(what, results)), path)


DRAWERS: list[tuple[str, Callable[[Path], None]]] = [  # what is counted: the axis that must have whole ticks
    ("x", lambda path: draw_match(path, 2, None)),
    ("x", lambda path: draw_match(path, 2, Sprt(0, 5))),
    ("", lambda path: draw_match(path, 3, None)),
    ("y", draw_suite),
    ("x", lambda path: plot_losses(path, losses(0, 1, 2), "nats", "Fit")),
    ("x", lambda path: plot_losses(path, losses(1), "error", "Training", 0.9)),
    ("x", draw_lab),
]


@pytest.mark.filterwarnings("ignore:Glyph")  # `picture` ignores them too
@pytest.mark.parametrize(("counted", "draw"), DRAWERS)
def test_each_is_drawn_and_counts_in_whole_numbers(
    counted: str, draw: Callable[[Path], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    figures: list[Figure] = []
    save = Figure.savefig

    def note(figure: Figure, *args: Any, **options: Any) -> None:
        figures.append(figure)
        save(figure, *args, **options)

    monkeypatch.setattr(Figure, "savefig", note)
    draw(tmp_path / "plot.svg")
    assert (tmp_path / "plot.svg").stat().st_size > 5000
    (figure,) = figures
    axes = figure.axes[0]
    ticks = {"x": axes.get_xticks(), "y": axes.get_yticks()}.get(counted, [0.0])
    assert all(tick == round(tick) for tick in ticks)
    legends = [legend for legend in (*figure.legends, axes.get_legend()) if legend]
    assert legends
    for legend in figure.legends:  # inside the picture, and hiding none of it
        box, page = legend.get_window_extent(), figure.bbox
        assert page.x0 <= box.x0 < box.x1 <= page.x1
        assert page.y0 <= box.y0 < box.y1 <= page.y1


@pytest.mark.parametrize("name", HOSTILE)
def test_a_name_is_drawn_as_it_is(name: str, tmp_path: Path) -> None:
    """No formula, no entry that the legend leaves out, no error for a letter that the font lacks."""
    figure = new_figure()
    axes = figure.subplots()
    axes.plot([0, 1], [0, 1], label=as_text(name))
    axes.set_title(as_text(name))
    axes.legend()
    picture(figure, tmp_path / "plot.svg")
    (text,) = axes.get_legend().get_texts()
    assert text.get_text().replace(r"\$", "$").strip() == "".join(letter if letter.isprintable() else "?" for letter in name)
