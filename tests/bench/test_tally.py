# SPDX-License-Identifier: GPL-3.0-or-later
"""What a tally counts, and what standings make of it."""

import re

import chess
import chess.pgn
import pytest
from coachwhip.bench.engines.faults import CRASH, ILLEGAL_MOVE, TIME_LOSS
from coachwhip.bench.match.page import course, elo_levels
from coachwhip.bench.match.record import GameRecord
from coachwhip.bench.match.schedule import Pairing
from coachwhip.bench.match.sprt import Sprt
from coachwhip.bench.match.standings import describe, one_line, summary
from coachwhip.bench.match.tally import Tally

from coachwhip.games.openings import Opening

OPENING = Opening(chess.STARTING_FEN, chess960=False)


def finish(tally: Tally, number: int, white: int, black: int, result: str, reason: str = "checkmate") -> None:
    """Count a game without moves."""
    record = GameRecord(number, "2026.11.23", OPENING, "a", "b", (), result, reason)
    tally.add(Pairing(number, OPENING, white, black), record)


def test_a_tally_counts_each_game_once_and_names_the_culprit() -> None:
    tally = Tally()
    finish(tally, 0, 0, 1, "1-0")
    finish(tally, 0, 0, 1, "0-1")
    finish(tally, 1, 1, 0, "1/2-1/2")
    finish(tally, 3, 1, 0, "1-0", CRASH)
    finish(tally, 2, 0, 1, "0-1", TIME_LOSS)
    finish(tally, 4, 0, 1, "0-1", ILLEGAL_MOVE)
    finish(tally, 5, 1, 0, "0-1", ILLEGAL_MOVE)
    assert tally.games(0, 1) == (2, 1, 3)
    assert tally.games(1, 0) == (3, 1, 2)
    assert tally.pairs(0, 1) == (1, 0, 1, 1, 0)
    assert tally.pairs(1, 0) == (0, 1, 1, 0, 1)
    assert tally.faults == {(0, TIME_LOSS): 1, (0, CRASH): 1, (0, ILLEGAL_MOVE): 1, (1, ILLEGAL_MOVE): 1}
    report = describe(tally, ["a", "b"], Sprt(0, 5))
    assert "+2 =1 -3, 41.7 %, draws 16.7 %" in report
    assert "a: time loss 1, illegal move 1, crash 1, stall 0" in report
    assert "b: time loss 0, illegal move 1, crash 0, stall 0" in report
    assert "[-2.944, 2.944], undecided" in report
    assert len(course(tally, None)) == 3


def test_pairs_are_judged_while_a_game_is_still_open() -> None:
    """Each opening is won by White: games look random, pairs do not, and an open pair must not hide that."""
    tally = Tally()
    for number in range(11):
        finish(tally, number, number % 2, 1 - number % 2, "1-0")
    report = describe(tally, ["a", "b"])
    assert "11 games, +6 =0 -5" in report
    assert (
        "Elo unknown, too few different results (95 %, from pairs (0, 0, 5, 0, 0), "
        "1 without their other half not counted)" in report
    )
    for number in range(12, 18, 2):
        finish(tally, number, 0, 1, "1-0")
    assert "from single games" in describe(tally, ["a", "b"])


def test_a_tournament_shows_a_rating_only_of_those_who_can_be_compared() -> None:
    """The last lost every game, and intervals wider than 800 show nothing: the rules of a match of two."""
    tally = Tally()
    for number in range(60):
        first, second = [(0, 1), (1, 0), (0, 2), (2, 0)][number % 4]
        finish(tally, number, first, second, "0-1" if number % 4 == 3 or number % 8 < 2 else "1-0")
        if number == 2:
            table = describe(tally, ["a", "b", "c"])
            assert not re.search(r"[+-]\d+\.\d", table)
    rows = [line.split() for line in describe(tally, ["a", "b", "c"]).splitlines()[1:4]]
    assert [row[1] for row in rows] == ["a", "b", "c"]
    assert rows[0][2] == rows[1][2] == "+0.0"
    assert rows[2][2:5] == ["30", "0", "0.0"]  # games, points, share
    assert [engine["elo"] is None for engine in summary(tally, ["a", "b", "c"])["engines"]] == [
        False,
        False,
        True,
    ]


@pytest.mark.parametrize(("result", "games"), [("won", 1), ("lost", 20), ("drawn", 20)])
def test_results_that_are_all_alike_show_no_elo(result: str, games: int) -> None:
    """Their spread is not known: draws do not prove that engines are equal, nor wins infinite strength."""
    tally = Tally()
    for number in range(games):
        won = "1-0" if (number % 2 == 0) == (result == "won") else "0-1"
        finish(tally, number, number % 2, 1 - number % 2, "1/2-1/2" if result == "drawn" else won)
    report = describe(tally, ["a", "b"])
    assert "Elo unknown, too few different results (95 %" in report
    assert not re.search("inf|nan|normalized", report)
    assert "Elo unknown" in one_line(tally, None)
    (meeting,) = summary(tally, ["a", "b"])["meetings"]
    assert (meeting["elo"], meeting["error"], meeting["normalized"]) == (
        0 if result == "drawn" else None,
        None,
        None,
    )
    assert elo_levels(course(tally, None)) == [*range(-20, 21, 5)]
