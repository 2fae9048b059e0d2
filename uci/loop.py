# SPDX-License-Identifier: GPL-3.0-or-later
"""The UCI conversation: one command, one handler, in one table (`UciLoop.commands`).

Handlers that change something run in order and never beside a search: at once when nothing is running, else
queued behind it. So the reader never blocks, and `stop`, `quit` and `isready` always get through.
"""

from __future__ import annotations

import sys

from . import format as fmt
from . import parse
from .host import Host
from .options import TABLE
from .writer import LoggedWriter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from .jobs import Job, Jobs
    from .writer import Writer

    ExtraCommand = Callable[[list[str], Callable[[str], None]], None]


# The commands of the UCI text are found anywhere in a line, since unknown words before them are to be skipped.
UCI_COMMANDS = frozenset("uci debug isready setoption register ucinewgame position go stop ponderhit quit".split())


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
        self.host = host or Host()
        self.host.tell = lambda text: self._write(fmt.info_string(text))
        self.host.log_to = self._write.log_to
        self._jobs: Jobs | None = None
        self.commands = self._command_table(extra_commands or {})
        self.complaints = 0
        self.left = False  # `quit` was read

    @property
    def jobs(self) -> Jobs:
        """What must wait, and the thread that does it; loaded when a command first asks for it."""
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
            if self._jobs is not None:
                self._jobs.wind_up(self.left)
        finally:
            self.close()

    def finish(self) -> None:
        """Wait until everything read so far is done, or nobody reads. Ctrl-C stops the searches; their bestmove is still awaited."""
        if self._jobs is not None:
            self._jobs.finish()

    def close(self) -> None:
        """Stop everything, and wait for the bestmove of each search: 2 s at most."""
        if self._jobs is not None:
            self._jobs.close()

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
        if command.waits:
            self.jobs.in_turn(lambda: self._guarded(name, command.run, rest))
        else:
            self._guarded(name, command.run, rest)

    def _guarded(self, name: str, handler: Callable[[str], None], rest: str) -> None:
        """Run a handler. Bad input is told in one line; so is a fault of ours, and the engine lives on."""
        try:
            handler(rest)
        except parse.ParseError as error:
            self._complain(str(error))
        except Exception as error:
            self._complain(fmt.internal_error(name, error))

    def _complain(self, message: str) -> None:
        self.complaints += 1
        self._write(fmt.info_string(message))

    # Handlers: each gets what follows its command

    def _do_nothing(self, _: str) -> None:
        """Commands that UCI has and that mean nothing here."""

    def _do_uci(self, _: str) -> None:
        for line in fmt.identity(self._name):
            self._write(line)
        for entry in TABLE:
            self._write(fmt.option(entry))
        self._write("uciok")

    def _do_isready(self, _: str) -> None:
        if not self.jobs.is_busy():
            self._answer_ready()
        elif self.jobs.is_searching():
            self._write("readyok")
        else:  # what is still queued may be a large Hash
            self.jobs.queue(self._answer_ready)

    def _answer_ready(self) -> None:
        self._guarded("isready", lambda _: self._make_ready(), "")
        self.jobs.settle()
        self._write("readyok")

    def _make_ready(self) -> None:
        """Load and start now what would take time from the first clock."""
        from . import thinker  # noqa: F401

        self.host.make_ready()
        self.jobs.make_ready()

    def _do_setoption(self, rest: str) -> None:
        command = parse.parse_setoption(rest)
        complaint = self.host.set_option(command.name, command.value)
        if complaint:
            self.jobs.settle()
            self._complain(f"setoption: {complaint}")

    def _do_ucinewgame(self, _: str) -> None:
        self.host.new_game()

    def _do_position(self, rest: str) -> None:
        self.host.refusal = ""
        try:
            self.host.set_position(parse.parse_position(rest))
        except ValueError as error:
            self.host.refusal = str(error)
            self.jobs.settle()
            self._complain(self.host.refusal if isinstance(error, parse.ParseError) else f"position not changed: {error}")

    def _do_stop(self, _: str) -> None:
        self.jobs.stop()

    def _do_ponderhit(self, _: str) -> None:
        self.jobs.ponderhit()

    def _do_quit(self, _: str) -> None:
        self.left = True

    def _do_d(self, _: str) -> None:
        position = self.host.position
        self.jobs.settle()
        for line in fmt.diagram(position.board(), position.fen(), position.key, position.in_check):
            self._write(line)

    def _do_eval(self, _: str) -> None:
        from ..evaluation import trace

        lines = trace.table(self.host.engine.trace(self.host.position)).splitlines()
        self.jobs.settle()
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
                self.jobs.settle()  # these commands write when all is done
                self._write(line)

            def task() -> None:
                if not job.stopped:
                    function(parse.split_words(rest), write)

            self._add_job(function.__name__, job, task)

        return handler

    def _do_perft(self, rest: str) -> None:
        limits, _ = parse.parse_go(f"perft {rest}")
        self._start_perft(limits.perft or 0)

    def _start_perft(self, depth: int) -> None:
        from .jobs import Job

        job = Job()

        def task() -> None:
            from . import perft

            perft.run(job, self.host.position, depth, self._write, self.jobs.settle)

        self._add_job("perft", job, task)

    def _do_go(self, rest: str) -> None:
        from .jobs import Search

        limits, complaint = parse.parse_go(rest)
        if complaint:
            self._complain(complaint)
        if limits.perft is not None:
            self._start_perft(limits.perft)
            return
        self.jobs.stop_endless()
        search = Search(limits.ends_by_itself(), limits.infinite, limits.ponder)
        if self.jobs.is_busy():
            search.read_ns = 0

        def task() -> None:
            from . import thinker

            thinker.answer(search, limits, self.host, self._write, self._complain, lambda: self.jobs.end(search))

        self._add_job("go", search, task)

    def _add_job(self, name: str, job: Job, task: Callable[[], None]) -> None:
        self.jobs.add(job, lambda: self._guarded(name, lambda _: task(), ""))
