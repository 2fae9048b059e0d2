# SPDX-License-Identifier: GPL-3.0-or-later
"""Games at the ends of the PGN files that the person has named."""

from pathlib import Path

from ...cli.command import CommandError, in_words, uninterrupted
from ...cli.files import append, naming, write_bytes
from ...cli.targets import require_kind
from .game import Game


def save(game: Game, path: Path) -> str:
    """Write the game so far to the end of a file, in place of what it has written there before.

    Return a message. Raises CommandError.
    """
    with uninterrupted(), game.changed:
        if not game.tree.variations:
            return "There is no move to save."
        key, text = path.resolve(), game.pgn()
        if game.saved.get(key) != text:
            try:
                require_kind(path, "PGN")
                _write(path, game.saved.get(key, game.resumed), text)
            except OSError as error:
                raise CommandError(in_words(error)) from error
            game.saved[key] = text
    return f"Saved in {path}."


def _write(path: Path, old: str, text: str) -> None:
    """Put a text at the end of a file, in place of `old` if the file ends with that. Raises OSError."""
    with naming(path):
        data = path.read_bytes() if path.is_file() else b""
        kept = data.removesuffix(f"{old}\n".encode()) if old else data
        if kept != data:
            write_bytes(path, kept + f"{text}\n".encode())
        else:
            with path.open("ab", 0) as file:  # the last line before it may have no end
                append(file, ("\n\n" * bool(data) + text + "\n").encode())


def save_or_show(game: Game, path: Path | None) -> str:
    """Save a game if there is a file for it; return a message, with the game in it if writing failed."""
    try:
        return save(game, path) if path else ""
    except CommandError as error:
        return f"{error}. This is the game:\n\n{game.pgn()}"
