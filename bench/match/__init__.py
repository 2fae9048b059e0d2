# SPDX-License-Identifier: GPL-3.0-or-later
"""`coachwhip match`: games between engines, and what they say about strength."""
