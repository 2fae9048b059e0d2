# SPDX-License-Identifier: GPL-3.0-or-later
"""One `go`, from its request to its bestmove: by the book, the endgame tables, a weaker level, or the search alone.

Analysis uses neither the book nor a weaker level. Clients take the score of a move from the reports before it, and ignore those sent
while pondering. So a report of each pv, with the final nodes and time, is sent right before the best move.
"""

from __future__ import annotations

import threading
from dataclasses import replace
from functools import partial
from time import perf_counter_ns

from ..text import shorten
from . import format as fmt
from . import strength, timeman, wdl
from .format import SearchReport
from .worker import Job

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ..core.engine import Engine, Position, SearchInfo, SearchResult
    from .parse import SearchRequest
    from .session import Session
    from .tablebase import Verdict
    from .writer import Writer


SILENT_MS = 20  # with a hard limit below this only the last lines are sent, since each line costs time, also in the GUI


class SearchJob(Job):
    """One `go`. `complain` gets messages about errors. Time counts from the reading of its line, or from the end of the job before it."""

    is_search = True

    def __init__(self, request: SearchRequest, write: Writer, complain: Callable[[str], None]) -> None:
        super().__init__(request.ends_by_itself())
        self.request = request
        self._write = write
        self._complain = complain
        self._start_ns = perf_counter_ns()
        self._pondering = request.ponder  # and no ponderhit has come yet
        self._engine: Engine | None = None  # while it searches
        self._lock = threading.Lock()
        self._released = threading.Event()
        self._depth = 0
        self._soft_ms: float = 0  # limits from the start of the job; 0: none
        self._hard_ms = 0
        self._verdict: Verdict | None = None
        self._material: float | None = None  # with UCI_ShowWDL
        self._nodes = 0  # of all searches
        self._final: list[SearchReport] = []  # the reports right before the best move

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

    def run(self, session: Session) -> None:
        """Find a move in the present position, and send a move even after an error."""
        best = ponder = ""
        if session.rejection:
            self._write(fmt.info_string(f"no move: the last position was rejected: {session.rejection}"))
            best = fmt.NULL_MOVE
        else:
            try:
                legal = session.position.legal_moves()
                if legal:
                    best = legal[0]
                    best, ponder = self._think(session, best)
                else:
                    self._write(f"info depth 0 score {'mate' if session.position.in_check else 'cp'} 0")
            except Exception as error:
                self._complain(fmt.fault("go", error))
            # UCI forbids a bestmove under infinite until `stop`, while pondering until `stop` or `ponderhit`.
            if self.request.infinite or self._pondering:
                self._released.wait()
        for report in self._final:
            self._write(fmt.info_line(report))
        self.finish(session)  # before the answer, so that the next command does not find a search
        self._write(fmt.bestmove(best, ponder))

    def _think(self, session: Session, any_move: str) -> tuple[str, str]:
        """Return the best move and the expected reply (or ""). If it fails, `run` sends the report for `any_move`."""
        from ..core.engine import MAX_DEPTH

        options, position, tables = session.options, session.position, session.tables
        self._depth = min(self.request.depth or 0, MAX_DEPTH)
        self._start_ns = max(self._start_ns, session.last_job_ns)
        overhead, fullmove = options.number("Move Overhead"), int(position.fen().rpartition(" ")[2])
        self._soft_ms, self._hard_ms = timeman.limits_for(self.request, position.stm == "w", overhead, fullmove)
        analysing = options.is_on("UCI_AnalyseMode") or self.request.infinite or self.request.mate is not None
        moves = self._legal_only(position)
        if options.is_on("OwnBook") and not analysing and (move := self._book_move(session, moves)):
            self._final = [SearchReport((move,), depth=1, seldepth=1)]
            return move, ""
        engine = session.engine
        self._final = [SearchReport((any_move,), engine.evaluate(position))]
        if options.is_on("UCI_ShowWDL"):
            self._material = wdl.material(position.fen())
        weaker = 0 if analysing else strength.limited_elo(options)
        if tables is not None and not weaker:
            legal = moves or position.legal_moves()
            self._verdict = tables.judge(position, legal, options.number("SyzygyProbeLimit"), progress=not self.request.mate)
        hides_tables = tables is not None and bool(weaker or self._verdict)  # the verdict at the root includes distances
        if hides_tables:
            session.share_tables(in_search=False)
        try:
            with self._lock:  # stops are passed to the engine from now on, and one that has come already
                engine.prepare()
                self._engine = engine
                if self.stopped:
                    engine.stop()
            best = self._weaker(session, moves, weaker) if weaker else self.search(session, moves)
        finally:
            with self._lock:  # a late stop must not end the next search
                self._engine = None
            if hides_tables:
                session.share_tables()
        if tables is not None and (fault := tables.take_fault()):
            self._complain(f"SyzygyPath: {fault}")
        used_ms = self._used_ms()
        self._final = [
            replace(self._completed(info), nodes=self._nodes, time_ms=max(used_ms, info.time_ms)) for info in best.lines
        ]
        return best.bestmove, best.ponder

    def _legal_only(self, position: Position) -> list[str]:
        """Return the legal moves among `searchmoves`; an empty list means no restriction."""
        legal, others = [], []
        for move in self.request.searchmoves:
            try:
                position.move_code(move)
                legal.append(move)
            except ValueError:
                others.append(shorten(move))
        if others:
            self._complain(f"searchmoves: ignored, not legal here: {' '.join(others[:8])}{' ...' if others[8:] else ''}")
        return legal

    def _book_move(self, session: Session, moves: list[str]) -> str:
        """Return a move of the book and a message about it; "" if the book has none."""
        book, options = session.book, session.options
        entry = book and book.choose(session.position, moves, options.is_on("BookBestMove"), *session.seeds)
        if not entry:
            return ""
        self._write(fmt.info_string(f"book move {entry.move}, weight {entry.weight} of {entry.total}"))
        return entry.move

    def search(self, session: Session, moves: list[str], level_nodes: int = 0) -> SearchResult:
        """Run the main search, with reports; its limits count the short searches too. `level_nodes`: soft limit of a level."""
        request = self.request
        multipv = 1 if level_nodes else session.options.number("MultiPV")  # a level has too few nodes for more
        moves, *later = self._groups(moves, multipv)
        soft_ms, hard_ms = self._time_left()
        pondering = self._pondering
        silent = 0 < hard_ms < SILENT_MS and not pondering
        result = session.engine.search(
            session.position,
            depth=self._depth,
            nodes=request.nodes - self._nodes if request.nodes else 0,
            soft_nodes=level_nodes,
            mate=request.mate or 0,
            soft_ms=soft_ms,
            hard_ms=hard_ms,
            ponder=pondering,
            searchmoves=moves,
            later=later,
            multipv=multipv,
            on_info=None if silent else self._report,
        )
        threads = session.options.number("Threads")
        if result.threads < threads:
            self._write(fmt.info_string(f"only {result.threads} of {threads} threads could be started"))
        self._nodes += result.nodes
        return result

    def _weaker(self, session: Session, moves: list[str], elo: int) -> SearchResult:
        """Search at a lower strength; the short searches of single moves get half the time and half the nodes of the `go`."""
        position, engine, limit = session.position, session.engine, self.request.nodes

        def search_one(move: str, soft_nodes: int) -> SearchResult | None:
            most = max((limit or 0) // 2 - self._nodes, 0)
            if self.stopped or (limit and not most):
                return None
            hard_ms = self._time_left()[1] // 2
            result = engine.search(
                position, depth=self._depth, nodes=most, soft_nodes=soft_nodes, hard_ms=hard_ms, searchmoves=[move]
            )
            self._nodes += result.nodes
            return None if limit and result.nodes == most else result

        moves, search_all = moves or position.legal_moves(), partial(self.search, session)
        return strength.search(position, engine.evaluate, moves, elo, session.seeds, search_one, search_all)

    def _time_left(self) -> tuple[float, int]:
        """Return the soft and hard limit in milliseconds, minus the time used so far; 0: no limit."""
        used = self._used_ms()
        return max(self._soft_ms - used, min(self._soft_ms, 1)), (max(self._hard_ms - used, 1) if self._hard_ms else 0)

    def _used_ms(self) -> int:
        return (perf_counter_ns() - self._start_ns) // 1_000_000

    def _groups(self, moves: list[str], multipv: int) -> list[list[str]]:
        """Return the moves to search: the best rank by the endgame tables, and as many others as `multipv` needs."""
        if self._verdict is None:
            return [moves]
        groups: list[list[str]] = []
        for rank in self._verdict.ranks:
            if sum(map(len, groups)) < multipv:
                groups.append(rank.moves)
        return groups

    # Reports

    def _report(self, info: SearchInfo) -> None:
        """Send a report of the core."""
        if info.currmove:
            self._write(f"info depth {info.depth} currmove {info.currmove} currmovenumber {info.currmovenumber}")
        else:
            self._write(fmt.info_line(self._completed(info)))
        if self._write.closed:
            self.stop()

    def _completed(self, info: SearchInfo) -> SearchReport:
        """Add to a report the probabilities and, unless the search has proven a mate, the score of the endgame tables."""
        score_cp, mate_in, tbhits = info.score_cp, info.mate_in if info.is_mate else None, info.tbhits
        chances = None if self._material is None else wdl.of_search(info, self._material)
        if self._verdict is not None:
            rank = self._verdict.rank_of(info.pv[0])
            # A mate is shown for the side that wins by the tables; not in a slower win, since it would look better than those before.
            proven = info.is_mate and rank.wdl == (2 if info.mate_in > 0 else -2)
            if not (proven and (rank.wdl < 0 or rank is self._verdict.ranks[0])):
                score_cp, mate_in = rank.score_cp, None
            chances = chances and wdl.of_result(rank.wdl)
            tbhits += self._verdict.hits
        return SearchReport(
            info.pv, score_cp, mate_in, info.bound, chances,
            info.depth, info.seldepth, info.multipv, info.nodes, info.time_ms, info.hashfull, tbhits,
        )  # fmt: skip
