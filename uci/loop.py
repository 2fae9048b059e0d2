# SPDX-License-Identifier: GPL-3.0-or-later
"""The UCI conversation: one command, one handler, in one table (`UciLoop.commands`).

Handlers that change something run in order and never beside a search: at once when nothing is running, else
queued behind it. So the reader never blocks, and `stop`, `quit` and `isready` always get through.
"""

from __future__ import annotations

import os
import sys
from _thread import allocate_lock  # `threading` costs 3 ms of start-up and comes with the first search
from time import perf_counter_ns, sleep

from . import format as fmt
from . import parse
from .options import DEFAULT_HASH_MB, DEFAULT_PROBE_DEPTH, MAX_TABLE_MEN, Options, option_table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Protocol

    from ..core.engine import Engine, Position
    from .book import Book
    from .debuglog import DebugLog
    from .tablebase import Tablebase
    from .worker import Job, Search, Worker

    ExtraCommand = Callable[[list[str], Callable[[str], None]], None]

    class Writer(Protocol):
        """Takes lines without their end, from any thread; `closed` once nobody reads them."""

        @property
        def closed(self) -> bool: ...

        def look(self) -> bool:
            """`closed`, found out without writing where the system can tell."""

        def __call__(self, line: str, /) -> None: ...


AUTHOR = "the coachwhip authors"
QUIT_SECONDS = 2.0  # how long leaving waits for a task that was told to stop and does not; GUIs kill after 5 s

# The commands of the UCI text are found anywhere in a line, since unknown words before them are to be skipped.
UCI_COMMANDS = frozenset("uci debug isready setoption register ucinewgame position go stop ponderhit quit".split())


class LineWriter:
    """Writes lines to a file descriptor: one line, one write, under a lock, with `\\n` on every system.

    When nobody reads any more (the GUI is gone) or nothing can be written (the disk is full), `closed` becomes True, `error` says
    why, and lines are dropped.
    """

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._lock = allocate_lock()
        self.closed = False
        self.error: OSError | None = None

    def __call__(self, line: str, /) -> None:
        """Write one line; what UTF-8 cannot express (parts of odd file names) becomes `?`."""
        data = line.encode(errors="replace") + b"\n"
        with self._lock:
            while data and not self.closed:
                try:
                    data = data[os.write(self._fd, data) :]
                except BlockingIOError:  # a parent may have made the pipe or terminal non-blocking
                    sleep(0.001)
                except OSError as error:
                    self.closed = True
                    self.error = error

    def look(self) -> bool:
        """`closed`, found out without writing where the system can tell (Windows cannot)."""
        try:
            from select import POLLERR, POLLHUP, poll
        except ImportError:
            return self.closed
        poller = poll()
        poller.register(self._fd, 0)
        if any(event & (POLLERR | POLLHUP) for _, event in poller.poll(0)):
            self.closed = True
        return self.closed


class LoggedWriter:
    """Writes lines and keeps the `Debug Log File` of what is said and heard, if there is one."""

    def __init__(self, write: Writer) -> None:
        self._write = write
        self._log: DebugLog | None = None

    @property
    def closed(self) -> bool:
        """Whether nobody reads any more."""
        return self._write.closed

    def look(self) -> bool:
        """`closed`, found out without writing where the system can tell."""
        return self._write.look()

    def __call__(self, line: str, /) -> None:
        """Write a line. It is logged first: the answer to it may be read before this thread goes on."""
        self.note("<<", line)
        self._write(line)

    def note(self, direction: str, line: str) -> None:
        """Log a line; a disk that is full ends the log, and the user hears of it."""
        log = self._log
        if log is None:
            return
        try:
            log(direction, line)
        except OSError as error:
            self._log = None
            self._write(fmt.info_string(f"Debug Log File: {error}; it ends here"))

    def log_to(self, path: str) -> None:
        """Log to the end of this file ("": to none) from now on; OSError, and the old one stays, if that cannot be."""
        log: DebugLog | None = None
        if path:
            from .debuglog import DebugLog

            log = DebugLog(path)
        old, self._log = self._log, log
        if old is not None:
            old.close()


class Host:
    """What the commands work on: engine, weights and position, each made when first needed; tables and book when asked for.

    `core` and `config` are the modules `core.engine` and `evaluation.config` or stand-ins for them.
    """

    def __init__(self, core: Any = None, config: Any = None) -> None:
        self._core = core
        self._config = config
        self._engine: Engine | None = None
        self._weights: list[int] | None = None
        self._position: Position | None = None
        self._fen: str | None = None  # where the position's game began; None for the start position
        self._moves: list[str] = []
        self._chess960 = False
        self.tables: Tablebase | None = None
        self.table_men = MAX_TABLE_MEN  # no table with more is asked
        self._probe_depth = DEFAULT_PROBE_DEPTH
        self._rule50 = True
        self.book: Book | None = None
        self.games = 0  # begun in this session
        self.tell: Callable[[str], None] = _say_nothing  # a line for the user, about what went well
        self.log_to: Callable[[str], None] = _say_nothing

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
        """The engine, with the table that was asked for."""
        if self._engine is None:
            self._engine = self._new_engine(DEFAULT_HASH_MB)
        return self._engine

    @property
    def position(self) -> Position:
        """The position last set, with the game that led to it."""
        if self._position is None:
            self._position = self._new_position(None)
        return self._position

    def make_ready(self) -> None:
        """Do now what would delay the first search."""
        _ = self.engine, self.position

    def _new_engine(self, hash_mb: int) -> Engine:
        if self._weights is None:
            self._weights = self.config.pack(self.config.load_default())
        engine: Engine = self.core.Engine(self._weights, hash_mb=hash_mb)
        if self.tables is not None:
            engine.set_tablebase(*self._tables_in_search())
        return engine

    def _new_position(self, fen: str | None) -> Position:
        position: Position = self.core.Position(fen or self.core.STARTPOS_FEN, chess960=self._chess960)
        return position

    def set_position(self, command: parse.PositionCommand) -> None:
        """Take over a position; ValueError, and the old one stays, if the FEN or a move is illegal.

        A GUI sends the whole game at every move: what it adds to the game known so far is played on.
        """
        known = len(self._moves)
        extends = self._position is not None and command.fen == self._fen and command.moves[:known] == self._moves
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
        self._position, self._fen, self._moves = position, command.fen, command.moves

    def new_game(self) -> None:
        """Forget what searches have learnt; the position stays."""
        self.games += 1
        if self._engine is not None:
            self._engine.clear()

    def set_hash(self, mb: int) -> None:
        """Size of the transposition table; MemoryError, and the old one stays, if it cannot be had."""
        if self._engine is None:
            self._engine = self._new_engine(mb)
        else:
            self._engine.set_hash(mb)

    def set_threads(self, threads: int) -> None:
        """Number of search threads; MemoryError, and the old number stays, if there is no room for them."""
        self.engine.set_threads(threads)

    def clear_hash(self) -> None:
        """Empty the transposition table."""
        if self._engine is not None:
            self._engine.clear_hash()

    def set_chess960(self, on: bool) -> None:
        """How castling is written from now on."""
        self._chess960 = on
        if self._position is not None:
            self._position.chess960 = on

    def set_weights_file(self, path: str) -> None:
        """Evaluate with this file's weights ("": the default ones); ValueError or OSError, and the old ones stay, if it is wrong."""
        weights: list[int] = self.config.pack(self.config.load(path) if path else self.config.load_default())
        if self._engine is not None:
            self._engine.set_weights(weights)
        self._weights = weights

    def set_syzygy_path(self, path: str) -> None:
        """Use the endgame tables in these folders ("": none); ValueError, and the old ones stay, if there is no table."""
        tables = None
        if path:
            from .tablebase import Tablebase

            tables = Tablebase(path)
            tables.rule50 = self._rule50
        old, self.tables = self.tables, tables
        self.share_tables()
        if old is not None:
            old.close()
        if tables is not None:
            self.tell(f"SyzygyPath: {tables.summary}")

    def set_syzygy_depth(self, depth: int) -> None:
        """Ask tables of the largest size only where so many plies are left to search."""
        self._probe_depth = depth
        self.share_tables()

    def set_syzygy_rule50(self, on: bool) -> None:
        """Whether a win that the fifty-move rule spoils counts as a draw."""
        self._rule50 = on
        if self.tables is not None:
            self.tables.rule50 = on
        self.clear_hash()

    def set_syzygy_limit(self, pieces: int) -> None:
        """Ask no table of more men than this."""
        self.table_men = pieces
        self.share_tables()

    def share_tables(self, in_search: bool = True) -> None:
        """Let the search ask the tables, or not; an engine made later asks them."""
        if self._engine is not None:
            self._engine.set_tablebase(*(self._tables_in_search() if in_search else (None,)))

    def _tables_in_search(self) -> tuple[Any, ...]:
        if self.tables is None:
            return (None,)
        return self.tables.probe, min(self.tables.max_pieces, self.table_men), self._probe_depth

    def set_book_file(self, path: str) -> None:
        """Take opening moves from this Polyglot book ("": none); ValueError or OSError, and the old one stays, if it is wrong."""
        book = None
        if path:
            from .book import Book

            book = Book(path)
        old, self.book = self.book, book
        if old is not None:
            old.close()

    def set_debug_log(self, path: str) -> None:
        """Keep a log of the conversation in this file ("": nowhere); OSError if it cannot be written."""
        self.log_to(path)


def _say_nothing(_: str) -> None:
    """For a host without a conversation."""


class Command:
    """One row of the command table; `waits` says that it is queued behind a running search."""

    __slots__ = ("run", "summary", "waits")

    def __init__(self, run: Callable[[str], None], waits: bool, summary: str) -> None:
        self.run = run
        self.waits = waits
        self.summary = summary


class UciLoop:
    """An engine that is talked to in UCI.

    | command | answer | while a search, perft or bench is running |
    |---|---|---|
    | uci | id, options, `uciok` | the same |
    | debug, register | nothing | the same |
    | isready | `readyok` when the commands before it are done | at once, unless the search has been told to stop |
    | setoption, ucinewgame, position | nothing, or one `info string` | queued |
    | go | `info` lines, one `bestmove` | queued; a search with no end of its own is stopped first |
    | go perft N, perft N | the moves with their counts in Stockfish's order and form, the total, before any `readyok` | queued |
    | stop | the `bestmove` of every `go` read so far | the same; it stops a perft too |
    | ponderhit | nothing: the search goes on under its clock | ignored when not pondering |
    | quit | leaves | what is queued is done, but the last search is cut |
    | end of input | leaves | what is queued is done |
    | d, eval | plain lines | queued |
    | compiler, help | plain lines | the same |
    | extra commands (bench) | their own lines, before any `readyok` | queued |

    A search has no end of its own under `infinite`, `ponder` and `mate`, and without any limit: nothing waits for it, and the end of
    input stops it. The last search is one with no other search, perft or bench queued behind it, which is how a GUI that leaves
    differs from a batch. `stop` before `quit` cuts everything short, and so does Ctrl-C; an output that nobody reads any more ends
    the process by itself. What was told to stop has 2 s for it.

    A position that is refused leaves the old one in place: d, eval and perft show that. But it is not what the client sees, so `go`
    answers `bestmove 0000` until a position is accepted; ucinewgame does not change that.

    `extra_commands` map a name to a function of the words after it and `write`. `complaints` counts the
    messages about bad input.
    """

    def __init__(
        self,
        write: Writer,
        name: str = "coachwhip",
        extra_commands: dict[str, ExtraCommand] | None = None,
        host: Host | None = None,
    ) -> None:
        self._write = LoggedWriter(write)
        self._name = name
        self._host = host or Host()
        self._host.tell = lambda text: self._write(fmt.info_string(text))
        self._host.log_to = self._write.log_to
        self._worker: Worker | None = None
        self._jobs: list[Job] = []  # read and not yet finished, oldest first
        self.options = Options(option_table(self._host))
        self.commands = self._command_table(extra_commands or {})
        self._refusal = ""  # why the last position was refused; "" if it was accepted
        self.complaints = 0
        self.left = False  # `quit` was read

    def _command_table(self, extra: dict[str, ExtraCommand]) -> dict[str, Command]:
        go = (
            "go [searchmoves MOVE...] [ponder] [infinite] [wtime|btime|winc|binc|movetime MS]"
            " [movestogo|depth|nodes|mate|perft N]: search"
        )
        table = {
            "uci": Command(self._do_uci, False, "name the engine and list its options"),
            "debug": Command(self._do_nothing, False, "accepted and ignored"),
            "isready": Command(self._do_isready, False, "answer readyok"),
            "setoption": Command(self._do_setoption, True, "setoption name NAME [value VALUE]"),
            "register": Command(self._do_nothing, False, "accepted and ignored"),
            "ucinewgame": Command(self._do_ucinewgame, True, "forget what earlier searches learnt"),
            "position": Command(self._do_position, True, "position startpos|fen FEN [moves MOVE...]"),
            "go": Command(self._do_go, False, go),
            "stop": Command(self._do_stop, False, "end the search now"),
            "ponderhit": Command(self._do_ponderhit, False, "the move pondered on was played"),
            "quit": Command(self._do_quit, False, "leave"),
            "d": Command(self._do_d, True, "show the position"),
            "eval": Command(self._do_eval, True, "show the terms of the evaluation"),
            "perft": Command(self._do_perft, False, "perft N: count the positions N plies ahead, by move"),
            "compiler": Command(self._do_compiler, False, "tell how the core was built"),
            "help": Command(self._do_help, False, "show this list"),
        }
        for name, function in extra.items():
            table[name] = Command(self._extra_handler(function), False, f"{name} [ARGUMENT...]: see the README")
        return table

    # The conversation

    def run(self, read_line: Callable[[], bytes]) -> None:
        """Answer lines until `quit` or the end of input (an empty read). Only Ctrl-C gets out, once all is tidied up."""
        try:
            while not (self.left or self._write.closed):
                raw = read_line()
                if not raw:
                    break
                self.execute(parse.decode_line(raw))
            self._wind_up()
        finally:
            self.close()

    def fault_of(self, text: str) -> str:
        """What `execute` would complain of in a `go`, which would run all the same; "" for any other line."""
        name, rest = parse.split_command(text, self.commands, UCI_COMMANDS)
        if name != "go":
            return ""
        try:
            complaint = parse.parse_go(rest)[1]
        except parse.ParseError as error:
            return str(error)
        return complaint.replace("ignored", "not understood:", 1)

    def execute(self, text: str) -> None:
        """Carry out one line, or queue it; never waits for a search."""
        self._write.note(">>", text)
        name, rest = parse.split_command(text, self.commands, UCI_COMMANDS)
        if not name:
            if rest:
                self._complain(f"Unknown command: '{parse.shorten(rest)}'. Type help for a list.")
            return
        command = self.commands[name]
        if command.waits and self._is_busy():
            self._submit(lambda: self._guarded(name, command.run, rest))
        else:
            self._guarded(name, command.run, rest)

    def _wind_up(self) -> None:
        """After `quit` or the end of input: stop what would never end and what `quit` cuts, and let the rest finish."""
        jobs = tuple(self._jobs)
        for job in jobs:
            if not job.ends_by_itself or (self.left and job.is_search and job is jobs[-1]):
                job.stop()
        while self._worker is not None and not self._write.look():
            waiting = tuple(self._jobs)
            if all(job.stopped for job in waiting) and (waiting or self.left):
                return
            if self._worker.wait_a_while():
                return

    def finish(self) -> None:
        """Wait until everything read so far is done, or nobody reads. Ctrl-C stops the searches; their bestmove is still awaited."""
        while self._worker is not None:
            try:
                while not (self._worker.wait_a_while() or self._write.look()):
                    pass
                return
            except KeyboardInterrupt:
                self._do_stop("")

    def close(self) -> None:
        """Stop everything, and wait for the bestmove of each search: 2 s at most."""
        if self._worker is None:
            return
        self._do_stop("")
        self._worker.wait(QUIT_SECONDS)

    def _is_busy(self) -> bool:
        return self._worker is not None and self._worker.is_busy()

    def _settle(self) -> None:
        """Before the last lines of a task: whatever a client sends once it has read them meets an idle worker."""
        if self._worker is not None:
            self._worker.settle()

    def _submit(self, task: Callable[[], None]) -> None:
        if self._worker is None:
            from .worker import Worker

            self._worker = Worker()
        self._worker.submit(task)

    def _submit_job(self, name: str, job: Job, task: Callable[[], None]) -> None:
        """Queue a long task, which `stop` can reach from now on."""

        def run(_: str) -> None:
            try:
                task()
            finally:
                self._forget(job)

        self._jobs.append(job)
        self._submit(lambda: self._guarded(name, run, ""))

    def _forget(self, job: Job) -> None:
        if job in self._jobs:
            self._jobs.remove(job)

    def _guarded(self, name: str, handler: Callable[[str], None], rest: str) -> None:
        """Run a handler. Bad input is told in one line; so is a fault of ours, and the engine lives on."""
        try:
            handler(rest)
        except parse.ParseError as error:
            self._complain(str(error))
        except Exception as error:
            self._tell_fault(name, error)

    def _tell_fault(self, name: str, error: Exception) -> None:
        self._complain(f"internal error in '{name}': {type(error).__name__}: {error}")

    def _complain(self, message: str) -> None:
        self.complaints += 1
        self._write(fmt.info_string(message))

    # Handlers: each gets what follows its command

    def _do_nothing(self, _: str) -> None:
        """Commands that UCI has and that mean nothing here."""

    def _do_uci(self, _: str) -> None:
        self._write(f"id name {self._name}")
        self._write(f"id author {AUTHOR}")
        for entry in self.options:
            self._write(fmt.option(entry))
        self._write("uciok")

    def _do_isready(self, _: str) -> None:
        if not self._is_busy():
            self._answer_ready()
        elif any(job.is_search and not job.stopped for job in tuple(self._jobs)):
            self._write("readyok")
        else:  # what is still queued may be a large Hash
            self._submit(self._answer_ready)

    def _answer_ready(self) -> None:
        self._guarded("isready", lambda _: self._host.make_ready(), "")
        self._settle()
        self._write("readyok")

    def _do_setoption(self, rest: str) -> None:
        command = parse.parse_setoption(rest)
        complaint = self.options.set(command.name, command.value)
        if complaint:
            self._settle()
            self._complain(f"setoption: {complaint}")

    def _do_ucinewgame(self, _: str) -> None:
        self._host.new_game()

    def _do_position(self, rest: str) -> None:
        self._refusal = ""
        try:
            self._host.set_position(parse.parse_position(rest))
        except ValueError as error:
            self._refusal = str(error)
            self._settle()
            self._complain(self._refusal if isinstance(error, parse.ParseError) else f"position not changed: {error}")

    def _do_stop(self, _: str) -> None:
        for job in tuple(self._jobs):
            job.stop()

    def _do_ponderhit(self, _: str) -> None:
        for job in tuple(self._jobs):
            job.ponderhit()

    def _do_quit(self, _: str) -> None:
        self.left = True

    def _do_d(self, _: str) -> None:
        position = self._host.position
        self._settle()
        for line in fmt.diagram(position.board(), position.fen(), position.key, position.in_check):
            self._write(line)

    def _do_eval(self, _: str) -> None:
        from ..evaluation import trace

        lines = trace.table(self._host.engine.trace(self._host.position)).splitlines()
        self._settle()
        for line in lines:
            self._write(line)

    def _do_compiler(self, _: str) -> None:
        self._write(f"{self._name}: {self._host.core.build_info()}")
        self._write(f"Python {sys.version.split(' ', 1)[0]} on {sys.platform}")

    def _do_help(self, _: str) -> None:
        for name, command in self.commands.items():
            self._write(f"{name:<11} {command.summary}")

    def _extra_handler(self, function: ExtraCommand) -> Callable[[str], None]:
        def handler(rest: str) -> None:
            from .worker import Job

            job = Job()

            def write(line: str) -> None:
                self._settle()  # these commands write when all is done
                self._write(line)

            def task() -> None:
                if not job.stopped:
                    function(parse.split_words(rest), write)

            self._submit_job(function.__name__, job, task)

        return handler

    # Perft

    def _do_perft(self, rest: str) -> None:
        limits, _ = parse.parse_go(f"perft {rest}")
        self._start_perft(limits.perft or 0)

    def _start_perft(self, depth: int) -> None:
        from .worker import Job

        job = Job()
        self._submit_job("perft", job, lambda: self._perft(job, depth))

    def _perft(self, job: Job, depth: int) -> None:
        """Count, and tell each move as soon as it is counted."""

        def should_stop() -> bool:
            return job.stopped or self._write.closed

        start = perf_counter_ns()
        position = self._host.position
        counts = position.divide(depth, should_stop, lambda move, nodes: self._write(f"{move}: {nodes}")) if depth else []
        if should_stop():
            self._settle()
            self._write(fmt.info_string("perft stopped"))
            return
        total = sum(nodes for _, nodes in counts) if depth else 1
        self._settle()
        for line in fmt.perft_total(total, (perf_counter_ns() - start) // 1_000_000):
            self._write(line)

    # Search

    def _do_go(self, rest: str) -> None:
        from .worker import Search

        limits, complaint = parse.parse_go(rest)
        if complaint:
            self._complain(complaint)
        if limits.perft is not None:
            self._start_perft(limits.perft)
            return
        for running in tuple(self._jobs):
            if not running.ends_by_itself:
                running.stop()  # or this search would wait for ever
        search = Search(limits.ends_by_itself(), limits.infinite, limits.ponder)
        self._submit_job("go", search, lambda: self._search(search, limits))

    def _search(self, search: Search, limits: parse.GoLimits) -> None:
        """One search, from the position of this moment to its bestmove, which is sent whatever happens."""
        best, ponder = "", ""
        closing: list[str] = []
        if self._refusal:
            self._write(fmt.info_string(f"no move, since the last position was refused: {self._refusal}"))
            self._answer(search, fmt.NULL_MOVE)
            return
        try:
            legal = self._host.position.legal_moves()
            if legal:
                best = legal[0]
                best, ponder, closing = self._think(search, limits, best)
            else:
                self._write(fmt.no_legal_moves(self._host.position.in_check))
        except Exception as error:
            self._tell_fault("go", error)
        if best:
            search.hold()
        for line in closing:
            self._write(line)
        self._answer(search, best, ponder)

    def _answer(self, search: Search, best: str, ponder: str = "") -> None:
        """The end of a search, which makes room for whatever a client sends in answer to it."""
        self._forget(search)
        self._settle()
        self._write(fmt.bestmove(best, ponder))

    def _think(self, search: Search, limits: parse.GoLimits, any_move: str) -> tuple[str, str, list[str]]:
        """The best move, the move to ponder on, and the lines to say before them; `any_move` will do if the search fails."""
        from .thinker import Thinker

        thinker = Thinker(self._host, self.options, self._write, self._complain)
        best, ponder = any_move, ""
        try:
            best, ponder = thinker.think(search, limits)
        except Exception as error:
            self._tell_fault("go", error)
            thinker.close_unsearched(best)
        return best, ponder, thinker.closing
