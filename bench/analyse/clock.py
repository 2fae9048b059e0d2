# SPDX-License-Identifier: GPL-3.0-or-later
"""The clocks of a game, from its PGN: `[%clk 0:04:55]` (left after the move) and `[%emt 0:00:07]` (spent on it).

Source: the PGN extension "Enhanced PGN" of 2001, which DGT boards, Lichess and other servers write.
"""

import re
from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import NamedTuple

import chess
import chess.pgn

LONGEST = 1e7  # seconds; no clock shows more
SLACK = 1.0  # seconds; clocks are often rounded to whole ones, so a quick move with an increment may seem to take less than none
CONTROL = re.compile(r"(\d{1,9}(?:\.\d+)?)(?:\+(\d{1,9}(?:\.\d+)?))?")


class Times(NamedTuple):
    """Seconds; None where the PGN does not tell them."""

    left: list[tuple[float | None, float | None]]  # White's and Black's clock in each position, from the first
    spent: list[float | None]  # on each move


def times(game: chess.pgn.Game) -> Times:
    """The clocks of the main line. The time a move took is its `[%emt]`, else the difference of its player's clocks."""
    start, increment = _control(game.headers.get("TimeControl", ""))
    left: list[tuple[float | None, float | None]] = [(start, start)]
    spent: list[float | None] = []
    mover_is_white = not game.turn()
    for node in game.mainline():
        white, black = left[-1]
        clock = _time(node.clock)
        mover_is_white = not mover_is_white
        spent.append(_spent(_time(node.emt), white if mover_is_white else black, clock, increment))
        left.append((clock, black) if mover_is_white else (white, clock))
    if all(_time(node.clock) is None for node in game.mainline()):
        left = [(None, None)] * len(left)  # a time control alone is no clock
    return Times(left, spent)


def _time(read: Callable[[], float | None]) -> float | None:
    """A time that python-chess reads from a comment; None if it is missing or absurd."""
    try:
        seconds = read()
    except (ValueError, OverflowError):  # a number of hundreds of digits
        return None
    return seconds if seconds is None or 0 <= seconds <= LONGEST else None


def used(spent: Sequence[float | None], first: chess.Color) -> tuple[float | None, float | None]:
    """The seconds that White and Black used in all; None for a side of which no move's time is known. `first` began."""
    totals = []
    for colour in (chess.WHITE, chess.BLACK):
        known = [seconds for seconds in spent[0 if colour == first else 1 :: 2] if seconds is not None]
        totals.append(list(accumulate(known))[-1] if known else None)
    return totals[0], totals[1]


def clock_text(seconds: float) -> str:
    """A clock: `1:02:03`, `4:55`, `0:07.5`; tenths only in the last ten seconds, else whole seconds as a clock shows them."""
    tenths = int(10 * seconds) if seconds < 10 else 10 * int(seconds)
    whole, part = divmod(tenths, 10)
    minutes = f"{whole // 3600}:{whole // 60 % 60:02}" if whole >= 3600 else f"{whole // 60}"
    return f"{minutes}:{whole % 60:02}{f'.{part}' if part else ''}"


def span_text(seconds: float) -> str:
    """A span of time: `7 s`, `0.4 s`, `1:35 min`, `1:02:03 h`."""
    if seconds < 10:
        return f"{seconds:.1f} s".replace(".0 s", " s")
    return (
        f"{clock_text(seconds)} h" if seconds >= 3600 else f"{clock_text(seconds)} min" if seconds >= 60 else f"{seconds:.0f} s"
    )


def _control(text: str) -> tuple[float | None, float]:
    """The seconds at the start and the increment of a header `300+3`; (None, 0) for a time control of another form."""
    found = CONTROL.fullmatch(text.strip())
    return (float(found[1]), float(found[2] or 0)) if found else (None, 0.0)


def _spent(written: float | None, before: float | None, after: float | None, increment: float) -> float | None:
    """The seconds of one move. None if unknown, also where a clock gained more than the increment (another stage, time added)."""
    if written is not None:
        return written
    if before is None or after is None:
        return None
    seconds = before + increment - after
    return max(0.0, seconds) if seconds >= -SLACK else None
