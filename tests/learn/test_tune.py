# SPDX-License-Identifier: GPL-3.0-or-later
"""`coachwhip tune`: its model is the evaluation, it finds weights that data favour, its file says how."""

import ast
import hashlib
import json
import math
import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from coachwhip.core.engine import Engine, Position
from coachwhip.core.learning.scorer import Scorer, pack, unpack
from coachwhip.evaluation import config
from places import TERMS

from coachwhip.cli import progress
from coachwhip.cli.command import INTERRUPTED
from coachwhip.learn import game_file, logistic, selfplay, tune, tuning_set
from coachwhip.learn.run import NOTHING_LEARNT
from coachwhip.learn.terms import fit as tune_fit
from coachwhip.learn.terms import model
from coachwhip.learn.terms.model import PLAIN, TABLE, TAPERED

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
ENDING = "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1"
TRUE_SCALE = 150.0  # centipawns, of the results in the synthetic data
QUICK = ["--epochs", "3", "--batch", "256", "--rate", "4"]


@pytest.fixture(scope="module")
def shipped() -> list[int]:
    return config.flatten(config.load_default())


@pytest.fixture(scope="module")
def fens() -> list[str]:
    """Positions of random games."""
    rng = random.Random(1)
    found: list[str] = []
    while len(found) < 2000:
        position = Position(rng.choice([START, KIWIPETE, KIWIPETE, ENDING]))
        while position.result() == "*" and position.ply < 80:
            if not position.in_check:
                found.append(" ".join(position.fen().split()[:4]))
            position.make(rng.choice(position.legal_moves()))
    return found


def rows_of(fens: list[str]) -> Any:
    return np.stack([np.frombuffer(pack(fen), np.uint8) for fen in fens])


def fens_of(path: Path) -> list[str]:
    return [unpack(board) for board in tuning_set.read(path, per_game=1000).without_counters()]


def labelled_by(weights: list[int], fens: list[str], path: Path) -> Path:
    """Positions scored by an engine with these weights, and results drawn as it expects them."""
    rng = random.Random(2)
    lines = []
    for fen, score in zip(fens, Scorer(weights).features(rows_of(fens))[4], strict=True):
        expected = 1 / (1 + math.exp(-max(-20, min(20, score / TRUE_SCALE))))
        result = "1-0" if rng.random() < expected else "0-1"
        lines.append(f'{fen} c9 "{result}"; c8 "{score / 100:.2f}";\n')
    path.write_text("".join(lines))
    return path


@pytest.fixture(scope="module")
def epd(fens: list[str], shipped: list[int], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Positions from which the shipped weights have nothing to learn: they made the labels."""
    return labelled_by(shipped, fens, tmp_path_factory.mktemp("epd") / "synthetic.epd")


@pytest.fixture(scope="module")
def taught(fens: list[str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Positions from which they have: labels of a teacher for whom knights and bishops are worth more."""
    weights = config.load_default()
    pawn, knight, bishop, *others = weights["MATERIAL"]
    dear = [(middle + 200, end + 200) for middle, end in (knight, bishop)]
    teacher = config.flatten(weights | {"MATERIAL": [pawn, *dear, *others]})
    return labelled_by(teacher, fens, tmp_path_factory.mktemp("epd") / "synthetic.epd")


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Games of self-play."""
    path = tmp_path_factory.mktemp("own") / "own.vf"
    words = "--games 12 --nodes 40 --max-moves 60 --hash 1 --concurrency 1".split()
    assert selfplay.main([str(path), "--weights", str(TERMS), *words]) == 0
    return path


def run(capsys: pytest.CaptureFixture[str], *words: object) -> dict[str, Any]:
    """Tune, and the summary; the exit code shows whether something was learnt."""
    capsys.readouterr()
    code = tune.main([*map(str, words), "--json"])
    summary: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert code == (0 if summary["learnt"] else NOTHING_LEARNT)
    return summary


def changed(tmp_path: Path, **entries: Any) -> Path:
    """A weights file with other values."""
    path = tmp_path / "start.py"
    path.write_text(config.dump(config.load_default() | entries))
    return path


# --- The model ---


def test_features_and_weights_give_the_engines_evaluation(
    fens: list[str], own: Path, shipped: list[int]
) -> None:
    """But for rounding and the levels of king danger, between which the model interpolates."""
    rng = random.Random(3)
    shaken = model.parameters(shipped)
    # The positions have no counters.
    shaken += model.chosen([], ["rule50_*"]) * [rng.randint(-9, 9) for _ in shaken]
    for values in (model.parameters(shipped), np.clip(shaken, *model.bounds())):
        engine = Engine(model.flat_weights(values), 1)
        all_fens = fens + fens_of(own)
        extracted = Scorer(model.flat_weights(values)).features(rows_of(all_fens))
        features = model.features(extracted)
        positions = [Position(fen) for fen in all_fens]
        expected = [engine.evaluate(position) * (1 if position.stm == "w" else -1) for position in positions]
        assert extracted[4].tolist() == expected
        off = np.abs(model.Evaluation(values, features).scores - np.array(expected))
        assert off.mean() < 2
        assert off.max() < 20


def test_the_gradient_is_that_of_the_score(fens: list[str], shipped: list[int]) -> None:
    data = model.features(Scorer(shipped).features(rows_of(fens[:600])))
    values = model.parameters(shipped)
    slope = np.random.default_rng(1).normal(size=len(data.phase)).astype(np.float32)
    gradient = model.Evaluation(values, data).gradient(slope)

    def total(at: int, step: float) -> float:
        moved = values.copy()
        moved[at] += step
        return float(slope.astype(np.float64) @ model.Evaluation(moved, data).scores)

    tapered = len(TAPERED)
    places = [*range(0, 2 * tapered, 29), *TABLE[:20], *range(2 * tapered, 2 * tapered + len(PLAIN))]
    for at in places:
        measured = (total(at, 0.05) - total(at, -0.05)) / 0.1
        assert math.isclose(measured, gradient[at], rel_tol=0.03, abs_tol=0.6), (at, measured, gradient[at])
    assert sum(gradient[at] != 0 for at in places) > len(places) // 2


def test_patterns_choose_weights() -> None:
    left = {
        weight.name
        for weight, fitted in zip(model.PARAMETERS, model.chosen([], []), strict=True)
        if not fitted
    }
    assert {"rule50_fade", "scale_drawn_pawn", "scale_bare_king", "lone_king_corner"} < left
    assert all(name.startswith(("lone_king_", "rule50_", "scale_")) for name in left)
    material = model.chosen(["MATERIAL"], [])
    assert material.sum() == 10
    assert not (material & model.chosen([], ["mat*"])).any()
    assert model.chosen(["*_squares"], ["king*"]).sum() == 5 * 64 * 2


# --- The fit ---


def test_a_wrong_weight_comes_back_unless_the_prior_holds_it(
    epd: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    true = [tuple(pair) for pair in config.load_default()["MATERIAL"]]
    wrong = [*true[:2], (true[2][0] - 120, true[2][1] - 120), *true[3:]]
    start = changed(tmp_path, MATERIAL=wrong)
    words = [
        epd,
        "--output",
        tmp_path / "new.py",
        "--weights",
        start,
        "--wdl",
        0,
        "--epochs",
        20,
        "--rate",
        8,
        "--batch",
        512,
    ]
    found = []
    for prior in (0, 1e6):
        summary = run(capsys, *words, "--only", "material", "--prior", prior)
        found.append(config.load(tmp_path / "new.py")["MATERIAL"])
        assert summary["after"]["training"] < summary["before"]["training"]
        assert summary["after"]["validation"] < summary["before"]["validation"]
    for half in range(2):
        assert abs(found[0][2][half] - true[2][half]) < 60
        assert abs(found[1][2][half] - wrong[2][half]) < 10


def test_no_better_validation_ends_the_fit(
    own: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--prior", 0, "--rate", 40, "--epochs", 200, "--patience", 3, "--batch", 64, "--validation", 0.5]
    summary = run(capsys, own, "--output", tmp_path / "new.py", *words)
    epochs = summary["epochs"]
    assert len(epochs) - 1 == summary["best"] + 3 < 200
    assert summary["best"] == min(range(len(epochs)), key=lambda number: epochs[number]["validation"])


def test_nothing_learnt_is_reported_and_nothing_is_written(
    epd: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "new.py"
    out.write_text("# mine\n")
    assert tune.main([str(epd), "--output", str(out), *QUICK, "--report", str(tmp_path / "losses.html")]) == 3
    said = capsys.readouterr()
    assert (
        f"nothing was learnt: {out} is not written, since the engine's validation loss did not fall"
        in said.err
    )
    assert "numbers changed: not written" in said.out
    assert out.read_text() == "# mine\n"
    assert "nothing was learnt: " in (tmp_path / "losses.html").read_text()


def interrupt(monkeypatch: pytest.MonkeyPatch, steps: int) -> None:
    """Have Ctrl-C come in the step after so many."""
    gradient, left = tune_fit._gradient, [steps]

    def stopping(*arguments: Any) -> Any:
        if not left[0]:
            raise KeyboardInterrupt
        left[0] -= 1
        return gradient(*arguments)

    monkeypatch.setattr(tune_fit, "_gradient", stopping)


def test_ctrl_c_keeps_the_best_weights(
    taught: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    words = [str(taught), "--validation", "0.2", "--batch", "256", "--rate", "4", "--epochs", "20"]
    interrupt(monkeypatch, 2)
    assert tune.main([*words, "--output", str(tmp_path / "early.py")]) == INTERRUPTED
    assert "interrupted before the validation loss had fallen" in capsys.readouterr().err
    assert not (tmp_path / "early.py").exists()
    monkeypatch.undo()
    interrupt(monkeypatch, 3 * 6 + 2)  # 6 or 7 batches an epoch: in the third or fourth
    assert tune.main([*words, "--output", str(tmp_path / "early.py"), "--json"]) == INTERRUPTED
    out, err = capsys.readouterr()
    summary = json.loads(out)
    epochs = [epoch["validation"] for epoch in summary["epochs"]]
    assert (summary["interrupted"], summary["learnt"]) == (True, True)
    assert summary["best"] == epochs.index(min(epochs)) > 0
    assert f"interrupted in epoch {len(epochs)} of 20; epoch {summary['best']} is the best so far" in err
    assert (
        f"the weights of epoch {summary['best']}, the best before the interruption, "
        f"are in {tmp_path / 'early.py'}" in err
    )
    assert f"(interrupted in epoch {len(epochs)} of 20)" in " ".join(
        (tmp_path / "early.py").read_text().split()
    )
    assert config.load(tmp_path / "early.py") != config.load_default()
    monkeypatch.undo()  # and they are those that the undisturbed fit had then
    whole = run(capsys, *words, "--output", tmp_path / "whole.py")["epochs"]
    assert [epoch["validation"] for epoch in whole][: len(epochs)] == epochs


def test_a_second_ctrl_c_loses_nothing(taught: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It comes while the bar is taken down, between the fit and the new file."""
    shown = progress.progress

    @contextmanager
    def stopping(label: str, total: int) -> Iterator[progress.Bar]:
        with shown(label, total) as bar:
            yield bar
        if label == "epochs":
            raise KeyboardInterrupt

    monkeypatch.setattr(progress, "progress", stopping)
    interrupt(monkeypatch, 20)
    words = [
        str(taught),
        "--batch",
        "256",
        "--rate",
        "4",
        "--epochs",
        "20",
        "--output",
        str(tmp_path / "new.py"),
    ]
    assert tune.main(words) == INTERRUPTED
    assert config.load(tmp_path / "new.py") != config.load_default()


def test_weights_that_are_frozen_stay(epd: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mobility = {"KNIGHT_MOBILITY": 9, "BISHOP_MOBILITY": 14, "ROOK_MOBILITY": 15, "QUEEN_MOBILITY": 28}
    start = changed(tmp_path, TEMPO=(0, 0), **{name: [(0, 0)] * size for name, size in mobility.items()})
    words = ["--weights", start, "--only", "*_mobility", "--freeze", "Queen*"]
    run(capsys, epd, "--output", tmp_path / "new.py", *QUICK, "--rate", 5, *words)
    before, after = config.load(start), config.load(tmp_path / "new.py")
    moved = {name for name in before if json.dumps(before[name]) != json.dumps(after[name])}
    assert moved == mobility.keys() - {"QUEEN_MOBILITY"}


# --- The new file ---


def test_the_new_file_says_where_it_comes_from(
    taught: Path, own: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Data, settings and losses: enough to make it again, with comments and layout of the old one."""
    out = tmp_path / "new.py"
    words = [taught, f"{own}=2.5", "--output", out, *QUICK, "--wdl", "0.6"]
    summary = run(capsys, *words, "--seed", 7)
    text = out.read_text()
    docstring = ast.get_docstring(ast.parse(text)) or ""
    said = " ".join(docstring.split())
    for part in (
        *("seed 7", "positions of weight 2.5", "Command: coachwhip tune"),
        *(hashlib.sha256(path.read_bytes()).hexdigest() for path in (taught, own)),
        *(
            f"{summary[when][part]:.6f}"
            for when in ("before", "after")
            for part in ("training", "validation")
        ),
        *(f"{file[part]:.1f}" for file in summary["files"] for part in ("scale", "edge", "teacher_scale")),
    ):
        assert part in said
    assert docstring.count("Where the values come from:") == 1
    assert _comments(text) == _comments(config.dump(config.load_default()))
    run(capsys, *words, "--seed", 7)
    assert out.read_text() == text
    run(capsys, *words, "--seed", 8)
    assert config.load(out) != config.load(_written(tmp_path / "first.py", text))


def _written(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


def _comments(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith("#")]


def test_the_losses_are_the_engines(taught: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    summary = run(capsys, taught, "--output", tmp_path / "new.py", *QUICK, "--wdl", 1, "--only", "material")
    (file,) = summary["files"]
    data = tuning_set.read(taught)
    groups = tuning_set.split(data.groups, 0.1, np.random.default_rng([1, 0]))
    scores = np.array(Scorer(config.flatten(config.load(tmp_path / "new.py"))).features(data.boards)[4])
    loss = logistic.losses(
        logistic.expectation(scores + file["edge"], file["scale"]), game_file.points(data.boards)
    )
    assert math.isclose(loss[groups].mean(), summary["after"]["validation"], rel_tol=1e-5)
    assert math.isclose(loss[~groups].mean(), summary["after"]["training"], rel_tol=1e-5)
    assert summary["after"]["validation"] == file["after"]["results"]


LINE = f'{START.rsplit(" ", 2)[0]} c9 "1-0";\n'


@pytest.mark.parametrize(
    ("content", "words", "message"),
    [
        (LINE, [], "too few"),
        (LINE, ["--only", "nonsense"], "no weight is called 'nonsense'"),
        (
            LINE.replace("c9", 'c8 "5"; c9'),
            ["--max-score", "99"],
            "data.epd: no position is within --max-score 99",
        ),
        (LINE, ["--wdl", "2"], "expected a number from 0 to 1"),
        (LINE, ["data.epd=heavy"], "expected a number"),
    ],
)
def test_bad_input_is_one_message(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: str, words: list[str], message: str
) -> None:
    (tmp_path / "data.epd").write_text(content)
    assert tune.main([str(tmp_path / "data.epd"), *words, "--output", str(tmp_path / "new.py")]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert "Traceback" not in error
    assert not (tmp_path / "new.py").exists()
