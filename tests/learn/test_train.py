# SPDX-License-Identifier: GPL-3.0-or-later
"""`coachwhip train`: data of any size in random order, one network from one seed, and resumed trainings."""

import hashlib
import json
import lzma
import random
import re
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import chess
import game_files
import numpy as np
import oracle
import pytest
from coachwhip.core.engine import Engine, Network, Position
from coachwhip.core.learning.scorer import Scorer, adam_step
from game_files import Played
from places import TERMS

from coachwhip.cli.command import CommandError
from coachwhip.learn import game_file, logistic, training_set
from coachwhip.learn import train as command
from coachwhip.learn.network import integers as network
from coachwhip.learn.network import trainer as steps
from coachwhip.learn.run import Epoch

QUICK = [
    "--hidden",
    "16",
    "--epochs",
    "3",
    "--batch",
    "64",
    "--validation",
    "0.2",
    "--rate",
    "0.01",
    "--logit",
    "120",
]
BONUS = 80  # centipawns that the labels add to the terms for a pawn that has left its first two ranks


@pytest.fixture(scope="module")
def content() -> list[Played]:
    """Random games whose labels are the score of the terms and something that they do not know."""
    rng, engine = random.Random(1), oracle.new_engine()

    def label(board: chess.Board) -> int:
        score = engine.evaluate(Position(oracle.fen_of(board), chess960=True))
        white = len(board.pieces(chess.PAWN, chess.WHITE) & ~(chess.BB_RANK_2 | chess.BB_RANK_3))
        black = len(board.pieces(chess.PAWN, chess.BLACK) & ~(chess.BB_RANK_7 | chess.BB_RANK_6))
        return (score if board.turn else -score) + BONUS * (white - black)

    boards = [oracle.start_board(oracle.KINDS[number % len(oracle.KINDS)], rng) for number in range(80)]
    plies = [0 if number == 4 else rng.randrange(60) for number in range(80)]
    return [game_files.played(board, rng, plies[number], label=label) for number, board in enumerate(boards)]


def write(path: Path, content: list[Played]) -> Path:
    path.write_bytes(game_files.file_of(content))
    return path


@pytest.fixture(autouse=True)
def small_chunks() -> Iterator[None]:
    """Of about five games."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(game_file, "CHUNK", 1000)
        yield


@pytest.fixture
def data(tmp_path: Path, content: list[Played]) -> Path:
    return write(tmp_path / "own.vf", content)


def all_played() -> list[Played]:
    """Games with scores of any size and repeated positions."""
    return game_files.many(60, seed=6)


@pytest.fixture
def whole(tmp_path: Path) -> Path:
    return write(tmp_path / "games.vf", all_played())


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


def opened(
    stack: ExitStack,
    path: Path,
    max_score: float = game_file.MAX_SCORE,
    per_game: int | None = None,
    **options: Any,
) -> training_set.TrainingFile:
    return training_set.TrainingFile(
        stack.enter_context(game_file.open_games(path)), path.name, max_score, per_game, **options
    )


def positions_of(
    stack: ExitStack, path: Path, max_score: float = game_file.MAX_SCORE, per_game: int | None = None
) -> training_set.TrainingSet:
    return training_set.TrainingSet([opened(stack, path, max_score, per_game)], 0.2)


def rows_of(batches: Any) -> list[bytes]:
    return [bytes(board) for batch in batches for board in batch]


def expected(content: list[Played], max_score: int = game_file.MAX_SCORE) -> Counter[bytes]:
    """All positions to use."""
    return Counter(row.packed for each in content for row in each.usable(max_score))


# --- Data ---


@pytest.mark.parametrize("pool", [1 << 23, 500])
def test_an_epoch_has_each_position_once_in_random_order(
    data: Path,
    whole: Path,
    content: list[Played],
    stack: ExitStack,
    monkeypatch: pytest.MonkeyPatch,
    pool: int,
) -> None:
    monkeypatch.setattr(training_set, "POOL", pool)
    found = training_set.TrainingSet([opened(stack, data), opened(stack, whole)], 0.2)
    orders = []
    for seed in ([7, 1], [7, 1], [7, 2]):
        batches = list(found.batches(seed, 64))
        assert [len(batch) for batch in batches[:-1]] == [64] * (len(batches) - 1)
        assert 0 < len(batches[-1]) <= 64
        orders.append(rows_of(batches))
    assert orders[0] == orders[1] != orders[2]
    assert Counter(orders[0]) == Counter(orders[2])
    assert Counter(orders[0]) + Counter(rows_of([found.held_out])) == expected(content) + expected(
        all_played()
    )
    assert (len(orders[0]), len(found.held_out)) == (found.training, found.held_out_count)
    near = sum(a[:8] == b[:8] for a, b in zip(orders[0], orders[0][1:], strict=False))
    assert near < len(orders[0]) / 10  # neighbours in a batch are not neighbours in a game
    places = {
        row: place
        for place, row in enumerate(
            row.packed for each in (*content, *all_played()) for row in each.usable(1500)
        )
    }
    spread = np.std([places[row] for row in orders[0][:64]]) / len(places)
    assert spread > (0.2 if pool > 500 else 0.1)  # a batch has positions of many places


def test_positions_are_chosen_by_score_and_few_of_each_game(whole: Path, stack: ExitStack) -> None:
    for max_score in (100, game_file.LARGEST_SCORE):
        found = positions_of(stack, whole, max_score)
        assert Counter(rows_of([*found.batches([1], 50), found.held_out])) == expected(
            all_played(), max_score
        )
    few, again = positions_of(stack, whole, per_game=6), positions_of(stack, whole, per_game=6)
    sizes = [len(each.usable(game_file.MAX_SCORE)) for each in all_played()]
    assert few.training + few.held_out_count == sum(min(6, size) for size in sizes) < sum(sizes)
    first = Counter(rows_of(few.batches([1], 50)))
    assert first.total() == few.training
    assert first == Counter(rows_of(again.batches([2], 50)))


def test_whole_games_are_held_out(
    data: Path, content: list[Played], stack: ExitStack, tmp_path: Path
) -> None:
    apart = Counter(rows_of([positions_of(stack, data).held_out]))
    games_held = 0
    for each in content:
        boards = Counter(row.packed for row in each.usable(game_file.MAX_SCORE))
        common = set(boards) - {row.packed for other in content if other is not each for row in other.rows}
        assert common <= set(apart) or not common & set(apart)
        games_held += bool(common & set(apart))
    assert 10 < games_held < 45
    # a file that became longer holds out the same games and some of the new ones
    longer = write(tmp_path / "longer.vf", [*content, *content[:30]])
    assert apart <= Counter(rows_of([positions_of(stack, longer).held_out]))


@pytest.mark.parametrize("compress", [bytes, lzma.compress])
def test_a_file_is_read_as_far_as_asked(
    data: Path, content: list[Played], stack: ExitStack, compress: Callable[[bytes], bytes]
) -> None:
    data.write_bytes(compress(data.read_bytes() + content[0].data[:-1]))
    found = opened(stack, data)
    assert found.counts.tolist() == [len(each.usable(game_file.MAX_SCORE)) for each in content]
    assert opened(stack, data, games=3).counts.tolist() == found.counts[:3].tolist()
    for count in range(5, 20):  # also where a chunk ends
        assert opened(stack, data, games=count).counts.tolist() == found.counts[:count].tolist()
    assert opened(stack, data, games=7).sha256 == hashlib.sha256(game_files.file_of(content[:7])).hexdigest()
    assert found.sha256 == hashlib.sha256(game_files.file_of(content)).hexdigest()
    with pytest.raises(CommandError, match=r"own\.vf has 80 games, but the training started with 81"):
        opened(stack, data, games=81)


@pytest.mark.parametrize("kept", [slice(-500), slice(5000, None)])
def test_data_that_change_during_the_training_end_it(data: Path, stack: ExitStack, kept: slice) -> None:
    """What was in memory before was trained on in place of the positions that were no longer there."""
    found, content = positions_of(stack, data), data.read_bytes()
    data.write_bytes(content[kept])  # the same file, which is open
    with pytest.raises(CommandError, match=r"^own\.vf has changed since the training began"):
        list(found.batches([1], 64))


# --- Training ---


@pytest.mark.parametrize(("kind", "error"), [(np.float64, 1e-12), (np.float32, 1e-5)])
def test_a_step_is_one_of_adamw(kind: Any, error: float) -> None:
    """Against the algorithm of the paper."""
    rng = np.random.default_rng(1)
    values, gradients = rng.normal(size=37), rng.normal(size=(3, 37))
    arrays = values.astype(kind), np.zeros(37, kind), np.zeros(37, kind)
    mean, square = np.zeros(37), np.zeros(37)
    for step, gradient in enumerate(gradients, start=1):
        mean = 0.9 * mean + 0.1 * gradient
        square = 0.999 * square + 0.001 * gradient**2
        adam = mean / (1 - 0.9**step) / (np.sqrt(square / (1 - 0.999**step)) + 1e-8)
        values = values - 0.03 * (adam + 0.1 * values)
        adam_step(*arrays, gradient.astype(kind), step=step, rate=0.03, epsilon=1e-8, decay=0.1)
        assert arrays[0] == pytest.approx(values, rel=error)
    assert [logistic.cosine(step, 2, 0.01) for step in range(3)] == pytest.approx([1, 0.505, 0.01])


def test_targets_mix_score_and_result(whole: Path, stack: ExitStack) -> None:
    """From the side to move; the terms count too, but not those of a pure network."""
    found = positions_of(stack, whole)
    rows = {row.packed: row for each in all_played() for row in each.rows}
    held = [rows[bytes(board)] for board in found.held_out]
    scores = np.array([row.score if row.board.turn else -row.score for row in held], float)
    points = np.array([row.result / 2 if row.board.turn else 1 - row.result / 2 for row in held])
    engine = oracle.new_engine()
    terms = [engine.evaluate(Position(oracle.fen_of(row.board), chess960=True)) for row in held]
    for wdl, kind in ((0.0, "pure"), (0.3, "residual"), (1.0, "residual")):
        settings = steps.Settings(kind, 16, 2, 100, 0.001, 0, wdl, 4, 120.0)
        trainer = steps.Trainer(settings, found, Scorer(oracle.terms()), steps.first_state(settings))
        wanted = (1 - wdl) / (1 + np.exp(-scores / 120.0)) + wdl * points
        assert np.abs(trainer.targets(found.held_out) - wanted).max() < 1e-5
        logits, shares = trainer.logits(found.held_out)
        assert logits == pytest.approx(np.array(terms) / 120 * (kind == "residual"), abs=1e-5)
        assert 0 < shares.min() <= shares.max() == 1
    assert 40 <= steps.fit_logit(found) <= 1000


def trained(data: Path, output: Path, *words: str) -> bytes:
    assert command.main([str(data), "--output", str(output), *QUICK, *words]) == 0
    return output.read_bytes()


@pytest.mark.parametrize("kind", ["residual", "pure"])
def test_training_learns_and_a_seed_gives_one_network(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], kind: str
) -> None:
    """What the terms do not know."""
    words = ["--kind", kind, "--weights", str(TERMS), "--json"]
    epochs = 40 if kind == "residual" else 5
    found = network.from_bytes(trained(data, tmp_path / "net.cwnet", *words, "--epochs", str(epochs)))
    summary = json.loads(capsys.readouterr().out)
    if kind == "residual":
        assert summary["loss"] < summary["loss_of_terms"] / 3
        assert summary["loss_in_integers"] < summary["loss_of_terms"] / 3
    assert summary["loss_in_integers"] == pytest.approx(summary["loss"], rel=0.1)
    assert len(summary["epochs"]) == epochs
    assert (found.kind, found.hidden) == (kind, 16)
    (file,) = found.provenance["files"]
    assert (found.provenance["seed"], file["name"], file["games"]) == (1, "own.vf", 80)
    assert "weights" in found.provenance
    more = str(shutil.copy(data, tmp_path / "more.vf"))
    words += [more, "--wdl", "0.2", "--rate", "0.002"] if kind == "residual" else ["--epochs", "5"]
    first = trained(data, tmp_path / "a.cwnet", *words)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(steps, "ThreadPoolExecutor", lambda _: ThreadPoolExecutor(1))
        assert trained(data, tmp_path / "b.cwnet", *words) == first
    if kind == "pure":
        return
    other = network.from_bytes(trained(data, tmp_path / "c.cwnet", *words, "--seed", "4"))
    assert (other.numbers != network.from_bytes(first).numbers).any()
    assert other.provenance["held_out"] == network.from_bytes(first).provenance["held_out"]
    assert trained(data, tmp_path / "d.cwnet", *words, "--per-game", "5") != first


def test_a_training_starts_from_a_network(
    data: Path, content: list[Played], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of as many units or fewer: the first scores are its own.

    The new network is written also where its loss is higher.
    """
    path = tmp_path / "a.cwnet"
    narrow = network.from_bytes(trained(data, path, "--epochs", "6"))
    settings = steps.Settings(
        "residual", 48, epochs=1, batch=64, rate=0.001, decay=0.0, wdl=0.0, seed=1, logit=120.0
    )
    wide = network.quantised(steps.first_state(settings, narrow).parameters, 48, "residual", 120.0, {})
    packed = [row.packed for each in content for row in each.rows]
    boards = np.frombuffer(b"".join(packed), dtype=np.uint8).reshape(len(packed), -1)
    scores = np.empty((2, len(boards)), np.int16)
    for each, out in zip((narrow, wide), scores, strict=True):
        Scorer(oracle.terms(), Network(network.to_bytes(each))).scores(boards, out)
    assert scores[1] == pytest.approx(scores[0], abs=2)  # they are rounded
    weights = network.parameters(wide.numbers, 48).feature_weights
    assert (weights[:, :16] == network.parameters(narrow.numbers, 16).feature_weights).all()
    assert (weights[:, 16:].std(axis=0) > 0).all()  # so that the new units can learn, each something else
    capsys.readouterr()
    words = ["--hidden", "32", "--epochs", "10", "--start", str(path), "--rate", "0.002"]
    further = network.from_bytes(trained(data, tmp_path / "b.cwnet", *words, "--json"))
    said = capsys.readouterr()
    loss = re.search("^a.cwnet: validation loss (.*)$", said.err, re.MULTILINE)
    assert loss
    # It has other labels, and computes in integers.
    assert float(loss[1]) == pytest.approx(narrow.provenance["held_out_loss"], rel=0.2)
    # This holds from the first epoch on.
    assert all(epoch["training"] < 2 * float(loss[1]) for epoch in json.loads(said.out)["epochs"])
    assert json.loads(said.out)["loss_in_integers"] < float(loss[1])
    assert further.provenance["start"] == [
        {"name": "a.cwnet", "sha256": hashlib.sha256(path.read_bytes()).hexdigest()}
    ]
    assert network.parameters(further.numbers, 32).output[..., 16:].any()
    trained(data, tmp_path / "c.cwnet", "--start", str(path), "--rate", "0.15")
    assert (
        f"and that of a.cwnet, the start, {loss[1]}; the loss does not show which is stronger"
        in capsys.readouterr().err
    )


def test_a_training_starts_from_the_mean_of_networks(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """At a rate that changes nothing the new network has the mean parameters, despite other scales."""
    words = []
    for name, rate in (("a", 0.001), ("b", 0.02)):
        trained(data, tmp_path / f"{name}.cwnet", "--epochs", "4", "--rate", str(rate))
        words += ["--start", str(tmp_path / f"{name}.cwnet")]
    known = [network.from_bytes((tmp_path / f"{name}.cwnet").read_bytes()) for name in "ab"]
    assert known[0].scale != known[1].scale
    found = network.from_bytes(
        trained(data, tmp_path / "c.cwnet", *words, "--epochs", "1", "--rate", "1e-6", "--batch", "10000")
    )
    assert "\nthe mean of a.cwnet, b.cwnet: validation loss " in capsys.readouterr().err
    assert [each["name"] for each in found.provenance["start"]] == ["a.cwnet", "b.cwnet"]
    parts = [network.floats(each, 1.0) for each in (*known, found)]
    for one, other, both in zip(*parts, strict=True):
        assert both == pytest.approx(
            (one + other) / 2, abs=float(0.01 * max(abs(one).max(), abs(other).max()))
        )


def test_labels_of_a_residual_network_are_calibrated(
    data: Path, tmp_path: Path, stack: ExitStack, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each file to the evaluation that the training starts from.

    Its scores are other multiples of that for other numbers of pieces.
    """
    start = Network(trained(data, tmp_path / "start.cwnet"))
    engine, evaluation = Engine(oracle.terms(), 1, network=start), Scorer(oracle.terms(), start)
    known = {"steep.vf": ([1.3, 1.0, 0.9, 0.8, 0.6], [8, -5, 0, 4, 12]), "flat.vf": ([0.7] * 5, [-3] * 5)}
    files = [tmp_path / name for name in known]
    for file, (slopes, offsets) in zip(files, known.values(), strict=True):

        def label(board: chess.Board, slopes: list[float] = slopes, offsets: list[int] = offsets) -> int:
            place = np.searchsorted((6, 11, 17, 23), len(board.piece_map()) - 2)
            score = round(slopes[place] * engine.evaluate(Position(oracle.fen_of(board))) + offsets[place])
            return score if board.turn else -score

        write(
            file,
            [game_files.played(chess.Board(), random.Random(seed), 250, label=label) for seed in range(16)]
            * 50,
        )
    words = [str(files[1]), "--start", str(tmp_path / "start.cwnet"), "--epochs", "1", "--batch", "10000"]
    found = network.from_bytes(trained(files[0], tmp_path / "net.cwnet", *words)).provenance["calibration"]
    said = capsys.readouterr().err
    for file, (slopes, offsets), fitted in zip(files, known.values(), found, strict=True):
        assert fitted["slopes"] == pytest.approx(slopes, abs=0.03)
        assert fitted["offsets"] == pytest.approx(offsets, abs=1)
        assert f"{file.name}: slopes {', '.join(f'{slope:g}' for slope in fitted['slopes'])}; offsets" in said
        labelled = opened(stack, file)
        labelled.calibrate(evaluation)
        boards = training_set.TrainingSet([labelled], 0.2).held_out
        static = np.empty(len(boards), np.int16)
        evaluation.scores(boards, static)
        middle = np.isin(np.unpackbits(boards[:, :8], axis=1).sum(axis=1), (5, 11, 29)) & (abs(static) < 100)
        assert middle.sum() > 100
        labels = np.where(game_file.is_black(boards), -game_file.scores(boards), game_file.scores(boards))
        assert labels[middle] == pytest.approx(static[middle], abs=5)


def test_a_network_to_begin_with_must_fit(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [data, "--output", tmp_path / "b.cwnet", *QUICK]
    trained(data, tmp_path / "a.cwnet")
    fits = (
        f"--start {tmp_path / 'a.cwnet'} is a residual network of 16 units: "
        "give --kind residual --hidden 16 or more"
    )
    assert fits in rejected(capsys, *words, "--kind", "pure", "--start", tmp_path / "a.cwnet")
    trained(data, tmp_path / "wide.cwnet", "--hidden", "32")
    fits = (
        f"--start {tmp_path / 'wide.cwnet'} is a residual network of 32 units: "
        "give --kind residual --hidden 32 or more"
    )
    assert fits in rejected(capsys, *words, "--start", tmp_path / "wide.cwnet")
    two = [word for name in ("a", "wide") for word in ("--start", tmp_path / f"{name}.cwnet")]
    no_mean = (
        f"--start {tmp_path / 'wide.cwnet'} has 32 units, and {tmp_path / 'a.cwnet'} 16: they have no mean"
    )
    assert no_mean in rejected(capsys, *words, "--hidden", "32", *two)
    trained(data, tmp_path / "b.cwnet", "--checkpoint", str(tmp_path / "b.part"))
    of_another = rejected(
        capsys, *words, "--checkpoint", tmp_path / "b.part", "--resume", "--start", tmp_path / "a.cwnet"
    )
    assert "b.part belongs to another run of train: its start is" in of_another


def test_a_training_that_was_interrupted_and_resumed_equals_an_unbroken_one(
    data: Path,
    content: list[Played],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    unbroken = trained(data, tmp_path / "a.cwnet")
    path = tmp_path / "net.part"
    words = ["--checkpoint", str(path)]
    epoch = steps.Trainer.epoch

    def stopping(self: steps.Trainer, report: Any) -> Epoch:
        if self.state.epochs == 2:
            raise KeyboardInterrupt
        return epoch(self, report)

    monkeypatch.setattr(steps.Trainer, "epoch", stopping)
    assert command.main([str(data), "--output", str(tmp_path / "b.cwnet"), *QUICK, *words]) == 130
    monkeypatch.undo()
    assert f"interrupted after epoch 2 of 3; --resume goes on from {path}" in capsys.readouterr().err
    assert not (tmp_path / "b.cwnet").exists()
    whole = path.read_bytes()
    loss = re.search(rb"\[1, 0\.\d", whole)  # of the first epoch
    assert loss
    digit = bytearray(whole)
    digit[loss.end() - 1] ^= 1
    resumed = (data, "--output", tmp_path / "b.cwnet", *QUICK, *words, "--resume")
    for damaged in (
        whole[:-1],
        whole.replace(b'"epochs": 3', b'"epochs"; 3'),
        whole[:-9] + b"damaged!!",
        bytes(digit),
    ):
        path.write_bytes(damaged)
        assert "net.part is damaged" in rejected(capsys, *resumed)
    for old, new, why in (  # with a checksum that matches
        (b'"settings": {', b'"set": {', "net.part cannot be used: it has no 'settings'"),
        (b'"files": [{', b'"files": [5, {', "net.part cannot be used: 'int' object"),
        (b'"hidden": 16', b'"hidden": 32', "net.part cannot be used: cannot reshape"),
        (b"[[1, ", b"[[2, ", "net.part cannot be used: a parameter is no number, or an epoch is missing"),
        (b"[[1, ", b"[[1, 0.5, ", "net.part cannot be used: "),
        (b"checkpoint 2", b"checkpoint 1", "net.part was written by another version of coachwhip"),
    ):
        forged = whole[:-32].replace(old, new, 1)
        path.write_bytes(forged + hashlib.sha256(forged).digest())
        assert why in rejected(capsys, *resumed)
    path.write_bytes(whole)
    write(data, [*content, *content[:10]])  # the file became longer
    assert trained(data, tmp_path / "b.cwnet", *words, "--resume") == unbroken
    assert trained(data, tmp_path / "c.cwnet", *words, "--resume") == unbroken  # there is nothing left to do


def test_ctrl_c_without_a_checkpoint_keeps_the_network(
    data: Path,
    stack: ExitStack,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    left = [0]

    def stopping(*arrays: Any, **settings: Any) -> None:
        if not left[0]:
            raise KeyboardInterrupt
        left[0] -= 1
        adam_step(*arrays, **settings)

    monkeypatch.setattr(steps, "adam_step", stopping)
    words = [str(data), "--output", str(tmp_path / "net.cwnet"), *QUICK]
    assert command.main(words) == 130
    assert "interrupted after epoch 0 of 3; nothing is written" in capsys.readouterr().err
    left[0] = steps.PARTS * (2 * -(-positions_of(stack, data).training // 64) + 2)
    assert command.main(words) == 130
    assert (
        "interrupted after epoch 2 of 3; without a --checkpoint its network is all that is kept, "
        f"in {tmp_path}" in capsys.readouterr().err
    )
    kept = network.from_bytes((tmp_path / "net.cwnet").read_bytes())
    assert (kept.provenance["epoch"], kept.provenance["epochs"]) == (2, 3)
    monkeypatch.undo()
    trained(data, tmp_path / "whole.cwnet", "--report", str(tmp_path / "losses.html"))
    said = capsys.readouterr()
    assert re.findall("^epoch +([0-9]+): loss", said.err, re.MULTILINE) == ["1", "2", "3"]
    assert "the terms alone: validation loss 0." in said.err
    assert "in the integers of the engine 0." in said.out
    page = (tmp_path / "losses.html").read_text()
    assert page.count("<polyline") == 4  # training, validation, the terms alone, the best epoch
    assert re.findall('<th scope="row">(.*?)</th>', page) == ["1", "2", "3"]


@pytest.mark.parametrize(
    ("kind", "without"), [("residual", "of the terms alone"), ("pure", "of even chances everywhere")]
)
def test_nothing_learnt_is_reported_and_nothing_is_written(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], kind: str, without: str
) -> None:
    words = [
        str(data),
        "--output",
        str(tmp_path / "net.cwnet"),
        *QUICK,
        "--rate",
        "0.00001",
        "--kind",
        kind,
        "--seed",
        "2",
    ]
    assert command.main([*words, "--json"]) == 3
    out, err = capsys.readouterr()
    summary = json.loads(out)
    assert (summary["network"], summary["learnt"]) == (None, False)
    conclusion = (
        f"nothing was learnt: {tmp_path / 'net.cwnet'} is not written, "
        f"since the validation loss is {summary['loss_in_integers']:.6f}"
    )
    assert conclusion in err
    assert without in err
    assert not (tmp_path / "net.cwnet").exists()
    if kind == "residual":
        assert summary["loss_in_integers"] >= summary["loss_of_terms"]


def rejected(capsys: pytest.CaptureFixture[str], *words: object) -> str:
    capsys.readouterr()
    assert command.main([*map(str, words)]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    return said.err.splitlines()[-1]


def test_another_training_is_not_resumed(
    data: Path, content: list[Played], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = tmp_path / "net.part"
    words = [data, "--output", tmp_path / "net.cwnet", *QUICK, "--checkpoint", kept]
    trained(data, tmp_path / "net.cwnet", "--checkpoint", str(kept))
    assert "give --resume to go on with it" in rejected(capsys, *words)
    assert "its epochs is 3, not 4" in rejected(capsys, *words, "--resume", "--epochs", "4")
    (tmp_path / "other.py").write_text("TEMPO = (0, 0)")
    assert "its signature is" in rejected(capsys, *words, "--resume", "--weights", tmp_path / "other.py")
    write(data, [*content[:-1], content[0]])
    assert "net.part belongs to another run of train: its files is" in rejected(capsys, *words, "--resume")


# --- The command ---


def test_a_network_that_cannot_be_written_is_not_lost(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, epoch = tmp_path / "gone", steps.Trainer.epoch
    folder.mkdir()

    def removing(self: steps.Trainer, report: Any) -> Epoch:
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


def test_wrong_words_and_damaged_data_are_rejected(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for words, why in (
        (["--hidden", "20"], "expected a multiple of 16, not 20"),
        (
            ["--validation", "0.001", "--max-score", "0"],
            "too few games to have some for training and some held out",
        ),
    ):
        assert why in rejected(capsys, data, "--output", tmp_path / "net.cwnet", *words)
    whole = bytearray(data.read_bytes())
    whole[24] = 65
    data.write_bytes(whole)
    said = rejected(capsys, data, "--output", tmp_path / "net.cwnet", *QUICK)
    assert "own.vf: game 0, at byte 0: these bytes are not a packed position" in said
    write(data, [])
    assert "own.vf: it contains no position" in rejected(
        capsys, data, "--output", tmp_path / "net.cwnet", *QUICK
    )
