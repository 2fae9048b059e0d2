# SPDX-License-Identifier: GPL-3.0-or-later
"""`ChessEngine`: coachwhip for programs that use python-chess, in this process, in place of `chess.engine.SimpleEngine`.

It takes boards and limits of python-chess and returns its results. Each search runs in its own thread, without the GIL, so other
Python threads go on, and a stop or Ctrl-C works at any time.
"""

from __future__ import annotations

import math
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Any, overload

import chess
import chess.engine
from chess.engine import INFO_ALL, InfoDict, Limit, PlayResult

from . import __version__
from .analysis import Analysis, Question
from .core.engine import MAX_DEPTH, Position
from .uci import timeman
from .uci.format import AUTHOR
from .uci.host import Host
from .uci.options import TABLE
from .uci.parse import GO_NUMBERS, MAX_MS, GoLimits
from .uci.thinker import Task
from .uci.tunables import read

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from types import TracebackType

    from chess.engine import ConfigMapping, ConfigValue, Info
    from typing_extensions import Self

LOG = "Debug Log File"  # the one option of a session that has nothing to work on here


class ChessEngine:
    """An engine in this process with the methods of `chess.engine.SimpleEngine`; `options` are those of `configure`.

    One search at a time: a second one raises `chess.engine.EngineError` until the first has ended or been stopped.
    Several engines may search at the same time. Boards may be Chess960 boards; the game that led to a board (its move stack)
    counts for repetition. An illegal position raises ValueError, and so does a limit without an end where one is needed.

    >>> import chess
    >>> from chess.engine import Limit
    >>> with ChessEngine({"Hash": 8}) as engine:
    ...     mated = engine.play(chess.Board("7k/5ppp/8/8/8/8/8/R3K3 w - - 0 1"), Limit(depth=4))
    ...     lines = engine.analyse(chess.Board(), Limit(nodes=5000), multipv=2)
    >>> mated.move, mated.info["score"]
    (Move.from_uci('a1a8'), PovScore(Mate(+1), WHITE))
    >>> [line["multipv"] for line in lines]
    [1, 2]

    A running search reports as it goes, and can be stopped from any thread:

    >>> with ChessEngine() as engine, engine.analysis(chess.Board()) as analysis:
    ...     for info in analysis:
    ...         if info["depth"] >= 5:
    ...             break
    >>> analysis.info["depth"] >= 5, chess.Board().is_legal(analysis.wait().move)
    (True, True)
    """

    def __init__(self, options: ConfigMapping | None = None, *, tunables: Mapping[str, int] | None = None) -> None:
        """`tunables` are changes to the numbers of the search and the switches of its techniques (`coachwhip tunables` lists them).

        Raises `chess.engine.EngineError` for an option or a tunable that is unknown or has a wrong value.
        """
        self._lock = threading.Lock()  # held while a search is prepared
        self._host: Host | None = Host(tunables=_checked(tunables or {}))
        self._host.log_to = _refuse_log
        self._configured: dict[str, ConfigValue] = {}  # the options of `configure`; `options` of a call override them
        self._analysis: Analysis | None = None
        self._pondering = False  # the running search was started by `play` with `ponder`
        self._game: object = None
        self.configure(options or {})

    @property
    def id(self) -> Mapping[str, str]:
        """Name and author."""
        return {"name": f"coachwhip {__version__}", "author": AUTHOR}

    @property
    def options(self) -> Mapping[str, chess.engine.Option]:
        """The options that `configure` takes, with kind, default and range: those that a UCI session has, but for its log."""
        return {
            each.name: chess.engine.Option(
                each.name, each.kind, each.default,
                each.minimum if each.kind == "spin" else None, each.maximum if each.kind == "spin" else None, [],
            )
            for each in TABLE if each.name != LOG
        }  # fmt: skip

    def configure(self, options: ConfigMapping) -> None:
        """Set options of `options`: whole numbers, True or False, paths ("" for none), and None for the button `Clear Hash`.

        | option | value | what it does |
        |---|---|---|
        | `Hash` | MB | size of the transposition table |
        | `Threads` | 1 to 256 | search threads |
        | `Clear Hash` | None | empty the transposition table |
        | `MultiPV` | 1 to 256 | lines of a call without `multipv` |
        | `Move Overhead` | ms | kept back per move on a clock |
        | `UCI_ShowWDL` | bool | reports have `wdl`, a `chess.engine.PovWdl` |
        | `UCI_LimitStrength`, `UCI_Elo` | bool, 500 to 2800 | `play` at this strength |
        | `UCI_AnalyseMode` | bool | neither a book nor a limited strength; unless set, so in `analyse` and `analysis`, not in `play` |
        | `SyzygyPath` | folders | endgame tables, at the root and in the search |
        | `SyzygyProbeDepth`, `SyzygyProbeLimit` | plies, pieces | where the search probes them |
        | `Syzygy50MoveRule` | bool | a win that the fifty-move rule makes a draw counts as a draw |
        | `OwnBook`, `BookFile`, `BookBestMove` | bool, a Polyglot book, bool | `play` opening moves from it |
        | `Seed` | number | random choices of book moves and of a limited strength; 0: others in each engine |
        | `WeightsFile` | path | evaluate with these weights |
        | `Ponder`, `UCI_Chess960` | bool | accepted; the argument `ponder` and the board decide |

        Names as in UCI, in any case. Raises `chess.engine.EngineError` at the first option that is unknown or has a wrong value;
        that option keeps its old value, and those before it are set.
        """
        with self._lock:
            self._require_idle()
            for name, value in options.items():
                self._apply(name, value)
                self._configured[name.lower()] = value

    def ping(self) -> None:
        """Make the engine now, so that the first search need not. Raises `chess.engine.EngineTerminatedError` after `close`.

        As every search, it raises ValueError if the shipped weights, or the network that they name, cannot be used.
        """
        self._live().make_ready()

    def play(
        self,
        board: chess.Board,
        limit: Limit,
        *,
        game: object = None,
        info: Info = INFO_ALL,
        ponder: bool = False,
        draw_offered: bool = False,  # noqa: ARG002 - ignored, as UCI has no command for it
        root_moves: Iterable[chess.Move] | None = None,
        options: ConfigMapping | None = None,
    ) -> PlayResult:
        """Choose a move; `move` is None if there is none.

        A `game` object other than in the last call starts a new game, with empty tables. With `ponder` the engine then searches
        the position after the expected reply, until the next call. `options` are for this call. `stop` from another thread makes
        it move at once; Ctrl-C ends it. A limited strength (`UCI_LimitStrength`) does not ponder.
        """
        _require_an_end(limit)
        with self._begin(board, limit, None, game, info, root_moves, options, playing=True) as analysis:
            best = analysis.wait()
        if ponder and best.move and best.ponder and not self._live().options["UCI_LimitStrength"]:
            ahead = board.copy()
            ahead.push(best.move)
            ahead.push(best.ponder)
            with suppress(chess.engine.EngineError):  # no thread can be started
                self._begin(ahead, None, 1, game, info, None, options, pondering=True)
        return PlayResult(best.move, best.ponder, analysis.info)

    @overload
    def analyse(
        self, board: chess.Board, limit: Limit, *, game: object = ..., info: Info = ...,
        root_moves: Iterable[chess.Move] | None = ..., options: ConfigMapping | None = ...,
    ) -> InfoDict: ...  # fmt: skip

    @overload
    def analyse(
        self, board: chess.Board, limit: Limit, *, multipv: int, game: object = ..., info: Info = ...,
        root_moves: Iterable[chess.Move] | None = ..., options: ConfigMapping | None = ...,
    ) -> list[InfoDict]: ...  # fmt: skip

    @overload
    def analyse(
        self, board: chess.Board, limit: Limit, *, multipv: int | None = ..., game: object = ..., info: Info = ...,
        root_moves: Iterable[chess.Move] | None = ..., options: ConfigMapping | None = ...,
    ) -> InfoDict | list[InfoDict]: ...  # fmt: skip

    def analyse(
        self,
        board: chess.Board,
        limit: Limit,
        *,
        multipv: int | None = None,
        game: object = None,
        info: Info = INFO_ALL,
        root_moves: Iterable[chess.Move] | None = None,
        options: ConfigMapping | None = None,
    ) -> InfoDict | list[InfoDict]:
        """Search to the limit and return what was found: one report, or with `multipv` a list of at most so many, best first.

        A position without a legal move gives depth 0, an empty `pv`, and the score Mate(0) or Cp(0). `stop` ends it early.
        """
        _require_an_end(limit)
        with self._begin(board, limit, multipv, game, info, root_moves, options) as analysis:
            analysis.wait()
        return analysis.info if multipv is None else analysis.multipv

    def analysis(
        self,
        board: chess.Board,
        limit: Limit | None = None,
        *,
        multipv: int | None = None,
        game: object = None,
        info: Info = INFO_ALL,
        root_moves: Iterable[chess.Move] | None = None,
        options: ConfigMapping | None = None,
    ) -> Analysis:
        """Start a search and return at once; without a limit it runs until it is stopped."""
        return self._begin(board, limit, multipv, game, info, root_moves, options)

    def stop(self) -> None:
        """End the running search, if any; the call that waits for it returns what was found so far. Any thread may call this."""
        running = self._analysis
        if running is not None:
            running.stop()

    def close(self) -> None:
        """Stop, and free the memory. Later calls raise `chess.engine.EngineTerminatedError`, except `close`."""
        with self._lock:
            if self._analysis is not None:
                self._analysis.stop()
                self._analysis.join()
            if self._host is not None:
                self._host.close_files()
            self._host = None

    quit = close

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<ChessEngine ({'closed' if self._host is None else self.id['name']})>"

    def _live(self) -> Host:
        if self._host is None:
            raise chess.engine.EngineTerminatedError("this engine was closed")
        return self._host

    def _require_idle(self) -> None:
        """Raise EngineError if a search is running; wait for one that is stopped. The caller holds the lock."""
        self._live()
        if self._analysis is None:
            return
        if self._pondering:
            self._analysis.stop()
        if not (self._analysis.stopped or self._analysis.done):
            raise chess.engine.EngineError("a search is running on this engine: stop it first, or make a second engine")
        self._analysis.join()
        self._analysis = None

    def _apply(self, name: str, value: ConfigValue) -> None:
        """Set an option. Raises EngineError with a session's sentence, and keeps the old value, if name or value is wrong."""
        complaint = self._live().set_option(name, _text(value))
        if complaint:
            raise chess.engine.EngineError(complaint)

    def _adjust(self, options: ConfigMapping, *, playing: bool) -> None:
        """Set the options for one call: those of the call, else of `configure`, else the defaults. Raises EngineError."""
        asked = {name.lower(): value for name, value in options.items()}
        in_force = self._live().options
        names = {entry.name.lower() for entry in TABLE}
        for name, value in options.items():
            if name.lower() not in names:
                self._apply(name, value)  # which says that there is no such option
        usual = {"uci_analysemode": not playing, **self._configured}
        for entry in TABLE:
            name = entry.name.lower()
            if entry.kind == "button" and name not in asked:
                continue
            value = asked.get(name, usual.get(name, entry.default))
            if entry.kind == "button" or not in_force.means_the_same(name, _text(value)):
                self._apply(name, value)

    def _begin(
        self,
        board: chess.Board,
        limit: Limit | None,
        multipv: int | None,
        game: object,
        info: Info,
        root_moves: Iterable[chess.Move] | None,
        options: ConfigMapping | None,
        *,
        playing: bool = False,
        pondering: bool = False,
    ) -> Analysis:
        """Check everything, then start the search."""
        position = _position(board)
        if multipv is not None and multipv < 1:
            raise ValueError(f"multipv must be at least 1, not {multipv}")
        moves = _searchmoves(board, root_moves)
        with self._lock:
            self._require_idle()
            self._adjust(options or {}, playing=playing)
            host = self._live()
            most = host.options["MultiPV"] if multipv is None else multipv
            task = Task(
                position,
                moves,
                **_limits(limit or Limit(), board.turn, host.options["Move Overhead"]),
                multipv=max(min(most, len(moves or position.legal_moves())), 1),
                analysing=host.options["UCI_AnalyseMode"] or limit is None or limit.mate is not None,
            )
            if game != self._game:
                host.new_game()
                self._game = game
            _ = host.engine  # which may raise, and then no search is running
            self._pondering = pondering
            analysis = Analysis(Question(task, board.turn, info))
            try:
                analysis.start(host)
            except RuntimeError as error:
                raise chess.engine.EngineError(f"no thread for a search without an end: {error}") from error
            self._analysis = analysis
            return analysis


def _checked(tunables: Mapping[str, int]) -> dict[str, int]:
    """The tunables, if all are right. Raises EngineError."""
    try:
        return read(f"{name}={value:d}" for name, value in tunables.items())
    except ValueError as error:
        raise chess.engine.EngineError(str(error)) from error


def _text(value: ConfigValue) -> str | None:
    """A value of `configure` as text of a UCI `setoption`."""
    return None if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def _refuse_log(path: str) -> None:
    """Apply the option for a log. Raises ValueError unless it says that there is to be none."""
    if path:
        raise ValueError("this engine runs in the program itself, so there is no conversation to log")


def _require_an_end(limit: Limit) -> None:
    ends = (limit.time, limit.depth, limit.nodes, limit.mate, limit.white_clock, limit.black_clock)
    if all(end is None for end in ends):
        raise ValueError("the limit sets no end: give it a time, depth, nodes, mate or clock")


def _position(board: chess.Board) -> Position:
    """The board with its game since the last null move. Raises ValueError with one sentence if the position is illegal."""
    if type(board).uci_variant != "chess":
        raise ValueError(f"coachwhip plays standard chess and Chess960, not {type(board).uci_variant}")
    moves = board.move_stack
    nulls = [index for index, move in enumerate(moves) if not move]
    moves = moves[nulls[-1] + 1 :] if nulls else moves
    start = board.copy(stack=len(moves))
    while start.move_stack:
        start.pop()
    position = Position(start.fen(shredder=board.chess960, en_passant="fen"), chess960=board.chess960)
    for move in moves:
        position.make(move.uci())
    return position


def _searchmoves(board: chess.Board, root_moves: Iterable[chess.Move] | None) -> list[str]:
    """`root_moves` as UCI text; an empty list means all moves. Raises ValueError for an illegal move or if there are none."""
    if root_moves is None:
        return []
    moves = list(root_moves)
    for move in moves:
        if not board.is_legal(move):
            raise ValueError(f"root_moves: {move.uci()} is not legal in {board.fen()}")
    if not moves:
        raise ValueError("root_moves is empty: there is nothing to choose from")
    return [move.uci() for move in moves]


def _limits(limit: Limit, turn: chess.Color, overhead_ms: int) -> dict[str, Any]:
    """A limit of python-chess as the limits of a `Task`.

    `uci.timeman` computes those of a clock, on which `overhead_ms` are kept back for each move; `time` is rounded to milliseconds.
    """
    clock = GoLimits()
    clock.wtime, clock.btime = _milliseconds(limit.white_clock), _milliseconds(limit.black_clock)
    clock.winc, clock.binc = _milliseconds(limit.white_inc, 0), _milliseconds(limit.black_inc, 0)
    clock.movestogo = None if limit.remaining_moves is None else max(int(limit.remaining_moves), 0)
    soft, hard = timeman.limits_for(clock, turn == chess.WHITE, overhead_ms)
    longest = _milliseconds(limit.time)
    if longest is not None:
        hard = min(hard, longest) if hard else longest
        soft = min(soft, hard)
    depth = min(_whole("depth", limit.depth), MAX_DEPTH)
    nodes, mate = _whole("nodes", limit.nodes), _whole("mate", limit.mate)
    return {"depth": depth, "nodes": nodes, "mate": mate, "soft_ms": soft, "hard_ms": hard}


def _milliseconds(seconds: float | None, least: int = timeman.MIN_MS) -> int | None:
    if seconds is None:
        return None
    if math.isnan(seconds):
        raise ValueError("a time in the limit is not a number")
    return round(min(max(seconds * 1000, least), MAX_MS))


def _whole(name: str, value: int | None) -> int:
    """A number of a limit, clamped to the range of the UCI field; 0 for None."""
    lowest, highest = GO_NUMBERS[name]
    return 0 if value is None else min(max(int(value), lowest), highest)
