# SPDX-License-Identifier: GPL-3.0-or-later
"""`coachwhip selfplay`: games of coachwhip against itself, with the scores of their positions."""
