# SPDX-License-Identifier: GPL-3.0-or-later
"""What a match tells about an engine while it searches: that it does not stop where it was asked to.

Neither loses the game; what does are the faults of `game`, which each finished game's line names.
"""

from collections.abc import Callable
from typing import NamedTuple

OVERSTEP = "node limit overstepped"
SLOW = "no answer yet"
TOLERANCE = 1.1  # of a node limit: engines look at their count now and then


class Notice(NamedTuple):
    """Something that an engine does in a search; each kind is told at most once in a search."""

    engine: str
    kind: str  # OVERSTEP or SLOW
    asked: str  # the `go` command
    did: str  # as a sentence continues: "it has ..."


Tell = Callable[[Notice], None]  # may be called from any thread


def ignore(_notice: Notice) -> None:
    """For those who want the games alone."""


def sentence(notice: Notice, game: int) -> str:
    """The notice for a person; games count from 1."""
    return f"warning: game {game}: {notice.engine}: {notice.kind}: asked {notice.asked!r}, it {notice.did}"
