# SPDX-License-Identifier: GPL-3.0-or-later
"""Static evaluation. `evaluate` computes the scores; code in other folders does not depend on how."""
