# SPDX-License-Identifier: GPL-3.0-or-later
"""The game in a browser: an HTTP server for the person at this computer, and nobody else.

The page's script, `play.js`, knows no rules of chess: it asks for the game again and again, gets each new position with its legal moves,
and sends what the person does, all as JSON. The printed address lets one browser in, once, and gives it a key, which its script sends
with each request. Without the key, under another host name or from the page of another site, every request is rejected, except for the
page without a game. There is no cookie: browsers send cookies to every server of this computer, whatever its port.
"""

import json
import os
import secrets
import sys
import tempfile
import threading
import time
import webbrowser
from argparse import Namespace
from collections.abc import Mapping
from contextlib import suppress
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import StringIO
from pathlib import Path
from typing import Any

import chess
import chess.pgn
from chess.engine import Limit

from ...cli.command import CommandError, in_words, warn
from ...coach import judge
from ...coach.analyst import Analyst, lines_of
from ...coach.line import Line
from ...coach.study import LINE_PLIES, AnalysedGame, score_text
from ...games.time_control import TimeControl
from ...in_process import open_engine
from ...pages import board_page
from ...pages.board import BOARDS, PLAYER_LINES, html_page, legal_moves, positions_after, squares
from ...pages.frame import document
from ...uci.options import MAX_ELO, MIN_ELO
from .game import Game, Setup, from_text, read_move, save_or_show
from .kept import KeptGame, LeftGame, data_folder, left_game

ADDRESS = "127.0.0.1"
MAX_REQUEST = 1 << 18  # bytes; a pasted game is the longest
LINES, ANALYSIS = Limit(time=0.5), Limit(nodes=100_000)  # of the lines next to the board; of each position for the report
CLOCKS = {f"{base}+{plus}": TimeControl(60 * base, plus) for base, plus in ((3, 2), (5, 3), (10, 5), (15, 10))}
LEVELS = {
    400: "knows the rules, overlooks pieces",
    1200: "casual player",
    2000: "club player",
    MAX_ELO: "master",
}  # up to this Elo
POLL_SECONDS = 0.05
FULL = "full strength"
BUTTONS = {"undo": "Take back", "hint": "Hint", "threat": "Show the threat", "draw": "Offer draw", "resign": "Resign"}
NO_ENTRY = "Open the address that coachwhip has printed; it works once, so if it has been used, start coachwhip again."
STALE = "The game has gone on; the board shows the position now."
WAIT = "It is not your turn."
HEADERS = {  # of every answer; the rest of a page's policy is in the page, see `document`
    "Content-Security-Policy": "frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
}


class SharedGame:
    """The game that all tabs show, and a thread that lets the engine move."""

    def __init__(self, args: Namespace, game: Game, kept: KeptGame | None = None, left: LeftGame | None = None) -> None:
        """`kept`: the file for the game in progress. `left`: a game that another program has left, which is offered."""
        self.args, self.game = args, game
        self._kept, self._left, self._changes_kept = kept, left, -1
        self._keeping = threading.Lock()
        self._failures: dict[int, str] = {}  # why the engine could not move, by `game.changes`
        self._analyst = open_engine({"WeightsFile": str(args.weights or "")})  # closed at the end of the program
        self._analysing = threading.Lock()
        self._report = "", ""  # the last analysed game, and its page
        levels = sorted({args.elo or MIN_ELO, MIN_ELO, *range(200, MAX_ELO + 1, 200)})
        self.levels = {**{str(level): level for level in levels}, FULL: None}
        self.clock = f"{args.time.base / 60:g}+{args.time.increment:g}" if args.time.base else "none"
        self.clocks = {"none": TimeControl(time=1), **CLOCKS, self.clock: args.time}
        threading.Thread(target=self._answer, daemon=True).start()

    def _answer(self) -> None:
        """Let the engine move whenever it is to, and save the game when it ends; what fails is not tried again."""
        saved = -1
        while True:
            time.sleep(POLL_SECONDS)
            changes = self.game.changes
            try:
                self.keep()
                if self.game.ending and saved != changes:
                    saved = changes
                    self.save()
                if changes not in self._failures:
                    self.game.answer()
            except Exception as error:  # noqa: BLE001 - the page shows it
                self._failures[changes] = f"{self.game.name} cannot move: {error}"

    def state(self, version: int | None = None) -> dict[str, Any]:
        """Return what the page shows, {} if it shows this version already."""
        game = self.game
        with game.lock:
            ending = game.ending  # which may change the game
            now, board = game.changes + len(self._failures) + (not self._left), game.node.board()
            if now == version:
                return {}
            before = game.node.parent.board() if game.node.parent else board
            number = f"{before.fullmove_number}{'.' if before.turn else '...'}"
            last = f"{number} {before.san(board.peek())}" if board.move_stack else ""
            start = game.tree.board()
            moves = game.tree.accept(chess.pgn.StringExporter(columns=None, headers=False, comments=False))
            is_turn = not ending and board.turn == game.human
            status = game.outcome() or self._failures.get(game.changes) or f"{game.name} is thinking."
            if is_turn:
                status = "Your move, you are in check." if board.is_check() else "Your move."
            return {
                "version": now,
                "fen": board.fen(),
                "fens": [start.fen(), *positions_after(start, game.tree.mainline_moves())],
                "moves": moves.rpartition(" ")[0],
                "legal": legal_moves(board) if is_turn else [],
                "offer": self._offer() if game.running is None else "",
                "status": f"{last}. {status}" if last else status,
                "over": bool(ending),
                "side": chess.COLOR_NAMES[game.human],
                "names": [game.tree.headers["White"], game.tree.headers["Black"]],
                "clocks": [game.clock(chess.WHITE), game.clock(chess.BLACK)] if game.has_clock else None,
                "running": "" if game.running is None else chess.COLOR_NAMES[game.running],
            }

    def handle(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Carry out a command of the page; return what was asked for, a message for the person, and the state unless the page shows it.

        Raises any exception for a request that the page would not send.
        """
        game, answer = self.game, dict[str, Any](message="")
        match request["do"]:
            case "state":
                answer = {}
            case "move":
                answer["message"] = self._make(str(request["text"]), request["fen"])
            case "hint" | "threat" | "draw" if game.ending or game.is_engine_to_move:
                answer["message"] = WAIT
            case "hint" | "threat" as what:
                answer = self._advice(what)
            case "lines":
                answer = self._lines(request["fen"])
            case "draw":
                answer["message"] = "" if game.offer_draw() else f"{game.name} declines the draw."
            case "undo":
                answer["message"] = "" if game.undo() else "There is no move of yours to take back."
            case "resign":
                game.resign()
            case "resume" | "discard" as what:
                self._settle(what)
            case "new":
                answer["message"] = self._new(request)
            case _:
                raise ValueError("no such command")
        self.keep()
        return self.state(request.get("version")) | answer

    def _offer(self) -> str:
        """Return words for a game that another program has left; "" if there is none."""
        if not self._left:
            return ""
        game = chess.pgn.read_game(StringIO(self._left[1]["pgn"]))
        assert game, "it was written by `to_json`"
        number = game.end().board().fullmove_number
        return f"Your game of {game.headers['Date']} is not finished; it has reached move {number}."

    def _settle(self, what: str) -> None:
        """Go on with the game that is offered, or delete it."""
        if self._left and self.game.running is None:
            path, data = self._left
            if what == "resume":
                self.game.resume(data)
                self.keep()
            self._left = None
            path.unlink(missing_ok=True)

    def keep(self) -> None:
        """Write the game in progress to its file, if it has changed; a warning says why that fails."""
        with self._keeping:
            if self._kept and self._changes_kept != (changes := self.game.changes):
                self._changes_kept = changes
                try:
                    self._kept.write(self.game.to_json())
                except OSError as error:
                    self._kept = None
                    warn(f"warning: the game in progress is not kept: {in_words(error)}")

    def _advice(self, what: str) -> dict[str, Any]:
        """Return a hint or the threat: a message, an arrow for the board and, for a hint, its line."""
        advice = self.game.hint() if what == "hint" else self.game.threat()
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
        with game.lock:
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

    def _lines(self, fen: str) -> dict[str, Any]:
        """Return the best lines with their scores, and White's expected score in percent; {} if the game has gone on."""
        with self._analysing:
            board = self.game.node.board()
            if fen != board.fen():
                return {}
            infos = self._analyst.analyse(board, LINES, multipv=3)
        return {
            "lines": [_line(board, line) for line in lines_of(infos)],
            "win": judge.expected_score(judge.odds(board, infos[0]["score"].white())),
        }

    def _new(self, request: Mapping[str, Any]) -> str:
        """Start a game; return why its first position cannot be used, else ""."""
        elo, control, text = self.levels[request["level"]], self.clocks[request["clock"]], str(request["start"]).strip()
        human = {"white": chess.WHITE, "black": chess.BLACK, "random": secrets.choice(chess.COLORS)}[request["color"]]
        is_960 = self.args.chess960 is not None
        board = chess.Board.from_chess960_pos(secrets.randbelow(960)) if is_960 else chess.Board()
        try:
            if text:
                board = from_text(text, chess960=is_960)
        except CommandError as error:
            return f"{error}."
        with self.game.lock:
            try:
                if self.args.pgn:
                    self.game.save(self.args.pgn)
            except CommandError as error:
                return f"The game goes on, because it cannot be saved: {error}."
            self.game.new(Setup(board, human, control, elo))
        return ""

    def save(self) -> None:
        """Write the game to the file of `--pgn`; where that fails, print it."""
        if message := save_or_show(self.game, self.args.pgn):
            print(message, flush=True)
        self._changes_kept = -1  # where it stands in that file belongs to what is kept

    def report(self) -> str:
        """Analyse the game so far, and return the page about it."""
        pgn = self.game.pgn()
        with self._analysing:
            if self._report[0] != pgn:
                copy = chess.pgn.read_game(StringIO(pgn))
                assert copy, "it is a game"
                study, name = AnalysedGame(copy, "the game"), self._analyst.id["name"]
                Analyst(self._analyst, ANALYSIS).analyse(study)
                study.annotate(name)
                described, player = f"{name}, {ANALYSIS.nodes} nodes a position", "Human"
                self._report = pgn, board_page.page([study], described, player=player, back="/")
        return self._report[1]


class Server(ThreadingHTTPServer):
    """The server of a game: gives `key` to the browser that brings `token` first, and then lets in only who has it."""

    _door: Path | None = None  # forwards to the address
    daemon_threads = True
    allow_reuse_address = sys.platform != "win32"  # there it would let another program take the port

    def __init__(self, port: int, game: SharedGame) -> None:
        super().__init__((ADDRESS, port), Handler)
        self.game, self.page = game, game_page(game)
        self.host = f"{ADDRESS}:{self.server_port}"
        self.token, self.key = secrets.token_urlsafe(), secrets.token_urlsafe()
        self.url = f"http://{self.host}/?token={self.token}"
        self._entry = threading.Lock()  # never released

    def open_browser(self) -> None:
        """Open a file that only this user can read, which forwards to the address: all users can read command lines.

        It is in the home folder, because browsers in a sandbox read neither /tmp nor hidden folders.
        """
        with suppress(OSError):
            handle, name = tempfile.mkstemp(".html", "coachwhip-", os.path.expanduser("~"))
            self._door = Path(name)
            with open(handle, "w", encoding="utf-8") as file:
                file.write(f'<!DOCTYPE html><meta charset="utf-8"><meta http-equiv="refresh" content="0; url={self.url}">')
            # In a thread: a text browser returns at its end.
            threading.Thread(target=webbrowser.open, args=[self._door.as_uri()], daemon=True).start()

    def enter(self, token: str) -> bool:
        """Return whether this is the token, which is good once."""
        if not _is_same(token, self.token) or not self._entry.acquire(blocking=False):
            return False
        self._close_door()
        return True

    def server_close(self) -> None:
        """Free the port."""
        super().server_close()
        self._close_door()

    def _close_door(self) -> None:
        if self._door:
            self._door.unlink(missing_ok=True)


class Handler(BaseHTTPRequestHandler):
    """One request."""

    server: Server
    server_version, sys_version = "coachwhip", ""
    timeout = 60  # seconds for a browser to send its request

    def handle(self) -> None:
        """Answer, unless the browser hangs up."""
        with suppress(OSError):
            super().handle()

    def do_GET(self) -> None:
        """Answer with a page, the PGN, or, to POST, what came of a command of the page."""
        try:
            status, text, kind = self._content(*self.path.partition("?")[::2])
        except Exception as error:  # noqa: BLE001 - the page shows it
            status, text, kind = 400, f"coachwhip cannot do this: {error!r}", "text/plain"
        data = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    do_POST = do_GET  # noqa: N815 - the name that http.server looks for

    def _content(self, path: str, query: str) -> tuple[int, str, str]:
        """Return status, text and kind of the answer. Raises any exception for a request that the page would not send."""
        server, plain = self.server, "text/plain"
        if not self._is_local():
            return 403, "Requests from other sites are rejected.", plain
        match f"{self.command} {path}":
            case "GET /" if not query:
                return 200, server.page, "text/html"
            case "GET /" if server.enter(query.removeprefix("token=")):
                return 200, entry_page(server.key), "text/html"
            case _ if not _is_same(query, f"key={server.key}"):
                return 403, NO_ENTRY, plain
            case "GET /game.pgn":
                return 200, f"{server.game.game.pgn()}\n", "application/x-chess-pgn"
            case "GET /report":
                return 200, server.game.report(), "text/html"
            case "POST /do":
                size = int(self.headers.get("Content-Length", ""))
                if not 0 <= size <= MAX_REQUEST:
                    return 413, f"A request has at most {MAX_REQUEST} bytes.", plain
                return 200, json.dumps(server.game.handle(json.loads(self.rfile.read(size)))), "application/json"
        return 404, "There is no such page.", plain

    def _is_local(self) -> bool:
        """Return whether the request names this server, and comes from its page or, to get something, from no page."""
        host, origin = self.server.host, self.headers.get("Origin")
        return self.headers.get("Host") == host and (origin == f"http://{host}" or (origin is None and self.command == "GET"))

    def end_headers(self) -> None:
        """Add the headers of every answer."""
        for name, value in HEADERS.items():
            self.send_header(name, value)
        super().end_headers()

    def log_message(self, *_: Any) -> None:
        """Print nothing."""


def game_page(game: SharedGame) -> str:
    """Return the page of the game; the script fills it in."""
    levels = {name: f"{name}: {_about(elo)}" if elo else name for name, elo in game.levels.items()}
    level = _choice("level", "Level", levels, str(game.args.elo or FULL))
    color = _choice("color", "You play", {name: name for name in ("white", "black", "random")}, game.args.color)
    clock = _choice("clock", "Clock (minutes + seconds a move)", {name: name for name in game.clocks}, game.clock)
    buttons = "".join(
        f'<button type="button" data-do="{name}"{" data-ends" * (name != "undo")}>{label}</button>'
        for name, label in BUTTONS.items()
    )
    body = f"""<header><h1>Play against coachwhip</h1><button type="button" id="open">New game</button></header>
<main>
<section class="viewer" aria-label="Board">
<div class="stage">{PLAYER_LINES}<div class="bar" role="img" aria-label="Evaluation" hidden><div></div></div>{BOARDS}</div>
<div class="card"><p class="status" aria-live="polite"></p>
<button type="button" data-step="leave" hidden>Back to the game</button>
<p class="message" role="status"></p>
<p class="offer" hidden><span></span> <button type="button" data-do="resume">Go on with it</button>
<button type="button" data-do="discard">Delete it</button></p>
<a id="report" href="report" data-key hidden>Analyse the game: see your mistakes</a></div>
<div class="steps">{buttons}<button type="button" id="flip">Flip</button></div>
<div class="evaluation"><label><input type="checkbox" id="shows-lines"> Evaluation and best lines</label>
<ol class="lines" aria-label="Best lines" hidden></ol></div>
<p class="record" role="group" aria-label="Moves"></p>
<form class="start steps" id="entry"><label for="text">Move</label>
<input id="text" autocomplete="off" autocapitalize="off" spellcheck="false" placeholder="e4, Nf3, O-O" required>
<button>Make the move</button> <a href="game.pgn" data-key download>Download the PGN</a></form>
</section>
<dialog id="setup" aria-labelledby="heading"><h2 id="heading">New game</h2>
<p>It ends the game on the board.</p>
<form id="new">{level}{color}{clock}
<p><label for="start">Start from a FEN, a position of UCI or a PGN (empty: the start position)</label>
<textarea id="start" name="start" rows="3" spellcheck="false"></textarea></p>
<p id="fault" role="alert"></p>
<button>Start a new game</button> <button type="button" id="cancel">Cancel</button></form></dialog>
</main>"""
    return html_page("Play", body, Path(__file__).with_name("play.js").read_text(encoding="utf-8"), served=True)


def entry_page(key: str) -> str:
    """Return the page that keeps the key, where only pages of this address can read it, and goes on to the game."""
    body = "<noscript><p>The board needs JavaScript; coachwhip play without --browser does not.</p></noscript>"
    return document("Play", body, f'localStorage.setItem("coachwhip", "{key}"); location.replace("/");', served=True)


def _is_same(text: str, secret: str) -> bool:
    return secrets.compare_digest(text.encode(), secret.encode())


def _about(elo: int) -> str:
    return next(words for limit, words in LEVELS.items() if elo <= limit)


def _line(board: chess.Board, line: Line) -> tuple[str, str, list[str]]:
    """Return a line's score, its moves as text and the positions after them."""
    moves = line.moves[:LINE_PLIES]
    return score_text(line.score), board.variation_san(moves), positions_after(board, moves)


def _choice(name: str, label: str, options: Mapping[str, str], chosen: str) -> str:
    items = "".join(
        f'<option value="{escape(value)}"{" selected" * (value == chosen)}>{escape(text)}</option>'
        for value, text in options.items()
    )
    return f'<p><label for="{name}">{label}</label> <select id="{name}" name="{name}">{items}</select></p>'


def serve(args: Namespace, game: Game) -> None:
    """Serve the game until Ctrl-C. Raises CommandError if the port cannot be used."""
    kept = left = None
    try:
        kept = KeptGame(data_folder())
        left = None if args.fen is not None or args.pgn_start else left_game(data_folder())
    except OSError as error:
        warn(f"warning: the game in progress is not kept: {in_words(error)}")
    shared = SharedGame(args, game, kept, left)
    try:
        server = Server(args.port, shared)
    except OSError as error:
        raise CommandError(f"port {args.port} cannot be used ({error.strerror}); choose another --port") from error
    try:
        with server, suppress(KeyboardInterrupt):
            print(f"Play at {server.url}\nCtrl-C ends the game.", flush=True)
            if not args.no_open:
                server.open_browser()
            server.serve_forever()
    finally:
        shared.save()
        shared.keep()
