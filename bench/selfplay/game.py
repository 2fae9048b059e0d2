# SPDX-License-Identifier: GPL-3.0-or-later
"""One game of the engine against itself, and the quiet positions in it. A pure function of the settings, the number and the opening."""

import random
import threading
from typing import TYPE_CHECKING, NamedTuple

from ...core.engine import Engine, Position, SearchResult
from ...evaluation.learn import labelled
from ..common.adjudication import MATE_SCORE, UNFINISHED
from ..common.openings import Opening
from ..common.own_game import result_so_far, start_position, white_score
from ..common.rules import Rules

if TYPE_CHECKING:
    from chess.engine import Score


class SelfplaySettings(NamedTuple):
    """What every game of a file has in common."""

    weights: tuple[int, ...]
    nodes: int  # a move
    hash_mb: int
    seed: int
    random_plies: int  # at most so many random moves follow the opening
    per_game: int  # positions kept of a game, at most
    max_score: int  # centipawns; a position further from equal is not kept
    rules: Rules
    network: bytes | None = None


class GameStart(NamedTuple):
    """Which game to play, and from where."""

    number: int
    opening: Opening


def play(settings: SelfplaySettings, start: GameStart) -> labelled.Game:
    """Play a game to its end."""
    rng = random.Random(f"{settings.seed} {start.number}")
    engine = _engine(settings.weights, settings.network, settings.hash_mb)
    position = start_position(start.opening, settings.random_plies, rng)
    kept: dict[int, labelled.LabelledPosition] = {}
    scores: list[Score] = []
    while (result := result_so_far(position, scores, settings.rules)) == UNFINISHED:
        engine.prepare()
        found = engine.search(position, nodes=settings.nodes)
        score = white_score(position, found)
        if _is_quiet(position, found) and abs(score.score(mate_score=MATE_SCORE)) <= settings.max_score:
            kept.setdefault(position.key, labelled.LabelledPosition(position.pack(), score.score(mate_score=MATE_SCORE)))
        scores.append(score)
        position.make(found.bestmove)
    positions = list(kept.values())
    if len(positions) > settings.per_game:
        positions = [positions[i] for i in sorted(rng.sample(range(len(positions)), settings.per_game))]
    return labelled.Game(start.number, result, tuple(positions))


class _Own(threading.local):
    """A thread's engine."""

    engine: Engine | None = None
    made_of: tuple[tuple[int, ...], bytes | None, int] | None = None


_own = _Own()


def _engine(weights: tuple[int, ...], network: bytes | None, hash_mb: int) -> Engine:
    """This thread's engine, with everything forgotten."""
    if _own.engine is None or _own.made_of != (weights, network, hash_mb):
        _own.engine, _own.made_of = Engine(weights, hash_mb, network=network), (weights, network, hash_mb)
    _own.engine.clear()
    return _own.engine


def _is_quiet(position: Position, found: SearchResult) -> bool:
    """Whether there is no check and the best move is neither capture nor promotion: a static evaluation can learn from it."""
    is_promotion = len(found.bestmove) > len("e2e4")
    return not (position.in_check or is_promotion or position.is_capture(found.bestmove))
