# SPDX-License-Identifier: GPL-3.0-or-later
"""Every subcommand with every fault of a file or an installation: one sentence that names it, no traceback, nothing begun."""

import os
import re
import shlex
import subprocess
import sys
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path

import chess
import pytest
from coachwhip.bench.lab import horizon
from coachwhip.core.engine import Position
from coachwhip.evaluation.learn import labelled
from places import STUB

from coachwhip.__main__ import main

SHALLOW = 2
START = chess.STARTING_FEN
EPD = " ".join(START.split()[:4])
ENGINE = shlex.join([sys.executable, str(STUB), "good"])
GAMES = ["--engine", ENGINE, "--engine", f"{ENGINE} b", "--games", "2", "--nodes", "10", "--max-moves", "4"]
GAME = '[Event "x"]\n[Result "1-0"]\n\n1. e4 { [%eval 0.3] } e5 { [%eval 0.2] } 1-0\n\n'
SUITE = ["--engine", ENGINE, "--nodes", "10"]
ANALYSE = ["analyse", "--nodes", "50"]
LAB = ["lab", "--depth", "1", "--only", "killers"]
OWN = ["selfplay", "own.bin", "--games", "1", "--nodes", "50", "--max-moves", "4", "--concurrency", "1"]
SPSA = ["spsa", "--tune", "rfp_margin", "--games", "2", "--nodes", "50", "--concurrency", "1"]
TUNE = ["tune", "good.epd", "--output", "new.py", "--epochs", "3", "--rate", "20", "--prior", "0"]
TRAIN = [
    "train",
    "labelled.own",
    "--output",
    "new.cwnet",
    "--epochs",
    "1",
    "--hidden",
    "16",
    "--validation",
    "0.5",
    "--rate",
    "0.01",
]

QUEEN, KNIGHT = "4k3/pppp4/8/8/8/8/PPPP4/3QK3 w - -", "4k3/pppp4/8/8/8/8/PPPP4/1N2K3 w - -"
LABELLED = "".join(  # there is something to learn: a knight more has won nothing
    f'{fen} c7 "{game}"; c9 "{result}";\n'
    for game, (fen, result) in enumerate([(QUEEN, "1-0"), (KNIGHT, "1/2-1/2"), (EPD, "1/2-1/2")] * 20)
)

# What a subcommand reads: FILE stands for the file in question, whose name ends as the last word says.
READS = {
    "bench --weights": (["bench", "1", "--weights", "FILE"], ".py"),
    "perft --suite": (["perft", "--suite", "FILE"], ".epd"),
    "match --openings epd": (["match", *GAMES, "--openings", "FILE"], ".epd"),
    "match --openings pgn": (["match", *GAMES, "--openings", "FILE"], ".pgn"),
    "match --openings bin": (["match", *GAMES, "--openings", "FILE"], ".bin"),
    "match --syzygy": (["match", *GAMES, "--syzygy", "FILE"], ".rtbw"),
    "suite": (["suite", *SUITE, "FILE"], ".epd"),
    "suite --compare": (["suite", *SUITE, "good.epd", "--compare", "FILE"], ".json"),
    "speed --repository": (["speed", "--revision", "HEAD", "--repository", "FILE"], ""),
    "lab --positions": ([*LAB, "--positions", "FILE"], ".fen"),
    "lab --weights": ([*LAB, "--weights", "FILE"], ".py"),
    "analyse": ([*ANALYSE, "FILE"], ".pgn"),
    "analyse --weights": ([*ANALYSE, "good.pgn", "--weights", "FILE"], ".py"),
    "wdl-fit": (["wdl-fit", "FILE"], ".pgn"),
    "selfplay --openings": ([*OWN, "--openings", "FILE"], ".epd"),
    "selfplay --openings bin": ([*OWN, "--openings", "FILE"], ".bin"),
    "selfplay --weights": ([*OWN, "--weights", "FILE"], ".py"),
    "selfplay --epd": (["selfplay", "FILE", "--epd", "-"], ".own"),
    "spsa --openings": ([*SPSA, "--openings", "FILE"], ".epd"),
    "spsa --weights": ([*SPSA, "--weights", "FILE"], ".py"),
    "tune": (["tune", "FILE", "--output", "new.py"], ".epd"),
    "tune --weights": ([*TUNE, "--weights", "FILE"], ".py"),
    "train": (["train", "FILE", "--output", "new.cwnet"], ".own"),
    "train --weights": ([*TRAIN, "--weights", "FILE"], ".py"),
    "weights": (["weights", "--weights", "FILE"], ".py"),
    "--weights": (["--weights", "FILE", "weights"], ".py"),
    "--weights go": (["--weights", "FILE", "go", "depth", "1"], ".py"),
}

# What a subcommand writes.
WRITES = {
    "match --pgn": ["match", *GAMES, "--pgn", "FILE"],
    "match --journal": ["match", *GAMES, "--journal", "FILE"],
    "match --plot": ["match", *GAMES, "--plot", "FILE"],
    "suite --journal": ["suite", *SUITE, "good.epd", "--journal", "FILE"],
    "suite --plot": ["suite", *SUITE, "good.epd", "--plot", "FILE"],
    "lab --plot": [*LAB, "--plot", "FILE"],
    "lab --page": [*LAB, "--page", "FILE"],
    "lab --journal": [*LAB, "--positions", "good.fen", "--journal", "FILE"],
    "analyse --output": [*ANALYSE, "good.pgn", "--output", "FILE"],
    "analyse --report": [*ANALYSE, "good.pgn", "--report", "FILE"],
    "selfplay": [word.replace("own.bin", "FILE") for word in OWN],
    "selfplay --epd": ["selfplay", "good.own", "--epd", "FILE"],
    "spsa --journal": [*SPSA, "--journal", "FILE"],
    "tune --output": [word.replace("new.py", "FILE") for word in TUNE],
    "tune --plot": [*TUNE, "--plot", "FILE"],
    "train --output": [word.replace("new.cwnet", "FILE") for word in TRAIN],
    "train --journal": [*TRAIN, "--journal", "FILE"],
    "train --plot": [*TRAIN, "--plot", "FILE"],
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a good file of each kind."""
    (tmp_path / "good.epd").write_text(f'{EPD} bm e4; c9 "1-0";\n')
    (tmp_path / "good.fen").write_text(f"{START}\n")
    (tmp_path / "good.pgn").write_text(GAME)
    (tmp_path / "labelled.own").write_bytes(own_games())
    (tmp_path / "folder").mkdir()
    return tmp_path


def own_games() -> bytes:
    """A file of selfplay: games of one position, with a score that the terms have to learn."""
    position = Position()
    plies = (labelled.Ply(position.move_code("e2e4"), 300),)
    games = [labelled.Game(number, labelled.RESULTS[number % 3], position.pack(), plies) for number in range(60)]
    return labelled.header({}) + b"".join(map(labelled.block, games))


@pytest.fixture
def coachwhip(folder: Path, root: Path, user_environment: dict[str, str]) -> Callable[..., "subprocess.CompletedProcess[str]"]:
    """Runs a command line in that folder, some libraries hidden, no file longer than `room` bytes.

    A page of the laboratory has the horizon effect; here it is shown to SHALLOW plies, since nothing depends on what it shows.
    """
    code = (
        "import sys\nfor name in sys.argv.pop(1).split(): sys.modules[name] = None\n"
        f"if '--page' in sys.argv: from coachwhip.bench.lab import horizon; horizon.DEPTH = horizon.JUDGE_DEPTH = {SHALLOW}\n"
        "from coachwhip.__main__ import main\nif __name__ == '__main__': sys.exit(main())"
    )

    def run(words: list[str], *, hidden: str = "", room: int | None = None) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [sys.executable, "-c", code, hidden, *words],
            cwd=folder,
            env={**user_environment, "PYTHONPATH": str(root)},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            timeout=300,
            preexec_fn=None if room is None else partial(limit_files, room),
        )

    return run


def contents(folder: Path) -> dict[str, bytes | None]:
    """What is in a folder; of a file, its bytes."""
    return {path.name: path.read_bytes() if path.is_file() else None for path in folder.iterdir()}


def limit_files(room: int) -> None:
    """Let this process and what it starts write no file longer than that, as on a disk that is full."""
    import resource

    resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))


def one_sentence(done: "subprocess.CompletedProcess[str]", name: str) -> str:
    """The one line of complaint, which names what is wrong."""
    assert done.returncode not in (0, 130), done.stdout + done.stderr
    assert "Traceback" not in done.stderr, done.stderr
    assert "Exception" not in done.stderr
    (complaint,) = [line for line in done.stderr.splitlines() if line.startswith("coachwhip")]
    assert name in complaint
    return complaint


def spoil(path: Path, fault: str) -> None:
    """Make a file with a fault."""
    if fault == "folder":
        path.mkdir()
    elif fault == "random":
        path.write_bytes(bytes((7 + number * number * 31) % 251 for number in range(1600)))
    elif fault == "empty":
        path.write_bytes(b"")
    elif fault == "latin":
        path.write_bytes(b"# \xe9tude\n")


@pytest.mark.parametrize(
    ("reads", "fault"),
    [
        (reads, fault)
        for reads in READS
        for fault in ("missing", "folder", "random", "empty", "latin")
        if not (fault == "empty" and READS[reads][1] == ".py")  # the shipped weights
    ],
)
def test_a_file_that_cannot_be_used_is_named(
    reads: str, fault: str, folder: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    words, suffix = READS[reads]
    path = folder / f"bad-{fault}{suffix}"
    spoil(path, fault)
    words = [word.replace("FILE", path.name) for word in words]
    before = contents(folder)
    code = main(words)
    one_sentence(subprocess.CompletedProcess(words, code, *capfd.readouterr()), path.name)
    assert contents(folder) == before


@pytest.mark.parametrize("fault", ["no-such-folder/new", "folder", "name\x00with"])
@pytest.mark.parametrize("writes", WRITES)
def test_a_file_that_cannot_be_written_is_refused_before_the_work(
    writes: str, fault: str, folder: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    before = sorted(folder.iterdir())
    assert main([word.replace("FILE", fault) for word in WRITES[writes]]) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert ("expected the name of a file" if "\x00" in fault else fault) in err.splitlines()[-1]
    assert sorted(folder.iterdir()) == before


JOURNALS = ("match --journal", "suite --journal", "lab --journal", "spsa --journal", "train --journal")
REPLACES = set(WRITES) - {*JOURNALS, "match --pgn", "selfplay"}  # an old file, at the end and as a whole
KEEPS = set(WRITES) - {"selfplay", "selfplay --epd"}  # which have results for standard output beside the file


def room_for(writes: str, path: Path) -> int:
    """How many bytes of a file to allow: its beginning, and so few that another run's file cannot be shorter.

    Times are in many files, so their lengths differ by some bytes a line from run to run. A journal keeps its settings and about
    half of its work, torn in the middle of a line; of two games, one and a half; anything else is cut in half.
    """
    size = path.stat().st_size
    if writes == "train --plot":  # the network, which is written before, has room
        return size - 1000
    if writes not in JOURNALS:
        return size * 3 // 4 if writes == "match --pgn" else size // 2
    lines = path.read_bytes().splitlines(keepends=True)
    torn = 1 + len(lines[1:]) // 2 if len(lines) > 2 else 1
    return sum(map(len, lines[:torn])) + len(lines[torn]) // 2


@pytest.mark.parametrize("writes", WRITES)
def test_a_disk_that_fills_up_is_told_and_keeps_what_was_done(
    writes: str,
    folder: Path,
    coachwhip: Callable[..., "subprocess.CompletedProcess[str]"],
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.setattr(horizon, "DEPTH", SHALLOW)
    monkeypatch.setattr(horizon, "JUDGE_DEPTH", SHALLOW)
    suffix = (
        ".svg"
        if writes == "train --plot"
        else ".png"
        if "--plot" in writes
        else ".pgn"
        if "--pgn" in writes
        else ".html"
        if "--page" in writes
        else ".out"
    )
    (folder / "good.pgn").write_text(GAME * 2)
    if writes == "selfplay --epd":
        assert main(OWN) == 0
        (folder / "own.bin").rename(folder / "good.own")
    if "tune" in writes:
        (folder / "good.epd").write_text(LABELLED)
    words = [word.replace("FILE", f"written{suffix}") for word in WRITES[writes]]
    path = folder / f"written{suffix}"
    assert main(words) == 0, capfd.readouterr().err
    room = room_for(writes, path)
    path.unlink()
    if writes in REPLACES:
        path.write_bytes(b"old")
    before = {*folder.iterdir(), path}
    done = coachwhip(words, room=room)
    assert set(folder.iterdir()) <= before
    assert writes not in REPLACES or path.read_bytes() == b"old"
    assert "File too large" in one_sentence(done, path.name)
    assert bool(done.stdout) == (writes in KEEPS)
    if writes in (*JOURNALS, "match --pgn"):
        assert path.read_bytes().endswith(b"\n")  # no torn line is left
        assert path.stat().st_size <= room
    if writes == "tune --output":  # nothing else had room either
        assert "PIECE_VALUE" in done.stdout or "TEMPO" in done.stdout


SAME = [
    "selfplay labelled.own --epd SAME:labelled.own",
    "selfplay SAME:good.epd --openings good.epd",
    "tune good.epd --output SAME:good.epd",
    "tune good.epd=2 --output SAME:good.epd",
    "tune good.epd --output new.py --weights w.svg --plot SAME:w.svg",
    "train labelled.own --output SAME:labelled.own",
    "train labelled.own --output new.cwnet --start new.1.cwnet --every-epoch",
    "train labelled.own --output new.cwnet --journal SAME:new.cwnet",
    "match GAMES --openings good.pgn --pgn SAME:good.pgn",
    "match GAMES --pgn SAME:all --journal all",
    "match --engine ./good.epd --engine ./good.epd --pgn SAME:good.epd",
    "match --engine a --engine 'b --weights=w.svg' --pgn SAME:w.svg",
    "suite SUITE good.epd --compare j --journal SAME:j",
    "suite SUITE w.svg --plot SAME:w.svg",
    "lab --positions good.fen --page SAME:good.fen",
    "lab --positions good.fen --plot SAME:w.svg --page w.svg",
    "spsa --tune rfp_margin --openings good.epd --journal SAME:good.epd",
    "analyse good.pgn --report SAME:good.pgn",
    "analyse good.pgn --output SAME:new --report ./new",
    "analyse --output SAME:/dev/stdout",
]


@pytest.mark.parametrize("kind", ["name", "symbolic link", "hard link"])
@pytest.mark.parametrize("line", SAME)
def test_no_output_is_an_input_or_another_output(
    line: str, kind: str, folder: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    for name in ("new.1.cwnet", "new.cwnet", "w.svg", "w.png", "j", "all", "new"):
        (folder / name).write_bytes(b"mine")
    words = line.replace("GAMES", shlex.join(GAMES)).replace("SUITE", shlex.join(SUITE))
    for word in re.findall(r"SAME:(\S+)", words):
        link = folder / "link.svg"
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
@pytest.mark.parametrize("writes", ["selfplay --epd", "analyse --output", "analyse --report", "match --pgn"])
def test_links_modes_and_pipes_stay_what_they_are(
    writes: str, folder: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    (folder / "good.own").write_bytes(own_games())

    def write(name: str) -> None:
        assert main([word.replace("FILE", name) for word in WRITES[writes]]) == 0, capfd.readouterr().err

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


@pytest.mark.parametrize("writes", [*JOURNALS, "selfplay"])
def test_a_run_that_is_resumed_needs_a_regular_file(
    writes: str, folder: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    assert main([word.replace("FILE", os.devnull) for word in WRITES[writes]]) == 2
    assert f"{os.devnull} is not a regular file" in capfd.readouterr().err.splitlines()[-1]


def test_a_training_reads_regular_files(folder: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    assert main([word.replace("labelled.own", os.devnull) for word in TRAIN]) == 2
    assert f"{os.devnull} is not a regular file" in capfd.readouterr().err.splitlines()[-1]


@pytest.mark.skipif(sys.platform == "win32", reason="no such files")
@pytest.mark.parametrize("words", [["match", *GAMES], OWN, SPSA], ids=lambda words: words[0])
def test_openings_may_come_through_a_pipe(
    words: list[str], folder: Path, coachwhip: Callable[..., "subprocess.CompletedProcess[str]"]
) -> None:
    """Which can be read once."""
    os.mkfifo(folder / "pipe")
    writer = threading.Thread(target=lambda: (folder / "pipe").write_text(f"{START}\n"), daemon=True)
    writer.start()
    done = coachwhip([*words, "--openings", "pipe"])
    assert done.returncode == 0, done.stderr


def test_a_rejected_engine_leaves_no_journal(folder: Path) -> None:
    words = ["--engine", "no-such-engine", "--engine", ENGINE, "--journal", str(folder / "j"), "--pgn", str(folder / "p")]
    before = contents(folder)
    assert main(["match", *words]) == 2
    assert contents(folder) == before


@pytest.mark.parametrize(
    ("words", "hidden", "sentence"),
    [
        (WRITES["match --plot"], "matplotlib", "match: --plot needs matplotlib: python3 -m pip install 'coachwhip[bench]'"),
        (WRITES["suite --plot"], "matplotlib", "suite: --plot needs matplotlib: python3 -m pip install 'coachwhip[bench]'"),
        (WRITES["lab --plot"], "matplotlib", "lab: --plot needs matplotlib: python3 -m pip install 'coachwhip[bench]'"),
        (WRITES["train --plot"], "matplotlib", "train: --plot needs matplotlib: python3 -m pip install 'coachwhip[bench]'"),
        (TRAIN, "scipy", "train: it needs scipy: python3 -m pip install 'coachwhip[bench]'"),
        (TRAIN, "numpy", "train: it needs numpy: python3 -m pip install numpy"),
        (WRITES["tune --plot"], "matplotlib", "tune: --plot needs matplotlib: python3 -m pip install 'coachwhip[bench]'"),
        (["wdl-fit", "good.pgn"], "scipy", "wdl-fit: it needs scipy: python3 -m pip install 'coachwhip[bench]'"),
        (["wdl-fit", "good.pgn"], "numpy", "wdl-fit: needs numpy: python3 -m pip install numpy"),
        (TUNE, "scipy", "tune: it needs scipy: python3 -m pip install 'coachwhip[bench]'"),
        (TUNE, "numpy", "tune: it needs numpy: python3 -m pip install numpy"),
        ([*GAMES, "--scheduler", "local"], "distributed", "--scheduler needs Dask: python3 -m pip install 'coachwhip[cluster]'"),
        (["match", *GAMES], "chess", "match: needs chess: python3 -m pip install chess"),
        (["suite", *SUITE, "good.epd"], "chess", "suite: needs chess: python3 -m pip install chess"),
        (["analyse", "good.pgn"], "chess", "analyse: needs chess: python3 -m pip install chess"),
        (OWN, "chess", "selfplay: needs chess: python3 -m pip install chess"),
        (["reference"], "chess", "reference: needs chess: python3 -m pip install chess"),
    ],
    ids=lambda value: " ".join(value)[:40] if isinstance(value, list) else None,
)
def test_a_library_that_is_missing_is_named(
    words: list[str], hidden: str, sentence: str, coachwhip: Callable[..., "subprocess.CompletedProcess[str]"]
) -> None:
    done = coachwhip(["match", *words] if words[0] == "--engine" else words, hidden=hidden)
    assert done.returncode == 2
    assert one_sentence(done, sentence)
    assert done.stdout == ""


@pytest.mark.parametrize("hidden", ["rich", "matplotlib rich scipy distributed"])
@pytest.mark.parametrize(
    "words",
    [
        ["bench", "1"],
        ["perft", "2"],
        ["match", *GAMES, "--engine", f"{ENGINE} c"],
        ["suite", *SUITE, "good.epd"],
        [*LAB, "--page", "page.html"],
        [*ANALYSE, "good.pgn"],
        OWN,
        SPSA,
        ["weights"],
        ["go", "depth", "1"],
    ],
    ids=lambda words: words[0],
)
def test_what_needs_no_library_works_without(
    words: list[str], hidden: str, coachwhip: Callable[..., "subprocess.CompletedProcess[str]"]
) -> None:
    done = coachwhip(words, hidden=hidden)
    assert done.returncode == 0, done.stderr
    assert done.stdout
