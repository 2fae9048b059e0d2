# SPDX-License-Identifier: GPL-3.0-or-later
"""The search and what it remembers: tables, histories, move order, threads."""
