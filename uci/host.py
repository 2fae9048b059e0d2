# SPDX-License-Identifier: GPL-3.0-or-later
"""The state that commands work on: engine, position, weights, endgame tables, book, and the options."""

from __future__ import annotations

import os

from . import parse
from .options import MAX_SEED, Options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from ..core.engine import Engine, Position
    from .book import Book
    from .options import Option
    from .tablebase import Tablebase


SHREDDER = str.maketrans("HAha", "KQkq")  # the names of the corners' files in a Shredder-FEN


class HostError(ValueError):
    """The engine cannot be made; the message is for the user."""


class Host:
    """Engine, weights and position, each made when first needed; endgame tables and book when an option asks for them.

    `core` and `config` are the modules `core.engine` and `evaluation.config` or replacements for tests. The values of all options
    are stored in `options` only. A method that applies an option gets the new value before it is stored there. `tunables` are
    changes to core/tunables.py, checked by `uci.tunables`; if they are to `expose`, every tunable is an option.
    """

    def __init__(
        self, core: Any = None, config: Any = None, tunables: Mapping[str, int] | None = None, *, expose: bool = False
    ) -> None:
        self._core = core
        self._config = config
        self._tunables = dict(tunables or {})
        self._engine: Engine | None = None
        self._evaluator: tuple[list[int], bytes | None] | None = None  # weights and network
        self._position: Position | None = None
        self._start: tuple[str | None, bool] = None, False  # where the game began, None: start position; and UCI_Chess960 then
        self._moves: list[str] = []
        self.refusal = ""  # why the last `position` command was refused; "" if it was not
        self.options = Options(self._exposed() if expose else ())
        self.tables: Tablebase | None = None
        self.book: Book | None = None
        self.games = 0  # number of games begun in this session
        self._random_seed = 1 + int.from_bytes(os.urandom(4), "big") % MAX_SEED
        self.tell: Callable[[str], None] = _ignore  # shows the user a message that is no error
        self.log_to: Callable[[str], None] = _ignore

    @property
    def core(self) -> Any:
        """The compiled core's Python face."""
        if self._core is None:
            from ..core import engine

            self._core = engine
        return self._core

    @property
    def config(self) -> Any:
        """The loader of weights files."""
        if self._config is None:
            from ..evaluation import config

            self._config = config
        return self._config

    @property
    def engine(self) -> Engine:
        """The engine, with a transposition table of the size of the option Hash. Raises HostError."""
        if self._engine is None:
            try:
                self._engine = self._new_engine(self.options["Hash"])
            except MemoryError as error:
                raise HostError(f"no engine: {error}") from error
        return self._engine

    @property
    def seeds(self) -> tuple[int, int]:
        """What random choices depend on besides the position: the option Seed, or a number of this process, and the game."""
        return self.options["Seed"] or self._random_seed, self.games

    @property
    def position(self) -> Position:
        """The position last set, with the game that led to it."""
        if self._position is None:
            self._position = self._new_position(None)
        return self._position

    def set_option(self, name: str, text: str | None) -> str:
        """Set an option from a GUI's text. Returns "" or why the old value stays."""
        return self.options.set(name, text, self)

    def _exposed(self) -> tuple[Option, ...]:
        """The options that stand for tunables; imported when they are asked for."""
        from .tunables import options

        return options(self._tunables)

    def make_ready(self) -> None:
        """Make engine and position now, so that the first search need not."""
        _ = self.engine, self.position

    def _new_engine(self, hash_mb: int) -> Engine:
        if self._evaluator is None:
            try:
                self._evaluator = self.config.evaluator()
            except ValueError as error:
                raise HostError(f"no engine: {error}") from error
        weights, network = self._evaluator
        engine: Engine = self.core.Engine(weights, hash_mb=hash_mb, tunables=self._present_tunables(), network=network)
        if self.tables is not None:
            engine.set_tablebase(*self._tables_in_search())
        return engine

    def _present_tunables(self) -> dict[str, int]:
        """The changes to core/tunables.py that are in force."""
        return {**self._tunables, **{entry.name: int(self.options[entry.name]) for entry in self.options.exposed}}

    def _new_position(self, fen: str | None) -> Position:
        """The position of a FEN, None: the start position. Only UCI_Chess960 allows the castling rights of Chess960."""
        chess960 = self.options["UCI_Chess960"]
        position: Position = self.core.Position(fen or self.core.STARTPOS_FEN, chess960=chess960)
        if fen is None or chess960:
            return position
        fields = fen.split()
        fields[2:3] = [_standard_rights(position.board(), rights) for rights in fields[2:3]]
        standard: Position = self.core.Position(" ".join(fields))
        return standard

    def set_position(self, command: parse.PositionCommand) -> None:
        """Set the position. Raises ValueError, and keeps the old one, if the FEN or a move is illegal.

        A GUI sends the whole game at every move: if it extends the present game, only the new moves are made.
        """
        known = len(self._moves)
        first = command.fen, self.options["UCI_Chess960"]
        extends = self._position is not None and first == self._start and command.moves[:known] == self._moves
        position = self.position if extends else self._new_position(command.fen)
        start = known if extends else 0
        for index in range(start, len(command.moves)):
            try:
                position.make(command.moves[index])
            except ValueError:
                for _ in range(start, index if extends else start):
                    position.undo()
                move = parse.shorten(command.moves[index])
                raise ValueError(f"illegal move '{move}' (number {index + 1} after 'moves')") from None
        self._position, self._start, self._moves = position, first, command.moves

    @property
    def tunables(self) -> dict[str, int]:
        """The changes to core/tunables.py with which the session began."""
        return dict(self._tunables)

    def new_game(self) -> None:
        """Forget what searches have learnt; the position stays."""
        self.games += 1
        if self._engine is not None:
            self._engine.clear()

    def set_hash(self, mb: int) -> None:
        """Set the size of the transposition table. Raises MemoryError and keeps the old one."""
        if self._engine is None:
            self._engine = self._new_engine(mb)
        else:
            self._engine.set_hash(mb)

    def set_threads(self, threads: int) -> None:
        """Set the number of search threads. Raises MemoryError and keeps the old number."""
        self.engine.set_threads(threads)

    def clear_hash(self) -> None:
        """Empty the transposition table."""
        if self._engine is not None:
            self._engine.clear_hash()

    def set_chess960(self, on: bool) -> None:
        """Set how castling is written."""
        if self._position is not None:
            self._position.chess960 = on

    def set_weights_file(self, path: str) -> None:
        """Evaluate with this file's weights and network ("": the default ones).

        Raises ValueError, OSError or MemoryError and keeps the old ones.
        """
        evaluator: tuple[list[int], bytes | None] = self.config.evaluator(path)
        if self._engine is not None:
            weights, network = evaluator
            if self._evaluator is None or network != self._evaluator[1]:
                self._engine.set_network(network)  # first, since there may be no memory for it
            self._engine.set_weights(weights)
        self._evaluator = evaluator

    def set_syzygy_path(self, path: str) -> None:
        """Use the endgame tables in these folders ("": none). Raises ValueError, and keeps the old ones, if there is no table."""
        tables = None
        if path:
            from .tablebase import Tablebase

            tables = Tablebase(path)
            tables.rule50 = self.options["Syzygy50MoveRule"]
        old, self.tables = self.tables, tables
        self.share_tables()
        if old is not None:
            old.close()
        if tables is not None:
            self.tell(f"SyzygyPath: {tables.summary}")

    def set_syzygy_depth(self, depth: int) -> None:
        """Probe the tables in the search only at nodes with at least so many plies left to search."""
        self.share_tables(depth=depth)

    def set_syzygy_rule50(self, on: bool) -> None:
        """Set whether a win that the fifty-move rule makes a draw counts as a draw."""
        if self.tables is not None:
            self.tables.rule50 = on
        self.clear_hash()

    def set_syzygy_limit(self, pieces: int) -> None:
        """Probe no table of more men than this."""
        self.share_tables(men=pieces)

    def share_tables(self, in_search: bool = True, depth: int | None = None, men: int | None = None) -> None:
        """Let the present engine's search probe the tables, or not; an engine made later probes them.

        `depth` and `men` are new values of SyzygyProbeDepth and SyzygyProbeLimit that are not stored yet.
        """
        if self._engine is not None:
            self._engine.set_tablebase(*(self._tables_in_search(depth, men) if in_search else (None,)))

    def _tables_in_search(self, depth: int | None = None, men: int | None = None) -> tuple[Any, ...]:
        if self.tables is None:
            return (None,)
        depth = self.options["SyzygyProbeDepth"] if depth is None else depth
        men = self.options["SyzygyProbeLimit"] if men is None else men
        return self.tables.probe, min(self.tables.max_pieces, men), depth

    def set_own_book(self, on: bool) -> None:
        """Have a book ready: the shipped one where BookFile names none. Raises ValueError or OSError."""
        if on and self.book is None:
            self._open_book("")

    def set_book_file(self, path: str) -> None:
        """Take opening moves from this Polyglot book ("": the shipped one). Raises ValueError or OSError and keeps the old one."""
        if path or self.book is not None:
            self._open_book(path)

    def _open_book(self, path: str) -> None:
        from .book import SHIPPED, Book

        old, self.book = self.book, Book(path or SHIPPED)
        if old is not None:
            old.close()

    def close(self) -> None:
        """Free the engine, and close the files of book and endgame tables; the host is not to be used any more."""
        self._engine = None
        for opened in (self.book, self.tables):
            if opened is not None:
                opened.close()

    def set_debug_log(self, path: str) -> None:
        """Log all lines to this file ("": no log). Raises OSError if it cannot be written."""
        self.log_to(path)

    def set_tunable(self, name: str, value: int) -> None:
        """Search with another value of a tunable; what searches have learnt is forgotten."""
        if self._engine is not None:
            self._engine.set_tunables({**self._present_tunables(), name: value})


def _standard_rights(board: str, rights: str) -> str:
    """Those castling rights of a FEN for which king and rook are where standard chess has them at the start."""
    last, *_, first = board.split()
    fits = {
        "K": first[4] + first[7] == "KR",
        "Q": first[4] + first[0] == "KR",
        "k": last[4] + last[7] == "kr",
        "q": last[4] + last[0] == "kr",
    }
    return "".join(right for right in rights if fits.get(right.translate(SHREDDER))) or "-"


def _ignore(_: str) -> None:
    """What `tell` and `log_to` are without a UCI loop."""
