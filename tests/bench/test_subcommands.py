# SPDX-License-Identifier: GPL-3.0-or-later
"""All subcommands: the table names modules that are there, and journals can be resumed."""

import argparse
from importlib import import_module
from typing import NoReturn

import pytest

from coachwhip.__main__ import SUBCOMMANDS


class Stopped(Exception):
    """Raised in place of parsing."""


@pytest.fixture(scope="module")
def options() -> dict[str, set[str]]:
    """The options of every subcommand, as its `main` makes them."""
    known: dict[str, set[str]] = {}

    def stop(parser: argparse.ArgumentParser, *_: object, **__: object) -> NoReturn:
        known[parser.prog.removeprefix("coachwhip ")] = set(parser._option_string_actions)
        raise Stopped

    with pytest.MonkeyPatch.context() as patch:
        for name in ("parse_args", "parse_intermixed_args"):
            patch.setattr(argparse.ArgumentParser, name, stop)
        for module, *_ in SUBCOMMANDS.values():
            with pytest.raises(Stopped):
                import_module(f"coachwhip.{module}").main([])
    assert set(known) == set(SUBCOMMANDS)
    return known


def test_what_keeps_a_journal_resumes_it(options: dict[str, set[str]]) -> None:
    assert all(("--journal" in has) == ("--resume" in has) for has in options.values())
