# SPDX-License-Identifier: GPL-3.0-or-later
"""What the core is compared with: python-chess, and plain slow versions of what the core does fast.

Nothing here reads the core's sources or shares a table with it, save `search_value`, whose leaves are the
engine's own static evaluation: it checks the search, not the evaluation.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache

import chess
from coachwhip.core.engine import Engine, Position
from coachwhip.core.tunables import TUNABLES
from coachwhip.evaluation import config

MATE = 1_000_000  # of the oracle, beyond any evaluation
SEE_NAMES = {
    chess.PAWN: "see_pawn",
    chess.KNIGHT: "see_knight",
    chess.BISHOP: "see_bishop",
    chess.ROOK: "see_rook",
    chess.QUEEN: "see_queen",
}
KINDS = ("standard", "chess960", "dfrc")


@cache
def terms() -> tuple[int, ...]:
    """The shipped weights, packed."""
    return tuple(config.flatten(config.load_default()))


def new_engine(hash_mb: int = 1, **tunables: int) -> Engine:
    """An engine without a network."""
    return Engine(terms(), hash_mb=hash_mb, tunables=tunables)


def see_values() -> dict[chess.PieceType, int]:
    """What a piece counts in exchanges; the king cannot be lost."""
    defaults = {row[0]: row[1] for row in TUNABLES}
    return {piece: defaults[name] for piece, name in SEE_NAMES.items()} | {chess.KING: 0}


# --- Games to compare on ---


def start_board(kind: str, rng: random.Random) -> chess.Board:
    """A start position: the standard one, one of the 960, or two of them, one a side (double Chess960)."""
    if kind == "standard":
        return chess.Board()
    white = chess.Board.from_chess960_pos(rng.randrange(960))
    if kind == "chess960":
        return white
    black = chess.Board.from_chess960_pos(rng.randrange(960))
    for square in chess.SquareSet(chess.BB_RANK_8):
        white.set_piece_at(square, black.piece_at(square))
    white.castling_rights = white.castling_rights & chess.BB_RANK_1 | black.castling_rights & chess.BB_RANK_8
    assert white.is_valid()
    return white


def may_check(board: chess.Board, move: chess.Move) -> bool:
    """False for most moves that give no check: neither end of the move has a line to the king.

    Asking python-chess takes ten times longer.
    """
    king = board.king(not board.turn)
    if king is None or move.promotion or board.is_castling(move) or board.is_en_passant(move):
        return True
    if chess.ray(king, move.from_square) or chess.ray(king, move.to_square):
        return True
    return bool(chess.BB_KNIGHT_ATTACKS[king] & chess.BB_SQUARES[move.to_square])


def choose(board: chess.Board, rng: random.Random, greedy: bool) -> chess.Move:
    """A random move.

    A greedy player mostly takes what is rare: castling, en passant, promotion, check, capture, a pawn.
    """
    moves = list(board.legal_moves)
    if greedy and rng.random() < 0.75:
        for wanted in (
            board.is_castling,
            board.is_en_passant,
            lambda move: move.promotion is not None,
            lambda move: may_check(board, move) and board.gives_check(move),
            board.is_capture,
            lambda move: board.piece_type_at(move.from_square) == chess.PAWN,
        ):
            if any(map(wanted, moves)) and rng.random() < 0.6:
                return rng.choice(list(filter(wanted, moves)))
    return rng.choice(moves)


def play(board: chess.Board, rng: random.Random, greedy: bool, plies: int) -> Iterator[chess.Move]:
    """Play a game of at most `plies` on `board`: yields each move, made when the next one is asked for."""
    for _ in range(plies):
        if not any(board.legal_moves):
            return
        move = choose(board, rng, greedy)
        yield move
        board.push(move)


def fen_of(board: chess.Board) -> str:
    """The FEN as the core writes it: Shredder letters in Chess960, an ep square only if it can be taken."""
    return board.shredder_fen(en_passant="legal") if board.chess960 else board.fen(en_passant="legal")


def is_rule_draw(board: chess.Board) -> bool:
    """The draws that need no claim from us: fifty moves, threefold repetition, insufficient material."""
    return board.is_fifty_moves() or board.is_repetition(3) or board.is_insufficient_material()


def is_over(board: chess.Board) -> bool:
    return not any(board.legal_moves) or is_rule_draw(board)


# --- Search ---


@dataclass
class Line:
    """The line being searched: the same game on both boards, and what stood on it before."""

    board: chess.Board
    position: Position
    # the game up to and with the current position
    keys: list[tuple[object, ...]] = field(default_factory=list)
    root: int = 0  # index in `keys` of the root

    def remember(self) -> None:
        """Note the current position: what makes two of them the same by the rules."""
        board = self.board
        pieces = (
            board.pawns,
            board.knights,
            board.bishops,
            board.rooks,
            board.queens,
            board.kings,
            *board.occupied_co,
        )
        ep = board.ep_square if board.has_legal_en_passant() else None
        self.keys.append((*pieces, board.turn, board.clean_castling_rights(), ep))

    def push(self, move: chess.Move) -> None:
        self.position.make(move.uci())
        self.board.push(move)
        self.remember()

    def pop(self) -> None:
        self.keys.pop()
        self.board.pop()
        self.position.undo()

    def repeats(self) -> bool:
        """One earlier occurrence after the root, or two anywhere."""
        reach = min(self.board.halfmove_clock, len(self.keys) - 1)
        if reach < 4:
            return False
        now = len(self.keys) - 1
        earlier = [i for i in range(now - reach, now) if self.keys[i] == self.keys[now]]
        return len(earlier) >= 2 or any(i > self.root for i in earlier)


def line_of(fen: str, moves: tuple[str, ...] = ()) -> Line:
    """A root for `search_value`, with the game that led to it."""
    line = Line(chess.Board(fen), Position(fen))
    line.remember()
    for move in moves:
        line.push(chess.Move.from_uci(move))
    line.root = len(line.keys) - 1
    return line


def search_value(engine: Engine, line: Line, depth: int, ply: int = 0) -> int:
    """Plain minimax to `depth`: no window, no ordering, no table.

    MATE - ply when stm mates `ply` plies from the root.
    """
    board = line.board
    if ply and line.repeats():
        return 0
    if not any(board.legal_moves):
        return ply - MATE if board.is_check() else 0
    if ply and (board.halfmove_clock >= 100 or board.is_insufficient_material()):
        return 0
    if depth == 0:
        return engine.evaluate(line.position)
    best = -MATE
    for move in board.legal_moves:
        line.push(move)
        best = max(best, -search_value(engine, line, depth - 1, ply + 1))
        line.pop()
    return best


def as_text(value: int) -> str:
    """A value of `search_value` as UCI says it: `cp 12` or `mate -2`."""
    if abs(value) < MATE - 1000:
        return f"cp {value}"
    plies = MATE - abs(value)
    return f"mate {(plies + 1) // 2}" if value > 0 else f"mate {-(plies // 2)}"


def mate_distance(position: Position, limit: int) -> int:
    """In how many moves stm mates (negative: is mated), by trying all; 0 if it takes more than `limit`."""
    for moves in range(1, limit + 1):
        if _mates(position, moves):
            return moves
        if _is_mated(position, moves):
            return -moves
    return 0


def _mates(position: Position, moves: int) -> bool:
    for move in position.legal_moves():
        if moves == 1 and not position.gives_check(move):
            continue
        position.make(move)
        mated = _is_mated(position, moves - 1)
        position.undo()
        if mated:
            return True
    return False


def _is_mated(position: Position, moves: int) -> bool:
    """Whether stm is mated whatever it does, within so many more moves of the other side (0: now)."""
    replies = position.legal_moves()
    if not replies or not moves:
        return not replies and position.in_check
    for move in replies:
        position.make(move)
        mated = _mates(position, moves)
        position.undo()
        if not mated:
            return False
    return True


def engine_value(engine: Engine, position: Position, depth: int) -> str:
    """The value the engine gives at `depth`, from an empty memory, as `cp 12` or `mate -2`."""
    engine.clear()
    engine.prepare()
    info = engine.search(position, depth=depth).info
    assert info is not None
    assert info.depth == depth
    return f"mate {info.mate_in}" if info.is_mate else f"cp {info.score_cp}"
