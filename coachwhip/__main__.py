# SPDX-License-Identifier: GPL-3.0-or-later
"""The command line: a UCI session, UCI commands given as arguments, or a subcommand, whose module is imported when needed.

Options are parsed here: importing argparse would take a third of the time from start to `uciok`.
"""

from __future__ import annotations

import faulthandler
import os
import sys

from . import __version__
from .output import LostOutput, use_utf8, watched
from .uci import worker
from .uci.format import info_string
from .uci.loop import UciLoop
from .uci.parse import printable, shorten
from .uci.reader import read_lines
from .uci.session import Session
from .uci.writer import LineWriter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from io import FileIO
    from typing import NoReturn

# Subcommand -> the module whose main(argv) runs it, the words that it takes, and what it does.
SUBCOMMANDS = {
    "bench": ("bench.bench", "[DEPTH]", "search fixed positions: node count and speed"),
    "perft": ("bench.perft", "DEPTH [FEN]", "count positions, check suites of known counts"),
    "match": ("bench.match.__main__", "", "play games between engines"),
    "suite": ("bench.suite.__main__", "[FILE...]", "let engines solve test positions"),
    "speed": ("bench.speed", "", "compare the speed of builds and engines"),
    "reference": ("bench.reference.__main__", "", "compare textbook searches on small games"),
    "lab": ("bench.lab.__main__", "", "compare the techniques of adversarial search"),
    "analyse": ("bench.analyse.__main__", "[FILE...]", "annotate the games of PGN files, and write a report"),
    "wdl-fit": ("bench.wdl_fit", "[PGN...]", "fit the win, draw and loss model to scored games"),
    "selfplay": ("bench.selfplay.__main__", "FILE", "play games against itself and keep them with their scores"),
    "tune": ("bench.tune", "FILE...", "fit the evaluation's weights to labelled positions"),
    "train": ("bench.train", "FILE...", "train a network on labelled positions"),
    "spsa": ("bench.spsa.__main__", "--tune NAME...", "tune numbers of the search by games against itself"),
    "weights": ("evaluation.config", "", "print the evaluation weights, as a file to start from"),
    "tunables": ("bench.tunables", "", "list the numbers of the search and the switches of its techniques"),
    "data": ("bench.data.__main__", "[NAME]", "list the openings, suites and games that come with it"),
}

USAGE = """\
usage: coachwhip [--weights FILE] [--set NAME=VALUE] [--expose] [SUBCOMMAND ... | UCI COMMAND ...]

Without words: a UCI session on standard input, for a chess GUI.

UCI commands: the words are one command, which is run until it ends; words in quotes are a command of their own.
  coachwhip go movetime 2000
  coachwhip "position startpos moves e2e4" "go depth 12"
  coachwhip help                 the list of commands

Subcommands (each has its own --help):
{subcommands}

Options:
  --weights FILE                 evaluate with the weights in FILE
  --set NAME=VALUE               change a number of the search, or switch a technique off: --set use_lmr=0; may be repeated
  --expose                       a UCI session shows every tunable as an option
  -V, --version                  print the version
  -h, --help                     print this text
"""

NOT_FROZEN = "is not in this program without Python: install coachwhip in a Python environment and run it there"
LOST = 1  # exit code where standard output could not be written
NO_CORE = 1  # exit code where the compiled core is missing or cannot run on this processor
INTERRUPTED = 130
LONGEST_COMPLAINT = 200  # characters that a client is shown of what `bench` complains of


class UsageError(Exception):
    """A wrong command line; the message is for the user."""


def main(argv: list[str] | None = None) -> int:
    """Run the command line (default: the process's). Returns the exit code.

    0, or the code of a subcommand; 1 with a message on standard error if standard output cannot be written (a full disk), or
    if the compiled core is missing or cannot run on this processor; 2 for wrong usage; 130 after Ctrl-C. If the reader of
    standard output has closed it (`coachwhip weights | head -1`), the command ends early with 0 and no message: the reader
    has what it wanted, and scripts under `set -o pipefail` go on. A session also ends with 0 when its GUI is gone.
    """
    if argv is not None:  # inside another program, which decides for itself about crashes and about its end
        return _run_to_exit_code(argv, None)
    _report_crashes()
    use_utf8()
    code = _run_to_exit_code(sys.argv[1:], _report_crashes)
    if worker.abandoned:
        _end(code)
    return code


def _end(code: int) -> NoReturn:
    """End the process, but not the interpreter: a thread that is still searching would crash when it reports to what is gone."""
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:
                stream.flush()
        except (OSError, ValueError):
            pass  # nobody reads it
    os._exit(code)


def _run_to_exit_code(argv: list[str], crashes_to: Callable[[FileIO | None], None] | None) -> int:
    """The exit code of a command line that was run; see `main`."""
    try:
        return _main(argv, crashes_to)
    except UsageError as error:
        _complain(str(error))
        return 2
    except KeyboardInterrupt:
        return INTERRUPTED
    except LostOutput as error:
        if error.reader_gone:
            return 0
        _complain(str(error))
        return LOST
    except ImportError as error:
        if error.name != "coachwhip.core":
            raise
        _complain(str(error))
        return NO_CORE


def _complain(message: str) -> None:
    """Print a message on standard error, if there is one."""
    try:
        if sys.stderr is not None:
            print(f"coachwhip: {printable(message)}", file=sys.stderr, flush=True)
    except OSError:
        pass


def _report_crashes(file: FileIO | None = None) -> None:
    """If the process crashes, write to this file what each thread was doing; None: to standard error, if there is one."""
    try:
        faulthandler.enable(sys.stderr if file is None else file)
    except (AttributeError, OSError, RuntimeError, ValueError):
        faulthandler.disable()


def _main(argv: list[str], crashes_to: Callable[[FileIO | None], None] | None) -> int:
    args = _read_options(argv)
    if args.answer:
        with watched():
            print(args.answer, end="")
        return 0
    if args.words and args.words[0] in SUBCOMMANDS:
        return _run_subcommand(args)
    from . import core  # noqa: F401 (complains before a session begins if this processor cannot run it)

    writer = LineWriter(_stdout_fd())
    loop = UciLoop(writer, f"coachwhip {__version__}", {"bench": _bench_in_session}, _session(args), crashes_to)
    code = _run_commands(loop, args.words) if args.words else _run_session(loop)
    if writer.error is not None:
        raise LostOutput(writer.error, _stdout_fd())
    return code


def _run_session(loop: UciLoop) -> int:
    """A session on standard input."""
    if sys.stdin is not None:
        with open(sys.stdin.fileno(), "rb", buffering=0, closefd=False) as stream:
            loop.run(read_lines(stream.read))
    return 0


class CliArgs:
    """The options before the first word, and the words."""

    def __init__(self) -> None:
        self.answer = ""  # the text of --help or --version, which is printed instead of anything else
        self.weights: str | None = None
        self.settings: list[str] = []  # of --set
        self.expose = False
        self.words: list[str] = []


def _read_options(argv: list[str]) -> CliArgs:
    """Read the command line up to the first word that is no option. Raises UsageError."""
    args = CliArgs()
    index = 0
    while index < len(argv) and argv[index].startswith("-"):
        option, equals, value = argv[index].partition("=")
        index += 1
        if option in ("-h", "--help") and not equals:
            args.answer = _usage()
            return args
        if option in ("-V", "--version") and not equals:
            args.answer = f"coachwhip {__version__}\n"
            return args
        if option == "--expose" and not equals:
            args.expose = True
            continue
        if option not in ("--weights", "--set"):
            raise UsageError(f"unknown option {argv[index - 1]}; see coachwhip --help")
        if not equals:
            value = argv[index] if index < len(argv) else ""
            index += 1
        if option == "--set":
            args.settings.append(value)
        elif not value:
            raise UsageError(f"{option} needs a file name")
        else:
            args.weights = value
    args.words = argv[index:]
    return args


def _session(args: CliArgs) -> Session:
    """The state of a session with these options. Raises UsageError."""
    tunables = {}
    if args.settings:
        from .uci.tunables import read

        try:
            tunables = read(args.settings)
        except ValueError as error:
            raise UsageError(f"--set: {error}") from error
    session = Session(tunables=tunables, expose=args.expose)
    if args.weights is not None:
        complaint = session.set_option("WeightsFile", args.weights)
        if complaint:
            raise UsageError(complaint)
    return session


def _usage() -> str:
    """The text of --help."""
    lines = [f"  {f'{name} {words}':31}{about}" for name, (_, words, about) in SUBCOMMANDS.items()]
    return USAGE.format(subcommands="\n".join(lines))


def _run_subcommand(args: CliArgs) -> int:
    """Import the subcommand's module and run it; options before its name are options of its own."""
    from importlib import import_module

    name, *words = args.words
    module = f"coachwhip.{SUBCOMMANDS[name][0]}"
    if args.expose:
        raise UsageError(f"{name} has no option --expose: it is for a UCI session")
    before = [f"--set={setting}" for setting in args.settings]
    before += [] if args.weights is None else [f"--weights={args.weights}"]
    with watched():
        try:
            run: Callable[[list[str]], int] = import_module(module).main
        except ImportError as error:
            if getattr(sys, "frozen", False) and f"{module}.".startswith(f"{error.name}."):
                raise UsageError(f"{name} {NOT_FROZEN}") from error
            from .bench.common.command import missing

            raise UsageError(f"{name}: {missing(error)}") from error
        return run([*before, *words])


def _run_commands(loop: UciLoop, words: list[str]) -> int:
    """Run the commands of the command line in order, each until it ends. The first wrong one ends the run with code 2."""
    commands = _commands(words)
    for command in commands:
        name = command.split(maxsplit=1)[0] if command.strip() else ""
        if name not in loop.commands:
            raise UsageError(f"unknown command '{name}'; see coachwhip --help")
        if fault := loop.fault_of(command):
            raise UsageError(fault)
    for command in commands:
        loop.execute(command)
        loop.finish()
        if loop.has_complained or loop.closed:
            break
    loop.close()
    return 2 if loop.has_complained else 0


def _commands(words: list[str]) -> list[str]:
    """Group words into commands: a word with a blank in it is a command, neighbouring words without one are joined."""
    commands: list[str] = []
    joining = False
    for word in words:
        alone = " " in word.strip()
        if joining and not alone:
            commands[-1] += f" {word}"
        else:
            commands.append(word)
        joining = not alone
    return commands


def _bench_in_session(words: list[str], write: Callable[[str], None]) -> None:
    """The command `bench` in a UCI session: runs the subcommand and writes its output as lines of the session."""
    from contextlib import redirect_stderr, redirect_stdout
    from io import StringIO

    from .bench import bench

    class Heard(StringIO):
        """What goes to standard error still goes there, and is kept."""

        def write(self, text: str) -> int:
            progress.write(text)
            progress.flush()
            return super().write(text)

    with watched(), redirect_stdout(StringIO()) as output:
        progress = sys.stderr  # which `watched` has made safe to write to
        with redirect_stderr(Heard()) as heard:
            code = bench.main(words)
    for line in output.getvalue().splitlines():
        write(line)
    complaints = heard.getvalue().splitlines()
    if code and complaints:  # a client reads no standard error
        write(info_string(shorten(complaints[-1].removeprefix("coachwhip "), LONGEST_COMPLAINT)))


def _stdout_fd() -> int:
    """The file descriptor for answers: standard output, or the null device if the process has none."""
    return os.open(os.devnull, os.O_WRONLY) if sys.stdout is None else sys.stdout.fileno()


if __name__ == "__main__":
    sys.exit(main())
