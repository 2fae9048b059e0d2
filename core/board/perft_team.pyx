# SPDX-License-Identifier: GPL-3.0-or-later
# distutils: extra_compile_args = -Og
"""Makes the tasks of a perft, and the threads that count them.

The thread that calls counts too, and it alone asks whether to stop. The others are threads of the system, started through
Python's portable interface for one count; they need neither Python code nor the GIL. A task is some thousand to some million
leaves, so a lock costs nothing.
"""

from cpython.pythread cimport (
    NOWAIT_LOCK,
    WAIT_LOCK,
    PyThread_acquire_lock,
    PyThread_allocate_lock,
    PyThread_free_lock,
    PyThread_release_lock,
    PyThread_start_new_thread,
)
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memset

from .perft cimport ASK_INTERVAL_US, perft, perft_child, perft_children, perft_stored
from .perft_table cimport free_perft_table, make_perft_table, perft_key, perft_key_after

cdef extern from "pythread.h":
    const unsigned long PYTHREAD_INVALID_THREAD_ID
    int PyThread_acquire_lock_timed(void* lock, long long microseconds, int intr_flag) nogil

cdef enum:
    TASKS_PER_THREAD = 64  # at least, so that no thread counts for long when the others have nothing left
    LEAST_TASK_DEPTH = 3  # no task is cut below that
    SEPARATION = 128  # two cache lines, which processors fetch in pairs: two threads must not share them

cdef struct Helper:
    PerftWatch watch
    PerftTeam* team
    void* finished  # held while the thread runs
    char[SEPARATION] apart


# --- Tasks ---


cdef void _place_task(PerftTask* task, const PerftTask* parent, const BoardC* b, bint keyed) noexcept nogil:
    """Make the task of a board one ply behind another task."""
    task.b = b[0]
    task.stm = parent.stm ^ 1
    task.depth = parent.depth - 1
    task.root = parent.root
    if keyed:
        perft_key_after(&parent.b, b, &parent.key, &task.key)


cdef int _split_tasks(PerftTeam* team) except -1:
    """Replace each task by those one ply behind it. Raises MemoryError, and changes nothing."""
    cdef BoardC[MAX_MOVES] children
    cdef PerftTask* finer
    cdef size_t room = 1  # malloc(0) may be NULL
    cdef int i, j, many
    cdef int made = 0
    for i in range(team.count):
        room += perft(&team.tasks[i].b, team.tasks[i].stm, 1, NULL)
    finer = <PerftTask*>malloc(room * sizeof(PerftTask))
    if finer == NULL:
        raise MemoryError("no memory for the tasks of perft")
    for i in range(team.count):
        many = perft_children(&team.tasks[i].b, team.tasks[i].stm, children)
        for j in range(many):
            _place_task(&finer[made], &team.tasks[i], &children[j], team.table.count != 0)
            made += 1
    free(team.tasks)
    team.tasks = finer
    team.count = made
    return 0


cdef int _make_tasks(PerftTeam* team, const PositionC* pos, const Move* roots, int count, int depth, int threads) except -1:
    cdef PerftTask start
    cdef BoardC child
    cdef int i
    team.tasks = <PerftTask*>malloc((count + 1) * sizeof(PerftTask))
    team.lock = PyThread_allocate_lock()
    if team.tasks == NULL or team.lock == NULL:
        raise MemoryError("no memory for the tasks of perft")
    start.b = pos.b
    start.stm = pos.stm
    start.depth = depth
    perft_key(&start.b, start.stm, &start.key)
    for i in range(count):
        perft_child(&pos.b, pos.stm, roots[i], &child)
        start.root = i
        _place_task(&team.tasks[i], &start, &child, True)
    team.count = count
    depth -= 1
    while team.count and team.count < TASKS_PER_THREAD * threads and depth > LEAST_TASK_DEPTH:
        _split_tasks(team)
        depth -= 1
    for i in range(team.count):
        team.left[team.tasks[i].root] += 1
    return 0


cdef int make_perft_team(
    PerftTeam* team, const PositionC* pos, const Move* roots, int count, int depth, int threads, int mb
) except -1:
    """Prepare to count `depth` plies (at least 1) behind the legal moves `roots`, with a table of `mb` MB (0: none).

    Raises ValueError or MemoryError. The caller must free it in every case.
    """
    memset(team, 0, sizeof(PerftTeam))
    make_perft_table(&team.table, mb)
    return _make_tasks(team, pos, roots, count, depth, threads)


cdef void free_perft_team(PerftTeam* team) noexcept:
    if team.lock != NULL:
        PyThread_free_lock(team.lock)
    free(team.tasks)
    free_perft_table(&team.table)


# --- Counting ---


cdef PerftTask* _take_task(PerftTeam* team) noexcept nogil:
    """The next task, NULL if there is none."""
    cdef PerftTask* task = NULL
    PyThread_acquire_lock(team.lock, WAIT_LOCK)
    if team.next < team.count and not get_int(&team.stop):
        task = &team.tasks[team.next]
        team.next += 1
    PyThread_release_lock(team.lock)
    return task


cdef void _count_tasks(PerftTeam* team, PerftWatch* watch) noexcept nogil:
    """Count one task after the other until none is left. What was counted before a stop is added too."""
    cdef PerftTask* task = _take_task(team)
    cdef uint64_t leaves
    while task != NULL:
        if team.table.count:
            leaves = perft_stored(&task.b, task.stm, task.depth, &task.key, watch)
        else:
            leaves = perft(&task.b, task.stm, task.depth, watch)
        PyThread_acquire_lock(team.lock, WAIT_LOCK)
        team.leaves[task.root] += leaves
        if not get_int(&team.stop):
            team.left[task.root] -= 1
            team.done += 1
        PyThread_release_lock(team.lock)
        task = _take_task(team)


cdef void _helper_thread(void* context) noexcept nogil:
    """The main function of a helper's thread. After releasing the lock it must touch nothing of the team."""
    cdef Helper* helper = <Helper*>context
    _count_tasks(helper.team, &helper.watch)
    PyThread_release_lock(helper.finished)


cdef int _start_helpers(PerftTeam* team, Helper* helpers, int count) noexcept:
    """Start so many threads, fewer if the system refuses. Returns how many. Needs the GIL."""
    cdef Helper* helper
    cdef int i
    for i in range(count):
        helper = &helpers[i]
        helper.team = team
        helper.watch.stop = &team.stop
        helper.watch.table = &team.table
        helper.finished = PyThread_allocate_lock()
        if helper.finished == NULL:
            return i
        PyThread_acquire_lock(helper.finished, NOWAIT_LOCK)
        if <unsigned long>PyThread_start_new_thread(_helper_thread, helper) == PYTHREAD_INVALID_THREAD_ID:
            PyThread_release_lock(helper.finished)
            PyThread_free_lock(helper.finished)
            return i
    return count


cdef void _end_helper(Helper* helper, PerftWatch* watch) noexcept nogil:
    """Wait for a thread, and go on asking whether to stop meanwhile."""
    while PyThread_acquire_lock_timed(helper.finished, ASK_INTERVAL_US, 0) == 0:
        if watch.ask != NULL and not get_int(watch.stop) and watch.ask(watch.context):
            set_int(watch.stop, True)
    PyThread_release_lock(helper.finished)
    PyThread_acquire_lock(helper.finished, WAIT_LOCK)  # once more: ThreadSanitizer does not know the wait with a time limit
    PyThread_release_lock(helper.finished)


cdef int run_perft_team(PerftTeam* team, int threads, PerftWatch* watch) except -1:
    """Count all tasks in so many threads, this one included. Raises MemoryError. Called with the GIL, which it releases.

    `team.stop` says afterwards whether `watch` has stopped it.
    """
    cdef int wanted = min(threads, team.count) - 1
    cdef Helper* helpers = <Helper*>calloc(max(wanted, 1), sizeof(Helper))
    cdef int i, started
    if helpers == NULL:
        raise MemoryError("no memory for the threads of perft")
    watch.stop = &team.stop
    watch.table = &team.table
    started = _start_helpers(team, helpers, wanted)
    with nogil:
        _count_tasks(team, watch)
        for i in range(started):
            _end_helper(&helpers[i], watch)
    for i in range(started):
        PyThread_free_lock(helpers[i].finished)
    free(helpers)
    return 0


cdef int perft_team_state(PerftTeam* team, PerftTeam* state) noexcept nogil:
    """Copy what is counted so far, all of one moment, to `state`. Returns how many root moves from the first on are complete."""
    cdef int complete = 0
    PyThread_acquire_lock(team.lock, WAIT_LOCK)
    state[0] = team[0]
    PyThread_release_lock(team.lock)
    while complete < MAX_MOVES and state.left[complete] == 0:
        complete += 1
    return complete
