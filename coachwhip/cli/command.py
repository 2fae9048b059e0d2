# SPDX-License-Identifier: GPL-3.0-or-later
"""What the subcommands share: command lines, errors in words, missing libraries, and Ctrl-C.

A subcommand may be called from inside a running UCI loop, so none of them exits the process: `Parser.run`
turns every exit into a return code, and every error about a file, a library or memory into a message of one
line.
"""

import argparse
import re
import signal
import sys
import threading
from _thread import interrupt_main
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from textwrap import fill
from typing import Any, NoReturn

from ..stops import STOPS
from ..text import nearest, parse_int, printable, reason
from ..uci.tunables import read

AGAIN_SECONDS = 0.05
LARGEST_TIME = 1e6  # seconds
LARGEST_COUNT = 10**15  # nodes
INTERRUPTED = 130  # exit code after Ctrl-C
# what to install, by library
PACKAGES = {"chess": "chess", "numpy": "numpy", "distributed": "'coachwhip[cluster]'"}
PACKAGES |= dict.fromkeys(("rich", "scipy"), "'coachwhip[bench]'")


class CommandError(Exception):
    """Something the user asked for cannot be done; the message is for them."""


class _Formatter(argparse.HelpFormatter):
    """Fills paragraphs, but leaves one with indented lines, as of examples, as it is."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:  # noqa: ARG002
        parts = text.split("\n\n")
        return "\n\n".join(
            part if "\n  " in part else fill(part, width, break_on_hyphens=False) for part in parts
        )


class Parser(argparse.ArgumentParser):
    """The command line of a subcommand. An error in it is one line, without pages of usage."""

    def __init__(self, name: str, about: str, epilog: str | None = None) -> None:
        super().__init__(
            prog=f"coachwhip {name}", description=about, epilog=epilog, formatter_class=_Formatter
        )

    def run(
        self,
        argv: Sequence[str],
        body: Callable[[argparse.Namespace], int],
        complain: Callable[[str], None] | None = None,
    ) -> int:
        """Parse `argv` and run `body`.

        Returns the exit code: 2 after a bad command line or an error, 130 after Ctrl-C, SIGTERM and SIGHUP.
        Errors are CommandError, OSError (see `files.naming`), a library that is not installed, and too little
        memory. `complain` gets the message (default: `warn`).
        """
        complain = complain or warn
        try:
            with stoppable():
                with uninterrupted():  # where argparse would raise an error of its own
                    args = self._parse(_joined(argv))
                return body(args)
        except SystemExit:  # argparse has printed the help text
            return 0
        except KeyboardInterrupt:
            complain(f"{self.prog}: interrupted")
            return INTERRUPTED
        except CommandError as error:
            complaint = str(error)
        except OSError as error:
            complaint = in_words(error)
        except ImportError as error:
            complaint = missing(error)
        except MemoryError:
            complaint = "not enough memory"
        complain(f"{self.prog}: {complaint}")
        return 2

    def _parse(self, words: Sequence[str]) -> argparse.Namespace:
        """Read the words, between which options may stand. Raises CommandError."""
        try:
            return self.parse_intermixed_args(words)
        except CommandError:
            self.parse_known_args(words)  # raises one that names all missing arguments, not only the options
            raise

    def error(self, message: str) -> NoReturn:
        """Called by argparse. Raises CommandError."""
        raise CommandError(f"{message}; see {self.prog} --help")


def _joined(argv: Sequence[str]) -> list[str]:
    """Join each value like -5,5 to its option (--sprt=-5,5): alone, it looks like an option to argparse."""
    words: list[str] = []
    for word in argv:
        if words and words[-1].startswith("--") and re.match(r"-[\d.]+,", word):
            words[-1] += f"={word}"
        else:
            words.append(word)
    return words


def warn(line: str) -> None:
    """Print a line on standard error; where that cannot be written, nothing happens."""
    with suppress(OSError):
        print(printable(line), file=sys.stderr, flush=True)


def in_words(error: OSError) -> str:
    """Describe an OSError: file and reason."""
    what = error.strerror or " ".join(map(str, error.args)) or type(error).__name__
    return what if error.filename is None else f"{error.filename}: {what}"


def missing(error: ImportError) -> str:
    """Name the package to install. An error within coachwhip itself is raised again."""
    name = (error.name or "").partition(".")[0]
    if name == __package__.partition(".")[0]:
        raise error
    # What is installed may fail to load, as where memory is short.
    if name not in PACKAGES or not isinstance(error, ModuleNotFoundError):
        return f"needs a library that cannot be loaded: {reason(error.__cause__ or error)}"
    return f"needs {name}: python3 -m pip install {PACKAGES[name]}"


def require(module: str, what: str) -> None:
    """Raise CommandError, before the work rather than after it, if a library cannot be loaded."""
    try:
        import_module(module)
    except ImportError as error:
        raise CommandError(f"{what} {missing(error)}") from error


class _Stop:
    """Handle a signal that ends a command: the first raises KeyboardInterrupt.

    Later ones are ignored while the command finishes its files.
    """

    def __init__(self) -> None:
        self.holds = 0  # blocks that a signal must not interrupt
        self.number = 0  # of the signal; 0: none has come
        self.is_raised = False
        self._before = sys.unraisablehook

    def __call__(self, number: int, _: object) -> None:
        self.number = number
        self.raise_once()

    def raise_again(self, lost: "sys.UnraisableHookArgs") -> None:
        """Repeat the signal if it has come while an object was released, where Python drops exceptions."""
        if lost.exc_type is KeyboardInterrupt:
            self.is_raised = False
            threading.Timer(AGAIN_SECONDS, interrupt_main, [self.number]).start()
        else:
            self._before(lost)

    def raise_once(self) -> None:
        """Raise KeyboardInterrupt for a signal that has come, once, unless a block is held."""
        if self.number and not self.holds and not self.is_raised:
            self.is_raised = True
            raise KeyboardInterrupt


@contextmanager
def stoppable() -> Iterator[None]:
    """Let Ctrl-C, SIGTERM and the end of the terminal end the block alike; ignored signals stay ignored."""
    handlers = _stop_handlers()
    ours, stop = [number for number, handler in handlers.items() if handler != signal.SIG_IGN], _Stop()
    hook = sys.unraisablehook
    try:
        for number in ours:
            signal.signal(number, stop)
        sys.unraisablehook = stop.raise_again if ours else hook
        yield
    finally:
        sys.unraisablehook = hook
        for number in ours:
            signal.signal(number, handlers[number])


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Delay the signals that end a command until the block has run."""
    held = [stop for stop in {*_stop_handlers().values()} if isinstance(stop, _Stop)]
    for stop in held:
        stop.holds += 1
    try:
        yield
    finally:
        for stop in held:
            stop.holds -= 1
    for stop in held:
        stop.raise_once()


def _stop_handlers() -> dict[int, Any]:
    """Return the handlers of the signals that end a command; none outside the main thread.

    That thread alone may set them.
    """
    is_main = threading.current_thread() is threading.main_thread()
    return {number: signal.getsignal(number) for number in STOPS} if is_main else {}


# --- Values of options: each function is, or returns, an argparse `type` ---


def file_name(text: str) -> Path:
    """Read the name of a file."""
    if not text or "\0" in text:
        raise argparse.ArgumentTypeError(f"expected the name of a file, not {text[:40]!r}")
    if re.match(r"[a-z]+://", text, re.IGNORECASE):
        raise argparse.ArgumentTypeError(
            f"{text[:60]!r} is an address: save what is there, such as the PGN, to a file first"
        )
    return Path(text)


def whole_number(low: int, high: int) -> Callable[[str], int]:
    """Read a plain ASCII whole number from `low` to `high`."""

    def read(text: str) -> int:
        value = parse_int(text)
        if value is None or not low <= value <= high:
            raise argparse.ArgumentTypeError(
                f"expected a whole number from {low} to {high}, not {text[:40]!r}"
            )
        return value

    return read


def number(low: float, high: float) -> Callable[[str], float]:
    """Read a number from `low` to `high`."""

    def read(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = low - 1
        if not low <= value <= high:
            raise argparse.ArgumentTypeError(f"expected a number from {low:g} to {high:g}, not {text[:40]!r}")
        return value

    return read


def numbers(count: int, high: int, low: int = 0) -> Callable[[str], tuple[int, ...]]:
    """Read `count` whole numbers from `low` to `high` with commas between them."""

    def read(text: str) -> tuple[int, ...]:
        fields = tuple(map(whole_number(low, high), text.split(",")))
        if len(fields) != count:
            raise argparse.ArgumentTypeError(f"expected {count} numbers separated by commas, not {text!r}")
        return fields

    return read


def positive_number(text: str, *, whole: bool = False, zero: bool = False) -> float:
    """Read a plain decimal number above 0 (or 0, if `zero`)."""
    digits = text.replace(".", "", 0 if whole else 1)
    if not (text.isascii() and digits.isdigit() and len(text) <= 18):
        raise argparse.ArgumentTypeError(f"expected a number, not {text[:40]!r}")
    value = float(text)
    if not (zero or value > 0) or value > (LARGEST_COUNT if whole else LARGEST_TIME):
        raise argparse.ArgumentTypeError(f"out of range: {text!r}")
    return value


def seconds(text: str) -> float:
    """Read a number of seconds."""
    return positive_number(text)


def assignment(text: str) -> tuple[str, str]:
    """Read the two sides of `name=value`."""
    name, equals, value = text.partition("=")
    if not (equals and name.strip()):
        raise argparse.ArgumentTypeError(f"expected NAME=VALUE, not {text[:40]!r}")
    return name.strip(), value.strip()


def _tunable(text: str) -> tuple[str, int]:
    try:
        return read([text]).popitem()
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


SHARED: dict[str, dict[str, Any]] = {  # options of several commands, and the keywords of `add_argument`
    "--json": {"action": "store_true", "help": "print one JSON object instead of text"},
    "--force": {"action": "store_true", "help": "replace existing files even if they hold something else"},
    "--weights": {
        "type": file_name,
        "metavar": "FILE",
        "help": "evaluate with these weights (default: the shipped ones)",
    },
    "--set": {  # a list of names and values, for `dict`
        "type": _tunable,
        "action": "append",
        "default": [],
        "metavar": "NAME=VALUE",
        "help": "change a tunable of the search (`coachwhip tunables` lists them); may be repeated",
    },
}


def add_shared(add: Callable[..., object], *names: str) -> None:
    """Give a command line some of the SHARED options."""
    for name in names:
        add(name, **SHARED[name])


def tunables_of(words: Iterable[str]) -> dict[str, int]:
    """Read words NAME=VALUE. Raises CommandError that gives the nearest name or the range."""
    try:
        return read(words)
    except ValueError as error:
        raise CommandError(f"--set: {error}") from error


def suggestion(name: str, names: Iterable[str]) -> str:
    """Return the end of a message about an unknown name: the most similar of `names`, if any is similar."""
    near = nearest(name, names)
    return f"; did you mean {near}?" if near else ""


def per_second(nodes: int, seconds: float) -> int:
    """Return nodes per second, 0 for a time too short to measure."""
    return round(nodes / seconds) if seconds > 0 else 0
