# SPDX-License-Identifier: GPL-3.0-or-later
"""The report: one HTML file that needs no other file, to go through analysed games with mouse or keyboard.

Graphs, tables, moves and mistakes are plain HTML; `report.js` shows the positions. Text from a game is written through
`html.escape` or as JSON without `<`. The page's Content-Security-Policy allows only the script `report.js`, and no request.
"""

import json
from base64 import b64encode
from collections.abc import Sequence
from hashlib import sha256
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

import chess
import chess.svg

from . import judge
from .annotate import LINE_PLIES, better_lines
from .study import Line, Side, Step, Study, score_text

HERE = Path(__file__).parent
WIDTH, HEIGHT = 720, 180  # of a graph, in SVG units
DETAILS = {"Event": "", "Site": "", "Date": "", "Round": "round ", "ECO": "", "TimeControl": "", "Termination": ""}
STEPS = (
    ("first", "|&lt;", "First position (Home)"),
    ("back", "&lt;", "One move back (Left)"),
    ("next", "&gt;", "One move forward (Right)"),
    ("last", "&gt;|", "Last position (End)"),
    ("worse", "Next mistake", "Next mistake (N; previous: P)"),
    ("flip", "Flip", "Turn the board (F)"),
)


class _Game(NamedTuple):
    """A study, with values that several parts of the page use."""

    number: int
    study: Study
    steps: dict[int, Step]  # by index of the move

    def link(self, index: int) -> str:
        """The link to the position after move `index`; -1 for the first position."""
        return f"#g{self.number}-{index + 1}"

    def move_text(self, index: int) -> str:
        """The move with its number and sign: `12. Nf3`, `12...Nf6?!`."""
        board = self.study.boards[index]
        return f"{_number(board)}{' ' if board.turn else ''}{self.san(index)}{self.sign(index)}"

    def san(self, index: int) -> str:
        """The move without number and sign."""
        return self.study.boards[index].san(self.study.nodes[index].move)

    def sign(self, index: int) -> str:
        """`?!`, `?`, `??` or nothing."""
        step = self.steps.get(index)
        return step.judgement.sign if step and step.judgement else ""


def page(studies: Sequence[Study], described: str) -> str:
    """The whole file. `described` names the engine and its limit per position."""
    games = [_Game(number, study, {step.at: step for step in study.steps()}) for number, study in enumerate(studies, start=1)]
    script = (HERE / "report.js").read_text(encoding="utf-8")
    data = json.dumps([_data(game) for game in games], separators=(",", ":")).replace("<", "\\u003c")
    digest = b64encode(sha256(script.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    heading = _players(studies[0]) if len(studies) == 1 else f"{len(studies)} games"
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{escape(heading)} - coachwhip</title>
<style>
{(HERE / "report.css").read_text(encoding="utf-8")}</style>
</head>
<body>
{_pieces()}
<header><h1>Game analysis</h1><p>{escape(described)}</p>{_chooser(games)}</header>
<main>
{_viewer()}
<div class="games">
{"".join(map(_game, games))}</div>
</main>
<script type="application/json" id="data">{data}</script>
<script>{script}</script>
</body>
</html>
"""


# --- Parts of the page ---


def _pieces() -> str:
    """The pieces of chess.svg, defined once and used on every board."""
    return f'<svg class="pieces" width="0" height="0" aria-hidden="true"><defs>{"".join(chess.svg.PIECES.values())}</defs></svg>'


def _chooser(games: Sequence[_Game]) -> str:
    if len(games) < 2:
        return ""
    options = "".join(
        f'<option value="{game.number}">{game.number}. {escape(_players(game.study))} {escape(_result(game.study))}</option>'
        for game in games
    )
    return f'<p class="chooser"><label for="game">Game</label> <select id="game">{options}</select></p>'


def _viewer() -> str:
    boards = "".join(
        f'<div class="board" data-side="{name}">{chess.svg.board(None, orientation=colour)}</div>'
        for name, colour in (("white", chess.WHITE), ("black", chess.BLACK))
    )
    buttons = "".join(
        f'<button type="button" data-step="{step}" title="{title}" aria-label="{title}">{text}</button>'
        for step, text, title in STEPS
    )
    return f"""<section class="viewer" aria-label="Position">
<div class="stage"><div class="bar" role="img" aria-label="Evaluation"><div></div></div>{boards}</div>
<div class="steps">{buttons}</div>
<p class="status" aria-live="polite"></p>
<ol class="lines" aria-label="Best lines"></ol>
<noscript><p>The boards need JavaScript; graphs, moves and mistakes are shown without it.</p></noscript>
</section>
"""


def _game(game: _Game) -> str:
    """One game: players, graph, table, moves, mistakes."""
    study = game.study
    headers = study.game.headers
    details = ", ".join(f"{told}{headers[name]}" for name, told in DETAILS.items() if headers.get(name, "?").strip("?. -"))
    left = "" if study.complete else "<p>Not all positions were analysed.</p>"
    return f"""<article class="game" id="game{game.number}" aria-label="Game {game.number}">
<h2>{escape(_players(study))} <span class="result">{escape(_result(study))}</span></h2>
<p class="details">{escape(details)}</p>{left}
{_graph(game)}
{_table(study.sides())}
<h3>Moves</h3>
<p class="moves">{_moves(game)}</p>
{_mistakes(game)}</article>
"""


def _graph(game: _Game) -> str:
    """White's winning chances after every move, as SVG; bad moves are dots."""
    study = game.study
    step = WIDTH / max(len(study.boards) - 1, 1)
    points = [
        (index * step, HEIGHT * (1 - judge.win_percent(look.score) / 100)) for index, look in enumerate(study.looks) if look
    ]
    if not points:
        return ""
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    area = f"{points[0][0]:.1f},{HEIGHT} {line} {points[-1][0]:.1f},{HEIGHT}"
    at = dict(zip((index for index, look in enumerate(study.looks) if look), points, strict=True))
    dots = "".join(
        f'<circle class="{each.judgement.name}" cx="{at[each.at + 1][0]:.1f}" cy="{at[each.at + 1][1]:.1f}" r="5">'
        f"<title>{escape(game.move_text(each.at))}, {each.judgement.name}</title></circle>"
        for each in game.steps.values()
        if each.judgement
    )
    label = f"White's winning chances after each move of {_players(study)}"
    return (
        f'<svg class="graph" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(label)}" data-game="{game.number}">'
        f'<rect class="black" width="{WIDTH}" height="{HEIGHT}"/><polygon class="white" points="{area}"/>'
        f'<line class="level" x1="0" y1="{HEIGHT // 2}" x2="{WIDTH}" y2="{HEIGHT // 2}"/><polyline class="curve" points="{line}"/>'
        f'{dots}<line class="cursor" x1="0" y1="0" x2="0" y2="{HEIGHT}"/></svg>'
    )


def _table(sides: Sequence[Side]) -> str:
    headings = ("player", "accuracy", "average loss", *(each.plural for each in judge.JUDGEMENTS))
    head = "".join(f'<th scope="col">{heading}</th>' for heading in headings)
    rows = []
    for colour, side in zip(("white", "black"), sides, strict=True):
        cells = "".join(f"<td>{cell}</td>" for cell in side.cells())
        rows.append(f'<tr><th scope="row"><span class="{colour} man"></span>{escape(side.name)}</th>{cells}</tr>')
    return f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{"".join(rows)}</tbody></table></div>'


def _moves(game: _Game) -> str:
    """The moves as links; a bad one has its sign and colour."""
    found = []
    for index, board in enumerate(game.study.boards[:-1]):
        step = game.steps.get(index)
        kind = f" {step.judgement.name}" if step and step.judgement else ""
        number = f'<span class="number">{_number(board)}</span>' if board.turn or index == 0 else ""
        name = escape(game.san(index))
        found.append(
            f'{number}<a class="move{kind}" href="{game.link(index)}" data-at="{index + 1}">{name}{game.sign(index)}</a>'
        )
    found.append(escape(_result(game.study)))
    return " ".join(found)


def _mistakes(game: _Game) -> str:
    """The bad moves, each with the best line instead of it."""
    items = []
    for index, step in game.steps.items():
        if not step.judgement:
            continue
        better = "".join(
            f" Better: <span class='line'>{escape(_line_text(game.study.boards[index], line))}</span> ({score_text(line.score)})."
            for line in better_lines(step)[:1]
        )
        items.append(
            f'<li><a class="{step.judgement.name}" href="{game.link(index)}">{escape(game.move_text(index))}</a>'
            f" {score_text(step.before.score)} to {score_text(step.after.score)}.{better}</li>"
        )
    return f'<h3>Mistakes</h3>\n<ul class="mistakes">{"".join(items)}</ul>\n' if items else "<p>No mistakes found.</p>\n"


# --- Data for the script ---


def _data(game: _Game) -> list[dict[str, Any]]:
    """Every position of a game, from the first."""
    return [_position(game, index) for index in range(len(game.study.boards))]


def _position(game: _Game, index: int) -> dict[str, Any]:
    study = game.study
    board, look = study.boards[index], study.looks[index]
    move = _squares(study.boards[index - 1], study.nodes[index - 1].move) if index else None
    told = game.move_text(index - 1) if index else "First position"
    step = game.steps.get(index - 1)
    judgement = step.judgement.name if step and step.judgement else ""
    king = board.king(board.turn) if board.is_check() else None
    found: dict[str, Any] = {"board": board.board_fen(), "move": move, "text": told, "kind": judgement}
    if king is not None:
        found["check"] = chess.square_name(king)
    if look:
        found |= {
            "score": score_text(look.score),
            "win": round(judge.win_percent(look.score), 1),
            "depth": look.depth,
            "lines": [[score_text(line.score), _line_text(board, line)] for line in look.lines if line.moves],
        }
        if look.lines[0].moves:
            found["best"] = _squares(board, look.lines[0].moves[0])
    return found


def _squares(board: chess.Board, move: chess.Move) -> list[str]:
    """Start and target square; for castling those of the king, also in Chess960."""
    target = move.to_square
    if board.is_castling(move):
        target = chess.square(6 if board.is_kingside_castling(move) else 2, chess.square_rank(move.from_square))
    return [chess.square_name(move.from_square), chess.square_name(target)]


def _line_text(board: chess.Board, line: Line) -> str:
    return board.variation_san(line.moves[:LINE_PLIES])


def _number(board: chess.Board) -> str:
    return f"{board.fullmove_number}{'.' if board.turn else '...'}"


def _players(study: Study) -> str:
    return f"{study.game.headers.get('White', '?')} - {study.game.headers.get('Black', '?')}"


def _result(study: Study) -> str:
    return study.game.headers.get("Result", "*")
