# SPDX-License-Identifier: GPL-3.0-or-later
"""Follow any tree search: after each leaf, the bounds of every node and the branches cut.

This is data; `draw` has the words.
"""

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


class Closed(NamedTuple):
    """A node that cannot matter: its value is at least (MAX) or at most (MIN) `bound`.

    The other player holds that or better.
    """

    node: Node
    bound: Any
    held: Held


class Step(NamedTuple):
    """What a leaf showed: bounds that it changed, those of cut nodes, from the leaf up, and what they cut."""

    leaf: Node
    closed: list[Closed]  # already before it was read, so that it need not be; the lowest first
    known: dict[Node, Bounds]
    parent: Bounds
    cuts: dict[Node, tuple[Held, list[Node]]]  # closed node -> why, and the branches that need no reading
    skipped: list[Node]  # after the last leaf: branches that were left out though they could matter
    alpha: Held  # where the leaf was read
    beta: Held


class Watched(Traced):
    """Runs a search on a tree; `steps` records what each leaf changed, `answer` is the search's own."""

    def __init__(
        self, root: Any, search: Callable[[Any, Any], Any], order: Sequence[int] | None = None
    ) -> None:
        super().__init__(root, order)
        self.has_window = not self.players and CHANCE not in (order or ())
        self.answer = search(self, self.root)
        self.known = dict.fromkeys(self.nodes, ANYTHING)
        # how many children nothing is known of
        self._unknown = {node: len(node.children) for node in self.nodes}
        self.steps = [*self._steps()]

    @property
    def value(self) -> Any:
        """The value of the root for MAX, or the vector; what the search answers if its leaves prove none."""
        low, high = self.known[self.root]
        return low if low == high else self.answer.value * (-1 if self.to_move(self.root) == 1 else 1)

    def _steps(self) -> Iterator[Step]:
        # the last leaf read below each node
        last = {node: leaf for leaf in self.read for node in (leaf, *leaf.above)}
        unread = {node: [child for child in node.children if child not in last] for node in last}
        waiting: list[Node] = []  # done, with unread branches that nothing has cut yet
        *_, final = self.read
        for leaf in self.read:
            *_, closed = self._window(leaf.above[0])
            before = {node: self.known[node] for node in leaf.above}
            self._learn(leaf, (leaf.subtree, leaf.subtree))
            for node in leaf.above:
                self._learn(node, self._combined(node, leaf))
            done, waiting = (
                [*waiting, *(node for node in leaf.above if unread[node] and last[node] is leaf)],
                [],
            )
            cuts: dict[Node, tuple[Held, list[Node]]] = {}
            for node in done:
                *_, over = self._window(node)
                if over:
                    cuts.setdefault(over[0].node, (over[0].held, []))[1].extend(unread[node])
                else:
                    waiting.append(node)
            changed = [
                node for node in (*leaf.above, *cuts) if node in cuts or self.known[node] != before[node]
            ]
            skipped = [branch for node in waiting for branch in unread[node]] if leaf is final else []
            known, parent = {node: self.known[node] for node in changed}, self.known[leaf.above[0]]
            alpha, beta, _ = self._window(leaf.above[0])
            yield Step(leaf, closed, known, parent, cuts, skipped, alpha, beta)

    def _learn(self, node: Node, known: Bounds) -> None:
        if node.above and self.known[node] == ANYTHING != known:
            self._unknown[node.above[0]] -= 1
        self.known[node] = known

    def _combined(self, node: Node, leaf: Node) -> Bounds:
        """Return the bounds of a node.

        While a child may have any value, only the child above `leaf` can have changed them.
        """
        mover = self.to_move(node)
        if self._unknown[node]:
            (low, high), (lowest, highest) = (
                self.known[node],
                self.known[(leaf, *leaf.above)[leaf.ply - node.ply - 1]],
            )
            two = not self.players
            return max(low, lowest) if two and mover == 0 else low, min(
                high, highest
            ) if two and mover == 1 else high
        lows, highs = zip(*(self.known[child] for child in node.children), strict=True)
        if self.players:
            return (max(lows, key=lambda values: values[mover]),) * 2
        if mover == CHANCE:
            return sum(lows, Fraction()) / len(lows), sum(highs, Fraction()) / len(highs)
        return (min(lows), min(highs)) if mover else (max(lows), max(highs))

    def _window(self, node: Node) -> tuple[Held, Held, list[Closed]]:
        """Return alpha and beta, which MAX and MIN hold below a node, and the closed nodes from it up."""
        alpha, beta, closed = Held(-INFINITY), Held(INFINITY), list[Closed]()
        for at in (*reversed(node.above), node) if self.has_window else ():
            low, high = self.known[at]
            if self.to_move(at) == 0:
                if beta.at and low >= beta.value:
                    closed.insert(0, Closed(at, low, beta))
                alpha = max(Held(low, at), alpha, key=lambda held: held.value)  # the nearer node if equal
            else:
                if alpha.at and high <= alpha.value:
                    closed.insert(0, Closed(at, high, alpha))
                beta = min(Held(high, at), beta, key=lambda held: held.value)
        return alpha, beta, closed
