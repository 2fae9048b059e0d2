# SPDX-License-Identifier: GPL-3.0-or-later
"""Trains networks: in floats by gradient (`trainer`), and as the engine's integers (`integers`)."""
