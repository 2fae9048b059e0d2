# SPDX-License-Identifier: GPL-3.0-or-later
"""A game and its analysis: the engine's scores of every position of the main line, and the judgements of the moves.

All scores here are from White's side. Positions are analysed from the last to the first, so that the transposition table already
knows the position after a move when the one before it is analysed.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from statistics import fmean
from typing import Any, NamedTuple

import chess
import chess.pgn
from chess.engine import Cp, InfoDict, Limit, PovScore, Score, SimpleEngine

from ..boards import Position
from ..cli.command import CommandError
from ..cli.files import naming
from ..cli.journal import part
from ..games.adjudication import MATE_SCORE, parse_score
from ..games.opening_names import opening
from ..games.pgn import PgnError, is_empty, read_games
from ..text import reason, shorten
from ..uci.parse import MAX_NAMED
from . import judge
from .phases import PHASES, phases

LINE_PLIES = 10  # of a line that is shown; later moves of an engine's line are unreliable
CHOICES = 3  # best moves that the second look finds before a bad move; more follow while the last one is good
LONGER, DEEPER = 4, 2  # time and nodes of the second look are so many times the first one's, its depth so many plies more
SLIP = 180  # centipawns that a move without a mark loses at least to get a reason
OUR_REASON = re.compile(r" ?\(coachwhip: [^()]*\)")  # in a comment
MOVE_NAGS = frozenset(range(1, 7))  # ! ? !! ?? !? ?!


class Line(NamedTuple):
    """A line of play and its score."""

    score: Score
    moves: tuple[chess.Move, ...]


class Analysis(NamedTuple):
    """The engine's analysis of a position: its lines, the best first, and the search depth."""

    lines: tuple[Line, ...]
    depth: int
    choices: tuple[Line, ...] = ()  # where the game goes on with a bad move: the lines of all good moves, and one that is not
    reason: str = ""  # why the move played is bad, in one or two sentences; "" if nothing is sure

    @property
    def score(self) -> Score:
        """The score of the best line."""
        return self.lines[0].score


class JudgedMove(NamedTuple):
    """A move of the game and its judgement."""

    at: int  # index of the move, 0 for the first
    san: str
    move: chess.Move
    white: bool
    before: Analysis
    after: Analysis
    loss_cp: int
    loss: float  # percent points of winning chances
    accuracy: float
    judgement: judge.Judgement | None

    @property
    def is_slip(self) -> bool:
        """Whether it loses much in centipawns, as it may in a decided game without a judgement."""
        before, after = (
            look.score.score(mate_score=MATE_SCORE) * (1 if self.white else -1) for look in (self.before, self.after)
        )
        return before - after >= SLIP and self.before.lines[0].moves[:1] != (self.move,)

    def better_lines(self) -> list[Line]:
        """Return the lines of the position before the move that score better for its player than the move."""
        others = [line for line in self.before.lines if line.moves and line.moves[0] != self.move]
        return [line for line in others if (line.score > self.after.score if self.white else line.score < self.after.score)]


Search = Callable[[chess.Board, int], tuple[Line, ...]]  # returns the best lines of a board with its history, at most so many
# Returns why the first of two lines from a board is worse than the second, "" if nothing is sure, None if it is not worse. The last
# argument is whether the move is marked.
Explain = Callable[[chess.Board, Line, Line, Search, bool], str | None]


class Side(NamedTuple):
    """The results of one player; `accuracy` and `loss_cp` (the mean loss) are None if no move was judged."""

    name: str
    moves: int
    accuracy: float | None
    phases: dict[str, float | None]  # phase -> accuracy
    loss_cp: float | None
    counts: dict[str, int]  # judgement -> how often

    def cells(self) -> list[str]:
        """Return accuracy, also by phase, average loss and counts for a table."""
        accuracies = ["-" if value is None else f"{value:.1f} %" for value in (self.accuracy, *self.phases.values())]
        loss = "-" if self.loss_cp is None else f"{self.loss_cp:.0f}"
        return [*accuracies, loss, *(str(count) if self.moves else "-" for count in self.counts.values())]


class Study:
    """A game and its analysis. A game of an unknown variant, or whose start cannot be read, has no positions."""

    def __init__(self, game: chess.pgn.Game, label: str, *, is_judged: bool = True) -> None:
        """`is_judged` False: the scores are the players' own, so no move is judged."""
        self.game = game
        self.label = label
        self.colours = tuple(chess.COLORS) if is_judged else ()  # whose moves are judged
        self.nodes = list(game.mainline())
        self.boards: list[chess.Board] = []  # without move stacks, which would take many times the memory
        with suppress(ValueError):
            self.boards.append(game.board())
        for node in self.nodes:
            board = self.boards[-1].copy(stack=False)
            board.push(node.move)
            board.clear_stack()
            self.boards.append(board)
        self.analyses: list[Analysis | None] = [None] * len(self.boards)

    @property
    def fault(self) -> str:
        """Return what could not be read, "" if all could."""
        faults = "; ".join(map(reason, self.game.errors[:MAX_NAMED]))
        return faults and f"{self.label}: {faults}"

    @property
    def complete(self) -> bool:
        """Return whether every position has been analysed. A game that is not judged needs no score of its opening."""
        return not self.colours or None not in self.analyses

    def analyse(
        self, engine: SimpleEngine, limit: Limit, multipv: int, advance: Callable[[], None], explain: Explain | None = None
    ) -> None:
        """Let the engine analyse every position. The results so far are kept if an exception or Ctrl-C ends it.

        With `explain`, bad moves get reasons, and the positions before them are searched for the best moves.
        Raises ValueError if the engine does not play this variant, EngineError if it does not accept a position.
        """
        if not self.boards:
            return
        board = self.game.end().board()
        if board.uci_variant != "chess":
            raise ValueError(f"coachwhip plays standard chess and Chess960, not {board.uci_variant}")
        for index, known in self._positions():
            infos = engine.analyse(known, limit, multipv=multipv, game=self)
            self.analyses[index] = Analysis(lines_of(infos), infos[0]["depth"])
            if not (explain and self._is_marked(index)):
                advance()
        if explain:
            marked = set(filter(self._is_marked, range(len(self.nodes))))
            self._look_again(engine, _longer(limit), multipv, marked)

            def search(board: chess.Board, count: int) -> tuple[Line, ...]:
                return lines_of(engine.analyse(for_engine(board), limit, multipv=count, game=self))

            for index, known in self._positions():
                self._explain(index, known, search, explain)
                if index in marked:
                    advance()

    def _positions(self) -> Iterator[tuple[int, chess.Board]]:
        """Yield the positions with their history, as the engine takes it, from the last to the first."""
        board = self.game.end().board()
        for index in range(len(self.nodes), -1, -1):
            yield index, for_engine(board)
            if index:
                board.pop()

    def _is_marked(self, index: int) -> bool:
        move = self.judged_move(index)
        return bool(move and move.judgement)

    def _look_again(self, engine: SimpleEngine, limit: Limit, multipv: int, marked: set[int]) -> None:
        """Search the positions before and after marked moves for longer, those before them for the best moves, too."""
        for index, known in self._positions():
            if index in marked or index - 1 in marked:
                infos = engine.analyse(known, limit, multipv=max(multipv, CHOICES if index in marked else 1), game=self)
                lines = lines_of(infos)
                self.analyses[index] = Analysis(lines[:multipv], infos[0]["depth"], lines if index in marked else ())

    def _explain(self, index: int, board: chess.Board, search: Search, explain: Explain) -> None:
        """Give a bad move its reason, and the position before it all good moves."""
        move, before = self.judged_move(index), self.analyses[index]
        if not move or not before or not (move.judgement or move.is_slip):
            self.analyses[index] = before and before._replace(choices=())
            return
        best, reply = before.lines[0], move.after.lines[0]
        why = explain(board, reply._replace(moves=(move.move, *reply.moves)), best, search, bool(move.judgement))
        if why is None:  # the engine's score is too high
            self.analyses[index] = before._replace(lines=tuple(line._replace(score=Cp(0)) for line in before.lines), choices=())
        else:
            choices = _all_good(board, before.choices or before.lines, search) if move.judgement else ()
            self.analyses[index] = before._replace(choices=choices, reason=why)

    def to_json(self) -> list[Any]:
        """Return the analysis of a game as plain data, for a journal."""

        def plain(lines: Iterable[Line]) -> list[list[str]]:
            return [[str(line.score), *map(chess.Move.uci, line.moves)] for line in lines]

        known = filter(None, self.analyses)
        return [[analysis.depth, plain(analysis.lines), plain(analysis.choices), analysis.reason] for analysis in known]

    def load(self, data: list[Any]) -> None:
        """Take the analysis from what `to_json` returned for this game. Raises ValueError, LookupError, TypeError, AttributeError for another."""

        def read(lines: list[list[str]], board: chess.Board) -> tuple[Line, ...]:
            for _, *moves in lines:
                position = Position.from_board(board)
                for move in moves:
                    position.make(move)
            return tuple(Line(parse_score(score), tuple(map(chess.Move.from_uci, moves))) for score, *moves in lines)

        analyses: list[Analysis | None] = []
        for board, (depth, lines, choices, why) in zip(self.boards, data, strict=True):
            if not lines:
                raise ValueError("a position without a line")
            analyses.append(Analysis(read(lines, board), part(depth, int), read(choices, board), part(why, str)))
        self.analyses = analyses

    def judged_moves(self) -> Iterator[JudgedMove]:
        """Return the moves for which the positions before and after have been analysed; none of a player who is not judged."""
        return filter(None, map(self.judged_move, range(len(self.nodes))))

    def judged_move(self, index: int) -> JudgedMove | None:
        """Return the move with this index; None unless it can be judged."""
        board, before = self.boards[index], self.analyses[index]
        after = self.analyses[index + 1] if index < len(self.nodes) else None
        if not before or not after or board.turn not in self.colours:
            return None
        move, sign = self.nodes[index].move, 1 if board.turn else -1
        chances = [judge.win_percent(look.score) for look in (before, after)]
        drop = sign * (chances[0] - chances[1])
        best = before.lines[0].moves[:1] == (move,)  # then the scores differ only by the search depth
        loss = 0.0 if best else max(0.0, drop)
        loss_cp = 0 if best else max(0, sign * (judge.centipawns(before.score) - judge.centipawns(after.score)))
        is_decided = min(chances) > judge.DECIDED or max(chances) < 100 - judge.DECIDED
        judged = judge.move_accuracy(drop), None if is_decided else judge.judge(loss)
        return JudgedMove(index, board.san(move), move, board.turn, before, after, loss_cp, loss, *judged)

    def sides(self) -> tuple[Side, Side]:
        """Return the results of White and of Black."""
        moves = list(self.judged_moves())
        known = {index: judge.win_percent(analysis.score) for index, analysis in enumerate(self.analyses) if analysis}
        weights = dict(zip(known, judge.weights(list(known.values())), strict=False)) if moves else {}
        return self._side(chess.WHITE, moves, weights), self._side(chess.BLACK, moves, weights)

    def _side(self, colour: chess.Color, both: Sequence[JudgedMove], weights: Mapping[int, float]) -> Side:
        def accuracy(moves: Sequence[JudgedMove]) -> float | None:
            return judge.accuracy([move.accuracy for move in moves], [weights[move.at] for move in moves])

        moves, phase_of = [move for move in both if move.white == colour], phases(self.boards, (node.move for node in self.nodes))
        by_phase = {phase: accuracy([move for move in moves if phase_of[move.at] == phase]) for phase in PHASES}
        counts = {kind.name: sum(move.judgement is kind for move in moves) for kind in judge.JUDGEMENTS}
        loss = sum(move.loss_cp for move in moves) / len(moves) if moves else None
        return Side(player_of(self.game, colour), len(moves), accuracy(moves), by_phase, loss, counts)

    def annotate(self, annotator: str) -> None:
        """Write the results so far into the game; a second call changes nothing.

        Every move gets `[%eval ...]`, as Lichess and GUIs read it, bad moves a NAG, the reason, and the better lines as variations. The
        game keeps its variations and comments, except our earlier reasons; a move that a human annotator has judged keeps that
        judgement and gets no other.
        """
        for node, analysis in zip(self.nodes, self.analyses[1:], strict=True):
            if analysis:
                node.set_eval(PovScore(analysis.score, chess.WHITE))
        for move in self.judged_moves():
            node = self.nodes[move.at]
            comment = OUR_REASON.sub("", node.comment)
            node.comment = f"{comment} (coachwhip: {move.before.reason})".strip() if move.before.reason else comment
            if move.judgement:
                if not MOVE_NAGS & node.nags:
                    node.nags.add(move.judgement.nag)
                for line in move.better_lines():
                    if not node.parent.has_variation(line.moves[0]):
                        node.parent.add_line(line.moves[:LINE_PLIES])
                        node.parent.variation(line.moves[0]).set_eval(PovScore(line.score, chess.WHITE))
        if any(self.analyses):
            self.game.headers.setdefault("Annotator", annotator)
            self.name_opening()

    def name_opening(self) -> None:
        """Add the tags ECO and Opening to a game without them, if the opening has a name."""
        if not self.game.headers.get("Opening", "").strip("?. -") and (names := opening(self.boards)):
            code, name = names
            if not self.game.headers.get("ECO", "").strip("?. -"):
                self.game.headers["ECO"] = code
            self.game.headers["Opening"] = name


def for_engine(board: chess.Board) -> chess.Board:
    """Return the board, without its history if that has null moves, which UCI does not."""
    return board if all(board.move_stack) else board.copy(stack=False)


def _longer(limit: Limit) -> Limit:
    """Return the limit of the second look."""
    more = {name: value * LONGER for name in ("time", "nodes") if (value := getattr(limit, name))}
    return Limit(**more, depth=limit.depth and limit.depth + DEEPER)


def _all_good(board: chess.Board, lines: tuple[Line, ...], search: Search) -> tuple[Line, ...]:
    """Return the lines of all good moves, and of one that is not good, if there is one; the best of them are known."""
    loss = abs(judge.win_percent(lines[0].score) - judge.win_percent(lines[-1].score))
    if loss >= judge.INACCURACY.loss or len(lines) == board.legal_moves.count():
        return lines
    return _all_good(board, search(board, 2 * len(lines)), search)


def lines_of(infos: Sequence[InfoDict]) -> tuple[Line, ...]:
    """Return the lines of python-chess's `analyse` with `multipv`."""
    return tuple(Line(info["score"].white(), tuple(info.get("pv", ()))) for info in infos)


def over_games(results: Iterable[tuple[Side, Side]]) -> list[tuple[int, Side]]:
    """Return the number of games and the mean results of each player of several games, from both players' results in each game."""
    by_name: dict[str, list[tuple[int, Side]]] = {}
    for number, both in enumerate(results):
        for side in both:
            if side.moves and side.name.strip("? "):
                by_name.setdefault(side.name, []).append((number, side))
    players = []
    for name, numbered in by_name.items():
        games, sides = len({number for number, _ in numbered}), [side for _, side in numbered]
        moves = sum(side.moves for side in sides)
        accuracy = _mean(side.accuracy for side in sides)
        by_phase = {phase: _mean(side.phases[phase] for side in sides) for phase in PHASES}
        loss = sum((side.loss_cp or 0) * side.moves for side in sides) / moves
        counts = {kind.name: sum(side.counts[kind.name] for side in sides) for kind in judge.JUDGEMENTS}
        players += [(games, Side(name, moves, accuracy, by_phase, loss, counts))] if games > 1 else []
    return players


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known else None


def colours_of(name: str, game: chess.pgn.Game) -> tuple[chess.Color, ...]:
    """Return which players of a game have all words of `name` in their names, in any order and case."""
    words = {*re.findall(r"\w+", name.casefold())}
    names = {colour: {*re.findall(r"\w+", player_of(game, colour).casefold())} for colour in chess.COLORS}
    return tuple(colour for colour in chess.COLORS if words and words <= names[colour])


def player_of(game: chess.pgn.Game, colour: chess.Color) -> str:
    """Return the name of a player, "?" if the game does not give it."""
    return game.headers.get("White" if colour else "Black", "?")


def read_studies(path: str, name: str = "") -> Iterator[Study]:
    """Yield the games of a file, one by one; each keeps the moves before its fault. Labels call the file `name`.

    Raises CommandError for a file that has no game in it, OSError.
    """
    has_games = False
    try:
        with naming(path), open(path, "rb") as file:
            for number, game in enumerate(read_games(file), start=1):
                has_games = has_games or not is_empty(game)
                yield Study(game, f"{name or path}: game {number} ({title(game)})")
    except PgnError as error:
        raise CommandError(f"{name or path}: {error}") from error
    if not has_games:
        raise CommandError(f"{name or path}: it contains no game")


def title(game: chess.pgn.Game) -> str:
    """Return the players of a game, shortened and printable."""
    return " - ".join(shorten(game.headers.get(colour, "?")) for colour in ("White", "Black"))


def score_text(score: Score) -> str:
    """Return White's score as text: `+0.31`, `0.00`, `#3`, `#-2`; `mate` if the position is checkmate."""
    mate = score.mate()
    if mate is not None:
        return f"#{mate}" if mate else "mate"
    value = score.score()
    return f"{value / 100:+.2f}" if value else "0.00"
