# SPDX-License-Identifier: GPL-3.0-or-later
"""The words for what engines do wrong, in reports and files."""

from ..common.command import CommandError

TIME_LOSS = "time loss"
ILLEGAL_MOVE = "illegal move"
CRASH = "crash"
STALL = "stall"
NO_START = "no start"


class StartError(CommandError):
    """An engine that cannot be used at all."""


class EngineFault(Exception):
    """An engine did something wrong: `reason` is one of the words above, `detail` says what happened."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason = reason
        self.detail = detail
