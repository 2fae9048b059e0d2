# SPDX-License-Identifier: GPL-3.0-or-later
"""Games to search, each one a file: rules stated exactly, and what is known about their values."""
