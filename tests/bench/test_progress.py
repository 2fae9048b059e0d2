# SPDX-License-Identifier: GPL-3.0-or-later
"""The progress bar: what a terminal shows, with rich and without, and what stands in a log."""

import io
import sys

import pytest
from coachwhip.bench.common.progress import progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def shown(monkeypatch: pytest.MonkeyPatch, stream: io.StringIO) -> str:
    """What a bar of three items leaves on stderr, with a line that is said after the first."""
    monkeypatch.setattr(sys, "stderr", stream)
    with progress("work", 3) as bar:
        bar.advance()
        bar.say("found [bold]it[/bold]")
        bar.advance(2)
    return stream.getvalue()


def test_rich_draws_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    text = shown(monkeypatch, Terminal())
    assert "━" in text
    assert "3/3" in text
    assert "found [bold]it[/bold]\n" in text
    assert "\x1b[" in text


def test_a_log_has_lines_and_rich_is_not_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "rich"]:
        monkeypatch.delitem(sys.modules, name)
    assert shown(monkeypatch, io.StringIO()) == "work 1/3\nfound [bold]it[/bold]\nwork 3/3\n"
    assert "rich" not in sys.modules
