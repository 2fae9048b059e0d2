# SPDX-License-Identifier: GPL-3.0-or-later
"""Fits the weights of the terms: the evaluation as their function, the fit, and the new weights file."""
