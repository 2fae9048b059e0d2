# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes a tally as text, a table, or JSON. Counting and formulas are in `tally`, `elo`, `sprt` and `ratings`."""

import math
from collections.abc import Sequence
from typing import Any

from ..common.table import plain
from .elo import Estimate, estimate
from .game import FAULTS
from .ratings import Rating, fit_ratings
from .seat import OVERSTEP
from .sprt import Sprt
from .tally import Tally

PAIRED_SHARE = 0.8  # of the games must belong to finished pairs for these alone to be judged: their error is the right one


def describe(tally: Tally, names: Sequence[str], sprt: Sprt | None = None) -> str:
    """The summary for a person: of one meeting, or of a tournament if there are more than two players."""
    if not tally.results:
        return "no game finished"
    lines = _meeting(tally, names, sprt) if len(names) == 2 else _tournament(tally, names)
    lines.append("endings: " + ", ".join(f"{reason} {count}" for reason, count in tally.endings().most_common()))
    faults = tally.faults()
    for player, name in enumerate(names):
        lines.append(f"{name}: " + ", ".join(f"{fault} {faults[player, fault]}" for fault in FAULTS))
        searches, games = tally.oversteps(player)
        if searches:
            lines.append(f"{name}: {OVERSTEP} in {searches} search{'es' * (searches > 1)} of {games} game{'s' * (games > 1)}")
    return "\n".join(lines)


def one_line(tally: Tally, sprt: Sprt | None) -> str:
    """How the first two players stand."""
    wins, draws, losses = tally.games(0, 1)
    text = f"+{wins} ={draws} -{losses}"
    if wins + draws + losses:
        text += f", Elo {judge(tally, 0, 1)[0]}"
    if sprt:
        text += f", LLR {sprt.llr(tally.pairs(0, 1)):+.2f}"
    return text


def judge(tally: Tally, first: int, second: int) -> tuple[Estimate, bool]:
    """An estimate from finished pairs if nearly every game belongs to one, else from single games; and which of the two."""
    wins, draws, losses = tally.games(first, second)
    pairs = tally.pairs(first, second)
    paired = sum(pairs) > 0 and 2 * sum(pairs) >= PAIRED_SHARE * (wins + draws + losses)
    return estimate(pairs if paired else (losses, draws, wins)), paired


def _meeting(tally: Tally, names: Sequence[str], sprt: Sprt | None) -> list[str]:
    """Two players."""
    wins, draws, losses = tally.games(0, 1)
    total = wins + draws + losses
    share, drawn = 100 * (wins + draws / 2) / total, 100 * draws / total
    lines = [f"{names[0]} against {names[1]}: {total} games, +{wins} ={draws} -{losses}, {share:.1f} %, draws {drawn:.1f} %"]
    elo, paired = judge(tally, 0, 1)
    pairs = tally.pairs(0, 1)
    alone = total - 2 * sum(pairs)
    unpaired = f", {alone} without their other half not counted" if alone else ""
    source = f"(95 %, from {f'pairs {pairs}{unpaired}' if paired else 'single games'})"
    if elo.is_known:
        lines.append(f"Elo {elo} [{elo.low:+.1f}, {elo.high:+.1f}] {source}, LOS {100 * elo.los:.1f} %")
    else:
        lines.append(f"Elo {elo} {source}")
    if math.isfinite(elo.normalized):
        lines.append(f"normalized Elo {elo.normalized:+.1f} +/- {elo.normalized_error:.1f}")
    if sprt:
        llr = sprt.llr(pairs)
        lower, upper = sprt.bounds()
        verdict = {"H1": f"{sprt.elo1:g} accepted", "H0": f"{sprt.elo0:g} accepted"}.get(sprt.verdict(llr), "undecided")
        hypotheses = f"{sprt.model} Elo {sprt.elo0:g} against {sprt.elo1:g}"
        lines.append(f"SPRT of {hypotheses}: LLR {llr:+.3f} [{lower:.3f}, {upper:.3f}], {verdict}")
    return lines


def ratings(tally: Tally, players: int) -> list[Rating] | None:
    """Ratings fitted over all games; None without scipy."""
    meetings = {(a, b): tally.points(a, b) for a in range(players) for b in range(a + 1, players)}
    try:
        return fit_ratings(players, meetings)
    except ImportError:
        return None


def _tournament(tally: Tally, names: Sequence[str]) -> list[str]:
    """The cross table, best player first: rating, points, and wins, draws and losses against each of the others."""
    players = range(len(names))
    fitted = ratings(tally, len(names))
    strength = {player: fitted[player].elo if fitted else _share(tally, player) for player in players}
    order = sorted(players, key=lambda player: -strength[player])
    rows = []
    for place, player in enumerate(order, start=1):
        points = tally.points(player)
        rating = [f"{fitted[player].elo:+.1f}", f"{fitted[player].error:.1f}"] if fitted else ["", ""]
        cells = ["" if other == player else _cell(tally, player, other) for other in order]
        row = [f"{place}", names[player], *rating, f"{len(points)}", f"{sum(points):g}"]
        rows.append([*row, f"{100 * _share(tally, player):.1f}", *cells])
    headings = ["", "engine", "Elo", "+/-", "games", "points", "%", *(str(place) for place in range(1, len(names) + 1))]
    lines = plain(headings, rows, left=2).splitlines()
    return lines if fitted else [*lines, "no ratings without scipy: python3 -m pip install 'coachwhip[bench]'"]


def _share(tally: Tally, player: int) -> float:
    points = tally.points(player)
    return sum(points) / len(points) if points else 0.0


def _cell(tally: Tally, player: int, other: int) -> str:
    wins, draws, losses = tally.games(player, other)
    return f"+{wins} ={draws} -{losses}" if wins + draws + losses else "-"


def summary(tally: Tally, names: Sequence[str], sprt: Sprt | None = None) -> dict[str, Any]:
    """The same for scripts; what is infinite or unknown is null."""
    players = range(len(names))
    fitted = ratings(tally, len(names)) if len(names) > 2 and tally.results else None
    faults = tally.faults()
    report: dict[str, Any] = {"games": len(tally.results), "endings": dict(tally.endings()), "engines": [], "meetings": []}
    for player, name in enumerate(names):
        points = tally.points(player)
        engine = {"name": name, "games": len(points), "points": sum(points)}
        engine["faults"] = {fault: faults[player, fault] for fault in FAULTS}
        engine["oversteps"] = dict(zip(("searches", "games"), tally.oversteps(player), strict=True))
        if fitted:
            engine |= {"elo": fitted[player].elo, "error": fitted[player].error}
        report["engines"].append(engine)
    for first in players:
        report["meetings"] += [
            _meeting_summary(tally, first, second) for second in range(first + 1, len(names)) if tally.points(first, second)
        ]
    if sprt:
        llr = sprt.llr(tally.pairs(0, 1))
        report["sprt"] = {**sprt._asdict(), "llr": llr, "bounds": list(sprt.bounds()), "verdict": sprt.verdict(llr) or None}
    return report


def _meeting_summary(tally: Tally, first: int, second: int) -> dict[str, Any]:
    """Two players' games against each other, from the first one's side."""
    wins, draws, losses = tally.games(first, second)
    pairs = tally.pairs(first, second)
    elo, _ = judge(tally, first, second)
    values = {"elo": elo.elo, "error": elo.error, "low": elo.low, "high": elo.high, "los": elo.los}
    values |= {"normalized_elo": elo.normalized, "normalized_error": elo.normalized_error}
    values |= {"draw_share": draws / (wins + draws + losses)}
    counts = {"players": [first, second], "wins": wins, "draws": draws, "losses": losses, "pairs": list(pairs)}
    return counts | {name: value if math.isfinite(value) else None for name, value in values.items()}
