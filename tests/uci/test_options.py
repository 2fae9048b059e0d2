# SPDX-License-Identifier: GPL-3.0-or-later
"""Options in a session: what a value may be, and what it changes, also before there is an engine.

A rejected value changes nothing.
"""

from __future__ import annotations

import gc
import weakref
from types import SimpleNamespace
from typing import Any

import pytest
from coachwhip.core import engine as core
from coachwhip.evaluation import config
from coachwhip.uci.session import Session


class RecordingEngine:
    """Remembers what its search may ask; MemoryError if it is `full`."""

    full = False
    asked: tuple[Any, ...] = ()

    def __init__(
        self,
        weights: list[int],
        hash_mb: int,
        tunables: dict[str, int],  # noqa: ARG002
        network: bytes | None,
    ) -> None:
        self.weights, self.hash_mb, self.network = weights, hash_mb, network

    def set_tablebase(self, *asked: Any) -> None:
        self._have_room()
        self.asked = asked

    def set_hash(self, mb: int) -> None:
        self.hash_mb = mb

    def set_weights(self, weights: list[int]) -> None:
        self.weights = weights

    def set_network(self, network: bytes | None) -> None:
        self._have_room()
        self.network = network

    def set_threads(self, _: int) -> None:
        self._have_room()

    def clear_hash(self) -> None:
        pass

    def _have_room(self) -> None:
        if self.full:
            raise MemoryError


@pytest.fixture
def session(monkeypatch: pytest.MonkeyPatch) -> Any:
    """With stand-ins for the engine, for tables of at most five pieces, and for files of weights."""

    def tables(_path: str) -> Any:
        return SimpleNamespace(max_pieces=5, summary="none", rule50=None, probe=print, close=print)

    monkeypatch.setattr("coachwhip.uci.tablebase.Tablebase", tables)
    monkeypatch.setattr(core, "Engine", RecordingEngine)
    monkeypatch.setattr(config, "evaluator", lambda path: ([len(path)], path.encode() or None))
    return Session()


SETTINGS = {
    "HASH": "0033",
    "UCI_Chess960": "TRUE",
    "Syzygy50MoveRule": "false",
    "SyzygyProbeDepth": "9",
    "syzygyprobelimit": "4",
    "SyzygyPath": "tables",
    "WeightsFile": "four",
    "Clear Hash": None,
    "Threads": "256",
    "Move Overhead": "0",
}


@pytest.mark.parametrize("ready", [False, True], ids=["before there is an engine", "with an engine"])
@pytest.mark.parametrize("names", [list(SETTINGS), list(SETTINGS)[::-1]], ids=["in order", "backwards"])
def test_options_take_effect(session: Any, names: list[str], ready: bool) -> None:
    if ready:
        session.make_ready()
    assert [session.set_option(name, SETTINGS[name]) for name in names] == [""] * len(names)
    session.make_ready()
    assert (session.engine.hash_mb, session.engine.weights, session.engine.network) == (33, [4], b"four")
    assert (session.options.number("Threads"), session.options.number("Move Overhead")) == (256, 0)
    assert session.position.chess960 is True
    assert session.tables.rule50 is False
    assert session.engine.asked == (session.tables.probe, 4, 9)
    session.share_tables(in_search=False)
    assert session.engine.asked == (None,)
    session.share_tables()
    assert session.engine.asked == (session.tables.probe, 4, 9)
    session.set_option("SyzygyProbeLimit", "7")
    assert session.engine.asked == (session.tables.probe, 5, 9)
    session.set_option("WeightsFile", "<empty>")
    assert (session.options.text("WeightsFile"), session.engine.network) == ("", None)


def test_what_the_engine_rejects_is_not_remembered(session: Any) -> None:
    session.set_option("SyzygyPath", "tables")
    session.set_option("WeightsFile", "four")
    session.make_ready()
    before = session.engine.asked
    session.engine.full = True
    assert session.set_option("SyzygyProbeDepth", "3") == "SyzygyProbeDepth: not enough memory, keeping 6"
    assert session.set_option("WeightsFile", "other") == "WeightsFile: not enough memory, keeping four"
    session.engine.full = False
    session.share_tables()
    assert (session.options.number("SyzygyProbeDepth"), session.engine.asked) == (6, before)
    assert (session.options.text("WeightsFile"), session.engine.weights, session.engine.network) == (
        "four",
        [4],
        b"four",
    )
    assert session.set_option("WeightsFile", "other") == ""
    assert (session.engine.weights, session.engine.network) == ([5], b"other")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        *(
            ("Hash", text)
            for text in ("0", "-16", "1000000000000", "9" * 5000, "abc", "1_000", "16.0", "", None)
        ),
        ("Threads", "257"),
        ("MultiPV", "0"),
        ("UCI_Chess960", "yes"),
        ("UCI_Chess960", ""),
        ("Ponder", None),
        ("WeightsFile", None),
    ],
)
def test_bad_values_change_nothing_and_are_named(session: Session, name: str, text: str | None) -> None:
    before = session.options.values.copy()
    complaint = session.set_option(name, text)
    assert complaint.startswith(f"{name}: ")
    assert "keeping" in complaint
    assert complaint.isprintable()
    assert session.options.values == before


def test_messages_are_short_and_printable(session: Session) -> None:
    def log_to(_: str) -> None:
        raise FileNotFoundError("no file")

    assert session.set_option("Debug Log File", "x" * 201) == ""
    session.log_to = log_to
    assert session.set_option("Debug Log File", "y") == f"Debug Log File: no file; keeping {'x' * 200}..."
    assert session.set_option("No Such\nThing", "5") == "no option named 'No Such?Thing'"


def test_a_session_that_nobody_holds_is_freed_at_once() -> None:
    """Its table may be large, and the garbage collector does not know how large."""
    gc.disable()
    try:
        session = Session()
        session.set_option("Hash", "1")
        held = weakref.ref(session)
        del session
        assert held() is None
    finally:
        gc.enable()
