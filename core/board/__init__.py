# SPDX-License-Identifier: GPL-3.0-or-later
"""The board and its rules: squares, attacks, positions, legal moves, static exchange evaluation, perft."""
