# SPDX-License-Identifier: GPL-3.0-or-later
"""Spoils files: bytes, and the values in lines of JSON. What comes out depends on the random numbers alone."""

import json
import random
import re
import struct
import zlib
from collections.abc import Callable
from typing import Any

LONGEST = 1 << 18  # bytes; what grows beyond is cut
DEEP = 60_000  # levels of nesting
NUMBER = re.compile(rb"-?\d+(\.\d+)?")
NUMBERS = (
    *(b"0", b"-1", b"256", b"65536", b"2147483648", b"-2147483649", b"9223372036854775808", b"18446744073709551616", b"1e999"),
    *(b"-1e999", b"NaN", b"Infinity", b"0x" + b"f" * 400, b"9" * 30, b"9" * 5000, b"1_0", b"0.1", "\u0663".encode(), b"1e-400"),
)
WORDS = (
    *(
        b"\0",
        b"\n",
        b"\r",
        b"\r\n",
        b"\xff\xfe",
        b"\xef\xbb\xbf",
        b"\xed\xa0\x80",
        b"\xc3\x28",
        "\u2028".encode(),
        b"\x85",
        b"\x1a",
    ),
    *(
        b"(",
        b")",
        b"{",
        b"}",
        b"[",
        b"]",
        b'"',
        b"'",
        b"'''",
        b";",
        b"%",
        b"#",
        b"\\",
        b"$1",
        b"--",
        b"*",
        b"=",
        b",",
        b"\t",
        b" ",
    ),
    *(b"__import__('os').system('id')", b"(lambda: 0)()", b"../" * 9 + b"etc/passwd", b"%s%n%x", b"<script>", b"-" * 300),
    *(
        b"(" * 300,
        b"[" * 300,
        b"{" * 300,
        b"(" * DEEP,
        b"[" * DEEP,
        b'{"a":' * DEEP,
        b"-" * DEEP,
        b"x." * DEEP,
        b"1+" * DEEP,
        b"not " * 9000,
    ),
    *(
        b"0000",
        b"e1g1",
        b"--",
        b"Z0",
        b"O-O",
        b"e8=K",
        b"a1a1",
        b"bm",
        b'c9 "1-0"',
        b'[FEN "8/8/8/8/8/8/8/8 w - - 0 1"]\n',
        b"%eval #0]",
    ),
    *(b"A" * 100_000, b"\n" * 20_000, b" " * 100_000, b"[%clk 99999999999:00:00]", b'[Variant "Atomic"]\n', b"KQRBNPkqrbnp" * 20),
)
CODINGS = ("utf-16", "utf-16-le", "utf-32", "utf-7", "cp037", "latin-1", "utf-8-sig")
DEEP_MARK = "@deep@"
VALUES: tuple[Any, ...] = (
    *(
        None,
        True,
        False,
        0,
        -1,
        1,
        2,
        10**6,
        10**30,
        -(2**63),
        0.5,
        1e308,
        float("inf"),
        float("-inf"),
        float("nan"),
        "",
        "x",
        "1-0",
    ),
    *(
        "#",
        "#+0",
        "#x",
        "\ud800",
        "\0",
        "x" * 50_000,
        "9" * 5000,
        [],
        {},
        [[]],
        [None],
        {"a": 1},
        [1, 2, 3],
        DEEP_MARK,
        "e2e4",
        "8/8 w",
    ),
)

Mutator = Callable[[random.Random, bytes], bytes]


def _span(rng: random.Random, data: bytes) -> tuple[int, int]:
    """A chunk, more often a short one."""
    start = rng.randrange(len(data) + 1)
    return start, min(len(data), start + int(rng.paretovariate(0.7)))


def cut(rng: random.Random, data: bytes) -> bytes:
    return data[: rng.randrange(len(data) + 1)] if rng.random() < 0.8 else data[rng.randrange(len(data) + 1) :]


def flip(rng: random.Random, data: bytes) -> bytes:
    spoilt = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 2, 5, 50)) if data else 0):
        spoilt[rng.randrange(len(spoilt))] ^= 1 << rng.randrange(8)
    return bytes(spoilt)


def overwrite(rng: random.Random, data: bytes) -> bytes:
    start, end = _span(rng, data)
    return data[:start] + rng.choice((b"\0", b"\xff", b"0", rng.randbytes(1))) * (end - start) + data[end:]


def delete(rng: random.Random, data: bytes) -> bytes:
    start, end = _span(rng, data)
    return data[:start] + data[end:]


def repeat(rng: random.Random, data: bytes) -> bytes:
    start, end = _span(rng, data)
    return data[:start] + data[start:end] * rng.choice((2, 2, 3, 20, 1000)) + data[end:]


def repeat_line(rng: random.Random, data: bytes) -> bytes:
    lines = data.splitlines(keepends=True)
    if lines:
        place = rng.randrange(len(lines))
        lines[place:place] = [rng.choice(lines)] * rng.choice((1, 1, 2, 30))
    return b"".join(lines)


def swap(rng: random.Random, data: bytes) -> bytes:
    at = sorted(rng.randrange(len(data) + 1) for _ in range(4))
    return data[: at[0]] + data[at[2] : at[3]] + data[at[1] : at[2]] + data[at[0] : at[1]] + data[at[3] :]


def swap_lines(rng: random.Random, data: bytes) -> bytes:
    lines = data.splitlines(keepends=True)
    for _ in range(rng.choice((1, 3)) if lines else 0):
        one, other = rng.randrange(len(lines)), rng.randrange(len(lines))
        lines[one], lines[other] = lines[other], lines[one]
    return b"".join(lines)


def insert(rng: random.Random, data: bytes) -> bytes:
    start = rng.randrange(len(data) + 1)
    return data[:start] + rng.choice(WORDS) + data[start:]


def insert_random(rng: random.Random, data: bytes) -> bytes:
    start = rng.randrange(len(data) + 1)
    return data[:start] + rng.randbytes(rng.choice((1, 4, 16, 1000))) + data[start:]


def number(rng: random.Random, data: bytes) -> bytes:
    found = list(NUMBER.finditer(data))
    if not found:
        return insert(rng, data)
    place = rng.choice(found)
    return data[: place.start()] + rng.choice(NUMBERS) + data[place.end() :]


def recode(rng: random.Random, data: bytes) -> bytes:
    return data.decode("latin-1").encode(rng.choice(CODINGS), "replace")


def other(rng: random.Random, data: bytes) -> bytes:
    kind = rng.randrange(4)
    return b"" if kind == 0 else rng.randbytes(rng.choice((1, 16, 4096))) if kind == 1 else data * 2 if kind == 2 else data[::-1]


def integer(rng: random.Random, data: bytes) -> bytes:
    """A binary number is replaced by an extreme one."""
    size = rng.choice((1, 2, 4, 8))
    at = rng.randrange(max(1, len(data) - size + 1))
    value = rng.choice((0, 1, (1 << 8 * size) - 1, 1 << (8 * size - 1), (1 << (8 * size - 1)) - 1, rng.getrandbits(8 * size)))
    return data[:at] + value.to_bytes(size, rng.choice(("little", "big"))) + data[at + size :]


MUTATORS: tuple[Mutator, ...] = (
    *(cut, flip, flip, overwrite, delete, repeat, repeat_line, swap, swap_lines, insert, insert, insert_random),
    *(number, number, recode, other, integer, integer),
)


def mutated(rng: random.Random, data: bytes) -> bytes:
    """A file with one to four faults."""
    for _ in range(rng.choice((1, 1, 1, 2, 2, 4))):
        data = rng.choice(MUTATORS)(rng, data)[:LONGEST]
    return data


# --- Formats with checksums: the same faults, behind a checksum that fits ---


def mutated_network(rng: random.Random, data: bytes) -> bytes:
    """A network file; its sum is right."""
    end = data.index(b"\n", data.index(b"\n") + 1)
    body = data[:-4]
    body = mutated(rng, body[:end]) + body[end:] if rng.random() < 0.5 else integer(rng, integer(rng, body))
    return body + struct.pack("<I", zlib.crc32(body))


def mutated_journal(rng: random.Random, data: bytes) -> bytes:
    """A journal with other values in its lines, or other lines; their sums are right."""
    lines = [json.loads(line.rpartition(b',"crc":')[0] + b"}") for line in data.splitlines()]
    for _ in range(rng.choice((1, 1, 2, 3))):
        place = rng.randrange(len(lines))
        if rng.random() < 0.1:
            lines.insert(place, rng.choice(lines))
        elif rng.random() < 0.8:
            lines[place] = _other_value(rng, lines[place])
        elif len(lines) > 1:
            del lines[place]
    return b"".join(map(_line, lines))


def _line(value: Any) -> bytes:
    text = json.dumps(value, separators=(",", ":")).encode()
    text = text.replace(f'"{DEEP_MARK}"'.encode(), b"[" * DEEP + b"]" * DEEP)[:-1]
    return text + b',"crc":"%08x"}\n' % zlib.crc32(text)


def _other_value(rng: random.Random, value: Any) -> Any:
    """The same value with one thing in it replaced, dropped or added."""
    if isinstance(value, dict) and value and rng.random() < 0.95:
        name = rng.choice(sorted(value))
        changed = dict(value)
        if rng.random() < 0.1:
            del changed[name]
        elif rng.random() < 0.05:
            changed[name + "x"] = rng.choice(VALUES)
        else:
            changed[name] = _other_value(rng, value[name])
        return changed
    if isinstance(value, list) and value and rng.random() < 0.8:
        place = rng.randrange(len(value))
        if rng.random() < 0.1:
            return value[:place] + value[place + 1 :]
        if rng.random() < 0.1:
            return [*value, rng.choice(VALUES)]
        return [*value[:place], _other_value(rng, value[place]), *value[place + 1 :]]
    return rng.choice(VALUES)
