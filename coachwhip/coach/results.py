# SPDX-License-Identifier: GPL-3.0-or-later
"""The results of the players: of one analysed game, and over several."""

from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import NamedTuple

import chess

from . import judge
from .phases import PHASES, phases
from .study import AnalysedGame, JudgedMove, player_of


class Side(NamedTuple):
    """The results of one player; `accuracy` and `loss_cp` (the mean loss) are None if no move was judged."""

    name: str
    moves: int
    accuracy: float | None
    phases: dict[str, float | None]  # phase -> accuracy
    loss_cp: float | None
    counts: dict[str, int]  # judgement -> how often

    def cells(self) -> list[str]:
        """Return accuracy, also by phase, average loss and counts for a table."""
        accuracies = [
            "-" if value is None else f"{value:.1f} %" for value in (self.accuracy, *self.phases.values())
        ]
        loss = "-" if self.loss_cp is None else f"{self.loss_cp:.0f}"
        return [*accuracies, loss, *(str(count) if self.moves else "-" for count in self.counts.values())]


def sides(game: AnalysedGame) -> tuple[Side, Side]:
    """Return the results of White and of Black."""
    moves = list(game.judged_moves())
    known = {
        index: judge.win_percent(analysis.score) for index, analysis in enumerate(game.analyses) if analysis
    }
    weights = dict(zip(known, judge.weights(list(known.values())), strict=False)) if moves else {}
    return _side(game, chess.WHITE, moves, weights), _side(game, chess.BLACK, moves, weights)


def _side(
    game: AnalysedGame, colour: chess.Color, both: Sequence[JudgedMove], weights: Mapping[int, float]
) -> Side:
    def accuracy(moves: Sequence[JudgedMove]) -> float | None:
        return judge.accuracy([move.accuracy for move in moves], [weights[move.at] for move in moves])

    moves, phase_of = (
        [move for move in both if move.white == colour],
        phases(game.boards, (node.move for node in game.nodes)),
    )
    by_phase = {}
    for phase in PHASES:
        by_phase[phase] = accuracy([move for move in moves if phase_of[move.at] == phase])
    judgements = [move.judgement for move in moves]
    counts = {kind.name: judgements.count(kind) for kind in judge.JUDGEMENTS}
    loss = sum(move.loss_cp for move in moves) / len(moves) if moves else None
    return Side(player_of(game.game, colour), len(moves), accuracy(moves), by_phase, loss, counts)


def over_games(results: Iterable[tuple[Side, Side]]) -> list[tuple[int, Side]]:
    """Return the number of games and the mean results of each player of several games.

    They come from both players' results in each game.
    """
    by_name: dict[str, list[tuple[int, Side]]] = {}
    for number, both in enumerate(results):
        for side in both:
            if side.moves and side.name.strip("? "):
                by_name.setdefault(side.name, []).append((number, side))
    players = []
    for name, numbered in by_name.items():
        games = len({number for number, _ in numbered})
        if games > 1:
            players.append((games, _mean_side(name, [side for _, side in numbered])))
    return players


def _mean_side(name: str, sides: Sequence[Side]) -> Side:
    moves = sum(side.moves for side in sides)
    by_phase, counts = {}, {}
    for phase in PHASES:
        by_phase[phase] = _mean(side.phases[phase] for side in sides)
    for kind in judge.JUDGEMENTS:
        counts[kind.name] = sum(side.counts[kind.name] for side in sides)
    loss = sum((side.loss_cp or 0) * side.moves for side in sides) / moves
    return Side(name, moves, _mean(side.accuracy for side in sides), by_phase, loss, counts)


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known else None
