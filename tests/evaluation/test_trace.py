# SPDX-License-Identifier: GPL-3.0-or-later
"""The `eval` table: every weight in one theme, rows that add up to the score."""

import math
import re
from typing import Any

import networks
import oracle
import pytest
from coachwhip.core.engine import FULL_PHASE, FULL_SCALE, Engine, Network, Position
from coachwhip.evaluation import trace

FENS = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq -",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 b - -",
    "8/8/8/3k4/8/8/8/R3K3 w - -",
    "4k1b1/p7/8/8/8/8/PPP5/4K1B1 w - -",
]


def rows(text: str) -> dict[str, list[float]]:
    """Theme -> White mg, eg, Black mg, eg, total mg, eg."""
    found = {}
    for line in text.splitlines():
        theme, _, cells = line.partition("|")
        numbers = [float(number) for number in re.findall(r"-?\d+\.\d\d", cells)]
        if len(numbers) == 6:
            found[theme.strip()] = numbers
    return found


def terms(counted: Any) -> dict[str, tuple[float, float]]:
    """White's and Black's value of every theme in centipawns, tapered and scaled as the score is.

    The network's part is White's.
    """
    network, phase, fade = counted["network"], counted["phase"] / FULL_PHASE, counted["fade"] / FULL_SCALE
    endgame = counted["scale"] / FULL_SCALE * (1 - phase)
    values = {} if network and not network["residual"] else trace._rows(counted)
    tapered = {
        theme: (fade * (phase * w[0] + endgame * w[1]), fade * (phase * b[0] + endgame * b[1]))
        for theme, (w, b) in values.items()
    }
    if network:
        tapered["Network"] = (network["score"] * fade * (phase + endgame if network["scaled"] else 1), 0)
    return tapered


@pytest.mark.parametrize("fen", FENS)
@pytest.mark.parametrize("plies", [0, 40, 73, 100])
def test_rows_add_up_to_the_score_at_every_fifty_move_clock(fen: str, plies: int) -> None:
    """From the rows to the total, and from there, by what the last lines say, to the evaluation."""
    engine, position = oracle.new_engine(), Position(f"{fen} {plies} 130")
    counted: Any = engine.trace(position)
    text = trace.table(counted)
    table = rows(text)
    total = table.pop("Total")
    assert list(table)[::12] == ["Material", "Bare king"]
    for column in range(6):
        assert math.isclose(sum(row[column] for row in table.values()), total[column], abs_tol=1e-6)
    for row in [*table.values(), total]:
        assert math.isclose(row[0] - row[2], row[4], abs_tol=1e-6)
        assert math.isclose(row[1] - row[3], row[5], abs_tol=1e-6)
    mg, eg = round(100 * total[4]), round(100 * total[5])
    said = re.search(
        r"Phase (\d+) of 24 .* scaled by (\d+)/128\nFifty-move clock (\d+): .* (\d+)/128\n", text
    )
    assert said is not None, text
    phase, scale, clock, fade = (int(number) for number in said.groups())
    assert clock == plies
    raw = int((mg * phase + int(eg * scale / 128) * (24 - phase)) / 24)
    white = int(raw * fade / 128)
    score = white if position.stm == "w" else -white
    assert (white, score) == (counted["score"], engine.evaluate(position))
    last = text.splitlines()[-1]
    assert f"{white / 100:+.2f} from White's side" in last
    assert f"{score / 100:+.2f} from the side to move" in last
    # The terms are not rounded.
    assert sum(white - black for white, black in terms(counted).values()) == pytest.approx(white, abs=4)


@pytest.mark.parametrize("kind", ["residual", "pure"])
def test_terms_and_network_add_up_to_the_score(kind: str) -> None:
    """Also in endings where the network is scaled, and where it stands alone."""
    engine = Engine(oracle.terms(), hash_mb=1, network=Network(networks.by_chance(16, 1, kind).encode()))
    for fen in FENS:
        counted: Any = engine.trace(Position(f"{fen} 40 130"))
        score = sum(white - black for white, black in terms(counted).values())
        assert score == pytest.approx(counted["score"], abs=4)  # not rounded
