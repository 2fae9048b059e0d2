# SPDX-License-Identifier: GPL-3.0-or-later
"""Every reader and writer with every fault of a file or an installation: a message that names it, no traceback, nothing started."""

import lzma
import os
import re
import shlex
import subprocess
import sys
import threading
from pathlib import Path

import chess
import pytest
from coachwhip.core.engine import STARTPOS_FEN, Position, move_code
from coachwhip.core.learning.scorer import encode_game
from faulty_disk import room_of
from places import STUB

from coachwhip.__main__ import main
from coachwhip.cli.files import replacing, write_bytes

START = chess.STARTING_FEN
EPD = " ".join(START.split()[:4])
ENGINE = shlex.join([sys.executable, str(STUB), "good"])
GAME = '[Event "x"]\n[Result "1-0"]\n\n1. e4 { [%eval 0.3] } e5 { [%eval 0.2] } 1-0\n\n'
LINES = {  # short command lines
    "MATCH": f"match --engine {shlex.quote(ENGINE)} --engine {shlex.quote(ENGINE + ' b')} --games 2 --nodes 10 --max-moves 4",
    "SUITE": f"suite --engine {shlex.quote(ENGINE)} --nodes 10",
    "ANALYSE": "analyse --nodes 50",
    "LAB": "lab --depth 1 --only killers",
    "SELFPLAY": "selfplay own.vf --games 1 --nodes 50 --max-moves 4 --concurrency 1",
    "SPSA": "spsa --tune rfp_margin --games 2 --nodes 50 --concurrency 1",
    "TUNE": "tune good.epd --output new.py --epochs 3 --rate 20 --prior 0",
    "TRAIN": "train labelled.vf --output new.cwnet --epochs 1 --hidden 16 --validation 0.5 --rate 0.01",
}
QUEEN, KNIGHT = "4k3/pppp4/8/8/8/8/PPPP4/3QK3 w - -", "4k3/pppp4/8/8/8/8/PPPP4/1N2K3 w - -"
LABELLED = "".join(  # there is something to learn: a knight more has won nothing
    f'{fen} c7 "{game}"; c9 "{result}";\n'
    for game, (fen, result) in enumerate([(QUEEN, "1-0"), (KNIGHT, "1/2-1/2"), (EPD, "1/2-1/2")] * 20)
)
JOURNALS = [f"{work} --journal FILE" for work in ("MATCH", "SPSA")]
REPLACES = [  # an old file of the same kind, at the end and as a whole
    "MATCH --report FILE", "SUITE good.epd --report FILE", "TUNE --report FILE", "TRAIN --report FILE", "LAB --positions good.fen --report FILE",
    "ANALYSE good.pgn --output FILE", "ANALYSE good.pgn --report FILE", "selfplay good.vf --epd FILE",
    "selfplay good.vf --epd FILE.xz", "ANALYSE good.pgn --puzzles FILE",
    LINES["TUNE"].replace("new.py", "FILE"), LINES["TRAIN"].replace("new.cwnet", "FILE"),
]  # fmt: skip
OWN = LINES["SELFPLAY"].replace("own.vf", "FILE")
WRITES = [*JOURNALS, *REPLACES, "MATCH --pgn FILE.pgn", "TRAIN --checkpoint FILE", OWN]
FILLED = [  # one of those that are written in the same way
    "MATCH --journal FILE", "TRAIN --checkpoint FILE", "TRAIN --report FILE", "MATCH --pgn FILE.pgn",
    "ANALYSE good.pgn --output FILE", "selfplay good.vf --epd FILE", *REPLACES[-2:], OWN,
]  # fmt: skip


def words_of(line: str, file: str = "") -> list[str]:
    """The words of a line of these tables, FILE and what follows it in its word replaced by the name of a file."""
    for name, words in LINES.items():
        line = re.sub(rf"\b{name}\b", words.replace("\\", r"\\"), line)
    return [file if word.startswith("FILE") else word for word in shlex.split(line)]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with a good file of each kind."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "good.epd").write_text(f'{EPD} bm e4; c9 "1-0";\n')
    (tmp_path / "good.fen").write_text(f"{START}\n")
    (tmp_path / "good.pgn").write_text(GAME)
    (tmp_path / "labelled.vf").write_bytes(own_games())
    (tmp_path / "folder").mkdir()
    return tmp_path


def own_games() -> bytes:
    """A game file: games of one position, with a score that the terms have to learn."""
    plies = [(move_code(Position(), "e2e4"), 300)]
    return b"".join(encode_game(STARTPOS_FEN, number % 3, plies) for number in range(60))


def contents(folder: Path) -> dict[str, bytes | None]:
    """What is in a folder; of a file, its bytes."""
    return {path.name: path.read_bytes() if path.is_file() else None for path in folder.iterdir()}


def complaint_of(err: str, name: str) -> str:
    """The one line of complaint, which names what is wrong."""
    assert "Traceback" not in err, err
    assert "Exception" not in err
    (complaint,) = [line for line in err.splitlines() if line.startswith("coachwhip")]
    assert name in complaint
    return complaint


PAGE = "\n<!DOCTYPE html>\n<style>\n[a-b] 1. e4\n</style>\n" + 40 * "<p>x</p>\n1. e4 e5 1-0\n[b]\n"


@pytest.mark.parametrize(
    ("line", "word"),
    [
        *((line, "save") for line in ("ANALYSE https://x.org/abc", "MATCH --openings ftp://x.org/a.epd")),
        *((line, "save the games") for line in ("ANALYSE page.pgn", "MATCH --openings page.pgn")),
        ("'go dpeth 5'", "did you mean depth?"),
        ("go infinit", "did you mean infinite?"),
        ("spsa --tune lmrr", "perhaps use_lmr?"),
        ("--set nmpp=1 go", "perhaps use_nmp?"),
        ("--weights no.py go depth 1", "keeping the shipped weights"),
        ("perft 3 'bad fen'", "no FEN"),
    ],
)
def test_a_mistake_gets_a_message_that_helps(line: str, word: str, folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (folder / "page.pgn").write_text(PAGE)
    assert main(words_of(line)) == 2
    err = capfd.readouterr().err
    assert word in err
    assert len(err.splitlines()) < 3


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


def prepare(line: str, folder: Path) -> None:
    """Make the files that a line reads."""
    (folder / "good.pgn").write_text(GAME * 2)
    if "good.vf" in line:
        assert main(words_of("SELFPLAY")) == 0
        (folder / "own.vf").rename(folder / "good.vf")
    if "TUNE" in line or line.startswith("tune"):
        (folder / "good.epd").write_text(LABELLED)


OTHERS = {  # by how files of this kind begin
    b"[Event": GAME.encode(),
    b"coachwhip network": b'coachwhip network 1\n{"kind"',
    b"<!": b"<!DOCTYPE html>\n<title>mine</title>",
    b"# SPDX": b"# SPDX-License-Identifier: MIT\nimport os\n",
    b"8/8": b"8. a list\n",
    b"\xfd": lzma.compress(b"another file"),
    b"{": b'{"format":"coachwhip match 2"}\n',
}


@pytest.mark.parametrize("line", [*REPLACES, "MATCH --pgn FILE", "play --pgn FILE"])
def test_only_a_file_of_the_same_kind_is_written_again(line: str, folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Any other may be an input, whatever names it."""
    prepare(line, folder)
    path = folder / f"written{re.findall(r'FILE([.a-z]*)', line)[0]}"
    words = words_of(line, path.name)
    same = b"coachwhip network" if line.startswith("train") else b"[Event" if "--output FILE" in line or "--pgn" in line else b"?"
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


def room_for(line: str, path: Path) -> int:
    """How many bytes of a file to allow: its beginning, and so few that another run's file cannot be shorter.

    Times are in many files, so their lengths differ by some bytes a line from run to run. A journal keeps its settings and about
    half of its work, torn in the middle of a line; of two games, one and a half; anything else is cut in half.
    """
    size = path.stat().st_size
    if line not in JOURNALS:
        return {".svg": size - 1000, ".pgn": size * 3 // 4}.get(path.suffix, size // 2)  # .svg: after a network
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


@pytest.mark.parametrize(
    ("line", "kind"),
    [*((line, "name") for line in SAME), *((line, kind) for line in SAME[::4] for kind in ("symbolic link", "hard link"))],
)
def test_no_output_is_an_input_or_another_output(line: str, kind: str, folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
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
        words = words.replace(f"SAME:{word}", link.name if link.exists() else f"./{word}" if "/" not in word else word)
    before = contents(folder)
    assert main(shlex.split(words)) == 2
    (complaint,) = capfd.readouterr().err.splitlines()
    assert re.search("is one of the files to read|need a file each|is where standard output goes", complaint)
    assert contents(folder) == before


@pytest.mark.skipif(sys.platform == "win32", reason="no such files")
@pytest.mark.parametrize("line", ["selfplay good.vf --epd FILE", "MATCH --pgn FILE"])
def test_links_modes_and_pipes_stay_what_they_are(line: str, folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
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
    path, names = tmp_path / "g[1].pgn", ["g[1].pgn.part", "g[1].pgn.a.part", f"{'g1.pgn'}.{'a' * 16}.part", "x.part"]
    for name in names:
        (tmp_path / name).write_bytes(b"mine")
    (tmp_path / f"{path.name}.{'a' * 16}.part").write_bytes(b"half")
    with replacing(path) as slow:
        slow.write(b"one")
        write_bytes(path, b"another run")
        assert path.read_bytes() == b"another run"
    assert path.read_bytes() == b"one"
    assert sorted(each.name for each in tmp_path.iterdir()) == sorted([path.name, *names])


@pytest.mark.parametrize("line", [*JOURNALS, "TRAIN --checkpoint FILE", OWN, LINES["TRAIN"].replace("labelled.vf", "FILE")])
@pytest.mark.usefixtures("folder")
def test_a_run_that_is_resumed_and_a_training_need_regular_files(line: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(words_of(line, os.devnull)) == 2
    assert f"{os.devnull} is not a regular file" in capfd.readouterr().err.splitlines()[-1]


@pytest.mark.skipif(sys.platform == "win32", reason="no such files")
def test_openings_may_come_through_a_pipe(folder: Path) -> None:
    """Which can be read once."""
    os.mkfifo("pipe")
    writer = threading.Thread(target=lambda: (folder / "pipe").write_text(f"{START}\n"), daemon=True)
    writer.start()
    assert main(words_of("MATCH --openings pipe")) == 0


@pytest.mark.parametrize(
    "line", ["train FILE X --output n", "TRAIN --start FILE --start X", "tune FILE=2 X --output n", "ANALYSE FILE X", "SUITE FILE X",
    "SELFPLAY --openings FILE --openings X"],
)  # fmt: skip
@pytest.mark.parametrize("name", ["good.epd", "./good.epd", "link", "hard"])
def test_no_input_counts_twice(line: str, name: str, folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (folder / "link").symlink_to("good.epd")
    (folder / "hard").hardlink_to(folder / "good.epd")
    before = contents(folder)
    assert main([word.replace("FILE", "good.epd").replace("X", name) for word in words_of(line, "FILE")]) == 2
    assert f"{Path(name)} is named twice" in complaint_of(capfd.readouterr().err, "")
    assert contents(folder) == before


def test_a_rejected_engine_leaves_no_journal(folder: Path) -> None:
    words = ["--engine", "no-such-engine", "--engine", ENGINE, "--journal", str(folder / "j"), "--pgn", str(folder / "p")]
    before = contents(folder)
    assert main(["match", *words]) == 2
    assert contents(folder) == before


@pytest.mark.parametrize(
    ("line", "hidden", "message"),
    [
        ("TUNE", "scipy", "tune: it needs scipy: python3 -m pip install 'coachwhip[bench]'"),
        ("TRAIN", "numpy", "train: needs numpy: python3 -m pip install numpy"),
        ("MATCH --scheduler local", "distributed", "--scheduler needs Dask: python3 -m pip install 'coachwhip[cluster]'"),
        ("SUITE good.epd", "chess", "suite: needs chess: python3 -m pip install chess"),
        ("TRAIN", "secrets", "train: needs a library that cannot be loaded: import of secrets halted"),  # not pip's
        *(
            (line, "rich scipy distributed", "")
            for line in ("bench 1", "MATCH", "SUITE good.epd", "LAB --positions good.fen", "SELFPLAY", "TRAIN")
        ),
    ],
)
@pytest.mark.usefixtures("folder")
def test_a_library_that_is_missing_is_named_where_it_is_needed(
    line: str, hidden: str, message: str, root: Path, user_environment: dict[str, str]
) -> None:
    code = (
        "import sys\nfor name in sys.argv.pop(1).split(): sys.modules[name] = None\n"
        "from coachwhip.__main__ import main\nif __name__ == '__main__': sys.exit(main())"
    )
    command, environment = [sys.executable, "-c", code, hidden, *words_of(line)], {**user_environment, "PYTHONPATH": str(root)}
    done = subprocess.run(command, env=environment, input="", capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == (2 if message else 0), done.stderr
    assert bool(done.stdout) == (not message)
    assert not message or complaint_of(done.stderr, message)


def test_a_subcommand_that_is_not_in_a_program_without_python_is_rejected(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """That such a program plays, trials/machines.py shows."""
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.delitem(sys.modules, "coachwhip.bench.match.__main__", raising=False)
    monkeypatch.setitem(sys.modules, "coachwhip.bench.match", None)
    assert main(["match", "--help"]) == 2
    assert capsys.readouterr() == (
        "",
        "coachwhip: match needs Python: install coachwhip with pip and run it there\n",
    )
