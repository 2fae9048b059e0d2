# SPDX-License-Identifier: GPL-3.0-or-later
"""The textbook searches: their examples, the algorithms against each other, and the rules of chess."""

import doctest
import importlib
from fractions import Fraction
from pathlib import Path
from typing import Any

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st
from places import ROOT

from coachwhip.study.reference import (
    CHANCE,
    Answer,
    Counted,
    Truncated,
    alpha_beta,
    alpha_beta_list,
    at_depth,
    expectimax,
    minimax,
    minimax_list,
    negamax,
    negamax_alpha_beta,
    quiescence,
)
from coachwhip.study.reference.games.board import MATE, Chess, Line, material
from coachwhip.study.reference.games.tree import Branch, Tree

MODULES = sorted(path.relative_to(ROOT).with_suffix("") for path in (ROOT / "coachwhip" / "study" / "reference").rglob("*.py"))

FULL = (minimax, negamax, minimax_list)  # look at every node
PRUNING = (alpha_beta, negamax_alpha_beta, alpha_beta_list)

# Few different numbers on purpose: ties are where the choice of the move can go wrong.
leaves = st.integers(-3, 3)
subtrees = st.recursive(leaves, lambda below: st.lists(below, min_size=1, max_size=4), max_leaves=30)
uneven = st.sampled_from([(0, 1), (0, 0, 1), (0, 1, 1), (1, 0, 0, 1)])  # who moves when, with some moving twice


def search(algorithm: Any, game: Any) -> tuple[Answer[Any], int]:
    """The answer from the start of a game, and the nodes it took."""
    counted: Counted[Any, Any] = Counted(game)
    return algorithm(counted, counted.initial()), counted.nodes


def some_estimate(branch: Branch, player: int) -> int:
    """An evaluation that differs from state to state, and is the same for both sides but for the sign."""
    value = len(str(branch.subtree)) % 7 - 3
    return value if player == 0 else -value


@pytest.mark.parametrize("path", MODULES, ids=str)
def test_the_examples_in_the_docstrings_hold(path: Path) -> None:
    name = ".".join(path.parts).removesuffix(".__init__")
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_expectimax_on_a_tree_worked_by_hand() -> None:
    # MAX, chance, MIN: left 1/2 * min(2, 7) + 1/2 * min(4, 6) = 3; right 1/3 * (min(9, 0) + 5 + min(8, 1)) = 2.
    tree = Tree([[[2, 7], [4, 6]], [[9, 0], [5], [8, 1]]], (0, CHANCE, 1))
    assert expectimax(tree, tree.initial(), tree.odds) == Answer(Fraction(3), 0)
    thrown = Tree([[1, 2], [5, 3]], (CHANCE, 1))
    assert expectimax(thrown, thrown.initial(), thrown.odds, player=0) == Answer(Fraction(2), None)


# --- Against each other, on arbitrary trees ---


@given(subtrees)
def test_all_exact_searches_answer_the_same(subtree: Any) -> None:
    expected, size = search(minimax, Tree(subtree))
    for algorithm in FULL:
        assert search(algorithm, Tree(subtree)) == (expected, size)
    _, pruned = search(alpha_beta, Tree(subtree))
    assert pruned <= size
    for algorithm in PRUNING:  # the same move, too, and node for node the same work
        assert search(algorithm, Tree(subtree)) == (expected, pruned)


@given(subtrees, uneven)
def test_searches_that_do_not_negate_let_a_player_move_twice(subtree: Any, order: tuple[int, ...]) -> None:
    tree = Tree(subtree, order)
    expected, size = search(minimax, tree)
    assert search(minimax_list, tree) == (expected, size)
    answer, nodes = search(alpha_beta, tree)
    assert answer == expected
    assert nodes <= size
    assert search(alpha_beta_list, tree) == (answer, nodes)


@pytest.mark.parametrize("algorithm", [alpha_beta, negamax_alpha_beta])
@given(subtree=subtrees, alpha=st.integers(-4, 3), width=st.integers(1, 4))
def test_an_answer_outside_the_window_is_a_bound(algorithm: Any, subtree: Any, alpha: int, width: int) -> None:
    tree = Tree(subtree)
    exact = minimax(tree, tree.initial()).value
    value = algorithm(tree, tree.initial(), alpha, alpha + width).value
    if value <= alpha:
        assert exact <= value
    elif value >= alpha + width:
        assert exact >= value
    else:
        assert exact == value


@given(subtrees, st.integers(-4, 3), st.integers(1, 4))
def test_quiescence_is_the_game_in_which_one_may_decline(subtree: Any, alpha: int, width: int) -> None:
    def declined(branch: Any, ply: int) -> Any:
        """The tree in which at every node one may also end the game and take the estimate, that move coming first."""
        if not isinstance(branch, list):
            return branch
        return [some_estimate(Branch(branch, ply), 0), *[declined(child, ply + 1) for child in branch]]

    tree = Tree(subtree)
    other = Tree(declined(subtree, 0))
    exact = minimax(other, other.initial()).value
    assert quiescence(tree, tree.initial(), some_estimate, tree.actions).value == exact
    value = quiescence(tree, tree.initial(), some_estimate, tree.actions, alpha=alpha, beta=alpha + width).value
    assert exact <= value if value <= alpha else (exact >= value if value >= alpha + width else exact == value)


# --- Chess ---


def searched(fen: str, depth: int) -> Answer[chess.Move]:
    """Value and move by alpha-beta on material."""
    return search(alpha_beta, Truncated(Chess(chess.Board(fen)), material, at_depth(depth)))[0]


def test_a_mate_counts_its_plies_and_comes_before_the_fifty_move_rule() -> None:
    for fen, plies in (("6k1/5ppp/8/8/8/8/8/R6K w - - 0 1", 1), ("7k/8/5K2/8/8/8/8/6R1 w - - 0 1", 3)):
        assert searched(fen, plies).value == MATE - plies
        assert searched(fen, plies - 1).value < MATE - 100  # not visible one ply earlier
    assert searched("7k/6Q1/5K2/8/8/8/8/8 b - - 0 1", 0) == Answer(-MATE)
    assert searched("6k1/5ppp/8/8/8/8/8/R6K w - - 99 80", 1) == Answer(MATE - 1, chess.Move.from_uci("a1a8"))
    assert searched("6k1/6pp/8/8/8/8/8/R6K w - - 99 80", 2).value == 0


def line_of(moves: str, fen: str = chess.STARTING_FEN) -> Line:
    """The line below a root, moves in UCI text."""
    game = Chess(chess.Board(fen))
    line = game.initial()
    for move in moves.split():
        line = game.result(line, chess.Move.from_uci(move))
    return line


def test_a_position_once_more_is_a_draw_below_the_root() -> None:
    there_and_back = line_of("g1f3 g8f6 f3g1 f6g8")
    assert Chess().is_terminal(there_and_back)
    assert Chess().utility(there_and_back, 0) == 0
    assert not Chess().is_terminal(Line(there_and_back.board, 0))  # the root has a move
    rooks_down = "6k1/6p1/8/7Q/8/8/rr6/7K w - - 0 1"  # saved by perpetual check
    assert searched(rooks_down, 2).value < 0
    assert searched(rooks_down, 4) == Answer(0, chess.Move.from_uci("h5e8"))


def test_in_check_quiescence_looks_at_every_move() -> None:
    game = Chess(chess.Board("6k1/8/8/8/8/8/5PPP/r5K1 w - - 0 1"))
    assert quiescence(game, game.initial(), material, game.noisy, game.may_stand_pat).value == -MATE


# --- The subcommand ---
