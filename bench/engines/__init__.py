# SPDX-License-Identifier: GPL-3.0-or-later
"""UCI engines for the measuring tools: their command-line options, the client, and builds of coachwhip."""
