# SPDX-License-Identifier: GPL-3.0-or-later
"""`coachwhip spsa`: tune numbers of the search by games of coachwhip against itself."""
