# SPDX-License-Identifier: GPL-3.0-or-later
"""Clock -> (soft_ms, hard_ms): pure functions.

The search starts no iteration after the soft limit and breaks one off at the hard limit (two limits:
https://www.chessprogramming.org/Time_Management). The search takes its part of the soft limit, less for a settled move (the tm_*
tunables), and finishes the iteration that is running then; the hard limit is what a difficult move may cost.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .parse import GoLimits

MOVES_LEFT = 18  # a sudden-death clock is spread over this many moves, again at every move
LEAST_SHARE = 0.25  # lag set aside for those moves leaves at least this part of the even share
INC_USE = 0.6  # share of the increment spent at once; the rest keeps a reserve of some increments, for a machine that stalls
SOFT_SHARE = 1.1  # of that average: after what a settled move saves, a move costs about the average (measured)
HARD_FACTOR = 3.5  # a difficult move may cost this many times the average one
HARD_SHARE = 0.5  # and never more than this share of what is left
LAST_MOVE_SHARE = 0.9  # unless it is the last one before the clock is refilled
RESERVE_MS = 60  # of a small clock, for moves that a busy machine holds up; from nothing ...
RESERVE_CLOCK_MS = 500  # ... at this clock it grows to all of that
LOW_MS = 150  # with less than this to spend the increment is spent in proportion, since lag may eat all of it
MIN_MS = 1  # the shortest limit there is: 0 means none to the search


def allocate(time_left: int, inc: int, movestogo: int, overhead: int) -> tuple[int, int]:
    """Share out a clock: milliseconds left, increment per move, moves to the next control (0: none), and lag per move.

    Returns (soft, hard) with 1 <= soft <= hard <= max(1, time_left - overhead), so that a move whose lag stays
    within `overhead` never oversteps the clock, however small or negative it is.
    """
    reserve = RESERVE_MS * max(1 - max(time_left, 0) / RESERVE_CLOCK_MS, 0)
    usable = max(time_left - overhead - reserve, MIN_MS)
    moves = min(movestogo, MOVES_LEFT) if movestogo > 0 else MOVES_LEFT
    later_lag = (moves - 1) * max(overhead - inc, 0)
    share = LAST_MOVE_SHARE if movestogo == 1 else HARD_SHARE
    average = max(usable - later_lag, LEAST_SHARE * usable) / moves + INC_USE * inc * min(usable / LOW_MS, 1)
    hard = max(int(min(HARD_FACTOR * average, share * usable)), MIN_MS)
    soft = max(min(int(SOFT_SHARE * average), hard), MIN_MS)
    return soft, hard


def fixed(movetime: int, overhead: int) -> int:
    """The hard limit of a search for `movetime` milliseconds: lag comes off, but at most half of so short a time."""
    return max(movetime - min(overhead, movetime // 2), MIN_MS)


def limits_for(limits: GoLimits, white_to_move: bool, overhead: int) -> tuple[int, int]:
    """(soft, hard) of a `go`; 0 where there is no such limit.

    When only the opponent's clock was sent, it stands for the mover's: thinking for ever would be worse.
    """
    own, other = (limits.wtime, limits.btime) if white_to_move else (limits.btime, limits.wtime)
    own_inc, other_inc = (limits.winc, limits.binc) if white_to_move else (limits.binc, limits.winc)
    if own is None:
        own, own_inc = other, other_inc if own_inc is None else own_inc
    soft = hard = 0
    if own is not None:
        soft, hard = allocate(own, own_inc or 0, limits.movestogo or 0, overhead)
    if limits.movetime is not None:
        longest = fixed(limits.movetime, overhead)
        hard = min(hard, longest) if hard else longest
        soft = min(soft, hard)
    return soft, hard
