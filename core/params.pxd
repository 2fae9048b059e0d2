# SPDX-License-Identifier: GPL-3.0-or-later
"""The C side of tunables.py: one int per row, and the tables computed from them."""

from .types cimport *

cdef enum:
    LMR_SIZE = 64  # depths and move numbers beyond the table use its last row or column

cdef struct Params:
    # The names of tunables.py, where each is explained.
    int use_alpha_beta
    int use_iterative_deepening
    int use_tt
    int use_tt_deeper
    int use_aspiration
    int use_pvs
    int use_mate_distance
    int use_check_extension
    int use_rfp
    int use_nmp
    int use_futility
    int use_lmr
    int use_probcut
    int use_beam
    int use_captures_first
    int use_killers
    int use_history
    int use_see_order
    int use_qsearch
    int use_qs_see
    int use_qs_delta
    int aspiration_min_depth
    int aspiration_window
    int aspiration_growth
    int rfp_max_depth
    int rfp_margin
    int rfp_improving
    int nmp_min_depth
    int nmp_reduction
    int nmp_depth_divisor
    int nmp_eval_divisor
    int nmp_eval_max
    int futility_max_depth
    int futility_base
    int futility_margin
    int lmr_min_depth
    int lmr_min_moves
    int lmr_base
    int lmr_divisor
    int lmr_history_divisor
    int probcut_min_depth
    int probcut_margin
    int probcut_reduction
    int beam_width
    int beam_guess_depth
    int history_factor
    int history_offset
    int history_bonus_max
    int qs_delta_margin
    int see_pawn
    int see_knight
    int see_bishop
    int see_rook
    int see_queen

cdef struct SearchParams:
    Params p
    int lmr[LMR_SIZE][LMR_SIZE]  # [depth][move number] plies
    int see_value[7]  # by PieceType; king and NO_PIECE are 0

cdef int fill_params(SearchParams* out, dict changes) except -1
