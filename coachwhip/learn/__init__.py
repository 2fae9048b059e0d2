# SPDX-License-Identifier: GPL-3.0-or-later
"""Commands that learn from games: `selfplay` makes them; `train`, `tune`, `spsa` and `wdl-fit` fit networks, weights and numbers."""
