# SPDX-License-Identifier: GPL-3.0-or-later
"""The simplest game: a tree of nested lists. A list is a node with its children, anything else is a leaf."""

import re
from collections.abc import Callable, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple, NoReturn

from ..game import CHANCE, Value


class Branch(NamedTuple):
    """A subtree, and how many moves led to it."""

    subtree: Any  # a list of subtrees; a number: utility for player 0; a tuple: one utility for each player
    ply: int


class Tree:
    """A move is the index of a child. Players move in the given order, which is repeated.

    >>> tree = Tree([[3, 12], 5])
    >>> tree.result(tree.initial(), 1)
    Branch(subtree=5, ply=1)
    """

    def __init__(self, root: Any, order: Sequence[int] = (0, 1)) -> None:
        self._root = root
        self._order = order

    def initial(self) -> Branch:
        return Branch(self._root, 0)

    def to_move(self, state: Branch) -> int:
        """Return the next player in the order; CHANCE may be in it."""
        return self._order[state.ply % len(self._order)]

    def actions(self, state: Branch) -> Sequence[int]:
        return range(len(state.subtree))

    def result(self, state: Branch, move: int) -> Branch:
        return Branch(state.subtree[move], state.ply + 1)

    def is_terminal(self, state: Branch) -> bool:
        return not isinstance(state.subtree, list)

    def utility(self, state: Branch, player: int) -> Value:
        """Return the number at the leaf for player 0, its negative for player 1.

        Of a tuple it is the player's own number.
        """
        leaf = state.subtree
        value: Value = leaf[player] if isinstance(leaf, tuple) else (leaf if player == 0 else -leaf)
        return value

    def odds(self, state: Branch) -> list[tuple[Fraction, int]]:
        """Return the children of a chance node, all equally likely."""
        assert self.to_move(state) == CHANCE
        return [(Fraction(1, len(state.subtree)), index) for index in self.actions(state)]


# the two-ply example of AIMA's chapter: value 3, by the first move
AIMA_TREE = Tree([[3, 12, 8], [2, 4, 6], [14, 5, 2]])


def first_leaf(state: Any, player: int) -> Value:
    """Return the first leaf below a branch of numbers: an evaluation for searches to a depth."""
    leaf = state.subtree
    while isinstance(leaf, list):
        leaf = leaf[0]
    value: Value = leaf if player == 0 else -leaf
    return value


SIGN = re.compile(r"[][(),]|[^][(),\s]+")
NUMBER = re.compile(r"[-+]?\d{1,9}(\.\d{1,9}|/0*[1-9]\d{0,8})?|[-+]?\.\d{1,9}")
DEEPEST = 100  # levels: each takes a few of Python's calls in a search
FORM = "a tree is written like [[3, 12, 8], [2, 4, 6]]"


class _Reader:
    """Reads the signs of a tree, one after the other; the last one is the end."""

    def __init__(self, text: str) -> None:
        self._text, self._at, self._lengths = text, 0, set[int]()
        self._signs = [(sign[0], sign.start()) for sign in SIGN.finditer(text)] + [("", len(text))]

    @property
    def sign(self) -> str:
        return self._signs[self._at][0]

    def fail(self, expected: str) -> NoReturn:
        before = self._text[: self._signs[self._at][1]]
        line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
        raise ValueError(
            f"line {line}, column {column}: expected {expected}, not {self.sign[:20] or 'the end'}; {FORM}"
        )

    def _many(self, close: str, read: Callable[[], Any]) -> list[Any]:
        parts: list[Any] = []
        while not parts or self.sign == ",":
            self._at += 1
            if parts and self.sign == close:  # after a last comma
                break
            parts.append(read())
        if self.sign != close:
            self.fail(f"a comma or {close}")
        self._at += 1
        return parts

    def _number(self) -> Fraction:
        if not NUMBER.fullmatch(self.sign):
            self.fail("a branch, a number, or a vector of numbers")
        self._at += 1
        return Fraction(self._signs[self._at - 1][0])

    def branch(self, depth: int = 0) -> Any:
        if depth == DEEPEST:
            raise ValueError(f"too deep: a tree has at most {DEEPEST} levels")
        if self.sign == "[":
            return self._many("]", lambda: self.branch(depth + 1))
        start = self._at
        leaf = tuple(self._many(")", self._number)) if self.sign == "(" else self._number()
        self._lengths.add(len(leaf) if isinstance(leaf, tuple) else 0)
        if len(self._lengths) > 1:
            self._at = start
            self.fail("a leaf like the others: numbers, or vectors of one length")
        return leaf


def read_tree(text: str) -> Any:
    """Return nested lists with Fractions at the leaves, or vectors of one length.

    Raises ValueError that names the place.
    """
    reader = _Reader(text)
    if reader.sign != "[":
        reader.fail("[")
    root = reader.branch()
    return root if not reader.sign else reader.fail("the end")


def shown(value: Any) -> str:
    """Return a value as text: exact, with a decimal point where that ends, else as a fraction.

    A vector has all its numbers.

    >>> shown(Fraction(5, 2)), shown(Fraction(1, 3)), shown((1, -2))
    ('2.5', '1/3', '(1, -2)')
    """
    if isinstance(value, tuple):
        return f"({', '.join(map(shown, value))})"
    short = isinstance(value, Fraction) and 10**9 % value.denominator == 0
    return f"{Decimal(value.numerator) / value.denominator:f}" if short else str(value)
