# SPDX-License-Identifier: GPL-3.0-or-later
"""Many positions in several processes."""

import os
import signal
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import chess
import chess.variant
import pytest
from chess.engine import EngineError, Limit
from places import ROOT
from positions import NO_KINGS, SHUFFLE, WHITE_HAS_A_ROOK, after

from coachwhip import Position, analyse_many, open_engine


def test_a_daemonic_process_says_what_to_do_instead() -> None:
    code = (
        "import multiprocessing, coachwhip\n"
        # as in a worker of multiprocessing.Pool
        "multiprocessing.current_process()._config['daemon'] = True\n"
        "coachwhip.analyse_many([coachwhip.Position()], depth=1)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert "RuntimeError: analyse_many cannot start processes in a daemonic worker process" in done.stderr


def test_many_are_analysed_as_one_alone_and_in_order() -> None:
    castling = chess.Board("4k3/8/8/8/8/8/8/RK5R w HA - 0 1", chess960=True)
    positions = [after(SHUFFLE), castling, chess.Board(STALEMATE), after(["e2e4", "e7e5"])]
    reported: list[tuple[int, int]] = []
    results = analyse_many(
        iter(positions),
        nodes=3000,
        multipv=2,
        processes=2,
        progress=lambda *numbers: reported.append(numbers),
    )
    with open_engine() as engine:
        for board, infos in zip(positions, results, strict=True):
            expected = engine.analyse(board, Limit(nodes=3000), multipv=2, game=object())
            assert [(info["score"], info.get("pv")) for info in infos] == [
                (info["score"], info.get("pv")) for info in expected
            ]
    assert reported == [(1, 4), (2, 4), (3, 4), (4, 4)]


def test_wrong_calls_are_reported_before_anything_is_searched() -> None:
    single: list[Any] = [chess.STARTING_FEN, chess.Board(), Position()]
    for one in single:
        with pytest.raises(TypeError, match="a list of positions"):
            analyse_many(one, nodes=1)
    wrong_positions: list[Any] = [NO_KINGS, "nonsense", None]
    for wrong in wrong_positions:
        with pytest.raises(ValueError, match=r"^positions\[2\]: "):
            analyse_many([chess.Board(), WHITE_HAS_A_ROOK, wrong], nodes=1)
    with pytest.raises(ValueError, match="nodes, depth or time"):
        analyse_many([chess.Board()])
    with pytest.raises(ValueError, match="nodes must be positive"):
        analyse_many([chess.Board()], nodes=0)
    with pytest.raises(ValueError, match="processes must be positive"):
        analyse_many([chess.Board()], nodes=1, processes=0)
    with pytest.raises(ValueError, match="multipv must be positive"):
        analyse_many([chess.Board()], depth=1, multipv=-1)
    assert list(analyse_many([], depth=1)) == []
    with (
        pytest.raises(EngineError, match="Hush"),
        closing(analyse_many([chess.Board()], depth=1, options={"Hush": 1})) as infos,
    ):
        next(infos)


STALEMATE = "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"  # its analysis ends at once, at any depth
PROGRAM = f"""
import chess, coachwhip
def main():
    try:
        fens = ["{STALEMATE}", chess.STARTING_FEN, chess.STARTING_FEN]
        for _ in coachwhip.analyse_many(fens, depth=100, processes=2):
            print("ready", flush=True)
    except KeyboardInterrupt:
        print("interrupted")
"""


def program(folder: Path, start: str) -> "subprocess.Popen[str]":
    path = folder / "program.py"
    path.write_text(PROGRAM + start)
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    pipe = subprocess.PIPE
    return subprocess.Popen(
        [sys.executable, path], env=environment, stdout=pipe, stderr=pipe, text=True, start_new_session=True
    )


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT for a child process")
@pytest.mark.parametrize("way", ["Ctrl-C", "kill"])
def test_the_workers_end_with_the_program(way: str, tmp_path: Path) -> None:
    """They hold its standard output, whose end is awaited here. A terminal sends Ctrl-C to all of them."""
    with program(tmp_path, "if __name__ == '__main__': main()") as child:
        assert child.stdout
        assert child.stdout.readline() == "ready\n"
        if way == "kill":
            child.kill()
        else:
            os.killpg(child.pid, signal.SIGINT)
        try:
            assert child.communicate(timeout=120)[0] == ("" if way == "kill" else "interrupted\n")
        finally:
            child.kill()


def test_a_program_without_a_guard_is_rejected_with_the_reason(tmp_path: Path) -> None:
    with program(tmp_path, "main()") as child:
        out, err = child.communicate(timeout=120)
    assert (out, child.returncode) == ("", 1)
    # multiprocessing may warn after it about what a killed worker left.
    assert "outside `if __name__ == '__main__':`" in err
