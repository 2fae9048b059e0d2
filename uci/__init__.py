# SPDX-License-Identifier: GPL-3.0-or-later
"""The Universal Chess Interface: text in, text out, without chess rules."""
