# SPDX-License-Identifier: GPL-3.0-or-later
"""The weights of the evaluation, their loader, the table that `eval` prints, and in learn/ the fit of the weights."""
