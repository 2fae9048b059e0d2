# SPDX-License-Identifier: GPL-3.0-or-later
"""Judges what an engine answers to blocks of lines, valid or not: a model of the session that knows position and options.

Answers come in two kinds. What the engine answers while it reads (`readyok`, unknown commands, faults in a `go`) may stand
anywhere; all else comes in the order of the commands, since they are queued behind a search. A block ends with `stop` and
`isready`, so that nothing is left to come behind it.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import chess
import uci_grammar as grammar
from played import Graph, Key, expanded
from uci_search_judge import Fault, SearchJudge

SPIN = re.compile(r"option name (.+?) type (spin|check|string|button)(?: default (\S+))?(?: min (-?\d+) max (-?\d+))?")
START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
DIAGRAM_LINES = 23
LONGEST_MESSAGE = 500  # characters of an `info string`
LONGEST_VALUE = 200  # characters of a value in a message
COUNTED = re.compile("([a-h][1-8][a-h][1-8][nbrq]?): ([0-9]+)")
IN_ORDER = frozenset(("position", "setoption", "d", "eval", "perft", "go", "bench"))
MOST_OF_PERFT = 30  # moves at the root, of a perft to depth 2 that is counted again


@dataclass(slots=True)
class Declared:
    """An option as the answer to `uci` declares it, and its present value as messages show it; None: not known."""

    name: str
    kind: str
    minimum: int
    maximum: int
    shown: str | None


@dataclass(slots=True)
class Task:
    """A command that is answered in order. A search must be silent about its move before part `released` of the block."""

    line: grammar.Line
    go: grammar.Go | None = None
    released: int = 0


@dataclass
class Expected:
    """What a block must be answered with: tasks in order, and how often each thing that may stand anywhere."""

    tasks: list[Task] = field(default_factory=list)
    anywhere: Counter[str] = field(default_factory=Counter)
    _held: list[Task] = field(default_factory=list)

    def take(self, line: grammar.Line, part: int) -> None:
        """Take in one line of the block's part."""
        name = line.command
        if name == "go":
            self._take_go(line, part)
        elif name == "perft":
            go = grammar.read_go(f"perft {line.rest}")
            self._add_perft(line, go)
        elif name in IN_ORDER:
            self.tasks.append(Task(line))
        elif name == "?":
            self.anywhere["unknown"] += 1
        elif name in ("uci", "help", "compiler"):
            self.anywhere[name] += 1
        elif name == "stop":
            self._release(part)
        elif name == "ponderhit":
            self._ponderhit(part)

    def _take_go(self, line: grammar.Line, part: int) -> None:
        go = grammar.read_go(line.rest)
        if go.perft is not None or go.bad_perft:
            self.anywhere["go"] += bool(go.faults and not go.bad_perft)
            self._add_perft(line, go)
            return
        self.anywhere["go"] += bool(go.faults)
        self._release(part)
        task = Task(line, go, part)
        if go.infinite or go.ponder:
            self._held.append(task)
        self.tasks.append(task)

    def _add_perft(self, line: grammar.Line, go: grammar.Go) -> None:
        if go.bad_perft:
            self.anywhere["perft"] += 1
        else:
            self.tasks.append(Task(grammar.Line("perft", line.rest), go))

    def _release(self, part: int) -> None:
        for task in self._held:
            task.released = part
        self._held.clear()

    def _ponderhit(self, part: int) -> None:
        for task in self._held[:]:
            assert task.go
            if not task.go.infinite:
                task.released = part
                self._held.remove(task)


class Judge:
    """The session's state, and whether the engine's answers fit it. `good_files`: values of options of the kind string that work."""

    def __init__(self, graph: Graph, fixed: dict[str, list[str]], good_files: dict[str, set[str]], searches: SearchJudge) -> None:
        self._graph = graph
        self._good_files = good_files
        self._searches = searches
        self.tally: Counter[str] = searches.tally
        self.fixed = {line: name for name, lines in fixed.items() for line in lines}
        self._sizes = {name: len(lines) for name, lines in fixed.items()}
        self.options = {option.name.lower(): option for option in declared(fixed["uci"])}
        self.game = graph.play(START, [])  # None: accepted, but what it is only the answer to `d` will tell
        self.refused = False
        self._sent = ""  # the FEN that was accepted unseen
        self._keys: dict[Key, str] = {}
        self._of_key: dict[str, Key] = {}
        self._stream: list[tuple[int, str]] = []
        self._place = 0

    # What a line will do

    def shown(self, name: str) -> str:
        """An option's present value, "?" if it is not known."""
        return self.options[name.lower()].shown or "?"

    def accepts_option(self, rest: str) -> bool | None:
        """Whether a `setoption` is accepted; None if only the engine can tell."""
        parsed = grammar.read_setoption(rest)
        if parsed is None or parsed[0] not in self.options:
            return False
        option, value = self.options[parsed[0]], parsed[1]
        if option.kind == "button":
            return True
        if value is None:
            return False
        if option.kind == "check":
            return value.lower() in ("true", "false")
        if option.kind == "string":
            return True if value in ("", "<empty>") or value in self._good_files[option.name] else None
        number = grammar.read_number(value)
        return number is not None and option.minimum <= number <= option.maximum

    def accepts_position(self, rest: str, known_fens: frozenset[str]) -> bool | None:
        """Whether a `position` is accepted; None if only the engine can tell."""
        parsed = grammar.read_position(rest)
        if parsed is None:
            return False
        fen, moves = parsed
        if fen and fen not in known_fens:
            return None
        return self._graph.play(self._as_read(fen or START), moves) is not None

    def _as_read(self, fen: str) -> str:
        """The FEN with the castling rights that the present mode allows."""
        fields = fen.split()
        if self.shown("UCI_Chess960") == "false":
            fields[2:3] = [chess.Board(fen).castling_xfen() for _ in fields[2:3]]
        return " ".join(fields)

    # What was answered

    def judge(self, parts: Sequence[bytes], lines: Sequence[str], bounds: Sequence[int], known_fens: frozenset[str]) -> None:
        """Compare the answers to a block. `bounds`: how many lines had come when each part was answered. Raises Fault."""
        expected = Expected()
        for number, part in enumerate(parts):
            for raw in grammar.lines_of(part):
                expected.take(grammar.read(raw), number)
        self._sort(lines, expected.anywhere)
        self._place = 0
        for number, task in enumerate(expected.tasks):
            try:
                self._judge_task(task, bounds, known_fens)
            except Fault as fault:
                said = f"{task.line.command} {task.line.rest[:200]}"
                raise Fault(f"{fault} (answer {number} of {len(expected.tasks)}, to {said!r})") from None
        if self._place < len(self._stream):
            raise Fault(f"unasked: {self._stream[self._place][1]!r}")

    def _sort(self, lines: Sequence[str], expected: Counter[str]) -> None:
        """Take out what may stand anywhere, and count it."""
        found: Counter[str] = Counter()
        self._stream = []
        fixed = self.fixed
        for index, line in enumerate(lines):
            if line == "readyok":
                continue
            if line.startswith("info string "):
                if not line.isprintable() or len(line) > LONGEST_MESSAGE:
                    raise Fault(f"a message that is too long or not printable: {line[:600]!r}")
                if line.startswith("info string internal error"):
                    raise Fault(line)
                kind = message_kind(line)
                if kind:
                    found[kind] += 1
                    continue
            elif line in fixed:
                found[fixed[line]] += 1
                continue
            self._stream.append((index, line))
        for name in {*found, *expected}:
            wanted = expected[name] * self._sizes.get(name, 1)
            if found[name] != wanted:
                raise Fault(f"{found[name]} lines of the kind '{name}' instead of {wanted}")

    def _peek(self) -> str:
        return self._stream[self._place][1] if self._place < len(self._stream) else ""

    def _take(self, count: int = 1) -> list[str]:
        taken = [line for _, line in self._stream[self._place : self._place + count]]
        if len(taken) < count:
            raise Fault(f"{count - len(taken)} lines are missing at the end, after {taken[-3:]}")
        self._place += count
        return taken

    def _judge_task(self, task: Task, bounds: Sequence[int], known_fens: frozenset[str]) -> None:
        name, rest = task.line.command, task.line.rest
        if name == "position":
            self._judge_position(rest, known_fens)
        elif name == "setoption":
            self._judge_option(rest)
        elif name == "d":
            self._judge_diagram()
        elif name == "go":
            self._judge_go(task, bounds)
        elif name == "perft":
            assert task.go
            self._judge_perft(task.go.perft or 0)
        elif name == "eval":
            self._skip_to("Evaluation ")
        else:
            self._judge_bench()

    def _skip_to(self, start: str) -> None:
        while not self._take()[0].startswith(start):
            pass

    def _judge_bench(self) -> None:
        """One line, which may complain of wrong words; none if it was stopped before it began."""
        if re.fullmatch(r"\d+ nodes \d+ nps", self._peek()):
            self._take()
            self.tally["benches"] += 1
        elif self._peek().startswith("info string bench: "):
            self._take()
            self.tally["benches refused"] += 1

    def _judge_position(self, rest: str, known_fens: frozenset[str]) -> None:
        accepts = self.accepts_position(rest, known_fens)
        refused = accepts is False or (accepts is None and self._peek().startswith("info string position"))
        if refused and not self._take()[0].startswith("info string position"):
            raise Fault(f"position {rest[:200]}: accepted")
        self.tally["positions refused" if refused else "positions"] += 1
        self.refused = refused
        if refused:
            return
        parsed = grammar.read_position(rest)
        assert parsed
        fen, moves = parsed
        if accepts is None:
            self.game, self._sent = None, "" if moves else fen
            return
        self.game = self._graph.play(self._as_read(fen or START), moves)
        assert self.game

    def _judge_option(self, rest: str) -> None:
        accepts = self.accepts_option(rest)
        parsed = grammar.read_setoption(rest)
        option = self.options.get(parsed[0]) if parsed else None
        value = parsed[1] if parsed else None
        refused = accepts is False
        if accepts is None and option:  # the question that follows has another answer
            line = self._peek()
            refused = line.startswith(f"info string setoption: {option.name}: ") and "the value is missing" not in line
        self.tally["options refused" if refused else "options"] += 1
        if refused:
            (line,) = self._take()
            about = f"info string setoption: {option.name}: " if option else "info string setoption: "
            kept = f"keeping {shortened(option.shown or '')}" if option else ""
            if not (line.startswith(about) and line.endswith(kept)):
                raise Fault(f"setoption {rest[:200]}: not refused with '{about}... {kept}' but {line}")
        elif option and option.kind != "button":
            assert value is not None
            option.shown = self._as_shown(option, value)
            if option.name == "SyzygyPath" and option.shown != "<empty>" and not self._take()[0].startswith("info string Syzygy"):
                raise Fault("SyzygyPath: nothing was told about the tables")

    @staticmethod
    def _as_shown(option: Declared, value: str) -> str:
        if option.kind == "check":
            return value.lower()
        if option.kind == "spin":
            return str(int(value))
        return value or "<empty>"

    def _judge_diagram(self) -> None:
        lines = self._take(DIAGRAM_LINES)
        fen, key, check = lines[20].removeprefix("Fen: "), lines[21].removeprefix("Key: "), lines[22]
        chess960 = self.shown("UCI_Chess960") == "true"
        if self.game is None:
            self.game = self._graph.game(fen)
            if self.game is None:
                raise Fault(f"a position that python-chess does not take: {fen}")
            if self._sent and expanded(self._sent.split()[0]) != expanded(fen.split(" ")[0]):
                raise Fault(f"the position {self._sent} became {fen}")
        game = self.game
        if fen != game.fen(chess960):
            raise Fault(f"Fen: {fen} instead of {game.fen(chess960)}")
        drawn = [line[3::4][:8] for line in lines[2:17:2]]
        if drawn != game.node.diagram():
            raise Fault(f"the board is drawn as {drawn}, but it is {fen}")
        if check != f"In check: {'yes' if game.node.in_check else 'no'}":
            raise Fault(f"{check}, in {fen}")
        if self._keys.setdefault(game.node.key, key) != key or self._of_key.setdefault(key, game.node.key) != game.node.key:
            raise Fault(f"Key: {key} of {fen} is not what it was, or that of another position")
        self.tally["diagrams"] += 1

    def _judge_perft(self, depth: int) -> None:
        counts: dict[str, int] = {}
        while match := COUNTED.fullmatch(self._peek()):
            counts[match[1]] = int(match[2])
            self._take()
        if self._peek() == "info string perft stopped":
            self._take()
            return
        lines = self._take(4)
        total = sum(counts.values()) if depth else 1
        if lines[:3] != ["", f"Nodes searched: {total}", ""] or not lines[3].startswith("info string perft took "):
            raise Fault(f"perft {depth}: {lines}")
        self.tally["perft"] += 1
        if self.game is None or depth not in (1, 2):
            return
        node, chess960 = self.game.node, self.shown("UCI_Chess960") == "true"
        steps = [step for move in node.moves() if (step := node.step(move))]
        if {step.written(chess960) for step in steps} != set(counts):
            raise Fault(f"perft {depth}: other moves than python-chess has in {self.game.fen(True)}")
        if depth == 2 and len(steps) <= MOST_OF_PERFT:
            wanted = {step.written(chess960): len(step.after.moves()) for step in steps}
            if wanted != counts:
                raise Fault(f"perft 2: other counts than python-chess has in {self.game.fen(True)}: {wanted}")

    def _judge_go(self, task: Task, bounds: Sequence[int]) -> None:
        assert task.go
        lines: list[str] = []
        while not self._peek().startswith("bestmove"):
            lines += self._take()
        index, best = self._stream[self._place]
        self._place += 1
        self.tally["searches"] += 1
        if self.refused:
            if len(lines) != 1 or not lines[0].startswith("info string no move, since the ") or best != "bestmove 0000":
                raise Fault(f"after a refused position: {lines} {best}")
            return
        options = {option.name: option.shown for option in self.options.values()}
        ends_at_once = self.game is not None and not self.game.node.any_move()
        if not ends_at_once and self.game is not None and task.released and index < bounds[task.released - 1]:
            raise Fault(f"go {task.line.rest}: {best} came before it was allowed to")
        self._searches.judge(self.game, task.go, options, lines, best)


def declared(lines: Sequence[str]) -> list[Declared]:
    """The options in the answer to `uci`."""
    found = [match for line in lines if (match := SPIN.fullmatch(line))]
    return [Declared(each[1], each[2], int(each[4] or 0), int(each[5] or 0), each[3]) for each in found]


def message_kind(line: str) -> str:
    """What an `info string` that may stand anywhere is about; "" for one that is an answer in order."""
    text = line[12:]
    if text.startswith("Unknown command: '"):
        return "unknown"
    if text.startswith("go: ignored "):
        return "go"
    return "perft" if text.startswith("perft: expected a depth") else ""


def shortened(text: str) -> str:
    """A value as a message shows it."""
    kept = "".join(char if char.isprintable() else "?" for char in text[:LONGEST_VALUE])
    return f"{kept}..." if len(text) > LONGEST_VALUE else kept
