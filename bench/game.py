# SPDX-License-Identifier: GPL-3.0-or-later
"""One game between two UCI engines, judged by python-chess: who moves, who is out of time, when it is over.

An engine's clock runs from the moment `go` is written to the moment `bestmove` is read. An engine that exceeds it, sends an
illegal move or dies loses that game, and the game is kept with the reason.
"""

import asyncio
import contextlib
import logging
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import TimeoutError as FutureTimeoutError
from dataclasses import dataclass, field
from typing import NamedTuple

import chess
import chess.engine
import chess.pgn

GRACE = 10.0  # seconds past the end of its clock after which a silent engine is given up
START_TIMEOUT = 30.0  # seconds an engine has to answer `uci` and `isready`
FAIR_OPTIONS = {"Threads": "1", "OwnBook": "false"}  # set wherever the engine has them, unless the user says otherwise
MATE_SCORE = 100_000  # what a mate counts in centipawns where scores are compared

logging.getLogger("chess.engine").setLevel(logging.ERROR)  # it warns about every banner an engine prints


class StartError(Exception):
    """An engine that cannot be used at all; the message is for the user."""


class Forfeit(Exception):
    """The engine to move loses the game: `reason` is TIME_LOSS, ILLEGAL_MOVE or CRASH, `detail` says what happened."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason = reason
        self.detail = detail


TIME_LOSS = "time loss"
ILLEGAL_MOVE = "illegal move"
CRASH = "crash"
INTERRUPTED = "interrupted"
TERMINATIONS = {TIME_LOSS: "time forfeit", ILLEGAL_MOVE: "rules infraction", CRASH: "abandoned", INTERRUPTED: "unterminated"}


class TimeControl(NamedTuple):
    """A sudden-death clock: seconds for the game, and seconds added after each move."""

    base: float
    increment: float

    def __str__(self) -> str:
        return f"{self.base:g}+{self.increment:g}"


@dataclass(frozen=True)
class Player:
    """An engine as the user gave it."""

    name: str  # "" to use the name it gives itself
    command: tuple[str, ...]
    options: Mapping[str, str] = field(default_factory=dict)


class Rules(NamedTuple):
    """Adjudication on scores that both engines report, in centipawns; a count of 0 moves switches a rule off."""

    margin: float = 0.0  # seconds an engine may exceed its clock
    resign_moves: int = 0  # so many moves of each side ...
    resign_score: int = 0  # ... with at least this score for the same side
    draw_from: int = 0  # from this move number on, ...
    draw_moves: int = 0  # ... so many moves of each side ...
    draw_score: int = 0  # ... with at most this score for either side


class MoveRecord(NamedTuple):
    """A move as it was played: `score` is from White's side and None if the engine gave none."""

    move: chess.Move
    seconds: float
    clock: float  # what was left after the move, increment included
    score: chess.engine.Score | None
    depth: int | None


@dataclass(frozen=True)
class GameRecord:
    """A game from its opening to its end."""

    fen: str
    chess960: bool
    white: str
    black: str
    moves: tuple[MoveRecord, ...]
    result: str  # 1-0, 0-1, 1/2-1/2, or * when interrupted
    reason: str
    detail: str = ""  # what exactly was wrong, where an engine forfeited

    def pgn(self, headers: Mapping[str, str]) -> str:
        """The game as PGN, with `[%eval]`, `[%emt]` and `[%clk]` comments."""
        board = chess.Board(self.fen, chess960=self.chess960)
        game = chess.pgn.Game()
        game.setup(board)
        game.headers.update(headers)
        game.headers.update({"White": self.white, "Black": self.black, "Result": self.result})
        game.headers["Termination"] = TERMINATIONS.get(self.reason, "normal")
        node: chess.pgn.GameNode = game
        for record in self.moves:
            node = node.add_main_variation(record.move)
            if record.score is not None:
                node.set_eval(chess.engine.PovScore(record.score, chess.WHITE), record.depth)
            node.set_emt(record.seconds)
            node.set_clock(max(0.0, record.clock))
        node.comment = " ".join(part for part in (node.comment, self.reason, self.detail) if part)
        return str(game) + "\n\n"


class _TimedUci(chess.engine.UciProtocol):
    """The protocol with a stopwatch on `go` and `bestmove`."""

    went = 0.0
    moved = 0.0

    def send_line(self, line: str) -> None:
        """Send, and note when a search starts."""
        super().send_line(line)
        if line.startswith("go"):
            self.went = time.perf_counter()

    def line_received(self, line: str) -> None:
        """Note when a search ends; called before the line is read."""
        if line.startswith("bestmove"):
            self.moved = time.perf_counter()


class Seat:
    """A player's engine process: started when first needed, and again after it was given up."""

    def __init__(self, player: Player) -> None:
        self.player = player
        self.name = player.name
        self._engine: chess.engine.SimpleEngine | None = None

    def prepare(self, *, chess960: bool = False) -> None:
        """Have a process that answers. Raises StartError."""
        try:
            if self._engine is None:
                self._engine = self._start()
            if chess960 and "UCI_Chess960" not in self._engine.options:
                raise StartError(f"{self.name} has no option UCI_Chess960, which this opening needs")
            self._engine.ping()
        except (OSError, TimeoutError, asyncio.TimeoutError, chess.engine.EngineError) as error:
            self.close()
            command = " ".join(self.player.command)
            raise StartError(f"cannot use {command!r} as an engine: {str(error) or 'no answer'}") from error

    def _start(self) -> chess.engine.SimpleEngine:
        """Start the process, in its own group so that Ctrl-C reaches the runner alone, and set its options."""
        command = list(self.player.command)
        engine = chess.engine.SimpleEngine.popen(_TimedUci, command, timeout=START_TIMEOUT, setpgrp=True)
        self.name = self.player.name or engine.id.get("name", command[0])
        wanted = {**FAIR_OPTIONS, **self.player.options}
        engine.configure({name: value for name, value in wanted.items() if name in engine.options})
        return engine

    def unknown_options(self) -> list[str]:
        """The names in the player's options that its engine does not have."""
        return [name for name in self.player.options if self._engine is None or name not in self._engine.options]

    def play(
        self, board: chess.Board, limit: chess.engine.Limit, *, game: object, budget: float
    ) -> tuple[chess.engine.PlayResult, float]:
        """The engine's reply and the seconds it took, at most about `budget` plus GRACE. Raises Forfeit and gives the process up."""
        engine = self._engine
        if engine is None:
            raise Forfeit(CRASH, "no process")
        protocol = engine.protocol
        assert isinstance(protocol, _TimedUci)
        info = chess.engine.INFO_BASIC | chess.engine.INFO_SCORE
        try:
            pending = asyncio.run_coroutine_threadsafe(protocol.play(board, limit, game=game, info=info), protocol.loop)
            reply = pending.result(budget + GRACE)
            if not reply.move or not board.is_legal(reply.move):
                raise Forfeit(ILLEGAL_MOVE, str(reply.move))
        except (TimeoutError, FutureTimeoutError) as error:
            self.close()
            raise Forfeit(TIME_LOSS, f"no answer {GRACE:g} s after its time was up") from error
        except RuntimeError as error:  # an EngineError, or that of an event loop which ended with its process
            self.close()
            illegal = isinstance(error, chess.engine.EngineError) and not isinstance(error, chess.engine.EngineTerminatedError)
            raise Forfeit(ILLEGAL_MOVE if illegal else CRASH, str(error)) from error
        return reply, protocol.moved - protocol.went

    def close(self) -> None:
        """End the process, whatever it does; it may be called from any thread."""
        engine, self._engine = self._engine, None
        if engine is not None:
            with contextlib.suppress(Exception):
                engine.close()


class Interruption:
    """Set once, from any thread, to end every running game as interrupted."""

    def __init__(self) -> None:
        self.is_set = False


def play_game(
    white: Seat,
    black: Seat,
    fen: str,
    clock: TimeControl,
    rules: Rules,
    *,
    chess960: bool = False,
    stop: Interruption | None = None,
) -> GameRecord:
    """Play one game from `fen` to its end. Raises StartError if an engine cannot be used at all."""
    white.prepare(chess960=chess960)
    black.prepare(chess960=chess960)
    board = chess.Board(fen, chess960=chess960)
    seats = {chess.WHITE: white, chess.BLACK: black}
    left = {chess.WHITE: clock.base, chess.BLACK: clock.base}
    moves: list[MoveRecord] = []
    game = object()
    detail = ""
    ending = _ending(board, moves, rules)
    while ending is None:
        mover = board.turn
        limit = chess.engine.Limit(
            white_clock=left[chess.WHITE], black_clock=left[chess.BLACK], white_inc=clock.increment, black_inc=clock.increment
        )
        try:
            reply, seconds = seats[mover].play(board, limit, game=game, budget=left[mover] + rules.margin)
            if seconds > left[mover] + rules.margin:
                raise Forfeit(TIME_LOSS, f"{seconds:.3f} s used, {left[mover]:.3f} s left")
        except Forfeit as forfeit:
            ending, detail = (_win(not mover), forfeit.reason), forfeit.detail
            break
        assert reply.move is not None
        left[mover] = max(0.0, left[mover] - seconds) + clock.increment
        score = reply.info.get("score")
        record = MoveRecord(reply.move, seconds, left[mover], score.white() if score else None, reply.info.get("depth"))
        moves.append(record)
        board.push(reply.move)
        ending = _ending(board, moves, rules)
    if stop is not None and stop.is_set:
        ending = "*", INTERRUPTED
    return GameRecord(fen, chess960, white.name, black.name, tuple(moves), *ending, detail)


def _win(colour: chess.Color) -> str:
    """The result in which `colour` won."""
    return "1-0" if colour == chess.WHITE else "0-1"


def _ending(board: chess.Board, moves: Sequence[MoveRecord], rules: Rules) -> tuple[str, str] | None:
    """Result and reason if the game is over; fifty moves and threefold repetition end it without a claim."""
    if board.is_checkmate():
        return _win(not board.turn), "checkmate"
    if board.is_stalemate():
        return "1/2-1/2", "stalemate"
    if board.is_insufficient_material():
        return "1/2-1/2", "insufficient material"
    if board.halfmove_clock >= 100:
        return "1/2-1/2", "fifty moves"
    if board.is_repetition(3):
        return "1/2-1/2", "threefold repetition"
    return _adjudicate(board.fullmove_number, moves, rules)


def _adjudicate(move_number: int, moves: Sequence[MoveRecord], rules: Rules) -> tuple[str, str] | None:
    """Result and reason where both engines have agreed on the score for long enough."""
    if rules.resign_moves and (scores := _last_scores(moves, rules.resign_moves)):
        if min(scores) >= rules.resign_score:
            return "1-0", "adjudicated win"
        if max(scores) <= -rules.resign_score:
            return "0-1", "adjudicated win"
    if rules.draw_moves and move_number >= rules.draw_from:
        scores = _last_scores(moves, rules.draw_moves)
        if scores and max(abs(score) for score in scores) <= rules.draw_score:
            return "1/2-1/2", "adjudicated draw"
    return None


def _last_scores(moves: Sequence[MoveRecord], count: int) -> list[int]:
    """White's score in centipawns of the last `count` moves of each side; empty if there are fewer, or one had no score."""
    recent = [record.score.score(mate_score=MATE_SCORE) for record in moves[-2 * count :] if record.score is not None]
    return recent if len(recent) == 2 * count else []
