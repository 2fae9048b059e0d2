# SPDX-License-Identifier: GPL-3.0-or-later
"""Clock -> (soft_ms, hard_ms): pure functions, and what the searches of a `go` leave of its limits.

The search starts no iteration after the soft limit and stops within one at the hard limit (two limits:
https://www.chessprogramming.org/Time_Management). It multiplies the soft limit by a factor, smaller for a
stable best move (the tm_* tunables), and finishes the iteration that is running then. The hard limit is the
most that a difficult move may take.
"""

from __future__ import annotations

from time import perf_counter_ns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..core.engine import Position
    from .parse import SearchRequest

# Without movestogo a move takes about this part of the clock, at first: games are decided later.
FIRST_SHARE = 0.03
SHARE_STEP = 0.001  # more for each move of the game
LAST_SHARE = 0.055  # most
LONG_GAME = 400  # moves that a clock without increment must last
# The lag of later moves that the increment does not cover is kept, up to this part of the clock.
LAG_SHARE = 0.75
LAG_MOVES = 10  # the lag of so many moves is always kept
INC_USE = 0.6  # part of the increment spent at once; the rest builds a reserve for delays of the machine
# soft limit / average time: stable moves use less, so moves take about the average (measured)
SOFT_SHARE = 1.1
HARD_FACTOR = 6.6  # a difficult move may take this many times the average
HARD_SHARE = 0.7  # and at most this part of the remaining time
LAST_MOVE_SHARE = 0.9  # or this, if it is the last move before the time control
RESERVE_MS = 60  # reserved for delays of a busy machine, when the clock is at 0 ...
RESERVE_CLOCK_MS = 500  # ... and proportionally less up to this clock, from which on nothing is reserved
# With less usable time than this, proportionally less of the increment is spent, since lag may use it up.
LOW_MS = 150
MIN_MS = 1  # the shortest hard limit: 0 means no limit


def allocate(time_left: int, inc: int, movestogo: int, overhead: int, move: int) -> tuple[float, int]:
    """Return the limits for a clock, in milliseconds. `movestogo`: 0 for none; `overhead`: the lag per move.

    They are (soft, hard) with 0 < soft <= hard <= max(1, time_left - overhead), so that a move whose lag is
    at most `overhead` does not exceed the clock, unless the clock is smaller than the lag. Without increment
    a millisecond is kept for each move of a long game. When only that and the lag of later moves are left,
    the soft limit is a part of a millisecond, a search of a few plies: on a busy machine an engine that
    thinks longer also waits longer.
    """
    reserve = RESERVE_MS * max(1 - max(time_left, 0) / RESERVE_CLOCK_MS, 0)
    usable = max(time_left - overhead - reserve, MIN_MS)
    all_moves = min(movestogo or LONG_GAME, LONG_GAME)
    moves = min(all_moves, 1 / min(FIRST_SHARE + SHARE_STEP * move, LAST_SHARE))
    kept = 0.0 if inc else (all_moves - moves) * MIN_MS
    lag = max(overhead - inc, 0)
    least = LAG_MOVES * lag
    spare = max(usable - kept - min((moves - 1) * lag, max(LAG_SHARE * usable, least)), 0)
    average = max(spare / moves + INC_USE * inc * min(max(usable - least, 0) / LOW_MS, 1), usable / all_moves)
    share = LAST_MOVE_SHARE if movestogo == 1 else HARD_SHARE
    hard = max(int(min(HARD_FACTOR * average, share * (usable - kept))), MIN_MS)
    return min(SOFT_SHARE * average, hard), hard


def limits_for(request: SearchRequest, white_to_move: bool, overhead: int, move: int) -> tuple[float, int]:
    """Return (soft, hard) of a `go` at this move of the game in milliseconds; 0: no limit.

    If only the opponent's clock was sent, it is used for ours: without a limit the search would never end.
    """
    own, other = (request.wtime, request.btime) if white_to_move else (request.btime, request.wtime)
    own_inc, other_inc = (request.winc, request.binc) if white_to_move else (request.binc, request.winc)
    if own is None:
        own, own_inc = other, other_inc if own_inc is None else own_inc
    soft: float = 0
    hard = 0
    if own is not None:
        soft, hard = allocate(own, own_inc or 0, request.movestogo or 0, overhead, move)
    if request.movetime is not None:
        longest = max(request.movetime - min(overhead, request.movetime // 2), MIN_MS)
        hard = min(hard, longest) if hard else longest
        soft = min(soft, hard)
    return soft, hard


class Limits:
    """The limits of a `go`, 0 for none, and what its searches have used.

    Time counts from `start_ns` (`perf_counter_ns`).
    """

    def __init__(self, request: SearchRequest, position: Position, overhead: int, start_ns: int) -> None:
        fullmove = int(position.fen().rpartition(" ")[2])
        self._soft_ms, self._hard_ms = limits_for(request, position.stm == "w", overhead, fullmove)
        self._start_ns = start_ns
        self.depth = request.depth or 0
        self.nodes = request.nodes or 0
        self.used_nodes = 0

    def used_ms(self) -> int:
        """Return the time since the start."""
        return (perf_counter_ns() - self._start_ns) // 1_000_000

    def left_ms(self) -> tuple[float, int]:
        """Return what is left until the soft and the hard limit."""
        used_ms = self.used_ms()
        return max(self._soft_ms - used_ms, min(self._soft_ms, 1)), max(
            self._hard_ms - used_ms, 1
        ) if self._hard_ms else 0
