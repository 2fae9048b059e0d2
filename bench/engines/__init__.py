# SPDX-License-Identifier: GPL-3.0-or-later
"""UCI engines for the measuring tools: which to run, the client that talks to them, their clocks, and builds of ourselves."""
