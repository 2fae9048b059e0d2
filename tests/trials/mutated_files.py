# SPDX-License-Identifier: GPL-3.0-or-later
"""Spoilt files for every command that reads files, by hand.

`mutated_files.py [--count N] [--seed N] [--only NAME]... [--keep DIR]`.

A small valid file gets up to four faults: it is cut, bits flip, chunks are doubled or deleted, other numbers,
deep nesting, other encodings and random bytes come in; where a format has checksums, they are made right
again in half of the files. The command must end with an exit code and without a traceback, within LIMIT
seconds; where it fails, one line says why. A crash or a hang ends the run with a traceback (`faulthandler`).
File number N depends on the seed and N alone, and one that showed a fault is kept. Prints one JSON object;
exit code 1 with faults.
"""

import argparse
import contextlib
import faulthandler
import io
import json
import lzma
import os
import random
import re
import shlex
import shutil
import struct
import sys
import tempfile
import time
import zlib
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tools"))
import chess
import game_files
import networks
from coachwhip.evaluation import config
from places import DATA

from coachwhip.__main__ import INTERRUPTED
from coachwhip.__main__ import main as coachwhip

LIMIT, HANG = 20.0, 120.0  # seconds for a file; until the run is given up
LONGEST = 1 << 18  # bytes of a spoilt file
DEEP = 60_000  # levels of nesting
NUMBERS = (
    b"0",
    b"-1",
    b"65536",
    b"2147483648",
    b"18446744073709551616",
    b"1e999",
    b"NaN",
    b"9" * 5000,
    b"0.1",
    b"1e-400",
)
ODD = (
    b"\0",
    b"\r\n",
    b"\xff\xfe",
    b"\xef\xbb\xbf",
    b"\xed\xa0\x80",
    b"\x85",
    b"\x1b]0;x\x07",
    b"(",
    b")",
    b"{",
    b'"',
    b"%",
)
LONG = (
    b"(" * DEEP,
    b"[" * DEEP,
    b'{"a":' * DEEP,
    b"-" * DEEP,
    b"x." * DEEP,
    b"1+" * DEEP,
    b"A" * 100_000,
    b"\n" * 20_000,
)
CHESS = (
    b"e1g1",
    b"--",
    b"e8=K",
    b'c9 "1-0"',
    b"[%clk 99999999999:00:00]",
    b'[FEN "8/8/8/8/8/8/8/8 w - - 0 1"]\n',
)
PGN = b"""[White "One"]
[Result "1-0"]
[TimeControl "60+1"]

1. e4 { [%eval 0.30] [%clk 0:01:00] } e5 $1 { [%eval 0.25,12] } 2. Bc4 (2. Nf3 Nc6 (2... d6 3. d4) 3. Bb5)
2... Nc6 { [%eval 0.4] a comment } 3. Qh5?! { [%eval -0.2] } 3... Nf6?? ; to the end of the line
4. Qxf7# 1-0
"""
START = " ".join(chess.STARTING_FEN.split()[:4])
ENGINE = shlex.join([sys.executable, "-m", "coachwhip"])
GAMES = [*"--games 2 --nodes 50 --max-moves 4 --concurrency 1".split()]
SPSA = ["spsa", "--tune", "rfp_margin", *"--games 2 --nodes 50 --concurrency 1".split()]
LAB = [*"lab --depth 1 --only killers --positions good.fen".split()]
TRAIN = (
    "train good.vf --output new.cwnet --epochs 1 --hidden 16 --batch 64 --validation 0.5 --logit 120".split()
)


class Reader(NamedTuple):
    """A kind of file and the command that reads it."""

    suffix: str
    make: Callable[[], bytes]  # a valid file
    words: list[str]  # FILE stands for the spoilt one
    seal: Callable[[random.Random, bytes], bytes] | None = None  # faults behind checksums that fit


def run(words: list[str]) -> int:
    """Run a command, which returns its exit code also after Ctrl-C. Raises KeyboardInterrupt then."""
    code = coachwhip(words)
    if code == INTERRUPTED:
        raise KeyboardInterrupt
    return code


def written_by(words: list[str]) -> Callable[[], bytes]:
    """What a command writes to FILE."""

    def make() -> bytes:
        path = Path("written")
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            run([word.replace("FILE", path.name) for word in words])
        content = path.read_bytes()
        path.unlink()
        return content

    return make


def mutated(rng: random.Random, data: bytes) -> bytes:
    """A file with one to four faults."""
    for _ in range(rng.choice((1, 1, 1, 2, 2, 4))):
        start = rng.randrange(len(data) + 1)
        end = min(len(data), start + int(rng.paretovariate(0.7)))
        before, chunk, after = data[:start], data[start:end], data[end:]
        numbers = list(re.finditer(rb"-?\d+(\.\d+)?", data))
        kind = rng.randrange(9)
        if kind == 0:
            data = before
        elif kind == 1:
            data = before + bytes(byte ^ 1 << rng.randrange(8) for byte in chunk[:50]) + chunk[50:] + after
        elif kind == 2:
            data = before + after
        elif kind == 3:
            data = before + chunk * rng.choice((2, 3, 20, 1000)) + after
        elif kind == 4:
            data = before + rng.choice(ODD + LONG + CHESS) + chunk + after
        elif kind == 5:
            data = before + rng.randbytes(rng.choice((1, 4, 16, 1000))) + after
        elif kind == 6 and numbers:
            place = rng.choice(numbers)
            data = data[: place.start()] + rng.choice(NUMBERS) + data[place.end() :]
        elif kind == 7:
            size = rng.choice((1, 2, 4, 8))
            number = rng.choice((0, 1, (1 << 8 * size) - 1, 1 << (8 * size - 1)))
            data = before + number.to_bytes(size, "little") + data[start + size :]
        elif rng.random() < 0.3:
            data = data.decode("latin-1").encode(
                rng.choice(("utf-16", "utf-32", "utf-7", "cp037", "utf-8-sig")), "replace"
            )
        data = data[:LONGEST]
    return data


def sealed_network(rng: random.Random, data: bytes) -> bytes:
    end = data.index(b"\n", data.index(b"\n") + 1)
    body = (
        mutated(rng, data[:end]) + data[end:-4]
        if rng.random() < 0.5
        else data[:end] + mutated(rng, data[end:-4])
    )
    return body + struct.pack("<I", zlib.crc32(body))


EPD = (
    f'{START} bm e4; c7 "1"; c8 "0.3"; c9 "1-0";\n'
    '4k3/8/8/8/8/8/8/4K2R w K - dm 1; bm Kf2; c7 "2"; c9 "0-1";\n'
).encode()
BOOK = (DATA / "books" / "own.bin").read_bytes()
OWN = game_files.file_of(game_files.many(8, plies=30))
UCI_TABLES = ["setoption name SyzygyPath value .", "position fen 8/8/8/4k3/8/8/8/KQ6 w - - 0 1", "go depth 2"]
READERS = {
    "weights": Reader(
        ".py",
        lambda: config.dump(config.load_default() | {"NETWORK": ""}).encode(),
        ["weights", "--weights", "FILE"],
    ),
    "network": Reader(
        ".cwnet",
        lambda: networks.by_chance(16, 1).encode(),
        ["bench", "1", "--weights", "names.py"],
        sealed_network,
    ),
    "perft suite": Reader(".epd", f"{START} ;D1 20 ;D2 400\n".encode, ["perft", "--suite", "FILE"]),
    "suite": Reader(".epd", lambda: EPD, ["suite", "--engine", ENGINE, "--nodes", "10", "FILE"]),
    "lab positions": Reader(".fen", lambda: EPD, [*LAB[:-1], "FILE"]),
    "openings epd": Reader(".epd", lambda: EPD, ["selfplay", "new.vf", *GAMES, "--openings", "FILE"]),
    "openings pgn": Reader(".pgn", lambda: PGN, ["selfplay", "new.vf", *GAMES, "--openings", "FILE"]),
    "openings bin": Reader(".bin", lambda: BOOK, ["selfplay", "new.vf", *GAMES, "--openings", "FILE"]),
    "analyse": Reader(".pgn", lambda: PGN, ["analyse", "--nodes", "20", "FILE", "--report", "new.html"]),
    "book": Reader(
        ".bin",
        lambda: BOOK,
        ["setoption name BookFile value FILE", "setoption name OwnBook value true", "go depth 1"],
    ),
    "table wdl": Reader(".rtbw", (DATA / "syzygy" / "KQvK.rtbw").read_bytes, UCI_TABLES),
    "table dtz": Reader(".rtbz", (DATA / "syzygy" / "KQvK.rtbz").read_bytes, UCI_TABLES),
    "tune": Reader(".epd", lambda: EPD, ["tune", "FILE", "--output", "new.py", "--epochs", "1"]),
    "tune games": Reader(".vf", lambda: OWN, ["tune", "FILE", "--output", "new.py", "--epochs", "1"]),
    "tune compressed games": Reader(
        ".vf.xz",
        lambda: OWN,
        ["tune", "FILE", "--output", "new.py", "--epochs", "1"],
        lambda rng, data: lzma.compress(mutated(rng, data)),
    ),
    "selfplay --epd": Reader(".vf", lambda: OWN, ["selfplay", "FILE", "--epd", "-"]),
    "selfplay": Reader(".vf", lambda: OWN, ["selfplay", "FILE", *GAMES]),
    "train": Reader(".vf", lambda: OWN, [word.replace("good.vf", "FILE") for word in TRAIN]),
    **{
        f"{words[0]} {option.strip('-')}": Reader(
            suffix, written_by([*words, option, "FILE"]), [*words, option, "FILE", "--resume"]
        )
        for words, option, suffix in ((TRAIN, "--checkpoint", ".part"), (SPSA, "--journal", ".jsonl"))
    },
}


def read(reader: Reader, path: Path) -> str:
    """Have a command read a file: "", "rejected", or the fault."""
    begin = time.monotonic()
    faulthandler.dump_traceback_later(HANG, exit=True)
    try:
        with (
            Path("out").open("w") as out,
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(io.StringIO()) as err,
        ):
            code = run([word.replace("FILE", path.name) for word in reader.words])
    except (Exception, SystemExit) as error:  # noqa: BLE001
        return f"{type(error).__name__}: {str(error)[:200]}"
    finally:
        faulthandler.cancel_dump_traceback_later()
    said = err.getvalue()
    if "Traceback" in said or time.monotonic() - begin > LIMIT:
        return f"{time.monotonic() - begin:.0f} s: {said[-1000:]}"
    if code in (0, 3):  # 3: nothing was learnt
        return ""
    said += Path("out").read_text()
    complaints = [line for line in said.splitlines() if line.startswith(("coachwhip", "info string"))]
    return "rejected" if complaints and len(complaints[0]) < 1000 else f"exit code {code}: {said[-1000:]!r}"


def trial(args: argparse.Namespace, number: int, seeds: dict[str, bytes]) -> tuple[str, str]:
    """Spoil a file and have it read. Returns the reader's name and what came of it."""
    rng = random.Random(f"{args.seed} {number}")
    name = (args.only or list(READERS))[number % len(args.only or READERS)]
    reader = READERS[name]
    spoil = reader.seal if reader.seal and rng.random() < 0.5 else mutated
    path = Path(f"{'KQvK' if 'table' in name else 'spoilt'}{reader.suffix}")
    path.write_bytes(spoil(rng, seeds[name]))
    Path("names.py").write_text(f'NETWORK = "{path.name}"\n', encoding="utf-8")
    found = read(reader, path)
    if found not in ("", "rejected"):
        shutil.copy(path, args.keep / f"{name.replace(' ', '-')}-{args.seed}-{number}{reader.suffix}")
    for left in (path, *Path().glob("new*")):
        left.unlink(missing_ok=True)
    return name, found


def main() -> int:
    """Run the trial."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--count", type=int, default=10_000, metavar="N", help="so many files (default 10000)"
    )
    parser.add_argument(
        "--first", type=int, default=0, metavar="N", help="the number of the first (default 0)"
    )
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="decides all faults (default 1)")
    parser.add_argument(
        "--only",
        action="append",
        choices=READERS,
        metavar="NAME",
        help=f"one of {', '.join(READERS)}; may be repeated",
    )
    parser.add_argument(
        "--keep", type=Path, default=Path(), metavar="DIR", help="where files that showed a fault are kept"
    )
    args = parser.parse_args()
    args.keep = args.keep.absolute()
    counts: Counter[str] = Counter()
    faults = []
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        Path("good.vf").write_bytes(OWN)
        Path("good.fen").write_text(f"{chess.STARTING_FEN}\n", encoding="utf-8")
        seeds = {name: READERS[name].make() for name in args.only or READERS}
        for number in range(args.first, args.first + args.count):
            name, found = trial(args, number, seeds)
            counts[f"{name}, {'read' if not found else 'rejected' if found == 'rejected' else 'faults'}"] += 1
            if found not in ("", "rejected"):
                faults.append(f"{name}, file {number}: {found}")
                print(faults[-1], file=sys.stderr, flush=True)
        os.chdir(args.keep)
    result = {
        "trial": "mutated_files",
        "count": args.count,
        "seed": args.seed,
        "counts": counts,
        "faults": faults,
    }
    print(json.dumps(result, indent=1))
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main())
