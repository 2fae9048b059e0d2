# SPDX-License-Identifier: GPL-3.0-or-later
"""The rules against python-chess: on thousands of positions of random games, of our own and of real games."""

import lzma
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import chess
import oracle
import pytest
from coachwhip.core.engine import Position, is_ok, pawn_key, threats
from places import DATA

SQUARES = chess.SQUARE_NAMES
GAMES = 7
PLIES = 150


def uci_moves(board: chess.Board) -> list[str]:
    return sorted(board.uci(move) for move in board.legal_moves)


def both(kind: str, greedy: bool, games: int = GAMES) -> Iterator[tuple[chess.Board, Position, chess.Move]]:
    """The same games on both boards; each position with the move played next."""
    rng = random.Random(f"{kind} {greedy}")
    for _ in range(games):
        board = oracle.start_board(kind, rng)
        position = Position(oracle.fen_of(board), chess960=board.chess960)
        for move in oracle.play(board, rng, greedy, PLIES):
            yield board, position, move
            position.make(board.uci(move))


@pytest.mark.parametrize("greedy", [False, True], ids=["random", "greedy"])
@pytest.mark.parametrize("kind", oracle.KINDS)
def test_played_games_agree(kind: str, greedy: bool) -> None:
    compared = 0
    seen: dict[str, int] = {}
    for board, position, move in both(kind, greedy):
        fen = oracle.fen_of(board)
        assert position.fen() == fen
        assert sorted(position.legal_moves()) == uci_moves(board), fen
        assert position.in_check == board.is_check(), fen
        assert position.stm == ("w" if board.turn else "b")
        attacked = {
            target
            for square in chess.SquareSet(board.occupied_co[not board.turn])
            for target in board.attacks(square)
        }
        assert threats(position) == int(chess.SquareSet(attacked)), fen
        assert position.is_draw() == oracle.is_rule_draw(board), fen
        for each in [move] if compared % 8 else board.legal_moves:
            assert position.gives_check(board.uci(each)) == board.gives_check(each), (fen, each)
        # Incremental boards, keys and masks are what they are when computed from scratch, here and from the
        # FEN.
        assert is_ok(position), fen
        fresh = Position(fen, chess960=board.chess960)
        assert (position.key, pawn_key(position)) == (fresh.key, pawn_key(fresh)), fen
        epd = fen.rsplit(" ", 2)[0]
        assert seen.setdefault(epd, position.key) == position.key
        compared += 1
    assert compared > 500
    assert len(set(seen.values())) == len(seen)


@pytest.mark.parametrize("kind", oracle.KINDS)
def test_exactly_the_legal_texts_are_accepted(kind: str) -> None:
    """Every text of two squares (and every last-rank promotion) is tried on a few positions of each game."""
    tried = 0
    for ply, (board, position, _move) in enumerate(both(kind, greedy=True, games=2)):
        if ply % 40 != 17:
            continue
        legal = set(uci_moves(board))
        if board.chess960:  # the standard spelling is read too, where it is not another move
            for move in board.legal_moves:
                if board.is_castling(move):
                    wing = "g" if board.is_kingside_castling(move) else "c"
                    legal.add(SQUARES[move.from_square] + wing + SQUARES[move.from_square][1])
        else:
            legal |= {move.uci() for move in _castlings_as_king_takes_rook(board)}
        for from_square in SQUARES:
            for to_square in SQUARES:
                for promotion in ("", *(("q", "n", "k") if to_square[1] in "18" else ())):
                    text = from_square + to_square + promotion
                    try:
                        position.make(text)
                    except ValueError:
                        assert text not in legal, (board.fen(), text)
                    else:
                        assert text in legal, (board.fen(), text)
                        position.undo()
                    tried += 1
    assert tried > 10000


def _castlings_as_king_takes_rook(board: chess.Board) -> list[chess.Move]:
    castlings = []
    for move in board.legal_moves:
        if board.is_castling(move):
            rook_file = 7 if board.is_kingside_castling(move) else 0
            castlings.append(
                chess.Move(move.from_square, chess.square(rook_file, chess.square_rank(move.from_square)))
            )
    return castlings


@pytest.mark.parametrize(
    ("fen", "chess960", "written", "spellings"),
    [
        ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", False, "e1g1", ["e1g1", "e1h1"]),
        ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", False, "e1c1", ["e1c1", "e1a1"]),
        ("r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1", False, "e8g8", ["e8g8", "e8h8"]),
        ("r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1", True, "e8a8", ["e8c8", "e8a8"]),
        ("4k3/8/8/8/8/8/8/1R3K1R w HB - 0 1", True, "f1h1", ["f1h1"]),  # f1g1 is a plain king move
        ("4k3/8/8/8/8/8/8/1R3K1R w HB - 0 1", True, "f1b1", ["f1b1", "f1c1"]),
        ("4k3/8/8/8/8/8/8/1R3KR1 w GB - 0 1", True, "f1g1", ["f1g1"]),  # king and rook change places
        ("4k3/8/8/8/8/8/8/1RK5 w B - 0 1", True, "c1b1", ["c1b1", "c1c1"]),  # the king stays
        ("4k3/8/8/8/8/8/8/1R3K1R w HB - 0 1", False, "f1h1", ["f1h1"]),  # no other spelling is clear
    ],
)
def test_castling_is_read_in_both_spellings(
    fen: str, chess960: bool, written: str, spellings: list[str]
) -> None:
    position = Position(fen, chess960=chess960)
    assert written in position.legal_moves()
    after = []
    for text in spellings:
        child = position.copy()
        child.make(text)
        after.append(child.fen())
    board = chess.Board(fen, chess960=True)
    rook = {"e1g1": "e1h1", "e1c1": "e1a1", "e8g8": "e8h8"}.get(written, written)
    assert chess.Move.from_uci(rook) in board.legal_moves
    board.push_uci(rook)
    board.chess960 = chess960
    assert set(after) == {oracle.fen_of(board)}


def rows(path: Path) -> Iterator[tuple[str, str, str]]:
    with lzma.open(path, "rt", encoding="ascii") as lines:
        for line in lines:
            if not line.startswith("#"):
                fen, *_key, flags, moves = line.rstrip("\n").split("\t")
                yield fen, flags, moves


def check_positions(path: Path, chess960: bool) -> Counter[str]:
    """Compare FEN, legal moves, check and the state of the game.

    Returns how often each flag stands in the file, and "" for all.
    """
    seen: Counter[str] = Counter()
    for fen, flags, moves in rows(path):
        position = Position(fen, chess960=chess960)
        assert position.fen() == fen
        assert sorted(position.legal_moves()) == moves.split(), fen
        assert position.in_check == ("c" in flags or "m" in flags), fen
        assert (position.fen().split()[3] != "-") == ("e" in flags), fen
        assert is_ok(position), fen
        if "m" in flags:
            assert position.result() == ("0-1" if position.stm == "w" else "1-0"), fen
        elif "s" in flags or "i" in flags:
            assert position.result() == "1/2-1/2", fen
        elif int(fen.split()[4]) < 100:
            assert position.result() == "*", fen
        seen.update(["", *flags])
    return seen


@pytest.mark.parametrize(("name", "chess960"), [("games", False), ("chess960-games", True)])
def test_positions_of_our_own_games(name: str, chess960: bool) -> None:
    seen = check_positions(DATA / "positions" / f"{name}.tsv.xz", chess960)
    assert seen[""] >= 300
    assert all(seen[flag] for flag in "cmsi"), seen


@pytest.mark.parametrize(("name", "chess960"), [("real-games-10k", False), ("chess960-games-2k", True)])
def test_positions_of_real_games(name: str, chess960: bool, shared_data: Path) -> None:
    assert check_positions(shared_data / "fens" / f"{name}.tsv.xz", chess960)[""] >= 2000
