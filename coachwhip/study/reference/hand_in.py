# SPDX-License-Identifier: GPL-3.0-or-later
"""A hand-in at work, in a process of its own: each function is called on each case, and its answers are judged."""

import inspect
import os
import runpy
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from multiprocessing.connection import Connection
from numbers import Number
from types import FrameType
from typing import Any, NamedTuple

from .alphabeta import alpha_beta
from .cases import FUNCTIONS, Case, cases
from .draw import Drawn
from .game import INFINITY
from .games.tree import shown
from .minimax import minimax
from .mistakes import likeness
from .trace import Traced

CLOSE = 1e-6  # values that differ less are equal: averages may be floats
FORMS = "f(game, state), or f(tree) of a nested list"
NUMBERS = {"alpha": -INFINITY, "beta": INFINITY, "depth": 100, "player": 0, "ply": 0, "color": 1, "colour": 1}


ABSENT = object()  # where a search gives no move


class Given(NamedTuple):
    """The value and the move that a search gave."""

    value: Any
    move: Any = ABSENT


class Result(NamedTuple):
    """What became of one case: the raw answer, or an error in words; the leaves read, where that can be seen."""

    case: Case
    raw: Any
    error: str
    read: list[int]  # numbers of leaves, in order


def work(path: str, results: Connection) -> None:
    """Run the functions of a file; send the name of each case before it starts, and in the end the report and the exit code."""
    silent = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silent, 1)
    sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - to the end of the process
    try:
        names = runpy.run_path(path)
    except BaseException as error:  # noqa: BLE001 - also SystemExit: whatever the file does
        results.send(([f"{path} cannot be run: {_last_line(error, path)}"], 2))
        return
    reports = [
        report for name in FUNCTIONS if callable(names.get(name)) and (report := _report(name, names[name], path, results))
    ]
    lines = ["\n".join(report) for report, _ in reports]
    nothing = f"{path} has none of the functions {', '.join(FUNCTIONS)}: write {FORMS}"
    results.send((lines, max(code for _, code in reports)) if reports else ([nothing], 2))


def _last_line(error: BaseException, path: str) -> str:
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == path]
    where = f" in line {lines[-1]}" if lines else ""
    return f"{type(error).__name__}{where}{f': {error}' if str(error) else ''}"[:300]


# --- Calling ---


def _call(function: Callable[..., Any]) -> tuple[str, Callable[[Any, Any, Any], Any]] | None:
    """Return the form of a function, and how to call it: from its parameters without a default; None if that is unknown."""
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    needed = [
        each for each in inspect.signature(function).parameters.values() if each.kind in kinds and each.default is each.empty
    ]
    names = [each.name.lower().replace("_", "") for each in needed]
    form = "game" if "game" in names or names[1:2] in (["state"], ["s"]) else "tree"
    first, rest = (2, names[2:]) if form == "game" else (1, names[1:])
    swapped = names[1:2] == ["game"]
    if len(names) < first or not all(name in NUMBERS or "max" in name for name in rest):
        return None
    more = [NUMBERS.get(name, True) for name in rest]

    def call(game: Any, state: Any, tree: Any) -> Any:
        pair = (state, game) if swapped else (game, state)
        return function(*(pair if form == "game" else (tree,)), *more)

    return form, call


class _Reading:
    """Sees which leaves a hand-in reads: those that a variable, a parameter or a result of its code holds, one by one.

    A leaf is known by its object, so each has to be an int of its own, and not one of the small ints that Python shares.
    """

    def __init__(self, tree: Any, path: str) -> None:
        self._leaves = {id(leaf.subtree): index for index, leaf in enumerate(Traced(tree).leaves)}
        self._path, self._active = path, list[Any]()
        self.read, self.recurs = dict[int, None](), False

    def __call__(self, frame: FrameType, event: str, arg: Any) -> Any:
        if frame.f_code.co_filename != self._path:
            return None
        if event == "call":
            self.recurs |= frame.f_code in self._active
            self._active.append(frame.f_code)
        elif event == "return":
            self._active.pop()
        for value in (*frame.f_locals.values(), arg):
            if type(value) is int and id(value) in self._leaves:
                self.read.setdefault(self._leaves[id(value)])
        return self


def _own_ints(tree: Any) -> Any:
    return [_own_ints(child) for child in tree] if isinstance(tree, list) else 1000 * tree + 500


def _run(call: Callable[[Any, Any, Any], Any], case: Case, path: str, *, reads: bool) -> Result:
    tree = _own_ints(case.tree) if reads else case.tree
    reading = _Reading(tree, path) if reads else None
    try:
        sys.settrace(reading)
        raw = call(case.game, case.game.initial(), tree)
    except NotImplementedError:
        raise
    except BaseException as error:  # noqa: BLE001 - whatever the function does
        return Result(case, None, _last_line(error, path), [])
    finally:
        sys.settrace(None)
    read = list(reading.read) if reading and reading.recurs else []
    return Result(case, raw, "", read)


# --- What was meant by an answer ---


def _is_value(value: Any, like: Any) -> bool:
    if isinstance(like, tuple):
        return isinstance(value, tuple | list) and len(value) == len(like) and all(_is_value(each, 0) for each in value)
    return isinstance(value, Number) and not isinstance(value, bool | complex)


def _as_pair(raw: Any, like: Any, *, swapped: bool) -> Given | None:
    if hasattr(raw, "move"):
        return Given(getattr(raw, "values", None) or getattr(raw, "value", None), raw.move)
    if isinstance(raw, tuple | list) and len(raw) == 2 and _is_value(raw[swapped], like):
        return Given(raw[swapped], raw[not swapped])
    return None


def _meanings(function: str) -> Iterator[Callable[[Any, Case], Given | None]]:
    """Yield what an answer may mean: a pair in either order, a move as the branch's number or as the branch itself."""
    for swapped in (False, True):
        for as_branch in (False, True):
            yield partial(_meant, function == "best_move", swapped, as_branch)


def _meant(is_move: bool, swapped: bool, as_branch: bool, raw: Any, case: Case) -> Given | None:
    if is_move:
        given: Given | None = Given(case.value, raw)
    elif _is_value(raw, case.value):
        given = Given(tuple(raw) if isinstance(raw, list) else raw)
    else:
        given = _as_pair(raw, case.value, swapped=swapped)
    if as_branch and given and case.tree:
        same = [index for index, child in enumerate(case.tree) if child is given.move or child == given.move]
        right = [index for index in same if index in case.moves]
        return given._replace(move=(right or same or [given.move])[0])
    return given


def _equal(one: Any, other: Any) -> bool:
    if isinstance(other, tuple):
        return all(map(_equal, one, other))
    return bool(one == other) or abs(float(one) - float(other)) < CLOSE


def _fault(case: Case, given: Given | None) -> str:
    """Return the fault of an answer; "" if it is right."""
    if given is None or not _is_value(given.value, case.value):
        return "what it returns is no value, and no pair of value and move"
    if not _equal(given.value, case.value):
        return f"the value is {shown(case.value)}, not {_text(given.value)}"
    if given.move is ABSENT or given.move in case.moves:
        return ""
    best = " or ".join(_named(case, move) for move in case.moves)
    return f"the best move is {best}, not {_named(case, given.move)}"


def _text(value: Any) -> str:
    return shown(value) if isinstance(value, tuple | Fraction | int) else str(value)[:60]


def _named(case: Case, move: Any) -> str:
    return f"{move} ({case.tree[move]})" if case.tree and move in case.game.actions(case.game.initial()) else str(move)[:60]


# --- The report ---


def _report(name: str, function: Callable[..., Any], path: str, results: Connection) -> tuple[list[str], int] | None:
    how = _call(function)
    if how is None:
        return [f"{name}: its parameters are not known; write {FORMS}"], 2
    form, call = how
    all_results = []
    try:
        for case in cases(name, form):
            results.send(f"{name} of {case.name}")
            all_results.append(_run(call, case, path, reads=False))
    except NotImplementedError:
        return None
    meaning = max(_meanings(name), key=lambda each: sum(not _wrong(each, result) for result in all_results))
    wrong = [(result, fault) for result in all_results if (fault := _wrong(meaning, result))]
    head = f"{name}: {len(all_results) - len(wrong)} of {len(all_results)} cases right"
    if wrong:
        first, fault = wrong[0]
        pairs = [(result.case, meaning(result.raw, result.case)) for result in all_results if not result.error]
        guess = likeness(name, [(case, given) for case, given in pairs if given and case.tree])
        return [
            head,
            f"First difference, {first.case.name}:",
            *_outline(first.case),
            f"{fault[0].upper()}{fault[1:]}.",
            *guess,
        ], 1
    more, code = _leaves(name, call, all_results, path) if form == "tree" else _counts(name, all_results)
    return [head, *more], code


def _wrong(meaning: Callable[[Any, Case], Given | None], result: Result) -> str:
    return result.error or _fault(result.case, meaning(result.raw, result.case))


def _outline(case: Case, search: Callable[[Any, Any], Any] = minimax) -> list[str]:
    if not case.tree or case.order != (0, 1):
        return []
    return [Drawn(case.tree, search).outline()]


def _counts(name: str, results: Sequence[Result]) -> tuple[list[str], int]:
    """On games only the number of leaves is compared: alpha-beta reads fewer than minimax."""
    traced = [result.case.game for result in results if isinstance(result.case.game, Traced)]
    read, leaves = (
        sum(len(each) for each in kind) for kind in ([game.read for game in traced], [game.leaves for game in traced])
    )
    if name != "alpha_beta":
        return [], 0
    text = f"{read:,} of {leaves:,} leaves read"
    return ([text], 0) if read < leaves else ([f"{text}: it cuts nothing, so it is minimax."], 1)


def _leaves(name: str, call: Callable[[Any, Any, Any], Any], results: Sequence[Result], path: str) -> tuple[list[str], int]:
    """Compare the leaves read with those that the search needs, in the order in which it takes the branches."""
    if name not in ("minimax", "alpha_beta"):
        return [], 0
    again = [_run(call, result.case, path, reads=True) for result in results]
    seen = [result for result in again if result.read]
    if not any(len(result.read) > 1 for result in seen):
        return ["Which leaves it reads cannot be seen: it does not call itself, or keeps them in lists."], 0
    read, leaves = sum(len(result.read) for result in seen), sum(len(result.case.game.leaves) for result in seen)
    notes = [f"{read:,} of {leaves:,} leaves read"]
    if any(result.read != sorted(result.read) for result in seen):
        notes.append("It takes the branches in another order than from left to right, which is right too.")
    if name == "minimax":
        return [*notes, *(["It leaves out leaves, as alpha-beta does; the values are right."] if read < leaves else [])], 0
    more = [(result, extra) for result in seen if (extra := _extra(result, strictly=True))]
    if more:
        result, extra = more[0]
        all_read = "It reads every leaf, so it cuts nothing. " if read == leaves else ""
        return [*notes, f"First leaf too many, {result.case.name}:", *_outline(result.case, alpha_beta), f"{all_read}{extra}"], 1
    if any(_extra(result, strictly=False) for result in seen):
        notes.append("It does not cut where the values are equal, which is right too: with >= and <= it would read fewer leaves.")
    return notes, 0


def _extra(result: Result, *, strictly: bool) -> str:
    """Return a sentence about the first leaf that alpha-beta need not read; nothing if there is none."""
    time = {leaf: at for at, leaf in enumerate(result.read)}
    numbers = iter(range(len(result.case.game.leaves)))

    def ordered(node: Any) -> tuple[Any, float]:  # with the branches in the order of the reading, leaves by (value, number)
        if not isinstance(node, list):
            number = next(numbers)
            return (node, number), time.get(number, INFINITY)
        children = sorted([ordered(child) for child in node], key=lambda child: child[1])
        return [child[0] for child in children], children[0][1]

    def values(node: Any) -> Any:
        return [values(child) for child in node] if isinstance(node, list) else node[0]

    def leaves(node: Any) -> list[int]:
        return [leaf for child in node for leaf in leaves(child)] if isinstance(node, list) else [node[1]]

    tree = ordered(result.case.tree)[0]
    drawn = Drawn(values(tree), alpha_beta)
    own = dict(zip(drawn.leaves, leaves(tree), strict=True))
    for step in drawn.steps:
        for cut in step.cuts:
            low, high = step.known[cut.node]
            side, bound = ("at most", high) if drawn.kind(cut.node) == "MIN" else ("at least", low)
            extra = [leaf for leaf, number in own.items() if number in time and {leaf, *leaf.above} & {*cut.branches}]
            if extra and cut.held.at and not (strictly and bound == cut.held.value):
                held = f"{drawn.names[cut.held.at]} had {shown(cut.held.value)} already"
                return f"Leaf {drawn.names[extra[0]]} was read; {drawn.names[cut.node]} was {side} {shown(bound)} and {held}."
    return ""
