# SPDX-License-Identifier: GPL-3.0-or-later
"""What is shown of a watched search: steps in words, an outline, a picture in SVG, the exercise's page."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from ...pages.frame import document
from .bounds import Bounds, Held, Step, Watched
from .game import INFINITY
from .games.tree import shown
from .trace import Node

STYLE, SCRIPT = (
    Path(__file__).with_name(name).read_text(encoding="utf-8") for name in ("tree.css", "tree.js")
)
WORDS = ("unknown", "at most {1}", "at least {0}", "between {0} and {1}")
SIGNS = ("", "<= {1}", ">= {0}", "{0} ... {1}")
# Pixels: from level to level, margins, width of a leaf and of a field.
LEVEL, LEFT, TOP, COLUMN, FIELD = 84, 60, 52, 36, 60
SHAPES = {"MAX": "M-21 15L0-21 21 15Z", "MIN": "M-21-15L0 21 21-15Z", "leaf": "M-17-14H17V14H-17Z"}
CIRCLE = "M-17 0A17 17 0 1 0 17 0 17 17 0 1 0-17 0Z"  # chance, and one of several players
VALUES = (
    "Write the value of each node as the search leaves it, such as 3{}. Check marks what you have filled in."
)
CUTS = ", or &lt;= 3 for a bound, or nothing if it is cut, and tick each branch that is cut, on its line"
PAGE = """<main class="report{practising}"><h1>A tree, and what a search reads of it</h1><div class="steps"><button
data-do="back">Back</button><button data-do="next">Next</button><button data-do="exercise"></button><button data-do="new">New
tree</button></div><p class="status" aria-live="polite"></p><p class="exercise">{task}</p><div class="scroll" tabindex="0"
role="region" aria-label="Tree">{tree}</div><form id="exercise" class="exercise"><button>Check</button><button type="button"
data-do="solution">Show the solution</button><br><output class="verdict"></output></form><p class="summary"></p><p>For a page of
your own tree: <code>coachwhip reference --tree "[[3, 12, 8], [2, 4]]" --report mine.html</code>, and <code>--exercise</code></p></main>
<script type="application/json" id="data">{data}</script>"""


def described(known: Bounds, forms: Sequence[str] = WORDS) -> str:
    """Return bounds in words, or by other forms."""
    low, high = known
    form = "{0}" if low == high else forms[2 * (low != -INFINITY) + (high != INFINITY)]
    return form.format(shown(low), shown(high))


class Drawn(Watched):
    """A watched search whose nodes have names: A, B, ... from the root down, and a leaf its value."""

    def __init__(
        self, root: Any, search: Callable[[Any, Any], Any], order: Sequence[int] | None = None
    ) -> None:
        super().__init__(root, search, order)
        self.kinds = [f"player {number}" for number in range(1, self.players + 1)] or ["MAX", "MIN", "chance"]
        self.names = {leaf: shown(leaf.subtree) for leaf in self.leaves}
        for index, node in enumerate(
            sorted((node for node in self.nodes if node.children), key=lambda node: node.ply)
        ):
            self.names[node] = f"{chr(65 + index % 26)}{index // 26 or ''}"  # A ... Z, A1 ...

    def kind(self, node: Node) -> str:
        """Return who moves at a node, or `leaf`."""
        return self.kinds[self.to_move(node)] if node.children else "leaf"

    def sentence(self, number: int) -> str:
        """Return what step `number` (from 0) showed."""
        step, facts = self.steps[number], []
        for node, known in step.known.items():
            fact = f"{self.names[node]} is {described(known)}"
            if node in step.cuts:
                held, branches = step.cuts[node]
                fact += f", and {self.holding(held)} already, so {self.listed(branches)} cut"
            facts.append(fact)
        text = ", so ".join(facts) or f"{self.names[step.leaf.above[0]]} is still {described(step.parent)}"
        text += f"; {self.listed(step.skipped)} left out unproved" if step.skipped else ""
        return f"{number + 1}. Leaf {self.names[step.leaf]}: {text}."

    def holding(self, held: Held, verb: str = "has") -> str:
        """Return who holds what: why branches are cut."""
        return f"{self.names[held.at] if held.at else 'nobody'} {verb} {shown(held.value)}"

    def window_at(self, step: Step) -> str:
        """Return alpha and beta where the leaf was read; nothing where there is no window."""
        alpha, beta = shown(step.alpha.value), shown(step.beta.value)
        return f"At {self.names[step.leaf.above[0]]}: alpha {alpha}, beta {beta}" if self.has_window else ""

    def listed(self, branches: Sequence[Node]) -> str:
        """Name branches with their verb: `the leaves 4, 6 and 9 are`."""
        *names, last = [self.names[node] for node in branches]
        one, more = ("branch", "branches") if any(node.children for node in branches) else ("leaf", "leaves")
        return f"the {more} {', '.join(names)} and {last} are" if names else f"the {one} {last} is"

    def outline(self) -> str:
        """Return the tree as text, with what is known at the end."""
        lines, read = [], {node for leaf in self.read for node in (leaf, *leaf.above)}
        for node in self.nodes:
            text = (
                f"{self.names[node]}  {self.kind(node)}  {described(self.known[node])}"
                if node.children
                else self.names[node]
            )
            lines.append("    " * node.ply + text + "  cut" * (node not in read))
        return "\n".join(lines)

    def result_line(self) -> str:
        """Return value, best move, and how many leaves were read."""
        move = self.answer.move
        best = "none" if move is None else f"{move + 1} ({self.names[self.root.children[move]]})"
        return (
            f"value {shown(self.value)}, best move {best}, {len(self.read)} of {len(self.leaves)} leaves read"
        )

    def changes(self, number: int) -> dict[int, tuple[str, str]]:
        """Return the mark and the label of each node that step `number` changed, as page and picture show."""
        step = self.steps[number]
        seen = {step.leaf.number: ("seen", "")}
        labels = {node.number: ("", described(known, SIGNS)) for node, known in step.known.items()}
        away = [branch for _, branches in step.cuts.values() for branch in branches] + step.skipped
        return seen | labels | {branch.number: ("cut", "") for branch in away}

    def svg(self, number: int | None = None) -> str:
        """Return the picture after `number` steps, or at the end."""
        steps = range(len(self.steps) if number is None else number)
        state = {node: change for step in steps for node, change in self.changes(step).items()}
        places = {leaf: index + 0.5 for index, leaf in enumerate(self.leaves)}
        inner = [node for node in reversed(self.nodes) if node.children]
        for node in inner:
            places[node] = (places[node.children[0]] + places[node.children[-1]]) / 2
        narrowest = FIELD if any(len(node.children) == 1 for node in inner) else COLUMN
        column = max(narrowest, *(9 * len(self.names[leaf]) for leaf in self.leaves))

        def drawn(node: Node) -> str:
            mark, label = state.get(node.number, ("", ""))
            way = column * (places[node.above[0]] - places[node]) if node.above else 0
            field = f"""<foreignObject x="{-FIELD / 2 + 2:g}" y="-50" width="{FIELD - 4}" height="26"><input class="value" size="4"
form="exercise" autocomplete="off"/></foreignObject>"""
            edge = f"""<path d="M0-18L{way:g} {18 - LEVEL}"/><path class="slash" d="M{way / 2 - 9:g}-39l18-6m0 6l-18 6"/>
<foreignObject x="{way / 2 - 12:g}" y="-{74 if node.children else 54}" width="24" height="24"><input type="checkbox"
form="exercise"/></foreignObject>"""
            return f"""<g class="node {mark}"><g class="face" transform="translate({column * places[node]:g} {LEVEL * node.ply})">
{edge if node.above else ""}<path class="shape" d="{SHAPES.get(self.kind(node), CIRCLE)}"/><text class="name"
y="5">{self.names[node]}</text><text class="bounds" y="-25">{label.replace("<", "&lt;")}</text>{field if node.children else ""}
</g>{"".join(map(drawn, node.children))}</g>"""

        kinds = {node.ply: self.kind(node) for node in self.nodes if node.children}
        words = "".join(f'<text x="-30" y="{LEVEL * ply + 5}">{kind}</text>' for ply, kind in kinds.items())
        width, height = LEFT + column * len(self.leaves), TOP + LEVEL * (max(kinds) + 1) + 30
        return f"""<svg xmlns="http://www.w3.org/2000/svg" class="tree" viewBox="{-LEFT} {-TOP} {width} {height}" width="{width}">
<style>{STYLE}</style>{words}{drawn(self.root)}</svg>"""

    _repr_svg_ = svg

    def data(self) -> dict[str, Any]:
        """Return what the page's script needs: names, steps in words, and what each step changed."""
        steps = [
            {
                "leaf": step.leaf.number,
                "changed": self.changes(at),
                "text": self.sentence(at),
                "window": self.window_at(step),
            }
            for at, step in enumerate(self.steps)
        ]
        return {"names": [self.names[node] for node in self.nodes], "steps": steps}


def page(trees: Sequence[tuple[Drawn, str]], *, exercise: bool, prunes: bool) -> str:
    """Return the page of a tree, and of others of its form for new exercises.

    Each has the results of its searches.
    """
    data = json.dumps([tree.data() | {"results": text} for tree, text in trees])
    practising, task = " practising" * exercise + " whole" * (not prunes), VALUES.format(CUTS * prunes)
    return document(
        "Tree", PAGE.format(practising=practising, task=task, tree=trees[0][0].svg(), data=data), SCRIPT
    )
