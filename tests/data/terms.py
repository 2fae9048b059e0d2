# SPDX-License-Identifier: GPL-3.0-or-later
"""The shipped weights without their network."""

NETWORK = ""
