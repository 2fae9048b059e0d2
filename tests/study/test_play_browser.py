# SPDX-License-Identifier: GPL-3.0-or-later
"""`coachwhip play --browser`: games by clicks in a browser, and requests that only the page may send."""

import http.client
import io
import json
import os
import random
import re
import signal
import subprocess
import sys
import threading
import time
from argparse import Namespace
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import Queue
from types import SimpleNamespace
from typing import Any

import chess
import chess.pgn
import pytest
from browser import Browser, Tab
from chess.engine import Limit
from coachwhip.uci.options import MIN_ELO
from faulty_disk import room_of
from programs import CHROMIUM
from uci_process import environment

from coachwhip import open_engine
from coachwhip.games.time_control import TimeControl
from coachwhip.study.play.game import Game, Setup
from coachwhip.study.play.kept import Drafts
from coachwhip.study.play.opponent import Opponent
from coachwhip.study.play.server import MAX_REQUEST, Server
from coachwhip.study.play.shared import FULL, Table

WHITE = "a4 a5 a6 axb7 bxa8=Q e4 Nh3 Bd3 O-O Qh5#".split()  # a game with a promotion, castling and mate
BLACK = "f6 g5 Nc6 Nb4 Nc6 Nb4 Nc6 Nb4 Nc6".split()
ARGS = Namespace(elo=None, color="white", chess960=None, time=TimeControl(time=0.01), pgn=None, weights=None)


class Replies:
    """An engine that plays these moves."""

    def __init__(self, moves: Sequence[str]) -> None:
        self._moves = iter(moves)

    def analysis(self, board: chess.Board, *_: Any, **__: Any) -> Any:
        move = board.parse_san(next(self._moves))
        return SimpleNamespace(wait=lambda: SimpleNamespace(move=move), stop=lambda: None)


class Client:
    """A server of a game, and what a browser with its key does."""

    def __init__(self, engine: Any, board: chess.Board, args: Namespace = ARGS) -> None:
        game = Game(Setup(board, chess.WHITE, args.time))
        self.game = Table(args, game, Opponent(engine, game), Drafts(game))
        self.server = Server(0, self.game)
        threading.Thread(target=self.server.serve_forever, args=[0.02], daemon=True).start()
        self.host = self.server.host
        self.address, self.key = self.server.url, f"?key={self.server.key}"
        self.own = {"Host": self.host, "Origin": f"http://{self.host}"}

    def ask(
        self, method: str, path: str, headers: dict[str, str], body: bytes = b""
    ) -> http.client.HTTPResponse:
        """Send exactly these headers."""
        connection = http.client.HTTPConnection(self.host, timeout=20)
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        for name, value in headers.items():
            connection.putheader(name, value)
        connection.endheaders(body)
        return connection.getresponse()

    def post(self, body: bytes) -> http.client.HTTPResponse:
        return self.ask("POST", f"/do{self.key}", {**self.own, "Content-Length": str(len(body))}, body)

    def do(self, do: str, **values: Any) -> dict[str, Any]:
        """The answer to a command, in the position now or that of `fen`, and the state after it."""
        request = {"do": do, "fen": self.game.game.board.fen(), **values}
        answer: dict[str, Any] = json.loads(self.post(json.dumps(request).encode()).read())
        return {**self.game.state(), **answer}

    def wait(self, plies: int) -> None:
        """Wait until so many moves have been made."""
        end = time.monotonic() + 20
        while len(self.game.game.board.move_stack) != plies:
            assert time.monotonic() < end, "nothing happens"
            time.sleep(0.01)


@pytest.fixture
def start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Starts a server: `start(engine or None, board)`."""
    monkeypatch.setattr("coachwhip.study.play.kept.user_folder", lambda *_: tmp_path / "data")
    clients = []

    def start(engine: Any = None, board: chess.Board | None = None, args: Namespace = ARGS) -> Client:
        clients.append(Client(engine or open_engine(), board or chess.Board(), args))
        return clients[-1]

    yield start
    for client in clients:
        client.server.shutdown()
        client.server.server_close()


# --- Who is let in ---


def test_the_printed_address_lets_in_one_browser(start: Any) -> None:
    """It gives the key to everything but the page without a game.

    No cookie is set: other servers of this computer would get it.
    """
    client = start()
    address, host = client.address.removeprefix(f"http://{client.host}"), {"Host": client.host}
    assert client.ask("GET", "/?token=wrong", host).status == 403
    # This is what a page without scripts asks, which cannot keep the key.
    assert client.ask("GET", address, host).status == 200
    first = client.ask("GET", address, host)
    assert (first.status, first.headers["Set-Cookie"], client.server.key in first.read().decode()) == (
        200,
        None,
        True,
    )
    assert client.do("state")["status"] == "Your move."
    again = client.ask("GET", address, host)
    assert (again.status, b"start coachwhip again" in again.read()) == (403, True)
    page = client.ask("GET", "/", host)
    assert page.status == 200
    assert page.headers["Content-Security-Policy"].startswith("frame-ancestors 'none'")
    assert page.headers["Referrer-Policy"] == "no-referrer"
    text = page.read().decode()
    assert "default-src 'none'" in text
    assert client.server.key not in text


FORGED = [
    {"Host": "evil.example"},  # DNS rebinding
    {"Host": "127.0.0.1:1"},
    {"Host": ""},
    {"Origin": "https://evil.example"},
    {"Origin": "http://127.0.0.1:1"},
    {"Origin": "null"},
]


@pytest.mark.parametrize("headers", FORGED, ids=str)
def test_requests_of_other_sites_neither_move_nor_read(headers: dict[str, str], start: Any) -> None:
    """Under another host name or from another page, even with the key."""
    client = start(Replies(["e5"]))
    body = json.dumps({"do": "move", "text": "e4", "fen": chess.STARTING_FEN}).encode()
    forged = {name: value for name, value in {**client.own, **headers}.items() if value}
    assert (
        client.ask("POST", f"/do{client.key}", {**forged, "Content-Length": str(len(body))}, body).status
        == 403
    )
    paths = ("/", f"/game.pgn{client.key}", f"/report{client.key}")
    assert [client.ask("GET", path, forged).status for path in paths] == 3 * [403]
    assert client.game.game.board.fen() == chess.STARTING_FEN
    # a link, or a form of an old browser
    without = {name: value for name, value in client.own.items() if name != "Origin"}
    assert client.ask("POST", f"/do{client.key}", {**without, "Content-Length": "2"}, b"{}").status == 403


@pytest.mark.parametrize("query", ["", "?key=", "?key=guess", "?token=guess"])
def test_requests_without_the_key_neither_move_nor_read(query: str, start: Any) -> None:
    """As another user of this computer would send them."""
    client = start(Replies(["e5"]))
    body = json.dumps({"do": "move", "text": "e4", "fen": chess.STARTING_FEN}).encode()
    assert (
        client.ask("POST", f"/do{query}", {**client.own, "Content-Length": str(len(body))}, body).status
        == 403
    )
    assert [
        client.ask("GET", f"{path}{query}", client.own).status for path in ("/game.pgn", "/report", "/x")
    ] == 3 * [403]
    assert client.game.game.board.fen() == chess.STARTING_FEN


@pytest.mark.skipif(sys.platform == "win32", reason="no permissions by bits")
def test_no_command_line_names_the_address(
    start: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The browser is given a file in the home folder, which only its owner can read, until it has come."""
    monkeypatch.setenv("HOME", str(tmp_path))
    opened: Queue[str] = Queue()
    monkeypatch.setattr("webbrowser.open", opened.put)
    client = start()
    client.server.open_browser()
    assert opened.get(timeout=20) == (door := next(tmp_path.glob("[!.]*.html"))).as_uri()
    assert (door.stat().st_mode & 0o777, client.address in door.read_text()) == (0o600, True)
    client.do("state")
    assert not door.exists()


BODIES = [
    b"",
    b"[]",
    b"[" * 100_000,
    b"\xff",
    b'{"do": "x"}',
    b'{"do": "move", "text": 5, "fen": []}',
    b'{"do": "new", "level": [], "clock": 99}',
]


def test_malformed_requests_break_nothing(start: Any) -> None:
    """They are rejected, as are long ones, unread."""
    client = start(Replies(["e5"]))
    statuses = {client.post(body).status for body in BODIES}
    assert statuses <= {200, 400}
    for length, status in (("-1", 413), ("x", 400), (str(MAX_REQUEST + 1), 413), ("9" * 5000, 400)):
        assert (
            client.ask("POST", f"/do{client.key}", {**client.own, "Content-Length": length}).status == status
        )
    assert client.ask("POST", f"/do{client.key}", client.own).status == 400
    assert client.ask("GET", f"/../../etc/passwd{client.key}", client.own).status == 404
    assert client.ask("PUT", f"/do{client.key}", client.own).status == 501
    assert client.do("move", text="e4")["message"] == ""
    client.wait(2)


# --- The game ---


def test_the_engine_can_be_interrupted(start: Any) -> None:
    """Taking back, resigning and a new game do not wait for its move."""
    client = start(args=Namespace(**{**vars(ARGS), "time": TimeControl(time=1000)}))
    assert client.do("move", text="e4")["status"] == "1. e4. coachwhip is thinking."
    assert client.do("hint")["message"] == "It is not your turn."
    assert client.do("undo")["status"] == "Your move."
    client.do("move", text="d4")
    assert client.do("resign")["over"]
    client.do("new", level=FULL, clock="none", color="black", start="")
    new = client.do("new", level=str(MIN_ELO), clock="none", color="black", start="")
    assert (new["side"], new["names"][1]) == ("black", "Human")
    client.wait(1)
    assert client.do("hint")["better"]


def test_a_storm_of_commands(start: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """200 times two to six commands of three tabs within 20 ms are answered, and a game is played out."""
    monkeypatch.setattr("coachwhip.study.play.opponent.HINT", Limit(nodes=5000))
    monkeypatch.setattr("coachwhip.study.play.shared.LINES", Limit(nodes=5000))
    client, rng = start(), random.Random(1)
    alone = "3qk3/8/8/8/8/8/8/4K3 w - - 0 1"
    new = {"do": "new", "level": FULL, "clock": "none", "color": "white", "start": alone}
    commands = [new, {**new, "level": str(MIN_ELO), "color": "black", "start": ""}]
    commands += [{"do": do, "text": "Kf1"} for do in ("move", "hint", "draw", "undo", "resign", "lines")]

    def send(work: tuple[float, dict[str, str]]) -> Any:
        seconds, command = work
        time.sleep(seconds)
        return client.post(json.dumps({"fen": client.game.game.board.fen(), **command}).encode()).status

    with ThreadPoolExecutor(6) as pool:
        for _ in range(200):
            work = [(rng.random() / 50, rng.choice(commands)) for _ in range(rng.randint(2, 6))]
            assert set(pool.map(send, work)) == {200}
    assert client.do(**new)["message"] == ""
    end = time.monotonic() + 60
    while not (state := client.game.state())["over"]:
        assert time.monotonic() < end, state["status"]
        if state["legal"]:
            client.do("move", text=rng.choice(state["legal"])["uci"], fen=state["fen"])
    assert state["moves"]


def test_an_engine_that_fails_is_a_message(start: Any) -> None:
    """The game goes on as soon as it changes."""
    client = start(Replies(["Ke4", "e5"]))  # no move of Black's
    state = client.do("move", text="e4")
    while state["status"].endswith("is thinking."):
        state = {**state, **client.do("state", version=state["version"])}
    assert state["status"].startswith("1. e4. coachwhip cannot move: illegal san")
    client.do("undo")
    client.do("move", text="d4")
    client.wait(2)


def test_a_move_of_a_tab_that_was_overtaken(start: Any) -> None:
    """It is not made, and the tab gets the position."""
    client = start(Replies(["e5"]))
    client.do("move", text="e4")
    client.wait(2)
    answer = client.do("move", text="d4", fen=chess.STARTING_FEN)
    assert "gone on" in answer["message"]
    assert answer["moves"] == "1. e4 e5"


def test_tabs_that_read_the_game_at_once(start: Any) -> None:
    """python-chess changes a board while it writes a move of it."""
    client = start(Replies([]))
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(4) as pool:
            states = list(pool.map(lambda _: client.game.state(), range(200)))
    finally:
        sys.setswitchinterval(interval)
    assert all(state == states[0] for state in states)


def test_an_answer_that_fails_is_a_message(start: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a page, too."""
    client = start(Replies([]))
    monkeypatch.setattr(client.game, "report", lambda: 1 // 0)
    answer = client.ask("GET", f"/report{client.key}", client.own)
    assert (answer.status, b"coachwhip cannot do this: ZeroDivisionError" in answer.read()) == (400, True)


def test_null_moves(start: Any) -> None:
    """They are shown, and the game goes on."""
    client = start()
    new = client.do("new", level=FULL, clock="none", color="white", start="1. e4 -- 2. e5 -- *")
    assert (new["message"], new["status"], new["moves"]) == ("", "2... --. Your move.", "1. e4 -- 2. e5 --")
    client.do("move", text="d4")
    client.wait(6)
    assert client.do("hint")["better"]


def test_the_clocks_wait_for_the_person(start: Any) -> None:
    """Who may open the page later."""
    client = start(args=Namespace(**{**vars(ARGS), "time": TimeControl(100)}))
    time.sleep(0.02)
    state = client.game.state()
    assert (state["status"], state["running"], state["clocks"]) == ("Your move.", "", [100, 100])
    assert client.do("move", text="e4")["running"] == "black"


def test_a_finished_game_is_saved_at_once(start: Any, tmp_path: Path) -> None:
    """A game that is not finished, when a new one begins, without a move that nobody has seen."""
    path = tmp_path / "games.pgn"
    client = start(args=Namespace(**{**vars(ARGS), "time": TimeControl(time=1000), "pgn": path}))
    new = {"level": FULL, "clock": "none", "color": "white", "start": ""}
    client.do("move", text="e4")
    client.do("new", **new)
    assert path.read_text().endswith("\n1. e4 *\n")
    client.do("move", text="d4")
    client.do("resign")
    assert path.read_text().endswith("\n1. d4 0-1\n")
    client.do("new", **new)
    assert path.read_text().count("[Event ") == 2


@pytest.mark.skipif(sys.platform == "win32", reason="needs a limit on the size of files")
def test_a_game_that_cannot_be_saved_goes_on(start: Any, tmp_path: Path) -> None:
    """A new one would lose it; the page says why it does not start."""
    client = start(
        args=Namespace(**{**vars(ARGS), "time": TimeControl(time=1000), "pgn": tmp_path / "games.pgn"})
    )
    client.do("move", text="e4")
    with room_of(10):
        answer = client.do("new", level=FULL, clock="none", color="white", start="")
    assert (answer["moves"], "games.pgn: File too large" in answer["message"]) == ("1. e4", True)


@pytest.mark.parametrize(
    ("text", "fen"),
    [
        ("", chess.STARTING_FEN),
        ("4k3/8/8/8/8/8/8/R3K3 w Q - 0 1", "4k3/8/8/8/8/8/8/R3K3 w Q - 0 1"),
        ('[Event "x"]\n\n1. e4 e5 *', "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2"),
        ("4k3/8/8/8/8/8/8/R7 w Q - 0 1", "This position"),
        ("position fen 4k3/8/8/8/8/8/4P3/4K3 w - - 0 1 moves e2e4 e8e7\n", "8/4k3/8/8/4P3/8/8/4K3 w - - 1 2"),
        ("4k3/8/8/8/8/8/8/4K2R w K - 0 1 moves E1G1", "4k3/8/8/8/8/8/8/5RK1 b - - 1 1"),
        ("position  startpos", chess.STARTING_FEN),
        ("startpos moves e2e4", "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"),
        ("position fen 4k3/8/8/8/8/8/4P3/4K3 w - - 0 1 moves e2e5", "e2e5 is not legal"),
        ("position startpos moves f2f3 e7e5 g2g4 d8h4", "This position: not a position that can be played"),
        ("position startpos e2e4", "position startpos: expected 'moves'"),
        ("hello", "This PGN"),
        (
            '[Variant "Atomic"]\n\n1. e4 e5 *',
            "This PGN: coachwhip plays standard chess and Chess960, not atomic",
        ),
        ("1. e4 Ke2", "This PGN"),
    ],
)
def test_a_game_from_a_pasted_text(text: str, fen: str, start: Any) -> None:
    """A FEN or PGN; a message says why it cannot be used, and the old game goes on."""
    client = start()
    client.do("move", text="Nf3")
    client.wait(2)
    answer = client.do("new", level=FULL, clock="5+3", color="white", start=text)
    if "/" not in fen:
        assert answer["message"].startswith(fen)
        assert answer["moves"].startswith("1. Nf3")
    else:
        assert (answer["message"], answer["fen"]) == ("", fen)


def ready(client: Client, answer: dict[str, Any], *, stop: bool = False) -> dict[str, Any]:
    """The answer to `report` at the end of the analysis."""
    end = time.monotonic() + 60
    while not answer["ready"]:
        assert time.monotonic() < end, answer
        answer = client.do("stop" if stop else "report")
    return answer


def test_my_games(start: Any) -> None:
    """Won, lost and left ones, the newest first, each with what goes on with it; a mate can be analysed."""
    client = start()
    new = {"level": "1200", "clock": "none", "color": "white", "start": ""}
    client.do("move", text="d4")
    client.do("new", **new)
    client.do("move", text="c4")
    client.do("resign")
    client.do("new", **{**new, "level": FULL, "start": "1. f3 e5 2. g4 *"})
    client.wait(4)
    games = client.do("games")["games"]
    assert [game["result"] for game in games] == ["lost", "lost", "not finished"]
    assert [game["goes_on"] for game in games] == ["", "", "start"]
    assert [game["opponent"] for game in games] == ["coachwhip", "coachwhip (1200)", "coachwhip"]
    assert ready(client, client.do("analyse", text=games[0]["text"]))["done"] == 5
    assert "Allows mate" in client.game.report()


def test_an_analysis_that_is_stopped_keeps_what_it_has(start: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of several games, too; when it is asked for again, it begins again."""
    monkeypatch.setattr("coachwhip.study.play.report.LIMIT", Limit(time=0.2))
    client = start(Replies([]))
    text = "1. e4 e5 2. Nf3 Nc6 *\n\n1. d4 d5 *\n\n1. c4 *\n"
    assert client.do("analyse", text="hello")["message"] == "This PGN: it contains no game."
    begun = client.do("analyse", text=text)
    assert (begun["total"], begun["ready"]) == (10, False)
    stopped = ready(client, begun, stop=True)
    assert 0 < stopped["done"] < 10
    assert client.game.report().count("Not all positions were analysed.") == 3
    assert client.do("analyse", text=text)["done"] < stopped["done"] + 1
    client.do("stop")


def test_a_wrong_try_is_refuted(start: Any) -> None:
    """In any position, also of Chess960."""
    refutation = start().do("refute", fen="4k3/8/8/8/8/8/8/R3KR2 b Q - 0 1", text="Kd8")["refutation"]
    assert re.match(r"[#+]\S+: 2\. ", refutation)


def test_lines_of_an_earlier_position(start: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also of a game that is over, whose last position has none."""
    monkeypatch.setattr("coachwhip.study.play.shared.LINES", Limit(nodes=5000))
    client = start(board=chess.Board("7k/6pp/8/8/8/8/8/R6K w - - 0 1"))
    client.do("move", text="Ra8#")
    first, last = client.do("lines", ply=0), client.do("lines", ply=1)
    assert (len(first["lines"]), first["lines"][0][1], first["win"]) == (3, "1. Ra8#", 100)
    assert (last["lines"], last["win"]) == ([], 100)


def test_the_threat_where_a_pass_is_stalemate(start: Any) -> None:
    client = start(board=chess.Board("k7/2Q5/8/8/8/8/8/4K3 w - - 0 1"))
    assert client.do("threat")["message"] == "Black would have no move if you passed: stalemate."


def test_a_rematch_has_the_other_colour(start: Any) -> None:
    """And the same first position, level and clock; a tab that asks when the game has begun ends nothing."""
    fen = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"
    client = start()
    client.do("new", level="1200", clock="5+3", color="white", start=f"fen {fen} moves e2e4 e8e7")
    client.do("resign")
    new = client.do("rematch")
    assert (new["message"], new["fens"][0], new["side"]) == ("", fen, "black")
    assert (new["names"], new["clocks"]) == (["coachwhip (1200), version 0.1.0.dev0", "Human"], [300, 300])
    assert "gone on" in client.do("rematch")["message"]


@pytest.mark.skipif(sys.platform == "win32", reason="needs a limit on the size of files")
def test_a_failed_write_is_said_on_the_page(start: Any) -> None:
    """As long as it lasts."""
    client = start(args=Namespace(**{**vars(ARGS), "time": TimeControl(time=1000)}))
    with room_of(10):
        assert "not kept" in client.do("move", text="e4")["trouble"]
    client.do("undo")
    assert client.do("move", text="d4")["trouble"] == ""


@pytest.mark.skipif(sys.platform == "win32", reason="no links, no queues")
def test_addresses_of_killed_programs_are_removed(
    start: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither that of a program that runs, nor a person's own page, link or queue of such a name."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr("webbrowser.open", lambda _: None)
    running, new = start(), start()
    running.server.open_browser()
    (door,) = tmp_path.glob("*.html")
    text = door.read_text()
    for name, content in (("left", text), ("mine", f"{text}<p>My notes"), ("linked", "")):
        (tmp_path / f"coachwhip-{name}.html").write_text(content)
    (tmp_path / "target").write_text(text)
    (tmp_path / "coachwhip-link.html").symlink_to(tmp_path / "target")
    os.mkfifo(tmp_path / "coachwhip-queue.html")
    before = {*tmp_path.glob("*.html")}
    new.server.open_browser()
    assert before - {*tmp_path.glob("*.html")} == {tmp_path / "coachwhip-left.html"}
    assert (tmp_path / "target").exists()


def test_castling_squares_of_chess960(start: Any) -> None:
    """The king may be put on its rook always, on its square unless that is a step of the king."""
    client = start(Replies([]), chess.Board("4k3/8/8/8/8/8/8/R4K1R w KQ - 0 1", chess960=True))
    squares = {move["san"]: move["to"] for move in client.game.state()["legal"]}
    assert (squares["O-O"], squares["O-O-O"], squares["Kg1"]) == (["h1"], ["c1", "a1"], ["g1"])


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT for one process")
def test_the_command_keeps_the_game_at_ctrl_c(tmp_path: Path) -> None:
    """It prints the address at once; a port that is taken is named."""
    pgn, fen = tmp_path / "games.pgn", "k7/8/8/8/8/8/8/K6R w - - 0 1"
    command = [sys.executable, *"-m coachwhip play --browser --no-open --pgn".split(), str(pgn), "--fen", fen]
    env = {**environment(), "XDG_DATA_HOME": str(tmp_path), "HOME": str(tmp_path)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=env) as process:
        assert process.stdout
        host, _, token = process.stdout.readline().split("//")[1].strip().partition("/")
        port = host.split(":")[1]
        taken = subprocess.run(
            [*command, "--port", port], capture_output=True, text=True, check=False, timeout=60, env=env
        )
        connection = http.client.HTTPConnection(host)
        connection.request("GET", f"/{token}")
        key = re.findall('"coachwhip", "(.*?)"', connection.getresponse().read().decode())[0]
        body = json.dumps({"do": "move", "text": "Rh7", "fen": fen})
        connection = http.client.HTTPConnection(host)
        connection.request("POST", f"/do?key={key}", body, {"Origin": f"http://{host}"})
        assert connection.getresponse().status == 200
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 0
    assert (taken.returncode, f"port {port} cannot be used" in taken.stderr) == (2, True)
    assert "1. Rh7" in pgn.read_text(encoding="utf-8")


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL")
def test_a_game_of_a_program_that_was_killed_is_offered(tmp_path: Path) -> None:
    """With its clocks and its place in the file of games.

    Not to another user, while a program plays it, or where a position is given.
    """
    pgn, folder = tmp_path / "games.pgn", tmp_path / "data"
    env = {**environment(), "XDG_DATA_HOME": str(folder), "HOME": str(folder)}
    command = [
        sys.executable,
        *"-m coachwhip play --browser --no-open --elo 1200 --time 5+3 --pgn".split(),
        str(pgn),
    ]

    def run(*more: str) -> tuple[subprocess.Popen[str], Any]:
        process = subprocess.Popen([*command, *more], stdout=subprocess.PIPE, text=True, env=env)
        assert process.stdout
        host, _, token = process.stdout.readline().split("//")[1].strip().partition("/")
        connection = http.client.HTTPConnection(host)
        connection.request("GET", f"/{token}")
        key = re.findall('"coachwhip", "(.*?)"', connection.getresponse().read().decode())[0]

        def do(**values: str) -> Any:
            connection.request("POST", f"/do?key={key}", json.dumps(values), {"Origin": f"http://{host}"})
            return json.loads(connection.getresponse().read())

        return process, do

    def stop(process: subprocess.Popen[str], number: int) -> None:
        process.send_signal(number)
        process.communicate(timeout=20)

    first, do = run()
    assert (folder / "coachwhip" / "unfinished").stat().st_mode & 0o77 == 0
    assert do(do="state")["offer"] == ""
    do(do="move", text="e4", fen=chess.STARTING_FEN)
    while not (state := do(do="state"))["legal"]:
        time.sleep(0.05)
    kept, move = folder / "coachwhip" / "unfinished", f" {state['moves'].split()[-1]} "
    while not any(move in path.read_text() for path in kept.glob("*.pgn")):
        time.sleep(0.01)
    other, do_other = run()
    assert do_other(do="state")["offer"] == ""
    stop(other, signal.SIGINT)
    stop(first, signal.SIGKILL)
    given, do = run("--fen", "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1")
    assert do(do="state")["offer"] == ""
    stop(given, signal.SIGINT)
    for number, again in enumerate(("resume", "resume", "discard")):
        process, do = run()
        assert "it has reached move 2" in do(do="state")["offer"]
        resumed = do(do=again)
        assert (resumed["moves"], resumed["offer"]) == ("" if again == "discard" else state["moves"], "")
        if again == "resume":
            assert resumed["names"] == state["names"]
            assert 300 < resumed["clocks"][1] <= 303
        stop(process, signal.SIGINT)
        assert pgn.read_text().count("[Event ") == 1, number
    process, do = run()
    assert do(do="state")["offer"] == ""
    stop(process, signal.SIGINT)


# --- In Chromium ---


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """One browser for all tests."""
    with Browser(tmp_path_factory.mktemp("chromium")) as browser:
        yield browser


def square(name: str, side: str = "white") -> str:
    """A square of the board with this side at the bottom."""
    return f".board[data-side={side}] rect.{name}"


def wait_for(tab: Tab, moves: str) -> None:
    """Wait until the page shows these moves."""
    tab.wait(f"document.querySelector('.record')?.textContent === {json.dumps(moves)}")


@pytest.mark.needs_program(CHROMIUM)
def test_a_whole_game_by_clicks(chromium: Browser, start: Any) -> None:
    """With a promotion, castling, a drag, a reload, a second tab, a written move and the PGN."""
    client = start(Replies(BLACK))
    tab = chromium.open(client.address)
    wait_for(tab, "No moves yet.")
    board, shown = chess.Board(), ""
    other = None
    for number, san in enumerate(WHITE, start=1):
        move = board.parse_san(san)
        origin, target = map(chess.square_name, (move.from_square, move.to_square))
        if san == "a5":
            tab.go(f"http://{client.host}/")
            wait_for(tab, shown)
        if san == "e4":
            tab.click("#text")
            tab.type("d5\r")
            assert tab.wait("document.querySelector('.message').textContent") == "d5 is not legal here."
            tab.value("document.querySelector('#text').value = ''")
            tab.type("e4\r")
        elif san == "Nh3":  # by the other tab
            other = chromium.open(f"http://{client.host}/", 390)
            wait_for(other, shown)
            other.drag(square(origin), square(target))
        elif san == "O-O":
            tab.click(square("e1"), square("h1"))
        else:
            tab.click(square(origin), square(target))
        if move.promotion:
            tab.click("dialog[open] button")
        board.push(move)
        shown += f"{' ' * (number > 1)}{number}. {san}"
        if number <= len(BLACK):
            board.push_san(BLACK[number - 1])
            shown += f" {BLACK[number - 1]}"
        wait_for(tab, shown)
    assert other
    wait_for(other, shown)
    assert "You win by checkmate: 1-0" in tab.value("document.querySelector('.status').textContent")
    game = chess.pgn.read_game(
        io.StringIO(
            tab.value("fetch(document.querySelector('a[download]').href).then((answer) => answer.text())")
        )
    )
    assert game
    assert (game.end().board().fen(), game.headers["Result"]) == (board.fen(), "1-0")
    label = tab.value("document.querySelector('.board svg').getAttribute('aria-label')")
    assert label.startswith("Board: 10. Qh5#. White: king g1, queens a8 h5, rooks a1 f1,")


@pytest.mark.needs_program(CHROMIUM)
def test_seven_tabs_show_each_move(chromium: Browser, start: Any) -> None:
    """A browser opens six connections to an address."""
    client = start(Replies(["e5"]))
    tabs = [chromium.open(client.address)]
    tabs += [chromium.open(f"http://{client.host}/") for _ in range(6)]
    for tab in tabs:
        wait_for(tab, "No moves yet.")
    tabs[6].click(square("e2"), square("e4"))
    for tab in tabs:
        wait_for(tab, "1. e4 e5")


@pytest.mark.needs_program(CHROMIUM)
def test_the_page_in_a_game(chromium: Browser, start: Any) -> None:
    """Black at the bottom, dots, hint, lines, and the report after the game.

    It fits a phone, and another origin's page gets nothing.
    """
    client = start(board=chess.Board("4k3/8/8/8/8/8/4P3/4K3 b - - 0 1"))
    tab = chromium.open(client.address, 390)
    tab.wait("/Your move/.test(document.querySelector('.status')?.textContent)")
    tab.click(square("e1"))
    assert (
        tab.value("document.querySelectorAll('.board[data-side=white] .targets circle').length")
        == len(list(client.game.game.board.legal_moves)) - 2
    )
    tab.click("[data-do=hint]", "#shows-lines")
    tab.wait("document.querySelector('.message').textContent.startsWith('Perhaps')")
    tab.wait("document.querySelectorAll('.lines li').length === 3")
    assert tab.value(
        "document.documentElement.scrollWidth <= innerWidth && "
        "!document.querySelector('#analyse').offsetWidth"
    )
    tab.click("#flip", square("e2", "black"), square("e3", "black"))
    client.wait(3)
    tab.click("[data-do=threat]")
    tab.wait("/threatens|in check/.test(document.querySelector('.message').textContent)")
    tab.click(".record a")
    # The page follows the address only later.
    tab.wait("location.hash === '#1' && !one('[data-step=leave]').hidden")
    tab.click("[data-step=leave]")
    tab.wait("!location.hash && one('[data-step=leave]').hidden")
    tab.click("[data-do=resign]")
    tab.wait("one('[data-do=resign]').textContent === 'Resign?'")
    assert not client.game.game.ending
    tab.click("[data-do=resign]")
    tab.wait("!document.querySelector('#end').hidden")
    assert (
        tab.value("all('[data-do]:disabled').map((button) => button.dataset.do).join()")
        == "hint,threat,draw,resign"
    )
    assert tab.value("all('.lines li').length") == 0  # those of a position that has gone
    tab.click("#analyse")
    tab.wait("location.pathname === '/report' && document.querySelectorAll('a.move').length === 3")
    assert tab.value("one('.stage').classList.contains('flipped')") is False  # White is the person
    tab.click("header a")
    tab.wait("location.pathname === '/' && /You lose/.test(document.querySelector('.status')?.textContent)")
    tab.click("#open", "#start")
    tab.type("hello")
    tab.click("#new button")
    tab.wait("/^This PGN: /.test(one('#fault').textContent)")
    tab.value("one('#start').value = '1. f3 e5 2. g4 Qh4# 0-1'")  # one's own finished game
    tab.click("#study")
    tab.wait("location.pathname === '/report' && document.querySelectorAll('a.move').length === 4")
    tab.click(".card [data-play]")
    tab.wait("document.querySelector('#setup[open] textarea')?.value.endsWith(' w KQkq - 0 1')")
    assert tab.value("one('#color').value") == "white"
    tab.click("#setup .close", "#mine")
    tab.wait("!!one('#games[open] li button')")
    tab.click("#games li button")
    tab.wait("location.pathname === '/report' && document.querySelectorAll('a.move').length === 3")
    tab.go("data:text/html,<title>another site</title>")
    for path in (f"game.pgn{client.key}", "do"):
        assert (
            tab.value(f"fetch('http://{client.host}/{path}').then(() => 'read', () => 'blocked')")
            == "blocked"
        )


@pytest.mark.needs_program(CHROMIUM)
def test_lines_bar_and_board_show_one_position(chromium: Browser, start: Any) -> None:
    """Looking back, too; a hint is gone with its position.

    The complaint about a move is gone as soon as another one is written.
    """
    client = start(Replies(["e5", "Nc6"]))
    tab = chromium.open(client.address)
    wait_for(tab, "No moves yet.")
    client.do("move", text="e4")
    client.wait(2)
    client.do("move", text="Nf3")
    wait_for(tab, "1. e4 e5 2. Nf3 Nc6")
    tab.click("#shows-lines")
    numbers = "all('.lines li').map((line) => line.textContent.split(' ')[1]).join()"
    tab.wait(f"{numbers} === '3.,3.,3.'")
    for key, number in (("ArrowLeft", "2..."), ("ArrowLeft", "2."), ("ArrowLeft", "1...")):
        tab.press(key)
        assert tab.value(f"{numbers} + one('.bar').hidden") == "true"
        tab.wait(
            f"{numbers}.split(',').every((each) => each.startsWith('{number}'))"
            " && all('.lines li').length === 3"
        )
    tab.click(".lines li:nth-child(2) a")
    tab.wait("location.hash === '#1-2-1' && one('.lines a[aria-current]')?.hash === '#1-2-1'")
    label = tab.value("one('.board svg').getAttribute('aria-label')")
    assert tab.value("one('.lines a[aria-current]').textContent") in label
    tab.click("[data-step=leave]", "#text")
    tab.type("Kh8\r")
    tab.wait("one('.message').textContent === 'Kh8 is not legal here.'")
    tab.type("x")
    assert tab.value("one('.message').textContent") == ""


@pytest.mark.needs_program(CHROMIUM)
@pytest.mark.parametrize(
    "storage",
    [
        (
            "Object.defineProperty(window, 'localStorage', "
            "{ get() { throw new DOMException('blocked', 'SecurityError'); } })"
        ),
        "Object.defineProperty(window, 'localStorage', { value: undefined })",
        "Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError'); }",
    ],
    ids=["blocked", "absent", "full"],
)
def test_a_browser_that_keeps_nothing(storage: str, chromium: Browser, start: Any) -> None:
    """The key stays in the address: through a reload, an earlier position, the report and the way back."""
    client = start(Replies(["e5"]))
    tab = chromium.open("data:text/html,<title>empty</title>")
    tab.send("Page.enable")
    tab.send("Page.addScriptToEvaluateOnNewDocument", source=storage)
    tab.go(client.address)
    wait_for(tab, "No moves yet.")
    tab.click(square("e2"), square("e4"))
    wait_for(tab, "1. e4 e5")
    tab.value("document.title = 'before', location.reload()")
    tab.wait("document.title !== 'before'")
    wait_for(tab, "1. e4 e5")
    tab.click(".record a")
    tab.wait("!one('[data-step=leave]').hidden")
    tab.click("[data-step=leave]", "[data-do=resign]", "[data-do=resign]")
    tab.wait("!one('#end').hidden")
    tab.click("#analyse")
    tab.wait("location.pathname === '/report' && document.querySelectorAll('a.move').length === 2")
    tab.click("header a")
    tab.wait("location.pathname === '/'")
    wait_for(tab, "1. e4 e5")
