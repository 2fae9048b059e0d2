# SPDX-License-Identifier: GPL-3.0-or-later
"""Games as data: PGN, FEN and openings, rules and clocks, and the built-in data."""
