# SPDX-License-Identifier: GPL-3.0-or-later
"""The script from which PyInstaller makes the program `coachwhip` (docs/building.md, "A program without Python").

This folder is no package, so that PyInstaller takes the installed coachwhip and not the checkout around this file.
"""

import sys

from coachwhip.__main__ import main

sys.exit(main())
