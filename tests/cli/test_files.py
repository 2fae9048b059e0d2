# SPDX-License-Identifier: GPL-3.0-or-later
"""How files are written: as a whole or not at all, where links and pipes lead, and nothing left behind."""

import os
import re
import sys
import threading
from pathlib import Path

import pytest
from command_lines import JOURNALS, LINES, OWN, REPLACES, START, complaint_of, own_games, prepare, words_of
from faulty_disk import room_of

from coachwhip.__main__ import main
from coachwhip.cli.files import replacing, write_bytes

FILLED = [  # one of those that are written in the same way
    "MATCH --journal FILE", "TRAIN --checkpoint FILE", "TRAIN --report FILE", "MATCH --pgn FILE.pgn",
    "ANALYSE good.pgn --output FILE", "selfplay good.vf --epd FILE", *REPLACES[-2:], OWN,
]  # fmt: skip


def room_for(line: str, path: Path) -> int:
    """How many bytes of a file to allow: its beginning, and so few that another run's file cannot be shorter.

    Times are in many files, so their lengths differ by some bytes a line from run to run. A journal keeps its
    settings and about half of its work, torn in the middle of a line; of two games, one and a half; anything
    else is cut in half.
    """
    size = path.stat().st_size
    if line not in JOURNALS:
        # An .svg is written after a network.
        return {".svg": size - 1000, ".pgn": size * 3 // 4}.get(path.suffix, size // 2)
    lines = path.read_bytes().splitlines(keepends=True)
    torn = 1 + len(lines[1:]) // 2 if len(lines) > 2 else 1
    return sum(map(len, lines[:torn])) + len(lines[torn]) // 2


@pytest.mark.skipif(sys.platform == "win32", reason="no limit of the size of files")
@pytest.mark.parametrize("line", FILLED)
def test_a_disk_that_fills_up_is_reported_and_keeps_what_was_done(
    line: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    prepare(line, folder)
    path = folder / f"written{re.findall(r'FILE([.a-z]*)', line)[0]}"
    words = words_of(line, path.name)
    assert main(words) == 0, capsys.readouterr().err
    room = room_for(line, path)
    capsys.readouterr()
    old = path.read_bytes()
    if line not in REPLACES:
        path.unlink()
    before = {*folder.iterdir(), path}
    with room_of(room):
        assert main(words) not in (0, 130)
    out, err = capsys.readouterr()
    assert set(folder.iterdir()) <= before
    assert line not in REPLACES or path.read_bytes() == old
    assert "File too large" in complaint_of(err, path.name)
    assert bool(out) == (not line.startswith("selfplay"))  # which has no results for standard output
    if line in JOURNALS or path.suffix == ".pgn":
        assert path.read_bytes().endswith(b"\n")  # no torn line is left
        assert path.stat().st_size <= room
    if line.startswith("tune"):  # nothing else had room either
        assert "TEMPO" in out


@pytest.mark.skipif(sys.platform == "win32", reason="no such files")
@pytest.mark.parametrize("line", ["selfplay good.vf --epd FILE", "MATCH --pgn FILE"])
def test_links_modes_and_pipes_stay_what_they_are(
    line: str, folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (folder / "good.vf").write_bytes(own_games())

    def write(name: str) -> None:
        assert main(words_of(line, name)) == 0, capfd.readouterr().err

    write("plain")
    whole = (folder / "plain").read_bytes()
    (folder / "target").write_text("")
    (folder / "target").chmod(0o600)
    (folder / "link").symlink_to("target")
    (folder / "link.part").write_text("mine")
    write("link")
    assert (folder / "link").readlink() == Path("target")
    assert len((folder / "target").read_bytes()) > len(whole) // 2
    assert (folder / "target").stat().st_mode & 0o777 == 0o600
    assert (folder / "link.part").read_text() == "mine"
    os.mkfifo(folder / "pipe")
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append((folder / "pipe").read_bytes()), daemon=True)
    reader.start()
    write("pipe")
    reader.join(60)
    assert len(b"".join(read)) > len(whole) // 2
    assert (folder / "pipe").is_fifo()
    write("/dev/null")
    assert Path("/dev/null").is_char_device()
    assert {path.name for path in folder.iterdir()} >= {"plain", "target", "link", "link.part", "pipe"}
    assert not list(folder.glob("*.*.part"))


def test_the_next_run_removes_what_a_killed_one_left_and_no_other_file(tmp_path: Path) -> None:
    path, names = (
        tmp_path / "g[1].pgn",
        ["g[1].pgn.part", "g[1].pgn.a.part", f"{'g1.pgn'}.{'a' * 16}.part", "x.part"],
    )
    for name in names:
        (tmp_path / name).write_bytes(b"mine")
    (tmp_path / f"{path.name}.{'a' * 16}.part").write_bytes(b"half")
    with replacing(path) as slow:
        slow.write(b"one")
        write_bytes(path, b"another run")
        assert path.read_bytes() == b"another run"
    assert path.read_bytes() == b"one"
    assert sorted(each.name for each in tmp_path.iterdir()) == sorted([path.name, *names])


@pytest.mark.parametrize(
    "line", [*JOURNALS, "TRAIN --checkpoint FILE", OWN, LINES["TRAIN"].replace("labelled.vf", "FILE")]
)
@pytest.mark.usefixtures("folder")
def test_a_run_that_is_resumed_and_a_training_need_regular_files(
    line: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(words_of(line, os.devnull)) == 2
    assert f"{os.devnull} is not a regular file" in capfd.readouterr().err.splitlines()[-1]


@pytest.mark.skipif(sys.platform == "win32", reason="no such files")
def test_openings_may_come_through_a_pipe(folder: Path) -> None:
    """Which can be read once."""
    os.mkfifo("pipe")
    writer = threading.Thread(target=lambda: (folder / "pipe").write_text(f"{START}\n"), daemon=True)
    writer.start()
    assert main(words_of("MATCH --openings pipe")) == 0
