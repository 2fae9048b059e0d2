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
    int use_razoring
    int use_lmp
    int use_history_pruning
    int use_see_pruning
    int use_upcoming
    int use_iir
    int use_singular
    int use_lmr
    int use_probcut
    int use_beam
    int use_captures_first
    int use_killers
    int use_history
    int use_continuation
    int use_pawn_history
    int use_capture_history
    int use_correction
    int use_see_order
    int use_qsearch
    int use_qs_see
    int use_qs_delta
    int use_qs_checks
    int use_qs_evasions
    int aspiration_min_depth
    int aspiration_window
    int aspiration_growth
    int rfp_max_depth
    int rfp_margin
    int rfp_improving
    int razor_max_depth
    int razor_base
    int razor_margin
    int nmp_min_depth
    int nmp_reduction
    int nmp_depth_divisor
    int nmp_eval_divisor
    int nmp_eval_max
    int nmp_static_margin
    int nmp_verify_depth
    int futility_max_depth
    int futility_base
    int futility_margin
    int lmp_max_depth
    int lmp_base
    int lmp_factor
    int lmp_not_improving
    int history_pruning_depth
    int history_pruning_margin
    int see_pruning_depth
    int see_quiet_margin
    int see_noisy_margin
    int iir_min_depth
    int singular_min_depth
    int singular_tt_depth
    int singular_margin
    int singular_double_margin
    int lmr_min_depth
    int lmr_min_moves
    int lmr_base
    int lmr_divisor
    int lmr_history_divisor
    int lmr_capture_divisor
    int lmr_pv
    int lmr_was_pv
    int lmr_cut
    int lmr_not_improving
    int lmr_tt_capture
    int lmr_killer
    int lmr_check
    int lmr_cutoffs
    int lmr_cutoffs_min
    int lmr_deeper
    int lmr_shallower
    int lmr_noisy
    int probcut_min_depth
    int probcut_margin
    int probcut_reduction
    int beam_width
    int beam_guess_depth
    int history_factor
    int history_offset
    int history_bonus_max
    int history_prior
    int history_malus
    int correction_rate
    int correction_pawns
    int correction_pieces
    int correction_move
    int qs_delta_margin
    int see_pawn
    int see_knight
    int see_bishop
    int see_rook
    int see_queen
    int tm_min_depth
    int tm_unstable
    int tm_stable_step
    int tm_stable_max
    int tm_fall
    int tm_fall_max
    int tm_share_base
    int tm_share

cdef struct SearchParams:
    Params p
    int lmr[LMR_SIZE][LMR_SIZE]  # [depth][move number] hundredths of a ply
    int see_value[7]  # by PieceType; king and NO_PIECE are 0

cdef int fill_params(SearchParams* out, dict changes) except -1
