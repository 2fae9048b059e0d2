# SPDX-License-Identifier: GPL-3.0-or-later
"""The person's games, as the page lists them."""

import chess

from ...games.adjudication import DRAW, UNFINISHED, win
from ...games.pgn import RawGame, game_text, read_tags
from .game import Game
from .kept import Drafts

LISTED = 200  # games


def my_games(game: Game, drafts: Drafts) -> list[dict[str, str]]:
    """Return the game on the board, one that was left, and those of games.pgn, the newest first.

    Each has its date, opponent, colour of the person, result in words and PGN; one in progress also what goes
    on with it: "board" (it is there), "resume" or "start" (from this PGN). Raises OSError, PgnError.
    """
    shown = [("board", RawGame(1, game.pgn()))] if game.is_played else []
    left = [("resume", RawGame(1, game_text(drafts.left.tree)))] if drafts.left else []
    return [
        _row(goes_on, raw)
        for goes_on, raw in [*shown, *left, *(("start", raw) for raw in drafts.finished()[:LISTED])]
    ]


def _row(goes_on: str, raw: RawGame) -> dict[str, str]:
    tags = read_tags(raw)
    side, result = tags.get("White") == "Human", tags["Result"]
    words = {UNFINISHED: "not finished", DRAW: "draw", win(side): "won"}.get(result, "lost")
    return {
        "date": tags.get("Date", "?"),
        "opponent": tags.get("Black" if side else "White", "?").partition(",")[0],
        "side": chess.COLOR_NAMES[side],
        "result": words,
        "text": raw.text,
        "goes_on": goes_on if result == UNFINISHED else "",
    }
