# SPDX-License-Identifier: GPL-3.0-or-later
"""Text from a GUI -> values: pure functions that accept any text and know no chess.

Python's `split` and `int` accept too much for a protocol (U+2028 as a blank, `1_000` and Arabic digits as
numbers). So here words end at blanks and tabs only, and numbers are ASCII digits.
"""

from __future__ import annotations

from dataclasses import dataclass, field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container

MAX_DIGITS = 18  # a longer number is a mistake; int() itself refuses some thousands of digits
MAX_NAMED = 8  # errors and words that one message names at most
LONGEST_REASON = 200  # characters of what an error says
OF_A_TEXT = "\n\t\u00a0\u2007\u202f\u3000\u200c\u200d"  # line ends, blanks and joiners: `isprintable` rejects them
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


class ParseError(ValueError):
    """A command that cannot be understood; the message is for the user."""


@dataclass
class SearchRequest:
    """What a `go` asks for; None or empty if it does not say. Times in milliseconds, depth in plies, mate in moves."""

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
        """Whether one of the limits is sure to be reached (a mate may never be found)."""
        limits = (self.depth, self.nodes, self.movetime, self.wtime, self.btime, self.perft)
        return any(limit is not None for limit in limits)

    def ends_by_itself(self) -> bool:
        """Whether the search is sure to end without a `stop`."""
        return self.is_bounded() and not (self.infinite or self.ponder)


def decode_line(raw: bytes) -> str:
    """One line of input as text, without its end. Never fails: Cute Chess sends Latin-1, all others UTF-8."""
    raw = raw.removeprefix(b"\xef\xbb\xbf").replace(b"\0", b"").rstrip(b"\r\n")
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw.decode("latin-1")


def split_words(text: str) -> list[str]:
    """The words between blanks and tabs."""
    return [word for word in text.replace("\t", " ").split(" ") if word]


def split_command(text: str, first: Container[str], anywhere: Container[str]) -> tuple[str, str]:
    """Find the command in a line and what follows it.

    A name in `first` counts as the first word only; one in `anywhere` also after unknown words, as UCI
    demands (`joho debug on`). Both parts are empty for a blank line or a `#` comment; if a line
    has no command, the command is empty and the rest is the line.
    """
    words = text.replace("\t", " ").strip(" \r\n").split(" ")
    if not words[0] or words[0].startswith("#"):
        return "", ""
    for index, word in enumerate(words):
        if word in anywhere or (index == 0 and word in first):
            return word, " ".join(words[index + 1 :]).strip(" ")
    return "", " ".join(words)


def parse_int(word: str) -> int | None:
    """A whole number of at most `MAX_DIGITS` ASCII digits, with or without a minus sign; None for other text."""
    digits = word.removeprefix("-")
    if len(digits) > MAX_DIGITS or not (digits.isascii() and digits.isdigit()):
        return None
    return int(word)


def leading_int(word: str) -> tuple[int | None, str]:
    """The number at the start of a word, None if there is none, and the rest of the word: `100.0` is 100 and `.0`, as in Stockfish."""
    sign = "-" if word.startswith("-") else ""
    unsigned = word[1:] if word[:1] in ("-", "+") else word
    rest = unsigned.lstrip("0123456789")
    if rest == unsigned:
        return None, word
    digits = unsigned.removesuffix(rest).lstrip("0")
    return int(f"{sign}{digits[:MAX_DIGITS] or '0'}"), rest


def parse_go(rest: str) -> tuple[SearchRequest, str]:
    """What follows `go`, and a message about the words and fields that were ignored ("" if none).

    Raises ParseError for `perft` without a depth: without that field it would be an infinite search.
    """
    request = SearchRequest()
    faults: list[str] = []
    unknown: list[str] = []
    words = split_words(rest)
    index = 0
    while index < len(words):
        word = words[index]
        index += 1
        if word in ("ponder", "infinite"):
            setattr(request, word, True)
        elif word == "searchmoves":
            while index < len(words) and words[index] not in GO_KEYWORDS:
                request.searchmoves.append(words[index].lower())
                index += 1
        elif word in GO_NUMBERS:
            fault = ""
            if index == len(words) or words[index] in GO_KEYWORDS:
                fault = f"{word} (no value)"
            else:
                number, words[index] = leading_int(words[index])
                if number is None:
                    fault = f"{word} '{shorten(words[index])}' (not a whole number)"
                else:
                    lowest, highest = GO_NUMBERS[word]
                    setattr(request, word, min(max(number, lowest), highest))
                if number is None or not words[index]:
                    index += 1
            if fault and word == "perft":
                raise ParseError(f"perft: expected a depth, found {fault}")
            if fault:
                faults.append(fault)
        else:
            unknown.append(word)
    if unknown:
        faults.append(f"'{shorten(' '.join(unknown[:MAX_NAMED]))}' (unknown)")
    return request, f"go: ignored {', '.join(faults[-MAX_NAMED:])}" if faults else ""


def parse_position(rest: str) -> tuple[str | None, list[str]]:
    """The FEN after `position`, None for the start position, and the moves from it. Raises ParseError if it is neither `startpos` nor `fen ...`."""
    words = split_words(rest)
    try:
        end = words.index("moves")
    except ValueError:
        end = len(words)
    start, moves = words[:end], [word.lower() for word in words[end + 1 :]]
    if start == ["startpos"]:
        return None, moves
    if start[:1] == ["fen"]:
        if len(start) == 1:
            raise ParseError("position fen: the FEN is missing")
        return " ".join(start[1:]), moves
    if start[:1] == ["startpos"]:
        raise ParseError(f"position startpos: expected 'moves', not '{shorten(start[1])}'")
    found = f"not '{shorten(start[0])}'" if start else "nothing follows"
    raise ParseError(f"position: expected 'startpos' or 'fen', {found}")


def parse_setoption(rest: str) -> tuple[str, str | None]:
    """The name after `setoption`, and the value, None without one. Both may contain blanks; the value's are kept as sent.

    Raises ParseError.
    """
    padded = f" {rest} ".replace("\t", " ")
    head, has_value, value = padded.partition(" value ")
    words = split_words(head)
    if words[:1] != ["name"]:
        raise ParseError("setoption: expected 'name'")
    if len(words) == 1:
        raise ParseError("setoption: the option's name is missing")
    return " ".join(words[1:]), value.strip(" ") if has_value else None


def reason(error: BaseException) -> str:
    """What an error says, for a message: it may quote a field or a move of any length."""
    return shorten(str(error), LONGEST_REASON)


def shorten(text: str, limit: int = 60) -> str:
    """Text from outside for a message: at most `limit` characters."""
    return printable(text[:limit]) + "..." * (len(text) > limit)


def printable(text: str, kept: str = "") -> str:
    """What may go to a terminal or a file: control characters, direction marks and lone surrogates become `?`.

    `kept`: what stays all the same; OF_A_TEXT where it is more than a name or a line.
    """
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() or char in kept else "?" for char in text)
