# SPDX-License-Identifier: GPL-3.0-or-later
"""`coachwhip analyse`: looks at the games of a PGN file, judges every move, and writes down what it found.

`study` lets the engine look at a game, `judge` holds the formulas, `annotate` writes into the game, `report` makes the HTML page.
"""
