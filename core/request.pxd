# SPDX-License-Identifier: GPL-3.0-or-later
"""What a search is asked for, copied from Python to its `Searcher`."""

from coachwhip.core.position cimport Position  # absolute: Cython takes .position for board/position
from .search.searcher cimport Searcher

cdef int set_root(Searcher* s, Position position, list groups) except -1
