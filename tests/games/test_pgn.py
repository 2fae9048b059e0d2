# SPDX-License-Identifier: GPL-3.0-or-later
"""The PGN of other programs: where games end, how moves are written, what is no move.

The judge is python-chess where it reads the same.
"""

import io
import re
from itertools import islice
from pathlib import Path

import chess.pgn
import pytest
from places import DATA

from coachwhip.cli.command import CommandError
from coachwhip.games import openings
from coachwhip.games.pgn import BLOCK, game_text, read_games, read_tags, split_games


def opened(text: str, encoding: str = "utf-8") -> io.BufferedReader:
    return io.BufferedReader(io.BytesIO(text.encode(encoding)))


def read(text: str) -> list[chess.pgn.Game]:
    return list(read_games(opened(text)))


def moves(game: chess.pgn.Game | None) -> str:
    """The main line."""
    assert game
    return " ".join(move.uci() for move in game.mainline_moves())


def theirs(text: str) -> str:
    """The main line that python-chess reads."""
    return moves(chess.pgn.read_game(io.StringIO(text)))


# --- Files ---


def test_encodings() -> None:
    for encoding in ("utf-8", "utf-8-sig", "latin-1", "utf-16", "cp1252"):
        for newline in ("\n", "\r\n", "\r"):
            (game,) = read_games(opened(f'[White "Müller"]{newline}{newline}1. e4 *{newline}', encoding))
            assert (game.headers["White"], moves(game), game.errors) == ("Müller", "e2e4", []), (
                encoding,
                newline,
            )
    mixed = '[White "Łódź"]\n\n1. e4 *\n\n'.encode() + '[White "Müller"]\n\n1. d4 *\n'.encode("latin-1")
    games = read_games(io.BufferedReader(io.BytesIO(mixed)))
    assert [game.headers["White"] for game in games] == ["Łódź", "Müller"]  # a database may mix them


@pytest.mark.parametrize(
    ("text", "games"),
    [
        ('[White "A"]\n\n1. e4 e5 1-0\n[White "B"]\n1. d4 0-1', [("A", 2, "1-0"), ("B", 1, "0-1")]),
        (
            '[White "A"] 1. e4 e5 1-0 [White "B"] 1. d4 0-1 1. c4 *',
            [("A", 2, "1-0"), ("B", 1, "0-1"), ("?", 1, "*")],
        ),
        ('[White "A"]\n\n[White "B"]\n\n1. e4 1/2\n', [("A", 0, "*"), ("B", 1, "1/2-1/2")]),
        (
            ' [White "A"]\n [Black "B"]\n\n1. e4 e5 1-0 ; indented\n  [White "B"]\n',
            [("A", 2, "1-0"), ("B", 0, "*")],
        ),
        ("1. e4 e5\n1. d4\n\n1. c4 c5 *", [("?", 2, "*"), ("?", 1, "*"), ("?", 2, "*")]),
        ("1 d4 Nf6\n2 a3 g6\n\n1 e4 e5\n", [("?", 4, "*"), ("?", 2, "*")]),
        (
            "d4 Nf6 a3 1-0\ne4 e5 {a comment} Qh5 ½–½\n\n{before} c4",
            [("?", 3, "1-0"), ("?", 3, "1/2-1/2"), ("?", 1, "*")],
        ),
        ('{before} [White "A"]\n\n1. e4 {a\n\n[White "no tag"]\n\n} e5 (1... c5 1-0) *', [("A", 2, "*")]),
        (
            '[White "A"]\n\n1. e4\n[White "B"]\n\n1. d4 ; [White "no"]\n[White "C"]\n',
            [("A", 1, "*"), ("B", 1, "*"), ("C", 0, "*")],
        ),
        (
            '[White "A"]\n\n5. e4 e5 6. Nf3 Nc6 *\n\n[White "B"]\n\n20... e4 *\n',
            [("A", 4, "*"), ("B", 1, "*")],
        ),
    ],
)
def test_where_games_begin_and_end(text: str, games: list[tuple[str, int, str]]) -> None:
    found = read(text)
    assert [
        (game.headers["White"], len(list(game.mainline())), game.headers["Result"]) for game in found
    ] == games
    assert not any(game.errors for game in found)


def test_games_longer_than_what_is_read_at_a_time() -> None:
    """The pieces in which a file is read split neither games nor comments."""
    text = f'[White "A"]\n{{{"tag [White] " * (BLOCK // 8)}}}\n1. d4 d5 {{\n\n[White "no"]\n\n}} *\n\n'
    assert [moves(game) for game in read(text * 3)] == ["d2d4 d7d5"] * 3
    (game,) = read(f"{'Nf3 Nf6 Ng1 Ng8 ' * 1500} 1-0\n")
    assert (len(list(game.mainline())), game.errors) == (6000, [])


def test_games_are_read_as_they_come() -> None:
    """From a pipe without an end, too."""
    game = b'[White "A"]\n\n1. e4 *\n\n'

    class Endless(io.RawIOBase):
        def readable(self) -> bool:
            return True

        def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
            buffer[: len(game)] = game
            return len(game)

    games = read_games(io.BufferedReader(Endless()))
    assert [moves(game) for game in islice(games, 3)] == ["e2e4"] * 3


@pytest.mark.parametrize(
    "name", ["tcec-200.pgn", "tcec-chess960-50.pgn", "world-championship-200.pgn", "own"]
)
def test_games_of_others_are_read_as_python_chess_reads_them(
    name: str, request: pytest.FixtureRequest
) -> None:
    path = (
        DATA / "games" / "games.pgn"
        if name == "own"
        else request.getfixturevalue("shared_data") / "pgn" / name
    )
    with path.open("rb") as file, path.open(encoding="utf-8") as text:
        for game in islice(read_games(file), 20):
            assert not game.errors
            assert str(game) == str(chess.pgn.read_game(text))


# --- Moves ---

ITALIAN = (
    "1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. O-O Nf6 5. Qe2 O-O 6. Rd1 Kh8 7. d4 exd4 8. Nbd2 d3 9. c3 dxe2 "
    "10. h3 exd1=Q+ 11. Kh2 *"
)
SIGNS = ["+-", "=", "±", "!±", "!?+=", "ch", " ch", " +", "\u2060", " \u2060", "\u00ad"]
UNKNOWN = [  # of ChessBase, Informator, Fritz and people
    " ⇄", " )", "!!!", " TN", " RR", " D", " inf", " TN {c} $14", " RR (2. d4)", " mate", " dis. ch.",
    " White is better", " TN 2...", "mate", "TN", "D!", "+0.35", ",", " [#]", " [%clk 0:10:00]", " 0.00",
    " 1.00", " 00:05", " +0.35/12", " B12", " Oops", " K-side", " exact", "dblch",
]  # fmt: skip


@pytest.mark.parametrize("figurines", ["♔♕♖♗♘♙", "♚♛♜♝♞♟"])
def test_figurines(figurines: str) -> None:
    (game,) = read(
        re.sub(r"(?<=[ =.])([a-h](?=[1-8x]))", "P\\1", ITALIAN).translate(str.maketrans("KQRBNP", figurines))
    )
    assert (moves(game), game.errors) == (theirs(ITALIAN), [])
    assert game_text(game).split("\n\n")[1].replace("\n", " ") == ITALIAN


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("1. Pe4 *", "e2e4"),
        ("1. e4 d5 2. Pe4xd5 c6 3. Pdxc6 *", "e2e4 d7d5 e4d5 c7c6 d5c6"),
        ("1.e2-e4 e7-e5 2.Ng1-f3 Nb8:c6 *", "e2e4 e7e5 g1f3 b8c6"),
        ("1. e2e4 e7e5 2. g1f3 *", "e2e4 e7e5 g1f3"),
        ("1. g3 g6 2. Bg2 Bg7 3. Nf3 Nf6 4. OO 00 *", "g2g3 g7g6 f1g2 f8g7 g1f3 g8f6 e1g1 e8g8"),
        (
            "1. d4 d5 2. Nc3 Nc6 3. Bf4 Bf5 4. Qd2 Qd7 5. OOO 000 *",
            "d2d4 d7d5 b1c3 b8c6 c1f4 c8f5 d1d2 d8d7 e1c1 e8c8",
        ),
        ("1. g3 g6 2. Bg2 Bg7 3. Nf3 Nf6 4. 0-0! 0–0!? *", "g2g3 g7g6 f1g2 f8g7 g1f3 g8f6 e1g1 e8g8"),
        ("1. e4 d5 2. e5 f5 3. exf6 e.p. Nxf6 *", "e2e4 d7d5 e4e5 f7f5 e5f6 g8f6"),
        ("1. e4 -- 2. d4 Z0 *", "e2e4 0000 d2d4 0000"),
        ('[SetUp "1"]\n[FEN "8/4P3/8/8/8/k7/8/4K3 w - - 0 1"]\n\n1. e8(Q) *', "e7e8q"),
        ('[SetUp "1"]\n[FEN "8/4P3/8/8/8/k7/8/4K3 w - - 0 1"]\n\n9. e8N! Kb2 1. Nd6N *', "e7e8n a3b2 e8d6"),
        ('[Variant "Chess960"]\n[FEN "4k3/8/8/8/8/8/4P3/RK5R w HA - 0 1"]\n\n1. 0-0 *', "b1h1"),
        ("1. e4\n\n\n% escape {\n1... e5 (=)\n\n2. Nf3 *\n\x1a", "e2e4 e7e5 g1f3"),
    ],
)
def test_ways_to_write_a_move(text: str, line: str) -> None:
    (game,) = read(f'[Round "1"]\n{text}')
    assert (moves(game), game.errors) == (line, [])


@pytest.mark.parametrize("sign", SIGNS + UNKNOWN)
def test_reading_goes_on_behind_a_sign(sign: str) -> None:
    text = f"1. e4 e5 2. Nf3{sign} Nc6 3. Bb5 a6 *\n"
    (game,) = read(text)
    assert moves(game) == theirs(text) == "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6"
    assert bool(game.errors) == (sign in UNKNOWN)
    assert (
        not game.errors
        or [word for word in re.findall("[^]()[{} ]+", sign) if word not in game_text(game)] == []
    )


@pytest.mark.parametrize(
    ("text", "plies", "fault"),
    [
        ("1. e4 e5 2. hello Nf3 {a comment} *", 3, "line 3: 'hello': not a move, kept"),
        ("1. e4 e5 White resigns {a comment} *", 2, "line 3: 'White': not a move; what follows is kept"),
        ("1. e4 e5 2. Sxx Nf6 3. d4 *", 2, "line 3: 'Sxx': not a move"),  # Black's move is no move of White's
        ("1. e4 e5 2. castles Nf3 *", 2, "line 3: 'castles': not a move"),
        ("1. e4 e5 2. R Nf3 *", 2, "line 3: 'R': not a move"),
        ("1. e4 PxP 2. Nf3 *", 1, "line 3: 'PxP': not a move"),
        ("1. e4 e5 (1... c5) 2. Nf3 (2. d4 RR exd4) Nc6 *", 4, "line 3: 'RR': not a move, kept"),
        ("1. e4 e5 2. Sf3 Nc6 3. d4 1-0", 2, "line 3: 'Sf3': not a move"),
        ("1. e4 P-K4 2. Nf3 Nc6 *", 1, "line 3: 'P-K4': not a move"),
        ("1. e4 e5 2. exd Nc6 3. d4 *", 2, "line 3: 'exd': not a move"),
        ("1. e4 e5 2. Nf3xx Nc6 *", 2, "line 3: 'Nf3xx': not a move"),  # nor is a part of it
        # A German queen; a pawn could go there in other positions.
        ("1. e4 d5 2. exd5 dd5 *", 3, "line 3: 'dd5': not a move"),
        ("1. e4 e5 2. bc4 *", 2, "line 3: 'bc4': illegal in"),
        ("1. d4 d5 2. Nf3 Nf6 3. Nd2 *", 4, "line 3: 'Nd2': ambiguous in"),
        ("1. e4 e5 (1... c5 2. Qf3 Kg4 {why} (2. d4) d5) 2. Nf3 *", 3, "line 3: 'Kg4': illegal in"),
        ("1. e4 e5 1-0 2. Nf3 Nc6 0-1", 2, "line 3: '2.': text behind the result"),
        ("$1 1. e4 e5 *", 2, "line 3: '$1': a NAG without a move"),
        ("(1. d4 d5) 1. e4 *", 0, "line 3: '(': no move before this variation"),
        ("1. e4 e5 (1... c5 *", 2, "a variation without an end"),
        ("1. e4 {to the end\n*", 1, "line 3: '{to the end?*??': a comment without an end"),
        ('[Site "Y"]\n\n1. e4 e5 *', 2, """line 3: '[Site "Y"]': the game's Site is 'X'"""),
        ("[Site unknown]\n\n1. e4 e5 *", 2, "line 3: '[Site unknown]': not a tag"),
        ('[Event "a"]x\n[Round "1"]\n\n1. e4 e5 *', 2, """line 3: '[Event "a"]x': text behind a tag"""),
        ('[Event "a"] x y [Round "1"] 1. e4 e5 *', 2, """line 3: '[Event "a"] x y': text behind a tag"""),
    ],
)
def test_what_cannot_be_read_is_named_and_kept(text: str, plies: int, fault: str) -> None:
    first, last = read(f'[Site "X"]\n[Date "1999"]\n{text}\n\n[White "Last"]\n\n1. d4 *\n')
    assert [str(error).startswith(fault) for error in first.errors] == [True]
    assert (len(list(first.mainline())), first.headers["Site"]) == (plies, "X")
    assert (last.headers["White"], moves(last), last.errors) == ("Last", "d2d4", [])
    assert [word for word in re.findall(r"[\w$-]{2,}", text) if word not in game_text(first)] == []


def test_the_hundredth_fault_ends_a_game() -> None:
    (game,) = read(f"1. e4 {'⇄ ' * 200} e5 *\n")
    assert (moves(game), len(game.errors)) == ("e2e4", 100)


def test_a_move_that_is_missing_shows_in_the_next_number() -> None:
    (game,) = read("1. e4 e5 2. hello Nc3 3. Nf3 Nf6 *\n")
    assert moves(game) == "e2e4 e7e5 b1c3"
    assert "'3.': not the number of the next move, 2" in str(game.errors[-1])


@pytest.mark.parametrize("variation", ["(1. Kd4) ", "(x)\n", "(1. d4 "])
def test_the_faults_of_twenty_thousand_variations_are_not_all_named(variation: str) -> None:
    (game,) = read(f"1. e4 {variation * 20_000}\n")
    assert len(game.errors) <= 101
    (game,) = read(f"1. e4 {'(1. d4) ' * 20_000} e5 *\n")
    assert (moves(game), len(game.variations), game.errors) == ("e2e4 e7e5", 20_001, [])


# --- What is written ---


@pytest.mark.parametrize(
    ("text", "result", "fault"),
    [
        ("1. e4 e5 1-0 ; the sheet says 0-1\n", "1-0", ""),
        ("1. e4 e5 1-0 {White wins on time}\n", "1-0", ""),
        ("1. e4 e5 1-0\nWhite wins on time\n", "1-0", "line 2: 'White': text behind the result"),
        ('[Result "0.5-0.5"]\n\n1. e4 e5 1/2-1/2\n', "1/2-1/2", ""),
        ('[Result "1-0 ff"]\n\n1. e4 e5 *\n', "1-0", ""),
        ('[Result "½‑½"]\n\n1. e4 e5 ½ – ½\n', "1/2-1/2", ""),
        ('[Result "?"]\n\n1. e4 e5 (1... c5 1-0) 0-1\n', "0-1", ""),
        (
            '[Result "forfeit"]\n\n1. e4 e5 0-1\n',
            "0-1",
            """line 1: '[Result "forfeit"]': the game's Result is '0-1'""",
        ),
        ('[Result "1-0"]\n\n1. e4 e5 0-1\n', "1-0", "line 3: '0-1': the game's Result is '1-0'"),
        ('[Result "0-0"]\n\n1. Nf3 Nf6 2. g3 g6 3. Bg2 a6 0-0\n', "*", ""),
        ('[Result "0-0"]\n\n1. Nf3 Nf6 2. g3 g6 3. Bg2 a6 4. 0-0 Bg7 0–0 {both lost}\n', "*", ""),
    ],
)
def test_results_are_the_same_in_tags_and_movetext(text: str, result: str, fault: str) -> None:
    (raw,) = split_games(opened(text))
    (game,) = read(text)
    assert read_tags(raw)["Result"] == game.headers["Result"] == game_text(game).split()[-1] == result
    assert [str(error).startswith(fault) for error in game.errors] == [True] * bool(fault)
    assert "O-O *" not in game_text(game)


@pytest.mark.parametrize(
    "name", ["علی\u200cرضا", "क\u094d\u200dष", "\ue000", "\U0001fae8 \U000e0067", "Ōe\u3000Kenzaburō"]
)
def test_names_stay_as_they_are(name: str) -> None:
    (game,) = read(f'[White "{name}"]\n\n1. e4 {{{name}}} *\n')
    again = chess.pgn.read_game(io.StringIO(game_text(game)))
    assert again
    assert (again.headers["White"], again.variations[0].comment) == (name, name)


def test_nothing_is_lost_on_the_way_through() -> None:
    """Where python-chess reads a text right, both readers agree; what is written is read as the same."""
    text = (
        '[Event "a \\"b\\" \\\\c"]\n[White "x "y" z"]\n[Empty ""]\n\n'
        "{first [a] ; (b)} 1. e4! {one} {two} $14 e5 (1... c5 {s} 2. Nf3 (2. c3 $6 "
        "{deep\nlines} d5) 2... d6) (1... -- 2. d4) 2. Nf3?! { [%eval 0.3] (x) } Nc6 "
        "{before} (2... Nf6 {c}) 3. Bb5 1-0 {end}\n"
    )
    (game,) = read(text)
    assert (game.headers["Event"], game.headers["White"]) == ('a "b" \\c', 'x "y" z')
    assert str(game).split("\n\n", 1)[1] == str(chess.pgn.read_game(io.StringIO(text))).split("\n\n", 1)[1]
    (again,) = read(game_text(game))
    assert str(again) == str(game)
    (game,) = read("1. e4 ; a {b} c\n e5 (1... c5 ; }\n) *\n")  # braces would end a comment
    (again,) = read(game_text(game))
    assert [node.comment for node in [*again.mainline(), again.variations[0].variations[1]]] == [
        "a (b) c",
        "",
        ")",
    ]


# --- Openings ---


@pytest.mark.parametrize(
    ("text", "plies", "is_used"),
    [
        ('[Result "1-0"]\n\n1. e4 e5 0-1\n', None, True),
        ("1. e4 e5 1-0\nWhite wins on time\n", None, True),
        ("1. e4 e5 2. Ke3 *\n", 2, True),
        ("1. e4 e5 (1... Ke5) ⇄ *\n", None, True),
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
