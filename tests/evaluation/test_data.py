# SPDX-License-Identifier: GPL-3.0-or-later
"""Labelled positions as arrays: the same from binary and from text, small in memory, chosen and split by array operations."""

import hashlib
import lzma
import os
import random
import threading
import tracemalloc
from pathlib import Path

import chess
import labelled_files
import numpy as np
import pytest
from coachwhip.core.engine import PACKED_SIZE, Position
from coachwhip.evaluation.learn import data as learn_data
from coachwhip.evaluation.learn import labelled, rows
from coachwhip.evaluation.learn.data import Dataset
from coachwhip.evaluation.learn.labelled import FormatError

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"


def random_games(count: int) -> list[tuple[str, list[tuple[chess.Board, int]]]]:
    """The result of each game and its positions, each with a score."""
    rng = random.Random(7)
    games = []
    for _ in range(count):
        board, positions = chess.Board(), []
        for _ in range(rng.randrange(1, 50)):
            board.push(rng.choice(list(board.legal_moves)))
            if board.is_game_over():
                break
            positions.append((board.copy(stack=False), rng.randint(-900, 900)))
        games.append((rng.choice(labelled.RESULTS), positions))
    return games


GAMES = random_games(30)
ALL = [(board, score, result, number) for number, (result, positions) in enumerate(GAMES) for board, score in positions]


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("data") / "own.epd"
    lines = [f'{board.epd()} c7 "{game}"; c8 "{score / 100:.2f}"; c9 "{result}";\n' for board, score, result, game in ALL]
    path.write_text("".join(lines))
    return path


def check(data: Dataset) -> None:
    """The arrays hold the positions of ALL."""
    assert len(data) == len(ALL)
    assert data.boards.shape == (len(ALL), PACKED_SIZE)
    assert data.boards.dtype == np.uint8
    assert data.results.tolist() == [labelled.RESULTS.index(result) / 2 for _, _, result, _ in ALL]
    assert data.scores.tolist() == pytest.approx([score for _, score, _, _ in ALL], abs=1e-3)
    assert data.groups.tolist() == [game for _, _, _, game in ALL]
    assert data.has_games
    assert data.fens() == [f"{board.epd()} 0 1" for board, _, _, _ in ALL]


@pytest.mark.parametrize("compress", [bytes, lzma.compress])
def test_text_becomes_the_same_arrays(text: Path, tmp_path: Path, compress: type[bytes]) -> None:
    path = tmp_path / "own"
    path.write_bytes(compress(text.read_bytes()))
    data = learn_data.read(path)
    check(data)
    assert (data.sha256, data.size) == (hashlib.sha256(path.read_bytes()).hexdigest(), path.stat().st_size)


def test_a_semicolon_may_end_the_fen(tmp_path: Path) -> None:
    path = tmp_path / "own.epd"
    fields = START.split()
    path.write_text("".join(f'{" ".join(fields[:count])}{end} c9 "1-0";\n' for count in (4, 6) for end in ("", ";", " ;")))
    assert learn_data.read(path).fens() == [START] * 6


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes")
def test_a_pipe_is_read_as_a_file_is(text: Path, whole: Path, tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    for source in (text, whole):
        writer = threading.Thread(target=path.write_bytes, args=[source.read_bytes()])
        writer.start()
        data, direct = learn_data.read(path), learn_data.read(source)
        writer.join()
        assert data.fens() == direct.fens()
        assert (data.sha256, data.size) == (direct.sha256, direct.size)


def test_a_position_needs_few_bytes(tmp_path: Path) -> None:
    """A million positions need no more than 100 MB, so ten million fit in 1 GB with everything else."""
    each, count = max(all_played(), key=lambda each: len(each.game.plies)), 20_000
    path = tmp_path / "many.bin"
    games = (each.game._replace(number=number) for number in range(count))
    path.write_bytes(labelled.header({}) + b"".join(map(labelled.block, games)))
    learn_data.read(path)  # imports are not counted
    tracemalloc.start()
    try:
        data = learn_data.read(path)
        learn_data.split(data.groups, 0.1, np.random.default_rng(1))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(data) >= 20 * count
    assert peak / len(data) < 100


def test_an_unfinished_game_at_the_end_is_left_out(whole: Path, tmp_path: Path) -> None:
    path = tmp_path / "torn.bin"
    path.write_bytes(whole.read_bytes()[:-1])
    data = learn_data.read(path)
    assert set(data.groups) == set(learn_data.read(whole).groups) - {39}
    assert (data.sha256, data.size) == (hashlib.sha256(path.read_bytes()).hexdigest(), path.stat().st_size)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (labelled.header({}), "data: no position in it"),
        (lzma.compress(f'{START} c9 "1-0";\n'.encode() * 50)[:-20], "data cannot be read: "),
        (lzma.compress(b""), "data: no position in it"),
        (f'{START} c9 "1-0";\n\n{START} c9 "2-0";\n'.encode(), "data, line 3: no game result in c9"),
        (f'{START} c7 "²"; c9 "1-0";\n'.encode(), "data, line 1: no number of a game in c7"),
        (f'{START} c7 "{10**30}"; c9 "1-0";\n'.encode(), "data, line 1: no number of a game in c7"),
        (f'{START} c9 "1-0";\n8/8/8/8/8/8/8/8 w - - c9 "1-0";\n'.encode(), "data, line 2: "),
    ],
)
def test_bad_files_are_refused_in_one_sentence(tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "data").write_bytes(content)
    with pytest.raises(FormatError) as info:
        learn_data.read(tmp_path / "data")
    assert str(info.value).startswith(message)
    assert str(info.value).isprintable()


# --- Choosing ---


def test_positions_are_chosen_by_slice_mask_and_number(text: Path) -> None:
    data = learn_data.read(text)
    fens = data.fens()
    assert data.chosen(slice(3, 9)).fens() == fens[3:9]
    is_won = data.results == 1
    won = data.chosen(is_won)
    assert won.fens() == [fen for fen, result in zip(fens, data.results, strict=True) if result == 1]
    assert won.scores.tolist() == data.scores[is_won].tolist()
    assert data.chosen(np.array([5, 2])).groups.tolist() == [data.groups[5], data.groups[2]]


def test_scores_within_a_limit_and_missing_ones_are_kept() -> None:
    scores = np.array([100, -100, 101, -101, float("nan"), 0], dtype=np.float32)
    assert learn_data.within(scores, 100).tolist() == [True, True, False, False, True, True]


def test_repeated_positions_are_found() -> None:
    """The board, the side to move, castling and en passant make a position; the fifty-move counter does not."""
    fens = [
        START,
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 0 1",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQk - 0 1",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 12 30",
        "rnbqkbnr/ppp1pppp/8/8/3pP3/5N2/PPPP1PPP/RNBQKB1R b KQkq e3 0 1",
        "rnbqkbnr/ppp1pppp/8/8/3pP3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 0 1",
        START,
    ]
    boards = np.frombuffer(b"".join(Position(fen).pack() for fen in fens), dtype=np.uint8).reshape(-1, PACKED_SIZE)
    assert learn_data.distinct(boards).tolist() == [True, True, True, False, True, True, False]


def test_repetitions_are_those_that_a_set_finds(text: Path) -> None:
    data = learn_data.read(text)
    some = np.random.default_rng(3).integers(0, len(data), 200_000)  # more than are hashed at a time
    chosen = data.chosen(some)
    seen: set[str] = set()
    expected = [not (fen in seen or seen.add(fen)) for fen in chosen.fens()]  # type: ignore[func-returns-value]
    assert learn_data.distinct(chosen.boards).tolist() == expected


# --- Whole games ---


def all_played() -> list[labelled_files.Played]:
    return labelled_files.many(40, seed=4, side_lines=2)


@pytest.fixture
def whole(tmp_path: Path) -> Path:
    path = tmp_path / "games.bin"
    path.write_bytes(labelled_files.file_of(all_played()))
    return path


def expected(max_score: int) -> list[tuple[int, labelled_files.Row]]:
    """The number of the game and the row of all positions of games that are used."""
    found = [(each.game.number, row) for each in all_played() for row in labelled_files.usable(each, max_score)]
    return [(number, row) for number, row in found if row.result < len(labelled.RESULTS)]


@pytest.mark.parametrize("max_score", [100, None, 2500])
@pytest.mark.parametrize("decoded", [1, 1000, 1 << 20])
def test_games_become_their_quiet_positions(
    whole: Path, monkeypatch: pytest.MonkeyPatch, max_score: int | None, decoded: int
) -> None:
    """Quiet ones within a limit, each once a game, without side lines; however many games are decoded at a time."""
    monkeypatch.setattr(rows, "DECODED", decoded)
    data = learn_data.read(whole, max_score=max_score, per_game=1000)
    wanted = expected(labelled.MAX_SCORE if max_score is None else max_score)
    assert [board.tobytes() for board in data.boards] == [row.packed for _, row in wanted]
    assert data.scores.tolist() == [row.score for _, row in wanted]
    assert data.results.tolist() == [row.result / 2 for _, row in wanted]
    assert data.groups.tolist() == [number for number, _ in wanted]
    assert data.has_games
    content = whole.read_bytes()
    assert (data.sha256, data.size) == (hashlib.sha256(content).hexdigest(), len(content))


def test_few_positions_of_each_game(whole: Path, tmp_path: Path) -> None:
    every = learn_data.read(whole, per_game=1000)
    few = learn_data.read(whole, per_game=5)
    sizes, all_sizes = np.bincount(few.groups, minlength=40), np.bincount(every.groups, minlength=40)
    assert sizes.tolist() == np.minimum(all_sizes, 5).tolist()
    assert (all_sizes > 5).sum() > 10
    found = {(int(group), board.tobytes()) for group, board in zip(every.groups, every.boards, strict=True)}
    assert {(int(group), board.tobytes()) for group, board in zip(few.groups, few.boards, strict=True)} < found
    places = np.flatnonzero(np.isin([board.tobytes() for board in every.boards], [board.tobytes() for board in few.boards]))
    assert 0.3 < (places / len(every)).mean() < 0.7  # from everywhere in the games
    shorter = tmp_path / "shorter.bin"  # the same of a game whatever else is in the file
    shorter.write_bytes(labelled_files.file_of(all_played()[:20]))
    first = learn_data.read(shorter, per_game=5)
    assert first.boards.tolist() == few.boards[: len(first)].tolist()


def test_limits_apply_to_text_too(text: Path) -> None:
    data = learn_data.read(text, max_score=300, per_game=4)
    assert np.abs(data.scores).max() <= 300
    within = np.bincount([game for _, score, _, game in ALL if abs(score) <= 300], minlength=30)
    assert np.bincount(data.groups, minlength=30).tolist() == np.minimum(within, 4).tolist()
    with pytest.raises(FormatError, match=r"own\.epd: no position is within --max-score -1"):
        learn_data.read(text, max_score=-1)


def test_epd_has_what_is_read(whole: Path, tmp_path: Path) -> None:
    target = tmp_path / "out.epd"
    for max_score, per_game in ((None, None), (300, 7)):
        target.write_text("".join(rows.epd(whole, max_score, per_game)))
        direct = learn_data.read(whole, max_score=max_score, per_game=per_game)
        found = learn_data.read(target)
        assert found.fens() == direct.fens()
        assert found.scores.tolist() == pytest.approx(direct.scores.tolist(), abs=1e-3)
        assert found.results.tolist() == direct.results.tolist()
        assert found.groups.tolist() == direct.groups.tolist()


def test_a_game_that_cannot_be_played_is_named(tmp_path: Path) -> None:
    """Its checksum is right."""
    games = [each.game for each in all_played()]
    games[7] = games[7]._replace(plies=(labelled.Ply(0, 0), *games[7].plies))
    path = tmp_path / "bad.bin"
    path.write_bytes(labelled.header({}) + b"".join(map(labelled.block, games)))
    with pytest.raises(FormatError, match=r"^bad\.bin: game 7: ply 1: the move is illegal$"):
        learn_data.read(path)
