# SPDX-License-Identifier: GPL-3.0-or-later
"""`coachwhip match` as a command: what it plays, counts, writes and resumes, and its errors."""

import json
import os
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import chess
import chess.pgn
import places
import pytest
from coachwhip.bench.engines.faults import CRASH, ILLEGAL_MOVE, STALL, TIME_LOSS
from coachwhip.bench.engines.spec import EngineSpec
from coachwhip.bench.match import __main__ as match
from coachwhip.bench.match.match import FORFEITED
from coachwhip.bench.match.pgn_file import PgnFile
from coachwhip.bench.match.record import GameRecord
from coachwhip.bench.match.schedule import Pairing
from coachwhip.bench.match.sprt import Sprt
from coachwhip.bench.match.standings import describe, one_line, summary
from coachwhip.bench.match.tally import Tally
from uci_process import TIMEOUT, environment, is_running, run_until, wait_for

from coachwhip.cli.command import INTERRUPTED
from coachwhip.games import data
from coachwhip.games.openings import Opening, choose, open_book

STUB = f"{shlex.quote(sys.executable)} {shlex.quote(str(places.STUB))}"
OPENING = Opening(chess.STARTING_FEN, chess960=False)

Run = Callable[..., dict[str, Any]]


def engines(*roles: str) -> list[str]:
    """The words that name stubs."""
    return [word for role in roles for word in ("--engine", f"{STUB} {role}")]


def read_pgn(path: Path) -> list[chess.pgn.Game]:
    """All games of a file, whole."""
    with path.open() as file:
        games = list(iter(lambda: chess.pgn.read_game(file), None))
    assert not any(game.errors for game in games)
    return games


def finished(journal: Path) -> list[int]:
    """The numbers of the games in a journal, a torn line left out."""
    try:
        lines = journal.read_bytes().split(b"\n")[:-1]
    except FileNotFoundError:  # `match` makes it for a moment, to see whether it can
        return []
    return [data["number"] for data in map(json.loads, lines) if "number" in data]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs the command and returns its JSON."""

    def play(*words: str | Path, code: int = 0) -> dict[str, Any]:
        assert match.main([*map(str, words), "--json"]) == code
        found: dict[str, Any] = json.loads(capsys.readouterr().out)
        return found

    return play


@pytest.fixture
def book(tmp_path: Path) -> Path:
    """Two positions with a mate in one, for White and for Black."""
    path = tmp_path / "book.fen"
    path.write_text("k7/8/1K6/8/8/8/8/7R w - - 0 1\n7r/8/8/8/8/1k6/8/K7 b - - 0 1\n")
    return path


def finish(tally: Tally, number: int, white: int, black: int, result: str, reason: str = "checkmate") -> None:
    """Count a game without moves."""
    record = GameRecord(number, "2026.11.23", OPENING, "a", "b", (), result, reason)
    tally.add(Pairing(number, OPENING, white, black), record)


def test_an_engine_that_oversteps_its_nodes_is_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    journal = str(tmp_path / "games.jsonl")
    words = [*engines("over", "good"), *"--nodes 1000 --max-moves 3 --resume --journal".split(), journal]
    assert match.main([*words, "--games", "2"]) == 0
    out, _ = capsys.readouterr()
    assert "over: node limit overstepped in 6 searches of 2 games" in out
    assert "good: node limit" not in out
    assert match.main([*words, "--games", "4", "--json"]) == 0  # what the journal holds counts
    found = json.loads(capsys.readouterr().out)
    (warning,), none = [list(engine["warnings"].values()) for engine in found["engines"]]
    assert (warning["searches"], warning["games"], none) == (12, 4, [])
    assert found["engines"][0]["faults"] == {TIME_LOSS: 0, ILLEGAL_MOVE: 0, CRASH: 0, "stall": 0}


OTHER = '[Event "coachwhip match"]\n[White "x"]\n[Result "*"]\n\n1. e4 { of another program *\n'
OURS, THEIRS = (
    [
        f'[Event "coachwhip match"]\n[White "{name}"]\n[GameEndTime "{name}"]\n[GameId "{number}"]\n\n'
        f"1. e4 {{ [%emt 0:00:01] }} 1... e5 {{ checkmate }} 0-1\n\n"
        for number in range(1, 5)
    ]
    for name in "ab"
)
FILES = {
    "whole": "".join([*OURS[:3], *THEIRS]),
    "with another program's game": "".join([*OURS[:3], *THEIRS, OTHER]),
    "replaced": OTHER,
    "edited": "".join([*OURS[:3], *THEIRS]).replace("\n\n", "\r\n\r\n").replace(" } ", " }\n"),
    "with a torn game of the other match": "".join(OURS[:2]) + OURS[3][:-20] + "\n\n" + "".join(THEIRS),
}


def resumed_file(path: Path, name: str, games: Sequence[str]) -> None:
    """The file as a resumed match leaves it; only the text of a missing game is asked for."""
    file = PgnFile(path)
    for number, game in enumerate(games, start=1):
        file.add_missing({"GameEndTime": name, "GameId": str(number)}, partial(str, game))


@pytest.mark.parametrize("before", FILES)
def test_matches_that_share_a_pgn_file_lose_none_of_it(tmp_path: Path, before: str) -> None:
    pgn = tmp_path / "all.pgn"
    pgn.write_bytes(FILES[before].encode())
    for name, games in (("a", OURS), ("b", THEIRS), ("a", OURS)):  # and once more, nothing is missing
        resumed_file(pgn, name, games)
    resumed = pgn.read_bytes()
    assert resumed.startswith(FILES[before].encode())
    assert sorted(
        re.findall(
            r'White "([ab])"]\n.*\n.GameId "(.)"]\n\n[^}]*}[^}]*checkmate', resumed.decode().replace("\r", "")
        )
    ) == [(name, str(number)) for name in "ab" for number in range(1, 5)]


@pytest.mark.parametrize("others", ["", "".join(THEIRS), "1. e4 *"])
def test_a_run_that_is_killed_at_any_byte_leaves_each_game_once(tmp_path: Path, others: str) -> None:
    pgn = tmp_path / "all.pgn"
    before = others and others.strip() + "\n\n"
    for cut in range(len("".join(OURS[1:3])) + 1):
        pgn.write_text(before + OURS[0] + "".join(OURS[1:3])[:cut])
        resumed_file(pgn, "a", OURS[:3])
        PgnFile(pgn).add(OURS[3])
        assert re.sub("\n\n+", "\n\n", pgn.read_text()) == before + "".join(OURS)


def test_traffic_and_details_are_written_on_request(
    run: Run, book: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also of an engine that dies, and of one that cannot be started.

    A resumed match adds to the log, and writes the same PGN.
    """
    says = shlex.join(["says", "info pv {move} a8a7 score cp 5 nps 7 nodes 3 string x"])
    log, pgn, journal = tmp_path / "all.log", tmp_path / "games.pgn", tmp_path / "games.jsonl"
    words = [
        *engines(says, "killed"),
        "--openings",
        book,
        "--max-moves",
        "1",
        "--games",
        "2",
        "--log",
        log,
        "--journal",
        journal,
    ]
    run(*words, "--pgn", pgn, "--pgn-details", "--resume")
    text = pgn.read_text()
    assert re.search(r"\[%nodes 3\]\s\[%nps 7\]\s\[%pv\sh[18]h[18]\sa8a7\]", text)
    lines = log.read_text().splitlines()
    assert lines[0].startswith("coachwhip match log, ")
    for sign, said in (
        (">", "uci"),
        ("<", "uciok"),
        (">", "go wtime"),
        ("<", "info pv"),
        ("<", "bestmove"),
        ("!", "going down"),
    ):
        assert any(re.match(rf"\d+\.\d{{6}} .+ \d+ {sign} {said}", line) for line in lines)
    seconds = [float(line.split()[0]) for line in lines if " > go " in line]
    assert seconds == sorted(seconds)
    copy = tmp_path / "copy.pgn"
    run(*words, "--pgn", copy, "--resume")
    assert copy.read_text() == text
    assert log.read_text().splitlines()[: len(lines)] == lines
    assert match.main([*engines("good", "killed"), "--log", str(pgn)]) == 2
    assert "games.pgn is not a log of match" in capsys.readouterr().err
    assert pgn.read_text() == text


def test_a_journal_is_not_mixed_with_another_match(
    run: Run, book: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    journal = tmp_path / "games.jsonl"
    words = [*engines("good a", "good b"), "--openings", str(book), "--journal", str(journal), "--games", "2"]
    run(*words)
    content = journal.read_bytes()
    for option, setting in (("--seed", "openings"), ("--nodes", "engines"), ("--max-moves", "rules")):
        assert match.main([*words, "--resume", option, "7"]) == 2
        assert f"belongs to another run of match: its {setting} is" in capsys.readouterr().err
    assert journal.read_bytes() == content


@pytest.mark.skipif(os.name == "nt", reason="os.kill asks nothing on Windows, it ends")
def test_a_stalled_engine_does_not_outlive_a_killed_runner(tmp_path: Path) -> None:
    written = tmp_path / "pid"
    words = [
        *engines(f"deaf {shlex.quote(str(written))}", "good"),
        "--name",
        "b",
        "--nodes",
        "9",
        "--games",
        "1",
    ]
    runner = subprocess.Popen(
        [sys.executable, "-m", "coachwhip", "match", *words], env=environment(), stderr=subprocess.DEVNULL
    )
    try:
        wait_for(lambda: written.exists() and written.read_text().endswith("\n"))  # it was asked for a move
    finally:
        runner.kill()
        runner.wait(TIMEOUT)
    wait_for(lambda: not is_running(int(written.read_text())))


@pytest.mark.skipif(os.name == "nt", reason="Windows has no process groups to signal")
@pytest.mark.parametrize("number", [signal.SIGINT, getattr(signal, "SIGKILL", signal.SIGTERM)])
def test_a_match_that_is_ended_half_way_loses_nothing(
    number: int, run: Run, book: Path, tmp_path: Path
) -> None:
    """Ctrl-C, which reaches all processes of a terminal, ends it in order; by another signal it is killed."""
    journal, pgn = tmp_path / "games.jsonl", tmp_path / "games.pgn"
    book.write_text("4k3/pppppppp/8/8/8/8/PPPPPPPP/4K3 w - - 0 1\n")
    gate = tmp_path / "gate"
    words = [
        *engines("good a", f"pausing {gate}"),
        "--openings",
        str(book),
        "--journal",
        str(journal),
        "--pgn",
        str(pgn),
    ]
    words += "--resume --games 8 --nodes 20 --max-moves 20 --concurrency 2".split()
    done = run_until(lambda: len(finished(journal)) >= 2, "match", *words, "--json", number=number)
    before = finished(journal)
    assert 2 <= len(before) <= 4
    if number == signal.SIGINT:
        assert done.returncode == INTERRUPTED
        assert "coachwhip match: interrupted" in done.stderr
        assert "Traceback" not in done.stderr
        assert json.loads(done.stdout)["games"] == len(before)
        assert sorted(int(game.headers["GameId"]) - 1 for game in read_pgn(pgn)) == sorted(before)
    gate.touch()
    words[words.index("8")] = "9"
    assert run(*words)["games"] == 9
    after = finished(journal)
    assert after[: len(before)] == before
    assert sorted(after) == list(range(9))
    assert run(*words)["games"] == 9  # and nothing is left to do
    assert finished(journal) == after
    # the stubs are deterministic, and all games have one opening: they are those of an undisturbed match
    played = {(game.headers["White"], *game.mainline_moves()) for game in read_pgn(pgn)}
    assert len(read_pgn(pgn)) == 9
    assert len(played) == 2


def test_sprt_stops_the_match(run: Run) -> None:
    sure, resigned = (shlex.join(["says", f"info score cp {score} pv {{move}}"]) for score in (900, -900))
    words = [
        *engines(sure, resigned),
        *"--openings startpos --sprt 0,200,0.1,0.1 --resign 1,900 --games 200".split(),
    ]
    found = run(*words)
    assert (found["valid"], found["sprt"]["verdict"]) == (True, "H1")
    assert found["games"] < 40
    assert found["sprt"]["llr"] >= found["sprt"]["bounds"][1]


@pytest.mark.parametrize(
    ("forfeits", "games", "is_valid"),
    [(1, 2, True), (2, 2, False), (2, 200, True), (3, 200, False), (0, 40, True)],
)
@pytest.mark.parametrize("reason", [TIME_LOSS, ILLEGAL_MOVE, CRASH, STALL])
def test_more_than_one_forfeit_and_one_percent_make_a_result_that_says_nothing(
    forfeits: int, games: int, is_valid: bool, reason: str
) -> None:
    tally = Tally()
    for number in range(games):  # the second player forfeits, with both colours
        white = number % 2
        finish(
            tally,
            number,
            white,
            1 - white,
            "0-1" if white else "1-0",
            reason if number < forfeits else "checkmate",
        )
    report, found = describe(tally, ["a", "b"], Sprt(0, 200)), summary(tally, ["a", "b"], Sprt(0, 200))
    assert found["valid"] is is_valid
    assert report.startswith(f"a against b: {games} games") == is_valid
    if is_valid:
        assert "without the forfeited" not in report
        assert "without_forfeits" not in found
        return
    counted = f"{forfeits} of {games} games ({reason} {forfeits})"
    assert report.startswith(f"NOT A MEASURE OF STRENGTH: b forfeited {counted}\na against b: {games} games")
    assert found["without_forfeits"]["games"] == games - forfeits
    rest = "197 games, +197 =0 -0, 100.0 %, draws 0.0 %, Elo unknown" if games == 200 else "no game is left"
    assert f"\nwithout the forfeited games: {rest}" in report
    assert report.count("undecided, since games were forfeited") == 1
    assert found["sprt"]["verdict"] is None
    assert "3 games forfeited" in one_line(tally, None) or games == 2


@pytest.mark.parametrize("form", ["round-robin", "gauntlet"])
def test_a_match_with_many_forfeits_is_played_to_its_end_and_fails(
    form: str, run: Run, book: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also when it is resumed and nothing is left to play.

    The others of a tournament keep their rating from the games played.
    """
    words = [*engines("good", "killed"), "--openings", str(book), "--sprt", "0,200", "--games", "16"]
    found = run(*words, code=FORFEITED)
    assert (found["games"], found["valid"], found["sprt"]["verdict"]) == (16, False, None)
    assert found["without_forfeits"]["meetings"][0]["wins"] == 8  # it is killed when it moves first
    page, kept = (
        tmp_path / "page.html",
        ["--journal", str(tmp_path / "kept.jsonl"), "--resume", "--form", form, "--games", "4"],
    )
    words = [*engines("good a", "cheat", "good b"), "--openings", str(book), *kept]
    assert match.main([*words, "--report", str(page)]) == FORFEITED
    lines = capsys.readouterr().out.splitlines()
    games = 4 if form == "gauntlet" else 8
    assert lines[0] == (
        f"NOT A MEASURE OF STRENGTH: cheat forfeited {games // 2} of {games} games "
        f"(illegal move {games // 2})"
    )
    assert lines[5] == "without the forfeited games:"
    assert lines[6].split() == lines[1].split()
    text = page.read_text(encoding="utf-8")
    assert (
        text.index("NOT A MEASURE OF STRENGTH: cheat")
        < text.index("<table")
        < text.index("without the forfeited games")
    )
    found = run(*words, code=FORFEITED)
    assert [engine["games"] for engine in found["engines"]] == (
        [8, 4, 4] if form == "gauntlet" else [8, 8, 8]
    )
    assert (
        found["without_forfeits"]["games"]
        == sum(engine["games"] for engine in found["engines"]) // 2 - games // 2
    )
    assert len(found["without_forfeits"]["engines"]) == 3


def test_more_threads_than_processors_are_warned_of(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1, 2, 3}, raising=False)
    players = [EngineSpec(("a",), "a", {"threads": "2"}), EngineSpec(("b",), "b", {})]
    for games, warning in (
        (2, ""),
        (3, "--concurrency 3 with engines of 2 threads needs 6 processors, and there are 4"),
    ):
        match._warn_of_load(players, games)
        assert warning in capsys.readouterr().err if warning else not capsys.readouterr().err


def test_the_page_of_a_match_has_its_results_and_games(run: Run, book: Path, tmp_path: Path) -> None:
    """Names are hostile. Games of an earlier run come from the journal, and nothing is fetched."""
    page, journal = tmp_path / "match.html", tmp_path / "games.jsonl"
    words = [
        *engines("good"),
        "--name",
        "<b>&amp;",
        *engines("good"),
        "--name",
        "</script><i>",
        "--openings",
        str(book),
    ]
    words += ["--journal", str(journal), "--resume", "--sprt", "0,200"]
    run(*words, "--games", "2")
    run(*words, "--games", "4", "--report", page)
    text = page.read_text(encoding="utf-8")
    assert "<b>" not in text.replace("<b>${", "")
    assert "</script><i>" not in text
    assert "&lt;b&gt;&amp;amp; against &lt;/script&gt;&lt;i&gt;: 4 games" in text
    assert len(re.findall(r'<article class="game"', text)) == 4
    assert "SPRT of normalized Elo 0 against 200: LLR" in text
    assert text.partition("<main>")[0].count('<svg class="graph"') == 2  # Elo and LLR
    assert not re.search(r"""(src|href)=["']?(https?:)?//""", text)
    (data,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', text)
    assert len(json.loads(data)) == 4


def test_the_page_of_a_tournament_has_a_cross_table(run: Run, book: Path, tmp_path: Path) -> None:
    page = tmp_path / "match.html"
    run(*engines("good a", "good c", "good b"), "--openings", book, "--games", "2", "--report", page)
    results, _, games = page.read_text(encoding="utf-8").partition("<main>")
    assert results.partition("<tbody>")[2].count("<tr>") == results.count('class="bars"') == 3
    assert games.count('<article class="game"') == 6


def test_a_match_begins_with_the_shipped_openings(run: Run, tmp_path: Path) -> None:
    shipped = {
        chess.Board.from_epd(line)[0].fen(shredder=True)
        for line in data.OPENINGS.path.read_text("utf-8").splitlines()
    }
    pgn, words = (
        tmp_path / "games.pgn",
        [*engines("good a", "good b"), *"--games 4 --max-moves 2 --pgn".split()],
    )
    for more, allowed in (
        ([], shipped),
        (["--chess960"], {chess.Board.from_chess960_pos(number).fen(shredder=True) for number in range(960)}),
        (["--openings", "startpos"], {chess.Board().fen(shredder=True)}),
    ):
        run(*words, pgn, *more)
        started = {game.board().fen(shredder=True) for game in read_pgn(pgn)}
        assert len(started) == min(2, len(allowed))
        assert started <= allowed
        pgn.unlink()


@pytest.mark.parametrize(
    ("form", "meetings"),
    [
        ("round-robin", ["cheat goodb", "cheat gooda", "goodb gooda"]),
        ("gauntlet", ["cheat goodb", "cheat gooda"]),
    ],
)
def test_a_tournament_of_three(
    form: str, meetings: list[str], run: Run, book: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each opening is played twice, also when the match is lengthened.

    Who moves first mates, or cheats; the best is first in the table.
    """
    pgn = tmp_path / "games.pgn"
    words = [
        *engines("cheat"),
        "--own-tc",
        "nodes=7",
        *engines("good b", "good a"),
        "--tc",
        "40/9",
        "--form",
        form,
        "--resume",
    ]
    words += ["--openings", str(book), "--pgn", str(pgn), "--journal", str(tmp_path / "games.jsonl")]
    assert match.main([*words, "--games", "3"]) == FORFEITED
    finished_first = finished(tmp_path / "games.jsonl")
    assert match.main([*words, "--games", "4", "--concurrency", "2"]) == FORFEITED
    assert finished(tmp_path / "games.jsonl")[: len(finished_first)] == finished_first
    games = {int(game.headers["GameId"]): game for game in read_pgn(pgn)}
    positions, played = [opening.position() for opening in choose(open_book(book), 2, 1)], []
    for number in range(1, 4 * len(meetings) + 1):
        game, position = games.pop(number), positions[(number - 1) // (2 * len(meetings))]
        names = game.headers["White"], game.headers["Black"]
        played.append(" ".join(names if number % 2 else names[::-1]))
        mover = names[position.turn == chess.BLACK]
        assert game.board() == position
        assert game.headers["Result"] == (
            "1-0" if (position.turn == chess.WHITE) == (mover != "cheat") else "0-1"
        )
        assert game.headers["Termination"] == ("normal" if mover != "cheat" else "rules infraction")
        assert game.headers.get("TimeControl") == (None if "cheat" in names else "40/9")
    assert not games
    assert played == [meeting for meeting in meetings for _ in range(2)] * 2
    table = [line.split() for line in capsys.readouterr().out.split("Elo")[-2].splitlines()[1:4]]
    best = "8 6 75.0 +2 =0 -2 +4 =0 -0" if form == "round-robin" else "4 4 100.0 - +4 =0 -0"
    assert sorted(" ".join([row[1], *row[-len(best.split()) :]]) for row in table[:2]) == [
        f"gooda {best}",
        f"goodb {best}",
    ]
    assert table[2][1:5] == ["cheat", "8", "0", "0.0"]
    found = run(*words, "--games", "4", code=FORFEITED)
    assert [engine["points"] for engine in found["engines"]] == (
        [0, 6, 6] if form == "round-robin" else [0, 4, 4]
    )
    assert [meeting["players"] for meeting in found["meetings"]] == [[0, 1], [0, 2], [1, 2]][: len(meetings)]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--engine", "only-one"], "at least two"),
        (["--own-tc", "5", "--engine", "a", "--engine", "b"], "--own-tc comes before the first engine"),
        (["--engine", "no-such-engine-anywhere"] * 2, "no-such-engine-anywhere"),
        (["--engine", "a", "--engine", "b", "--tc", "fast"], "expected a number"),
        (["--engine", "a", "--engine", "b", "--resume"], "--journal"),
        (["--engine", "a", "--engine", "b", "--sprt", "5,0"], "ELO0 < ELO1"),
        (["--engine", "a", "--engine", "b", "--engine", "c", "--sprt", "0,5"], "two engines"),
        (["--name", "x", "--engine", "a", "--engine", "b"], "--name comes before the first engine"),
        (["--engine", "a'", "--engine", "b"], "quotation"),
        (["--engine", "", "--engine", "b"], "needs a command"),
    ],
)
def test_a_bad_command_line_is_rejected_in_one_message(
    words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert match.main(words) == 2
    err = capsys.readouterr().err
    assert "coachwhip match: " in err
    assert message in err
