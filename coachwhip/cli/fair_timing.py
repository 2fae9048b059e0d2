# SPDX-License-Identifier: GPL-3.0-or-later
"""Keeps this process from distorting the times of engines that it measures."""

import gc
import sys

SWITCH_INTERVAL = 0.0005  # seconds; Python's default would let one thread delay another's clock by 5 ms


def fair_timing() -> None:
    """Keep this process from delaying the clocks of engines: what holds its threads up is charged to the engine that thinks.

    The threads take short turns. The garbage collector, which stops all of them, passes over what is there already: to look
    through the modules of a match takes 10 ms, and through some 600 games took 130 ms.
    """
    gc.collect()
    gc.freeze()
    sys.setswitchinterval(SWITCH_INTERVAL)
