# SPDX-License-Identifier: GPL-3.0-or-later
"""A maze with food: one MAX, then its ghosts, one by one.

Sources: the Pac-Man projects of Berkeley's CS188; AIMA's chapter.
"""

import random
import re
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from ..game import CHANCE, Value

# The weights of the evaluation, with the distance to the nearest ghost: change them.
WEIGHTS = {"score": 1, "food": -2, "ghost": 1}
MOVE, FOOD, END = -1, 10, {"caught": -500, "won": 500, "": 0}  # scores
UNDECIDED = "undecided"  # outcome of a game that does not go on
SIGNS = "signs are # or % wall, . food, P the player, G a ghost that hunts, W one that wanders, and blanks"
TRAP = """\
#########
#G ######
# .   # #
# P# .G #
#########"""


class Scene(NamedTuple):
    """The cells of MAX and the ghosts, as places in the text, and MAX's moves since the search began."""

    cells: tuple[int, ...]
    food: frozenset[int]
    score: int = 0
    outcome: str = ""
    ply: int = 0


class Maze:
    """A maze of # or % wall, . food, P MAX, G ghosts that hunt and W that wander, cut after `rounds`.

    Raises ValueError.
    """

    def __init__(self, text: str = TRAP, rounds: int = 2, *, chance: bool = False) -> None:
        if unknown := re.search(r"[^#%.PGW \n]", text.replace("\r\n", "\n")):
            line, column = (
                text.count("\n", 0, unknown.start()) + 1,
                unknown.start() - text.rfind("\n", 0, unknown.start()),
            )
            raise ValueError(f"line {line}, column {column}: {unknown[0]!r} is no sign of a maze; {SIGNS}")
        text = text.replace("%", "#")
        self._width, self._ghost = max(map(len, text.splitlines()), default=0) + 1, CHANCE if chance else 1
        self._text = "".join(line.ljust(self._width - 1, "#") + "\n" for line in text.splitlines())
        self._free = [cell for cell, sign in enumerate(self._text) if sign not in "#\n"]
        max_, ghosts, food = (
            [cell for cell in self._free if self._text[cell] in signs] for signs in ("P", "GW", ".")
        )
        self.patience = 4 * len(self._free)  # rounds without food
        self._start, self._depth = Scene((*max_, *ghosts), frozenset(food)), rounds * (1 + len(ghosts))
        if len(max_) != 1 or not 0 < len(ghosts) < 5 or not food:
            raise ValueError(f"a maze has one P, 1 to 4 G or W, and food; {SIGNS}")

    def _distance(self, start: int, end: int) -> int:
        return abs(start // self._width - end // self._width) + abs(start % self._width - end % self._width)

    def initial(self) -> Scene:
        return self._start

    def to_move(self, state: Scene) -> int:
        return self._ghost if state.ply % len(state.cells) else 0

    def actions(self, state: Scene) -> Sequence[int]:
        cell = state.cells[state.ply % len(state.cells)]
        return [cell + way for way in (-self._width, -1, 1, self._width) if cell + way in self._free] or [
            cell
        ]

    def odds(self, state: Scene) -> list[tuple[Fraction, int]]:
        return [(Fraction(1, len(self.actions(state))), cell) for cell in self.actions(state)]

    def result(self, state: Scene, move: int) -> Scene:
        turn = state.ply % len(state.cells)
        cells, food = (
            (*state.cells[:turn], move, *state.cells[turn + 1 :]),
            state.food - {move} if turn == 0 else state.food,
        )
        outcome = "caught" if cells[0] in cells[1:] else "" if food else "won"
        score = state.score + (MOVE if turn == 0 else 0) + FOOD * (len(state.food) - len(food)) + END[outcome]
        return Scene(cells, food, score, outcome, state.ply + 1)

    def is_terminal(self, state: Scene) -> bool:
        return state.outcome != "" or state.ply >= self._depth

    def utility(self, state: Scene, player: int) -> Value:
        nearest = min(self._distance(state.cells[0], ghost) for ghost in state.cells[1:])
        estimate = (
            WEIGHTS["score"] * state.score + WEIGHTS["food"] * len(state.food) + WEIGHTS["ghost"] * nearest
        )
        return (state.score if state.outcome else estimate) * (-1 if player else 1)

    def played(self, search: Callable[[Scene], Any], seed: int | None) -> Iterator[Scene]:
        """Yield the scenes of a game.

        A ghost that hunts moves as near to MAX as it can, another anywhere; the seed decides. The game also
        ends, undecided, when MAX has eaten nothing in `patience` rounds: four for each free cell.
        """
        source, scene, eaten = random.Random(seed), self._start, 0  # the ply at which MAX last ate
        while not scene.outcome:
            yield scene
            if scene.ply - eaten >= self.patience * len(scene.cells):
                scene = scene._replace(outcome=UNDECIDED)
                break
            hunts = self._text[self._start.cells[scene.ply % len(scene.cells)]] == "G"
            ghost = min(
                self.actions(scene),
                key=lambda cell: (hunts and self._distance(cell, scene.cells[0]), source.random()),
            )
            before = scene.food
            scene = self.result(
                scene, ghost if scene.ply % len(scene.cells) else search(scene._replace(ply=0)).move
            )
            eaten = eaten if scene.food == before else scene.ply
        yield scene

    def drawn(self, scene: Scene) -> str:
        signs = dict(enumerate(self._text)) | dict.fromkeys(self._free, " ") | dict.fromkeys(scene.food, ".")
        signs |= {cell: self._text[start] for cell, start in zip(scene.cells, self._start.cells, strict=True)}
        return f"{''.join(signs.values())}score {scene.score} {scene.outcome}\n"
