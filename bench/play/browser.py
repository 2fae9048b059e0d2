# SPDX-License-Identifier: GPL-3.0-or-later
"""The game in a browser: an HTTP server for the person at this computer, and nobody else.

The page's script, `viewer/play.js`, knows no rules of chess: it gets each position with its legal moves as an event, and sends what the
person does as JSON. The printed address lets one browser in, once, and gives it a cookie. Without the cookie, under another host name or
from the page of another site, every request is rejected.
"""

import json
import secrets
import sys
import threading
import webbrowser
from argparse import Namespace
from collections.abc import Mapping, Sequence
from contextlib import suppress
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BufferedReader, BytesIO, StringIO
from socketserver import TCPServer
from typing import Any

import chess
import chess.pgn
from chess.engine import EngineTerminatedError, Limit, SimpleEngine

from ...in_process import open_engine
from ...uci.options import MAX_ELO, MIN_ELO
from ..common.adjudication import DRAW, win
from ..common.command import CommandError
from ..engines.clock import TimeControl
from ..viewer import judge, report
from ..viewer.board import BOARDS, SEATS, html_page, legal_moves, squares
from ..viewer.frame import HERE
from ..viewer.study import LINE_PLIES, Study, score_text
from .game import Game, from_fen, from_pgn
from .terminal import Terminal, read_move

ADDRESS = "127.0.0.1"
MAX_REQUEST = 1 << 18  # bytes; a pasted game is the longest
LINES, ANALYSIS = Limit(time=1), Limit(nodes=200_000)  # of the lines next to the board; of each position for the report
CLOCKS = tuple(TimeControl(60 * minutes, plus) for minutes, plus in ((1, 0), (3, 2), (5, 3), (10, 5), (15, 10), (30, 20)))
NO_ENTRY = "Open the address that coachwhip has printed; it works once, so if it has been used, start coachwhip again."
BUTTONS = {"undo": "Take back", "hint": "Hint", "draw": "Offer draw", "resign": "Resign", "flip": "Flip", "sound": "Sound on"}
WAIT = "It is not your turn."
STALE = "The game has gone on; the board shows the position now."
HEADERS = {  # of every answer; the rest of a page's policy is in the page, see `html_page`
    "Content-Security-Policy": "frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
}


class SharedGame:
    """The game that all tabs show, with two threads that think: for the engine's moves, and for analysis."""

    def __init__(self, args: Namespace, engine: SimpleEngine, game: Game) -> None:
        self._args, self._engine, self.game = args, engine, game
        self._analyst = open_engine({"WeightsFile": str(args.weights or "")})  # closed at the end of the program
        self._changed = threading.Condition()
        self._version = 1
        self._shows_lines = False
        self._lines: tuple[chess.pgn.GameNode | None, dict[str, Any]] = None, {}  # of a position
        self._due: Game | None = None  # a game to be analysed
        self._report: tuple[chess.pgn.GameNode | None, str] = None, ""  # how far the analysis of the game that ends there is
        self.page = ""  # of the analysed game
        for work in (self._play, self._think):
            threading.Thread(target=work, daemon=True).start()

    def wait(self, seen: int, timeout: float | None = None) -> int:
        """Wait until something changes after the version `seen`; return the version then."""
        with self._changed:
            self._changed.wait_for(lambda: self._version != seen, timeout)
            return self._version

    def _change(self) -> None:
        with self._changed:
            self._version += 1
            self._changed.notify_all()

    # --- What the page shows ---

    def state(self) -> dict[str, Any]:
        """Return all that the page shows."""
        version, game, node = self._version, self.game, self.game.node
        board = node.board()
        ending, before = game.ending, board.copy()
        last = before.variation_san([before.pop()]) if board.move_stack else ""
        return {
            "version": version,
            "fen": board.fen(),
            "before": before.fen(),
            "text": last or "First position",
            "legal": legal_moves(board) if not ending and board.turn == game.human else [],
            "side": chess.COLOR_NAMES[game.human],
            "names": [game.tree.headers["White"], game.tree.headers["Black"]],
            "clocks": [game.clock(chess.WHITE), game.clock(chess.BLACK)] if game.has_clock else None,
            "running": "" if ending else chess.COLOR_NAMES[board.turn],
            "status": self._status(game),
            "over": bool(ending),
            "moves": board.root().variation_san(board.move_stack),
            "showsLines": self._shows_lines,
            "lines": self._lines[1] if self._lines[0] is node else {},
            "report": self._report[1] if self._report[0] is node else "",
        }

    @staticmethod
    def _status(game: Game) -> str:
        if ending := game.ending:
            outcome = {DRAW: "A draw", win(game.human): "You win"}.get(ending.result, "You lose")
            return f"{outcome} by {ending.reason}: {ending.result}"
        if game.is_engine_to_move:
            return f"{game.name} is thinking."
        return f"Your move{', you are in check' if game.board.is_check() else ''}."

    # --- What the person does ---

    def obey(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Carry out a command of the page. Return the state then, with a message and perhaps a move to show.

        Raises ValueError, KeyError or TypeError for a request that the page would not send.
        """
        do, game = request["do"], self.game
        answer: dict[str, Any] = {}
        if do == "move":
            answer["message"] = self._make(str(request["text"]), request["fen"])
        elif do in ("hint", "draw") and (game.ending or game.is_engine_to_move):
            answer["message"] = WAIT
        elif do == "hint":
            answer = self._hint()
        elif do == "draw":
            answer["message"] = "" if game.offer_draw() else f"{game.name} declines the draw."
        elif do == "undo":
            answer["message"] = "" if game.undo() else "There is no move of yours to take back."
        elif do == "resign":
            game.resign()
        elif do == "lines":
            self._shows_lines = bool(request["show"])
        elif do == "analyse" and game.ending:
            self._due = game
        elif do == "new":
            answer["message"] = self._new(request)
        else:
            raise ValueError("unknown command")
        self._change()
        return {"message": "", **self.state(), **answer}

    def _hint(self) -> dict[str, Any]:
        """Return the best move in words, and to show as an arrow."""
        board, line = self.game.board, self.game.hint()
        if not line:
            return {"message": STALE}
        return {"message": f"Perhaps {board.san(line.moves[0])}.", "better": {"move": squares(board, line.moves[0])}}

    def _make(self, text: str, fen: str) -> str:
        """Make a move in this position; return what is wrong with it, else ""."""
        game = self.game
        with self._changed:  # two tabs may move at once
            if fen != game.board.fen():
                return STALE
            if game.ending or game.is_engine_to_move:
                return WAIT
            try:
                game.make(read_move(game.board, text))
            except ValueError as error:
                return str(error)
        return ""

    def _new(self, request: Mapping[str, Any]) -> str:
        """Start a game; return what is wrong with its first position, else ""."""
        elo, color, text = int(request["elo"]), request["color"], str(request["start"]).strip()
        control = clocks(self._args.time)[int(request["clock"])]
        if elo and not MIN_ELO <= elo <= MAX_ELO:
            raise ValueError("no such level")
        human = secrets.choice(chess.COLORS) if color == "random" else color == "white"
        try:
            board = self._start(text)
        except CommandError as error:
            return f"{error}."
        self._engine.configure({"UCI_LimitStrength": elo > 0, "UCI_Elo": elo or MAX_ELO})
        self.keep()
        self.game = Game(self._engine, board, human, control, elo or None)
        return ""

    def _start(self, text: str) -> chess.Board:
        """Return the position of a FEN, or of the end of a PGN; the start position, or one of Chess960, without a text."""
        is_960 = self._args.chess960 is not None
        if not text:
            return chess.Board.from_chess960_pos(secrets.randbelow(960)) if is_960 else chess.Board()
        if text.partition(" ")[0].count("/") == 7:
            return from_fen(text, "This FEN", chess960=is_960)
        return from_pgn(BufferedReader(BytesIO(text.encode())), "This PGN", chess960=is_960)

    def keep(self) -> None:
        """Append the game to the file of `--pgn`."""
        if self._args.pgn:
            Terminal(self.game).save(self._args.pgn)

    # --- The two threads ---

    def _play(self) -> None:
        """Answer the person's moves, and notice when their time is up."""
        seen = 0
        with suppress(EngineTerminatedError):
            while True:
                game = self.game
                if game.is_engine_to_move:
                    game.answer()
                    self._change()
                newest = self.wait(seen, game.clock(game.human) if game.has_clock and not game.ending else None)
                if newest == seen:
                    self._change()
                seen = newest

    def _think(self) -> None:
        """Search the position for the page on the person's turn, and analyse a game that is over."""
        seen = 0
        with suppress(EngineTerminatedError):
            while True:
                game, node = self.game, self.game.node
                if due := self._due:
                    self._due = None
                    self._analyse(due)
                elif self._shows_lines and node.turn() == game.human and not game.ending and self._lines[0] is not node:
                    board = node.board()
                    self._lines = node, lines_of(board, self._analyst.analyse(board, LINES, multipv=3))
                    self._change()
                seen = self.wait(seen)

    def _analyse(self, game: Game) -> None:
        """Make the page of a game that is over."""
        node, copy = game.node, chess.pgn.read_game(StringIO(game.pgn()))
        assert copy, "it is a game"
        study = Study(copy, "the game")
        positions = iter(range(len(study.boards)))

        def advance() -> None:
            self._report = node, f"{next(positions) + 1} of {len(study.boards)}"
            self._change()

        study.analyse(self._analyst, ANALYSIS, 1, advance)
        name = self._analyst.id["name"]
        study.annotate(name)
        self.page = report.page([study], f"{name}, {ANALYSIS.nodes} nodes a position")
        self._report = node, "ready"
        self._change()


def lines_of(board: chess.Board, infos: Sequence[chess.engine.InfoDict]) -> dict[str, Any]:
    """Return White's chances in percent, and each line with its score."""
    scores = [info["score"].white() for info in infos]
    wins, draws, _ = judge.odds(board, scores[0])
    moves = [board.variation_san(info["pv"][:LINE_PLIES]) for info in infos]
    return {"win": (wins + draws / 2) / 10, "lines": [*zip(map(score_text, scores), moves, strict=True)]}


def clocks(own: TimeControl) -> tuple[TimeControl, ...]:
    """Return the clocks to choose from, first that of the command line."""
    return tuple(dict.fromkeys([own, TimeControl(time=1), *CLOCKS]))


class Server(ThreadingHTTPServer):
    """The server of one game; it lets in the browser that brings `token` first, and after that only its cookie."""

    daemon_threads = True
    allow_reuse_address = sys.platform != "win32"  # there it would let another program take the port

    def __init__(self, port: int, game: SharedGame, page: str) -> None:
        super().__init__((ADDRESS, port), Handler)
        self.game, self.page = game, page
        self.hosts = tuple(f"{host}:{self.server_port}" for host in (ADDRESS, "localhost"))
        self.token, self._secret = secrets.token_urlsafe(), secrets.token_urlsafe()
        self.cookie = f"coachwhip-{self.server_port}={self._secret}"  # cookies do not distinguish ports
        self._entry = threading.Lock()

    def server_bind(self) -> None:
        """Bind without looking up a name for the address, which may take seconds."""
        TCPServer.server_bind(self)
        self.server_port = self.server_address[1]

    def enter(self, token: str) -> bool:
        """Return whether this is the token, which is good once."""
        with self._entry:
            is_right = bool(self.token) and is_same(token, self.token)
            self.token = "" if is_right else self.token
            return is_right

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing about a browser that has hung up."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)


def is_same(text: str, secret: str) -> bool:
    """Compare in a time that does not depend on where the texts differ."""
    return secrets.compare_digest(text.encode(), secret.encode())


class Handler(BaseHTTPRequestHandler):
    """One request."""

    server: Server
    server_version, sys_version = "coachwhip", ""
    timeout = 60  # seconds for a browser to send its request

    def do_GET(self) -> None:
        """Answer with a page, the events or the PGN."""
        path, _, query = self.path.partition("?")
        if query and self._is_local() and (self._has_cookie() or self.server.enter(query.removeprefix("token="))):
            cookie = f"{self.server.cookie}; HttpOnly; SameSite=Strict; Path=/"
            self._send(303, "", headers={"Location": "/", "Set-Cookie": cookie})
        elif self._is_allowed():
            self._get(path)

    def _get(self, path: str) -> None:
        game = self.server.game
        match path:
            case "/":
                self._send(200, self.server.page, "text/html")
            case "/events":
                self._send_events()
            case "/game.pgn":
                self._send(200, f"{game.game.pgn()}\n", "application/x-chess-pgn", {"Content-Disposition": "attachment"})
            case "/report" if game.page:
                self._send(200, game.page, "text/html")
            case _:
                self._send(404, "There is no such page.")

    def do_POST(self) -> None:
        """Carry out a command of the page, and answer with the state then."""
        if not self._is_allowed():
            return
        length = self.headers.get("Content-Length", "")
        if not (length.isascii() and length.isdigit()):
            self._send(411, "The request has no length.")
        elif len(length) > 9 or int(length) > MAX_REQUEST:
            self._send(413, f"A request has at most {MAX_REQUEST} bytes.")
        else:
            try:
                answer = self.server.game.obey(json.loads(self.rfile.read(int(length))))
            except (ValueError, KeyError, TypeError, IndexError, RecursionError):
                self._send(400, "The request cannot be understood.")
            else:
                self._send(200, json.dumps(answer), "application/json")

    def _is_allowed(self) -> bool:
        """Return whether the request comes from our page; reject it otherwise."""
        if not self._is_local():
            self._send(403, "Requests from other sites are rejected.")
        elif not self._has_cookie():
            self._send(403, NO_ENTRY)
        else:
            return True
        return False

    def _is_local(self) -> bool:
        """Return whether the request names this server, and comes from its page or, to get something, from no page."""
        host, origin = self.headers.get("Host"), self.headers.get("Origin")
        return host in self.server.hosts and (origin == f"http://{host}" or (origin is None and self.command == "GET"))

    def _has_cookie(self) -> bool:
        return any(is_same(part.strip(), self.server.cookie) for part in self.headers.get("Cookie", "").split(";"))

    def _send_events(self) -> None:
        """Send the state now and after each change, until the browser hangs up."""
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        seen = 0
        while True:
            seen = self.server.game.wait(seen, 15)  # also sent without a change, to notice that the browser has hung up
            self.wfile.write(f"data: {json.dumps(self.server.game.state())}\n\n".encode())

    def _send(self, status: int, text: str, kind: str = "text/plain", headers: Mapping[str, str] | None = None) -> None:
        data = text.encode()
        self.send_response(status)
        headers = {"Content-Type": f"{kind}; charset=utf-8", "Content-Length": str(len(data)), **(headers or {})}
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def end_headers(self) -> None:
        """Add the headers of every answer."""
        for name, value in HEADERS.items():
            self.send_header(name, value)
        super().end_headers()

    def log_message(self, *_: Any) -> None:
        """Print nothing."""


def game_page(args: Namespace) -> str:
    """Return the page of the game, with the choices of the command line; the script fills it in."""
    levels = sorted({args.elo or MIN_ELO, *range(MIN_ELO, MAX_ELO + 1, 200)})
    elo = _choice("elo", "Level", {**{str(level): str(level) for level in levels}, "0": "full strength"}, str(args.elo or 0))
    color = _choice("color", "You play", {name: name.capitalize() for name in ("white", "black", "random")}, args.color)
    names = {str(index): _clock_name(control) for index, control in enumerate(clocks(args.time))}
    body = f"""<header><h1>Play against coachwhip</h1></header>
<main>
<section class="viewer" aria-label="Board">
<div class="stage">{SEATS}<div class="bar" role="img" aria-label="Evaluation" hidden><div></div></div>{BOARDS}</div>
<p class="status" aria-live="polite"></p>
<p class="message" role="status"></p>
<form class="steps" id="entry"><label for="text">Move</label> <input id="text" autocomplete="off" autocapitalize="off" spellcheck="false"
 placeholder="e4, Nf3, O-O" required> <button>Make the move</button></form>
<div class="steps">{"".join(f'<button type="button" data-do="{name}">{label}</button>' for name, label in BUTTONS.items())}</div>
<noscript><p>The board needs JavaScript; coachwhip play without --browser does not.</p></noscript>
</section>
<div class="games">
<section class="game" aria-label="Game"><h2>Moves</h2>
<div class="moves" tabindex="0" role="group" aria-label="Moves"></div>
<p id="progress" role="status"></p>
<div class="steps"><button type="button" data-do="analyse" id="analyse" hidden>Analyse the game</button>
<a id="report" href="report" hidden>Show the analysis</a> <a href="game.pgn" download>Download the PGN</a></div>
<p><label><input type="checkbox" id="lines"> Evaluation and best lines</label></p>
<ol class="lines" id="best" aria-label="Best lines" hidden></ol></section>
<section class="game" aria-label="New game"><h2>New game</h2>
<form id="new">{elo}{color}{_choice("clock", "Clock", names, "0")}
<p><label for="start">Start from a FEN or PGN (empty: the start position)</label><textarea id="start" name="start" rows="3" spellcheck="false"></textarea></p>
<button>Start a new game</button></form></section>
</div>
</main>"""
    return html_page("Play", body, (HERE / "play.js").read_text(encoding="utf-8"), connect="'self'")


def _choice(name: str, label: str, options: Mapping[str, str], chosen: str) -> str:
    """Return a list to choose from: the shown text of each value."""
    items = ""
    for value, text in options.items():
        items += f'<option value="{value}"{" selected" if value == chosen else ""}>{escape(text)}</option>'
    return f'<p><label for="{name}">{label}</label> <select id="{name}" name="{name}">{items}</select></p>'


def _clock_name(control: TimeControl) -> str:
    if control.base:
        return f"{control.base / 60:g} min + {control.increment:g} s"
    return f"none, {control.time:g} s for a move of the engine"


def serve(args: Namespace, engine: SimpleEngine, game: Game) -> None:
    """Serve the game until Ctrl-C. Raises CommandError if the port cannot be had."""
    shared = SharedGame(args, engine, game)
    try:
        server = Server(args.port, shared, game_page(args))
    except OSError as error:
        raise CommandError(f"port {args.port} cannot be used ({error.strerror}); choose another --port") from error
    url = f"http://{ADDRESS}:{server.server_port}/?token={server.token}"
    print(f"Play at {url}\nCtrl-C ends the game.", flush=True)
    if not args.no_open:
        threading.Thread(target=webbrowser.open, args=[url], daemon=True).start()  # a browser in the terminal returns at its end
    try:
        with server, suppress(KeyboardInterrupt):
            server.serve_forever()
    finally:
        shared.keep()
