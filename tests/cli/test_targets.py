# SPDX-License-Identifier: GPL-3.0-or-later
"""An output can be written, and replaces no input, no other output, and no file of another kind."""

import lzma
import re
import shlex
from pathlib import Path

import pytest
from command_lines import (
    ENGINE,
    GAME,
    JOURNALS,
    OWN,
    REPLACES,
    complaint_of,
    contents,
    prepare,
    words_of,
)

from coachwhip.__main__ import main

WRITES = [*JOURNALS, *REPLACES, "MATCH --pgn FILE.pgn", "TRAIN --checkpoint FILE", OWN]
OTHERS = {  # by how files of this kind begin
    b"[Event": GAME.encode(),
    b"coachwhip network": b'coachwhip network 1\n{"kind"',
    b"<!": b"<!DOCTYPE html>\n<title>mine</title>",
    b"# SPDX": b"# SPDX-License-Identifier: MIT\nimport os\n",
    b"8/8": b"8. a list\n",
    b"\xfd": lzma.compress(b"another file"),
    b"{": b'{"format":"coachwhip match 2"}\n',
}
SAME = [
    "selfplay labelled.vf --epd SAME:labelled.vf",
    "selfplay SAME:good.epd --openings good.epd",
    "tune good.epd=2 --output SAME:good.epd",
    "tune good.epd --output new.py --weights w.py --report SAME:w.py",
    "train labelled.vf --output SAME:new.cwnet --start new.cwnet",
    "train labelled.vf --output new.cwnet --checkpoint SAME:new.cwnet",
    "tune good.epd --output SAME:new.cwnet --weights wn.py --force",
    "selfplay labelled.vf --epd SAME:labelled.vf.json --force",
    "MATCH --openings good.pgn --pgn SAME:good.pgn",
    "MATCH --pgn SAME:all --journal all",
    "analyse good.pgn --output SAME:new --report ./new",
    "analyse --output SAME:/dev/stdout",
]


@pytest.mark.parametrize("fault", ["no-such-folder/new", "folder", "name\x00with"])
@pytest.mark.parametrize("line", WRITES)
def test_a_file_that_cannot_be_written_is_rejected_before_the_work(
    line: str, fault: str, folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    before = sorted(folder.iterdir())
    assert main(words_of(line, fault)) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert ("expected the name of a file" if "\x00" in fault else fault) in err.splitlines()[-1]
    assert sorted(folder.iterdir()) == before


@pytest.mark.parametrize("line", [*REPLACES, "MATCH --pgn FILE", "play --pgn FILE"])
def test_only_a_file_of_the_same_kind_is_written_again(
    line: str, folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Any other may be an input, whatever names it."""
    prepare(line, folder)
    path = folder / f"written{re.findall(r'FILE([.a-z]*)', line)[0]}"
    words = words_of(line, path.name)
    same = (
        b"coachwhip network"
        if line.startswith("train")
        else b"[Event"
        if "--output FILE" in line or "--pgn" in line
        else b"?"
    )
    for start, other in OTHERS.items():
        if start != same:
            path.write_bytes(other)
            assert main(words) == 2, other
            assert f"{path.name} is not " in complaint_of(capfd.readouterr().err, path.name)
            assert path.read_bytes() == other
    if "--pgn" not in line:
        assert main([*words, "--force"]) == 0
        assert main(words) == 0, capfd.readouterr().err
    if "--epd" in line:  # what is empty is of any kind
        path.write_bytes(b"\n")
        assert main(words) == 0
        assert path.read_bytes() != b"\n"


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        *((line, "name") for line in SAME),
        *((line, kind) for line in SAME[::4] for kind in ("symbolic link", "hard link")),
    ],
)
def test_no_output_is_an_input_or_another_output(
    line: str, kind: str, folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (folder / "wn.py").write_text('NETWORK = "new.cwnet"')
    for name in ("new.cwnet", "w.py", "w.epd", "all", "new", "labelled.vf.json"):
        (folder / name).write_bytes(b"mine")
    words = shlex.join(words_of(line))
    for word in re.findall(r"SAME:([^\s']+)", words):
        link = folder / "link"
        if kind == "symbolic link":
            link.symlink_to(word)
        elif kind == "hard link" and "/" not in word:
            link.hardlink_to(folder / word)
        words = words.replace(
            f"SAME:{word}", link.name if link.exists() else f"./{word}" if "/" not in word else word
        )
    before = contents(folder)
    assert main(shlex.split(words)) == 2
    (complaint,) = capfd.readouterr().err.splitlines()
    assert re.search("is one of the files to read|need a file each|is where standard output goes", complaint)
    assert contents(folder) == before


@pytest.mark.parametrize(
    "line",
    [
        "train FILE X --output n",
        "TRAIN --start FILE --start X",
        "tune FILE=2 X --output n",
        "ANALYSE FILE X",
        "SUITE FILE X",
        "SELFPLAY --openings FILE --openings X",
    ],
)
@pytest.mark.parametrize("name", ["good.epd", "./good.epd", "link", "hard"])
def test_no_input_counts_twice(line: str, name: str, folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (folder / "link").symlink_to("good.epd")
    (folder / "hard").hardlink_to(folder / "good.epd")
    before = contents(folder)
    assert main([word.replace("FILE", "good.epd").replace("X", name) for word in words_of(line, "FILE")]) == 2
    assert f"{Path(name)} is named twice" in complaint_of(capfd.readouterr().err, "")
    assert contents(folder) == before


def test_a_rejected_engine_leaves_no_journal(folder: Path) -> None:
    words = [
        "--engine",
        "no-such-engine",
        "--engine",
        ENGINE,
        "--journal",
        str(folder / "j"),
        "--pgn",
        str(folder / "p"),
    ]
    before = contents(folder)
    assert main(["match", *words]) == 2
    assert contents(folder) == before
