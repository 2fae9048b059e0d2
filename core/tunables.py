# SPDX-License-Identifier: GPL-3.0-or-later
"""All search parameters and technique switches, one line each.

setup.py writes the struct `Params` from the rows, so after adding a row, build again. The numbers are read
when an engine is made, so a changed number needs no build. Scores are in centipawns, depths in plies; moves
are counted from 0.
"""

# Rows of (name, default, needs, note): 1 on, 0 off. A switch is off unless all that it needs are on (named
# without `use_`).
SWITCHES: tuple[tuple[str, int, str, str], ...] = (
    ("use_alpha_beta", 1, "", "alpha-beta; off: plain minimax, and no technique that needs a window"),
    ("use_iterative_deepening", 1, "", "search depth 1, 2, 3 ...; off: only the wanted depth"),
    ("use_tt", 1, "", "transposition table (tt): cutoffs, and the tt move is tried first"),
    ("use_tt_deeper", 1, "tt", "use tt scores of deeper searches too; off: only of the same depth"),
    ("use_aspiration", 1, "alpha_beta iterative_deepening", "start with a window around the last score"),
    ("use_aspiration_reduction", 1, "aspiration", "after a fail high of a narrow window search less deep"),
    ("use_root_order", 1, "iterative_deepening", "order root moves by nodes below them; off: as generated"),
    ("use_pvs", 1, "alpha_beta", "principal variation search: later moves get a null window search first"),
    ("use_mate_distance", 1, "alpha_beta", "mate distance pruning: cut lines that cannot beat a known mate"),
    ("use_check_extension", 1, "", "search one ply deeper when stm is in check"),
    ("use_rfp", 1, "alpha_beta", "reverse futility pruning: the static evaluation is far above beta"),
    ("use_nmp", 1, "alpha_beta", "null move pruning: the score stays above beta even after a null move"),
    ("use_futility", 1, "alpha_beta", "futility pruning: no quiet move lifts the static evaluation to alpha"),
    ("use_lmp", 1, "alpha_beta", "late move pruning: near the horizon only the first quiet moves are tried"),
    ("use_history_pruning", 1, "alpha_beta history", "history pruning: near the horizon cut bad quiet moves"),
    ("use_see_pruning", 1, "alpha_beta", "SEE pruning: near the horizon, skip moves that lose material"),
    ("use_upcoming", 1, "", "detect a draw by repetition one ply before it is on the board"),
    ("use_iir", 1, "alpha_beta tt", "internal iterative reduction: without a tt move search one ply less"),
    ("use_singular", 1, "alpha_beta tt", "singular extension: extend a tt move far better than all others"),
    ("use_lmr", 1, "alpha_beta", "late move reductions: moves ordered late are searched less deep first"),
    ("use_probcut", 1, "alpha_beta", "ProbCut: cut if a capture, searched less deep, beats beta by a margin"),
    ("use_captures_first", 1, "", "captures before quiet moves, by the victim's value; off: as generated"),
    ("use_killers", 1, "", "among quiet moves, try first the one that last caused a cutoff at this ply"),
    ("use_history", 1, "", "order quiet moves by how often they caused a cutoff"),
    ("use_threats", 1, "history", "keep the history of moves from and to attacked squares apart"),
    ("use_swing", 1, "history", "history learns from the static evaluation after a quiet move"),
    ("use_threat_escape", 1, "", "quiet moves out of attacks by lesser pieces come earlier, into them later"),
    ("use_check_order", 1, "", "order quiet moves that give check earlier"),
    ("use_continuation", 1, "", "order quiet moves by how they did after the moves before them"),
    ("use_pawn_history", 1, "", "order quiet moves by how they did in this pawn structure"),
    ("use_capture_history", 1, "captures_first", "order captures by how often they caused a cutoff"),
    ("use_correction", 1, "", "correct the static evaluation by what searches of similar positions found"),
    ("use_see_order", 1, "", "try captures that lose material last"),
    ("use_qsearch", 1, "", "quiescence search at the leaves; off: the static evaluation"),
    ("use_qs_see", 1, "qsearch", "quiescence skips captures that lose material"),
    ("use_qs_delta", 1, "qsearch", "quiescence skips captures that cannot lift the score to alpha"),
    ("use_qs_evasions", 1, "qsearch", "once quiescence has an evasion of check, it skips further quiet ones"),
)

# Rows of (name, default, min, max, step, note); `step` is the first step of a tuner.
NUMBERS: tuple[tuple[str, int, int, int, int, str], ...] = (
    # --- aspiration ---
    ("aspiration_min_depth", 5, 2, 12, 1, "the full window is used below this depth"),
    ("aspiration_window", 10, 4, 100, 4, "half the width of the first window"),
    ("aspiration_growth", 60, 10, 400, 20, "percent by which the window grows after a fail"),
    ("aspiration_reduction", 3, 1, 6, 1, "most plies less after fails high, one for each"),
    # --- reverse futility ---
    ("rfp_max_depth", 5, 1, 16, 1, "deepest node it is tried at"),
    ("rfp_margin", 75, 20, 200, 8, "margin per ply"),
    ("rfp_improving", 60, 0, 200, 8, "margin taken off when the static evaluation is improving"),
    # --- null move ---
    ("nmp_min_depth", 3, 1, 8, 1, "shallowest node it is tried at"),
    ("nmp_reduction", 4, 1, 6, 1, "plies taken off"),
    ("nmp_depth_divisor", 3, 2, 10, 1, "one more ply taken off per this many plies of depth"),
    ("nmp_eval_divisor", 200, 50, 600, 20, "one more ply taken off per this many centipawns above beta"),
    ("nmp_eval_max", 5, 0, 6, 1, "most plies taken off by that"),
    ("nmp_static_margin", 20, 0, 127, 5, "the static evaluation may be so far below beta, per ply of depth"),
    ("nmp_verify_depth", 14, 6, 127, 1, "from this depth on a search without null moves verifies a cutoff"),
    # --- futility ---
    ("futility_max_depth", 4, 1, 12, 1, "deepest node it is tried at"),
    ("futility_base", 90, 0, 300, 10, "margin at depth 0"),
    ("futility_margin", 85, 20, 200, 8, "margin per ply"),
    # --- late move pruning ---
    ("lmp_max_depth", 8, 1, 16, 1, "deepest node it is tried at"),
    ("lmp_base", 6, 0, 20, 1, "moves searched at depth 0"),
    ("lmp_factor", 130, 20, 300, 10, "hundredths of a move more per depth * depth"),
    ("lmp_not_improving", 55, 10, 100, 5, "percent of that limit if the static evaluation is not improving"),
    # --- history pruning ---
    ("history_pruning_depth", 4, 1, 12, 1, "deepest reduced depth it is tried at"),
    ("history_pruning_margin", 4000, 100, 12000, 250, "history scores below minus this per ply are too bad"),
    # --- SEE pruning ---
    ("see_pruning_depth", 8, 1, 16, 1, "deepest node (quiet moves: reduced depth) it is tried at"),
    ("see_quiet_margin", 20, 0, 100, 4, "loss allowed to a quiet move, per reduced depth * reduced depth"),
    ("see_noisy_margin", 90, 0, 300, 10, "loss allowed to a capture, per ply"),
    # --- internal iterative reduction ---
    ("iir_min_depth", 4, 2, 12, 1, "shallowest node it is tried at"),
    # --- singular extension ---
    ("singular_min_depth", 5, 4, 14, 1, "shallowest node it is tried at"),
    ("singular_tt_depth", 3, 1, 6, 1, "the tt entry may be this many plies shallower than the node"),
    ("singular_margin", 20, 4, 64, 2, "sixteenths of a centipawn per ply by which other moves must be worse"),
    ("singular_double_margin", 20, 0, 200, 4, "centipawns more that they must be worse for singular_double"),
    ("singular_depth", 50, 20, 80, 5, "percent of the remaining depth for the search of the other moves"),
    ("singular_double", 2, 1, 3, 1, "extension in plies of a move better by singular_double_margin too"),
    ("singular_negative", 2, 0, 3, 1, "plies less for a tt move that is not singular but scores above beta"),
    ("singular_negative_cut", 1, 0, 3, 1, "plies less for one whose score does not, in a cut node"),
    # --- late move reductions ---
    ("lmr_min_depth", 3, 2, 8, 1, "shallowest node with reductions"),
    ("lmr_min_moves", 2, 1, 8, 1, "moves searched without reduction; one more in PV nodes"),
    ("lmr_base", 70, 0, 200, 8, "hundredths of a ply: the constant of base + ln(depth) * ln(move) / divisor"),
    ("lmr_divisor", 225, 120, 500, 10, "hundredths: the divisor of that formula"),
    ("lmr_history_divisor", 12000, 1000, 32768, 500, "history score that changes the reduction by one ply"),
    ("lmr_capture_divisor", 6000, 1000, 32768, 500, "the same for captures"),
    ("lmr_pv", 100, 0, 300, 10, "hundredths of a ply less in PV nodes"),
    ("lmr_was_pv", 80, 0, 300, 10, "less where the tt says that the position was on a principal variation"),
    ("lmr_cut", 100, 0, 300, 10, "more in cut nodes"),
    ("lmr_not_improving", 60, 0, 300, 10, "more when the static evaluation is not improving"),
    ("lmr_tt_capture", 60, 0, 300, 10, "more for a quiet move if the tt move is a capture or promotion"),
    ("lmr_killer", 80, 0, 300, 10, "less for killers"),
    ("lmr_check", 60, 0, 300, 10, "less for a move that gives check"),
    ("lmr_cutoffs", 100, 0, 300, 10, "more if replies here have caused more than lmr_cutoffs_min cutoffs"),
    ("lmr_cutoffs_min", 3, 0, 10, 1, "the number of cutoffs for lmr_cutoffs"),
    ("lmr_deeper", 40, 0, 200, 5, "a reduced search this many centipawns above the best is repeated deeper"),
    ("lmr_deeper_depth", 2, 0, 20, 1, "centipawns more per ply of depth for that"),
    ("lmr_shallower", 8, 0, 50, 2, "if it beats the best score by less, it is repeated a ply shallower"),
    ("lmr_noisy", 200, 0, 2000, 10, "less for captures and promotions"),
    # --- ProbCut ---
    ("probcut_min_depth", 5, 3, 12, 1, "shallowest node it is tried at"),
    ("probcut_margin", 180, 50, 500, 20, "centipawns by which the shallower search must beat beta"),
    ("probcut_reduction", 4, 2, 6, 1, "plies taken off, including the ply of the capture"),
    # --- history ---
    ("history_factor", 330, 20, 400, 16, "bonus per ply of depth for the move that caused a cutoff"),
    ("history_offset", 120, 0, 400, 16, "taken off that bonus"),
    ("history_bonus_max", 2000, 200, 4000, 100, "largest bonus"),
    ("history_prior", 110, 0, 300, 10, "percent of the bonus for a quiet move before a node that failed low"),
    ("history_swing", 100, 0, 400, 10, "sixteenths: bonus of a quiet move per centipawn of evaluation won"),
    ("history_swing_max", 1200, 0, 4000, 100, "largest bonus or malus of that kind"),
    ("history_malus", 140, 0, 300, 10, "percent of the bonus taken from the moves searched before it"),
    # --- order of quiet moves, in addition to history ---
    ("threat_escape_bonus", 20, 0, 60, 2, "added per centipawn of the piece to its history score"),
    ("check_order_bonus", 10000, 0, 32768, 500, "added to a quiet move's history by use_check_order"),
    # --- correction of the static evaluation ---
    ("correction_rate", 24, 1, 128, 4, "1/16 of an entry's unit, per centipawn and ply; entries up to 16384"),
    ("correction_pawns", 50, 0, 200, 8, "largest correction in centipawns, by pawn structure"),
    ("correction_pieces", 40, 0, 200, 8, "the same by the pieces of each side"),
    ("correction_move", 30, 0, 200, 8, "the same by the last move"),
    ("correction_step", 4096, 256, 16384, 256, "largest bonus of one result, in units of an entry"),
    # --- quiescence ---
    ("qs_delta_margin", 150, 0, 500, 10, "margin added to the value of the captured piece"),
    # --- static exchange evaluation ---
    ("see_pawn", 100, 50, 200, 5, "value of a pawn in exchanges, and in ordering captures"),
    ("see_knight", 310, 200, 500, 10, "knight"),
    ("see_bishop", 320, 200, 500, 10, "bishop"),
    ("see_rook", 500, 300, 800, 15, "rook"),
    ("see_queen", 950, 600, 1600, 25, "queen"),
    # --- time: what part of the soft limit a move uses ---
    ("tm_min_depth", 6, 1, 20, 1, "below this depth the whole soft limit is used"),
    ("tm_unstable", 120, 50, 200, 5, "percent if the best move has just changed"),
    ("tm_stable_step", 4, 0, 15, 1, "percent less per iteration with the same best move"),
    ("tm_stable_max", 10, 1, 20, 1, "most iterations that count for that"),
    ("tm_fall", 80, 0, 200, 10, "percent more per 100 centipawns that the score has fallen; less if risen"),
    ("tm_decline", 60, 0, 200, 10, "the same for the fall since the last move"),
    ("tm_fall_max", 40, 0, 200, 10, "most centipawns that count for these two"),
    ("tm_share_base", 190, 100, 300, 10, "percent if the best move took no nodes"),
    ("tm_share", 130, 0, 250, 10, "percent less if it took all of them"),
)

TUNABLES = (*((name, default, 0, 1, 1, note) for name, default, _, note in SWITCHES), *NUMBERS)


def with_needs(values: dict[str, int]) -> dict[str, int]:
    """Return the values of all tunables, with each switch off that needs one which is off."""
    effective = dict(values)
    while True:
        off = [
            name
            for name, _, needs, _ in SWITCHES
            if effective[name] and not all(effective[f"use_{each}"] for each in needs.split())
        ]
        if not off:
            return effective
        effective.update(dict.fromkeys(off, 0))
