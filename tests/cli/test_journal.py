# SPDX-License-Identifier: GPL-3.0-or-later
"""The journal of resumable runs: checksums, damage, torn lines, the lock, other settings, older formats."""

import json
import re
import subprocess
import sys
import zlib
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from uci_process import TIMEOUT, environment

from coachwhip.cli.command import CommandError
from coachwhip.cli.journal import Journal, part

SETTINGS = {"seed": 1, "engines": ("a", "b")}
LINES = [{"game": number, "text": f'crc":"{number} \n "'} for number in range(4)]
OLD = '{"format":"coachwhip test 1","settings":{}}\n{"game":0}\n'


def sealed(text: str) -> bytes:
    """A line without its end, with the checksum."""
    return f'{text},"crc":"{zlib.crc32(text.encode()):08x}"}}\n'.encode()


def opened(path: Path, settings: dict[str, Any] | None = None, *, resume: bool = True) -> Journal:
    return Journal(path, "test", SETTINGS if settings is None else settings, resume=resume)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A journal with all the lines."""
    path = tmp_path / "games.jsonl"
    with closing(opened(path)) as journal:
        for line in LINES:
            journal.append(line)
    return path


def games(path: Path) -> list[int]:
    """What a resumed run finds."""
    with closing(opened(path)) as journal:
        return list(journal.read(lambda line: part(line["game"], int)))


def test_what_was_written_is_read(path: Path) -> None:
    with closing(opened(path)) as journal:
        assert list(journal.read(dict)) == LINES
    assert games(path) == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{"text":1', "3 cannot be used: it has no 'game'"),
        ('{"game":"3"', '3 cannot be used: "3" is not of the type int'),
        ('{"game":true', "3 cannot be used: true is not"),
        ('{"game":' + "[" * 100_000, "3 cannot be used: "),
        ('{"game" 3', "3 cannot be used: Expecting"),
        ('{"game":1' + "0" * 5000, "3 cannot be used: "),
    ],
)
def test_a_line_with_a_good_checksum_but_other_parts_is_named(path: Path, text: str, why: str) -> None:
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:2], sealed(text), *lines[3:]]))
    before = path.read_bytes()
    with pytest.raises(CommandError, match=re.escape(f"games.jsonl:{why}")):
        games(path)
    path.write_bytes(
        b"".join([sealed(f'{{"format":"coachwhip test 5","settings":{{}},"settings":{text[8:]}'), *lines[1:]])
    )
    with pytest.raises(CommandError, match=r"games\.jsonl:1 cannot be used"):
        opened(path)
    assert len(before)


def test_every_changed_byte_of_a_line_inside_is_noticed_and_named(path: Path) -> None:
    whole = path.read_bytes()
    lines = whole.splitlines(keepends=True)
    start = len(lines[0]) + len(lines[1])
    for at in range(start, start + len(lines[2]) - 1):  # its end apart, which makes two lines one
        damaged = bytearray(whole)
        damaged[at] ^= 1
        path.write_bytes(damaged)
        with pytest.raises(
            CommandError, match=r"games\.jsonl:3: damaged, .* --resume .* in a new --pgn file"
        ):
            opened(path)
        assert path.read_bytes() == damaged
    path.write_bytes(b"".join(lines[:2]))  # as the message says
    assert games(path) == [0]
    path.write_bytes(whole.replace(b'"seed":1', b'"seed":2'))
    with pytest.raises(CommandError, match=r"games\.jsonl:1: damaged"):
        opened(path)


def test_a_torn_last_line_is_dropped_wherever_it_breaks(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = path.read_bytes()
    lines = whole.splitlines(keepends=True)
    for cut in range(1, len(lines[-1]), 5):
        path.write_bytes(whole[:-cut])
        assert games(path) == [0, 1, 2]
        assert "games.jsonl: its last line is incomplete and is dropped" in capsys.readouterr().err
        assert path.read_bytes() == b"".join(lines[:-1])
    with closing(opened(path)) as journal:
        journal.append({"game": 9})
    assert games(path) == [0, 1, 2, 9]
    for cut in (1, 30, len(lines[0])):  # a run that was killed as it began
        path.write_bytes(lines[0][:-cut])
        assert games(path) == []
        assert path.read_bytes() == lines[0]


def test_a_journal_is_not_overwritten_but_one_without_work_is(path: Path, tmp_path: Path) -> None:
    before = path.read_bytes()
    with pytest.raises(
        CommandError, match="holds a run of test already: give --resume to go on with it, or another name"
    ):
        opened(path, resume=False)
    assert path.read_bytes() == before
    idle = tmp_path / "idle.jsonl"
    idle.write_bytes(before.splitlines(keepends=True)[0])  # its run was killed
    opened(idle, {"seed": 2}, resume=False).close()
    (line,) = idle.read_bytes().splitlines()
    assert json.loads(line)["settings"] == {"seed": 2}


def test_other_settings_are_named(path: Path) -> None:
    before = path.read_bytes()
    for settings, message in (
        ({"seed": 2, "engines": ["a", "b"]}, "its seed is 1, not 2"),
        ({"seed": 1, "engines": ["a", "c"]}, r'its engines is \["a", "b"\], not \["a", "c"\]'),
        ({"seed": 1}, r'its engines is \["a", "b"\], not null'),
        ({**SETTINGS, "more": 1}, "its more is null, not 1"),
    ):
        with pytest.raises(CommandError, match=f"belongs to another run of test: {message}"):
            opened(path, settings)
    assert path.read_bytes() == before


def test_a_file_of_another_kind_or_format_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    for text in (
        "my notes",
        "my notes\n",
        '{"format":"coachwhip match 2","settings":{}}\n',
        "\n",
        "{}\n",
        OLD,
    ):
        path.write_text(text)
        message = "by another version of coachwhip" if text == OLD else "is not a journal of test"
        for resume in (True, False):
            with pytest.raises(CommandError, match=rf"notes\.txt .*{message}"):
                opened(path, resume=resume)
        assert path.read_text() == text


def test_another_process_is_rejected_while_a_run_goes_on(path: Path) -> None:
    code = (
        "import sys\nfrom pathlib import Path\nfrom coachwhip.cli.command import CommandError\n"
        "from coachwhip.cli.journal import Journal\n"
        "try:\n    Journal(Path(sys.argv[1]), 'match', {}, resume=True)\n"
        "except CommandError as error:\n    print(error)\n"
    )
    command = [sys.executable, "-c", code, str(path)]
    run = partial(
        subprocess.run,
        command,
        env=environment(),
        capture_output=True,
        text=True,
        check=True,
        timeout=TIMEOUT,
    )
    with closing(opened(path)):
        assert run().stdout == f"{path} is in use by another run: wait until it ends, or name another file\n"
    assert run().stdout == f"{path} is not a journal of match\n"  # it has the lock
