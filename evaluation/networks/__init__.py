# SPDX-License-Identifier: GPL-3.0-or-later
"""The networks that come with coachwhip: `NETWORK` in a weights file names one.

core/evaluate/network_file.pxd describes their files.
"""
