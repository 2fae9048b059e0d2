# SPDX-License-Identifier: GPL-3.0-or-later
"""Measuring tools, each a subcommand of `coachwhip` with `main(argv) -> int`.

They may use everything; nothing uses them.
"""
