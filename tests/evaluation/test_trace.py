# SPDX-License-Identifier: GPL-3.0-or-later
"""The `eval` table: every weight in one theme, rows that add up to the score."""

import math
import re
from typing import Any, cast

import oracle
import pytest
from coachwhip.core.engine import Engine, Position, weights_layout
from coachwhip.evaluation import trace

FENS = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 b - - 0 1",
    "8/8/8/3k4/8/8/8/R3K3 w - - 0 1",
    "4k1b1/p7/8/8/8/8/PPP5/4K1B1 w - - 0 1",
]


@pytest.fixture(scope="module")
def engine() -> Engine:
    return oracle.new_engine()


def rows(text: str) -> dict[str, list[float]]:
    """Theme -> White mg, eg, Black mg, eg, total mg, eg."""
    found = {}
    for line in text.splitlines():
        theme, _, cells = line.partition("|")
        numbers = [float(number) for number in re.findall(r"-?\d+\.\d\d", cells)]
        if len(numbers) == 6:
            found[theme.strip()] = numbers
    return found


def test_every_tapered_weight_has_exactly_one_theme() -> None:
    for name, _, tapered in weights_layout():
        themes = [theme for theme, beginnings in trace.THEMES.items() if name.startswith(beginnings)]
        assert len(themes) == (1 if tapered else len(themes)), name
        if tapered:
            assert trace.theme_of(name) == themes[0]


def test_every_theme_has_a_weight_for_each_of_its_beginnings() -> None:
    names = [name for name, _, tapered in weights_layout() if tapered]
    for beginnings in trace.THEMES.values():
        for beginning in beginnings:
            assert any(name.startswith(beginning) for name in names), beginning


@pytest.mark.parametrize("fen", FENS)
def test_rows_add_up_to_the_score(engine: Engine, fen: str) -> None:
    counted = cast("dict[str, Any]", engine.trace(Position(fen)))
    text = trace.table(counted)
    table = rows(text)
    total = table.pop("Total")
    assert list(table) == list(trace.THEMES)
    for column in range(6):
        assert math.isclose(sum(row[column] for row in table.values()), total[column], abs_tol=1e-6)
    for row in [*table.values(), total]:
        assert math.isclose(row[0] - row[2], row[4], abs_tol=1e-6)
        assert math.isclose(row[1] - row[3], row[5], abs_tol=1e-6)
    mg, eg = round(100 * total[4]), round(100 * total[5])
    phase, scale = counted["phase"], counted["scale"]
    assert counted["fade"] == 128
    assert int((mg * phase + int(eg * scale / 128) * (24 - phase)) / 24) == counted["score"]
    assert f"Phase {phase} of 24" in text
    assert f"{scale}/128" in text


@pytest.mark.parametrize("plies", [0, 39, 40, 73, 99, 100, 250])
def test_the_table_adds_up_at_every_fifty_move_clock(engine: Engine, plies: int) -> None:
    """From the total, by what the last lines say, to the evaluation."""
    for fen in FENS:
        position = Position(f"{' '.join(fen.split()[:4])} {plies} 130")
        counted = cast("dict[str, Any]", engine.trace(position))
        text = trace.table(counted)
        total = rows(text)["Total"]
        mg, eg = round(100 * total[4]), round(100 * total[5])
        said = re.search(r"Phase (\d+) of 24 .* scaled by (\d+)/128\nFifty-move clock (\d+): .* (\d+)/128\n", text)
        assert said is not None, text
        phase, scale, clock, fade = (int(number) for number in said.groups())
        assert clock == plies
        raw = int((mg * phase + int(eg * scale / 128) * (24 - phase)) / 24)
        assert int(raw * fade / 128) == counted["score"]
        assert engine.evaluate(position) == (counted["score"] if position.stm == "w" else -counted["score"])


def test_score_is_given_from_both_points_of_view(engine: Engine) -> None:
    for fen in FENS:
        position = Position(fen)
        score = engine.evaluate(position)
        last = trace.table(engine.trace(position)).splitlines()[-1]
        white = score if position.stm == "w" else -score
        assert f"{white / 100:+.2f} from White's side" in last
        assert f"{score / 100:+.2f} from the side to move" in last


def test_sides_of_the_start_position_differ_by_the_tempo_only(engine: Engine) -> None:
    for theme, row in rows(trace.table(engine.trace(Position()))).items():
        assert (row[:2] == row[2:4]) == (theme not in ("Tempo", "Total"))
