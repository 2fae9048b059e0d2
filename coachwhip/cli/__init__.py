# SPDX-License-Identifier: GPL-3.0-or-later
"""What all commands share: command lines, files and journals, pools and progress."""
