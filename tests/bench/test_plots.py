# SPDX-License-Identifier: GPL-3.0-or-later
"""The plots of all subcommands: a title, units on both axes, a legend entry for every line, whole ticks where things are counted."""

import re
from collections.abc import Callable, Iterator
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


def losses(*numbers: int) -> list[Any]:
    return [SimpleNamespace(number=number, training=0.7 / (number + 1), validation=0.8) for number in numbers]


def tally_of(engines: int) -> Tally:
    tally = Tally()
    for number in range(12):
        first = number // 2 % engines
        players = (first, (first + 1) % engines)
        white, black = players if number % 2 else players[::-1]
        tally.results[number] = Result(white, black, 1.0 if number % 3 else 0.5, "", None)
    return tally


def draw_match(path: Path) -> None:
    plot_match(path, tally_of(2), HOSTILE[:2], None)


def draw_sprt(path: Path) -> None:
    plot_match(path, tally_of(2), ["a", "b"], Sprt(0, 5))


def draw_tournament(path: Path) -> None:
    plot_match(path, tally_of(3), HOSTILE, None)


def draw_suite(path: Path) -> None:
    run = [SimpleNamespace(solved_seconds=seconds) for seconds in (0.1, None, 2.0)]
    suite_report.draw(path, "100 ms $ position", HOSTILE[:2], [run, []])  # type: ignore[list-item]


def draw_tune(path: Path) -> None:
    plot_losses(path, losses(0, 1, 2), "nats", "Fit")


def draw_train(path: Path) -> None:
    plot_losses(path, losses(1), "error", "Training", 0.9)


def draw_lab(path: Path) -> None:
    """Made-up counts: each row searches a little less than the one before."""
    rows = tuple(techniques.ladder())
    what = experiment.Experiment(("a position",), rows, DEPTH, 10**6, 1, (), {})
    results = {
        (row, 0): tuple(experiment.Searched(30**depth - row, 0.1, 0, "e2e4", 0) for depth in range(1, DEPTH + 1))
        for row in range(len(rows))
    }
    lab_plot.plot(summarise(what, results), path)


DRAWERS = (draw_match, draw_sprt, draw_tournament, draw_suite, draw_tune, draw_train, draw_lab)
COUNTED: dict[Callable[[Path], None], str] = {
    draw_match: "x",
    draw_sprt: "x",
    draw_suite: "y",
    draw_tune: "x",
    draw_train: "x",
    draw_lab: "x",
}
UNITS = re.compile(r"seconds|solved|games|Elo|nats|epoch|plies|nodes|0 to 1|engine")


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[Figure]:
    """The figures that were written."""
    figures: list[Figure] = []
    save = Figure.savefig

    def note(figure: Figure, *args: Any, **options: Any) -> None:
        figures.append(figure)
        save(figure, *args, **options)

    monkeypatch.setattr(Figure, "savefig", note)
    return figures


def legends(figure: Figure) -> Iterator[str]:
    for legend in (*figure.legends, *(axes.get_legend() for axes in figure.axes)):
        yield from (text.get_text() for text in legend.get_texts()) if legend else ()


@pytest.mark.parametrize("draw", DRAWERS)
def test_title_units_and_legend(draw: Callable[[Path], None], drawn: list[Figure], tmp_path: Path) -> None:
    draw(tmp_path / "plot.svg")
    assert (tmp_path / "plot.svg").stat().st_size > 5000
    (figure,) = drawn
    assert figure.axes[0].get_title()
    assert UNITS.search(figure.axes[0].get_xlabel())
    for axes in figure.axes:
        assert UNITS.search(axes.get_ylabel()), axes.get_ylabel()
        label = axes.yaxis.label.get_window_extent()
        assert 0 <= label.y0 < label.y1 <= figure.bbox.height
    named = list(legends(figure))
    bars = {line for axes in figure.axes for bar in axes.containers for line in bar.get_children()}
    lines = [line.get_label() for axes in figure.axes for line in axes.get_lines() if line not in bars]
    assert len(set(named)) == len(named) >= len(lines) >= 1
    assert set(lines) <= set(named)


@pytest.mark.parametrize("draw", COUNTED)
def test_what_is_counted_has_whole_ticks(draw: Callable[[Path], None], drawn: list[Figure], tmp_path: Path) -> None:
    draw(tmp_path / "plot.svg")
    axes = drawn[0].axes[0]
    ticks = axes.get_xticks() if COUNTED[draw] == "x" else axes.get_yticks()
    assert ticks.size
    assert all(tick == round(tick) for tick in ticks)


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
    letters = "".join(letter if letter.isprintable() else "?" for letter in name)
    assert text.get_text().replace(r"\$", "$").strip() == letters
    assert "-- " in (tmp_path / "plot.svg").read_text(encoding="utf-8")
