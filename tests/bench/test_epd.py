# SPDX-License-Identifier: GPL-3.0-or-later
"""What a line of a suite asks, and its errors."""

from pathlib import Path
from typing import Any

import pytest
from coachwhip.bench.suite import __main__ as suite
from coachwhip.bench.suite.epd import Problem, parse, read_files

from coachwhip.cli.command import CommandError

BACK_RANK = "6k1/5ppp/8/8/8/8/8/R5K1 w - -"
ROOKS = "7k/8/8/8/8/8/R7/1R2K3 w - -"  # Rb1-b7 and Ra2-a7 both mate in two
TWO_PAWNS = "4k3/8/8/8/8/8/3PP3/4K3 w - -"
GRADED = f'{TWO_PAWNS} id "graded"; c7 "e4 d4 Kf2"; c8 "10 7 2"; c9 "e2e4 d2d4 e1f2";'
TWO_PAWNS_FEN = f"{TWO_PAWNS} 0 1"
CASTLING_960 = "1r2k1r1/8/8/8/8/8/8/1R2K1R1"


@pytest.mark.parametrize(
    ("line", "asked"),
    [
        (
            f'{TWO_PAWNS} bm e4 d4; am Kd1; id "x 1"; c0 "words; more";',
            {"label": "x 1", "best": ("e2e4", "d2d4"), "avoid": ("e1d1",)},
        ),
        (f"{TWO_PAWNS} dm 7", {"mate": 7}),
        (f"{TWO_PAWNS} dm -4;", {"mate": -4}),
        (f"{TWO_PAWNS} bm #12;", {"mate": 12}),
        (f"{TWO_PAWNS} bm #-3; id x y; c0 odd words; Ae;", {"label": "x y", "mate": -3}),
        (f"{TWO_PAWNS} bm e4; dm 3;", {"best": ("e2e4",)}),  # the move decides
        (GRADED, {"label": "graded", "grades": {"e2e4": 10, "d2d4": 7, "e1f2": 2}}),
        (
            GRADED.replace('c9 "e2e4 d2d4 e1f2";', ""),
            {"label": "graded", "grades": {"e2e4": 10, "d2d4": 7, "e1f2": 2}},
        ),
        # the evaluation and result of a labelled game
        (f'{TWO_PAWNS} c8 "0.35"; c9 "1-0"; bm e4;', {"best": ("e2e4",)}),
        *(
            (f"{TWO_PAWNS}{operation}", {"best": ("e2e4", "d2d4")})
            for operation in (
                " bm e4, d4;", "\tbm e4,d4!", " ; bm e4 d4;", ";bm e4 , d4;", " 0 1; bm e4 d4;",
                "\t0 1 ; bm e4 d4", " - - bm e4 d4;", " 0 bm e4 d4;", " bm e4 d4; hmvc 0; fmvn 1;",
                " 7 9 hmvc 0; fmvn 1; bm e4 d4;",
            )
        ),
        (f"{TWO_PAWNS} bm e4; hmvc 12; fmvn 34;", {"fen": f"{TWO_PAWNS} 12 34", "best": ("e2e4",)}),
        (
            "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 12 34 bm O-O;",
            {"fen": "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 12 34", "best": ("e1g1",)},
        ),
        *(
            (
                f"{CASTLING_960} w {rights} - bm O-O-O;",
                {"fen": f"{CASTLING_960} w GBgb - 0 1", "best": ("e1b1",), "chess960": True},
            )
            for rights in ("GBgb", "KQkq")
        ),
    ],
)  # fmt: skip
def test_what_a_line_asks(line: str, asked: dict[str, Any]) -> None:
    assert parse(line, "f") == Problem(
        **{"file": "f", "label": "", "fen": TWO_PAWNS_FEN, "chess960": False, **asked}
    )


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        (f"{TWO_PAWNS} bm Qh5;", f"Qh5 is not a legal move: {TWO_PAWNS} bm Qh5;"),
        ("no chess at all", "no chess"),
        (f"{TWO_PAWNS} bm;", "bm names no move"),
        (f"{ROOKS} dm 0;", "dm is not a number"),
        (f"{ROOKS} dm 1.5;", "dm is not a number"),
        (f'{ROOKS} c8 "10 5"; c9 "a2a7";', "2 points in c8 for 1 moves"),
        ("4k3/8/8/8/8/8/8/8 w - - bm e4;", "not a legal position"),
        (
            "4k3/8/8/8/8/8/8/R3K2R w KQkq - bm Rd1; am Rf9;",
            "Rf9 is not a legal move: 4k3/8/8/8/8/8/8/R3K2R w KQkq - bm Rd1",
        ),
        ("k7/8/1Q6/8/8/8/8/7K b - - dm 3;", "the game is over"),
    ],
)
def test_a_bad_line_is_named_with_its_number(
    line: str, complaint: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "bad.epd"
    path.write_text(f"# one\n{TWO_PAWNS} bm e4;\n{line}\n")
    assert suite.main([str(path)]) == 2
    err = capsys.readouterr().err
    assert "coachwhip suite: bad.epd:3: " in err
    assert complaint in err
    assert len(err.splitlines()) == 1


def test_lines_without_a_question_are_counted_and_labels_made_unique(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
    path, other = tmp_path / "a/x.epd", tmp_path / "b/x.epd"
    path.write_bytes(
        f'{TWO_PAWNS} bm e4; id "a";\n{TWO_PAWNS} wdl 2;\n'.encode()
        + f'{TWO_PAWNS} bm d4; id "a";\n{ROOKS} dm 2;\n'.encode()
        + f'{BACK_RANK} bm Ra8; id "'.encode() + b'\xe9";\n'
    )  # fmt: skip
    problems, warnings = read_files([path])
    assert [problem.key for problem in problems] == [
        "x.epd: a (line 1)",
        "x.epd: a (line 3)",
        "x.epd: line 4",
        "x.epd: \xe9",
    ]
    assert warnings == ["x.epd: 1 line without bm, am, dm or graded moves left out"]
    other.write_text(f'{TWO_PAWNS} bm e4; id "a";\n')
    # Files of one name stay apart.
    assert {problem.file for problem in read_files([path, other])[0]} == {str(path), str(other)}
    path.write_text(f"{TWO_PAWNS} wdl 2;\n")
    for encoding in ("utf-16", "utf-16-be"):
        other.write_text(f"{TWO_PAWNS} bm e4;\n", encoding)
        with pytest.raises(CommandError, match=r"^x\.epd: it is UTF-16 text or no text: save it as UTF-8$"):
            read_files([other])
    with pytest.raises(CommandError, match=r"x\.epd: it contains no position"):
        read_files([path])
