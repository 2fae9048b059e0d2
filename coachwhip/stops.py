# SPDX-License-Identifier: GPL-3.0-or-later
"""The signals that end a command: Ctrl-C, a polite kill, and the end of the terminal. Apart, since each command needs them at its start."""

import signal

STOPS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]  # Windows has no SIGHUP
