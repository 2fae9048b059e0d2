# SPDX-License-Identifier: GPL-3.0-or-later
"""Commands that learn from games: `selfplay` makes them; `train`, `tune` and `spsa` fit networks, weights and numbers."""
