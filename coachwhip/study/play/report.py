# SPDX-License-Identifier: GPL-3.0-or-later
"""The analysis of games for the page: it shows how far it is, can be stopped, and keeps what it has."""

import threading
from argparse import Namespace
from contextlib import suppress
from functools import partial
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


class Stopped(Exception):
    """The person has stopped the analysis, or begun another one."""


class Report:
    """The last analysis, in a thread and by an engine of its own."""

    def __init__(self, args: Namespace) -> None:
        self._args, self._lock = args, threading.Lock()
        self._text, self._described, self._done = "", "", 0
        self._games: list[AnalysedGame] = []
        self._thread = threading.Thread()

    def begin(self, text: str) -> None:
        """Analyse the games of a text, unless they are the last ones.

        Raises CommandError if it has none with moves.
        """
        with self._lock:
            if text == self._text:
                return
            try:
                games = [
                    game for game in read_games(BufferedReader(BytesIO(text.encode()))) if game.variations
                ]
            except PgnError as error:
                raise CommandError(f"This PGN: {error}") from error
            if not games:
                raise CommandError("This PGN: it contains no game")
            self._text, self._games, self._done = text, [AnalysedGame(game, "the game") for game in games], 0
            self._thread = threading.Thread(target=self._run, args=[self._games], daemon=True)
            self._thread.start()

    def _run(self, games: list[AnalysedGame]) -> None:
        with open_engine({"WeightsFile": str(self._args.weights or "")}) as engine, suppress(Stopped):
            self._described = f"{engine.id['name']}, {LIMIT.nodes} nodes a position"
            for game in games:
                # Of a game of another variant the page says that it is not analysed.
                with suppress(ValueError, EngineError):
                    Analyst(engine, LIMIT).analyse(game, partial(self._advance, games))

    def _advance(self, games: list[AnalysedGame]) -> None:
        self._done += 1
        if games is not self._games or not self._text:
            raise Stopped

    def stop(self) -> None:
        """Stop after the position that is being searched."""
        self._text = ""

    def progress(self) -> dict[str, Any]:
        """Return how many positions of how many are analysed, and whether the page is ready."""
        total = sum(len(game.boards) for game in self._games)
        return {"done": self._done, "total": total, "ready": not self._thread.is_alive()}

    def page(self) -> str:
        """Return the page of what is analysed, at the end of the analysis."""
        if self._thread.is_alive():
            self._thread.join()
        for game in self._games:
            game.annotate(self._described.partition(",")[0])
        player = "Human" if any(colours_of("Human", game.game) for game in self._games) else ""
        return board_page.page(self._games, self._described, player=player, back="/")
