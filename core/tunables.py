# SPDX-License-Identifier: GPL-3.0-or-later
"""Every search parameter and technique switch, one line each.

A row is (name, default, min, max, step, note). `step` is what a tuner should try first. The compiled core reads these
into the struct `Params` (params.pxd) when an engine is made, so a changed number needs no compiling; scores are in
centipawns, depths in plies, moves are counted from 0.
"""

TUNABLES: tuple[tuple[str, int, int, int, int, str], ...] = (
    # --- switches: 1 on, 0 off ---
    ("use_alpha_beta", 1, 0, 1, 1, "alpha-beta; off: plain minimax, and nothing that needs a window"),
    ("use_iterative_deepening", 1, 0, 1, 1, "search depth 1, 2, 3 ...; off: the asked depth at once"),
    ("use_tt", 1, 0, 1, 1, "transposition table: cutoffs, and the move to try first"),
    ("use_tt_deeper", 1, 0, 1, 1, "take stored scores of deeper searches too; off: only of the very depth asked for"),
    ("use_aspiration", 1, 0, 1, 1, "start each iteration with a narrow window around the last score"),
    ("use_pvs", 1, 0, 1, 1, "principal variation search: later moves only have to be refuted with a null window"),
    ("use_mate_distance", 1, 0, 1, 1, "cut lines that cannot beat a mate already found"),
    ("use_check_extension", 1, 0, 1, 1, "search one ply deeper when stm is in check"),
    ("use_rfp", 1, 0, 1, 1, "reverse futility pruning: the static evaluation is far above beta"),
    ("use_nmp", 1, 0, 1, 1, "null move pruning: even passing keeps the score above beta"),
    ("use_futility", 1, 0, 1, 1, "futility pruning: quiet moves cannot lift the static evaluation to alpha"),
    ("use_lmr", 1, 0, 1, 1, "late move reductions: moves ordered late are searched less deep first"),
    ("use_probcut", 0, 0, 1, 1, "ProbCut: a capture that beats beta by a margin in a shallower search cuts"),
    ("use_beam", 0, 0, 1, 1, "beam search: only the best moves by a shallow guess are searched"),
    ("use_captures_first", 1, 0, 1, 1, "try captures before quiet moves, the most valuable victim first; off: as generated"),
    ("use_killers", 1, 0, 1, 1, "try quiet moves that cut at the same ply before other quiet moves"),
    ("use_history", 1, 0, 1, 1, "order quiet moves by how often they cut"),
    ("use_see_order", 1, 0, 1, 1, "try captures that lose material last"),
    ("use_qsearch", 1, 0, 1, 1, "quiescence search at the leaves; off: the static evaluation"),
    ("use_qs_see", 1, 0, 1, 1, "quiescence skips captures that lose material"),
    ("use_qs_delta", 1, 0, 1, 1, "quiescence skips captures that cannot lift the score to alpha"),
    # --- aspiration ---
    ("aspiration_min_depth", 5, 2, 12, 1, "full window below this depth"),
    ("aspiration_window", 14, 4, 100, 4, "half width of the first window"),
    ("aspiration_growth", 60, 10, 400, 20, "percent by which a failed window widens"),
    # --- reverse futility ---
    ("rfp_max_depth", 5, 1, 16, 1, "deepest node it is tried at"),
    ("rfp_margin", 75, 20, 200, 8, "margin per ply"),
    ("rfp_improving", 60, 0, 200, 8, "margin taken off when the static evaluation is improving"),
    # --- null move ---
    ("nmp_min_depth", 3, 1, 8, 1, "shallowest node it is tried at"),
    ("nmp_reduction", 3, 1, 6, 1, "plies taken off"),
    ("nmp_depth_divisor", 4, 2, 10, 1, "one more ply taken off per so many plies of depth"),
    ("nmp_eval_divisor", 200, 50, 600, 20, "one more ply taken off per so many centipawns above beta"),
    ("nmp_eval_max", 3, 0, 6, 1, "at most so many plies for that"),
    # --- futility ---
    ("futility_max_depth", 4, 1, 12, 1, "deepest node it is tried at"),
    ("futility_base", 90, 0, 300, 10, "margin at depth 0"),
    ("futility_margin", 85, 20, 200, 8, "margin per ply"),
    # --- late move reductions ---
    ("lmr_min_depth", 3, 2, 8, 1, "shallowest node with reductions"),
    ("lmr_min_moves", 2, 1, 8, 1, "moves searched in full before the first reduction; one more in PV nodes"),
    ("lmr_base", 70, 0, 200, 8, "hundredths of a ply: the constant of base + ln(depth) * ln(move) / divisor"),
    ("lmr_divisor", 225, 120, 500, 10, "hundredths: the divisor of that formula"),
    ("lmr_history_divisor", 6000, 1000, 16384, 500, "history score that is worth one ply"),
    # --- ProbCut ---
    ("probcut_min_depth", 5, 3, 12, 1, "shallowest node it is tried at"),
    ("probcut_margin", 180, 50, 500, 20, "what the shallower search must show beyond beta"),
    ("probcut_reduction", 4, 2, 6, 1, "plies taken off, the capture's own among them"),
    # --- beam search ---
    ("beam_width", 8, 1, 64, 1, "moves kept at each node"),
    ("beam_guess_depth", 0, 0, 3, 1, "depth of the guess; 0: quiescence, or the static evaluation without it"),
    # --- history ---
    ("history_factor", 160, 20, 400, 16, "bonus per ply of depth for the move that cut"),
    ("history_offset", 120, 0, 400, 16, "taken off that bonus"),
    ("history_bonus_max", 1600, 200, 4000, 100, "largest bonus"),
    # --- quiescence ---
    ("qs_delta_margin", 150, 0, 500, 10, "what a capture may gain beyond the piece it takes"),
    # --- static exchange evaluation ---
    ("see_pawn", 100, 50, 200, 5, "value of a pawn in exchanges, and in ordering captures"),
    ("see_knight", 310, 200, 500, 10, "knight"),
    ("see_bishop", 320, 200, 500, 10, "bishop"),
    ("see_rook", 500, 300, 800, 15, "rook"),
    ("see_queen", 950, 600, 1600, 25, "queen"),
)
