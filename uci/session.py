# SPDX-License-Identifier: GPL-3.0-or-later
"""The state that commands work on: engine, position, weights, endgame tables, book, and the options."""

from __future__ import annotations

import os

from ..text import LONGEST_REASON, reason, shorten
from . import parse
from .options import MAX_SEED, Options, as_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ..core.engine import Engine, Network, Position
    from .book import Book
    from .options import Option
    from .tablebase import Tablebase


UNSET = {
    "WeightsFile": "the shipped weights",
    "SyzygyPath": "no tables",
    "BookFile": "no book file",
    "Debug Log File": "no log",
}
SHREDDER = str.maketrans("HAha", "KQkq")  # the names of the corners' files in a Shredder-FEN


class Session:
    """Engine, weights and position, each made when first needed.

    Endgame tables and book are opened when an option asks for them. Only the worker thread uses it, once
    commands are read. `tunables` are changes to core/tunables.py, checked by `uci.tunables`; with `expose`,
    every tunable is an option.
    """

    def __init__(self, tunables: Mapping[str, int] | None = None, *, expose: bool = False) -> None:
        self.tunables = dict(tunables or {})  # with which the session started
        self._engine: Engine | None = None
        self._evaluator: tuple[list[int], Network | None] | None = None  # weights and network
        self._position: Position | None = None
        self.rejection = ""  # why the last `position` command was rejected; "" if it was not
        exposed: tuple[Option, ...] = ()
        if expose:
            from .tunables import options as tunable_options

            exposed = tunable_options(self.tunables)
        self.options = Options(exposed)
        self.tables: Tablebase | None = None
        self.book: Book | None = None
        self.games = 0  # number of games started in this session
        self.last_job_ns = 0  # when the last search, perft or bench ended
        self._random_seed = 1 + int.from_bytes(os.urandom(4), "big") % MAX_SEED
        self.show: Callable[[str], None] = lambda _: None  # shows the user a message that is no error
        self.log_to: Callable[[str], None] = lambda _: None  # set by the loop

    @property
    def engine(self) -> Engine:
        """The engine, with a transposition table of the size of the option Hash. Raises UserError."""
        if self._engine is None:
            try:
                return self._make_engine()
            except (MemoryError, ValueError) as error:
                raise parse.UserError(f"no engine: {error}") from error
        return self._engine

    @property
    def position(self) -> Position:
        """The position last set, with the game that led to it."""
        if self._position is None:
            self._position = self.new_position(None)
        return self._position

    @property
    def seeds(self) -> tuple[int, int]:
        """The seeds of random choices: the option Seed, or a number of this process, and the game."""
        return self.options.number("Seed") or self._random_seed, self.games

    def set_option(self, name: str, text: str | None) -> str:
        """Set an option from a GUI's text.

        Returns "", or the reason why the old value stays; names are case-insensitive.
        """
        options = self.options
        entry = next((entry for entry in options.table if entry.name.lower() == name.lower()), None)
        if entry is None:
            return options.unknown(name)
        old = options.values[entry.name]
        try:
            options.values[entry.name] = entry.read(text)
            if entry.name in EFFECTS:
                EFFECTS[entry.name](self)
            elif entry in options.exposed:
                self._set_tunables()
        except Exception as error:
            options.values[entry.name] = old
            kept = (
                f"keeping {shorten(as_text(old) if old != '' else UNSET.get(entry.name, ''), LONGEST_REASON)}"
            )
            if isinstance(error, MemoryError):
                return f"{entry.name}: not enough memory, {kept}"
            if not isinstance(error, (ValueError, OSError)):
                raise
            return f"{entry.name}: {reason(error)}; {kept}"
        options.were_set.add(entry.name)
        return ""

    def make_ready(self) -> None:
        """Make engine and position, so that the first search starts at once. Raises UserError."""
        _ = self.engine, self.position

    def new_game(self) -> None:
        """Empty transposition table and histories; the position stays."""
        self.games += 1
        if self._engine is not None:
            self._engine.clear()

    def close(self) -> None:
        """Free the engine, and close book and endgame tables; the session cannot be used any more."""
        self._engine = None
        for opened in (self.book, self.tables):
            if opened is not None:
                opened.close()

    # Engine

    def _make_engine(self) -> Engine:
        from ..core.engine import Engine

        if self._evaluator is None:
            self._evaluator = self._read_weights()
        weights, network = self._evaluator
        self._engine = Engine(
            weights, hash_mb=self.options.number("Hash"), tunables=self._present_tunables(), network=network
        )
        self.share_tables()
        return self._engine

    def _read_weights(self) -> tuple[list[int], Network | None]:
        from ..evaluation import config

        return config.evaluator(self.options.text("WeightsFile"))

    def _present_tunables(self) -> dict[str, int]:
        """Return the changes to core/tunables.py that are in force."""
        return {
            **self.tunables,
            **{entry.name: self.options.number(entry.name) for entry in self.options.exposed},
        }

    def resize_hash(self) -> None:
        """Give the transposition table the size of Hash. Raises MemoryError and keeps the old one."""
        if self._engine is None:
            self._make_engine()
        else:
            self._engine.set_hash(self.options.number("Hash"))

    def set_threads(self) -> None:
        """Search with as many threads as Threads says. Raises MemoryError and keeps the old number."""
        self.engine.set_threads(self.options.number("Threads"))

    def clear_hash(self) -> None:
        """Empty the transposition table."""
        if self._engine is not None:
            self._engine.clear_hash()

    def load_weights(self) -> None:
        """Evaluate with the weights and the network of WeightsFile.

        Raises ValueError, OSError or MemoryError and keeps the old ones.
        """
        evaluator = self._read_weights()
        if self._engine is not None:
            weights, network = evaluator
            if self._evaluator is None or network != self._evaluator[1]:
                self._engine.set_network(network)  # first, since there may be no memory for it
            self._engine.set_weights(weights)
        self._evaluator = evaluator

    def _set_tunables(self) -> None:
        """Search with the present values of the tunables; empties transposition table and histories."""
        if self._engine is not None:
            self._engine.set_tunables(self._present_tunables())

    # Position

    def set_position(self, fen: str | None, moves: list[str]) -> None:
        """Set the position; `fen` None: the start position.

        Raises ValueError, and keeps the old one, if the FEN or a move is illegal.
        """
        position = self.new_position(fen)
        for number, move in enumerate(moves, 1):
            try:
                position.make(move)
            except ValueError:
                raise ValueError(f"illegal move '{shorten(move)}' (number {number} after 'moves')") from None
        self._position = position

    def new_position(self, fen: str | None) -> Position:
        """Return the position of a FEN, None: the start position.

        Only UCI_Chess960 allows the castling rights of Chess960.
        """
        from ..core.engine import STARTPOS_FEN, Position

        chess960 = self.options.is_on("UCI_Chess960")
        position = Position(fen or STARTPOS_FEN, chess960=chess960)
        if fen is None or chess960:
            return position
        fields = fen.split()
        fields[2:3] = [_standard_rights(position.board(), rights) for rights in fields[2:3]]
        return Position(" ".join(fields))

    def set_chess960(self) -> None:
        """Write castling as UCI_Chess960 says."""
        if self._position is not None:
            self._position.chess960 = self.options.is_on("UCI_Chess960")

    # Endgame tables and book

    def open_tables(self) -> None:
        """Use the endgame tables in the folders of SyzygyPath ("": none).

        Raises ValueError, and keeps the old ones, if there is none.
        """
        path, old, tables = self.options.text("SyzygyPath"), self.tables, None
        if path:
            from .tablebase import Tablebase

            tables = Tablebase(path)
            tables.rule50 = self.options.is_on("Syzygy50MoveRule")
            self.show(f"SyzygyPath: {tables.summary}")
        self.tables = tables
        self.share_tables()
        if old is not None:
            old.close()

    def set_tables_rule50(self) -> None:
        """Count a win that the fifty-move rule makes a draw as Syzygy50MoveRule says."""
        if self.tables is not None:
            self.tables.rule50 = self.options.is_on("Syzygy50MoveRule")
        self.clear_hash()

    def share_tables(self, in_search: bool = True) -> None:
        """Let the present engine's search probe the tables, or not; an engine made later probes them."""
        if self._engine is None:
            return
        if self.tables is None or not in_search:
            self._engine.set_tablebase(None)
        else:
            pieces = min(self.tables.max_pieces, self.options.number("SyzygyProbeLimit"))
            self._engine.set_tablebase(self.tables.probe, pieces, self.options.number("SyzygyProbeDepth"))

    def open_book(self) -> None:
        """Open the book of BookFile, without it the shipped one for OwnBook.

        Raises ValueError or OSError and keeps the old one.
        """
        path, old, book = self.options.text("BookFile"), self.book, None
        if path or self.options.is_on("OwnBook"):
            from .book import SHIPPED, Book

            book = Book(path or SHIPPED)
        self.book = book
        if old is not None:
            old.close()

    def open_log(self) -> None:
        """Log to the Debug Log File. Raises OSError and keeps the old one."""
        self.log_to(self.options.text("Debug Log File"))


# What happens at once when an option gets a new value, which is in `options` already; most are read when they
# are needed. A method that fails changes nothing. The table holds no session: a reference cycle would delay
# the release of the engine's memory.
EFFECTS: dict[str, Callable[[Session], None]] = {
    "Hash": Session.resize_hash,
    "Threads": Session.set_threads,
    "Clear Hash": Session.clear_hash,
    "UCI_Chess960": Session.set_chess960,
    "SyzygyPath": Session.open_tables,
    "SyzygyProbeDepth": Session.share_tables,
    "Syzygy50MoveRule": Session.set_tables_rule50,
    "SyzygyProbeLimit": Session.share_tables,
    "OwnBook": Session.open_book,
    "BookFile": Session.open_book,
    "WeightsFile": Session.load_weights,
    "Debug Log File": Session.open_log,
}


def _standard_rights(board: str, rights: str) -> str:
    """Return the castling rights of a FEN whose king and rook are on their squares of standard chess."""
    last, *_, first = board.split()
    fits = {
        "K": first[4] + first[7] == "KR",
        "Q": first[4] + first[0] == "KR",
        "k": last[4] + last[7] == "kr",
        "q": last[4] + last[0] == "kr",
    }
    return "".join(right for right in rights if fits.get(right.translate(SHREDDER))) or "-"
