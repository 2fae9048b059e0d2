# SPDX-License-Identifier: GPL-3.0-or-later
"""Hostile sessions for the UCI loop.

`uci_fuzz.py [--count LINES] [--seconds S] [--seed N] [--session N] [--engine COMMAND]`.

A session is one process and a few hundred lines, valid and damaged: each `go` gets a bestmove, each `isready`
a readyok, messages are short and printable, and none is about an error of our own. The same seed gives the
same sessions, and `--session` repeats one of them. Prints the faults; exit code 1 if there is one.
"""

import argparse
import random
import re
import shlex
import sys
import time
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tools"))
import oracle
from coachwhip.uci import parse
from coachwhip.uci.loop import UCI_COMMANDS
from search_output import is_message
from uci_process import MODULE, UciProcess

from coachwhip.text import parse_int

COMMANDS = UCI_COMMANDS | {"d", "eval", "perft", "compiler", "help", "bench"}
OPTION = re.compile(
    r"option name (.+?) type (spin|check|string|button)(?: default \S+)?(?: min (-?\d+) max (-?\d+))?"
)
BLOCKS, LINES = 8, 30  # of a session, of a block
MOST_FAULTS = 10
MOST = {"hash": 4, "threads": 4, "multipv": 8}  # of what costs memory or time
END = (b"stop", b"d", b"isready")
MARK = b"setoption name mark"  # its message separates the answers to the lines before it and after it
ODD_BYTES = (
    b"\0",
    b"\t",
    b"  ",
    b"\xff",
    b"\xc3",
    b"\xe2\x80\xa8",
    b"\xef\xbb\xbf",
    b"\x1b[2J",
    b"\x1c",
    b"#",
    b"-",
    b"%s",
    b"\xd9\xa3",
)
ODD_WORDS = (
    "moves fen startpos value name searchmoves ponder infinite depth nodes mate movetime wtime btime winc "
    "movestogo go stop isready position setoption ucinewgame ponderhit d true false <empty> 0000 (none) e2e4 "
    "e7e8q e1h1 KQkq - w 8/8/8/8/8/8/8/8 0 -1 256 007 1_0 1e3 18446744073709551616 "
    "99999999999999999999999999999999 NaN ²"
).split()
VALID = (
    """stop|ponderhit|isready|debug on|register later|ucinewgame|d|perft 1|perft 2|go perft 1|go depth 1
go depth 3|go nodes 50|go movetime 5|go wtime 50 btime 50 winc 2 binc 2|go wtime -5|go mate 2|go infinite
go ponder wtime 60 btime 60|go ponder depth 2
go depth 2 searchmoves e2e4 e7e5 a1a1|go depth 2 infinite""".replace("\n", "|")
    .encode()
    .split(b"|")
)
INVALID = """xyzzy|UCI|position|setoption|perft|perft x|go perft|go depth x|go movetime -|position fen blah
setoption name Hash value x
position startpos moves e2e5|setoption name BookFile value none.bin|setoption name WeightsFile value none.py
setoption name SyzygyPath value none|setoption name Hash value 99999999
position fen 4k3/8/8/8/8/8/8/4RK2 w - - 0 1"""
INVALID_LINES = INVALID.replace("\n", "|").encode().split(b"|")

Game = tuple[str, list[str]]  # a FEN ("" for the start position) and moves


def make_games(seed: int) -> list[Game]:
    """Games of all kinds of chess."""
    rng = random.Random(f"games {seed}")
    games = []
    for number in range(12):
        board = oracle.start_board(oracle.KINDS[number % 3], rng)
        fen = "" if number % 3 == 0 else oracle.fen_of(board)
        games.append(
            (fen, [move.uci() for move in oracle.play(board, rng, greedy=number % 2 == 0, plies=60)])
        )
    return games


def a_line(rng: random.Random, games: list[Game], declared: dict[str, tuple[str, int, int]]) -> bytes:
    """One line: a position, an option, another valid or invalid line, or one of these damaged."""
    kind = rng.randrange(9)
    if kind < 2:
        fen, moves = rng.choice(games)
        played = " ".join(moves[: rng.randrange(len(moves) + 1)])
        return f"position {f'fen {fen}' if fen else 'startpos'} moves {played}".encode()
    if kind < 4:
        name, (of, low, high) = rng.choice(list(declared.items()))
        values = {
            "check": rng.choice(("true", "false", "TRUE")),
            "spin": str(rng.randint(low, min(high, MOST.get(name, high)))),
        }
        return f"setoption name {name} value {values.get(of, '<empty>')}".encode()
    if kind < 7:
        return rng.choice(VALID if kind < 6 else INVALID_LINES)
    line = a_line(rng, games, declared)
    for _ in range(rng.choice((1, 1, 2, 3))):
        line = damaged(rng, line)
    return line.replace(b"\r", b"").replace(b"\n", b"")  # line ends have their own tests


def damaged(rng: random.Random, line: bytes) -> bytes:
    """A line with one kind of damage, to its words or to its bytes."""
    words, at = line.split(b" "), rng.randrange(len(line) + 1)
    kind = rng.randrange(12)
    if kind < 6:
        at = rng.randrange(len(words))
        odd = rng.choice(ODD_WORDS).encode()
        words[at : at + 1] = rng.choice(
            ([], [odd], [odd, words[at]], [words[at], words[at]], [rng.choice(words)])
        )
        return b" ".join(words)
    if kind == 6:
        return line[:at] + line[at + rng.choice((1, 1, 2, 5, 20)) :]
    if kind == 7:
        return line[: at + 10] + line[at:]
    if kind == 8:
        return line[:at] + rng.choice(ODD_BYTES) + line[at:]
    if kind == 9:
        return (
            line[:at]
            + bytes([rng.choice(b"kqrbnpKQRBNP12345678/ -wbHAha9x")])
            + line[at + rng.randrange(2) :]
        )
    if kind == 10:
        return line + (line[-5:] or b"x") * rng.choice((1, 100, 5000))
    return rng.choice((line.upper(), line.title(), line.lower()))


def is_forbidden(line: bytes) -> bool:
    """Whether a line would end the session, take long or much memory, write a file, or vary in its answer."""
    name, rest = parse.split_command(parse.decode_line(line), COMMANDS, UCI_COMMANDS)
    if name in ("quit", "bench", "uci", "help", "compiler", "eval"):
        return True
    try:
        if name in ("perft", "go"):
            return (parse.parse_go(f"perft {rest}" if name == "perft" else rest)[0].perft or 0) > 2
        option, value = parse.parse_setoption(rest) if name == "setoption" else ("", "")
    except ValueError:
        return False
    most = MOST.get(option.lower())
    return option.lower() in ("debug log file", "syzygypath") or (
        most is not None and (parse_int(value or "") or 0) > most
    )


def check(block: Sequence[bytes], answers: Sequence[str]) -> None:
    """Check the answers to a block of lines. Raises AssertionError."""
    commands = [parse.split_command(parse.decode_line(line), COMMANDS, UCI_COMMANDS) for line in block]
    due = {
        "readyok": sum(name == "isready" for name, _ in commands),
        "bestmove ": sum(name == "go" and is_search(rest) for name, rest in commands),
    }
    for start, count in due.items():
        assert sum(line.startswith(start) for line in answers) == count, f"{count} times {start} expected"
    for line in answers:
        is_message(line)


def is_search(rest: str) -> bool:
    """Whether a `go` has a bestmove."""
    try:
        return parse.parse_go(rest)[0].perft is None
    except ValueError:
        return False


def run(command: list[str], seed: int, number: int) -> tuple[str, int]:
    """Run a session. Returns what was wrong ("" if nothing) and how many lines were sent."""
    rng, games, count = random.Random(f"{seed} {number}"), make_games(seed), 0
    with UciProcess(command=command) as engine:
        try:
            engine.send("uci")
            options = filter(None, map(OPTION.fullmatch, engine.read_until("uciok")))
            declared = {
                option[1].lower(): (option[2], int(option[3] or 0), int(option[4] or 0)) for option in options
            }
            engine.ask("setoption name Hash value 1")
            for _ in range(BLOCKS):
                lines = (
                    line
                    for line in iter(lambda: a_line(rng, games, declared), None)
                    if not is_forbidden(line)
                )
                block = [line for _ in range(LINES // 2) for line in (next(lines), MARK)] + list(END)
                count += len(block)
                engine.send(*block, b"setoption name end of block")
                answers = engine.read_until("info string setoption: no option named 'end of block'")
                check(block, answers[:-1])
            engine.quit()
        except (AssertionError, ValueError, OSError) as fault:
            return f"{type(fault).__name__}: {fault}"[:2000], count
    return "", count


def main() -> int:
    """Run the trial."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--count", type=int, default=100_000, metavar="LINES")
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--session", type=int, metavar="N", help="run this one of the sessions alone")
    parser.add_argument("--engine", metavar="COMMAND")
    args = parser.parse_args()
    command = shlex.split(args.engine) if args.engine else MODULE
    until = time.monotonic() + args.seconds
    first = args.session or 0
    lines = faults = number = 0
    while (
        lines < args.count
        and faults < MOST_FAULTS
        and time.monotonic() < until
        and not (number and args.session is not None)
    ):
        fault, count = run(command, args.seed, first + number)
        lines += count
        if fault:
            faults += 1
            print(f"--seed {args.seed} --session {first + number}: {fault}", flush=True)
        number += 1
    print(f"{lines} lines in {number} sessions, {faults} faults")
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main())
