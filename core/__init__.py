# SPDX-License-Identifier: GPL-3.0-or-later
"""The compiled rules, evaluation and search. `engine` is its only Python face; nothing is imported here."""
