# SPDX-License-Identifier: GPL-3.0-or-later
"""What learning needs from the core, and nobody else: packed positions, recorded games, features, the gradient, and AdamW."""
