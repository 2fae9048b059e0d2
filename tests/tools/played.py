# SPDX-License-Identifier: GPL-3.0-or-later
"""Positions and games by python-chess, each position and move worked out once: what a fuzzer compares thousands of lines a second with."""

import re
from collections.abc import Sequence

import chess

Key = tuple[object, ...]
MOST_REMEMBERED = 8  # games from one FEN that are not played again from the beginning
MOVE = re.compile("[a-h][1-8][a-h][1-8][nbrq]?")
BAD_STATUS = (
    chess.STATUS_NO_WHITE_KING
    | chess.STATUS_NO_BLACK_KING
    | chess.STATUS_TOO_MANY_KINGS
    | chess.STATUS_PAWNS_ON_BACKRANK
    | chess.STATUS_OPPOSITE_CHECK
    | chess.STATUS_EMPTY
)


class Step:
    """A legal move: the position behind it, whether the fifty-move counter begins anew, and how it is written."""

    __slots__ = ("after", "in_960", "plain", "zeroing")

    def __init__(self, after: "Node", zeroing: bool, plain: str, in_960: str) -> None:
        self.after = after
        self.zeroing = zeroing
        self.plain = plain
        self.in_960 = in_960

    def written(self, chess960: bool) -> str:
        """The move as the engine must write it."""
        return self.in_960 if chess960 else self.plain


class Node:
    """A position without its counters, for a game of any length. `key`: what makes two positions the same by the rules."""

    __slots__ = ("_board", "_graph", "_moves", "_steps", "_texts", "key")

    def __init__(self, graph: "Graph", board: chess.Board, key: Key) -> None:
        self._graph = graph
        self._board = board
        self._steps: dict[str, Step | None] = {}
        self._moves: frozenset[str] | None = None
        self._texts: dict[bool, str] = {}
        self.key = key

    @property
    def white(self) -> bool:
        """Whether White is to move."""
        return self._board.turn

    @property
    def in_check(self) -> bool:
        """Whether the side to move is in check."""
        return self._board.is_check()

    @property
    def is_dead(self) -> bool:
        """Whether neither side has what a mate needs."""
        return self._board.is_insufficient_material()

    def moves(self) -> frozenset[str]:
        """The legal moves, castling as king takes rook."""
        if self._moves is None:
            self._moves = frozenset(move.uci() for move in self._board.legal_moves)
        return self._moves

    def any_move(self) -> bool:
        """Whether there is a legal move."""
        return bool(self._moves) if self._moves is not None else any(True for _ in self._board.legal_moves)

    def step(self, text: str) -> Step | None:
        """The legal move that a text in lower case means, in either spelling of castling; None if there is none."""
        try:
            return self._steps[text]
        except KeyError:
            step = self._steps[text] = self._find(text)
            return step

    def text(self, chess960: bool) -> str:
        """The first four fields of the FEN as the engine must write them."""
        if chess960 not in self._texts:
            self._texts[chess960] = self._board.epd(shredder=chess960, en_passant="legal")
        return self._texts[chess960]

    def diagram(self) -> list[str]:
        """Eight rows of eight letters, rank 8 first, a blank for an empty square."""
        return expanded(self.text(True).split(" ")[0]).split("/")

    def _find(self, text: str) -> Step | None:
        if not MOVE.fullmatch(text):
            return None
        board = self._board
        move = None if text[:2] == text[2:4] else chess.Move.from_uci(text)
        if move is None or not ((self._moves is not None and text in self._moves) or board.is_legal(move)):
            move = castling_of(board, text)
            if move is None:
                return None
        zeroing, castling = board.is_zeroing(move), board.is_castling(move)
        plain = in_960 = move.uci()
        if castling and chess.square_file(move.from_square) == 4 and chess.square_file(move.to_square) in (0, 7):
            plain = chess.square_name(move.from_square) + chess.square_name(castled(move))
        after = board.copy(stack=False)
        after.push(move)
        after.clear_stack()
        return Step(self._graph.node(after), zeroing, plain, in_960)


def expanded(placement: str) -> str:
    """The first field of a FEN with a blank for each empty square."""
    return re.sub("[1-8]", lambda match: " " * int(match[0]), placement)


def castling_of(board: chess.Board, text: str) -> chess.Move | None:
    """The castling that is written as the move of the king, who may even stay where he is: c8c8."""
    found = (
        move
        for move in board.generate_castling_moves()
        if f"{chess.square_name(move.from_square)}{chess.square_name(castled(move))}" == text
    )
    return next(found, None)


def castled(move: chess.Move) -> chess.Square:
    """Where the king stands after castling, which is given as king takes rook."""
    return chess.square(6 if move.to_square > move.from_square else 2, chess.square_rank(move.from_square))


class Game:
    """A position with its counters and what can be repeated. `keys`: of the positions since the last zeroing move, this one last."""

    __slots__ = ("clock", "keys", "node", "number")

    def __init__(self, node: Node, clock: int, number: int, keys: list[Key]) -> None:
        self.node = node
        self.clock = clock
        self.number = number
        self.keys = keys

    def copy(self) -> "Game":
        """Another game that goes on from here."""
        return Game(self.node, self.clock, self.number, self.keys.copy())

    def push(self, step: Step) -> None:
        """Make a move."""
        self.number += not self.node.white
        self.node = step.after
        if step.zeroing:
            self.clock = 0
            self.keys = [self.node.key]
        else:
            self.clock += 1
            self.keys.append(self.node.key)

    def play(self, moves: Sequence[str]) -> int:
        """Make moves; returns the index of the first illegal one, -1 if there is none."""
        for index, text in enumerate(moves):
            step = self.node.step(text)
            if step is None:
                return index
            self.push(step)
        return -1

    def fen(self, chess960: bool) -> str:
        """The FEN as the engine must write it."""
        return f"{self.node.text(chess960)} {self.clock} {self.number}"


def key_of(board: chess.Board) -> Key:
    """What makes two positions the same by the rules."""
    pieces = board.pawns, board.knights, board.bishops, board.rooks, board.queens, board.kings, *board.occupied_co
    ep = board.ep_square if board.ep_square is not None and board.has_legal_en_passant() else None
    return *pieces, board.turn, board.clean_castling_rights(), ep


class Graph:
    """All positions met so far."""

    def __init__(self) -> None:
        self._nodes: dict[Key, Node] = {}
        self._roots: dict[str, tuple[Node, int, int] | None] = {}
        self._played: dict[str, list[tuple[list[str], Game]]] = {}

    def __len__(self) -> int:
        return len(self._nodes)

    def node(self, board: chess.Board) -> Node:
        """The position on this board, which is the graph's from now on."""
        key = key_of(board)
        node = self._nodes.get(key)
        if node is None:
            node = self._nodes[key] = Node(self, board, key)
        return node

    def game(self, fen: str) -> Game | None:
        """A game that begins at a FEN; None if python-chess cannot read it or the position is none of chess."""
        if fen not in self._roots:
            self._roots[fen] = self._root(fen)
        root = self._roots[fen]
        return None if root is None else Game(*root, [root[0].key])

    def play(self, fen: str, moves: list[str]) -> Game | None:
        """The game of these moves from a FEN that can be read; None if one of them is illegal."""
        played = self._played.setdefault(fen, [])
        length, game = 0, self.game(fen)
        for before, position in played:
            if len(before) > length and before == moves[: len(before)]:
                length, game = len(before), position.copy()
        assert game
        if game.play(moves[length:]) >= 0:
            return None
        if len(moves) > length:
            played.append((moves, game.copy()))
            del played[:-MOST_REMEMBERED]
        return game

    def _root(self, fen: str) -> tuple[Node, int, int] | None:
        try:
            board = chess.Board(fen, chess960=True)
        except ValueError:
            return None
        if board.status() & BAD_STATUS:
            return None
        return self.node(board), board.halfmove_clock, board.fullmove_number
