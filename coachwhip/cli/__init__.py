# SPDX-License-Identifier: GPL-3.0-or-later
"""What every command stands on: its command line, files and journals, pools and progress."""
