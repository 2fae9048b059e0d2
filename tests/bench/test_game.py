# SPDX-License-Identifier: GPL-3.0-or-later
"""Single games with small engines that behave, cheat, sleep and die, and how games are recorded and end."""

import io
import json
import math
import re
import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import chess
import chess.engine
import chess.pgn
import pytest
from chess.engine import MateGiven
from coachwhip.bench.engines.client import FAILED_STARTS, Client
from coachwhip.bench.engines.faults import CRASH, ILLEGAL_MOVE, STALL, TIME_LOSS, StartError
from coachwhip.bench.engines.info import Info
from coachwhip.bench.engines.spec import EngineSpec
from coachwhip.bench.match import game
from coachwhip.bench.match.game import Contest, Game, last_info, white_score
from coachwhip.bench.match.record import GameRecord, MoveRecord
from coachwhip.bench.match.schedule import Pairing
from coachwhip.bench.match.standings import describe
from coachwhip.bench.match.tally import Tally
from places import DATA, STUB

from coachwhip.cli.command import CommandError
from coachwhip.cli.journal import usable
from coachwhip.games.adjudication import Ending, by_tablebase, find_ending
from coachwhip.games.openings import Opening
from coachwhip.games.pgn import game_text, read_games
from coachwhip.games.rules import Rules
from coachwhip.games.time_control import TimeControl

MATE_IN_ONE = Opening("k7/8/1K6/8/8/8/8/7R w - - 0 1", chess960=False)
PAWN = Opening("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", chess960=False)
ROOK = Opening("4k3/8/8/8/8/8/8/R3K3 w - - 0 1", chess960=False)

MINUTE, HASTE = TimeControl(60), TimeControl(0.3, 0.1)
Start = Callable[..., Client]


@pytest.fixture(scope="module")
def start() -> Iterator[Start]:
    """Engines with roles of the stub, one for each role and colour, which end after the last test."""
    engines: dict[tuple[str, str], Client] = {}

    def make(role: str, colour: str = "") -> Client:
        command = (sys.executable, str(STUB), *shlex.split(role))
        return engines.setdefault((role, colour), Client(EngineSpec(command, "", {})))

    yield make
    for engine in engines.values():
        engine.end()


def play(
    white: Client,
    black: Client,
    opening: Opening,
    controls: tuple[TimeControl, TimeControl] = (MINUTE, MINUTE),
    rules: Rules | None = None,
) -> GameRecord:
    """One game."""
    return Game(Pairing(0, opening, 0, 1), (white, black), Contest((), controls, rules or Rules())).play()


def stored(record: GameRecord) -> GameRecord:
    """The record as a resumed match reads it."""
    return GameRecord.from_json(json.loads(json.dumps(record.to_json())))


def test_a_won_game_is_recorded_and_read_back(start: Start) -> None:
    record = play(start("good"), start("good x"), MATE_IN_ONE)
    assert (record.result, record.reason, record.culprit) == ("1-0", "checkmate", None)
    assert (record.white, record.black) == ("good", "goodx")
    (move,) = record.moves
    assert (move.move, move.score, move.depth, move.nodes) == ("h1h8", chess.engine.Cp(900), 1, 20)
    assert move.seconds > 0
    assert stored(record) == record  # or a resumed match writes the game again
    read = chess.pgn.read_game(io.StringIO(game_text(record.game({"Event": "test", "Round": "1"}))))
    assert read is not None
    assert not read.errors
    assert read.end().board().is_checkmate()
    assert (read.headers["Result"], read.headers["Termination"]) == ("1-0", "normal")
    assert read.board().fen() == MATE_IN_ONE.fen
    node = read.next()
    assert node is not None
    assert 0 < (node.clock() or 0) <= 60
    assert node.eval() == chess.engine.PovScore(chess.engine.Cp(900), chess.WHITE)
    assert node.eval_depth() == 1


def others(value: Any) -> Iterator[Any]:
    """The value with each part in turn replaced, or left out."""
    yield from (None, True, -1, 10**9, math.nan, math.inf, "x", "1", "", [], [[]], {}, {"x": "y"})
    for key, part in (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    ):
        for other in others(part):
            yield (
                {**value, key: other} if isinstance(value, dict) else [*value[:key], other, *value[key + 1 :]]
            )
        if isinstance(value, dict):
            yield {name: each for name, each in value.items() if name != key}


def test_a_line_of_the_journal_is_a_game_that_can_be_counted_and_written_or_it_is_rejected() -> None:
    moves = (
        MoveRecord("h1h2", 0.5, 59.5, chess.engine.Cp(9), 3, 20, 9, "h1h2"),
        MoveRecord("a8b8", 0.1, None, None, None, None),
    )
    record = GameRecord(
        0, "2026-11-23T10", MATE_IN_ONE, "a", "b", moves, "0-1", STALL, "late", ({"kind": ["first", ""]}, {})
    )
    accepted = []
    for data in others(json.loads(json.dumps(record.to_json()))):
        with suppress(CommandError), usable("the line"):
            accepted.append(GameRecord.from_json(data))
    for read in accepted:
        tally = Tally()
        tally.add(Pairing(read.number, read.opening, 0, 1), read)
        assert describe(tally, ["a", "b"])
        assert game_text(read.game({}))
    assert 50 < len(accepted) < 200
    moved = record.to_json()
    moved["moves"][0][0] = "h1a2"
    with (
        pytest.raises(CommandError, match=r"game\.jsonl:7 cannot be used: illegal move 'h1a2'"),
        usable("game.jsonl:7"),
    ):
        GameRecord.from_json(moved)


def test_the_text_of_a_game_is_read_back_as_it_was() -> None:
    """Names of any kind, and lines of 80 columns whatever an engine has said last."""
    name, move = 'a"b\\c\n[White "x"]', MoveRecord("e2e4", 0.1, 59.0, chess.engine.Cp(12), 3, 9)
    detail = "asked 'go wtime 1 btime 2': " + "gave no answer, } {and was given up after 10.0 s " * 4
    record = GameRecord(
        0, "2026.11.23", Opening(chess.STARTING_FEN, chess960=False), name, "b", (move,), "0-1", STALL, detail
    )
    text = game_text(record.game({"Event": "\\", "TimeControl": '"'}))
    assert max(map(len, text.splitlines())) <= 80
    (ours,) = read_games(io.BufferedReader(io.BytesIO(text.encode())))
    theirs = chess.pgn.read_game(io.StringIO(text))
    assert theirs
    for tag, value in (("White", name.replace("\n", " ")), ("Event", "\\"), ("TimeControl", '"')):
        assert ours.headers[tag] == value
        # python-chess leaves the backslashes of a tag alone.
        assert re.sub(r"\\(.)", r"\1", theirs.headers[tag]) == value
    assert [node.comment for node in ours.mainline()] == [node.comment for node in theirs.mainline()]
    assert "given up after 10.0 s" in ours.end().comment.replace("\n", " ")
    assert ours.end().eval_depth() == 3


@pytest.mark.parametrize(
    ("role", "reason", "culprit"),
    [
        ("cheat", ILLEGAL_MOVE, chess.WHITE),
        ("cheat", ILLEGAL_MOVE, chess.BLACK),
        ("null", ILLEGAL_MOVE, chess.BLACK),
        ("killed", CRASH, chess.WHITE),
        ("late", TIME_LOSS, chess.BLACK),
        ("stall", STALL, chess.WHITE),
    ],
)
def test_a_faulty_engine_loses_whatever_its_colour(
    start: Start, role: str, reason: str, culprit: chess.Color, monkeypatch: pytest.MonkeyPatch
) -> None:
    if role == "stall":
        monkeypatch.setattr(game, "STALL_TIMED", 0.2)
    bad, good = start(role), start("good")
    haste = HASTE if role in ("late", "stall") else MINUTE
    engines, controls = (
        ((bad, good), (haste, MINUTE)) if culprit == chess.WHITE else ((good, bad), (MINUTE, haste))
    )
    record = play(*engines, PAWN, controls)
    assert (record.result, record.reason) == ("0-1" if culprit == chess.WHITE else "1-0", reason)
    assert record.culprit is culprit
    assert len(record.moves) == (0 if culprit == chess.WHITE else 1)
    assert record.detail
    assert role != "killed" or "going down" in record.detail  # what it wrote on stderr
    assert f"{reason} of {role}" in game_text(record.game({})).replace("\n", " ")
    # and the next game can be played
    if role in ("killed", "cheat"):
        assert play(bad, good, PAWN).reason == reason


def test_who_exceeds_a_fixed_time_loses_unless_the_margin_allows_it(start: Start) -> None:
    fixed = TimeControl(time=0.1), MINUTE
    assert play(start("late"), start("good"), MATE_IN_ONE, fixed).reason == TIME_LOSS
    assert play(start("late"), start("good"), MATE_IN_ONE, fixed, Rules(margin=50.0)).reason == ILLEGAL_MOVE


def test_a_tenth_more_nodes_than_allowed_are_no_overstep(start: Start) -> None:
    engines, rules = (start("over"), start("good")), Rules(max_moves=3)
    enough = TimeControl(nodes=4600), TimeControl(nodes=20)
    assert play(*engines, ROOK, enough, rules).warnings == ({}, {})
    assert play(*engines, ROOK, rules=rules).warnings == ({}, {})


LAST_MOVE = Opening("4k3/8/8/8/8/8/8/R3K3 w - - 99 80", chess960=False)  # then fifty moves are a draw
CASTLES = Opening("4k3/8/8/8/8/8/8/R3K3 w A - 0 1", chess960=True)
REPEATS = Opening(ROOK.fen, chess960=False, moves="a1a2 e8d8 a2a1 d8e8 a1a2 e8d8 a2a1")
MATED = Opening("7r/8/8/8/8/1k6/8/K7 b - - 0 1", chess960=False)


@pytest.mark.parametrize(
    ("opening", "info", "kind"),
    [
        (MATE_IN_ONE, "info score mate 1 pv {move}", None),
        (MATE_IN_ONE, "info depth 1 score cp 5", None),
        (MATE_IN_ONE, "info pv {move} score mate 1 wdl 1000 0 0", None),
        (LAST_MOVE, "info pv {move} score mate 3 nodes 9", game.NO_MATE),  # its score is read
        (MATE_IN_ONE, "info pv h1h2 e1e8 score cp 5", game.ILLEGAL_PV),
        (MATE_IN_ONE, "info pv e2e4\ninfo pv {move}\ninfo multipv 2 pv e2e4\ninfo string pv e2e4", None),
        (MATE_IN_ONE, "info pv {move} a8a7", game.LONG_PV),
        (MATED, "info pv {move} a1a2", game.LONG_PV),
        (REPEATS, "info pv d8e8 a1a2", game.LONG_PV),
        (MATE_IN_ONE, "info pv h1h2 a8b8 h1h8", game.ILLEGAL_PV),
        (MATE_IN_ONE, "info pv h1h2 0000", game.ILLEGAL_PV),
        (CASTLES, "info pv e1a1 e8e7 d1d7", game.OTHER_PV),
        (MATE_IN_ONE, "info pv h1h2 a8b8", game.OTHER_PV),
        (LAST_MOVE, "info score mate 3 pv {move}", game.NO_MATE),
        (LAST_MOVE, "info score mate -3 pv {move}", None),
        (LAST_MOVE, "info score mate 3 lowerbound pv {move}", None),
        (ROOK, "info score mate 3 pv {move}", None),  # nobody knows how the game would have ended
    ],
)
def test_what_an_engine_says_wrongly_is_counted_for_it_alone(
    start: Start, opening: Opening, info: str, kind: str | None
) -> None:
    says, good = start(shlex.join(["says", info])), start("good")
    colour = opening.position().turn
    record = play(
        *((says, good) if colour == chess.WHITE else (good, says)), opening, rules=Rules(max_moves=1)
    )
    mine, theirs = record.warnings if colour == chess.WHITE else record.warnings[::-1]
    assert (list(mine), theirs) == ([kind] if kind else [], {})
    assert all(opening.position().fen() in examples[0] for examples in mine.values())
    assert stored(record) == record


def test_an_engine_that_searches_on_is_given_up_beyond_its_nodes_alone(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it prints then is no sign that it will move."""
    monkeypatch.setattr(game, "STALL_UNTIMED", 0.3)
    record = play(start("endless 600"), start("good"), PAWN, (TimeControl(nodes=1500), MINUTE))
    assert (record.result, record.reason, len(record.warnings[0]["node limit overstepped"])) == (
        "0-1",
        STALL,
        1,
    )
    assert re.fullmatch("asked 'go nodes 1500': no answer after .* nodes searched", record.detail)
    monkeypatch.setattr(game, "STALL_UNTIMED", 1.5)
    assert (
        play(start("endless 3"), start("good"), MATE_IN_ONE, (TimeControl(depth=1), MINUTE)).reason
        == "checkmate"
    )


def test_a_death_between_games_is_charged_and_the_engine_comes_back(start: Start) -> None:
    bad, good = start("no-newgame"), start("good")
    endings = [play(bad, good, MATE_IN_ONE) for _ in range(3)]
    assert [record.reason for record in endings] == ["checkmate", CRASH, "checkmate"]
    assert [record.culprit for record in endings] == [None, chess.WHITE, None]


def test_an_engine_that_cannot_be_started_again_ends_the_match(start: Start, tmp_path: Path) -> None:
    bad, good = start(f"no-restart {tmp_path / 'been-here'}"), start("good")
    reasons = [play(bad, good, PAWN).reason for _ in range(FAILED_STARTS)]
    assert reasons == [CRASH] * FAILED_STARTS
    with pytest.raises(StartError, match="no-restart"):
        play(bad, good, PAWN)


def test_adjudication_needs_both_engines_for_long_enough(start: Start) -> None:
    def length(rules: Rules) -> tuple[str, str, int]:
        record = play(start("good"), start("good", "black"), ROOK, rules=rules)
        return record.result, record.reason, len(record.moves)

    assert length(Rules(resign_moves=3, resign_score=900)) == ("1-0", "adjudicated win", 6)
    assert length(Rules(draw_from=4, draw_moves=2, draw_score=1000)) == ("1/2-1/2", "adjudicated draw", 6)
    assert length(Rules(max_moves=5)) == ("1/2-1/2", "adjudicated draw: move limit", 10)


@pytest.mark.parametrize(
    ("fen", "moves", "reason"),
    [
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "", "stalemate"),
        ("8/8/4k3/8/8/3K4/8/8 w - - 0 1", "", "insufficient material"),
        ("4k3/8/8/8/8/8/8/R3K3 w - - 99 80", "a1a2", "fifty moves"),
        (ROOK.fen, "a1a2 e8d8 a2a1 d8e8 a1a2 e8d8 a2a1 d8e8", "threefold repetition"),
    ],
)
def test_draws_need_no_claim(fen: str, moves: str, reason: str) -> None:
    board = chess.Board(fen)
    for move in moves.split():
        assert find_ending(board, [], Rules()) is None
        board.push_uci(move)
    assert find_ending(board, [], Rules()) == ("1/2-1/2", reason)


@pytest.mark.parametrize(
    ("fen", "ending"),
    [
        ("4k3/8/8/8/8/8/8/R3K3 w - - 0 1", Ending("1-0", "tablebase win")),
        ("4k3/8/8/8/8/8/8/R3K3 w - - 90 80", None),  # no longer in time
        ("4k3/8/8/8/8/8/8/R3K3 w - - 40 80", Ending("1-0", "tablebase win")),
        ("4k3/8/8/8/8/8/8/R3K2R w K - 0 1", None),  # tables know no castling
        ("4k3/8/4K3/4P3/8/8/8/8 w - - 7 1", Ending("1-0", "tablebase win")),
        ("4k3/8/8/4P3/4K3/8/8/8 w - - 7 1", Ending("1/2-1/2", "tablebase draw")),
        ("r3k3/8/8/8/8/8/8/4K3 w - - 60 80", Ending("0-1", "tablebase win")),
        ("3rk3/3r4/8/8/8/8/8/R3K2R w - - 0 80", None),  # too many pieces
    ],
)
def test_tablebases_end_games_under_the_fifty_move_rule(
    any_data: Path, fen: str, ending: Ending | None
) -> None:
    board = chess.Board(fen)
    is_known = any_data != DATA or chess.popcount(board.occupied) <= 3  # our own tables have no more pieces
    assert by_tablebase(board, str(any_data / "syzygy")) == (ending if is_known else None)


def test_book_moves_are_part_of_the_history(start: Start) -> None:
    shuffled = Opening(ROOK.fen, chess960=False, moves="a1a2 e8d8 a2a1 d8e8")
    assert shuffled.position().fen() == "4k3/8/8/8/8/8/8/R3K3 w - - 4 3"
    record = play(start("good"), start("good", "black"), shuffled, rules=Rules(max_moves=1))
    read = chess.pgn.read_game(io.StringIO(game_text(record.game({}))))
    assert read is not None
    assert [move.uci() for move in read.mainline_moves()][:4] == shuffled.moves.split()
    assert len(list(read.mainline_moves())) == 6
    assert [node.comment for node in read.mainline()][:4] == ["book"] * 4


def test_chess960_castling_goes_in_and_out(start: Start) -> None:
    fen = "bqnbnrkr/pppppppp/8/8/8/8/PPPPPPPP/BQNBNRKR w HFhf - 3 9"
    controls = TimeControl(nodes=20), MINUTE
    record = play(
        start("good"), start("good", "black"), Opening(fen, chess960=True), controls, Rules(max_moves=4)
    )
    assert record.reason == "adjudicated draw: move limit"
    assert record.moves[0].clock is None
    opening, move = (
        Opening("4k3/8/8/8/8/8/8/R3K3 w Q - 0 1", chess960=True),
        MoveRecord("e1a1", 0.1, None, MateGiven, None, None),
    )
    castled = GameRecord(0, "2026.11.23", opening, "a", "b", (move,), "1/2-1/2", "stalemate")
    assert "1. O-O-O" in game_text(castled.game({}))
    assert stored(castled) == castled


def test_the_last_exact_score_of_the_main_line_is_kept_from_whites_side() -> None:
    lines = [
        "info depth 7 seldepth 9 score cp -35 nodes 1234 pv e2e4 e7e5",
        "info depth 8 nodes 5 currmove a2a3",
    ]
    lines += [
        "info depth 8 score cp 99 lowerbound pv e2e4",
        "info depth 7 multipv 2 score cp 1",
        "info string score cp 5",
    ]
    assert last_info(lines) == Info(7, 1234, -35, None, 1, False, None, ("e2e4", "e7e5"))
    assert last_info(lines[1:]).depth == 8
    assert last_info([]) == Info()
    said = [(Info(cp=-35), chess.engine.Cp(35)), (Info(mate=3), chess.engine.Mate(-3)), (Info(), None)]
    assert all(white_score(info, chess.BLACK) == score for info, score in said)
