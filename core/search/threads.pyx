# SPDX-License-Identifier: GPL-3.0-or-later
"""The searchers' memory, and the helpers' threads: made for each search, so that nothing is left behind by a fork or an exit.

They are plain threads of the system, through Python's portable interface; they run no Python, and need no GIL to begin or end.
"""

from cpython.pythread cimport (
    NOWAIT_LOCK,
    WAIT_LOCK,
    PyThread_acquire_lock,
    PyThread_allocate_lock,
    PyThread_free_lock,
    PyThread_get_stacksize,
    PyThread_release_lock,
    PyThread_set_stacksize,
    PyThread_start_new_thread,
)
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy

from ..evaluate.evaluate cimport clear_evaluator, free_evaluator, new_evaluator, read_weights
from .root cimport *
from .tt cimport free_table

cdef extern from "pythread.h":
    const unsigned long PYTHREAD_INVALID_THREAD_ID

cdef enum:
    # Two lines of 64 bytes: processors fetch them in pairs, and one searcher's must not hold what another writes.
    SEPARATION = 128
    STACK_BYTES = 8 << 20  # a search of MAX_PLY uses less than 1 MB of it; some systems would give half of that


# --- Memory ---


cdef Searcher* _new_searcher(const Weights* weights) except NULL:
    """A searcher with evaluator and lock, all else 0. Raises MemoryError."""
    cdef Searcher* s
    cdef void* memory = calloc(1, sizeof(Searcher) + 2 * SEPARATION)
    if memory == NULL:
        raise MemoryError("no memory for a searcher")
    s = <Searcher*>((<size_t>memory + SEPARATION - 1) & ~<size_t>(SEPARATION - 1))
    s.memory = memory
    s.leader = s
    try:
        s.evaluator = new_evaluator(weights)
        s.finished = PyThread_allocate_lock()
        if s.finished == NULL:
            raise MemoryError("no memory for a thread's lock")
    except MemoryError:
        free_evaluator(s.evaluator)
        free(memory)
        raise
    return s


cdef void _dismiss(Team* team, int count) noexcept:
    """Free all searchers but the first `count`."""
    cdef Searcher* s
    while team.count > count:
        team.count -= 1
        s = team.searchers[team.count]
        PyThread_free_lock(s.finished)
        free_evaluator(s.evaluator)
        free(s.memory)


cdef int resize_team(Team* team, int count) except -1:
    """Have so many searchers. Raises ValueError or MemoryError, and changes nothing, if that cannot be."""
    cdef int before = team.count
    if not 1 <= count <= MAX_THREADS:
        raise ValueError(f"number of threads must be from 1 to {MAX_THREADS}, not {count}")
    try:
        while team.count < count:
            team.searchers[team.count] = _new_searcher(&team.weights)
            team.count += 1
    except MemoryError:
        _dismiss(team, before)
        raise
    _dismiss(team, count)
    team.searchers[0].helper_count = 0
    return 0


cdef void free_team(Team* team) noexcept:
    if team.count:
        free_table(&team.searchers[0].tt)
    _dismiss(team, 0)


cdef void clear_team(Team* team) noexcept nogil:
    """Forget what earlier searches learnt (but for the table)."""
    cdef int i
    for i in range(team.count):
        clear_search(team.searchers[i])
        clear_evaluator(team.searchers[i].evaluator)


cdef int set_weights(Team* team, object values) except -1:
    """Let all evaluate with these weights. Raises ValueError, and changes nothing, if they are wrong."""
    cdef int i
    read_weights(&team.weights, values)
    for i in range(team.count):
        clear_evaluator(team.searchers[i].evaluator)
    return 0


# --- Threads ---


cdef void _share_task(Searcher* leader, Searcher* helper) noexcept nogil:
    """Give a helper the leader's root and settings; of the limits, only that of nodes, which binds all together."""
    helper.stop = False
    helper.tt = leader.tt
    helper.params = leader.params
    helper.tb = leader.tb
    helper.context = leader.context
    helper.in_main_thread = False
    helper.leader = leader
    helper.start_us = leader.start_us
    helper.limits.nodes = leader.limits.nodes
    helper.nodes = 0
    helper.multipv = leader.multipv
    helper.root_count = leader.root_count
    helper.root_restricted = leader.root_restricted
    helper.root_key = leader.root_key
    helper.stack[0].pos = leader.stack[0].pos
    memcpy(helper.root_moves, leader.root_moves, leader.root_count * sizeof(RootMove))
    memcpy(helper.keys, leader.keys, leader.root_key * sizeof(Key))


cdef void _help(void* helper) noexcept nogil:
    """The life of a helper's thread. It may not touch the searcher once it has said that it is finished."""
    run_helper(<Searcher*>helper)
    PyThread_release_lock((<Searcher*>helper).finished)


cdef void start_helpers(Team* team) noexcept:
    """Start the threads beside the main one, whose root is set; fewer if the system refuses. Call with the GIL."""
    cdef Searcher* leader = team.searchers[0]
    cdef Searcher* helper
    cdef size_t stack_bytes
    cdef int i
    leader.helpers = &team.searchers[1]
    leader.helper_count = team.count - 1
    leader.root_depth = 0
    if team.count == 1:
        return
    for i in range(1, team.count):
        team.searchers[i].number = i
        _share_task(leader, team.searchers[i])
    stack_bytes = PyThread_get_stacksize()
    PyThread_set_stacksize(STACK_BYTES)  # where that cannot be, the system's own size has to do
    for i in range(1, team.count):
        helper = team.searchers[i]
        PyThread_acquire_lock(helper.finished, NOWAIT_LOCK)
        if <unsigned long>PyThread_start_new_thread(_help, helper) == PYTHREAD_INVALID_THREAD_ID:
            PyThread_release_lock(helper.finished)
            leader.helper_count = i - 1
            break
    PyThread_set_stacksize(stack_bytes)


cdef void end_helpers(Team* team) noexcept nogil:
    """Stop the helpers and wait for them. Their node counts stay to be read."""
    cdef Searcher* leader = team.searchers[0]
    cdef int i
    stop_helpers(leader)
    for i in range(leader.helper_count):
        PyThread_acquire_lock(leader.helpers[i].finished, WAIT_LOCK)
        PyThread_release_lock(leader.helpers[i].finished)
