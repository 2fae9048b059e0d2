# SPDX-License-Identifier: GPL-3.0-or-later
"""`coachwhip suite`: test positions with known answers."""
