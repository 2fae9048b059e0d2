# SPDX-License-Identifier: GPL-3.0-or-later
"""The pages of a game in the browser."""

from collections.abc import Mapping
from html import escape
from pathlib import Path

from ...pages.board import BOARDS, PLAYER_LINES, html_page
from ...pages.frame import document
from ...uci.options import MAX_ELO
from .shared import FULL, Table

LEVELS = {
    400: "knows the rules, overlooks pieces",
    1200: "casual player",
    2000: "club player",
    2200: "candidate master",
    2400: "international master",
    2600: "grandmaster",
    MAX_ELO: "world champion",
}  # up to this Elo
BUTTONS = {
    "undo": "Take back",
    "hint": "Hint",
    "threat": "Show the threat",
    "draw": "Offer draw",
    "resign": "Resign",
}


def game_page(game: Table) -> str:
    """Return the page of the game; the script fills it in."""
    levels = {name: f"{name}: {_about(elo)}" if elo else name for name, elo in game.levels.items()}
    level = _choice("level", "Level", levels, str(game.args.elo or FULL))
    color = _choice(
        "color", "You play", {name: name for name in ("white", "black", "random")}, game.args.color
    )
    clock = _choice(
        "clock", "Clock (minutes + seconds a move)", {name: name for name in game.clocks}, game.clock
    )
    buttons = "".join(
        f'<button type="button" data-do="{name}"{" data-ends" * (name != "undo")}>{label}</button>'
        for name, label in BUTTONS.items()
    )
    body = f"""<header><h1>Play against coachwhip</h1><button type="button" id="open">New game</button>
<button type="button" id="mine">My games</button></header>
<main>
<section class="viewer" aria-label="Board">
<div class="stage">{PLAYER_LINES}<div class="bar" role="img" aria-label="Evaluation" hidden><div></div></div>{BOARDS}</div>
<div class="card"><p class="status" aria-live="polite"></p>
<button type="button" data-step="leave" hidden>Back to the game</button>
<p class="message" role="status"></p><p class="trouble" role="alert"></p>
<p class="offer" hidden><span></span> <button type="button" data-do="resume">Go on with it</button>
<button type="button" data-do="discard">Delete it</button></p>
<p id="end" hidden><button type="button" class="primary" id="analyse">Analyse the game: see your mistakes</button>
<button type="button" data-do="rematch">Rematch</button></p>
<p id="analysis" role="group" aria-label="Analysis" hidden><progress aria-label="Positions"></progress> <span></span>
<button type="button" data-do="stop">Stop, and show what there is</button>
<a href="report" data-key>See the mistakes</a></p></div>
<div class="steps">{buttons}<button type="button" id="flip">Flip</button></div>
<div class="evaluation"><label><input type="checkbox" id="shows-lines"> Evaluation and best lines</label>
<ol class="lines" aria-label="Best lines" hidden></ol></div>
<div class="moves record" role="group" aria-label="Moves"></div>
<form class="start steps" id="entry"><label for="text">Move</label>
<input id="text" autocomplete="off" autocapitalize="off" spellcheck="false" placeholder="e4, Nf3, O-O" required>
<button>Make the move</button> <a href="game.pgn" data-key download>Download the PGN</a></form>
</section>
<dialog id="setup" aria-labelledby="heading"><h2 id="heading">New game</h2>
<p>It ends the game on the board.</p>
<form id="new">{level}{color}{clock}
<p><label for="start">Start from a FEN, a position of UCI or a PGN (empty: the start position), or analyse the games of a PGN</label>
<textarea id="start" name="start" rows="3" spellcheck="false"></textarea></p>
<p id="fault" role="alert"></p>
<button>Start a new game</button> <button type="button" id="study">Analyse the PGN</button>
<button type="button" class="close">Cancel</button></form></dialog>
<dialog id="games" aria-labelledby="mine-heading"><h2 id="mine-heading">My games</h2>
<p>No game yet.</p><ul class="games"></ul><button type="button" class="close">Close</button></dialog>
</main>"""
    return html_page(
        "Play", body, Path(__file__).with_name("play.js").read_text(encoding="utf-8"), served=True
    )


def entry_page(key: str) -> str:
    """Return the page that keeps the key, for pages of this address alone, and goes on to the game.

    Where the browser keeps nothing, the key stays in the address.
    """
    body = (
        "<noscript><p>The board needs JavaScript; coachwhip play without --browser does not.</p></noscript>"
    )
    script = f"""let query = "";
try {{ localStorage.setItem("coachwhip", "{key}"); }} catch {{ query = "?key={key}"; }}
location.replace("/" + query);"""
    return document("Play", body, script, served=True)


def _about(elo: int) -> str:
    return next(words for limit, words in LEVELS.items() if elo <= limit)


def _choice(name: str, label: str, options: Mapping[str, str], chosen: str) -> str:
    items = "".join(
        f'<option value="{escape(value)}"{" selected" * (value == chosen)}>{escape(text)}</option>'
        for value, text in options.items()
    )
    return f'<p><label for="{name}">{label}</label> <select id="{name}" name="{name}">{items}</select></p>'
