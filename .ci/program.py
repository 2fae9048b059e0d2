# SPDX-License-Identifier: GPL-3.0-or-later
"""The script from which PyInstaller makes the program `coachwhip` (docs/building.md).

Outside coachwhip/, so that it takes the installed one.
"""

import sys

from coachwhip.__main__ import main

sys.exit(main())
