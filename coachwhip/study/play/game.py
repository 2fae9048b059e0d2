# SPDX-License-Identifier: GPL-3.0-or-later
"""The game behind `play`: rules, tree and clocks; no engine, no input or output.

Any thread may call a `Game` at any time, and wait on `changed` for its next position or end.
"""

import threading
import time
from typing import TYPE_CHECKING, NamedTuple

import chess
import chess.pgn
from chess.engine import SimpleAnalysisResult

from ... import __version__
from ...games.adjudication import DRAW, UNFINISHED, Ending, find_ending, win
from ...games.pgn import game_text
from ...games.rules import Rules
from ...games.time_control import TimeControl

if TYPE_CHECKING:
    from pathlib import Path


class Setup(NamedTuple):
    """How a game starts."""

    board: chess.Board  # its moves belong to the game
    human: chess.Color  # the person's colour
    control: TimeControl  # seconds a move, or a clock for both sides
    elo: int | None = None  # the engine's strength; None: full strength


class Game:
    """A game: its position, clocks and end.

    `tree` is the game as PGN, `node` its last position and `board` that position with its history; both are
    replaced, never changed, so that another thread may keep them. For `board.san`, which makes the move for a
    moment, it takes `node.board()`. `changes` counts the positions and ends so far, and whatever else the
    person should see. Hold `changed` across several calls about one position.
    """

    setup: Setup
    search: SimpleAnalysisResult | None = None  # in this position; a change stops it

    def __init__(self, setup: Setup) -> None:
        self.changed = threading.Condition()  # its lock may be taken again by the thread that holds it
        self.changes = 0
        self.new(setup)

    @property
    def human(self) -> chess.Color:
        """The person's colour."""
        return self.setup.human

    @property
    def name(self) -> str:
        """The engine's name, with its strength."""
        return "coachwhip" + (f" ({self.setup.elo})" if self.setup.elo else "")

    @property
    def has_clock(self) -> bool:
        """Whether both sides have a clock."""
        return bool(self.setup.control.base)

    @property
    def ending(self) -> Ending | None:
        """How the game ended, None while it goes on.

        The side to move loses once its time is up, or draws if the other cannot win.
        """
        with self.changed:
            turn = self.board.turn
            if not self._ending and self.has_clock and not self.clock(turn):
                can_win = not self.board.has_insufficient_material(not turn)
                self._end(Ending(win(not turn) if can_win else DRAW, "time forfeit"))
            return self._ending

    def outcome(self) -> str:
        """Return how the game ended, in words for the person; "" while it goes on."""
        if not (ending := self.ending):
            return ""
        who = {DRAW: "A draw", win(self.human): "You win"}.get(ending.result, "You lose")
        return f"{who} by {ending.reason}: {ending.result}"

    @property
    def is_engine_to_move(self) -> bool:
        """Whether the game goes on and the engine's answer is due."""
        return not self.ending and self.board.turn != self.human

    def clock(self, colour: chess.Color) -> float:
        """Return the seconds that a side has left, 0 without a clock."""
        with self.changed:
            return max(
                0.0, self._left[colour] - (time.monotonic() - self._since if colour == self.running else 0)
            )

    @property
    def running(self) -> chess.Color | None:
        """Whose clock runs: neither side's before the person's first move, or after the end."""
        return self.board.turn if self._has_begun and not self._ending else None

    def wait(self, changes: int, seconds: float | None = None) -> int:
        """Wait until `changes` is another number or the time is up, that of a clock too; return it.

        Ends the game at a fallen flag.
        """
        with self.changed:
            while self.changes == changes and not self.ending and seconds is None:
                self.changed.wait(
                    None if self.running is None or not self.has_clock else self.clock(self.running)
                )
            self.changed.wait_for(lambda: self.changes != changes, seconds)
            return self.changes

    def touch(self) -> None:
        """Let who waits look again."""
        with self.changed:
            self.changes += 1
            self.changed.notify_all()

    def make(self, move: chess.Move) -> bool:
        """Make a legal move of the side to move; return False if the game is over, as when the time is up."""
        with self.changed:
            if self.ending:
                return False
            turn, left = self.board.turn, self.clock(self.board.turn) + self.setup.control.increment
            self._has_begun |= turn == self.human
            node = self.node.add_variation(move)
            if self.has_clock:
                node.set_clock(left)
            self._go_to(node, {turn: left, not turn: self._left[not turn]})
            return True

    def undo(self) -> bool:
        """Take back an end that no move made, else the person's last move, with the clocks of then.

        The game goes on. Return False if there is no such move.
        """
        with self.changed:
            node: chess.pgn.GameNode | None = self.node
            if not self.ending or find_ending(self.board, (), Rules()):
                node = self.node.parent
                while node and node.turn() != self.human:
                    node = node.parent
            if not node:
                return False
            node.variations.clear()
            self._return_to(node)
            return True

    def _return_to(self, node: chess.pgn.GameNode) -> None:
        """Go to a position of the tree, with the clocks of then."""
        times = {not node.turn(): node.clock(), node.turn(): node.parent.clock() if node.parent else None}
        base = self.setup.control.base
        self._go_to(node, {side: base if left is None else left for side, left in times.items()})

    def new(self, setup: Setup | None = None, tree: chess.pgn.Game | None = None) -> None:
        """Start another game, or the same one again.

        With `tree`, go on with that game, whose clocks wait for the person.
        """
        with self.changed:
            self.setup = setup or self.setup
            self._has_begun = False
            self.tree = tree or self._first_tree()
            self._return_to(self.tree.end())
            self.saved: dict[Path, str] = {}  # its text at the ends of files
            self.resumed = self.pgn() if tree else ""  # may stand at the end of any file

    def _first_tree(self) -> chess.pgn.Game:
        """Return the game as it starts, with its tags."""
        players = {self.human: "Human", not self.human: f"{self.name}, version {__version__}"}
        headers = {"Event": "coachwhip play", "Date": time.strftime("%Y.%m.%d"), "Round": "-"}
        headers |= {"TimeControl": str(self.setup.control)} if self.has_clock else {}
        tree = chess.pgn.Game.from_board(self.setup.board)
        tree.headers.update(
            headers, White=players[chess.WHITE], Black=players[chess.BLACK], Time=time.strftime("%H:%M:%S")
        )
        return tree

    @property
    def is_played(self) -> bool:
        """Whether it has moves, one of them the person's, or an end."""
        return bool(self.tree.variations and (self._has_begun or self.resumed or self._ending))

    def resign(self) -> None:
        """Resign for the person, unless the game is over."""
        with self.changed:
            if not self.ending:
                self._end(Ending(win(not self.human), "resignation"))

    def agree(self, changes: int) -> bool:
        """End the game as a draw by agreement, unless it has changed since or is over.

        Return whether it has ended so.
        """
        with self.changed:
            if changes != self.changes or self.ending:
                return False
            self._end(Ending(DRAW, "agreement"))
            return True

    def pgn(self) -> str:
        """Return the game so far as PGN, with its result and how it ended."""
        with self.changed:
            result, how = self.ending or (UNFINISHED, "unterminated")
            self.tree.headers.update(Result=result, Termination=how)
            return game_text(self.tree).strip()

    def _go_to(
        self, node: chess.pgn.GameNode, left: dict[chess.Color, float], ending: Ending | None = None
    ) -> None:
        """Set the position, how the game ended there, and the clocks; let that of the side to move run."""
        if self.search:
            self.search.stop()
        self.node, self.board, self._left = node, node.board(), left
        self._since = time.monotonic()
        self._ending = ending or find_ending(self.board, (), Rules())
        self.touch()

    def _end(self, ending: Ending) -> None:
        """End the game, and stop the clock."""
        self._go_to(self.node, {side: self.clock(side) for side in chess.COLORS}, ending)
