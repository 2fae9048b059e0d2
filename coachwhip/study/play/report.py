# SPDX-License-Identifier: GPL-3.0-or-later
"""The analysis of games for the page: it shows how far it is, can be stopped, and keeps what it has."""

import threading
from argparse import Namespace
from contextlib import suppress
from io import BufferedReader, BytesIO
from typing import Any

from chess.engine import EngineError, Limit

from ...cli.command import CommandError
from ...coach.analyst import Analyst
from ...coach.study import AnalysedGame, colours_of
from ...games.pgn import PgnError, read_games
from ...in_process import open_engine
from ...pages import board_page

LIMIT = Limit(nodes=100_000)  # of each position
PERSON = "Human"  # whose side the page shows, in games played here


class Stopped(Exception):
    """The person has stopped the analysis."""


class Report:
    """The analysis of the games of a text, in a thread and by an engine of its own."""

    def __init__(self, args: Namespace, text: str) -> None:
        """Begin. Raises CommandError if the text has no game with moves."""
        try:
            games = [game for game in read_games(BufferedReader(BytesIO(text.encode()))) if game.variations]
        except PgnError as error:
            raise CommandError(f"This PGN: {error}") from error
        if not games:
            raise CommandError("This PGN: it contains no game")
        self._args, self.text = args, text
        self._games = [AnalysedGame(game, "the game") for game in games]
        self._described = ""
        self._done, self._total = 0, sum(len(game.boards) for game in self._games)
        self.is_stopped = False
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        with open_engine({"WeightsFile": str(self._args.weights or "")}) as engine, suppress(Stopped):
            self._described = f"{engine.id['name']}, {LIMIT.nodes} nodes a position"
            for game in self._games:
                with suppress(ValueError, EngineError):  # of another variant: the page says that it is not analysed
                    Analyst(engine, LIMIT).analyse(game, self._advance)

    def _advance(self) -> None:
        self._done += 1
        if self.is_stopped:
            raise Stopped

    def stop(self) -> None:
        """Stop after the position that is being searched."""
        self.is_stopped = True

    def progress(self) -> dict[str, Any]:
        """Return how many positions of how many are analysed, and whether the page is ready."""
        return {"done": self._done, "total": self._total, "ready": not self._thread.is_alive()}

    def page(self) -> str:
        """Return the page of what is analysed, at the end of the analysis."""
        self._thread.join()
        for game in self._games:
            game.annotate(self._described.partition(",")[0])
        player = PERSON if any(colours_of(PERSON, game.game) for game in self._games) else ""
        return board_page.page(self._games, self._described, player=player, back="/")
