# SPDX-License-Identifier: GPL-3.0-or-later
"""Games to search, one in each file: exact rules, and known facts about their values."""
