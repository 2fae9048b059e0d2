# SPDX-License-Identifier: GPL-3.0-or-later
"""The rules that end games early, and the command-line options that set them. Loads no chess library."""

from collections.abc import Callable
from typing import NamedTuple

from .command import numbers, whole_number

MAX_RULE = 100_000  # largest move count or score of a rule


class Rules(NamedTuple):
    """What ends games in addition to the rules of chess. Scores in centipawns; a count of 0 moves switches a rule off."""

    margin: float | None = None  # seconds an engine may exceed its time; None for the default
    resign_moves: int = 0  # so many moves of each side ...
    resign_score: int = 0  # ... with at least this score for the same side
    draw_from: int = 0  # from this move number on, ...
    draw_moves: int = 0  # ... so many moves of each side ...
    draw_score: int = 0  # ... with at most this score for either side
    max_moves: int = 0  # a draw after so many moves of each side in the game
    syzygy: str = ""  # folder of tables; "" for none


def add_rule_arguments(
    add: Callable[..., object], resign: tuple[int, int] = (0, 0), draw: tuple[int, int, int] = (0, 0, 0), max_moves: int = 0
) -> None:
    """Give a command line `--resign`, `--draw` and `--max-moves`, with these defaults."""
    help_resign = "a win if both engines' scores show CP or more for MOVES moves"
    help_draw = "a draw if from move FROM on both show CP or less for MOVES moves"
    help_max = "a draw after N moves of each side"
    add("--resign", type=numbers(2, MAX_RULE), default=resign, metavar="MOVES,CP", help=_with_default(help_resign, *resign))
    add("--draw", type=numbers(3, MAX_RULE), default=draw, metavar="FROM,MOVES,CP", help=_with_default(help_draw, *draw))
    whole = whole_number(min(1, max_moves), MAX_RULE)
    add("--max-moves", type=whole, default=max_moves, metavar="N", help=_with_default(help_max, max_moves))


def _with_default(text: str, *values: int) -> str:
    """The help text, with the default unless the rule is off."""
    return f"{text} (default {','.join(map(str, values))})" if any(values) else text
