# SPDX-License-Identifier: GPL-3.0-or-later
"""For those who play, and who learn chess or search: `play`, `analyse`, `lab` and `reference`."""
