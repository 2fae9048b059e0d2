# SPDX-License-Identifier: GPL-3.0-or-later
"""A search with results as in python-chess: `Analysis`, which runs in its own thread, and its input (`Question`).

One condition guards the results, and all waiting is for it, in steps, so that Ctrl-C works on Windows too.
"""

from __future__ import annotations

import atexit
import threading
from collections import deque
from typing import TYPE_CHECKING, NamedTuple

import chess
import chess.engine
from chess.engine import INFO_BASIC, INFO_PV, INFO_SCORE, BestMove, Cp, InfoDict, Mate, PovScore, PovWdl, Wdl

from .uci.format import nps
from .uci.jobs import POLL_SECONDS, STACK_BYTES, SearchJob
from .uci.thinker import Task, Thinker

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from chess.engine import Info
    from typing_extensions import Self

    from .uci.host import Host
    from .uci.report import Report

_starting = threading.Lock()  # the stack size of new threads is a setting of the whole process
_running: set[Analysis] = set()


@atexit.register
def _stop_all() -> None:
    """Stop all running searches at exit: their threads must not need the GIL after the interpreter has ended."""
    for analysis in tuple(_running):
        analysis.stop()
        analysis.join()


class Question(NamedTuple):
    """The input of one search."""

    task: Task
    turn: chess.Color
    selector: Info


class Analysis:
    """A search that is running or done, made by `ChessEngine.analysis`; has the methods of `chess.engine.SimpleAnalysisResult`.

    Iterate over it to get all reports, or read `info` and `multipv` at any time. As a context manager it ends the search.
    """

    def __init__(self, question: Question) -> None:
        self._question = question
        self._job = SearchJob(ends_by_itself=True, infinite=False, ponder=False)
        self._changed = threading.Condition()  # guards what follows
        self._reports: deque[InfoDict] = deque()
        self._lines: list[InfoDict] = [{}]
        self._best = BestMove(None, None)
        self._error: BaseException | None = None
        self._done = False

    @property
    def info(self) -> InfoDict:
        """The last exact report of the best line; empty before the first one."""
        return self.multipv[0]

    @property
    def multipv(self) -> list[InfoDict]:
        """The last exact report of each line, the best first. Iterate over the analysis for bounds and root moves."""
        with self._changed:
            return [line.copy() for line in self._lines]

    @property
    def stopped(self) -> bool:
        """Whether `stop` was called; the search may still be running for some milliseconds."""
        return self._job.stopped

    @property
    def done(self) -> bool:
        """Whether the search has ended."""
        with self._changed:
            return self._done

    def stop(self) -> None:
        """End the search, within milliseconds. Any thread may call this at any time."""
        self._job.stop()

    def wait(self) -> BestMove:
        """Wait for the end. Returns best move and expected reply (None if there is none), or raises the error of the search."""
        self.join()
        if self._error is not None:
            raise self._error
        return self._best

    def join(self) -> None:
        """Wait for the end; raises no error of the search."""
        self._wait_for(lambda: False)

    def would_block(self) -> bool:
        """Whether `get`, `next` or a step of the iteration would have to wait for the engine."""
        with self._changed:
            return not (self._reports or self._done)

    def empty(self) -> bool:
        """Whether all reports so far have been taken."""
        with self._changed:
            return not self._reports

    def get(self) -> InfoDict:
        """Wait for the next report and return it. Raises `chess.engine.AnalysisComplete` after the last."""
        self._wait_for(lambda: bool(self._reports))
        with self._changed:
            if self._reports:
                return self._reports.popleft()
        if self._error is not None:
            raise self._error
        raise chess.engine.AnalysisComplete

    def next(self) -> InfoDict | None:
        """Wait for the next report and return it; None after the last."""
        try:
            return self.get()
        except chess.engine.AnalysisComplete:
            return None

    def __iter__(self) -> Analysis:
        return self

    def __next__(self) -> InfoDict:
        try:
            return self.get()
        except chess.engine.AnalysisComplete:
            raise StopIteration from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.stop()
        self.join()

    def start(self, host: Host) -> None:
        """Start the search; called by `ChessEngine`. The host is not referenced after the end of the search.

        Without a thread a search with an end runs now; for another one RuntimeError is raised.
        """
        thread = threading.Thread(target=self._run, args=(host,), name="coachwhip search", daemon=True)
        _running.add(self)
        try:
            with _starting:
                try:
                    before = threading.stack_size(STACK_BYTES)
                except (ValueError, RuntimeError):
                    before = 0  # use the default size of the system
                try:
                    thread.start()
                finally:
                    threading.stack_size(before)
        except BaseException as error:
            _running.discard(self)
            task = self._question.task
            if not isinstance(error, RuntimeError) or not (task.depth or task.nodes or task.mate or task.soft_ms or task.hard_ms):
                raise
            self._run(host)

    def _wait_for(self, event: Callable[[], bool]) -> None:
        """Wait until `event` is true or the search has ended; in steps, since Windows delivers Ctrl-C only between them."""
        with self._changed:
            while not (event() or self._done):
                self._changed.wait(POLL_SECONDS)

    def _run(self, host: Host) -> None:
        """The main function of the thread."""
        try:
            self._best = self._think(host)
        except BaseException as error:  # noqa: BLE001 - `wait` and `get` raise it
            self._error = error
        finally:
            with self._changed:
                self._done = True
                self._changed.notify_all()
            _running.discard(self)

    def _think(self, host: Host) -> BestMove:
        task, turn, _ = self._question
        position = task.position
        if not position.legal_moves():
            self._post({"depth": 0, "score": PovScore(Mate(0) if position.in_check else Cp(0), turn), "pv": []}, exact=True)
            return BestMove(None, None)
        thinker = Thinker(host, task, _Listener(self))
        found = thinker.think(self._job)
        for report in thinker.final:
            self.take(report)
        return BestMove(*(chess.Move.from_uci(move) if move else None for move in found))

    def take(self, report: Report) -> None:
        """Called by the searching thread with each report."""
        found = report.found
        self._post(_report(report, self._question.turn, self._question.selector), exact=not (found.bound or found.currmove))

    def take_text(self, text: str) -> None:
        """Called by the searching thread with each message, which becomes a report with the key `string`."""
        self._post({"string": text}, exact=True)

    def _post(self, report: InfoDict, *, exact: bool) -> None:
        index = report.get("multipv", 1) - 1
        with self._changed:
            self._reports.append(report)
            if exact:
                self._lines += [{} for _ in range(index + 1 - len(self._lines))]
                self._lines[index].update(report)
            self._changed.notify_all()


class _Listener:
    """Hands on what the search finds."""

    gone = False

    def __init__(self, analysis: Analysis) -> None:
        self.report = analysis.take
        self.tell = self.complain = analysis.take_text


def _report(told: Report, turn: chess.Color, selector: Info) -> InfoDict:
    """A report in the form in which python-chess gives those of a UCI engine."""
    found = told.found
    report: InfoDict = {}
    if found.currmove:
        if selector & INFO_BASIC:
            move = chess.Move.from_uci(found.currmove)
            report = {"depth": found.depth, "currmove": move, "currmovenumber": found.currmovenumber}
        return report
    report["multipv"] = found.multipv
    if selector & INFO_BASIC:
        nodes, time_ms = told.spent or (found.nodes, found.time_ms)
        report["depth"], report["seldepth"] = found.depth, found.seldepth
        report["nodes"], report["nps"] = nodes, nps(nodes, time_ms)
        report["time"], report["hashfull"], report["tbhits"] = time_ms / 1000, found.hashfull, found.tbhits + told.tables_hits
    if selector & INFO_SCORE:
        searched = Mate(found.mate_in) if found.is_mate else Cp(found.score_cp)
        report["score"] = PovScore(searched if told.tables_cp is None else Cp(told.tables_cp), turn)
        if told.wdl is not None:
            report["wdl"] = PovWdl(Wdl(*told.wdl), turn)
        if found.bound and told.tables_cp is None:
            report[found.bound] = True  # type: ignore[literal-required]  # a key that python-chess sets and does not declare
    if selector & INFO_PV:
        report["pv"] = [chess.Move.from_uci(move) for move in found.pv]
    return report
