# SPDX-License-Identifier: GPL-3.0-or-later
"""One `go`, from its request to its bestmove: by book, endgame tables, a weaker level, or the search alone.

Analysis uses neither the book nor a weaker level. Clients take the score of a move from the reports before
it, and ignore those sent while pondering. So a report of each pv, with the final nodes and time, is sent
right before the best move.
"""

from __future__ import annotations

import threading
from contextlib import contextmanager
from time import perf_counter_ns

from ..text import shorten
from . import format as fmt
from . import strength, timeman, wdl
from .worker import Job

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ..core.engine import Engine, Position, SearchInfo, SearchResult
    from .parse import SearchRequest
    from .session import Session
    from .tablebase import Rank
    from .writer import Writer


# With a hard limit below this only the last lines are sent, since each line costs time, also in the GUI.
SILENT_MS = 20


class SearchJob(Job):
    """One `go`. Its clock starts when the line is read or the previous job ends, whichever is later."""

    name = "go"
    is_search = True

    def __init__(self, request: SearchRequest, write: Writer, complain: Callable[[str], None]) -> None:
        super().__init__(write, complain, request.ends_by_itself())
        self.request = request
        self._start_ns = perf_counter_ns()
        self._pondering = request.ponder  # and no ponderhit has come yet
        self._engine: Engine | None = None  # while it searches
        self._lock = threading.Lock()
        self._released = threading.Event()
        self._ranks: list[Rank] | None = None  # of the root moves, by the endgame tables
        self._material: float | None = None  # with UCI_ShowWDL
        self._final: list[SearchInfo] = []  # the reports right before the best move
        self._best = self._ponder = ""

    # Called by the thread that reads commands

    def stop(self) -> None:
        """End the search now."""
        with self._lock:
            self.stopped = True
            if self._engine is not None:
                self._engine.stop()
        self._released.set()

    def ponderhit(self) -> None:
        """Let the time limits apply from now on; ignored if not pondering."""
        if not self._pondering:
            return
        with self._lock:
            self._pondering = False
            if self._engine is not None:
                self._engine.ponderhit()
        self.ends_by_itself = self.request.is_bounded() and not self.request.infinite
        if not self.request.infinite:
            self._released.set()

    # Called by the worker

    def work(self, session: Session) -> None:
        """Find the best move of the present position, and the reports before it.

        It is the first legal move until there is a better one.
        """
        from ..core.engine import SearchInfo

        options, request, position, tables = session.options, self.request, session.position, session.tables
        legal = [] if session.rejection else position.legal_moves()
        if not legal:
            self._give_no_move(session)
            return
        self._best = legal[0]
        start_ns = max(self._start_ns, session.last_job_ns)
        limits = timeman.Limits(request, position, options.number("Move Overhead"), start_ns)
        analysing = options.is_on("UCI_AnalyseMode") or request.infinite or request.mate is not None
        moves = self._legal_only(position)
        if options.is_on("OwnBook") and not analysing and (move := self._book_move(session, moves)):
            self._best, self._final = move, [SearchInfo((move,), depth=1)]
            return
        engine = session.engine
        self._final = [SearchInfo((self._best,), engine.evaluate(position))]
        if options.is_on("UCI_ShowWDL"):
            self._material = wdl.material(position.fen())
        elo = 0 if analysing else strength.limited_elo(options)
        level = strength.Level(elo, session.seeds) if elo else None
        if tables is not None and not level:
            probe_limit = options.number("SyzygyProbeLimit")
            self._ranks = tables.judge(position, moves or legal, probe_limit, progress=not request.mate)
        # The ranks at the root include distances.
        hides_tables = tables is not None and bool(level or self._ranks)
        with self._started(session, engine, hides_tables):
            multipv, soft_nodes = options.number("MultiPV"), 0
            if level:
                multipv = 1  # it has too few nodes for more
                moves, soft_nodes = level.scan(engine, position, moves or legal, limits)
            first, *later = self._groups(moves, multipv)
            soft_ms, hard_ms = limits.left_ms()
            ponder = self._pondering
            result = engine.search(
                position,
                depth=limits.depth,
                nodes=limits.nodes and limits.nodes - limits.used_nodes,
                soft_nodes=soft_nodes,
                mate=request.mate or 0,
                soft_ms=soft_ms,
                hard_ms=hard_ms,
                ponder=ponder,
                searchmoves=first,
                later=later,
                multipv=multipv,
                on_info=self._report if ponder or not 0 < hard_ms < SILENT_MS else None,
            )
            limits.used_nodes += result.nodes
        self._conclude(session, level.choose(engine, position, result) if level else result, limits)

    def answer(self) -> list[str]:
        """Return the last reports and the best move.

        UCI forbids it under `infinite` until `stop`, while pondering also `ponderhit`.
        """
        if self.request.infinite or self._pondering:
            self._released.wait()
        return [*map(fmt.info_line, self._final), fmt.bestmove(self._best, self._ponder)]

    def _give_no_move(self, session: Session) -> None:
        """Report why there is no move: mate, stalemate, or a rejected position.

        A rejected position waits for no `stop`.
        """
        if session.rejection:
            self._best = fmt.NULL_MOVE
            self._released.set()
            self._write(fmt.info_string(f"no move: the last position was rejected: {session.rejection}"))
        else:
            self._write(f"info depth 0 score {'mate' if session.position.in_check else 'cp'} 0")

    @contextmanager
    def _started(self, session: Session, engine: Engine, hides_tables: bool) -> Iterator[None]:
        """Pass stops to the engine meanwhile. `hides_tables`: it does not probe the endgame tables."""
        if hides_tables:
            session.share_tables(in_search=False)
        try:
            with self._lock:  # stops are passed to the engine from now on, and one that has come already
                engine.prepare()
                self._engine = engine
                if self.stopped:
                    engine.stop()
            yield
        finally:
            with self._lock:  # a late stop must not end the next search
                self._engine = None
            if hides_tables:
                session.share_tables()

    def _legal_only(self, position: Position) -> list[str]:
        """Return the legal moves among `searchmoves`; an empty list means no restriction."""
        legal, others = [], []
        for move in self.request.searchmoves:
            try:
                position.uci(move)
                legal.append(move)
            except ValueError:
                others.append(shorten(move))
        if others:
            self._complain(
                f"searchmoves: ignored, not legal here: {' '.join(others[:8])}{' ...' if others[8:] else ''}"
            )
        return legal

    def _book_move(self, session: Session, moves: list[str]) -> str:
        """Return a move of the book and a message about it; "" if the book has none."""
        book, options = session.book, session.options
        entry = book and book.choose(session.position, moves, options.is_on("BookBestMove"), *session.seeds)
        if not entry:
            return ""
        move, weight, total = entry
        self._write(fmt.info_string(f"book move {move}, weight {weight} of {total}"))
        return move

    def _groups(self, moves: list[str], multipv: int) -> list[list[str]]:
        """Return the moves to search: the best rank by the endgame tables, and more for `multipv`."""
        if self._ranks is None:
            return [moves]
        groups: list[list[str]] = []
        for rank in self._ranks:
            if sum(map(len, groups)) < multipv:
                groups.append(rank.moves)
        return groups

    # Reports

    def _conclude(self, session: Session, result: SearchResult, limits: timeman.Limits) -> None:
        """Set the best move, and the last reports with the nodes and the time of all searches.

        Complains about what went wrong.
        """
        if session.tables is not None and (fault := session.tables.take_fault()):
            self._complain(f"SyzygyPath: {fault}")
        if result.threads < (threads := session.options.number("Threads")):
            self._write(fmt.info_string(f"only {result.threads} of {threads} threads could be started"))
        used_ms = limits.used_ms()
        self._best, self._ponder = result.bestmove, result.ponder
        self._final = [self._completed(info) for info in result.lines]
        for info in self._final:
            info.nodes, info.time_ms = limits.used_nodes, max(used_ms, info.time_ms)

    def _report(self, info: SearchInfo) -> None:
        if info.currmove:
            self._write(
                f"info depth {info.depth} currmove {info.currmove} currmovenumber {info.currmovenumber}"
            )
        else:
            self._write(fmt.info_line(self._completed(info)))
        if self._write.closed:
            self.stop()

    def _completed(self, info: SearchInfo) -> SearchInfo:
        """Add probabilities to a report and, unless it has a proven mate, the score of the tables."""
        if self._material is not None:
            info.wdl = wdl.of_search(info, self._material)
        if self._ranks is not None:
            rank = next(rank for rank in self._ranks if info.pv[0] in rank.moves)
            # A mate is shown for the side that wins by the tables; not in a slower win, since it would look
            # better than those before.
            proven = info.is_mate and rank.wdl == (2 if info.mate_in > 0 else -2)
            if not (proven and (rank.wdl < 0 or rank is self._ranks[0])):
                info.score_cp, info.is_mate = rank.score_cp, False
            info.wdl = info.wdl and wdl.of_result(rank.wdl)
            info.tbhits += sum(len(rank.moves) for rank in self._ranks)
        return info
