# SPDX-License-Identifier: GPL-3.0-or-later
"""What earlier cutoffs teach about moves: killers and the history of quiet moves. Search goes through these functions only.

Sources: https://www.chessprogramming.org/Killer_Heuristic, https://www.chessprogramming.org/History_Heuristic.
"""

from .types cimport *

cdef enum:
    HISTORY_MAX = 16384  # no history score leaves -HISTORY_MAX..HISTORY_MAX

cdef struct History:
    int16_t quiet[2][64][64]  # [stm][from][to]
    Move killers[MAX_PLY + 1][2]  # [ply], newest first

cdef inline void update_entry(int16_t* entry, int bonus) noexcept nogil:
    """The one update formula: move towards +-HISTORY_MAX, the less the nearer it is ("history gravity")."""
    cdef int size = -bonus if bonus < 0 else bonus
    entry[0] = <int16_t>(entry[0] + bonus - entry[0] * size // HISTORY_MAX)

cdef inline int quiet_history(const History* h, int stm, Move move) noexcept nogil:
    return h.quiet[stm][move_from(move)][move_to(move)]

cdef inline void update_quiet(History* h, int stm, Move move, int bonus) noexcept nogil:
    update_entry(&h.quiet[stm][move_from(move)][move_to(move)], bonus)

cdef inline void add_killer(History* h, int ply, Move move) noexcept nogil:
    if h.killers[ply][0] != move:
        h.killers[ply][1] = h.killers[ply][0]
        h.killers[ply][0] = move

cdef inline void forget_killers(History* h, int ply) noexcept nogil:
    h.killers[ply][0] = 0
    h.killers[ply][1] = 0
