# SPDX-License-Identifier: GPL-3.0-or-later
"""A match: its games, those that are finished, and where they are kept."""

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from ...cli.command import uninterrupted, warn
from ...cli.journal import Journal
from ...cli.progress import progress
from ...text import counted
from .pgn_file import PgnFile
from .record import GameRecord
from .runner import Runner
from .schedule import Pairing, players
from .sprt import Sprt
from .standings import one_line
from .tally import Tally

MAX_TEXTS = 1000  # games for the page: browsers do not hold many more
REPORTS = 20  # lines on how the match stands while it is played, at most


class Match:
    """A match that is played; each finished game goes to the journal, the tally, the PGN file and the screen, in this order."""

    def __init__(
        self,
        names: Sequence[str],
        controls: Sequence[str],
        meetings: Sequence[tuple[int, int]],
        pairings: Sequence[Pairing],
        sprt: Sprt | None = None,
        journal: Journal | None = None,
        pgn: Path | None = None,
    ) -> None:
        """Names and time controls are the players', who meet in `meetings`. The games of the journal count, and the file `pgn` gets them."""
        self.names = names
        self.tally = Tally()
        self.sprt = sprt
        self._controls = controls
        self._meetings = meetings
        self._pairings = {pairing.number: pairing for pairing in pairings}
        self._journal = journal
        played = [GameRecord.from_json(line) for line in journal.lines] if journal else []
        for record in played:
            if record.number in self._pairings:
                self.tally.add(self._pairings[record.number], record)
        self.texts = {record.number: self._pgn_text(record) for record in played[:MAX_TEXTS]}  # PGN, by number
        self._pgn = PgnFile(pgn, [self._pgn_text(record) for record in played]) if pgn else None

    def close(self) -> None:
        """End the PGN file."""
        if self._pgn is not None:
            self._pgn.close()

    def play(self, runner: Runner) -> None:
        """Play what is missing, until nothing is or the test has a verdict."""
        missing = [pairing for number, pairing in self._pairings.items() if number not in self.tally.results]
        if self.tally.results:
            warn(f"{counted(len(self.tally.results), 'game')} played, {len(missing)} to go")
        if not missing or self._is_decided():
            return
        every = max(2, len(missing) // REPORTS // 2 * 2)
        with progress("games", len(missing)) as bar, closing(runner(missing)) as games:
            for record in games:
                with uninterrupted():  # the files and the count agree
                    self._keep(record)
                bar.log(f"game {record.number + 1}: {record.white} - {record.black} {record.result} ({record.explanation()})")
                bar.advance()
                if len(self.tally.results) % every == 0 and len(self.names) == 2:
                    bar.log(f"after {len(self.tally.results)} games: {one_line(self.tally, self.sprt)}")
                if self._is_decided():
                    break

    def _is_decided(self) -> bool:
        """Whether the test has accepted a hypothesis."""
        return self.sprt is not None and bool(self.sprt.verdict(self.sprt.llr(self.tally.pairs(0, 1))))

    def _keep(self, record: GameRecord) -> None:
        """Keep and count a finished game."""
        if self._journal is not None:
            self._journal.append(record.to_json())
        self.tally.add(self._pairings[record.number], record)
        text = self._pgn_text(record)
        if len(self.texts) < MAX_TEXTS:
            self.texts[record.number] = text
        if self._pgn is not None:
            self._pgn.add(text)

    def _pgn_text(self, record: GameRecord) -> str:
        """A game with the headers that the match knows: the same text in every run, whatever the number of games."""
        headers = {"Event": "coachwhip match", "Date": record.date[:10].replace("-", "."), "Round": str(record.number // 2 + 1)}
        headers |= {"GameId": str(record.number + 1), "GameEndTime": record.date}
        white, black = (self._controls[player] for player in players(record.number, self._meetings))
        headers |= {"TimeControl": white} if white == black else {"WhiteTimeControl": white, "BlackTimeControl": black}
        return record.pgn(headers)
