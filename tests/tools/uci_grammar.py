# SPDX-License-Identifier: GPL-3.0-or-later
"""What a line to the engine means: the session's grammar once more, written from docs/options.md and the rules of uci/loop.py.

Nothing of uci/ is used here: the two readings are compared by tests/tools/uci_judge.py.
"""

import re
from dataclasses import dataclass, field

LINE_END = re.compile(rb"\r\n|\r|\n")
NUMBER = re.compile(r"-?[0-9]{1,18}")
LEADING_NUMBER = re.compile(r"([-+]?[0-9]+)(.*)", re.DOTALL)
UCI_COMMANDS = frozenset(("uci", "debug", "isready", "setoption", "register", "ucinewgame", "position", "go", "stop"))
UCI_COMMANDS |= {"ponderhit", "quit"}
OWN_COMMANDS = frozenset(("d", "eval", "perft", "compiler", "help", "bench"))
GO_NUMBERS = frozenset("wtime btime winc binc movestogo depth nodes mate movetime perft".split())
GO_WORDS = GO_NUMBERS | {"searchmoves", "ponder", "infinite"}


@dataclass(slots=True)
class Line:
    """A line of input: its command ("" for a blank line or a comment, "?" for an unknown one) and what follows."""

    command: str
    rest: str = ""


@dataclass(slots=True)
class Go:
    """What a `go` asks for; depth and perft are None if it does not say. `faults`: words that must be complained about."""

    searchmoves: list[str] = field(default_factory=list)
    infinite: bool = False
    ponder: bool = False
    depth: int | None = None
    perft: int | None = None
    limited: bool = False  # it ends by itself
    faults: int = 0
    bad_perft: bool = False


def lines_of(data: bytes) -> list[bytes]:
    """The lines of an input that ends with a line end."""
    return LINE_END.split(data)[:-1]


def read(raw: bytes) -> Line:
    """What a line without its end means."""
    raw = raw.removeprefix(b"\xef\xbb\xbf").replace(b"\0", b"")
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        text = raw.decode("latin-1")
    words = words_of(text)
    if not words or words[0].startswith("#"):
        return Line("")
    if words[0] in OWN_COMMANDS:
        return Line(words[0], after(text, words[0]))
    for word in words:
        if word in UCI_COMMANDS:
            return Line(word, after(text, word))
    return Line("?", text)


def words_of(text: str) -> list[str]:
    """The words between blanks and tabs."""
    return [word for word in text.replace("\t", " ").split(" ") if word]


def after(text: str, command: str) -> str:
    """What follows the first word that is this command; tabs count as blanks."""
    padded = f" {text} ".replace("\t", " ")
    return padded.partition(f" {command} ")[2].strip(" ")


def read_number(word: str) -> int | None:
    """A whole number of ASCII digits, None for anything else."""
    return int(word) if NUMBER.fullmatch(word) else None


def read_go(rest: str) -> Go:
    """What follows `go`."""
    go = Go()
    words = words_of(rest)
    place = 0
    while place < len(words):
        word = words[place]
        place += 1
        if word in ("infinite", "ponder"):
            setattr(go, word, True)
        elif word == "searchmoves":
            while place < len(words) and words[place] not in GO_WORDS:
                go.searchmoves.append(words[place].lower())
                place += 1
        elif word not in GO_NUMBERS:
            go.faults += 1
        elif place == len(words) or words[place] in GO_WORDS:
            _set_number(go, word, None)
        elif match := LEADING_NUMBER.fullmatch(words[place]):  # the rest of the word is a word of its own
            _set_number(go, word, int(match[1][:30]))
            words[place : place + 1] = filter(None, [match[2]])
        else:
            _set_number(go, word, None)
            place += 1
        if go.bad_perft:
            break
    return go


def _set_number(go: Go, name: str, value: int | None) -> None:
    if value is None:
        go.bad_perft = name == "perft"
        go.faults += 1
    elif name == "depth":
        go.depth, go.limited = max(value, 1), True
    elif name == "perft":
        go.perft = min(max(value, 0), 20)
    elif name in ("nodes", "movetime", "wtime", "btime"):
        go.limited = True


def read_setoption(rest: str) -> tuple[str, str | None] | None:
    """Name in lower case, and value (None if there is none) of a `setoption`; None if it has no name."""
    head, found, value = f" {rest} ".replace("\t", " ").partition(" value ")
    words = words_of(head)
    if words[:1] != ["name"] or len(words) == 1:
        return None
    return " ".join(words[1:]).lower(), value.strip(" ") if found else None


def read_position(rest: str) -> tuple[str, list[str]] | None:
    """FEN ("" for the start position) and moves in lower case; None if the line is malformed."""
    words = words_of(rest)
    end = words.index("moves") if "moves" in words else len(words)
    start, moves = words[:end], words_of(rest.lower())[end + 1 :]
    if start == ["startpos"]:
        return "", moves
    if start[:1] == ["fen"] and len(start) > 1:
        return " ".join(start[1:]), moves
    return None
