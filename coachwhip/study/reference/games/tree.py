# SPDX-License-Identifier: GPL-3.0-or-later
"""The simplest game: a tree of nested lists. A list is a node with its children, anything else is a leaf."""

import ast
import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

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
        """Return the number at the leaf for player 0, its negative for player 1; of a tuple the player's own number."""
        leaf = state.subtree
        value: Value = leaf[player] if isinstance(leaf, tuple) else (leaf if player == 0 else -leaf)
        return value

    def odds(self, state: Branch) -> list[tuple[Fraction, int]]:
        """Return the children of a chance node, all equally likely."""
        assert self.to_move(state) == CHANCE
        return [(Fraction(1, len(state.subtree)), index) for index in self.actions(state)]


AIMA_TREE = Tree([[3, 12, 8], [2, 4, 6], [14, 5, 2]])  # the two-ply example of AIMA's chapter: value 3, by the first move


def read_tree(text: str) -> Any:
    """Return nested lists with numbers at the leaves, or vectors of one length. Raises ValueError that names the place."""
    lengths = set()

    def read(node: ast.expr) -> Any:
        if isinstance(node, ast.List) and node.elts:
            return [read(child) for child in node.elts]
        leaf = ast.unparse(node)
        lengths.add(leaf.count(","))
        if not re.fullmatch(r"\(?-?\d{1,9}(\.\d{1,9})?(, -?\d{1,9}(\.\d{1,9})?)*\)?", leaf) or len(lengths) > 1 or node is root:
            expected = "expected a branch, a number, or a vector as long as the others"
            raise SyntaxError(f"{expected}, not {leaf[:20]}", (None, node.lineno, node.col_offset + 1, None))
        return ast.literal_eval(node)

    try:
        root = ast.parse(text.strip(), mode="eval").body
        return read(root)
    except (SyntaxError, RecursionError) as error:
        raise ValueError(f"line {getattr(error, 'lineno', 1)}, column {getattr(error, 'offset', 1)}: {error.args[0]}") from error
