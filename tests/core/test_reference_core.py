# SPDX-License-Identifier: GPL-3.0-or-later
"""The compiled search against the readable one: on 500 positions the same value, and a move of that value.

Both look at the same tree with the same leaves: the core with quiescence, extensions and everything that prunes on a guess
switched off; the reference cut at the same depth, with the core's own static evaluation at the cut. Draws and mates count alike (see
bench/reference/games/board.py). What is left on in the core (window, ordering, table) must not change any value.

One technique is exact only up to a depth: the transposition table. A stored value may come from a deeper search than the one
that asks, or from a line with other repetitions. Below the root the same position can be met at two different plies only when both
sides lost two plies (2 and 4), and a line can repeat itself only from ply 5 on; so up to depth 4 a fresh table is exact.
"""

import random
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import chess
import oracle
import pytest
from coachwhip.bench.reference import Evaluation, Game, Truncated, alpha_beta, at_depth, minimax, quiet
from coachwhip.bench.reference.games.board import MATE, Chess, Key, Line
from coachwhip.core.engine import Engine, Position, SearchInfo
from coachwhip.core.tunables import TUNABLES

POSITIONS = 500
TABLE_IS_EXACT = 4  # deepest search, see above
QUIESCENCE_EVERY = 7  # of the positions; the reference's quiescence is slow
FEW_MEN = 8
FEW_MOVES = 20  # at the root; then a ply more is searched
PERPETUAL_CHECK = "6k1/6p1/8/7Q/8/8/rr6/7K w - - 0 1"  # the line repeats itself at ply 5; without that rule White is lost
SMALL_TREE = 600  # nodes: below, plain minimax is the reference; above, alpha-beta, which test_reference.py shows to be equal

BARE = {name: 0 for name, *_ in TUNABLES if name.startswith("use_")}
NARROW = {"use_aspiration": 1, "aspiration_min_depth": 2, "aspiration_window": 4}
CUTTING = {"use_alpha_beta": 1}
ORDERED = {**CUTTING, "use_iterative_deepening": 1, "use_captures_first": 1}  # trees stay small enough for the rest
SAFE: dict[str, dict[str, int]] = {
    "plain minimax": {},
    "nothing but alpha-beta": CUTTING,
    "captures first": {**CUTTING, "use_captures_first": 1},
    "iterative deepening": {**CUTTING, "use_iterative_deepening": 1},
    "pvs": {**ORDERED, "use_pvs": 1},
    "aspiration": {**ORDERED, **NARROW},
    "mate distance": {**ORDERED, "use_mate_distance": 1},
    "killers": {**ORDERED, "use_killers": 1},
    "history": {**ORDERED, "use_history": 1},
    "captures by see": {**ORDERED, "use_see_order": 1},
    "table": {**ORDERED, "use_tt": 1},
    "table with deeper entries": {**ORDERED, "use_tt": 1, "use_tt_deeper": 1},
}
SAFE["all of them"] = {name: value for switches in list(SAFE.values()) for name, value in switches.items()}


class Case(NamedTuple):
    """A position with the game that led to it, and how deep to search."""

    kind: str
    board: chess.Board
    depth: int


# --- The positions ---


def random_move(board: chess.Board, rng: random.Random) -> chess.Move:
    """Any legal move."""
    return rng.choice(list(board.legal_moves))


def greedy_move(board: chess.Board, rng: random.Random) -> chess.Move:
    """The fattest capture or a check if there is one, most of the time; these games are full of tactics and soon empty the board."""

    def appeal(move: chess.Move) -> float:
        victim = board.piece_type_at(move.to_square) or 0 if board.is_capture(move) else 0
        return 2 * victim + 3 * bool(move.promotion) + board.gives_check(move) + rng.random()

    return max(board.legal_moves, key=appeal) if rng.random() < 0.7 else random_move(board, rng)


def game_positions(rng: random.Random, start: chess.Board, *, greedy: bool) -> Iterator[chess.Board]:
    """Some positions of one game, each with its moves."""
    board = start.copy()
    wanted = sorted(rng.sample(range(3, 130), 6))
    for ply in range(wanted[-1] + 1):
        if not any(board.legal_moves):
            return
        if ply in wanted:
            yield board.copy()
        board.push((greedy_move if greedy else random_move)(board, rng))


def endings(rng: random.Random) -> Iterator[chess.Board]:
    """Kings and one to three more pieces, anywhere they may stand: stalemates, bare kings, promotions, mates."""
    while True:
        board = chess.Board(None)
        letters = ["K", "k", *rng.choices("QRRBNPPqrrbnpp", k=rng.randint(1, 3))]
        for letter, square in zip(letters, rng.sample(range(64), len(letters)), strict=True):
            board.set_piece_at(square, chess.Piece.from_symbol(letter))
        board.turn = rng.random() < 0.5
        if board.is_valid() and any(board.legal_moves):
            yield board


def worn(board: chess.Board, rng: random.Random) -> chess.Board:
    """The position without its game, on the verge of fifty moves."""
    copy = board.copy(stack=False)
    copy.halfmove_clock = rng.randint(97, 100)
    copy.ep_square = None
    return copy


def shuffled(board: chess.Board, rng: random.Random) -> chess.Board | None:
    """The position after both sides went back and forth, so that one or two plies more make the third occurrence."""
    board = board.copy()
    there: list[chess.Move] = []
    for _ in range(2):
        moves = [move for move in board.legal_moves if not board.is_zeroing(move) and is_way_back(board, move)]
        if not moves:
            return None
        there.append(rng.choice(moves))
        board.push(there[-1])
    back = [chess.Move(move.to_square, move.from_square) for move in there]
    for move in [*back, *there, *back][: rng.randint(4, 5)]:
        if not board.is_legal(move):
            return None
        board.push(move)
    return board if any(board.legal_moves) else None


def is_way_back(board: chess.Board, move: chess.Move) -> bool:
    """Whether a move is a piece's, and gives up no castling right."""
    castling = board.clean_castling_rights()
    return board.piece_type_at(move.from_square) != chess.KING and not castling & chess.BB_SQUARES[move.from_square]


def cases() -> list[Case]:
    """The same 500 positions at every run."""
    rng = random.Random(2024)
    found: list[Case] = []
    while len(found) < 300:
        greedy = rng.random() < 0.5
        kind = "greedy" if greedy else "random"
        boards = game_positions(rng, chess.Board(), greedy=greedy)
        found += [Case(kind, board, 3 if board.legal_moves.count() <= FEW_MOVES else 2) for board in boards]
    while len(found) < 380:
        start = chess.Board.from_chess960_pos(rng.randrange(960))
        found += [Case("chess960", board, 2) for board in game_positions(rng, start, greedy=rng.random() < 0.5)]
    played = [case.board for case in found]
    found += [Case("fifty moves", worn(board, rng), 2) for board in rng.sample(played, 30)]
    repeated = filter(None, (shuffled(rng.choice(played), rng) for _ in iter(int, 1)))
    found += [Case("repetition", board, rng.randint(2, 3)) for board, _ in zip(repeated, range(30), strict=False)]
    perpetual = chess.Board(PERPETUAL_CHECK)
    found += [Case("perpetual", board, 5) for board in (perpetual, perpetual.mirror())]
    sparse = endings(rng)
    while len(found) < POSITIONS:
        board = next(sparse)
        is_wide = board.queens | board.rooks | board.bishops
        found.append(Case("ending", board, 5 if not is_wide else 4 if board.legal_moves.count() <= FEW_MOVES else 3))
    return found[:POSITIONS]


# --- The two searches ---


class Watched(Chess):
    """Chess that notes which ends its searches came upon."""

    def __init__(self, board: chess.Board, ends: Counter[str]) -> None:
        super().__init__(board)
        self._ends = ends

    def utility(self, state: Line, player: int) -> Any:
        board = state.board
        if not any(board.legal_moves):
            self._ends["mate" if board.is_check() else "stalemate"] += 1
        elif board.is_insufficient_material():
            self._ends["insufficient material"] += 1
        else:
            self._ends["fifty moves" if board.halfmove_clock >= 100 else "repetition"] += 1
        return super().utility(state, player)


class BlindToStalemate(Chess):
    """Chess as the core's quiescence sees it: at the cut and beyond, a side that is not in check is not asked if it has a move."""

    def __init__(self, board: chess.Board, depth: int) -> None:
        super().__init__(board)
        self._depth = depth

    def is_terminal(self, state: Line) -> bool:
        if state.ply >= self._depth and not state.board.is_check():
            return self.is_draw(state)
        return super().is_terminal(state)


def plain_fen(board: chess.Board) -> str:
    """A FEN for an evaluation, in a quarter of the time of `board.fen()`: empty squares one by one, no en passant."""
    cells = ["1"] * 64
    for colour, letters in ((chess.WHITE, "PNBRQK"), (chess.BLACK, "pnbrqk")):
        for piece_type, letter in enumerate(letters, 1):
            for square in chess.scan_forward(board.pieces_mask(piece_type, colour)):
                cells[square ^ 56] = letter
    ranks = "/".join("".join(cells[at : at + 8]) for at in range(0, 64, 8))
    return f"{ranks} {'w' if board.turn else 'b'} {board.castling_xfen()} - {board.halfmove_clock} 1"


def core_evaluation(engine: Engine) -> Evaluation[Line]:
    """The core's static evaluation, for the reference's leaves; each position is evaluated once."""
    known: dict[Key, int] = {}

    def evaluate(line: Line, player: int) -> int:
        key = line.occurred[-1]
        if key not in known:
            known[key] = engine.evaluate(Position(plain_fen(line.board)))
        return known[key] if line.board.turn == (player == 0) else -known[key]

    return evaluate


def position_of(board: chess.Board) -> Position:
    """A board for the core, with its game."""
    position = Position(board.root().fen(), board.chess960)
    for move in board.move_stack:
        position.make(move.uci())
    return position


def score_of(info: SearchInfo) -> int:
    """The core's score with mates as MATE less plies: the winner mates with an odd ply, the loser is mated with an even one."""
    if not info.is_mate:
        return info.score_cp
    return MATE - (2 * info.mate_in - 1) if info.mate_in > 0 else -(MATE + 2 * info.mate_in)


class Reference:
    """The readable search of one case: the exact value of the root, and of the moves that are asked about."""

    def __init__(self, game: Game[Line, chess.Move], evaluate: Evaluation[Line], case: Case) -> None:
        self._game = Truncated(game, evaluate, at_depth(case.depth))
        self._values: dict[chess.Move, Any] = {}
        self.is_plain = case.board.legal_moves.count() ** case.depth <= SMALL_TREE
        self.value = (minimax if self.is_plain else alpha_beta)(self._game, self._game.initial()).value

    def value_of(self, move: chess.Move) -> Any:
        """What a root move is worth to the side that makes it."""
        if move not in self._values:
            self._values[move] = -alpha_beta(self._game, self._game.result(self._game.initial(), move)).value
        return self._values[move]


def disagreements(engines: dict[str, Engine], names: Iterable[str], case: Case, reference: Reference) -> list[str]:
    """What is wrong with the cores' answers."""
    position = position_of(case.board)
    found = [(name, fault_of(engines[name], position, case.depth, reference)) for name in names]
    moves = [move.uci() for move in case.board.move_stack]
    where = f"{case.kind}, depth {case.depth}, {case.board.root().fen()} moves {moves}"
    return [f"{name}: {where}: {fault}" for name, fault in found if fault]


def fault_of(engine: Engine, position: Position, depth: int, reference: Reference) -> str:
    """How the core's answer is wrong, or ""."""
    engine.clear()
    result = engine.search(position, depth=depth)
    assert result.info is not None
    move = chess.Move.from_uci(result.bestmove)
    if result.info.depth != depth:
        return f"stopped at depth {result.info.depth}"
    if score_of(result.info) != reference.value:
        return f"{score_of(result.info)} instead of {reference.value}"
    if reference.value_of(move) != reference.value:
        return f"{move} is worth {reference.value_of(move)}, not {reference.value}"
    return ""


# --- The tests ---


@pytest.mark.takes_long
def test_the_core_is_minimax_on_500_positions() -> None:
    engines = {name: oracle.new_engine(**BARE | switches) for name, switches in SAFE.items()}
    evaluate = core_evaluation(oracle.new_engine())
    ends: Counter[str] = Counter()
    kinds: Counter[str] = Counter()
    plain = 0
    wrong: list[str] = []
    for case in cases():
        reference = Reference(Watched(case.board, ends), evaluate, case)
        kinds[case.kind] += 1
        plain += reference.is_plain
        exact = {name for name in SAFE if case.depth <= TABLE_IS_EXACT or not SAFE[name].get("use_tt")}
        wrong += disagreements(engines, [name for name in SAFE if name in exact], case, reference)
    assert not wrong
    assert sum(kinds.values()) == POSITIONS
    # The positions were worth the trouble: every way a game can end was met, and often.
    assert min(ends[end] for end in ("mate", "stalemate", "insufficient material", "fifty moves", "repetition")) >= 25, ends
    assert plain >= 50


@pytest.mark.takes_long
def test_the_core_with_quiescence_is_minimax_down_to_quiet_positions() -> None:
    """Full quiescence, that is without see and delta pruning; no table, since stored scores refine what stm may stand pat on."""
    exact = [name for name in SAFE if SAFE[name].get("use_captures_first") and not SAFE[name].get("use_tt")]
    engines = {name: oracle.new_engine(**BARE | {"use_qsearch": 1} | SAFE[name]) for name in exact}
    evaluate = core_evaluation(oracle.new_engine())
    wrong: list[str] = []
    differs = 0
    for kind, board, _ in cases()[::QUIESCENCE_EVERY]:
        case = Case(kind, board, 2 if chess.popcount(board.occupied) <= FEW_MEN else 1)
        game = BlindToStalemate(case.board, case.depth)
        reference = Reference(game, quiet(game, evaluate, game.noisy, game.may_stand_pat), case)
        wrong += disagreements(engines, exact, case, reference)
        differs += reference.value != Reference(Chess(case.board), evaluate, case).value
    assert not wrong
    assert differs >= 20  # quiescence had something to say
