# SPDX-License-Identifier: GPL-3.0-or-later
"""What several tests share: the data folder beside the checkout, and an environment like a user's."""

import os
from pathlib import Path

import pytest
from places import ROOT


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


@pytest.fixture(scope="session")
def user_environment() -> dict[str, str]:
    """The environment without PYTHONUNBUFFERED, which would hide output that is never flushed."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
