# SPDX-License-Identifier: GPL-3.0-or-later
"""`coachwhip match`: games between engines, and the rating differences that they show."""
