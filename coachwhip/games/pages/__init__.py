# SPDX-License-Identifier: GPL-3.0-or-later
"""Games and their scores, and the HTML page that shows them on a board, for all commands with games.

`study` holds a game, the scores of its positions and the judgements of its moves (`judge` has the formulas); `board_page` makes the page
of any number of studies.
"""
