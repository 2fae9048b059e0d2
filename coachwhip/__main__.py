# SPDX-License-Identifier: GPL-3.0-or-later
"""The command line: a UCI session, UCI commands as arguments, or a subcommand, imported when needed.

A session without options imports no parser of them: argparse would take a third of the time from start to
`uciok`.
"""

from __future__ import annotations

import sys

try:
    import faulthandler
    import os
    from contextlib import suppress
    from itertools import groupby
    from types import SimpleNamespace

    from . import __version__
    from .cli.streams import LostOutput, use_utf8, watched
    from .text import nearest, printable, shorten
    from .uci import worker
    from .uci.format import info_string
    from .uci.loop import UciLoop
    from .uci.reader import read_lines
    from .uci.session import Session
    from .uci.writer import LineWriter
except KeyboardInterrupt:  # Python would print where in the imports it came
    sys.exit(130)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from io import FileIO

# Subcommand -> the module whose main(argv) runs it, its arguments, and its help.
SUBCOMMANDS = {
    "play": ("study.play.__main__", "", "play a game against it in the terminal or the browser"),
    "bench": ("bench.bench", "[DEPTH]", "search fixed positions: node count and speed"),
    "perft": ("bench.perft", "DEPTH [FEN]", "count the positions after DEPTH plies, check known counts"),
    "match": ("bench.match.__main__", "", "play games between engines"),
    "suite": ("bench.suite.__main__", "[FILE...]", "let engines solve test positions"),
    "reference": ("study.reference.__main__", "", "compare textbook searches on small games"),
    "lab": ("study.lab.__main__", "", "compare the techniques of adversarial search"),
    "analyse": ("study.analyse.__main__", "[FILE...]", "annotate the games of PGN files, and write a report"),
    "selfplay": ("learn.selfplay", "FILE", "play games against itself and keep them with their scores"),
    "tune": ("learn.tune", "FILE...", "fit the evaluation's weights to labelled positions"),
    "train": ("learn.train", "DATA...", "train a network on labelled positions"),
    "spsa": ("learn.spsa", "--tune NAME...", "tune numbers of the search by self-play"),
    "weights": ("cli.weights", "", "print the evaluation weights, as a file to edit"),
    "tunables": ("cli.tunables", "", "list the numbers of the search and the switches of its techniques"),
    "data": ("games.data.__main__", "[NAME]", "list the built-in openings, test positions and games"),
}
ALIASES = {"analyze": "analyse"}

USAGE = """\
usage: coachwhip [--weights FILE] [--set NAME=VALUE] [--expose] [SUBCOMMAND ... | UCI COMMAND ...]

Without arguments: a UCI session on standard input, for a chess GUI; quit ends it.

UCI commands as arguments run one after the other. Quote each of them if you give several.
  coachwhip go movetime 2000
  coachwhip "position startpos moves e2e4" "go depth 12"
  coachwhip help                 the list of commands

Subcommands (each has its own --help):
{subcommands}

Options:
  --weights FILE                 evaluate with the weights in FILE
  --set NAME=VALUE               change a number of the search, or switch a technique off (coachwhip tunables)
  --expose                       show every tunable as a UCI option
  -V, --version                  print the version
  -h, --help                     print this text
"""

NOT_FROZEN = "needs Python: install coachwhip with pip and run it there"
GREETING = "a chess engine that explains your mistakes. Type help for its commands, quit to leave."
FAILED, INTERRUPTED = 1, 130  # exit codes
LONGEST_COMPLAINT = 200  # characters of an error of `bench` in a message


class UsageError(Exception):
    """A wrong command line; the message is for the user."""


def main(argv: list[str] | None = None) -> int:
    """Run the command line (default: the process's). Returns the exit code.

    0, or the code of a subcommand; 1 with a message on standard error if standard output cannot be written (a
    full disk), or if the compiled core is missing or cannot run on this processor; 2 for wrong usage; 130
    after Ctrl-C. If the reader of standard output has closed it (`coachwhip weights | head -1`), the command
    ends early with 0 and no message, so that scripts under `set -o pipefail` go on. A session also ends with
    0 when its GUI is gone.
    """
    if argv is not None:  # inside another program, which decides for itself about crashes and about its end
        return _run(argv, None)
    code = _run(sys.argv[1:], _report_crashes)
    import signal

    # The work is done; Python would print where a second Ctrl-C meets its end.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # A thread that is still searching would crash when it reports to an interpreter that is gone.
    if worker.abandoned:
        for stream in (sys.stdout, sys.stderr):
            with suppress(AttributeError, OSError, ValueError):
                stream.flush()
        os._exit(code)
    return code


def _run(argv: list[str], crashes_to: Callable[[FileIO | None], None] | None) -> int:
    """Run a command line. Returns the exit code; see `main`."""
    try:
        if crashes_to is not None:
            crashes_to(None)
            use_utf8()
        args = _read_options(argv)
        if args.answer:
            with watched():
                print(args.answer, end="")
            return 0
        if args.words and args.words[0] in (*SUBCOMMANDS, *ALIASES):
            return _run_subcommand(args)
        return _run_uci(args, crashes_to)
    except UsageError as error:
        _complain(str(error))
        return 2
    except KeyboardInterrupt:
        return INTERRUPTED
    except LostOutput as error:
        if error.reader_gone:
            return 0
        _complain(str(error))
        return FAILED
    except ImportError as error:
        if error.name != "coachwhip.core":
            raise
        _complain(str(error))
        return FAILED


def _complain(message: str) -> None:
    """Print a message on standard error, if there is one."""
    if sys.stderr is not None:
        with suppress(OSError):
            print(f"coachwhip: {printable(message)}", file=sys.stderr, flush=True)


def _report_crashes(file: FileIO | None) -> None:
    """Write each thread's stack to this file if the process crashes; None: to stderr, if there is one."""
    try:
        faulthandler.enable(sys.stderr if file is None else file)
    except (AttributeError, OSError, RuntimeError, ValueError):
        faulthandler.disable()


def _read_options(argv: list[str]) -> SimpleNamespace:
    """Read the command line up to the first word that is no option. `answer`: of --help or --version.

    Raises UsageError.
    """
    args = SimpleNamespace(answer="", weights=None, settings=[], expose=False, words=argv)
    if not argv or not argv[0].startswith("-"):
        return args
    from getopt import GetoptError, getopt

    try:
        options, args.words = getopt(argv, "hV", ["help", "version", "weights=", "set=", "expose"])
    except GetoptError as error:
        raise UsageError(f"{error.msg}; see coachwhip --help") from error
    for option, value in options:
        if option in ("-h", "--help"):
            lines = [f"  {f'{name} {words}':31}{about}" for name, (_, words, about) in SUBCOMMANDS.items()]
            args.answer = USAGE.format(subcommands="\n".join(lines))
        elif option in ("-V", "--version"):
            args.answer = f"coachwhip {__version__}\n"
        elif option == "--weights":
            args.weights = value
        elif option == "--set":
            args.settings.append(value)
        else:
            args.expose = True
    if args.weights == "":
        raise UsageError("--weights needs a file name")
    return args


def _run_uci(args: SimpleNamespace, crashes_to: Callable[[FileIO | None], None] | None) -> int:
    """Run a session on standard input, or the commands of the command line. Raises UsageError."""
    from . import core  # noqa: F401 (complains before a session begins if this processor cannot run it)

    stdout = os.open(os.devnull, os.O_WRONLY) if sys.stdout is None else sys.stdout.fileno()
    writer = LineWriter(stdout)
    loop = UciLoop(
        writer, f"coachwhip {__version__}", {"bench": _bench_in_session}, _session(args), crashes_to
    )
    code = 0
    if args.words:
        code = _run_commands(loop, args.words)
    elif sys.stdin is not None:
        if sys.stdin.isatty() and sys.stderr is not None and sys.stderr.isatty():  # a person, not a GUI
            _complain(GREETING)
        with open(sys.stdin.fileno(), "rb", buffering=0, closefd=False) as stream:
            loop.run(read_lines(stream.read))
    if writer.error is not None:
        raise LostOutput(writer.error)
    return code


def _session(args: SimpleNamespace) -> Session:
    """Return the state of a session with these options. Raises UsageError."""
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


def _run_subcommand(args: SimpleNamespace) -> int:
    """Import the subcommand's module and run it; it also gets the options before its name."""
    from importlib import import_module

    from .cli.command import missing, stoppable, uninterrupted

    name, *words = args.words
    name = ALIASES.get(name, name)
    module = f"coachwhip.{SUBCOMMANDS[name][0]}"
    if args.expose:
        raise UsageError(f"--expose is for a UCI session, not for {name}")
    before = [f"--set={setting}" for setting in args.settings]
    before += [] if args.weights is None else [f"--weights={args.weights}"]
    with watched(), stoppable():
        try:
            with uninterrupted():  # where Python would make another error of Ctrl-C
                run: Callable[[list[str]], int] = import_module(module).main
        except ImportError as error:
            if getattr(sys, "frozen", False) and f"{module}.".startswith(f"{error.name}."):
                raise UsageError(f"{name} {NOT_FROZEN}") from error
            raise UsageError(f"{name}: {missing(error)}") from error
        return run([*before, *words])


def _run_commands(loop: UciLoop, words: list[str]) -> int:
    """Run the commands of the command line in order, each until it ends.

    The first wrong one ends the run with code 2.
    """
    commands = _commands(words, loop.commands)
    for command in commands:
        name = command.split(maxsplit=1)[0] if command.strip() else ""
        if name not in loop.commands:
            near = nearest(name, (*SUBCOMMANDS, *loop.commands))
            raise UsageError(
                f"unknown command '{shorten(name)}'; "
                f"{f'did you mean {near}?' if near else 'see coachwhip --help'}"
            )
        if fault := loop.fault_of(command):
            raise UsageError(fault)
    for command in commands:
        loop.execute(command)
        loop.finish()
        if loop.has_complained or loop.closed:
            break
    loop.close()
    return 2 if loop.has_complained else 0


def _commands(words: list[str], names: Collection[str]) -> list[str]:
    """Group words into commands.

    A quoted word that begins with a command's name is one, and neighbouring others are joined.
    """
    commands: list[str] = []
    for is_command, group in groupby(words, lambda word: " " in word.strip() and word.split()[0] in names):
        part = list(group)
        commands += part if is_command else [" ".join(part)]
    return commands


def _bench_in_session(words: list[str], write: Callable[[str], None]) -> None:
    """Run the subcommand `bench` for the command of a UCI session."""
    from .bench import bench
    from .cli.command import warn

    def complain(line: str) -> None:
        warn(line)
        # A client reads no standard error.
        write(info_string(shorten(line.removeprefix("coachwhip "), LONGEST_COMPLAINT)))

    with watched():
        bench.main(words, write, complain)


if __name__ == "__main__":
    sys.exit(main())
