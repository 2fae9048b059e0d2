# SPDX-License-Identifier: GPL-3.0-or-later
"""A hand-in at work, in a process of its own: each of its functions is called on each case.

`verdict` judges the answers.
"""

import inspect
import os
import runpy
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from copy import deepcopy
from multiprocessing.connection import Connection
from types import CodeType, FrameType
from typing import Any

from ...text import shorten
from .cases import FUNCTIONS, PLAYERS, Case, cases
from .game import INFINITY
from .trace import Traced
from .verdict import ABSENT, Report, Result, judge_answers, judge_leaves

FORMS = "f(game, state), or f(tree) of a nested list"
# A word in the name of a further parameter -> its value at the root.
FILLED = {
    "alpha": -INFINITY,
    "beta": INFINITY,
    "depth": 100,
    "max": True,
    "players": PLAYERS,
    "player": 0,
    "ply": 0,
}
FILLED |= {"color": 1, "colour": 1}
LEAVES_COMPARED = ("minimax", "alpha_beta")
Call = Callable[[Case, Any], Any]


def work(path: str, results: Connection) -> None:
    """Run the functions of a file.

    Send the name of each case before it starts, and in the end the report and the exit code.
    """
    sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - to the end of the process
    sys.path.insert(0, os.path.dirname(path))  # for other files of the hand-in
    try:
        names = runpy.run_path(path)
    except BaseException as error:  # noqa: BLE001 - also SystemExit: whatever the file does
        results.send(([f"{path} cannot be run: {_last_line(error, path)}"], 2))
        return
    reports = []
    for name in FUNCTIONS:
        if callable(names.get(name)):
            with suppress(NotImplementedError):  # as in the exercise: a function that is left out
                reports.append(_report(name, names[name], path, results))
    nothing = f"{path} has none of the functions {', '.join(FUNCTIONS)}: write {FORMS}"
    text = ["\n".join(lines) for lines, _ in reports] or [nothing]
    results.send((text, max((code for _, code in reports), default=2)))


def _report(name: str, function: Callable[..., Any], path: str, results: Connection) -> Report:
    """Run a function on its cases, and judge it."""
    form, call = _call(function)
    if not form:
        return [f"{name}: its parameters are not known; write {FORMS}"], 2

    def run(case: Case, *, follows: bool = False) -> Result:
        results.send(shorten(f"{name} of {case.name}", 200))
        return _run(call, case, path, follows=follows)

    answers = [run(case) for case in cases(name, form)]
    lines, code = judge_answers(name, answers)
    if code or name not in LEAVES_COMPARED:
        return lines, code
    if form == "tree":
        answers = [run(result.case, follows=True) for result in answers]
    more, code = judge_leaves(name, answers)
    return lines + more, code


def _call(function: Callable[..., Any]) -> tuple[str, Call]:
    """Return the form of a function, `tree`, `game` or "" (unknown), and how to call it."""
    parameters = inspect.signature(function).parameters.values()
    needed = [each for each in parameters if each.default is each.empty and each.kind < each.VAR_POSITIONAL]
    names = [each.name.lower().replace("_", "") for each in needed]
    takes_game = "game" in names or names[1:2] in (["state"], ["s"])
    more = [
        next((FILLED[word] for word in FILLED if word in name), ABSENT) for name in names[1 + takes_game :]
    ]

    def call(case: Case, tree: Any) -> Any:
        first = (case.game, case.game.initial()) if takes_game else (tree,)
        return function(*(first[::-1] if names[1:2] == ["game"] else first), *more)

    return "" if ABSENT in more or len(names) < 1 + takes_game else "game" if takes_game else "tree", call


def _run(call: Call, case: Case, path: str, *, follows: bool = False) -> Result:
    """Run a function on one case. `follows`: with other leaves, so that it can be seen which it reads."""
    tree = _own_ints(case.tree) if follows else case.tree
    given = deepcopy(tree)
    reading = _Reading(given, path) if follows else None
    try:
        sys.settrace(reading)
        answer = call(case, given)
    except NotImplementedError:
        raise
    except BaseException as error:  # noqa: BLE001 - whatever the function does
        return Result(case, None, _last_line(error, path), [], repeats=False)
    finally:
        sys.settrace(None)
    if reading:
        read, repeats = reading.leaves()
    else:  # in a game it is asked for the utility of leaves; perhaps it only takes the moves in another order
        read = [case.game.leaves.index(leaf) for leaf in getattr(case.game, "read", ())]
        repeats = read != sorted(read)
    return Result(
        case,
        answer,
        "" if given == tree else "it changes the tree that it gets: work on a copy",
        read,
        repeats,
    )


def _last_line(error: BaseException, path: str) -> str:
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == path]
    where = f" in line {lines[-1]}" if lines else ""
    return f"{type(error).__name__}{where}{f': {error}' if str(error) else ''}"[:300]


class _Reading:
    """Sees which leaves a hand-in reads: those that a variable, parameter or result of its code holds.

    It sees them one by one. A leaf is known by its object, so each has to be an int of its own, and not one
    of the small ints that Python shares.
    """

    def __init__(self, tree: Any, path: str) -> None:
        nodes = Traced(tree)
        self._leaves = {id(leaf.subtree): index for index, leaf in enumerate(nodes.leaves)}
        self._inner = {id(node.subtree) for node in nodes.nodes if node.children}
        self._path, self._active, self._recursive = path, list[CodeType](), set[CodeType]()
        self._visits, self._repeating = set[tuple[CodeType, int]](), set[CodeType]()
        # leaf and function -> the functions that were running
        self._reads: dict[tuple[int, CodeType], set[CodeType]] = {}

    def __call__(self, frame: FrameType, event: str, arg: Any) -> Any:
        code, values = frame.f_code, (*frame.f_locals.values(), arg)
        if code.co_filename != self._path:
            return None
        if event == "call":
            self._recursive |= {code} & {*self._active}
            self._active.append(code)
            visits = {(code, id(value)) for value in values if id(value) in self._inner}
            self._repeating |= {code} if visits & self._visits else set()
            self._visits |= visits
        elif event == "return":
            self._active.pop()
        for value in values:
            if type(value) is int and id(value) in self._leaves:
                self._reads.setdefault((self._leaves[id(value)], code), {code, *self._active})
        return self

    def leaves(self) -> tuple[list[int], bool]:
        """Return the leaves in the order in which recursive functions read them, and if nodes are revisited.

        Other functions sort, say. If one of these had no part in it, as a search of nodes that another one
        makes first, nothing can be seen: [].
        """
        read, readers = dict[int, None](), set[CodeType]()
        for (leaf, code), active in self._reads.items():
            if code in self._recursive and leaf not in read:
                read[leaf] = None
                readers |= active
        return list(read) if self._recursive <= readers else [], bool(self._repeating & self._recursive)


def _own_ints(tree: Any) -> Any:
    return [_own_ints(child) for child in tree] if isinstance(tree, list) else 1000 * tree + 500
