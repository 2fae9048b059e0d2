# SPDX-License-Identifier: GPL-3.0-or-later
# Types only: the docstrings are in cpu.pyx.

LEVELS: list[str]  # of this build, the best last; empty for a build for one kind of processor
LACKING: list[str]  # what the levels, or such a build, need and this processor lacks
