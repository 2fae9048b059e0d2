# SPDX-License-Identifier: GPL-3.0-or-later
"""`coachwhip match`: games between two UCI engines, and what they say about the rating difference.

Every opening is played twice with colours reversed. This module schedules, counts and reports; a single game is
`bench.game`, the statistics are `bench.elo`.
"""

import argparse
import datetime
import os
import queue
import random
import shlex
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import chess

from .command import CommandError, assignment, execute, whole_number
from .elo import estimate
from .game import (
    CRASH,
    ILLEGAL_MOVE,
    TIME_LOSS,
    GameRecord,
    Interruption,
    Player,
    Rules,
    Seat,
    StartError,
    TimeControl,
    play_game,
)

POINTS = {"1-0": 1.0, "1/2-1/2": 0.5, "0-1": 0.0}  # White's
FAULTS = (TIME_LOSS, ILLEGAL_MOVE, CRASH)
SWITCH_INTERVAL = 0.0005  # seconds; Python's default would let one game delay the other's clock by 5 ms


class Opening(NamedTuple):
    """A starting position; castling is written as king takes rook if `chess960`."""

    fen: str
    chess960: bool


class Pairing(NamedTuple):
    """One game to play: the opening, and which player (0 or 1) has White."""

    number: int  # from 0; games 2k and 2k + 1 form a pair
    opening: Opening
    white: int


def read_openings(path: Path, *, chess960: bool = False) -> list[Opening]:
    """The positions of an EPD or FEN file, one a line. Raises CommandError that names a bad line, OSError."""
    openings = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        fields = line.split(";")[0].split()
        if not fields or fields[0].startswith("#"):
            continue
        counters = fields[4:6] if all(counter.isdigit() for counter in fields[4:6]) else []
        shredder = chess960 or (len(fields) > 2 and not set(fields[2]) <= set("KQkq-"))
        try:
            board = chess.Board(" ".join(fields[:4] + counters), chess960=shredder)
        except ValueError as error:
            raise CommandError(f"{path.name}:{number}: {error}") from error
        if not board.is_valid() or not any(board.legal_moves):
            raise CommandError(f"{path.name}:{number}: not a position that can be played: {line.strip()[:100]}")
        openings.append(Opening(board.fen(shredder=shredder), shredder))
    if not openings:
        raise CommandError(f"{path.name}: no position in it")
    return openings


def schedule(openings: Sequence[Opening], games: int, seed: int) -> list[Pairing]:
    """Games in pairs with colours reversed, over the openings in an order that `seed` alone decides, reused when they run out."""
    order = list(openings)
    random.Random(seed).shuffle(order)
    return [Pairing(number, order[number // 2 % len(order)], number % 2) for number in range(games)]


@dataclass
class Tally:
    """Results from the first player's side, and the faults of each."""

    points: dict[int, float] = field(default_factory=dict)  # by game number
    faults: dict[tuple[int, str], int] = field(default_factory=dict)  # (player, fault): how often

    def add(self, pairing: Pairing, record: GameRecord) -> None:
        """Count a finished game."""
        white_points = POINTS[record.result]
        self.points[pairing.number] = white_points if pairing.white == 0 else 1 - white_points
        if record.reason in FAULTS:
            loser = pairing.white if white_points == 0 else 1 - pairing.white
            self.faults[loser, record.reason] = self.faults.get((loser, record.reason), 0) + 1

    def games(self) -> tuple[int, int, int]:
        """Wins, draws and losses of the first player."""
        points = list(self.points.values())
        return points.count(1.0), points.count(0.5), points.count(0.0)

    def pairs(self) -> tuple[int, int, int, int, int]:
        """How many finished pairs gave the first player 0, 1/2, 1, 3/2 and 2 points."""
        halves = [0] * 5
        for number, points in self.points.items():
            if number % 2 == 0 and number + 1 in self.points:
                halves[round(2 * (points + self.points[number + 1]))] += 1
        return halves[0], halves[1], halves[2], halves[3], halves[4]

    def report(self, names: Sequence[str]) -> str:
        """The summary for a person, several lines."""
        wins, draws, losses = self.games()
        total = wins + draws + losses
        if total == 0:
            return "no game finished"
        share = (wins + draws / 2) / total
        lines = [f"{names[0]} against {names[1]}: {total} games, +{wins} ={draws} -{losses}, {100 * share:.1f} %"]
        pairs = self.pairs()
        paired = 2 * sum(pairs) == total
        found = estimate(pairs if paired else (losses, draws, wins))
        source = f"pairs {pairs}" if paired else "single games"
        interval = f"{found.elo:+.1f} +/- {found.error:.1f} [{found.low:+.1f}, {found.high:+.1f}]"
        lines.append(f"Elo {interval} (95 %, from {source}), LOS {100 * found.los:.1f} %")
        for player, name in enumerate(names):
            counts = ", ".join(f"{fault} {self.faults.get((player, fault), 0)}" for fault in FAULTS)
            lines.append(f"{name}: {counts}")
        return "\n".join(lines)


class Match:
    """A schedule being played by several pairs of engine processes at once."""

    def __init__(self, players: Sequence[Player], pairings: Sequence[Pairing], clock: TimeControl, rules: Rules) -> None:
        self.players = players
        self.clock = clock
        self.rules = rules
        self.names = [player.name for player in players]
        self.tally = Tally()
        self._pairings = pairings
        self._stop = Interruption()
        self._waiting: queue.SimpleQueue[Pairing] = queue.SimpleQueue()
        self._done: queue.SimpleQueue[tuple[Pairing, GameRecord] | Exception] = queue.SimpleQueue()
        self._seats: list[Seat] = []

    def check(self) -> list[str]:
        """Start each engine once. Returns warnings about options that one does not have. Raises StartError."""
        warnings = []
        for index, player in enumerate(self.players):
            seat = Seat(player)
            try:
                seat.prepare()
                self.names[index] = seat.name
                warnings += [f"{seat.name} has no option {name}" for name in seat.unknown_options()]
            finally:
                seat.close()
        if self.names[0] == self.names[1]:
            self.names = [f"{name} ({number})" for number, name in enumerate(self.names, start=1)]
        return warnings

    def run(self, concurrency: int, on_game: Callable[[Pairing, GameRecord], None]) -> None:
        """Play everything, calling `on_game` in this thread as games finish; Ctrl-C keeps those. Raises StartError."""
        for pairing in self._pairings:
            self._waiting.put(pairing)
        sys.setswitchinterval(SWITCH_INTERVAL)
        slots = [threading.Thread(target=self._slot, daemon=True) for _ in range(min(concurrency, len(self._pairings)))]
        for slot in slots:
            slot.start()
        try:
            for _ in self._pairings:
                done = self._done.get()
                if isinstance(done, Exception):
                    raise done
                self.tally.add(*done)
                on_game(*done)
        finally:
            self._stop.is_set = True
            for seat in list(self._seats):
                seat.close()  # a game still running ends at once, as interrupted
            for slot in slots:
                slot.join()

    def _slot(self) -> None:
        """Play waiting games with one process per player, until there are none."""
        seats = [
            Seat(Player(name, player.command, player.options)) for name, player in zip(self.names, self.players, strict=True)
        ]
        self._seats += seats
        try:
            while not self._stop.is_set:
                pairing = self._waiting.get_nowait()
                white, black = seats[pairing.white], seats[1 - pairing.white]
                fen, chess960 = pairing.opening
                record = play_game(white, black, fen, self.clock, self.rules, chess960=chess960, stop=self._stop)
                if record.result != "*":
                    self._done.put((pairing, record))
        except queue.Empty:
            pass
        except Exception as error:  # noqa: BLE001 (handed to the thread that waits)
            self._done.put(error)
        finally:
            for seat in seats:
                seat.close()


def time_control(text: str) -> TimeControl:
    """Read `5+0.05` or `5`, seconds, as argparse's `type`."""
    try:
        base, _, increment = text.partition("+")
        clock = TimeControl(float(base), float(increment or 0))
    except ValueError:
        clock = TimeControl(0, 0)
    if not (0 < clock.base < 1e6 and 0 <= clock.increment < 1e6):
        raise argparse.ArgumentTypeError(f"expected SECONDS or SECONDS+INCREMENT, not {text!r}")
    return clock


def numbers(count: int) -> Callable[[str], tuple[int, ...]]:
    """Reader of `count` whole numbers with commas between them, as argparse's `type`."""

    def read(text: str) -> tuple[int, ...]:
        fields = tuple(whole_number(0, MAX_RULE)(part) for part in text.split(","))
        if len(fields) != count:
            raise argparse.ArgumentTypeError(f"expected {count} numbers with commas between them, not {text!r}")
        return fields

    return read


MAX_RULE = 100_000  # largest move count or score of an adjudication rule


def main(argv: Sequence[str]) -> int:
    """The subcommand. Games go by on stderr, the summary is printed on stdout."""
    parser = argparse.ArgumentParser(prog="coachwhip match", description="Play games between two UCI engines.")
    add = parser.add_argument
    add("--engine", action="append", required=True, metavar="COMMAND", help="command line of an engine; give it twice")
    add("--name", action="append", default=[], help="name of the first engine, then of the second (default: its own)")
    add("--games", type=whole_number(1, 10**7), default=100, help="number of games (default 100)")
    add("--tc", type=time_control, default=TimeControl(5, 0.05), metavar="BASE+INC", help="seconds (default 5+0.05)")
    add("--openings", type=Path, metavar="FILE", help="EPD or FEN file (default: the start position)")
    add("--chess960", action="store_true", help="play Chess960 whatever the openings look like")
    add("--seed", type=whole_number(0, 2**63 - 1), default=1, help="decides the order of the openings (default 1)")
    add("--concurrency", type=whole_number(1, 1024), default=1, metavar="N", help="games at a time (default 1)")
    add("--pgn", type=Path, metavar="FILE", help="append every finished game")
    add("--option", type=assignment, action="append", default=[], metavar="NAME=VALUE", help="UCI option of both engines")
    add("--option1", type=assignment, action="append", default=[], metavar="NAME=VALUE", help="of the first one alone")
    add("--option2", type=assignment, action="append", default=[], metavar="NAME=VALUE", help="of the second one alone")
    add("--margin", type=whole_number(0, 60_000), default=0, metavar="MS", help="time an engine may exceed its clock (default 0)")
    add("--resign", type=numbers(2), default=(0, 0), metavar="MOVES,CP", help="both agree on a win for MOVES moves: it is one")
    add("--draw", type=numbers(3), default=(0, 0, 0), metavar="FROM,MOVES,CP", help="likewise a draw, from move FROM on")
    return execute(parser, argv, _match)


def _match(args: argparse.Namespace) -> int:
    """Run with the parsed arguments."""
    if len(args.engine) != 2 or len(args.name) > 2:
        raise CommandError("give --engine exactly twice, and --name at most twice")
    openings = [Opening(chess.STARTING_FEN, args.chess960)]
    try:
        if args.openings:
            openings = read_openings(args.openings, chess960=args.chess960)
        if args.pgn:
            args.pgn.open("a", encoding="utf-8").close()
    except (OSError, UnicodeDecodeError) as error:
        raise CommandError(str(error)) from error
    rules = Rules(args.margin / 1000, *args.resign, *args.draw)
    match = Match(_players(args), schedule(openings, args.games, args.seed), args.tc, rules)
    try:
        for warning in match.check():
            print(f"warning: {warning}", file=sys.stderr)
        match.run(args.concurrency, lambda pairing, record: _finished(match, args.pgn, pairing, record))
    except StartError as error:
        raise CommandError(str(error)) from error
    except KeyboardInterrupt:
        print("interrupted; what was finished counts", file=sys.stderr)
    print(match.tally.report(match.names))
    return 0


def _players(args: argparse.Namespace) -> list[Player]:
    """The two players of the command line."""
    names = [*args.name, "", ""]
    own = (args.option1, args.option2)
    commands = [tuple(shlex.split(command, posix=os.name != "nt")) for command in args.engine]
    if not all(commands):
        raise CommandError("--engine needs a command")
    return [Player(names[index], command, dict(args.option + own[index])) for index, command in enumerate(commands)]


def _finished(match: Match, pgn: Path | None, pairing: Pairing, record: GameRecord) -> None:
    """Report and store one game."""
    wins, draws, losses = match.tally.games()
    players = f"{record.white} - {record.black}"
    reason = f"{record.reason}: {record.detail}" if record.detail else record.reason
    print(
        f"game {pairing.number + 1}: {players} {record.result} ({reason})  +{wins} ={draws} -{losses}",
        file=sys.stderr,
        flush=True,
    )
    if pgn is not None:
        with pgn.open("a", encoding="utf-8") as file:
            file.write(record.pgn(_headers(match.clock, pairing)))


def _headers(clock: TimeControl, pairing: Pairing) -> Mapping[str, str]:
    """PGN headers that the schedule knows."""
    today = datetime.datetime.now(tz=datetime.timezone.utc).strftime("%Y.%m.%d")
    return {"Event": "coachwhip match", "Date": today, "Round": str(pairing.number // 2 + 1), "TimeControl": str(clock)}
