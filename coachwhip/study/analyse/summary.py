# SPDX-License-Identifier: GPL-3.0-or-later
"""The results of the analysis as text, and as values for JSON."""

from collections.abc import Iterable, Mapping, Sequence

from ...cli import table as text_table
from ...coach import judge
from ...coach.claims import plain
from ...coach.line import Line
from ...coach.phases import PHASES, RULE
from ...coach.results import Side, over_games, sides
from ...coach.study import AnalysedGame, JudgedMove, score_text, title
from ...text import shorten

HEADINGS = ("game", "player", "accuracy", *PHASES, "loss", *(kind.sign for kind in judge.JUDGEMENTS))
LIMITS = {"time": "{:g} s a position", "depth": "depth {}", "nodes": "{} nodes a position"}


def describe(engine: str, tunables: Iterable[tuple[str, int]], limits: Mapping[str, float]) -> str:
    """Return the name of the engine, its changed tunables and the limits of a search, in words."""
    changes = (f"{name}={value}" for name, value in tunables)
    return ", ".join([engine, *changes, *(LIMITS[name].format(value) for name, value in limits.items())])


def table(games: Sequence[tuple[Side, Side]]) -> str:
    """Return a table with two rows for each game, and one for each player of several."""
    rows = [
        (f"{number}", shorten(side.name, 40), *side.cells())
        for number, sides in enumerate(games, start=1)
        for side in sides
    ]
    rows += [(f"all {number}", shorten(side.name, 40), *side.cells()) for number, side in over_games(games)]
    return f"loss is the average in centipawns\n{text_table.plain(HEADINGS, rows, left=2)}\n{RULE}"


def game_dict(study: AnalysedGame) -> dict[str, object]:
    """Return the results of a game as values for JSON.

    Scores are from White's side, in centipawns or moves to mate.
    """
    white, black = (side._asdict() for side in sides(study))
    positions = []
    for board, analysis in zip(study.boards, study.analyses, strict=True):
        known = (
            {"depth": analysis.depth, "lines": [_line_dict(line) for line in analysis.lines]}
            if analysis
            else {}
        )
        positions.append({"fen": board.fen(), **known})
    return {
        "title": title(study.game),
        "headers": dict(study.game.headers),
        "complete": study.complete,
        "white": white,
        "black": black,
        "moves": [_move_dict(study, move) for move in study.judged_moves()],
        "positions": positions,
    }


def _line_dict(line: Line) -> dict[str, object]:
    mate = line.score.mate()
    value = {"cp": line.score.score()} if mate is None else {"mate": mate}
    return {"text": score_text(line.score), **value, "moves": [move.uci() for move in line.moves]}


def _move_dict(study: AnalysedGame, move: JudgedMove) -> dict[str, object]:
    return {
        "ply": move.at + 1,
        "san": move.san,
        "uci": move.move.uci(),
        "loss_cp": move.loss_cp,
        "loss_win_percent": round(move.loss, 2),
        "accuracy": round(move.accuracy, 1),
        "judgement": move.judgement.name if move.judgement else None,
        "book": move.at < study.book,
        "reason": study.reason(move.at) or None,
        "claims": [*map(plain, move.before.claims)],
        "best": _line_dict(move.before.lines[0]),
        "reply": _line_dict(move.after.lines[0]),
    }
