# SPDX-License-Identifier: GPL-3.0-or-later
"""The entry NETWORK of a weights file: where the network is looked for, what is refused, and who gets it."""

import hashlib
import json
import shlex
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import chess
import chess.engine
import networks
import pytest
from chess.engine import Limit
from coachwhip.bench import bench, speed, train, tune
from coachwhip.bench.analyse import __main__ as analyse
from coachwhip.bench.engines.spec import own_command
from coachwhip.bench.lab import __main__ as lab
from coachwhip.bench.lab import horizon
from coachwhip.bench.match import __main__ as match
from coachwhip.bench.reference import __main__ as reference
from coachwhip.bench.selfplay import __main__ as selfplay
from coachwhip.bench.spsa import __main__ as spsa
from coachwhip.bench.suite import __main__ as suite
from coachwhip.core.engine import Engine, Position
from coachwhip.evaluation import config, trace
from coachwhip.evaluation import weights as shipped_weights
from coachwhip.evaluation.config import WeightsError
from coachwhip.evaluation.learn import labelled
from coachwhip.uci.loop import UciLoop
from coachwhip.uci.writer import LineWriter
from places import DATA as DATA_FOLDER
from places import FROZEN_WEIGHTS

from coachwhip import open_engine

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
DATA = networks.by_chance(16, 1).encode()


def weights_file(folder: Path, network: str) -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / "mine.py"
    path.write_text(config.dump(config.load_default() | {"NETWORK": network}), encoding="utf-8")
    return path


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    """A weights file with a network beside it."""
    (tmp_path / "small.cwnet").write_bytes(DATA)
    return weights_file(tmp_path, "small.cwnet")


@pytest.fixture
def plain(tmp_path: Path) -> Path:
    """The same weights file without a network."""
    return weights_file(tmp_path / "plain", "")


@pytest.fixture
def shipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The network that the shipped weights name."""
    folder = tmp_path / "networks"
    folder.mkdir()
    (folder / "shipped.cwnet").write_bytes(DATA)
    monkeypatch.setattr(config, "NETWORKS", str(folder))
    monkeypatch.setattr(shipped_weights, "NETWORK", "shipped.cwnet")
    return folder / "shipped.cwnet"


def test_the_network_of_a_file_comes_with_its_weights(mine: Path, plain: Path) -> None:
    """The file may hold it alone."""
    weights = config.flatten(config.load_default())
    assert config.evaluator(mine) == config.evaluator(str(mine)) == (weights, DATA)
    assert config.evaluator(plain) == (weights, None)
    assert config.network(config.load(mine), mine) == DATA
    mine.write_text("NETWORK = 'small.cwnet'", encoding="utf-8")
    assert config.evaluator(mine) == (weights, DATA)


def test_the_shipped_weights_have_a_network_that_works() -> None:
    weights, network = config.evaluator()
    assert (weights, network) == config.evaluator("")
    assert weights == config.flatten(config.load_default())
    assert (network is None) == (config.load_default()["NETWORK"] == "")
    Engine(weights, 1, network=network).evaluate(Position())


def test_where_a_network_is_looked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the folder of the weights file, whatever the working directory; then among the shipped ones; anywhere by its full path."""
    here, there, shipped = tmp_path / "here", tmp_path / "there", tmp_path / "shipped"
    for number, folder in enumerate((here, there, shipped)):
        (folder / "deep").mkdir(parents=True)
        (folder / f"only{number}.cwnet").write_bytes(networks.by_chance(16, number).encode())
        (folder / "same.cwnet").write_bytes(networks.by_chance(16, 10 + number).encode())
        (folder / "deep" / "er.cwnet").write_bytes(networks.by_chance(16, 20 + number).encode())
    monkeypatch.setattr(config, "NETWORKS", str(shipped))
    monkeypatch.chdir(there)

    def found(name: str) -> bytes | None:
        return config.evaluator(weights_file(here, name))[1]

    assert found("only0.cwnet") == networks.by_chance(16, 0).encode()
    assert found("only2.cwnet") == networks.by_chance(16, 2).encode()
    assert found("same.cwnet") == networks.by_chance(16, 10).encode()
    assert found("deep/er.cwnet") == networks.by_chance(16, 20).encode()
    assert found(str(there / "only1.cwnet")) == networks.by_chance(16, 1).encode()
    weights_file(here, "only0.cwnet")
    monkeypatch.chdir(here)
    assert config.evaluator("mine.py")[1] == networks.by_chance(16, 0).encode()
    with pytest.raises(WeightsError, match=r"there is no file only1\.cwnet"):
        found("only1.cwnet")
    assert config.network({"NETWORK": "same.cwnet"}) == networks.by_chance(16, 12).encode()
    with pytest.raises(WeightsError) as info:
        config.network({"NETWORK": "only0.cwnet"})
    assert str(info.value) == f"weights.py: NETWORK: there is no file only0.cwnet among the shipped networks, in {shipped}"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("\nNETWORK = 'gone.cwnet'", "mine.py: NETWORK: there is no file gone.cwnet, neither from "),
        ("NETWORKS = 'small.cwnet'", "mine.py, line 1: NETWORKS is not the name of a weight (did you mean NETWORK?)"),
        ("NETWORK = 'a'\nNETWORK = 'b'", "mine.py, line 2: NETWORK is assigned a second time; delete one of the two lines"),
    ],
)
def test_a_wrong_file_with_the_network_alone_is_named(mine: Path, text: str, message: str) -> None:
    mine.write_text(text, encoding="utf-8")
    with pytest.raises(WeightsError) as info:
        config.evaluator(mine)
    assert str(info.value).startswith(message)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (DATA[:-1], "the network is truncated"),
        (DATA + b"x", "the network is too long"),
        (b"", "this is not a network"),
        (bytes(1 << 21), "is larger than 1048576 bytes"),
        (DATA[:500] + b"!" + DATA[501:], "the network is damaged"),
        (None, "is not a file"),
    ],
    ids=["truncated", "long", "empty", "huge", "damaged", "folder"],
)
def test_a_wrong_network_is_refused_in_one_sentence(tmp_path: Path, data: bytes | None, message: str) -> None:
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


SECRET = b"hunter2:x:0"


@pytest.mark.parametrize(
    "data",
    [SECRET, b"\n" + SECRET, SECRET * 4000, b"coachwhip network " + SECRET, b"coachwhip network 1" + SECRET, b"\xff" + SECRET],
)
def test_a_file_that_is_no_network_is_not_shown(tmp_path: Path, data: bytes) -> None:
    """A stranger's weights file may name any file."""
    (tmp_path / "net.cwnet").write_bytes(data)
    with pytest.raises(WeightsError, match="this is not a network") as info:
        config.evaluator(weights_file(tmp_path, "net.cwnet"))
    assert "hunter" not in str(info.value)


def test_the_subcommand_checks_the_network(mine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert config.main(["--weights", str(mine)]) == 0
    assert 'NETWORK = "small.cwnet"' in capsys.readouterr().out
    (mine.parent / "small.cwnet").write_bytes(DATA[:99])
    assert config.main(["--weights", str(mine)]) == 1
    assert capsys.readouterr() == (
        "",
        "coachwhip weights: mine.py: NETWORK: small.cwnet cannot be used: the network ends inside its header\n",
    )


def test_loading_a_network_needs_no_numpy(mine: Path, root: Path) -> None:
    code = (
        "import sys; from coachwhip.evaluation import config; from coachwhip.core.engine import Engine, Position;"
        "weights, network = config.evaluator(sys.argv[1]); Engine(weights, 1, network=network).search(Position(), depth=2);"
        "print([name for name in ('numpy', 'chess', 'argparse', 'asyncio', 'threading') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-S", "-c", code, str(mine)], cwd=root, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


# --- The table of `eval` ---


@pytest.mark.parametrize(("kind", "how"), [("residual", "added to the terms'"), ("pure", "in place of the terms'")])
def test_the_table_has_the_part_of_the_network(kind: str, how: str) -> None:
    weights = config.flatten(config.load_default())
    engine = Engine(weights, 1, network=networks.by_chance(32, 2, kind).encode())
    position = Position(KIWIPETE)
    traced: Any = engine.trace(position)
    lines = trace.table(traced).splitlines()
    (line,) = [line for line in lines if line.startswith("Network ")]
    assert line == f"Network {traced['network']['score'] / 100:+.2f} from White's side, {how} {traced['raw'] / 100:+.2f}"
    assert f"Evaluation {engine.evaluate(position) / 100:+.2f} from White's side" in lines[-1]
    title = next(number for number, line in enumerate(lines) if line.startswith("What each piece is worth to the network"))
    board = [line.split() for line in lines[title + 1 : title + 9]]
    assert [len(rank) for rank in board] == [8] * 8
    shown = [cell for rank in reversed(board) for cell in rank]
    assert shown == ["." if cp is None else f"{cp / 100:+.2f}" for cp in traced["network"]["worth"]]
    assert sum(cell != "." for cell in shown) == 30
    terms: Any = Engine(weights, 1).trace(position)
    assert "etwork" not in trace.table(terms)


# --- Who gets it ---


def nodes(capsys: pytest.CaptureFixture[str], *words: str) -> int:
    assert bench.main(["4", "--json", *words]) == 0
    count: int = json.loads(capsys.readouterr().out)["nodes"]
    return count


def test_bench_searches_with_the_network(mine: Path, plain: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert nodes(capsys, "--weights", str(mine)) != nodes(capsys, "--weights", str(plain))
    (mine.parent / "small.cwnet").unlink()
    assert bench.main(["1", "--weights", str(mine)]) == 2
    assert "mine.py: NETWORK: there is no file small.cwnet" in capsys.readouterr().err


def made(path: Path, weights: Path) -> dict[str, Any]:
    """The settings of a file of one short game."""
    words = ["--games", "1", "--nodes", "50", "--max-moves", "12", "--concurrency", "1", "--weights", str(weights)]
    assert selfplay.main([str(path), *words]) == 0
    settings: dict[str, Any] = labelled.summary(path).settings
    return settings


def test_selfplay_plays_with_the_network_and_remembers_which(
    mine: Path, plain: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings, without = made(tmp_path / "with.bin", mine), made(tmp_path / "without.bin", plain)
    differing = {name for name in settings if settings[name] != without[name]}
    assert differing == {"network", "signature"}
    assert without["network"] is None
    first, second = ((tmp_path / name).read_bytes().split(b"\n", 2)[2] for name in ("with.bin", "without.bin"))
    assert first != second
    (mine.parent / "small.cwnet").write_bytes(networks.by_chance(16, 2).encode())
    capsys.readouterr()
    assert selfplay.main([str(tmp_path / "with.bin"), "--weights", str(mine)]) == 2
    assert "its network is" in capsys.readouterr().err


def test_spsa_plays_with_the_network(mine: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = [
        "--tune",
        "rfp_margin",
        "--games",
        "2",
        "--batch",
        "1",
        "--nodes",
        "50",
        "--concurrency",
        "1",
        "--weights",
        str(mine),
    ]
    journal = tmp_path / "journal.jsonl"
    assert spsa.main([*words, "--journal", str(journal)]) == 0
    settings = journal.read_text().splitlines()[0]
    assert '"network": null' not in settings
    assert hashlib.sha256(DATA).hexdigest()[:16] in settings
    (mine.parent / "small.cwnet").write_bytes(networks.by_chance(16, 2).encode())
    capsys.readouterr()
    assert spsa.main([*words, "--journal", str(journal), "--resume"]) == 2
    assert "is of another run of spsa" in capsys.readouterr().err


# --- A network that cannot be used ---

MATES = str(DATA_FOLDER / "suites" / "mates.epd")
GAMES = str(DATA_FOLDER / "games" / "games.pgn")
OURS = shlex.join(own_command())
FAULTS = {"gone": "NETWORK: there is no file small.cwnet", "cut": "NETWORK: small.cwnet cannot be used: the network is truncated"}
HERE: dict[str, tuple[Callable[[list[str]], int], list[str]]] = {  # tools that make an engine in their own process
    "analyse": (analyse.main, [GAMES, "--depth", "1"]),
    "bench": (bench.main, ["1"]),
    "selfplay": (selfplay.main, ["own.bin", "--games", "1"]),
    "spsa": (spsa.main, ["--tune", "rfp_margin", "--games", "2", "--nodes", "50"]),
    "weights": (config.main, []),
}
THERE: dict[str, tuple[Callable[[list[str]], int], list[str]]] = {  # tools that start engines
    "match": (match.main, ["--games", "2", "--nodes", "50"]),
    "suite": (suite.main, [MATES, "--nodes", "50"]),
    "speed": (speed.main, ["--only", "start", "--rounds", "1"]),
}


def break_network(path: Path, fault: str) -> str:
    """Make this network unusable; what is to be said of it."""
    if fault == "gone":
        path.unlink()
    else:
        path.write_bytes(DATA[:-1])
    return FAULTS[fault].replace("small.cwnet", path.name)


def refused(capsys: pytest.CaptureFixture[str], run: Callable[[list[str]], int], words: list[str]) -> str:
    """The only line that a subcommand prints, on stderr."""
    capsys.readouterr()
    assert run(words) != 0
    said = capsys.readouterr()
    assert said.out == ""
    (line,) = said.err.splitlines()
    return line


@pytest.mark.parametrize(("tool", "fault"), list(zip(HERE, [*FAULTS] * len(HERE), strict=False)))
def test_tools_refuse_a_broken_network(
    mine: Path, shipped: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tool: str, fault: str
) -> None:
    """That of a weights file, and the shipped one."""
    monkeypatch.chdir(mine.parent)
    run, words = HERE[tool]
    message = break_network(mine.parent / "small.cwnet", fault)
    assert f"mine.py: {message}" in refused(capsys, run, ["--weights", str(mine), *words])
    message = break_network(shipped, fault)
    assert f"weights.py: {message}" in refused(capsys, run, words)


@pytest.mark.parametrize(("tool", "fault"), list(zip(THERE, [*FAULTS] * len(THERE), strict=False)))
@pytest.mark.parametrize("form", ["command", "option"])
def test_tools_refuse_an_engine_with_a_broken_network(
    mine: Path, capsys: pytest.CaptureFixture[str], tool: str, fault: str, form: str
) -> None:
    """Whether it ends at once, or goes on with other weights than it should use."""
    message = break_network(mine.parent / "small.cwnet", fault)
    run, words = THERE[tool]
    own = [f"{OURS} --weights {shlex.quote(str(mine))}"] if form == "command" else [OURS, "--option", f"WeightsFile={mine}"]
    said = refused(capsys, run, [*words, "--engine", OURS, "--engine", *own])
    assert said.startswith(f"coachwhip {tool}: cannot use ")
    assert f"mine.py: {message}" in said


def test_the_engine_of_programs_refuses_a_broken_network(mine: Path, shipped: Path) -> None:
    """With the message of a session, and it can be used again with other weights."""
    (mine.parent / "small.cwnet").unlink()
    with pytest.raises(chess.engine.EngineError, match=r"^WeightsFile: mine\.py: NETWORK: there is no file small\.cwnet"):
        open_engine({"WeightsFile": str(mine)})
    shipped.unlink()
    with open_engine() as engine:
        said = engine.analyse(chess.Board(), Limit(depth=2))["string"]
        assert said.startswith("no engine: weights.py: NETWORK: there is no file shipped.cwnet among the shipped networks")
        engine.configure({"WeightsFile": str(FROZEN_WEIGHTS)})
        assert engine.analyse(chess.Board(), Limit(depth=2))["depth"] == 2


def test_a_session_says_once_that_the_shipped_network_is_broken(shipped: Path, tmp_path: Path) -> None:
    """Every command that needs the engine says it, `go` sends a move all the same, and other weights can be loaded."""
    complaint = f"info string no engine: weights.py: {break_network(shipped, 'cut')}"
    path = tmp_path / "said"
    with path.open("wb") as written, path.open(encoding="utf-8") as said:
        loop = UciLoop(LineWriter(written.fileno()), "coachwhip", {})

        def ask(command: str) -> list[str]:
            loop.execute(command)
            loop.finish()
            return [line.removesuffix("\n")[: len(complaint)] for line in said]

        with closing(loop):
            assert ask("isready") == [complaint, "readyok"]
            assert ask("eval") == [complaint]
            assert ask("go depth 2") == [complaint, "bestmove a2a3"]
            assert ask(f"setoption name WeightsFile value {FROZEN_WEIGHTS}") == []
            assert [line.split()[0] for line in ask("go depth 1")] == ["info", "bestmove"]


# --- Who keeps the terms ---


def printed(capsys: pytest.CaptureFixture[str], run: Callable[[list[str]], int], *words: object) -> str:
    """What a subcommand that succeeds prints."""
    capsys.readouterr()
    assert run([*map(str, words)]) == 0
    return capsys.readouterr().out


def cells(capsys: pytest.CaptureFixture[str], *words: object) -> list[tuple[int, int, str, int]]:
    """All that the laboratory finds, but for the time."""
    found = json.loads(printed(capsys, lab.main, "--depth", 2, "--only", "killers,quiescence", "--json", *words))["cells"]
    return [(each["nodes"], each["value"], each["move"], each["worth"]) for cell in found for each in cell["depths"]]


def test_the_laboratory_keeps_the_terms(
    mine: Path, plain: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    """Whatever network the given or the shipped weights name, also one that is not there."""
    monkeypatch.setattr(shipped_weights, "NETWORK", "")
    terms, material, of_engine = cells(capsys), horizon.material_only(), nodes(capsys)
    assert cells(capsys, "--weights", plain) == terms
    assert cells(capsys, "--weights", mine) == terms
    network: Path = request.getfixturevalue("shipped")
    assert nodes(capsys) != of_engine
    assert cells(capsys) == terms
    assert horizon.material_only() == material
    for gone in (network, mine.parent / "small.cwnet"):
        gone.unlink()
    assert cells(capsys) == cells(capsys, "--weights", mine) == terms


def test_the_textbook_searches_know_no_network(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    monkeypatch.setattr(shipped_weights, "NETWORK", "")
    rows = printed(capsys, reference.main, "--depth", 1, "--json")
    network: Path = request.getfixturevalue("shipped")
    assert printed(capsys, reference.main, "--depth", 1, "--json") == rows
    network.unlink()
    assert printed(capsys, reference.main, "--depth", 1, "--json") == rows


@pytest.fixture(scope="module")
def labelled_games(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Labelled positions from which the tests' own weights have much to learn: for the labels, a pawn is worth two more."""
    folder = tmp_path_factory.mktemp("labelled")
    path, teacher = folder / "own.bin", folder / "teacher.py"
    text = FROZEN_WEIGHTS.read_text(encoding="utf-8")
    dear = text.replace("MATERIAL = [ ( 65, 126)", "MATERIAL = [ (265, 326)")
    assert dear != text
    teacher.write_text(dear, encoding="utf-8")
    words = ["--games", "30", "--nodes", "50", "--max-moves", "40", "--concurrency", "1", "--weights", str(teacher)]
    assert selfplay.main([str(path), *words]) == 0
    return path


def test_a_residual_network_is_added_to_the_terms_alone(
    mine: Path, plain: Path, tmp_path: Path, labelled_games: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`train` takes the numbers of a weights file, and not its network, which may be gone."""
    words = [
        labelled_games,
        "--hidden",
        16,
        "--epochs",
        4,
        "--batch",
        64,
        "--rate",
        0.01,
        "--validation",
        0.2,
        "--output",
    ]
    for name, start in (("a", plain), ("b", mine)):
        printed(capsys, train.main, *words, tmp_path / f"{name}.cwnet", "--weights", start)
    (mine.parent / "small.cwnet").unlink()
    printed(capsys, train.main, *words, tmp_path / "c.cwnet", "--weights", mine)
    assert len({(tmp_path / f"{name}.cwnet").read_bytes() for name in "abc"}) == 1


def test_tune_fits_the_terms_and_keeps_the_name_of_the_network(
    mine: Path, plain: Path, tmp_path: Path, labelled_games: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It says so on stderr and in the new file, and that the network is not found from there."""
    words = [
        str(labelled_games),
        "--epochs",
        "3",
        "--batch",
        "64",
        "--wdl",
        "0",
        "--only",
        "material",
        "--validation",
        "0.2",
        "--output",
    ]

    def tuned(output: Path, start: Path) -> tuple[dict[str, Any], str]:
        """The new entries, and the last line on stderr."""
        capsys.readouterr()
        assert tune.main([*words, str(output), "--weights", str(start)]) == 0
        return config.load(output), capsys.readouterr().err.splitlines()[-1]

    other = tmp_path / "other"
    other.mkdir()
    without, told = tuned(tmp_path / "without.py", plain)
    assert (without["NETWORK"], "network" in told) == ("", False)
    assert "small.cwnet" not in (tmp_path / "without.py").read_text()
    kept, told = tuned(tmp_path / "kept.py", mine)
    assert kept == without | {"NETWORK": "small.cwnet"}
    assert config.network(kept, tmp_path / "kept.py") == DATA
    assert told == (
        "The network small.cwnet is kept in the file and was not used by the fit; "
        "if it is residual, train another one, since it was trained to be added to the old weights"
    )
    assert "The network small.cwnet was not used by the fit." in " ".join((tmp_path / "kept.py").read_text().split())
    moved, told = tuned(other / "moved.py", mine)
    assert moved == kept
    assert told.endswith(
        "; moved.py: NETWORK: there is no file small.cwnet, neither from " + f"{other} nor among the shipped networks"
    )
