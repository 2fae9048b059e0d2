# SPDX-License-Identifier: GPL-3.0-or-later
"""The search: against plain minimax, mates and draws, lines that can be played, always the same tree."""

import functools
import random
from collections.abc import Sequence

import chess
import oracle
import pytest
from coachwhip.core.engine import STARTPOS_FEN, Engine, Position, SearchInfo, SearchResult
from coachwhip.core.tunables import TUNABLES
from coachwhip.evaluation import config
from searching import KIWIPETE, MIDDLEGAME, exact_info, fresh_engine, one_engine, search

__all__ = ["fresh_engine", "one_engine"]  # fixtures
# Techniques that only decide how soon the value at a given depth is found; the others may change it.
SAFE = (
    "use_aspiration",
    "use_root_order",
    "use_pvs",
    "use_mate_distance",
    "use_killers",
    "use_history",
    "use_see_order",
    "use_threats",
    "use_swing",
    "use_threat_escape",
    "use_check_order",
    "use_continuation",
    "use_pawn_history",
    "use_capture_history",
)
# Safe too, but without them trees explode.
GROWING = ("use_alpha_beta", "use_iterative_deepening", "use_captures_first")
SWITCHES = tuple(row[0] for row in TUNABLES if row[0].startswith("use_"))
NORMAL = {row[0]: row[1] for row in TUNABLES}
PLAIN = dict.fromkeys(SWITCHES, 0) | dict.fromkeys(GROWING, 1)


def game(fen: str, moves: str, chess960: bool = False) -> Position:
    position = Position(fen, chess960=chess960)
    for move in moves.split():
        position.make(move)
    return position


def score(result: SearchResult) -> str:
    info = exact_info(result)
    return f"mate {info.mate_in}" if info.is_mate else f"cp {info.score_cp}"


def line(infos: Sequence[SearchInfo]) -> list[tuple[object, ...]]:
    """What equal searches share: everything but the clock, which decides whether bounds are reported."""
    return [
        (i.depth, i.seldepth, i.score_cp, i.nodes, i.hashfull, i.pv)
        for i in infos
        if not (i.currmove or i.bound)
    ]


# --- Alpha-beta and what makes it fast, against plain minimax ---

MINIMAX_FENS = [
    # (depth, FEN): mates, stalemates, promotions, en passant, castling, checks, draws near.
    (2, STARTPOS_FEN),
    (2, KIWIPETE),
    (2, MIDDLEGAME),
    (2, "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1"),
    (2, "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8"),
    (2, "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1"),
    (2, "r1bqk2r/pppp1Npp/2n2n2/2b1p3/2B1P3/8/PPPP1PPP/RNBQK2R b KQkq - 0 5"),
    (2, "2rr3k/pp3pp1/1nnqbN1p/3pN3/2pP4/2P3Q1/PPB4P/R4RK1 w - - 0 1"),
    (2, "r5rk/5p1p/5R2/4B3/8/8/7P/7K w - - 0 1"),
    (2, "rnbqkb1r/ppppp1pp/7n/4Pp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3"),
    (2, "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 98 80"),
    (3, "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1"),
    (3, "8/8/1P2K3/8/2n5/1q6/8/5k2 b - - 0 1"),
    (3, "8/k1P5/8/1K6/8/8/8/8 w - - 0 1"),
    (3, "K1k5/8/P7/8/8/8/8/8 w - - 0 1"),
    (3, "3k4/3p4/8/K1P4r/8/8/8/8 b - - 0 1"),
    (3, "8/8/4k3/8/2p5/8/B2P1K2/8 w - - 0 1"),
    (3, "7k/5Q2/8/6K1/8/8/8/8 w - - 0 1"),
    (3, "7k/8/5K2/6Q1/8/8/8/8 b - - 0 1"),
    (3, "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1"),
    (3, "6k1/5ppp/8/8/8/8/r4PPP/1R4K1 b - - 0 1"),
    (3, "8/8/8/8/8/2k5/1p6/K7 w - - 0 1"),
    (3, "8/8/8/5k2/8/8/4R3/4K3 w - - 97 80"),
    (3, "8/8/8/5k2/8/8/4R3/4K3 b - - 98 80"),
    (3, "4k3/P7/8/8/8/8/p7/4K3 w - - 99 80"),
    (3, "8/8/3k4/3p4/4P3/4K3/8/8 w - - 0 1"),
    (3, "4k3/8/8/8/8/3b4/8/3NK3 w - - 0 1"),
    (3, "6k1/8/6K1/7P/8/8/8/8 b - - 0 1"),
    (3, "7k/8/8/8/8/8/R7/1R4K1 w - - 0 1"),
    (3, "8/8/8/8/k1p4R/8/3P4/3K4 w - - 0 1"),
    (3, "4k2r/8/8/8/8/8/8/R3K3 w Qk - 0 1"),
]

# Games whose positions come again in the tree: (FEN, moves, depth).
MINIMAX_GAMES = [
    ("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1", "d1d2 g8f8 d2d1 f8g8 d1d2 g8f8", 3),
    ("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1", "d1d2 g8f8 d2d1 f8g8 d1d2 g8f8 d2d1", 3),
    ("8/8/4k3/8/8/4K3/4R3/8 w - - 0 1", "e2d2 e6e5 d2e2 e5e6 e2d2 e6e5 d2e2", 3),
    ("7k/8/8/8/8/8/1q6/5Q1K w - - 0 1", "f1f8 h8h7 f8f7 h7h8 f7f8 h8h7", 3),
    (STARTPOS_FEN, "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6", 2),
]


@pytest.fixture(scope="module")
def minimax_values() -> dict[tuple[str, str, int], str]:
    """The plain values, worked out once."""
    engine = oracle.new_engine()
    values = {}
    for fen, moves, deepest in [(fen, "", depth) for depth, fen in MINIMAX_FENS] + MINIMAX_GAMES:
        for depth in range(1, deepest + 1):
            root = oracle.line_of(fen, tuple(moves.split()))
            values[fen, moves, depth] = oracle.as_text(oracle.search_value(engine, root, depth))
    return values


def safe_settings() -> list[dict[str, int]]:
    """Nothing on, each safe technique alone, all of them; aspiration as early and as narrow as it goes."""
    narrow = {"aspiration_min_depth": 2, "aspiration_window": 4}
    alone = [PLAIN | {name: 1} | narrow for name in SAFE]
    fewer = [PLAIN | {name: 0} for name in GROWING]
    return [dict.fromkeys(SWITCHES, 0), *fewer, PLAIN, *alone, PLAIN | dict.fromkeys(SAFE, 1) | narrow]


SAFE_IDS = ["minimax", *(f"without {name}" for name in GROWING), "none", *SAFE, "all"]


@pytest.mark.parametrize("settings", safe_settings(), ids=SAFE_IDS)
def test_the_value_is_that_of_plain_minimax(
    settings: dict[str, int], minimax_values: dict[tuple[str, str, int], str]
) -> None:
    engine = oracle.new_engine(**settings)
    wrong = {
        key: (value, found)
        for key, value in minimax_values.items()
        if (found := oracle.engine_value(engine, game(key[0], key[1]), key[2])) != value
    }
    assert not wrong


@pytest.mark.parametrize("switch", SAFE)
def test_a_safe_technique_keeps_the_value_of_deeper_searches(switch: str) -> None:
    """With quiescence and check extension, whose result does not depend on the window, at depth 5."""
    base = PLAIN | {
        "use_qsearch": 1,
        "use_qs_see": 1,
        "use_check_extension": 1,
        "aspiration_min_depth": 2,
        "aspiration_window": 4,
    }
    # Ordering is left on, so that the trees stay small: for the ordering switches it is what is taken away.
    base |= {"use_see_order": 1, "use_history": 1, "use_pvs": 1}
    assert deeper_values(**base | {switch: 1}) == deeper_values(**base | {switch: 0})


@functools.cache
def deeper_values(**settings: int) -> dict[str, str]:
    engine = oracle.new_engine(**settings)
    depths = {fen: 4 if len(chess.Board(fen).piece_map()) > 16 else 5 for _depth, fen in MINIMAX_FENS}
    return {fen: oracle.engine_value(engine, Position(fen), depth) for fen, depth in depths.items()}


# --- Mates ---

MATES = [
    # (moves to mate, negative for the side that is mated, FEN, the first move if there is only one)
    (1, "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1", "a1a8"),
    (1, "7k/8/5KQ1/8/8/8/8/8 w - - 99 80", "g6g7"),
    (1, "rnbqkbnr/pppp1ppp/8/4p3/6P1/5P2/PPPPP2P/RNBQKBNR b KQkq - 0 2", "d8h4"),
    (2, "6n1/1k2p3/2n5/6p1/1P2B1P1/3K4/r1QP4/2B4R w - - 1 36", "c2c6"),
    (2, "7r/r7/1p1Q4/1p2nB1k/8/2K1PpR1/2P4P/2B5 w - - 3 28", "g3h3"),
    (3, "7R/4k3/1r6/4p3/P7/7N/4p2P/K7 b - - 4 46", "e2e1q"),
    (3, "6R1/2B5/3Nk3/7p/2P2P2/p3P3/P4K2/4R3 w - - 0 39", "g8g7"),
    (3, "6k1/8/2p1P1K1/1p4B1/3b2P1/3B4/8/1N5R w - - 0 38", "e6e7"),
    (4, "R7/4R3/6k1/8/8/BPPP4/5K2/1N6 w - - 3 50", ""),
    (4, "1n1k1bn1/4p3/8/p3Nb2/2P5/2N5/P2r4/K7 b - - 3 28", "f8g7"),
    (-1, "8/4R3/4k3/3N4/1P1PP3/1K6/2PB4/6Q1 b - - 10 47", ""),
    (-2, "5rk1/3n1P2/8/8/2B4P/3Q1N2/3N1P2/R4KR1 b - - 0 24", ""),
    (-3, "6k1/8/6R1/6P1/5N2/8/1P5R/2Bn1K2 b - - 1 32", ""),
    (-3, "1n2k3/8/2r1b1P1/pRpn2K1/4P3/P2P4/3N4/2B3q1 w - - 3 29", ""),
]


def mating_line(position: Position, pv: Sequence[str], plies: int) -> bool:
    """Whether the line is `plies` long, can be played, and mates."""
    end = position.copy()
    for move in pv:
        end.make(move)
    return len(pv) == plies and end.in_check and not end.legal_moves()


@pytest.mark.parametrize(("moves", "fen", "first"), MATES)
def test_mate_is_found_with_its_distance(engine: Engine, moves: int, fen: str, first: str) -> None:
    """`go mate`: ends once the mate is proven, for the winner and for the loser, and the line leads to it."""
    position = Position(fen)
    result, infos = search(engine, position, mate=abs(moves), depth=24)
    assert exact_info(result).mate_in == moves
    assert result.bestmove == (first or result.bestmove)
    assert mating_line(position, exact_info(result).pv, 2 * moves - 1 if moves > 0 else -2 * moves)
    assert infos[-1].depth < 24
    # Without `mate` it would have gone on, and found nothing shorter.
    engine.clear()
    result, infos = search(engine, position, depth=infos[-1].depth + 1)
    assert exact_info(result).mate_in == moves
    assert result.bestmove == (first or result.bestmove)


@pytest.mark.parametrize("kind", oracle.KINDS)
def test_mates_of_played_games_are_those_of_a_plain_solver(engine: Engine, kind: str) -> None:
    """Whatever the search prunes: a short mate is not missed, and no mate is announced that is not there."""
    rng = random.Random(f"mates {kind}")
    found = 0
    for _ in range(10):
        board = oracle.start_board(kind, rng)
        for _move in oracle.play(board, rng, greedy=True, plies=90):
            if board.ply() < 20 or board.ply() % 4:
                continue
            position = Position(oracle.fen_of(board), chess960=board.chess960)
            mate = oracle.mate_distance(position, 2)
            found += mate != 0
            engine.clear()
            info = exact_info(engine.search(position, mate=abs(mate), depth=30 if mate else 4))
            if mate or (info.is_mate and abs(info.mate_in) <= 2):
                assert (info.is_mate, info.mate_in) == (True, mate), board.fen()
    assert found >= 1


# --- Draws ---


PERPETUAL = "6k1/6p1/8/7Q/8/8/qr4PP/7K w - - 0 1"  # perpetual check is all there is


@pytest.mark.parametrize(
    "fen",
    [
        "8/8/8/8/8/8/8/KBk5 w - - 0 1",
        "8/8/4k3/8/8/4K3/4N3/8 b - - 0 1",
        "7k/8/8/8/8/8/R7/K7 w - - 99 80",  # one move too late
        "6k1/8/8/8/8/8/8/QK6 w - - 98 80",
        PERPETUAL,
        "8/8/8/8/8/5k2/7p/7K w - - 0 1",
    ],
)
def test_a_dead_draw_is_worth_nothing(engine: Engine, fen: str) -> None:
    result, _ = search(engine, Position(fen), depth=12)
    assert score(result) == "cp 0"


DRAWN_ENDINGS = (  # by theory or the endgame tables
    "8/3b2k1/B7/8/6PP/5K2/8/8 b - - 0 1",
    "7k/8/8/8/7P/8/4BK2/8 w - - 0 1",
    "7k/8/8/7P/8/3B4/5K2/8 w - - 0 1",  # no capture of the last pawn may be left out
    "8/6k1/8/2B5/8/P6K/8/8 b - - 0 1",
    "2B5/8/8/8/8/4k2P/8/5K2 w - - 0 1",
    "8/8/8/8/5k2/P7/8/B4K2 b - - 0 1",
    "1k6/P7/6K1/8/8/8/5B2/8 b - - 0 1",
    "8/k1B5/8/8/P1K5/P7/P7/8 b - - 0 1",  # all evasions of a lone king count
    "8/1k6/7B/P7/P7/6K1/P7/8 b - - 0 1",
    "8/7k/7P/7P/8/5B1P/8/K7 w - - 0 1",
    "1k6/4K3/P7/P5B1/8/8/8/8 w - - 0 1",
    "8/8/8/3nn3/3k4/8/8/3K4 w - - 0 1",
    "6K1/8/8/4N3/4k3/5N2/8/8 w - - 0 1",
    "8/k7/7K/1R6/8/2b5/8/8 w - - 0 1",
    "8/8/8/1K3R2/3k4/8/2n5/8 b - - 0 1",
)


@pytest.fixture(scope="module")
def shipped() -> dict[str, Engine]:
    """The shipped evaluation, with its network and without."""
    weights = config.load_default()
    return {
        "network": Engine(config.flatten(weights), hash_mb=1, network=config.network(weights)),
        "terms": Engine(config.flatten(weights), hash_mb=1),
    }


@pytest.mark.parametrize("kind", ["network", "terms"])
@pytest.mark.parametrize("fen", DRAWN_ENDINGS)
def test_a_drawn_ending_is_no_win(shipped: dict[str, Engine], fen: str, kind: str) -> None:
    engine = shipped[kind]
    engine.clear()
    result, _ = search(engine, Position(fen), depth=16)
    assert abs(exact_info(result).score_cp) < 120


def test_fifty_moves_come_after_mate_and_before_anything_else(engine: Engine) -> None:
    result, _ = search(engine, Position("6k1/5ppp/8/8/8/8/8/R6K w - - 99 80"), depth=6)
    assert (score(result), result.bestmove) == ("mate 1", "a1a8")
    result, _ = search(engine, Position("4k3/P7/8/8/8/8/8/4K3 w - - 99 80"), depth=6)
    assert result.bestmove == "a7a8q"  # a pawn move starts the count again
    assert exact_info(result).score_cp > 300


def test_a_position_of_the_game_counts_twice_a_position_of_the_line_once(engine: Engine) -> None:
    """Black, a rook down, is saved by the third occurrence, not yet by the second."""
    fen = "4k3/8/8/8/8/8/5PPP/R5K1 w - - 0 1"
    once = game(fen, "a1b1 e8d8 b1a1")
    twice = game(fen, "a1b1 e8d8 b1a1 d8e8 a1b1 e8d8 b1a1")
    result, _ = search(engine, once, depth=1)
    assert exact_info(result).score_cp < -300
    engine.clear()
    result, _ = search(engine, twice, depth=1)
    assert (score(result), result.bestmove) == ("cp 0", "d8e8")


@pytest.mark.parametrize("taken", ["6k1", "4n1k1"], ids=["nothing", "knight"])
def test_one_earlier_occurrence_in_the_line_is_enough(taken: str) -> None:
    """Perpetual check: the fifth ply comes back to the position after the first, and is a draw at once.

    Where the first check takes a knight, there is nothing older than these four plies.
    """
    plain = oracle.new_engine(**PLAIN)
    perpetual = Position(f"{taken}/6p1/8/7Q/8/8/qr4PP/7K w - - 0 1")
    for depth in range(1, 5):
        assert oracle.engine_value(plain, perpetual, depth).startswith("cp -")
    assert oracle.engine_value(plain, perpetual, 5) == "cp 0"


# --- The table and the fifty-move clock ---


@pytest.mark.parametrize(
    "board", ["8/8/8/3k4/8/8/8/KQ6 w - -", "8/8/8/3k4/8/8/8/KR6 w - -", "8/8/8/3k4/8/8/8/KBN5 w - -"]
)
@pytest.mark.parametrize(("first", "then"), [(92, 0), (99, 0), (72, 0), (98, 90), (0, 98)])
def test_what_was_learnt_at_one_clock_is_not_read_at_another(
    engine: Engine, board: str, first: int, then: int
) -> None:
    """Near the limit all is a draw, far from it a win.

    After a search of the one the other is judged as by a fresh engine.
    """
    engine.search(Position(f"{board} {first} 100"), depth=14)
    engine.prepare()
    after = engine.search(Position(f"{board} {then} 100"), depth=4)
    fresh = oracle.new_engine(hash_mb=4).search(Position(f"{board} {then} 100"), depth=4)
    assert abs(exact_info(after).score_cp - exact_info(fresh).score_cp) <= 40
    assert exact_info(after).is_mate == exact_info(fresh).is_mate


@pytest.mark.parametrize(
    ("fen", "moves"),
    [
        ("8/8/8/4k3/8/8/8/K6Q w - - 0 1", "h1g1 e5d5 g1h1 d5e5 h1g1 e5d5"),
        ("8/8/8/4k3/8/8/8/K6Q w - - 0 1", "h1g1 e5d5 g1h1 d5e5 h1g1 e5d5 g1g2 d5e5 g2g1 e5d5 g1g2 d5e5"),
        ("8/8/8/8/8/2k5/8/RR4K1 w - - 0 1", "a1a2 c3d3 a2a1 d3c3 a1a2 c3d3"),
        ("8/8/8/8/8/2K5/8/rr4k1 b - - 60 90", "a1a2 c3d3 a2a1 d3c3 a1a2 c3d3"),
        ("k7/8/2K5/8/1Q6/8/8/8 w - - 0 1", ""),
        ("8/5P1k/8/5K2/8/8/8/8 w - - 0 1", ""),
    ],
)
def test_a_won_game_is_won_whatever_the_defence(engine: Engine, fen: str, moves: str) -> None:
    """The defender draws if it may (stalemate, repetition), else wanders; the winner must never let it."""
    rng = random.Random(fen + moves)
    position = game(fen, moves)
    winner = position.stm
    for _ in range(60):
        result, _infos = search(engine, position, depth=8)
        position.make(result.bestmove)
        assert not position.is_draw()
        if position.result() != "*":
            break
        replies = position.legal_moves()
        drawing = [move for move in replies if leads_to_draw(position, move)]
        assert not drawing, position.fen()
        position.make(rng.choice(replies))
    assert position.result() == ("1-0" if winner == "w" else "0-1")


def leads_to_draw(position: Position, move: str) -> bool:
    after = position.copy()
    after.make(move)
    return after.result() == "1/2-1/2"


# --- Lines ---

LINE_GAMES = [
    *((fen, "", False) for _depth, fen in MINIMAX_FENS),
    *((fen, moves, False) for fen, moves, _depth in MINIMAX_GAMES),
    *((fen, "", False) for _moves, fen, _first in MATES),
    ("bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9", "", True),
    ("1r2k1r1/8/8/8/8/8/8/R4KR1 w GAgb - 0 1", "", True),
    ("7k/8/8/8/8/8/1q6/5Q1K w - - 0 1", "f1f8 h8h7 f8f7 h7h8 f7f8 h8h7 f8f7", False),
    ("8/8/8/5k2/8/8/4R3/4K3 w - - 94 80", "", False),
]


@pytest.mark.parametrize("memory", ["fresh", "warm"])
def test_every_line_is_legal_to_its_end_and_ends_with_the_game(shared_engine: Engine, memory: str) -> None:
    shared_engine.clear()
    shared_engine.prepare()
    checked = 0
    for fen, moves, chess960 in LINE_GAMES:
        if memory == "fresh":
            shared_engine.clear()
        position = game(fen, moves, chess960)
        result, infos = search(shared_engine, position, depth=7)
        start = chess.Board(fen, chess960=chess960)
        for move in moves.split():
            start.push_uci(move)
        for info in infos:
            board = start.copy()
            assert info.pv
            for move in info.pv:
                at_root = board.ply() == start.ply()
                assert at_root or not oracle.is_over(board), (fen, info)
                board.push_uci(move)  # raises if it is not legal
                checked += 1
        assert result.bestmove == exact_info(result).pv[0]
        assert_ponder_is_sound(start, result)
    assert checked > 1000


def assert_ponder_is_sound(start: chess.Board, result: SearchResult) -> None:
    board = start.copy()
    board.push_uci(result.bestmove)
    pv = exact_info(result).pv
    if result.ponder:
        board.push_uci(result.ponder)  # raises if it is not legal
        assert any(board.legal_moves)
    if len(pv) > 1 and result.ponder:
        assert result.ponder == pv[1]


def test_a_pv_is_not_cut_short_by_what_the_table_knows(engine: Engine) -> None:
    assert len(exact_info(engine.search(Position(MIDDLEGAME), nodes=5000)).pv) > 4


# --- The same tree every time ---


@pytest.mark.parametrize(
    "fen", [STARTPOS_FEN, KIWIPETE, MIDDLEGAME, "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1"]
)
def test_the_same_search_visits_the_same_nodes(engine: Engine, fen: str) -> None:
    first, first_infos = search(engine, Position(fen), depth=9)
    engine.search(Position(MIDDLEGAME), depth=6)  # what is learnt from another position ...
    engine.clear()  # ... is forgotten
    second, second_infos = search(engine, Position(fen), depth=9)
    other = oracle.new_engine(hash_mb=4)
    third, third_infos = search(other, Position(fen), depth=9)
    assert line(first_infos) == line(second_infos) == line(third_infos)
    assert first.nodes == second.nodes == third.nodes > 1000
    assert first.bestmove == second.bestmove == third.bestmove
    engine.clear()
    assert engine.search(Position(fen), depth=9).nodes == first.nodes  # nobody listening


def test_hashfull_counts_what_this_search_has_written() -> None:
    engine = oracle.new_engine()
    full, _ = search(engine, Position(), nodes=60_000)
    assert exact_info(full).hashfull > 100
    after, _ = search(engine, Position("8/8/8/3k4/8/3K4/3P4/8 w - - 0 1"), depth=2)
    assert exact_info(after).hashfull == 0


# --- Settings ---


@functools.cache
def nodes_of(depth: int, **settings: int) -> int:
    engine = oracle.new_engine(**settings)
    return sum(
        engine.search(Position(fen), depth=depth).nodes
        for fen in (KIWIPETE, MIDDLEGAME, PERPETUAL, MATES[-1][1])
    )


@pytest.mark.parametrize("switch", SWITCHES)
def test_every_switch_does_something_and_none_is_needed(switch: str) -> None:
    """Each is turned to its other side; minimax goes less deep, without quiescence, or it would not end."""
    depth, base = (3, {"use_qsearch": 0}) if switch == "use_alpha_beta" else (8, {})
    turned = base | {switch: 1 - NORMAL[switch]}
    assert nodes_of(depth, **base) != nodes_of(depth, **turned)
    mate = next(mate for mate in MATES if mate[0] == 2)
    assert (
        exact_info(oracle.new_engine(**turned).search(Position(mate[1]), mate=2, depth=depth + 2)).mate_in
        == 2
    )


def test_a_new_table_is_empty(engine: Engine) -> None:
    fresh, _ = search(engine, Position(KIWIPETE), depth=7)
    for size in (1, 4):
        engine.set_hash(size)
    engine.clear()
    assert search(engine, Position(KIWIPETE), depth=7)[0].nodes == fresh.nodes
