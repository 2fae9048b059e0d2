# SPDX-License-Identifier: GPL-3.0-or-later
"""What several tests share: the data folders, an environment like a user's, and what is done about programs that are missing."""

import os
import signal
from pathlib import Path

import programs
import pytest
from places import DATA, ROOT


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


# --- Programs that are missing ---

MISSING = pytest.StashKey[list[str]]()


def missing_programs(item: pytest.Item) -> list[str]:
    """What a test needs and is not installed."""
    return [names for mark in item.iter_markers("needs_program") for names in mark.args if not programs.program(names)]


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "needs_program(name, ...): the test drives these programs; see tests/tools/programs.py")
    config.stash[MISSING] = []
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:  # a shell's background job, whose children would ignore Ctrl-C as well
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the tests whose programs are not installed."""
    if programs.is_required():
        return
    left_out = [item for item in items if missing_programs(item)]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        missing = {names for item in left_out for names in missing_programs(item)}
        config.stash[MISSING] = sorted(missing)
        items[:] = [item for item in items if item not in left_out]


def pytest_runtest_setup(item: pytest.Item) -> None:
    missing = missing_programs(item)
    if missing:
        pytest.fail(f"not installed: {', '.join(missing)}; .ci/run installs what the tests drive", pytrace=False)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    missing = config.stash[MISSING]
    if missing:
        terminalreporter.write_line(f"left out are tests that drive programs not installed: {', '.join(missing)}")
