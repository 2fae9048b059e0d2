# SPDX-License-Identifier: GPL-3.0-or-later
"""What several tests share: the data folders, an environment like a user's, and what is done about programs that are missing.

The tests run in one process, or with `-n auto` (pytest-xdist) in several.
"""

import gc
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import programs
import pytest
from hypothesis import HealthCheck, settings
from places import DATA, ROOT

# No example fails because the machine is busy. Loaded before the tests are imported, since each test keeps the profile it finds.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")

# Without bytecode, each of the thousand processes that the tests start would compile all that it imports.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False


@pytest.fixture(scope="session")
def root() -> Path:
    """The checkout."""
    return ROOT


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The test data beside the checkout, which is not part of it."""
    data = ROOT.parent / "shared" / "data"
    if not data.is_dir():
        pytest.skip("no ../shared/data")
    return data


@pytest.fixture(scope="session", params=["own", "shared"])
def any_data(request: pytest.FixtureRequest) -> Path:
    """The tests' own data, and then the larger data beside the checkout: for what has the same place in both."""
    if request.param == "own":
        return DATA
    data: Path = request.getfixturevalue("shared_data")
    return data


@pytest.fixture(scope="session")
def user_environment() -> dict[str, str]:
    """The environment without PYTHONUNBUFFERED, which would hide output that is never flushed."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}


# --- Worker processes ---

WORKERS = 2  # for each processor: a fifth of a worker's time is waiting for programs
MOST_WORKERS = 8  # of more, each takes memory and little time from the others; the tests start engines of several threads too
GARBAGE = 20_000  # new objects, between two searches for garbage
UNDIVIDED = {  # files whose tests all run in one process, and begin first
    "tests/uci/test_robustness.py",  # they share an engine, and each shows that the one before did it no harm
}


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Give every worker process the next test that no other has begun; the marker `xdist_group` fails with pytest 9.2."""
    if config.getoption("dist") != "load":
        return None
    from xdist.scheduler import LoadScopeScheduling

    class ByTest(LoadScopeScheduling):  # type: ignore[misc]  # untyped
        def _split_scope(self, nodeid: str) -> str:
            file = nodeid.partition("::")[0]
            return file if file in UNDIVIDED else nodeid

    return ByTest(config, log)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int | None:
    """For `-n auto`: two processes for each processor that this one may use; None if pytest-xdist's variable has the number."""
    if "PYTEST_XDIST_AUTO_NUM_WORKERS" in os.environ:
        return None
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(WORKERS * usable, MOST_WORKERS)


# --- Programs that are missing ---

MISSING = pytest.StashKey[set[str]]()
REPORTED = "missing_programs"  # under what name a worker process of pytest-xdist reports them


def missing_programs(item: pytest.Item) -> list[str]:
    """What a test needs and is not installed."""
    return [names for mark in item.iter_markers("needs_program") for names in mark.args if not programs.program(names)]


def compile_tests() -> None:
    """Have two processes write the bytecode of all tests, half of them each; else every worker compiles them all, and numpy too."""
    files = sorted(map(str, Path(__file__).parent.glob("*/test_*.py")))
    command = [sys.executable, "-m", "pytest", "-p", "no:xdist", "-p", "no:cacheprovider", "--collect-only", "-qq"]
    started = [subprocess.Popen([*command, *half], cwd=ROOT, stdout=subprocess.DEVNULL) for half in (files[::2], files[1::2])]
    for process in started:
        process.wait()


def pytest_configure(config: pytest.Config) -> None:
    is_first = not (Path(__file__).parent / "core" / "__pycache__").exists()
    if is_first and getattr(config.option, "numprocesses", None) and not hasattr(config, "workerinput"):
        compile_tests()
    config.addinivalue_line("markers", "needs_program(name, ...): the test drives these programs; see tests/tools/programs.py")
    config.addinivalue_line(
        "markers", "takes_long: ten seconds or more; begins first, so that no worker is left with it at the end"
    )
    config.stash[MISSING] = set()
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:  # a shell's background job, whose children would ignore Ctrl-C as well
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Put long tests first, and leave out those whose programs are not installed."""
    items.sort(key=lambda item: item.get_closest_marker("takes_long") is None)
    if programs.is_required():
        return
    left_out = [item for item in items if missing_programs(item)]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        config.stash[MISSING] = {names for item in left_out for names in missing_programs(item)}
        items[:] = [item for item in items if item not in left_out]


def pytest_collection_finish() -> None:
    """Nothing collected becomes garbage: looking through it again and again would take a twentieth of the time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(GARBAGE)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """A worker process of pytest-xdist, which alone collects tests, tells the process that prints the summary."""
    if hasattr(session.config, "workeroutput"):
        missing = session.config.stash[MISSING]
        session.config.workeroutput[REPORTED] = sorted(missing)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """A worker process of pytest-xdist has ended; one that crashed reports nothing."""
    node.config.stash[MISSING].update(getattr(node, "workeroutput", {}).get(REPORTED, []))


def pytest_runtest_setup(item: pytest.Item) -> None:
    missing = missing_programs(item)
    if missing:
        pytest.fail(f"not installed: {', '.join(missing)}; .ci/run installs what the tests drive", pytrace=False)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    missing = config.stash[MISSING]
    if missing:
        terminalreporter.write_line(f"left out are tests that drive programs not installed: {', '.join(sorted(missing))}")
