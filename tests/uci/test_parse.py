# SPDX-License-Identifier: GPL-3.0-or-later
"""Text -> values: what each command line means, and that no text at all upsets the parser."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from coachwhip.uci import parse

from coachwhip.text import parse_int

if TYPE_CHECKING:
    from collections.abc import Callable

ANYWHERE = frozenset({"go", "position", "quit"})
FOREIGN_NUMBERS = (
    "9" * 19,
    "9" * 5000,
    "1_000",
    "+5",
    "--5",
    "-",
    "",
    "1.5",
    "1e3",
    "0x10",
    "١٢",
    "²",
    " 5",
    "5\n",
)


def command(line: str) -> tuple[str, str]:
    return parse.split_command(line, ANYWHERE | {"d"}, ANYWHERE)


def read_go(text: str) -> tuple[dict[str, object], str]:
    """The fields that say something, and the complaint."""
    request, complaint = parse.parse_go(text)
    return {
        name: value
        for name, value in vars(request).items()
        if not (value is None or value is False or value == [])
    }, complaint


def go(text: str) -> dict[str, object]:
    fields, complaint = read_go(text)
    assert complaint == ""
    return fields


@pytest.mark.parametrize(
    ("read", "text", "value"),
    [
        (parse.decode_line, b"\xef\xbb\xbfuci\r\n", "uci"),
        (parse.decode_line, b"uci\0\n", "uci"),
        (parse.decode_line, "Jürgen\n".encode(), "Jürgen"),
        (parse.decode_line, "Jürgen\n".encode("latin-1"), "Jürgen"),
        (command, "  go\tdepth   5  ", ("go", "depth   5")),
        (command, "joho go infinite", ("go", "infinite")),
        (command, "joho d", ("", "joho d")),
        (command, " \t ", ("", "")),
        (command, "# go", ("", "")),
        (command, "go\u2028depth 5", ("", "go\u2028depth 5")),
        (command, "GO", ("", "GO")),
        (parse_int, "-0", 0),
        (parse_int, "007", 7),
        (parse_int, "9" * 18, 10**18 - 1),
        *((parse_int, word, None) for word in FOREIGN_NUMBERS),
        (go, "", {}),
        (
            go,
            "wtime 1000 btime 2000 winc 10 binc 20 movestogo 40",
            {"wtime": 1000, "btime": 2000, "winc": 10, "binc": 20, "movestogo": 40},
        ),
        (
            go,
            "ponder nodes 5000 mate 3 movetime 250",
            {"ponder": True, "nodes": 5000, "mate": 3, "movetime": 250},
        ),
        (go, "searchmoves e2e4 D2D4 depth 3", {"searchmoves": ["e2e4", "d2d4"], "depth": 3}),
        (
            go,
            "searchmoves e2e4 infinite searchmoves a7a8Q",
            {"searchmoves": ["e2e4", "a7a8q"], "infinite": True},
        ),
        (go, "searchmoves", {}),
        (go, "perft 3", {"perft": 3}),
        (go, "depth 3 depth 5", {"depth": 5}),
        (go, "depth 5infinite", {"depth": 5, "infinite": True}),
        # clamped
        (go, "depth 0", {"depth": 1}),
        (go, "depth 999999 nodes 0", {"depth": 10_000, "nodes": 1}),
        (go, "movetime -1", {"movetime": 1}),
        (
            go,
            "wtime -170671 winc -5 movestogo 1000000000",
            {"wtime": -170671, "winc": 0, "movestogo": 10_000},
        ),
        (
            go,
            "wtime 99999999999999999999 btime -" + "9" * 5000,
            {"wtime": parse.MAX_MS, "btime": -parse.MAX_MS},
        ),
        (go, "perft 99", {"perft": 20}),
        (parse.parse_position, "startpos moves", (None, [])),
        (parse.parse_position, "startpos moves E2E4 A7A8Q", (None, ["e2e4", "a7a8q"])),
        (parse.parse_position, "\tfen  8/8/8/8/8/8/8/Kk6 \t w - -", ("8/8/8/8/8/8/8/Kk6 w - -", [])),
        (
            parse.parse_position,
            "fen 8/8/8/8/8/8/8/Kk6 w - - 0 1 moves a1a2",
            ("8/8/8/8/8/8/8/Kk6 w - - 0 1", ["a1a2"]),
        ),
        (parse.parse_setoption, "name Clear Hash", ("Clear Hash", None)),
        (parse.parse_setoption, "name  Move\tOverhead   value  100 ", ("Move Overhead", "100")),
        (
            parse.parse_setoption,
            "name WeightsFile value C:/My  Weights/a value.py",
            ("WeightsFile", "C:/My  Weights/a value.py"),
        ),
        (parse.parse_setoption, "name WeightsFile value", ("WeightsFile", "")),
        (parse.parse_setoption, "name values value name value", ("values", "name value")),
    ],
)
def test_what_is_read(read: Callable[[Any], object], text: str | bytes, value: object) -> None:
    assert read(text) == value


@pytest.mark.parametrize(
    ("text", "fields", "named"),
    [
        ("depth", {}, ["depth (no value)"]),
        ("depth infinite", {"infinite": True}, ["depth"]),
        ("wtime btime 100", {"btime": 100}, ["wtime"]),
        ("nodes x1 mate ² binc ١٢", {}, ["nodes", "mate", "binc"]),
        ("depth -", {}, ["depth '-'"]),
        # read as a C++ stream reads numbers: the rest of the word is another word
        ("movetime 100.0", {"movetime": 100}, ["'.0' (unknown)"]),
        ("wtime 1000.9 btime -20.5 winc +7", {"wtime": 1000, "btime": -20, "winc": 7}, ["'.9 .5' (unknown)"]),
        ("movetime 1_000 depth 2", {"movetime": 1, "depth": 2}, ["'_000' (unknown)"]),
        ("nodes .5 depth 1e3", {"depth": 1}, ["nodes '.5'", "'e3' (unknown)"]),
        ("depth \u2028\x07" + "y" * 1000, {}, ["depth", "??y"]),
        ("depth x wtime 100 joho", {"wtime": 100}, ["depth 'x'", "'joho' (unknown)"]),
        ("x " * 2**19, {}, ["'x x x x x x x x' (unknown)"]),
    ],
)
def test_a_go_names_what_it_cannot_read(text: str, fields: dict[str, object], named: list[str]) -> None:
    found, complaint = read_go(text)
    assert found == fields
    assert all(name in complaint for name in named)
    assert complaint.isprintable()
    assert len(complaint) < 200


@pytest.mark.parametrize(
    ("read", "text", "message"),
    [
        *((parse.parse_go, text, "perft") for text in ("perft", "perft x", "perft depth 3", "depth 3 perft")),
        (parse.parse_position, "moves e2e4", "^position: expected 'startpos' or 'fen', nothing follows$"),
        (parse.parse_position, "fen moves e2e4", "^position fen: the FEN is missing$"),
        (parse.parse_position, "startpos e2e4 e7e5", "^position startpos: expected 'moves', not 'e2e4'$"),
        (parse.parse_position, "FEN 8/8", "^position: expected 'startpos' or 'fen', not 'FEN'$"),
        *(
            (parse.parse_setoption, text, "setoption")
            for text in ("", "Hash", "name value 5", "Hash value 5", "  name  ")
        ),
    ],
)
def test_what_is_rejected(read: Callable[[str], object], text: str, message: str) -> None:
    with pytest.raises(parse.UserError, match=message):
        read(text)
