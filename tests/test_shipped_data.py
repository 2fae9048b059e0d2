# SPDX-License-Identifier: GPL-3.0-or-later
"""What coachwhip ships to start with is what it should be, by python-chess and by searches, and is used where no file is named."""

import io
import lzma
from collections import Counter
from pathlib import Path

import chess
import chess.pgn
import chess.polyglot
import own_positions
import own_search
import pytest
from coachwhip.bench import data
from coachwhip.bench.common.openings import open_book
from coachwhip.bench.perft import read_suite, run_suite
from coachwhip.bench.suite.epd import read_file

COUNTED_AGAIN = 3000  # leaves, with python-chess
QUIET = 120  # centipawns of an opening by a short search, at most


def lines(path: Path) -> list[str]:
    """The lines of a file that are no comments."""
    return [line for line in path.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]


def read_games(text: str) -> list[chess.pgn.Game]:
    file = io.StringIO(text)
    return list(iter(lambda: chess.pgn.read_game(file), None))


def scored_text() -> str:
    return lzma.decompress(data.SCORED.path.read_bytes()).decode()


# --- The files ---


def test_they_are_listed_and_small() -> None:
    in_folder = {path for path in data.FOLDER.iterdir() if path.suffix not in ("", ".py")}
    assert in_folder == {each.path for each in data.ALL.values()} - {data.BOOK.path}
    assert sum(each.path.stat().st_size for each in data.ALL.values()) < 400_000


def test_openings_are_balanced_and_different() -> None:
    found = lines(data.OPENINGS.path)
    assert data.OPENINGS.number == len(found)
    assert 200 <= len(found) <= 500
    first: Counter[str] = Counter()
    seen = set()
    for number, line in enumerate(found):
        board, operations = chess.Board.from_epd(line)
        played = chess.Board()
        for word in str(operations["id"]).split():
            if not word[0].isdigit():
                played.push_san(word)
        assert played.epd() == board.epd(), line
        assert 6 <= played.ply() <= 10, line
        assert abs(int(str(operations["ce"]))) < 60, line
        assert not board.is_check()
        assert any(board.legal_moves)
        if number % 4 == 0:
            assert abs(own_search.search(board, 10_000)[0].score) < QUIET, line
        first[played.move_stack[0].uci()] += 1
        seen.add(board.epd())
    assert len(seen) == len(found)
    assert len(first) >= 6
    assert first.most_common(1)[0][1] < len(found) / 2
    assert [opening().fen for opening in open_book(data.OPENINGS.path)] == [
        f"{chess.Board.from_epd(line)[0].epd()} 0 1" for line in found
    ]


def test_the_book_is_a_tree_of_legal_moves() -> None:
    """In order, no move twice, every position is reached from the start by moves of the book."""
    with chess.polyglot.open_reader(data.BOOK.path) as reader:
        entries = list(reader)
        assert len(entries) == data.BOOK.number
        assert [entry.key for entry in entries] == sorted(entry.key for entry in entries)
        assert len({(entry.key, entry.raw_move) for entry in entries}) == len(entries)
        assert all(entry.weight > 0 for entry in entries)
        reached, waiting, legal = set(), [chess.Board()], 0
        while waiting:
            board = waiting.pop()
            key = chess.polyglot.zobrist_hash(board)
            if key in reached:
                continue
            reached.add(key)
            for entry in reader.find_all(board):
                assert board.is_legal(entry.move)
                legal += 1
                after = board.copy()
                after.push(entry.move)
                waiting.append(after)
    assert legal == len(entries)
    assert reached >= {entry.key for entry in entries}


def test_perft_counts_are_those_of_python_chess() -> None:
    found = read_suite(data.PERFT.path)
    assert data.PERFT.number == len(found) == len({line.fen for line in found}) > 100
    assert run_suite(found).wrong == ()
    for line in found:
        board = chess.Board(line.fen, chess960=set(line.fen.split()[2]) - set("KQkq-") != set())
        assert board.is_valid(), line
        assert [depth for depth, _ in line.counts] == list(range(1, len(line.counts) + 1))
        assert len(line.counts) >= 4
        for depth, count in line.counts:
            if count <= COUNTED_AGAIN:
                assert own_positions.leaves(board, depth) == count, line


def test_every_kind_of_perft_position_is_there() -> None:
    by_kind: dict[str, list[chess.Board]] = {}
    for line in data.PERFT.path.read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            boards = by_kind.setdefault(line[2:], [])
        else:
            fen = line.partition(" ;")[0]
            boards.append(chess.Board(fen, chess960=set(fen.split()[2]) - set("KQkq-") != set()))
    assert by_kind.pop("the start position") == [chess.Board()]
    wanted: dict[str, list[own_positions.Wanted]] = {}
    for kind, _, _, holds in own_positions.KINDS:
        wanted.setdefault(kind, []).append(holds)
    assert by_kind.keys() == wanted.keys()
    for kind, boards in by_kind.items():
        assert all(any(holds(board) for holds in wanted[kind]) for board in boards), kind
    assert all(board.chess960 for board in by_kind["dfrc"])


# --- Test positions ---


def mates(board: chess.Board, moves: int) -> bool:
    """Whether the side to move mates in so many moves, by trying everything, checks first."""
    for move in sorted(board.legal_moves, key=board.gives_check, reverse=True):
        if moves == 1 and not board.gives_check(move):
            return False
        board.push(move)
        mated = is_mated(board, moves - 1)
        board.pop()
        if mated:
            return True
    return False


def is_mated(board: chess.Board, moves: int) -> bool:
    """Whether the side to move is mated within so many moves of the other side, whatever it does."""
    if not any(board.legal_moves):
        return board.is_check()
    if not moves:
        return False
    for reply in board.legal_moves:
        board.push(reply)
        mated = mates(board, moves)
        board.pop()
        if not mated:
            return False
    return True


def test_tactics_have_one_best_move() -> None:
    problems, idle = read_file(data.TACTICS.path, "tactics.epd")
    assert data.TACTICS.number == len(problems)
    assert 60 <= len(problems) <= 120
    assert not idle
    assert len({problem.fen for problem in problems}) == len({problem.label for problem in problems}) == len(problems)
    for problem in problems:
        assert len(problem.best) == 1
        assert not problem.avoid
        assert chess.Board(problem.fen).is_legal(chess.Move.from_uci(problem.best[0]))


def test_mates_are_proven_with_python_chess() -> None:
    """The longer ones by the moves after the best one alone, since python-chess is slow."""
    proven = 0
    for problem in read_file(data.TACTICS.path, "tactics.epd")[0]:
        if problem.mate is not None:
            board = chess.Board(problem.fen)
            assert problem.mate > 0
            assert not any(mates(board, moves) for moves in range(1, min(problem.mate, 3))), problem
            board.push_uci(problem.best[0])
            assert is_mated(board, problem.mate - 1), problem
            proven += 1
    assert proven


def test_a_search_finds_the_best_moves_and_a_short_one_does_not() -> None:
    """A few may be found or missed by an engine that has changed since. Of the long searches, a sample.

    The short ones go without a network: each one that learns from searches knows more of their results at once.
    """
    boards = [(chess.Board(problem.fen), problem.best[0]) for problem in read_file(data.TACTICS.path, "tactics.epd")[0]]
    sample = boards[::4]
    assert sum(own_search.search(board, 300_000)[0].move == best for board, best in sample) >= 0.85 * len(sample)
    assert sum(own_search.search(board, 200, terms_alone=True)[0].move == best for board, best in boards) <= 0.15 * len(boards)


# --- Games ---


def test_games_have_clocks_and_scores() -> None:
    games = read_games(data.GAMES.path.read_text(encoding="utf-8"))
    assert data.GAMES.number == len(games)
    assert 4 <= len(games) <= 8
    assert len({tuple(game.mainline_moves())[:8] for game in games}) == len(games)
    for game in games:
        assert not game.errors
        board = game.end().board()
        over = board.result(claim_draw=True)
        assert over in ("*", game.headers["Result"])
        base, increment = map(int, game.headers["TimeControl"].split("+"))
        clocks = {chess.WHITE: float(base), chess.BLACK: float(base)}
        played = [node for node in game.mainline() if node.comment != "book"]
        assert len(played) > 20
        for node in played:
            used, left = node.emt(), node.clock()
            assert used is not None
            assert left is not None
            clocks[not node.turn()] += increment - used
            assert left == pytest.approx(clocks[not node.turn()], abs=0.2)
            assert left > 0
            assert node.eval() is not None


def test_scored_games_have_scores_and_all_results() -> None:
    games = read_games(scored_text())
    assert data.SCORED.number == len(games) >= 100
    assert len({str(game.mainline_moves()) for game in games}) == len(games)
    results = Counter(game.headers["Result"] for game in games)
    assert min(results[result] for result in ("1-0", "0-1", "1/2-1/2")) >= len(games) / 20
    assert results.keys() == {"1-0", "0-1", "1/2-1/2"}
    for game in games:
        assert not game.errors
        assert sum(node.eval() is None for node in game.mainline()) <= 10  # the opening
        assert game.end().board().result() in ("*", game.headers["Result"])
