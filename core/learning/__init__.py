# SPDX-License-Identifier: GPL-3.0-or-later
"""What only learning needs of the core: packed positions, recorded games, features, gradient, AdamW."""
