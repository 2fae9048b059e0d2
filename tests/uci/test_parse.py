# SPDX-License-Identifier: GPL-3.0-or-later
"""Text -> values: what each command line means, and that no text at all upsets the parser."""

from __future__ import annotations

import pytest
from coachwhip.uci import parse

FIRST = frozenset({"d", "go", "position", "quit"})
ANYWHERE = frozenset({"go", "position", "quit"})


def fields_of(request: parse.SearchRequest) -> dict[str, object]:
    """The fields that say something."""
    return {name: value for name, value in vars(request).items() if not (value is None or value is False or value == [])}


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (b"\xef\xbb\xbfuci\r\n", "uci"),
        (b"uci\0\n", "uci"),
        ("Jürgen\n".encode(), "Jürgen"),
        ("Jürgen\n".encode("latin-1"), "Jürgen"),
    ],
)
def test_decode_line(raw: bytes, text: str) -> None:
    assert parse.decode_line(raw) == text


@pytest.mark.parametrize(
    ("line", "command"),
    [
        ("  go\tdepth   5  ", ("go", "depth   5")),
        ("joho go infinite", ("go", "infinite")),
        ("joho joho", ("", "joho joho")),
        ("joho d", ("", "joho d")),
        ("d", ("d", "")),
        (" \t ", ("", "")),
        ("# go", ("", "")),
        ("go\u2028depth 5", ("", "go\u2028depth 5")),
        ("GO", ("", "GO")),
    ],
)
def test_split_command(line: str, command: tuple[str, str]) -> None:
    assert parse.split_command(line, FIRST, ANYWHERE) == command


@pytest.mark.parametrize(
    ("word", "number"),
    [
        ("-0", 0),
        ("007", 7),
        ("-170671", -170671),
        ("9" * 18, 10**18 - 1),
        *(
            (word, None)
            for word in ("9" * 19, "9" * 5000, "1_000", "+5", "--5", "-", "", "1.5", "1e3", "0x10", "١٢", "²", " 5", "5\n")
        ),
    ],
)
def test_parse_int(word: str, number: int | None) -> None:
    assert parse.parse_int(word) == number


CLOCK = {"wtime": 1000, "btime": 2000, "winc": 10, "binc": 20, "movestogo": 40}


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("", {}),
        ("wtime 1000 btime 2000 winc 10 binc 20 movestogo 40", CLOCK),
        ("ponder nodes 5000 mate 3 movetime 250", {"ponder": True, "nodes": 5000, "mate": 3, "movetime": 250}),
        ("searchmoves e2e4 D2D4 depth 3", {"searchmoves": ["e2e4", "d2d4"], "depth": 3}),
        ("searchmoves e2e4 infinite searchmoves a7a8Q", {"searchmoves": ["e2e4", "a7a8q"], "infinite": True}),
        ("searchmoves", {}),
        ("perft 3", {"perft": 3}),
        ("depth 3 depth 5", {"depth": 5}),
        # clamped
        ("depth 0", {"depth": 1}),
        ("depth 999999 nodes 0", {"depth": 10_000, "nodes": 1}),
        ("movetime -1", {"movetime": 1}),
        ("wtime -170671 winc -5 movestogo 1000000000", {"wtime": -170671, "winc": 0, "movestogo": 10_000}),
        ("wtime 99999999999999999999 btime -" + "9" * 5000, {"wtime": parse.MAX_MS, "btime": -parse.MAX_MS}),
        ("depth 5infinite", {"depth": 5, "infinite": True}),
        ("perft 99", {"perft": 20}),
    ],
)
def test_parse_go(text: str, fields: dict[str, object]) -> None:
    request, complaint = parse.parse_go(text)
    assert fields_of(request) == fields
    assert complaint == ""


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
def test_parse_go_ignores_what_it_cannot_read_and_names_it(text: str, fields: dict[str, object], named: list[str]) -> None:
    request, complaint = parse.parse_go(text)
    assert fields_of(request) == fields
    assert all(name in complaint for name in named)
    assert complaint.isprintable()
    assert len(complaint) < 200


@pytest.mark.parametrize("text", ["perft", "perft x", "perft depth 3", "depth 3 perft"])
def test_perft_without_depth_is_no_endless_search(text: str) -> None:
    with pytest.raises(parse.UserError, match="perft"):
        parse.parse_go(text)


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        *((text, False) for text in ("", "infinite depth 3", "ponder wtime 100", "mate 3", "searchmoves e2e4")),
        *((text, True) for text in ("depth 3", "nodes 3", "btime 3", "mate 3 movetime 5")),
    ],
)
def test_ends_by_itself(text: str, ends: bool) -> None:
    assert parse.parse_go(text)[0].ends_by_itself() is ends


@pytest.mark.parametrize(
    ("text", "fen", "moves"),
    [
        ("startpos moves", None, []),
        ("startpos moves E2E4 A7A8Q", None, ["e2e4", "a7a8q"]),
        ("\tfen  8/8/8/8/8/8/8/Kk6 \t w - -", "8/8/8/8/8/8/8/Kk6 w - -", []),
        ("fen 8/8/8/8/8/8/8/Kk6 w - - 0 1 moves a1a2", "8/8/8/8/8/8/8/Kk6 w - - 0 1", ["a1a2"]),
    ],
)
def test_parse_position(text: str, fen: str | None, moves: list[str]) -> None:
    assert parse.parse_position(text) == (fen, moves)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("moves e2e4", "position: expected 'startpos' or 'fen', nothing follows"),
        ("fen moves e2e4", "position fen: the FEN is missing"),
        ("startpos e2e4 e7e5", "position startpos: expected 'moves', not 'e2e4'"),
        ("FEN 8/8", "position: expected 'startpos' or 'fen', not 'FEN'"),
    ],
)
def test_parse_position_rejects(text: str, message: str) -> None:
    with pytest.raises(parse.UserError) as caught:
        parse.parse_position(text)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("text", "name", "value"),
    [
        ("name Clear Hash", "Clear Hash", None),
        ("name  Move\tOverhead   value  100 ", "Move Overhead", "100"),
        ("name WeightsFile value C:/My  Weights/a value.py", "WeightsFile", "C:/My  Weights/a value.py"),
        ("name WeightsFile value", "WeightsFile", ""),
        ("name values value name value", "values", "name value"),
    ],
)
def test_parse_setoption(text: str, name: str, value: str | None) -> None:
    assert parse.parse_setoption(text) == (name, value)


@pytest.mark.parametrize("text", ["", "Hash", "name value 5", "Hash value 5", "  name  "])
def test_parse_setoption_rejects(text: str) -> None:
    with pytest.raises(parse.UserError, match="setoption"):
        parse.parse_setoption(text)
