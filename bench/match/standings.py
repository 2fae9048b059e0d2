# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes a tally as text or JSON. Counting and formulas are in `tally`, `elo` and `sprt`."""

import math
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

from ...cli.table import plain
from ...text import LONGEST_REASON, counted, shorten
from .elo import signed
from .record import FAULTS
from .sprt import Sprt
from .tally import Tally


def describe(tally: Tally, names: Sequence[str], sprt: Sprt | None = None) -> str:
    """Return the summary as text: of one meeting, or of a tournament if there are more than two players."""
    if not tally.results:
        return "no game finished"
    table = [] if len(names) == 2 else [plain(*cross_table(tally, names), left=2)]
    return "\n".join([*table, *notes(tally, names, sprt)])


def notes(tally: Tally, names: Sequence[str], sprt: Sprt | None) -> list[str]:
    """Return the lines without a table: two players' meeting, how games ended, and faults. At least one game is finished."""
    lines = _meeting(tally, names, sprt) if len(names) == 2 else []
    lines.append("endings: " + ", ".join(f"{reason} {count}" for reason, count in tally.endings().most_common()))
    faults = tally.faults()
    for player, name in enumerate(names):
        lines.append(f"{name}: " + ", ".join(f"{fault} {faults[player, fault]}" for fault in FAULTS))
        for kind, (searches, games, first) in tally.warnings(player).items():
            text = f"{searches} search{'es' * (searches > 1)} of {counted(games, 'game')}"
            lines.append(f"{name}: {kind} in {text}, first: {shorten(first, LONGEST_REASON)}")
    return lines


def one_line(tally: Tally, sprt: Sprt | None) -> str:
    """Return the score of the first two players, after at least one game."""
    text = f"{_score(tally, 0, 1)}, Elo {tally.judge(0, 1)[0]}"
    return f"{text}, LLR {signed(sprt.llr(tally.pairs(0, 1)), 2)}" if sprt else text


def _score(tally: Tally, first: int, second: int) -> str:
    wins, draws, losses = tally.games(first, second)
    return f"+{wins} ={draws} -{losses}" if wins + draws + losses else "-"


def _meeting(tally: Tally, names: Sequence[str], sprt: Sprt | None) -> list[str]:
    points, pairs = tally.points(0, 1), tally.pairs(0, 1)
    total = len(points)
    share, drawn = 100 * sum(points) / total, 100 * points.count(0.5) / total
    score = f"{_score(tally, 0, 1)}, {share:.1f} %, draws {drawn:.1f} %"
    lines = [f"{names[0]} against {names[1]}: {counted(total, 'game')}, {score}"]
    elo, paired = tally.judge(0, 1)
    alone = total - 2 * sum(pairs)
    unpaired = f", {alone} without their other half not counted" if alone else ""
    line = f"Elo {elo}" + (f" [{signed(elo.low)}, {signed(elo.high)}]" if elo.is_known else "")
    line += f" (95 %, from {f'pairs {pairs}{unpaired}' if paired else 'single games'})"
    lines.append(line + (f", LOS {100 * elo.los:.1f} %" if elo.is_known else ""))
    if math.isfinite(elo.normalized):
        lines.append(f"normalized Elo {signed(elo.normalized)} +/- {elo.normalized_error:.1f}")
    if sprt:
        llr = sprt.llr(pairs)
        lower, upper = sprt.bounds()
        verdict = {"H1": f"{sprt.elo1:g} accepted", "H0": f"{sprt.elo0:g} accepted"}.get(sprt.verdict(llr), "undecided")
        ratio = f"LLR {signed(llr, 3)} [{lower:.3f}, {upper:.3f}]"
        lines.append(f"SPRT of normalized Elo {sprt.elo0:g} against {sprt.elo1:g}: {ratio}, {verdict}")
    return lines


def cross_table(tally: Tally, names: Sequence[str]) -> tuple[list[str], list[list[str]]]:
    """Return headings and rows, best player first: rating, points, and wins, draws and losses against each of the others."""
    ratings = tally.ratings(len(names))
    order = sorted(range(len(names)), key=lambda player: -ratings[player].elo)
    rows = []
    for number, player in enumerate(order, start=1):
        points = tally.points(player)
        share = 100 * sum(points) / max(1, len(points))
        row = [f"{number}", names[player], *ratings[player].cells(), f"{len(points)}", f"{sum(points):g}", f"{share:.1f}"]
        rows.append([*row, *("" if other == player else _score(tally, player, other) for other in order)])
    headings = ["", "engine", "Elo", "+/-", "games", "points", "%", *map(str, range(1, len(names) + 1))]
    return headings, rows


def summary(tally: Tally, names: Sequence[str], sprt: Sprt | None = None) -> dict[str, Any]:
    """Return the same for scripts; what is infinite or unknown is null."""
    faults = tally.faults()
    engines: list[dict[str, Any]] = []
    for player, name in enumerate(names):
        points = tally.points(player)
        engine = {"name": name, "games": len(points), "points": sum(points)}
        engine["faults"] = {fault: faults[player, fault] for fault in FAULTS}
        fields = ("searches", "games", "first")
        engine["warnings"] = {kind: dict(zip(fields, count, strict=True)) for kind, count in tally.warnings(player).items()}
        engines.append(engine)
    if len(names) > 2 and tally.results:
        for engine, rating in zip(engines, tally.ratings(len(names)), strict=True):
            engine.update(_finite(rating._asdict()))
    meetings = [_summary(tally, *both) for both in combinations(range(len(names)), 2) if tally.points(*both)]
    report = {"games": len(tally.results), "endings": dict(tally.endings()), "engines": engines, "meetings": meetings}
    if sprt:
        llr = sprt.llr(tally.pairs(0, 1))
        report["sprt"] = {**sprt._asdict(), "llr": llr, "bounds": list(sprt.bounds()), "verdict": sprt.verdict(llr) or None}
    return report


def _summary(tally: Tally, first: int, second: int) -> dict[str, Any]:
    """Sum up two players' games against each other, from the first one's side."""
    wins, draws, losses = tally.games(first, second)
    elo, _ = tally.judge(first, second)
    values = {**elo._asdict(), "error": elo.error, "draw_share": draws / (wins + draws + losses)}
    counts = {"players": [first, second], "wins": wins, "draws": draws, "losses": losses, "pairs": tally.pairs(first, second)}
    return counts | _finite(values)


def _finite(values: Mapping[str, float]) -> dict[str, float | None]:
    """Return the values with null for those that are not finite."""
    return {name: value if math.isfinite(value) else None for name, value in values.items()}
