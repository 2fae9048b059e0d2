# SPDX-License-Identifier: GPL-3.0-or-later
"""What the subcommands share: reading a command line, refusing a wrong one, and speed figures.

A subcommand may be called from inside a running UCI loop, so none of them ever exits the process: `execute` turns every
way out into a return code.
"""

import argparse
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any

from .clock import positive_number

INTERRUPTED = 130  # exit code after Ctrl-C


class CommandError(Exception):
    """Something the user asked for cannot be done; the message is one clear sentence for them."""


def execute(parser: argparse.ArgumentParser, argv: Sequence[str], body: Callable[[argparse.Namespace], int]) -> int:
    """Parse `argv` and run `body`; returns the exit code: 2 after a bad command line or a CommandError, 130 after Ctrl-C."""
    try:
        return body(parser.parse_args(argv))
    except SystemExit as way_out:  # argparse has printed its message, or the help text
        return way_out.code if isinstance(way_out.code, int) else 0
    except CommandError as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(f"{parser.prog}: interrupted", file=sys.stderr)
        return INTERRUPTED


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Hold Ctrl-C back until the block has run, where it would raise in this thread."""
    handler = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(handler):
        yield
        return
    came: list[Any] = []
    signal.signal(signal.SIGINT, lambda *event: came.append(event))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
    if came:
        handler(*came[-1])


def whole_number(low: int, high: int) -> Callable[[str], int]:
    """Reader of a plain ASCII whole number from `low` to `high`, as argparse's `type`."""

    def read(text: str) -> int:
        digits = text.removeprefix("-")
        if not (digits.isascii() and digits.isdigit() and len(digits) <= 18 and low <= int(text) <= high):
            raise argparse.ArgumentTypeError(f"expected a whole number from {low} to {high}, not {text[:40]!r}")
        return int(text)

    return read


def seconds(text: str) -> float:
    """Read a number of seconds, as argparse's `type`."""
    try:
        return positive_number(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def require_matplotlib() -> None:
    """Refuse a plot before the work rather than after it. Raises CommandError."""
    if find_spec("matplotlib") is None:
        raise CommandError("--plot needs matplotlib: python3 -m pip install 'coachwhip[bench]'")


def assignment(text: str) -> tuple[str, str]:
    """Split `name=value`, as argparse's `type`."""
    name, equals, value = text.partition("=")
    if not (equals and name.strip()):
        raise argparse.ArgumentTypeError(f"expected NAME=VALUE, not {text[:40]!r}")
    return name.strip(), value.strip()


def per_second(nodes: int, seconds: float) -> int:
    """Nodes per second, and 0 for a time too short to measure."""
    return round(nodes / seconds) if seconds > 0 else 0
