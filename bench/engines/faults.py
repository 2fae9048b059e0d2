# SPDX-License-Identifier: GPL-3.0-or-later
"""The names of faults of engines, in reports and files."""

from ...cli.command import CommandError

TIME_LOSS = "time loss"
ILLEGAL_MOVE = "illegal move"
CRASH = "crash"
STALL = "stall"
NO_START = "no start"


class StartError(CommandError):
    """An engine that cannot be used at all."""


class EngineFault(Exception):
    """A fault of an engine: `reason` is one of the words above, `detail` is for the user."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason = reason
        self.detail = detail
