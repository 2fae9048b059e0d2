# SPDX-License-Identifier: GPL-3.0-or-later
"""From a `go` to its bestmove: by the book, the endgame tables, a weaker level, or the search alone.

Analysis (UCI_AnalyseMode, infinite, mate) uses neither the book nor a weaker level. Clients take the score of a move from the
`info` lines between `go` or `ponderhit` and `bestmove`, and ignore lines sent while pondering. So the last line of each pv is
sent again before the bestmove, with the final nodes and time, unless it would be the same.
"""

from __future__ import annotations

from time import perf_counter_ns

from . import format as fmt
from . import parse, timeman
from .host import HostError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ..core.engine import SearchInfo, SearchResult
    from .host import Host
    from .jobs import SearchJob
    from .tablebase import Verdict
    from .writer import Writer

MATE_SCORE = 32000  # centipawns that a mate counts as when moves are compared
SILENT_MS = 20  # with a hard limit below this only the last lines are sent, since each line costs time, also in the GUI
MATE_SEARCH_NODES = 30_000  # of a search for a short mate in a tablebase win; the tables lead only to captures and pawn moves


def answer(
    job: SearchJob, limits: parse.GoLimits, host: Host, write: Writer, complain: Callable[[str], None], end: Callable[[], None]
) -> None:
    """Carry out one `go` in the present position. A bestmove is sent in any case.

    `complain` gets messages about errors; `end` is called right before the bestmove.
    """
    if host.refusal:
        write(fmt.info_string(f"no move, since the last position was refused: {host.refusal}"))
        end()
        write(fmt.bestmove(fmt.NULL_MOVE))
        return
    best, ponder = "", ""
    final_lines: list[str] = []
    try:
        legal = host.position.legal_moves()
        if legal:
            best = legal[0]
            best, ponder, final_lines = _think(Thinker(host, write, complain), job, limits, best)
        else:
            write(fmt.no_legal_moves(host.position.in_check))
    except Exception as error:
        complain(fmt.internal_error("go", error))
    if best:
        job.hold()
    for line in final_lines:
        write(line)
    end()
    write(fmt.bestmove(best, ponder))


def _think(thinker: Thinker, job: SearchJob, limits: parse.GoLimits, any_move: str) -> tuple[str, str, list[str]]:
    """The best move, the expected reply, and the lines to send before them; the best move is `any_move` if the search fails."""
    best, ponder = any_move, ""
    try:
        best, ponder = thinker.think(job, limits)
    except HostError as error:  # there is no engine to search with
        thinker.complain(str(error))
    except Exception as error:
        thinker.complain(fmt.internal_error("go", error))
        thinker.set_unsearched_line(best)
    return best, ponder, thinker.final_lines


class Thinker:
    """Finds the move for one `go`. `write` gets its `info` lines, `complain` messages about errors.

    After `think`, `final_lines` holds the lines to send right before the bestmove.
    """

    def __init__(self, host: Host, write: Writer, complain: Callable[[str], None]) -> None:
        self._host = host
        self._options = host.options
        self._write = write
        self.complain = complain
        self._verdict: Verdict | None = None
        self._wdl: Callable[[SearchInfo], str] | None = None
        self._start_ns = perf_counter_ns()
        self._lines: dict[int, SearchInfo] = {}  # the last exact report for each multipv number
        self._delivered: set[int] = set()  # the numbers whose last report was sent and is not ignored by the client
        self.final_lines: list[str] = []

    def think(self, job: SearchJob, limits: parse.GoLimits) -> tuple[str, str]:
        """The best move of the host's position, which must have a legal move, and the expected reply (or "")."""
        self._start_ns = job.read_ns or self._start_ns
        searchmoves = self._legal_only(limits.searchmoves)
        analysing = self._options["UCI_AnalyseMode"] or limits.infinite or limits.mate is not None
        if not analysing and self._options["OwnBook"] and (move := self._book_move(searchmoves)):
            self.final_lines = [fmt.unsearched(move, depth=1)]
            return move, ""
        if self._options["UCI_ShowWDL"]:
            from .wdl import Model

            self._wdl = Model(self._host.position.fen())
        weaker = bool(self._options["UCI_LimitStrength"]) and not analysing
        tables = self._host.tables
        if tables is not None and not weaker:
            legal = searchmoves or self._host.position.legal_moves()
            self._verdict = tables.judge(self._host.position, legal, self._options["SyzygyProbeLimit"])
        if tables is None or not (weaker or self._verdict):
            found = self._search_move(job, limits, searchmoves, weaker)
        else:  # the verdict at the root includes distances, so the search need not probe
            self._host.share_tables(in_search=False)
            try:
                found = self._search_move(job, limits, searchmoves, weaker)
            finally:
                self._host.share_tables()
        if tables is not None and (fault := tables.take_fault()):
            self.complain(f"SyzygyPath: {fault}")
        return found

    def _book_move(self, searchmoves: list[str]) -> str:
        """A move of the book and a message about it; "" if the book has none."""
        book = self._host.book
        if book is None:
            return ""
        found = book.choose(self._host.position, searchmoves, self._options["BookBestMove"], self._host.games)
        if found is None:
            return ""
        self._write(fmt.book_move(found.move, found.weight, found.total))
        return found.move

    def _search_move(self, job: SearchJob, limits: parse.GoLimits, moves: list[str], weaker: bool) -> tuple[str, str]:
        """Search within the limits; a stop that arrives after the end is ignored."""
        pondering = job.begin(self._host.engine)
        try:
            if self._verdict:
                moves = self._moves_to_search(self._verdict, limits)
            if weaker:
                return self._weaker_move(job, limits, moves, pondering)
            result = self._run_search(job, limits, moves, pondering)
            self._set_final_lines(result.bestmove, result.info, result.nodes)
            return result.bestmove, result.ponder
        finally:
            job.end()

    def _run_search(
        self, job: SearchJob, limits: parse.GoLimits, moves: list[str], pondering: bool, most_nodes: int = 0
    ) -> SearchResult:
        """Run the main search. Its time counts from the `go`, including what was done before."""
        soft_ms, hard_ms = self._time_left(limits)
        silent = 0 < hard_ms < SILENT_MS and not pondering

        def report(found: SearchInfo) -> None:
            self._report(found, job.pondering, silent=silent)
            if self._write.closed:
                job.stop()

        result = self._host.engine.search(
            self._host.position,
            depth=min(limits.depth or 0, self._host.core.MAX_DEPTH),
            nodes=min(filter(None, (limits.nodes, most_nodes)), default=0),
            mate=limits.mate or 0,
            soft_ms=soft_ms,
            hard_ms=hard_ms,
            ponder=pondering,
            searchmoves=moves,
            multipv=1 if most_nodes else self._options["MultiPV"],  # a weaker level has too few nodes for more
            on_info=report,
        )
        if result.threads < self._options["Threads"]:
            self._write(fmt.info_string(f"only {result.threads} of {self._options['Threads']} threads could be started"))
        return result

    def _time_left(self, limits: parse.GoLimits) -> tuple[int, int]:
        """Soft and hard limit in milliseconds, minus the time used so far; 0: no limit."""
        white = self._host.position.stm == "w"
        gone = (perf_counter_ns() - self._start_ns) // 1_000_000
        soft, hard = timeman.limits_for(limits, white, self._options["Move Overhead"])
        return (max(soft - gone, 1) if soft else 0), (max(hard - gone, 1) if hard else 0)

    # Endgame tables at the root

    def _moves_to_search(self, verdict: Verdict, limits: parse.GoLimits) -> list[str]:
        """The moves to search: one that mates soon, else the best by dtz; under `go mate` all that keep the result."""
        if limits.mate is not None:
            return verdict.keeping
        if verdict.wdl == 2 and len(verdict.keeping) > 1:
            nodes = min(MATE_SEARCH_NODES, limits.nodes // 4 if limits.nodes else MATE_SEARCH_NODES)
            _, hard_ms = self._time_left(limits)
            look = self._short_search(verdict.keeping, nodes, max(hard_ms // 4, 1) if hard_ms else 0)
            if look.info is not None and look.info.is_mate and look.info.mate_in > 0:
                return [look.bestmove]
        return verdict.best

    def _short_search(self, moves: list[str], nodes: int, hard_ms: int) -> SearchResult:
        """A short search without reports to the GUI."""
        return self._host.engine.search(self._host.position, nodes=max(nodes, 1), hard_ms=hard_ms, searchmoves=moves)

    def _report(self, found: SearchInfo, pondering: bool, silent: bool = False) -> None:
        """Send a report, or with `silent` only keep it for the end.

        `pondering`: no ponderhit has been read, so the client may ignore the line.
        """
        if not (found.currmove or found.bound):
            self._lines[found.multipv] = found
            (self._delivered.discard if pondering or silent else self._delivered.add)(found.multipv)
        if not silent:
            self._write(self._line(found))

    def _line(self, found: SearchInfo, spent: tuple[int, int] | None = None) -> str:
        """The `info` line of a report, with the score of the endgame tables unless the search has proven a mate."""
        verdict = self._verdict
        if found.currmove or verdict is None:
            return fmt.info(found, "" if self._wdl is None or found.currmove else self._wdl(found), spent=spent)
        proven = found.is_mate and (found.mate_in > 0) == (verdict.wdl > 0)  # a mate for the side that wins by the tables
        wdl = ""
        if self._wdl is not None:
            from .wdl import of_result

            wdl = of_result(verdict.wdl)
        return fmt.info(found, wdl, "" if proven else f"cp {verdict.score_cp}", verdict.hits, spent)

    # The lines before the bestmove

    def _set_final_lines(self, best: str, found: SearchInfo | None, nodes: int) -> None:
        """Set the last lines to send again, unless the client has them unchanged; `found` is the report of the best move."""
        if found is None:
            self.set_unsearched_line(best)
            return
        if found is not self._lines.get(1):  # never reported
            self._lines[1] = found
            self._delivered.discard(1)
        if all(number in self._delivered and line.nodes == nodes for number, line in self._lines.items()):
            return
        gone = (perf_counter_ns() - self._start_ns) // 1_000_000
        spent = nodes, max(gone, *(line.time_ms for line in self._lines.values()), 0)
        self.final_lines = [self._line(self._lines[number], spent) for number in sorted(self._lines)]

    def set_unsearched_line(self, best: str) -> None:
        """Set the last line for a move that was not searched: the static evaluation of the position, at depth 0."""
        self.final_lines = [fmt.unsearched(best, self._host.engine.evaluate(self._host.position))]

    # Weaker play

    def _weaker_move(self, job: SearchJob, limits: parse.GoLimits, moves: list[str], pondering: bool) -> tuple[str, str]:
        """The move at UCI_Elo: short searches of all moves, a longer one, and a random choice among moves of similar score."""
        from . import strength

        level = strength.level(self._options["UCI_Elo"])
        moves = moves or self._host.position.legal_moves()
        looks: dict[str, SearchResult] = {}
        for move in moves:
            _, hard_ms = self._time_left(limits)
            looks[move] = self._short_search([move], level.nodes // strength.SCAN_SHARE // len(moves), hard_ms and hard_ms // 2)
        result = self._run_search(job, limits, moves, pondering, level.nodes)
        nodes = result.nodes + sum(look.nodes for look in looks.values())
        self._set_final_lines(result.bestmove, result.info, nodes)
        if job.stopped:
            return result.bestmove, result.ponder
        scores = {move: _comparable(look.info) for move, look in looks.items()}
        if result.info is not None and result.info.is_mate and result.info.mate_in > 0:
            scores[result.bestmove] = _comparable(result.info)
        chosen = strength.choose(result.bestmove, scores, level.temperature, self._host.position.key, self._host.games)
        look = looks[chosen]
        if chosen == result.bestmove or look.info is None:
            return result.bestmove, result.ponder
        self._set_final_lines(look.bestmove, look.info, nodes)
        return look.bestmove, look.ponder

    def _legal_only(self, moves: list[str]) -> list[str]:
        """Those of `searchmoves` that are legal here; an empty list means no restriction."""
        legal, others = [], []
        position = self._host.position.copy()
        for move in moves:
            try:
                position.make(move)
            except ValueError:
                others.append(parse.shorten(move))
            else:
                position.undo()
                legal.append(move)
        if others:
            self.complain(f"searchmoves: ignored, not legal here: {' '.join(others[:8])}{' ...' if others[8:] else ''}")
        return legal


def _comparable(info: SearchInfo | None) -> int:
    """The score in centipawns; mates are beyond all other scores, shorter mates further."""
    if info is None:
        return -MATE_SCORE
    if not info.is_mate:
        return info.score_cp
    return MATE_SCORE - info.mate_in if info.mate_in > 0 else -MATE_SCORE - info.mate_in
