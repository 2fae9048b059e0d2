# SPDX-License-Identifier: GPL-3.0-or-later
"""SIGINT, SIGTERM, SIGHUP: the signals that end a command.

A module of its own because it must load quickly.
"""

import signal

# Windows has no SIGHUP.
STOPS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
