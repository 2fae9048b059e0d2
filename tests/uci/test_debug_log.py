# SPDX-License-Identifier: GPL-3.0-or-later
"""The log of the conversation: whole, in order, both ways, and no hindrance when it cannot be written."""

import re
from pathlib import Path

from coachwhip.uci.writer import LoggedWriter
from uci_process import UciProcess

LINE = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} (>>|<<) (.*)")


def test_the_log_holds_the_conversation(tmp_path: Path) -> None:
    path, other = tmp_path / "a log.txt", tmp_path / "other.txt"
    with UciProcess() as engine:
        assert engine.ask(f"setoption name Debug Log File value {path}") == []
        said = engine.go("position startpos", "go depth 3")
        (message,) = engine.ask(f"setoption name Debug Log File value {tmp_path}/no/such/folder/log.txt")
        assert message.startswith("info string setoption: Debug Log File: ")
        assert engine.ask(f"setoption name Debug Log File value {other}", "position startpos moves e2e4") == []
        assert engine.ask("setoption name Debug Log File value <empty>", "ucinewgame") == []
        engine.quit()
    lines = [LINE.fullmatch(line) for line in path.read_text().splitlines()]
    assert all(lines)
    talk = [match.groups() for match in lines if match]
    assert talk[:4] == [(">>", "isready"), ("<<", "readyok"), (">>", "position startpos"), (">>", "go depth 3")]
    assert [line for direction, line in talk if direction == "<<"][1 : len(said) + 1] == said
    assert talk[-1] == (">>", f"setoption name Debug Log File value {other}")
    assert "position startpos moves e2e4" in other.read_text()
    assert "ucinewgame" not in other.read_text()


def test_a_line_is_logged_before_it_is_said() -> None:
    """Else what a client sends in answer could be logged before it, or a new log begin with the line before it."""
    order: list[str] = []

    class Out:
        closed = False

        def look(self) -> bool:
            return False

        def __call__(self, line: str, /) -> None:
            order.append(f"said {line}")

    write = LoggedWriter(Out())
    write._log = lambda direction, line: order.append(f"logged {direction} {line}")  # type: ignore[assignment]
    write("readyok")
    assert order == ["logged << readyok", "said readyok"]
