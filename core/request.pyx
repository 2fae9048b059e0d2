# SPDX-License-Identifier: GPL-3.0-or-later
# distutils: extra_compile_args = -Og
"""The root of a search: the position, the keys of the game before it, and the moves to search."""

from .board.movegen cimport *
from .moves cimport AskedMove, find_move, read_move
from .search.searcher cimport GAME_KEYS


cdef int set_root(Searcher* s, Position position, list groups) except -1:
    """Copy the position, the keys of its game and the groups of moves to search."""
    cdef PositionC* root = &s.stack[0].pos
    cdef Move[MAX_MOVES] moves
    cdef AskedMove asked
    cdef int i, back, count, group
    cdef int first_group = 0
    cdef dict wanted = {}  # from moves to groups
    root[0] = position.current()[0]
    back = min(position.last, <int>root.reversible, GAME_KEYS - 1)
    for i in range(back):
        s.keys[i] = position.game[position.last - back + i].key
    s.root_key = back
    for group, texts in enumerate(groups):
        for text in texts:
            if read_move(text, &asked):
                wanted.setdefault(find_move(root, &asked), group)
    wanted.pop(0, None)
    count = generate(root, moves, ALL_MOVES)
    s.root_count = 0
    for group in range(len(groups)):
        for i in range(count):
            if (wanted.get(moves[i], -1) if wanted else 0) == group:
                s.root_moves[s.root_count].move = moves[i]
                s.root_moves[s.root_count].group = group
                s.root_count += 1
                first_group += group == 0
    s.root_restricted = first_group < count
    return 0
