# SPDX-License-Identifier: GPL-3.0-or-later
"""`coachwhip analyse`: analyses the games of PGN files, judges every move, and writes the annotated games and a report.

`games/pages` analyses a game with the engine, writes into it, and makes the page.
"""
