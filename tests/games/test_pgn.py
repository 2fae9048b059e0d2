# SPDX-License-Identifier: GPL-3.0-or-later
"""The PGN of other programs: where games end, signs behind moves, results and names, judged by python-chess where it reads the same."""

import io
from pathlib import Path

import chess.pgn
import pytest

from coachwhip.cli.command import CommandError
from coachwhip.games import openings
from coachwhip.games.pgn import BLOCK, game_text, read_games, read_tags, split_games


def opened(text: str) -> io.BufferedReader:
    return io.BufferedReader(io.BytesIO(text.encode()))


def line(game: chess.pgn.Game | None) -> str:
    """The moves of the main line."""
    assert game
    return chess.Board().variation_san(game.mainline_moves()) if game.variations else ""


@pytest.mark.parametrize(
    "text",
    [
        "1 d4 Nf6\n2 a3 g6\n\n1 e4 e5\n2 Qh5 Nc6\n",
        "d4 Nf6 a3 g6 1-0\ne4 e5 {a comment} Qh5 Nc6 *\n",
        "d4 Nf6 a3 g6 ½–½\n\n{before} e4 e5 Qh5 Nc6",
        '[White "A"]\n\n1. d4 Nf6 2. a3 g6 {no end\n\n[White "B"]\n\n1. e4 {an end} e5 2. Qh5 Nc6 *\n',
    ],
)
def test_two_games_stay_two(text: str) -> None:
    first, last = read_games(opened(text))
    assert (line(first), line(last)) == ("1. d4 Nf6 2. a3 g6", "1. e4 e5 2. Qh5 Nc6")
    assert [bool(game.errors) for game in (first, last)] == ["no end" in text, False]


def test_games_longer_than_what_is_read_at_a_time() -> None:
    """The pieces in which a file is read split neither games nor comments."""
    text = f'[White "A"]\n{{{"tag [White] " * (BLOCK // 8)}}}\n1. d4 d5 {{\n\n[White "no"]\n\n}} *\n\n'
    assert [line(game) for game in read_games(opened(text * 3))] == ["1. d4 d5"] * 3


SIGNS = ["+-", "=", "±", "!±", "!?+=", "ch", " ch", " +", "\u2060", " \u2060", "\u00ad", " RR", " inf", " ⇄", " )", "D"]


@pytest.mark.parametrize("sign", SIGNS)
def test_reading_goes_on_behind_a_sign(sign: str) -> None:
    text = f"1. e4 e5 2. Nf3{sign} Nc6 3. Bb5 a6 *\n"
    (game,) = read_games(opened(text))
    assert line(game) == line(chess.pgn.read_game(io.StringIO(text))) == "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6"
    assert bool(game.errors) == (sign in SIGNS[-5:])
    assert not game.errors or sign.strip() in game_text(game)


@pytest.mark.parametrize(
    ("text", "moves"),
    [
        ("1. e4 P-K4 2. Nf3 Nc6", "1. e4"),
        ("1. e4 e5 2. exd Nc6 3. d4", "1. e4 e5"),
    ],
)
def test_a_word_that_may_be_a_move_ends_the_line_where_the_next_number_shows_it(text: str, moves: str) -> None:
    (game,) = read_games(opened(f"{text} 1-0\n"))
    assert line(game) == moves
    assert game.errors
    assert game.headers["Result"] == "1-0"
    assert all(word in game_text(game) for word in text.split() if word[0].isalpha())


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("1. e4 e5 1-0 ; the sheet says 0-1\n", "1-0"),
        ("1. e4 e5 1-0 {White wins on time}\n", "1-0"),
        ('[Result "0.5-0.5"]\n\n1. e4 e5 1/2-1/2\n', "1/2-1/2"),
        ('[Result "1-0 ff"]\n\n1. e4 e5 *\n', "1-0"),
        ('[Result "½‑½"]\n\n1. e4 e5 ½ – ½\n', "1/2-1/2"),
        ('[Result "forfeit"]\n\n1. e4 e5 0-1\n', "0-1"),
        ('[Result "0-0"]\n\n1. e4 e5 2. Nf3 Nf6 3. Bc4 Bc5 4. 0-0 0-0 0-0\n', "*"),
    ],
)
def test_results_are_the_same_in_tags_and_movetext(text: str, result: str) -> None:
    (raw,) = split_games(opened(text))
    assert read_tags(raw)["Result"] == result
    (game,) = read_games(opened(text))
    assert [str(error) for error in game.errors] == ["the tag Result says forfeit, the movetext 0-1"] * ("forfeit" in text)
    assert game_text(game).split()[-1] == result


@pytest.mark.parametrize("name", ["علی\u200cرضا", "क\u094d\u200dष", "\ue000", "\U0001fae8 \U000e0067", "Ōe\u3000Kenzaburō"])
def test_names_stay_as_they_are(name: str) -> None:
    (game,) = read_games(opened(f'[White "{name}"]\n\n1. e4 {{{name}}} *\n'))
    again = chess.pgn.read_game(io.StringIO(game_text(game)))
    assert again
    assert (again.headers["White"], again.variations[0].comment) == (name, name)


def test_long_games_are_read_whole() -> None:
    (game,) = read_games(opened(f"{'Nf3 Nf6 Ng1 Ng8 ' * 1500} 1-0\n"))
    assert len(list(game.mainline())) == 6000
    assert not game.errors


@pytest.mark.parametrize(
    ("text", "plies", "is_used"),
    [
        ('[Result "1-0"]\n\n1. e4 e5 0-1\n', None, True),
        ("1. e4 e5 1-0\nWhite wins on time\n", None, True),
        ("1. e4 e5 2. Ke3 *\n", 2, True),
        ("1. e4 e5 (1... Ke5) RR *\n", None, True),
        ('[FEN "8/8 w - - 0 1"]\n\n1. e4 *\n', 1, False),
    ],
)
def test_a_fault_outside_an_opening_is_a_warning(
    text: str, plies: int | None, is_used: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "book.pgn"
    path.write_text(text, encoding="utf-8")
    (entry,) = openings.open_book(path, plies=plies)
    if is_used:
        assert entry().moves == "e2e4 e7e5"
        assert capsys.readouterr().err.startswith("warning: book.pgn:1: ")
    else:
        with pytest.raises(CommandError, match=r"^book\.pgn:1: "):
            entry()
