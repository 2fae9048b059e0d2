# SPDX-License-Identifier: GPL-3.0-or-later
"""One game of the engine against itself: a pure function of the settings, the number and the opening."""

import random
from dataclasses import dataclass
from typing import NamedTuple

from ..core.engine import SearchResult
from ..core.learning.scorer import encode_game
from ..games.openings import Opening
from ..games.rules import Rules
from .game_file import NO_SCORE, RESULTS
from .own_game import OwnGames


@dataclass(frozen=True)
class SelfplaySettings(OwnGames):
    """The settings that all games of a file share."""

    to_the_end: int  # percent of the games that only the rules of chess end


class GameStart(NamedTuple):
    """The number of a game, and where it starts."""

    number: int
    opening: Opening


def play(settings: SelfplaySettings, start: GameStart) -> bytes:
    """Play a game to its end; return its bytes in a game file."""
    rng = random.Random(f"{settings.seed} {start.number}")
    goes_to_the_end = random.Random(f"{settings.seed} {start.number} to the end").randrange(100) < settings.to_the_end
    rules = Rules() if goes_to_the_end else settings.rules
    engine = settings.engine()
    position = settings.start(start.opening, rng)
    fen = position.fen()
    plies: list[tuple[int, int]] = []

    def keep(result: SearchResult) -> None:
        score = _score(result)
        plies.append((position.move_code(result.bestmove), score if position.stm == "w" else -score))

    outcome = settings.play([engine, engine], position, rules, keep)
    return encode_game(fen, RESULTS.index(outcome), plies)


def _score(result: SearchResult) -> int:
    """Return the score of a search from the side to move, as files hold it."""
    info = result.info
    assert info is not None
    if info.is_mate:
        return NO_SCORE if info.mate_in > 0 else -NO_SCORE
    return info.score_cp
