# SPDX-License-Identifier: GPL-3.0-or-later
"""Why a move is bad or good: example positions, searched by the engine without a network."""

import re
from collections.abc import Iterator
from io import BufferedReader, BytesIO

import chess
import chess.pgn
import pytest
from chess.engine import Cp, Limit, Score, SimpleEngine
from places import TERMS

from coachwhip import open_engine
from coachwhip.coach import judge, verdict, words
from coachwhip.coach.analyst import Analyst, lines_of
from coachwhip.coach.claims import Mate, Role
from coachwhip.coach.exchange import is_drawn
from coachwhip.coach.line import Line
from coachwhip.coach.study import AnalysedGame
from coachwhip.games.pgn import game_text, read_games

NODES = Limit(nodes=20_000)


@pytest.fixture
def engine() -> Iterator[SimpleEngine]:
    with open_engine({"Hash": 1, "WeightsFile": str(TERMS)}) as engine:
        yield engine


def why(board: chess.Board, played: Line, best: Line) -> str:
    """The reason of a marked move, from these lines of the engine."""
    return words.reason(verdict.against(board, played, best, judgement=judge.BLUNDER) or (), board)


def line(board: chess.Board, moves: str, score: Score) -> Line:
    board = board.copy()
    return Line(score, tuple(board.push_san(word) for word in moves.split()))


@pytest.mark.parametrize(
    ("fen", "moves", "reason"),
    [
        ("6k1/p4pp1/7p/8/5n2/2R5/P4PPP/6K1 w - - 0 1", "Rc1", "Loses a rook: 1...Ne2+ forks king and rook."),
        (
            "4r1k1/pp3ppp/8/8/4N3/5P2/PP4PP/4KR2 w - - 0 1",
            "a3",
            "Loses a knight: 1...f5 attacks the pinned knight.",
        ),
        ("3r2k1/5ppp/8/8/8/8/1R3PPP/6K1 w - - 0 1", "Rb7", "Allows mate on the back rank: 1...Rd1#."),
        # trapped
        ("4k3/pp3ppp/3b4/8/8/4P3/PP3PPP/2B2K2 b - - 0 1", "Bxh2", "Loses a bishop for two pawns: 2.g3"),
        (
            "8/8/2R4p/P1p3p1/2k5/3r4/2K5/8 w - - 0 56",
            "Rxc5+",
            "Trades rooks, and the draw is gone: 56...Kxc5 57.Kxd3.",
        ),
        (
            "8/7p/5p2/5pk1/3K4/1R1B1rP1/7P/8 w - - 0 51",
            "Bc4",
            "Trades rooks, and the win is gone: 51...Rxb3 52.Bxb3.",
        ),
        (
            "1rb2r1k/p5bp/3p4/5p2/2P3Pq/1PN1Q1p1/PB4B1/1R2RK2 w - - 0 24",
            "Ke2",
            "Allows 24...f4, which threatens 25...fxe3.",
        ),
        (
            "6k1/5p2/2q2p1Q/2ppP3/2p5/3P3P/1PP3PK/r7 b - - 0 25",
            "cxd3",
            "Allows 26.exf6, which threatens mate: 27.Qg7#.",
        ),
        ("6k1/8/8/p7/8/5K2/6PP/8 w - - 0 1", "g4", "Allows a new queen: 1...a4 ... 4...a1=Q"),
        # Saavedra's study
        ("8/2P5/8/8/3r4/8/2K5/k7 w - - 0 6", "c8=Q", "Lets Black draw by stalemate: 6...Rc4+ 7.Qxc4."),
        ("8/k1P5/2K5/8/8/8/8/8 w - - 0 1", "c8=Q", "Misses mate in 2: 1.c8=R. Draws by stalemate."),
        (
            "k2r3r/1pq1bppp/p2p1p2/2p5/2P1P3/P1N4P/1PP1QP1P/1K1R3R w - - 1 15",
            "f3",
            "Misses a bishop: 15.Nd5 forks queen and bishop.",
        ),
        (
            "4r1k1/2Q2pp1/3R3p/8/4P3/5P1P/6PK/q7 b - - 0 1",
            "Re6",
            "Misses a draw by perpetual check: 1...Qe5+.",
        ),
    ],
)
def test_example_positions(engine: SimpleEngine, fen: str, moves: str, reason: str) -> None:
    """The sentences begin like this; what comes behind depends on the search."""
    board = chess.Board(fen)
    game = chess.pgn.Game.without_tag_roster()
    game.setup(board)
    game.add_line(line(board, moves, Cp(0)).moves)
    study = AnalysedGame(game, "")
    Analyst(engine, NODES).analyse(study)
    last = list(study.judged_moves())[-1]
    assert study.reason(last.at).startswith(reason), study.reason(last.at)
    assert last.before.choices[0].moves[0] != last.move


@pytest.mark.parametrize(
    ("fen", "move", "reason"),
    [
        ("8/8/8/8/8/1Q5K/p7/k7 w - - 0 1", "Kg4", ""),  # a draw before and after
        # Both ways to take the rook win it.
        ("5rk1/p4p1p/1R4p1/5p2/2Pb1P2/5Q2/2Br2PP/5R1K b - - 2 28", "Bxb6", ""),
        ("r5k1/5ppp/8/3q4/8/8/5PPP/4R1K1 w - - 0 1", "Re7", "Allows mate in 2"),  # the game was decided
    ],
)
def test_what_is_no_mistake_gets_no_reason_but_mates_do(
    engine: SimpleEngine, fen: str, move: str, reason: str
) -> None:
    game = chess.pgn.Game.without_tag_roster()
    game.setup(board := chess.Board(fen))
    game.add_line([board.parse_san(move)])
    study = AnalysedGame(game, "")
    Analyst(engine, NODES).analyse(study)
    (judged,) = study.judged_moves()
    said = study.reason(0)
    assert said.startswith(reason) if reason else not said, judged


HANGING = "r4rk1/ppp2ppp/2n5/3q4/3P1b2/2P2N2/PP1Q1PPP/R4RK1 w - - 0 1"


@pytest.mark.parametrize(
    ("played", "best", "reason"),
    [
        # The last move of the line is in the middle of an exchange.
        (
            ("b3 Bxd2 Nxd2 Rae8 Rfe1 Rxe1+", -900),
            ("Qxf4 Rae8 Rfe1 a6 h3 h6", 300),
            "Loses a queen for a bishop: 1...Bxd2.",
        ),
        # The score falls by less than the material: there is something for it.
        (("b3 Bxd2 Nxd2 Rae8 Rfe1 h6", -50), ("Qd3 Rae8 Rae1 h6 h3 a6", 0), ""),
        # The lines break off before the end of the exchange.
        (("b3 Bxd2", -900), ("Qxf4", 300), "Loses a queen for a bishop: 1...Bxd2."),
    ],
)
def test_lines_in_the_middle_of_an_exchange(
    played: tuple[str, int], best: tuple[str, int], reason: str
) -> None:
    board = chess.Board(HANGING)
    bad, good = (line(board, moves, Cp(score)) for moves, score in (played, best))
    assert why(board, bad, good) == reason


@pytest.mark.parametrize(
    ("fen", "reason"),
    [
        ("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1", "Mates: 1.Ra8#."),
        ("4r1k1/5ppp/8/8/4N3/8/5PPP/4K2R b K - 0 1", "Wins a knight: 1...Rxe4+ takes an undefended knight."),
        (
            "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5Q2/PPPP1PPP/RNB1K1NR b KQkq - 0 3",
            "White threatens mate: 4.Qxf7#.",
        ),
        ("4k3/5ppp/8/3p4/2n5/1P6/5PPP/4K3 b - - 0 1", "White threatens 2.bxc4, which wins a knight."),
        ("rnbqkbnr/pppp1ppp/8/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR b KQkq - 3 2", "White threatens mate: 3.Qxf7#."),
    ],
)
def test_a_hint_has_a_reason(engine: SimpleEngine, fen: str, reason: str) -> None:
    board = chess.Board(fen)
    passed = board.copy()
    passed.turn = not board.turn
    best, threat = lines_of([engine.analyse(position, NODES) for position in (board, passed)])

    claim = verdict.about(board, best, threat)
    said = words.sentence(claim, board) if claim else ""
    assert said.startswith(reason), said


def test_our_reasons_are_replaced_and_the_comments_of_others_stay(engine: SimpleEngine) -> None:
    """Also where the text of a file breaks the line inside a reason."""
    text = (
        '[FEN "3r2k1/5ppp/8/8/8/8/1R3PPP/6K1 w - - 0 1"]\n\n1. Rb7 { (why?) (coachwhip: Loses\n'
        "a pawn: 1...Rd1.) Oh no. } Rd1# *\n"
    )
    allows = Mate(Role.ALLOWS, (chess.Move.from_uci("b2b7"), chess.Move.from_uci("d8d1")), 1)
    for claims, ours in (((allows,), " (coachwhip: Allows mate: 1...Rd1#.)"), ((), "")):
        (game,) = read_games(BufferedReader(BytesIO(text.encode())))
        study = AnalysedGame(game, "")
        Analyst(engine, NODES).analyse(study, explains=False)
        before = study.analyses[0]
        assert before
        study.analyses[0] = before._replace(claims=claims)
        study.annotate("coachwhip")
        text = game_text(study.game)
        assert re.sub(r"\s+", " ", study.nodes[0].comment) == f"(why?) Oh no. [%eval #-1]{ours}"


def test_a_new_queen_that_is_taken_at_once_is_none() -> None:
    board = chess.Board("8/3kP3/8/8/8/8/7P/K6B w - - 0 1")
    played, best = (
        line(board, "e8=Q+ Kxe8 Ka2 Kd7 Ka3 Kd6", Cp(0)),
        line(board, "Ka2 Ke8 Ka3 Kd7 Ka4 Ke8", Cp(100)),
    )
    assert why(board, played, best) == ""  # the pawn goes in the best line, too
    board = chess.Board("r2n2k1/4P1pp/8/8/8/2b5/5PPP/6K1 b - - 0 1")
    played, best = (
        line(board, "h6 exd8=Q+ Rxd8 h3 Kh7 g3", Cp(-200)),
        line(board, "Nc6 h3 Nxe7 g3 Kf7 g4", Cp(-700)),
    )
    assert why(board, played, best).startswith("Loses a knight: 2.exd8=Q+.")


def studied(text: str, nodes: int) -> AnalysedGame:
    (game,) = read_games(BufferedReader(BytesIO(text.encode())))
    study = AnalysedGame(game, "")
    with open_engine() as engine:
        Analyst(engine, Limit(nodes=nodes)).analyse(study)
    return study


CHECKS = "6k1/5ppp/8/8/7q/8/PP3P2/1Q4K1 w - - 0 1"
QUEEN = "7k/8/2b5/8/8/8/8/K3Q3 w - - 0 1"
SAAVEDRA = "8/2P5/8/8/3r4/8/2K5/k7 w - - 0 6"


@pytest.mark.parametrize(
    ("fen", "played", "best", "reason"),
    [
        (
            CHECKS,
            "a3 Qg4+ Kh2 Qh4+ Kg2 Qg4+ Kh2 Qh4+",
            "Qc2 h6 Qc8+ Kh7 Qc2+ g6",
            "Lets Black draw by perpetual check: 1...Qg4+.",
        ),
        (CHECKS, "a3 Qg4+ Kh2 h6 b3 Qh5+ Kg3", "Qc2 h6 Qc8+ Kh7 Qc2+ g6", ""),
        (CHECKS, "a3 Qg4+ Kh2 Qh4+", "Qc2 h6 Qc8+ Kh7 Qc2+ g6", ""),  # the checks do not repeat in the line
        (
            SAAVEDRA,
            "c8=Q Rc4+ Qxc4",
            "c8=R Ra4 Kb3 Ra3+ Kxa3",
            "Lets Black draw by stalemate: 6...Rc4+ 7.Qxc4.",
        ),
        (SAAVEDRA, "c8=Q Rd2+ Kxd2", "c8=R Ra4 Kb3 Ra3+ Kxa3", ""),
        (
            QUEEN,
            "Qe4 Bxe4",
            "Qe5+ Kh7 Kb2 Kg6 Qe6+ Kg7",
            "Lets Black draw by insufficient material: 1...Bxe4.",
        ),
        ("7k/8/2b5/8/8/8/7P/K3Q3 w - - 0 1", "Qe4 Bxe4", "Qe5+ Kh7 Kb2 Kg6 Qe6+ Kg7", ""),
    ],
)
def test_a_draw_is_named_where_the_line_shows_it(fen: str, played: str, best: str, reason: str) -> None:
    board = chess.Board(fen)
    bad, good = line(board, played, Cp(0)), line(board, best, Cp(50))
    assert why(board, bad, good) == reason


@pytest.mark.parametrize(
    ("fen", "holds"),
    [
        ("8/8/8/8/8/1Q5K/p7/k7 w - - 0 1", True),  # a pawn before the corner
        ("8/8/8/8/8/Q6K/3p4/3k4 w - - 0 1", False),
        ("4k3/8/8/8/8/8/8/4KN2 w - - 0 1", True),
        ("4k3/8/8/8/8/8/8/3BKN2 w - - 0 1", False),
    ],
)
def test_an_ending_that_is_a_draw_anyway(fen: str, holds: bool) -> None:
    assert is_drawn(chess.Board(fen)) == holds


def test_an_exchange_under_way_without_a_history_counts_from_the_capture_on() -> None:
    """Black has just taken on d2, as far as one can see: both moves take back, so 10.Nxd2 is not missed."""
    board = chess.Board("r1b1kb1r/pp3ppp/2n1p3/q2p4/3P1B2/P3PN2/1P1n1PPP/R2QKB1R w KQkq - 0 10")
    played, best = (
        line(board, "Qxd2 Bb4 axb4 Qxa1+ Ke2 f6", Cp(-213)),
        line(board, "Nxd2 Qd8 Bd3 Bd6", Cp(43)),
    )
    assert why(board, played, best) == "Loses the exchange: 10...Bb4 11.axb4 Qxa1+."


def test_all_good_moves_are_known_and_the_reason() -> None:
    study = studied("1. Nf3 Nf6 2. g4 Nxg4 3. h3 Nf6 *\n", 30_000)
    bad = study.judged_move(2)
    assert bad
    assert chess.Move.from_uci("d2d4") in {line.moves[0] for line in bad.before.choices}
    assert study.reason(2).startswith("Loses a pawn: 2...Nxg4")


def test_a_draw_that_was_there_anyway_is_no_mistake() -> None:
    for fen, move in (("8/8/8/8/8/1Q5K/p7/k7 w - - 0 1", "Kg4"), ("8/8/8/8/8/1Q5K/2p5/k7 w - - 0 1", "Qxc2")):
        (judged,) = studied(f'[FEN "{fen}"]\n\n1. {move} *\n', 20_000).judged_moves()
        assert not judged.judgement


@pytest.mark.parametrize(
    ("fen", "move", "reason"),
    [
        ("4k3/ppp2ppp/3b4/8/8/5N2/PPP2PPP/Q2RK2R w K - 0 1", "Ne5", "Loses a knight: 1...Bxe5"),
        ("8/1p6/3p4/p2Nk2p/P3P3/1P1P1P2/2Pb2K1/8 b - - 1 33", "Be3", "Loses a bishop: 34.Nxe3"),
        ("6k1/p4ppp/8/8/8/8/Q4PPP/3RR1K1 w - - 0 1", "Qxf7+", "Misses mate on the back rank: 1.R"),
    ],
)
def test_a_decided_game_names_a_piece_that_hangs_and_a_mate(fen: str, move: str, reason: str) -> None:
    """Without a mark: the same side wins before and after it."""
    study = studied(f'[FEN "{fen}"]\n\n{move} *\n', 20_000)
    assert not study.is_marked(0)
    assert study.reason(0).startswith(reason), study.reason(0)
