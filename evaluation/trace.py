# SPDX-License-Identifier: GPL-3.0-or-later
"""Prints the table of `eval`: a row for each theme of the evaluation, by side, for midgame and endgame.

It adds up the features that the core counted (`Engine.trace`), so its total is exactly the score that the
search uses.
"""

from __future__ import annotations

from ..core.engine import FULL_PHASE, FULL_SCALE
from .layout import WEIGHTS, cells, unpack_pair

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    Pair = tuple[int, int]


def table(trace: Mapping[str, Any]) -> str:
    """Return the table of a result of `Engine.trace`.

    Scores are in pawns from White's side; the last line adds the side to move's view.
    """
    rows = _rows(trace)
    score = trace["score"]
    lines = [
        "               |     White     |     Black     |     Total",
        "               |    mg     eg  |    mg     eg  |    mg     eg",
        "---------------+---------------+---------------+---------------",
        *(_line(theme, white, black) for theme, (white, black) in rows.items()),
        "---------------+---------------+---------------+---------------",
        _line("Total", *(_sum(pairs) for pairs in zip(*rows.values(), strict=True))),
        "",
        *_worth(trace),
        (
            f"Phase {trace['phase']} of {FULL_PHASE} (0: endgame), "
            f"endgame scaled by {trace['scale']}/{FULL_SCALE}"
        ),
        *_network(trace),
        f"Fifty-move clock {trace['rule50']}: the score counts {trace['fade']}/{FULL_SCALE}",
        (
            f"Evaluation {_pawns(score)} from White's side, "
            f"{_pawns(score if trace['stm'] == 'w' else -score)} from the side to move"
        ),
    ]
    return "\n".join(lines)


def _network(trace: Mapping[str, Any]) -> list[str]:
    network = trace["network"]
    if network is None:
        return []
    how = "added to" if network["residual"] else "in place of"
    what = (
        "the terms' midgame and endgame before scaling"
        if network["scaled"]
        else f"the terms' {_pawns(trace['raw'])}"
    )
    return [f"Network {_pawns(network['score'])} from White's side, {how} {what}"]


def _worth(trace: Mapping[str, Any]) -> list[str]:
    """Return a board with the value of each piece to the network, if there is a network."""
    if trace["network"] is None:
        return []
    squares = ["." if cp is None else _pawns(cp) for cp in trace["network"]["worth"]]
    ranks = (squares[first : first + 8] for first in range(56, -1, -8))
    title = (
        "What each piece is worth to the network, its score less the score without the piece, "
        "from White's side:"
    )
    return [title, *("".join(f"{cell:>7}" for cell in rank) for rank in ranks), ""]


def _rows(trace: Mapping[str, Any]) -> dict[str, tuple[Pair, Pair]]:
    """Return the values of White and of Black for every theme, as (mg, eg) in centipawns."""
    sums = {weight.theme: [0, 0, 0, 0] for weight in WEIGHTS if weight.is_tapered}
    for weight, value, counts in zip(cells(), trace["weights"], trace["features"], strict=True):
        if weight.is_tapered and any(counts):
            mg, eg = unpack_pair(value)
            row = sums[weight.theme]
            for side, count in enumerate(counts):
                row[2 * side] += mg * count
                row[2 * side + 1] += eg * count
    return {theme: ((row[0], row[1]), (row[2], row[3])) for theme, row in sums.items()}


def _sum(pairs: Iterable[Pair]) -> Pair:
    mg, eg = map(sum, zip(*pairs, strict=True))
    return mg, eg


def _pawns(centipawns: int) -> str:
    return f"{centipawns / 100:+.2f}"


def _line(theme: str, white: Pair, black: Pair) -> str:
    total = (white[0] - black[0], white[1] - black[1])
    cells = (f" {mg / 100:6.2f} {eg / 100:6.2f} " for mg, eg in (white, black, total))
    return f"{theme:<15}|" + "|".join(cells).rstrip()
