# SPDX-License-Identifier: GPL-3.0-or-later
"""The table that all tabs show: the game, what the page's commands do, and a thread for the engine."""

import secrets
import threading
from argparse import Namespace
from collections.abc import Mapping
from typing import Any

import chess
import chess.pgn
from chess.engine import Limit

from ...cli.command import CommandError
from ...coach import judge
from ...coach.analyst import for_engine, lines_of
from ...coach.line import Line
from ...coach.study import LINE_PLIES, score_text
from ...games.time_control import TimeControl
from ...in_process import open_engine
from ...pages.board import legal_moves, positions_after, squares
from ...uci.options import MAX_ELO, MIN_ELO
from .game import Game, Setup
from .kept import Drafts
from .mine import my_games
from .opponent import Opponent
from .report import Report
from .saved import save, save_or_show
from .typed import from_text, read_move

LINES = Limit(time=0.5)  # of the lines next to the board
CLOCKS = {
    f"{base}+{plus}": TimeControl(60 * base, plus) for base, plus in ((3, 2), (5, 3), (10, 5), (15, 10))
}
FULL = "full strength"
WAIT_SECONDS = 1.0  # for a newer state: a browser has six connections to an address, and may have more tabs
STALE = "The game has gone on; the board shows the position now."
WAIT = "It is not your turn."


class Table:
    """The game that all tabs show, and a thread that lets the engine move."""

    def __init__(self, args: Namespace, game: Game, opponent: Opponent, drafts: Drafts) -> None:
        self.args, self.game, self._opponent, self._drafts = args, game, opponent, drafts
        self._failure = -1, ""  # `game.changes`, and why the engine could not move then
        self._saved = -1  # `game.changes` of the last finished game that was written to --pgn
        # closed at the end of the program
        self._analyst = open_engine({"WeightsFile": str(args.weights or "")})
        self._analysing = threading.Lock()
        self._report = Report(args)
        levels = sorted({args.elo or MIN_ELO, MIN_ELO, *range(200, MAX_ELO + 1, 200)})
        self.levels = {**{str(level): level for level in levels}, FULL: None}
        self.clock = f"{args.time.base / 60:g}+{args.time.increment:g}" if args.time.base else "none"
        self.clocks = {"none": TimeControl(time=1), **CLOCKS, self.clock: args.time}
        threading.Thread(target=self._answer, daemon=True).start()

    def _answer(self) -> None:
        """Let the engine move whenever it is to, and keep the game.

        What fails is not tried again in the same position.
        """
        changes = -1
        while True:
            changes = self.game.wait(changes)
            try:
                self.keep()
                if changes != self._failure[0]:
                    self._opponent.answer()
            except Exception as error:  # noqa: BLE001 - the page shows it
                with self.game.changed:
                    if changes == self.game.changes:
                        self._failure = changes + 1, f"{self.game.name} cannot move: {error}"
                        self.game.touch()

    def keep(self) -> None:
        """Keep the game as it is, and write a finished one to --pgn; where that fails, print it."""
        self._drafts.keep()
        with self.game.changed:
            if self.game.ending and self._saved != self.game.changes:
                self._saved = self.game.changes
                if message := save_or_show(self.game, self.args.pgn):
                    print(message, flush=True)

    def state(self, version: int | None = None) -> dict[str, Any]:
        """Return what the page shows, {} if it shows this version already."""
        game = self.game
        with game.changed:
            ending, board = game.ending, game.node.board()
            if game.changes == version:
                return {}
            before = game.node.parent.board() if game.node.parent else board
            number = f"{before.fullmove_number}{'.' if before.turn else '...'}"
            last = f"{number} {before.san(board.peek())}" if board.move_stack else ""
            start = game.tree.board()
            moves = game.tree.accept(chess.pgn.StringExporter(columns=None, headers=False, comments=False))
            is_turn = not ending and board.turn == game.human
            failure = self._failure[1] if self._failure[0] == game.changes else ""
            status = game.outcome() or failure or f"{game.name} is thinking."
            if is_turn:
                status = "Your move, you are in check." if board.is_check() else "Your move."
            return {
                "version": game.changes,
                "fen": board.fen(),
                "fens": [start.fen(), *positions_after(start, game.tree.mainline_moves())],
                "moves": moves.rpartition(" ")[0],
                "legal": legal_moves(board) if is_turn else [],
                "offer": self._drafts.left.offer if self._drafts.left and game.running is None else "",
                "status": f"{last}. {status}" if last else status,
                "trouble": f"Warning: {self._drafts.complaint}." if self._drafts.complaint else "",
                "over": bool(ending),
                "side": chess.COLOR_NAMES[game.human],
                "names": [game.tree.headers["White"], game.tree.headers["Black"]],
                "clocks": [game.clock(chess.WHITE), game.clock(chess.BLACK)] if game.has_clock else None,
                "running": "" if game.running is None else chess.COLOR_NAMES[game.running],
            }

    def handle(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Carry out a command of the page.

        Return what was asked for, a message for the person, and the state unless the page shows it. Raises
        any exception for a request that the page would not send.
        """
        game, answer = self.game, dict[str, Any](message="")
        match request["do"]:
            case "state":
                self.game.wait(request.get("version", -1), WAIT_SECONDS)
                answer = {}
            case "move":
                answer["message"] = self._make(str(request["text"]), request["fen"])
            case "hint" | "threat" | "draw" if game.ending or game.is_engine_to_move:
                answer["message"] = WAIT
            case "hint" | "threat" as what:
                answer = self._advice(what)
            case "draw":
                answer["message"] = "" if self._opponent.offer_draw() else f"{game.name} declines the draw."
            case "undo":
                answer["message"] = "" if game.undo() else "There is no move of yours to take back."
            case "resign":
                game.resign()
            case "resume":
                self._drafts.resume()
            case "discard":
                self._drafts.discard()
            case "rematch":
                answer["message"] = self._rematch()
            case "new":
                answer["message"] = self._new(request)
            case what:
                answer = self._study(what, request)
        self.keep()
        return self.state(request.get("version")) | answer

    def _advice(self, what: str) -> dict[str, Any]:
        """Return a hint or the threat: a message, an arrow for the board and, for a hint, its line."""
        advice = self._opponent.hint() if what == "hint" else self._opponent.threat()
        if not advice:
            return {"message": STALE}
        board, line, words = advice
        if not line:
            return {"message": words}
        arrow = {"move": squares(board, line.moves[0])}
        shown = {"better": arrow, "lines": [_line(board, line)]} if what == "hint" else {"reply": arrow}
        return {"message": words, **shown}

    def _make(self, text: str, fen: str) -> str:
        """Make a move in this position; return why it cannot be made, else ""."""
        game = self.game
        with game.changed:
            board = game.node.board()
            if fen != board.fen():
                return STALE
            if game.ending or game.is_engine_to_move:
                return WAIT
            try:
                game.make(read_move(board, text))
            except ValueError as error:
                return str(error)
        return ""

    def _lines(self, fen: str, ply: int) -> dict[str, Any]:
        """Return the best lines after `ply` half-moves with scores, and White's expected score in percent.

        {} if the game has gone on.
        """
        with self._analysing:
            with self.game.changed:
                if fen != self.game.node.board().fen():
                    return {}
                board = for_engine([self.game.tree, *self.game.tree.mainline()][ply].board())
            infos = self._analyst.analyse(board, LINES, multipv=3)
        return {
            "lines": [_line(board, line) for line in lines_of(infos) if line.moves],
            "win": judge.expected_score(judge.odds(board, infos[0]["score"].white())),
        }

    def _refute(self, fen: str, text: str) -> dict[str, str]:
        """Return the score and the best line after a move in any position."""
        board = chess.Board(fen, chess960=True)
        board.push(read_move(board, text))
        with self._analysing:
            (line,) = lines_of(self._analyst.analyse(board.copy(stack=False), LINES, multipv=1))
        return {"refutation": f"{score_text(line.score)}: {board.variation_san(line.moves[:LINE_PLIES])}"}

    def _new(self, request: Mapping[str, Any]) -> str:
        """Start a game; return why its first position cannot be used, else ""."""
        elo, control = self.levels[request["level"]], self.clocks[request["clock"]]
        colours = {"white": chess.WHITE, "black": chess.BLACK, "random": secrets.choice(chess.COLORS)}
        human, text = colours[request["color"]], str(request["start"]).strip()
        is_960 = self.args.chess960 is not None
        board = chess.Board.from_chess960_pos(secrets.randbelow(960)) if is_960 else chess.Board()
        try:
            if text:
                board = from_text(text, chess960=is_960)
        except CommandError as error:
            return f"{error}."
        return self._begin(Setup(board, human, control, elo))

    def _rematch(self) -> str:
        """After the end, start the game again with the other colour; return why that cannot be, else ""."""
        game = self.game
        with game.changed:
            setup = game.setup._replace(board=game.tree.board(), human=not game.human)
            return self._begin(setup) if game.ending else STALE

    def _begin(self, setup: Setup) -> str:
        """Keep the game, and start another one; return why that cannot be, else ""."""
        with self.game.changed:
            try:
                if self.args.pgn:
                    save(self.game, self.args.pgn)
                self._drafts.finish()
            except CommandError as error:
                return f"The game goes on, because it cannot be saved: {error}."
            self.game.new(setup)
        return ""

    def close(self) -> None:
        """Write the game to the file of --pgn; where that fails, print it. A game in progress stays kept."""
        if message := save_or_show(self.game, self.args.pgn):
            print(message, flush=True)
        self._drafts.close()

    def _study(self, what: str, request: Mapping[str, Any]) -> dict[str, Any]:
        """Return what a command asks: lines, a refutation, the person's games, how far an analysis is."""
        match what:
            case "lines":
                return self._lines(request["fen"], request.get("ply", -1))
            case "refute":
                return self._refute(request["fen"], request["text"])
            case "games":
                return {"games": my_games(self.game, self._drafts)}
            case "analyse":  # the games of `text`, or the one on the board
                try:
                    self._report.begin(str(request["text"]) or self.game.pgn())
                except CommandError as error:
                    return {"message": f"{error}."}
            case "report" | "stop":
                if what == "stop":
                    self._report.stop()
            case _:
                raise ValueError("no such command")
        return self._report.progress()

    def report(self) -> str:
        """Return the page of the last analysis."""
        return self._report.page()


def _line(board: chess.Board, line: Line) -> tuple[str, str, list[str]]:
    """Return a line's score, its moves as text and the positions after them."""
    moves = line.moves[:LINE_PLIES]
    return score_text(line.score), board.variation_san(moves), positions_after(board, moves)
