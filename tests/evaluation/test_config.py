# SPDX-License-Identifier: GPL-3.0-or-later
"""Weights files: the default one, round trips, and one clear sentence for each kind of bad file."""

import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from coachwhip.evaluation import config, layout, weights
from coachwhip.evaluation.config import WeightsError
from coachwhip.evaluation.layout import unpack_pair
from coachwhip.evaluation.learn.tune import weights_file

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
    start = TEXT.index(f"\n{name} = ") + 1
    end = start
    while True:
        end = TEXT.index("\n", end + 1)
        text = TEXT[start:end]
        if text.count("[") == text.count("]") and text.count("(") == text.count(")"):
            return text


def test_dump_is_the_default_file() -> None:
    """So that what `coachwhip weights` prints and what is in the repository cannot drift apart."""
    with open(weights.__file__, encoding="utf-8") as file:
        assert file.read() == TEXT


def test_changed_weights_survive_a_round_trip(write: Write) -> None:
    rng = random.Random(5)

    def shaken(value: Any) -> Any:
        if isinstance(value, (list, tuple)):
            return type(value)(shaken(item) for item in value)
        if isinstance(value, str):
            return value
        return min(max(value + rng.randint(-3, 3), 0), 128) if 0 <= value <= 128 else value + rng.randint(-3, 3)

    changed = {name: shaken(value) for name, value in DEFAULT.items()}
    assert changed != DEFAULT
    text = config.dump(changed)
    assert config.load(write(text)) == changed
    assert [line for line in text.splitlines() if line.startswith("#")] == [
        line for line in TEXT.splitlines() if line.startswith("#")
    ]


def test_boards_are_drawn_from_whites_side(write: Write) -> None:
    """The top left number of a board is a8: rank index 7, file index 0 in the core."""
    board = entry("KNIGHT_SQUARES_MG")
    changed = board.replace(board.splitlines()[1], "    [1234, 0, 0, 0, 0, 0, 0, 0],")
    flat = config.flatten(config.load(write(TEXT.replace(board, changed))))
    offset = next(at for at, (name, _) in enumerate(layout.cells()) if name == "knight_squares")
    assert unpack_pair(flat[offset + 56])[0] == 1234


def test_lists_and_tuples_are_the_same_thing(write: Write) -> None:
    tempo = entry("TEMPO")
    mg, eg = DEFAULT["TEMPO"]
    loaded = config.load(write(TEXT.replace(tempo, f"TEMPO = [{mg}, +{eg}]")))
    assert config.flatten(loaded) == config.flatten(DEFAULT)


def test_comments_text_and_a_byte_order_mark_are_no_harm(write: Write) -> None:
    text = '"""Mine."""\n# a comment\n' + TEXT + '\n"more text"\n'
    assert config.load(write(b"\xef\xbb\xbf" + text.encode())) == DEFAULT


TEMPO = entry("TEMPO")
MOBILITY = entry("KNIGHT_MOBILITY")

# Replacement for the line `TEMPO = ...`, and what the message must hold.
BAD_ENTRIES = [
    ("TEMPO = 5", ["TEMPO", "pair"]),
    ("TEMPO = (5,)", ["TEMPO", "pair"]),
    ("TEMPO = (5, 6, 7)", ["TEMPO", "pair", "3"]),
    ("TEMPO = ((5, 6), 7)", ["TEMPO[0]", "whole number"]),
    ("TEMPO = (5.0, 6)", ["TEMPO", "whole number"]),
    ("TEMPO = (True, 6)", ["TEMPO", "whole number"]),
    ("TEMPO = (None, 6)", ["TEMPO", "whole number"]),
    ("TEMPO = ('5', 6)", ["TEMPO", "whole number"]),
    ("TEMPO = (5, 20000)", ["TEMPO[1]", "from -2000 to 2000"]),
    ("TEMPO = (5, -20000)", ["TEMPO[1]", "from -2000 to 2000"]),
    ("TEMPO = (5, 1" + "0" * 3000 + ")", ["TEMPO[1]", "from -2000 to 2000"]),
    ("TEMPO = (2 + 3, 6)", ["TEMPO", "whole number"]),
    ("TEMPO = (~5, 6)", ["TEMPO", "whole number"]),
    ("TEMPO = (--5, 6)", ["TEMPO", "whole number"]),
    ("TEMPO = {5: 6}", ["TEMPO", "whole number"]),
    ("TEMPO = [5 for _ in range(2)]", ["TEMPO", "whole number"]),
    ("TEMPO = tuple([5, 6])", ["TEMPO", "whole number"]),
    ("TEMPO = (5, 6); TEMPO = (7, 8)", ["TEMPO", "second time"]),
    ("TEMPO = OTHER = (5, 6)", ["only assignments"]),
    ("TEMPO: tuple = (5, 6)", ["only assignments"]),
    ("TEMPO, OTHER = (5, 6)", ["only assignments"]),
    ("TEMPO[0] = 5", ["only assignments"]),
    ("import os", ["only assignments"]),
    ("def f(): pass", ["only assignments"]),
    ("5", ["only assignments"]),
    ("TEMPI = (5, 6)", ["TEMPI", "did you mean TEMPO"]),
    ("tempo = (5, 6)", ["tempo", "not the name of a weight"]),
    ("TEMPO = (5, 6", ["line"]),
    ("TEMPO = (5 6)", ["line"]),
    ("  TEMPO = (5, 6)", ["line", "indent"]),
    ("TEMPO = (5, 6)\x00", ["my_weights.py"]),
    ("TEMPO = " + "(" * 5000 + "5" + ")" * 5000, ["my_weights.py"]),
    ("TEMPO = (5, " + "-" * 100_000 + "6)", ["my_weights.py"]),
    ("TEMPO = (5, " + "+".join("1" * 50_000) + ")", ["my_weights.py"]),
]


@pytest.mark.parametrize(("line", "parts"), BAD_ENTRIES, ids=[line[:24] or "no line" for line, _ in BAD_ENTRIES])
def test_bad_entries_are_named_in_one_sentence(write: Write, line: str, parts: list[str]) -> None:
    with pytest.raises(WeightsError) as info:
        config.load(write(TEXT.replace(TEMPO, line)))
    message = str(info.value)
    assert all(part in message for part in ["my_weights.py", *parts]), message
    assert len(message) < 200
    assert message.isprintable()


def test_the_line_of_a_bad_entry_is_given(write: Write) -> None:
    text = TEXT.replace(TEMPO, "TEMPO = (5, 'six')")
    number = text.splitlines().index("TEMPO = (5, 'six')") + 1
    with pytest.raises(WeightsError, match=rf"line {number}: TEMPO "):
        config.load(write(text))


@pytest.mark.parametrize(
    ("replacement", "part"),
    [
        ("KNIGHT_MOBILITY = []", r"KNIGHT_MOBILITY must be a list of 9 pairs, but has 0 instead of 9"),
        ("KNIGHT_MOBILITY = [(1, 2)] * 9", r"KNIGHT_MOBILITY holds something"),
        ("KNIGHT_MOBILITY = [1, 2, 3, 4, 5, 6, 7, 8, 9]", r"KNIGHT_MOBILITY\[0\] must be a pair"),
        (
            "KNIGHT_MOBILITY = [(1, 2), (1, 2), (1, 2), (1, 2), (1, 2), (1, 2), (1, 2), (1, 2), (1, [2])]",
            r"KNIGHT_MOBILITY\[8\]\[1\]",
        ),
    ],
)
def test_wrong_shapes_are_named_down_to_the_cell(write: Write, replacement: str, part: str) -> None:
    with pytest.raises(WeightsError, match=part):
        config.load(write(TEXT.replace(MOBILITY, replacement)))


def test_a_board_must_be_eight_by_eight(write: Write) -> None:
    board = entry("ROOK_SQUARES_EG")
    rows = board.splitlines()
    with pytest.raises(WeightsError, match=r"ROOK_SQUARES_EG must be a list of 8 lists, but has 7"):
        config.load(write(TEXT.replace(board, "\n".join(rows[:3] + rows[4:]))))
    with pytest.raises(WeightsError, match=r"ROOK_SQUARES_EG\[0\] must be a list of 8 numbers, but has 9"):
        config.load(write(TEXT.replace(board, board.replace("],", ", 1],", 1))))


@pytest.mark.parametrize("value", [-1, 129])
def test_scale_factors_stay_in_their_range(write: Write, value: int) -> None:
    line = entry("SCALE_ROOK_ENDING")
    with pytest.raises(WeightsError, match="SCALE_ROOK_ENDING must be from 0 to 128"):
        config.load(write(TEXT.replace(line, f"SCALE_ROOK_ENDING = {value}")))


def test_nothing_in_a_file_is_executed(write: Write, tmp_path: Path) -> None:
    marker = tmp_path / "executed"
    for line in (
        f"TEMPO = (open({str(marker)!r}, 'w').write('x'), 6)",
        f"open({str(marker)!r}, 'w')",
        f"TEMPO = [x for x in [open({str(marker)!r}, 'w')]]",
        f"@open({str(marker)!r}, 'w')\ndef f(): pass",
    ):
        with pytest.raises(WeightsError):
            config.load(write(TEXT.replace(TEMPO, line)))
    assert not marker.exists()


@pytest.mark.parametrize("content", [b"\xff\xfe\x00", "TEMPO = (5, 6)  # é".encode("latin-1")])
def test_a_file_that_is_not_utf8_is_refused(write: Write, content: str | bytes) -> None:
    with pytest.raises(WeightsError, match=r"my_weights\.py is not UTF-8 text"):
        config.load(write(content))


def test_a_coding_line_cannot_smuggle_another_encoding_in(write: Write) -> None:
    assert config.load(write("# -*- coding: utf-7 -*-\n" + TEXT)) == DEFAULT


def test_a_file_may_have_256_kib_and_no_byte_more(write: Write) -> None:
    whole = TEXT + "#" * (2**18 - len(TEXT))
    assert len(whole.encode()) == 2**18
    assert config.load(write(whole)) == DEFAULT
    with pytest.raises(WeightsError, match="larger than 262144 bytes"):
        config.load(write(whole + "#"))


@pytest.mark.parametrize("names", [[], ["TEMPO"], ["KNIGHT_MOBILITY", "TEMPO"], ["MATERIAL"]])
def test_what_a_file_leaves_out_is_the_shipped_one(write: Write, names: list[str]) -> None:
    changed = {name: [(5, 6)] * len(DEFAULT[name]) if isinstance(DEFAULT[name][0], tuple) else (5, 6) for name in names}
    text = "# nothing else\n" + "".join(f"{name} = {value}\n" for name, value in changed.items())
    assert config.load(write(text)) == DEFAULT | changed
    with pytest.raises(WeightsError, match=r"TEMPI is not the name of a weight \(did you mean TEMPO\?\)"):
        config.load(write(f"{text}TEMPI = (1, 2)\n"))


def test_files_that_are_none_are_refused(tmp_path: Path) -> None:
    with pytest.raises(WeightsError, match=r"cannot read none\.py"):
        config.load(tmp_path / "none.py")
    with pytest.raises(WeightsError, match="is not a file"):
        config.load(tmp_path)
    with pytest.raises(WeightsError, match="cannot read"):
        config.load("a\x00b")
    with pytest.raises(WeightsError, match="cannot read"):
        config.load("x" * 5000)


def test_damaged_files_never_raise_anything_else(write: Write) -> None:
    """Cut, doubled and overwritten pieces of the default file: each is read as weights or refused in one sentence."""
    rng = random.Random(8)
    refused = []
    for _ in range(150):
        damaged = TEXT
        for _ in range(rng.randint(1, 3)):
            a, b = sorted(rng.sample(range(len(damaged)), 2))
            b = min(b, a + rng.choice((1, 5, 300)))
            piece = rng.choice(("", damaged[a:b] * 2, "(", "]", "\\", "'", "=", ",", "-", "\n", "é"))
            damaged = damaged[:a] + piece + damaged[b:]
        try:
            flat = config.flatten(config.load(write(damaged)))
        except WeightsError as error:
            refused.append(str(error))
        else:
            assert len(flat) == len(config.flatten(DEFAULT))
    assert len(refused) > 50
    assert all(message.isprintable() for message in refused)


def test_weights_command_prints_a_file_that_loads(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    assert config.main([]) == 0
    assert capsys.readouterr().out == TEXT
    mine = config.dump(DEFAULT | {"TEMPO": (33, 44)})
    assert config.main(["--weights", write(mine)]) == 0
    assert capsys.readouterr().out == mine != TEXT


def test_weights_command_refuses_a_bad_file_on_stderr(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    assert config.main(["--weights", write("TEMPO = 5")]) == 1
    output = capsys.readouterr()
    assert output.out == ""
    assert output.err.startswith("coachwhip weights: my_weights.py")
    assert output.err.count("\n") == 1


@pytest.mark.parametrize("name", ["", "a b", 'q"uote', "it's", "back\\slash", "{x} %s #", "naïve 棋", "x" * 1000])
def test_the_name_of_a_network_is_loaded_and_written(name: str, write: Write) -> None:
    loaded = config.load(write(config.dump(DEFAULT | {"NETWORK": name})))
    assert loaded == DEFAULT | {"NETWORK": name}
    flat = config.flatten(loaded)
    assert flat == config.flatten(DEFAULT)
    assert config.load(write(weights_file(loaded | layout.unflatten(flat), ["made by hand"]))) == loaded


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("NETWORK = 5", "NETWORK must be a string in quotes, not 5"),
        ("NETWORK = (1, 2)", "NETWORK must be a string in quotes, not a tuple"),
        ("NETWORK = ('plain',)", "NETWORK holds something"),
        ("NETWORK = b'plain'", "NETWORK holds something"),
        ("NETWORK = f'plain'", "NETWORK holds something"),
        ("NETWORK = 'pl' + 'ain'", "NETWORK holds something"),
        ("NETWORK = " + repr("x" * 100_000), "NETWORK must have at most 1000 characters, but has 100000"),
        (r"NETWORK = 'a\nb'", "NETWORK must hold printable characters only"),
        (r"NETWORK = '\x00'", "NETWORK must hold printable characters only"),
        (r"NETWORK = '\ud800'", "NETWORK must hold printable characters only"),
        ("TEMPO = 'plain'", "TEMPO must be a pair (midgame, endgame), not 'plain'"),
    ],
)
def test_a_wrong_string_is_named(write: Write, line: str, message: str) -> None:
    with pytest.raises(WeightsError) as info:
        config.load(write(line))
    assert message in str(info.value)
    assert str(info.value).startswith("my_weights.py")
    assert len(str(info.value)) < 200
    assert str(info.value).isprintable()


def test_loading_the_default_weights_imports_nothing_slow(root: Path) -> None:
    """Start-up is instant: the parser of user's files and the command line's are loaded only when needed."""
    code = (
        "import sys; from coachwhip.evaluation import config; config.flatten(config.load_default());"
        "print([name for name in ('ast', 'argparse', 'difflib', 'numpy', 'chess', 're') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-S", "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
