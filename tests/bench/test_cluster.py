# SPDX-License-Identifier: GPL-3.0-or-later
"""A match and self-play on a Dask cluster: the games of a local run, also when a worker is lost."""

import json
import os
import shlex
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import places
import pytest
from coachwhip.bench.match import __main__ as match
from distributed.cfexecutor import ClientExecutor
from uci_process import environment, wait_for

from coachwhip.cli import pool
from coachwhip.cli.journal import Journal
from coachwhip.learn import selfplay

pytestmark = pytest.mark.filterwarnings("ignore")  # Dask's own, when a worker dies

STUB = f"{shlex.quote(sys.executable)} {shlex.quote(str(places.STUB))}"
GAMES = 8


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """Dask's view of two workers, each a process with one thread, as `--scheduler local` starts them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", environment()["PYTHONPATH"])
        with pool.cluster(pool.LOCAL, 2) as made:
            yield made.client.cluster


def words(tmp_path: Path, name: str) -> list[str]:
    """A match of deterministic engines, kept in the journal `name`."""
    book = tmp_path / "book.fen"
    book.write_text(
        "".join(f"4k3/pppppppp/8/8/8/8/PPPPPPPP/4K3 w - - 0 {number}\n" for number in range(1, 7))
    )
    engines = f"--engine '{STUB} good a' --engine '{STUB} good b' --nodes 20 --max-moves 8 --games {GAMES}"
    return [*shlex.split(engines), "--openings", str(book), "--journal", str(tmp_path / name)]


def games(path: Path) -> list[tuple[int, str, tuple[str, ...]]]:
    """Number, result and moves of the games in a journal."""
    if not path.exists():
        return []
    data = [json.loads(line) for line in path.read_bytes().split(b"\n")[:-1]]
    return [
        (game["number"], game["result"], tuple(move[0] for move in game["moves"]))
        for game in data
        if "number" in game
    ]


def test_no_cluster_is_one_message(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(pool, "CONNECT_TIMEOUT", 0.5)
    assert match.main([*words(tmp_path, "none.jsonl"), "--scheduler", "tcp://127.0.0.1:9"]) == 2
    assert "no cluster at tcp://127.0.0.1:9" in capsys.readouterr().err


def test_a_scheduler_that_is_killed_is_one_message(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file, submit = tmp_path / "scheduler.json", ClientExecutor.submit
    command = [
        sys.executable,
        "-m",
        "distributed.cli.dask_scheduler",
        "--port",
        "0",
        "--no-dashboard",
        "--scheduler-file",
    ]
    with subprocess.Popen([*command, str(file)], stderr=subprocess.DEVNULL) as scheduler:

        def submit_and_kill(*given: Any) -> Any:
            threading.Timer(0.5, scheduler.kill).start()
            return submit(*given)

        monkeypatch.setattr(ClientExecutor, "submit", submit_and_kill)
        wait_for(lambda: file.exists() and "address" in file.read_text())
        address = json.loads(file.read_text())["address"]
        assert match.main([*words(tmp_path, "lost.jsonl"), "--scheduler", address]) == 2
    assert capfd.readouterr().err == f"coachwhip match: the scheduler at {address} is lost\n"


def test_an_engine_that_workers_cannot_start_is_one_message(
    cluster: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = [
        "--engine",
        "no-such-engine-anywhere",
        "--engine",
        "b",
        "--scheduler",
        cluster.scheduler_address,
    ]
    assert match.main([*command, "--journal", str(tmp_path / "x.jsonl")]) == 2
    assert "cannot use 'no-such-engine-anywhere'" in capsys.readouterr().err


def test_selfplay_writes_the_same_file_as_in_one_process(cluster: Any, tmp_path: Path) -> None:
    files = [tmp_path / "local.vf", tmp_path / "cluster.vf"]
    for path, words in zip(
        files, (["--concurrency", "1"], ["--scheduler", cluster.scheduler_address]), strict=True
    ):
        assert (
            selfplay.main(
                [str(path), "--games", "4", "--nodes", "60", "--max-moves", "8", "--hash", "1", *words]
            )
            == 0
        )
    assert files[0].read_bytes() == files[1].read_bytes()


def test_a_lost_worker_changes_nothing(
    cluster: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is lost right after the first game."""
    journal = tmp_path / "cluster.jsonl"
    victims, append = [next(iter(cluster.workers.values())).pid], Journal.append

    def append_and_kill(self: Journal, line: Any) -> None:
        append(self, line)
        if victims and games(journal):
            os.kill(victims.pop(), signal.SIGTERM if os.name == "nt" else signal.SIGKILL)

    monkeypatch.setattr(Journal, "append", append_and_kill)
    assert (
        match.main([*words(tmp_path, "cluster.jsonl"), "--scheduler", cluster.scheduler_address, "--json"])
        == 0
    )
    assert not victims
    assert json.loads(capsys.readouterr().out)["games"] == GAMES
    assert match.main(words(tmp_path, "local.jsonl")) == 0
    played = games(journal)
    assert len(played) == GAMES
    assert sorted(played) == sorted(games(tmp_path / "local.jsonl"))
