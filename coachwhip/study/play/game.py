# SPDX-License-Identifier: GPL-3.0-or-later
"""A game between a person and the engine, without a face: it neither prints nor reads.

A `Game` owns its engine. Any thread may call it at any time: what changes the game stops the search for the position before, and a
search waits for the one before it. No call but `answer`, `threat`, `hint` and `offer_draw` waits for the engine.
"""

import re
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from io import BufferedReader, BytesIO, StringIO
from pathlib import Path
from typing import Any, NamedTuple

import chess
import chess.pgn
from chess.engine import Limit, SimpleAnalysisResult, SimpleEngine

from ... import __version__
from ...cli.command import CommandError, in_words, uninterrupted
from ...cli.files import append, naming, write_bytes
from ...cli.outputs import require_kind
from ...coach import verdict
from ...coach.analyst import for_engine, lines_of
from ...coach.claims import Role
from ...coach.line import Line
from ...coach.words import sentence
from ...games.adjudication import DRAW, MATE_SCORE, UNFINISHED, Ending, find_ending, win
from ...games.openings import read_line, read_position
from ...games.pgn import ENGLISH, PgnError, game_text, split_games
from ...games.rules import Rules
from ...games.time_control import TimeControl
from ...text import shorten
from ...uci.parse import parse_position

HINT = Limit(nodes=200_000, time=1)  # of the search of `hint`, at full strength
THREAT = 100  # centipawns that a pass would cost, from which on the other side threatens something
DRAW_FROM = 30  # number of the move from which on the engine accepts a draw
DRAW_SCORE = 20  # centipawns: it does if neither side is ahead by more in the search of `hint`
MOVE = re.compile("[KQRBN]?[a-h]?[1-8]?[-x]?[a-h][1-8](=?[QRBN])?[+#]*|[O0]-[O0](-[O0])?[+#]*", re.IGNORECASE)
PLAYING = {"UCI_AnalyseMode": False}  # with the book, at the chosen strength


def from_text(text: str, *, chess960: bool) -> chess.Board:
    """Return the position of a FEN, of the command `position` of UCI or of a PGN, with its moves. Raises CommandError."""
    words, place = text.split(), "This position"
    if words[0] == "position":
        del words[0]
    if words and words[0].count("/") == 7:
        words.insert(0, "fen")
    if words and words[0] in ("fen", "startpos"):
        try:
            fen, moves = parse_position(" ".join(words))
            board = read_position(place, fen or chess.STARTING_FEN, chess960=chess960).position()
            for move in moves:
                board.push(read_move(board, move))
        except ValueError as error:
            raise CommandError(str(error).rstrip(".")) from error
        read_position(place, board.fen(shredder=board.chess960), chess960=chess960)  # it is not over
        return board
    return from_pgn(BufferedReader(BytesIO(text.encode())), "This PGN", chess960=chess960)


def from_pgn(file: BufferedReader, place: str, *, chess960: bool = False) -> chess.Board:
    """Return the position after the first game of an open PGN file, with its moves.

    Raises CommandError that begins with `place`, OSError.
    """
    try:
        raw = next(split_games(file), None)
    except PgnError as error:
        raise CommandError(f"{place}: {error}") from error
    if raw is None:
        raise CommandError(f"{place}: it contains no game")
    return read_line(place, raw, None, chess960=chess960).position()


class Setup(NamedTuple):
    """How a game starts."""

    board: chess.Board  # its moves belong to the game
    human: chess.Color  # the person's colour
    control: TimeControl  # seconds a move, or a clock for both sides
    elo: int | None = None  # the engine's strength; None: full strength


class Game:
    """A game: its position, clocks and end. `human` is the person's colour.

    `tree` is the game as PGN, `node` its last position and `board` that position with its history; both are replaced, never
    changed, so that another thread may keep them. For `board.san`, which makes the move for a moment, it takes `node.board()`.
    `changes` counts the positions and ends so far. Who needs several calls about one position holds `lock`.
    """

    def __init__(self, engine: SimpleEngine, setup: Setup) -> None:
        """Start a game. Nobody else may use the engine from now on."""
        self._engine, self._setup = engine, setup
        self.lock = threading.RLock()
        self._engine_lock = threading.Lock()  # held during a search; taken before `lock`
        self._search: SimpleAnalysisResult | None = None  # the last one
        self.changes = 0
        self.new()

    @property
    def ending(self) -> Ending | None:
        """How the game ended, None while it goes on. The side to move loses once its time is up, or draws if the other cannot win."""
        with self.lock:
            turn = self.board.turn
            if not self._ending and self.has_clock and not self.clock(turn):
                can_win = not self.board.has_insufficient_material(not turn)
                self._end(Ending(win(not turn) if can_win else DRAW, "time forfeit"))
            return self._ending

    def outcome(self) -> str:
        """Return how the game ended, in words for the person; "" while it goes on."""
        if not (ending := self.ending):
            return ""
        who = {DRAW: "A draw", win(self.human): "You win"}.get(ending.result, "You lose")
        return f"{who} by {ending.reason}: {ending.result}"

    @property
    def is_engine_to_move(self) -> bool:
        """Whether the game goes on and `answer` is due."""
        return not self.ending and self.board.turn != self.human

    def clock(self, colour: chess.Color) -> float:
        """Return the seconds that a side has left, 0 without a clock."""
        with self.lock:
            return max(0.0, self._left[colour] - (time.monotonic() - self._since if colour == self.running else 0))

    @property
    def running(self) -> chess.Color | None:
        """Whose clock runs: neither side's before the person's first move, or after the end."""
        return self.board.turn if self._has_begun and not self._ending else None

    def make(self, move: chess.Move) -> bool:
        """Make a legal move of the side to move; return False if the game is over, as when the time is up."""
        with self.lock:
            if self.ending:
                return False
            turn, left = self.board.turn, self.clock(self.board.turn) + self._control.increment
            self._has_begun |= turn == self.human
            node = self.node.add_variation(move)
            if self.has_clock:
                node.set_clock(left)
            self._go_to(node, {turn: left, not turn: self._left[not turn]})
            return True

    def answer(self) -> str | None:
        """Let the engine think and move; return its move in SAN, None if the game changes or ends meanwhile. Waits for it.

        Raises EngineTerminatedError if the engine is closed.
        """
        with self._engine_lock:
            with self.lock:
                if not self.is_engine_to_move:
                    return None
                changes, limit = self.changes, Limit(time=self._control.time)
                if self.has_clock:
                    white, black, increment = self.clock(chess.WHITE), self.clock(chess.BLACK), self._control.increment
                    limit = Limit(white_clock=white, black_clock=black, white_inc=increment, black_inc=increment)
                board = for_engine(self.board)
                search = self._search = self._engine.analysis(board, limit, game=self.tree, options=self._options)
            move = search.wait().move
            with self.lock:
                board = self.node.board()
                return board.san(move) if move and changes == self.changes and self.make(move) else None

    def threat(self) -> tuple[chess.Board, Line | None, str] | None:
        """Return the position after a pass, what the other side threatens there, and words for it; no line if that is nothing.

        None if it is not the person's turn, or no longer. Waits for searches.
        """
        changes, board = self.changes, self.node.board()
        passed, side = _passed(board), chess.COLOR_NAMES[not board.turn].capitalize()
        if board.is_check():
            return passed, None, "You are in check."
        search = partial(self._lines, changes)
        best, threats = search(board, 1), search(passed, 1)
        if not best or not threats or changes != self.changes:
            return None
        gain = threats[0].score.score(mate_score=MATE_SCORE) - best[0].score.score(mate_score=MATE_SCORE)
        if (gain if passed.turn else -gain) < THREAT:
            return passed, None, f"{side} threatens nothing."
        claim = verdict.about(passed, threats[0], None)
        why = sentence(claim, passed) if claim else ""
        words = f"{side} threatens {passed.variation_san(threats[0].moves[:1]).replace('. ', '.')}. {why}".rstrip()
        return passed, threats[0], words

    def hint(self) -> tuple[chess.Board, Line, str] | None:
        """Return the position, the best line at full strength, and a sentence with the move and why it is good, if that is sure.

        None if it is not the person's turn, or no longer. Waits for searches.
        """
        changes, board = self.changes, self.node.board()
        search = partial(self._lines, changes)
        if not (lines := search(board, 1)):
            return None
        (best,), threats = lines, () if board.is_check() else search(_passed(board), 1)
        claim = verdict.about(board, best, threats[0] if threats else None)
        why, move = sentence(claim, board) if claim else "", f"Perhaps {board.san(best.moves[0])}."
        words = f"{why} {move}" if claim and claim.role is Role.THREATENS else f"{move} {why}".strip()
        return (board, best, words) if changes == self.changes else None

    def _lines(self, changes: int, board: chess.Board, count: int) -> tuple[Line, ...]:
        """Return the best lines of a board, their scores from White's side; none if the game has changed, or it is not the person's turn."""
        with self._engine_lock:
            with self.lock:
                if changes != self.changes or self.ending or self.is_engine_to_move:
                    return ()
                # In no game, so the engine forgets it before the next move.
                search = self._search = self._engine.analysis(for_engine(board), HINT, multipv=count)
            search.wait()
        lines = lines_of(search.multipv)
        return lines if changes == self.changes and lines and lines[0].moves else ()

    def undo(self) -> bool:
        """Take back an end that no move made, else the person's last move, with the clocks of then; the game goes on.

        Return False if there is no such move.
        """
        with self.lock:
            node: chess.pgn.GameNode | None = self.node
            if not self.ending or find_ending(self.board, (), Rules()):
                node = self.node.parent
                while node and node.turn() != self.human:
                    node = node.parent
            if not node:
                return False
            node.variations.clear()
            self._return_to(node)
            return True

    def _return_to(self, node: chess.pgn.GameNode) -> None:
        """Go to a position of the tree, with the clocks of then."""
        times = {not node.turn(): node.clock(), node.turn(): node.parent.clock() if node.parent else None}
        self._go_to(node, {side: self._control.base if left is None else left for side, left in times.items()})

    def new(self, setup: Setup | None = None) -> None:
        """Start another game, or the same one again."""
        with self.lock:
            self._setup = setup or self._setup
            self.human, self._control, elo = self._setup[1:]
            self.name = "coachwhip" + (f" ({elo})" if elo else "")
            self.has_clock, self._has_begun = bool(self._control.base), False
            self._entries: dict[Path, tuple[int, int, str]] = {}  # where it stands in files, and its text there
            self._options = PLAYING | ({"UCI_LimitStrength": True, "UCI_Elo": elo} if elo else {})
            self.tree = chess.pgn.Game.from_board(self._setup.board)
            players = {self.human: "Human", not self.human: f"{self.name}, version {__version__}"}
            headers = {"Event": "coachwhip play", "Date": time.strftime("%Y.%m.%d"), "Round": "-"}
            headers |= {"TimeControl": str(self._control)} if self.has_clock else {}
            self.tree.headers.update(headers, White=players[chess.WHITE], Black=players[chess.BLACK])
            self._go_to(self.tree.end(), dict.fromkeys(chess.COLORS, self._control.base))

    def to_json(self) -> dict[str, Any] | None:
        """Return the game in progress as plain data, for `resume`; None without a move, or after the end."""
        with self.lock:
            if self.ending or not self.tree.variations:
                return None
            entries = {str(path): entry for path, entry in self._entries.items()}
            return {"pgn": self.pgn(), "human": self.human, "control": self._control, "elo": self._setup.elo, "entries": entries}

    def resume(self, data: Mapping[str, Any]) -> None:
        """Go on with a game that `to_json` has returned; its clocks wait for the person."""
        kept = chess.pgn.read_game(StringIO(data["pgn"]))
        if kept is None:
            raise ValueError("it contains no game")
        with self.lock:
            self.new(Setup(kept.end().board(), data["human"], TimeControl(*data["control"]), data["elo"]))
            self._entries = {Path(path): tuple(entry) for path, entry in data["entries"].items()}
            self.tree = kept
            self._return_to(kept.end())

    def resign(self) -> None:
        """Resign for the person, unless the game is over."""
        with self.lock:
            if not self.ending:
                self._end(Ending(win(not self.human), "resignation"))

    def offer_draw(self) -> bool:
        """Offer a draw on the person's turn; return whether the engine accepts, which ends the game. Waits for a search."""
        changes = self.changes
        lines = self._lines(changes, self.board, 1) if self.board.fullmove_number >= DRAW_FROM else ()
        with self.lock:
            if (
                not lines
                or changes != self.changes
                or self.ending
                or abs(lines[0].score.score(mate_score=MATE_SCORE)) > DRAW_SCORE
            ):
                return False
            self._end(Ending(DRAW, "agreement"))
            return True

    def pgn(self) -> str:
        """Return the game so far as PGN, with its result and how it ended."""
        with self.lock:
            result, how = self.ending or (UNFINISHED, "unterminated")
            self.tree.headers.update(Result=result, Termination=how)
            return game_text(self.tree).strip()

    def save(self, path: Path) -> str:
        """Write the game so far to the end of a file, in place of what it has written there before; return a message. Raises CommandError."""
        with uninterrupted(), self.lock:
            if not self.tree.variations:
                return "There is no move to save."
            message, text = f"Saved in {path}.", self.pgn()
            start, end, old = self._entries.get(path, (0, 0, ""))
            if old == text:
                return message
            try:
                require_kind(path, "PGN")
                size = path.stat().st_size if path.is_file() else 0
                is_last = start < end == size
                start = start if is_last else size
                entry = ("\n\n" * bool(start) + text + "\n").encode()  # the last line before it may have no end
                if is_last:
                    write_bytes(path, path.read_bytes()[:start] + entry)
                else:
                    with naming(path), path.open("ab", 0) as file:
                        append(file, entry)
            except OSError as error:
                raise CommandError(in_words(error)) from error
            self._entries[path] = start, start + len(entry), text
        return message

    def _go_to(self, node: chess.pgn.GameNode, left: dict[chess.Color, float], ending: Ending | None = None) -> None:
        """Set the position, how the game ended there, and the clocks; let that of the side to move run."""
        if self._search:
            self._search.stop()
        self.node, self.board, self._left = node, node.board(), left
        self._since = time.monotonic()
        self._ending = ending or find_ending(self.board, (), Rules())
        self.changes += 1

    def _end(self, ending: Ending) -> None:
        """End the game, and stop the clock."""
        self._go_to(self.node, {side: self.clock(side) for side in chess.COLORS}, ending)


def _passed(board: chess.Board) -> chess.Board:
    """Return the board, which has no check, with the other side to move."""
    passed = board.copy(stack=False)
    passed.push(chess.Move.null())
    passed.clear_stack()
    return passed


def save_or_show(game: Game, path: Path | None) -> str:
    """Save a game if there is a file for it; return a message, with the game in it if writing failed."""
    try:
        return game.save(path) if path else ""
    except CommandError as error:
        return f"{error}. This is the game:\n\n{game.pgn()}"


def read_move(board: chess.Board, text: str) -> chess.Move:
    """Return the legal move of a text in SAN or UCI, in small or capital letters or with figurines, blanks or not.

    Raises ValueError, which says why there is none.
    """
    text = re.sub("^P(?=[a-h])|(?<=[a-h][1-8])-", "", "".join(text.split()).translate(ENGLISH))
    for spelling in (text, text.capitalize(), text.lower(), text.upper()):
        for read in (board.parse_san, board.parse_uci):
            with suppress(ValueError):
                if move := read(spelling):  # python-chess reads null moves
                    return move
    alike = sorted(san for san in map(board.san, board.legal_moves) if _short(san) == _short(text))
    if len(alike) > 1:
        raise ValueError(f"{shorten(text)} is ambiguous: write {' or '.join(alike)}.")
    if MOVE.fullmatch(text):
        raise ValueError(f"{shorten(text)} is not legal here.")
    raise ValueError(f"{shorten(text)} is not a move I can read, such as Nf3, exd5, O-O or e2e4.")


def _short(san: str) -> str:
    """Return a move in small letters, without what tells it from others to the same square."""
    return re.sub(r"(?<=^[kqrbn])[a-h]?[1-8]?x?(?=[a-h][1-8])|=?[qrbn]?[+#]*$", "", san.lower())
