# SPDX-License-Identifier: GPL-3.0-or-later
"""Untrusted files: they run nothing, read nothing else, and end neither the process nor its memory.

The error is one line. The limits are in .github/SECURITY.md. tests/trials/mutated_files.py tries spoilt files
by the thousand.
"""

import bz2
import contextlib
import gzip
import html
import lzma
import os
import random
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import chess
import pytest
import studies as games
from coachwhip.bench import perft
from coachwhip.bench.suite import epd
from coachwhip.evaluation import config
from coachwhip.evaluation.config import WeightsError
from coachwhip.uci.tablebase import Tablebase
from places import DATA, ROOT, TOOLS

from coachwhip import compressed
from coachwhip.cli.command import CommandError
from coachwhip.games import openings
from coachwhip.games.adjudication import by_tablebase, open_tables
from coachwhip.learn import tuning_set
from coachwhip.pages import board_page
from coachwhip.pages.frame import ICON
from coachwhip.study.lab.__main__ import read_positions

QUEEN = chess.Board("8/8/8/4k3/8/8/8/KQ6 w - - 0 1")
TAGS = '[White "A"]\n[Result "1-0"]\n\n'


def one_line(message: str, path: Path) -> bool:
    """Whether a message names the file in one line of some length."""
    return path.name in message and len(message.splitlines()) == 1 and len(message) < 1000


def file_with(tmp_path: Path, text: str, name: str = "games.pgn") -> Path:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def test_a_few_spoilt_files_of_every_kind_are_read_or_rejected(tmp_path: Path) -> None:
    trial = ROOT / "tests" / "trials" / "mutated_files.py"
    command = [sys.executable, str(trial), "--count", "20", "--seed", "20", "--keep", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert not list(tmp_path.iterdir())


# --- Weights ---


@pytest.mark.parametrize(
    "name", ["//server/share/net.cwnet", r"\\\\server\\share\\net.cwnet", r"/\\server/share"]
)
def test_a_network_of_another_computer_is_rejected(name: str, tmp_path: Path) -> None:
    with pytest.raises(WeightsError, match=r"^mine\.py: NETWORK must name a file of this computer, not "):
        config.evaluator(file_with(tmp_path, f'NETWORK = "{name}"\n', "mine.py"))


# --- Games ---


@pytest.mark.parametrize(
    "text",
    [  # python-chess takes the next parenthesis for the end of a variation
        "1. e4 e5 2. Ke4 Nc6) $1 3. Nf3 $2 1-0\n",
        "1. e4 e5 2. Bc4 (2. Nf3 Nc6 2... d6 3. d4) 3. Bb5) 2... Nc6 3. Qh5 Nf6 4. Qxf7# 1-0\n",
        "1. e4 (1. Ke4 (1. d4) d5) e5 2. Nf3 (((2. f4 x) d6) e5) Nc5 1-0\n",
    ],
)
def test_a_game_ends_at_its_first_error(
    text: str, tmp_path: Path, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    path = file_with(tmp_path, TAGS + text + "\n" + TAGS + "1. d4 1-0\n")
    studies, faults = games.read_files([str(path)])
    assert len(studies) == 2
    assert len(faults) == 1
    assert one_line(faults[0], path)
    assert [node.move.uci() for node in studies[0].nodes][:1] == ["e2e4"]
    board_page.page(studies, "test")
    assert not caplog.records
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("number", ["$" + "9" * 5000, "9" * 5000 + "."])
def test_a_number_of_thousands_of_digits_is_named(number: str, tmp_path: Path) -> None:
    path = file_with(tmp_path, f"{TAGS}1. e4 {{[%eval 0.3]}} {number} 1-0\n")
    messages = list(games.read_files([str(path)])[1])
    try:
        assert openings.open_book(path)[0]()
    except CommandError as error:
        messages.append(str(error))
    assert all(one_line(message, path) for message in messages)


def test_deep_variations_are_read_and_written(tmp_path: Path) -> None:
    path = file_with(tmp_path, f"{TAGS}1. e4 {'(1. d4 ' * 3000}{')' * 3000} e5 1-0\n")
    (study,) = games.read_files([str(path)])[0]
    assert [node.move.uci() for node in study.nodes] == ["e2e4", "e7e5"]
    assert "1. d4" in str(study.game)


def test_a_report_of_a_hostile_game_runs_nothing(tmp_path: Path) -> None:
    """Every header that a page shows, comments, and what is no move."""
    names = (
        "Event Site Date Round White Black TimeControl Termination ECO Opening Variation SubVariation".split()
    )
    payloads = (
        "</script><script>alert(1)</script>",
        '"><img src=x onerror=alert(1)>',
        "' onload='alert(1)",
        "javascript:alert(1)",
        "\u2028<!--",
    )
    for payload in payloads:
        quoted = payload.replace("\\", "\\\\").replace('"', '\\"')
        headers = "".join(f'[{name} "{quoted}"]\n' for name in names)
        path = file_with(
            tmp_path, f"{headers}\n1. e4 {{ {payload} [%clk {payload}] }} ({payload}) e5 ; {payload}\n*\n"
        )
        page = board_page.page(games.read_files([str(path)])[0], payload)
        assert ("<" in payload or '"' in payload) <= (payload not in page)
        assert "javascript:" not in "".join(re.findall(r"(?i)(?:href|src)=\S*", page))
        assert page.count("<script") == page.count("</script") == 2
        body = re.sub(r"(?s)<style>.*?</style>|<script[ >].*?</script>", "", page.replace(ICON, ""))
        assert not re.search(r"(?i)<(script|img|iframe|object|embed|base|form|link)\b", body)
        assert not re.search(r"(?i)<[^>\"]*(\"[^\"]*\"[^>\"]*)*\s(on\w+|src|action)\s*=", body)
        assert "\u2028" not in "".join(re.findall(r"(?s)<script[ >].*?</script>", page))


# --- Compressed files ---

SCORED = '[White "A"]\n[Result "1-0"]\n\n1. e4 {[%eval 0.2]} e5 {[%eval 0.1]} 2. Nf3 {[%eval 0.3]} 1-0\n\n'
START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -"
READERS: dict[str, tuple[str, Callable[[Path], Any]]] = {  # a file that each can read, and the call
    "perft.epd.xz": (f"{START} ;D1 20\n", perft.read_suite),
    "lab.fen.xz": (f"{START}\n", read_positions),
    "suite.epd.gz": (f"{START} bm e4;\n", lambda path: epd.read_file(path, "suite")),
    "openings.epd.bz2": (f"{START}\n", lambda path: [opening() for opening in openings.open_book(path)]),
    "openings.pgn.xz": (SCORED, lambda path: [opening() for opening in openings.open_book(path)]),
    "analyse.pgn.gz": (SCORED, lambda path: [str(study.game) for study in games.read_files([str(path)])[0]]),
    "tune.epd.xz": (f'{START} c9 "1-0";\n', lambda path: tuning_set.read(path).boards.tolist()),
}
COMPRESS: dict[str, Callable[[bytes], bytes]] = {
    ".xz": lzma.compress,
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
}


@pytest.mark.parametrize("name", READERS)
def test_compressed_files_are_read_in_every_place_and_bombs_are_rejected(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compressed, "SMALL", 1 << 16)
    text, read_file = READERS[name]
    path, plain = tmp_path / name, tmp_path / Path(name).stem
    compress = COMPRESS[path.suffix]
    plain.write_text(text)
    path.write_bytes(compress(text.encode()))
    found = read_file(path)
    assert found
    assert str(found).replace(path.name, plain.name) == str(read_file(plain))
    faults = {
        "not a whole compressed file": path.read_bytes()[:-9],
        "expands to more than 200 times its size": compress(b"\n" * (1 << 22) + text.encode()),
        "compressed": b"\x28\xb5\x2f\xfd" + bytes(range(256)),  # by zstd
    }
    for message, content in faults.items():
        path.write_bytes(content)
        with pytest.raises(CommandError, match=message) as caught:
            read_file(path)
        assert one_line(str(caught.value), path)


@pytest.mark.parametrize(
    ("start", "zeros", "good"),
    [(0, 1 << 26, True), (0, (1 << 26) + 1, False), (400_000, 75 << 20, True), (400_000, 80 << 20, False)],
)
def test_a_compressed_file_expands_to_64_mib_or_200_times_its_size(
    start: int, zeros: int, good: bool, tmp_path: Path
) -> None:
    path = tmp_path / "bomb.bz2"
    path.write_bytes(bz2.compress(random.Random(1).randbytes(start) + bytes(zeros)))
    with (
        path.open("rb") as file,
        contextlib.nullcontext() if good else pytest.raises(compressed.CompressedError),
    ):
        assert len(compressed.expanded(file).read(1)) == 1


def test_a_labelled_position_has_at_most_65536_bytes(tmp_path: Path) -> None:
    path = tmp_path / "games.pgn.xz"
    position = f'{START} c9 "1-0";'
    path.write_bytes(lzma.compress(f"{position:65535}\n".encode()))
    assert len(tuning_set.read(path).boards) == 1
    path.write_bytes(lzma.compress(f"{position:65536}\n".encode()))
    with pytest.raises(CommandError, match=r"games\.pgn\.xz, line 1: longer than 65536 bytes"):
        tuning_set.read(path)


# --- Tables ---


@pytest.mark.parametrize("suffix", [".rtbw", ".rtbz"])
def test_a_table_of_other_pieces_is_not_searched_for_ever(suffix: str, tmp_path: Path) -> None:
    """python-chess looks for the pieces that the header names until it finds them."""
    for name in ("KQvK.rtbw", "KQvK.rtbz"):
        (tmp_path / name).write_bytes((DATA / "syzygy" / name).read_bytes())
    (tmp_path / f"KQvK{suffix}").write_bytes((DATA / "syzygy" / f"KRvK{suffix}").read_bytes())
    left_out = f"left out, since their headers are damaged: KQvK{suffix}"
    if suffix == ".rtbw":
        with pytest.raises(ValueError, match=f"no WDL tables in .*; {left_out}"):
            Tablebase(str(tmp_path))
    else:
        with contextlib.closing(Tablebase(str(tmp_path))) as tables:
            assert tables.summary == f"1 WDL and 0 DTZ tables, up to 3 pieces; {left_out}"
            assert tables.probe(QUEEN.fen()) == 2
    with pytest.raises(OSError, match=rf"KQvK\{suffix} is damaged"):
        open_tables(str(tmp_path))


def test_a_table_that_says_what_cannot_be_is_not_believed(tmp_path: Path) -> None:
    content = bytearray((DATA / "syzygy" / "KBvK.rtbw").read_bytes())
    place = 5 + 4 + 1  # magic, flags, order and pieces, and a byte so that the lists begin at an even place
    assert content[place] & 0x80  # all positions have one value, which follows
    content[place + 1] = content[place + 3] = 10
    (tmp_path / "KBvK.rtbw").write_bytes(content)
    with contextlib.closing(Tablebase(str(tmp_path))) as tables:
        assert tables.probe("8/8/8/4k3/8/8/8/KB6 w - - 0 1") is None
        assert "it gives 8 for" in tables.take_fault()


def test_a_damaged_table_ends_no_game(tmp_path: Path) -> None:
    content = (DATA / "syzygy" / "KQvK.rtbw").read_bytes()
    (tmp_path / "KQvK.rtbw").write_bytes(content[:16] + b"\xff" * (len(content) - 16))
    assert by_tablebase(QUEEN, str(tmp_path)) is None


# --- Text that a terminal would obey ---

NAME = "Fruit [/2.1] [bold]x\x1b]0;owned\x07\x9b31m\u202eb\u2028c\x7fd\u200f é 棋 $x_{"
SHOWN = "Fruit [/2.1] [bold]x?]0;owned??31m?b?c?d? é 棋 $x_{"
OBEYED = re.compile("\x1b\\]|[\x07\x7f-\x9f\u200e\u200f\u061c\u2028-\u202e\u2066-\u2069]")
CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
STUB = f"{shlex.quote(sys.executable)} {shlex.quote(str(TOOLS / 'stub_engine.py'))} {shlex.quote(NAME)}"
ENGINES = ["--engine", STUB, "--engine", STUB, "--name", NAME]
NAMING = {
    "suite": ["--nodes", "50", "names.epd", *ENGINES, "--report", "out.html"],
    "match": [*ENGINES, *"--nodes 50 --games 2 --max-moves 2 --pgn out.pgn --report out.html".split()],
    "analyse": ["--nodes", "50", "names.pgn", "--output", "out.pgn", "--report", "out.html"],
    "data": ["games", NAME],
}


def run_on_terminal(words: list[str], folder: Path) -> str:
    """What a command shows on a terminal of 400 columns, where rich draws."""
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "400", "PYTHONUTF8": "1"}
    command = [sys.executable, "-m", "coachwhip", *words]
    process = subprocess.Popen(
        command, cwd=folder, env=environment, stdin=theirs, stdout=theirs, stderr=theirs
    )
    os.close(theirs)
    shown = b""
    with contextlib.suppress(OSError):  # how Linux shows that the other end is closed
        while part := os.read(ours, 1 << 16):
            shown += part
    os.close(ours)
    process.wait(60)
    return shown.decode()


@pytest.mark.parametrize("name", NAMING)
def test_names_reach_terminals_and_files_as_printable_text(name: str, tmp_path: Path) -> None:
    file_with(tmp_path, f'8/8/8/4k3/8/8/8/KQ6 w - - bm Qb5; id "{NAME}";\n', "names.epd")
    tags = "".join(f'[{tag} "{NAME}"]\n' for tag in ("Event", "White", "Black", "Opening", "Own"))
    file_with(tmp_path, f"{tags}\n1. e4 {{{NAME}}} e5 *\n", "names.pgn")
    shown = run_on_terminal([name, *NAMING[name]], tmp_path)
    written = [path.read_text(encoding="utf-8") for path in tmp_path.glob("out.*")]
    assert len(written) == sum(word.startswith("out.") for word in NAMING[name])
    for text, bad in ((shown, OBEYED), *((text, CONTROLS) for text in written)):
        assert "Traceback" not in text
        assert bad.findall(text) == []
    assert "?[" not in shown  # rich's own sequences arrive
    stored = html.escape(CONTROLS.sub("?", NAME))
    assert SHOWN in shown or any(html.escape(SHOWN) in text or stored in text for text in written)
