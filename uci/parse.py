# SPDX-License-Identifier: GPL-3.0-or-later
"""Text from a GUI -> values: pure functions that accept any text and know no chess.

Words end at blanks and tabs only, and numbers are ASCII digits: Python's `split` and `int` accept U+2028,
`1_000` and Arabic digits.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from ..text import nearest, shorten

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container

MAX_NAMED = 8  # errors and words that one message names at most
MAX_MS = 2**31 - 1  # 24 days; longer times are clamped to this

# The fields of `go` that take a number, and the range it is clamped to.
GO_NUMBERS: dict[str, tuple[int, int]] = {
    "wtime": (-MAX_MS, MAX_MS),
    "btime": (-MAX_MS, MAX_MS),
    "winc": (0, MAX_MS),
    "binc": (0, MAX_MS),
    "movestogo": (0, 10_000),
    "depth": (1, 10_000),
    "nodes": (1, 2**62),
    "mate": (1, 10_000),
    "movetime": (1, MAX_MS),
    "perft": (0, 20),
}
GO_KEYWORDS = frozenset({*GO_NUMBERS, "searchmoves", "ponder", "infinite"})


class UserError(ValueError):
    """A request that cannot be carried out; the message is for the user."""


@dataclass
class SearchRequest:
    """The fields of a `go`; None or empty without the field.

    Times in milliseconds, depth in plies, mate in moves.
    """

    searchmoves: list[str] = field(default_factory=list)
    ponder: bool = False
    infinite: bool = False
    wtime: int | None = None
    btime: int | None = None
    winc: int | None = None
    binc: int | None = None
    movestogo: int | None = None
    depth: int | None = None
    nodes: int | None = None
    mate: int | None = None
    movetime: int | None = None
    perft: int | None = None

    def is_bounded(self) -> bool:
        """Return whether one of the limits is sure to be reached (a mate may never be found)."""
        limits = (self.depth, self.nodes, self.movetime, self.wtime, self.btime, self.perft)
        return any(limit is not None for limit in limits)

    def ends_by_itself(self) -> bool:
        """Return whether the search is sure to end without a `stop`."""
        return self.is_bounded() and not (self.infinite or self.ponder)


def decode_line(raw: bytes) -> str:
    """Return one line of input as text, without its end.

    Never fails: Cute Chess sends Latin-1, all others UTF-8.
    """
    raw = raw.removeprefix(b"\xef\xbb\xbf").replace(b"\0", b"").rstrip(b"\r\n")
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw.decode("latin-1")


def split_words(text: str) -> list[str]:
    """Return the words between blanks and tabs."""
    return [word for word in text.replace("\t", " ").split(" ") if word]


def split_command(text: str, first: Container[str], anywhere: Container[str]) -> tuple[str, str]:
    """Return the command in a line, "" if there is none, and the text after it.

    Both are empty for a blank line or a `#` comment. A name in `first` counts as the first word only; one in
    `anywhere` also after unknown words, as UCI demands (`joho debug on`).
    """
    words = text.replace("\t", " ").strip(" \r\n").split(" ")
    if not words[0] or words[0].startswith("#"):
        return "", ""
    for index, word in enumerate(words):
        if word in anywhere or (index == 0 and word in first):
            return word, " ".join(words[index + 1 :]).strip(" ")
    return "", " ".join(words)


def leading_int(word: str) -> tuple[int | None, str]:
    """Return the number at the start of a word, None if there is none, and the rest: `100.0` -> 100, `.0`."""
    match = re.match(r"([-+]?)0*([0-9]{1,18})[0-9]*", word)
    return (int(match[1] + match[2]), word[match.end() :]) if match else (None, word)


def parse_go(rest: str) -> tuple[SearchRequest, str]:
    """Return the request of the text after `go`, and a message about ignored words and fields ("" if none).

    Raises UserError for `perft` without a depth: without that field it would be an infinite search.
    """
    request = SearchRequest()
    faults: list[str] = []
    unknown: list[str] = []
    words = split_words(rest)[::-1]  # the next one is the last
    while words:
        word = words.pop()
        fault = ""
        if word in ("ponder", "infinite"):
            setattr(request, word, True)
        elif word == "searchmoves":
            while words and words[-1] not in GO_KEYWORDS:
                request.searchmoves.append(words.pop().lower())
        elif word not in GO_NUMBERS:
            unknown.append(word)
        elif not words or words[-1] in GO_KEYWORDS:
            fault = f"{word} (no value)"
        else:
            number, following = leading_int(words.pop())
            if number is None:
                fault = f"{word} '{shorten(following)}' (not a whole number)"
            else:
                lowest, highest = GO_NUMBERS[word]
                setattr(request, word, min(max(number, lowest), highest))
                if following:
                    words.append(following)
        if fault and word == "perft":
            raise UserError(f"perft: expected a depth, found {fault}")
        if fault:
            faults.append(fault)
    if unknown:
        near = next(filter(None, (nearest(word, GO_KEYWORDS) for word in unknown[:MAX_NAMED])), "")
        faults.append(
            f"'{shorten(' '.join(unknown[:MAX_NAMED]))}' (unknown{f'; did you mean {near}?' if near else ''})"
        )
    return request, f"go: ignored {', '.join(faults[-MAX_NAMED:])}" if faults else ""


def parse_position(rest: str) -> tuple[str | None, list[str]]:
    """Return the FEN after `position`, None for the start position, and the moves.

    Raises UserError for other text.
    """
    start, _, moves = f" {' '.join(split_words(rest))} ".partition(" moves ")
    kind, _, fen = start.strip(" ").partition(" ")
    if (kind == "fen" and fen) or (kind == "startpos" and not fen):
        return fen or None, split_words(moves.lower())
    if kind == "fen":
        raise UserError("position fen: the FEN is missing")
    if kind == "startpos":
        raise UserError(f"position startpos: expected 'moves', not '{shorten(fen.partition(' ')[0])}'")
    problem = f"not '{shorten(kind)}'" if kind else "nothing follows"
    raise UserError(f"position: expected 'startpos' or 'fen', {problem}")


def parse_setoption(rest: str) -> tuple[str, str | None]:
    """Return the name after `setoption`, and the value, None without one. Both may contain blanks.

    Raises UserError.
    """
    padded = f" {rest} ".replace("\t", " ")
    head, has_value, value = padded.partition(" value ")
    words = split_words(head)
    if words[:1] != ["name"]:
        raise UserError("setoption: expected 'name'")
    if len(words) == 1:
        raise UserError("setoption: the option's name is missing")
    return " ".join(words[1:]), value.strip(" ") if has_value else None
