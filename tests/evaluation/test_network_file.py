# SPDX-License-Identifier: GPL-3.0-or-later
"""The entry NETWORK of a weights file: where the network is looked for, what is rejected, and who uses it."""

from pathlib import Path
from typing import Any

import networks
import pytest
from coachwhip.core.engine import Engine, Network, Position
from coachwhip.evaluation import config
from coachwhip.evaluation.config import WeightsError

from coachwhip.learn import selfplay, train, tune

DATA = networks.by_chance(16, 1).encode()


def weights_file(folder: Path, network: str) -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / "mine.py"
    path.write_text(config.dump(config.load_default() | {"NETWORK": network}), encoding="utf-8")
    return path


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    """A weights file with a network next to it."""
    (tmp_path / "small.cwnet").write_bytes(DATA)
    return weights_file(tmp_path, "small.cwnet")


@pytest.fixture
def plain(tmp_path: Path) -> Path:
    """The same weights file without a network."""
    return weights_file(tmp_path / "plain", "")


def test_the_network_of_a_file_comes_with_its_weights(mine: Path, plain: Path) -> None:
    """The file may hold it alone. The shipped weights have one that works."""
    weights = config.flatten(config.load_default())
    assert config.evaluator(mine) == config.evaluator(str(mine)) == (weights, Network(DATA))
    assert config.evaluator(plain) == (weights, None)
    mine.write_text("NETWORK = 'small.cwnet'", encoding="utf-8")
    assert config.evaluator(mine) == (weights, Network(DATA))
    assert config.evaluator() == config.evaluator("")
    found, network = config.evaluator()
    assert found == weights
    assert network
    Engine(found, 1, network=network).evaluate(Position())


def test_where_a_network_is_looked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the weights file's folder, not the working directory; then among the shipped; or by a full path."""
    here, there, shipped = tmp_path / "here", tmp_path / "there", tmp_path / "shipped"
    made = [networks.by_chance(16, number).encode() for number in range(6)]
    for number, folder in enumerate((here, there, shipped)):
        (folder / "deep").mkdir(parents=True)
        (folder / f"only{number}.cwnet").write_bytes(made[number])
        (folder / "same.cwnet").write_bytes(made[3 + number])
        (folder / "deep" / "er.cwnet").write_bytes(made[2 - number])
    monkeypatch.setattr(config, "NETWORKS", str(shipped))
    monkeypatch.chdir(there)

    def found(name: str) -> int:
        network = config.evaluator(weights_file(here, name))[1]
        assert network is not None
        return made.index(network.data)

    assert [found(name) for name in ("only0.cwnet", "only2.cwnet", "same.cwnet", "deep/er.cwnet")] == [
        0,
        2,
        3,
        2,
    ]
    assert found(str(there / "only1.cwnet")) == 1
    with pytest.raises(WeightsError, match=r"there is no file only1\.cwnet, neither from "):
        found("only1.cwnet")
    weights_file(here, "only0.cwnet")
    monkeypatch.chdir(here)
    assert config.evaluator("mine.py")[1] == Network(made[0])
    assert config.network({"NETWORK": "same.cwnet"}) == Network(made[5])
    with pytest.raises(WeightsError) as info:
        config.network({"NETWORK": "only0.cwnet"})
    assert (
        str(info.value)
        == f"weights.py: NETWORK: there is no file only0.cwnet among the shipped networks, in {shipped}"
    )


SECRET = b"hunter2:x:0"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (bytes(1048576), "this is not a network"),
        (bytes(1048577), "is larger than 1048576 bytes"),
        (None, "is not a file"),
        (SECRET, "this is not a network"),
        (b"coachwhip network 1" + SECRET, "this is not a network"),
    ],
    ids=["large", "larger", "folder", "secret", "name"],
)
def test_a_wrong_network_is_rejected_with_a_message(tmp_path: Path, data: bytes | None, message: str) -> None:
    """That does not show what is in the file: an untrusted weights file may name any file."""
    if data is None:
        (tmp_path / "net.cwnet").mkdir()
    else:
        (tmp_path / "net.cwnet").write_bytes(data)
    path = weights_file(tmp_path, "net.cwnet")
    with pytest.raises(WeightsError) as info:
        config.evaluator(path)
    said = str(info.value)
    assert said.startswith("mine.py: NETWORK: ")
    assert "net.cwnet" in said
    assert message in said
    assert said.isprintable()
    assert "hunter" not in said


SHORT = ["--nodes", "50", "--concurrency", "1", "--games"]


# --- Who keeps the terms ---


def test_tune_and_train_take_the_terms_alone(mine: Path, plain: Path, tmp_path: Path) -> None:
    """The network of the weights file may be gone; `tune` keeps its name."""
    data, teacher = tmp_path / "own.vf", tmp_path / "teacher.py"
    dear = [
        (pair[0] + 200, pair[1] + 200) if place == 0 else pair
        for place, pair in enumerate(config.load_default()["MATERIAL"])
    ]
    teacher.write_text(f'MATERIAL = {dear}\nNETWORK = ""\n', encoding="utf-8")  # a pawn is worth two more
    assert selfplay.main([str(data), *SHORT, "30", "--max-moves", "40", "--weights", str(teacher)]) == 0
    fitting = [str(data), "--epochs", "3", "--batch", "64", "--validation", "0.2"]

    def tuned(output: Path, start: Path) -> dict[str, Any]:
        words = ["--wdl", "0", "--only", "material", "--output", str(output), "--weights", str(start)]
        assert tune.main([*fitting, *words]) == 0
        return config.load(output)

    without = tuned(tmp_path / "without.py", plain)
    assert without["NETWORK"] == ""
    assert tuned(tmp_path / "kept.py", mine) == without | {"NETWORK": "small.cwnet"}
    (mine.parent / "small.cwnet").unlink()
    for name, start in (("a", plain), ("b", mine)):
        words = [
            "--hidden",
            "16",
            "--rate",
            "0.01",
            "--output",
            str(tmp_path / f"{name}.cwnet"),
            "--weights",
            str(start),
        ]
        assert train.main([*fitting, *words]) == 0
    assert (tmp_path / "a.cwnet").read_bytes() == (tmp_path / "b.cwnet").read_bytes()
