# SPDX-License-Identifier: GPL-3.0-or-later
"""Commands that learn: `selfplay` makes games; `train`, `tune`, `spsa` fit networks, weights and numbers."""
