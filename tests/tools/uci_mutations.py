# SPDX-License-Identifier: GPL-3.0-or-later
"""Damage to a line of bytes, by chance."""

import random
from collections.abc import Callable, Sequence

ODD_BYTES = (
    b"\0", b"\r", b"\n", b"\r\n", b"\t", b" ", b"  ", b"\xff", b"\xc3", b"\xe2\x80\xa8", b"\xef\xbb\xbf", b"\x1b[2J", b"\x1c",
    b"\x7f", b"\xc2\xa0", b"#", b"=", b"-", b"'", b'"', b"\\", b"%s", b"%n", b"{}", b"\xd9\xa3", b"\xf0\x9f\x98\x80",
)  # fmt: skip
ODD_NUMBERS = (
    "0 -0 -1 1 2 01 007 1e3 0x10 1_0 +1 1.5 NaN inf 128 255 256 257 32767 32768 65535 65536 2147483647 2147483648 -2147483649 "
    "4294967296 9223372036854775807 9223372036854775808 18446744073709551616 999999999999999999 9999999999999999999 "
    "-999999999999999999 ٣ ² 99999999999999999999999999999999"
).split()
ODD_WORDS = (
    "moves fen startpos value name searchmoves ponder infinite depth nodes mate movetime perft wtime btime winc binc movestogo "
    "go stop isready position setoption ucinewgame ponderhit d eval true false <empty> 0000 (none) e2e4 e7e8q e1h1 e1g1 a1a1 "
    "KQkq - w b 8/8/8/8/8/8/8/8"
).split()
FEN_LETTERS = "kqrbnpKQRBNP12345678/ -wbHAha9x"
LONG = (500, 5_000, 50_000)  # bytes that a line is repeated to

Random = random.Random


def mutate(line: bytes, others: Sequence[bytes], rng: Random) -> bytes:
    """A line with one to three kinds of damage; `others`: lines to take pieces of."""
    for _ in range(1 if rng.random() < 0.7 else rng.randrange(2, 4)):
        line = rng.choice(WAYS)(line, others, rng)
    return line


def _cut(line: bytes, _: Sequence[bytes], rng: Random) -> bytes:
    begin = rng.randrange(len(line) + 1)
    return line[:begin] + line[begin + rng.choice((1, 1, 1, 2, 5, 20)) :]


def _end(line: bytes, _: Sequence[bytes], rng: Random) -> bytes:
    return line[: rng.randrange(len(line) + 1)]


def _double(line: bytes, _: Sequence[bytes], rng: Random) -> bytes:
    begin = rng.randrange(len(line) + 1)
    end = begin + rng.choice((1, 1, 3, 10, 100))
    return line[:end] + line[begin:]


def _flip(line: bytes, _: Sequence[bytes], rng: Random) -> bytes:
    if not line:
        return line
    place = rng.randrange(len(line))
    return line[:place] + bytes([line[place] ^ 1 << rng.randrange(8)]) + line[place + 1 :]


def _insert(line: bytes, _: Sequence[bytes], rng: Random) -> bytes:
    place = rng.randrange(len(line) + 1)
    return line[:place] + rng.choice(ODD_BYTES) + line[place:]


def _letter(line: bytes, _: Sequence[bytes], rng: Random) -> bytes:
    place = rng.randrange(len(line) + 1)
    return line[:place] + rng.choice(FEN_LETTERS).encode() + line[place + rng.randrange(2) :]


def _case(line: bytes, _: Sequence[bytes], rng: Random) -> bytes:
    return rng.choice((line.upper(), line.swapcase(), line.title(), line.lower()))


def _words(change: Callable[[list[bytes], Random], None]) -> Callable[[bytes, Sequence[bytes], Random], bytes]:
    def way(line: bytes, _: Sequence[bytes], rng: Random) -> bytes:
        words = line.split(b" ")
        change(words, rng)
        return b" ".join(words)

    return way


def _swap(words: list[bytes], rng: Random) -> None:
    one, other = rng.randrange(len(words)), rng.randrange(len(words))
    words[one], words[other] = words[other], words[one]


def _drop(words: list[bytes], rng: Random) -> None:
    del words[rng.randrange(len(words))]


def _again(words: list[bytes], rng: Random) -> None:
    words.insert(rng.randrange(len(words) + 1), rng.choice(words))


def _odd_word(words: list[bytes], rng: Random) -> None:
    words[rng.randrange(len(words))] = rng.choice(ODD_WORDS).encode()


def _new_word(words: list[bytes], rng: Random) -> None:
    words.insert(rng.randrange(len(words) + 1), rng.choice(ODD_WORDS).encode())


def _number(words: list[bytes], rng: Random) -> None:
    places = [place for place, word in enumerate(words) if word.lstrip(b"-").isdigit()] or range(len(words))
    words[rng.choice(places)] = rng.choice(ODD_NUMBERS).encode()


def _splice(line: bytes, others: Sequence[bytes], rng: Random) -> bytes:
    other = rng.choice(others)
    return line[: rng.randrange(len(line) + 1)] + other[rng.randrange(len(other) + 1) :]


def _long(line: bytes, _: Sequence[bytes], rng: Random) -> bytes:
    if rng.random() < 0.9:  # costly
        return line
    piece = line[-rng.randrange(1, 20) :] or b"x"
    return line + piece * (rng.choice(LONG) // len(piece))


WAYS: tuple[Callable[[bytes, Sequence[bytes], Random], bytes], ...] = (
    _cut, _end, _double, _flip, _insert, _insert, _letter, _letter, _case, _splice, _long,
    *map(_words, (_swap, _drop, _again, _odd_word, _new_word, _number, _number)),
)  # fmt: skip
