# SPDX-License-Identifier: GPL-3.0-or-later
"""From a task to its best move: by the book, the endgame tables, a weaker level, or the search alone.

Analysis uses neither the book nor a weaker level. Clients take the score of a move from the reports before it, and ignore those sent
while pondering. So the last report of each pv is given again before the best move, with the final nodes and time, unless it would be
the same.
"""

from __future__ import annotations

from time import perf_counter_ns

from . import format as fmt
from . import parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ..core.engine import Position, SearchInfo, SearchResult
    from .host import Host
    from .jobs import SearchJob
    from .tablebase import Verdict
    from .writer import Writer


MATE_SCORE = 32000  # centipawns that a mate counts as when moves are compared
SILENT_MS = 20  # with a hard limit below this only the last lines are sent, since each line costs time, also in the GUI


class Task:
    """What to search, and how long: depth in plies, mate in moves, times in milliseconds; 0: no limit.

    `searchmoves` are UCI text, empty for all moves; those that are not legal are left out with a message.
    """

    __slots__ = ("analysing", "depth", "hard_ms", "mate", "multipv", "nodes", "position", "searchmoves", "soft_ms")

    def __init__(
        self,
        position: Position,
        searchmoves: list[str],
        *,
        depth: int = 0,
        nodes: int = 0,
        mate: int = 0,
        soft_ms: float = 0,
        hard_ms: int = 0,
        multipv: int = 1,
        analysing: bool = False,
    ) -> None:
        self.position = position
        self.searchmoves = searchmoves
        self.depth = depth
        self.nodes = nodes
        self.mate = mate
        self.soft_ms = soft_ms
        self.hard_ms = hard_ms
        self.multipv = multipv
        self.analysing = analysing  # neither the book nor a weaker level


class Thinker:
    """Finds the move for one task. After `think`, `final` holds the lines to write right before the best move.

    `complain` gets messages about errors.
    """

    def __init__(self, host: Host, task: Task, write: Writer, complain: Callable[[str], None]) -> None:
        self._host = host
        self._options = host.options
        self._task = task
        self._write = write
        self.complain = complain
        self._verdict: Verdict | None = None
        self._wdl: Callable[[SearchInfo], tuple[int, int, int]] | None = None
        self._start_ns = perf_counter_ns()
        self._looked_at = 0  # nodes of the short searches
        self._lines: dict[int, SearchInfo] = {}  # the last exact report for each multipv number
        self._delivered: set[int] = set()  # the numbers whose last report was sent and is not ignored by the client
        self.final: list[str] = []

    def think(self, job: SearchJob) -> tuple[str, str]:
        """The best move of the position, which must have a legal move, and the expected reply (or "")."""
        self._start_ns = job.read_ns or self._start_ns
        position = self._task.position
        searchmoves = self._legal_only(self._task.searchmoves)
        if not self._task.analysing and self._options["OwnBook"] and (move := self._book_move(searchmoves)):
            self.final = [fmt.unsearched(move, depth=1)]
            return move, ""
        if self._options["UCI_ShowWDL"]:
            from .wdl import Model

            self._wdl = Model(position.fen())
        weaker = bool(self._options["UCI_LimitStrength"]) and not self._task.analysing
        tables = self._host.tables
        if tables is not None and not weaker:
            legal = searchmoves or position.legal_moves()
            self._verdict = tables.judge(position, legal, self._options["SyzygyProbeLimit"], progress=not self._task.mate)
        if tables is None or not (weaker or self._verdict):
            found = self._search_move(job, searchmoves, weaker)
        else:  # the verdict at the root includes distances, so the search need not probe
            self._host.share_tables(in_search=False)
            try:
                found = self._search_move(job, searchmoves, weaker)
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
        found = book.choose(self._task.position, searchmoves, self._options["BookBestMove"], *self._host.seeds)
        if found is None:
            return ""
        self._write(fmt.info_string(f"book move {found.move}, weight {found.weight} of {found.total}"))
        return found.move

    def _search_move(self, job: SearchJob, moves: list[str], weaker: bool) -> tuple[str, str]:
        """Search within the limits; a stop that arrives after the end is ignored."""
        pondering = job.begin(self._host.engine)
        try:
            if weaker:
                return self._weaker_move(job, moves, pondering)
            result = self._run_search(job, moves, pondering)
            self._set_final_lines(result.bestmove, result.info, result.nodes)
            return result.bestmove, result.ponder
        finally:
            job.end()

    def _run_search(self, job: SearchJob, moves: list[str], pondering: bool, level_nodes: int = 0) -> SearchResult:
        """Run the main search. Its time and nodes count from the `go`, including what was done before."""
        task = self._task
        moves, *later = self._groups(moves)
        soft_ms, hard_ms = self._time_left()
        silent = 0 < hard_ms < SILENT_MS and not pondering

        def report(found: SearchInfo) -> None:
            self._report(found, job.pondering, silent=silent)
            if self._write.closed:
                job.stop()

        result = self._host.engine.search(
            task.position,
            depth=task.depth,
            nodes=task.nodes and task.nodes - self._looked_at,
            soft_nodes=level_nodes,
            mate=task.mate,
            soft_ms=soft_ms,
            hard_ms=hard_ms,
            ponder=pondering,
            searchmoves=moves,
            later=later,
            multipv=1 if level_nodes else task.multipv,  # a weaker level has too few nodes for more
            on_info=report,
        )
        if result.threads < self._options["Threads"]:
            self._write(fmt.info_string(f"only {result.threads} of {self._options['Threads']} threads could be started"))
        return result

    def _time_left(self) -> tuple[float, int]:
        """Soft and hard limit in milliseconds, minus the time used so far; 0: no limit."""
        gone = (perf_counter_ns() - self._start_ns) // 1_000_000
        soft, hard = self._task.soft_ms, self._task.hard_ms
        return max(soft - gone, min(soft, 1)), (max(hard - gone, 1) if hard else 0)

    # Endgame tables at the root

    def _groups(self, moves: list[str]) -> list[list[str]]:
        """The moves to search: with a verdict its best rank, and as many others as MultiPV needs."""
        if self._verdict is None:
            return [moves]
        groups: list[list[str]] = []
        for rank in self._verdict.ranks:
            if sum(map(len, groups)) < self._task.multipv:
                groups.append(rank.moves)
        return groups

    def _short_search(self, moves: list[str], nodes: int, hard_ms: int, depth: int = 0) -> SearchResult | None:
        """A short search without reports to the GUI; `depth` 0: no limit.

        All of them get half the nodes of a `go nodes`. None: these are used up.
        """
        task = self._task
        most = max(task.nodes // 2 - self._looked_at, 0)
        if task.nodes and not most:
            return None
        result = self._host.engine.search(
            task.position, depth=depth, nodes=most, soft_nodes=max(nodes, 1), hard_ms=hard_ms, searchmoves=moves
        )
        self._looked_at += result.nodes
        return None if task.nodes and result.nodes == most else result

    def _report(self, found: SearchInfo, pondering: bool, silent: bool = False) -> None:
        """Send a report, or with `silent` only keep it for the end.

        `pondering`: no ponderhit has been read, so the client may ignore the line.
        """
        if not (found.currmove or found.bound):
            self._lines[found.multipv] = found
            (self._delivered.discard if pondering or silent else self._delivered.add)(found.multipv)
        if not silent:
            self._write(self._completed(found))

    def _completed(self, found: SearchInfo, spent: tuple[int, int] | None = None) -> str:
        """The line of a report with the score of the endgame tables, unless the search has proven a mate, and the model's probabilities."""
        verdict = self._verdict
        if found.currmove or verdict is None:
            return fmt.report(found, None if self._wdl is None or found.currmove else self._wdl(found), spent=spent)
        rank = verdict.rank_of(found.pv[0])
        # A mate is shown for the side that wins by the tables; not in a slower win, since it would look better than those before.
        proven = found.is_mate and rank.wdl == (2 if found.mate_in > 0 else -2) and (rank.wdl < 0 or rank is verdict.ranks[0])
        wdl = None
        if self._wdl is not None:
            from .wdl import of_result

            wdl = of_result(rank.wdl)
        return fmt.report(found, wdl, None if proven else rank.score_cp, verdict.hits, spent)

    # The lines before the bestmove

    def _set_final_lines(self, best: str, found: SearchInfo | None, nodes: int) -> None:
        """Set the last lines to send again, unless the client has them unchanged; `found` is the report of the best move.

        `nodes` are those of the main search.
        """
        nodes += self._looked_at
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
        self.final = [self._completed(self._lines[number], spent) for number in sorted(self._lines)]

    def set_unsearched_line(self, best: str) -> None:
        """Set the last line for a move that was not searched: the static evaluation of the position, at depth 0."""
        self.final = [fmt.unsearched(best, self._host.engine.evaluate(self._task.position))]

    # Weaker play

    def _weaker_move(self, job: SearchJob, moves: list[str], pondering: bool) -> tuple[str, str]:
        """The move at UCI_Elo: short searches of all moves, a longer one, and a random choice among moves of similar score."""
        from . import strength

        position = self._task.position
        level = strength.level(self._options["UCI_Elo"])
        moves = moves or position.legal_moves()
        if strength.needs_technique(position, self._host.engine.evaluate(position)):
            moves = strength.without_draws(position, moves) or moves
            most_nodes = min(level.nodes * strength.TECHNIQUE, strength.TECHNIQUE_NODES)
            result = self._run_search(job, moves, pondering, most_nodes)
            self._set_final_lines(result.bestmove, result.info, result.nodes)
            return result.bestmove, result.ponder
        looks: dict[str, SearchResult] = {}
        for move in moves:
            _, hard_ms = self._time_left()
            nodes = level.nodes // strength.SCAN_SHARE // len(moves)
            look = self._short_search([move], nodes, hard_ms and hard_ms // 2, self._task.depth)
            if look is None:
                break
            looks[move] = look
        result = self._run_search(job, moves, pondering, level.nodes)
        self._set_final_lines(result.bestmove, result.info, result.nodes)
        if job.stopped or result.bestmove not in looks:
            return result.bestmove, result.ponder
        scores = {move: _comparable(look.info) for move, look in looks.items()}
        if result.info is not None and result.info.is_mate and result.info.mate_in > 0:
            scores[result.bestmove] = _comparable(result.info)
        fresh = {move: scores[move] for move in strength.without_draws(position, scores)}
        if max(fresh.values(), default=0) >= strength.FAR_AHEAD:
            scores = fresh
        chosen = strength.choose(result.bestmove, scores, level.temperature, position.key, *self._host.seeds)
        look = looks[chosen]
        if chosen == result.bestmove or look.info is None:
            return result.bestmove, result.ponder
        self._set_final_lines(look.bestmove, look.info, result.nodes)
        return look.bestmove, look.ponder

    def _legal_only(self, moves: list[str]) -> list[str]:
        """Those of `searchmoves` that are legal here; an empty list means no restriction."""
        legal, others = [], []
        position = self._task.position.copy()
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
