# SPDX-License-Identifier: GPL-3.0-or-later
"""The compiled core: rules, evaluation and search. Python programs use `engine`; nothing is imported here."""
