# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads the games of PGN files. A game with an error keeps the moves before it, and the error is reported."""

import io
import sys
from collections.abc import Sequence
from typing import NamedTuple

import chess.pgn

from ...uci.parse import MAX_NAMED, reason, shorten
from ..common.command import CommandError
from ..common.pgn import PgnError, is_empty, read_games
from .study import Study


class GamesRead(NamedTuple):
    """The games that can be analysed, and a message about each fault."""

    studies: list[Study]
    faults: list[str]


def read_files(paths: Sequence[str]) -> GamesRead:
    """The games of all files ("-" is standard input). Raises CommandError for a file that cannot be read or has no game in it."""
    studies: list[Study] = []
    faults: list[str] = []
    for path in paths:
        for number, game in enumerate(_read_games(path), start=1):
            label = f"{path}: game {number} ({title(game)})"
            studies.append(Study(game, label))
            if game.errors:
                faults.append(f"{label}: {'; '.join(reason(error) for error in game.errors[:MAX_NAMED])}")
    return GamesRead(studies, faults)


def title(game: chess.pgn.Game) -> str:
    """The players of a game, shortened and printable."""
    return " - ".join(shorten(game.headers.get(colour, "?")) for colour in ("White", "Black"))


def _read_games(path: str) -> list[chess.pgn.Game]:
    """The games of a file: everything that has moves or tags. Raises CommandError."""
    try:
        if path == "-":
            games = list(read_games(io.BufferedReader(io.BytesIO(sys.stdin.buffer.read()))))  # which stays open
        else:
            with open(path, "rb") as file:
                games = list(read_games(file))
    except OSError as error:
        raise CommandError(f"cannot read {path}: {error.strerror or error}") from error
    except PgnError as error:
        raise CommandError(f"{path}: {error}") from error
    if all(is_empty(game) for game in games):
        raise CommandError(f"{path}: no game in it")
    return games
