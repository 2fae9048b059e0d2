# SPDX-License-Identifier: GPL-3.0-or-later
"""Where games are kept, so that nothing that ends a program loses one.

The game of each running program is a PGN file of its own in the folder of unfinished games, replaced after
each move; a locked file next to it shows that the program runs. When another game begins or the program ends,
a finished game goes to the end of games.pgn.
"""

import argparse
import os
import stat
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from io import StringIO
from pathlib import Path
from secrets import token_hex
from typing import NamedTuple

import chess
import chess.pgn

from ...cli.command import CommandError, in_words, uninterrupted, warn, whole_number
from ...cli.files import append, lock, naming, user_folder, write_bytes
from ...cli.targets import require_kind
from ...games.adjudication import BLACK_WINS, DRAW, UNFINISHED, WHITE_WINS
from ...games.openings import read_position
from ...games.pgn import RawGame, game_text, split_games
from ...games.time_control import parse_time_control
from ...uci.options import MAX_ELO, MIN_ELO
from .game import Game, Setup

VERSION = "1"  # of the tags of kept games
TAGS = ("Kept", "Human", "Level", "Control")  # which only these have
SIDES = {"white": chess.WHITE, "black": chess.BLACK}
RESULTS = (WHITE_WINS, DRAW, BLACK_WINS, UNFINISHED)
MAX_BYTES = 1 << 18  # of a kept game
PATIENCE = 1.0  # seconds for reading what other programs have left
STALE_SECONDS = 60  # of a file that is no game, before it is removed: no program takes so long to write one
UNREADABLE = (CommandError, OSError, ValueError, KeyError, argparse.ArgumentTypeError)


class LeftGame(NamedTuple):
    """A game that another program has left, ready to go on."""

    path: Path
    setup: Setup
    tree: chess.pgn.Game

    @property
    def offer(self) -> str:
        """Words for the person."""
        number = self.tree.end().board().fullmove_number
        return f"Your game of {self.tree.headers['Date']} is not finished; it has reached move {number}."


class Drafts:
    """The kept game of this program, and `left`, one that another program has left."""

    left: LeftGame | None = None
    complaint = ""  # why the game is not kept now
    _path: Path | None = None  # of this program's; None: where there is no folder for it
    _kept = -1  # `changes` of the game that is kept

    def __init__(self, game: Game, *, offers: bool = True) -> None:
        """`offers`: whether the person may want to go on with another game.

        What cannot be read gets a warning.
        """
        self._game, self._locked = game, ExitStack()
        try:
            self._data = user_folder("XDG_DATA_HOME", ".local/share", "Application Support")
            self._finished = self._data / "games.pgn"
            self._make_folder()
            self._path = self._folder / f"{token_hex(8)}.pgn"
            games = [*self._all_left()]
            self._sweep()
        except OSError as error:
            self._complain(error)
        else:
            self.left = games[0] if games and offers else None

    @property
    def _folder(self) -> Path:
        return self._data / "unfinished"

    def _make_folder(self) -> None:
        """Make the folder, for this user alone.

        The first time, name the games that a former version has left.
        """
        if not self._folder.exists():
            self._folder.mkdir(0o700, parents=True)
            if any((former := self._data / "games").glob("*.jsonl")):
                what = "unfinished games of an earlier version; the last line of each file has its PGN"
                warn(f"warning: {former}: {what}")

    def _all_left(self) -> Iterator[LeftGame]:
        """Yield the games in progress that no running program has, the newest first.

        Put finished ones into games.pgn.
        """
        entries = [entry for entry in os.scandir(self._folder) if entry.name.endswith(".pgn")]
        entries.sort(key=lambda entry: -entry.stat(follow_symlinks=False).st_mtime)
        end, unread = time.monotonic() + PATIENCE, []
        for path in map(Path, entries):
            if time.monotonic() > end:
                break
            try:
                with _locked(path) as is_free:
                    if not is_free:
                        continue
                    left = _read(path)
                    if left.tree.headers["Result"] == UNFINISHED:
                        yield left
                    else:
                        self._move(path, game_text(left.tree).strip())
            except UNREADABLE:
                unread.append(path)
        if unread:
            more = f" and {len(unread) - 1} more" if len(unread) > 1 else ""
            warn(
                f"warning: {unread[0]}{more}: not a game that this version of coachwhip can read; passed over"
            )

    def _sweep(self) -> None:
        """Remove what killed programs have left next to their games. Raises OSError."""
        for entry in os.scandir(self._folder):
            path = Path(entry)
            if (
                not entry.is_file(follow_symlinks=False)
                or time.time() - path.lstat().st_mtime < STALE_SECONDS
            ):
                continue
            if path.suffix == ".part":
                path.unlink()
            elif path.suffix == ".lock" and not path.with_suffix(".pgn").exists():
                with _locked(path):  # which removes it
                    pass

    def keep(self) -> None:
        """Replace the kept game by the game as it is, if that has changed.

        After an error the next change tries again.
        """
        with self._game.changed:
            if not self._path or self._kept == self._game.changes:
                return
            self._kept = self._game.changes
            try:
                self._keep(self._path)
            except (CommandError, OSError) as error:
                self._complain(error)
            else:
                self._complain(None)

    def _keep(self, path: Path) -> None:
        if not self._game.is_played:
            path.unlink(missing_ok=True)
            return
        is_new = not path.exists()
        if is_new:
            self._lock(path)
        write_bytes(path, _kept_text(self._game).encode())
        if is_new:
            path.chmod(0o600)

    def _lock(self, path: Path) -> None:
        self._locked.close()
        self._locked.enter_context(_locked(path))

    def _complain(self, error: CommandError | OSError | None) -> None:
        """Say once why a game is not kept, or that it is again (None)."""
        why = in_words(error) if isinstance(error, OSError) else error
        complaint = f"the game in progress is not kept: {why}" if why else ""
        if complaint != self.complaint:
            self.complaint = complaint
            self._game.touch()
            if complaint:
                warn(f"warning: {complaint}")

    def resume(self) -> None:
        """Go on with the game that was left, and move the one on the board to games.pgn.

        Raises CommandError, OSError, as where another program has taken it.
        """
        with self._game.changed:
            if self.left and self._path:
                self.finish()
                left, self.left = self.left, None
                self._lock(self._path)
                left.path.replace(self._path)
                self._game.new(left.setup, left.tree)

    def discard(self) -> None:
        """Delete the game that was left. Raises OSError."""
        with self._game.changed:
            left, self.left = self.left, None
            if left:
                left.path.unlink(missing_ok=True)
                self._game.touch()

    def finish(self) -> None:
        """Move the game to games.pgn, before another one begins. Raises CommandError."""
        with uninterrupted(), self._game.changed:
            if self._path and self._game.is_played:
                try:
                    self._move(self._path, self._game.pgn())
                except OSError as error:
                    raise CommandError(in_words(error)) from error

    def finished(self) -> list[RawGame]:
        """Return the games of games.pgn, the newest first. Raises OSError, PgnError."""
        if not self._path or not self._finished.is_file():
            return []
        with self._finished.open("rb") as file:
            return [*split_games(file)][::-1]

    def _move(self, path: Path, text: str) -> None:
        """Add a game to games.pgn, unless it is there already, and delete its file.

        Raises CommandError, OSError.
        """
        require_kind(self._finished, "PGN")
        with naming(self._finished), open(self._finished, "a+b", 0, opener=_private) as file:
            lock(file, self._finished, wait=True)
            file.seek(0)
            data = file.read()
            if text.encode() not in data:
                append(file, ("\n" * bool(data) + text + "\n").encode())
        path.unlink(missing_ok=True)

    def close(self) -> None:
        """End the keeping: a finished game is moved, one in progress stays for the next program."""
        try:
            if self._game.ending:
                self.finish()
            self.keep()
        except CommandError as error:
            self._complain(error)
        self._locked.close()


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


@contextmanager
def _locked(path: Path) -> Iterator[bool]:
    """Lock the file next to a kept game while the block runs; False if a running program has it.

    Raises OSError.
    """
    lock_path = path.with_suffix(".lock")
    with suppress(FileNotFoundError):
        if not stat.S_ISREG(lock_path.lstat().st_mode):
            raise FileExistsError(f"{lock_path} is not a regular file")
    with open(lock_path, "ab", 0, opener=_private) as file:
        try:
            lock(file, lock_path)
        except CommandError:
            yield False
            return
        yield True
    with suppress(OSError):
        lock_path.unlink()


class _MainLine(chess.pgn.GameBuilder[chess.pgn.Game]):
    """Reads no variations; an error raises ValueError instead of being logged."""

    def handle_error(self, error: Exception) -> None:
        raise ValueError(str(error))

    def begin_variation(self) -> chess.pgn.SkipType:  # type: ignore[override]
        return chess.pgn.SKIP


def _kept_text(game: Game) -> str:
    """Return a game with what else `_read` needs."""
    setup = game.setup
    values = (VERSION, chess.COLOR_NAMES[setup.human], str(setup.elo or ""), str(setup.control))
    tags = "".join(f'[{name} "{value}"]\n' for name, value in zip(TAGS, values, strict=True))
    return f"{tags}{game.pgn()}\n"


def _read(path: Path) -> LeftGame:
    """Return a game that was kept. Raises one of UNREADABLE if the file holds something else."""
    status = path.lstat()
    if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_BYTES:
        raise ValueError("not a kept game")
    tree = chess.pgn.read_game(StringIO(path.read_text("utf-8")), Visitor=_MainLine)
    if tree is None:
        raise ValueError("no game")
    version, human, level, control = (tree.headers.pop(name) for name in TAGS)
    if version != VERSION or not tree.variations or tree.headers["Result"] not in RESULTS:
        raise ValueError("another version, no move, or no result")
    first = tree.board()
    read_position("it", first.fen(shredder=first.chess960), chess960=first.chess960)  # it can be played
    elo = whole_number(MIN_ELO, MAX_ELO)(level) if level else None
    setup = Setup(tree.end().board(), SIDES[human], parse_time_control(control), elo)
    return LeftGame(path, setup, tree)
