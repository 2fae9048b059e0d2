# SPDX-License-Identifier: GPL-3.0-or-later
"""The textbook searches: their examples, the algorithms against each other, and the rules of chess."""

import doctest
import importlib
import json
import random
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import chess
import pytest
from browser import DARK, PHONE, Browser
from hypothesis import given
from hypothesis import strategies as st
from places import ROOT
from programs import CHROMIUM

from coachwhip.study.reference import (
    CHANCE,
    Answer,
    Counted,
    Truncated,
    alpha_beta,
    alpha_beta_list,
    at_depth,
    expectimax,
    forward_pruning,
    iterative_deepening,
    minimax,
    minimax_list,
    negamax_alpha_beta,
    quiescence,
)
from coachwhip.study.reference.__main__ import EXACT, FOR_TREES, SEARCHES, main
from coachwhip.study.reference.draw import Drawn
from coachwhip.study.reference.games.board import MATE, Chess, Line, material
from coachwhip.study.reference.games.maze import END, FOOD, MOVE, TRAP, Maze
from coachwhip.study.reference.games.tree import Branch, Tree, first_leaf
from coachwhip.study.reference.trace import Traced

MODULES = sorted(
    path.relative_to(ROOT).with_suffix("")
    for path in (ROOT / "coachwhip" / "study" / "reference").rglob("*.py")
)

FULL = ("minimax", "negamax", "minimax_list")  # look at every node
PRUNING = ("alpha_beta", "negamax_alpha_beta", "alpha_beta_list")  # look at the same nodes

# Few different numbers on purpose: ties are where the choice of the move can go wrong.
leaves = st.integers(-3, 3)
subtrees = st.recursive(leaves, lambda below: st.lists(below, min_size=1, max_size=4), max_leaves=30)
trees = st.lists(subtrees, min_size=1, max_size=4)
# who moves when, with some moving twice
uneven = st.sampled_from([(0, 1), (0, 0, 1), (0, 1, 1), (1, 0, 0, 1)])


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


def test_expectimax_from_a_throw() -> None:
    thrown = Tree([[1, 2], [5, 3]], (CHANCE, 1))
    assert expectimax(thrown, thrown.initial(), thrown.odds, player=0) == Answer(Fraction(2), None)


# --- Against each other, on arbitrary trees ---


@given(trees)
def test_all_exact_searches_find_the_value_and_a_best_move(root: Any) -> None:
    searches = {name: FOR_TREES[name] for name in EXACT}
    searches["deepening"] = partial(iterative_deepening, evaluate=first_leaf, depth=50)
    searches["unpruned"] = partial(forward_pruning, evaluate=first_leaf, depth=50)
    found = {name: search(algorithm, Traced(root)) for name, algorithm in searches.items()}
    (expected, size), (_, pruned) = found["minimax"], found["alpha_beta"]
    assert pruned <= size
    for name, (answer, nodes) in found.items():
        assert answer.value == expected.value == -minimax(Tree(root), Branch(root[answer.move or 0], 1)).value
        if name in (*FULL, *PRUNING):
            assert (answer.move, nodes) == (expected.move, size if name in FULL else pruned)


class Web(Tree):
    """Random states of 12 on each of 5 levels with 3 moves each: nearly all are reached in many ways."""

    def __init__(self, seed: int) -> None:
        source = random.Random(seed)
        super().__init__([[source.randrange(12) for _ in range(3)] for _ in range(60)])
        self.value = [source.randint(-3, 3) for _ in range(12)]

    def initial(self) -> Branch:
        return Branch(0, 0)

    def actions(self, state: Branch) -> list[int]:
        moves: list[int] = self._root[12 * state.ply + state.subtree]
        return moves

    def result(self, state: Branch, move: int) -> Branch:
        return Branch(move, state.ply + 1)

    def is_terminal(self, state: Branch) -> bool:
        return state.ply == 5

    def utility(self, state: Branch, player: int) -> int:
        value: int = self.value[state.subtree]
        return -value if player else value


def test_the_bounds_in_a_table_hold_for_every_window() -> None:
    saved = 0
    for seed in range(300):
        answer, nodes = search(FOR_TREES["alpha_beta_table"], Web(seed))
        expected, plain = search(alpha_beta, Web(seed))
        assert answer.value == expected.value == search(FOR_TREES["alpha_beta_killers"], Web(seed))[0].value
        saved += plain - nodes
    assert saved > 0


def test_iterative_deepening_stops_with_the_answer_of_the_last_whole_search() -> None:
    tree = Traced([[[1, 9], [5, 2]], [[7, 3], [8, 4]]])
    depths = [iterative_deepening(tree, tree.root, first_leaf, depth) for depth in (1, 2, 3)]
    for nodes in range(40):
        assert iterative_deepening(tree, tree.root, first_leaf, 3, nodes) in depths
    assert iterative_deepening(tree, tree.root, first_leaf, 3, 3) == depths[0]
    assert iterative_deepening(tree, tree.root, first_leaf, 3, 40) == depths[2]


@given(trees, st.sampled_from([*FOR_TREES]))
def test_a_branch_that_is_left_out_unproved_is_not_called_cut(root: Any, name: str) -> None:
    drawn = Drawn(root, FOR_TREES[name])
    cut = [branch for step in drawn.steps for _, branches in step.cuts.values() for branch in branches]
    skipped = [branch for step in drawn.steps for branch in step.skipped]
    assert not skipped or name in ("late_move_reductions", "probcut")
    read = {node for leaf in drawn.read for node in (leaf, *leaf.above)}
    assert {*cut, *skipped} == {node for node in drawn.nodes if node not in read and node.above[0] in read}


@given(trees)
def test_a_leaf_is_read_in_vain_exactly_where_alpha_beta_leaves_it_out(root: Any) -> None:
    needed = [step.leaf.number for step in Drawn(root, minimax).steps if not step.closed]
    steps = Drawn(root, alpha_beta).steps
    assert needed == [step.leaf.number for step in steps]
    assert not any(step.closed for step in steps)


@pytest.mark.parametrize("algorithm", [alpha_beta, negamax_alpha_beta])
@given(subtree=subtrees, alpha=st.integers(-4, 3), width=st.integers(1, 4))
def test_an_answer_outside_the_window_is_a_bound(
    algorithm: Any, subtree: Any, alpha: int, width: int
) -> None:
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
        """The tree in which one may, as a first move, end the game at every node for the estimate."""
        if not isinstance(branch, list):
            return branch
        return [some_estimate(Branch(branch, ply), 0), *[declined(child, ply + 1) for child in branch]]

    tree = Tree(subtree)
    other = Tree(declined(subtree, 0))
    exact = minimax(other, other.initial()).value
    assert quiescence(tree, tree.initial(), some_estimate, tree.actions).value == exact
    value = quiescence(
        tree, tree.initial(), some_estimate, tree.actions, alpha=alpha, beta=alpha + width
    ).value
    assert (
        exact <= value if value <= alpha else (exact >= value if value >= alpha + width else exact == value)
    )


# --- Chess ---


def searched(fen: str, depth: int) -> Answer[chess.Move]:
    """Value and move by alpha-beta on material."""
    return search(alpha_beta, Truncated(Chess(chess.Board(fen)), material, at_depth(depth)))[0]


def test_a_mate_counts_its_plies_and_comes_before_the_fifty_move_rule() -> None:
    for fen, plies in (("6k1/5ppp/8/8/8/8/8/R6K w - - 0 1", 1), ("7k/8/5K2/8/8/8/8/6R1 w - - 0 1", 3)):
        game = Chess(chess.Board(fen))
        assert (
            searched(fen, plies).value
            == iterative_deepening(game, game.initial(), material, plies).value
            == MATE - plies
        )
        assert searched(fen, plies - 1).value < MATE - 100  # not visible one ply earlier
    assert searched("7k/6Q1/5K2/8/8/8/8/8 b - - 0 1", 0) == Answer(-MATE)
    assert searched("6k1/5ppp/8/8/8/8/8/R6K w - - 99 80", 1) == Answer(MATE - 1, chess.Move.from_uci("a1a8"))
    assert searched("6k1/6pp/8/8/8/8/8/R6K w - - 99 80", 2).value == 0


def test_a_position_once_more_is_a_draw_below_the_root() -> None:
    board = chess.Board()
    for move in ("g1f3", "g8f6", "f3g1", "f6g8"):
        board.push_uci(move)
    assert Chess().is_terminal(Line(board, 4))
    assert Chess().utility(Line(board, 4), 0) == 0
    assert not Chess().is_terminal(Line(board, 0))  # the root has a move
    rooks_down = "6k1/6p1/8/7Q/8/8/rr6/7K w - - 0 1"  # saved by perpetual check
    assert searched(rooks_down, 2).value < 0
    assert searched(rooks_down, 4) == Answer(0, chess.Move.from_uci("h5e8"))


def test_in_check_quiescence_looks_at_every_move() -> None:
    game = Chess(chess.Board("6k1/8/8/8/8/8/5PPP/r5K1 w - - 0 1"))
    assert quiescence(game, game.initial(), material, game.noisy, game.may_stand_pat).value == -MATE


# --- Watched searches ---

TREE = "[[3, 12, 8], [2, 4, 6], [14, 5, 2]]"
STEPS = """\
1. Leaf 3: B is at most 3.
2. Leaf 12: B is still at most 3.
3. Leaf 8: B is 3, so A is at least 3.
4. Leaf 2: C is at most 2, and A has 3 already, so the leaves 4 and 6 are cut.
5. Leaf 14: D is at most 14, so A is between 3 and 14.
6. Leaf 5: D is at most 5, so A is between 3 and 5.
7. Leaf 2: D is 2, so A is 3.
"""


@given(trees, uneven, st.sampled_from([alpha_beta, alpha_beta_list, minimax, minimax_list]))
def test_what_is_known_is_true_and_the_cut_leaves_were_never_read(
    root: Any, order: tuple[int, ...], algorithm: Any
) -> None:
    asked = []

    class Logged(Tree):
        def utility(self, state: Branch, player: int) -> Any:
            asked.append(state.subtree)
            return super().utility(state, player)

    answer = algorithm(Logged(root, order), Branch(root, 0))
    watched = Drawn(root, algorithm, order)
    assert watched.answer.move == answer.move
    known, true, cut = dict[int, Any](), dict[int, Any](), set[int]()
    for node in reversed(watched.nodes):
        values = [true[child.number] for child in node.children]
        true[node.number] = (
            (min(values) if order[node.ply % len(order)] else max(values)) if values else node.subtree
        )
    for number, step in enumerate(watched.steps):
        known |= {node.number: bounds for node, bounds in step.known.items()}
        assert all(low <= true[number] <= high for number, (low, high) in known.items())
        assert not step.skipped
        assert not step.cuts or " already, so " in watched.sentence(number)
        cut |= {branch.number for _, branches in step.cuts.values() for branch in branches}
    assert known[0] == (true[0], true[0])
    assert true[0] == (-answer.value if order[0] else answer.value)
    assert asked == [
        leaf.subtree for leaf in watched.leaves if not cut & {node.number for node in (leaf, *leaf.above)}
    ]


def test_the_terminal_shows_the_tree_and_the_steps_of_the_textbook(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert main(["--tree", TREE]) == 0
    printed = capsys.readouterr().out
    assert f"\n\n{STEPS}\n" in printed
    assert "    C  MIN  at most 2\n        2\n        4  cut\n        6  cut\n" in printed
    assert printed.endswith(
        "(B), 7 of 9 leaves read\nminimax: value 3, best move 1 (B), 9 of 9 leaves read\n"
    )
    # as a notebook shows it
    drawn = ElementTree.fromstring(Drawn([[3, 12, 8], [2, 4, 6], [14, 5, 2]], alpha_beta).svg(5))
    assert {"3", "<= 2", "<= 14", "3 ... 14"} <= set(drawn.itertext())
    (tmp_path / "tree.txt").write_text(TREE.replace(" [", "\n["), encoding="utf-8")
    assert main(["--file", str(tmp_path / "tree.txt")]) == 0
    assert capsys.readouterr().out == printed


@pytest.mark.parametrize(
    ("words", "value", "last"),
    [
        # by hand: B is the mean of 2 and 4, C that of 0, 5 and 1
        (
            ["[[[2, 7], [4, 6]], [[9, 0], [5], [8, 1]]]", "--order", "max,chance,min"],
            "3",
            "H is 1, so C is 2, so A is 3.",
        ),
        (
            ["[[(1, 2, 6), (4, 3, 3)], [(6, 1, 2), (7, 4, 1)]]"],
            "(7, 4, 1)",
            "C is (7, 4, 1), so A is (7, 4, 1).",
        ),
        (["[[1, 2.5], 4]", "--min-first"], "2.5", "Leaf 4: A is 2.5."),
        (["[[.1, 0.2], [1/3, 1]]", "--order", "max, chance"], "2/3", "Leaf 1: C is 2/3, so A is 2/3."),
        (["[[0.1, 0.2]]", "--order", "max,chance"], "0.15", "Leaf 0.2: B is 0.15, so A is 0.15."),
    ],
)
def test_other_trees(words: list[str], value: str, last: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--tree", *words]) == 0
    steps, results = capsys.readouterr().out.split("\n\n")[1:]
    assert steps.endswith(last)
    assert f"value {value}, best" in results


def test_a_seed_decides_a_random_tree_and_a_large_one_is_only_counted(
    capsys: pytest.CaptureFixture[str],
) -> None:
    printed = []
    for size, seed in (("3,2", "1"), ("3,2", "1"), ("3,2", "2"), ("6,4", "1")):
        assert main(["--random", size, "--seed", seed]) == 0
        printed.append(capsys.readouterr().out)
    assert printed[0] == printed[1] != printed[2]
    assert printed[3].startswith("1555 nodes\n")


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--tree", "[[3, 12], 5"], "--tree: line 1, column 12: expected a comma or ]"),
        (["--tree", "[[3, 12],\n []]"], "line 2, column 3: expected a branch, a number, or a vector"),
        (["--tree", "[3, (3, 1)]"], "column 5: expected a leaf like the others"),
        (["--tree", "[" * 10_000 + "1" + "]" * 10_000], "too deep: a tree has at most 100 levels"),
        (["--tree", "[" + "-" * 3000 + "1]"], "not --------------------;"),
        # Python's parser would warn of this.
        (["--tree", "[1is 2]"], "column 2: expected a branch, a number"),
        (["--tree", "[1/0]"], "column 2: expected a branch, a number"),
        (["--tree", "3 12 8"], "a tree is written like [[3, 12, 8], [2, 4, 6]]"),
        (["--tree", ""], "line 1, column 1: expected [, not the end"),
        (["--tree", "[(1, 2)]", "--algorithm", "alpha_beta"], "vectors need --algorithm max_n"),
        (
            ["--tree", "[1]", "--order", "min,chance", "--algorithm", "minimax"],
            "chance needs --algorithm expectimax",
        ),
        (
            ["--tree", "[1]", "--order", "max,mix"],
            "expected max, min and chance, such as max,chance,min, not 'max,mix'",
        ),
        (["--random", "6,4", "--report", "NEW"], "a page has at most 500 nodes, not 1555"),
        (["--random", "0,3"], "expected a whole number from 1 to 6, not '0'"),
        (["--maze", "TWO P"], "a maze has one P"),
        (["--maze", "CAPSULE"], "line 2, column 5: 'o' is no sign of a maze"),
    ],
)
def test_bad_words_get_one_message(
    words: list[str], complaint: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "TWO P").write_text("#PP.G#", encoding="utf-8")
    (tmp_path / "CAPSULE").write_text("%%%%%%%\n%P .oG%\n%%%%%%%\n", encoding="utf-8")
    assert (
        main([str(tmp_path / word) if word in ("NEW", "TWO P", "CAPSULE") else word for word in words]) == 2
    )
    message = capsys.readouterr().err
    assert complaint in message
    assert message.count("\n") == 1


@pytest.mark.needs_program(CHROMIUM)
def test_the_page_steps_by_keys_and_checks_an_exercise(tmp_path: Path) -> None:
    assert main(["--tree", TREE, "--report", str(tmp_path / "tree.html"), "--seed", "1"]) == 0
    with Browser(tmp_path) as chromium:
        url = (tmp_path / "tree.html").as_uri()
        assert chromium.open(url, PHONE, dark=True).colours_if_it_fits() == DARK
        page = chromium.open(url)
        for expected in STEPS.splitlines():
            page.press("ArrowRight")
            assert page.value("document.querySelector('.status').textContent").startswith(f"{expected}\nAt ")
        assert page.value("[...document.querySelectorAll('.cut .name')].map((name) => name.textContent)") == [
            "4",
            "6",
        ]
        page.press("ArrowLeft")
        assert "alpha 3, beta 5" in page.value("document.querySelector('.status').textContent")
        page.click("[data-do=exercise]")
        assert page.value("document.querySelectorAll('.cut, .seen').length") == 0
        for label, keys in (
            ("Cut 4", " "),
            ("Cut 5", " "),
            ("Value of A", "3"),
            ("Value of C", "≤ 2"),
            ("Value of D", "5\r"),
        ):
            page.value(f"document.querySelector(\"[aria-label='{label}']\").focus()")
            page.type(keys)
        verdict = "document.querySelector('.verdict').value"
        assert page.value(verdict).splitlines() == [
            "3 of 5 right; something is still missing",
            "A 3: right",
            "C ≤ 2: right",
            "4 cut: right",
            "D 5: wrong",
            "5 cut: wrong",
        ]
        page.click("[data-do=solution]")
        solution = page.value(verdict).splitlines()
        assert [line.partition(".")[0] for line in solution] == [
            "A: 3",
            "B: 3",
            "C: <= 2",
            "6: cut",
            "D: 2",
            "5: not cut",
        ]
        assert (solution[2][9:], solution[4][6:]) == (STEPS.splitlines()[3], STEPS.splitlines()[6])
        names = "[...document.querySelectorAll('.name')].map((name) => name.textContent).join(' ')"
        before = page.value(names)
        page.click("[data-do=new]")
        assert page.value(names) != before
        assert page.value(f"{verdict} + document.querySelector('.value').value") == ""


@pytest.mark.needs_program(CHROMIUM)
def test_an_exercise_takes_every_way_to_write_a_value(tmp_path: Path) -> None:
    trees = {
        "[[3], [2, 4]]": {
            "C": [
                "≤ 2",
                "<=2",
                "=< 2",
                "at most 2",
                "2 or less",
                "C <= 2",
                "C ≤ 2",
                "max 2",
                "2",
                "2.0",
                "+2",
                "< 2",
            ]
        },
        "[[-3.5, 1], [-1/2, 0.25]]": {
            "A": ["-0.5", "−1/2", "-.5", "-0,5", "A = -.5"],
            "B": ["-7/2", "-3.50"],
        },
        "[[3, 4], [5, [6, 2], 1]]": {"A": ["3"]},
        "[[(7, -1), (2, 2)], [(0, 3)]]": {"B": ["(2,2)", "( 2 , 2 )", "(2; 2)"]},
    }
    with Browser(tmp_path) as chromium:
        for number, (tree, answers) in enumerate(trees.items()):
            path = tmp_path / f"{number}.html"
            assert main(["--tree", tree, "--report", str(path), "--exercise"]) == 0
            page = chromium.open(path.as_uri())
            for name, texts in answers.items():
                for text in [*texts, "", "17", "least", ">= 2.7"]:
                    page.value(f"""(() => {{
                        const field = document.querySelector("[aria-label='Value of {name}']");
                        field.value = {json.dumps(text)};
                        field.form.requestSubmit();
                    }})()""")
                    mark = page.value(
                        f"document.querySelector(\"[aria-label='Value of {name}']\").dataset.mark ?? ''"
                    )
                    assert mark == ("right" if text in texts else "wrong" if text else ""), text
        assert (
            main(["--random", "3,3", "--seed", "1", "--report", str(tmp_path / "wide.html"), "--exercise"])
            == 0
        )
        page = chromium.open((tmp_path / "wide.html").as_uri())
        assert page.value(
            "document.querySelector('.scroll').scrollWidth <= document.querySelector('.scroll').clientWidth"
        )


# --- The maze ---


def test_the_maze_counts_moves_food_and_the_end() -> None:
    maze = Maze("######\n#P..G#\n######")
    [eats] = maze.actions(maze.initial())
    eaten = maze.result(maze.initial(), eats)
    assert (eaten.score, len(eaten.food), maze.to_move(eaten)) == (MOVE + FOOD, 1, 1)
    caught, won = (maze.result(maze.result(eaten, ghost), eats + 1) for ghost in (eats + 1, eats + 2))
    assert (caught.outcome, caught.score, maze.is_terminal(caught)) == (
        "caught",
        2 * (MOVE + FOOD) + END["caught"],
        True,
    )
    assert (won.outcome, maze.utility(won, 1)) == ("won", -2 * (MOVE + FOOD) - END["won"])


def test_who_expects_the_worst_gives_up_where_the_other_escapes() -> None:
    wins = {}
    for name in ("minimax", "alpha_beta", "expectimax"):
        for text in (TRAP, TRAP.replace("G", "W")):
            maze = Maze(text, chance=name == "expectimax")
            ends = [[*maze.played(partial(SEARCHES[name], maze), seed)][-1].outcome for seed in range(20)]
            wins[name, text == TRAP] = ends.count("won")
    assert wins.pop(("expectimax", False)) > 10
    assert not any(wins.values())


def test_a_game_in_a_maze_is_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "maze.txt").write_text("#######\n#P..  #\n### #G#\n#######\n", encoding="utf-8")
    assert main(["--maze", str(tmp_path / "maze.txt")]) == 0
    frames = capsys.readouterr().out.split("\n\n")
    assert frames[0] == "#######\n#P..  #\n### #G#\n#######\nscore 0 "
    assert frames[-2].endswith("score 518 won")


def test_a_maze_that_cannot_be_won_ends_with_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "maze.txt").write_text("%%%%%%%%\n%P %.%G%\n%%%%%%%%\n", encoding="utf-8")
    assert main(["--maze", str(tmp_path / "maze.txt")]) == 0
    printed = capsys.readouterr().out
    assert printed.splitlines()[:4] == ["########", "#P #.#G#", "########", "score 0 "]
    assert printed.endswith("Nothing was eaten in 16 rounds, four for each cell, so the game ends here.\n")
    assert printed.count("\n") < 100
