# SPDX-License-Identifier: GPL-3.0-or-later
"""The horizon effect, shown: a search of fixed depth throws a pawn away because that hides a loss behind its last ply.

Both positions were composed for this: Black's bishop on a2 is shut in by the pawn on b3 and will be taken, whatever Black
does. The evaluation counts material and nothing else, so that scores are whole pawns and nothing but material decides the moves.
Source of the term: https://www.chessprogramming.org/Horizon_Effect.
"""

from collections.abc import Sequence
from textwrap import wrap
from typing import Any, NamedTuple

from ...cli.table import plain
from ...core.engine import FULL_SCALE, Engine, Position
from ...evaluation import config
from .experiment import Searched, search
from .techniques import ORDERED, settings

DEPTH = 8
JUDGE_DEPTH = 9
COST = 70  # centipawns that a move must lose by the deep search to count as throwing material away
PIECES = (100, 300, 300, 500, 900)  # pawn to queen, in centipawns
NO_LIMIT = 10**15  # nodes


class Case(NamedTuple):
    """A position in which it happens, and why."""

    fen: str
    title: str
    text: str


class Choice(NamedTuple):
    """The move of one search."""

    move: str
    score: int  # centipawns from the side to move
    throws: bool  # whether it gives material for nothing


class Shown(NamedTuple):
    """One case with what the searches did in it; the columns are those of SEARCHES."""

    case: Case
    best: str
    best_score: int  # of a search to JUDGE_DEPTH with JUDGE on
    columns: tuple[tuple[Choice, ...], ...]
    worth: dict[str, int]  # move thrown -> its score by that search


CASES = (
    Case(
        "8/5ppk/7p/8/3p4/1P6/b1K4P/R4B2 b - - 0 1",
        "a pawn for an exchange cut short",
        "The rook takes the bishop next. The best of bad options is to take the pawn on b3, which a one-ply search does. Plain "
        "searches of two and three plies find better: d4-d3 is check, the bishop on f1 takes the pawn, and there the line ends, "
        "with a pawn lost and the bishop on a2 still on the board. It falls on the fourth ply. Quiescence does not stop in "
        "the middle of this: the capture on d3 gives check, so the king has to move, and then comes the capture on a2.",
    ),
    Case(
        "8/7k/8/8/1p1p2P1/1P6/b1K4P/5B2 b - - 0 1",
        "a pawn for a check",
        "White's king walks to b2 and takes the bishop on the fourth ply. The plain search of five plies sees it coming and plays "
        "d4-d3: that is check, White takes the pawn, and the capture on a2 is now the sixth ply. The pawn is gone, and the "
        "bishop follows. Quiescence alone does not help here, for the king's step is no capture: it sees the loss a ply "
        "sooner and runs from it a ply sooner. The check extension searches the answer to a check one ply deeper, so that a "
        "check buys no time, and the pawn stays.",
    ),
)
SEARCHES = (
    ("plain", ORDERED),
    ("quiescence", (*ORDERED, "quiescence")),
    ("quiescence, extension", (*ORDERED, "quiescence", "check-extension")),
)

# The judge searches deeply and prunes little; its scores are whole pawns too.
JUDGE = (*ORDERED, *"tt iterative-deepening pvs quiescence see-order qs-see check-extension tt-deeper null-move".split())


def material_only() -> list[int]:
    """Weights for the core that count PIECES and nothing else."""
    weights = {
        name: _filled(value, FULL_SCALE if name.startswith(("SCALE", "RULE50")) else 0)
        for name, value in config.load_default().items()
        if not isinstance(value, str)
    }
    weights["MATERIAL"] = [(value, value) for value in PIECES]
    return config.flatten(weights)


def _filled(value: Any, number: int) -> Any:
    """The same shape with `number` everywhere."""
    return number if isinstance(value, int) else type(value)(_filled(each, number) for each in value)


def show() -> list[Shown]:
    """Search every case with every one of SEARCHES to depths 1 to DEPTH, and judge the moves by a deep search."""
    weights = material_only()
    engines = [Engine(weights, hash_mb=1, tunables=settings(keys)) for _, keys in SEARCHES]
    judge = Engine(weights, hash_mb=16, tunables=settings(JUDGE))
    return [_show(case, engines, judge) for case in CASES]


def _show(case: Case, engines: Sequence[Engine], judge: Engine) -> Shown:
    position = Position(case.fen)
    best = _search(judge, case.fen, JUDGE_DEPTH)
    worth: dict[str, int] = {}

    def throws(move: str) -> bool:
        if position.see(move) >= 0:
            return False
        if move not in worth:
            worth[move] = _search(judge, case.fen, JUDGE_DEPTH, [move]).value
        return best.value - worth[move] >= COST

    columns = []
    for engine in engines:
        results = [_search(engine, case.fen, depth) for depth in range(1, DEPTH + 1)]
        columns.append(tuple(Choice(result.move, result.value, throws(result.move)) for result in results))
    thrown = {choice.move: worth[choice.move] for column in columns for choice in column if choice.throws}
    return Shown(case, best.move, best.value, tuple(columns), thrown)


def _search(engine: Engine, fen: str, depth: int, moves: Sequence[str] = ()) -> Searched:
    result = search(engine, fen, depth, NO_LIMIT, moves)
    assert result is not None
    return result


def _table(shown: Shown) -> str:
    """Return a line a depth with what each search plays and thinks; `!` marks material thrown away."""
    rows = [
        [f"{depth:>5}", *(f"{choice.move}{'!' if choice.throws else ' '} {choice.score / 100:+.2f}" for choice in choices)]
        for depth, choices in enumerate(zip(*shown.columns, strict=True), start=1)
    ]
    return plain(["depth", *(name for name, _ in SEARCHES)], rows, left=4)


def text(cases: Sequence[Shown]) -> str:
    """All of it for a terminal."""
    lines = ["The horizon effect. Scores are Black's, in pawns; ! marks material thrown away."]
    for shown in cases:
        board = Position(shown.case.fen).board().splitlines()
        thrown = "; ".join(f"{move} leads to {score / 100:+.2f}" for move, score in shown.worth.items())
        best = f"{shown.best}: {shown.best_score / 100:+.2f}"
        verdict = f"A nearly full-width {JUDGE_DEPTH}-ply search plays {best}. {thrown}."
        lines += ["", f"{shown.case.title}: {shown.case.fen}", *(f"  {rank}" for rank in board), ""]
        lines += [_table(shown), "", *wrap(shown.case.text, 100), *wrap(verdict, 100)]
    return "\n".join(lines)
