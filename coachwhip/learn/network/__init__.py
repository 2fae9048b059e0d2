# SPDX-License-Identifier: GPL-3.0-or-later
"""Trains networks: by gradient, in floats (`trainer`), and as the integers that the engine plays (`integers`)."""
