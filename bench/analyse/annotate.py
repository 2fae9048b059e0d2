# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes an analysis into its game: `[%eval ...]` comments as Lichess and GUIs read them, NAGs, and better lines as variations.

The game keeps its variations and comments. A move that a human annotator has judged keeps that judgement and gets no other.
"""

import chess
import chess.pgn
from chess.engine import PovScore

from .study import Line, Step, Study

LINE_PLIES = 10  # of a variation; later moves of an engine's line are unreliable
MOVE_NAGS = frozenset(range(1, 7))  # ! ? !! ?? !? ?!


def annotate(study: Study, annotator: str) -> None:
    """Write the results found so far. A second call changes nothing."""
    for node, look in zip(study.nodes, study.looks[1:], strict=True):
        if look:
            node.set_eval(PovScore(look.score, chess.WHITE))
    for step in study.steps():
        if step.judgement:
            _mark(study.nodes[step.at], step)
    if any(study.looks):
        study.game.headers.setdefault("Annotator", annotator)


def _mark(node: chess.pgn.ChildNode, step: Step) -> None:
    """Add the NAG of a bad move, and the better lines."""
    if step.judgement and not MOVE_NAGS & node.nags:
        node.nags.add(step.judgement.nag)
    for line in better_lines(step):
        if not node.parent.has_variation(line.moves[0]):
            _add_line(node.parent, line)


def better_lines(step: Step) -> list[Line]:
    """The lines of the position before a move that score better for its player than the move."""
    after = step.after.score
    return [
        line
        for line in step.before.lines
        if line.moves and line.moves[0] != step.move and (line.score > after if step.white else line.score < after)
    ]


def _add_line(parent: chess.pgn.GameNode, line: Line) -> None:
    node = parent
    for move in line.moves[:LINE_PLIES]:
        node = node.add_variation(move)
    parent.variation(line.moves[0]).set_eval(PovScore(line.score, chess.WHITE))
