# SPDX-License-Identifier: GPL-3.0-or-later
"""`coachwhip lab`: what each technique of the search saves, and what it gives up."""
