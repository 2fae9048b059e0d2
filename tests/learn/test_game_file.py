# SPDX-License-Identifier: GPL-3.0-or-later
"""Game files: whole games are read however the file is cut, other files are rejected, and damage is named."""

import io
import lzma
from collections.abc import Callable
from pathlib import Path

import game_files
import numpy as np
import pytest

from coachwhip.cli.command import CommandError
from coachwhip.learn import game_file

GAMES = game_files.many(12)
WHOLE = game_files.file_of(GAMES)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "own.vf"


@pytest.mark.parametrize("chunk", [1, 50, 1000, 1 << 16])
def test_the_size_of_chunks_changes_nothing(chunk: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(game_file, "CHUNK", chunk)
    parts = list(game_file.read(io.BytesIO(WHOLE), "own.vf", 500))
    rows = [(row.packed, number) for number, each in enumerate(GAMES) for row in each.usable(500)]
    boards, numbers = map(np.concatenate, zip(*[part.chosen(None) for part in parts], strict=True))
    assert list(zip(map(bytes, boards), numbers.tolist(), strict=True)) == rows
    assert game_file.scores(boards).tolist() == [np.frombuffer(row[28:30], "<i2")[0] for row, _ in rows]
    assert (game_file.points(boards) * 2).tolist() == [row[30] for row, _ in rows]
    assert game_file.is_black(boards).tolist() == [row[24] > 127 for row, _ in rows]
    assert b"".join(part.data for part in parts) == WHOLE
    assert [part.offset for part in parts] == [0, *np.cumsum([len(part.data) for part in parts])[:-1]]


@pytest.mark.parametrize("torn", [0, 1, 4, 30])
def test_a_summary_counts_whole_games(torn: int) -> None:
    results, plies, size = game_file.summary(io.BytesIO(WHOLE + GAMES[0].data[: -torn or None]), "own.vf")
    games = GAMES if torn else [*GAMES, GAMES[0]]
    assert size == sum(len(each.data) for each in games)
    assert plies == sum(len(each.rows) for each in games)
    numbers = [each.data[30] for each in games]
    assert list(results.values()) == [numbers.count(result) for result in range(3)]
    assert game_file.summary(io.BytesIO(b""), "own.vf") == (dict.fromkeys(game_file.RESULTS, 0), 0, 0)


@pytest.mark.parametrize("compress", [bytes, lzma.compress])
def test_a_file_is_opened_compressed_or_not(path: Path, compress: Callable[[bytes], bytes]) -> None:
    for content in (WHOLE, game_files.EXTENSION + WHOLE, b""):
        path.write_bytes(compress(content))
        with game_file.open_games(path) as file:
            assert file.read() == content
    path.write_bytes(compress(b'8/8/8/4k3/8/8/8/KQ6 w - - c9 "1-0";\n' * 30))
    with (
        pytest.raises(CommandError, match=r"^own\.vf is not a game file \(viriformat\)$"),
        game_file.open_games(path),
    ):
        pass
    path.write_bytes(lzma.compress(WHOLE)[:-9])
    with (
        pytest.raises(CommandError, match=r"^own\.vf cannot be read: not a whole compressed file"),
        game_file.open_games(path),
    ):
        pass


@pytest.mark.parametrize("chunk", [60, 1 << 16])
def test_damage_is_named_by_game_and_byte(chunk: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(game_file, "CHUNK", chunk)
    data = bytearray(WHOLE)
    at = sum(len(each.data) for each in GAMES[:7])
    data[at + 30] = 9
    with pytest.raises(CommandError, match=rf"^own\.vf: game 7, at byte {at}: it has no result$"):
        list(game_file.read(io.BytesIO(data), "own.vf"))
    assert sum(len(part.spans) for part in game_file.read(io.BytesIO(data[:at]), "own.vf")) == 7
