# SPDX-License-Identifier: GPL-3.0-or-later
# distutils: extra_compile_args = -Og
"""Clocks and limits, which are checked only once in many nodes."""

from ..board.position cimport now_us

cdef enum:
    POLL_INTERVAL = 256  # nodes between two polls: well under a millisecond
    SIGNALS_INTERVAL_US = 20000  # between two REPORT_SIGNALS


cdef int64_t elapsed_us(const Searcher* s) noexcept nogil:
    return now_us() - s.start_us


cdef uint64_t total_nodes(const Searcher* s) noexcept nogil:
    """Return the nodes of all threads; the counts of other threads may be slightly out of date."""
    cdef const Searcher* leader = s.leader
    cdef uint64_t total = get_word(&leader.nodes)
    cdef int i
    for i in range(leader.helper_count):
        total += get_word(&leader.helpers[i].nodes)
    return total


cdef uint64_t total_tb_hits(const Searcher* s) noexcept nogil:
    """Return the tablebase hits of all threads."""
    cdef const Searcher* leader = s.leader
    cdef uint64_t total = get_word(&leader.tb.hits)
    cdef int i
    for i in range(leader.helper_count):
        total += get_word(&leader.helpers[i].tb.hits)
    return total


cdef void stop_helpers(const Searcher* leader) noexcept nogil:
    cdef int i
    for i in range(leader.helper_count):
        set_int(&leader.helpers[i].stop, True)


cdef bint _time_is_up(Searcher* s) noexcept nogil:
    """Return whether the leader's hard limit has passed.

    Helpers check it too: with more threads than processors the leader may be waiting for a processor.
    """
    cdef const Searcher* leader = s.leader
    if get_int(&leader.pondering) and not get_int(&leader.ponderhit):
        return False
    return leader.limits.hard_us != 0 and now_us() - leader.start_us >= leader.limits.hard_us


cdef void poll(Searcher* s) noexcept nogil:
    """Check the limits that need no check at every node, and set the node count of the next poll."""
    cdef uint64_t soft = max(s.limits.soft_nodes, s.nodes + 1) if s.nodes <= s.grace else s.limits.soft_nodes
    cdef uint64_t limit = min(s.limits.nodes, soft)
    s.next_poll = min(s.nodes + POLL_INTERVAL, limit)
    if s.nodes >= limit:
        s.aborted = True
    if s.nodes <= s.grace:
        return
    if s.pondering and get_int(&s.ponderhit):
        set_int(&s.pondering, False)
    if get_int(&s.leader.stop) or _time_is_up(s):
        s.aborted = True
        stop_helpers(s.leader)
    if s.in_python_main_thread and now_us() >= s.next_signals_us:
        s.next_signals_us = now_us() + SIGNALS_INTERVAL_US
        s.report(s, s.context, REPORT_SIGNALS)
