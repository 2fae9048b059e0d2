# SPDX-License-Identifier: GPL-3.0-or-later
"""The weights as Python sees them."""

from .weights cimport *

cdef int read_weights(Weights* out, object values) except -1
