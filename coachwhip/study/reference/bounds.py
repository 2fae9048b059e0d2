# SPDX-License-Identifier: GPL-3.0-or-later
"""Follow any tree search: after each leaf, the bounds of every node and the branches cut. Data; `draw` has the words."""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from .game import CHANCE, INFINITY
from .trace import Node, Traced

Bounds = tuple[Any, Any]  # the lowest and the highest value that a node can still have, for MAX
ANYTHING: Bounds = (-INFINITY, INFINITY)


class Held(NamedTuple):
    """A value that a side already has, and the node at which it has it (None: no node yet)."""

    value: Any
    at: Node | None = None


class Cut(NamedTuple):
    """Branches of a node that cannot matter: its value is on the wrong side of what the other player holds."""

    node: Node
    branches: list[Node]
    held: Held


class Step(NamedTuple):
    """What one leaf showed: bounds that it changed and those of cut nodes, from the leaf upwards; and what they cut."""

    leaf: Node
    known: dict[Node, Bounds]
    parent: Bounds
    cuts: list[Cut]
    skipped: list[Node]  # after the last leaf: branches that were left out though they could matter
    alpha: Held
    beta: Held


class Watched(Traced):
    """Runs a search on a tree; `steps` records what each leaf changed, `answer` is the search's own."""

    def __init__(self, root: Any, search: Callable[[Any, Any], Any], order: Sequence[int] | None = None) -> None:
        super().__init__(root, order)
        self.answer = search(self, self.root)
        self.known = dict.fromkeys(self.nodes, ANYTHING)
        self._unknown = {node: len(node.children) for node in self.nodes}  # children of which nothing is known
        self.steps = [*self._steps()]

    @property
    def value(self) -> Any:
        """The value of the root for MAX, or the vector: what the search answers if its leaves do not prove one."""
        low, high = self.known[self.root]
        return low if low == high else self.answer.value * (-1 if self.to_move(self.root) == 1 else 1)

    def _steps(self) -> Iterator[Step]:
        last = {node: leaf for leaf in self.read for node in (leaf, *leaf.above)}  # the last leaf read below each node
        unread = {node: [child for child in node.children if child not in last] for node in last}
        waiting: list[Node] = []  # done, with unread branches that nothing has cut yet
        *_, final = self.read
        for leaf in self.read:
            before = {node: self.known[node] for node in leaf.above}
            self._learn(leaf, (leaf.subtree, leaf.subtree))
            for node in leaf.above:
                self._learn(node, self._combined(node, leaf))
            waiting += [node for node in leaf.above if unread[node] and last[node] is leaf]
            closed = {node: self._closed(node) for node in waiting}
            cuts = [Cut(at[0], unread[node], at[1]) for node, at in closed.items() if at]
            cut_nodes = [cut.node for cut in cuts]
            waiting = [node for node, at in closed.items() if not at]
            changed = [node for node in leaf.above if self.known[node] != before[node]]
            known = {node: self.known[node] for node in (*leaf.above, *cut_nodes) if node in changed or node in cut_nodes}
            skipped = [branch for node in waiting for branch in unread[node]] if leaf is final else []
            yield Step(leaf, known, self.known[leaf.above[0]], cuts, skipped, *self.window(() if self.players else leaf.above))

    def _learn(self, node: Node, known: Bounds) -> None:
        if node.above and self.known[node] == ANYTHING != known:
            self._unknown[node.above[0]] -= 1
        self.known[node] = known

    def _combined(self, node: Node, leaf: Node) -> Bounds:
        """Return the bounds of a node. While a child may have any value, only the child above `leaf` can have changed them."""
        mover = self.to_move(node)
        if self._unknown[node]:
            (low, high), (lowest, highest) = self.known[node], self.known[(leaf, *leaf.above)[leaf.ply - node.ply - 1]]
            two = not self.players
            return max(low, lowest) if two and mover == 0 else low, min(high, highest) if two and mover == 1 else high
        lows, highs = zip(*(self.known[child] for child in node.children), strict=True)
        if self.players:
            return (max(lows, key=lambda values: values[mover]),) * 2
        if mover == CHANCE:
            return sum(lows, Fraction()) / len(lows), sum(highs, Fraction()) / len(highs)
        return (min(lows), min(highs)) if mover else (max(lows), max(highs))

    def window(self, above: Sequence[Node]) -> tuple[Held, Held]:
        """Return alpha and beta below these nodes: what MAX and MIN hold there, the nearest node first if equal."""
        lows = [Held(self.known[node][0], node) for node in above if self.to_move(node) == 0]
        highs = [Held(self.known[node][1], node) for node in above if self.to_move(node) == 1]
        alpha = max(lows, key=lambda held: held.value, default=Held(-INFINITY))
        return alpha, min(highs, key=lambda held: held.value, default=Held(INFINITY))

    def _closed(self, node: Node) -> tuple[Node, Held] | None:
        """Return the nearest node, from this one up, whose value can no longer matter, and what the other player holds above it."""
        for at in (node, *node.above):
            (alpha, beta), (low, high) = self.window(at.above), self.known[at]
            held, is_closed = (beta, low >= beta.value) if self.to_move(at) == 0 else (alpha, high <= alpha.value)
            if held.at and is_closed:
                return at, held
        return None
