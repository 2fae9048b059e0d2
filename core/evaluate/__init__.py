# SPDX-License-Identifier: GPL-3.0-or-later
"""Static evaluation. Other folders call it through `evaluate.evaluate` only and do not know how it computes a score."""
