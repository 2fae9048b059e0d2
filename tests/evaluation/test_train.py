# SPDX-License-Identifier: GPL-3.0-or-later
"""`coachwhip train`: data of any size in random order, the same network from the same seed, and a training that can be resumed."""

import hashlib
import json
import random
import re
import struct
import tracemalloc
import zlib
from collections import Counter
from pathlib import Path
from typing import Any

import chess
import labelled_files
import numpy as np
import oracle
import pytest
from coachwhip.bench import train as command
from coachwhip.bench.common.lock import hold
from coachwhip.core.engine import Engine, Position
from coachwhip.evaluation import config
from coachwhip.evaluation.learn import data as learn_data
from coachwhip.evaluation.learn import labelled, network, positions
from coachwhip.evaluation.learn import train as steps
from coachwhip.evaluation.learn.labelled import FormatError
from coachwhip.evaluation.learn.layers import loss_and_gradient
from labelled_files import OldGame, OldPosition, Played
from places import FROZEN_WEIGHTS

SETTINGS = {"seed": 3}
QUICK = ["--hidden", "16", "--epochs", "3", "--batch", "256", "--validation", "0.2", "--rate", "0.01", "--logit", "120"]
BONUS = 80  # centipawns that the labels add to the terms for a pawn that has left its first two ranks


def label(board: chess.Board, engine: Engine) -> int:
    """White's score: that of the terms and something that they do not know."""
    score = engine.evaluate(Position(oracle.fen_of(board), chess960=True))
    white = len(board.pieces(chess.PAWN, chess.WHITE) & ~(chess.BB_RANK_2 | chess.BB_RANK_3))
    black = len(board.pieces(chess.PAWN, chess.BLACK) & ~(chess.BB_RANK_7 | chess.BB_RANK_6))
    return (score if board.turn else -score) + BONUS * (white - black)


def games(count: int, seed: int = 1) -> list[OldGame]:
    """Random games whose results follow from their last score."""
    rng, engine = random.Random(seed), oracle.new_engine()
    found = []
    for number in range(count):
        board = oracle.start_board(oracle.KINDS[number % len(oracle.KINDS)], rng)
        plies = rng.randrange(60) if number != 4 else 0  # which has no position
        rows = [
            OldPosition(Position(oracle.fen_of(board), chess960=True).pack(), label(board, engine))
            for _ in oracle.play(board, rng, greedy=True, plies=plies)
        ]
        last = rows[-1].score if rows else 0
        found.append(OldGame(number, "1-0" if last > 150 else "0-1" if last < -150 else "1/2-1/2", tuple(rows)))
    return found


def write(path: Path, content: list[OldGame]) -> Path:
    path.write_bytes(labelled_files.old_file(content, SETTINGS))
    return path


@pytest.fixture(scope="module")
def content() -> list[OldGame]:
    return games(120)


@pytest.fixture
def data(tmp_path: Path, content: list[OldGame]) -> Path:
    return write(tmp_path / "own.bin", content)


@pytest.fixture(scope="module")
def frozen() -> list[int]:
    return list(oracle.frozen_weights())


def rows_of(batch: positions.Batch) -> list[tuple[Any, ...]]:
    """Hashable rows."""
    return [
        (bytes(board), *map(float, rest))
        for board, *rest in zip(batch.boards, batch.terms, batch.scores, batch.points, strict=True)
    ]


def expected_rows(content: list[OldGame], engine: Engine) -> Counter[tuple[Any, ...]]:
    """The same of all positions, from their definition."""
    found = []
    for game in content:
        for packed, score in game.positions:
            white = packed[24] == 0
            points = {"1-0": 1.0, "0-1": 0.0, "1/2-1/2": 0.5}[game.result]
            terms = np.empty(1, np.int16)
            engine.static_scores(np.frombuffer(packed, np.uint8).reshape(1, -1), terms)
            found.append((packed, float(terms[0]), float(score if white else -score), points if white else 1 - points))
    return Counter(found)


def opened(path: Path, **options: Any) -> positions.Games:
    return positions.open_file(path, path.with_name(path.name + ".positions"), **options)


def terms_of(found: positions.Games, weights: list[int], path: Path) -> tuple[Any, int]:
    """The terms, and how many positions the core evaluated for them, apart from the check."""
    told: list[int] = []
    terms = positions.terms(found, weights, path, told.append)
    assert sum(told) == found.positions
    return terms.copy(), sum(told[1:])


# --- Data ---


@pytest.mark.parametrize(("chunk", "pool"), [(4096, 1 << 23), (100, 500), (1, 1)])
def test_an_epoch_has_each_position_once_in_random_order(
    data: Path, content: list[OldGame], frozen: list[int], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, chunk: int, pool: int
) -> None:
    monkeypatch.setattr(positions, "CHUNK", chunk)
    monkeypatch.setattr(positions, "POOL", pool)
    second = write(tmp_path / "second.bin", games(20, seed=2))
    files = [opened(path) for path in (data, second)]
    terms = [terms_of(file, frozen, tmp_path / f"{file.path.name}.terms")[0] for file in files]
    found = positions.Positions(files, terms, 0.2, None)
    orders = []
    for seed in ([7, 1], [7, 1], [7, 2]):
        batches = list(found.batches(seed, 64))
        assert [len(batch) for batch in batches[:-1]] == [64] * (len(batches) - 1)
        assert 0 < len(batches[-1]) <= 64
        orders.append([row for batch in batches for row in rows_of(batch)])
    assert orders[0] == orders[1] != orders[2]
    assert sorted(orders[0]) == sorted(orders[2])
    everything = expected_rows(content, Engine(frozen, 1)) + expected_rows(games(20, seed=2), Engine(frozen, 1))
    assert Counter(orders[0]) + Counter(rows_of(found.held_out)) == everything
    assert len(orders[0]) == found.training
    if pool > 1:  # neighbours in a batch are not neighbours in a game
        near = sum(a[0][:8] == b[0][:8] for a, b in zip(orders[0], orders[0][1:], strict=False))
        assert near < len(orders[0]) / 10


def test_whole_games_are_held_out(data: Path, content: list[OldGame], tmp_path: Path) -> None:
    file = opened(data)
    found = positions.Positions([file], [None], 0.2, None)
    apart = Counter(bytes(board) for board in found.held_out.boards)
    games_held = 0
    for game in content:
        boards = Counter(position.packed for position in game.positions)
        common = set(boards) - {packed for other in content if other is not game for packed, _ in other.positions}
        assert common <= set(apart) or not common & set(apart)
        games_held += bool(common & set(apart))
    assert 10 < games_held < 45
    # a file that became longer holds out the same games and some of the new ones
    longer = opened(
        write(tmp_path / "longer.bin", [*content, *(game._replace(number=game.number + 120) for game in games(30, 9))])
    )
    assert apart <= Counter(bytes(board) for board in positions.Positions([longer], [None], 0.2, None).held_out.boards)


def test_large_scores_are_left_out(data: Path, content: list[OldGame]) -> None:
    found = positions.Positions([opened(data)], [None], 0.2, 100)
    used = [row for batch in found.batches([1], 50) for row in rows_of(batch)]
    kept = sum(abs(score) <= 100 for game in content for _, score in game.positions)
    assert len(used) == found.training
    assert len(used) + len(found.held_out) == kept < sum(len(game.positions) for game in content)
    assert all(abs(row[2]) <= 100 for row in used)


def test_a_file_is_read_as_far_as_asked(data: Path, content: list[OldGame]) -> None:
    whole = opened(data)
    counts = [len(game.positions) for game in content]
    assert whole.counts.tolist() == counts
    assert whole.size == data.stat().st_size
    assert (opened(data, games=3).positions, opened(data, limit=1).positions) == (
        sum(counts[:3]),
        counts[0],
    )
    some = opened(data, limit=sum(counts[:7]) + counts[7] - 1)
    assert some.counts.tolist() == counts[:7]
    before = some.sha256
    with data.open("ab") as file:
        file.write(labelled_files.old_block(content[0]._replace(number=120))[:-1])
    assert opened(data, limit=sum(counts[:7])).sha256 == before == opened(data, games=7).sha256
    assert opened(data).sha256 == whole.sha256
    with pytest.raises(FormatError, match=r"own\.bin has 120 games, and the training began with 121"):
        opened(data, games=121)


# --- Whole games, and the cache ---


def all_played() -> list[Played]:
    return labelled_files.many(60, seed=6, side_lines=2)


def write_games(path: Path, played: list[Played]) -> Path:
    path.write_bytes(labelled_files.file_of(played))
    return path


@pytest.fixture
def whole(tmp_path: Path) -> Path:
    return write_games(tmp_path / "games.bin", all_played())


def expected_of_games(played: list[Played], max_score: int) -> Counter[tuple[Any, ...]]:
    """The rows of a batch, from the boards; None where there is no result."""
    found: Counter[tuple[Any, ...]] = Counter()
    for each in played:
        for row in labelled_files.usable(each, max_score):
            white = row.board.turn
            points = None if row.result == len(labelled.RESULTS) else row.result / 2 if white else 1 - row.result / 2
            found[row.packed, 0.0, float(row.score if white else -row.score), points] += 1
    return found


def of_games(batches: Any) -> Counter[tuple[Any, ...]]:
    rows = [row for batch in batches for row in rows_of(batch)]
    return Counter((*row[:3], None if np.isnan(row[3]) else row[3]) for row in rows)


@pytest.mark.parametrize("max_score", [None, 300, 1e9])
def test_an_epoch_of_whole_games_has_the_quiet_positions_and_side_lines(whole: Path, max_score: float | None) -> None:
    found = positions.Positions([opened(whole)], [None], 0.2, max_score)
    limit = {None: labelled.MAX_SCORE, 300: 300, 1e9: 2**15 - 1}[max_score]
    wanted = expected_of_games(all_played(), limit)
    assert of_games(found.batches([1], 50)) + of_games([found.held_out]) == wanted
    assert found.training + len(found.held_out) == wanted.total()
    assert sum(count for row, count in wanted.items() if row[3] is None) > 100
    apart = Counter(bytes(board) for board in found.held_out.boards)
    held = [each for each in all_played() if all(apart[row.packed] for row in labelled_files.usable(each, limit))]
    assert expected_of_games([each for each in held if each.rows], limit).total() >= len(found.held_out)


def test_few_positions_of_each_game(whole: Path) -> None:
    found = positions.Positions([opened(whole)], [None], 0.2, None, 6)
    sizes = [len(labelled_files.usable(each, labelled.MAX_SCORE)) for each in all_played()]
    assert found.training + len(found.held_out) == sum(min(6, size) for size in sizes) < sum(sizes)
    assert sum(len(batch) for batch in found.batches([1], 50)) == found.training
    again = positions.Positions([opened(whole)], [None], 0.2, None, 6)
    assert of_games(again.batches([2], 50)) == of_games(found.batches([1], 50))


def decoded_games(path: Path, monkeypatch: pytest.MonkeyPatch, **options: Any) -> tuple[positions.Games, list[int]]:
    """A file, and the numbers of the games that were decoded for its cache, apart from the check."""
    numbers: list[int] = []
    add, decoded = positions.Cache.add, learn_data.decoded
    last: list[list[int]] = [[]]

    def decoding(blocks: Any, name: str, *, is_old: bool) -> Any:
        last[0] = [block.number for block in blocks]
        return decoded(blocks, name, is_old=is_old)

    def adding(self: positions.Cache, found: Any) -> None:
        numbers.extend(last[0])
        add(self, found)

    with monkeypatch.context() as patch:
        patch.setattr(positions, "decoded", decoding)
        patch.setattr(positions.Cache, "add", adding)
        return opened(path, **options), numbers


@pytest.mark.parametrize("part", [1, 3000, 1 << 20])
def test_games_are_decoded_once(whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, part: int) -> None:
    monkeypatch.setattr(positions, "DECODED", part)
    fresh, _ = decoded_games(write_games(tmp_path / "fresh.bin", all_played()), monkeypatch)
    expected = fresh.rows.tobytes()
    some, numbers = decoded_games(whole, monkeypatch, games=20)
    assert numbers == list(range(20))
    assert some.rows.tobytes() == expected[: len(some.rows.tobytes())]
    everything, numbers = decoded_games(whole, monkeypatch)
    assert numbers == list(range(20, 60))
    assert everything.rows.tobytes() == expected
    assert everything.counts.tolist() == fresh.counts.tolist()
    again, numbers = decoded_games(whole, monkeypatch)
    assert numbers == []
    assert again.rows.tobytes() == expected
    longer, numbers = decoded_games(write_games(whole, [*all_played(), *labelled_files.many(63, seed=8)[60:]]), monkeypatch)
    assert numbers == [60, 61, 62]
    assert longer.rows.tobytes().startswith(expected)


@pytest.mark.parametrize(
    ("name", "cut"), [("positions", 5), ("positions", 2000), ("positions.counts", 2), ("positions.counts", 41)]
)
def test_an_unfinished_cache_is_finished(whole: Path, monkeypatch: pytest.MonkeyPatch, name: str, cut: int) -> None:
    expected = opened(whole).rows.tobytes()
    path = whole.with_name(f"games.bin.{name}")
    path.write_bytes(path.read_bytes()[:-cut])
    found, numbers = decoded_games(whole, monkeypatch)
    assert 0 < len(numbers) < 60
    assert found.rows.tobytes() == expected


def test_a_cache_of_other_data_is_made_again(whole: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened(whole)
    for other in (labelled_files.many(60, seed=9), labelled_files.many(30, seed=10), all_played()):
        found, numbers = decoded_games(write_games(whole, other), monkeypatch)
        assert numbers == list(range(len(other)))
        assert found.positions == len(found.rows) == found.counts.sum()
    fewer, numbers = decoded_games(write_games(whole, all_played()[:50]), monkeypatch)  # the same, but fewer
    assert numbers == []
    assert len(fewer.counts) == 50
    for name in ("games.bin.positions", "games.bin.positions.counts"):
        whole.with_name(name).write_bytes(b"some other file\n" * 9)
        found, numbers = decoded_games(write_games(whole, all_played()), monkeypatch)
        assert numbers == list(range(60))


def test_a_limit_decodes_no_more_than_it_needs(whole: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(positions, "DECODED", 1)
    sizes = [len([row for row in each.rows if row.is_quiet]) for each in all_played()]
    found, numbers = decoded_games(whole, monkeypatch, limit=sum(sizes[:7]))
    assert 5 <= len(found.counts) <= len(numbers) < 12
    assert found.positions <= sum(sizes[:7])
    one = opened(whole, limit=1)
    assert one.positions == one.counts.sum() > 0
    assert (one.counts[:-1] == 0).all()


def test_a_game_that_cannot_be_played_is_named(whole: Path, tmp_path: Path) -> None:
    games = [each.game for each in all_played()]
    games[33] = games[33]._replace(side_lines=(labelled.SideLine(0, (1, 2), 3, 4),))
    path = tmp_path / "bad.bin"
    path.write_bytes(labelled.header({}) + b"".join(map(labelled.block, games)))
    with pytest.raises(FormatError, match=r"^bad\.bin: game 33: a side line from ply 1 or a later one cannot be played$"):
        opened(path)
    path.write_bytes(whole.read_bytes())  # as if it had been made again
    assert opened(path).positions == opened(whole).positions


def test_the_cache_needs_little_memory(tmp_path: Path) -> None:
    """No more than the chunks that are decoded, whatever the size of the file."""
    blocks = [labelled.block(each.game) for each in all_played()]
    path = tmp_path / "many.bin"
    games = 12_000
    with path.open("wb") as file:
        file.write(labelled.header({}))
        for number in range(games):
            data = blocks[number % 60][16:]
            start = struct.pack("<II", number, len(data))
            file.write(start + struct.pack("<II", zlib.crc32(start), zlib.crc32(data)) + data)
    opened(path, games=100)  # imports are not counted
    tracemalloc.start()
    try:
        found = opened(path)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(found.counts) == games
    assert found.rows.nbytes > 8_000_000
    assert peak < 100 * games + 20 * learn_data.DECODED
    assert isinstance(found.rows.base, np.memmap)


# --- The terms ---


def test_terms_are_computed_once(data: Path, frozen: list[int], tmp_path: Path) -> None:
    path = tmp_path / "kept.terms"
    part = opened(data, games=50)
    first, computed = terms_of(part, frozen, path)
    assert computed == part.positions == path.stat().st_size // 2
    again, computed = terms_of(part, frozen, path)
    assert computed == 0
    assert again.tolist() == first.tolist()
    whole = opened(data)
    longer, computed = terms_of(whole, frozen, path)  # the file of games became longer
    assert computed == whole.positions - part.positions
    path.write_bytes(path.read_bytes()[:-5])  # an interrupted run, in the middle of a number
    torn, computed = terms_of(whole, frozen, path)
    assert computed == 3
    fresh, computed = terms_of(whole, frozen, tmp_path / "fresh.terms")
    assert longer.tolist() == torn.tolist() == fresh.tolist()
    assert longer[: len(first)].tolist() == first.tolist()


def test_terms_of_other_weights_or_data_are_not_used(data: Path, frozen: list[int], tmp_path: Path) -> None:
    path, other = tmp_path / "kept.terms", [*frozen]
    other[0] += 10
    found = opened(data)
    first, _ = terms_of(found, frozen, path)
    first = first.tolist()
    changed, computed = terms_of(found, other, path)
    assert computed == found.positions
    assert changed.tolist() != first
    assert terms_of(found, frozen, path)[0].tolist() == first
    replaced = opened(write(data, games(60, seed=3)))
    assert terms_of(replaced, frozen, path)[1] == replaced.positions


def test_an_illegal_position_is_named(tmp_path: Path, content: list[OldGame], frozen: list[int]) -> None:
    in_check = Position("4k3/8/8/8/8/8/4R3/4K3 b - - 0 1").pack()
    wrong = in_check[:24] + b"\0" + in_check[25:]  # White to move, Black in check
    game = content[2]._replace(positions=(*content[2].positions, OldPosition(wrong, 5)))
    path = write(tmp_path / "wrong.bin", [content[0], content[1], game, *content[3:]])
    number = sum(len(each.positions) for each in (content[0], content[1], game))
    with pytest.raises(FormatError, match=rf"wrong\.bin: position {number}: the side not to move is in check"):
        terms_of(opened(path), frozen, tmp_path / "wrong.terms")


# --- Training ---


def test_a_step_is_one_of_adamw(data: Path) -> None:
    """Against the algorithm of the paper, in double precision."""
    found = positions.Positions([opened(data)], [None], 0.2, None)
    settings = steps.Settings("pure", 16, 2, 10**6, 0.003, 0.1, 0.25, 4)
    trainer = steps.Trainer(settings, 120.0, found)
    values = trainer.state.parameters.astype(np.float64)
    mean, square = np.zeros_like(values), np.zeros_like(values)
    limits = network.limits(16)
    for step in (1, 2):
        (batch,) = found.batches([4, step], 10**6)
        logits, targets = trainer.logits(batch), trainer.targets(batch)
        _, gradient = loss_and_gradient(batch.boards, logits, targets, values.astype(np.float32), 16)
        gradient /= len(batch)
        mean = 0.9 * mean + 0.1 * gradient
        square = 0.999 * square + 0.001 * gradient**2
        rate = 0.003 if step == 1 else 0.003 * (0.01 + 0.99 * 0.5)
        adam = mean / (1 - 0.9**step) / (np.sqrt(square / (1 - 0.999**step)) + 1e-8)
        values = np.clip(values - rate * (adam + 0.1 * values), -limits, limits)
        trainer.epoch(lambda _: None)
        moved = np.abs(gradient) > 1e-6
        assert np.abs(trainer.state.parameters - values)[moved].max() < 2e-4
        assert np.abs(trainer.state.parameters - values)[gradient == 0].max() < 1e-6  # decay and momentum move these too
        values = trainer.state.parameters.astype(np.float64)


def test_targets_mix_label_and_result(data: Path) -> None:
    found = positions.Positions([opened(data)], [None], 0.2, None)
    batch = found.held_out
    for wdl in (0.0, 0.3, 1.0):
        trainer = steps.Trainer(steps.Settings("pure", 16, 2, 100, 0.001, 0, wdl, 4), 120.0, found)
        wanted = (1 - wdl) / (1 + np.exp(-batch.scores / 120.0)) + wdl * batch.points
        assert np.abs(trainer.targets(batch) - wanted).max() < 1e-5


def test_positions_beside_the_game_are_taught_by_their_score_alone(whole: Path) -> None:
    found = positions.Positions([opened(whole)], [None], 0.2, None)
    batch = found.held_out
    is_side = np.isnan(batch.points)
    assert 0 < is_side.sum() < len(batch)
    for wdl in (0.0, 0.3, 1.0):
        trainer = steps.Trainer(steps.Settings("pure", 16, 2, 100, 0.001, 0, wdl, 4), 120.0, found)
        chances = 1 / (1 + np.exp(-np.maximum(batch.scores.astype(float), -8000) / 120.0))
        wanted = np.where(is_side, chances, (1 - wdl) * chances + wdl * np.where(is_side, 0, batch.points))
        assert np.abs(trainer.targets(batch) - wanted).max() < 1e-5
    everything = np.concatenate([found.held_out.points, *(part.points for part in found.batches([1], 100))])
    assert np.isfinite(steps.fit_logit(found))
    assert np.isnan(everything).any()


def test_a_network_is_trained_on_whole_games(whole: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = trained(whole, tmp_path / "a.cwnet", "--wdl", "0.2", "--json")
    summary = json.loads(capsys.readouterr().out)
    assert np.isfinite([epoch["training"] for epoch in summary["epochs"]]).all()
    assert trained(whole, tmp_path / "b.cwnet", "--wdl", "0.2") == first
    assert trained(whole, tmp_path / "c.cwnet", "--wdl", "0.2", "--per-game", "5") != first
    for path in tmp_path.glob("games.bin.*"):
        path.unlink()
    assert trained(whole, tmp_path / "b.cwnet", "--wdl", "0.2") == first


def test_the_cache_is_made_by_one_run(whole: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trained(whole, tmp_path / "a.cwnet")
    cache = tmp_path / "games.bin.positions"
    with cache.open("ab") as file:
        hold(file, cache)
        said = refused(capsys, whole, "--output", tmp_path / "b.cwnet", *QUICK)
    assert "games.bin.positions is in use by another run" in said


def trained(data: Path, output: Path, *words: str) -> bytes:
    assert command.main([str(data), "--output", str(output), *QUICK, *words]) == 0
    return output.read_bytes()


def test_training_learns_what_the_terms_do_not_know(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trained(data, tmp_path / "net.cwnet", "--json", "--epochs", "60", "--weights", str(FROZEN_WEIGHTS))
    summary = json.loads(capsys.readouterr().out)
    assert summary["loss"] < summary["loss_of_terms"] / 3
    assert summary["loss_in_integers"] < summary["loss_of_terms"] / 3
    assert len(summary["epochs"]) == 60
    found = network.from_bytes((tmp_path / "net.cwnet").read_bytes())
    assert (found.kind, found.hidden) == ("residual", 16)


@pytest.mark.parametrize("kind", ["residual", "pure"])
def test_the_same_seed_gives_the_same_file(data: Path, tmp_path: Path, kind: str) -> None:
    first = trained(data, tmp_path / "a.cwnet", "--kind", kind, "--rate", "0.002")
    assert trained(data, tmp_path / "b.cwnet", "--kind", kind, "--rate", "0.002") == first
    other = network.from_bytes(trained(data, tmp_path / "c.cwnet", "--kind", kind, "--rate", "0.002", "--seed", "4"))
    found = network.from_bytes(first)
    assert (other.features != found.features).any()
    assert all(other.provenance[name] == found.provenance[name] for name in ("held_out", "training", "logit"))
    assert found.kind == kind
    assert found.provenance["seed"] == 1
    assert ("weights" in found.provenance) == (kind == "residual")
    (file,) = found.provenance["files"]
    assert file["name"] == "own.bin"
    assert file["games"] == 120


@pytest.mark.parametrize("kind", ["residual", "pure"])
def test_a_training_begins_with_a_network(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], kind: str) -> None:
    path = tmp_path / "a.cwnet"
    begun = network.from_bytes(trained(data, path, "--kind", kind, "--epochs", "20"))
    loss = float(begun.provenance["held_out_loss"])
    capsys.readouterr()
    further = trained(
        data, tmp_path / "b.cwnet", "--kind", kind, "--epochs", "20", "--start", str(path), "--json", "--rate", "0.002"
    )
    said = capsys.readouterr()
    summary = json.loads(said.out)
    told = re.search("^a.cwnet: loss held out (.*)$", said.err, re.MULTILINE)
    assert told
    assert float(told[1]) == pytest.approx(loss, rel=0.02)  # in integers
    assert all(epoch["training"] < 2 * loss for epoch in summary["epochs"])  # from the first one on
    assert summary["loss_in_integers"] < float(told[1])
    start = network.from_bytes(further).provenance["start"]
    assert start == {"name": "a.cwnet", "sha256": hashlib.sha256(path.read_bytes()).hexdigest()}
    assert (
        trained(data, tmp_path / "c.cwnet", "--kind", kind, "--epochs", "20", "--start", str(path), "--rate", "0.002") == further
    )


@pytest.mark.parametrize("kind", ["residual", "pure"])
def test_a_training_may_begin_with_fewer_units(data: Path, content: list[OldGame], tmp_path: Path, kind: str) -> None:
    narrow = network.from_bytes(trained(data, tmp_path / "a.cwnet", "--kind", kind, "--epochs", "20"))
    settings = steps.Settings(kind, 48, epochs=1, batch=64, rate=0.001, decay=0.0, wdl=0.0, seed=1)
    wide = network.quantised(steps.start_from(narrow, 120.0, settings).parameters, 48, kind, 120.0, {})
    packed = [position.packed for game in content for position in game.positions]
    boards = np.frombuffer(b"".join(packed), dtype=np.uint8).reshape(len(packed), -1)
    assert wide.scores(boards) == pytest.approx(narrow.scores(boards), abs=2)  # they are rounded
    assert (wide.features[:, 16:].std(axis=0) > 0).all()  # so that the new units can learn, each something else
    grown = network.from_bytes(
        trained(
            data, tmp_path / "b.cwnet", "--kind", kind, "--hidden", "32", "--start", str(tmp_path / "a.cwnet"), "--rate", "0.002"
        )
    )
    assert grown.hidden == 32
    assert grown.output[:, 16:].any()


def test_the_floats_of_a_network_make_it_again(data: Path, tmp_path: Path) -> None:
    found = network.from_bytes(trained(data, tmp_path / "a.cwnet"))
    again = network.quantised(network.floats(found, 120.0), 16, "residual", 120.0, {})
    assert (again.features == found.features).all()
    assert (again.bias == found.bias).all()
    worth = [(each.scale * each.output.astype(float), each.scale * each.output_bias) for each in (found, again)]
    assert worth[0][0] == pytest.approx(worth[1][0], abs=found.scale)  # at most a step of the integers
    assert worth[0][1] == pytest.approx(worth[1][1], abs=found.scale)


def test_a_network_to_begin_with_must_fit(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = [data, "--output", tmp_path / "b.cwnet", *QUICK]
    trained(data, tmp_path / "a.cwnet")
    fits = f"--start {tmp_path / 'a.cwnet'} is a residual network of 16 units: give --kind residual --hidden 16 or more"
    assert fits in refused(capsys, *words, "--kind", "pure", "--start", tmp_path / "a.cwnet")
    trained(data, tmp_path / "wide.cwnet", "--hidden", "32")
    fits = f"--start {tmp_path / 'wide.cwnet'} is a residual network of 32 units: give --kind residual --hidden 32 or more"
    assert fits in refused(capsys, *words, "--start", tmp_path / "wide.cwnet")
    (tmp_path / "c.cwnet").write_bytes((tmp_path / "a.cwnet").read_bytes()[:-1])
    assert "c.cwnet: it has" in refused(capsys, *words, "--start", tmp_path / "c.cwnet")
    assert "no.cwnet" in refused(capsys, *words, "--start", tmp_path / "no.cwnet")
    (tmp_path / "d.cwnet").write_bytes((tmp_path / "a.cwnet").read_bytes() + bytes(config.MAX_NETWORK_SIZE))
    assert f"it has {config.MAX_NETWORK_SIZE + 1} bytes" in refused(capsys, *words, "--start", tmp_path / "d.cwnet")
    trained(data, tmp_path / "b.cwnet", "--journal", str(tmp_path / "b.jsonl"))
    of_another = refused(capsys, *words, "--journal", tmp_path / "b.jsonl", "--resume", "--start", tmp_path / "a.cwnet")
    assert "b.jsonl is of another training: its start is" in of_another


def test_a_network_whose_loss_is_above_that_of_its_start_is_written(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    trained(data, tmp_path / "a.cwnet")
    capsys.readouterr()
    words = [str(data), "--output", str(tmp_path / "b.cwnet"), *QUICK, "--start", str(tmp_path / "a.cwnet"), "--json"]
    words[words.index("--rate") + 1] = "0.15"
    assert command.main(words) == 0
    out, err = capsys.readouterr()
    summary = json.loads(out)
    loss = re.search(r"a\.cwnet: loss held out ([0-9.]+)", err)
    assert loss
    assert float(loss[1]) <= summary["loss_in_integers"] < summary["loss_of_terms"]
    assert f"and {loss[1]} of a.cwnet, with which it began; the loss does not tell which is stronger" in err
    assert network.from_bytes((tmp_path / "b.cwnet").read_bytes()).hidden == 16


def test_a_pure_network_needs_no_terms(data: Path, tmp_path: Path) -> None:
    trained(data, tmp_path / "a.cwnet", "--kind", "pure")
    assert not list(tmp_path.glob("*.terms"))
    (tmp_path / "cache").mkdir()
    trained(data, tmp_path / "a.cwnet", "--cache", str(tmp_path / "cache"))
    assert not list(tmp_path.glob("*.terms"))
    kept = {path.name for path in (tmp_path / "cache").iterdir()}
    assert {"own.bin.positions", "own.bin.positions.counts"} < kept
    assert len(kept) == 3


def test_terms_are_kept_by_weights_and_computed_by_one_run(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    trained(data, tmp_path / "a.cwnet")
    (kept,) = tmp_path.glob("own.bin.*.terms")
    other = tmp_path / "other.py"
    other.write_text(config.dump(config.load_default() | {"TEMPO": (40, 40)}))
    trained(data, tmp_path / "a.cwnet", "--weights", str(other))
    assert len(list(tmp_path.glob("own.bin.*.terms"))) == 2
    with kept.open("ab") as file:
        hold(file, kept)
        said = refused(capsys, data, "--output", tmp_path / "b.cwnet", *QUICK)
    assert f"{kept.name} is in use by another run" in said


class Stopped(Exception):
    """What stops a training in a test."""


@pytest.mark.parametrize("stop_after", [1, 2])
def test_a_resumed_training_equals_an_unbroken_one(
    data: Path, content: list[OldGame], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stop_after: int
) -> None:
    unbroken = trained(data, tmp_path / "a.cwnet")
    journal = ["--journal", str(tmp_path / "net.jsonl")]
    epoch = steps.Trainer.epoch

    def stopping(self: steps.Trainer, report: Any) -> steps.Epoch:
        if self.state.epochs == stop_after:
            raise Stopped
        return epoch(self, report)

    monkeypatch.setattr(steps.Trainer, "epoch", stopping)
    with pytest.raises(Stopped):
        trained(data, tmp_path / "b.cwnet", *journal)
    monkeypatch.undo()
    with (tmp_path / "net.jsonl").open("ab") as file:
        file.write(b'{"epoch":9')  # torn
    write(data, [*content, *(game._replace(number=game.number + 120) for game in games(10, 9))])  # the file became longer
    assert trained(data, tmp_path / "b.cwnet", *journal, "--resume") == unbroken
    assert trained(data, tmp_path / "c.cwnet", *journal, "--resume") == unbroken  # there is nothing left to do


def test_ctrl_c_keeps_the_epochs(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    epoch = steps.Trainer.epoch

    def stopping(self: steps.Trainer, report: Any) -> steps.Epoch:
        if self.state.epochs == 2:
            raise KeyboardInterrupt
        return epoch(self, report)

    monkeypatch.setattr(steps.Trainer, "epoch", stopping)
    words = [str(data), "--output", str(tmp_path / "net.cwnet"), *QUICK, "--journal", str(tmp_path / "net.jsonl")]
    assert command.main(words) == 130
    assert f"interrupted after epoch 2 of 3; --resume goes on from {tmp_path / 'net.jsonl'}" in capsys.readouterr().err
    assert not (tmp_path / "net.cwnet").exists()
    assert len((tmp_path / "net.jsonl").read_bytes().splitlines()) == 3


def test_ctrl_c_without_a_journal_keeps_the_network(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    step, left = steps.Trainer._step, [0]

    def stopping(*arguments: Any) -> None:
        if not left[0]:
            raise KeyboardInterrupt
        left[0] -= 1
        step(*arguments)

    monkeypatch.setattr(steps.Trainer, "_step", stopping)
    words = [str(data), "--output", str(tmp_path / "net.cwnet"), *QUICK]
    assert command.main(words) == 130
    assert "interrupted after epoch 0 of 3; nothing is written" in capsys.readouterr().err
    left[0] = 30  # 12 an epoch
    assert command.main(words) == 130
    assert (
        f"interrupted after epoch 2 of 3; without a --journal its network is all that is kept, in {tmp_path}"
        in capsys.readouterr().err
    )
    kept = network.from_bytes((tmp_path / "net.cwnet").read_bytes())
    assert (kept.provenance["epoch"], kept.provenance["epochs"]) == (2, 3)
    monkeypatch.undo()
    trained(data, tmp_path / "whole.cwnet", "--every-epoch")
    assert (tmp_path / "whole.2.cwnet").read_bytes() == (tmp_path / "net.cwnet").read_bytes()


@pytest.mark.parametrize(
    ("kind", "rate", "without"), [("residual", "0.00001", "of the terms alone"), ("pure", "0.01", "of even chances everywhere")]
)
def test_nothing_learnt_is_told_and_nothing_is_written(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], kind: str, rate: str, without: str
) -> None:
    words = [str(data), "--output", str(tmp_path / "net.cwnet"), *QUICK, "--rate", rate, "--kind", kind, "--seed", "2"]
    assert command.main([*words, "--json"]) == command.NOTHING_LEARNT == 3
    out, err = capsys.readouterr()
    summary = json.loads(out)
    assert (summary["network"], summary["learnt"]) == (None, False)
    told = f"nothing was learnt: {tmp_path / 'net.cwnet'} is not written, since the loss held out is {summary['loss_in_integers']:.6f}"
    assert told in err
    assert without in err
    assert not (tmp_path / "net.cwnet").exists()
    if kind == "residual":
        assert summary["loss_in_integers"] >= summary["loss_of_terms"]
    assert command.main(["--help"]) == 0
    assert "3: nothing was learnt" in capsys.readouterr().out


def refused(capsys: pytest.CaptureFixture[str], *words: object) -> str:
    capsys.readouterr()
    assert command.main([*map(str, words)]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    return said.err.splitlines()[-1]


def test_another_training_is_not_resumed(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    journal = tmp_path / "net.jsonl"
    words = [data, "--output", tmp_path / "net.cwnet", *QUICK, "--journal", journal]
    trained(data, tmp_path / "net.cwnet", "--journal", str(journal))
    assert "give --resume to go on with it" in refused(capsys, *words)
    assert "its epochs is 3, not 4" in refused(capsys, *words, "--resume", "--epochs", "4")
    assert "its seed is 1, not 2" in refused(capsys, *words, "--resume", "--seed", "2")
    write(data, games(120, seed=3))
    assert "net.jsonl is of another training: its files is" in refused(capsys, *words, "--resume")
    write(data, games(20))
    assert "own.bin has 20 games, and the training began with 120" in refused(capsys, *words, "--resume")
    assert "--resume needs the --journal" in refused(capsys, data, "--output", tmp_path / "b", "--resume")


@pytest.mark.parametrize("fault", ["short", "number", "crc", "other"])
def test_a_wrong_journal_is_refused(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], fault: str) -> None:
    from coachwhip.bench.common import journal as journals

    path = tmp_path / "net.jsonl"
    trained(data, tmp_path / "net.cwnet", "--journal", str(path))
    lines = path.read_bytes().splitlines(keepends=True)
    value = json.loads(lines[1])
    del value["crc"]
    if fault == "short":
        value["mean"] = value["mean"][:-8]
    elif fault == "number":
        value["epoch"] = 2
    lines[1] = lines[1].replace(b"A", b"B", 1) if fault == "crc" else journals._pack(value)
    if fault == "other":
        lines = [b"not a journal\n"]
    path.write_bytes(b"".join(lines))
    said = refused(capsys, data, "--output", tmp_path / "net.cwnet", *QUICK, "--journal", path, "--resume")
    assert "net.jsonl" in said
    assert path.read_bytes() == b"".join(lines)


# --- The command ---


def test_every_epoch_can_be_kept(data: Path, tmp_path: Path) -> None:
    last = trained(data, tmp_path / "net.cwnet", "--every-epoch")
    assert {path.name for path in tmp_path.glob("*.cwnet")} == {"net.cwnet", "net.1.cwnet", "net.2.cwnet", "net.3.cwnet"}
    assert (tmp_path / "net.3.cwnet").read_bytes() == last != (tmp_path / "net.2.cwnet").read_bytes()


def test_the_losses_are_told_and_drawn(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trained(data, tmp_path / "net.cwnet", "--plot", str(tmp_path / "losses.svg"))
    said = capsys.readouterr()
    assert [line.split(":")[0] for line in said.err.splitlines() if line.startswith("epoch")] == [
        "epoch   1",
        "epoch   2",
        "epoch   3",
    ]
    assert "the terms alone: loss held out 0." in said.err
    assert "positions a second" in said.out
    assert "in the integers of the engine 0." in said.out
    picture = (tmp_path / "losses.svg").read_text()
    assert "held-out positions" in picture
    assert re.findall("<!-- ([1-9].*) -->", picture) == ["1", "2", "3"]  # epochs are whole; losses are below 1


def test_a_network_that_cannot_be_written_is_not_lost(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder, epoch = tmp_path / "gone", steps.Trainer.epoch
    folder.mkdir()

    def removing(self: steps.Trainer, report: Any) -> steps.Epoch:
        if folder.exists():
            folder.rmdir()
        return epoch(self, report)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(steps.Trainer, "epoch", removing)
        assert command.main([str(data), "--output", str(folder / "net.cwnet"), *QUICK]) == 2
    complaint = capsys.readouterr().err.splitlines()[-1]
    assert "No such file" in complaint
    spare = Path(complaint.rpartition(" is in ")[2])
    assert spare.read_bytes() == trained(data, tmp_path / "net.cwnet")
    spare.unlink()


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--hidden", "20"], "expected a multiple of 16, not 20"),
        (["--hidden", "528"], "expected a whole number from 16 to 512"),
        (["--wdl", "1.5"], "expected a number from 0 to 1"),
        (["--kind", "other"], "invalid choice: 'other'"),
        (["--cache", "no-such-folder"], "no-such-folder: there is no such folder"),
        (["--validation", "0.001", "--limit", "1"], "too few games to have some for training and some held out"),
    ],
)
def test_wrong_words_are_refused(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], why: str
) -> None:
    assert why in refused(capsys, data, "--output", tmp_path / "net.cwnet", *words)
    assert not (tmp_path / "net.cwnet").exists()


def test_damaged_data_is_refused(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    whole = bytearray(data.read_bytes())
    whole[len(whole) // 2] ^= 1
    data.write_bytes(whole)
    said = refused(capsys, data, "--output", tmp_path / "net.cwnet", *QUICK)
    assert "own.bin: game " in said
    assert "is damaged, and other data follow" in said
    write(data, [])
    assert "own.bin: no position in it" in refused(capsys, data, "--output", tmp_path / "net.cwnet", *QUICK)
    none = OldPosition(bytes(24) + b"\0\0", 5)
    write(data, [OldGame(number, "1-0", (none,) * 5) for number in range(20)])
    assert "no packed position" in refused(capsys, data, "--output", tmp_path / "net.cwnet", *QUICK, "--kind", "pure")
    assert "own.bin: position 1: not a packed position" in refused(capsys, data, "--output", tmp_path / "net.cwnet", *QUICK)
