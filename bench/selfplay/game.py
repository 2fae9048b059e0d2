# SPDX-License-Identifier: GPL-3.0-or-later
"""One game of the engine against itself, and positions of side lines. A pure function of the settings, the number and the opening."""

import random
import threading
from typing import TYPE_CHECKING, NamedTuple

from ...core.engine import Engine, Position, SearchResult
from ...evaluation.learn import labelled
from ..common.adjudication import UNFINISHED
from ..common.openings import Opening
from ..common.own_game import result_so_far, start_position, white_score
from ..common.rules import Rules

if TYPE_CHECKING:
    from chess.engine import Score


class SelfplaySettings(NamedTuple):
    """What every game of a file has in common."""

    weights: tuple[int, ...]
    nodes: int  # a search
    hash_mb: int
    seed: int
    random_plies: int  # at most so many random moves follow the opening
    side_lines: int  # tried from each position of a game
    to_the_end: int  # percent of the games that only the rules of chess end
    rules: Rules
    network: bytes | None = None
    tunables: tuple[tuple[str, int], ...] = ()  # changes to core/tunables.py


class GameStart(NamedTuple):
    """Which game to play, and from where."""

    number: int
    opening: Opening


def play(settings: SelfplaySettings, start: GameStart) -> labelled.Game:
    """Play a game to its end."""
    rng = random.Random(f"{settings.seed} {start.number}")
    rules = Rules() if goes_to_the_end(settings, start.number) else settings.rules
    engine = _engine(settings)
    position = start_position(start.opening, settings.random_plies, rng)
    packed = position.pack()
    scores: list[Score] = []
    plies: list[labelled.Ply] = []
    side_lines: list[labelled.SideLine] = []
    while (outcome := result_so_far(position, scores, rules)) == UNFINISHED:
        result = _search(engine, position, settings.nodes)
        scores.append(white_score(position, result))
        for _ in range(settings.side_lines):
            side_lines += _side_line(engine, position, len(plies), settings.nodes, rng)
        plies.append(labelled.Ply(position.move_code(result.bestmove), _label(position, result)))
        position.make(result.bestmove)
    return labelled.Game(start.number, outcome, packed, tuple(plies), tuple(side_lines))


def goes_to_the_end(settings: SelfplaySettings, number: int) -> bool:
    """Whether nothing but the rules of chess ends this game."""
    return random.Random(f"{settings.seed} {number} to the end").randrange(100) < settings.to_the_end


class _Own(threading.local):
    """A thread's engine."""

    engine: Engine | None = None
    made_of: tuple[object, ...] = ()


_own = _Own()


def _engine(settings: SelfplaySettings) -> Engine:
    """This thread's engine, with everything forgotten."""
    made_of = settings.weights, settings.network, settings.hash_mb, settings.tunables
    if _own.engine is None or _own.made_of != made_of:
        tunables = dict(settings.tunables)
        _own.engine = Engine(settings.weights, settings.hash_mb, tunables=tunables, network=settings.network)
        _own.made_of = made_of
    _own.engine.clear()
    return _own.engine


def _search(engine: Engine, position: Position, nodes: int) -> SearchResult:
    engine.prepare()
    return engine.search(position, soft_nodes=nodes)  # a label is the score of a finished depth


def _side_line(engine: Engine, position: Position, ply: int, nodes: int, rng: random.Random) -> list[labelled.SideLine]:
    """Make one to LINE_PLIES random moves from the game's position and search the position at their end.

    Nothing if the game would be over on the way or there, or if stm is in check at the end. The position stays as it was.
    """
    moves: list[int] = []
    length = rng.randint(1, labelled.LINE_PLIES)
    while len(moves) < length and position.result() == UNFINISHED:
        move = rng.choice(position.legal_moves())
        moves.append(position.move_code(move))
        position.make(move)
    lines = []
    if len(moves) == length and not position.in_check and position.result() == UNFINISHED:
        result = _search(engine, position, nodes)
        best, score = position.move_code(result.bestmove), _label(position, result)
        lines.append(labelled.SideLine(ply, tuple(moves), best, score))
    for _ in moves:
        position.undo()
    return lines


def _label(position: Position, result: SearchResult) -> int:
    """The score of a search as files hold it, from White's side."""
    info = result.info
    assert info is not None, "a position that goes on has a move, and a search of it a score"
    score = info.score_cp
    if info.is_mate:
        score = labelled.MATE - (2 * info.mate_in - 1) if info.mate_in > 0 else -2 * info.mate_in - labelled.MATE
    return score if position.stm == "w" else -score
