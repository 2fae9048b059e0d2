# SPDX-License-Identifier: GPL-3.0-or-later
"""The option table: what a value may be, and that a rejected value changes nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from coachwhip.uci.options import TABLE, Options

if TYPE_CHECKING:
    from collections.abc import Callable


class Session:
    """Records what the table changes, or rejects it."""

    def __init__(self) -> None:
        self.options = Options()
        self.changes: list[str] = []
        self.error: Exception | None = None
        self.engine = self

    def __getattr__(self, name: str) -> Callable[..., None]:
        def change(*_: object) -> None:
            if self.error:
                raise self.error
            self.changes.append(name)

        return change

    def set(self, name: str, text: str | None) -> str:
        return self.options.set(name, text, self)


@pytest.fixture
def session() -> Session:
    return Session()


@pytest.mark.parametrize(
    ("name", "text", "value", "changes"),
    [
        ("HASH", "0064", 64, ["resize_hash"]),
        ("Threads", "256", 256, ["set_threads"]),
        ("Move Overhead", "0", 0, []),
        ("UCI_Chess960", "TRUE", True, ["set_chess960"]),
        ("WeightsFile", "my file.py", "my file.py", ["load_weights"]),
        ("WeightsFile", "<empty>", "", ["load_weights"]),
        ("clear hash", None, None, ["clear_hash"]),
        ("Clear Hash", "whatever", None, ["clear_hash"]),
    ],
)
def test_good_values(session: Session, name: str, text: str | None, value: object, changes: list[str]) -> None:
    assert session.set(name, text) == ""
    assert {entry.name.lower(): session.options[entry.name] for entry in TABLE}[name.lower()] == value
    assert session.changes == changes


@pytest.mark.parametrize(
    ("name", "text"),
    [
        *(("Hash", text) for text in ("0", "-16", "1000000000000", "9" * 5000, "abc", "1_000", "16.0", "", None)),
        ("Threads", "257"),
        ("MultiPV", "0"),
        ("UCI_Chess960", "yes"),
        ("UCI_Chess960", ""),
        ("Ponder", None),
        ("WeightsFile", None),
    ],
)
def test_bad_values_change_nothing_and_are_named(session: Session, name: str, text: str | None) -> None:
    before = [session.options[entry.name] for entry in TABLE]
    complaint = session.set(name, text)
    assert complaint.startswith(f"{name}: ")
    assert "keeping" in complaint
    assert complaint.isprintable()
    assert [session.options[entry.name] for entry in TABLE] == before
    assert session.changes == []


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (MemoryError(), "Hash: not enough memory, keeping 32"),
        (ValueError("pawn_mg: 3 entries, not 64"), "Hash: pawn_mg: 3 entries, not 64; keeping 32"),
        (FileNotFoundError("no file"), "Hash: no file; keeping 32"),
    ],
)
def test_a_rejected_change_keeps_the_old_value(session: Session, error: Exception, said: str) -> None:
    session.set("Hash", "32")
    session.set("BookFile", "x" * 201)
    session.error = error
    assert session.set("Hash", "64") == said
    assert session.options["Hash"] == 32
    assert session.set("BookFile", "y").endswith(f"keeping {'x' * 200}...")
    assert session.set("No Such\nThing", "5") == "no option named 'No Such?Thing'"
