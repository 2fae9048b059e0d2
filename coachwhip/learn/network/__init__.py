# SPDX-License-Identifier: GPL-3.0-or-later
"""Trains networks: in floats (layers), by gradient (train), and as the integers that the engine plays (file)."""
