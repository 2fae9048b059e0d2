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

WITHOUT = "without the forfeited games:"


def describe(tally: Tally, names: Sequence[str], sprt: Sprt | None = None) -> str:
    """Return the summary as text: of one meeting, or of a tournament if there are more than two players."""
    if not tally.results:
        return "no game finished"
    lines = complaints(tally, names)
    for number, each in enumerate(tallies(tally) if len(names) > 2 else ()):
        lines += [WITHOUT] * number + [plain(*cross_table(each, names), left=2)]
    return "\n".join([*lines, *notes(tally, names, sprt)])


def tallies(tally: Tally) -> list[Tally]:
    """Return the tally, and where forfeits make the result also that of the other games, if there are any."""
    played = [tally.without_forfeits()] if tally.forfeiters() else []
    return [tally, *(each for each in played if each.results)]


def complaints(tally: Tally, names: Sequence[str]) -> list[str]:
    """Return a line for each player whose forfeits make the result; it stands before all others."""
    lines = []
    for player, forfeits in tally.forfeiters().items():
        share = f"{forfeits} of {counted(len(tally.points(player)), 'game')}"
        lines.append(
            f"NOT A MEASURE OF STRENGTH: {names[player]} forfeited {share} "
            f"({_faults(tally, player, all_kinds=False)})"
        )
    return lines


def _faults(tally: Tally, player: int, *, all_kinds: bool = True) -> str:
    counts = {fault: tally.faults[player, fault] for fault in FAULTS}
    return ", ".join(f"{fault} {count}" for fault, count in counts.items() if count or all_kinds)


def notes(tally: Tally, names: Sequence[str], sprt: Sprt | None) -> list[str]:
    """Return the lines without a table: two players' meeting, how games ended, and faults.

    At least one game is finished.
    """
    lines = _meeting(tally, names, sprt) if len(names) == 2 else []
    lines.append(
        "endings: " + ", ".join(f"{reason} {count}" for reason, count in tally.endings().most_common())
    )
    for player, name in enumerate(names):
        lines.append(f"{name}: {_faults(tally, player)}")
        for kind, (searches, games, first) in tally.warnings(player).items():
            text = f"{searches} {'searches' if searches > 1 else 'search'} of {counted(games, 'game')}"
            lines.append(f"{name}: {kind} in {text}, first: {shorten(first, LONGEST_REASON)}")
    return lines


def one_line(tally: Tally, sprt: Sprt | None) -> str:
    """Return the score of the first two players, after at least one game."""
    text = f"{_score(tally, 0, 1)}, Elo {tally.judge(0, 1)[0]}"
    text += f", LLR {signed(sprt.llr(tally.pairs(0, 1)), 2)}" if sprt else ""
    return text + (f", {counted(tally.faults.total(), 'game')} forfeited" if tally.forfeiters() else "")


def _score(tally: Tally, first: int, second: int) -> str:
    wins, draws, losses = tally.games(first, second)
    return f"+{wins} ={draws} -{losses}" if wins + draws + losses else "-"


def _meeting(tally: Tally, names: Sequence[str], sprt: Sprt | None) -> list[str]:
    lines = [f"{names[0]} against {names[1]}: {_points(tally)}", _elo(tally)]
    if tally.forfeiters():
        played = tally.without_forfeits()
        lines.append(
            f"{WITHOUT} {_points(played)}, {_elo(played)}" if played.results else f"{WITHOUT} no game is left"
        )
    elo, _ = tally.judge(0, 1)
    if math.isfinite(elo.normalized):
        lines.append(f"normalized Elo {signed(elo.normalized)} +/- {elo.normalized_error:.1f}")
    if sprt:
        lower, upper = sprt.bounds()
        verdict = {"H1": f"{sprt.elo1:g} accepted", "H0": f"{sprt.elo0:g} accepted"}.get(
            tally.verdict(sprt), "undecided"
        )
        verdict += ", since games were forfeited" if tally.forfeiters() else ""
        ratio = f"LLR {signed(sprt.llr(tally.pairs(0, 1)), 3)} [{lower:.3f}, {upper:.3f}]"
        lines.append(f"SPRT of normalized Elo {sprt.elo0:g} against {sprt.elo1:g}: {ratio}, {verdict}")
    return lines


def _points(tally: Tally) -> str:
    points = tally.points(0, 1)
    share, drawn = (100 * part / len(points) for part in (sum(points), points.count(0.5)))
    return f"{counted(len(points), 'game')}, {_score(tally, 0, 1)}, {share:.1f} %, draws {drawn:.1f} %"


def _elo(tally: Tally) -> str:
    elo, paired = tally.judge(0, 1)
    pairs = tally.pairs(0, 1)
    alone = len(tally.results) - 2 * sum(pairs)
    unpaired = f", {alone} without their other half not counted" if alone else ""
    text = f"Elo {elo}" + (f" [{signed(elo.low)}, {signed(elo.high)}]" if elo.is_known else "")
    text += f" (95 %, from {f'pairs {pairs}{unpaired}' if paired else 'single games'})"
    return text + (f", LOS {100 * elo.los:.1f} %" if elo.is_known else "")


def cross_table(tally: Tally, names: Sequence[str]) -> tuple[list[str], list[list[str]]]:
    """Return headings and rows, best player first: rating, points, and results against each of the others.

    A result has wins, draws and losses.
    """
    ratings = tally.ratings(len(names))
    order = sorted(range(len(names)), key=lambda player: -ratings[player].elo)
    rows = []
    for number, player in enumerate(order, start=1):
        points = tally.points(player)
        share = 100 * sum(points) / max(1, len(points))
        row = [
            f"{number}",
            names[player],
            *ratings[player].cells(),
            f"{len(points)}",
            f"{sum(points):g}",
            f"{share:.1f}",
        ]
        rows.append([*row, *("" if other == player else _score(tally, player, other) for other in order)])
    headings = ["", "engine", "Elo", "+/-", "games", "points", "%", *map(str, range(1, len(names) + 1))]
    return headings, rows


def summary(tally: Tally, names: Sequence[str], sprt: Sprt | None = None) -> dict[str, Any]:
    """Return the same for scripts; what is infinite or unknown is null.

    Where it is not `valid`, forfeits make the result.
    """
    engines: list[dict[str, Any]] = []
    for player, name in enumerate(names):
        points = tally.points(player)
        engine = {"name": name, "games": len(points), "points": sum(points)}
        engine["faults"] = {fault: tally.faults[player, fault] for fault in FAULTS}
        fields = ("searches", "games", "first")
        engine["warnings"] = {
            kind: dict(zip(fields, count, strict=True)) for kind, count in tally.warnings(player).items()
        }
        engines.append(engine)
    if len(names) > 2 and tally.results:
        for engine, rating in zip(engines, tally.ratings(len(names)), strict=True):
            engine.update(_finite(rating._asdict()))
    meetings = [_summary(tally, *both) for both in combinations(range(len(names)), 2) if tally.points(*both)]
    report = {
        "games": len(tally.results),
        "endings": dict(tally.endings()),
        "engines": engines,
        "meetings": meetings,
    }
    report["valid"] = not tally.forfeiters()
    if tally.forfeiters():
        report["without_forfeits"] = summary(tally.without_forfeits(), names)
    if sprt:
        llr = sprt.llr(tally.pairs(0, 1))
        report["sprt"] = {
            **sprt._asdict(),
            "llr": llr,
            "bounds": list(sprt.bounds()),
            "verdict": tally.verdict(sprt) or None,
        }
    return report


def _summary(tally: Tally, first: int, second: int) -> dict[str, Any]:
    """Sum up two players' games against each other, from the first one's side."""
    wins, draws, losses = tally.games(first, second)
    elo, _ = tally.judge(first, second)
    values = {**elo._asdict(), "error": elo.error, "draw_share": draws / (wins + draws + losses)}
    counts = {
        "players": [first, second],
        "wins": wins,
        "draws": draws,
        "losses": losses,
        "pairs": tally.pairs(first, second),
    }
    return counts | _finite(values)


def _finite(values: Mapping[str, float]) -> dict[str, float | None]:
    """Return the values with null for those that are not finite."""
    return {name: value if math.isfinite(value) else None for name, value in values.items()}
