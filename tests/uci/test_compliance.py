# SPDX-License-Identifier: GPL-3.0-or-later
"""What match runners check before they let an engine play: the 40 steps of `fastchess --compliance`, one by one, in its order.

Each step is judged as strictly as fastchess judges it, and what it lets pass (line ends, words after a bestmove, lines that
were never flushed) is judged here.
"""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

import chess
import pytest
from uci_process import UciProcess, installed_command

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

WHITE = "3r2k1/p5n1/1pq1p2p/2p3p1/2P1P1n1/1P1P2pP/PN1Q2K1/5R2 w - - 0 27"
BLACK = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"
UCI_MOVE = re.compile(r"[a-h][1-8][a-h][1-8][nbrq]?")
STEPS = 40


class Walk:
    """The state of the check: the engine, the lines of the last search, and how many steps were taken."""

    def __init__(self, engine: UciProcess) -> None:
        self.engine = engine
        self.greeting: list[str] = []
        self.lines: list[str] = []
        self.steps = 0

    def step(self, judge: Callable[[], object]) -> None:
        """Take the next step; it must not raise, and a bool must be True."""
        self.steps += 1
        assert judge() is not False, f"step {self.steps}, after {self.lines[-5:]}"

    def start(self) -> None:
        self.engine.send("uci")
        self.greeting = self.engine.read_until("uciok")

    def says(self, word: str) -> bool:
        return any(re.fullmatch(rf"id {word} \S.*", line) for line in self.greeting)

    def quietly(self, *lines: str) -> bool:
        return self.engine.ask(*lines) == []

    def go(self, command: str) -> None:
        self.lines = []
        self.engine.send(command)

    def bestmove(self) -> bool:
        """Wait for it: alone on the last line, a move and perhaps one to ponder on; nothing comes after it."""
        self.lines = self.engine.read_until("bestmove")
        words = self.lines[-1].split(" ")
        moves = words[1::2]
        return (
            words[::2] == ["bestmove", "ponder"][: len(moves)]
            and all(UCI_MOVE.fullmatch(move) for move in moves)
            and self.engine.ask() == []
        )

    def info(self) -> str:
        """The line fastchess looks at: the last one with an exact score, of the first line of play."""
        scored = [line for line in self.lines if " score " in line and not line.startswith("info string")]
        exact = [line for line in scored if "bound" not in line and (" multipv " not in line or " multipv 1 " in line)]
        assert exact, self.lines
        return exact[-1]

    def is_valid(self) -> bool:
        """Whole numbers only; and the line begins with the move that is played, all of it legal."""
        words = self.info().split(" ")
        numbers = [words[words.index(name) + 1] for name in ("time", "nps", "nodes", "depth")]
        score = words[words.index("score") + 1 :][:2]
        line = words[words.index("pv") + 1 :]
        return (
            words[0] == "info"
            and all(number.isdigit() for number in numbers)
            and score[0] in ("cp", "mate")
            and re.fullmatch(r"-?\d+", score[1]) is not None
            and line[0] == self.lines[-1].split(" ")[1]
        )

    def is_legal(self, fen: str, moves: str = "") -> bool:
        """The line of play can be played from where the search began."""
        board = chess.Board(fen)
        for move in [*moves.split(), *self.info().partition(" pv ")[2].split()]:
            board.push(board.parse_uci(move))
        return True

    def has_score(self) -> bool:
        return " score " in self.info()


@pytest.fixture(params=[b"\n", b"\r\n"], ids=["LF", "CRLF"])
def walk(request: pytest.FixtureRequest) -> Iterator[Walk]:
    """The installed command; the environment of uci_process lacks PYTHONUNBUFFERED."""
    with UciProcess(command=installed_command(), ending=request.param) as engine:
        yield Walk(engine)
        engine.quit()
        assert b"\r" not in engine.raw
        assert engine.raw.endswith(b"\n")


def test_the_forty_steps_of_fastchess(walk: Walk) -> None:
    walk.step(walk.start)  # 1
    walk.step(walk.quietly)
    walk.step(lambda: walk.says("name"))
    walk.step(lambda: walk.says("author"))
    walk.step(lambda: walk.quietly("ucinewgame"))
    walk.step(lambda: walk.quietly("position startpos"))
    walk.step(walk.quietly)
    walk.step(lambda: walk.quietly(f"position fen {WHITE}"))
    walk.step(walk.quietly)
    search(walk, "go wtime 100", WHITE)  # 10 to 14
    walk.step(lambda: walk.quietly(f"position fen {BLACK}"))  # 15
    search(walk, "go btime 100", BLACK)
    search(walk, "go wtime 100 winc 100 btime 100 binc 100", BLACK)  # 21
    search(walk, "go btime 100 binc 100 wtime 100 winc 100", BLACK)  # 26
    walk.step(walk.has_score)  # 31
    walk.step(lambda: walk.quietly("ucinewgame"))
    for moves in ("", "e2e4 e7e5"):  # 33 to 40
        position = f"position startpos{' moves ' * bool(moves)}{moves}"
        walk.step(partial(walk.quietly, position))
        walk.step(lambda: walk.go("go wtime 100 btime 100"))
        walk.step(walk.bestmove)
        walk.step(walk.is_valid)
        assert walk.is_legal(chess.STARTING_FEN, moves)
    assert walk.steps == STEPS


def search(walk: Walk, command: str, fen: str) -> None:
    """Five steps: go, bestmove, an info line, a valid one, with a score."""
    walk.step(lambda: walk.go(command))
    walk.step(walk.bestmove)
    walk.step(walk.info)
    walk.step(walk.is_valid)
    walk.step(walk.has_score)
    assert walk.is_legal(fen)
