# SPDX-License-Identifier: GPL-3.0-or-later
"""What is said of a hand-in: whether its answers are right, and the first that is not.

It also names the leaves that the hand-in need not have read.
"""

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from numbers import Number
from typing import Any, NamedTuple

from .alphabeta import alpha_beta
from .cases import Case
from .draw import Drawn
from .game import Answer
from .games.tree import shown
from .minimax import minimax
from .mistakes import Given, likeness

Report = tuple[list[str], int]  # what to print of a function, and the exit code
CLOSE = 1e-6  # values that differ less are equal: averages may be floats
ABSENT: Any = object()  # where a search gives no move
HIDDEN = (
    "Which leaves it reads cannot be seen: it does not call itself, or makes lists or nodes of its own first."
)
OTHER_ORDER = "It takes the branches in another order than from left to right, which is right too."
NO_CUT_IF_EQUAL = (
    "It does not cut at equal values, which is right too: with >= and <= it would read fewer leaves."
)


class Result(NamedTuple):
    """What became of one case: the answer or an error in words, and the leaves read, where they are seen.

    The leaves are in the order of reading.
    """

    case: Case
    answer: Any
    error: str
    read: list[int]
    repeats: bool  # whether it may read a leaf again: then the order says nothing


def judge_answers(name: str, results: Sequence[Result]) -> Report:
    """Judge values and moves, read in the style in which most are right.

    A style is a pair in either order, and a move's number or its branch.
    """
    styles = []
    for moves_first, by_branch in product((False, True), repeat=2):
        given = [_given(name, result, moves_first, by_branch) for result in results]
        faults = [
            result.error or _fault(result.case, each) for result, each in zip(results, given, strict=True)
        ]
        styles.append((faults, given))
    faults, given = max(styles, key=lambda style: style[0].count(""))
    head = f"{name}: {faults.count('')} of {len(faults)} cases right"
    if not any(faults):
        return [head], 0
    pairs = [(result.case, each) for result, each in zip(results, given, strict=True)]
    guess = likeness(
        name, [(case, each) for case, each in pairs if case.tree and _is_value(each.value, case.value)]
    )
    case, fault = next((result.case, fault) for result, fault in zip(results, faults, strict=True) if fault)
    outline = [Drawn(case.tree, minimax).outline()] if case.tree and case.order == (0, 1) else []
    return [head, f"First difference, {case.name}:", *outline, f"{fault[0].upper()}{fault[1:]}.", *guess], 1


def _given(name: str, result: Result, moves_first: bool, by_branch: bool) -> Given:
    """Return value and move as an answer of this style means them."""
    case = result.case
    value, move = result.answer, ABSENT
    if name == "best_move":
        value, move = case.value, value
    elif hasattr(value, "move"):  # an Answer or a VectorAnswer
        value, move = getattr(value, "values", None) or getattr(value, "value", None), result.answer.move
    elif isinstance(value, tuple | list) and len(value) == 2 and not _is_value(value, case.value):
        value, move = reversed(value) if moves_first else value
    if by_branch and case.tree:
        same = [index for index, child in enumerate(case.tree) if child is move or child == move]
        right = [index for index in same if index in case.moves]
        move = (right or same or [move])[0]
    return Given(tuple(value) if isinstance(value, list) else value, move)


def _is_value(value: Any, like: Any) -> bool:
    if isinstance(like, tuple):
        return (
            isinstance(value, tuple | list)
            and len(value) == len(like)
            and all(_is_value(each, 0) for each in value)
        )
    return isinstance(value, Number) and not isinstance(value, bool | complex)


def _equal(one: Any, other: Any) -> bool:
    if isinstance(other, tuple):
        return all(map(_equal, one, other))
    return bool(one == other) or abs(float(one) - float(other)) < CLOSE


def _fault(case: Case, given: Given) -> str:
    """Return the fault of an answer; "" if it is right."""
    if not _is_value(given.value, case.value):
        return "what it returns is no value, and no pair of value and move"
    if not _equal(given.value, case.value):
        value = (
            shown(given.value) if isinstance(given.value, tuple | Fraction | int) else str(given.value)[:60]
        )
        return f"the value is {shown(case.value)}, not {value}"
    if given.move is ABSENT or given.move in case.moves:
        return ""
    best = " or ".join(_named(case, move) for move in case.moves)
    return f"the best move is {best}, not {_named(case, given.move)}"


def _named(case: Case, move: Any) -> str:
    return f"{move} ({case.tree[move]})" if case.tree and move in range(len(case.tree)) else str(move)[:60]


def judge_leaves(name: str, results: Sequence[Result]) -> Report:
    """Judge which leaves right answers took.

    Alpha-beta has to read fewer than there are, and none in vain if it reads each once.
    """
    seen = [result for result in results if result.read]
    if not any(len(result.read) > 1 for result in seen):
        return [HIDDEN], 0
    read, leaves = (
        sum(len(result.read) for result in seen),
        sum(len(result.case.game.leaves) for result in seen),
    )
    notes = [f"{read:,} of {leaves:,} leaves read"]
    repeats = any(result.repeats for result in seen)
    if not repeats and any(result.read != sorted(result.read) for result in seen):
        notes.append(OTHER_ORDER)
    if name == "minimax":
        return [
            *notes,
            *["It leaves out leaves, as alpha-beta does; the values are right."] * (read < leaves),
        ], 0
    if repeats:
        ours = sum(len(Drawn(result.case.tree, alpha_beta).read) for result in seen)
        notes[0] += (
            ": it cuts nothing, so it is minimax."
            if read == leaves
            else f"; from left to right, {ours:,} would do."
        )
        return notes, int(read == leaves)
    replays = [_replay(result.case, result.read) for result in seen]
    for result, replay in zip(seen, replays, strict=True):
        if sentence := _in_vain(replay, if_equal=False):
            needed = [leaf for leaf, step in zip(result.read, replay.steps, strict=True) if not step.closed]
            all_read = "It reads every leaf, so it cuts nothing. " * (read == leaves)
            outline = _replay(result.case, needed).outline()
            return [*notes, f"First leaf too many, {result.case.name}:", outline, f"{all_read}{sentence}"], 1
    return notes + [NO_CUT_IF_EQUAL] * any(_in_vain(replay, if_equal=True) for replay in replays), 0


def _replay(case: Case, read: Sequence[int]) -> Drawn:
    """Watch the leaves of a tree being read in this order."""

    def search(game: Any, _root: Any) -> Answer[Any]:
        game.read.update(dict.fromkeys(game.leaves[leaf] for leaf in read))
        return Answer(case.value)

    return Drawn(case.tree, search)


def _in_vain(replay: Drawn, *, if_equal: bool) -> str:
    """Return a sentence about the first leaf that alpha-beta need not read.

    `if_equal`: as it cuts if alpha and beta are equal.
    """
    for step in replay.steps:
        for node, bound, held in step.closed:
            if if_equal or bound != held.value:
                side = "at most" if replay.to_move(node) else "at least"
                known = f"{replay.names[node]} was {side} {shown(bound)}"
                other = replay.holding(held, "had")
                return f"Leaf {replay.names[step.leaf]} was read; {known} and {other} already."
    return ""
