# SPDX-License-Identifier: GPL-3.0-or-later
"""The UCI client of the measuring tools: starts, options, ends, replies, `info` lines."""

import os
import shlex
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import chess
import pytest
from coachwhip.bench.engines.client import (
    FOREIGN_LINES,
    Client,
    Patience,
    check_engines,
    legal_move,
    read_option,
    setoption,
)
from coachwhip.bench.engines.faults import CRASH, STALL, EngineFault, StartError
from coachwhip.bench.engines.info import Info, read_info, reported_nodes
from coachwhip.bench.engines.spec import EngineSpec
from places import STUB
from uci_process import TIMEOUT

MakeClient = Callable[..., Client]
HEARS = """
import sys
print("option name File type string", "uciok", sep="\\n", flush=True)
for line in sys.stdin.buffer:
    with open(sys.argv[1], "ab") as file: file.write(line)
    if line == b"isready\\n": print("readyok", flush=True)
"""
MANY = """
for number in range(BANNER): print("Loading", number)
for number in range(2000): print(f"option name A {number} type spin default 1 min 1 max 9")
print("uciok", flush=True)
for line in iter(input, "quit"): print("readyok", flush=True)
"""


@pytest.fixture
def make_client() -> Iterator[MakeClient]:
    """Makes clients of the stub, ended after the test."""
    clients: list[Client] = []

    def make(role: str, **options: str) -> Client:
        clients.append(Client(EngineSpec((sys.executable, str(STUB), *shlex.split(role)), "", options)))
        return clients[-1]

    yield make
    for client in clients:
        client.end()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"Hahs": "3"}, "good has no option Hahs; did you mean Hash?"),
        ({"Nonsense": "1"}, "good has no option Nonsense$"),
        ({"hash": "65"}, "Hash.* at most 64"),
        ({"Hash": "many"}, "many"),
        ({"UCI_Chess960": "true"}, "automatically managed"),
    ],
)
def test_an_option_that_an_engine_does_not_take_is_named(
    options: dict[str, str], message: str, make_client: MakeClient
) -> None:
    with pytest.raises(StartError, match=message):
        make_client("good", **options).start()


@pytest.mark.parametrize(
    ("line", "value", "command"),
    [
        ("option name Clear Hash type button", "x", "setoption name Clear Hash"),
        ("option name Use NNUE type check default true", "false", "setoption name Use NNUE value false"),
        (
            "option name Move Overhead type spin min -5 max 9 default 1",
            "-5",
            "setoption name Move Overhead value -5",
        ),
        (
            "option name Style type combo default Very Solid var Very Solid var Risky",
            "Risky",
            "setoption name Style value Risky",
        ),
        (
            "option name Style type combo var Very Solid var Risky default Risky",
            "Very Solid",
            "setoption name Style value Very Solid",
        ),
        ("option name File type string default <empty>", "C:\\a b", "setoption name File value C:\\a b"),
    ],
)  # fmt: skip
def test_options_of_every_type_are_set(line: str, value: str, command: str) -> None:
    option = read_option(line)
    assert option
    assert setoption(option, value) == command


@pytest.mark.skipif(os.name == "nt", reason="file names are Unicode on Windows")
def test_a_file_name_that_is_not_utf8_reaches_the_engine_as_it_is(tmp_path: Path) -> None:
    heard = tmp_path / "heard"
    client = Client(
        EngineSpec((sys.executable, "-c", HEARS, str(heard)), "", {"File": os.fsdecode(b"caf\xe9")})
    )
    client.start()
    client.close()
    assert b"setoption name File value caf\xe9\n" in heard.read_bytes()


def test_a_banner_and_many_options_are_no_garbage() -> None:
    for banner in (FOREIGN_LINES - 1, FOREIGN_LINES):
        client = Client(
            EngineSpec((sys.executable, "-c", MANY.replace("BANNER", str(banner))), "", {"A 1999": "9"})
        )
        if banner < FOREIGN_LINES:
            client.start()
        else:
            with pytest.raises(StartError, match="not UCI, the first one 'Loading 0'"):
                client.start()
        client.close(politely=True)


@pytest.mark.parametrize(("role", "reason"), [("stall", STALL), ("killed", CRASH)])
def test_a_failure_gives_the_process_up_and_the_next_game_starts_another(
    make_client: MakeClient, role: str, reason: str
) -> None:
    client, patience = make_client(role), Patience(after_line=0.3 if role == "stall" else TIMEOUT)
    for _ in range(2):
        client.new_game()
        with pytest.raises(EngineFault) as caught:
            client.go("position startpos", "go nodes 5", patience)
        assert caught.value.reason == reason
    with pytest.raises(EngineFault, match="no process"):
        client.go("position startpos", "go nodes 5", patience)


def test_the_name_that_an_engine_reports_is_printable() -> None:
    code = r"input(); print('id name \033[31mred\nuciok', flush=True); "
    code += "input(); print('readyok', flush=True); input()"
    (name,) = check_engines([EngineSpec((sys.executable, "-c", code), "", {})])
    assert name == "?[31mred"


def test_a_move_in_capitals_is_no_illegal_one() -> None:
    assert legal_move(chess.Board(), "E2E4").uci() == "e2e4"
    assert legal_move(chess.Board("8/4P3/8/8/8/k7/8/K7 w - - 0 1"), "e7e8N").uci() == "e7e8n"
    assert legal_move(chess.Board("k7/8/8/8/8/8/8/4K2R w H - 0 1", chess960=True), "E1H1").uci() == "e1h1"


@pytest.mark.parametrize(
    ("line", "info"),
    [
        (
            "info depth 7 seldepth 9 multipv 2 score cp -35 nodes 12 pv e2e4 e7e5",
            Info(7, 12, -35, None, 2, False, None, ("e2e4", "e7e5")),
        ),
        ("info depth 7 score mate -3 upperbound nodes 5", Info(7, 5, None, -3, 1, True)),
        ("info score cp 99999999999999999999 depth 1_0 nodes x pv", Info()),
        ("info depth 3 score cp +5", Info(3, None, 5)),
        ("info", Info()),
        ("info string depth 3 score cp 5 nodes 9", None),
        ("info depth 1 pv e2e4 score cp 10 nodes 5 nps 9", Info(1, 5, 10, None, 1, False, 9, ("e2e4",))),
        (
            "info pv e2e4 E7E8Q upperbound score cp 3 multipv 2",
            Info(None, None, 3, None, 2, True, None, ("e2e4", "E7E8Q")),
        ),
        ("info pv e2e4 wdl 1 2 3 score mate 1 time 4 tbhits 0", Info(mate=1, pv=("e2e4",))),
        ("info score cp 3 pv e2e4 refutation d1h5 g6h5 nodes 7", Info(nodes=7, cp=3, pv=("e2e4",))),
        ("info pv e2e4 currline 1 d2d4 d7d5 score cp 3", Info(cp=3, pv=("e2e4",))),
        ("info score cp 3 pv e2e4 string cp 9 nodes 7 pv d2d4", Info(cp=3, pv=("e2e4",))),
        ("info pv currmove e2e4 currmovenumber 1 hashfull 3", Info()),
        ("bestmove e2e4", None),
        ("", None),
    ],
)
def test_info_lines_are_read(line: str, info: Info | None) -> None:
    assert read_info(line) == info
    assert reported_nodes(line) == ((info and info.nodes) or 0)
