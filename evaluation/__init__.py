# SPDX-License-Identifier: GPL-3.0-or-later
"""The weights of the evaluation, their loader, and the table that `eval` prints."""
