# SPDX-License-Identifier: GPL-3.0-or-later
"""Games of the engine against itself, without a second process, as `selfplay` and `spsa` play them."""

import argparse
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from chess.engine import Cp, Mate, Score

from ..cli.command import CommandError
from ..core.engine import Engine, Network, Position, move_code
from ..evaluation import config
from ..games.adjudication import UNFINISHED, by_score
from ..games.openings import Opening
from ..games.rules import Rules


@dataclass(frozen=True)
class OwnGames:
    """The settings that all games of a run share."""

    weights: tuple[int, ...]
    network: Network | None
    nodes: int  # a move
    hash_mb: int
    seed: int
    random_plies: int  # random moves after the opening
    rules: Rules
    tunables: Mapping[str, int]  # changes to core/tunables.py

    def engine(self, changes: Mapping[str, int] | None = None) -> Engine:
        """Return a new engine, with these changes to its tunables."""
        return Engine(
            self.weights, self.hash_mb, tunables={**self.tunables, **(changes or {})}, network=self.network
        )

    def start(self, opening: Opening, rng: random.Random) -> Position:
        """Return the position after the opening and random moves, which stop before the game is over."""
        position = Position(opening.fen, chess960=opening.chess960)
        for move in opening.moves.split():
            position.make(move)
        for _ in range(self.random_plies):
            position.make(rng.choice(position.legal_moves()))
            if position.result() != UNFINISHED:
                position.undo()
                break
        return position

    def play(
        self, engines: Sequence[Engine], position: Position, rules: Rules
    ) -> tuple[str, list[int], list[Score]]:
        """Play a game between White's engine and Black's.

        Return its result, its moves as codes, and their scores for White.
        """
        moves: list[int] = []
        scores: list[Score] = []
        while (result := position.result()) == UNFINISHED:
            if ending := by_score(len(scores) // 2 + 1, scores, rules):
                return ending.result, moves, scores
            engine = engines[position.stm == "b"]
            engine.prepare()
            # It ends with a depth, so that the score can be a label.
            search = engine.search(position, soft_nodes=self.nodes)
            info = search.info
            assert info is not None, "a position that goes on has a move, and a search of it a score"
            score = Mate(info.mate_in) if info.is_mate else Cp(info.score_cp)
            scores.append(score if position.stm == "w" else -score)
            moves.append(move_code(position, search.bestmove))
            position.make(search.bestmove)
        return result, moves, scores


def own_games(args: argparse.Namespace, random_plies: int, rules: Rules) -> OwnGames:
    """Return games with the options of `add_own_game_arguments`. Raises CommandError."""
    try:
        weights, network = config.evaluator(args.weights)
    except config.WeightsError as error:
        raise CommandError(str(error)) from error
    tunables = dict(sorted(dict(args.set).items()))
    return OwnGames(tuple(weights), network, args.nodes, args.hash, args.seed, random_plies, rules, tunables)
