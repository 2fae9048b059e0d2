# SPDX-License-Identifier: GPL-3.0-or-later
"""What is said of a game: scores, judgements and reasons. Knows no HTML.

`study` holds a game, the scores of its positions and the judgements of its moves (`judge` has the formulas);
`analyst` fills it. Why a move is bad goes from `line` and `motifs` through `claims` and `verdict` to `words`,
which alone has English.
"""
