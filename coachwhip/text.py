# SPDX-License-Identifier: GPL-3.0-or-later
"""Plain text from outside and for messages. Imports nothing of coachwhip, so every module may import it."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

LONGEST_REASON = 200  # characters of the text of an error
# line ends, blanks and joiners: `isprintable` rejects them
OF_A_TEXT = "\n\t\u00a0\u2007\u202f\u3000\u200c\u200d"
CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
LIKENESS = 0.75  # difflib's ratio from which on a name may be the one that was meant


def printable(text: str, kept: str = "") -> str:
    """Make text safe for a terminal: control characters, direction marks and lone surrogates become `?`.

    `kept`: exceptions; OF_A_TEXT for a text of several lines.
    """
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() or char in kept else "?" for char in text)


def storable(text: str) -> str:
    """Make text safe for a file: control characters and lone surrogates become `?`."""
    return CONTROLS.sub("?", text)


def shorten(text: str, limit: int = 60) -> str:
    """Return text from outside for a message: at most `limit` characters."""
    return printable(text[:limit]) + ("..." if len(text) > limit else "")


def counted(number: int, thing: str) -> str:
    """Return `1 game`, `2 games`."""
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def reason(error: BaseException) -> str:
    """Return the text of an error for a message, shortened: it may quote a field or a move of any length."""
    return shorten(str(error), LONGEST_REASON)


def parse_int(word: str) -> int | None:
    """Return a whole number of at most 18 ASCII digits, with or without a minus sign; None for other text."""
    return int(word) if re.fullmatch(r"-?[0-9]{1,18}", word) else None


def nearest(name: str, names: Iterable[str]) -> str:
    """Return the nearest of `names` to `name`, ignoring case; "" if none is similar."""
    from difflib import get_close_matches  # loaded only for a message about a mistake

    by_lower = {known.lower(): known for known in names}
    matches = get_close_matches(name[:60].lower(), by_lower, 1, LIKENESS)
    return by_lower[matches[0]] if matches else ""
