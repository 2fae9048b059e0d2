# SPDX-License-Identifier: GPL-3.0-or-later
"""`coachwhip --replay LOG`: run a session of a `Debug Log File` again, from its state on, line by line.

Without its timing each command waits for the one before, and a search that the clock or a `stop` ended is repeated with the depth
or the nodes that it reached, so that one thread finds the same on a slower machine and in a build with checks too. So `infinite`,
`ponder` and the clock are left out (what else `infinite` means is done by UCI_AnalyseMode), and `stop` and `ponderhit` only end a
perft, after as long as in the log. A search without a bestmove in the log, in which the engine was lost, gets FURTHER times the nodes of
its last report, and MORE_NODES. With its timing the lines are sent as they are, each at its time.
"""

from __future__ import annotations

import re
from datetime import datetime
from time import perf_counter, sleep

from . import parse
from .debug_log import FACT, FIRST, LAST, OPTION, READ, STATE, WRITTEN
from .host import Host
from .loop import UCI_COMMANDS
from .tunables import read as read_tunables
from .writer import AroundWriter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Container

    from .loop import UciLoop
    from .writer import Writer

    LoopOn = Callable[[Writer, Host], UciLoop]

LINE = re.compile(r"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}) \[(\d+)\] (==|=>|>>|<<) ?(.*)", re.DOTALL)
NODES = re.compile(r"info depth \d+ .*?\bnodes (\d+) ")
SEARCHED = re.compile(r"depth (\d{1,9}) nodes (\d{1,18})( cut)?")
LONGEST_FIRST = 200  # bytes; what is longer is no first line of a log
FURTHER = 4  # an iteration takes a few times as many nodes as all before it
MORE_NODES = 10_000_000
LAST_SECONDS = 10.0  # with its timing, how long the searches of a lost session may go on behind its last line
POLL_SECONDS = 0.01


class LogError(ValueError):
    """A file that is no log, or a session that cannot be run; the message is for the user."""


class Step:
    """A line to send again, and what the log tells of its effect. Times in seconds since 1970."""

    def __init__(self, seconds: float, line: str, name: str = "", rest: str = "") -> None:
        self.seconds = seconds
        self.line = line
        self.name = name  # of the command; "" for a line of the state, or without a command
        self.limits: parse.GoLimits | None = None  # of a search
        self.best = ""  # the `bestmove` line of a search; "": the log has none
        self.nodes = 0  # of a search, by its last report
        self.ending: tuple[int, int, bool] | None = None  # of a search: depth, nodes, whether it was cut inside an iteration
        self.stopped = False
        self.stopped_after: float | None = None  # of a perft
        if name == "go":
            try:
                self.limits = parse.parse_go(rest)[0]
            except parse.ParseError:
                self.name = ""  # it is refused
            else:
                if self.limits.perft is not None:
                    self.limits, self.name = None, "perft"

    def take(self, report: str) -> None:
        """Take in an `info` line of a search."""
        if match := NODES.match(report):
            self.nodes = int(match[1])

    def command(self) -> str:
        """What to send without the timing."""
        limits = self.limits
        if limits is None:
            return self.line
        by_clock = any(each is not None for each in (limits.wtime, limits.btime, limits.movetime))
        endless = limits.infinite or limits.ponder or (limits.mate is None and not limits.ends_by_itself())
        if self.best and not (by_clock or endless or self.stopped):
            return self.line
        depth, nodes = self._reached(limits)
        words = ["go", *(["searchmoves", *limits.searchmoves] if limits.searchmoves else [])]
        for name, value in (("depth", depth), ("nodes", nodes), ("mate", limits.mate)):
            words += [name, str(value)] if value is not None else []
        return " ".join(words)

    def _reached(self, limits: parse.GoLimits) -> tuple[int | None, int | None]:
        """The limits that end the search where it ended: depth in plies and nodes; None: no limit."""
        if not self.best:
            nodes = FURTHER * self.nodes + MORE_NODES
            return limits.depth, min(nodes, limits.nodes or nodes)
        if self.ending is None:  # a book move, or no move
            return limits.depth, 1
        depth, nodes, cut = self.ending
        return (limits.depth, nodes) if cut else (depth, limits.nodes)


class Session:
    """The lines of one session of a log."""

    def __init__(self, process: str, begin: str) -> None:
        self.process = process
        self.begin = begin  # date and time
        self.facts: dict[str, str] = {}
        self.steps: list[Step] = []
        self.ended = False
        self.crash = ""  # the first line of a crash report
        self.last_seconds = 0.0
        self._open: list[Step] = []  # searches and counts without their last line

    @property
    def unanswered(self) -> str:
        """The first command that had no answer when the log ended; "" if there is none."""
        return self._open[0].line if self._open else ""

    def take(self, seconds: float, mark: str, text: str, commands: Container[str]) -> None:
        """Take in a line of the log. `commands`: the names of the commands of a session."""
        self.last_seconds = seconds
        if mark == FACT:
            name, _, value = text.partition(": ")
            self.ended = text == LAST
            if name == "searched":
                self._searched(value)
            else:
                self.facts[name] = value
        elif mark == STATE:
            self.steps.append(Step(seconds, text))
        elif mark == READ:
            self._read(Step(seconds, text, *parse.split_command(text, commands, UCI_COMMANDS)))
        else:
            self._written(text)

    def _read(self, step: Step) -> None:
        self.steps.append(step)
        if step.name in ("stop", "quit"):
            for other in self._open:
                other.stopped = True
                other.stopped_after = step.seconds - other.seconds
        elif step.name == "go":
            for other in self._open:
                other.stopped |= other.limits is not None and not other.limits.ends_by_itself()
        if step.name in ("go", "perft"):
            self._open.append(step)

    def _searched(self, value: str) -> None:
        match = SEARCHED.fullmatch(value)
        searches = [step for step in self._open if step.limits is not None]
        if match and searches:
            searches[0].ending = int(match[1]), int(match[2]), match[3] is not None

    def _written(self, text: str) -> None:
        searches = [step for step in self._open if step.limits is not None]
        counts = [step for step in self._open if step.limits is None]
        if searches and text.startswith("info depth "):
            searches[0].take(text)
        elif searches and text.startswith("bestmove "):
            searches[0].best = text
            self._open.remove(searches[0])
        elif counts and text.startswith(("Nodes searched: ", "info string perft stopped")):
            self._open.remove(counts[0])


def read(path: str, commands: Container[str]) -> list[Session]:
    """The sessions of a log, in the order in which they began. Raises LogError, OSError. `commands`: as `Session.take`."""
    sessions: list[Session] = []
    running: dict[str, Session] = {}  # by process
    with open(path, "rb") as file:
        first = LINE.fullmatch(_text(file.readline(LONGEST_FIRST)))
        if first is None or (first[3], first[4]) != (FACT, FIRST):
            raise LogError(f"{path} is no log of coachwhip: its first line should end with '{FACT} {FIRST}'")
        file.seek(0)
        for raw in file:
            match = LINE.fullmatch(text := _text(raw))
            if match is None:  # of a crash report, or torn
                if sessions and text.startswith(("Fatal Python error", "Windows fatal exception")):
                    sessions[-1].crash = text
                continue
            stamp, process, mark, text = match.groups()
            if (mark, text) == (FACT, FIRST):
                running[process] = Session(process, stamp)
                sessions.append(running[process])
            elif process in running:
                try:
                    seconds = datetime.fromisoformat(stamp).timestamp()
                except (OverflowError, ValueError):
                    continue
                running[process].take(seconds, mark, text, commands)
    return sessions


def _text(raw: bytes) -> str:
    return raw.decode(errors="replace").removesuffix("\n")


class Echo(AroundWriter):
    """A writer that shows both directions, and keeps what a search answers."""

    def __init__(self, write: Writer) -> None:
        super().__init__(write)
        self.search = Step(0.0, "")

    def __call__(self, line: str, /) -> None:
        """Show a line of the engine."""
        self.search.take(line)
        if line.startswith("bestmove "):
            self.search.best = line
        self._write(f"{WRITTEN} {line}")

    def sent(self, line: str) -> None:
        """Show a line that is sent."""
        self._write(f"{READ} {line}")


class Replay:
    """One session, to be run once. `tell` gets messages that are not part of the conversation."""

    def __init__(self, session: Session, loop_on: LoopOn, write: Writer, tell: Callable[[str], None]) -> None:
        """Raises LogError if the tunables of the session are none of this coachwhip."""
        self._session = session
        self._tell = tell
        self._echo = Echo(write)
        try:
            tunables = read_tunables(session.facts.get("tunables", "").split())
            self._host = Host(tunables=tunables, expose="exposed" in session.facts)
            self._host.games = int(session.facts.get("games", "0"))
        except ValueError as error:
            raise LogError(f"this session cannot be run here: {error}") from error
        self._loop = loop_on(self._echo, self._host)
        self._searches = self._same = 0

    def run(self, *, timed: bool) -> None:
        """Run it, with its timing or without, and tell at the end what differs."""
        self._describe()
        if timed:
            self._run_timed()
            return
        steps = [step for step in self._session.steps if not self._is_left_out(step)]
        for step in steps:
            if self._echo.closed or self._loop.left:
                break
            self._run(step)
        self._loop.close()
        self._tell(f"{len(steps)} lines sent, {self._searches} searches repeated, {self._same} with the same move and nodes")

    def _describe(self) -> None:
        facts = self._session.facts
        self._tell(f"session of {self._session.begin}, process {self._session.process}: {facts.get('program')}")
        build = self._host.core.build_info()
        if facts.get("build") != build:
            self._tell(f"its build was {facts.get('build')}, and this is {build}")
        if self._session.unanswered or not self._session.ended:
            lost = f"'{parse.shorten(self._session.unanswered)}'" if self._session.unanswered else "its last line"
            crash = f": {self._session.crash}" if self._session.crash else ""
            self._tell(f"the log has no {'answer' if self._session.ended else 'end'} after {lost}{crash}")

    def _is_left_out(self, step: Step) -> bool:
        """Whether a line is not sent without the timing: what it ended ends by itself, and the log is not written to."""
        return step.name in ("stop", "ponderhit") or _sets_log(step.line)

    def _run(self, step: Step) -> None:
        """Send a line and wait until it is done."""
        self._echo.search = now = Step(0.0, "")
        command = step.command()
        analyse = step.limits is not None and step.limits.infinite and not self._host.options["UCI_AnalyseMode"]
        if analyse:
            self._send("setoption name UCI_AnalyseMode value true")
        self._send(command)
        if step.stopped_after is not None and step.limits is None:
            sleep(max(step.stopped_after, 0))
            self._send("stop")
        self._loop.finish()
        if analyse:
            self._send("setoption name UCI_AnalyseMode value false")
        if step.limits is None:
            return
        self._searches += 1
        if (now.best, now.nodes) == (step.best, step.nodes):
            self._same += 1
        elif step.best:
            self._tell(f"'{parse.shorten(step.line)}': {step.best}, {step.nodes} nodes in the log; now {now.best}, {now.nodes}")

    def _send(self, line: str) -> None:
        self._echo.sent(line)
        self._loop.execute(line)

    # With the timing

    def _run_timed(self) -> None:
        steps = [step for step in self._session.steps if not _sets_log(step.line)]
        begin = perf_counter() - (steps[0].seconds if steps else 0)
        left = iter(steps)

        def read_line() -> bytes:
            step = next(left, None)
            if step is None:
                self._wait_for_lost(self._session.last_seconds + LAST_SECONDS + begin)
                return b""
            sleep(max(step.seconds + begin - perf_counter(), 0))
            self._echo.sent(step.line)
            return step.line.encode() + b"\n"

        self._loop.run(read_line)

    def _wait_for_lost(self, until: float) -> None:
        """Let the searches in which the engine was lost go on."""
        if not self._session.ended:
            while self._loop.jobs.is_busy() and perf_counter() < until:
                sleep(POLL_SECONDS)


def _sets_log(line: str) -> bool:
    name, rest = parse.split_command(line, (), UCI_COMMANDS)
    if name != "setoption":
        return False
    try:
        return parse.parse_setoption(rest).name.lower() == OPTION.lower()
    except parse.ParseError:
        return False
