# SPDX-License-Identifier: GPL-3.0-or-later
"""The UCI loop: a table with one handler for each command (`UciLoop.commands`).

Handlers that change something run in order and never during a search: at once if nothing is running, else queued. So the
thread that reads commands never waits for a search, and `stop`, `quit` and `isready` always work.
"""

from __future__ import annotations

import sys

from . import format as fmt
from . import parse
from .host import Host, HostError
from .writer import LoggedWriter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from io import FileIO

    from .jobs import Job, Jobs
    from .writer import Writer

    ExtraCommand = Callable[[list[str], Callable[[str], None]], None]


# The commands of the UCI specification are found anywhere in a line, since unknown words before them are to be skipped.
UCI_COMMANDS = frozenset("uci debug isready setoption register ucinewgame position go stop ponderhit quit".split())


SHORT_MS = 1000  # a search whose limits cannot be read, or that nothing could stop


class Command:
    """One row of the command table; `waits`: it is queued if a job is running."""

    __slots__ = ("run", "summary", "waits")

    def __init__(self, run: Callable[[str], None], waits: bool, summary: str) -> None:
        self.run = run
        self.waits = waits
        self.summary = summary


class UciLoop:
    """Reads UCI commands and answers them.

    | command | answer | while a search, perft or bench is running |
    |---|---|---|
    | uci | id, options, `uciok` | the same |
    | debug, register | nothing | the same |
    | isready | `readyok` when the commands before it are done | at once, unless the search has been told to stop |
    | setoption, ucinewgame, position | nothing, or one `info string` | queued |
    | go | `info` lines, one `bestmove` | queued; a search with no end of its own is stopped first |
    | go perft N, perft N | the moves, sorted, with their counts, in Stockfish's form, the total, before any `readyok` | queued |
    | stop | the `bestmove` of every `go` read so far | the same; it stops a perft too |
    | ponderhit | nothing: the time limits apply from now on | ignored when not pondering |
    | quit | the process ends | what is queued is finished, but the last search is stopped |
    | end of input | the process ends | what is queued is finished |
    | d, eval | plain lines | queued |
    | compiler, help | plain lines | the same |
    | extra commands (bench) | their own lines, before any `readyok` | queued |

    Perft counts in as many threads as the option Threads says. Once Hash has been set it has a table of that size of its own; it
    has none before, so that it can be compared with other engines.

    A search has no end of its own under `infinite`, `ponder` and `mate`, and without any limit: nothing waits for it, and the end
    of input stops it. The last search is one with no other search, perft or bench queued after it: a GUI that quits does not wait
    for its search, while a script gets all answers. `stop` before `quit` stops everything, and so does Ctrl-C. If nobody reads
    the output any more, the process ends. A stopped job has 2 s to end.

    If a position is refused, the old one stays, and d, eval and perft use it. But the client means another one, so `go` answers
    `bestmove 0000` until a position is accepted; ucinewgame does not change that.

    `extra_commands` maps a name to a function of the words after it and `write`. `crashes_to` gets the file of a `Debug Log File`,
    and None at its end: the place for the report of a crash. `complaints` is the number of messages about bad input.
    """

    def __init__(
        self,
        write: Writer,
        name: str = "coachwhip",
        extra_commands: dict[str, ExtraCommand] | None = None,
        host: Host | None = None,
        crashes_to: Callable[[FileIO | None], None] | None = None,
    ) -> None:
        self._write = LoggedWriter(write, crashes_to)
        self._name = name
        self.host = host or Host()
        self.host.tell = lambda text: self._write(fmt.info_string(text))
        self.host.log_to = self._log_to
        self._jobs: Jobs | None = None
        self.commands = self._command_table(extra_commands or {})
        self.complaints = 0
        self.left = False  # `quit` was read

    @property
    def jobs(self) -> Jobs:
        """The queue and its worker thread; imported when first used."""
        if self._jobs is None:
            from .jobs import Jobs

            self._jobs = Jobs(self._write.look)
        return self._jobs

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
            "ponderhit": Command(self._do_ponderhit, False, "the expected move was played"),
            "quit": Command(self._do_quit, False, "end the process"),
            "d": Command(self._do_d, True, "show the position"),
            "eval": Command(self._do_eval, True, "show the terms of the evaluation"),
            "perft": Command(self._do_perft, False, "perft N: count the leaves N plies ahead, by move"),
            "compiler": Command(self._do_compiler, False, "tell how the core was built"),
            "help": Command(self._do_help, False, "show this list"),
        }
        for name, function in extra.items():
            table[name] = Command(self._extra_handler(function), False, f"{name} [ARGUMENT...]: see docs/options.md")
        return table

    # The loop

    def run(self, read_line: Callable[[], bytes]) -> None:
        """Answer lines until `quit` or the end of input (an empty read). Raises nothing but KeyboardInterrupt, after `close`."""
        try:
            while not (self.left or self._write.closed):
                raw = read_line()
                if not raw:
                    break
                self.execute(parse.decode_line(raw))
            if self._jobs is not None:
                self._jobs.drain(self.left)
        finally:
            self.close()

    def finish(self) -> None:
        """Wait until all is done, or nobody reads the answers. Ctrl-C stops the searches; their bestmove is still waited for."""
        if self._jobs is not None:
            self._jobs.finish()

    def close(self) -> None:
        """Stop everything, wait for the bestmove of each search, at most 2 s, and end the log."""
        if self._jobs is not None:
            self._jobs.close()
        self._write.log_to(None)

    def _log_to(self, path: str) -> None:
        """Log to this file from now on ("": no log). Raises OSError and keeps the old one."""
        log = None
        if path:
            from .debug_log import DebugLog, session_facts

            log = DebugLog(path, session_facts(self._name, self.host))
        self._write.log_to(log)

    def fault_of(self, text: str) -> str:
        """The message about ignored words in a `go`, which `execute` would run nevertheless; "" for other lines."""
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
        if command.waits:
            self.jobs.in_turn(lambda: self._guarded(name, command.run, rest))
        else:
            self._guarded(name, command.run, rest)

    def _guarded(self, name: str, handler: Callable[[str], None], rest: str) -> None:
        """Run a handler. Bad input and internal errors give a one-line message, and the engine keeps running."""
        try:
            handler(rest)
        except (parse.ParseError, HostError) as error:
            self._complain(str(error))
        except Exception as error:
            self._complain(fmt.internal_error(name, error))

    def _complain(self, message: str) -> None:
        self.complaints += 1
        self._write(fmt.info_string(message))

    # Handlers: each gets the text after its command

    def _do_nothing(self, _: str) -> None:
        """For UCI commands that have no effect here."""

    def _do_uci(self, _: str) -> None:
        for line in fmt.identity(self._name):
            self._write(line)
        for entry in self.host.options.table:
            self._write(fmt.option(entry))
        self._write("uciok")

    def _do_isready(self, _: str) -> None:
        if not self.jobs.is_busy():
            self._answer_ready()
        elif self.jobs.is_searching():
            self._write("readyok")
        else:  # a setoption of a large Hash may be queued
            self.jobs.queue(self._answer_ready)

    def _answer_ready(self) -> None:
        self._guarded("isready", lambda _: self._make_ready(), "")
        self.jobs.announce_end()
        self._write("readyok")

    def _make_ready(self) -> None:
        """Import and start now what would use time of the first search."""
        from . import answer  # noqa: F401

        self.host.make_ready()
        self.jobs.make_ready()

    def _do_setoption(self, rest: str) -> None:
        command = parse.parse_setoption(rest)
        complaint = self.host.set_option(command.name, command.value)
        if complaint:
            self.jobs.announce_end()
            self._complain(f"setoption: {complaint}")

    def _do_ucinewgame(self, _: str) -> None:
        self.host.new_game()

    def _do_position(self, rest: str) -> None:
        self.host.refusal = ""
        try:
            self.host.set_position(parse.parse_position(rest))
        except ValueError as error:
            self.host.refusal = parse.reason(error)
            self.jobs.announce_end()
            self._complain(
                self.host.refusal if isinstance(error, parse.ParseError) else f"position not changed: {self.host.refusal}"
            )

    def _do_stop(self, _: str) -> None:
        self.jobs.stop()

    def _do_ponderhit(self, _: str) -> None:
        self.jobs.ponderhit()

    def _do_quit(self, _: str) -> None:
        self.left = True

    def _do_d(self, _: str) -> None:
        position = self.host.position
        self.jobs.announce_end()
        for line in fmt.diagram(position.board(), position.fen(), position.key, position.in_check):
            self._write(line)

    def _do_eval(self, _: str) -> None:
        from ..evaluation import trace

        lines = trace.table(self.host.engine.trace(self.host.position)).splitlines()
        self.jobs.announce_end()
        for line in lines:
            self._write(line)

    def _do_compiler(self, _: str) -> None:
        self._write(f"{self._name}: {self.host.core.build_info()}")
        self._write(f"Python {sys.version.split(' ', 1)[0]} on {sys.platform}")

    def _do_help(self, _: str) -> None:
        for name, command in self.commands.items():
            self._write(f"{name:<11} {command.summary}")

    def _extra_handler(self, function: ExtraCommand) -> Callable[[str], None]:
        def handler(rest: str) -> None:
            from .jobs import Job

            job = Job()

            def write(line: str) -> None:
                self.jobs.announce_end()  # these commands write only at their end
                self._write(line)

            def action() -> None:
                if not job.stopped:
                    function(parse.split_words(rest), write)

            self._add_job(function.__name__, job, action)

        return handler

    def _do_perft(self, rest: str) -> None:
        limits, _ = parse.parse_go(f"perft {rest}")
        self._start_perft(limits.perft or 0)

    def _start_perft(self, depth: int) -> None:
        from .jobs import Job

        job = Job()

        def action() -> None:
            from . import perft

            options = self.host.options
            hash_mb = options["Hash"] if options.was_set("Hash") else 0
            perft.run(job, self.host.position, depth, self._write, self.jobs.announce_end, options["Threads"], hash_mb)

        self._add_job("perft", job, action)

    def _do_go(self, rest: str) -> None:
        from .jobs import SearchJob

        limits, complaint = parse.parse_go(rest)
        if not self.jobs.make_ready():
            limits.infinite = limits.ponder = False
            complaint = complaint or "go: no thread can be started, so nothing can stop a search"
        if complaint:
            if not (limits.infinite or limits.is_bounded()):
                limits.movetime = SHORT_MS
                complaint += f"; without a limit, searching {SHORT_MS} ms"
            self._complain(complaint)
        if limits.perft is not None:
            self._start_perft(limits.perft)
            return
        self.jobs.stop_endless()
        job = SearchJob(limits.ends_by_itself(), limits.infinite, limits.ponder)
        if self.jobs.is_busy():
            job.read_ns = 0

        def action() -> None:
            from .answer import answer

            answer(job, limits, self.host, self._write, self._complain, lambda: self.jobs.end(job))

        self._add_job("go", job, action)

    def _add_job(self, name: str, job: Job, action: Callable[[], None]) -> None:
        self.jobs.add(job, lambda: self._guarded(name, lambda _: action(), ""))
