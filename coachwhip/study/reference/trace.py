# SPDX-License-Identifier: GPL-3.0-or-later
"""Which leaves of a tree any search reads: the nodes are the states of a game that keeps a list."""

from collections.abc import Sequence
from typing import Any

from .game import Value
from .games.tree import Tree


class Node:
    """A node of a traced tree, which `Tree` takes for its Branch.

    Each place has a node of its own, so equal subtrees differ.
    """

    def __init__(self, tree: "Traced", subtree: Any, above: tuple["Node", ...] = ()) -> None:
        self.subtree, self.above, self.ply = subtree, above, len(above)  # the parent first
        self.number = len(tree.nodes)  # in the order of the text
        tree.nodes.append(self)
        self.children = (
            [Node(tree, child, (self, *above)) for child in subtree] if isinstance(subtree, list) else []
        )
        if not self.children:
            tree.leaves.append(self)


class Traced(Tree):
    """A tree as a game; `read` has the leaves in the order in which a search first asked for them."""

    def __init__(self, root: Any, order: Sequence[int] | None = None) -> None:
        self.nodes, self.leaves, self.read = list[Node](), list[Node](), dict[Node, None]()
        self.root = Node(self, root)
        # the players of a vector; 0 if the values are numbers
        self.players = len(self.leaves[0].subtree) if isinstance(self.leaves[0].subtree, tuple) else 0
        self.depth = max(leaf.ply for leaf in self.leaves)
        super().__init__(root, order or range(self.players or 2))

    def initial(self) -> Any:
        return self.root

    def to_move(self, state: Any) -> int:
        return super().to_move(state)

    def result(self, state: Any, move: int) -> Any:
        return state.children[move]

    def utility(self, state: Any, player: int) -> Value:
        self.read[state] = None
        return super().utility(state, player)
