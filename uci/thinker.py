# SPDX-License-Identifier: GPL-3.0-or-later
"""From a `go` to its bestmove: the book, the endgame tables, a weaker level, or the plain search.

Analysis (UCI_AnalyseMode, infinite, mate) wants the position's truth: it uses neither the book nor a weaker level.
Clients take the score of a move from the lines between `go` or `ponderhit` and `bestmove`, and drop what came while pondering. So
the last line is said again before the bestmove, with the nodes and time of the end, unless that would say nothing new.
"""

from __future__ import annotations

from time import perf_counter_ns

from . import format as fmt
from . import parse, timeman

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ..core.engine import SearchInfo, SearchResult
    from .host import Host
    from .jobs import Search
    from .tablebase import Verdict
    from .writer import Writer

MATE_SCORE = 32000  # centipawns that a mate is taken for when moves are compared
HURRY_MS = 20  # a search that may last no longer tells its last lines only: each takes time from the clock, here and at the GUI
MATE_LOOK_NODES = 30_000  # a mate that so short a search finds is played; else the tables lead to it, by captures and pawn moves


def answer(
    search: Search, limits: parse.GoLimits, host: Host, write: Writer, complain: Callable[[str], None], end: Callable[[], None]
) -> None:
    """One `go`, from the position of this moment to its bestmove, which is sent whatever happens.

    `complain` takes what is wrong with the command; `end` is called right before the bestmove.
    """
    if host.refusal:
        write(fmt.info_string(f"no move, since the last position was refused: {host.refusal}"))
        end()
        write(fmt.bestmove(fmt.NULL_MOVE))
        return
    best, ponder = "", ""
    closing: list[str] = []
    try:
        legal = host.position.legal_moves()
        if legal:
            best = legal[0]
            best, ponder, closing = _think(Thinker(host, write, complain), search, limits, best)
        else:
            write(fmt.no_legal_moves(host.position.in_check))
    except Exception as error:
        complain(fmt.internal_error("go", error))
    if best:
        search.hold()
    for line in closing:
        write(line)
    end()
    write(fmt.bestmove(best, ponder))


def _think(thinker: Thinker, search: Search, limits: parse.GoLimits, any_move: str) -> tuple[str, str, list[str]]:
    """The best move, the move to ponder on, and the lines to say before them; `any_move` will do if the search fails."""
    best, ponder = any_move, ""
    try:
        best, ponder = thinker.think(search, limits)
    except Exception as error:
        thinker.complain(fmt.internal_error("go", error))
        thinker.close_unsearched(best)
    return best, ponder, thinker.closing


class Thinker:
    """Does the thinking of one `go`. `write` takes its lines, `complain` what is wrong with the command.

    After `think`, `closing` holds the lines to say right before the bestmove.
    """

    def __init__(self, host: Host, write: Writer, complain: Callable[[str], None]) -> None:
        self._host = host
        self._options = host.options
        self._write = write
        self.complain = complain
        self._verdict: Verdict | None = None
        self._wdl: Callable[[SearchInfo], str] | None = None
        self._start_ns = perf_counter_ns()
        self._lines: dict[int, SearchInfo] = {}  # the last exact line of each number
        self._heard: set[int] = set()  # those that the client does not drop
        self.closing: list[str] = []

    def think(self, search: Search, limits: parse.GoLimits) -> tuple[str, str]:
        """The best move of the host's position, which has one, and the move to ponder on (or "")."""
        self._start_ns = search.read_ns or self._start_ns
        searchmoves = self._legal_only(limits.searchmoves)
        analysing = self._options["UCI_AnalyseMode"] or limits.infinite or limits.mate is not None
        if not analysing and self._options["OwnBook"] and (move := self._book_move(searchmoves)):
            self.closing = [fmt.unsearched(move, depth=1)]
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
            found = self._search(search, limits, searchmoves, weaker)
        else:  # the root's tables, which know the distance, say more than those inside the search
            self._host.share_tables(in_search=False)
            try:
                found = self._search(search, limits, searchmoves, weaker)
            finally:
                self._host.share_tables()
        if tables is not None and (fault := tables.take_fault()):
            self.complain(f"SyzygyPath: {fault}")
        return found

    def _book_move(self, searchmoves: list[str]) -> str:
        """A move of the book; "" if it has none."""
        book = self._host.book
        if book is None:
            return ""
        found = book.choose(self._host.position, searchmoves, self._options["BookBestMove"], self._host.games)
        if found is None:
            return ""
        self._write(fmt.book_move(found.move, found.weight, found.total))
        return found.move

    def _search(self, search: Search, limits: parse.GoLimits, moves: list[str], weaker: bool) -> tuple[str, str]:
        """Search under the limits, and let a late stop go astray."""
        pondering = search.begin(self._host.engine)
        try:
            if self._verdict:
                moves = self._moves_of(self._verdict, limits)
            if weaker:
                return self._weaker_move(search, limits, moves, pondering)
            result = self._run(search, limits, moves, pondering)
            self._close(result.bestmove, result.info, result.nodes)
            return result.bestmove, result.ponder
        finally:
            search.end()

    def _run(
        self, search: Search, limits: parse.GoLimits, moves: list[str], pondering: bool, most_nodes: int = 0
    ) -> SearchResult:
        """The search proper. Its clocks count from the `go`, whatever has been done since."""
        soft_ms, hard_ms = self._time_left(limits)
        hurry = 0 < hard_ms < HURRY_MS and not pondering

        def report(found: SearchInfo) -> None:
            self._report(found, search.pondering, silent=hurry)
            if self._write.closed:
                search.stop()

        result = self._host.engine.search(
            self._host.position,
            depth=min(limits.depth or 0, self._host.core.MAX_DEPTH),
            nodes=min(filter(None, (limits.nodes, most_nodes)), default=0),
            mate=limits.mate or 0,
            soft_ms=soft_ms,
            hard_ms=hard_ms,
            ponder=pondering,
            searchmoves=moves,
            multipv=1 if most_nodes else self._options["MultiPV"],  # a weaker level's nodes are few
            on_info=report,
        )
        if result.threads < self._options["Threads"]:
            self._write(fmt.info_string(f"only {result.threads} of {self._options['Threads']} threads could be started"))
        return result

    def _time_left(self, limits: parse.GoLimits) -> tuple[int, int]:
        """Soft and hard limit, less the time that has gone; 0 is no limit."""
        white = self._host.position.stm == "w"
        gone = (perf_counter_ns() - self._start_ns) // 1_000_000
        soft, hard = timeman.limits_for(limits, white, self._options["Move Overhead"])
        return (max(soft - gone, 1) if soft else 0), (max(hard - gone, 1) if hard else 0)

    # Endgame tables at the root

    def _moves_of(self, verdict: Verdict, limits: parse.GoLimits) -> list[str]:
        """The moves to search: a short mate, else the best by distance; all that keep the result where the user looks for a mate."""
        if limits.mate is not None:
            return verdict.keeping
        if verdict.wdl == 2 and len(verdict.keeping) > 1:
            nodes = min(MATE_LOOK_NODES, limits.nodes // 4 if limits.nodes else MATE_LOOK_NODES)
            _, hard_ms = self._time_left(limits)
            look = self._look(verdict.keeping, nodes, max(hard_ms // 4, 1) if hard_ms else 0)
            if look.info is not None and look.info.is_mate and look.info.mate_in > 0:
                return [look.bestmove]
        return verdict.best

    def _look(self, moves: list[str], nodes: int, hard_ms: int) -> SearchResult:
        """A short search that the GUI does not hear of."""
        return self._host.engine.search(self._host.position, nodes=max(nodes, 1), hard_ms=hard_ms, searchmoves=moves)

    def _report(self, found: SearchInfo, pondering: bool, silent: bool = False) -> None:
        """Tell what was found, or keep it for the end.

        `pondering` says that a ponderhit may not have been sent yet, so that the client may drop it.
        """
        if not (found.currmove or found.bound):
            self._lines[found.multipv] = found
            (self._heard.discard if pondering or silent else self._heard.add)(found.multipv)
        if not silent:
            self._write(self._line(found))

    def _line(self, found: SearchInfo, spent: tuple[int, int] | None = None) -> str:
        """One line, with the tables' score where it says more."""
        verdict = self._verdict
        if found.currmove or verdict is None:
            return fmt.info(found, "" if self._wdl is None or found.currmove else self._wdl(found), spent=spent)
        proven = found.is_mate and (found.mate_in > 0) == (verdict.wdl > 0)  # and so no more than the tables say
        wdl = ""
        if self._wdl is not None:
            from .wdl import of_result

            wdl = of_result(verdict.wdl)
        return fmt.info(found, wdl, "" if proven else f"cp {verdict.score_cp}", verdict.hits, spent)

    # The lines before the bestmove

    def _close(self, best: str, found: SearchInfo | None, nodes: int) -> None:
        """Say the last lines again unless the client has them as they are; `found` is that of the best move."""
        if found is None:
            self.close_unsearched(best)
            return
        if found is not self._lines.get(1):  # never reported
            self._lines[1] = found
            self._heard.discard(1)
        if all(number in self._heard and line.nodes == nodes for number, line in self._lines.items()):
            return
        gone = (perf_counter_ns() - self._start_ns) // 1_000_000
        spent = nodes, max(gone, *(line.time_ms for line in self._lines.values()), 0)
        self.closing = [self._line(self._lines[number], spent) for number in sorted(self._lines)]

    def close_unsearched(self, best: str) -> None:
        """The score of a move that no search has looked at: the static evaluation of the position, at depth 0."""
        self.closing = [fmt.unsearched(best, self._host.engine.evaluate(self._host.position))]

    # Weaker play

    def _weaker_move(self, search: Search, limits: parse.GoLimits, moves: list[str], pondering: bool) -> tuple[str, str]:
        """The move at UCI_Elo: a small search, and a look at every move to choose among those that seem as good."""
        from . import strength

        level = strength.level(self._options["UCI_Elo"])
        moves = moves or self._host.position.legal_moves()
        looks: dict[str, SearchResult] = {}
        for move in moves:
            _, hard_ms = self._time_left(limits)
            looks[move] = self._look([move], level.nodes // strength.SCAN_SHARE // len(moves), hard_ms and hard_ms // 2)
        result = self._run(search, limits, moves, pondering, level.nodes)
        nodes = result.nodes + sum(look.nodes for look in looks.values())
        self._close(result.bestmove, result.info, nodes)
        if search.stopped:
            return result.bestmove, result.ponder
        scores = {move: _comparable(look.info) for move, look in looks.items()}
        if result.info is not None and result.info.is_mate and result.info.mate_in > 0:
            scores[result.bestmove] = _comparable(result.info)
        chosen = strength.choose(result.bestmove, scores, level.temperature, self._host.position.key, self._host.games)
        look = looks[chosen]
        if chosen == result.bestmove or look.info is None:
            return result.bestmove, result.ponder
        self._close(look.bestmove, look.info, nodes)
        return look.bestmove, look.ponder

    def _legal_only(self, moves: list[str]) -> list[str]:
        """Those of `searchmoves` that can be played here; none of them means no restriction."""
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
    """The score in centipawns, mates beyond all others and nearer ones further."""
    if info is None:
        return -MATE_SCORE
    if not info.is_mate:
        return info.score_cp
    return MATE_SCORE - info.mate_in if info.mate_in > 0 else -MATE_SCORE - info.mate_in
