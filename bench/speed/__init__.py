# SPDX-License-Identifier: GPL-3.0-or-later
"""`coachwhip speed`: perft, nodes per second and start-up, as ratios between engines measured in turn."""
