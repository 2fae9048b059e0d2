# SPDX-License-Identifier: GPL-3.0-or-later
"""Usual mistakes in searches of nested lists: what answers as one does on every tree probably made it."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from operator import itemgetter
from typing import Any, NamedTuple

from .cases import Case
from .game import INFINITY

# the value of a node from its children's: at the root, a ply below, ..., repeated
Choices = Sequence[Callable[[list[Any]], Any]]
BOUNDS = "It chooses by a bound, which a value of alpha-beta may be. Let only a better value replace a move."
LEAKS = "Alpha and beta of one branch stay for the next: pass them down, and keep none in a global."
SIGN = "The sign of the value is wrong: it is for MAX."
TWO, WIDE = (max, min), (-INFINITY, INFINITY)


def _mean(values: list[Any]) -> Any:
    return sum(values, Fraction()) / len(values)


def _most_of_each(values: list[Any]) -> Any:
    return tuple(map(max, zip(*values, strict=True)))


ADVERSARIAL: dict[str, Choices] = {
    "It maximises at MIN's nodes, too.": (max,),
    "It lets MIN move first.": (min, max),
    "Its best value starts at 0: start at minus infinity for MAX, plus infinity for MIN.": (
        lambda values: max(0, *values),
        lambda values: min(0, *values),
    ),
    "MAX's best value starts at 0: start at minus infinity.": (lambda values: max(0, *values), min),
    "MIN's best value starts at 0: start at plus infinity.": (max, lambda values: min(0, *values)),
    "It takes the first branch at every node.": (itemgetter(0),),
    "It takes the last branch at every node.": (itemgetter(-1),),
    "It negates the children's values, but not a leaf's where MIN is to move.": (
        lambda values: -min(values),
    ),
    "It takes averages.": (_mean,),
}
CHANCE_NODES: dict[str, Choices] = {
    "It plays against MIN: a chance node's value is the average.": (max, min),
    "It adds up the values at a chance node: divide by their number.": (max, sum),
    "It maximises at chance nodes.": (max,),
    "It averages at MAX's nodes, too.": (_mean,),
    "It averages at MAX's nodes and maximises at chance nodes: MAX moves first.": (_mean, max),
    "It rounds the average down: // drops the fraction.": (max, lambda values: sum(values) // len(values)),
    "It truncates the average.": (max, lambda values: int(_mean(values))),
}
BY = [partial(max, key=itemgetter(player)) for player in range(3)]
PLAYERS: dict[str, Choices] = {
    "It maximises the first player's number at every node.": (max,),
    "It lets the second player move first.": (BY[1], BY[2], BY[0]),
    "It maximises the sum of all numbers.": (partial(max, key=sum),),
    "It takes the largest number of each player, from different branches: take one branch's vector.": (
        _most_of_each,
    ),
    "It lets the others minimise the first player's number: each maximises its own.": (max, min, min),
    "It lets two players take turns.": (BY[0], BY[1]),
}
KNOWN = {"expectimax": CHANCE_NODES, "max_n": PLAYERS}


class Given(NamedTuple):
    """The value and the move that a hand-in gave."""

    value: Any
    move: Any


def _value(tree: Any, choices: Choices, ply: int = 0) -> Any:
    if not isinstance(tree, list):
        return tree
    return choices[ply % len(choices)]([_value(child, choices, ply + 1) for child in tree])


def _alpha_beta(node: Any, ply: int, window: list[Any], *, hard: bool = False, leaks: bool = False) -> Any:
    """Alpha-beta. `hard`: no value is outside the window; `leaks`: the window is one for the whole tree."""
    if not isinstance(node, list):
        return node
    side = ply % 2
    window = window if leaks else [*window]
    best = (window if hard else WIDE)[side]
    for child in node:
        best = TWO[side](best, _alpha_beta(child, ply + 1, window, hard=hard, leaks=leaks))
        window[side] = TWO[side](window[side], best)
        if window[0] >= window[1]:
            break
    return best


def _bounded_choice(tree: Any, *, hard: bool) -> int:
    """Alpha-beta's choice if an equal value replaces the move."""
    alpha, chosen = -INFINITY, 0
    for move, child in enumerate(tree):
        value = _alpha_beta(child, 1, [alpha, INFINITY], hard=hard)
        if value >= alpha:
            alpha, chosen = value, move
    return chosen


def likeness(function: str, answers: Sequence[tuple[Case, Given]]) -> list[str]:
    """Return the mistake that explains all answers, if there is one."""
    if function == "best_move" or all(given.value == case.value for case, given in answers):
        moves = [(case.tree, given.move) for case, given in answers if case.order == (0, 1)]
        alike = [
            all(move == _bounded_choice(tree, hard=hard) for tree, move in moves) for hard in (False, True)
        ]
        return [BOUNDS] if moves and any(alike) else []
    if function != "max_n" and all(-given.value == case.value for case, given in answers):
        return [SIGN]
    if function == "alpha_beta" and all(
        given.value == _alpha_beta(case.tree, 0, [*WIDE], leaks=True) for case, given in answers
    ):
        return [LEAKS]
    for text, choices in KNOWN.get(function, ADVERSARIAL).items():
        if all(given.value == _value(case.tree, choices) for case, given in answers):
            return [text]
    return []
