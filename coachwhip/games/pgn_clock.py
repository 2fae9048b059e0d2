# SPDX-License-Identifier: GPL-3.0-or-later
"""The clocks of a game, from its PGN: `[%clk 0:04:55]` (left after the move), `[%emt 0:00:07]` (spent on it).

Source: the PGN extension "Enhanced PGN" of 2001, which DGT boards, Lichess and other servers write.
"""

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

import chess
import chess.pgn

LONGEST = 1e7  # seconds; no clock shows more
# Seconds. Clocks are often rounded to whole ones, so a quick move with an increment may seem to take less
# than none.
SLACK = 1.0
CONTROL = re.compile(r"(\d{1,9}(?:\.\d+)?)(?:\+(\d{1,9}(?:\.\d+)?))?")


class Times(NamedTuple):
    """Seconds; None where the PGN has none."""

    # White's and Black's clock in each position, from the first
    left: list[tuple[float | None, float | None]]
    spent: list[float | None]  # on each move


def times(game: chess.pgn.Game) -> Times:
    """Return the clocks of the main line.

    The time of a move is its `[%emt]`, else the difference of its player's clocks. It is unknown where a
    clock gained more than the increment (another stage, time added).
    """
    control = CONTROL.fullmatch(game.headers.get("TimeControl", "").strip())
    increment = float(control[2] or 0) if control else 0.0
    before = _time(game.clock)  # the first move
    clocks = [float(control[1]) if control and before is None else before] * 2  # White's and Black's
    left = [(clocks[0], clocks[1])]
    spent = []
    side = 0 if game.turn() else 1
    for node in game.mainline():
        before, after, seconds = clocks[side], _time(node.clock), _time(node.emt)
        if (
            seconds is None
            and before is not None
            and after is not None
            and before + increment - after >= -SLACK
        ):
            seconds = max(0.0, before + increment - after)
        spent.append(seconds)
        clocks[side] = after
        left.append((clocks[0], clocks[1]))
        side = 1 - side
    if all(_time(node.clock) is None for node in [game, *game.mainline()]):
        left = [(None, None)] * len(left)  # a time control alone is no clock
    return Times(left, spent)


def _time(read: Callable[[], float | None]) -> float | None:
    """Return a time that python-chess reads from a comment; None if it is missing or absurd."""
    try:
        seconds = read()
    except (ValueError, OverflowError):  # a number of hundreds of digits
        return None
    return seconds if seconds is None or 0 <= seconds <= LONGEST else None


def used(spent: Sequence[float | None], first: chess.Color) -> list[float | None]:
    """Return the seconds that White and Black used in all; None for a side without times. `first` began."""
    totals = []
    for start in (0, 1):
        known = [seconds for seconds in spent[start::2] if seconds is not None]
        totals.append(sum(known) if known else None)
    return totals if first else totals[::-1]


def clock_text(seconds: float) -> str:
    """Return a clock as text: `1:02:03`, `4:55`, `0:07.5`; tenths only in the last ten seconds."""
    whole, tenths = divmod(int(10 * seconds), 10)
    minutes = f"{whole // 3600}:{whole // 60 % 60:02}" if whole >= 3600 else f"{whole // 60}"
    return f"{minutes}:{whole % 60:02}{f'.{tenths}' if tenths and whole < 10 else ''}"


def span_text(seconds: float) -> str:
    """Return a span of time as text: `7 s`, `0.4 s`, `1:35 min`, `1:02:03 h`."""
    if seconds >= 60:
        return f"{clock_text(seconds)} {'h' if seconds >= 3600 else 'min'}"
    return f"{seconds:.0f} s" if seconds >= 10 else f"{seconds:.1f} s".replace(".0 s", " s")
