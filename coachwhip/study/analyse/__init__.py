# SPDX-License-Identifier: GPL-3.0-or-later
"""`coachwhip analyse`: judges the moves of the games in PGN files, and writes annotated games and a report.

`coach` analyses a game with the engine and writes into it; `pages` makes the page.
"""
