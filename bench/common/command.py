# SPDX-License-Identifier: GPL-3.0-or-later
"""What the subcommands share: command lines, files that cannot be read or written, missing libraries, and Ctrl-C.

A subcommand may be called from inside a running UCI loop, so none of them exits the process: `execute` turns every exit into a
return code, and every error about a file, a library or memory into one sentence.
"""

import argparse
import os
import signal
import stat
import sys
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from importlib.util import find_spec
from io import BytesIO, FileIO
from pathlib import Path
from secrets import token_hex
from typing import Any, BinaryIO
from warnings import catch_warnings, filterwarnings

from ...evaluation.compressed import CompressedError, expanded
from ...uci.options import nearest
from ...uci.parse import printable
from ...uci.tunables import read

LARGEST_TIME = 1e6  # seconds
LARGEST_COUNT = 10**15  # nodes
INTERRUPTED = 130  # exit code after Ctrl-C
PLOT_DPI = 100  # dots per inch
EXTRAS = {"distributed": "cluster", "matplotlib": "bench", "rich": "bench", "scipy": "bench"}  # of our own, by library


class CommandError(Exception):
    """Something the user asked for cannot be done; the message is one clear sentence for them."""


def execute(
    parser: argparse.ArgumentParser, argv: Sequence[str], body: Callable[[argparse.Namespace], int], *, reads: Path | None = None
) -> int:
    """Parse `argv` and run `body`; returns the exit code: 2 after a bad command line or an error, 130 after Ctrl-C.

    Errors are CommandError, OSError (see `naming`), a library that is not installed, and too little memory. Files that the
    command is to write (arguments of `writes`) are checked before the work; `reads` is a file that it reads without an argument.
    """
    try:
        args = parser.parse_intermixed_args(argv)  # options may stand between the words
        require_outputs(args, getattr(args, _WRITTEN, {}), reads)
        return body(args)
    except SystemExit as way_out:  # argparse has printed its message, or the help text
        return way_out.code if isinstance(way_out.code, int) else 0
    except CommandError as error:
        complaint = str(error)
    except OSError as error:
        complaint = in_words(error)
    except ImportError as error:
        complaint = missing(error)
    except MemoryError:
        complaint = "there is not enough memory for that"
    except KeyboardInterrupt:
        tell(f"{parser.prog}: interrupted")
        return INTERRUPTED
    tell(f"{parser.prog}: {complaint}")
    return 2


def tell(line: str) -> None:
    """Print a line on standard error; where that cannot be written, nothing happens."""
    with suppress(OSError):
        print(printable(line), file=sys.stderr, flush=True)


# --- Files ---

_WRITTEN = "files_written"  # where the namespace collects them


def file_name(text: str) -> Path:
    """Read the name of a file, as argparse's `type`."""
    if not text or "\0" in text:
        raise argparse.ArgumentTypeError(f"expected the name of a file, not {text[:40]!r}")
    return Path(text)


def label(text: str) -> str:
    """Read what something is to be called, as argparse's `type`."""
    return printable(text)


class _Written(argparse.Action):
    """Stores the name of a file, and that the command writes it."""

    def __call__(self, _parser: argparse.ArgumentParser, namespace: argparse.Namespace, value: Any, _: str | None = None) -> None:
        setattr(namespace, self.dest, value)
        setattr(namespace, _WRITTEN, {**getattr(namespace, _WRITTEN, {}), self.dest: self.const})


def writes(*, grows: bool = False, **settings: Any) -> dict[str, Any]:
    """The keywords of `add_argument` for the name of a file that the command writes; `grows`: it adds to what is there."""
    return {"type": file_name, "action": _Written, "const": grows, "metavar": "FILE", **settings}


def require_outputs(args: argparse.Namespace, outputs: Mapping[str, bool], reads: Path | None = None) -> None:
    """Check the files that these arguments name, and whether each only grows, before any is opened. Raises CommandError.

    A command can write them, and none is a file that another argument names, or `reads`.
    """
    for name, grows in outputs.items():
        require_writable(getattr(args, name), grows=grows)
    inputs = [path for name, value in vars(args).items() if name not in outputs for path in _files_in(value)]
    require_apart([getattr(args, name) for name in outputs], [*inputs, *filter(None, [reads])])


def require_writable(path: Path, *, grows: bool = False) -> None:
    """Refuse a file that cannot be written before the work rather than after it. Raises CommandError."""
    folder = Path(os.path.realpath(path)).parent
    if path.is_dir():
        raise CommandError(f"{path} cannot be written: it is a folder")
    if not folder.is_dir():
        raise CommandError(f"{path} cannot be written: there is no folder {folder}")
    is_replaced = not path.exists() or (path.is_file() and not grows)
    for place, counts in ((path, path.exists()), (folder, is_replaced)):
        if counts and not os.access(place, os.W_OK):
            raise CommandError(f"{path} cannot be written: you have no permission to write to {place}")


def require_apart(outputs: Sequence[Path], inputs: Sequence[Path]) -> None:
    """Refuse an output that is an input, another output, or where standard output goes, under any name. Raises CommandError."""
    known = {_identity(path): "is one of the files to read: choose another name" for path in inputs}
    for number, what in ((0, "input comes from"), (1, "output goes"), (2, "error goes")):
        known[_identity(number)] = f"is where standard {what}: choose another name"
    for path in outputs:
        identity = _identity(path)
        if identity is not None and identity in known:
            raise CommandError(f"{path} {known[identity]}")
        known[identity] = f"and {path} are the same: outputs need a file each"


def _files_in(value: Any) -> Iterator[Path]:
    """The files that an argument names, also in the command line of an engine."""
    if isinstance(value, Path):
        yield value
    elif isinstance(value, str):
        yield from (Path(text) for text in (value, *value.split()) if os.path.isfile(text))
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from _files_in(each)


def _identity(file: Path | int) -> tuple[Any, ...] | None:
    """What is the same for all names of a file; None for what is not a regular file, which loses nothing."""
    try:
        found = os.stat(file)
    except OSError:
        whole = os.path.realpath(file) if isinstance(file, Path) else ""  # it may be made later
        with suppress(OSError):
            folder = os.stat(os.path.dirname(whole))
            return folder.st_dev, folder.st_ino, os.path.normcase(os.path.basename(whole))
        return None
    return (found.st_dev, found.st_ino) if stat.S_ISREG(found.st_mode) else None


@contextmanager
def naming(path: Path | str) -> Iterator[None]:
    """Add the name of the file to errors without one, which reading and writing an open file raise."""
    try:
        yield
    except OSError as error:
        if error.filename is None:
            error.filename = str(path)
        raise


def in_words(error: OSError) -> str:
    """What is wrong with which file."""
    what = error.strerror or str(error) or type(error).__name__
    return what if error.filename is None else f"{error.filename}: {what}"


def read_bytes(path: Path) -> bytes:
    """The content of a file, expanded if it is compressed. Raises CommandError if it cannot be expanded; OSError."""
    try:
        with naming(path), path.open("rb") as file:
            return expanded(file).read()
    except CompressedError as error:
        raise CommandError(f"{path}: {error}") from error


def read_text(path: Path) -> str:
    """A file of UTF-8 text, with or without a byte order mark. Raises CommandError that names the line if it is none; OSError."""
    data = read_bytes(path)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise CommandError(f"{path}:{line}: not UTF-8 text (byte 0x{data[error.start]:02x})") from error


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """A file to write, which takes the place of `path` where the block ends without an error. Raises OSError that names it.

    A symbolic link stays and its target is replaced; permissions stay. What is not a regular file, as a pipe, is written itself.
    """
    before = path.stat() if path.exists() else None
    if before and not stat.S_ISREG(before.st_mode):
        with naming(path), path.open("wb") as stream:
            yield stream
        return
    target = Path(os.path.realpath(path))
    fresh = target.with_name(f"{target.name[:40]}.{token_hex(8)}.part")
    mode = stat.S_IMODE(before.st_mode) if before else 0o666
    try:
        with open(fresh, "xb", opener=lambda name, flags: os.open(name, flags, mode)) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if before:
            with suppress(OSError, AttributeError):
                os.chown(fresh, before.st_uid, before.st_gid)
            with suppress(OSError):
                fresh.chmod(mode)
        fresh.replace(target)
    except BaseException as error:
        with suppress(OSError):
            fresh.unlink()
        if isinstance(error, OSError) and error.filename in (None, str(fresh)):
            error.filename = str(path)
        raise


def write_bytes(path: Path, data: bytes) -> None:
    """Write a file, all of it or, where that fails, nothing. Raises OSError that names it."""
    with replacing(path) as file:
        file.write(data)


def keep(path: Path, data: bytes, what: str, check: Callable[[Path], str] = lambda _: "") -> tuple[Path | None, str]:
    """Write what took hours to make (`what`: "the network is"), to the folder for temporary files where `path` cannot be written.

    `check` says what is wrong with the file, "" if nothing is. Returns where it is, None for nowhere, and what went wrong.
    """
    complaint = ""
    spare = Path(tempfile.gettempdir(), f"coachwhip-{token_hex(8)}{path.suffix}")
    for place in (path, spare):
        try:
            write_bytes(place, data)
            wrong = check(place)
        except OSError as error:
            wrong = in_words(error)
        if not wrong:
            return place, complaint and f"{complaint}; {what} in {spare}"
        complaint = f"{complaint}, and {wrong}" if complaint else wrong
    spare.unlink(missing_ok=True)
    return None, complaint


def append(file: FileIO, data: bytes) -> None:
    """Add to the end of a file, all of it or, where that fails, nothing. Raises OSError."""
    before = file.seek(0, os.SEEK_END) if file.seekable() else None
    try:
        while data:
            data = data[file.write(data) :]
    except OSError:
        with suppress(OSError):
            if before is not None:
                file.truncate(before)
        raise


class Postponed:
    """Keeps the error of a disk that is full, so that finished work is reported first: `with postponed: work`, report, `settle`."""

    def __init__(self) -> None:
        self.error: OSError | None = None

    def __enter__(self) -> None:
        """Begin the work."""

    def __exit__(self, _kind: object, error: object, _traceback: object) -> bool:
        """Keep the error, if it is one of a file."""
        self.error = error if isinstance(error, OSError) else None
        return self.error is not None

    def settle(self) -> None:
        """Raise the error, if there was one."""
        if self.error is not None:
            raise self.error


# --- Libraries ---


def missing(error: ImportError) -> str:
    """What to install. An error within coachwhip itself is raised again."""
    name = (error.name or "").partition(".")[0]
    if not name or name == __package__.partition(".")[0]:
        raise error
    package = f"'coachwhip[{EXTRAS[name]}]'" if name in EXTRAS else name
    return f"needs {name}: python3 -m pip install {package}"


def require(module: str, what: str) -> None:
    """Refuse what needs a library before the work rather than after it. Raises CommandError."""
    name = module.partition(".")[0]
    try:
        if find_spec(name) is None:
            raise ModuleNotFoundError(name=name)
        import_module(module)  # what is there may still be broken
    except ImportError as error:
        raise CommandError(f"{what} {missing(error)}") from error


def require_plot(path: Path) -> None:
    """Refuse a plot that cannot be drawn, or not as such a file, before the work. Raises CommandError."""
    require("matplotlib.figure", "--plot")
    kinds = import_module("matplotlib.figure").Figure().canvas.get_supported_filetypes()
    if path.suffix[1:].lower() not in kinds:
        raise CommandError(f"--plot {path}: the name must end in one of {', '.join(f'.{kind}' for kind in sorted(kinds))}")


def picture(figure: Any, path: Path) -> None:
    """Write a figure of matplotlib in the format that the file's name asks for. Raises OSError that names it."""
    data = BytesIO()
    with catch_warnings():
        filterwarnings("ignore", message="Glyph .* missing")  # a letter that the font lacks is drawn as a box
        figure.savefig(data, format=path.suffix[1:].lower(), dpi=PLOT_DPI)
    write_bytes(path, data.getvalue())


# --- Ctrl-C ---


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Delay Ctrl-C until the block has run."""
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


# --- Arguments and figures ---


def whole_number(low: int, high: int) -> Callable[[str], int]:
    """Reader of a plain ASCII whole number from `low` to `high`, as argparse's `type`."""

    def read(text: str) -> int:
        digits = text.removeprefix("-")
        if not (digits.isascii() and digits.isdigit() and len(digits) <= 18 and low <= int(text) <= high):
            raise argparse.ArgumentTypeError(f"expected a whole number from {low} to {high}, not {text[:40]!r}")
        return int(text)

    return read


def number(low: float, high: float) -> Callable[[str], float]:
    """Reader of a number from `low` to `high`, as argparse's `type`."""

    def read(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = low - 1
        if not low <= value <= high:
            raise argparse.ArgumentTypeError(f"expected a number from {low:g} to {high:g}, not {text[:40]!r}")
        return value

    return read


def numbers(count: int, high: int) -> Callable[[str], tuple[int, ...]]:
    """Reader of `count` whole numbers from 0 to `high` with commas between them, as argparse's `type`."""

    def read(text: str) -> tuple[int, ...]:
        fields = tuple(whole_number(0, high)(part) for part in text.split(","))
        if len(fields) != count:
            raise argparse.ArgumentTypeError(f"expected {count} numbers with commas between them, not {text!r}")
        return fields

    return read


def positive_number(text: str, *, whole: bool = False, zero: bool = False) -> float:
    """Read a plain decimal number above 0 (or 0, if `zero`). Raises ValueError with a sentence for the user."""
    digits = text.replace(".", "", 0 if whole else 1)
    if not (text.isascii() and digits.isdigit() and len(text) <= 18):
        raise ValueError(f"expected a number, not {text[:40]!r}")
    value = float(text)
    if not (zero or value > 0) or value > (LARGEST_COUNT if whole else LARGEST_TIME):
        raise ValueError(f"out of range: {text!r}")
    return value


def seconds(text: str) -> float:
    """Read a number of seconds, as argparse's `type`."""
    try:
        return positive_number(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def assignment(text: str) -> tuple[str, str]:
    """Split `name=value`, as argparse's `type`."""
    name, equals, value = text.partition("=")
    if not (equals and name.strip()):
        raise argparse.ArgumentTypeError(f"expected NAME=VALUE, not {text[:40]!r}")
    return name.strip(), value.strip()


def suggestion(name: str, names: Iterable[str]) -> str:
    """The end of a message about an unknown name: the most similar of `names`, if any is similar."""
    near = nearest(name, names)
    return f"; did you mean {near}?" if near else ""


def _tunable(text: str) -> tuple[str, int]:
    """Read NAME=VALUE for a tunable of the search, as argparse's `type`."""
    try:
        ((name, value),) = read([text]).items()
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error
    return name, value


def tunables_of(words: Iterable[str]) -> dict[str, int]:
    """The values that words NAME=VALUE set. Raises CommandError that gives the nearest name or the range."""
    try:
        return read(words)
    except ValueError as error:
        raise CommandError(f"--set: {error}") from error


def sets_tunables(**settings: Any) -> dict[str, Any]:
    """The keywords of `add_argument` for `--set`: a list of names and values, to be read with `dict`."""
    about = "change a tunable of the search (`coachwhip tunables` lists them); may be repeated"
    return {"type": _tunable, "action": "append", "default": [], "metavar": "NAME=VALUE", "help": about, **settings}


def per_second(nodes: int, seconds: float) -> int:
    """Nodes per second, and 0 for a time too short to measure."""
    return round(nodes / seconds) if seconds > 0 else 0
