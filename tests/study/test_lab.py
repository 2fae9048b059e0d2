# SPDX-License-Identifier: GPL-3.0-or-later
"""The laboratory: its rows are the engine's switches, and its exact rows are exact."""

import itertools
import json
import math
import re
import statistics
from collections.abc import Iterator
from pathlib import Path

import pytest
from browser import DARK, PHONE, Browser
from coachwhip.core.engine import Position
from coachwhip.core.tunables import TUNABLES
from coachwhip.evaluation import config
from programs import CHROMIUM

from coachwhip.study.lab import __main__ as lab
from coachwhip.study.lab import experiment as laboratory
from coachwhip.study.lab import report as lab_report
from coachwhip.study.lab import techniques

SMALL = "8/8/k7/3PP3/7p/1P6/b1K3P1/8 b - - 0 1"
MIDDLE = "r1b1r1k1/1p3pbp/1pp2np1/3p4/1n1P4/2N1PN1P/PP2BPPB/R4RK1 b - - 3 14"


def experiment(
    fens: tuple[str, ...] = (SMALL, MIDDLE), depth: int = 3, **changes: object
) -> laboratory.Experiment:
    weights = tuple(config.flatten(config.load_default()))
    made = laboratory.Experiment(fens, tuple(techniques.ladder()), depth, 10**6, 1, weights, {})
    return made._replace(**changes)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def positions(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("lab") / "positions.epd"
    path.write_text(f'# two\n{SMALL}\n\n{MIDDLE.rsplit(" ", 2)[0]}; bm Nd3; id "two";\n')
    return str(path)


# --- Techniques and rows ---


def test_the_ladder_starts_at_nothing_and_reaches_the_engine_as_it_plays() -> None:
    rows = techniques.ladder()
    defaults = {row[0]: row[1] for row in TUNABLES if row[0].startswith("use_")}
    assert set(techniques.settings(rows[0].keys).values()) == {0}
    assert techniques.settings(next(row for row in rows if row.keys == techniques.ENGINE).keys) == defaults
    assert set(techniques.settings(rows[-1].keys).values()) == {1}
    for base, row in itertools.pairwise(rows):
        assert row.keys[:-1] == base.keys


def test_single_techniques_bring_what_they_need() -> None:
    rows = techniques.each_alone(["qs-delta", "quiescence", "killers"])
    assert [row.keys[2:] for row in rows] == [
        (),
        (),
        ("quiescence",),
        ("quiescence", "qs-delta"),
        ("killers",),
    ]
    assert [row.base for row in rows] == [0, 0, 1, 2, 1]
    rows = techniques.each_missing(["quiescence", "null-move"])
    assert not {"quiescence", "qs-see", "qs-delta"} & set(rows[2].keys)
    assert set(techniques.ENGINE) - set(rows[3].keys) == {"null-move"}


# --- Measuring ---


def test_safe_rows_have_the_value_of_minimax_and_no_node_that_it_has_not() -> None:
    what = experiment((SMALL, *lab.read_positions(lab.POSITIONS)[3::10]), depth=4)
    results = dict(laboratory.cells(what))
    report = lab_report.summarise(what, results)
    assert report.depth == 4
    assert report.pairs > 100
    safe = [summary for summary in report.rows if summary.row.exact]
    assert not any(summary.wrong for summary in safe)
    before_quiescence = [summary for summary in safe if "quiescence" not in summary.row.keys]
    assert len(before_quiescence) == 18
    for summary in before_quiescence:
        assert (summary.searches, summary.other_value, summary.other_move, summary.loss) == (
            len(what.fens),
            0,
            0,
            0,
        )
    # Minimax takes b + b^2 + ... + b^d nodes, by the definition of b: a little more than b^d.
    full_width = [math.log(sum(b**ply for ply in range(1, 5))) / math.log(b) for b in report.branching]
    assert report.rows[0].exponent == pytest.approx(statistics.fmean(full_width))
    for index, fen in enumerate(what.fens):
        minimax = [searched.nodes for searched in results[0, index]]
        leaves = [Position(fen).perft(ply) for ply in range(1, 5)]
        assert minimax == list(itertools.accumulate(leaves))
        for row in range(1, 5):  # alpha-beta: a theorem, in whatever order the moves come
            nodes = [searched.nodes for searched in results[row, index]]
            assert all(fewer <= full for fewer, full in zip(nodes, minimax, strict=True))
            assert nodes[0] == minimax[0]  # one ply: every move is looked at
            assert nodes[2] < minimax[2]  # three plies: a refuted move has replies that are left out


def test_a_search_that_is_too_large_is_given_up() -> None:
    what = experiment(max_nodes=2000)
    results = dict(laboratory.cells(what))
    assert len(results[0, 1]) < 3
    assert all(found.nodes < 2000 for cell in results.values() for found in cell)
    report = lab_report.summarise(what, results)
    assert report.depth < 3
    assert report.rows[0].nodes[2] is None
    assert "-" in lab_report.cells_of(report.rows[0])


def test_a_wrong_value_is_found_and_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], positions: str
) -> None:
    measured = laboratory.cells

    def doctored(what: laboratory.Experiment) -> Iterator[tuple[tuple[int, int], laboratory.Cell]]:
        for key, cell in measured(what):
            yield key, (cell[0], cell[1]._replace(value=cell[1].value + (key == (3, 1))))

    monkeypatch.setattr(laboratory, "cells", doctored)
    assert lab.main(["--depth", "2", "--positions", positions, "--hash", "1"]) == 1
    out = capsys.readouterr().out
    assert "2 of " in out  # the row itself, and the next one that is compared with it
    assert f"+ killers at depth 2 in {MIDDLE.split(maxsplit=1)[0]}" in " ".join(out.split())


def test_ctrl_c_reports_the_finished_rows(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], positions: str
) -> None:
    measured = laboratory.cells

    def interrupted(what: laboratory.Experiment) -> Iterator[tuple[tuple[int, int], laboratory.Cell]]:
        yield from itertools.islice(measured(what), 5)
        raise KeyboardInterrupt

    monkeypatch.setattr(laboratory, "cells", interrupted)
    assert lab.main(["--depth", "2", "--positions", positions, "--hash", "1"]) == 130
    out, err = capsys.readouterr()
    assert "alpha-beta, unordered" in out
    assert "+ captures first" not in out
    assert "interrupted" in err


# --- Figures ---


def test_the_figures_are_those_of_their_formulas() -> None:
    for b, depth in ((35, 1), (35, 4), (2, 10)):
        assert lab_report.effective_branching(sum(b**k for k in range(1, depth + 1)), depth) == pytest.approx(
            b
        )
    assert lab_report.minimal_tree(3, 2) == 3 + (3 + 3 - 1)
    assert lab_report.minimal_tree(10, 4) == 10 + 19 + 109 + 199
    numbers = {None: "-", 0.0: "0", 33.4: "33", 999: "999", 999.6: "1k", 12345: "12.3k", 4.6e7: "46M"}
    assert {number: lab_report.short(number) for number in numbers} == numbers


# --- The command ---


@pytest.fixture(scope="module")
def html_page(tmp_path_factory: pytest.TempPathFactory, positions: str) -> str:
    """A page of few techniques with long names."""
    path = tmp_path_factory.mktemp("page") / "lab.html"
    words = ["--depth", "2", "--positions", positions, "--hash", "1", "--only", "continuation,quiescence,lmr"]
    assert lab.main([*words, "--report", str(path)]) == 0
    return path.read_text(encoding="utf-8")


def test_the_page_stands_alone_and_has_every_part(html_page: str) -> None:
    assert "default-src 'none'" in html_page
    assert "<script" not in html_page
    assert not re.search(r"(?:src|srcset|@import|url\()\W+(?!data:)\w*//", html_page)
    for row in techniques.each_alone(["continuation", "quiescence", "lmr"]):
        assert f"\n{row.label} " in html_page
        assert f"<span>{row.label} (d=2)</span>" in html_page
    assert techniques.BY_KEY["lmr"].source in html_page


@pytest.mark.needs_program(CHROMIUM)
def test_the_page_fits_a_phone_at_night(html_page: str, tmp_path: Path) -> None:
    (tmp_path / "lab.html").write_text(html_page, encoding="utf-8")
    with Browser(tmp_path) as chromium:
        assert chromium.open((tmp_path / "lab.html").as_uri(), PHONE, dark=True).colours_if_it_fits() == DARK


def test_the_command_writes_json(positions: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert lab.main(["--positions", positions, "--hash", "1", "--depth", "1", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert [summary["row"]["label"] for summary in printed["summaries"]] == [
        row.label for row in techniques.ladder()
    ]
    assert len(printed["cells"]) == 2 * len(techniques.ladder())


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--only", "minimax"], "no technique 'minimax' here"),
        (["--only", "tt", "--without", "tt"], "not allowed with"),
        (["--set", "use_tt=1"], "--only or --without"),
    ],
)
def test_bad_words_get_one_message(
    words: list[str], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert lab.main(words) == 2
    assert complaint in capsys.readouterr().err
