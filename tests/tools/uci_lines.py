# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes a fuzzer's sessions: blocks of valid and damaged lines, with searches or mostly without, by chance from a seed."""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import oracle
import uci_grammar as grammar
from places import DATA
from played import Game, Graph
from uci_judge import START, Judge
from uci_mutations import ODD_NUMBERS, mutate

CHEAP_LINES, SEARCH_LINES = 250, 40  # about so many in a block
MOST_HASH, MOST_THREADS = 16, 4
LONG_PLIES = 10_000
STRANGE_ENDS = (b"\r\n", b"\r", b" \n", b"\t\n", b"\n\n", b"\0\n")
BENCHES = frozenset(("1", "2", "x", "0", "1 2 3", "--hash", "1 --set no=1"))  # bench runs to its end, so no others
SYSTEM_FOLDERS = ("/", "\\", "..", ":")
FILES = {"SyzygyPath": "syzygy", "BookFile": "own.bin", "WeightsFile": "frozen_weights.py", "Debug Log File": "log.txt"}
BAD_FENS = (
    "blah", "8/8/8/8/8/8/8/8 w - - 0 1", "4k3/8/8/8/8/8/8/4RK2 w - - 0 1", "4k3/8/8/8/8/8/8/P3K3 w - - 0 1",
    "rnbq1bnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1", "rnbqkbnr/pppppppp/9/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1",
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR x - - 0 1", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkqZ - 0 1",
)  # fmt: skip
THREE_MEN = ("8/8/8/4k3/8/8/3Q4/3K4 w - - 0 1", "8/8/3k4/8/8/3K4/3P4/8 b - - 0 1", "8/8/3k4/8/8/3K4/3R4/8 w - - 90 80")
ENDS = (
    (b"quit\n", True), (b"stop\nquit\n", True), (b"go infinite\nquit\n", True), (b"go ponder wtime 9 btime 9\nquit\nisready\n", True),
    (b"go movetime 600000\nquit\n", True), (b"go depth 2\ngo nodes 9\nquit", True), (b"", False), (b"go infinite\n", False),
    (b"go ponder\n", False), (b"go nodes 500\n", False), (b"go depth 1", False), (b"go mate 1\nposition startp", False),
)  # fmt: skip


@dataclass(frozen=True)
class Part:
    """Bytes to send, their last line `isready`, and how many seconds to wait after its answer."""

    data: bytes
    pause: float = 0.0


@dataclass
class Pool:
    """What lines are made of: FENs that the engine takes, and games as (FEN or "", moves)."""

    fens: list[str] = field(default_factory=list)
    games: list[tuple[str, list[str]]] = field(default_factory=list)
    known: frozenset[str] = frozenset()


def make_pool(seed: int, games: int, plies: int) -> Pool:
    """Games of all kinds of chess, one of them endless, and the FENs of the tests' own positions; the same for the same seed."""
    rng = random.Random(f"pool {seed}")
    pool = Pool()
    for path in sorted((DATA / "perft").glob("*.epd")):
        lines = path.read_text(encoding="utf-8").splitlines()
        pool.fens += [line.split(";")[0].strip() for line in rng.sample(lines, min(len(lines), 40))]
    mates = (DATA / "suites" / "mates.epd").read_text(encoding="utf-8").splitlines()
    pool.fens += [" ".join(line.split(" ")[:4]) for line in mates] + list(THREE_MEN)
    for number in range(games):
        board = oracle.start_board(oracle.KINDS[number % 3], rng)
        fen = "" if number % 3 == 0 else oracle.fen_of(board)
        pool.games.append((fen, [move.uci() for move in oracle.play(board, rng, number % 2 == 0, plies)]))
    shuffles = [f"{a}{b} {c}{d} {b}{a} {d}{c}" for a, b in (("g1", "f3"), ("b1", "c3")) for c, d in (("g8", "f6"), ("b8", "c6"))]
    endless = " ".join(rng.choice(shuffles) for _ in range(LONG_PLIES // 4)).split(" ")
    pool.games.append(("", endless))
    pool.known = frozenset(pool.fens) | {fen for fen, _ in pool.games if fen}
    return pool


def copy_files(folder: Path) -> dict[str, set[str]]:
    """Put the files that options can name into the engine's folder; returns the values that work for each option."""
    for name in ("syzygy", "books/own.bin", "frozen_weights.py"):
        source = DATA / name
        for each in source.iterdir() if source.is_dir() else [source]:
            place = folder / (Path(source.name) / each.name if source.is_dir() else each.name)
            place.parent.mkdir(exist_ok=True)
            place.write_bytes(each.read_bytes())
    return {option: {value} for option, value in FILES.items()}


class Script:
    """Writes the blocks of one session."""

    def __init__(self, rng: random.Random, pool: Pool, graph: Graph, judge: Judge) -> None:
        self._rng = rng
        self._pool = pool
        self._graph = graph
        self._judge = judge
        self._options = list(judge.options.values())
        self._spins = [option for option in self._options if option.kind == "spin"]
        self._checks = [option for option in self._options if option.kind == "check"]
        self._fen, self._moves = "", [""]
        self._whole: list[str] = []
        self._game: Game | None = None
        self._new_game()
        self._searches = False  # whether damaged lines are to begin many
        self.mutated = 0

    # Single lines, without their ends

    def _new_game(self) -> None:
        rng = self._rng
        if rng.random() < 0.25:
            self._fen, self._whole = rng.choice(self._pool.fens), []
        else:
            index = rng.randrange(len(self._pool.games) - 1)
            self._fen, self._whole = self._pool.games[index]
        self._moves = self._whole[: rng.randrange(len(self._whole) + 1)] if rng.random() < 0.8 else []

    def position(self) -> str:
        """The present game, some moves further or back, or another one."""
        rng = self._rng
        chance = rng.random()
        if chance < 0.3:
            self._new_game()
        elif chance < 0.35:
            self._moves = self._moves[: rng.randrange(len(self._moves) + 1)]
        else:
            self._moves = self._whole[: len(self._moves) + rng.randrange(1, 4)]
        self._game = None
        return self._position_line(self._moves)

    def _position_line(self, moves: list[str]) -> str:
        start = f"position fen {self._fen}" if self._fen else "position startpos"
        return f"{start} moves {' '.join(moves)}" if moves else start

    def refused_position(self) -> str:
        """A position that is wrong in one place."""
        rng = self._rng
        if rng.random() < 0.3:
            return f"position fen {rng.choice(BAD_FENS)}"
        moves = self._moves.copy()
        place = rng.randrange(len(moves) + 1)
        moves[place : place + rng.randrange(2)] = [rng.choice(("0000", "e2e5", "a1a1", "e7e8q", "e1g1", "xyzzy", "e1h1"))]
        return self._position_line(moves)

    def endless_position(self) -> str:
        """A game of thousands of moves."""
        fen, moves = self._pool.games[-1]
        self._fen, self._whole = fen, moves
        self._moves = moves[: self._rng.choice((1_000, 5_000, 9_999, 10_000))]
        return self._position_line(self._moves)

    def option(self) -> str:
        """An option with a value that it takes."""
        rng = self._rng
        chance = rng.random()
        if chance < 0.5:
            option = rng.choice(self._checks)
            value = rng.choice(("true", "false", "true", "false", "TRUE", "False"))
        elif chance < 0.98:
            option = rng.choice(self._spins)
            value = str(rng.randint(option.minimum, min(option.maximum, self._most(option.name))))
        else:
            option = rng.choice([each for each in self._options if each.kind in ("string", "button")])
            if option.kind == "button":
                return f"setoption name {option.name}"
            value = rng.choice((FILES[option.name], "<empty>"))
        name = option.name if rng.random() < 0.9 else option.name.upper()
        return f"setoption name {name} value {value}"

    @staticmethod
    def _most(name: str) -> int:
        return {"Hash": 4, "Threads": MOST_THREADS, "MultiPV": 8}.get(name, 10**9)

    def refused_option(self) -> str:
        """An option with a value that it does not take, or that is none."""
        rng = self._rng
        option = rng.choice(self._options)
        value = rng.choice(ODD_NUMBERS)
        if option.kind == "string":
            return self._question(option.name)
        line = f"setoption name {option.name}{rng.choice(('', 'x'))} value {rng.choice(('', 'maybe', value, '-' + value))}"
        return self._question(option.name) if self._is_forbidden(grammar.read(line.encode())) else line

    @staticmethod
    def _question(name: str) -> str:
        """What makes the engine tell an option's value: it is missing."""
        return f"setoption name {name}"

    def odd(self) -> str:
        """A command that changes nothing, at the wrong moment, or none."""
        return self._rng.choice(ODD)

    def go(self) -> str:
        """A short search, or one that a stop must end."""
        rng = self._rng
        words = ["go"]
        if rng.random() < 0.15:
            words.append(rng.choice(("infinite", "ponder")))
        words += [
            rng.choice(GO_FIELDS).format(rng.randrange(1, 7), rng.randrange(1, 3_000), rng.randrange(1, 30))
            for _ in range(rng.choice((1, 1, 1, 2, 3)))
        ]
        if rng.random() < 0.15:
            words.append(f"searchmoves {' '.join(self._some_moves())}")
        return " ".join(words)

    def _some_moves(self) -> list[str]:
        rng = self._rng
        if self._game is None:
            self._game = self._graph.play(self._fen or START, self._moves)
        moves = sorted(self._game.node.moves()) if self._game else []
        chosen = rng.sample(moves, min(len(moves), rng.randrange(1, 5)))
        return [*chosen, *rng.sample(("0000", "e2e5", "garbage"), rng.choice((0, 0, 0, 1)))]

    # Damaged lines

    def damaged(self) -> bytes:
        """A damaged line with its end, and the question what it did if only the engine can tell; b"" if it had better not be sent."""
        rng = self._rng
        if rng.random() < 0.35:
            start: str = rng.choice((self.position, self.option, self._fen_alone, self.go)[: 3 + self._searches])()
        else:
            start = rng.choice(TEMPLATES if self._searches else QUIET)
        data = mutate(start.encode(), OTHERS, rng) + (b"\n" if rng.random() < 0.9 else rng.choice(STRANGE_ENDS))
        if data.endswith(b"\r"):
            data += b"\n"
        lines = [grammar.read(raw) for raw in grammar.lines_of(data)]
        asked = ""
        for line in lines:
            if asked or self._is_forbidden(line):
                return b""
            asked = self._asked(line)
        self.mutated += 1
        return data + asked.encode()

    def _fen_alone(self) -> str:
        return f"position fen {self._rng.choice(self._pool.fens)}"

    def _asked(self, line: grammar.Line) -> str:
        """The question what a line has done, if nobody but the engine can know."""
        if line.command == "position" and self._judge.accepts_position(line.rest, self._pool.known) is None:
            return "d\n"
        if line.command == "setoption" and self._judge.accepts_option(line.rest) is None:
            parsed = grammar.read_setoption(line.rest)
            assert parsed
            return f"{self._question(parsed[0])}\n"
        return ""

    def _is_forbidden(self, line: grammar.Line) -> bool:
        """Whether a line would end the session, take long, take much memory, or write somewhere."""
        if line.command == "quit":
            return True
        if line.command == "bench":
            return True
        if line.command != "setoption" or self._judge.accepts_option(line.rest) is False:
            return False
        parsed = grammar.read_setoption(line.rest)
        assert parsed
        name, value = parsed
        if name in ("hash", "threads"):
            return int(value or 0) > (MOST_HASH if name == "hash" else MOST_THREADS)
        return name == "debug log file" and any(part in (value or "") for part in SYSTEM_FOLDERS)

    # Blocks

    def cheap_block(self) -> list[Part]:
        """Many lines, few of which begin a search."""
        kinds = self._rng.choices(list(self._kinds(CHEAP)), weights=list(CHEAP.values()), k=CHEAP_LINES)
        return [Part(b"".join(self._line(kind) for kind in kinds) + b"stop\nisready\n")]

    def search_block(self) -> list[Part]:
        """Storms of searches and of commands while they run."""
        self._searches = True
        rng = self._rng
        kinds = list(self._kinds(SEARCH))
        parts, lines = [], []
        for kind in rng.choices(kinds, weights=list(SEARCH.values()), k=rng.randrange(5, 2 * SEARCH_LINES)):
            lines.append(self._line(kind))
            if rng.random() < 0.02:  # let it search, and answer while it does
                lines.append(f"go {rng.choice(('infinite', 'ponder wtime 60 btime 60 winc 5', 'ponder depth 3'))}\n".encode())
                parts.append(Part(b"".join(lines) + b"isready\n", rng.choice((0, 0.001, 0.01, 0.03))))
                lines = [rng.choice((b"stop\n", b"stop\nstop\n", b"ponderhit\n", b"go depth 2\n", b"ucinewgame\n", b""))]
        parts.append(Part(b"".join(lines) + b"stop\nisready\n"))
        return parts

    def _kinds(self, table: dict[str, int]) -> Iterator[Callable[[], str | bytes]]:
        for name in table:
            yield getattr(self, name)

    def _line(self, kind: Callable[[], str | bytes]) -> bytes:
        line = kind()
        return line if isinstance(line, bytes) else line.encode() + b"\n"

    def diagram(self) -> str:
        """The question where the pieces stand."""
        return "d"

    def quick_go(self) -> str:
        """A search of a moment."""
        rng = self._rng
        return rng.choice(("go depth 1", "go nodes 1", "perft 1", "go perft 1", "go depth 2", "go movetime 1"))

    def talk(self) -> str:
        """A command with a long answer."""
        return self._rng.choice(
            ("uci", "help", "compiler", "eval", "eval", "perft 2", f"bench {self._rng.choice(('x', '0', '1 2 3'))}")
        )

    def slow(self) -> str:
        """What takes long: an endless game, a bench."""
        return self.endless_position() if self._rng.random() < 0.8 else f"bench {self._rng.choice(('1', '2'))}"

    def new_game(self) -> str:
        """Forget everything."""
        return "ucinewgame"


CHEAP = {
    "damaged": 400, "position": 150, "refused_position": 60, "option": 60, "refused_option": 100, "odd": 180, "diagram": 25,
    "quick_go": 5, "talk": 3, "endless_position": 1, "new_game": 9,
}  # fmt: skip
SEARCH = {
    "damaged": 250, "position": 180, "refused_position": 20, "option": 120, "refused_option": 40, "odd": 140, "diagram": 20,
    "go": 200, "quick_go": 40, "talk": 8, "slow": 1, "new_game": 10,
}  # fmt: skip
GO_FIELDS = (
    "depth {0}", "depth {0}", "nodes {1}", "nodes {1}", "movetime {2}", "wtime {1} btime {1} winc {2} binc {2}", "mate {0}",
    "wtime {2} btime {2} movestogo {0}", "wtime 0", "btime 50", "wtime -{1}", "",
)  # fmt: skip
ODD = (
    *("stop", "ponderhit", "isready", "debug on", "debug off", "register later", "", "   ", "# a comment", "joho debug on"),
    *("xyzzy", "UCI", "position", "setoption", "hello isready world", "quit!", "perft", "perft x", "stop stop", "go perft"),
)
TEMPLATES = (
    *("uci", "debug on", "isready", "setoption name Hash value 4", "setoption name Threads value 2", "register name x code y"),
    *("setoption name UCI_Chess960 value true", "setoption name MultiPV value 3", "setoption name Clear Hash", "ucinewgame"),
    *("setoption name SyzygyPath value syzygy", "setoption name OwnBook value true", "setoption name BookFile value own.bin"),
    *("setoption name WeightsFile value frozen_weights.py", "setoption name Debug Log File value log.txt", "stop", "ponderhit"),
    *("setoption name UCI_LimitStrength value true", "setoption name UCI_Elo value 700", "setoption name Move Overhead value 10"),
    *("position startpos", "position startpos moves e2e4 e7e5 g1f3", "position fen 8/8/8/4k3/8/8/3Q4/3K4 w - - 0 1 moves d2d3"),
    *("position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "go depth 2", "go nodes 50", "go movetime 5"),
    *("position fen bqnbnrkr/pppppppp/8/8/8/8/PPPPPPPP/BQNBNRKR w HFhf - 0 1 moves g1h1", "go infinite", "go ponder wtime 90"),
    *("position fen nrkbbqrn/pppppppp/8/8/8/8/PPPPPPPP/NRKBBQRN w GBgb - 0 1", "go depth 3 searchmoves e2e4 d2d4", "go perft 2"),
    *("go wtime 100 btime 100 winc 1 binc 1 movestogo 3", "go mate 2", "d", "eval", "perft 2", "help", "compiler", "quit"),
)
QUIET = tuple(line for line in TEMPLATES if not line.startswith("go ") or "depth 3" in line)
OTHERS = tuple(line.encode() for line in TEMPLATES)
