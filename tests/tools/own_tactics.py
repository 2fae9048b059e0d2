# SPDX-License-Identifier: GPL-3.0-or-later
"""Positions of own games in which one move is much better than all others, and a search of a few hundred nodes does not find it.

The players are fast: they overlook much, so their games are full of such positions.
"""

import multiprocessing
import random
from collections.abc import Callable, Iterator
from typing import NamedTuple

import chess
import oracle
import own_search
from coachwhip.core.engine import Position
from own_search import MATE, Line

TACTICS = 80
MATES = 12
PROCESSES = 3
GAMES = 5000  # games, at most
PLAYERS = (60, 400)  # nodes a move, from .. to
MOST_PLIES = 140
FIRST_PLY = 12
SHALLOW = 300  # nodes that do not suffice
RANDOM_PLIES = 6
FIRST_LOOK = 4_000  # nodes of the search that every position gets
FIRST_GAP = 80  # centipawns by which it must come to another score than after SHALLOW
DECIDED = 800  # centipawns, at which a game is not played on
LOOKS = (40_000, 200_000)  # nodes of the searches that choose, one after the other
DEEP = 2_000_000  # of the search that has the last word
PLAIN = 100  # centipawns of a static exchange that anybody sees
GAP = 200  # centipawns between the best move and the second
STILL_OPEN = 400  # centipawns of the second best move, beyond which the game is decided anyway
LEAST_MOVES = 3
APART = 10  # plies between two positions of a game
PROVEN = 3  # a mate in so many moves is proven by trying everything


class Tactic(NamedTuple):
    """A position, its move, score and mate, and after how many nodes a search finds the move."""

    board: chess.Board
    best: Line
    nodes: int
    game: int

    def epd(self, label: str) -> str:
        """As a line of the suite."""
        board = self.board
        asked = {"bm": board.parse_uci(self.best.move)}
        mate = {} if self.best.mate is None or not is_proven(board, self.best.mate) else {"dm": self.best.mate}
        score = {} if self.best.mate is not None else {"ce": self.best.score}
        comment = f"{self.nodes} nodes; own game {self.game}, move {board.fullmove_number}"
        return board.epd(**asked, **mate, **score, id=label, c0=comment)  # type: ignore[arg-type]


def is_proven(board: chess.Board, mate: int) -> bool:
    """Whether trying everything finds this mate, and none that is shorter."""
    return 0 < mate <= PROVEN and oracle.mate_distance(Position(board.fen()), PROVEN) == mate


def only_move(board: chess.Board, nodes: int) -> Line | None:
    """The best move, if it is far better than the second and the second leaves the game open."""
    lines = own_search.search(board, nodes, 2)
    if len(lines) < 2 or lines[0].score - lines[1].score < GAP:
        return None
    saves = lines[1].score < 0 and lines[0].score > -GAP // 2  # all other moves lose, by however much
    return lines[0] if abs(lines[1].score) <= STILL_OPEN or saves else None


def is_hidden(board: chess.Board, move: str) -> bool:
    """Whether a short search plays something else."""
    return own_search.search(board, SHALLOW)[0].move != move


def promising(board: chess.Board) -> bool:
    """Whether a search finds another move after some hundred nodes, and much is at stake."""
    if board.legal_moves.count() < LEAST_MOVES:
        return False
    seen = own_search.moments(board, FIRST_LOOK, hash_mb=1)
    early = [moment.line for moment in seen if moment.nodes <= SHALLOW] or [seen[0].line]
    late = seen[-1].line
    return early[-1].move != late.move and abs(early[-1].score - late.score) >= FIRST_GAP and not is_plain(board, late.move)


def is_plain(board: chess.Board, move: str) -> bool:
    """Whether the move wins material by a mere exchange, or promotes."""
    return own_search.position_of(board).see(move) >= PLAIN


def tactic(board: chess.Board, game: int) -> Tactic | None:
    """The position as a problem, if every search agrees."""
    if not promising(board):
        return None
    best: Line | None = None
    for nodes in (*LOOKS, DEEP):
        line = only_move(board, nodes)
        if line is None or (best is not None and line.move != best.move):
            return None
        if best is None and (is_plain(board, line.move) or not is_hidden(board, line.move)):
            return None
        best = line
    assert best is not None
    if best.mate is not None and not ends_in_mate(board, best):
        return None
    nodes_needed = own_search.found_at(board, best.move, LOOKS[-1])
    return None if nodes_needed is None else Tactic(board, best, nodes_needed, game)


def ends_in_mate(board: chess.Board, line: Line) -> bool:
    """Whether the line of a mate is legal and ends in it, by the rules of python-chess."""
    after = board.copy()
    for move in line.pv:
        after.push_uci(move)
    return line.score > MATE - 100 and after.is_checkmate() and len(line.pv) == 2 * (line.mate or 0) - 1


def mate_problem(board: chess.Board, game: int) -> Tactic | None:
    """The position, if one move alone mates in two or three, and a short search plays another."""
    seen = own_search.moments(board, FIRST_LOOK, hash_mb=1)
    if not seen or seen[-1].line.mate not in (2, 3) or not is_hidden(board, seen[-1].line.move):
        return None
    lines = own_search.search(board, LOOKS[-1], 2)
    best = lines[0]
    if len(lines) < 2 or (lines[1].mate or 0) > 0 or best.mate is None or not is_proven(board, best.mate):
        return None
    nodes_needed = own_search.found_at(board, best.move, LOOKS[-1])
    return None if nodes_needed is None else Tactic(board, best, nodes_needed, game)


def fast_game(number: int, decided: int) -> list[chess.Board]:
    """The positions of a game between two fast players, which begins with random moves, until a score is above `decided`."""
    rng = random.Random(f"fast game {number}")
    board, position = chess.Board(), Position()
    engine = own_search.engine(hash_mb=1)
    engine.clear()
    game: list[chess.Board] = []
    while not board.is_game_over() and board.ply() < MOST_PLIES:
        move = rng.choice(position.legal_moves())
        if board.ply() >= RANDOM_PLIES:
            result = engine.search(position, nodes=rng.randint(*PLAYERS))
            assert result.info is not None
            if abs(own_search.line_of(result.info).score) > decided:
                break
            move = result.bestmove
        board.push_uci(move)
        position.make(move)
        game.append(board.copy(stack=False))
    return game


def of_game(number: int) -> list[Tactic]:
    """The problems of one game, which are some plies apart."""
    found: list[Tactic] = []
    for board in fast_game(number, DECIDED):
        if board.ply() >= FIRST_PLY and (not found or board.ply() - found[-1].board.ply() >= APART):
            problem = tactic(board, number)
            if problem is not None:
                found.append(problem)
    return found


def mate_of_game(number: int) -> list[Tactic]:
    """The last short mate that was there in a game."""
    boards = reversed(fast_game(number, MATE))
    found = (mate_problem(board, number) for board in boards if board.legal_moves.count() >= LEAST_MOVES)
    return [problem for problem in found if problem is not None][:1]


def tactics() -> list[Tactic]:
    """All problems, the easy ones first."""
    found = [*first_of(of_game, TACTICS), *first_of(mate_of_game, MATES)]
    return sorted(found, key=lambda problem: problem.nodes)


def first_of(search: Callable[[int], list[Tactic]], count: int) -> Iterator[Tactic]:
    """The first so many problems that a search of the games finds, no two alike. The result is the same on any number of processes."""
    seen: set[str] = set()
    with multiprocessing.Pool(PROCESSES) as pool:
        for found in pool.imap(search, range(1, GAMES + 1)):
            for problem in found:
                if problem.board.epd() not in seen and len(seen) < count:
                    seen.add(problem.board.epd())
                    yield problem
            if len(seen) == count:
                return
