# SPDX-License-Identifier: GPL-3.0-or-later
"""`coachwhip selfplay`: the same file however it is made, and positions that are what they should be."""

import json
import lzma
import os
import signal
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import chess
import game_files
import oracle
import pytest
from faulty_disk import room_of
from uci_process import run_until

from coachwhip.learn import selfplay
from coachwhip.learn.game_file import RESULTS

FAST = ["--nodes", "60", "--max-moves", "30", "--hash", "1"]
GAMES = 6
NOT_SETTINGS = (
    "other.vf.json is not a settings file of selfplay: choose another name, or replace it with --force"
)


@pytest.fixture(scope="module", autouse=True)
def one_revision() -> Iterator[None]:
    """Somebody may commit while the tests run."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(selfplay, "revision", lambda: "one")
        yield


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("book") / "book.epd"
    path.write_text(
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\n"
        "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3\n"
        "8/5k2/8/3p4/3P4/8/4KPP1/8 w - - 0 1\nbqnrkrnb/pppppppp/8/8/8/8/PPPPPPPP/BQNRKRNB w DFdf - 0 1\n"
    )
    return path


def made(path: Path, book: Path, *words: str, games: int = GAMES) -> bytes:
    """Make a file in one process unless `words` say otherwise, and what is in it."""
    given = ["--games", str(games), "--openings", str(book), *FAST, "--concurrency", "1"]
    assert selfplay.main([str(path), *given, *words]) == 0
    return path.read_bytes()


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory, book: Path) -> Path:
    path = tmp_path_factory.mktemp("own") / "own.vf"
    made(path, book)
    return path


def games_of(path: Path) -> list[game_files.Played]:
    return list(game_files.read(path.read_bytes()))


def settings_of(path: Path) -> dict[str, Any]:
    settings: dict[str, Any] = json.loads(Path(f"{path}.json").read_text())
    return settings


def test_two_processes_write_the_same_file_as_one(reference: Path, book: Path, tmp_path: Path) -> None:
    assert made(tmp_path / "two.vf", book, "--concurrency", "2") == reference.read_bytes()


def test_a_torn_game_is_cut_and_played_again(reference: Path, book: Path, tmp_path: Path) -> None:
    whole, path = reference.read_bytes(), tmp_path / "torn.vf"
    first = len(games_of(reference)[0].data)
    for torn in (whole[:-1], whole[: first + 3], whole[:20]):
        path.write_bytes(torn)
        Path(f"{path}.json").write_bytes(Path(f"{reference}.json").read_bytes())
        assert made(path, book) == whole
        assert settings_of(path) == settings_of(reference)


def test_lost_settings_are_made_again(
    reference: Path, book: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "lost.vf"
    path.write_bytes(reference.read_bytes()[:-1])
    assert made(path, book) == reference.read_bytes()
    assert (
        "lost.vf.json is missing: it is made again with the settings of this run" in capsys.readouterr().err
    )
    assert settings_of(path) == settings_of(reference)


def test_damage_inside_the_file_is_named_and_loses_nothing(
    reference: Path, book: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, whole = tmp_path / "damaged.vf", reference.read_bytes()
    second = len(games_of(reference)[0].data)
    damaged = bytearray(whole)
    damaged[second + 30] = 9
    path.write_bytes(damaged)
    assert selfplay.main([str(path), "--games", str(GAMES), "--openings", str(book), *FAST]) == 2
    assert f"damaged.vf: game 1, at byte {second}: it has no result" in capsys.readouterr().err
    assert path.read_bytes() == damaged
    path.write_bytes(damaged[:second])
    assert made(path, book) == whole


def test_more_games_lengthen_the_file_and_the_seed_decides_them(
    reference: Path, book: Path, tmp_path: Path
) -> None:
    path = tmp_path / "short.vf"
    for games in (1, 5):
        made(path, book, games=games)
        assert len(games_of(path)) == games == settings_of(path)["games"]
    assert made(path, book) == reference.read_bytes() == made(path, book, games=2)
    made(tmp_path / "other.vf", book, "--seed", "2", games=2)
    assert games_of(tmp_path / "other.vf") != games_of(reference)[:2]


@pytest.mark.skipif(sys.platform == "win32", reason="no limit of the size of files")
def test_a_full_disk_shortens_nothing(book: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The games that fit stay, and the next run goes on."""
    path, long = tmp_path / "full.vf", ["--max-moves", "80"]
    whole = made(tmp_path / "whole.vf", book, *long, games=16)
    games = games_of(tmp_path / "whole.vf")
    ends = [len(b"".join(each.data for each in games[:count])) for count in range(17)]
    assert ends[10] > Path(f"{tmp_path / 'whole.vf'}.json").stat().st_size
    words = [str(path), "--games", "16", "--openings", str(book), *FAST, *long, "--concurrency", "1"]
    for room in (ends[10] + 40, ends[12]):
        with room_of(room):
            assert selfplay.main(words) == 2
        assert "full.vf: File too large" in capsys.readouterr().err
        assert path.read_bytes() == whole[: max(end for end in ends if end <= room)]
    assert made(path, book, *long, games=16) == whole


@pytest.mark.skipif(os.name == "nt", reason="no SIGKILL")
def test_a_killed_run_leaves_a_file_to_go_on_with_and_no_worker(book: Path, tmp_path: Path) -> None:
    path = tmp_path / "killed.vf"
    words = [str(path), "--games", "100000", "--openings", str(book), *FAST, "--concurrency", "2"]
    run_until(
        lambda: path.exists() and path.stat().st_size > 0,
        "selfplay",
        *words,
        number=signal.SIGKILL,
        alone=True,
    )
    games = len(games_of(path))
    assert games
    assert made(path, book, games=games + 1) == made(tmp_path / "whole.vf", book, games=games + 1)


def test_ctrl_c_keeps_the_games_that_were_played(
    reference: Path, book: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "interrupted.vf"
    add = selfplay.GameStore.add

    def stopping(store: selfplay.GameStore, game: bytes) -> None:
        add(store, game)
        if store.games == GAMES - 1:
            raise KeyboardInterrupt

    monkeypatch.setattr(selfplay.GameStore, "add", stopping)
    words = ["--games", str(GAMES), "--openings", str(book), *FAST, "--concurrency", "1"]
    assert selfplay.main([str(path), *words]) == 130
    monkeypatch.setattr(selfplay.GameStore, "add", add)
    assert path.read_bytes() == b"".join(each.data for each in games_of(reference)[: GAMES - 1])
    assert settings_of(path)["games"] == GAMES - 1
    assert made(path, book) == reference.read_bytes()


def test_an_independent_reader_finds_legal_games(reference: Path) -> None:
    """Chess960 games among them, with castling as king takes rook."""
    games = games_of(reference)  # which checks every move
    assert len(games) == GAMES
    assert any(each.rows[0].board.has_chess960_castling_rights() for each in games)
    assert settings_of(reference)["plies"] == sum(len(each.rows) for each in games)
    for each in games:
        assert each.rows[0].board.fullmove_number <= 6
        assert all(abs(row.score) < 30_000 or abs(row.score) == game_files.NONE for row in each.rows)
        assert not any(oracle.is_rule_draw(row.board) for row in each.rows)


def test_every_game_starts_after_all_its_random_moves(tmp_path: Path) -> None:
    """Games with fewer of them would be the same game; only a move that ends the game is not played."""
    book = tmp_path / "book.epd"
    book.write_text(f"{chess.STARTING_FEN}\n7k/8/8/8/8/8/6q1/7K w - - 0 1\n")
    made(tmp_path / "own.vf", book, "--random-plies", "5", games=20)
    starts = [each.rows[0].board for each in games_of(tmp_path / "own.vf")]
    assert [board.ply() for board in starts if len(board.piece_map()) > 3] == [5] * 10
    assert len({board.fen() for board in starts}) == 11


def test_chess960_without_openings_starts_from_its_positions(tmp_path: Path) -> None:
    words = ["--games", "4", *FAST, "--chess960", "--random-plies", "0", "--concurrency", "1"]
    assert selfplay.main([str(tmp_path / "own.vf"), *words]) == 0
    starts = {each.rows[0].board.chess960_pos() for each in games_of(tmp_path / "own.vf")}
    assert len(starts - {None}) == 4


def test_mates_have_the_score_that_trainers_drop(tmp_path: Path) -> None:
    book = tmp_path / "mate.epd"
    book.write_text(
        "7k/5Q2/5K2/8/8/8/8/8 w - - 0 1\n5k2/8/5K2/8/8/8/8/6R1 b - - 0 1\n7K/5q2/5k2/8/8/8/8/8 b - - 0 1\n"
    )
    made(tmp_path / "mate.vf", book, "--random-plies", "0", "--nodes", "3000", games=3)
    results = set()
    for each in games_of(tmp_path / "mate.vf"):
        board, result = each.rows[-1].board, each.rows[-1].result
        board.push(each.rows[-1].move)
        assert board.is_checkmate()
        assert {row.score for row in each.rows} == {game_files.NONE if result == 2 else -game_files.NONE}
        results.add(result)
    assert results == {0, 2}


def test_some_games_are_played_to_the_end(book: Path, tmp_path: Path) -> None:
    """The seed and the number of a game decide which; the others are the same games as without."""
    files = {}
    for share in (0, 40, 100):
        path = tmp_path / f"{share}.vf"
        made(path, book, "--to-the-end", str(share), "--max-moves", "10")
        files[share] = games_of(path)
    same = [files[40][number].data == files[0][number].data for number in range(GAMES)]
    assert 0 < same.count(True) < GAMES
    for number in range(GAMES):
        assert files[40][number].data == files[0 if same[number] else 100][number].data
    for each in files[100]:
        end = each.rows[0].board.copy()
        for row in each.rows:
            assert not oracle.is_over(end)
            end.push(row.move)
        assert oracle.is_over(end)
        assert RESULTS[each.rows[0].result] == (end.result() if end.is_checkmate() else "1/2-1/2")
    lengths = {share: [len(each.rows) for each in games] for share, games in files.items()}
    assert max(lengths[0]) == 20 < min(lengths[100])


def test_epd_has_the_quiet_positions_of_the_games(
    reference: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert selfplay.main([str(reference), "--epd", "-"]) == 0
    printed = capsys.readouterr().out
    assert selfplay.main([str(reference), "--epd", str(tmp_path / "own.epd.xz")]) == 0
    assert lzma.decompress((tmp_path / "own.epd.xz").read_bytes()).decode() == printed
    results = [RESULTS[each.rows[0].result] for each in games_of(reference)]
    counts = Counter[int]()
    for line in printed.splitlines():
        board, operations = chess.Board.from_epd(line)
        number = int(str(operations["c7"]))
        assert not board.is_check()
        assert operations["c9"] == results[number]
        assert abs(float(str(operations["c8"]))) <= 15
        counts[number] += 1
    assert 5 < max(counts.values()) <= 40
    assert selfplay.main([str(reference), "--epd", "-", "--per-game", "5", "--max-score", "100"]) == 0
    few = [chess.Board.from_epd(line)[1] for line in capsys.readouterr().out.splitlines()]
    assert max(sum(each["c7"] == str(number) for each in few) for number in range(GAMES)) == 5
    assert all(abs(float(str(each["c8"]))) <= 1 for each in few)


def test_the_summary_says_what_the_file_holds(
    reference: Path, book: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made(reference, book, "--json")
    summary = json.loads(capsys.readouterr().out)
    games = games_of(reference)
    results = Counter(RESULTS[each.rows[0].result] for each in games)
    counts = {"games": GAMES, "plies": sum(len(each.rows) for each in games)}
    assert summary == counts | {"bytes": reference.stat().st_size} | {
        result: results[result] for result in RESULTS
    }
    said = settings_of(reference)
    assert {name: said[name] for name in ("games", "plies", "results")} == counts | {
        "results": summary_of(summary)
    }
    assert {"seed", "nodes", "weights", "network", "openings", "rules"} <= set(said["settings"])
    made(reference, book)
    assert capsys.readouterr().out.startswith(f"{GAMES} games (1-0 ")


def summary_of(summary: dict[str, int]) -> dict[str, int]:
    return {result: summary[result] for result in RESULTS}


def test_the_file_of_another_run_and_other_files_are_left_alone(
    reference: Path, book: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "other.vf"
    settings, words = Path(f"{path}.json"), ["--games", str(GAMES), "--openings", str(book), *FAST]
    for content, about, more, message in (
        (
            reference,
            reference,
            ["--seed", "7"],
            "other.vf belongs to another run of selfplay: its seed is 1, not 7",
        ),
        (reference, reference, ["--per-game", "5"], "--per-game and --max-score go with --epd"),
        (b"not such a file, but one of some length\n" * 100, None, [], "other.vf is not a game file"),
        (bytes(range(256)) * 10 + bytes(40), None, [], "other.vf: game 0, at byte 0: "),
        (lzma.compress(reference.read_bytes()), None, [], "other.vf is compressed: expand it to add games"),
        (reference, b"{", [], NOT_SETTINGS),
        (reference, b"[" * 60_000, [], NOT_SETTINGS),
        (b"", b'{"my": "holiday photos"}', [], NOT_SETTINGS),
        (reference, b'{"games": 1, "plies": 2', [], "other.vf.json is damaged"),
    ):
        path.write_bytes(content.read_bytes() if isinstance(content, Path) else content)
        settings.unlink(missing_ok=True)
        if about is not None:
            settings.write_bytes(Path(f"{about}.json").read_bytes() if isinstance(about, Path) else about)
        before = {each: each.read_bytes() for each in tmp_path.iterdir()}
        assert selfplay.main([str(path), *words, *more]) == 2
        assert message in capsys.readouterr().err
        assert {each: each.read_bytes() for each in tmp_path.iterdir()} == before


def test_force_replaces_settings_that_are_something_else(reference: Path, book: Path, tmp_path: Path) -> None:
    path = tmp_path / "own.vf"
    for content in (b"", reference.read_bytes()):
        path.write_bytes(content)
        Path(f"{path}.json").write_bytes(b'{"my": "holiday photos"}')
        assert made(path, book, "--force") == reference.read_bytes()
        assert settings_of(path) == settings_of(reference)


def test_a_second_run_leaves_the_first_its_files(
    book: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Before it has finished a game."""
    path = tmp_path / "own.vf"
    with closing(selfplay.GameStore(path, Path(f"{path}.json"), {}, force=False)):
        assert selfplay.main([str(path), "--games", "1", "--openings", str(book), *FAST]) == 2
        assert "is in use by another run" in capsys.readouterr().err
        assert path.exists()
        assert Path(f"{path}.json").exists()
