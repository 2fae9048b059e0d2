# SPDX-License-Identifier: GPL-3.0-or-later
"""Games in progress in the user's data folder, so that nothing that ends a program loses one.

Each program that runs has a file of its own there, which it locks, and adds a line to it after each move; the last whole line counts.
"""

import json
from contextlib import suppress
from pathlib import Path
from secrets import token_hex
from typing import Any

from ...cli.command import CommandError
from ...cli.files import append, lock, user_folder

LeftGame = tuple[Path, dict[str, Any]]  # its file, and what `Game.to_json` has returned


def data_folder() -> Path:
    """Return the folder for this user's games in progress."""
    return user_folder("XDG_DATA_HOME", ".local/share", "Application Support") / "games"


class KeptGame:
    """The file of this program."""

    def __init__(self, folder: Path) -> None:
        """Make it. Raises OSError."""
        folder.mkdir(0o700, parents=True, exist_ok=True)
        self._path = folder / f"{token_hex(8)}.jsonl"
        self._file = self._path.open("xb", 0)
        lock(self._file, self._path)

    def write(self, game: dict[str, Any] | None) -> None:
        """Keep a game as it is now; None: there is none. Raises OSError."""
        if game is None:
            self._file.truncate(0)
        else:
            append(self._file, json.dumps(game).encode() + b"\n")


def left_game(folder: Path) -> LeftGame | None:
    """Return the newest game of the programs that no longer run, and remove files without one. Raises OSError."""
    games = []
    for path in sorted(folder.glob("*.jsonl"), key=lambda path: path.stat().st_mtime, reverse=True):
        with suppress(CommandError, ValueError), path.open("rb") as file:
            lock(file, path)
            lines = file.read().rpartition(b"\n")[0].splitlines()
            games.append((path, json.loads(lines[-1]) if lines else None))
    for path, game in games:
        if not game:
            path.unlink()
    return next(((path, game) for path, game in games if game), None)
