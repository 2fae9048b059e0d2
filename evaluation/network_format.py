# SPDX-License-Identifier: GPL-3.0-or-later
"""The numbers of a network's file for the code that trains networks. core/evaluate reads such files, and checks them by the same numbers."""

FIRST_LINE = b"coachwhip network 1\n"
INPUTS = 768  # of the first layer, for each side
HIDDEN_STEP = 16  # the number of hidden units is a multiple of it
MAX_HIDDEN = 512
MAX_MEN = 32
QA = 255  # an activation's 1.0
QB = 64  # an output weight's 1.0
MAX_OUTPUT_WEIGHT = 127  # times QA it fits in 16 bits
MAX_SIZE = 1 << 20  # bytes of a file, more than the largest network has
