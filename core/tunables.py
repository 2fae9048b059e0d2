# SPDX-License-Identifier: GPL-3.0-or-later
"""Every search parameter and technique switch, one line each.

A row is (name, default, min, max, step, note). `step` is what a tuner should try first. setup.py writes the struct `Params` from
the rows, so a new one needs a build and nothing else; the compiled core reads the numbers into it when an engine is made, so a
changed number needs none. Scores are in centipawns, depths in plies, moves are counted from 0.
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
    ("use_razoring", 1, 0, 1, 1, "razoring: far below alpha near the horizon, quiescence decides"),
    ("use_lmp", 1, 0, 1, 1, "late move pruning: near the horizon only the first quiet moves are tried"),
    ("use_history_pruning", 1, 0, 1, 1, "near the horizon quiet moves that have failed too often are left out"),
    ("use_see_pruning", 1, 0, 1, 1, "near the horizon moves that lose material are left out"),
    ("use_upcoming", 1, 0, 1, 1, "see a draw by repetition one ply before it is on the board"),
    ("use_iir", 1, 0, 1, 1, "internal iterative reduction: search a node without a table move one ply less"),
    ("use_singular", 1, 0, 1, 1, "singular extension: search a table move deeper that is far better than all others"),
    ("use_lmr", 1, 0, 1, 1, "late move reductions: moves ordered late are searched less deep first"),
    ("use_probcut", 0, 0, 1, 1, "ProbCut: a capture that beats beta by a margin in a shallower search cuts"),
    ("use_beam", 0, 0, 1, 1, "beam search: only the best moves by a shallow guess are searched"),
    ("use_captures_first", 1, 0, 1, 1, "try captures before quiet moves, the most valuable victim first; off: as generated"),
    ("use_killers", 1, 0, 1, 1, "try quiet moves that cut at the same ply before other quiet moves"),
    ("use_history", 1, 0, 1, 1, "order quiet moves by how often they cut"),
    ("use_continuation", 1, 0, 1, 1, "order quiet moves by how they did after the moves before them"),
    ("use_pawn_history", 1, 0, 1, 1, "order quiet moves by how they did in this pawn structure"),
    ("use_capture_history", 1, 0, 1, 1, "order captures by how often they cut"),
    ("use_correction", 1, 0, 1, 1, "correct the static evaluation by what searches of similar positions found"),
    ("use_see_order", 1, 0, 1, 1, "try captures that lose material last"),
    ("use_qsearch", 1, 0, 1, 1, "quiescence search at the leaves; off: the static evaluation"),
    ("use_qs_see", 1, 0, 1, 1, "quiescence skips captures that lose material"),
    ("use_qs_delta", 1, 0, 1, 1, "quiescence skips captures that cannot lift the score to alpha"),
    ("use_qs_checks", 1, 0, 1, 1, "the first ply of quiescence tries quiet checks that lose nothing, too"),
    ("use_qs_evasions", 1, 0, 1, 1, "quiescence looks at no further quiet way out of check once there is one"),
    # --- aspiration ---
    ("aspiration_min_depth", 5, 2, 12, 1, "full window below this depth"),
    ("aspiration_window", 14, 4, 100, 4, "half width of the first window"),
    ("aspiration_growth", 60, 10, 400, 20, "percent by which a failed window widens"),
    # --- extensions ---
    ("extension_limit", 2, 1, 8, 1, "no line is extended beyond so many times the depth of the iteration"),
    # --- reverse futility ---
    ("rfp_max_depth", 5, 1, 16, 1, "deepest node it is tried at"),
    ("rfp_margin", 75, 20, 200, 8, "margin per ply"),
    ("rfp_improving", 60, 0, 200, 8, "margin taken off when the static evaluation is improving"),
    # --- razoring ---
    ("razor_max_depth", 3, 1, 8, 1, "deepest node it is tried at"),
    ("razor_base", 180, 0, 600, 25, "margin at depth 0"),
    ("razor_margin", 150, 0, 400, 20, "margin per ply"),
    # --- null move ---
    ("nmp_min_depth", 3, 1, 8, 1, "shallowest node it is tried at"),
    ("nmp_reduction", 3, 1, 6, 1, "plies taken off"),
    ("nmp_depth_divisor", 4, 2, 10, 1, "one more ply taken off per so many plies of depth"),
    ("nmp_eval_divisor", 200, 50, 600, 20, "one more ply taken off per so many centipawns above beta"),
    ("nmp_eval_max", 3, 0, 6, 1, "at most so many plies for that"),
    ("nmp_static_margin", 20, 0, 127, 5, "the static evaluation itself may be so far below beta, per ply"),
    ("nmp_verify_depth", 14, 6, 127, 1, "from this depth on a cut is verified by a search without null moves"),
    ("nmp_verify_share", 75, 0, 100, 5, "percent of the reduced depth in which that search makes no null move"),
    # --- futility ---
    ("futility_max_depth", 4, 1, 12, 1, "deepest node it is tried at"),
    ("futility_base", 90, 0, 300, 10, "margin at depth 0"),
    ("futility_margin", 85, 20, 200, 8, "margin per ply"),
    # --- late move pruning ---
    ("lmp_max_depth", 8, 1, 16, 1, "deepest node it is tried at"),
    ("lmp_base", 6, 0, 20, 1, "moves tried at depth 0"),
    ("lmp_factor", 130, 20, 300, 10, "hundredths of a move more per square of the depth"),
    ("lmp_not_improving", 55, 10, 100, 5, "percent of that limit when the static evaluation is not improving"),
    # --- history pruning ---
    ("history_pruning_depth", 4, 1, 12, 1, "deepest reduced depth it is tried at"),
    ("history_pruning_margin", 1000, 100, 12000, 250, "history score below zero per ply that is too bad"),
    # --- SEE pruning ---
    ("see_pruning_depth", 8, 1, 16, 1, "deepest node (quiet moves: reduced depth) it is tried at"),
    ("see_quiet_margin", 20, 0, 100, 4, "loss allowed to a quiet move, per square of the reduced depth"),
    ("see_noisy_margin", 90, 0, 300, 10, "loss allowed to a capture, per ply"),
    # --- internal iterative reduction ---
    ("iir_min_depth", 4, 2, 12, 1, "shallowest node it is tried at"),
    # --- singular extension ---
    ("singular_min_depth", 7, 4, 14, 1, "shallowest node it is tried at"),
    ("singular_tt_depth", 3, 1, 6, 1, "the table's result may be so many plies shallower"),
    ("singular_margin", 20, 4, 64, 2, "sixteenths of a centipawn per ply that the other moves have to be worse"),
    ("singular_double_margin", 20, 0, 200, 4, "worse by so much again: two plies"),
    ("singular_depth", 50, 20, 80, 5, "percent of the remaining depth for the search of the other moves"),
    ("singular_double", 2, 1, 3, 1, "plies for a move that is better by singular_double_margin too"),
    ("singular_negative", 2, 0, 3, 1, "plies less for a table move that is not singular, though its score beats beta"),
    ("singular_negative_cut", 1, 0, 3, 1, "plies less for one that does not, where a cut is expected"),
    # --- late move reductions ---
    ("lmr_min_depth", 3, 2, 8, 1, "shallowest node with reductions"),
    ("lmr_min_moves", 2, 1, 8, 1, "moves searched in full before the first reduction; one more in PV nodes"),
    ("lmr_base", 70, 0, 200, 8, "hundredths of a ply: the constant of base + ln(depth) * ln(move) / divisor"),
    ("lmr_divisor", 225, 120, 500, 10, "hundredths: the divisor of that formula"),
    ("lmr_history_divisor", 12000, 1000, 32768, 500, "history score of a quiet move that is worth one ply"),
    ("lmr_capture_divisor", 6000, 1000, 32768, 500, "the same for captures"),
    ("lmr_pv", 100, 0, 300, 10, "hundredths of a ply less in PV nodes"),
    ("lmr_was_pv", 80, 0, 300, 10, "less where the table says that the position was on a principal variation"),
    ("lmr_cut", 100, 0, 300, 10, "more where a cut is expected"),
    ("lmr_not_improving", 100, 0, 300, 10, "more when the static evaluation is not improving"),
    ("lmr_tt_capture", 60, 0, 300, 10, "more for a quiet move when the table's move is a capture"),
    ("lmr_killer", 80, 0, 300, 10, "less for killers"),
    ("lmr_check", 60, 0, 300, 10, "less for a move that gives check"),
    ("lmr_cutoffs", 100, 0, 300, 10, "more where the moves after it have cut more than lmr_cutoffs_min times"),
    ("lmr_cutoffs_min", 3, 0, 10, 1, "see there"),
    ("lmr_deeper", 40, 0, 200, 5, "centipawns by which a reduced search must surprise to be repeated a ply deeper; 0: never"),
    ("lmr_deeper_depth", 2, 0, 20, 1, "and so many more per ply of depth"),
    ("lmr_shallower", 8, 0, 50, 2, "a surprise of less is checked a ply shallower"),
    ("lmr_noisy", 200, 0, 2000, 10, "less for captures and promotions"),
    # --- ProbCut ---
    ("probcut_min_depth", 5, 3, 12, 1, "shallowest node it is tried at"),
    ("probcut_margin", 180, 50, 500, 20, "what the shallower search must show beyond beta"),
    ("probcut_reduction", 4, 2, 6, 1, "plies taken off, the capture's own among them"),
    # --- beam search ---
    ("beam_width", 8, 1, 64, 1, "moves kept at each node"),
    ("beam_guess_depth", 0, 0, 3, 1, "depth of the guess; 0: quiescence, or the static evaluation without it"),
    # --- history ---
    ("history_factor", 250, 20, 400, 16, "bonus per ply of depth for the move that cut"),
    ("history_offset", 120, 0, 400, 16, "taken off that bonus"),
    ("history_bonus_max", 2500, 200, 4000, 100, "largest bonus"),
    ("history_prior", 60, 0, 300, 10, "percent of the bonus for the quiet move that led to a node where nothing reaches alpha"),
    ("history_malus", 100, 0, 300, 10, "percent of the bonus taken from the moves tried before"),
    # --- correction of the static evaluation ---
    ("correction_rate", 24, 1, 128, 4, "sixteenths of an entry's unit per centipawn and ply; full scale is 16384"),
    ("correction_pawns", 50, 0, 200, 8, "centipawns at full scale, by pawn structure"),
    ("correction_pieces", 40, 0, 200, 8, "the same by the pieces of each side"),
    ("correction_move", 30, 0, 200, 8, "the same by the last move"),
    ("correction_step", 4096, 256, 16384, 256, "largest change of an entry by one result"),
    # --- quiescence ---
    ("qs_delta_margin", 150, 0, 500, 10, "what a capture may gain beyond the piece it takes"),
    # --- static exchange evaluation ---
    ("see_pawn", 100, 50, 200, 5, "value of a pawn in exchanges, and in ordering captures"),
    ("see_knight", 310, 200, 500, 10, "knight"),
    ("see_bishop", 320, 200, 500, 10, "bishop"),
    ("see_rook", 500, 300, 800, 15, "rook"),
    ("see_queen", 950, 600, 1600, 25, "queen"),
    # --- time: what part of the soft limit a move deserves ---
    ("tm_min_depth", 6, 1, 20, 1, "shallower iterations tell too little"),
    ("tm_unstable", 120, 50, 200, 5, "percent when the best move has just changed"),
    ("tm_stable_step", 4, 0, 15, 1, "less per iteration that has the same best move"),
    ("tm_stable_max", 10, 1, 20, 1, "iterations that count for that"),
    ("tm_fall", 80, 0, 200, 10, "percent more per 100 centipawns by which the score has fallen; less where it has risen"),
    ("tm_fall_max", 40, 0, 200, 10, "centipawns that count for that"),
    ("tm_share_base", 190, 100, 300, 10, "percent when the best move took no nodes"),
    ("tm_share", 130, 0, 250, 10, "less by this when it took all of them"),
)
