# SPDX-License-Identifier: GPL-3.0-or-later
"""Looking at clocks and limits: seldom, so not in the node functions themselves."""

from ..board.position cimport now_us

cdef enum:
    POLL_INTERVAL = 1024  # nodes between looks at the clock: well under a millisecond
    HURRIED_INTERVAL = 128  # where the hard limit is this near:
    HURRY_US = 10000
    ALIVE_INTERVAL_US = 20000  # between two REPORT_ALIVE


cdef int64_t elapsed_us(const Searcher* s) noexcept nogil:
    return now_us() - s.start_us


cdef uint64_t total_nodes(const Searcher* s) noexcept nogil:
    """Nodes of all threads; those of the others are a moment old."""
    cdef const Searcher* leader = s.leader
    cdef uint64_t total = (<const volatile uint64_t*>&leader.nodes)[0]
    cdef int i
    for i in range(leader.helper_count):
        total += (<const volatile uint64_t*>&leader.helpers[i].nodes)[0]
    return total


cdef uint64_t total_tb_hits(const Searcher* s) noexcept nogil:
    """Answers of the endgame tables to all threads."""
    cdef const Searcher* leader = s.leader
    cdef uint64_t total = (<const volatile uint64_t*>&leader.tb.hits)[0]
    cdef int i
    for i in range(leader.helper_count):
        total += (<const volatile uint64_t*>&leader.helpers[i].tb.hits)[0]
    return total


cdef void stop_helpers(const Searcher* leader) noexcept nogil:
    cdef int i
    for i in range(leader.helper_count):
        leader.helpers[i].stop = True


cdef bint _time_is_up(Searcher* s) noexcept nogil:
    """Whether the leader's hard limit has passed.

    Helpers ask as well: with more threads than processors the leader gets one the sooner the sooner they end.
    """
    cdef const Searcher* leader = s.leader
    if (<const volatile bint*>&leader.pondering)[0] and not leader.ponderhit:
        return False
    return leader.limits.hard_us != 0 and now_us() - leader.start_us >= leader.limits.hard_us


cdef void poll(Searcher* s) noexcept nogil:
    """Look at the limits that need no look at every node, and set when to look again."""
    cdef uint64_t limit = s.limits.nodes
    cdef uint64_t total, share
    s.next_poll = s.nodes + (HURRIED_INTERVAL if 0 < s.leader.limits.hard_us < HURRY_US else POLL_INTERVAL)
    if limit:
        total = total_nodes(s)
        share = (limit - total) // (s.leader.helper_count + 1) if limit > total else 0  # what is left is used up by all threads
        if share < POLL_INTERVAL:
            s.next_poll = s.nodes + (share if share else 1)
        if total >= limit and s.nodes > s.grace:
            s.aborted = True
    if s.nodes <= s.grace:
        return
    if s.pondering and s.ponderhit:
        s.pondering = False
    if s.leader.stop or _time_is_up(s):
        s.aborted = True
        stop_helpers(s.leader)
    if s.in_main_thread and now_us() >= s.next_alive_us:
        s.next_alive_us = now_us() + ALIVE_INTERVAL_US
        s.report(s, s.context, REPORT_ALIVE)
