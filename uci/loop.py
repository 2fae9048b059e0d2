# SPDX-License-Identifier: GPL-3.0-or-later
"""The UCI loop: reads lines, and a table with one row for each command (`UciLoop.commands`).

The thread that reads never waits for a search. It stops searches and notes that a `go` has come; all else
goes to the worker thread, which carries out commands in order and alone uses the session.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import partial

from ..text import nearest, reason, shorten
from . import format as fmt
from . import parse
from .perft import PerftJob
from .search_job import SearchJob
from .session import Session
from .worker import Job, Worker
from .writer import LoggedWriter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from io import FileIO

    from .writer import Writer

    ExtraCommand = Callable[[list[str], Callable[[str], None]], None]


# The commands of the UCI specification are found anywhere in a line, since unknown words before them are to
# be skipped.
UCI_COMMANDS = frozenset(
    "uci debug isready setoption register ucinewgame position go stop ponderhit quit".split()
)
GO = (
    "go [searchmoves MOVE...] [ponder] [infinite] [wtime|btime|winc|binc|movetime MS]"
    " [movestogo|depth|nodes|mate|perft N]: search"
)
SHORT_MS = 1000  # a search whose limits cannot be read, or that nothing could stop

# When a command is carried out.
AT_ONCE = "at once"  # by the thread that reads
IN_ORDER = "in order"  # by the worker
WHILE_BUSY = "while busy"  # at once while a job is running, else in order


@dataclass(frozen=True)
class Command:
    """One row of the command table; `run` gets the text after the command."""

    run: Callable[[str], None]
    when: str
    summary: str


class ExtraJob(Job):
    """An extra command. A `stop` prevents it, but does not end it."""

    def __init__(
        self, name: str, command: Callable[[], None], write: Writer, complain: Callable[[str], None]
    ) -> None:
        super().__init__(write, complain)
        self.name = name
        self._command = command

    def work(self, _: Session) -> None:
        """Carry out the command."""
        if not self.stopped:
            self._command()


class UciLoop:
    """Reads UCI commands and answers them.

    | command | answer | while a search, perft or bench is running |
    |---|---|---|
    | uci | id, options, `uciok` | at once |
    | debug, register | nothing | the same |
    | isready | `readyok` when the commands before it are done | at once, unless the search is stopped |
    | setoption, ucinewgame, position | nothing, or one `info string` | queued |
    | go | `info` lines, one `bestmove` | queued; a search with no end of its own is stopped first |
    | go perft N, perft N | sorted moves, counts and the total, as Stockfish, before any `readyok` | queued |
    | stop | the `bestmove` of every `go` read so far | the same; it stops a perft too |
    | ponderhit | nothing: the time limits apply from now on | ignored when not pondering |
    | quit | the process ends | queued commands are finished, but the last search is stopped |
    | end of input | the process ends | queued commands are finished |
    | d, eval | plain lines | queued |
    | compiler, help | plain lines | at once |
    | extra commands (bench) | their own lines, before any `readyok` | queued |

    A search has no end of its own under `infinite`, `ponder` and `mate`, and without any limit: nothing waits
    for it, and the end of input stops it. The last search is one with no other search, perft or bench queued
    after it: a GUI that quits does not wait for its search, while a script gets all answers. `stop` before
    `quit` stops everything, and so does Ctrl-C. If nobody reads the output any more, the process ends. A
    stopped job has 2 s to end.

    If a position is rejected, the old one stays, and d, eval and perft use it. The client believes that
    another one is set, so `go` answers `bestmove 0000` until a position is accepted; ucinewgame does not
    change that.

    `extra_commands` maps a name to a function of the words after it and `write`. `crashes_to` gets the file
    of a `Debug Log File`, and None at its end: the place for the report of a crash. `has_complained`: there
    was a message about bad input.
    """

    def __init__(
        self,
        write: Writer,
        name: str = "coachwhip",
        extra_commands: dict[str, ExtraCommand] | None = None,
        session: Session | None = None,
        crashes_to: Callable[[FileIO | None], None] | None = None,
    ) -> None:
        self._write = LoggedWriter(write, crashes_to)
        self._name = name
        self._extra_commands = extra_commands or {}
        self.session = session or Session()
        self.session.show = lambda text: self._write(fmt.info_string(text))
        self.session.log_to = self._log_to
        self.worker = Worker(self._write.is_closed)
        self.commands = self._command_table()
        self._unknown = Command(self._do_unknown, WHILE_BUSY, "")
        self.has_complained = False
        self.closed = False  # `quit` was read

    def _command_table(self) -> dict[str, Command]:
        table = {
            "uci": Command(self._do_uci, WHILE_BUSY, "print the engine's name and options"),
            "debug": Command(lambda _: None, WHILE_BUSY, "accepted and ignored"),
            "isready": Command(self._do_isready, AT_ONCE, "answer readyok"),
            "setoption": Command(
                self._do_setoption, IN_ORDER, "setoption name NAME [value VALUE]: set an option"
            ),
            "register": Command(lambda _: None, WHILE_BUSY, "accepted and ignored"),
            "ucinewgame": Command(
                lambda _: self.session.new_game(), IN_ORDER, "forget the results of earlier searches"
            ),
            "position": Command(
                self._do_position, IN_ORDER, "position startpos|fen FEN [moves MOVE...]: set the position"
            ),
            "go": Command(self._do_go, AT_ONCE, GO),
            "stop": Command(lambda _: self.worker.stop(), AT_ONCE, "end the search now"),
            "ponderhit": Command(lambda _: self.worker.ponderhit(), AT_ONCE, "the expected move was played"),
            "quit": Command(self._do_quit, AT_ONCE, "end the process"),
            "d": Command(self._do_d, IN_ORDER, "show the position"),
            "eval": Command(self._do_eval, IN_ORDER, "eval [startpos|FEN]: show the terms of the evaluation"),
            "perft": Command(
                lambda rest: self._do_go(f"perft {rest}"),
                AT_ONCE,
                "perft N: count the leaves N plies ahead, by move",
            ),
            "compiler": Command(self._do_compiler, WHILE_BUSY, "show how the core was built"),
            "help": Command(self._do_help, WHILE_BUSY, "show this list"),
        }
        for name, function in self._extra_commands.items():
            run = partial(self._do_extra, name, function)
            table[name] = Command(
                run, AT_ONCE, f"{name} [ARGUMENT...]: the same as `coachwhip {name}`, within this session"
            )
        return table

    # The loop

    def run(self, lines: Iterable[bytes]) -> None:
        """Answer lines until `quit` or the end of input.

        Raises nothing but KeyboardInterrupt, after `close`.
        """
        try:
            for line in lines:
                self.execute(parse.decode_line(line))
                if self.closed or self._write.closed:
                    break
            self.worker.drain(self.closed)
        finally:
            self.close()

    def execute(self, text: str) -> None:
        """Carry out one line, or queue it; never wait for a search."""
        self._write.log(">>", text)
        name, rest = parse.split_command(text, self.commands, UCI_COMMANDS)
        if not name and not rest:
            return
        command = self.commands.get(name, self._unknown)
        if command.when == AT_ONCE or (command.when == WHILE_BUSY and self.worker.unfinished):
            self._guarded(name, command.run, rest)
            return
        self.worker.put(self._guarded, name, command.run, rest)
        if name == "setoption" and not self.worker.unfinished:
            self.worker.wait()  # a Debug Log File is to have the next line

    def finish(self) -> None:
        """Wait until all is done, or nobody reads the answers.

        Ctrl-C stops the searches; their bestmove is still waited for.
        """
        while True:
            try:
                self.worker.wait()
                return
            except KeyboardInterrupt:
                self.worker.stop()

    def close(self) -> None:
        """Stop everything, wait for the bestmove of each search, at most 2 s, and end the log."""
        self.worker.close()
        self._write.log_to("")

    def _log_to(self, path: str) -> None:
        """Log to this file from now on ("": no log). Raises OSError and keeps the old one."""
        from .debug_log import session_facts

        self._write.log_to(path, session_facts(self._name, self.session) if path else ())

    def fault_of(self, text: str) -> str:
        """Return the message about ignored words in a `go`, which is executed, "" for other lines."""
        name, rest = parse.split_command(text, self.commands, UCI_COMMANDS)
        if name != "go":
            return ""
        try:
            return parse.parse_go(rest)[1].replace("ignored", "not understood:", 1)
        except parse.UserError as error:
            return str(error)

    def _guarded(self, name: str, run: Callable[..., None], *arguments: object) -> None:
        """Run a command.

        Bad input and internal errors give a one-line message, and the engine keeps running.
        """
        try:
            run(*arguments)
        except Exception as error:
            self._complain(fmt.fault(name, error))

    def _complain(self, message: str) -> None:
        self.has_complained = True
        self._write(fmt.info_string(message))

    # Handlers: each gets the text after its command

    def _do_unknown(self, rest: str) -> None:
        near = nearest(rest.split(" ", 1)[0], self.commands)
        self._complain(
            f"Unknown command: '{shorten(rest)}'. "
            f"{f'Did you mean {near}?' if near else 'Type help for a list.'}"
        )

    def _do_uci(self, _: str) -> None:
        options = (entry.declaration() for entry in self.session.options.table)
        for line in (f"id name {self._name}", "id author the coachwhip authors", *options, "uciok"):
            self._write(line)

    def _do_isready(self, _: str) -> None:
        if self.worker.is_searching():
            self._write("readyok")
        else:  # a setoption of a large Hash may be queued
            self.worker.put(self._answer_ready)

    def _answer_ready(self) -> None:
        """Prepare the session, so that this does not use time of the first search."""
        self._guarded("isready", self.session.make_ready)
        self._write("readyok")

    def _do_setoption(self, rest: str) -> None:
        complaint = self.session.set_option(*parse.parse_setoption(rest))
        if complaint:
            self._complain(f"setoption: {complaint}")

    def _do_position(self, rest: str) -> None:
        self.session.rejection = ""
        try:
            self.session.set_position(*parse.parse_position(rest))
        except ValueError as error:
            self.session.rejection = fault = reason(error)
            self._complain(fault if isinstance(error, parse.UserError) else f"position not changed: {fault}")

    def _do_quit(self, _: str) -> None:
        self.closed = True

    def _do_d(self, _: str) -> None:
        position = self.session.position
        for line in fmt.diagram(position.board(), position.fen(), position.key, position.in_check):
            self._write(line)

    def _do_eval(self, rest: str) -> None:
        from ..evaluation import trace

        fen, position = rest.strip(), self.session.position
        if fen:
            try:
                position = self.session.new_position(None if fen == "startpos" else fen)
            except ValueError as error:
                raise parse.UserError(f"eval: {reason(error)}") from error
        for line in trace.table(self.session.engine.trace(position)).splitlines():
            self._write(line)

    def _do_compiler(self, _: str) -> None:
        from ..core.engine import build_info

        self._write(f"{self._name}: {build_info()}")
        self._write(f"Python {sys.version.split(' ', 1)[0]} on {sys.platform}")

    def _do_help(self, _: str) -> None:
        for name, command in self.commands.items():
            self._write(f"{name:<11} {command.summary}")

    def _do_extra(self, name: str, function: ExtraCommand, rest: str) -> None:
        command = partial(function, parse.split_words(rest), self._write)
        self.worker.add(ExtraJob(name, command, self._write, self._complain), self.session)

    def _do_go(self, rest: str) -> None:
        request, complaint = parse.parse_go(rest)
        if not self.worker.start():
            request.infinite = request.ponder = False
            complaint = complaint or "go: no thread can be started, so nothing can stop a search"
        if complaint:
            if not (request.infinite or request.is_bounded()):
                request.movetime = SHORT_MS
                complaint += f"; without a limit, searching {SHORT_MS} ms"
            self.worker.put(self._complain, complaint)
        if request.perft is not None:
            self.worker.add(PerftJob(request.perft, self._write, self._complain), self.session)
            return
        self.worker.stop_endless()
        self.worker.add(SearchJob(request, self._write, self._complain), self.session)
