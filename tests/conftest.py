# SPDX-License-Identifier: GPL-3.0-or-later
"""What several tests share: data folders, an environment like a user's, and what if programs are missing."""

import gc
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import programs
import pytest
from coachwhip.uci.options import TABLE, as_text
from command_lines import EPD, GAME, START, own_games
from hypothesis import HealthCheck, settings
from places import DATA, ROOT
from uci_process import UciProcess

# No example fails because the machine is busy. Loaded before the tests are imported, since each test keeps
# the profile it finds.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")

# Without bytecode, each of the processes that the tests start would compile all that it imports.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# Under nohup, processes ignore it, and so do those that they start.
if sys.platform != "win32" and signal.getsignal(signal.SIGHUP) == signal.SIG_IGN:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


@pytest.fixture(scope="session")
def root() -> Path:
    """The checkout."""
    return ROOT


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The test data next to the checkout, which is not part of it."""
    data = ROOT.parent / "shared" / "data"
    if not data.is_dir():
        pytest.skip("no ../shared/data")
    return data


@pytest.fixture(scope="session", params=["own", "shared"])
def any_data(request: pytest.FixtureRequest) -> Path:
    """The tests' own data, then the larger data next to the checkout, for what has one place in both."""
    if request.param == "own":
        return DATA
    data: Path = request.getfixturevalue("shared_data")
    return data


@pytest.fixture(scope="session")
def user_environment() -> dict[str, str]:
    """The environment without PYTHONUNBUFFERED, which would hide output that is never flushed."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}


@pytest.fixture(scope="session")
def shared() -> Iterator[UciProcess]:
    """One engine process for the tests that need none of their own: each shows that the last did no harm."""
    with UciProcess() as process:
        yield process
        process.quit()


@pytest.fixture
def engine(shared: UciProcess) -> UciProcess:
    """That process with the default options, in a new game."""
    defaults = (
        f"setoption name {entry.name} value {as_text(entry.default)}"
        for entry in TABLE
        if entry.kind != "button"
    )
    assert shared.ask(*defaults, "ucinewgame", "position startpos") == []
    return shared


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", "needs_program(name, ...): the test drives these programs; see tests/tools/programs.py"
    )
    # The children of a shell's background job would ignore Ctrl-C as well.
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_finish() -> None:
    """Nothing collected becomes garbage: looking through it would take a twentieth of the time."""
    gc.collect()
    gc.freeze()


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a test whose programs are not installed; with COACHWHIP_CI set it fails."""
    needed = [names for mark in item.iter_markers("needs_program") for names in mark.args]
    missing = ", ".join(names for names in needed if not programs.program(names))
    if missing and os.environ.get("COACHWHIP_CI"):
        pytest.fail(f"not installed: {missing}; .ci/run installs what the tests drive", pytrace=False)
    elif missing:
        pytest.skip(f"not installed: {missing}")


# --- With `-n auto` (pytest-xdist) ---


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Two for each processor, since they often wait for engines.

    More than eight take memory and little time from each other.
    """
    return min(2 * (os.cpu_count() or 1), 8)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Neighbours share a process and its fixtures; who has nothing left takes tests of others."""
    from xdist.scheduler import WorkStealingScheduling

    return WorkStealingScheduling(config, log) if config.getoption("dist") == "load" else None


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with a good file of each kind, as tests/tools/command_lines.py reads them."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "good.epd").write_text(f'{EPD} bm e4; c9 "1-0";\n')
    (tmp_path / "good.fen").write_text(f"{START}\n")
    (tmp_path / "good.pgn").write_text(GAME)
    (tmp_path / "labelled.vf").write_bytes(own_games())
    (tmp_path / "folder").mkdir()
    return tmp_path
