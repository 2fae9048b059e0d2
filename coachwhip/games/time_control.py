# SPDX-License-Identifier: GPL-3.0-or-later
"""Time controls: their text form, clocks, and their part of `go`. Pure; no engine, no chess rules.

One text form serves the command line, the journal and PGN: `5+0.05`, `40/60`, `40/60+0.5`, `time=0.1`,
`nodes=10000`, `depth=8`, or several with commas between them, of which the first to be reached ends a search.
Times are in seconds.
"""

import argparse
from collections.abc import Mapping
from typing import NamedTuple

from ..cli.command import LARGEST_COUNT, positive_number, seconds, whole_number

EXAMPLES = "5+0.05, 40/60, time=0.1, nodes=10000, depth=8"
# Seconds an engine may exceed a fixed time by, unless the user says otherwise: there is no bank to draw on.
TIME_MARGIN = 0.05


class TimeControl(NamedTuple):
    """Limits of an engine's searches; 0 where there is none."""

    base: float = 0.0  # seconds for the game, or for each `moves` moves
    increment: float = 0.0  # seconds added after each move
    moves: int = 0  # moves until `base` is added again
    time: float = 0.0  # seconds for each move
    nodes: int = 0
    depth: int = 0

    def __str__(self) -> str:
        """Return the text form."""
        clock = f"{self.moves}/" if self.moves else ""
        clock += f"{self.base:g}" + (f"+{self.increment:g}" if self.increment or not self.moves else "")
        parts = [clock] if self.base else []
        if self.time:
            parts.append(f"time={self.time:g}")
        parts += [f"{name}={getattr(self, name)}" for name in ("nodes", "depth") if getattr(self, name)]
        return ",".join(parts)


def add_limits(parser: argparse.ArgumentParser, default: str, *, max_depth: int = 1000) -> None:
    """Add the limits of a search of one position to a parser: `time`, `depth` or `nodes`."""
    add = parser.add_mutually_exclusive_group().add_argument
    add("--time", type=seconds, metavar="SECONDS", help=f"time for each position (default: {default})")
    add(
        "--depth",
        type=whole_number(1, max_depth),
        metavar="N",
        help="search each position to this depth, in plies",
    )
    add("--nodes", type=whole_number(1, LARGEST_COUNT), metavar="N", help="search N nodes for each position")


def limit_of(args: argparse.Namespace, default: TimeControl) -> TimeControl:
    """Return the limit from the command line, or the default."""
    limit = TimeControl(time=args.time or 0.0, depth=args.depth or 0, nodes=args.nodes or 0)
    return limit if any(limit) else default


def parse_time_control(text: str) -> TimeControl:
    """Read a time control, the inverse of `str`. Raises ArgumentTypeError."""
    fields: dict[str, float] = {}
    for part in text.split(","):
        name, equals, value = part.strip().partition("=")
        if equals and name not in ("time", "nodes", "depth"):
            raise argparse.ArgumentTypeError(f"expected one of {EXAMPLES}, not {part[:60]!r}")
        read = {name: positive_number(value, whole=name != "time")} if equals else _clock(name)
        if set(read) & set(fields):
            raise argparse.ArgumentTypeError(f"twice in {text[:60]!r}: {part}")
        fields |= read
    if "base" in fields and "time" in fields:
        raise argparse.ArgumentTypeError(
            f"a clock and a fixed time for each move cannot be combined: {text[:60]!r}"
        )
    seconds = {name: value for name, value in fields.items() if name in ("base", "increment", "time")}
    numbers = {name: int(value) for name, value in fields.items() if name not in seconds}
    return TimeControl(**seconds, **numbers)  # type: ignore[arg-type]


def _clock(text: str) -> dict[str, float]:
    """Return the fields of `[MOVES/][MINUTES:]BASE[+INCREMENT]`, as cutechess writes them."""
    moves, slash, clock = text.rpartition("/")
    base, plus, increment = clock.partition("+")
    minutes, colon, rest = base.rpartition(":")
    if colon:
        base = f"{60 * positive_number(minutes, zero=True) + positive_number(rest, zero=True):f}"
    return {
        "base": positive_number(base),
        "increment": positive_number(increment, zero=True) if plus else 0.0,
        "moves": positive_number(moves, whole=True) if slash else 0.0,
    }


class Clock:
    """One side's clock in one game."""

    def __init__(self, control: TimeControl, margin: float | None = None) -> None:
        """Start the clock. `margin`: seconds that may be overdrawn, None for the default."""
        self.control = control
        self.remaining = control.base
        self._margin = margin if margin is not None else (TIME_MARGIN if control.time else 0.0)
        self._moves_to_go = control.moves

    @property
    def allowance(self) -> float | None:
        """Seconds the next move may take, None for any time."""
        if self.control.time:
            return self.control.time + self._margin
        return self.remaining + self._margin if self.control.base else None

    def spend(self, seconds: float) -> None:
        """Subtract the `seconds` of a move, at most `allowance`, and add the time for later moves."""
        if not self.control.base:
            return
        self.remaining = max(0.0, self.remaining - seconds) + self.control.increment
        if self.control.moves:
            self._moves_to_go -= 1
            if self._moves_to_go == 0:
                self._moves_to_go = self.control.moves
                self.remaining += self.control.base

    def go(self, clocks: Mapping[str, "Clock"]) -> str:
        """Return the `go` command for the side that has this clock; `clocks` are those of "w" and "b"."""
        control = self.control
        limits: dict[str, int] = {}
        if control.base:
            running = {side: clock for side, clock in clocks.items() if clock.control.base}
            limits |= {f"{side}time": max(1, int(clock.remaining * 1000)) for side, clock in running.items()}
            limits |= {f"{side}inc": round(clock.control.increment * 1000) for side, clock in running.items()}
            limits |= {"movestogo": self._moves_to_go} if control.moves else {}
        if control.time:
            limits["movetime"] = max(1, round(control.time * 1000))
        limits |= {
            name: limit for name, limit in (("nodes", control.nodes), ("depth", control.depth)) if limit
        }
        return " ".join(["go", *(f"{name} {limit}" for name, limit in limits.items())])
