# SPDX-License-Identifier: GPL-3.0-or-later
"""The game in a browser: an HTTP server for the person at this computer, and nobody else.

The page's script, `play.js`, knows no rules of chess: it asks for the game again and again, gets each new
position with its legal moves, and sends what the person does, all as JSON. The printed address gives the
browser a key, which its script sends with each request, and lets in nobody else once it has. Without the key,
under another host name or from the page of another site, every request is rejected, except for the page
without a game. There is no cookie: browsers send cookies to every server of this computer, whatever its port.
"""

import json
import os
import re
import secrets
import stat
import sys
import tempfile
import threading
import webbrowser
from argparse import Namespace
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import FileIO
from pathlib import Path
from typing import Any

from ...cli.command import CommandError
from ...cli.files import lock
from .game import Game
from .kept import Drafts
from .opponent import Opponent
from .page import entry_page, game_page
from .shared import Table

ADDRESS = "127.0.0.1"
MAX_REQUEST = 1 << 18  # bytes; a pasted game is the longest
FORWARD = '<!DOCTYPE html><meta charset="utf-8"><meta http-equiv="refresh" content="0; url='
ADDRESSES = re.compile(rf'{re.escape(FORWARD)}http://{re.escape(ADDRESS)}:\d+/\?token=[\w-]+">'.encode())
TOO_LONG = f"This is longer than {MAX_REQUEST >> 10} KiB; coachwhip analyse FILE --browser reads any file."
NO_ENTRY = (
    "Open the address that coachwhip has printed. It works once: if it has been used, start coachwhip again."
)
HEADERS = {  # of every answer; the rest of a page's policy is in the page, see `document`
    "Content-Security-Policy": "frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
}


class Server(ThreadingHTTPServer):
    """The server of a game: gives `key` for `token`, until that comes back; then `token` is None."""

    _door: tuple[Path, FileIO] | None = None  # the file that forwards to the address
    daemon_threads = True
    allow_reuse_address = sys.platform != "win32"  # there it would let another program take the port

    def __init__(self, port: int, game: Table) -> None:
        super().__init__((ADDRESS, port), Handler)
        self.game, self.page = game, game_page(game)
        self.host = f"{ADDRESS}:{self.server_port}"
        self.token: str | None = secrets.token_urlsafe()
        self.key, self.url = secrets.token_urlsafe(), f"http://{self.host}/?token={self.token}"

    def open_browser(self) -> None:
        """Open a file of this user alone that forwards to the address: all users can read command lines.

        It is in the home folder, because browsers in a sandbox read neither /tmp nor hidden folders.
        """
        home = Path(os.path.expanduser("~"))
        with suppress(OSError):
            _remove_old_doors(home)
            handle, name = tempfile.mkstemp(".html", "coachwhip-", home)
            # The lock of the file shows that the program runs.
            self._door = Path(name), open(handle, "wb", 0)  # noqa: SIM115
            lock(self._door[1], self._door[0])
            self._door[1].write(f'{FORWARD}{self.url}">'.encode())
            # In a thread: a text browser returns at its end.
            threading.Thread(target=webbrowser.open, args=[self._door[0].as_uri()], daemon=True).start()

    def server_close(self) -> None:
        """Free the port."""
        super().server_close()
        self.close_door()

    def close_door(self) -> None:
        """Let in nobody else, once a browser has sent the key.

        One that cannot, as without scripts, may come in again.
        """
        self.token = None
        if self._door:
            self._door[1].close()
            self._door[0].unlink(missing_ok=True)


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
        """Return status, text and kind of the answer.

        Raises any exception for a request that the page would not send.
        """
        server, plain = self.server, "text/plain"
        if not self._is_local():
            return 403, "Requests from other sites are rejected.", plain
        match f"{self.command} {path}":
            case "GET /" if server.token and _is_same(query, f"token={server.token}"):
                return 200, entry_page(server.key), "text/html"
            case "GET /" if not query:
                return 200, server.page, "text/html"
            case _ if not _is_same(query, f"key={server.key}"):
                return 403, NO_ENTRY, plain
        server.close_door()
        match f"{self.command} {path}":
            case "GET /":
                return 200, server.page, "text/html"
            case "GET /game.pgn":
                return 200, f"{server.game.game.pgn()}\n", "application/x-chess-pgn"
            case "GET /report":
                return 200, server.game.report(), "text/html"
            case "POST /do":
                size = int(self.headers.get("Content-Length", ""))
                if not 0 <= size <= MAX_REQUEST:
                    return 413, TOO_LONG, plain
                return (
                    200,
                    json.dumps(server.game.handle(json.loads(self.rfile.read(size)))),
                    "application/json",
                )
        return 404, "There is no such page.", plain

    def _is_local(self) -> bool:
        """Return whether the request names this server, and comes from its page or, for a GET, from none."""
        host, origin = self.server.host, self.headers.get("Origin")
        return self.headers.get("Host") == host and (
            origin == f"http://{host}" or (origin is None and self.command == "GET")
        )

    def end_headers(self) -> None:
        """Add the headers of every answer."""
        for name, value in HEADERS.items():
            self.send_header(name, value)
        super().end_headers()

    def log_message(self, *_: Any) -> None:
        """Print nothing."""


def _remove_old_doors(home: Path) -> None:
    """Remove what killed programs have left: files of this user, unlocked, with nothing but our address."""
    for path in home.glob("coachwhip-*.html"):
        with suppress(CommandError, OSError):
            status = path.lstat()
            if not stat.S_ISREG(status.st_mode) or (sys.platform != "win32" and status.st_uid != os.getuid()):
                continue
            with path.open("rb") as file:
                lock(file, path)
                is_door = ADDRESSES.fullmatch(file.read(MAX_REQUEST))
            if is_door:
                path.unlink()


def _is_same(text: str, secret: str) -> bool:
    return secrets.compare_digest(text.encode(), secret.encode())


def serve(args: Namespace, game: Game, opponent: Opponent, drafts: Drafts) -> None:
    """Serve the game until Ctrl-C. Raises CommandError if the port cannot be used."""
    table = Table(args, game, opponent, drafts)
    try:
        server = Server(args.port, table)
    except OSError as error:
        raise CommandError(
            f"port {args.port} cannot be used ({error.strerror}); choose another --port"
        ) from error
    try:
        with server, suppress(KeyboardInterrupt):
            print(f"Play at {server.url}\nCtrl-C ends the game.", flush=True)
            if not args.no_open:
                server.open_browser()
            server.serve_forever(poll_interval=1)  # seconds between looks whether it is to end
    finally:
        table.close()
