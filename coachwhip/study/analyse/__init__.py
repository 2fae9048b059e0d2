# SPDX-License-Identifier: GPL-3.0-or-later
"""`coachwhip analyse`: analyses the games of PGN files, judges every move, and writes the annotated games and a report.

`coach` analyses a game with the engine and writes into it; `pages` makes the page.
"""
