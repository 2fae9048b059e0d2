# SPDX-License-Identifier: GPL-3.0-or-later
"""`coachwhip tune`: its model is the engine's evaluation, it finds weights that data speak for, and its file says how."""

import ast
import hashlib
import json
import math
import random
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from coachwhip.bench import tune
from coachwhip.bench.common import progress
from coachwhip.bench.common.command import INTERRUPTED
from coachwhip.bench.common.learning import NOTHING_LEARNT
from coachwhip.bench.selfplay import __main__ as selfplay
from coachwhip.core.engine import Engine, Position
from coachwhip.evaluation import config
from coachwhip.evaluation.learn import data as tune_data
from coachwhip.evaluation.learn import fit as tune_fit
from coachwhip.evaluation.learn import labelled
from coachwhip.evaluation.learn import model as tune_model
from coachwhip.evaluation.learn import write as tune_write
from coachwhip.evaluation.learn.data import same_pawns
from places import FROZEN_WEIGHTS

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
ENDING = "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1"
TRUE_SCALE = 150.0  # centipawns, of the results in the synthetic data
QUICK = ["--epochs", "3", "--batch", "256", "--rate", "4"]
# Games that stay the same, whatever network is shipped.
GAMES = ["--weights", str(FROZEN_WEIGHTS), *"--games 12 --nodes 60 --max-moves 60 --hash 1 --concurrency 1".split()]


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


def labelled_by(weights: list[int], fens: list[str], path: Path) -> Path:
    """Positions with the evaluation of an engine with these weights as the score, and results drawn as it expects them."""
    rng = random.Random(2)
    lines = []
    for fen, score in zip(fens, Engine(weights, 1).features(fens)[4], strict=True):
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
    """Positions from which they have: a teacher for whom knights and bishops are worth far more made the labels."""
    weights = config.load_default()
    pawn, knight, bishop, *others = weights["MATERIAL"]
    dear = [(middle + 200, end + 200) for middle, end in (knight, bishop)]
    teacher = config.flatten(weights | {"MATERIAL": [pawn, *dear, *others]})
    return labelled_by(teacher, fens, tmp_path_factory.mktemp("epd") / "synthetic.epd")


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Positions of self-play."""
    path = tmp_path_factory.mktemp("own") / "own.bin"
    assert selfplay.main([str(path), *GAMES]) == 0
    return path


def run(capsys: pytest.CaptureFixture[str], *words: object) -> dict[str, Any]:
    """Tune, and the summary; the exit code tells whether something was learnt."""
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


def test_features_and_weights_give_the_engines_evaluation(fens: list[str], own: Path, shipped: list[int]) -> None:
    rng = random.Random(3)
    where = tune_model.weight_index()
    shaken = tune_model.parameters(shipped, where)
    shaken += where.chosen([], ["rule50_*"]) * [rng.randint(-9, 9) for _ in shaken]  # the positions have no counters
    low, high = tune_model.bounds(where)
    for values in (tune_model.parameters(shipped, where), np.clip(shaken, low, high)):
        engine = Engine(tune_model.flat_weights(values, where), 1)
        all_fens = fens + tune_data.read(own).fens()
        extracted = engine.features(all_fens)
        scores = tune_model.engine_scores(values, tune_model.features(extracted, where), where)
        positions = [Position(fen) for fen in all_fens]
        expected = [engine.evaluate(position) * (1 if position.stm == "w" else -1) for position in positions]
        assert scores.tolist() == expected == extracted[4].tolist()


def test_the_smooth_model_is_close_to_the_engine(fens: list[str], shipped: list[int]) -> None:
    where = tune_model.weight_index()
    extracted = Engine(shipped, 1).features(fens)
    model = tune_model.Model(tune_model.parameters(shipped, where), where)
    off = np.abs(model.scores(tune_model.features(extracted, where)) - np.array(extracted[4]))
    assert off.mean() < 2
    assert off.max() < 20


def test_the_gradient_is_that_of_the_score(fens: list[str], shipped: list[int]) -> None:
    where = tune_model.weight_index()
    data = tune_model.features(Engine(shipped, 1).features(fens[:600]), where)
    values = tune_model.parameters(shipped, where)
    slope = np.random.default_rng(1).normal(size=len(data)).astype(np.float32)
    gradient = tune_model.Model(values, where).gradient(data, slope)

    def total(at: int, step: float) -> float:
        moved = values.copy()
        moved[at] += step
        return float(slope.astype(np.float64) @ tune_model.Model(moved, where).scores(data))

    tapered = len(where.tapered)
    places = [*range(0, 2 * tapered, 29), *where.table[:20], *range(2 * tapered, where.size)]
    for at in places:
        measured = (total(at, 0.05) - total(at, -0.05)) / 0.1
        assert math.isclose(measured, gradient[at], rel_tol=0.03, abs_tol=0.6), (at, measured, gradient[at])
    assert sum(gradient[at] != 0 for at in places) > len(places) // 2


def test_patterns_choose_weights() -> None:
    where = tune_model.weight_index()
    names = [*where.tapered, *where.tapered, *where.plain]
    left = {name for name, chosen in zip(names, where.chosen([], []), strict=True) if not chosen}
    assert {"rule50_fade", "scale_drawn_pawn", "scale_bare_king", "lone_king_corner"} < left
    assert all(name.startswith(("lone_king_", "rule50_", "scale_")) for name in left)
    material = where.chosen(["MATERIAL"], [])
    assert material.sum() == 10
    assert not (material & where.chosen([], ["mat*"])).any()
    assert where.chosen(["*_squares"], ["king*"]).sum() == 5 * 64 * 2
    with pytest.raises(ValueError, match="no weight is called 'nonsense'"):
        where.chosen([], ["nonsense"])


# --- Data ---


def test_epd_as_people_write_it(tmp_path: Path) -> None:
    path = tmp_path / "data.epd"
    board = START.rsplit(" ", 2)[0]
    path.write_text(f'# a comment\n\n{board} c9 "1/2-1/2"; id "x";\n{board} c8 "-0.31"; c9 "0-1";\n{board} c9 "1-0"; c8 "-M5";\n')
    data = tune_data.read(path)
    assert data.fens() == [START] * 3
    assert data.results.tolist() == [0.5, 0, 1]
    assert data.scores[1] == -31
    assert np.isnan(data.scores[[0, 2]]).all()
    assert not data.has_games
    assert (data.sha256, data.size) == (hashlib.sha256(path.read_bytes()).hexdigest(), path.stat().st_size)


def test_same_pawns_are_one_group() -> None:
    moved = "rnbqkbnr/pppppppp/8/8/8/5N2/PPPPPPPP/RNBQKB1R b KQkq -"
    pushed = "rnbqkbnr/pppppppp/8/8/8/4P3/PPPP1PPP/RNBQKBNR b KQkq -"
    assert same_pawns(START) == same_pawns(moved) != same_pawns(pushed)
    assert same_pawns("8/8/4k3/8/8/3PK3/8/8 w - -") != same_pawns("8/8/4k3/8/8/3P4/3K4/8 w - -")


def test_no_group_is_on_both_sides() -> None:
    groups = np.random.default_rng(1).integers(0, 300, 5000)
    chosen = tune_data.split(groups, 0.2, np.random.default_rng(2))
    assert not set(groups[chosen]) & set(groups[~chosen])
    assert 0.1 < chosen.mean() < 0.3


# --- The fit ---


def test_scale_and_edge_are_found() -> None:
    rng = np.random.default_rng(1)
    scores = rng.normal(0, 300, 20_000)
    results = (rng.random(20_000) < tune_fit.expectation(scores + 30, 180.0)).astype(np.float64)
    scale, edge = tune_fit.fit_scale(scores, results, with_edge=True)
    assert abs(scale - 180) < 10
    assert abs(edge - 30) < 10
    assert tune_fit.fit_scale(scores, results, with_edge=False)[1] == 0


def test_a_wrong_weight_comes_back(epd: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    true = [tuple(pair) for pair in config.load_default()["MATERIAL"]]
    wrong = [*true[:2], (true[2][0] - 120, true[2][1] - 120), *true[3:]]
    start = changed(tmp_path, MATERIAL=wrong)
    words = ["--weights", start, "--wdl", 0, "--prior", 0, "--epochs", 25, "--rate", 8, "--batch", 512]
    summary = run(capsys, epd, "--output", tmp_path / "new.py", *words, "--only", "material")
    found = config.load(tmp_path / "new.py")["MATERIAL"]
    assert summary["after"]["training"] < summary["before"]["training"]
    assert summary["after"]["validation"] < summary["before"]["validation"]
    assert abs(found[2][0] - true[2][0]) < 60
    assert abs(found[2][1] - true[2][1]) < 60


def test_the_prior_holds_the_start(epd: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    start = changed(
        tmp_path, TEMPO=(0, 0), BISHOP_PAIR=(0, 0), MATERIAL=[(100, 100), (250, 250), (250, 250), (500, 500), (900, 900)]
    )
    moved = []
    for prior in (0, 2000, 1e6):
        words = ["--rate", 8, "--epochs", 10, "--weights", start, "--only", "material", "--prior", prior]
        run(capsys, epd, "--output", tmp_path / "new.py", *QUICK, *words)
        pairs = zip(config.load(start)["MATERIAL"], config.load(tmp_path / "new.py")["MATERIAL"], strict=True)
        moved.append(sum(abs(old[half] - new[half]) for old, new in pairs for half in range(2)))
    assert moved[0] > moved[1] > moved[2]


def test_neighbours_in_a_table_change_alike() -> None:
    where = tune_model.weight_index()
    seen = np.ones(len(where.tapered), dtype=np.bool_)
    squares, danger = where.tapered.index("rook_squares"), int(where.table[0])
    material = where.tapered.index("material")
    change = np.zeros(where.size)
    change[[squares + 9, danger + 5, material]] = 1
    rough = tune_model.roughness(where, seen) @ change
    expected = {squares + 9: 4, squares + 8: -1, squares + 10: -1, squares + 1: -1, squares + 17: -1}
    expected |= {danger + 5: 2, danger + 4: -1, danger + 6: -1}
    assert {at: rough[at] for at in np.flatnonzero(rough)} == expected
    seen[[squares + 8, danger + 6]] = False
    rough = tune_model.roughness(where, seen) @ change
    assert (rough[squares + 9], rough[squares + 8], rough[danger + 5], rough[danger + 6]) == (3, 0, 1, 0)
    assert not (tune_model.roughness(where, seen) @ np.ones(where.size)).any()


def test_no_better_validation_ends_the_fit(own: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--prior", 0, "--rate", 40, "--epochs", 200, "--patience", 3, "--batch", 64, "--validation", 0.5]
    summary = run(capsys, own, "--output", tmp_path / "new.py", *words)
    epochs = summary["epochs"]
    assert len(epochs) - 1 == summary["best"] + 3 < 200
    assert summary["best"] == min(range(len(epochs)), key=lambda number: epochs[number]["validation"])


def test_nothing_learnt_is_told_and_nothing_is_written(epd: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "new.py"
    out.write_text("# mine\n")
    words = [str(epd), "--output", str(out), *QUICK]
    assert tune.main([*words, "--plot", str(tmp_path / "losses.png")]) == 3
    said = capsys.readouterr()
    assert (
        f"coachwhip tune: nothing was learnt: {out} is not written, since the engine's validation loss did not fall" in said.err
    )
    assert "numbers changed: not written" in said.out
    assert out.read_text() == "# mine\n"
    assert (tmp_path / "losses.png").exists()
    assert not list(tmp_path.glob("coachwhip-tuned-*"))
    summary = run(capsys, *words)
    assert (summary["learnt"], summary["interrupted"]) == (False, False)
    assert summary["after"]["validation"] >= summary["before"]["validation"]
    assert tune.main(["--help"]) == 0
    assert "3: nothing was learnt" in capsys.readouterr().out


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
    interrupt(monkeypatch, 3 * 6 + 2)  # 6 or 7 batches an epoch: in the third or fourth
    assert tune.main([*words, "--output", str(tmp_path / "early.py"), "--json"]) == INTERRUPTED
    out, err = capsys.readouterr()
    summary = json.loads(out)
    epochs = [epoch["validation"] for epoch in summary["epochs"]]
    assert (summary["interrupted"], summary["learnt"]) == (True, True)
    assert 3 <= len(epochs) <= 4
    assert summary["best"] == epochs.index(min(epochs)) > 0
    assert f"interrupted in epoch {len(epochs)} of 20; epoch {summary['best']} is the best so far" in err
    assert f"the weights of epoch {summary['best']}, the best before the interruption, are in {tmp_path / 'early.py'}" in err
    kept = config.load(tmp_path / "early.py")
    assert f"(interrupted in epoch {len(epochs)} of 20)" in " ".join((tmp_path / "early.py").read_text().split())
    assert kept != config.load_default()
    # and they are those that the undisturbed fit had then
    monkeypatch.undo()
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
    words = [str(taught), "--batch", "256", "--rate", "4", "--epochs", "20", "--output", str(tmp_path / "new.py")]
    assert tune.main(words) == INTERRUPTED
    assert config.load(tmp_path / "new.py") != config.load_default()


def test_ctrl_c_before_anything_is_learnt_writes_nothing(
    epd: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    interrupt(monkeypatch, 2)
    assert tune.main([str(epd), "--output", str(tmp_path / "new.py"), *QUICK]) == INTERRUPTED
    assert "interrupted before the validation loss had fallen" in capsys.readouterr().err
    assert not (tmp_path / "new.py").exists()


def test_frozen_weights_stay(epd: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mobility = {"KNIGHT_MOBILITY": 9, "BISHOP_MOBILITY": 14, "ROOK_MOBILITY": 15, "QUEEN_MOBILITY": 28}
    start = changed(tmp_path, TEMPO=(0, 0), **{name: [(0, 0)] * size for name, size in mobility.items()})
    words = ["--weights", start, "--only", "*_mobility", "--freeze", "Queen*"]
    run(capsys, epd, "--output", tmp_path / "new.py", *QUICK, "--rate", 5, *words)
    before, after = config.load(start), config.load(tmp_path / "new.py")
    moved = {name for name in before if json.dumps(before[name]) != json.dumps(after[name])}
    assert moved == mobility.keys() - {"QUEEN_MOBILITY"}


def test_the_same_seed_gives_the_same_file(taught: Path, own: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    texts = []
    for seed in (1, 1, 2):
        run(capsys, f"{taught}=3", own, "--output", tmp_path / "new.py", *QUICK, "--seed", seed, "--only", "material")
        texts.append((tmp_path / "new.py").read_text())
    assert texts[0] == texts[1] != texts[2]


def test_positions_that_are_no_weighted_sum_are_left_out(epd: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    start = changed(tmp_path, MATERIAL=[(2000, 2000)] * 5)  # fifteen pieces of such a value are beyond the limit of a score
    path = tmp_path / "more.epd"
    path.write_text(epd.read_text() + '7k/8/8/8/8/8/PPPPPPPP/RNBQKBNR w - - c9 "1-0";\n')
    summary = run(capsys, path, "--output", tmp_path / "new.py", *QUICK, "--weights", start)
    (file,) = summary["files"]
    assert file["left_out"] == 1
    assert file["training"] + file["validation"] == file["positions"] - 1


def test_repetitions_and_high_scores_are_left_out_on_demand(
    epd: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "twice.epd"
    path.write_text(2 * epd.read_text())
    words = ["--output", tmp_path / "new.py", *QUICK, "--epochs", 1]
    scores, boards = tune_data.read(epd).scores, [fen.rsplit(" ", 2)[0] for fen in tune_data.read(epd).fens()]

    def positions(*options: object) -> int:
        (file,) = run(capsys, path, *words, *options)["files"]
        return int(file["positions"])

    assert positions() == 2 * len(boards)
    assert positions("--distinct") == len(set(boards)) < len(boards)
    assert positions("--max-score", 200) == 2 * (np.abs(scores) <= 200).sum() < 2 * len(boards)
    assert positions("--max-score", 200, "--limit", 500, "--distinct") == 500


def test_positions_of_games_are_limited(own: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Side lines are left out: they have no result."""
    words = ["--output", tmp_path / "new.py", *QUICK]
    beside = tmp_path / "beside.bin"
    assert selfplay.main([str(beside), *GAMES, "--side-lines", "1"]) == 0
    assert labelled.summary(beside).side_lines > 300
    for path in (own, beside):

        def positions(*more: object, path: Path = path) -> int:
            (file,) = run(capsys, path, *words, *more)["files"]
            return int(file["positions"])

        few = positions("--per-game", 9, "--max-score", 30)
        assert 0 < few < positions("--per-game", 9) <= 12 * 9 < positions() <= 12 * 40 < positions("--per-game", 1000)
        assert positions("--per-game", 1000, "--max-score", 32767) < labelled.summary(path).plies


# --- The new file ---


def test_the_new_file_says_where_it_comes_from(
    taught: Path, own: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Data, settings and losses: enough to make it again."""
    out = tmp_path / "new.py"
    summary = run(capsys, taught, f"{own}=2.5", "--output", out, *QUICK, "--date", "2026-01-31", "--wdl", "0.6", "--seed", 7)
    docstring = ast.get_docstring(ast.parse(out.read_text())) or ""
    said = " ".join(docstring.split())
    for part in (
        *("on 2026-01-31", "seed 7", "positions of weight 2.5", "Command: coachwhip tune"),
        *(hashlib.sha256(path.read_bytes()).hexdigest() for path in (taught, own)),
        *(f"{summary[when][part]:.6f}" for when in ("before", "after") for part in ("training", "validation")),
        *(f"{file[part]:.1f}" for file in summary["files"] for part in ("scale", "edge", "teacher_scale")),
    ):
        assert part in said
    assert docstring.count(tune_write.PROVENANCE) == 1


def test_the_new_file_keeps_comments_and_layout(taught: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, taught, "--output", tmp_path / "new.py", *QUICK)
    new, old = (tmp_path / "new.py").read_text(), config.dump(config.load_default())
    assert _comments(new) == _comments(old)
    assert config.load(tmp_path / "new.py").keys() == config.load_default().keys()


def _comments(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith("#")]


def test_the_losses_told_are_the_engines(taught: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    summary = run(capsys, taught, "--output", tmp_path / "new.py", *QUICK, "--wdl", 1, "--only", "material")
    (file,) = summary["files"]
    data = tune_data.read(taught)
    groups = tune_data.split(data.groups, 0.1, np.random.default_rng([1, 0]))
    scores = np.array(Engine(config.flatten(config.load(tmp_path / "new.py")), 1).features(data.fens())[4])
    loss = tune_fit.losses(tune_fit.expectation(scores + file["edge"], file["scale"]), data.results)
    assert math.isclose(loss[groups].mean(), summary["after"]["validation"], rel_tol=1e-5)
    assert math.isclose(loss[~groups].mean(), summary["after"]["training"], rel_tol=1e-5)
    assert summary["after"]["validation"] == file["after"]["results"]


def test_the_plot_is_drawn(taught: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, taught, "--output", tmp_path / "new.py", *QUICK, "--plot", tmp_path / "losses.png", "--limit", 500)
    assert (tmp_path / "losses.png").read_bytes().startswith(b"\x89PNG")
    run(capsys, taught, "--output", tmp_path / "new.py", *QUICK, "--plot", tmp_path / "losses.svg", "--limit", 500)
    shown = re.findall("<!-- ([1-9].*) -->", (tmp_path / "losses.svg").read_text())
    assert shown == ["1", "2", "3"]  # epochs are whole; losses are below 1


BOARD = START.rsplit(" ", 2)[0]


@pytest.mark.parametrize(
    ("content", "words", "message"),
    [
        (b"", [], "data.epd: no position in it"),
        (f'{BOARD} c9 "1-0";\n{BOARD} c8 "0.1";\n'.encode(), [], "data.epd, line 2: no game result in c9"),
        (f'{BOARD} c7 "1"; c9 "1-0";\n{BOARD} c9 "1-0";\n'.encode(), [], "data.epd, line 2: no number of a game in c7"),
        (f'{BOARD} c9 "1-0";\nnot/a/board w - - c9 "1-0";\n'.encode(), [], "data.epd, line 2: "),
        (b"\xfd7zXZ\x00 not really", [], "data.epd cannot be read"),
        (b"\xff\xfe\x00", [], "data.epd cannot be read"),
        (f'{BOARD} c9 "1-0";\n'.encode(), [], "too few"),
        (f'{BOARD} c9 "1-0";\n'.encode(), ["--only", "nonsense"], "no weight is called 'nonsense'"),
        (f'{BOARD} c9 "1-0";\n'.encode(), ["--weights", "no-such.py"], "cannot read no-such.py"),
        (f'{BOARD} c9 "1-0";\n'.encode(), ["--output", "/no/such/folder/new.py"], "cannot be written"),
        (f'{BOARD} c8 "5"; c9 "1-0";\n'.encode(), ["--max-score", "99"], "data.epd: no position is within --max-score 99"),
        (f'{BOARD} c9 "1-0";\n'.encode(), ["--wdl", "2"], "expected a number from 0 to 1"),
        (f'{BOARD} c9 "1-0";\n'.encode(), ["--date", "yesterday"], "expected a date"),
        (f'{BOARD} c9 "1-0";\n'.encode(), ["no-such-file.epd"], "cannot read no-such-file.epd"),
        (f'{BOARD} c9 "1-0";\n'.encode(), ["data.epd=heavy"], "expected a number"),
    ],
)
def test_bad_input_is_one_message(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: bytes, words: list[str], message: str
) -> None:
    (tmp_path / "data.epd").write_bytes(content)
    output = [] if "--output" in words else ["--output", str(tmp_path / "new.py")]
    assert tune.main([str(tmp_path / "data.epd"), *words, *output]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert "Traceback" not in error
    assert not (tmp_path / "new.py").exists()


def test_weights_that_a_file_does_not_hold_are_kept_elsewhere_and_told(
    taught: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "new.py"
    load = config.load
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    def other(path: Path) -> dict[str, Any]:
        weights = load(path)
        return weights | {"TEMPO": (1, 2)} if path == output else weights

    monkeypatch.setattr(config, "load", other)
    assert tune.main([str(taught), "--output", str(output), *QUICK]) == 2
    out, err = capsys.readouterr()
    (kept,) = tmp_path.glob("coachwhip-*.py")
    assert err.splitlines()[-1] == (
        f"coachwhip tune: {output} does not hold the weights that were fitted; the weights are in {kept}"
    )
    assert str(kept) in out
    assert load(kept) == load(output)
