# SPDX-License-Identifier: GPL-3.0-or-later
"""Command-line options of games: the rules that end them early, and how coachwhip plays itself.

Loads no chess library.
"""

import os
from collections.abc import Callable
from typing import NamedTuple

from ..cli.command import add_shared, numbers, whole_number

MAX_RULE = 100_000  # largest move count or score of a rule


class Rules(NamedTuple):
    """What ends games in addition to the rules of chess.

    Scores in centipawns; a count of 0 moves switches a rule off.
    """

    margin: float | None = None  # seconds an engine may exceed its time; None for the default
    resign_moves: int = 0  # moves of each side in a row after which the better side wins
    resign_score: int = 0  # least score of that side in each of them
    draw_from: int = 0  # number of the first move of a draw
    draw_moves: int = 0  # moves of each side in a row that make it
    draw_score: int = 0  # largest score of either side in each of them
    max_moves: int = 0  # moves of each side after which the game is drawn
    syzygy: str = ""  # folder of tables; "" for none


def add_rule_arguments(
    add: Callable[..., object],
    resign: tuple[int, int] = (0, 0),
    draw: tuple[int, int, int] = (0, 0, 0),
    max_moves: int = 0,
) -> None:
    """Give a command line `--resign`, `--draw` and `--max-moves`, with these defaults."""
    help_resign = "a win once both engines score the same side CP or better for MOVES moves in a row"
    help_draw = "a draw once, from move FROM on, both scores stay within CP for MOVES moves in a row"
    help_max = "a draw after N moves of each side"
    add(
        "--resign",
        type=numbers(2, MAX_RULE),
        default=resign,
        metavar="MOVES,CP",
        help=_with_default(help_resign, *resign),
    )
    add(
        "--draw",
        type=numbers(3, MAX_RULE),
        default=draw,
        metavar="FROM,MOVES,CP",
        help=_with_default(help_draw, *draw),
    )
    whole = whole_number(min(1, max_moves), MAX_RULE)
    add("--max-moves", type=whole, default=max_moves, metavar="N", help=_with_default(help_max, max_moves))


def add_own_game_arguments(add: Callable[..., object], nodes: int, hash_mb: int) -> None:
    """Give a command line what games of the engine against itself have, with these defaults."""
    help_nodes = f"search N nodes for each move (default {nodes})"
    help_hash = f"size of the transposition table (default {hash_mb})"
    add("--nodes", type=whole_number(1, 10**9), default=nodes, metavar="N", help=help_nodes)
    add("--hash", type=whole_number(1, 65536), default=hash_mb, metavar="MB", help=help_hash)
    add_shared(add, "--weights", "--set")
    add(
        "--seed",
        type=whole_number(0, 2**63 - 1),
        default=1,
        metavar="N",
        help="random seed of openings and moves (default 1)",
    )
    help_concurrency = "games at a time (default: one for each processor)"
    add(
        "--concurrency",
        type=whole_number(1, 1024),
        default=os.cpu_count() or 1,
        metavar="N",
        help=help_concurrency,
    )


def _with_default(text: str, *values: int) -> str:
    """Return the help text, with the default unless the rule is off."""
    return f"{text} (default {','.join(map(str, values))})" if any(values) else text
