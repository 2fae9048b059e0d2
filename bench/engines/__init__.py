# SPDX-License-Identifier: GPL-3.0-or-later
"""The UCI engines that the measuring tools start: what they are, how they are talked to, watched and ended."""
