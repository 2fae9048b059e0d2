# SPDX-License-Identifier: GPL-3.0-or-later
"""UCI_Elo and Skill Level: how the engine plays weaker, without waiting.

First, it searches fewer nodes, so it overlooks deeper lines. Second, it sometimes plays a move that scores
nearly as well as the best, more often at lower levels (softmax choice: the probability falls with the loss in
centipawns, https://en.wikipedia.org/wiki/Softmax_function). Third, below 800 it overlooks moves, as beginners
do, with a probability called blindness: each of its own moves, even a mate in one, and in some turns all
replies. So it leaves pieces hanging and takes protected ones.

Won endings need technique, which people know rather than calculate: there every level searches more nodes and
plays the best move. The side that is far ahead avoids those draws and repetitions that it sees. No move takes
the last one back while another is nearly as good.
"""

from __future__ import annotations

from math import exp

from .options import FULL_SKILL, MAX_ELO

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from random import Random

    from ..core.engine import Engine, Position, SearchInfo, SearchResult
    from .options import Options
    from .timeman import Limits

# Elo, nodes of the search, temperature in centipawns, blindness. Nodes rise and the others fall from row to
# row, so strength rises. The differences were measured in games of neighbouring levels; 500 is about even
# with a player who looks one ply ahead (bench/results.md).
ANCHORS = (
    (100, 25, 110.0, 0.55),
    (200, 40, 96.0, 0.33),
    (500, 90, 88.0, 0.125),
    (800, 140, 83.0, 0.0),
    (1220, 400, 55.0, 0.0),
    (1700, 1_500, 34.0, 0.0),
    (2280, 6_000, 20.0, 0.0),
    (2800, 21_500, 12.0, 0.0),
)
SKILL_0 = 200  # Elo of Skill Level 0
SCAN_SHARE = 4  # the short searches of all moves get a quarter of the nodes in addition
WORST = 3.0  # temperatures: a move that loses more is never chosen
FAR_AHEAD = 300  # centipawns from which a side avoids draws
TECHNIQUE = 48  # times the level's nodes in a won ending: 200 then mates with a rook, 1500 with two bishops
TECHNIQUE_NODES = 50_000  # enough for all of that: more would only take time
MATE_SCORE = 32000  # centipawns that a mate counts as when moves are compared
MUCH_WORSE = 150  # centipawns that all other moves must lose before one takes the last one back
# centipawns added to the loss of all moves but the best, whose short search may overrate them
SECOND_PLACE = 12


def limited_elo(options: Options) -> int:
    """Return the Elo to play at, 0 for full strength.

    UCI_LimitStrength overrides Skill Level: equal steps from SKILL_0.
    """
    if options.is_on("UCI_LimitStrength"):
        return options.number("UCI_Elo")
    skill = options.number("Skill Level")
    return SKILL_0 + (MAX_ELO - SKILL_0) * skill // FULL_SKILL if skill < FULL_SKILL else 0


class Level:
    """The play at an Elo; `seeds` are those of its random choices.

    Between anchors: nodes geometric, the others linear.
    """

    def __init__(self, elo: int, seeds: tuple[int, int]) -> None:
        above = next(index for index in range(1, len(ANCHORS)) if elo <= ANCHORS[index][0])
        (low, low_nodes, low_heat, low_blind), (high, high_nodes, high_heat, high_blind) = ANCHORS[
            above - 1 : above + 1
        ]
        part = (elo - low) / (high - low)
        self.nodes = round(low_nodes * (high_nodes / low_nodes) ** part)
        self.temperature = low_heat + part * (high_heat - low_heat)
        self.blindness = low_blind + part * (high_blind - low_blind)
        self._seeds = seeds
        self._shorts: dict[str, SearchResult] = {}

    def scan(
        self, engine: Engine, position: Position, moves: list[str], limits: Limits
    ) -> tuple[list[str], int]:
        """Search moves for a short time each, with half of the limits.

        Return the moves, and the nodes, of the search that follows.
        """
        from random import Random  # takes longer to load than the rest of a session

        self._random = Random(str((position.key, *self._seeds)))
        if needs_technique(position, engine.evaluate(position)):
            return without_draws(position, moves) or moves, min(self.nodes * TECHNIQUE, TECHNIQUE_NODES)
        moves = [move for move in moves if self._random.random() >= self.blindness] or moves
        soft_nodes = max(self.nodes // SCAN_SHARE // len(moves), 1)
        for move in moves:
            most = max(limits.nodes // 2 - limits.used_nodes, 0)
            if limits.nodes and not most:
                break
            short = engine.search(
                position,
                depth=limits.depth,
                nodes=most,
                soft_nodes=soft_nodes,
                hard_ms=limits.left_ms()[1] // 2,
                searchmoves=[move],
            )
            limits.used_nodes += short.nodes
            if limits.nodes and short.nodes == most:
                break
            self._shorts[move] = short
        return moves, self.nodes

    def choose(self, engine: Engine, position: Position, result: SearchResult) -> SearchResult:
        """Return the result for the move chosen at random: of the search after `scan`, or a short one."""
        if result.bestmove not in self._shorts or result.lines[0].mate_in > 0:
            return result
        scores = {move: comparable(short.lines[0]) for move, short in self._shorts.items()}
        if self._random.random() < self.blindness:
            for move, score in scores.items():
                after = position.copy()
                after.make(move)
                scores[move] = max(score, -engine.evaluate(after))  # without the reply
        chosen = choose(position, scores, result, self.temperature, self._random)
        return result if chosen == result.bestmove else self._shorts[chosen]


def needs_technique(position: Position, score: int) -> bool:
    """Return whether stm, with this static score, is far ahead of a king and at most one piece or pawn."""
    enemy = str.islower if position.stm == "w" else str.isupper
    return score >= FAR_AHEAD and sum(map(enemy, position.board())) <= 2


def without_draws(position: Position, moves: Iterable[str]) -> list[str]:
    """Return the moves that neither draw at once nor let the opponent repeat a position."""
    from ..core.engine import can_repeat

    position = position.copy()
    kept = []
    for move in moves:
        position.make(move)
        if position.result() != "1/2-1/2" and not can_repeat(position):
            kept.append(move)
        position.undo()
    return kept


def taking_back(position: Position) -> str:
    """Return the move that would take back the side's last one.

    It is "" where that was a capture or castling, or is not known.
    """
    earlier, boards = position.copy(), []
    try:
        for _ in range(2):
            earlier.undo()
            boards.append(earlier.board().replace("\n", ""))
    except IndexError:
        return ""
    after, before = boards
    left = [square for square in range(64) if before[square] != "." == after[square]]
    reached = [square for square in range(64) if before[square] == "." != after[square]]
    if len(left) != 1 or len(reached) != 1:
        return ""
    return "".join(f"{'abcdefgh'[square % 8]}{8 - square // 8}" for square in (*reached, *left))


def choose(
    position: Position, scores: dict[str, int], result: SearchResult, temperature: float, random: Random
) -> str:
    """Return one of the moves in `scores` (centipawns, of short searches).

    `result` is that of the longer search.
    """
    progressing = {move: scores[move] for move in without_draws(position, scores)}
    if max(progressing.values(), default=0) >= FAR_AHEAD:
        scores = progressing
    back = taking_back(position)
    others = {move: score for move, score in scores.items() if move != back}
    if back in scores and max(others.values(), default=-MATE_SCORE) >= scores[back] - MUCH_WORSE:
        scores = others
    return softmax(result.bestmove, scores, temperature, random)


def softmax(best: str, scores: dict[str, int], temperature: float, random: Random) -> str:
    """Return one of the moves in `scores` (centipawns) at random.

    The less a move loses, the likelier it is; `best` loses nothing.
    """
    top = max(scores.values())
    if best not in scores:
        best = max(scores, key=scores.__getitem__)
    losses = [0 if move == best else top - score + SECOND_PLACE for move, score in scores.items()]
    weights = [exp(-loss / temperature) if loss <= WORST * temperature else 0.0 for loss in losses]
    return random.choices(list(scores), weights)[0]


def comparable(info: SearchInfo) -> int:
    """Return the score of a search in centipawns; mates are beyond all others, shorter ones further."""
    if not info.is_mate:
        return info.score_cp
    return MATE_SCORE - info.mate_in if info.mate_in > 0 else -MATE_SCORE - info.mate_in
