# SPDX-License-Identifier: GPL-3.0-or-later
"""Blocks of lines for the UCI fuzzer, valid and damaged; the same for the same seed."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import oracle
from coachwhip.uci import parse
from coachwhip.uci.loop import UCI_COMMANDS
from uci_model import COMMANDS, Model

if TYPE_CHECKING:
    from collections.abc import Callable

MOST = {"hash": 4, "threads": 4, "multipv": 8}  # of what costs memory or time
END = (b"stop", b"d", b"isready")
MARK = b"setoption name mark"  # its message separates the answers to the lines before it and after it
ODD_BYTES = (
    b"\0",
    b"\t",
    b"  ",
    b"\xff",
    b"\xc3",
    b"\xe2\x80\xa8",
    b"\xef\xbb\xbf",
    b"\x1b[2J",
    b"\x1c",
    b"#",
    b"-",
    b"%s",
    b"\xd9\xa3",
)
ODD_WORDS = (
    "moves fen startpos value name searchmoves ponder infinite depth nodes mate movetime wtime btime winc movestogo go stop isready "
    "position setoption ucinewgame ponderhit d true false <empty> 0000 (none) e2e4 e7e8q e1h1 KQkq - w 8/8/8/8/8/8/8/8 0 -1 256 007 "
    "1_0 1e3 18446744073709551616 99999999999999999999999999999999 NaN ²"
).split()
VALID = """stop|ponderhit|isready|debug on|register later|ucinewgame|d|perft 1|perft 2|go perft 1|go depth 1|go depth 3|go nodes 50
go movetime 5|go wtime 50 btime 50 winc 2 binc 2|go wtime -5|go mate 2|go infinite|go ponder wtime 60 btime 60|go ponder depth 2
go depth 2 searchmoves e2e4 e7e5 a1a1|go depth 2 infinite""".replace("\n", "|").split("|")
INVALID = """xyzzy|UCI|position|setoption|perft|perft x|go perft|go depth x|go movetime -|position fen blah|setoption name Hash value x
position startpos moves e2e5|setoption name BookFile value none.bin|setoption name WeightsFile value none.py
setoption name SyzygyPath value none|setoption name Hash value 99999999|position fen 4k3/8/8/8/8/8/8/4RK2 w - - 0 1""".replace(
    "\n", "|"
).split("|")


def make_games(seed: int, count: int = 12, plies: int = 60) -> list[tuple[str, list[str]]]:
    """Games of all kinds of chess: a FEN ("" for the start position) and moves."""
    rng = random.Random(f"games {seed}")
    games = []
    for number in range(count):
        board = oracle.start_board(oracle.KINDS[number % 3], rng)
        fen = "" if number % 3 == 0 else oracle.fen_of(board)
        games.append((fen, [move.uci() for move in oracle.play(board, rng, number % 2 == 0, plies)]))
    return games


class Lines:
    """Writes the blocks of one session."""

    def __init__(self, rng: random.Random, games: list[tuple[str, list[str]]], model: Model) -> None:
        self._rng = rng
        self._games = games
        self._declared = model.declared

    def block(self, count: int = 30) -> list[bytes]:
        """So many lines, and an end that stops every search and shows the position."""
        kinds: tuple[Callable[[], bytes], ...] = (
            self._position,
            self._option,
            self._valid,
            self._valid,
            self._invalid,
            self._damaged,
        )
        block: list[bytes] = []
        while len(block) < count:
            line = self._rng.choice(kinds)()
            if not self._is_forbidden(line):
                block += [line, MARK]
        return [*block, *END]

    def _valid(self) -> bytes:
        return self._rng.choice(VALID).encode()

    def _invalid(self) -> bytes:
        return self._rng.choice(INVALID).encode()

    def _position(self) -> bytes:
        fen, moves = self._rng.choice(self._games)
        start = f"position fen {fen}" if fen else "position startpos"
        return f"{start} moves {' '.join(moves[: self._rng.randrange(len(moves) + 1)])}".encode()

    def _option(self) -> bytes:
        name, (kind, low, high) = self._rng.choice(list(self._declared.items()))
        if kind == "check":
            value = self._rng.choice(("true", "false", "TRUE"))
        else:
            value = str(self._rng.randint(low, min(high, MOST.get(name, high)))) if kind == "spin" else "<empty>"
        return f"setoption name {name} value {value}".encode()

    def _damaged(self) -> bytes:
        """A line with one to three kinds of damage; line ends have their own tests."""
        line = self._rng.choice((self._position, self._option, self._valid, self._valid))()
        for _ in range(self._rng.choice((1, 1, 2, 3))):
            line = self._rng.choice((self._damaged_bytes, self._damaged_words))(line)
        return line.replace(b"\r", b"").replace(b"\n", b"")

    def _damaged_bytes(self, line: bytes) -> bytes:
        rng, at = self._rng, self._rng.randrange(len(line) + 1)
        kind = rng.randrange(6)
        if kind == 0:
            return line[:at] + line[at + rng.choice((1, 1, 2, 5, 20)) :]
        if kind == 1:
            return line[: at + 10] + line[at:]
        if kind == 2:
            return line[:at] + rng.choice(ODD_BYTES) + line[at:]
        if kind == 3:
            return line[:at] + bytes([rng.choice(b"kqrbnpKQRBNP12345678/ -wbHAha9x")]) + line[at + rng.randrange(2) :]
        if kind == 4:
            return line + (line[-5:] or b"x") * rng.choice((1, 100, 5000))
        return rng.choice((line.upper(), line.title(), line.lower()))

    def _damaged_words(self, line: bytes) -> bytes:
        rng, words = self._rng, line.split(b" ")
        at = rng.randrange(len(words))
        odd = rng.choice(ODD_WORDS).encode()
        words[at : at + 1] = rng.choice(([], [odd], [odd, words[at]], [words[at], words[at]], [rng.choice(words)]))
        return b" ".join(words)

    @staticmethod
    def _is_forbidden(line: bytes) -> bool:
        """Whether a line would end the session, take long, take much memory, write a file, or have another answer each time."""
        name, rest = parse.split_command(parse.decode_line(line), COMMANDS, UCI_COMMANDS)
        if name in ("quit", "bench", "uci", "help", "compiler", "eval"):
            return True
        if name in ("perft", "go"):
            try:
                depth = parse.parse_go(f"perft {rest}" if name == "perft" else rest)[0].perft
            except parse.UserError:
                return False
            return depth is not None and depth > 2
        if name != "setoption":
            return False
        try:
            option, value = parse.parse_setoption(rest)
        except parse.UserError:
            return False
        most = MOST.get(option.lower())
        return option.lower() in ("debug log file", "syzygypath") or (
            most is not None and (parse.parse_int(value or "") or 0) > most
        )
