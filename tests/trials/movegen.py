# SPDX-License-Identifier: GPL-3.0-or-later
"""The rules of the core against python-chess, by hand: `movegen.py [--count N] [--seconds S] [--journal FILE --resume]`.

A piece is a few games of one kind: standard, Chess960 and double Chess960, and games from odd positions that were set up by chance
(up to nine queens a side, three knights, many rooks with castling rights, pawns everywhere, an ep square). Each position of a game is
compared: the legal moves, check, side to move, FEN, Zobrist keys (those of the position made from the FEN; one key for one position, others for
others), whether the move played gives check and captures. At the end of a game every move is taken back. On a sample: every move of a
position made and taken back, all other texts of moves refused, both spellings of castling, and perft 2 and 3. Odd positions are also
offered to the core where its rules refuse them. Exit code 1 with faults, each with the FEN and the moves that lead to it.
"""

import random
import sys
from collections import Counter
from collections.abc import Callable
from functools import cache, partial

from pieces import Piece, parser, run

# isort: split
import chess
import oracle
from coachwhip.core.engine import Position

KINDS = (*oracle.KINDS, "odd", "odd", "odd")
PLIES = 160  # of a game from a start position
ODD_PLIES = 40
PIECE = 2000  # positions, at least
CLOSE_LOOK, PERFT_2, PERFT_3 = 307, 97, 4001  # one position in so many
LOOKS = 5  # moves that a player looks at to find a rare one
SLOW_PLAYER = 10  # one game in so many is played by the players of oracle.py
PROMOTIONS = ("q", "r", "b", "n")
ORIGINALS = {chess.QUEEN: 1, chess.ROOK: 2, chess.BISHOP: 2, chess.KNIGHT: 2}
BACK_RANKS = chess.BB_RANK_1 | chess.BB_RANK_8


class Fault(Exception):
    """The core and python-chess say different things."""


def expect(what: str, core: object, other: object) -> None:
    """Raise Fault unless both say the same."""
    if core != other:
        raise Fault(f"{what}: the core has {core}, python-chess {other}")


# --- Odd positions ---


def odd_board(rng: random.Random) -> chess.Board:
    """Men by chance: as many of each as promotion allows, or a little more; castling rights and an ep square where they can be."""
    board = chess.Board(None, chess960=rng.random() < 0.5)
    board.turn = rng.random() < 0.5
    squares = rng.sample(chess.SQUARES, 64)
    with_castling = rng.random() < 0.3
    for colour in chess.COLORS:
        if with_castling and rng.random() < 0.8:
            _castling_side(board, colour, rng)
        if board.king(colour) is None:
            board.set_piece_at(next(sq for sq in squares if not board.piece_at(sq)), chess.Piece(chess.KING, colour))
        _men(board, colour, squares, rng)
    if rng.random() < 0.4:
        _en_passant(board, rng)
    board.halfmove_clock = 0 if board.ep_square is not None else rng.choice((0, 0, rng.randrange(120)))
    board.fullmove_number = rng.randrange(1, 300)
    return board


def _men(board: chess.Board, colour: chess.Color, squares: list[int], rng: random.Random) -> None:
    """Pieces and pawns of one side, on squares that are free. One time in 30 one man more than promotion allows."""
    room = rng.choice((0, 2, 4, 8, 8))  # pawns and promoted pieces
    favourite = rng.choice((None, chess.QUEEN, chess.QUEEN, chess.ROOK, chess.BISHOP, chess.KNIGHT))
    men = [kind for kind, count in ORIGINALS.items() for _ in range(rng.randint(0, count))]
    promoted = rng.randint(0, room)
    others = list(ORIGINALS)
    if promoted and favourite:
        have = men.count(favourite)
        men += [favourite] * (ORIGINALS[favourite] - have + promoted)
    else:
        for _ in range(promoted):
            extra = rng.choice(others)
            men += [extra] * (ORIGINALS[extra] - men.count(extra) + 1 if men.count(extra) < ORIGINALS[extra] else 1)
    men += [chess.PAWN] * rng.randint(0, room - promoted)
    if rng.random() < 1 / 30:
        men += [rng.choice((*others, chess.PAWN))] * rng.randint(1, 3)
    standing = Counter(piece.piece_type for piece in board.piece_map().values() if piece.color == colour)
    for kind in men:
        if standing[kind]:  # a rook that stands there for castling
            standing[kind] -= 1
            continue
        for square in squares:
            fits = kind != chess.PAWN or not chess.BB_SQUARES[square] & BACK_RANKS or rng.random() < 0.0005
            if fits and not board.piece_at(square):
                board.set_piece_at(square, chess.Piece(kind, colour))
                break
        rng.shuffle(squares)


def _castling_side(board: chess.Board, colour: chess.Color, rng: random.Random) -> None:
    """A king and one or two rooks that may castle; in standard chess where they begin."""
    rank = 0 if colour else 56
    files = sorted(rng.sample(range(8), 3)) if board.chess960 else [0, 4, 7]
    board.set_piece_at(rank + files[1], chess.Piece(chess.KING, colour))
    for file in rng.choice(([files[0]], [files[2]], [files[0], files[2]])):
        board.set_piece_at(rank + file, chess.Piece(chess.ROOK, colour))
        board.castling_rights |= chess.BB_SQUARES[rank + file]


def _en_passant(board: chess.Board, rng: random.Random) -> None:
    """The ep square behind a pawn that may just have moved two squares, most often one that a pawn attacks."""
    up = 8 if board.turn else -8
    rank = 4 if board.turn else 3
    found = [
        square
        for square in board.pieces(chess.PAWN, not board.turn)
        if chess.square_rank(square) == rank and not board.piece_at(square + up) and not board.piece_at(square + 2 * up)
    ]
    if not found:
        return
    square = rng.choice(found)
    board.ep_square = square + up
    for beside in (square - 1, square + 1):
        is_near = chess.square_rank(beside) == rank and not board.piece_at(beside)
        if is_near and len(board.pieces(chess.PAWN, board.turn)) < 8 and rng.random() < 0.5:
            board.set_piece_at(beside, chess.Piece(chess.PAWN, board.turn))


def is_acceptable(board: chess.Board) -> bool:
    """The core's rules for a FEN, told by python-chess: kings, pawns, promoted pieces, and nobody can take a king."""
    for colour in chess.COLORS:
        men = Counter(piece.piece_type for piece in board.piece_map().values() if piece.color == colour)
        extra = sum(max(0, men[kind] - count) for kind, count in ORIGINALS.items())
        if men[chess.KING] != 1 or men[chess.PAWN] + extra > 8:
            return False
    return not (board.pawns & BACK_RANKS or board.was_into_check())


def odd_start(rng: random.Random, counts: Counter[str]) -> chess.Board:
    """An odd position that is accepted. Raises Fault if the core refuses one that it should accept, or the other way."""
    while True:
        board = odd_board(rng)
        fen = board.fen(shredder=board.chess960, en_passant="fen")
        try:
            Position(fen, chess960=board.chess960)
            accepted = True
        except ValueError:
            accepted = False
        counts["set up"] += 1
        if accepted != is_acceptable(board):
            raise Fault(f"{fen}: the core {'accepts' if accepted else 'refuses'} it")
        # python-chess makes ep captures of any ep square; a check that no move can have given says nothing about them
        if accepted and not (board.ep_square is not None and board.status() & (chess.STATUS_INVALID_EP_SQUARE | IMPOSSIBLE)):
            return board


IMPOSSIBLE = chess.STATUS_IMPOSSIBLE_CHECK | chess.STATUS_TOO_MANY_CHECKERS


# --- Games ---


def choose(board: chess.Board, moves: list[chess.Move], rng: random.Random) -> chess.Move:
    """One of the first few moves by chance that is rare (castling, promotion, capture, two squares), else the last of them."""
    for _ in range(LOOKS):
        move = moves[int(rng.random() * len(moves))]
        target = chess.BB_SQUARES[move.to_square]
        if (
            move.promotion
            or target & board.occupied
            or (board.kings & chess.BB_SQUARES[move.from_square] and board.is_castling(move))
        ):
            return move
        if abs(move.to_square - move.from_square) == 16 and board.pawns & chess.BB_SQUARES[move.from_square]:
            return move
    return move


class Game:
    """A game on both boards."""

    def __init__(self, board: chess.Board, counts: Counter[str], seen: dict[int, tuple[object, ...]]) -> None:
        self.board = board
        self.counts = counts
        self.seen = seen  # what stood on the board, by key
        self.fen = oracle.fen_of(board)
        self.position = Position(self.fen, chess960=board.chess960)
        self.played: list[tuple[str, int, int]] = []  # moves, and both keys before each

    def play(self, rng: random.Random, plies: int) -> None:
        """Play and compare. Raises Fault."""
        slow = rng.randrange(SLOW_PLAYER) == 0
        for _ in range(plies):
            moves = self.compare()
            number = rng.randrange(1 << 30)
            for every, look in (
                (CLOSE_LOOK, self.look_closely),
                (PERFT_2, partial(self.perft, 2)),
                (PERFT_3, partial(self.perft, 3)),
            ):
                if number % every == 0:
                    look()
            if not moves:
                break
            self.make(oracle.choose(self.board, rng, greedy=True) if slow else choose(self.board, moves, rng))
        self.take_back()

    def compare(self) -> list[chess.Move]:
        """All that is compared everywhere. Returns the legal moves."""
        board, position = self.board, self.position
        moves = list(board.generate_legal_moves())
        self.counts["positions"] += 1
        self.counts["moves"] += len(moves)
        expect("legal moves", sorted(position.legal_moves()), sorted([move.uci() for move in moves]))
        fen = position.fen()
        ep = any(map(board.is_en_passant, moves)) if board.ep_square is not None else False
        expect("FEN", fen, board.fen(shredder=board.chess960, en_passant="fen" if ep else "legal"))
        expect("check", position.in_check, board.is_check())
        expect("side to move", position.stm, "w" if board.turn else "b")
        if not position.is_ok():
            raise Fault("boards, keys, checks or pins are not what they are from scratch")
        fresh = Position(fen, chess960=board.chess960)
        expect("FEN read again", fresh.fen(), fen)
        expect("keys of the FEN", (fresh.key, fresh.pawn_key), (position.key, position.pawn_key))
        self.compare_key(ep)
        return moves

    def compare_key(self, ep: bool) -> None:
        """One position, one key."""
        board = self.board
        stands: tuple[object, ...] = (
            *(board.pawns, board.knights, board.bishops, board.rooks, board.queens, board.kings, board.occupied_co[True]),
            *(board.turn, board.clean_castling_rights(), board.ep_square if ep else None),
        )
        before = self.seen.setdefault(self.position.key, stands)
        if before != stands:
            raise Fault(f"key {self.position.key:#x} is that of another position too: {before}")

    def make(self, move: chess.Move) -> None:
        """Make a move on both boards."""
        text = move.uci()
        expect(f"{text} gives check", self.position.gives_check(text), self.board.gives_check(move))
        expect(f"{text} is a capture", self.position.is_capture(text), self.board.is_capture(move))
        self.played.append((text, self.position.key, self.position.pawn_key))
        self.position.make(text)
        self.board.push(move)

    def take_back(self) -> None:
        """Undo the whole game."""
        line = self.line()
        while self.played:
            text, *keys = self.played.pop()
            self.position.undo()
            if keys != [self.position.key, self.position.pawn_key]:
                raise Fault(f"taking {text} back gives other keys than before, in {line}")
        expect("FEN after all moves are taken back", self.position.fen(), self.fen)
        self.counts["games"] += 1

    def look_closely(self) -> None:
        """Every legal move is made and taken back, and every other text is refused."""
        board, position = self.board, self.position
        before = (position.fen(), position.key, position.pawn_key)
        legal = set()
        for move in list(board.legal_moves):
            text = move.uci()
            legal |= {text, *other_spelling(board, move)}
            expect(f"{text} gives check", position.gives_check(text), board.gives_check(move))
            expect(f"{text} is a capture", position.is_capture(text), board.is_capture(move))
            position.make(text)
            board.push(move)
            expect(f"FEN after {text}", position.fen(), oracle.fen_of(board))
            expect(f"check after {text}", position.in_check, board.is_check())
            expect(f"result after {text}", position.result(), result_of(board))
            if not position.is_ok():
                raise Fault(f"after {text}: boards, keys, checks or pins are not what they are from scratch")
            board.pop()
            position.undo()
        expect("position after its moves are taken back", (position.fen(), position.key, position.pawn_key), before)
        expect("texts accepted", sorted(text for text in texts() if accepts(position, text)), sorted(legal))
        self.counts["close looks"] += 1
        self.transpose()

    def transpose(self) -> None:
        """Two moves of a side around one quiet move of the other, in both orders: where the same position results, the key is the same."""
        moves = list(self.board.legal_moves)
        for first, third in zip(moves[::2], reversed(moves), strict=False):
            reply = _reply(self.board, first)
            if reply is None:
                continue
            found = [self.after(line) for line in ((first, reply, third), (third, reply, first))]
            (epd, key), (other_epd, other_key) = found
            if not epd or not other_epd:
                continue
            self.counts["transpositions"] += epd == other_epd
            if (epd == other_epd) != (key == other_key):
                raise Fault(
                    f"by {first} {reply} {third} and the other way round: {epd} has key {key:#x}, {other_epd} {other_key:#x}"
                )

    def after(self, line: tuple[chess.Move, ...]) -> tuple[str, int]:
        """What stands after some moves, and its key; ("", 0) if they cannot be made."""
        made = 0
        for move in line:
            if not self.board.is_legal(move):
                break
            self.position.make(self.board.uci(move))
            self.board.push(move)
            made += 1
        found = (self.board.epd(en_passant="legal"), self.position.key) if made == len(line) else ("", 0)
        for _ in range(made):
            self.board.pop()
            self.position.undo()
        return found

    def perft(self, depth: int) -> None:
        """The number of leaves, behind each move."""
        counted = {}
        for move in list(self.board.legal_moves):
            self.board.push(move)
            counted[move.uci()] = leaves(self.board, depth - 1)
            self.board.pop()
        expect(f"perft {depth}", dict(self.position.divide(depth)), counted)
        expect(f"perft {depth}", self.position.perft(depth), sum(counted.values()))
        self.counts[f"perft {depth}"] += 1
        self.counts["perft leaves"] += sum(counted.values())

    def line(self) -> str:
        """What leads to the position."""
        return " ".join(["position fen", self.fen, "moves", *(text for text, *_ in self.played)])


def _reply(board: chess.Board, move: chess.Move) -> chess.Move | None:
    """A quiet reply to a move."""
    board.push(move)
    reply = next((each for each in board.legal_moves if not board.is_zeroing(each)), None)
    board.pop()
    return reply


def other_spelling(board: chess.Board, move: chess.Move) -> set[str]:
    """How castling may be written too: by the king's two squares in Chess960, which may be the same, and as king takes rook else."""
    if not board.is_castling(move):
        return set()
    if not board.chess960:
        rook = max if board.is_kingside_castling(move) else min
        rank = chess.BB_RANKS[chess.square_rank(move.from_square)]
        return {chess.Move(move.from_square, rook(chess.SquareSet(board.castling_rights & rank))).uci()}
    square = chess.square(6 if board.is_kingside_castling(move) else 2, chess.square_rank(move.from_square))
    return {chess.SQUARE_NAMES[move.from_square] + chess.SQUARE_NAMES[square]}


def result_of(board: chess.Board) -> str:
    """The result as the core tells it."""
    if not any(board.legal_moves):
        return board.result(claim_draw=False)
    return "1/2-1/2" if oracle.is_rule_draw(board) else "*"


@cache
def texts() -> tuple[str, ...]:
    """Every text of two squares, and every promotion."""
    found = []
    for start in chess.SQUARES:
        for target in chess.SQUARES:
            text = chess.SQUARE_NAMES[start] + chess.SQUARE_NAMES[target]
            found.append(text)
            if chess.square_rank(target) in (0, 7) and abs(chess.square_rank(start) - chess.square_rank(target)) == 1:
                found += [text + letter for letter in PROMOTIONS]
    return tuple(found)


def accepts(position: Position, text: str) -> bool:
    """Whether the core takes a text for a legal move."""
    try:
        position.move_code(text)
    except ValueError:
        return False
    return True


def leaves(board: chess.Board, depth: int) -> int:
    """Leaves `depth` plies ahead, counted one by one."""
    if depth == 1:
        return sum(1 for _ in board.generate_legal_moves())
    total = 0
    for move in list(board.generate_legal_moves()):
        board.push(move)
        total += leaves(board, depth - 1)
        board.pop()
    return total


def piece(seed: int, number: int) -> Piece:
    """Games of one kind."""
    kind = KINDS[number % len(KINDS)]
    rng = random.Random(f"{seed} {number}")
    counts: Counter[str] = Counter()
    faults: list[str] = []
    seen: dict[int, tuple[object, ...]] = {}
    while counts["positions"] < PIECE and not faults:
        where: Callable[[], str] = str
        try:
            board = odd_start(rng, counts) if kind == "odd" else oracle.start_board(kind, rng)
            game = Game(board, counts, seen)
            where = game.line
            game.play(rng, ODD_PLIES if kind == "odd" else PLIES)
        except Exception as error:  # noqa: BLE001 - whatever the core or python-chess raise is a fault
            faults.append(f"{kind}: {'' if isinstance(error, Fault) else f'{type(error).__name__}: '}{error}: {where()}")
    counts[f"positions, {kind}"] += counts["positions"]
    return Piece(dict(counts), faults)


def main() -> int:
    """Run the trial."""
    args = parser(__doc__, 100_000, "positions").parse_args()
    return run(args, "movegen", "positions", partial(piece, args.seed))


if __name__ == "__main__":
    sys.exit(main())
