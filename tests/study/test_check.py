# SPDX-License-Identifier: GPL-3.0-or-later
"""`coachwhip reference --check`: wrong searches are found, and right ones in any style are not blamed."""

from pathlib import Path
from textwrap import dedent

import pytest

from coachwhip.study.reference import check
from coachwhip.study.reference.__main__ import main

HEAD = "import math\nfrom own import inf\nfrom functools import cache\n"
ALPHA_BETA = """
def alpha_beta(tree, alpha=-inf, beta=inf, is_max=True):
    if not isinstance(tree, list):
        return tree
    best = -inf if is_max else inf
    for child in tree:
        value = alpha_beta(child, alpha, beta, not is_max)
        if is_max:
            best = max(best, value)
            alpha = max(alpha, best)
        else:
            best = min(best, value)
            beta = min(beta, best)
        if alpha >= beta:
            break
    return best
"""
MINIMAX = """
def minimax(tree, is_max=True):
    if isinstance(tree, list):
        values = [minimax(child, not is_max) for child in tree]
        return max(values) if is_max else min(values)
    return tree
"""
ON_GAME = """
def alpha_beta(game, state):
    def search(state, alpha, beta):
        if game.is_terminal(state):
            return game.utility(state, 0), None
        best, move = (-inf if game.to_move(state) == 0 else inf), None
        for action in game.actions(state):
            value, _ = search(game.result(state, action), alpha, beta)
            if game.to_move(state) == 0:
                if value > best:
                    best, move = value, action
                alpha = max(alpha, best)
            else:
                if value < best:
                    best, move = value, action
                beta = min(beta, best)
            if beta <= alpha:
                break
        return best, move
    return search(state, -inf, inf)
"""
EXPECTIMAX = """
def expectimax(game, state):
    if game.is_terminal(state):
        return game.utility(state, 0)
    if game.to_move(state) == -1:
        return sum(chance * expectimax(game, game.result(state, move)) for chance, move in game.odds(state))
    values = [expectimax(game, game.result(state, move)) for move in game.actions(state)]
    return max(values) if game.to_move(state) == 0 else min(values)
"""
AVERAGE = """
def expectimax(tree, ply=0):
    if not isinstance(tree, list):
        return tree
    values = [expectimax(child, ply + 1) for child in tree]
    return sum(values) / len(values) if ply % 2 else max(values)
"""
MAX_N = """
def max_n(game, state):
    if game.is_terminal(state):
        return [game.utility(state, player) for player in range(game.players)]
    player = game.to_move(state)
    answers = [max_n(game, game.result(state, move)) for move in game.actions(state)]
    return max(answers, key=lambda values: values[player])
"""
BEST = (
    ALPHA_BETA.replace("alpha_beta(", "search(").replace(
        "-inf if is_max else inf", "alpha if is_max else beta"
    )
    + """
def best_move(tree):
    alpha, move = -inf, None
    for index, child in enumerate(tree):
        result = search(child, alpha, inf, False)
        if result > alpha:
            alpha, move = result, index
    return move
"""
)
NEGAMAX = """
def negamax(node, sign, alpha, beta):
    if type(node) is not list:
        return sign * node
    for child in node:
        alpha = max(alpha, -negamax(child, -sign, -beta, -alpha))
        if alpha >= beta:
            return alpha
    return alpha
def alpha_beta(tree):
    return negamax(tree, 1, -inf, inf)
"""
OWN_NODES = (
    ALPHA_BETA.replace("alpha_beta(", "search(").replace("list)", "tuple)")
    + """
def nodes(tree):
    return tuple(map(nodes, tree)) if isinstance(tree, list) else tree
def alpha_beta(tree):
    return search(nodes(tree))
"""
)
PVS = """
def search(node, alpha, beta, sign):
    if not isinstance(node, list):
        return sign * node
    for child in node:
        value = -search(child, -alpha - 1, -alpha, -sign)
        if alpha < value < beta:
            value = -search(child, -beta, -value, -sign)
        alpha = max(alpha, value)
        if alpha >= beta:
            break
    return alpha
def alpha_beta(tree):
    return search(tree, -10**9, 10**9, 1)
"""
STACK = """
def minimax(tree):
    stack = [(tree, max, [])]
    while True:
        node, choose, values = stack[-1]
        if isinstance(node, list) and len(values) < len(node):
            stack.append((node[len(values)], min if choose is max else max, []))
            continue
        stack.pop()
        value = choose(values) if values else node
        if not stack:
            return value
        stack[-1][2].append(value)
"""
RIGHT = {
    "nested lists": ALPHA_BETA + MINIMAX + AVERAGE + BEST,
    "games": ON_GAME + EXPECTIMAX + MAX_N,
    "negamax, fail-hard, type is list": NEGAMAX,
    "no cut at equality": ALPHA_BETA.replace(">=", ">"),
    "right to left, of a copy": ALPHA_BETA.replace("in tree", "in reversed(list(tree))")
    + MINIMAX.replace("in tree", "in tree[::-1]"),
    "searches again": PVS,
    "explicit stack": STACK,
    "nodes of its own": OWN_NODES,
    "sorted by a function": ALPHA_BETA.replace("in tree", "in sorted(tree, key=key)")
    + "def key(c):\n    return type(c) is list\n",
    "players given": MAX_N.replace("state)", "state, players)", 1)
    .replace("move))", "move), players)")
    .replace("game.players", "players"),
    "move first, and the parameters of Wikipedia": """
def minimax(node, depth, maximizingPlayer):
    if depth == 0 or type(node) is int:
        return None, node
    choose = max if maximizingPlayer else min
    values = [minimax(child, depth - 1, not maximizingPlayer)[1] for child in node]
    return choose(enumerate(values), key=lambda pair: pair[1])
""",
    "names of the book": MINIMAX.replace("minimax", "v")
    + "def best_move(tree):\n    return max(tree, key=lambda c: v(c, False))\n",
}
WRONG = {  # name -> source, a part of the report
    "all maximise": (MINIMAX.replace("if is_max else min(values)", ""), "It maximises at MIN's nodes"),
    "MIN first": (MINIMAX.replace("is_max=True", "is_max=False"), "It lets MIN move first."),
    "sign": (
        MINIMAX.replace("minimax(tree,", "search(tree,").replace("minimax(", "search(")
        + "def minimax(t): return -search(t)",
        "The sign",
    ),
    "starts at 0": (ALPHA_BETA.replace("-inf if is_max else inf", "0"), "starts at 0"),
    "negamax, leaf": (
        "def minimax(tree):\n    return max(-minimax(c) for c in tree) if isinstance(tree, list) else tree",
        "It negates the children's values, but not a leaf's",
    ),
    "no cut": (ALPHA_BETA.replace("if alpha >= beta", "if False"), "It reads every leaf, so it cuts nothing"),
    "no deep window": (ALPHA_BETA.replace("alpha, beta, not is_max", "-inf, inf, not is_max"), " was read; "),
    "only alpha goes down": (ALPHA_BETA.replace("alpha, beta, not", "alpha, inf, not"), " was read; "),
    "cut too early": (ALPHA_BETA.replace("alpha >= beta", "alpha >= beta - 1"), "The value is"),
    "global window": (
        ALPHA_BETA.replace("alpha_beta(", "search(")
        .replace("alpha =", "A[0] =")
        .replace("beta =", "A[1] =")
        .replace("alpha >= beta", "A[0] >= A[1]")
        + "def alpha_beta(tree):\n    A[:] = -inf, inf\n    return search(tree)\nA = []\n",
        "Alpha and beta of one branch stay",
    ),
    "chooses by a bound": (BEST.replace("result > alpha", "result >= alpha"), "It chooses by a bound"),
    "adds up": (AVERAGE.replace(" / len(values)", ""), "divide by their number"),
    "player 0 everywhere": (
        MAX_N.replace("values[player]", "values[0]"),
        "maximises the first player's number",
    ),
    "on games, no cut": (
        ON_GAME.replace("if beta <= alpha", "if None"),
        "It reads every leaf, so it cuts nothing",
    ),
    "on games, alpha stays": (ON_GAME.replace("action), alpha", "action), -inf"), " was read; "),
    "on games, by a bound": (
        ON_GAME.replace("if value > best:", "if value >= best:"),
        "It chooses by a bound",
    ),
    "depth limit": (
        MINIMAX.replace("is_max=True", "is_max=True, depth=3")
        .replace("not is_max)", "not is_max, depth - 1)")
        .replace("isinstance(tree, list)", "depth and isinstance(tree, list)"),
        "TypeError in line",
    ),
    "alpha goes down at MIN only": (
        ALPHA_BETA.replace("(child, alpha", "(child, -inf if is_max else alpha"),
        " was read; ",
    ),
    "alpha of a cut": (ALPHA_BETA.replace("return best", "return alpha"), "The value is"),
    "shared list": (
        MINIMAX.replace("values = [", "values += [").replace("is_max=True", "is_max=True, values=[]"),
        "The value is",
    ),
    "memo without the player": (
        "MEMO = {}\n"
        + MINIMAX.replace(
            "return max(values) if", "return MEMO.setdefault(str(tree), max(values) if"
        ).replace("min(values)", "min(values))"),
        "The value is",
    ),
    "changes the tree": (
        ALPHA_BETA.replace("for child in tree:", "while tree:\n        child = tree.pop(0)"),
        "It changes the tree",
    ),
    "exit": ("def minimax(tree):\n    import os\n    os._exit(3)\n", "minimax of [47]: ended the process"),
}


def checked(source: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    """Exit code and report of a hand-in."""
    (tmp_path / "own.py").write_text("from math import inf\n", encoding="utf-8")
    (tmp_path / "mine.py").write_text(HEAD + dedent(source), encoding="utf-8")
    code = main(["--check", str(tmp_path / "mine.py")])
    return code, capsys.readouterr().out


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_search_is_not_blamed(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, printed = checked(RIGHT[name], tmp_path, capsys)
    assert code == 0, printed
    assert "First" not in printed
    assert ("does not cut at equal values" in printed) == (name == "no cut at equality")


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_search_is_found(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, sentence = WRONG[name]
    code, printed = checked(source, tmp_path, capsys)
    assert code == 1, printed
    assert sentence in printed


def test_a_search_that_never_ends_is_ended(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(check, "SECONDS", 3)
    code, printed = checked("def minimax(tree):\n    while True: pass\n", tmp_path, capsys)
    assert code == 1
    assert "did not end in 3 seconds" in printed


@pytest.mark.parametrize(
    ("source", "complaint"),
    [
        ("def minimax(): pass", "its parameters are not known"),
        ("x = 1", "has none of the functions"),
        ("def minimax(tree:", "SyntaxError"),
        ("import sys; sys.exit(0)", "SystemExit"),
        (check.EXERCISE, "has none of the functions"),
    ],
)
def test_a_file_without_a_search(
    source: str, complaint: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, printed = checked(source, tmp_path, capsys)
    assert code == 2
    assert complaint in printed
