# SPDX-License-Identifier: GPL-3.0-or-later
"""Searches with the shipped evaluation, for data that coachwhip makes itself: the same search gives the same result every time."""

from functools import cache
from typing import NamedTuple

import chess
from coachwhip.core.engine import Engine, Position, SearchInfo
from coachwhip.evaluation import config

MATE = 30_000  # a mate in n counts MATE - n centipawns where scores are compared


class Line(NamedTuple):
    """The best line that begins with `move`, for the side to move."""

    move: str
    score: int  # centipawns; mates as MATE has them
    mate: int | None  # in moves; negative where the side to move is mated
    pv: tuple[str, ...]


@cache
def engine(hash_mb: int = 32, *, terms_alone: bool = False) -> Engine:
    """The engine of this process with a table of this size, and with the shipped weights and network, or without the network."""
    weights, network = config.evaluator()
    return Engine(weights, hash_mb=hash_mb, network=None if terms_alone else network)


def position_of(board: chess.Board) -> Position:
    """The position without the game that led to it."""
    return Position(board.shredder_fen() if board.chess960 else board.fen(), chess960=board.chess960)


def line_of(info: SearchInfo) -> Line:
    """The line of an exact report."""
    mate = info.mate_in if info.is_mate else None
    score = info.score_cp if mate is None else MATE - mate if mate > 0 else -MATE - mate
    return Line(info.pv[0], score, mate, info.pv)


def search(board: chess.Board, nodes: int, multipv: int = 1, *, terms_alone: bool = False) -> list[Line]:
    """The best lines, the best first, by a search from an empty memory."""
    lines: dict[int, Line] = {}

    def keep(info: SearchInfo) -> None:
        if not (info.bound or info.currmove):
            lines[info.multipv] = line_of(info)

    searching = engine(terms_alone=terms_alone)
    searching.clear()
    searching.search(position_of(board), nodes=nodes, multipv=multipv, on_info=keep)
    return [lines[number] for number in sorted(lines)]


class Moment(NamedTuple):
    """The best line after so many nodes."""

    nodes: int
    line: Line


def moments(board: chess.Board, nodes: int, hash_mb: int = 32) -> list[Moment]:
    """What a search from an empty memory preferred as it went on."""
    found: list[Moment] = []

    def keep(info: SearchInfo) -> None:
        if not (info.bound or info.currmove):
            found.append(Moment(info.nodes, line_of(info)))

    engine(hash_mb).clear()
    engine(hash_mb).search(position_of(board), nodes=nodes, on_info=keep)
    return found


def found_at(board: chess.Board, move: str, nodes: int) -> int | None:
    """After how many nodes a search prefers this move for good; None if it never does."""
    since: int | None = None
    for moment in moments(board, nodes):
        since = (moment.nodes if since is None else since) if moment.line.move == move else None
    return since
