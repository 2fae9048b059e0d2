# SPDX-License-Identifier: GPL-3.0-or-later
"""`coachwhip analyse`: analyses the games of PGN files, judges every move, and writes the annotated games and a report.

`study` analyses a game with the engine, `judge` has the formulas, `annotate` writes into the game, `report` writes the HTML page.
"""
