# SPDX-License-Identifier: GPL-3.0-or-later
"""The formulas of pruning, reduction and learning: pure functions of the tunables. The search decides where they apply.

Scores and margins are centipawns, depths are plies.
"""

from .params cimport LMR_SIZE, PLY, SearchParams

cdef enum:
    PERCENT = 100
    SIXTEENTHS = 16

cdef inline int rfp_margin(const SearchParams* sp, int depth, bint improving) noexcept nogil:
    return sp.p.rfp_margin * depth - (sp.p.rfp_improving if improving else 0)

cdef inline int nmp_reduction(const SearchParams* sp, int depth, int above_beta) noexcept nogil:
    cdef int by_eval = min(above_beta // sp.p.nmp_eval_divisor, sp.p.nmp_eval_max)
    return sp.p.nmp_reduction + depth // sp.p.nmp_depth_divisor + by_eval

cdef inline int futility_margin(const SearchParams* sp, int depth) noexcept nogil:
    return sp.p.futility_base + sp.p.futility_margin * depth

cdef inline int lmp_limit(const SearchParams* sp, int depth, bint improving) noexcept nogil:
    """Return the number of moves after which the remaining quiet moves are skipped."""
    cdef int limit = sp.p.lmp_base + sp.p.lmp_factor * depth * depth // PERCENT
    return limit if improving else limit * sp.p.lmp_not_improving // PERCENT

cdef inline int lmr_base(const SearchParams* sp, int depth, int moves) noexcept nogil:
    """Return the reduction by depth and move number alone, in hundredths."""
    return sp.lmr[min(depth, LMR_SIZE - 1)][min(moves, LMR_SIZE - 1)]

cdef inline int singular_beta(const SearchParams* sp, int tt_score, int depth) noexcept nogil:
    """Return the score below which all other moves must be for the tt move to be singular."""
    return tt_score - sp.p.singular_margin * depth // SIXTEENTHS

cdef inline int singular_depth(const SearchParams* sp, int depth) noexcept nogil:
    """Return the depth of the search of the other moves."""
    return (depth - 1) * sp.p.singular_depth // PERCENT

cdef inline int history_bonus(const SearchParams* sp, int depth) noexcept nogil:
    cdef int bonus = sp.p.history_factor * depth - sp.p.history_offset
    return min(max(bonus, 0), sp.p.history_bonus_max)

cdef inline int swing_bonus(const SearchParams* sp, int gain) noexcept nogil:
    """Return the bonus of a quiet move with a `gain` of static evaluation for its side, in centipawns."""
    cdef int bonus = gain * sp.p.history_swing // SIXTEENTHS
    return min(max(bonus, -sp.p.history_swing_max), sp.p.history_swing_max)
