# SPDX-License-Identifier: GPL-3.0-or-later
"""Random games for files of labelled positions, played with python-chess."""

import functools
import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import chess
import oracle
from coachwhip.core.engine import Position
from coachwhip.evaluation.learn import labelled


@dataclass
class Row:
    """What a position should be decoded to; nobody changes it."""

    board: chess.Board
    score: int
    result: int  # NO_RESULT for the end of a side line
    best: chess.Move

    @functools.cached_property
    def is_quiet(self) -> bool:
        return not (self.board.is_check() or self.board.is_capture(self.best) or self.best.promotion)

    @functools.cached_property
    def packed(self) -> bytes:
        return Position(oracle.fen_of(self.board), chess960=True).pack()

    @functools.cached_property
    def key(self) -> tuple[str, ...]:
        """What makes two positions the same."""
        return tuple(oracle.fen_of(self.board).split()[:4])


@dataclass
class Played:
    """A game and its positions, in the order of its rows."""

    game: labelled.Game
    rows: list[Row] = field(default_factory=list)


def code(board: chess.Board, move: chess.Move) -> int:
    """The 16 bits of a legal move, from their description in core/board/types.pxd."""
    to, flag = move.to_square, 4 if board.is_capture(move) else 0
    if board.is_castling(move):
        rights = chess.SquareSet(board.clean_castling_rights() & chess.BB_RANKS[chess.square_rank(to)])
        to, flag = (to if board.chess960 else max(rights) if to > move.from_square else min(rights)), 2
    elif board.is_en_passant(move):
        flag = 5
    elif move.promotion:
        flag += 8 + move.promotion - chess.KNIGHT
    elif board.piece_type_at(move.from_square) == chess.PAWN and abs(to - move.from_square) == 16:
        flag = 1
    return move.from_square | to << 6 | flag << 12


def score_of(rng: random.Random) -> int:
    return rng.choice((rng.randint(-300, 300), rng.randint(-3000, 3000), labelled.MATE - 3, 4 - labelled.MATE))


def played(
    number: int,
    board: chess.Board,
    rng: random.Random,
    plies: int,
    *,
    side_lines: int = 1,
    shuffle: bool = False,
    label: Callable[[chess.Board], int] | None = None,
) -> Played:
    """A random game from a board; `shuffle`: mostly with moves back and forth; `label` gives the scores (None: they are random)."""
    result = rng.randrange(3)
    start = Position(oracle.fen_of(board), chess960=True).pack()
    rows: list[Row] = []
    moves: list[labelled.Ply] = []
    lines: list[labelled.SideLine] = []
    for move in _moves(board, rng, plies, shuffle):
        score = label(board) if label else score_of(rng)
        rows.append(Row(board.copy(stack=False), score, result, move))
        for _ in range(rng.randint(0, side_lines)):
            if found := _side_line(board, rng, len(moves)):
                lines.append(found[0])
                rows.append(found[1])
        moves.append(labelled.Ply(code(board, move), score))
    return Played(labelled.Game(number, labelled.RESULTS[result], start, tuple(moves), tuple(lines)), rows)


def _moves(board: chess.Board, rng: random.Random, plies: int, shuffle: bool) -> Iterable[chess.Move]:
    if not shuffle:
        yield from oracle.play(board, rng, greedy=True, plies=plies)
        return
    last: list[chess.Move] = []
    for _ in range(plies):
        back = [chess.Move(move.to_square, move.from_square) for move in last[-2:-1]]
        legal = [move for move in back if board.is_legal(move) and rng.random() < 0.8] or list(board.legal_moves)
        if not legal:
            return
        last.append(rng.choice(legal))
        yield last[-1]
        board.push(last[-1])


def _side_line(board: chess.Board, rng: random.Random, ply: int) -> tuple[labelled.SideLine, Row] | None:
    line, moves = board.copy(stack=False), []
    for _ in range(rng.randint(1, labelled.LINE_PLIES)):
        if not any(line.legal_moves):
            return None
        move = oracle.choose(line, rng, greedy=True)
        moves.append(code(line, move))
        line.push(move)
    if not any(line.legal_moves):
        return None
    best, score = oracle.choose(line, rng, greedy=True), score_of(rng)
    return labelled.SideLine(ply, tuple(moves), code(line, best), score), Row(line, score, len(labelled.RESULTS), best)


@functools.cache
def many(count: int, seed: int = 1, plies: int = 60, side_lines: int = 1) -> list[Played]:
    """Games from standard and Chess960 start positions; every fifth moves back and forth, and game 4 has no ply.

    Nobody changes them: all tests of a process share them.
    """
    rng = random.Random(seed)
    return [
        played(
            number,
            oracle.start_board(oracle.KINDS[number % len(oracle.KINDS)], rng),
            rng,
            0 if number == 4 else rng.randint(1, plies),
            shuffle=number % 5 == 0,
            side_lines=side_lines,
        )
        for number in range(count)
    ]


def blocks_of(games: Sequence[labelled.Game], size: int) -> list[bytes]:
    """Blocks of so many games each, as in a file."""
    recorded = [labelled.recorded(game) for game in games]
    return [labelled.block(games[at].number, recorded[at : at + size]) for at in range(0, len(games), size)]


def file_of(games: Sequence[Played], settings: dict[str, object] | None = None, block: int = 5) -> bytes:
    """A file with blocks of so many games."""
    return labelled.header(settings or {}) + b"".join(blocks_of([each.game for each in games], block))


def usable(each: Played, max_score: int) -> list[Row]:
    """The rows of a game, and of its side lines, that have a use up to a score."""
    seen: set[tuple[str, ...]] = set()
    found = []
    for row in each.rows:
        if not row.is_quiet or abs(row.score) > max_score:
            continue
        if row.result < len(labelled.RESULTS):
            if row.key in seen:
                continue
            seen.add(row.key)
        found.append(row)
    return found
