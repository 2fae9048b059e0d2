# SPDX-License-Identifier: GPL-3.0-or-later
"""Revisions built side by side, in a small repository that is built as coachwhip is."""

import json
import os
import select
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from coachwhip.bench.engines import builds
from coachwhip.bench.match import __main__ as match

from coachwhip.cli.command import CommandError
from coachwhip.cli.files import user_folder

# A coachwhip without a core: `setup.py build_ext --inplace` leaves a file, and the package is an engine that
# gives up.
SETUP = """
import pathlib, sys
pathlib.Path("core").mkdir(exist_ok=True)
pathlib.Path("core/built.txt").write_text(" ".join(sys.argv[1:]))
pathlib.Path("build").mkdir()
"""
MAIN = """
import pathlib, sys
import coachwhip
assert pathlib.Path(coachwhip.__file__).parent.parent.joinpath("core", "built.txt").exists()
for line in sys.stdin:
    word = line.split()[0]
    if word == "quit":
        break
    answer = {"uci": "id name VERSION\\nuciok", "isready": "readyok", "go": "bestmove (none)"}.get(word)
    if answer:
        print(answer, flush=True)
"""


def git(folder: Path, *words: str) -> str:
    """Run git."""
    who = ["-c", "user.name=test", "-c", "user.email=test@example.org", "-c", "commit.gpgsign=false"]
    return subprocess.run(
        ["git", *who, "-C", str(folder), *words], check=True, capture_output=True, text=True
    ).stdout.strip()


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two commits and a change that is not committed; the cache is empty."""
    for name in ("XDG_CACHE_HOME", "LOCALAPPDATA", "HOME"):
        monkeypatch.setenv(name, str(tmp_path / "cache"))
    top = tmp_path / "repository"
    for folder in ("core", "coachwhip"):
        (top / folder).mkdir(parents=True)
        (top / folder / "__init__.py").write_text("")
    (top / "setup.py").write_text(SETUP)
    git(top, "init", "--quiet")
    for version in ("one", "two"):
        (top / "coachwhip" / "__main__.py").write_text(MAIN.replace("VERSION", version))
        git(top, "add", ".")
        git(top, "commit", "--quiet", "-m", version)
    (top / "setup.py").write_text("raise SystemExit('this is not committed')")
    return top


def test_a_revision_is_built_once_outside_the_checkout(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    before = git(repository, "status", "--porcelain")
    left = builds.cache_folder() / "builds" / "making-killed" / "tree"  # by a run that was killed
    left.mkdir(parents=True)
    commit = git(repository, "rev-parse", "HEAD~1")
    name, command = builds.build("HEAD~1", repository, said.append)
    assert name == f"HEAD~1 ({commit[:8]})"
    assert len(said) == 1
    assert builds.build("HEAD~1", repository, said.append) == (name, command)
    assert builds.build(commit[:10], repository, said.append)[1] == command
    assert len(said) == 1
    _, other = builds.build("HEAD", repository, said.append)
    assert other != command
    monkeypatch.setenv("COACHWHIP_ARCH", "baseline")  # another compiler or other flags make another build
    assert builds.build("HEAD", repository, said.append)[1] != other
    assert git(repository, "status", "--porcelain") == before
    assert not (repository / "core" / "built.txt").exists()
    assert [
        path.name for path in (builds.cache_folder() / "builds").iterdir() if path.name.startswith("making")
    ] == []
    for words, engine in ((command, "one"), (other, "two")):
        done = subprocess.run(words, input="uci\nquit\n", capture_output=True, text=True, check=True)
        assert done.stdout.splitlines()[0] == f"id name {engine}"


def test_runs_that_build_at_once_do_not_disturb_each_other(repository: Path) -> None:
    said: list[str] = []
    with ThreadPoolExecutor() as pool:
        made = list(
            pool.map(lambda revision: builds.build(revision, repository, said.append), ["HEAD", "HEAD~1"] * 3)
        )
    assert len(said) == 2
    assert made[:2] * 3 == made
    assert len(list((builds.cache_folder() / "builds").iterdir())) == 2


def test_what_cannot_be_built_is_said_and_leaves_nothing(repository: Path) -> None:
    git(repository, "commit", "--quiet", "--all", "-m", "broken")
    with pytest.raises(CommandError, match="this is not committed"):
        builds.build("HEAD", repository, print)
    assert list((builds.cache_folder() / "builds").iterdir()) == []
    for wrong in ("no-such-branch", "--help"):
        with pytest.raises(CommandError, match="revision"):
            builds.build(wrong, repository, print)
    with pytest.raises(CommandError, match="no git checkout"):
        builds.find_repository(repository.parent)


@pytest.mark.parametrize(
    "fault",
    # Cython; gcc; MSVC
    ["a.pxd:19:1: undeclared name", "build/a.c:2:33: error: called object", "a.c(29): error C2065: 'x'"],
)
def test_a_revision_that_does_not_compile_is_one_line(
    fault: str, repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = "\n".join(
        [
            "warning: a.pyx:1:2: odd",
            "a.c:8:9: warning: odd",
            fault,
            *["  File 1, line 2"] * 99,
            "CompileError",
        ]
    )
    (repository / "setup.py").write_text(f"raise SystemExit({output!r})")
    git(repository, "commit", "--quiet", "--all", "-m", "broken")
    assert match.main(["--revision", "HEAD", "--revision", "HEAD~1", "--repository", str(repository)]) == 2
    log = builds.cache_folder() / "failed.log"
    assert f" failed with code 1: {fault} (the whole output: {log})\n" in capsys.readouterr().err
    assert log.read_text(encoding="utf-8") == f"{output}\n"


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT for a child process")
def test_ctrl_c_ends_a_build_and_what_it_has_started(repository: Path) -> None:
    """The processes of Cython went on for ever."""
    alive = repository / "alive"
    os.mkfifo(alive)
    waiting = (
        f"import time; pipe = open({str(alive)!r}, 'w'); print('started', file=pipe, flush=True); "
        "time.sleep(600)"
    )
    (repository / "setup.py").write_text(
        f"import subprocess, sys; subprocess.run([sys.executable, '-c', {waiting!r}])"
    )
    git(repository, "commit", "--quiet", "-am", "slow")
    revisions = ["--revision", "HEAD", "--revision", "HEAD~1", "--repository", str(repository)]
    command = [sys.executable, "-m", "coachwhip", "match", *revisions]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as child, alive.open() as pipe:
        assert pipe.readline() == "started\n"
        child.send_signal(signal.SIGINT)
        assert "Traceback" not in child.communicate(timeout=60)[1]
        assert child.returncode == 130
        assert select.select([pipe], [], [], 60)[0], "it goes on"


def test_two_revisions_are_set_against_each_other(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    revisions = ["--revision", "HEAD~1", "--revision", "HEAD", "--repository", str(repository)]
    words = [*revisions, "--games", "2", "--nodes", "5", "--json"]
    assert match.main(words) == 0
    found = json.loads(capsys.readouterr().out)
    assert [engine["name"].split()[0] for engine in found["engines"]] == ["HEAD~1", "HEAD"]
    assert [engine["faults"]["illegal move"] for engine in found["engines"]] == [1, 1]


@pytest.mark.skipif(os.name == "nt", reason="Windows has no list of users")
def test_a_user_without_a_home_folder_gets_a_message(
    repository: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As in containers: no HOME, and no entry in the list of users."""
    import pwd

    for name in ("HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(pwd, "getpwuid", {}.__getitem__)
    assert match.main(["--repository", str(repository), "--revision", "HEAD", "--revision", "HEAD"]) == 2
    assert capsys.readouterr().err == "coachwhip match: this user has no home folder: set HOME\n"
    with pytest.raises(OSError, match="this user has no home folder"):  # which `play --browser` survives
        user_folder("XDG_DATA_HOME", ".local/share", "Application Support")
