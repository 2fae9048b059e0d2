# SPDX-License-Identifier: GPL-3.0-or-later
"""Keeps this process from distorting engine times."""

import gc
import sys

SWITCH_INTERVAL = 0.0005  # seconds; Python's default would let one thread delay another's clock by 5 ms


def fair_timing() -> None:
    """Let threads switch often, and the garbage collector skip existing objects.

    Any delay here is charged to the engine that thinks.

    A collection stops all threads: 10 ms for the modules of a match, 130 ms with some 600 games.
    """
    gc.collect()
    gc.freeze()
    sys.setswitchinterval(SWITCH_INTERVAL)
