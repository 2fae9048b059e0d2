# SPDX-License-Identifier: GPL-3.0-or-later
"""What the commands work on: what an option changes in it, also before there is an engine, and what a refused one leaves."""

from __future__ import annotations

import gc
import random
import re
import weakref
from types import SimpleNamespace
from typing import Any

import chess
import pytest
from coachwhip.uci.host import Host
from coachwhip.uci.options import TABLE
from coachwhip.uci.parse import PositionCommand


class RecordingEngine:
    """Remembers what its search may ask; MemoryError where it is told to have no room."""

    def __init__(self, weights: list[int], hash_mb: int, tunables: dict[str, int], network: bytes | None) -> None:  # noqa: ARG002
        self.weights = weights
        self.network = network
        self.hash_mb = hash_mb
        self.asked: tuple[Any, ...] = ()
        self.full = False

    def set_tablebase(self, *asked: Any) -> None:
        if self.full:
            raise MemoryError
        self.asked = asked

    def set_hash(self, mb: int) -> None:
        self.hash_mb = mb

    def set_weights(self, weights: list[int]) -> None:
        self.weights = weights

    def set_network(self, network: bytes | None) -> None:
        if self.full:
            raise MemoryError
        self.network = network

    def clear_hash(self) -> None:
        pass


class Tables:
    """Stand-in for tables of at most five men."""

    max_pieces = 5
    summary = "none"

    def __init__(self, _path: str) -> None:
        self.rule50: bool | None = None

    def probe(self, _fen: str) -> None:
        pass

    def close(self) -> None:
        pass


@pytest.fixture
def host(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr("coachwhip.uci.tablebase.Tablebase", Tables)
    core = SimpleNamespace(
        Engine=RecordingEngine,
        Position=lambda fen, chess960: SimpleNamespace(fen=fen, chess960=chess960),
        STARTPOS_FEN="start",
    )
    config = SimpleNamespace(evaluator=lambda path="": ([len(path)], path.encode() or None))
    return Host(core, config)


SETTINGS = {
    "Hash": "33",
    "UCI_Chess960": "true",
    "Syzygy50MoveRule": "false",
    "SyzygyProbeDepth": "9",
    "SyzygyProbeLimit": "4",
    "SyzygyPath": "tables",
    "WeightsFile": "four",
}


@pytest.mark.parametrize("ready", [False, True], ids=["before there is an engine", "with an engine"])
@pytest.mark.parametrize("names", [list(SETTINGS), list(SETTINGS)[::-1]], ids=["in order", "backwards"])
def test_options_reach_what_they_steer(host: Any, names: list[str], ready: bool) -> None:
    if ready:
        host.make_ready()
    assert [host.set_option(name, SETTINGS[name]) for name in names] == [""] * len(names)
    host.make_ready()
    assert (host.engine.hash_mb, host.engine.weights, host.engine.network) == (33, [4], b"four")
    assert host.position.chess960 is True
    assert host.tables.rule50 is False
    assert host.engine.asked == (host.tables.probe, 4, 9)
    host.share_tables(in_search=False)
    assert host.engine.asked == (None,)
    host.share_tables()
    assert host.engine.asked == (host.tables.probe, 4, 9)
    host.set_option("SyzygyProbeLimit", "7")
    assert host.engine.asked == (host.tables.probe, 5, 9)


@pytest.mark.parametrize("name", ["SyzygyProbeDepth", "SyzygyProbeLimit"])
def test_what_the_engine_refuses_is_not_remembered(host: Any, name: str) -> None:
    host.set_option("SyzygyPath", "tables")
    host.make_ready()
    before = host.options[name], host.engine.asked
    host.engine.full = True
    assert host.set_option(name, "3").startswith(f"{name}: not enough memory, keeping {before[0]}")
    host.engine.full = False
    host.share_tables()
    assert (host.options[name], host.engine.asked) == before


def test_a_network_that_the_engine_refuses_is_not_remembered(host: Any) -> None:
    host.set_option("WeightsFile", "four")
    host.make_ready()
    host.engine.full = True
    assert host.set_option("WeightsFile", "other").startswith("WeightsFile: not enough memory")
    host.engine.full = False
    assert (host.options["WeightsFile"], host.engine.weights, host.engine.network) == ("four", [4], b"four")
    assert host.set_option("WeightsFile", "other") == ""
    assert (host.engine.weights, host.engine.network) == ([5], b"other")


def test_the_options_alone_hold_their_values(host: Any) -> None:
    """The host has what was made or opened for them: no number, switch or name of a file."""
    for name, text in SETTINGS.items():
        host.set_option(name, text)
    host.make_ready()
    plain = {name: value for name, value in vars(host).items() if isinstance(value, (bool, int, str))}
    del plain["_random_seed"]
    assert plain == {"refusal": "", "games": 0}
    assert {entry.name: host.options[entry.name] for entry in TABLE if entry.name in SETTINGS} == {
        "Hash": 33,
        "UCI_Chess960": True,
        "SyzygyPath": "tables",
        "SyzygyProbeDepth": 9,
        "Syzygy50MoveRule": False,
        "SyzygyProbeLimit": 4,
        "WeightsFile": "four",
    }


def test_castling_rights_are_those_of_the_mode() -> None:
    """Kings and rooks anywhere on their ranks, read again in the other mode: python-chess's moves in both."""
    rng = random.Random("rights")
    host = Host()
    for _ in range(200):
        rows, rights = [], ""
        for king, rook in ("KR", "kr"):
            row = ["1"] * 8
            place = rng.choice((1, 2, 3, 4, 4, 4, 5, 6))
            row[place] = king
            for wing, sides in zip(("Q", "K"), (range(place), range(place + 1, 8)), strict=True):
                at = rng.choice((sides[0], sides[-1], rng.choice(sides)))
                row[at] = rook
                letter = rng.choice((wing, wing, "ABCDEFGH"[at], ""))
                rights += letter if king == "K" else letter.lower()
            rows.append(re.sub("1+", lambda empty: str(len(empty[0])), "".join(row)))
        fen = f"{rows[1]}/8/8/8/8/8/8/{rows[0]} w {rights or '-'} - 0 1"
        if not chess.Board(fen).is_valid() and not chess.Board(fen, chess960=True).is_valid():
            continue
        for chess960 in (False, True):
            host.set_option("UCI_Chess960", str(chess960))
            host.set_position(PositionCommand(fen, []))
            board = chess.Board(fen, chess960=chess960)
            assert sorted(host.position.legal_moves()) == sorted(move.uci() for move in board.legal_moves), fen
            assert host.position.fen() == board.fen(shredder=chess960), fen


def test_a_host_that_nobody_holds_is_gone_at_once() -> None:
    """Its table may be large, and the garbage collector does not know how large."""
    gc.disable()
    try:
        host = Host()
        host.set_option("Hash", "1")
        held = weakref.ref(host)
        del host
        assert held() is None
    finally:
        gc.enable()
