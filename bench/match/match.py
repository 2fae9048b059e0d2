# SPDX-License-Identifier: GPL-3.0-or-later
"""A match: its games, those that are finished, and where they are kept."""

import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path

from ...uci.parse import reason
from ..common.command import CommandError, uninterrupted
from ..common.progress import progress
from .game import GameRecord
from .journal import MatchJournal, PgnFile
from .runner import Runner
from .schedule import Pairing
from .seat import OVERSTEP, Notice
from .sprt import Sprt
from .standings import one_line
from .tally import Tally

REPORTS = 20  # lines on how the match stands while it is played, at most


class Match:
    """A match that is played; each finished game goes to the journal, the tally, the PGN file and the screen, in this order."""

    def __init__(
        self,
        names: Sequence[str],
        controls: Sequence[str],
        pairings: Sequence[Pairing],
        sprt: Sprt | None = None,
        journal: MatchJournal | None = None,
        pgn: Path | None = None,
    ) -> None:
        """Names and time controls are the players'. Counts what the journal holds, and has it in the file `pgn`. Raises OSError."""
        self.names = names
        self.tally = Tally()
        self.sprt = sprt
        self._controls = controls
        self._pairings = {pairing.number: pairing for pairing in pairings}
        self._journal = journal
        self._reported: set[tuple[str, str]] = set()  # engines and kinds of notices
        self._lock = threading.Lock()
        played = journal.games if journal else []
        for record in played:
            if record.number in self._pairings:
                self.tally.add(self._pairings[record.number], record)
        self._pgn = PgnFile(pgn, self._pgn_text, played) if pgn else None

    def close(self) -> None:
        """End the PGN file."""
        if self._pgn is not None:
            self._pgn.close()

    def play(self, runner: Runner) -> None:
        """Play what is missing, until nothing is or the test has a verdict."""
        missing = [pairing for number, pairing in self._pairings.items() if number not in self.tally.results]
        if self.tally.results:
            print(f"{len(self.tally.results)} games are played, {len(missing)} to go", file=sys.stderr)
        if not missing or self._is_decided():
            return
        every = max(2, len(missing) // REPORTS // 2 * 2)
        with progress("games", len(missing)) as bar, closing(runner(missing, partial(self._warn, bar.say))) as games:
            for record in games:
                with uninterrupted():  # the files and the count agree
                    self._keep(record)
                self._warn_late(bar.say, record)
                bar.say(f"game {record.number + 1}: {record.white} - {record.black} {record.result} ({record.explanation()})")
                bar.advance()
                if len(self.tally.results) % every == 0 and len(self.names) == 2:
                    bar.say(f"after {len(self.tally.results)} games: {one_line(self.tally, self.sprt)}")
                if self._is_decided():
                    break

    def _is_decided(self) -> bool:
        """Whether the test has accepted a hypothesis."""
        return self.sprt is not None and bool(self.sprt.verdict(self.sprt.llr(self.tally.pairs(0, 1))))

    def _keep(self, record: GameRecord) -> None:
        """Keep and count a finished game."""
        if self._journal is not None:
            self._journal.add(record)
        self.tally.add(self._pairings[record.number], record)
        if self._pgn is not None:
            self._pgn.add(record)

    def _warn(self, say: Callable[[str], None], pairing: Pairing, notice: Notice) -> None:
        """Say what an engine does, at once, and the first time only. It may be called from any thread."""
        with self._lock:
            is_new = (notice.engine, notice.kind) not in self._reported
            self._reported.add((notice.engine, notice.kind))
        if is_new:
            say(notice.for_game(pairing.number + 1))

    def _warn_late(self, say: Callable[[str], None], record: GameRecord) -> None:
        """The same of a finished game, for games that are played elsewhere."""
        pairing = self._pairings[record.number]
        sides = (pairing.white, record.white), (pairing.black, record.black)
        for (player, engine), count in zip(sides, record.oversteps, strict=True):
            if count:
                notice = Notice(engine, OVERSTEP, self._controls[player], f"has searched more in {count} of its moves")
                self._warn(say, pairing, notice)

    def _pgn_text(self, record: GameRecord) -> str:
        """A game with the headers that the match knows."""
        headers = {"Event": "coachwhip match", "Date": record.date, "Round": str(record.number // 2 + 1)}
        headers["GameId"] = str(record.number + 1)
        pairing = self._pairings.get(record.number)
        if pairing is not None:
            white, black = self._controls[pairing.white], self._controls[pairing.black]
            headers |= {"TimeControl": white} if white == black else {"WhiteTimeControl": white, "BlackTimeControl": black}
        try:
            return record.pgn(headers)
        except (ValueError, AssertionError) as error:  # only what a journal holds that no match has written
            path = self._journal.path if self._journal else "the match"
            raise CommandError(f"{path}: game {record.number} cannot be played: {reason(error)}") from error
