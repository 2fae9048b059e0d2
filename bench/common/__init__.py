# SPDX-License-Identifier: GPL-3.0-or-later
"""What several measuring tools share."""
