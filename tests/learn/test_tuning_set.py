# SPDX-License-Identifier: GPL-3.0-or-later
"""Positions for `tune` as arrays: the same from game files and text, small, chosen and split as arrays."""

import hashlib
import lzma
import random
from pathlib import Path

import chess
import game_files
import numpy as np
import pytest
from coachwhip.core.learning.scorer import PACKED_SIZE, pack, unpack

from coachwhip.cli.command import CommandError
from coachwhip.learn import game_file, tuning_set
from coachwhip.learn.game_file import RESULTS
from coachwhip.learn.tuning_set import same_pawns

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
BOARD = START.rsplit(" ", 2)[0]


def fens_of(data: tuning_set.TuningSet) -> list[str]:
    return [unpack(board) for board in data.without_counters()]


def random_positions(games: int) -> list[tuple[chess.Board, int, str, int]]:
    """Positions, each with a score, the result and the number of its game."""
    rng = random.Random(7)
    found = []
    for game in range(games):
        board, result = chess.Board(), rng.choice(RESULTS)
        for _ in range(rng.randrange(1, 50)):
            board.push(rng.choice(list(board.legal_moves)))
            if board.is_game_over():
                break
            found.append((board.copy(stack=False), rng.randint(-900, 900), result, game))
    return found


ALL = random_positions(30)


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("data") / "own.epd"
    lines = [
        f'{board.epd()} c7 "{game}"; c8 "{score / 100:.2f}"; c9 "{result}";\n'
        for board, score, result, game in ALL
    ]
    path.write_text("".join(lines))
    return path


@pytest.mark.parametrize("compress", [bytes, lzma.compress])
def test_text_becomes_arrays(text: Path, tmp_path: Path, compress: type[bytes]) -> None:
    path = tmp_path / "own"
    path.write_bytes(compress(text.read_bytes()))
    data = tuning_set.read(path)
    assert data.boards.shape == (len(ALL), PACKED_SIZE)
    assert game_file.points(data.boards).tolist() == [RESULTS.index(result) / 2 for _, _, result, _ in ALL]
    assert data.scores.tolist() == pytest.approx([score for _, score, _, _ in ALL], abs=1e-3)
    assert data.groups.tolist() == [game for _, _, _, game in ALL]
    assert data.has_games
    assert fens_of(data) == [f"{board.epd()} 0 1" for board, _, _, _ in ALL]
    assert data.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    few = tuning_set.read(path, max_score=300, per_game=4)
    assert np.abs(few.scores).max() <= 300
    within = np.bincount([game for _, score, _, game in ALL if abs(score) <= 300], minlength=30)
    assert np.bincount(few.groups, minlength=30).tolist() == np.minimum(within, 4).tolist()


def test_epd_as_people_write_it(tmp_path: Path) -> None:
    path = tmp_path / "data.epd"
    lines = [
        f'{BOARD} c9 "1/2-1/2"; id "x";',
        f'{BOARD} c8 "-0.31"; c9 "0-1";',
        f'{BOARD} c9 "1-0"; c8 "-M5";',
    ]
    lines += [f'{fen}{end} c9 "1-0";' for fen in (BOARD, START) for end in ("", ";", " ;")]
    path.write_text("# a comment\n\n" + "\n".join(lines))
    data = tuning_set.read(path)
    assert fens_of(data) == [START] * 9
    assert game_file.points(data.boards).tolist() == [0.5, 0, *[1] * 7]
    assert data.scores[1] == -31
    assert np.isnan(np.delete(data.scores, 1)).all()
    assert not data.has_games


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "data: it contains no position"),
        (lzma.compress(f'{START} c9 "1-0";\n'.encode() * 50)[:-20], "data cannot be read: "),
        (b"\xff\xfe\x00", "data cannot be read: "),
        (lzma.compress(b""), "data: it contains no position"),
        (f'{START} c9 "1-0";\n\n{START} c9 "2-0";\n'.encode(), "data, line 3: no game result in c9"),
        (
            f'{START} c7 "1"; c9 "1-0";\n{START} c9 "1-0";\n'.encode(),
            "data, line 2: no number of a game in c7",
        ),
        (f'{START} c7 "²"; c9 "1-0";\n'.encode(), "data, line 1: no number of a game in c7"),
        (f'{START} c7 "{10**30}"; c9 "1-0";\n'.encode(), "data, line 1: no number of a game in c7"),
        (f'{START} c9 "1-0";\n8/8/8/8/8/8/8/8 w - - c9 "1-0";\n'.encode(), "data, line 2: "),
    ],
)
def test_bad_files_are_rejected_with_a_message(tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "data").write_bytes(content)
    with pytest.raises(CommandError) as info:
        tuning_set.read(tmp_path / "data")
    assert str(info.value).startswith(message)
    assert str(info.value).isprintable()


# --- Groups and repetitions ---


def test_same_pawns_are_one_group_and_no_group_is_on_both_sides() -> None:
    moved = "rnbqkbnr/pppppppp/8/8/8/5N2/PPPPPPPP/RNBQKB1R b KQkq -"
    pushed = "rnbqkbnr/pppppppp/8/8/8/4P3/PPPP1PPP/RNBQKBNR b KQkq -"
    assert same_pawns(START) == same_pawns(moved) != same_pawns(pushed)
    assert same_pawns("8/8/4k3/8/8/3PK3/8/8 w - -") != same_pawns("8/8/4k3/8/8/3P4/3K4/8 w - -")
    groups = np.random.default_rng(1).integers(0, 300, 5000)
    chosen = tuning_set.split(groups, 0.2, np.random.default_rng(2))
    assert not set(groups[chosen]) & set(groups[~chosen])
    assert 0.1 < chosen.mean() < 0.3


def test_repeated_positions_are_found(text: Path) -> None:
    """Board, side to move, castling and en passant make a position; the fifty-move counter does not."""
    fens = [
        START,
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 0 1",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQk - 0 1",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 12 30",
        "rnbqkbnr/ppp1pppp/8/8/3pP3/5N2/PPPP1PPP/RNBQKB1R b KQkq e3 0 1",
        "rnbqkbnr/ppp1pppp/8/8/3pP3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 0 1",
        START,
    ]
    boards = np.frombuffer(b"".join(map(pack, fens)), dtype=np.uint8).reshape(-1, PACKED_SIZE)
    assert tuning_set.distinct(boards).tolist() == [True, True, True, False, True, True, False]
    data = tuning_set.read(text)
    data = data.chosen(np.random.default_rng(3).integers(0, len(data), 3000))
    first = {fen: at for at, fen in reversed(list(enumerate(fens_of(data))))}
    assert np.flatnonzero(tuning_set.distinct(data.boards)).tolist() == sorted(first.values())


# --- Whole games ---


def all_played() -> list[game_files.Played]:
    return game_files.many(40, seed=4)


@pytest.fixture
def whole(tmp_path: Path) -> Path:
    path = tmp_path / "games.vf"
    path.write_bytes(game_files.file_of(all_played()))
    return path


def test_few_positions_of_each_game(whole: Path, tmp_path: Path) -> None:
    every = tuning_set.read(whole, per_game=1000)
    few = tuning_set.read(whole, per_game=5)
    sizes, all_sizes = np.bincount(few.groups, minlength=40), np.bincount(every.groups, minlength=40)
    assert sizes.tolist() == np.minimum(all_sizes, 5).tolist()
    assert (all_sizes > 5).sum() > 10
    found = {(int(group), board.tobytes()) for group, board in zip(every.groups, every.boards, strict=True)}
    assert {
        (int(group), board.tobytes()) for group, board in zip(few.groups, few.boards, strict=True)
    } < found
    places = np.flatnonzero(
        np.isin([board.tobytes() for board in every.boards], [board.tobytes() for board in few.boards])
    )
    assert 0.3 < (places / len(every)).mean() < 0.7  # from everywhere in the games
    shorter = tmp_path / "shorter.vf"  # the same of a game whatever else is in the file
    shorter.write_bytes(game_files.file_of(all_played()[:20]))
    first = tuning_set.read(shorter, per_game=5)
    assert first.boards.tolist() == few.boards[: len(first)].tolist()


def test_epd_has_what_is_read(whole: Path, tmp_path: Path) -> None:
    target = tmp_path / "out.epd"
    for max_score, per_game in ((None, None), (300, 7)):
        with whole.open("rb") as file:
            target.write_text("".join(game_file.epd(file, "own.vf", max_score, per_game)))
        direct = tuning_set.read(whole, max_score=max_score, per_game=per_game)
        found = tuning_set.read(target)
        assert fens_of(found) == fens_of(direct)
        assert found.scores.tolist() == pytest.approx(direct.scores.tolist(), abs=1e-3)
        assert game_file.points(found.boards).tolist() == game_file.points(direct.boards).tolist()
        assert found.groups.tolist() == direct.groups.tolist()
