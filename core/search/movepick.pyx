# SPDX-License-Identifier: GPL-3.0-or-later
"""The stages of the move picker: in `next_move`, one `if` for each stage, in order."""

from ..board.see cimport see_ge
from .tt cimport clock_key, tt_prefetch

cdef enum:
    NO_RANK = -0x7FFFFFFF  # less than every rank
    VICTIM_WEIGHT = 16  # the victim's value counts far more than the attacker's type (MVV-LVA)


cdef void start_picker(MovePicker* mp, Searcher* s, int ply, Move tt_move, bint noisy_only, int threshold) noexcept nogil:
    """Begin at the first stage. A `tt_move` that is illegal here, or quiet with `noisy_only`, is ignored.

    `noisy_only`: give the `tt_move`, then the captures and promotions that win `threshold` centipawns by SEE; else all moves, and
    `find_threats` comes first.
    """
    mp.s = s
    mp.pos = &s.stack[ply].pos
    fill_view(s, ply, &mp.history)
    mp.noisy_only = noisy_only
    mp.threshold = threshold
    mp.skip_quiets = False
    mp.killer = s.history.killers[ply]
    mp.tt_move = 0
    if tt_move != 0 and (not noisy_only or is_noisy(tt_move)) and is_legal(mp.pos, tt_move):
        mp.tt_move = tt_move
    mp.bad_end = 0
    mp.checks_known = False
    mp.stage = STAGE_TT


cdef inline int _rank(int score, int place) noexcept nogil:
    """Combine both in one number: the greatest is that of the best move, of equal scores the first."""
    return score * MAX_MOVES + (MAX_MOVES - 1 - place)


cdef inline int _place(int rank) noexcept nogil:
    return MAX_MOVES - 1 - (rank & (MAX_MOVES - 1))


cdef inline int _noisy_score(const MovePicker* mp, Move move) noexcept nogil:
    cdef int gain = mp.s.params.see_value[victim_of(mp.pos.piece_on, move)]
    if is_promotion(move):
        gain += mp.s.params.see_value[promotion_type(move)] - mp.s.params.see_value[PAWN]
    return VICTIM_WEIGHT * gain - mp.pos.piece_on[move_from(move)] + capture_history(&mp.history, move)


cdef inline int _escape_score(const MovePicker* mp, Move move) noexcept nogil:
    """Return a bonus for a move of a piece out of the attacks of lesser ones, a malus for a move into them."""
    cdef int piece_type = mp.pos.piece_on[move_from(move)]
    cdef bitboard lesser = mp.history.threats.lesser[piece_type]
    cdef int escapes = (<int>(lesser >> move_from(move)) & 1) - (<int>(lesser >> move_to(move)) & 1)
    return escapes * mp.s.params.see_value[piece_type] * mp.s.params.p.threat_escape_bonus


cdef inline int _quiet_score(MovePicker* mp, Move move) noexcept nogil:
    cdef int score = quiet_history(&mp.history, move)
    if mp.s.params.p.use_check_order and picks_check(mp, move):
        score += mp.s.params.p.check_order_bonus  # the replies to it are few
    if mp.s.params.p.use_threat_escape:
        score += _escape_score(mp, move)
    return score


cdef inline void _prefetch_histories(const MovePicker* mp) noexcept nogil:
    """Prefetch the pages' entries for the pieces of stm, since the moves will need most of them: memory is slow."""
    cdef const HistoryView* view = &mp.history
    cdef int first = 64 * view.first_piece
    cdef int i, page
    for i in range(first, first + 64 * PIECE_TYPES, 32):  # a cache line has 32 entries
        prefetch(&view.pawn[i])
        for page in range(LOOK_BACK):
            prefetch(&view.pages[page][i])


cdef inline void _prefetch_child(const MovePicker* mp, Move move) noexcept nogil:
    """Prefetch the tt entry of the position after a move: memory is slow, and there is other work before the move is made."""
    cdef Key key = key_after(mp.pos, move)
    if not is_noisy(move):
        key ^= clock_key(mp.pos.rule50 + 1)  # wrong for a quiet pawn move at a high counter: a useless prefetch
    tt_prefetch(&mp.s.tt, key)


cdef inline void _bring_best(MovePicker* mp, int rank) noexcept nogil:
    """Bring the move of the best rank to the front of the stage, and prefetch for it."""
    cdef int first = mp.next
    cdef int place = _place(rank)
    cdef Move move = mp.moves[place]
    mp.moves[place] = mp.moves[first]
    mp.ranks[place] = mp.ranks[first] + first - place
    mp.moves[first] = move
    _prefetch_child(mp, move)


cdef inline Move _take_best(MovePicker* mp) noexcept nogil:
    """Remove and return the move with the best score in the stage, the first of equal ones. The next one is chosen at once: its
    tt entry arrives while this one is searched.
    """
    cdef Move move = mp.moves[mp.next]
    cdef int end = mp.end
    cdef int rank = NO_RANK
    cdef int i
    mp.next += 1
    for i in range(mp.next, end):  # compilers make vector code of a maximum, as they do not of its place
        rank = mp.ranks[i] if mp.ranks[i] > rank else rank
    if rank != NO_RANK:
        _bring_best(mp, rank)
    return move


cdef inline void _generate(MovePicker* mp, int kind) noexcept nogil:
    """Generate the moves of a kind, with their ranks, behind the bad captures; the best one comes first."""
    cdef int best = NO_RANK
    cdef int i, score
    mp.next = mp.bad_end
    mp.end = mp.bad_end + generate(mp.pos, mp.moves + mp.bad_end, kind)
    for i in range(mp.next, mp.end):
        score = _noisy_score(mp, mp.moves[i]) if kind == NOISY else _quiet_score(mp, mp.moves[i])
        mp.ranks[i] = _rank(score, i)
        best = max(best, mp.ranks[i])
    if best != NO_RANK:
        _bring_best(mp, best)


cdef inline bint _is_usable_killer(const MovePicker* mp, Move move) noexcept nogil:
    if mp.skip_quiets or not mp.s.params.p.use_killers:
        return False
    return move != 0 and move != mp.tt_move and not is_noisy(move) and is_legal(mp.pos, move)


cdef Move next_move(MovePicker* mp) noexcept nogil:
    """Return the next move, or 0 after the last. Each legal move comes once, except those that the picker must skip."""
    cdef Move move
    if mp.stage == STAGE_TT:
        mp.stage = STAGE_GENERATE_NOISY if mp.s.params.p.use_captures_first or mp.noisy_only else STAGE_KILLER
        if mp.tt_move != 0:
            _prefetch_child(mp, mp.tt_move)
            return mp.tt_move
    if mp.stage == STAGE_GENERATE_NOISY:
        _generate(mp, NOISY)
        mp.stage = STAGE_GOOD_NOISY
    if mp.stage == STAGE_GOOD_NOISY:
        while mp.next < mp.end:
            move = _take_best(mp)
            if move == mp.tt_move:
                continue
            if mp.noisy_only:
                if see_ge(mp.pos, move, mp.threshold, mp.s.params.see_value):
                    return move
            elif not mp.s.params.p.use_see_order or see_ge(mp.pos, move, 0, mp.s.params.see_value):
                return move
            else:
                mp.moves[mp.bad_end] = move  # bad_end < next: this place is free
                mp.bad_end += 1
        mp.stage = STAGE_DONE if mp.noisy_only else STAGE_KILLER
    if mp.stage == STAGE_KILLER:
        mp.stage = STAGE_GENERATE_QUIETS
        if _is_usable_killer(mp, mp.killer):
            _prefetch_child(mp, mp.killer)
            return mp.killer
        mp.killer = 0
    if mp.stage == STAGE_GENERATE_QUIETS:
        mp.stage = STAGE_QUIETS
        if not mp.skip_quiets:
            _prefetch_histories(mp)
            _generate(mp, QUIETS if mp.s.params.p.use_captures_first else ALL_MOVES)
    if mp.stage == STAGE_QUIETS:
        while mp.next < mp.end and not mp.skip_quiets:
            move = _take_best(mp)
            if move != mp.tt_move and move != mp.killer:
                return move
        mp.stage = STAGE_BAD_NOISY
        mp.next = 0
    if mp.stage == STAGE_BAD_NOISY:
        if mp.next < mp.bad_end:
            mp.next += 1
            return mp.moves[mp.next - 1]
        mp.stage = STAGE_DONE
    return 0
