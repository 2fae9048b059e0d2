# SPDX-License-Identifier: GPL-3.0-or-later
"""Text -> values: what each command line means, and that no text at all upsets the parser."""

from __future__ import annotations

from contextlib import suppress

import pytest
from coachwhip.uci import parse
from hypothesis import given
from hypothesis import strategies as st

FIRST = frozenset({"d", "go", "position", "quit"})
ANYWHERE = frozenset({"go", "position", "quit"})


def given_fields(request: parse.SearchRequest) -> dict[str, object]:
    """The fields that say something."""
    return {name: value for name, value in vars(request).items() if not (value is None or value is False or value == [])}


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (b"isready\n", "isready"),
        (b"isready\r\n", "isready"),
        (b"\xef\xbb\xbfuci\r\n", "uci"),
        (b"uci\0\n", "uci"),
        (b"quit", "quit"),
        ("Jürgen\n".encode(), "Jürgen"),
        ("Jürgen\n".encode("latin-1"), "Jürgen"),
        (b"\n", ""),
    ],
)
def test_decode_line(raw: bytes, text: str) -> None:
    assert parse.decode_line(raw) == text


@pytest.mark.parametrize(
    ("line", "command"),
    [
        ("go depth 5", ("go", "depth 5")),
        ("  go\tdepth   5  ", ("go", "depth   5")),
        ("joho go infinite", ("go", "infinite")),
        ("joho joho", ("", "joho joho")),
        ("joho d", ("", "joho d")),
        ("d", ("d", "")),
        ("", ("", "")),
        (" \t ", ("", "")),
        ("# go", ("", "")),
        ("#go", ("", "")),
        ("go\u2028depth 5", ("", "go\u2028depth 5")),
        ("go\u00a0depth", ("", "go\u00a0depth")),
        ("GO", ("", "GO")),
    ],
)
def test_split_command(line: str, command: tuple[str, str]) -> None:
    assert parse.split_command(line, FIRST, ANYWHERE) == command


@pytest.mark.parametrize(
    ("word", "number"),
    [
        ("0", 0),
        ("-0", 0),
        ("007", 7),
        ("-170671", -170671),
        ("9" * 18, 10**18 - 1),
        ("9" * 19, None),
        ("9" * 5000, None),
        ("1_000", None),
        ("+5", None),
        ("--5", None),
        ("-", None),
        ("", None),
        ("1.5", None),
        ("1e3", None),
        ("0x10", None),
        ("١٢", None),
        ("²", None),
        (" 5", None),
        ("abc", None),
    ],
)
def test_parse_int(word: str, number: int | None) -> None:
    assert parse.parse_int(word) == number


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("", {}),
        ("infinite", {"infinite": True}),
        ("depth 7", {"depth": 7}),
        (
            "wtime 1000 btime 2000 winc 10 binc 20 movestogo 40",
            {"wtime": 1000, "btime": 2000, "winc": 10, "binc": 20, "movestogo": 40},
        ),
        ("binc 20 btime 2000", {"btime": 2000, "binc": 20}),
        ("ponder wtime 100 btime 100", {"ponder": True, "wtime": 100, "btime": 100}),
        ("nodes 5000 mate 3 movetime 250", {"nodes": 5000, "mate": 3, "movetime": 250}),
        ("searchmoves e2e4 D2D4 depth 3", {"searchmoves": ["e2e4", "d2d4"], "depth": 3}),
        ("depth 3 searchmoves e2e4", {"searchmoves": ["e2e4"], "depth": 3}),
        ("searchmoves e2e4 infinite searchmoves a7a8Q", {"searchmoves": ["e2e4", "a7a8q"], "infinite": True}),
        ("searchmoves", {}),
        ("perft 3", {"perft": 3}),
        ("depth 3 depth 5", {"depth": 5}),
        # clamped
        ("depth 0", {"depth": 1}),
        ("depth -3", {"depth": 1}),
        ("depth 999999", {"depth": 10_000}),
        ("nodes 0", {"nodes": 1}),
        ("mate 0", {"mate": 1}),
        ("movetime 0", {"movetime": 1}),
        ("movetime -1", {"movetime": 1}),
        ("wtime -170671 btime 0", {"wtime": -170671, "btime": 0}),
        ("wtime 999999999999", {"wtime": parse.MAX_MS}),
        ("winc -5", {"winc": 0}),
        ("movestogo 0", {"movestogo": 0}),
        ("movestogo 1000000000", {"movestogo": 10_000}),
        ("wtime 99999999999999999999 btime -" + "9" * 5000, {"wtime": parse.MAX_MS, "btime": -parse.MAX_MS}),
        ("depth 5infinite", {"depth": 5, "infinite": True}),
        ("perft 99", {"perft": 20}),
    ],
)
def test_parse_go(text: str, fields: dict[str, object]) -> None:
    request, complaint = parse.parse_go(text)
    assert given_fields(request) == fields
    assert complaint == ""


@pytest.mark.parametrize(
    ("text", "fields", "named"),
    [
        ("depth", {}, ["depth"]),
        ("depth abc", {}, ["depth", "abc"]),
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
        ("nonsense depth 4 more nonsense", {"depth": 4}, ["'nonsense more nonsense' (unknown)"]),
        ("dpeth 5", {}, ["'dpeth 5' (unknown)"]),
        ("depth x wtime 100 joho", {"wtime": 100}, ["depth 'x'", "'joho' (unknown)"]),
        ("x " * 2**19, {}, ["'x x x x x x x x' (unknown)"]),
        ("y" * 1000, {}, ["yyy", "(unknown)"]),
    ],
)
def test_parse_go_ignores_what_it_cannot_read_and_names_it(text: str, fields: dict[str, object], named: list[str]) -> None:
    request, complaint = parse.parse_go(text)
    assert given_fields(request) == fields
    assert all(name in complaint for name in named)
    assert complaint.isprintable()
    assert len(complaint) < 200


@pytest.mark.parametrize("text", ["perft", "perft x", "perft depth 3", "depth 3 perft"])
def test_perft_without_depth_is_no_endless_search(text: str) -> None:
    with pytest.raises(parse.ParseError, match="perft"):
        parse.parse_go(text)


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("", False),
        ("infinite", False),
        ("infinite depth 3", False),
        ("ponder wtime 100", False),
        ("mate 3", False),
        ("searchmoves e2e4", False),
        ("depth 3", True),
        ("nodes 3", True),
        ("movetime 3", True),
        ("btime 3", True),
        ("mate 3 movetime 5", True),
    ],
)
def test_ends_by_itself(text: str, ends: bool) -> None:
    assert parse.parse_go(text)[0].ends_by_itself() is ends


@pytest.mark.parametrize(
    ("text", "fen", "moves"),
    [
        ("startpos", None, []),
        ("startpos moves", None, []),
        ("startpos moves e2e4 e7e5", None, ["e2e4", "e7e5"]),
        ("startpos moves E2E4 A7A8Q", None, ["e2e4", "a7a8q"]),
        ("\tfen  8/8/8/8/8/8/8/Kk6 \t w - -", "8/8/8/8/8/8/8/Kk6 w - -", []),
        ("fen 8/8/8/8/8/8/8/Kk6 w - - 0 1 moves a1a2", "8/8/8/8/8/8/8/Kk6 w - - 0 1", ["a1a2"]),
        ("fen blah", "blah", []),
    ],
)
def test_parse_position(text: str, fen: str | None, moves: list[str]) -> None:
    assert parse.parse_position(text) == (fen, moves)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "position: expected 'startpos' or 'fen', nothing follows"),
        ("fen", "position fen: the FEN is missing"),
        ("fen moves e2e4", "position fen: the FEN is missing"),
        ("moves e2e4", "position: expected 'startpos' or 'fen', nothing follows"),
        ("blah", "position: expected 'startpos' or 'fen', not 'blah'"),
        ("startpos e2e4", "position startpos: expected 'moves', not 'e2e4'"),
        ("FEN 8/8", "position: expected 'startpos' or 'fen', not 'FEN'"),
    ],
)
def test_parse_position_refuses(text: str, message: str) -> None:
    with pytest.raises(parse.ParseError) as caught:
        parse.parse_position(text)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("text", "name", "value"),
    [
        ("name Hash value 64", "Hash", "64"),
        ("name Clear Hash", "Clear Hash", None),
        ("name  Move\tOverhead   value  100 ", "Move Overhead", "100"),
        ("name WeightsFile value C:/My  Weights/a value.py", "WeightsFile", "C:/My  Weights/a value.py"),
        ("name WeightsFile value", "WeightsFile", ""),
        ("name WeightsFile value <empty>", "WeightsFile", "<empty>"),
        ("name values value name value", "values", "name value"),
    ],
)
def test_parse_setoption(text: str, name: str, value: str | None) -> None:
    assert parse.parse_setoption(text) == (name, value)


@pytest.mark.parametrize("text", ["", "Hash", "name", "name value 5", "value 5", "Hash value 5", "  name  "])
def test_parse_setoption_refuses(text: str) -> None:
    with pytest.raises(parse.ParseError, match="setoption"):
        parse.parse_setoption(text)


def test_shorten_makes_any_text_quotable() -> None:
    assert parse.shorten("e2e4") == "e2e4"
    assert parse.shorten("a\x00b\u2028c\nd") == "a?b?c?d"
    assert parse.shorten("x" * 61) == "x" * 60 + "..."


WORDS = st.one_of(
    st.sampled_from([*sorted(parse.GO_KEYWORDS), "name", "value", "startpos", "fen", "moves", "e2e4", "-1", "1_0", "9" * 30]),
    st.text(max_size=8),
)
TEXTS = st.one_of(st.text(max_size=200), st.lists(WORDS, max_size=12).map(" ".join))


@given(TEXTS)
def test_no_text_upsets_the_parser(text: str) -> None:
    name, rest = parse.split_command(text, FIRST, ANYWHERE)
    assert name in {"", *FIRST}
    for function in (parse.parse_go, parse.parse_position, parse.parse_setoption):
        with suppress(parse.ParseError):
            function(rest)


@given(st.binary(max_size=200))
def test_no_bytes_upset_the_decoder(raw: bytes) -> None:
    assert "\0" not in parse.decode_line(raw)


@given(TEXTS)
def test_numbers_of_go_stay_in_range(text: str) -> None:
    try:
        request, _ = parse.parse_go(text)
    except parse.ParseError:
        return
    for name, (lowest, highest) in parse.GO_NUMBERS.items():
        value = getattr(request, name)
        assert value is None or lowest <= value <= highest
