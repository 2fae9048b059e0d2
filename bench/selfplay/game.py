# SPDX-License-Identifier: GPL-3.0-or-later
"""One game of the engine against itself, and positions of side lines. A pure function of the settings, the number and the opening."""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from ...core.engine import Engine, Position, SearchResult
from ...evaluation.learn import labelled
from ..common.adjudication import UNFINISHED
from ..common.openings import Opening
from ..common.own_game import OwnGames
from ..common.rules import Rules


@dataclass(frozen=True)
class SelfplaySettings(OwnGames):
    """What every game of a file has in common."""

    side_lines: int  # tried from each position of a game
    to_the_end: int  # percent of the games that only the rules of chess end


class GameStart(NamedTuple):
    """Which game to play, and from where."""

    number: int
    opening: Opening


def play(settings: SelfplaySettings, start: GameStart) -> labelled.Game:
    """Play a game to its end."""
    rng = random.Random(f"{settings.seed} {start.number}")
    rules = Rules() if goes_to_the_end(settings, start.number) else settings.rules
    engine = _engine(settings.weights, settings.network, settings.hash_mb, tuple(settings.tunables.items()))
    engine.clear()
    position = settings.start(start.opening, rng)
    packed = position.pack()
    plies: list[labelled.Ply] = []
    side_lines: list[labelled.SideLine] = []

    def keep(result: SearchResult) -> None:
        for _ in range(settings.side_lines):
            side_lines.extend(side_line(settings, engine, position, len(plies), rng))
        plies.append(labelled.Ply(position.move_code(result.bestmove), _label(position, result)))

    outcome = settings.play([engine, engine], position, rules, keep)
    return labelled.Game(start.number, outcome, packed, tuple(plies), tuple(side_lines))


@lru_cache(1)
def _engine(weights: tuple[int, ...], network: bytes | None, hash_mb: int, tunables: tuple[tuple[str, int], ...]) -> Engine:
    """The engine that this process plays all games with: reading the network takes a fifth of a game of 300 nodes a move."""
    return Engine(weights, hash_mb, tunables=dict(tunables), network=network)


def goes_to_the_end(settings: SelfplaySettings, number: int) -> bool:
    """Whether nothing but the rules of chess ends this game."""
    return random.Random(f"{settings.seed} {number} to the end").randrange(100) < settings.to_the_end


def side_line(
    settings: OwnGames, engine: Engine, position: Position, ply: int, rng: random.Random
) -> Iterator[labelled.SideLine]:
    """Make one to LINE_PLIES random moves from the game's position and search the position at their end.

    Nothing if the game would be over on the way or there, or if stm is in check at the end. The game's position stays as it was.
    """
    end = position.copy()
    moves: list[int] = []
    length = rng.randint(1, labelled.LINE_PLIES)
    while len(moves) < length and end.result() == UNFINISHED:
        move = rng.choice(end.legal_moves())
        moves.append(end.move_code(move))
        end.make(move)
    if len(moves) == length and not end.in_check and end.result() == UNFINISHED:
        result = settings.search(engine, end)
        yield labelled.SideLine(ply, tuple(moves), end.move_code(result.bestmove), _label(end, result))


def _label(position: Position, result: SearchResult) -> int:
    """The score of a search as files hold it, from White's side."""
    info = result.info
    assert info is not None
    score = info.score_cp
    if info.is_mate:
        score = labelled.MATE - (2 * info.mate_in - 1) if info.mate_in > 0 else -2 * info.mate_in - labelled.MATE
    return score if position.stm == "w" else -score
