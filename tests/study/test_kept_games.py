# SPDX-License-Identifier: GPL-3.0-or-later
"""Games that are kept: with the program killed at any moment each is in one place.

Nothing in the folder stops the next start.
"""

import os
import random
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import chess
import pytest
from faulty_disk import room_of
from uci_process import environment

from coachwhip.games.time_control import TimeControl
from coachwhip.study.play.game import Game, Setup
from coachwhip.study.play.kept import Drafts
from coachwhip.study.play.saved import save

Start = Callable[..., tuple[Game, Drafts]]
CLOCKS, PLAIN = TimeControl(300, 3), TimeControl(time=1)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """The user's data folder."""
    return tmp_path / "data"


@pytest.fixture
def start(data: Path, monkeypatch: pytest.MonkeyPatch) -> Start:
    """A program that has begun: its game, White the person, and what it keeps."""
    monkeypatch.setattr("coachwhip.study.play.kept.user_folder", lambda *_: data)

    def start(moves: str = "", control: TimeControl = CLOCKS) -> tuple[Game, Drafts]:
        game = Game(Setup(chess.Board(), chess.WHITE, control, 1500))
        drafts = Drafts(game)
        for san in moves.split():
            game.make(game.board.parse_san(san))
        drafts.keep()
        return game, drafts

    return start


def kill(drafts: Drafts) -> None:
    """What the system does for a program that is killed: its locks are gone."""
    drafts._locked.pop_all()
    import gc

    gc.collect()


def unfinished(data: Path) -> list[str]:
    return sorted(path.read_text() for path in (data / "unfinished").glob("*.pgn"))


def test_a_game_of_a_killed_program_goes_on(start: Start, data: Path) -> None:
    """With its side, level, clocks; no other program is offered it meanwhile, and it stays in one place."""
    game, drafts = start("e4 e5")
    clocks = [game.node.clock(), game.node.parent.clock()] if game.node.parent else []
    assert start()[1].left is None
    kill(drafts)
    other, drafts = start()
    assert drafts.left
    assert drafts.left.offer.endswith("it has reached move 2.")
    drafts.resume()
    drafts.keep()
    assert len(unfinished(data)) == 1
    assert (other.setup.elo, other.human, other.setup.control) == (1500, chess.WHITE, CLOCKS)
    assert other.board.move_stack == game.board.move_stack
    assert [other.clock(side) for side in (chess.BLACK, chess.WHITE)] == clocks
    assert other.running is None
    other.undo()
    drafts.keep()
    assert not unfinished(data)


def test_a_finished_game_stays_when_another_one_goes_on(start: Start, data: Path) -> None:
    """The game that was left takes the place of the one on the board, which has just been finished."""
    kill(start("e4 e5")[1])
    game, drafts = start()
    game.make(chess.Move.from_uci("d2d4"))
    game.resign()
    drafts.keep()
    drafts.resume()
    drafts.resume()  # of another tab
    drafts.keep()
    assert (data / "games.pgn").read_text().count("1. d4") == 1
    assert ["1. e4" in text for text in unfinished(data)] == [True]


@pytest.mark.parametrize("after", ["nothing", "kept", "moved"])
def test_a_finished_game_is_in_one_place_whenever_the_program_is_killed(
    start: Start, data: Path, after: str
) -> None:
    game, drafts = start("f3 e5 g4", PLAIN)
    game.make(chess.Move.from_uci("d8h4"))
    if after != "nothing":
        drafts.keep()
    kept = unfinished(data)
    if after == "moved":
        drafts.finish()
        (data / "unfinished" / "again.pgn").write_text(kept[0])  # killed before it was deleted
    kill(drafts)
    _, drafts = start()
    if after == "nothing":
        assert drafts.left
        assert len(unfinished(data)) == 1
        return
    assert drafts.left is None
    assert not unfinished(data)
    assert (data / "games.pgn").read_text().count("\n1. f3 e5 2. g4 Qh4# 0-1\n") == 1


def test_a_kept_game_replaces_only_what_it_has_written(start: Start, tmp_path: Path) -> None:
    """Found at a stranger's: the same relative name in two folders; and a comment that the person added."""
    here, there = tmp_path / "here.pgn", tmp_path / "there.pgn"
    first, drafts = start("d4 d5", PLAIN)
    save(first, there)
    drafts.finish()
    first.new()
    drafts.keep()
    second, drafts = start("e4 e5", PLAIN)
    save(second, here)
    kill(drafts)
    game, drafts = start()
    drafts.resume()
    game.make(game.board.parse_san("Nf3"))
    for path in (here, there):
        save(game, path)
    assert (here.read_text().count("[Event "), "2. Nf3" in here.read_text()) == (1, True)
    assert ("1. d4 d5 *" in there.read_text(), "2. Nf3" in there.read_text()) == (True, True)
    here.write_text(here.read_text().replace("2. Nf3", "2. Nf3 { mine }"))
    game.make(game.board.parse_san("Nc6"))
    save(game, here)
    assert "{ mine }" in here.read_text()


@pytest.mark.skipif(sys.platform == "win32", reason="needs a limit on the size of files")
def test_a_write_that_fails_does_not_end_the_keeping(start: Start, data: Path) -> None:
    game, drafts = start("e4")
    with room_of(10):
        game.make(game.board.parse_san("e5"))
        drafts.keep()
        assert "not kept" in drafts.complaint
    assert "1. e4" in unfinished(data)[0]
    game.make(game.board.parse_san("Nf3"))
    drafts.keep()
    assert drafts.complaint == ""
    assert "2. Nf3" in unfinished(data)[0]


@pytest.mark.skipif(sys.platform == "win32", reason="no permissions by bits")
def test_nobody_else_reads_a_kept_game(start: Start, data: Path) -> None:
    start("e4")
    assert (data / "unfinished").stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in (data / "unfinished").iterdir()} == {0o600}


def test_what_is_left_of_a_killed_write_is_removed(start: Start, data: Path) -> None:
    _, drafts = start("e4")
    kill(drafts)
    folder = data / "unfinished"
    names = ["x.pgn.0123456789abcdef.part", "y.lock"]
    for name in names:
        (folder / name).touch()
        os.utime(folder / name, (1, 1))
    (folder / "z.lock").touch()
    start()
    assert not {path.name for path in folder.iterdir()} & {*names}
    assert (folder / "z.lock").exists()  # a program may be about to write its game


def test_games_of_a_former_version_are_named_once(
    start: Start, data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old = data / "games" / "0123.jsonl"
    old.parent.mkdir(parents=True)
    old.write_text('{"x":1}\n')
    start()
    assert str(old.parent) in capsys.readouterr().err
    start()
    assert capsys.readouterr().err == ""
    assert old.read_text() == '{"x":1}\n'


@pytest.mark.parametrize("number", ["SIGKILL", "SIGHUP"])
def test_a_terminal_that_is_closed_loses_no_game(data: Path, number: str) -> None:
    pty = pytest.importorskip("pty")
    env = {**environment(), "XDG_DATA_HOME": str(data), "HOME": str(data), "TERM": "dumb"}

    def run(end: str, *lines: str) -> str:
        """What a program shows that gets each line at the next prompt, and then a signal."""
        ours, theirs = pty.openpty()
        command = [sys.executable, *"-m coachwhip play --time 0.01 --no-board".split()]
        with subprocess.Popen(
            command, stdin=theirs, stdout=theirs, stderr=theirs, env=env, start_new_session=True
        ) as process:
            os.close(theirs)
            shown = ""
            for line in (*lines, ""):
                before = len(shown)
                while "> " not in shown[before:]:
                    shown += os.read(ours, 4096).decode().replace("\r", "")
                os.write(ours, f"{line}\n".encode() if line else b"")
            process.send_signal(getattr(signal, end))
            os.close(ours)
        return shown

    run(number, "e4")
    shown = run("SIGKILL", "resume", "d4")
    assert "it has reached move 2. Enter resume" in shown
    assert "3. your move" in shown
    assert "it has reached move 3." in run("SIGHUP", "discard")
    assert not unfinished(data / "coachwhip")


WRONG = [
    b"",
    b'{"x":1}',
    b"5",
    b"[1]",
    b"\xff\xfe",
    b'[Kept "2"]\n\n1. e4 *\n',
    b"[Event",
    b"1. e4 *\n",
    b"(" * 100_000,
    bytes(1 << 19),
]


@pytest.mark.parametrize("seed", range(20))
def test_nothing_in_the_folder_stops_the_start(
    start: Start, data: Path, seed: int, capsys: pytest.CaptureFixture[str]
) -> None:
    """Ten contents each: broken games, other files, folders, pipes, links.

    A good game is found among them, and nothing else is lost.
    """
    _, drafts = start("e4 e5")
    kill(drafts)
    folder, rng = data / "unfinished", random.Random(seed)
    (good,) = unfinished(data)
    os.utime(next(folder.glob("*.pgn")), (1, 1))  # older than all others
    for number in range(10):
        path = folder / f"{number}{rng.choice(['.pgn', '.lock', '.jsonl'])}"
        kind = rng.choice(["wrong", "mutated", "cut", "folder", "pipe", "link"])
        if kind == "folder":
            path.mkdir()
        elif kind == "pipe" and hasattr(os, "mkfifo"):
            os.mkfifo(path)
        elif kind == "link":
            path.symlink_to(folder)
        else:
            text = bytearray(good.encode())
            for _ in range(rng.randint(1, 8)):
                text[rng.randrange(len(text))] = rng.randrange(256)
            path.write_bytes(
                {"wrong": rng.choice(WRONG), "mutated": bytes(text)}.get(
                    kind, good.encode()[: rng.randrange(len(good))]
                )
            )
    before = {path.name for path in folder.iterdir()}
    game, drafts = start()
    assert drafts.left
    drafts.resume()
    assert game.board.move_stack
    assert len(capsys.readouterr().err.splitlines()) <= 1
    lost = before - {path.name for path in folder.iterdir()}
    assert len([name for name in lost if name.endswith(".pgn")]) <= 1
