# SPDX-License-Identifier: GPL-3.0-or-later
"""The horizon effect, shown: a search of fixed depth throws a pawn away because that hides a loss behind its last ply.

Both positions were composed for this: Black's bishop on a2 is shut in by the pawn on b3, and White's king walks to b2 and
takes it, whatever Black does. Source of the term: https://www.chessprogramming.org/Horizon_Effect.
"""

from collections.abc import Sequence
from typing import NamedTuple

from ..core.engine import Engine, Position, SearchResult
from .techniques import BY_KEY, ORDERED, SWITCHES

DEPTH = 8
JUDGE_DEPTH = 14
COST = 70  # centipawns that a move must lose by the deep search to count as throwing material away


class Case(NamedTuple):
    """A position in which it happens, and why."""

    fen: str
    title: str
    text: str


class Step(NamedTuple):
    """What one search chose."""

    depth: int
    move: str
    score: int  # centipawns from the side to move
    throws: bool  # whether it gives material for nothing


class Shown(NamedTuple):
    """One case with what the searches did in it; the columns are those of SEARCHES."""

    case: Case
    best: str
    best_score: int  # of a search to JUDGE_DEPTH with everything on
    columns: tuple[tuple[Step, ...], ...]
    worth: dict[str, int]  # move thrown -> its score by that search


CASES = (
    Case(
        "8/8/k7/3PP3/7p/1P6/b1K3P1/8 b - - 0 1",
        "a pawn for a little time",
        "White threatens Kb2 and Kxa2, the fourth ply from here. A plain search of four plies sees it coming and plays h4-h3: "
        "White takes the pawn, that costs two plies, and the capture on a2 is now the sixth. The search does not look so far and "
        "believes the bishop saved. The pawn is gone, and the bishop follows. At depth 1 it takes the guarded pawn on b3, "
        "since it ends before the king takes back. With quiescence no line ends in the middle of an exchange. That does not abolish "
        "the horizon, and at depth 4 the score is still too good, but nothing is thrown away for it any more, at no depth.",
    ),
    Case(
        "8/7k/8/8/1p1p2P1/1P6/b1K4P/5B2 b - - 0 1",
        "a pawn for a check",
        "The same bishop is lost, and d4-d3 comes with check, which White has to answer. Quiescence alone does not help here: the "
        "check and its answer use up the depth before it begins. The check extension searches the answer to a check one ply deeper, "
        "so that a check no longer buys so much time, and the pawn stays.",
    ),
)
SEARCHES = (
    ("plain", ORDERED),
    ("quiescence", (*ORDERED, "quiescence")),
    ("quiescence, extension", (*ORDERED, "quiescence", "check-extension")),
)


def show(weights: Sequence[int]) -> list[Shown]:
    """Search every case with every one of SEARCHES to depths 1 to DEPTH, and judge the moves by a deep search."""
    engines = []
    for _, keys in SEARCHES:
        on = {switch for key in keys for switch in BY_KEY[key].switches}
        engines.append(Engine(weights, hash_mb=1, tunables={name: int(name in on) for name in SWITCHES}))
    judge = Engine(weights, hash_mb=16)
    return [_show(case, engines, judge) for case in CASES]


def _show(case: Case, engines: Sequence[Engine], judge: Engine) -> Shown:
    position = Position(case.fen)
    best = _search(judge, position, JUDGE_DEPTH)
    worth: dict[str, int] = {}

    def throws(move: str) -> bool:
        if move not in worth:
            worth[move] = _score(_search(judge, position, JUDGE_DEPTH, [move]))
        return position.see(move) < 0 and _score(best) - worth[move] >= COST

    columns = []
    for engine in engines:
        found = [(depth, _search(engine, position, depth)) for depth in range(1, DEPTH + 1)]
        columns.append(tuple(Step(depth, result.bestmove, _score(result), throws(result.bestmove)) for depth, result in found))
    thrown = {step.move: worth[step.move] for column in columns for step in column if step.throws}
    return Shown(case, best.bestmove, _score(best), tuple(columns), thrown)


def _search(engine: Engine, position: Position, depth: int, moves: Sequence[str] = ()) -> SearchResult:
    engine.clear()
    engine.prepare()
    return engine.search(position, depth=depth, searchmoves=moves)


def _score(result: SearchResult) -> int:
    assert result.info is not None
    return result.info.score_cp


def table(shown: Shown) -> list[list[str]]:
    """A heading and one row a depth: what each search plays and thinks; `!` marks material thrown away."""
    heading = ["depth", *(name for name, _ in SEARCHES)]
    return [heading, *([str(steps[0].depth), *map(_cell, steps)] for steps in zip(*shown.columns, strict=True))]


def _cell(step: Step) -> str:
    return f"{step.move}{'!' if step.throws else ' '} {step.score / 100:+.2f}"


def verdict(shown: Shown) -> str:
    """What the deep search says, in a sentence."""
    thrown = "; ".join(f"{move} leads to {score / 100:+.2f}" for move, score in shown.worth.items())
    return f"A search of {JUDGE_DEPTH} plies with everything on plays {shown.best}: {shown.best_score / 100:+.2f}. {thrown}."


def text(cases: Sequence[Shown]) -> str:
    """All of it for a terminal."""
    lines = ["The horizon effect. Scores are Black's, in pawns; ! marks material thrown away."]
    for shown in cases:
        board = Position(shown.case.fen).board().splitlines()
        lines += ["", f"{shown.case.title}: {shown.case.fen}", *(f"  {rank}" for rank in board), ""]
        lines += [f"{row[0]:>5}  " + "  ".join(f"{cell:22}" for cell in row[1:]).rstrip() for row in table(shown)]
        lines += ["", *_wrap(shown.case.text), *_wrap(verdict(shown))]
    return "\n".join(lines)


def _wrap(paragraph: str) -> list[str]:
    from textwrap import wrap

    return wrap(paragraph, 100)
