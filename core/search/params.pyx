# SPDX-License-Identifier: GPL-3.0-or-later
# distutils: extra_compile_args = -Og
"""Fills `SearchParams` from tunables.py and the changes of a user."""

from libc.math cimport log

from ..tunables import TUNABLES, with_needs


cdef dict _checked(dict changes):
    """Return the defaults with `changes` applied, in the order of `Params`.

    Raises ValueError for an unknown name, a value out of range, or if the rows of tunables.py are not those of the build.
    """
    values = {row[0]: row[1] for row in TUNABLES}
    built = names_when_built().split()
    differing = sorted(set(values).symmetric_difference(built))
    if differing:
        raise ValueError(f"core/tunables.py is not the one that the core was built with ({', '.join(differing)}): build again")
    ranges = {row[0]: (row[2], row[3]) for row in TUNABLES}
    for name, value in changes.items():
        if name not in values:
            raise ValueError(f"no tunable is called {name!r}")
        low, high = ranges[name]
        if not isinstance(value, int) or not low <= value <= high:
            raise ValueError(f"tunable {name} must be a whole number from {low} to {high}, not {value!r}")
        values[name] = int(value)
    effective = with_needs(values)
    return {name: effective[name] for name in built}


cdef int fill_params(SearchParams* out, dict changes) except -1:
    cdef int depth, move, row, value
    for row, value in enumerate(_checked(changes).values()):
        (<int*>&out.p)[row] = value
    for depth in range(LMR_SIZE):
        for move in range(LMR_SIZE):
            out.lmr[depth][move] = 0
            if depth and move:
                out.lmr[depth][move] = <int>(out.p.lmr_base + log(depth) * log(move) * 10000.0 / out.p.lmr_divisor)
    out.see_value[PAWN] = out.p.see_pawn
    out.see_value[KNIGHT] = out.p.see_knight
    out.see_value[BISHOP] = out.p.see_bishop
    out.see_value[ROOK] = out.p.see_rook
    out.see_value[QUEEN] = out.p.see_queen
    out.see_value[KING] = 0
    out.see_value[NO_PIECE] = 0
    return 0
