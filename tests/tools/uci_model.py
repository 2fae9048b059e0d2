# SPDX-License-Identifier: GPL-3.0-or-later
"""The model of a UCI session, for tests and for the fuzzer: what the lines of a search must look like, and what is answered to a block.

Lines are read by the engine's own parser, which has its own tests; positions are python-chess's.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import chess
from coachwhip.uci import parse
from coachwhip.uci.loop import UCI_COMMANDS

from coachwhip.text import parse_int

if TYPE_CHECKING:
    from collections.abc import Sequence

COMMANDS = UCI_COMMANDS | {"d", "eval", "perft", "compiler", "help", "bench"}
MOVE = "[a-h][1-8][a-h][1-8][nbrq]?"
INFO = re.compile(
    rf"info depth (\d+) seldepth \d+ multipv (\d+) score (?:cp -?\d+|mate -?\d+)( lowerbound| upperbound)?(?: wdl (\d+) (\d+) (\d+))?"
    rf" nodes (\d+) nps (\d+) hashfull (\d+) tbhits \d+ time (\d+)(?: pv((?: {MOVE})+))?"
)
CURRMOVE = re.compile(rf"info depth \d+ currmove {MOVE} currmovenumber \d+")
OPTION = re.compile(r"option name (.+?) type (spin|check|string|button)(?: default \S+)?(?: min (-?\d+) max (-?\d+))?")
LONGEST_MESSAGE = 500


def after(moves: str, fen: str = chess.STARTING_FEN) -> chess.Board:
    """The position after these moves."""
    board = chess.Board(fen)
    for move in moves.split():
        board.push_uci(move)
    return board


def check_search(lines: Sequence[str], board: chess.Board | None = None, multipv: int = 1) -> chess.Move | None:
    """Check the output of one search from this position (default: the start): well-formed, legal, and the bestmove is the last pv's.

    Returns the move, None without a legal one.
    """
    board = chess.Board() if board is None else board
    if not any(board.legal_moves):
        assert lines == [f"info depth 0 score {'mate' if board.is_check() else 'cp'} 0", "bestmove (none)"]
        return None
    exact: dict[int, str] = {}
    for line in lines[:-1]:
        match = INFO.fullmatch(line)
        if match is None:
            assert CURRMOVE.fullmatch(line) or is_message(line), line
            continue
        _, number, bound, *wdl, nodes, nps, hashfull, ms, pv = match.groups()
        assert int(nps) == int(nodes) * 1000 // max(int(ms), 1), line
        assert int(hashfull) <= 1000, line
        assert wdl == [None] * 3 or sum(map(int, wdl)) == 1000, line
        assert 1 <= int(number) <= multipv, line
        check_pv(board, (pv or "").split(), line)
        if not bound:
            exact[int(number)] = pv.split()[0]
    assert len(set(exact.values())) == len(exact), f"two lines with the same first move: {exact}"
    words = lines[-1].split(" ")
    assert words[::2] == ["bestmove", "ponder"][: len(words) // 2], lines[-1]
    assert exact[1] == words[1], f"{lines[-1]} after a pv of {exact[1]}"
    check_pv(board, words[1::2], lines[-1])
    return board.parse_uci(words[1])


def check_pv(board: chess.Board, moves: Sequence[str], line: str) -> None:
    """Play moves, which must be legal and written as the position writes them."""
    board = board.copy(stack=False)
    for text in moves:
        move = board.parse_uci(text)
        assert board.uci(move) == text, line
        board.push(move)


def is_message(line: str) -> bool:
    """Whether this is a message to the user; checks that it is short, printable, and not about an error of our own."""
    if not line.startswith("info string "):
        return False
    assert line.isprintable(), line
    assert len(line) <= LONGEST_MESSAGE, line
    assert not line.startswith("info string internal error"), line
    return True


class Model:
    """A session as its lines leave it. `fens` are positions that are certain to be legal; of others only the engine can tell.

    `board` is None while only the engine knows the position; `d` shows it. `declared`: option -> type, minimum and maximum.
    """

    def __init__(self, uci: Sequence[str], fens: Sequence[str]) -> None:
        self._fens = frozenset(fens)
        options = filter(None, map(OPTION.fullmatch, uci))
        self.declared = {option[1].lower(): (option[2], int(option[3] or 0), int(option[4] or 0)) for option in options}
        self.board: chess.Board | None = chess.Board()
        self._multipv, self._chess960 = 1, False
        self._is_rejected = False  # the last position
        self._left: list[str] = []  # answers that have not been looked at

    def check(self, block: Sequence[bytes], answers: Sequence[str]) -> None:
        """Check the answers to a block whose last lines are `stop`, `d` and `isready`. Raises AssertionError or ValueError."""
        commands = [parse.split_command(parse.decode_line(line), COMMANDS, UCI_COMMANDS) for line in block]
        due = {  # these come at once while a search runs, else in order
            "readyok": sum(name == "isready" for name, _ in commands),
            "info string Unknown command: '": sum(not name and bool(rest) for name, rest in commands),
            "info string perft: expected a depth": sum(_lacks_depth(name, rest) for name, rest in commands),
        }
        for start, count in due.items():
            assert sum(line.startswith(start) for line in answers) == count, f"{count} times {start} expected"
        self._left = [line for line in answers if not line.startswith(tuple(due))]
        for name, rest in commands:
            if name in ("position", "setoption", "go", "d"):
                getattr(self, f"_{name}")(rest)
            elif name == "perft" and not _lacks_depth(name, rest):
                self._perft()
        assert not self._left, f"unasked: {self._left[:3]}"

    def _next(self, start: str = "") -> str:
        assert self._left, f"no {start!r}"
        line = self._left.pop(0)
        assert line.startswith(start), f"{line!r} instead of {start!r}"
        is_message(line)
        return line

    def _has_next(self, start: str) -> bool:
        return bool(self._left) and self._left[0].startswith(start)

    def _position(self, rest: str) -> None:
        board: chess.Board | None = None
        self._is_rejected = True
        try:
            fen, moves = parse.parse_position(rest)
            if fen is None or fen in self._fens:
                board = self._game(fen, moves)
                self._is_rejected = False
            else:
                self._is_rejected = self._has_next("info string position")
        except ValueError:
            pass
        if self._is_rejected:
            self._next("info string position")
        else:
            self.board = board

    def _game(self, fen: str | None, moves: Sequence[str]) -> chess.Board:
        """The position after these moves. Raises ValueError if one is illegal."""
        board = chess.Board(fen or chess.STARTING_FEN, chess960=self._chess960)
        if not board.chess960:
            board.castling_rights = board.clean_castling_rights()
        for text in moves:
            move = board.parse_uci(text)
            if not move:
                raise ValueError("a null move")
            board.push(move)
        return board

    def _setoption(self, rest: str) -> None:
        try:
            name, value = parse.parse_setoption(rest)
        except ValueError:
            self._next("info string setoption: ")
            return
        kind, low, high = self.declared.get(name.lower(), ("none", 0, 0))
        number = parse_int(value or "")
        accepted = {
            "string": value is not None
            and not (self._has_next("info string setoption: ") and name.lower() in self._left[0].lower()),
            "button": True,
            "check": (value or "").lower() in ("true", "false"),
            "spin": number is not None and low <= number <= high,
            "none": False,
        }[kind]
        if not accepted:
            line = self._next("info string setoption: ")
            assert kind == "none" or " keeping " in line, line
        elif name.lower() == "multipv":
            self._multipv = number or 1
        elif name.lower() == "uci_chess960":
            self._chess960 = (value or "").lower() == "true"
            self.board = None

    def _go(self, rest: str) -> None:
        if _lacks_depth("go", rest):
            return
        request, complaint = parse.parse_go(rest)
        if complaint:
            self._next("info string go: ignored ")
        if request.perft is not None:
            self._perft()
            return
        lines = [self._next()]
        while not lines[-1].startswith("bestmove "):
            lines.append(self._next())
        if self._is_rejected:
            assert lines[-1] == "bestmove 0000", lines
            assert len(lines) == 2, lines
        elif self.board is not None:
            check_search(lines, self.board, self._multipv)

    def _perft(self) -> None:
        while not self._next().startswith("info string perft "):
            pass

    def _d(self, _: str) -> None:
        lines = [self._next() for _ in range(23)]
        fen = lines[20].removeprefix("Fen: ")
        if self.board is None:
            self.board = chess.Board(fen, chess960=self._chess960)
        else:
            assert fen == self.board.fen(shredder=self._chess960), f"{fen} instead of {self.board.fen(shredder=self._chess960)}"
        assert lines[22] == f"In check: {'yes' if self.board.is_check() else 'no'}", lines


def _lacks_depth(name: str, rest: str) -> bool:
    """Whether a command is a perft without a depth."""
    try:
        parse.parse_go({"go": rest, "perft": f"perft {rest}"}.get(name, ""))
    except ValueError:
        return True
    return False
