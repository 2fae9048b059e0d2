# SPDX-License-Identifier: GPL-3.0-or-later
"""The report: one HTML file that needs no other file, to go through analysed games with mouse or keyboard.

Graphs, tables, moves and mistakes are plain HTML; `report.js` shows the positions. Text from a game is
written through `html.escape` or as JSON without `<`.
"""

import json
import re
from collections.abc import Sequence
from functools import partial
from html import escape
from typing import Any

import chess

from ..coach import judge
from ..coach.line import Line
from ..coach.phases import PHASES, RULE
from ..coach.results import Side, over_games, sides
from ..coach.study import LINE_PLIES, AnalysedGame, colours_of, player_of, score_text
from ..games.pgn import game_text
from ..games.pgn_clock import clock_text, span_text, times, used
from .board import BOARDS, PLAYER_LINES, html_page, legal_moves, positions_after, squares
from .frame import HERE, table
from .graph import clocks, graph

DETAILS = {
    "Event": "",
    "Site": "",
    "Date": "",
    "Round": "round ",
    "TimeControl": "time control ",
    "Termination": "",
}
MAX_GAMES = 1000  # of a page: browsers do not hold many more
VARIATIONS = ("Variation", "SubVariation")
STEPS = (  # action of report.js, text of the button, title, key
    ("first", "|&lt;", "First position", "Home"),
    ("back", "&lt;", "One move back", "Left"),
    ("next", "&gt;", "One move forward", "Right"),
    ("last", "&gt;|", "Last position", "End"),
    ("flip", "Flip", "Flip the board", "F"),
    (
        "better",
        '<span class="wide">Previous mistake</span><span class="narrow">&lt;?</span>',
        "Previous mistake",
        "P",
    ),
    ("worse", '<span class="wide">Next mistake</span><span class="narrow">?&gt;</span>', "Next mistake", "N"),
    # A tap on the board does the same. This button is in the card.
    ("leave", "Back to the game", "From a line back to the game", "Esc"),
)
MOVE = re.compile(r"\d+\. \S+|\S+")  # of a line's text, with its number if it has one


class _Game:
    """A study, with values that several parts of the page use."""

    def __init__(self, number: int, study: AnalysedGame, player: str) -> None:
        self.number = number
        self.study = study
        self.side = next(iter(colours_of(player, study.game)), chess.WHITE)  # at the bottom
        self.moves = {move.at: move for move in study.judged_moves()}
        # the judgements of bad moves
        self.judgements = {index: move.judgement for index, move in self.moves.items() if move.judgement}
        # Mistakes with a reason count also in a decided game.
        self.mistakes = [at for at, move in self.moves.items() if move.judgement or study.reason(at)]
        self.times = times(study.game)
        headers = study.game.headers
        # Those marks mean "unknown".
        self.known = {name: value for name, value in headers.items() if value.strip("?. -")}
        self.players = f"{headers.get('White', '?')} - {headers.get('Black', '?')}"
        self.result = headers.get("Result", "*")

    def link(self, index: int) -> str:
        """Return the link to the position after move `index`; -1 for the first position."""
        return f"#g{self.number}-{index + 1}"

    def move_text(self, index: int) -> str:
        """Return the move with its number and sign: `12. Nf3`, `12...Nf6?!`."""
        board = self.study.boards[index]
        return f"{board.fullmove_number}{'. ' if board.turn else '...'}{self.san(index)}"

    def san(self, index: int) -> str:
        """Return the move with its sign, without number."""
        sign = self.judgements[index].sign if index in self.judgements else ""
        return self.study.boards[index].san(self.study.nodes[index].move) + sign

    def kind(self, index: int) -> str:
        """Return the judgement of a move; "" for a good one."""
        return self.judgements[index].name if index in self.judgements else ""

    def lines(self, index: int) -> list[Line]:
        """Return the lines of a position, without those of a finished game."""
        analysis = self.study.analyses[index]
        return [line for line in analysis.lines if line.moves] if analysis else []

    def better(self, index: int) -> Line | None:
        """Return the best line instead of a mistake; None if the move is none, or no line is known."""
        lines = self.moves[index].better_lines() if index in self.mistakes else []
        return lines[0] if lines else None


def page(
    studies: Sequence[AnalysedGame],
    described: str,
    heading: str = "Game analysis",
    summary: str | None = None,
    *,
    player: str = "",
    back: str = "",
) -> str:
    """Return the whole page. `described` names the engine and its limit per position.

    `summary` is HTML to stand above the games; without it, the table of the players who have more than one is
    below them. `player` has the words of the name of whose side is shown; without it, it is who plays all
    games, or White. `back` is the address of the game.
    """
    player = player or _common_player(studies)
    games = [_Game(number, study, player) for number, study in enumerate(studies, start=1)]
    data = json.dumps([*map(_data, games)], separators=(",", ":")).replace("<", "\\u003c")
    footer = (
        "<footer>Accuracy is by Lichess's formula. Signs: ?! for a loss of 7 points of winning chances, "
        "? of 10, ?? of 15, by a short search and a long one; the engine errs by a few points. "
        f"{RULE}</footer>"
    )
    name = games[0].players if len(games) == 1 else f"{len(games)} games"
    way = f'<a href="{escape(back)}">Back to the game</a>' if back else ""
    body = f"""<header><h1>{escape(heading)}</h1>{way}<p>{escape(described)}</p>{_chooser(games)}</header>
{summary or ""}
<main>
{_viewer(games)}
{"".join(map(_article, games))}
</main>
{_players(studies) if summary is None else ""}
{_keys()}
{footer if any(game.moves for game in games) else ""}
<script type="application/json" id="data">{data}</script>"""
    return html_page(name, body, (HERE / "report.js").read_text(encoding="utf-8"), served=bool(back))


# --- Parts of the page ---


def _common_player(studies: Sequence[AnalysedGame]) -> str:
    """Return the name of the one player of all games; "" if there is none."""
    names = [set(map(partial(player_of, study.game), chess.COLORS)) for study in studies]
    common = set.intersection(*names) if names[1:] else ()
    return min(common) if len(common) == 1 else ""


def _data(game: _Game) -> dict[str, Any]:
    """Return what the script needs of a game."""
    positions = [_position(game, index) for index in range(len(game.study.boards))]
    return {"pgn": game_text(game.study.game), "positions": positions}


def _chooser(games: Sequence[_Game]) -> str:
    if len(games) < 2:
        return ""
    options = "".join(
        f'<option value="{game.number}">{game.number}. {escape(game.players)} {escape(game.result)}</option>'
        for game in games
    )
    return f'<p class="chooser"><label for="game">Game</label> <select id="game">{options}</select></p>'


def _players(studies: Sequence[AnalysedGame]) -> str:
    """Return a row for each player of several games; "" if there is none."""
    rows = [[side.name, f"{games}", *side.cells()] for games, side in over_games(map(sides, studies))]
    kinds = (*PHASES, "average loss", *(kind.plural for kind in judge.JUDGEMENTS))
    headings = ("Player", "Games", "Accuracy", *map(str.capitalize, kinds))
    return f'<section class="summary" aria-label="Players">{table(headings, rows)}</section>' if rows else ""


def _keys() -> str:
    """Return the list of keys; hidden without a keyboard."""
    items = "".join(f"<li><kbd>{key}</kbd> {title}</li>" for _, _, title, key in STEPS)
    return f'<ul class="keys" aria-label="Keys">{items}</ul>'


def _viewer(games: Sequence[_Game]) -> str:
    *steps, leave = (
        f'<button type="button" data-step="{step}" title="{title} ({key})" aria-label="{title} ({key})">'
        f"{text}</button>"
        for step, text, title, key in STEPS
    )
    start, exercise = _practise(games)
    return f"""<section class="viewer" aria-label="Position">
<div class="stage">{PLAYER_LINES}<div class="bar" role="img" aria-label="Evaluation"><div></div></div>{BOARDS}</div>
<div class="card"><p class="status" aria-live="polite"></p>{leave} <button type="button" data-play>Play on from here</button>
<p class="why"></p><p class="better line"></p><p class="odds"></p>{exercise}</div>
<div class="steps">{"".join(steps)}</div>
<ol class="lines" aria-label="Best lines"></ol>
<div class="start steps">{start}
<button type="button" data-copy="fen">Copy FEN</button><button type="button" data-copy="pgn">Copy PGN</button></div>
<noscript><p>The boards need JavaScript; graphs, moves and mistakes are shown without it.</p></noscript>
</section>
"""


def _practise(games: Sequence[_Game]) -> tuple[str, str]:
    """Return the choice of a player whose mistakes to practise, and the exercise; "" without mistakes."""
    mistakes: dict[str, list[tuple[float, str]]] = {}  # by player: loss with a minus, "game-position"
    own = [_name(game, game.side) for game in games[:1]]
    for game in games:
        for index in game.judgements:
            if game.lines(index):
                name = _name(game, game.study.boards[index].turn)
                mistakes.setdefault(name, []).append((-game.moves[index].loss, f"{game.number}-{index}"))
    options = "".join(
        f'<option value="{" ".join(place for _, place in sorted(places))}"{" selected" * (name in own)}>'
        f"{escape(name)} ({len(places)})</option>"
        for name, places in mistakes.items()
    )
    if not options:
        return "", ""
    return (
        f"""<button type="button" data-exercise="start">Practise mistakes of</button>
<select id="player" aria-label="Player">{options}</select>""",
        """<p class="verdict" role="status" tabindex="-1"></p>
<form class="exercise"><label>Your move, on the board or here: <input size="6" autocomplete="off" spellcheck="false"></label> <button>Enter</button>
<button type="button" data-exercise="answer">Show the answer</button> <button type="button" data-exercise="next">Next</button>
<button type="button" data-exercise="end">End</button></form>""",
    )


def _name(game: _Game, colour: chess.Color) -> str:
    return player_of(game.study.game, colour).strip("? ") or chess.COLOR_NAMES[colour].capitalize()


def _article(game: _Game) -> str:
    """Return one game: players, moves, graph, table, mistakes."""
    study, known = game.study, game.known
    details = ", ".join(f"{label}{known[name]}" for name, label in DETAILS.items() if name in known)
    opening = ", ".join(
        filter(
            None,
            [
                f"{known.get('ECO', '')} {known.get('Opening', '')}".strip(),
                *(known.get(name) for name in VARIATIONS),
            ],
        )
    )
    named = f'<p class="opening">Opening: {escape(opening)}</p>' if opening else ""
    left = "" if study.complete else "<p>Not all positions were analysed.</p>"
    names = " ".join(
        f'data-{colour.lower()}="{escape(study.game.headers.get(colour, "?"))}"'
        for colour in ("White", "Black")
    )
    dots = [
        (index + 1, kind, game.link(index), f"{game.move_text(index)}, {kind.name}")
        for index, kind in game.judgements.items()
    ]
    chances = [judge.win_percent(analysis.score) if analysis else None for analysis in study.analyses]
    label = f"White's winning chances after each move of {game.players}"
    side = chess.COLOR_NAMES[game.side]
    return f"""<article class="game" id="game{game.number}" aria-label="Game {game.number}" data-side="{side}" {names}>
<div class="about"><h2>{escape(game.players)} <span class="result">{escape(game.result)}</span></h2>
<p class="details">{escape(details)}</p>{named}{left}</div>
<div class="moves" role="group" aria-label="Moves">{_moves(game)}</div>
<div class="below">
{graph(label, study.boards, chances, dots)}
{clocks(f"Clocks of {game.players}", game.times.left)}
{_table(sides(study), used(game.times.spent, study.boards[0].turn))}
<div>{_mistakes(game)}</div></div></article>
"""


def _table(both: Sequence[Side], seconds: Sequence[float | None]) -> str:
    """Return a table with a column for each player, so that it fits a phone, and a row for each figure."""
    headings = (
        "Accuracy",
        *(f"... in the {phase}" for phase in PHASES),
        "Average loss, centipawns",
        *(kind.plural.capitalize() for kind in judge.JUDGEMENTS),
    )
    white, black = map(Side.cells, both)
    rows = [row for row in zip(headings, white, black, strict=True) if row[1:] != ("-", "-")]
    if any(total is not None for total in seconds):
        used_by = ["-" if total is None else span_text(total) for total in seconds]
        rows.append(("Time used", used_by[0], used_by[1]))
    players = "".join(
        f'<th scope="col"><span class="{colour} piece"></span>{escape(side.name)}</th>'
        for colour, side in zip(("white", "black"), both, strict=True)
    )
    body = "".join(
        f'<tr><th scope="row">{name}</th><td>{white}</td><td>{black}</td></tr>' for name, white, black in rows
    )
    return f"<table><thead><tr><td></td>{players}</tr></thead><tbody>{body}</tbody></table>"


def _moves(game: _Game) -> str:
    """Return the moves as links in two columns, each with its score; a bad one has its sign and colour."""
    cells = []
    for index, board in enumerate(game.study.boards[:-1]):
        if board.turn or index == 0:
            cells.append(
                f'<span class="number">{board.fullmove_number}.</span>'
                f"{'' if board.turn else '<span>...</span>'}"
            )
        kind, analysis = f"move {game.kind(index)}".strip(), game.study.analyses[index + 1]
        score = f" <small>{score_text(analysis.score)}</small>" if analysis else ""
        why = game.study.reason(index)
        title = f' title="{escape(why)}"' if why else ""
        cells.append(
            f'<a class="{kind}" href="{game.link(index)}" data-at="{index + 1}"{title}>'
            f"{game.san(index)}{score}</a>"
        )
    return "".join([*cells, f'<span class="result">{escape(game.result)}</span>'])


def _mistakes(game: _Game) -> str:
    """Return the mistakes, each with the best line instead of it."""
    items = []
    for index in game.mistakes:
        move, better = game.moves[index], ""
        if line := game.better(index):
            better = (
                f" Better: <span class='line'>{_line_links(game, index, line)}</span>"
                f" ({score_text(line.score)})."
            )
        items.append(
            f'<li><a class="{game.kind(index)}" href="{game.link(index)}">{escape(game.move_text(index))}</a>'
            f" {score_text(move.before.score)} to {score_text(move.after.score)}. "
            f"{escape(game.study.reason(index))}{better}"
            f' <button type="button" data-play="{index}">Play on from before this move</button></li>'
        )
    if items:
        return f'<h3>Mistakes</h3>\n<ul class="mistakes">{"".join(items)}</ul>\n'
    return "<p>No mistakes found.</p>\n" if game.moves else ""


def _line_links(game: _Game, index: int, line: Line) -> str:
    """Return a line of a position, each move a link to the board after it."""
    start = f"{game.link(index - 1)}-{game.lines(index).index(line) + 1}"
    moves = enumerate(MOVE.findall(_line_text(game.study.boards[index], line)), start=1)
    return " ".join(f'<a href="{start}-{ply}">{escape(move)}</a>' for ply, move in moves)


def _position(game: _Game, index: int) -> dict[str, Any]:
    """Return one position for the script, without empty keys.

    `better` is the best move instead of the last one.
    """
    study = game.study
    board, analysis = study.boards[index], study.analyses[index]
    values: dict[str, Any] = {"fen": board.fen(), "text": "First position", "kind": ""}
    if index:
        before = study.boards[index - 1]
        text = game.move_text(index - 1)
        book = " (book)" if index <= study.book and not game.kind(index - 1) else ""
        values |= {"text": text + book, "kind": game.kind(index - 1)}
        if why := study.reason(index - 1):
            values["why"] = why
        if better := game.better(index - 1):
            line = game.lines(index - 1).index(better) + 1
            values["better"] = {
                **_first_move(before, better),
                "score": score_text(better.score),
                "line": line,
            }
        if (seconds := game.times.spent[index - 1]) is not None:
            values["spent"] = span_text(seconds)
    if analysis:
        odds = judge.odds(board, analysis.score)
        values |= {
            "score": score_text(analysis.score),
            "expected": round(judge.expected_score(odds), 1),
            "odds": judge.whole_percents(odds),
            "lines": [
                [
                    score_text(line.score),
                    _line_text(board, line),
                    positions_after(board, line.moves[:LINE_PLIES]),
                ]
                for line in game.lines(index)
            ],
        }
        if analysis.lines[0].moves:
            values["reply"] = _first_move(board, analysis.lines[0])
    if index in game.judgements and game.lines(index):
        values["exercise"] = _exercise(game, index)
    clocks = game.times.left[index]
    if any(left is not None for left in clocks):
        values["clocks"] = ["" if left is None else clock_text(left) for left in clocks]
    return values


def _exercise(game: _Game, index: int) -> dict[str, Any]:
    """Return what "Practise" needs before a bad move: the moves that were searched, good and bad.

    The good ones, the best first, have UCI, SAN, score and the FEN after it; the bad ones UCI and refutation.
    """
    board, move = game.study.boards[index], game.moves[index]
    known = (*move.before.lines, *move.before.choices)
    lines = {line.moves[0]: line for line in known if line.moves and line.moves[0] != move.move}
    ranked = sorted(lines.values(), key=lambda line: line.score, reverse=board.turn)
    good, bad = [], []
    for line in ranked:
        uci, text = board.uci(line.moves[0]), score_text(line.score)
        if abs(judge.win_percent(ranked[0].score) - judge.win_percent(line.score)) < judge.GOOD:
            good.append((uci, board.san(line.moves[0]), text, positions_after(board, line.moves[:1])[0]))
        else:
            bad.append((uci, f"{text}: {_line_text(board, line)}"))
    after, refutation = game.study.boards[index + 1], move.after.lines[0]
    why = (
        f"{game.study.reason(index)} {score_text(move.before.score)} becomes "
        f"{score_text(refutation.score)}: {_line_text(after, refutation)}"
    )
    bad.append((board.uci(move.move), why.strip(" :")))
    return {"legal": legal_moves(board), "good": good, "bad": bad}


def _first_move(board: chess.Board, line: Line) -> dict[str, Any]:
    """Return the first move of a line: its squares, and its text with the number."""
    return {"move": squares(board, line.moves[0]), "text": board.variation_san(line.moves[:1])}


def _line_text(board: chess.Board, line: Line) -> str:
    return board.variation_san(line.moves[:LINE_PLIES])
