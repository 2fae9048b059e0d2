# SPDX-License-Identifier: GPL-3.0-or-later
"""What a position is worth without a search. `evaluate` is the one door; nothing outside knows how a score comes about."""
