# SPDX-License-Identifier: GPL-3.0-or-later
"""Learning the evaluation from positions: the data and the fit."""
