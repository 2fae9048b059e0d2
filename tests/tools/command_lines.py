# SPDX-License-Identifier: GPL-3.0-or-later
"""Short command lines, the files that they read, and what they complain of."""

import re
import shlex
import sys
from pathlib import Path

import chess
from coachwhip.core.engine import STARTPOS_FEN, Position, move_code
from coachwhip.core.learning.scorer import encode_game
from places import STUB

from coachwhip.__main__ import main

START = chess.STARTING_FEN
EPD = " ".join(START.split()[:4])
ENGINE = shlex.join([sys.executable, str(STUB), "good"])
GAME = '[Event "x"]\n[Result "1-0"]\n\n1. e4 { [%eval 0.3] } e5 { [%eval 0.2] } 1-0\n\n'
LINES = {  # short command lines
    "MATCH": (
        f"match --engine {shlex.quote(ENGINE)} --engine {shlex.quote(ENGINE + ' b')} --games 2 --nodes 10 "
        "--max-moves 4"
    ),
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
    "MATCH --report FILE", "SUITE good.epd --report FILE", "TUNE --report FILE", "TRAIN --report FILE",
    "LAB --positions good.fen --report FILE", "ANALYSE good.pgn --output FILE",
    "ANALYSE good.pgn --report FILE", "selfplay good.vf --epd FILE", "selfplay good.vf --epd FILE.xz",
    "ANALYSE good.pgn --puzzles FILE",
    LINES["TUNE"].replace("new.py", "FILE"), LINES["TRAIN"].replace("new.cwnet", "FILE"),
]  # fmt: skip
OWN = LINES["SELFPLAY"].replace("own.vf", "FILE")


def words_of(line: str, file: str = "") -> list[str]:
    """The words of a line of these tables, FILE and the rest of its word replaced by a file's name."""
    for name, words in LINES.items():
        line = re.sub(rf"\b{name}\b", words.replace("\\", r"\\"), line)
    return [file if word.startswith("FILE") else word for word in shlex.split(line)]


def own_games() -> bytes:
    """A game file: games of one position, with a score that the terms have to learn."""
    plies = [(move_code(Position(), "e2e4"), 300)]
    return b"".join(encode_game(STARTPOS_FEN, number % 3, plies) for number in range(60))


def contents(folder: Path) -> dict[str, bytes | None]:
    """What is in a folder; of a file, its bytes."""
    return {path.name: path.read_bytes() if path.is_file() else None for path in folder.iterdir()}


def complaint_of(err: str, name: str) -> str:
    """The one line of complaint, which names the error."""
    assert "Traceback" not in err, err
    assert "Exception" not in err
    (complaint,) = [line for line in err.splitlines() if line.startswith("coachwhip")]
    assert name in complaint
    return complaint


def prepare(line: str, folder: Path) -> None:
    """Make the files that a line reads."""
    (folder / "good.pgn").write_text(GAME * 2)
    if "good.vf" in line:
        assert main(words_of("SELFPLAY")) == 0
        (folder / "own.vf").rename(folder / "good.vf")
    if "TUNE" in line or line.startswith("tune"):
        (folder / "good.epd").write_text(LABELLED)
