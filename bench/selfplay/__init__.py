# SPDX-License-Identifier: GPL-3.0-or-later
"""`coachwhip selfplay`: labelled positions from games of coachwhip against itself."""
