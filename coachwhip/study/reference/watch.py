# SPDX-License-Identifier: GPL-3.0-or-later
"""Watch a search of a tree, whichever: from the leaves that it has read so far, what is known of each node, and what it cuts."""

import json
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from ...pages.frame import document
from .game import INFINITY, Value
from .games.tree import Tree

STYLE, SCRIPT = (Path(__file__).with_name(name).read_text(encoding="utf-8") for name in ("tree.css", "tree.js"))
ANYTHING: tuple[Any, Any] = (-INFINITY, INFINITY)  # the lowest and the highest value that a node can still have, for MAX
WORDS = ("unknown", "at most {1}", "at least {0}", "between {0} and {1}")
SIGNS = ("", "<= {1}", ">= {0}", "{0} ... {1}")
LEVEL, LEFT, TOP = 84, 60, 46  # pixels: from level to level, left of the leaves, above the root
SHAPES = {"MAX": "M-21 15L0-21 21 15Z", "MIN": "M-21-15L0 21 21-15Z", "leaf": "M-17-14H17V14H-17Z"}
CIRCLE = "M-17 0A17 17 0 1 0 17 0 17 17 0 1 0-17 0Z"  # chance, and one of several players
PAGE = """<main class="report{}"><h1>A tree, and what a search reads of it</h1><div class="steps"><button
data-do="back">Back</button><button data-do="next">Next</button><button data-do="exercise"></button><button data-do="new">New
tree</button></div><p class="status" aria-live="polite"></p><p class="exercise">Write the value of each node as the search leaves
it (3, or &lt;= 3 for a bound; nothing if it is cut), and tick each branch that is cut, on its line.</p><div class="scroll"
tabindex="0" role="region" aria-label="Tree">{}</div><form id="exercise" class="exercise">{}<button>Check</button><br><output
class="verdict"></output></form><p class="summary"></p></main><script type="application/json" id="data">{}</script>"""


class Node:
    """A node of a watched tree, which `Tree` takes for its Branch."""

    def __init__(self, tree: "Watched", subtree: Any, above: tuple["Node", ...] = ()) -> None:
        self.subtree, self.above, self.ply = subtree, above, len(above)  # the parent first
        self.name, self.kind, self.known, self.number = str(subtree), "leaf", ANYTHING, len(tree.nodes)
        tree.nodes.append(self)
        self.children = [Node(tree, child, (self, *above)) for child in subtree] if isinstance(subtree, list) else []
        tree.leaves += [] if self.children else [self]
        self.place: float = (self.children[0].place + self.children[-1].place) / 2 if self.children else len(tree.leaves) - 0.5

    def described(self, forms: Sequence[str] = WORDS) -> str:
        low, high = self.known
        return str(low) if low == high else forms[2 * (low != -INFINITY) + (high != INFINITY)].format(low, high)


class Watched(Tree):
    """A tree as the game of one search, which runs at once, and of which `steps` keeps what each leaf has shown."""

    def __init__(self, root: Any, search: Callable[[Any, Any], Any], order: Sequence[int] | None = None) -> None:
        self.nodes, self.leaves, self._read = list[Any](), list[Any](), dict[Any, None]()
        self.root = Node(self, root)
        self.players = len(self.leaves[0].subtree) if isinstance(self.leaves[0].subtree, tuple) else 0  # in a vector
        super().__init__(root, order or range(self.players or 2))
        kinds = [f"player {number}" for number in range(1, self.players + 1)] or ["MAX", "MIN", "chance"]
        for index, node in enumerate(sorted((node for node in self.nodes if node.children), key=lambda node: node.ply)):
            node.name, node.kind = f"{chr(65 + index % 26)}{index // 26 or ''}", kinds[self.to_move(node)]  # A ... Z, A1 ...
        self.move = search(self, self.root).move
        self.steps = [*self._steps()]

    def result(self, state: Any, move: int) -> Any:
        return state.children[move]

    def utility(self, state: Any, player: int) -> Value:
        self._read[state] = None
        return super().utility(state, player)

    def _steps(self) -> Iterator[dict[str, Any]]:
        last = {node: leaf for leaf in self._read for node in (leaf, *leaf.above)}  # the last leaf read below each node
        for number, leaf in enumerate(self._read, start=1):
            leaf.known, changed, facts = (leaf.subtree, leaf.subtree), {leaf.number: ("seen", "")}, []
            for node in leaf.above:
                before, node.known = node.known, self._combined(node)
                unread = [child for child in node.children if last[node] is leaf and child not in last]
                if unread or node.known != before:
                    changed[node.number] = ("", node.described(SIGNS))
                    facts.append(f"{node.name} is {node.described()}")
                if unread:
                    value, name = self._window(node.above)[self.to_move(node) == 0]
                    facts[-1] += f", and {name} has {value} already, so {_listed(unread)} cut"
                    changed |= {child.number: ("cut", "") for child in unread}
            parent = leaf.above[0]
            (alpha, _), (beta, _) = self._window(() if self.players else leaf.above)
            window = f"At {parent.name}: alpha {alpha}, beta {beta}"
            text = ", so ".join(facts) or f"{parent.name} is still {parent.described()}"
            yield {"leaf": leaf.number, "changed": changed, "window": window, "text": f"{number}. Leaf {leaf.name}: {text}."}

    def _combined(self, node: Any) -> tuple[Any, Any]:
        lows, highs = zip(*(child.known for child in node.children), strict=True)
        if self.players:  # known as soon as all children are
            return ANYTHING if INFINITY in highs else (max(lows, key=lambda values: values[self.to_move(node)]),) * 2
        choose = (max, min, lambda values: sum(values, Fraction()) / len(values))[self.to_move(node)]  # CHANCE is -1
        return choose(lows), choose(highs)

    def _window(self, above: Any) -> tuple[tuple[Value, str], tuple[Value, str]]:  # alpha and beta, and whose they are
        lows = [(node.known[0], node.name) for node in above if self.to_move(node) == 0]
        highs = [(node.known[1], node.name) for node in above if self.to_move(node) == 1]
        return max(lows, default=(-INFINITY, "")), min(highs, default=(INFINITY, ""))

    def outline(self) -> str:  # as text, with what is known at the end
        lines, read = [], {node for leaf in self._read for node in (leaf, *leaf.above)}
        for node in self.nodes:
            text = f"{node.name}  {node.kind}  {node.described()}" if node.children else node.name
            lines.append("    " * node.ply + text + "  cut" * (node not in read))
        return "\n".join(lines)

    def result_line(self) -> str:
        best = "none" if self.move is None else f"{self.move + 1} ({self.root.children[self.move].name})"
        return f"value {self.root.known[0]}, best move {best}, {len(self.steps)} of {len(self.leaves)} leaves read"

    def svg(self, number: int | None = None) -> str:  # after this many steps, or at the end
        state = {node: change for step in self.steps[:number] for node, change in step["changed"].items()}
        column = 9 * max(5, *(len(leaf.name) for leaf in self.leaves))
        kinds = {node.ply: node.kind for node in self.nodes if node.children}

        def drawn(node: Node) -> str:
            mark, label = state.get(node.number, ("", ""))
            way = column * (node.above[0].place - node.place) if node.above else 0
            edge = f"""<path d="M0-18L{way:g} {18 - LEVEL}"/><path class="slash" d="M{way / 2 - 9:g}-39l18-6m0 6l-18 6"/>
<foreignObject x="{way / 2 - 12:g}" y="-54" width="24" height="24"><input type="checkbox" form="exercise"/></foreignObject>"""
            return f"""<g class="node {mark}"><g class="face" transform="translate({column * node.place:g} {LEVEL * node.ply})">
{edge if node.above else ""}<path class="shape" d="{SHAPES.get(node.kind, CIRCLE)}"/><text class="name" y="5">{node.name}</text>
<text class="bounds" y="-25">{label.replace("<", "&lt;")}</text></g>{"".join(map(drawn, node.children))}</g>"""

        words = "".join(f'<text x="-30" y="{LEVEL * ply + 5}">{kind}</text>' for ply, kind in kinds.items())
        width, height = LEFT + column * len(self.leaves), TOP + LEVEL * (max(kinds) + 1) + 30
        return f"""<svg xmlns="http://www.w3.org/2000/svg" class="tree" viewBox="{-LEFT} {-TOP} {width} {height}" width="{width}">
<style>{STYLE}</style>{words}{drawn(self.root)}</svg>"""

    _repr_svg_ = svg


def _listed(branches: Sequence[Node]) -> str:  # "the leaves 4, 6 and 9 are"
    *names, last = [node.name for node in branches]
    one, more = ("branch", "branches") if any(node.children for node in branches) else ("leaf", "leaves")
    return f"the {more} {', '.join(names)} and {last} are" if names else f"the {one} {last} is"


def page(trees: Sequence[tuple[Watched, str]], *, exercise: bool) -> str:
    """Return the page of a tree, and of others of the same form for new exercises, each with the results of its searches."""
    first = trees[0][0]
    data = [{"names": [node.name for node in tree.nodes], "steps": tree.steps, "results": text} for tree, text in trees]
    fields = [f"<label class=result>{at.name} <input name=n{at.number} size=6></label>" for at in first.nodes if at.children]
    return document("Tree", PAGE.format(" practising" * exercise, first.svg(), " ".join(fields), json.dumps(data)), SCRIPT)
