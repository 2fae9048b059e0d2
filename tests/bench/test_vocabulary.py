# SPDX-License-Identifier: GPL-3.0-or-later
"""One vocabulary: an option that several subcommands have means the same in each, takes the same kind of value, and is told alike."""

import argparse
import re
from importlib import import_module
from typing import NoReturn

import pytest

from coachwhip.__main__ import SUBCOMMANDS, TAKE

# Option: the value that it takes ("" if none), and how its help begins or what it holds, in every subcommand that has it.
SHARED = {
    "--batch": ("N", r"^(positions|iterations) a step"),
    "--chess960": ("", r"Chess960|castling"),
    "--concurrency": ("N", r"^(games|positions) at a time \(default"),
    "--date": ("DATE", r"^the day that the (new file|network) names"),
    "--depth": ("N", r"^search to this depth, in plies"),
    "--engine": ("COMMAND", r"^command line of a UCI engine; may be given several times$"),
    "--epochs": ("N", r"passes over the data \(default"),
    "--games": ("N", r"^games (of each two engines|in the file when done|to play)"),
    "--hash": ("MB", r"^size of the (transposition table|table that keeps the counts .*) \(default \d+[:)]"),
    "--journal": ("FILE", r"^keep every finished \w+ so that the run can be resumed"),
    "--json": ("", r"^print one JSON object instead of text$"),
    "--limit": ("N", r"first N positions of each file"),
    "--max-moves": ("N", r"^a draw after N moves of each side"),
    "--max-nodes": ("N", r"^(give a search up that takes more|skip larger counts)"),
    "--max-score": ("CP", r"^(with --epd: )?leave out (larger scores|positions whose score is beyond CP)"),
    "--name": ("NAME", r"^what to call the engine named last"),
    "--nodes": ("N", r"^search (so many nodes for each (move|position)|each bench position to so many nodes)"),
    "--only": ("A,B", r"^(measure|fit) only"),
    "--openings": ("FILE", r"^positions to start from: EPD, FEN, \.pgn or Polyglot \.bin \(default: the "),
    "--option": ("NAME=VALUE", r"^UCI option of the engine named last"),
    "--output": ("FILE", r"^(the new weights file|the network|write the annotated games)"),
    "--per-game": ("N", r"^(with --epd: )?(use )?at most N( positions)? of a game"),
    "--plies": ("N", r"^length of PGN and Polyglot openings \(default: all; 8\)$"),
    "--plot": ("FILE", r"^draw .* \(\.png, \.svg or \.pdf; needs matplotlib\)$"),
    "--rate": ("X", r"^learning rate"),
    "--repository": ("DIR", r"^where the revisions are"),
    "--resign": ("MOVES,CP", r"^a win if both engines' scores"),
    "--draw": ("FROM,MOVES,CP", r"^a draw if from move FROM"),
    "--resume": ("", r"^go on with the run in the --journal; start it if there is none$"),
    "--revision": ("REV", r"^ourselves as of a git revision"),
    "--scheduler": ("ADDRESS", r"^play on a Dask cluster: tcp://HOST:PORT, or local for one made here$"),
    "--seed": ("N", r"^decides .* \(default 1\)$"),
    "--set": ("NAME=VALUE", r"^change a tunable of the search"),
    "--start-timeout": ("SECONDS", r"^how long an engine may take to answer uciok"),
    "--threads": ("N", r"^(search|counting) threads \(default 1\)"),
    "--time": ("SECONDS", r"^time for each (move|position)"),
    "--timeout": ("SECONDS", r"^give an engine up on (a position|one answer) after so long"),
    "--validation": ("X", r"^share (of the games held out|kept for validation)"),
    "--wdl": ("X", r"^share of the game's result in the targets"),
    "--weights": ("FILE", r"these weights.*\(default: the shipped ones\)$"),
}
GONE = {
    "--book": "--openings", "--lambda": "--wdl", "--movetime": "--time", "--save": "--journal",
}  # fmt: skip
WITHOUT_RESUME = {"selfplay"}  # running the command again goes on with its file


class Stopped(Exception):
    """Raised in place of parsing."""


@pytest.fixture(scope="module")
def parsers() -> dict[str, argparse.ArgumentParser]:
    """The parser of every subcommand, as its `main` makes it."""
    found: dict[str, argparse.ArgumentParser] = {}

    def stop(parser: argparse.ArgumentParser, *_: object, **__: object) -> NoReturn:
        found[parser.prog.removeprefix("coachwhip ")] = parser
        raise Stopped

    with pytest.MonkeyPatch.context() as patch:
        for name in ("parse_args", "parse_intermixed_args"):
            patch.setattr(argparse.ArgumentParser, name, stop)
        for module in SUBCOMMANDS.values():
            with pytest.raises(Stopped):
                import_module(module).main([])
    assert set(found) == set(SUBCOMMANDS)
    return found


@pytest.fixture(scope="module")
def options(parsers: dict[str, argparse.ArgumentParser]) -> dict[str, dict[str, argparse.Action]]:
    """Subcommand and option for every name of an option but --help: option -> subcommand -> what argparse knows of it."""
    found: dict[str, dict[str, argparse.Action]] = {}
    for command, parser in parsers.items():
        for action in parser._actions:
            for name in action.option_strings:
                if action.dest != "help":
                    found.setdefault(name, {})[command] = action
    return found


def test_the_table_has_every_option_that_several_subcommands_have(options: dict[str, dict[str, argparse.Action]]) -> None:
    assert {name for name, commands in options.items() if len(commands) > 1} == set(SHARED)


@pytest.mark.parametrize("name", SHARED)
def test_a_shared_option_means_the_same_everywhere(name: str, options: dict[str, dict[str, argparse.Action]]) -> None:
    value, told = SHARED[name]
    for command, action in options[name].items():
        metavar = "" if action.nargs == 0 else action.metavar or action.dest.upper()
        assert re.fullmatch(value, str(metavar)), f"{command} {name} {metavar}"
        assert re.search(told, action.help or ""), f"{command} {name}: {action.help}"


def test_a_thing_has_one_name(options: dict[str, dict[str, argparse.Action]]) -> None:
    assert not set(GONE) & set(options)
    for commands in options.values():
        for command, action in commands.items():
            assert len(action.option_strings) == 1, f"{command} {action.option_strings}"


def test_what_keeps_a_journal_resumes_it(options: dict[str, dict[str, argparse.Action]]) -> None:
    assert set(options["--journal"]) == set(options["--resume"])
    assert not WITHOUT_RESUME & set(options["--journal"])


def test_every_option_says_what_it_does_and_has_a_named_value(options: dict[str, dict[str, argparse.Action]]) -> None:
    for name, commands in options.items():
        for command, action in commands.items():
            assert action.help, f"{command} {name}"
            assert action.nargs == 0 or action.metavar or action.choices, f"{command} {name}: a value without a name"


def test_the_command_line_hands_on_what_subcommands_have(options: dict[str, dict[str, argparse.Action]]) -> None:
    """`coachwhip --set NAME=VALUE match ...` is `coachwhip match --set NAME=VALUE ...`."""
    for name, commands in TAKE.items():
        assert commands == set(options[name])


def test_a_time_is_in_seconds(options: dict[str, dict[str, argparse.Action]]) -> None:
    for action in options["--time"].values():
        read = action.type
        assert callable(read)
        assert read("0.25") == 0.25
