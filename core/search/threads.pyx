# SPDX-License-Identifier: GPL-3.0-or-later
# distutils: extra_compile_args = -Og
"""The memory of the searchers and the threads of the helpers.

The threads are started for each search, so none exists between searches, where the process may fork or exit. They are threads of
the system, started through Python's portable interface; they need neither Python code nor the GIL to start or end.
"""

from cpython.pythread cimport *
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy

from ..evaluate.evaluate cimport clear_evaluator, free_evaluator, new_evaluator, place_entry
from ..evaluate.layout cimport read_weights
from ..evaluate.network cimport Accumulators, free_accumulators, make_accumulators
from .root cimport *
from .tt cimport free_table

cdef extern from "pythread.h":
    const unsigned long PYTHREAD_INVALID_THREAD_ID

cdef enum:
    # Two cache lines of 64 bytes, which processors fetch in pairs: two searchers must not share them (false sharing).
    SEPARATION = 128
    STACK_BYTES = 8 << 20  # a search of MAX_PLY needs less than 1 MB; the default of some systems is 512 KB


# --- Memory ---


cdef Searcher* _new_searcher(const Weights* weights, const NetworkC* network) except NULL:
    """Return a searcher with an evaluator and a lock; all other fields are 0. Raises MemoryError."""
    cdef Searcher* s
    cdef int ply
    cdef void* memory = calloc(1, sizeof(Searcher) + 2 * SEPARATION)
    if memory == NULL:
        raise MemoryError("no memory for a searcher")
    s = <Searcher*>((<size_t>memory + SEPARATION - 1) & ~<size_t>(SEPARATION - 1))
    s.memory = memory
    s.leader = s
    for ply in range(MAX_PLY + 2):
        place_entry(&s.stack[ply].eval, &s.stack[ply].pos, &s.stack[ply - 1].eval if ply else NULL)
    try:
        s.evaluator = new_evaluator(weights, network)
        s.finished = PyThread_allocate_lock()
        if s.finished == NULL:
            raise MemoryError("no memory for a thread's lock")
    except MemoryError:
        free_evaluator(s.evaluator)
        free(memory)
        raise
    return s


cdef void _free_searchers(Team* team, int count) noexcept:
    cdef Searcher* s
    while team.count > count:
        team.count -= 1
        s = team.searchers[team.count]
        PyThread_free_lock(s.finished)
        free_evaluator(s.evaluator)
        free(s.memory)


cdef int resize_team(Team* team, int count) except -1:
    """Set the number of searchers. Raises ValueError or MemoryError, and changes nothing, if that fails."""
    cdef int before = team.count
    if not 1 <= count <= MAX_THREADS:
        raise ValueError(f"number of threads must be from 1 to {MAX_THREADS}, not {count}")
    try:
        while team.count < count:
            team.searchers[team.count] = _new_searcher(&team.weights, team.network)
            team.count += 1
    except MemoryError:
        _free_searchers(team, before)
        raise
    _free_searchers(team, count)
    team.searchers[0].helper_count = 0
    return 0


cdef void free_team(Team* team) noexcept:
    if team.count:
        free_table(&team.searchers[0].tt)
    _free_searchers(team, 0)


cdef void clear_team(Team* team) noexcept nogil:
    """Clear the histories and pawn tables of all searchers (not the tt)."""
    cdef int i
    for i in range(team.count):
        clear_histories(team.searchers[i])
        clear_evaluator(team.searchers[i].evaluator)


cdef int set_weights(Team* team, object values) except -1:
    """Set the evaluation weights of all searchers. Raises ValueError, and changes nothing, if they are wrong."""
    cdef int i
    read_weights(&team.weights, values)
    for i in range(team.count):
        clear_evaluator(team.searchers[i].evaluator)
    return 0


cdef int set_network(Team* team, const NetworkC* network) except -1:
    """Set the network of all searchers, NULL: no network. Raises MemoryError, and changes nothing, if that fails.

    The caller must keep the network, and clear what was learnt with the old one.
    """
    cdef Accumulators[MAX_THREADS] accumulators
    cdef int i
    cdef int made = 0
    try:
        while made < team.count:
            make_accumulators(&accumulators[made], network)
            made += 1
    except MemoryError:
        for i in range(made):
            free_accumulators(&accumulators[i])
        raise
    team.network = network
    for i in range(team.count):
        free_accumulators(&team.searchers[i].evaluator.accumulators)
        team.searchers[i].evaluator.accumulators = accumulators[i]
        team.searchers[i].evaluator.network = network
    return 0


# --- Threads ---


cdef void _copy_root(Searcher* leader, Searcher* helper) noexcept nogil:
    """Copy the leader's root and settings to a helper, but none of its limits."""
    helper.stop = False
    helper.tt = leader.tt
    helper.params = leader.params
    helper.tb = leader.tb
    helper.context = leader.context
    helper.in_python_main_thread = False
    helper.leader = leader
    helper.start_us = leader.start_us
    helper.nodes = 0
    helper.multipv = leader.multipv
    helper.root_count = leader.root_count
    helper.root_restricted = leader.root_restricted
    helper.root_key = leader.root_key
    helper.stack[0].pos = leader.stack[0].pos
    memcpy(helper.root_moves, leader.root_moves, leader.root_count * sizeof(RootMove))
    memcpy(helper.keys, leader.keys, leader.root_key * sizeof(Key))


cdef void _helper_thread(void* helper) noexcept nogil:
    """Run a helper's thread. After releasing the lock it must not touch the searcher."""
    run_helper(<Searcher*>helper)
    PyThread_release_lock((<Searcher*>helper).finished)


cdef inline uint64_t _share(uint64_t limit, int threads) noexcept nogil:
    """Return a helper's part of a node limit; the leader gets the rest."""
    return NO_NODE_LIMIT if limit == NO_NODE_LIMIT else limit // threads


cdef void start_helpers(Team* team) noexcept:
    """Start the helpers' threads, fewer if the system cannot start them all. The leader's root must be set. Needs the GIL."""
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
        _copy_root(leader, team.searchers[i])
        team.searchers[i].limits.nodes = _share(leader.limits.nodes, team.count)
        team.searchers[i].limits.soft_nodes = _share(leader.limits.soft_nodes, team.count)
    stack_bytes = PyThread_get_stacksize()
    PyThread_set_stacksize(STACK_BYTES)  # ignored where it is not possible
    for i in range(1, team.count):
        helper = team.searchers[i]
        PyThread_acquire_lock(helper.finished, NOWAIT_LOCK)
        if <unsigned long>PyThread_start_new_thread(_helper_thread, helper) == PYTHREAD_INVALID_THREAD_ID:
            PyThread_release_lock(helper.finished)
            leader.helper_count = i - 1
            break
    PyThread_set_stacksize(stack_bytes)
    if leader.limits.nodes != NO_NODE_LIMIT:
        leader.limits.nodes -= leader.helper_count * team.searchers[1].limits.nodes
    if leader.limits.soft_nodes != NO_NODE_LIMIT:
        leader.limits.soft_nodes -= leader.helper_count * team.searchers[1].limits.soft_nodes


cdef void end_helpers(Team* team) noexcept nogil:
    """Wait for the helpers, and stop them unless a node limit does. Their node counts can be read until the next search."""
    cdef Searcher* leader = team.searchers[0]
    cdef int i
    if leader.nodes < leader.limits.nodes:
        stop_helpers(leader)
    for i in range(leader.helper_count):
        PyThread_acquire_lock(leader.helpers[i].finished, WAIT_LOCK)
        PyThread_release_lock(leader.helpers[i].finished)
