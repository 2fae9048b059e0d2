# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads the games of PGN files. A game with an error keeps the moves before it, and the error is reported."""

import io
import sys
from collections.abc import Sequence
from typing import NamedTuple

import chess.pgn

from ...evaluation.compressed import CompressedError, expanded
from ...uci.parse import decode_line, reason, shorten
from ..common.command import CommandError
from ..common.pgn import PgnError, read_game
from .study import Study


class Found(NamedTuple):
    """The games that can be analysed, and a message about each fault."""

    studies: list[Study]
    faults: list[str]


def read_files(paths: Sequence[str]) -> Found:
    """The games of all files ("-" is standard input). Raises CommandError for a file that cannot be read or has no game in it."""
    studies: list[Study] = []
    faults: list[str] = []
    for path in paths:
        try:
            games = _read_games(_read_text(path))
        except PgnError as error:
            raise CommandError(f"{path}: {error}") from error
        if not games:
            raise CommandError(f"{path}: no game in it")
        for number, game in enumerate(games, start=1):
            label = f"{path}: game {number} ({title(game)})"
            try:
                studies.append(Study(game, label))
            except ValueError as error:
                faults.append(f"{label}: {reason(error)}; the game is skipped")
                continue
            if game.errors:
                faults.append(f"{label}: {reason(game.errors[0])}; the game is read up to this error")
    return Found(studies, faults)


def title(game: chess.pgn.Game) -> str:
    """The players of a game, shortened and printable."""
    return " - ".join(shorten(game.headers.get(colour, "?")) for colour in ("White", "Black"))


def _read_text(path: str) -> str:
    """A file as text: UTF-8, with or without a byte order mark, or Latin-1, which older databases use."""
    try:
        with io.BufferedReader(io.BytesIO(sys.stdin.buffer.read())) if path == "-" else open(path, "rb") as file:
            data = expanded(file).read()
    except CompressedError as error:
        raise CommandError(f"{path}: {error}") from error
    except OSError as error:
        raise CommandError(f"cannot read {path}: {error.strerror or error}") from error
    return decode_line(data)


def _read_games(text: str) -> list[chess.pgn.Game]:
    """The games in the text: everything that has moves or headers of its own."""
    games = []
    handle = io.StringIO(text, newline=None)
    usual = dict(chess.pgn.Headers())
    while (game := read_game(handle)) is not None:
        if game.variations or dict(game.headers) != usual:
            games.append(game)
    return games
