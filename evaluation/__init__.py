# SPDX-License-Identifier: GPL-3.0-or-later
"""The brain's configuration: weights, their loader, and the table behind `eval`."""
