# SPDX-License-Identifier: GPL-3.0-or-later
"""Spoilt files for everything that reads files, by hand: `mutated_files.py [--count N] [--seconds S] [--only NAME]...`.

A piece is some files for one reader, each made from a small valid file by up to four faults: cut, bits flipped, chunks doubled, deleted or
swapped, other numbers, deep nesting, other encodings, random bytes, a file of another kind; where a format has checksums, the sums
are made to fit in half of the files. Each file must be read, and what is read be consistent, or be refused with the exception of its
reader and one line that names the file. Anything else is a fault: another exception, more than LIMIT seconds, more than ROOM bytes of
memory; a crash or a hang ends the run with a traceback (`faulthandler`). A file that showed a fault is kept in `--keep`.
"""

import argparse
import faulthandler
import random
import sys
import tempfile
import time
import traceback
from collections import Counter
from functools import partial
from pathlib import Path

from pieces import Piece, parser, run

# isort: split
import mutations
from file_readers import READERS, Reader

LIMIT = 10.0  # seconds for a file; the longest are 256 KiB long
HANG = 120.0  # seconds until the run is given up
ROOM = 256 << 20  # bytes that a file may add to the largest size of the process
PIECE = 100  # files
SEALED = 0.5  # of the files of a format with checksums
FOREIGN = 0.03  # of the files are another reader's


def largest_size() -> int:
    """The largest size of the process so far, in bytes; 0 where the system does not tell."""
    try:
        import resource
    except ImportError:
        return 0
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def spoilt(rng: random.Random, name: str) -> tuple[bytes, bool]:
    """A file for a reader, and whether its checksums were made to fit."""
    reader = READERS[name]
    if rng.random() < FOREIGN:
        return rng.choice(READERS[rng.choice(list(READERS))].seeds()), False
    data = rng.choice(reader.seeds())
    if reader.seal is not None and rng.random() < SEALED:
        return reader.seal(rng, data), True
    return mutations.mutated(rng, data), False


def read(reader: Reader, path: Path) -> str:
    """Have a file read: "" if that went well, "refused", or what is wrong."""
    begin, size = time.monotonic(), largest_size()
    faulthandler.dump_traceback_later(HANG, exit=True)
    try:
        wrong = reader.read(path)
    except reader.refuses as error:
        wrong = refusal(str(error), path)
    except BaseException as error:  # noqa: BLE001 - MemoryError and RecursionError too
        place = traceback.extract_tb(error.__traceback__)[-1]
        wrong = f"{type(error).__name__}: {str(error)[:200]} ({Path(place.filename).name}:{place.lineno})"
    finally:
        faulthandler.cancel_dump_traceback_later()
    if time.monotonic() - begin > LIMIT:
        return f"took {time.monotonic() - begin:.0f} s"
    if largest_size() - size > ROOM:
        return f"took {(largest_size() - size) >> 20} MiB"
    return wrong


def refusal(message: str, path: Path) -> str:
    """Whether the message is one line that names the file: "refused", else what is wrong with it."""
    if path.stem not in message:
        return f"a message that does not name the file: {message[:300]!r}"
    if len(message.splitlines()) != 1 or len(message) > 1000:
        return f"a message that is not one line: {message[:300]!r}"
    return "refused"


def piece(args: argparse.Namespace, folder: Path, number: int) -> Piece:
    """Some files for one reader."""
    names = args.only or list(READERS)
    name = names[number % len(names)]
    reader, rng = READERS[name], random.Random(f"{args.seed} {number}")
    counts: Counter[str] = Counter()
    faults = []
    for place in range(args.files):
        data, sealed = spoilt(rng, name)
        path = folder / f"spoilt{reader.suffix}"
        path.write_bytes(data)
        wrong = read(reader, path)
        counts.update(["files", f"{name}, {'refused' if wrong == 'refused' else 'faults' if wrong else 'read'}"])
        counts["sums made to fit"] += sealed
        if wrong not in ("", "refused"):
            kept = Path(args.keep, f"{name.replace(' ', '-')}-{args.seed}-{number}-{place}{reader.suffix}")
            kept.write_bytes(data)
            faults.append(f"{name}: {wrong}: {kept.name}, {len(data)} bytes")
        for left in folder.iterdir():
            left.unlink()
    return Piece(dict(counts), faults)


def main() -> int:
    """Run the trial."""
    made = parser(__doc__, 10_000, "files")
    made.add_argument(
        "--only", action="append", choices=READERS, metavar="NAME", help=f"one of {', '.join(READERS)}; may be repeated"
    )
    made.add_argument("--files", type=int, default=PIECE, metavar="N", help=f"files of a piece (default {PIECE})")
    made.add_argument(
        "--keep", type=Path, default=Path(), metavar="DIR", help="where files that showed a fault are kept (default: here)"
    )
    args = made.parse_args()
    args.keep.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        return run(args, "mutated_files", "files", partial(piece, args, Path(folder)), only=args.only or [], files=args.files)


if __name__ == "__main__":
    sys.exit(main())
