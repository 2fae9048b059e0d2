# SPDX-License-Identifier: GPL-3.0-or-later
"""Games as data and as pages: PGN, FEN and openings, rules and clocks, the built-in data, and the page with boards."""
