# SPDX-License-Identifier: GPL-3.0-or-later
"""The search: root, nodes, move ordering, histories, transposition table, threads."""
