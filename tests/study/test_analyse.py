# SPDX-License-Identifier: GPL-3.0-or-later
"""`coachwhip analyse`: formulas, what is written into a game, bad files, Ctrl-C, and the report.

The report is opened in a browser where there is one.
"""

import html
import io
import json
import math
import re
import signal
import sys
import time
import tracemalloc
import zlib
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

import chess
import chess.pgn
import pytest
from browser import DARK, DESK, LIGHT, PHONE, Browser
from chess.engine import Cp, InfoDict, Limit, Mate, MateGiven, PovScore, Score, SimpleEngine
from coachwhip.bench.suite.epd import read_files as suite_problems
from coachwhip.core.engine import Engine, Position
from coachwhip.evaluation import config
from faulty_disk import room_of
from programs import CHROMIUM
from uci_process import run_once, run_until

from coachwhip import open_engine
from coachwhip.coach import judge
from coachwhip.coach.analyst import Analyst
from coachwhip.coach.claims import Mate as MateClaim
from coachwhip.coach.claims import Role
from coachwhip.coach.line import Line
from coachwhip.coach.phases import FULL_PHASE, phases
from coachwhip.coach.results import over_games, sides
from coachwhip.coach.study import AnalysedGame
from coachwhip.games.pgn_clock import clock_text, span_text, times, used
from coachwhip.pages import board_page
from coachwhip.pages.chart import levels
from coachwhip.pages.frame import ICON
from coachwhip.pages.graph import ticks
from coachwhip.study.analyse.__main__ import main

FOOLS_MATE = """\
[Event "A lesson"]
[White "Fool"]
[Black "Mate"]
[Result "0-1"]

1. f3 {quiet} e5 (1... d5 2. e4 {a variation} (2. d4)) 2. g4 Qh4# 0-1
"""
QUIET = """\
[White "One"]
[Black "Two"]
[Result "1/2-1/2"]

1. Nf3 Nf6 2. Ng1 Ng8 1/2-1/2
"""
HOSTILE = '<script>document.title="owned"</script>'
HOSTILE_GAME = f"""\
[Event "</script><img src=x onerror=alert(1)>"]
[White "{HOSTILE.replace('"', "'")}"]
[Black "</title><b onmouseover=alert(1)> & \\"Co\\""]
[Result "*"]

1. e4 e5 *
"""


def read(text: str) -> chess.pgn.Game:
    game = chess.pgn.read_game(io.StringIO(text))
    assert game
    return game


class Oracle:
    """Stands for an engine: a score from White's side after so many moves, and the moves it likes."""

    def __init__(self, scores: list[Score], best: dict[int, list[str]] | None = None) -> None:
        self.scores = scores
        self.best = best or {}
        self.asked: list[int] = []

    def analyse(self, board: chess.Board, _limit: Limit, *, multipv: int, game: object) -> list[InfoDict]:
        assert game
        ply = len(board.move_stack)
        self.asked.append(ply)
        score = PovScore(self.scores[ply], chess.WHITE)
        lines = [[chess.Move.from_uci(word) for word in line.split()] for line in self.best.get(ply, [])]
        return [{"score": score, "pv": line, "depth": 7} for line in lines[:multipv] or [[]]]


def studied(
    text: str, scores: list[Score], best: dict[int, list[str]] | None = None, multipv: int = 1
) -> AnalysedGame:
    study = AnalysedGame(read(text), "a game")
    Analyst(cast("SimpleEngine", Oracle(scores, best)), Limit(), multipv).analyse(study, explains=False)
    return study


def evaluated(text: str) -> list[int]:
    """How many moves of each game's main line have an evaluation."""
    handle = io.StringIO(text)
    found = []
    while game := chess.pgn.read_game(handle):
        found.append(sum(node.eval() is not None for node in game.mainline()))
    return found


def game_texts(path: Path) -> list[str]:
    """The texts of the games in a file that has tags for each."""
    return re.split(r"\n\n(?=\[)", path.read_text(encoding="utf-8"))


def write(folder: Path, text: str, name: str = "game.pgn", encoding: str = "utf-8") -> str:
    path = folder / name
    path.write_bytes(text.encode(encoding))
    return str(path)


# --- Formulas ---


def test_winning_chances_and_judgements_are_those_that_lichess_publishes() -> None:
    score: Score
    for score, percent in (
        (Cp(0), 50.0),
        (Cp(100), 59.1),
        (Cp(-100), 40.9),
        (Cp(300), 75.1),
        (Cp(1000), 97.5),
    ):
        assert judge.win_percent(score) == pytest.approx(percent, abs=0.05)
    for score, value in (
        (Cp(5000), 1000),
        (Mate(9), 1000),
        (MateGiven, 1000),
        (Mate(-1), -1000),
        (Mate(0), -1000),
    ):
        assert judge.centipawns(score) == value
    judged = {
        0: None,
        6.99: None,
        7: judge.INACCURACY,
        10: judge.MISTAKE,
        14.9: judge.MISTAKE,
        15: judge.BLUNDER,
        90: judge.BLUNDER,
    }
    assert {loss: judge.judge(loss) for loss in judged} == judged


def test_expected_scores_and_percents_come_from_the_odds_and_add_up() -> None:
    score = Cp(-150)
    odds = judge.odds(chess.Board(), score)
    assert judge.expected_score(odds) == pytest.approx(
        100 - judge.expected_score(judge.odds(chess.Board(), -score))
    )
    for parts, percents in (
        ((335, 333, 332), [34, 33, 33]),
        ((5, 990, 5), [1, 99, 0]),
        ((4, 6, 990), [0, 1, 99]),
        ((0, 0, 1000), [0, 0, 100]),
    ):
        assert judge.whole_percents(parts) == percents


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("1. e4 e5 2. Nf3 Nf6 3. Bc4 Bc5 4. O-O O-O 5. d3 d6 *", (8, 10)),  # both have castled
        (f"{' '.join(['Nf3 Nf6 Ng1 Ng8'] * 7)} *", (24, 28)),  # twelve moves
        ('[FEN "r2qk3/8/8/8/8/8/8/3QK2R w K - 0 1"]\n\n1. Qxd8+ Kxd8 *', (1, 1)),  # the queens are exchanged
    ],
)
def test_phases_end_where_the_rule_says_and_the_endgame_is_the_evaluations(
    text: str, ends: tuple[int, int]
) -> None:
    game = read(text)
    boards, moves = [node.board() for node in [game, *game.mainline()]], list(game.mainline_moves())
    assert phases(boards, moves) == ["opening"] * ends[0] + ["middlegame"] * (ends[1] - ends[0]) + [
        "endgame"
    ] * (len(moves) - ends[1])
    engine = Engine(config.flatten(config.load_default()), hash_mb=1)
    endgames = [
        engine.trace(Position(board.fen()))["phase"] in range(FULL_PHASE // 2) for board in boards[:-1]
    ]
    assert endgames == [phase == "endgame" for phase in phases(boards, moves)]


def test_the_accuracy_of_a_game_is_that_of_lichess() -> None:
    """By its description: windows end at the move, the first is repeated; population deviations; 1 % more."""
    scores: list[Score] = [Cp(int(400 * math.sin(number * number))) for number in range(41)]
    study = studied(f"{' '.join(['Nf3 Nf6 Ng1 Ng8'] * 10)} *", scores, {0: ["g1f3"], 7: ["f6g8"]})
    assert [side.accuracy for side in sides(study)] == pytest.approx([55.3195, 54.7087], abs=0.01)


# --- A study ---


def test_losses_are_the_movers_and_the_best_move_loses_nothing() -> None:
    scores: list[Score] = [Cp(0), Cp(-200), Cp(100), Cp(100), Cp(50)]
    study = studied(QUIET, scores)
    assert [(step.san, step.white, step.loss_cp) for step in study.judged_moves()] == [
        ("Nf3", True, 200), ("Nf6", False, 300), ("Ng1", True, 0), ("Ng8", False, 0)
    ]  # fmt: skip
    white, black = sides(study)
    assert (white.name, white.moves, white.loss_cp, list(white.counts.values())) == ("One", 2, 100, [0, 0, 1])
    assert (black.name, black.moves, black.loss_cp, list(black.counts.values())) == ("Two", 2, 150, [0, 0, 1])
    assert [step.loss_cp for step in studied(QUIET, scores, {0: ["g1f3 g8f6"]}).judged_moves()] == [
        0,
        300,
        0,
        0,
    ]


def test_a_sign_needs_both_looks_and_a_move_next_to_a_bad_one_gets_none() -> None:
    """After a bad move a longer search found more: by the next position's, 1...Nf6 would be a blunder.

    The next position's search is the shorter one.
    """
    study = studied(QUIET, [Cp(0), Cp(-300), Cp(-100), Cp(-100), Cp(-100)])
    assert [study.is_marked(index) for index in range(2)] == [True, True]
    after = study.analyses[1]
    assert after
    study.analyses[1] = after._replace(first=Cp(-120))
    assert [move.judgement for move in study.judged_moves()] == [judge.MISTAKE, None, None, None]


def test_a_move_of_a_named_opening_is_book_and_no_inaccuracy() -> None:
    text = '[White "One"]\n[Black "Two"]\n\n1. e4 e5 2. f4 a6 *\n'
    game = studied(text, [Cp(40), Cp(40), Cp(40), Cp(-40), Cp(40)])  # 2. f4 and 2...a6 lose 7 points each
    assert [move.judgement for move in game.judged_moves()] == [None, None, None, judge.INACCURACY]
    (positions,) = positions_of(board_page.page([game], ""))
    texts = [position["text"] for position in positions]
    assert texts == ["First position", "1. e4 (book)", "1...e5 (book)", "2. f4 (book)", "2...a6?!"]


def test_a_player_of_several_games_has_results_over_all_of_them() -> None:
    first = studied(QUIET, [Cp(0), Cp(-200), Cp(100), Cp(100), Cp(50)])
    second = studied(QUIET.replace('"Two"', '"Three"'), [Cp(0), Cp(0), Cp(0), Cp(-100), Cp(-100)])
    unread = studied(QUIET.replace("1. Nf3 Nf6 2. Ng1 Ng8", ""), [Cp(0)])
    ((games, side),) = over_games(sides(study) for study in (first, second, unread))
    accuracies = [sides(study)[0].accuracy or 0 for study in (first, second)]
    assert (games, side.name, side.moves, side.loss_cp) == (2, "One", 4, 75)
    assert side.accuracy == pytest.approx(sum(accuracies) / 2)
    assert side.counts == {"inaccuracy": 1, "mistake": 0, "blunder": 1}


def test_an_opening_is_named_by_its_position_unless_the_game_names_it() -> None:
    for text, named in (
        ("1. d4 Nf6 2. c4 e6 3. Nc3 Bb4 4. h4 *", ("E20", "Nimzo-Indian Defense")),
        ("1. c4 e6 2. Nc3 Bb4 3. d4 Nf6 *", ("E20", "Nimzo-Indian Defense")),
        ('[Opening "Mine"]\n\n1. e4 *', (None, "Mine")),
        ('[ECO "C00"]\n\n1. e4 *', ("C00", "King's Pawn Game")),
        ('[SetUp "1"]\n[FEN "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"]\n\n1. e4 *', (None, None)),
    ):
        study = AnalysedGame(read(text), "")
        study.name_opening()
        assert (study.game.headers.get("ECO"), study.game.headers.get("Opening")) == named, text


# --- What is written ---


def test_evaluations_nags_and_better_lines() -> None:
    """A second time, nothing is added."""
    scores: list[Score] = [Cp(20), Cp(-90), Cp(-60), Mate(-1), Mate(0)]
    best = {2: ["d2d4 e5d4 d1d4", "g2g4", "e2e4"], 3: ["d8h4"]}
    study = studied(FOOLS_MATE, scores, best, multipv=3)
    study.annotate("coachwhip")
    once = str(study.game)
    study.annotate("b")
    assert str(study.game) == once
    second = studied(once, scores, best, multipv=3)
    second.annotate("c")
    assert str(second.game) == once
    again = read(once)
    nodes = list(again.mainline())
    assert [node.comment for node in nodes] == ["quiet [%eval -0.90]", "[%eval -0.60]", "[%eval #-1]", ""]
    assert [node.nags for node in nodes] == [{2}, set(), {4}, set()]
    assert [move.san() for move in again.variations] == ["f3"]
    better, other = nodes[2].parent.variations[1:]
    assert (better.san(), better.comment, other.san()) == ("d4", "[%eval -0.60]", "e4")
    assert [node.san() for node in better.mainline()] == ["d4", "exd4", "Qxd4"][1:]
    assert [node.san() for node in nodes[0].variations] == ["e5", "d5"]
    assert nodes[0].variations[1].variations[0].comment == "a variation"
    assert again.headers["Annotator"] == "coachwhip"


def test_a_humans_judgement_stays_and_only_better_lines_are_added() -> None:
    study = studied("1. f3 $5 e5 *", [Cp(0), Cp(-900), Cp(-900)], {0: ["e2e4", "f2f3", "d2d4"]}, multipv=3)
    study.annotate("test")
    assert study.nodes[0].nags == {5}
    assert [node.san() for node in study.game.variations] == ["f3", "e4", "d4"]


def test_one_players_moves_are_judged_and_games_of_others_stay_as_they_are(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(tmp_path, FOOLS_MATE.replace('"Mate"', '"Mate, Scholar"') + f"\n{QUIET}")
    words = [path, "--depth", "2", "--hash", "1", "--json", "--output", str(tmp_path / "out.pgn"), "--player"]
    assert main([*words, "scholar mate"]) == 0
    (game,) = json.loads(capsys.readouterr().out)["games"]
    assert ([move["san"] for move in game["moves"]], game["white"]["moves"]) == (["e5", "Qh4#"], 0)
    assert evaluated((tmp_path / "out.pgn").read_text(encoding="utf-8")) == [3, 0]
    assert main([*words, "Schol"]) == 2
    assert "Fool; Mate, Scholar; One; Two" in capsys.readouterr().err


# --- The command ---

CHESS960 = '[Variant "Chess960"]\n[SetUp "1"]\n[FEN "4k3/8/8/8/8/8/4P3/RK5R w HA - 0 1"]\n\n1. O-O Kd7 *\n'


def test_the_command_annotates(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output, page = tmp_path / "out.pgn", tmp_path / "out.html"
    path = write(tmp_path, f"{FOOLS_MATE}\n{QUIET}\n{CHESS960}")
    words = [
        path,
        "--depth",
        "4",
        "--hash",
        "1",
        "--output",
        str(output),
        "--report",
        str(page),
        "--multipv",
        "2",
    ]
    assert main([*words, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert (data["complete"], data["faults"], data["limit"]) == (True, [], {"depth": 4})
    game, _, shuffled = data["games"]
    assert [move["judgement"] for move in game["moves"]][2] == "blunder"
    assert game["positions"][3]["lines"][0] == {"text": "#-1", "mate": -1, "moves": ["d8h4"]}
    assert game["positions"][4]["lines"][0]["text"] == "mate"
    assert game["white"]["counts"]["blunder"] == 1
    assert [move["san"] for move in shuffled["moves"]] == ["O-O", "Kd7"]
    first, second, _ = map(read, game_texts(output))
    nodes = list(first.mainline())
    assert 4 in nodes[2].nags  # 2. g4??
    assert nodes[2].eval() == PovScore(Mate(-1), chess.WHITE)
    assert nodes[3].eval() is None
    assert len(nodes[2].parent.variations) >= 2
    assert all(node.eval() for node in second.mainline())
    (positions,) = [game for game in positions_of(page.read_text(encoding="utf-8")) if len(game) == 3]
    assert positions[0]["fen"].startswith("4k3/8/8/8/8/8/4P3/RK5R w ")
    assert positions[1]["fen"].startswith("4k3/8/8/8/8/8/4P3/R4RK1 b ")


TWO_BLUNDERS = (
    f'{FOOLS_MATE}\n[White "Mate"]\n[Black "a \\"b\\"; c"]\n\n1. e4 e5 2. Qh5 Ke7 3. Qxe5# 1-0\n\n{CHESS960}'
)


def test_puzzles_have_the_one_good_move_and_a_suite_reads_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, puzzles = write(tmp_path, TWO_BLUNDERS), tmp_path / "out.epd"
    assert (
        main(
            [
                path,
                "--nodes",
                "2000",
                "--hash",
                "1",
                "--puzzles",
                str(puzzles),
                "--output",
                str(tmp_path / "out.pgn"),
            ]
        )
        == 0
    )
    assert "puzzles in" in capsys.readouterr().err
    problems, warnings = suite_problems([puzzles])
    assert {("Fool - Mate, 2...", ("d8h4",)), ("Mate - a 'b'; c, 3.", ("h5e5",))} <= {
        (each.label, each.best) for each in problems
    }
    assert not warnings
    assert "game 1 (Fool - Mate): 2. g4??" in puzzles.read_text(encoding="utf-8")


def test_a_resumed_run_analyses_only_what_is_missing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With mates for both sides, a Chess960 game and puzzles, everything comes out as in one run."""
    path, journal = write(tmp_path, TWO_BLUNDERS), tmp_path / "run.jsonl"
    words = [
        path,
        "--nodes",
        "500",
        "--hash",
        "1",
        "--multipv",
        "2",
        "--journal",
        str(journal),
        "--json",
        "--puzzles",
    ]
    assert main([*words, str(tmp_path / "a.epd")]) == 0
    whole = capsys.readouterr().out
    assert "Allows mate" in whole
    lines = journal.read_bytes().splitlines(keepends=True)
    assert len(lines) == 4
    journal.write_bytes(b"".join(lines[:3]) + lines[3][:40])
    looked = []
    analyse = Analyst.analyse

    def noting(analyst: Analyst, study: AnalysedGame, *rest: Any) -> None:
        looked.append(study.label)
        analyse(analyst, study, *rest)

    monkeypatch.setattr(Analyst, "analyse", noting)
    assert main([*words, str(tmp_path / "b.epd"), "--resume"]) == 0
    assert capsys.readouterr().out == whole
    assert [label.split(": ")[-1] for label in looked] == ["game 3 (? - ?)"]
    assert (tmp_path / "a.epd").read_bytes() == (tmp_path / "b.epd").read_bytes()
    for text, why in (
        (b'{"puzzles":[],"analyses":[]', "run.jsonl:2 cannot be used: it has no 'game'"),
        (b'{"game":1,"analyses":{},"puzzles":[]', "run.jsonl:2 cannot be used: {} is not of the type list"),
        (b'{"game":1,"analyses":[],"puzzles":[]', "run.jsonl: the analysis of game 1 cannot be used"),
        (
            re.sub(rb'"[a-h][1-8][a-h][1-8]"', b'"a1a8"', lines[1][:-19]),
            "the analysis of game 1 cannot be used: illegal move",
        ),
    ):
        journal.write_bytes(lines[0] + text + b',"crc":"%08x"}\n' % zlib.crc32(text) + lines[2])
        assert main([*words, str(tmp_path / "b.epd"), "--resume"]) == 2
        assert why in capsys.readouterr().err
    journal.write_bytes(b"".join(lines))
    assert main([*words, str(tmp_path / "b.epd")]) == 2
    assert main([*words[:1], "--nodes", "600", *words[3:], str(tmp_path / "b.epd"), "--resume"]) == 2
    assert "--resume to go on" in (said := capsys.readouterr().err)
    assert "its limit is" in said


def test_games_of_standard_input_go_to_standard_output_and_the_summary_to_standard_error() -> None:
    """What cannot be analysed is named, and the rest is done."""
    text = f'[Variant "Crazyhouse"]\n[White "Drop"]\n\n1. e4 e5 *\n\n[White "Cut"]\n\n1. e4 Ke4 *\n\n{QUIET}'
    done = run_once("analyse", "-", "--depth", "1", "--hash", "1", text=text)
    out, err = done.stdout, done.stderr
    assert done.returncode == 1, err
    assert evaluated(out) == [0, 1, 4]
    assert "crazyhouse" in err
    assert "Ke4" in err
    assert re.search(r"(?m)^3 +One +\d+\.\d % ", err)
    assert "Traceback" not in err


@pytest.mark.parametrize(
    "tag", ['FEN "no position"', 'Variant "Duck Chess"', 'FEN "8/8/8/8/8/8/8/8 w - - 0 1"']
)
def test_a_game_whose_start_cannot_be_read_is_written_too(
    tmp_path: Path, tag: str, capsys: pytest.CaptureFixture[str]
) -> None:
    text = f'{{first}} [{tag}]\n[White "Odd"]\n\n1. e4 {{one}} (1. @d4 $3) e5 ; two\n0-1\n'
    output, page = tmp_path / "out.pgn", tmp_path / "out.html"
    for path in (write(tmp_path, text), write(tmp_path, f"{text}\n{QUIET}", "two.pgn")):
        assert (
            main([path, "--depth", "1", "--hash", "1", "--output", str(output), "--report", str(page)]) == 1
        )
        assert "game 1 (Odd - ?)" in capsys.readouterr().err
        games = [game for game in game_texts(output) if "Odd" in game]
        assert len(games) == 1
        assert [
            word for word in (*text.split(), "0-1") if word.strip(";{}") not in games[0] and word != "1."
        ] == []
        assert "One" in page.read_text(encoding="utf-8") or path.endswith("game.pgn")


def test_all_good_moves_are_known_where_a_bad_one_was_played() -> None:
    """And one that is not: the second move of a game has many that lose less than 5 points."""
    study = AnalysedGame(read("1. Nf3 Nf6 2. g4 Nxg4 *"), "")
    with open_engine() as engine:
        Analyst(engine, Limit(nodes=30_000)).analyse(study)
    first = study.analyses[2]
    assert first
    lost = {
        line.moves[0].uci(): judge.win_percent(first.choices[0].score) - judge.win_percent(line.score)
        for line in first.choices
    }
    assert {"d2d4", "c2c4"} <= {move for move, loss in lost.items() if loss < 5}
    assert max(lost.values()) >= 5 or len(lost) == study.boards[2].legal_moves.count()


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT for a child process")
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_a_signal_keeps_what_was_done(tmp_path: Path, name: str) -> None:
    """Annotated games, report and puzzles."""
    long_game = " ".join(f"{n}. Nf3 Nf6 {n + 1}. Ng1 Ng8" for n in range(1, 400, 2))
    path = write(tmp_path, f'{FOOLS_MATE}\n[White "Long"]\n\n{long_game} *\n\n{QUIET}')
    output, page = tmp_path / "out.pgn", tmp_path / "out.html"
    start = time.monotonic()

    def is_second_game_started() -> bool:
        with suppress(FileNotFoundError):  # `analyse` makes it for a moment, to see whether it can
            if "0-1" in output.read_text(encoding="utf-8"):
                # However busy the machine, it is then started and far from done.
                time.sleep(time.monotonic() - start)
                return True
        return False

    words = [
        "--nodes",
        "40000",
        "--hash",
        "1",
        "--output",
        str(output),
        "--report",
        str(page),
        "--puzzles",
        str(tmp_path / "p.epd"),
    ]
    done = run_until(is_second_game_started, "analyse", path, *words, number=getattr(signal, name))
    assert done.returncode == 130, done.stderr
    assert "Traceback" not in done.stderr
    assert "interrupted" in done.stderr
    text = output.read_text(encoding="utf-8")
    first, second = evaluated(text)
    assert first == 3
    assert 0 < second < 400
    assert "Fool" in done.stdout
    assert "Not all positions were analysed" in page.read_text(encoding="utf-8")
    assert " bm Qh4#; " in (tmp_path / "p.epd").read_text(encoding="utf-8")


@pytest.mark.skipif(sys.platform == "win32", reason="no limit of the size of files")
def test_a_report_that_cannot_be_written_loses_no_annotated_game(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also where an older output is replaced."""
    output = tmp_path / "out.pgn"
    output.write_text(FOOLS_MATE, encoding="utf-8")
    words = [write(tmp_path, FOOLS_MATE), "--depth", "2", "--hash", "1", "--output", str(output)]
    with room_of(5000):
        assert main([*words, "--report", str(tmp_path / "out.html")]) == 2
    assert "out.html: File too large" in capsys.readouterr().err
    assert evaluated(output.read_text(encoding="utf-8")) == [3]


def test_memory_does_not_grow_with_the_games(tmp_path: Path) -> None:
    """One game is held at a time.

    Long comments stand for moves, whose boards take as much memory and more time.
    """
    path = tmp_path / "games.pgn"
    peaks: list[int] = []
    for count in (40, 40, 240):  # the first run imports
        path.write_text(f"1. e4 {{ {'a comment ' * 6000} }} *\n\n" * count)
        tracemalloc.start()
        assert (
            main([str(path), "--depth", "1", "--hash", "1", "--output", str(tmp_path / f"{len(peaks)}.pgn")])
            == 0
        )
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[2] < peaks[1] + 5_000_000  # the comments have 12 MB more


# --- The report ---


@pytest.fixture(scope="module")
def two_games() -> str:
    """The report of two games, one with hostile names."""
    first = studied(
        FOOLS_MATE,
        [Cp(20), Cp(-90), Cp(-60), Mate(-1), Mate(0)],
        {0: ["e2e4 e7e5"], 2: ["d2d4", "e2e4"], 3: ["d8h4"]},
        multipv=2,
    )
    before = first.analyses[2]
    assert before
    worse = Line(Cp(-150), (chess.Move.from_uci("b2b3"),))
    allows = MateClaim(Role.ALLOWS, (chess.Move.from_uci("g2g4"), chess.Move.from_uci("d8h4")), 1)
    first.analyses[2] = before._replace(choices=(*before.lines, worse), claims=(allows,))
    second = studied(HOSTILE_GAME, [Cp(20), Cp(30), Cp(20)], {0: ["e2e4 c7c5"]})
    return board_page.page([first, second], "coachwhip <test>")


def positions_of(page: str) -> list[list[dict[str, Any]]]:
    (text,) = re.findall(r'id="data">(.*?)</script>', page)
    return [game["positions"] for game in json.loads(text)]


def test_the_report_says_what_was_found_and_needs_nothing_else(two_games: str) -> None:
    links = re.findall(r'<[^<>]*\s(?:href|src)="([^"]*)', two_games := two_games.replace(ICON, ""))
    assert links
    assert all(link.startswith("#") for link in links)
    assert not re.search(r"<link|url\(|@import", two_games)
    assert '<meta http-equiv="Content-Security-Policy" content="default-src \'none\';' in two_games
    moves = re.findall(r'<a class="(move[^"]*)" href="([^"]*)" data-at="(\d+)"', two_games)
    assert [link for _, link, _ in moves] == ["#g1-1", "#g1-2", "#g1-3", "#g1-4", "#g2-1", "#g2-2"]
    assert [kind for kind, *_ in moves][:4] == ["move mistake", "move", "move blunder", "move"]
    assert "2. g4??" in two_games
    assert """Better: <span class='line'><a href="#g1-2-1-1">2. d4</a></span> (-0.60)""" in two_games
    data = positions_of(two_games)
    assert [len(game) for game in data] == [5, 3]
    mated = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3"
    assert data[0][3] == {
        "fen": "rnbqkbnr/pppp1ppp/8/4p3/6P1/5P2/PPPPP2P/RNBQKBNR b KQkq - 0 2",
        "text": "2. g4??", "kind": "blunder",
        "score": "#-1", "expected": 0.0, "odds": [0, 0, 100], "lines": [["#-1", "2...Qh4#", [mated]]],
        "better": {"move": ["d2", "d4"], "text": "2. d4", "score": "-0.60", "line": 1},
        "reply": {"move": ["d8", "h4"], "text": "2...Qh4#"}, "why": "Allows mate: 2...Qh4#.",
    }  # fmt: skip
    # A better line comes only after bad moves.
    assert [index for index, position in enumerate(data[0]) if "better" in position] == [1, 3]
    assert data[0][0]["reply"] == {"move": ["e2", "e4"], "text": "1. e4"}
    assert [line[:2] for line in data[0][2]["lines"]] == [["-0.60", "2. d4"], ["-0.60", "2. e4"]]


CLOCKED = """\
[White "Quick"]
[Black "<i>Slow"]
[ECO "C20"]
[Opening "King's Pawn <Game>"]
[Variation "?"]
[TimeControl "60+2"]

1. e4 {[%clk 0:01:01.5]} e5 {[%clk 0:00:31]} 2. Nf3 {[%clk 0:00:09.5] [%emt 0:00:50]} Nc6 {[%clk 0:05:00]} *
"""


def test_opening_and_clocks_where_the_game_has_them(two_games: str) -> None:
    page = board_page.page([studied(CLOCKED, [Cp(20)] * 5)], "test")
    assert "Opening: C20 King's Pawn <Game>" in html.unescape(page)
    assert '<th scope="row">Time used</th><td>50 s</td><td>31 s</td>' in page
    (game,) = positions_of(page)
    assert [position.get("clocks") for position in game] == [
        ["1:00", "1:00"], ["1:01", "1:00"], ["1:01", "0:31"], ["0:09.5", "0:31"], ["0:09.5", "5:00"]
    ]  # fmt: skip
    # The last clock was set.
    assert [position.get("spent") for position in game] == [None, "0.5 s", "31 s", "50 s", None]
    assert page.count('<polyline class="curve" style=') == 2
    assert not any(
        word in two_games for word in ('"clocks"', '"spent"', "Time used", 'class="opening"', "Clocks:")
    )


def test_times_as_text() -> None:
    texts = {
        0: ("0:00", "0 s"), 0.4: ("0:00.4", "0.4 s"), 9.94: ("0:09.9", "9.9 s"), 59.9: ("0:59", "60 s"),
        95: ("1:35", "1:35 min"), 3723: ("1:02:03", "1:02:03 h"), 360000: ("100:00:00", "100:00:00 h"),
    }  # fmt: skip
    assert {seconds: (clock_text(seconds), span_text(seconds)) for seconds in texts} == texts


@pytest.mark.parametrize("control", ["", "?", "-", "40/7200:3600", "*60", "60+", "9" * 400, "60+2x"])
def test_a_time_control_of_another_form_gives_no_start(control: str) -> None:
    found = times(read(f'[TimeControl "{control}"]\n\n1. e4 {{[%clk 0:00:30]}} e5 *\n'))
    assert found.left == [(None, None), (30, None), (30, None)]
    assert found.spent == [None, None]


def test_a_clock_before_the_first_move_is_that_of_both_players() -> None:
    """It is right where the time control is not."""
    for control in ("?", "300+0"):
        text = (
            f'[TimeControl "{control}"]\n\n'
            f"{{[%clk 0:10:00]}} 1. d4 {{[%clk 0:09:50]}} d5 {{[%clk 0:09:40]}} *\n"
        )
        assert times(read(text)) == ([(600, 600), (590, 600), (590, 580)], [10, 20])


def test_black_may_begin() -> None:
    text = (
        '[SetUp "1"]\n[FEN "4k3/8/8/8/8/8/4P3/4K3 b - - 0 7"]\n\n'
        "7... Kd7 {[%emt 0:00:03]} 8. e4 {[%emt 0:00:05]} *\n"
    )
    found = times(read(text))
    assert found.spent == [3, 5]
    assert used(found.spent, chess.BLACK) == [5, 3]
    assert list(ticks(studied(text, [Cp(0)] * 3).boards)) == [(1, 7), (2, 8)]


def test_an_axis_has_few_round_labels_around_all_values() -> None:
    """Also where all values are the same, or one is infinite."""
    assert levels([0.0047, 0.0053]) == [0.0047, 0.0048, 0.0049, 0.005, 0.0051, 0.0052, 0.0053]
    assert levels([-130, math.inf, 700]) == [*range(-200, 801, 200)]
    assert levels([-2.9, -2.8], 1) == [-3, -2]
    assert levels([7, 7]) == [7, 7.1]


# Elements to click and keys to press in the report, and what it shows then.
STEPS = [
    ("ArrowRight", "#g1-1 1. f3? (mistake)  -0.90"),
    ("n", "#g1-3 2. g4?? (blunder)  #-1"),
    ("End", "#g1-4 2...Qh4# (book)  mate"),
    ("ArrowRight", "#g1-4 2...Qh4# (book)  mate"),
    ("ArrowLeft", "#g1-3 2. g4?? (blunder)  #-1"),
    ("p", "#g1-1 1. f3? (mistake)  -0.90"),
    ("Home", "#g1-0 First position  +0.20"),
    ("#game1 .graph", "#g1-2 1...e5 (book)  -0.60"),
    ("#game1 a[data-at='3']", "#g1-3 2. g4?? (blunder)  #-1"),
    ("[data-step=back]", "#g1-2 1...e5 (book)  -0.60"),
    ("#game1 .line a", "#g1-0-1-1 1. e4 in the line +0.20"),  # instead of 1. f3: 1. e4 e5
    ("ArrowRight", "#g1-0-1-2 e5 in the line +0.20"),
    ("ArrowRight", "#g1-0-1-2 e5 in the line +0.20"),
    ("ArrowLeft", "#g1-0-1-1 1. e4 in the line +0.20"),
    ("ArrowLeft", "#g1-0 First position  +0.20"),
    ("n", "#g1-1 1. f3? (mistake)  -0.90"),
    ("n", "#g1-3 2. g4?? (blunder)  #-1"),
    (".better a", "#g1-2-1-1 2. d4 in the line -0.60"),
    ("Escape", "#g1-2 1...e5 (book)  -0.60"),
    ("#game1 a[data-at='3']", "#g1-3 2. g4?? (blunder)  #-1"),
    (".lines a", "#g1-3-1-1 2...Qh4# in the line #-1"),
    (".board[data-side=white]", "#g1-3 2. g4?? (blunder)  #-1"),
]


@pytest.mark.needs_program(CHROMIUM)
def test_the_report_in_a_browser(two_games: str, tmp_path: Path) -> None:
    """Keys, mouse and links show positions; no script but the page's own runs."""
    path = tmp_path / "report.html"
    intruder = "<script>document.title = 'owned'</script>"
    path.write_text(two_games.replace("</body>", intruder + "</body>"), encoding="utf-8")
    with Browser(tmp_path) as chromium:
        tab = chromium.open(path.as_uri())
        for action, shown in STEPS:
            if action[0] in "#.[":
                tab.click(action)
            else:
                tab.press(action)
            tab.wait(f"location.hash + ' ' + one('.status').textContent === {json.dumps(shown)}")
        arrows = (
            "all('.board[data-side=white] line.arrow')"
            ".map((line) => line.getAttribute('class') + line.getAttribute('y1'))"
        )
        assert tab.value(arrows) == ["arrow reply37.5", "arrow better307.5"]  # from d8, from d2
        card = "one('.card .why').textContent + ' ' + one('.card .better').textContent"
        assert tab.value(card) == "Allows mate: 2...Qh4#. Better: 2. d4 (-0.60)"
        assert tab.value("one('#game1 a[data-at=\"3\"]').title") == "Allows mate: 2...Qh4#."
        tab.press("End")
        tab.wait("!!one('.board[data-side=white] .square.check.e1')")
        tab.press("f")
        tab.wait("one('.stage').classList.contains('flipped')")
        tab.value("one('#game').value = '2', one('#game').dispatchEvent(new Event('change'))")
        tab.wait("one('.game.shown').id === 'game2'")
        assert tab.value("one('.seat').textContent") == HOSTILE.replace('"', "'")
        assert tab.value("all('.board').map((board) => all('use', board).length)") == [32, 32]
        assert tab.value("document.title") == "2 games - coachwhip"


@pytest.mark.needs_program(CHROMIUM)
@pytest.mark.parametrize("dark", [False, True])
def test_the_report_fits_a_phone_and_a_desk(tmp_path: Path, dark: bool) -> None:
    """Also with unbreakable names; on a phone the board stays in sight, and fingers find the links."""
    text = CLOCKED.replace("Quick", "W" * 90).replace("Slow", "x" * 90).replace("Pawn", "P" * 90)
    moves = " ".join(f"{number}. Ng1 Nb8 {number + 1}. Nf3 Nc6" for number in range(5, 65, 2))
    study = studied(
        text.replace(" *", f" 3. Ng1 Nb8 4. Nf3 Nc6 {moves} *"),
        [Cp(20), Cp(-300)] * 80,
        {0: ["d2d4"], 2: ["g1h3"]},
    )
    page = board_page.page([study], "test")
    (tmp_path / "wide.html").write_text(page, encoding="utf-8")
    with Browser(tmp_path) as chromium:
        desk, phone = (
            chromium.open((tmp_path / "wide.html").as_uri(), width, dark=dark) for width in (DESK, PHONE)
        )
        assert desk.colours_if_it_fits() == phone.colours_if_it_fits() == (DARK if dark else LIGHT)
        bottoms = (
            "['.stage', '.card', '.lines', '.moves', '.steps', '.start']"
            ".map((each) => one(each).getBoundingClientRect().bottom)"
        )
        assert max(desk.value(bottoms)) <= 800  # one screen, and the moves scroll in their box
        assert desk.value("one('.board').clientHeight") > 560
        assert phone.value(
            "one('.card').getBoundingClientRect().bottom <= one('.steps').getBoundingClientRect().top"
        )
        assert phone.value("one('.steps').clientHeight") < 60  # one row
        assert phone.value("scrollTo(0, 1e6), one('.stage').getBoundingClientRect().top") == 0
        boxes = phone.value(
            "all('button, select, .moves a, .line a').map((each) => each.getBoundingClientRect().toJSON())"
        )
        assert not [box for box in boxes if box["width"] and min(box["width"], box["height"]) < 44]


@pytest.mark.needs_program(CHROMIUM)
def test_practise_judges_moves_and_prints_a_board_for_each_mistake(two_games: str, tmp_path: Path) -> None:
    (tmp_path / "report.html").write_text(two_games, encoding="utf-8")
    with Browser(tmp_path) as chromium:
        tab = chromium.open((tmp_path / "report.html").as_uri())

        def move(start: str, end: str) -> str:
            tab.drag(*(f".board[data-side=white] .square.{name}" for name in (start, end)))
            return verdict()

        def verdict() -> str:
            return str(tab.value("one('.verdict').textContent"))

        tab.click("[data-exercise=start]")
        assert verdict() == "1 of 2: White played 2. g4?? (blunder). Find a better move."  # the worst first
        hidden = "all('.stage .arrow').length + one('.moves').offsetHeight + one('.why').offsetHeight"
        assert tab.value(hidden) == 0  # nothing tells
        assert move("a2", "a3") == "a3 loses more than 5 points of winning chances. Try again."
        assert move("b2", "b3") == "b3 loses more than 5 points of winning chances (-1.50: 2. b3). Try again."
        assert move("g2", "g4").startswith(
            "g4 was played. Allows mate: 2...Qh4#. -0.60 becomes #-1: 2...Qh4#"
        )
        tab.click(".exercise input")
        tab.type("Be2-e4\r")
        assert verdict() == '"Be2-e4" is not a legal move here.'
        tab.type("e2-e4\r")
        assert verdict() == "Good too. Best: d4 (-0.60); good too: e4 (-0.60). 2. g4?? Allows mate: 2...Qh4#."
        tab.click("[data-exercise=next]")
        assert verdict() == "2 of 2: White played 1. f3? (mistake). Find a better move."
        assert move("e2", "e5") == verdict()
        assert move("e2", "e4") == "Right. Best: e4 (+0.20)."
        assert tab.value("one('.seat[data-side=black]').innerText.trim()") == "Mate"
        assert "White: king e1" in tab.value("one('.board svg').getAttribute('aria-label')")
        tab.click("[data-exercise=next]")
        assert verdict() == "You found 1 of 2 at the first try."
        tab.go((tmp_path / "report.html").as_uri())  # the next day
        tab.click("[data-exercise=start]", "[data-exercise=next]")  # what was found comes last
        assert (
            verdict() == "2 of 2: White played 1. f3? (mistake). Find a better move. You found it last time."
        )
        tab.click("[data-exercise=end]")
        tab.value("dispatchEvent(new Event('beforeprint'))")
        assert tab.value("all('.mistakes .board').map((board) => all('use', board).length)") == [32, 32]


@pytest.mark.needs_program(CHROMIUM)
def test_a_mistake_in_a_decided_game_is_found_and_can_be_played_on(tmp_path: Path) -> None:
    """It has no sign, but a reason. A file shows the command that starts a game there."""
    study = studied(FOOLS_MATE, [Cp(1500), Cp(1500), Cp(1500), Cp(1000), Cp(1000)], {2: ["d2d4"]})
    claim = MateClaim(Role.ALLOWS, (chess.Move.from_uci("g2g4"), chess.Move.from_uci("d8h4")), 1)
    assert study.analyses[2]
    study.analyses[2] = study.analyses[2]._replace(claims=(claim,))
    (tmp_path / "report.html").write_text(board_page.page([study], "test"), encoding="utf-8")
    with Browser(tmp_path) as chromium:
        tab = chromium.open((tmp_path / "report.html").as_uri())
        tab.press("n")
        tab.wait("one('.status').textContent.startsWith('2. g4 ')")
        assert "2. g4 +15.00 to +10.00. Allows mate: 2...Qh4#. Better: 2. d4" in tab.value(
            "one('.mistakes').textContent"
        )
        for query, fen in (
            ("li [data-play]", study.boards[2].fen()),
            (".card [data-play]", study.boards[3].fen()),
        ):
            tab.click(query)
            color = " --color black" * (" b " in fen)
            assert (
                tab.value("one('.command').textContent") == f'coachwhip play --browser{color} --fen "{fen}"'
            )


def test_a_terminal_gets_a_way_to_the_report_instead_of_pgn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`--browser` is that way: it opens a file with the name of the games in this folder."""
    terminal, said, opened = io.StringIO(), io.StringIO(), list[str]()
    monkeypatch.setattr(terminal, "isatty", lambda: True, raising=False)
    for name, stream in (("stdout", terminal), ("stderr", said)):
        monkeypatch.setattr(sys, name, stream)
    monkeypatch.setattr("webbrowser.open", opened.append)
    monkeypatch.chdir(tmp_path)
    Path("mine.pgn").write_text(FOOLS_MATE)
    assert main(["mine.pgn", "--nodes", "1000"]) == 0
    assert "--browser" in said.getvalue()
    assert main(["mine.pgn", "--nodes", "1000", "--browser"]) == 0
    assert opened == [(tmp_path / "mine.html").as_uri()]
    assert "Allows mate" in Path("mine.html").read_text(encoding="utf-8")
    assert "1. f3" not in terminal.getvalue()


def test_the_report_of_browser_is_no_other_output(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.pgn").write_text(FOOLS_MATE)
    assert main(["mine.pgn", "--nodes", "1000", "--browser", "--output", "mine.html"]) == 2
    assert "a file each" in capsys.readouterr().err
    assert not Path("mine.html").exists()
