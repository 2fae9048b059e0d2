# SPDX-License-Identifier: GPL-3.0-or-later
"""A match: its games, those that are finished, and where they are kept."""

import argparse
import json
from collections.abc import Iterator, Sequence
from functools import partial

from ...cli.journal import Journal
from ...cli.run import Experiment
from ...games.pgn import game_text
from ...pages.board_page import MAX_GAMES
from ..engines.client import Client
from ..engines.pool import EnginePool
from .game import Contest
from .page import study_of, write_page
from .pgn_file import PgnFile
from .record import GameRecord
from .schedule import Pairing, players
from .sprt import Sprt
from .standings import describe, one_line, summary
from .tally import Tally

FORFEITED = 1  # exit code where forfeited games make the result
REPORTS = 20  # lines on how the match stands while it is played, at most


class MatchRun(Experiment[Pairing, GameRecord]):
    """A match that is played.

    Each finished game goes to the journal, the tally, the PGN file and the screen, in this order.
    """

    NAME, UNITS = "match", "games"

    def __init__(
        self,
        args: argparse.Namespace,
        contest: Contest,
        meetings: Sequence[tuple[int, int]],
        pairings: Sequence[Pairing],
        journal: Journal,
        engines: EnginePool[Client],
    ) -> None:
        """The games of the journal count, and the PGN file gets them."""
        self._args, self._contest, self._meetings, self._journal, self._engines = (
            args,
            contest,
            meetings,
            journal,
            engines,
        )
        self._names = [player.name for player in contest.players]
        self._sprt = Sprt(*args.sprt) if args.sprt else None
        self._tally = Tally()
        self._pairings = {pairing.number: pairing for pairing in pairings}
        self._shown: list[GameRecord] = []  # on the page
        self._pgn = PgnFile(args.pgn) if args.pgn else None
        for record in journal.read(GameRecord.from_json):
            if self._pgn:
                headers = self._headers(record)
                self._pgn.add_missing(headers, partial(self._pgn_text, record))
            if record.number in self._pairings:
                self._count(record)
        self.total, self.done = len(pairings), len(self._tally.results)

    def batches(self) -> Iterator[list[Pairing]]:
        """Yield the games that are missing, unless the test has a verdict."""
        if not self._is_decided():
            yield [pairing for number, pairing in self._pairings.items() if number not in self._tally.results]

    def keep(self, item: Pairing, result: GameRecord) -> bool:  # noqa: ARG002
        """Keep, count and print a finished game; return whether the test has a verdict."""
        self._journal.append(result.to_json())
        self._count(result)
        if self._pgn:
            self._pgn.add(self._pgn_text(result))
        games, every = len(self._tally.results), max(2, (self.total - self.done) // REPORTS // 2 * 2)
        self.bar.log(
            f"game {result.number + 1}: {result.white} - {result.black} {result.result} "
            f"({result.explanation()})"
        )
        self.bar.advance()
        if games % every == 0 and len(self._names) == 2:
            self.bar.log(f"after {games} games: {one_line(self._tally, self._sprt)}")
        return self._is_decided()

    def __exit__(self, *_: object) -> None:
        """End the engines and the PGN file."""
        self._engines.close()
        if self._pgn:
            self._pgn.close()

    def report(self) -> int:
        """Print the results, and write the page."""
        args, results = self._args, (self._tally, self._names, self._sprt)
        print(json.dumps(summary(*results), indent=2) if args.json else describe(*results))
        if args.report and self._tally.results:
            shown = sorted(self._shown, key=lambda record: record.number)
            write_page(args.report, *results, [study_of(record, self._headers(record)) for record in shown])
        return FORFEITED if self._tally.forfeiters() else 0

    def _count(self, record: GameRecord) -> None:
        """Count a game, and keep it for the page if there is one."""
        self._tally.add(self._pairings[record.number], record)
        if self._args.report and len(self._shown) < MAX_GAMES:
            self._shown.append(record)

    def _is_decided(self) -> bool:
        """Return whether the test has accepted a hypothesis."""
        return self._sprt is not None and bool(self._tally.verdict(self._sprt))

    def _pgn_text(self, record: GameRecord) -> str:
        return game_text(record.game(self._headers(record)))

    def _headers(self, record: GameRecord) -> dict[str, str]:
        """Return the headers that the match knows: the same in every run, whatever the number of games."""
        headers = {
            "Event": "coachwhip match",
            "Date": record.date[:10].replace("-", "."),
            "Round": str(record.number // 2 + 1),
        }
        headers |= {"GameId": str(record.number + 1), "GameEndTime": record.date}
        white, black = (
            str(self._contest.controls[player]) for player in players(record.number, self._meetings)
        )
        return headers | (
            {"TimeControl": white}
            if white == black
            else {"WhiteTimeControl": white, "BlackTimeControl": black}
        )
