# SPDX-License-Identifier: GPL-3.0-or-later
"""Games of coachwhip against itself with scores: a few with clocks to look at, and many small ones for statistics.

A player's clock counts nodes as time: a player with 500 nodes a second is a weaker one than a player with 5000, and the same
game comes out on every machine.
"""

import random
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import chess
import chess.engine
import chess.pgn
import own_search
from coachwhip.bench.common.adjudication import Ending, find_ending
from coachwhip.bench.common.openings import Opening
from coachwhip.bench.common.rules import Rules
from coachwhip.bench.match.game import GameRecord, MoveRecord
from coachwhip.core.engine import Position, SearchInfo
from coachwhip.uci.timeman import allocate

BASE, INCREMENT = 300, 3  # seconds
PLAYERS = ((5000, 5000), (5000, 500), (500, 5000), (100, 500), (500, 100), (100, 100))  # nodes a second, White and Black
SCORED = 160
LEAST_NODES, MOST_NODES = 400, 4000  # a move of the scored games
RULES = Rules(resign_moves=4, resign_score=900, draw_from=50, draw_moves=6, draw_score=8)
DATE = "2026.11.22"


class Found(NamedTuple):
    """A move, its score for the side to move, the depth, and the nodes that it took."""

    move: str
    score: chess.engine.Score
    depth: int
    nodes: int


def think(position: Position, soft: int, hard: int) -> Found:
    """The move of the first iteration that ends after `soft` nodes, or of the last before `hard`."""
    infos: list[SearchInfo] = []
    own_search.engine().search(
        position, nodes=hard, on_info=lambda info: None if info.bound or info.currmove else infos.append(info)
    )
    info = next((info for info in infos if info.nodes >= soft), infos[-1])
    score = chess.engine.Mate(info.mate_in) if info.is_mate else chess.engine.Cp(info.score_cp)
    return Found(info.pv[0], score, info.depth, info.nodes)


def openings(lines: Sequence[str]) -> list[Opening]:
    """The openings of our own file with their moves, which its `id` has."""
    found = []
    for line in lines:
        board = chess.Board()
        for word in chess.Board.from_epd(line)[1]["id"].split():  # type: ignore[union-attr]
            if not word[0].isdigit():
                board.push_san(word)
        found.append(Opening(chess.STARTING_FEN, chess960=False, moves=" ".join(move.uci() for move in board.move_stack)))
    return found


class Game:
    """A game that is being played."""

    def __init__(self, opening: Opening, rules: Rules) -> None:
        self.opening, self.rules = opening, rules
        self.board = opening.position()
        self.position = Position()
        for move in opening.moves.split():
            self.position.make(move)
        self.moves: list[MoveRecord] = []
        own_search.engine().clear()

    def ending(self) -> Ending | None:
        """How it has ended, if it has."""
        return find_ending(self.board, [move.score for move in self.moves], self.rules)

    def play(self, found: Found, seconds: float = 0.0, clock: float | None = None) -> None:
        """Make a move."""
        score = found.score if self.board.turn else -found.score
        self.moves.append(MoveRecord(found.move, seconds, clock, score, found.depth, found.nodes))
        self.board.push_uci(found.move)
        self.position.make(found.move)


def timed(opening: Opening, speeds: tuple[int, int], rules: Rules) -> GameRecord:
    """A game with clocks; `speeds`: nodes a second of White and Black."""
    game = Game(opening, rules)
    clocks = [float(BASE), float(BASE)]
    while (ending := game.ending()) is None:
        side = 0 if game.board.turn else 1
        soft, hard = allocate(round(clocks[side] * 1000), INCREMENT * 1000, 0, 0)
        found = think(game.position, int(soft * speeds[side]) // 1000, hard * speeds[side] // 1000)
        seconds = found.nodes / speeds[side]
        clocks[side] += INCREMENT - seconds
        game.play(found, seconds, clocks[side])
    white, black = (f"coachwhip, {speed} nodes a second" for speed in speeds)
    return GameRecord(0, DATE, opening, white, black, tuple(game.moves), *ending)


def game_texts(lines: Sequence[str]) -> Iterator[str]:
    """The games with clocks, as `match --pgn` writes them; every second one ends early by score."""
    chosen = random.Random("games").sample(openings(lines), len(PLAYERS))
    for number, (opening, speeds) in enumerate(zip(chosen, PLAYERS, strict=True), start=1):
        record = timed(opening, speeds, RULES if number % 2 else RULES._replace(resign_moves=0))
        head = {"Event": "Games of coachwhip against itself", "Site": "coachwhip", "Date": DATE, "Round": str(number)}
        yield record.pgn({**head, "TimeControl": f"{BASE}+{INCREMENT}"})


def scored_texts(lines: Sequence[str], count: int = SCORED) -> Iterator[str]:
    """Games with nothing but moves, scores and result; the sides search different numbers of nodes."""
    rng = random.Random("scored games")
    for number, opening in enumerate(rng.sample(openings(lines), count), start=1):
        game = Game(opening, RULES)
        nodes = [round(LEAST_NODES * (MOST_NODES / LEAST_NODES) ** rng.random()) for _ in range(2)]
        while (ending := game.ending()) is None:
            most = nodes[0 if game.board.turn else 1]
            game.play(think(game.position, most, most))
        yield short_text(game, ending, number, nodes)


def short_text(game: Game, ending: Ending, number: int, nodes: Sequence[int]) -> str:
    """The game as PGN; comments have scores alone."""
    tree = chess.pgn.Game()
    white, black = (f"coachwhip, {each} nodes a move" for each in nodes)
    tree.headers.update({"Event": "Scored games", "Site": "coachwhip", "Date": DATE, "Round": str(number)})
    tree.headers.update({"White": white, "Black": black, "Result": ending.result})
    node: chess.pgn.GameNode = tree
    for text in game.opening.moves.split():
        node = node.add_main_variation(chess.Move.from_uci(text))
    for record in game.moves:
        node = node.add_main_variation(chess.Move.from_uci(record.move))
        assert record.score is not None
        node.set_eval(chess.engine.PovScore(record.score, chess.WHITE))
    return f"{tree}\n\n"
