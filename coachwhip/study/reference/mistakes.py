# SPDX-License-Identifier: GPL-3.0-or-later
"""Usual mistakes in searches of nested lists: a hand-in that answers as one of them does on every tree has probably made it."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

from .game import INFINITY

Combine = Callable[[int, list[Any]], Any]  # the value of a node from its ply and its children's values
BOUNDS = "It chooses by a bound: in alpha-beta the value of a branch may be only a bound. Let only a better value replace a move."
TWO = (max, min)


def _mean(values: list[Any]) -> Any:
    return sum(values, Fraction()) / len(values)


def _combined(combine: Combine, tree: Any, ply: int = 0) -> Any:
    return combine(ply, [_combined(combine, child, ply + 1) for child in tree]) if isinstance(tree, list) else tree


ADVERSARIAL: dict[str, Combine] = {
    "It maximises at MIN's nodes, too.": lambda _, values: max(values),
    "It lets MIN move first.": lambda ply, values: TWO[1 - ply % 2](values),
    "Its best value starts at 0: start at minus infinity for MAX, plus infinity for MIN.": lambda ply, values: TWO[ply % 2](
        [0, *values]
    ),
    "MAX's best value starts at 0: start at minus infinity.": lambda ply, values: min(values) if ply % 2 else max(0, *values),
    "MIN's best value starts at 0: start at plus infinity.": lambda ply, values: min(0, *values) if ply % 2 else max(values),
    "It takes the first branch at every node.": lambda _, values: values[0],
    "It takes the last branch at every node.": lambda _, values: values[-1],
    "It negates the children's values, but not a leaf's where MIN is to move.": lambda _, values: max(-value for value in values),
    "It does not negate the children's values.": lambda _, values: max(values),
    "It takes averages.": lambda _, values: _mean(values),
}
CHANCE_NODES: dict[str, Combine] = {
    "It plays against MIN: a chance node's value is the average.": lambda ply, values: TWO[ply % 2](values),
    "It adds up the values at a chance node: divide by their number.": lambda ply, values: (
        sum(values) if ply % 2 else max(values)
    ),
    "It maximises at chance nodes.": lambda _, values: max(values),
    "It averages at MAX's nodes, too.": lambda _, values: _mean(values),
    "It averages at MAX's nodes and maximises at chance nodes: MAX moves first.": lambda ply, values: (
        max(values) if ply % 2 else _mean(values)
    ),
    "It rounds the average down: // drops the fraction.": lambda ply, values: (
        sum(values) // len(values) if ply % 2 else max(values)
    ),
    "It truncates the average.": lambda ply, values: int(_mean(values)) if ply % 2 else max(values),
}
PLAYERS: dict[str, Combine] = {
    "It maximises the first player's number at every node.": lambda _, values: max(values),
    "It lets the second player move first.": lambda ply, values: max(values, key=lambda each: each[(ply + 1) % len(each)]),
    "It maximises the sum of all numbers.": lambda _, values: max(values, key=sum),
    "It takes the largest number of each player, from different branches: take one branch's vector.": lambda _, values: tuple(
        map(max, zip(*values, strict=True))
    ),
    "It lets the others minimise the first player's number: each maximises its own.": lambda ply, values: (
        max(values) if ply % 3 == 0 else min(values)
    ),
    "It lets two players take turns.": lambda ply, values: max(values, key=lambda each: each[ply % 2]),
}
KNOWN = {"expectimax": CHANCE_NODES, "max_n": PLAYERS}


def _leaking(tree: Any) -> Any:
    """Alpha-beta whose window is one for the whole tree."""
    window = [-INFINITY, INFINITY]

    def search(node: Any, ply: int) -> Any:
        if not isinstance(node, list):
            return node
        side, best = ply % 2, (-INFINITY, INFINITY)[ply % 2]
        for child in node:
            best = TWO[side](best, search(child, ply + 1))
            window[side] = TWO[side](window[side], best)
            if window[0] >= window[1]:
                break
        return best

    return search(tree, 0)


def _bounded_choice(tree: Any, *, hard: bool) -> int:
    """Alpha-beta's choice if an equal value replaces the move; `hard`: no value of a branch is outside its window."""

    def search(node: Any, ply: int, alpha: Any, beta: Any) -> Any:
        if not isinstance(node, list):
            return node
        best = (alpha, beta)[ply % 2] if hard else (-INFINITY, INFINITY)[ply % 2]
        for child in node:
            best = TWO[ply % 2](best, search(child, ply + 1, alpha, beta))
            alpha, beta = (max(alpha, best), beta) if ply % 2 == 0 else (alpha, min(beta, best))
            if alpha >= beta:
                break
        return best

    alpha, chosen = -INFINITY, 0
    for move, child in enumerate(tree):
        value = search(child, 1, alpha, INFINITY)
        if value >= alpha:
            alpha, chosen = value, move
    return chosen


def likeness(function: str, answers: Sequence[tuple[Any, Any]]) -> list[str]:
    """Return the mistake that explains all answers (a case and what was given for it), if there is one."""
    if function == "best_move" or all(given.value == case.value for case, given in answers):
        moves = [(case.tree, given.move) for case, given in answers if case.order == (0, 1)]
        alike = [all(move == _bounded_choice(tree, hard=hard) for tree, move in moves) for hard in (False, True)]
        return [BOUNDS] if moves and any(alike) else []
    if all(-given.value == case.value for case, given in answers if not isinstance(case.value, tuple)) and function != "max_n":
        return ["The sign of the value is wrong: it is for MAX."]
    kinds = KNOWN.get(function, ADVERSARIAL)
    searches: dict[str, Callable[[Any], Any]] = {text: partial(_combined, combine) for text, combine in kinds.items()}
    if function == "alpha_beta":
        searches["Alpha and beta of one branch stay for the next: pass them down, and keep none in a global."] = _leaking
    for text, search in searches.items():
        if all(given.value == search(case.tree) for case, given in answers):
            return [text]
    return []
