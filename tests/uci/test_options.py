# SPDX-License-Identifier: GPL-3.0-or-later
"""The option table: what is advertised, what a value may be, and that a refused value changes nothing."""

from __future__ import annotations

import pytest
from coachwhip.uci.options import TABLE, Options
from hypothesis import given
from hypothesis import strategies as st


class Host:
    """Records what the table changes, and refuses what it is told to."""

    def __init__(self) -> None:
        self.changes: list[tuple[str, object]] = []
        self.refuse: Exception | None = None

    def _change(self, name: str, value: object) -> None:
        if self.refuse:
            raise self.refuse
        self.changes.append((name, value))

    def set_hash(self, mb: int) -> None:
        self._change("hash", mb)

    def set_threads(self, threads: int) -> None:
        self._change("threads", threads)

    def clear_hash(self) -> None:
        self._change("clear", None)

    def set_chess960(self, on: bool) -> None:
        self._change("chess960", on)

    def set_syzygy_path(self, path: str) -> None:
        self._change("syzygy", path)

    def set_syzygy_depth(self, depth: int) -> None:
        self._change("syzygy depth", depth)

    def set_syzygy_rule50(self, on: bool) -> None:
        self._change("syzygy rule50", on)

    def set_syzygy_limit(self, pieces: int) -> None:
        self._change("syzygy limit", pieces)

    def set_own_book(self, on: bool) -> None:
        self._change("own book", on)

    def set_book_file(self, path: str) -> None:
        self._change("book", path)

    def set_weights_file(self, path: str) -> None:
        self._change("weights", path)

    def set_debug_log(self, path: str) -> None:
        self._change("log", path)

    def set_tunable(self, name: str, value: int) -> None:
        self._change(name, value)


@pytest.fixture
def host() -> Host:
    return Host()


@pytest.fixture
def options() -> Options:
    return Options()


def test_what_is_advertised() -> None:
    assert [(entry.name, entry.kind, entry.default) for entry in TABLE] == [
        ("Hash", "spin", 16),
        ("Threads", "spin", 1),
        ("Clear Hash", "button", None),
        ("Ponder", "check", False),
        ("MultiPV", "spin", 1),
        ("Move Overhead", "spin", 30),
        ("UCI_Chess960", "check", False),
        ("UCI_ShowWDL", "check", False),
        ("UCI_LimitStrength", "check", False),
        ("UCI_Elo", "spin", 1500),
        ("UCI_AnalyseMode", "check", False),
        ("SyzygyPath", "string", ""),
        ("SyzygyProbeDepth", "spin", 6),
        ("Syzygy50MoveRule", "check", True),
        ("SyzygyProbeLimit", "spin", 7),
        ("OwnBook", "check", False),
        ("BookFile", "string", ""),
        ("BookBestMove", "check", False),
        ("Seed", "spin", 0),
        ("WeightsFile", "string", ""),
        ("Debug Log File", "string", ""),
    ]


def test_defaults_can_be_read_by_every_client() -> None:
    """python-chess splits an option line at these words, wherever they stand, and insists on defaults in range."""
    for entry in TABLE:
        assert not {"name", "type", "default", "min", "max", "var"} & set(entry.name.lower().split())
        if entry.kind == "spin":
            assert isinstance(entry.default, int)
            assert entry.minimum <= entry.default <= entry.maximum


@pytest.mark.parametrize(
    ("name", "text", "value", "changes"),
    [
        ("Hash", "1", 1, [("hash", 1)]),
        ("hash", "65536", 65536, [("hash", 65536)]),
        ("HASH", "0064", 64, [("hash", 64)]),
        ("Threads", "256", 256, [("threads", 256)]),
        ("multipv", "256", 256, []),
        ("move overhead", "0", 0, []),
        ("Move Overhead", "5000", 5000, []),
        ("Ponder", "true", True, []),
        ("UCI_Chess960", "TRUE", True, [("chess960", True)]),
        ("uci_chess960", "false", False, [("chess960", False)]),
        ("WeightsFile", "my file.py", "my file.py", [("weights", "my file.py")]),
        ("WeightsFile", "<empty>", "", [("weights", "")]),
        ("WeightsFile", "", "", [("weights", "")]),
    ],
)
def test_good_values(host: Host, options: Options, name: str, text: str, value: object, changes: list[object]) -> None:
    assert options.set(name, text, host) == ""
    assert {entry.name.lower(): options[entry.name] for entry in TABLE}[name.lower()] == value
    assert host.changes == changes


def test_button(host: Host, options: Options) -> None:
    assert options.set("clear hash", None, host) == ""
    assert options.set("Clear Hash", "whatever", host) == ""
    assert host.changes == [("clear", None)] * 2


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Hash", "0"),
        ("Hash", "-16"),
        ("Hash", "1000000000000"),
        ("Hash", "9" * 5000),
        ("Hash", "abc"),
        ("Hash", "1_000"),
        ("Hash", "16.0"),
        ("Hash", ""),
        ("Hash", None),
        ("Threads", "1000000"),
        ("Threads", "257"),
        ("Threads", "0"),
        ("MultiPV", "0"),
        ("MultiPV", "257"),
        ("Move Overhead", "5001"),
        ("UCI_Chess960", "yes"),
        ("UCI_Chess960", ""),
        ("Ponder", None),
        ("WeightsFile", None),
    ],
)
def test_bad_values_change_nothing_and_are_named(host: Host, options: Options, name: str, text: str | None) -> None:
    before = [options[entry.name] for entry in TABLE]
    complaint = options.set(name, text, host)
    assert complaint.startswith(f"{name}: ")
    assert "keeping" in complaint
    assert complaint.isprintable()
    assert [options[entry.name] for entry in TABLE] == before
    assert host.changes == []


def test_unknown_option_is_named(host: Host, options: Options) -> None:
    assert options.set("No Such\nThing", "5", host) == "no option named 'No Such?Thing'"
    assert host.changes == []


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (MemoryError(), "not enough memory"),
        (ValueError("pawn_mg: 3 entries, not 64"), "pawn_mg"),
        (FileNotFoundError("no file"), "no file"),
    ],
)
def test_refused_change_keeps_the_old_value(host: Host, options: Options, error: Exception, said: str) -> None:
    options.set("Hash", "32", host)
    host.refuse = error
    complaint = options.set("Hash", "64", host)
    assert said in complaint
    assert "keeping 32" in complaint
    assert options["Hash"] == 32


@pytest.mark.parametrize(("length", "shown"), [(200, "x" * 200), (201, "x" * 200 + "...")])
def test_of_a_long_old_value_the_beginning_is_shown(host: Host, options: Options, length: int, shown: str) -> None:
    options.set("BookFile", "x" * length, host)
    host.refuse = ValueError("no")
    assert options.set("BookFile", "y", host) == f"BookFile: no; keeping {shown}"


@given(st.text(max_size=30), st.none() | st.text(max_size=30))
def test_no_text_upsets_the_table(name: str, text: str | None) -> None:
    host, options = Host(), Options()
    options.set(name, text, host)
    for entry in TABLE:
        options.set(entry.name, text, host)
        if entry.kind == "spin":
            assert entry.minimum <= options[entry.name] <= entry.maximum
