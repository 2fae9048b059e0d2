# SPDX-License-Identifier: GPL-3.0-or-later
"""`coachwhip analyse`: analyses the games of PGN files, judges every move, and writes the annotated games and a report.

`study` analyses a game with the engine and writes into it, `judge` has the formulas, `report` writes the HTML page.
"""
