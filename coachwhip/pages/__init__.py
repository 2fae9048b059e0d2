# SPDX-License-Identifier: GPL-3.0-or-later
"""What is drawn: the HTML pages and charts of all commands. Knows no engine.

`board_page` makes the page that shows any number of games, each a `coach.study.AnalysedGame`, on a board.
"""
