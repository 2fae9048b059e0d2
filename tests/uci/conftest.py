# SPDX-License-Identifier: GPL-3.0-or-later
"""One engine process for all tests that need none of their own: each also shows that the one before did no harm."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from coachwhip.uci.options import TABLE, as_text
from uci_process import UciProcess

if TYPE_CHECKING:
    from collections.abc import Iterator

DEFAULTS = [f"setoption name {entry.name} value {as_text(entry.default)}" for entry in TABLE if entry.kind != "button"]


@pytest.fixture(scope="session")
def shared() -> Iterator[UciProcess]:
    with UciProcess() as process:
        yield process
        process.quit()


@pytest.fixture
def engine(shared: UciProcess) -> UciProcess:
    """With the default options, in a new game."""
    assert shared.ask(*DEFAULTS, "ucinewgame", "position startpos") == []
    return shared
