# SPDX-License-Identifier: GPL-3.0-or-later
"""Weights files: the default one, round trips, and a clear message for each kind of bad file."""

import random
from collections.abc import Callable
from pathlib import Path

import pytest
from coachwhip.evaluation import config, layout, weights
from coachwhip.evaluation.config import WeightsError
from coachwhip.evaluation.layout import unpack_pair

from coachwhip.cli import weights as weights_command
from coachwhip.learn.terms.fit_report import weights_file

DEFAULT = config.load_default()
TEXT = config.dump(DEFAULT)
Write = Callable[[str | bytes], str]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write a file called my_weights.py and return its path."""

    def write(content: str | bytes) -> str:
        path = tmp_path / "my_weights.py"
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return str(path)

    return write


def entry(name: str) -> str:
    """The text of one assignment in the default file."""
    return TEXT[TEXT.index(f"\n{name} = ") + 1 :].partition("\n#")[0].partition("\n\n")[0]


def test_dump_is_the_default_file(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    """So that what `coachwhip weights` prints and what is in the repository cannot drift apart."""
    with open(weights.__file__, encoding="utf-8") as file:
        assert file.read() == TEXT
    assert weights_command.main([]) == 0
    assert capsys.readouterr().out == TEXT
    mine = config.dump(DEFAULT | {"TEMPO": (33, 44)})
    assert weights_command.main(["--weights", write(mine)]) == 0
    assert capsys.readouterr().out == mine != TEXT


def test_other_weights_do_not_claim_the_origin_of_the_shipped_ones() -> None:
    account = "fitted by `coachwhip tune`"
    assert account in TEXT
    assert account in config.dump(DEFAULT | {"NETWORK": ""})
    assert account not in config.dump(DEFAULT | {"TEMPO": (33, 44)})


def test_changed_weights_survive_a_round_trip(write: Write) -> None:
    """Through a file with all comments, and through the core's flat list."""
    rng = random.Random(5)
    flat = []
    for weight in layout.cells():
        mg, eg = (rng.randint(weight.low, weight.high) for _ in range(2))
        flat.append(layout.pack_pair(mg, eg) if weight.is_tapered else mg)
    changed = layout.unflatten(flat) | {"NETWORK": ""}
    text = config.dump(changed)
    loaded = config.load(write(text))
    assert loaded == changed
    assert config.flatten(loaded) == flat
    assert [line for line in text.splitlines() if line.startswith("#")] == [
        line for line in TEXT.splitlines() if line.startswith("#")
    ]


def test_boards_are_drawn_from_whites_side(write: Write) -> None:
    """The top left number of a board is a8: rank index 7, file index 0 in the core."""
    board = entry("KNIGHT_SQUARES_MG")
    changed = board.replace(board.splitlines()[1], "    [1234, 0, 0, 0, 0, 0, 0, 0],")
    flat = config.flatten(config.load(write(TEXT.replace(board, changed))))
    offset = next(at for at, weight in enumerate(layout.cells()) if weight.name == "knight_squares")
    assert unpack_pair(flat[offset + 56])[0] == 1234


def test_what_may_stand_in_a_file(write: Write) -> None:
    """Lists or tuples, signs, comments, text, a byte order mark; a coding line changes nothing.

    What it leaves out is the shipped.
    """
    mg, eg = DEFAULT["TEMPO"]
    loaded = config.load(write(TEXT.replace(entry("TEMPO"), f"TEMPO = [{mg}, +{eg}]")))
    assert config.flatten(loaded) == config.flatten(DEFAULT)
    text = '"""Mine."""\n# a comment\n' + TEXT + '\n"more text"\n'
    assert config.load(write(b"\xef\xbb\xbf" + text.encode())) == DEFAULT
    assert config.load(write("# -*- coding: utf-7 -*-\n" + TEXT)) == DEFAULT
    assert config.load(write("#" * 262144)) == DEFAULT
    assert config.load(write("TEMPO = (5, 6)")) == DEFAULT | {"TEMPO": (5, 6)}


# A line, and what the message must hold.
BAD_ENTRIES = [
    ("TEMPO = 5", "TEMPO must be a pair (midgame, endgame), not 5"),
    ("TEMPO = (5, 6, 7)", "TEMPO must be a pair (midgame, endgame), but has 3 instead of 2"),
    ("TEMPO = ((5, 6), 7)", "TEMPO[0] must be a whole number"),
    ("TEMPO = (5.0, 6)", "TEMPO holds something that is not a whole number"),
    ("TEMPO = (True, 6)", "whole number"),
    ("TEMPO = (5, 20000)", "TEMPO[1] must be from -2000 to 2000"),
    ("TEMPO = (5, 1" + "0" * 3000 + ")", "TEMPO[1] must be from -2000 to 2000"),
    ("TEMPO = (2 + 3, 6)", "whole number"),
    ("TEMPO = [5 for _ in range(2)]", "whole number"),
    (
        "\nTEMPO = (5, 6); TEMPO = (7, 8)",
        "line 2: TEMPO is assigned a second time; delete one of the two lines",
    ),
    ("TEMPO = OTHER = (5, 6)", "only assignments"),
    ("import os", "only assignments"),
    ("TEMPI = (5, 6)", "line 1: TEMPI is not the name of a weight (did you mean TEMPO?)"),
    ("NETWORKS = 'small.cwnet'", "did you mean NETWORK?"),
    ("TEMPO = (5, 6", "line"),
    ("  TEMPO = (5, 6)", "indent"),
    ("TEMPO = (5, 6)\x00", ""),
    ("TEMPO = " + "(" * 5000 + "5" + ")" * 5000, ""),
    ("TEMPO = (5, " + "-" * 100_000 + "6)", ""),
    *(
        (f"TEMPO = {start}{link * 50_000}", "")
        for start, link in (("1", "+1"), ("x", ".x"), ("f", "()"), ("x", "[0]"))
    ),
    (f"TEMPO = {[5] * 999}", "TEMPO must be a pair (midgame, endgame), but has 999 instead of 2"),
    ("\n\nKNIGHT_MOBILITY = []", "line 3: KNIGHT_MOBILITY must be a list of 9 pairs, but has 0 instead of 9"),
    ("KNIGHT_MOBILITY = [(1, 2)] * 9", "KNIGHT_MOBILITY holds something"),
    (f"KNIGHT_MOBILITY = {[*[(1, 2)] * 8, (1, [2])]}", "KNIGHT_MOBILITY[8][1] must be a whole number"),
    (
        f"ROOK_SQUARES_EG = {[[0] * 9, *[[0] * 8] * 7]}",
        "ROOK_SQUARES_EG[0] must be a list of 8 numbers, but has 9",
    ),
    ("SCALE_ROOK_ENDING = 129", "SCALE_ROOK_ENDING must be from 0 to 128"),
    ("NETWORK = 5", "NETWORK must be a string in quotes, not 5"),
    ("NETWORK = f'plain'", "NETWORK holds something"),
    ("NETWORK = " + repr("x" * 100_000), "NETWORK must have at most 1000 characters, but has 100000"),
    (r"NETWORK = 'a\nb'", "NETWORK must hold printable characters only"),
    (r"NETWORK = '\ud800'", "NETWORK must hold printable characters only"),
    (b"\xff\xfe\x00", "is not UTF-8 text"),
    ("TEMPO = (5, 6)  # é".encode("latin-1"), "is not UTF-8 text"),
    ("#" * 262145, "is larger than 262144 bytes"),
]


@pytest.mark.parametrize(
    ("content", "message"), BAD_ENTRIES, ids=[str(content[:24]) for content, _ in BAD_ENTRIES]
)
def test_bad_entries_are_named(write: Write, content: str | bytes, message: str) -> None:
    with pytest.raises(WeightsError) as info:
        config.load(write(content))
    said = str(info.value)
    assert said.startswith("my_weights.py")
    assert message in said
    assert len(said) < 200
    assert said.isprintable()


def test_nothing_in_a_file_is_executed(write: Write, tmp_path: Path) -> None:
    marker = tmp_path / "executed"
    call = f"open({str(marker)!r}, 'w')"
    for line in (
        f"TEMPO = ({call}.write('x'), 6)",
        call,
        f"TEMPO = [x for x in [{call}]]",
        f"@{call}\ndef f(): pass",
    ):
        with pytest.raises(WeightsError):
            config.load(write(line))
    assert not marker.exists()


def test_files_that_are_none_are_rejected(tmp_path: Path) -> None:
    for path, message in (
        ("none.py", r"cannot read none\.py"),
        (tmp_path, "is not a file"),
        ("a\x00b", "cannot read"),
        ("x" * 5000, "cannot"),
    ):
        with pytest.raises(WeightsError, match=message):
            config.load(path)


@pytest.mark.parametrize("name", ["", 'q"uote', "it's", "back\\slash", "{x} %s #", "naïve 棋", "x" * 1000])
def test_the_name_of_a_network_is_loaded_and_written(name: str, write: Write) -> None:
    loaded = config.load(write(config.dump(DEFAULT | {"NETWORK": name})))
    assert loaded == DEFAULT | {"NETWORK": name}
    assert config.load(write(weights_file(loaded, ["made by hand, 'with' \"quotes\" and \\"]))) == loaded
