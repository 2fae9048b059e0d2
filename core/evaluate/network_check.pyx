# SPDX-License-Identifier: GPL-3.0-or-later
# distutils: extra_compile_args = -Og
"""Goes up and down a stack of positions as a search does, and evaluates some of them."""

from libc.string cimport memset

from ..board.movegen cimport generate
from ..board.position cimport *
from .evaluate cimport *
from .network cimport *

cdef enum:
    FEW_MEN = 6  # with fewer a game is over
    LONG_GAMES = 3  # one of so many games that reach the end of the stack is over too
    NULL_MOVE = 12  # one of so many moves is a null move
    GO_BACK = 6  # one of so many steps goes back, by up to so many plies
    EVALUATED = 2  # one of so many positions is evaluated

cdef struct Stack:
    PositionC positions[MAX_PLY + 2]
    EvalEntry entries[MAX_PLY + 2]
    int ply


cdef inline uint64_t _draw(uint64_t* state, uint64_t below) noexcept nogil:
    """Marsaglia, "Xorshift RNGs" (2003)."""
    state[0] ^= state[0] << 13
    state[0] ^= state[0] >> 7
    state[0] ^= state[0] << 17
    return (state[0] >> 11) % below


cdef inline bint _is_rare(Move move) noexcept nogil:
    return move_flag(move) == CASTLE or move_flag(move) == EN_PASSANT or is_promotion(move)


cdef Move _choose(const PositionC* pos, uint64_t* state) noexcept nogil:
    """A legal move, in half of the cases one that games have too few of; 0 if there is none."""
    cdef Move[MAX_MOVES] moves
    cdef int count = generate(pos, moves, ALL_MOVES)
    cdef int i, first
    if count == 0:
        return 0
    first = <int>_draw(state, count)
    if _draw(state, 2) == 0:
        for i in range(count):
            if _is_rare(moves[(first + i) % count]):
                return moves[(first + i) % count]
    return moves[first]


cdef void _set_root(Stack* stack, const PositionC* pos) noexcept nogil:
    stack.ply = 0
    stack.positions[0] = pos[0]
    note_move(&stack.entries[0])


cdef void _note(Walk* walk, const PositionC* before, const PositionC* after) noexcept nogil:
    """Count a move."""
    cdef int flag = move_flag(after.last_move)
    walk.moves += 1
    walk.null_moves += after.last_move == 0
    walk.castling += flag == CASTLE
    walk.en_passant += flag == EN_PASSANT
    walk.promotions += is_promotion(after.last_move)
    walk.crossings += half_of(before, before.stm) != half_of(after, before.stm)


cdef bint _step(Stack* stack, uint64_t* state, Walk* walk) noexcept nogil:
    """Make a move or a null move; False if there is no legal one."""
    cdef const PositionC* pos = &stack.positions[stack.ply]
    cdef PositionC* child = &stack.positions[stack.ply + 1]
    cdef Move move = _choose(pos, state)
    if move == 0:
        return False
    if pos.checkers == 0 and _draw(state, NULL_MOVE) == 0:
        make_null(pos, child)
    else:
        make_move(pos, child, move)
    note_move(&stack.entries[stack.ply + 1])
    _note(walk, pos, child)
    stack.ply += 1
    return True


cdef void _compare(Evaluator* ev, EvalEntry* entry, Walk* walk) noexcept nogil:
    cdef int score = network_score(ev.network, &ev.accumulators, &entry.accumulators)
    walk.compared += 1
    if not accumulators_match_refresh(ev.network, &ev.accumulators, &entry.accumulators):
        walk.wrong += 1
    elif score != score_from_scratch(ev.network, entry.accumulators.pos):
        walk.wrong += 1


cdef void walk_network(Evaluator* ev, const PositionC* start, int64_t moves, uint64_t seed, Walk* walk) noexcept nogil:
    """Make so many moves by chance, in games from `start`. The evaluator must have a network, and no search may use it."""
    cdef Stack stack
    cdef PositionC last
    cdef int ply
    cdef uint64_t state = seed ^ 0x9E3779B97F4A7C15ULL
    if state == 0:
        state = 1
    for ply in range(MAX_PLY + 2):
        place_entry(&stack.entries[ply], &stack.positions[ply], &stack.entries[ply - 1] if ply else NULL)
    memset(walk, 0, sizeof(Walk))
    _set_root(&stack, start)
    while walk.moves < moves:
        if stack.ply and _draw(&state, GO_BACK) == 0:
            stack.ply -= <int>_draw(&state, min(stack.ply, GO_BACK) + 1)
        if not _step(&stack, &state, walk):
            if stack.ply == 0 and walk.moves == 0:
                return  # `start` ends the game
            _set_root(&stack, start)
        if _draw(&state, EVALUATED) == 0:
            _compare(ev, &stack.entries[stack.ply], walk)
        last = stack.positions[stack.ply]
        if popcount(occupied(&last.b)) < FEW_MEN or (stack.ply == MAX_PLY and _draw(&state, LONG_GAMES) == 0):
            _set_root(&stack, start)
        elif stack.ply == MAX_PLY:  # the game goes on from here
            _set_root(&stack, &last)
