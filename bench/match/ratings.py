# SPDX-License-Identifier: GPL-3.0-or-later
"""`coachwhip ratings`: rates the players of PGN files by their results, as Ordo and bayeselo do."""

import argparse
import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field

from ...text import shorten
from ...uci.parse import MAX_NAMED
from ..common.adjudication import BLACK_WINS, DRAW, UNFINISHED, WHITE_WINS
from ..common.command import CommandError, Parser, file_name, suggestion, warn
from ..common.files import naming
from ..common.pgn import PgnError, read_tags, split_games
from ..common.table import show
from .elo import fit_ratings, likelihood_of_superiority

EPILOG = """\
Ratings make the expected score of every player the actual one: 400 points are 10 to 1, a draw is half a point, and White's advantage is
estimated. Their mean is 0 without --anchor. LOS is the likelihood that a player is stronger than the next one.

example:
  coachwhip ratings games.pgn more.pgn --anchor 'Stockfish 15.1=3500'
"""
RESULTS = (BLACK_WINS, DRAW, WHITE_WINS)
LARGEST = 1e5  # Elo, of an anchor


@dataclass
class Games:
    """The games of some files: how often each result occurred, and what is not counted."""

    results: dict[tuple[str, str], list[int]] = field(default_factory=dict)  # (White, Black) -> White's losses, draws and wins
    skipped: list[str] = field(default_factory=list)  # a message each

    def add(self, label: str, tags: Mapping[str, str]) -> None:
        """Count a game, unless it is unfinished or a player has no name."""
        white, black = (tags.get(colour, "").strip() for colour in ("White", "Black"))
        game = f"{label}: {shorten(white)} - {shorten(black)}"
        if not white.strip("?") or not black.strip("?") or white == black:
            self.skipped.append(f"{game}: not two players")
        elif tags["Result"] == UNFINISHED:
            self.skipped.append(f"{game}: unfinished (*)")
        else:
            self.results.setdefault((white, black), [0, 0, 0])[RESULTS.index(tags["Result"])] += 1


@dataclass
class Player:
    """A row of the table, as --json has it. `error` is half the 95 % interval; `los` is None for the last player."""

    name: str
    elo: float
    error: float
    games: int
    points: float
    draw_share: float
    los: float | None


@dataclass
class Table:
    """The ratings, best first, as --json has them."""

    games: int
    draw_share: float
    white_advantage: float
    white_advantage_error: float
    players: list[Player]


def main(argv: Sequence[str]) -> int:
    """The subcommand."""
    parser = Parser("ratings", "Rate the players of PGN files by the results of their games.", EPILOG)
    parser.add_argument("files", nargs="+", type=file_name, metavar="FILE", help="PGN files; - for standard input")
    parser.add_argument(
        "--anchor", type=anchor, metavar="NAME=ELO", help="the player who has this rating (default: the mean is 0)"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of text")
    return parser.run(argv, _ratings)


def anchor(text: str) -> tuple[str, float]:
    """Read `NAME=ELO`, as argparse's `type`; the name may have an equals sign in it."""
    name, _, value = text.rpartition("=")
    try:
        elo = float(value)
    except ValueError:
        elo = math.nan
    if not name.strip() or not abs(elo) <= LARGEST:
        raise argparse.ArgumentTypeError(f"expected NAME=ELO, not {text[:60]!r}")
    return name.strip(), elo


def _ratings(args: argparse.Namespace) -> int:
    """Run with the parsed arguments."""
    games = _read([str(path) for path in args.files])
    for message in games.skipped[:MAX_NAMED]:
        warn(f"not counted: {message}")
    if len(games.skipped) > MAX_NAMED:
        warn(f"not counted: {len(games.skipped) - MAX_NAMED} more games of these kinds")
    if not games.results:
        raise CommandError("there is no finished game to count")
    if args.anchor and args.anchor[0] not in (names := {name for both in games.results for name in both}):
        raise CommandError(f"--anchor: no player is called {shorten(args.anchor[0])!r}{suggestion(args.anchor[0], names)}")
    parts = groups(games.results)
    rated = parts[0] if not args.anchor else next(part for part in parts if args.anchor[0] in part)
    if len(rated) < 2:
        raise CommandError(f"no rating can be computed: {_why(rated, games.results)}")
    left_out = [_why(part, games.results) for part in parts if part is not rated]
    for message in left_out[:MAX_NAMED]:
        warn(f"not rated: {message}")
    if len(left_out) > MAX_NAMED:
        warn(f"not rated: {len(left_out) - MAX_NAMED} more players or groups like these")
    table = rate({both: each for both, each in games.results.items() if rated.issuperset(both)}, args.anchor)
    if args.json:
        print(json.dumps(asdict(table) | {"not_rated": left_out, "not_counted": games.skipped}, indent=2))
    else:
        _show(table)
    return 0


def _read(paths: Sequence[str]) -> Games:
    """The games of the files ("-" is standard input). Raises CommandError, OSError."""
    games = Games()
    for path in paths:
        try:
            with naming(path), open(0 if path == "-" else path, "rb", closefd=path != "-") as file:
                for raw in split_games(file):
                    games.add(f"{path}:{raw.line}", read_tags(raw))
        except PgnError as error:
            raise CommandError(f"{path}: {error}") from error
    return games


# --- Who can be compared ---


def groups(results: Mapping[tuple[str, str], Sequence[int]]) -> list[set[str]]:
    """The players in groups whose ratings can be compared, the group with the most games first.

    The ratings of a group are finite if from each of its players a chain of points leads to each other one: A scored against B, who
    scored against C (Ford 1957, Solution of a ranking problem from binary comparisons). Who won all games is alone.
    """
    ahead: dict[str, set[str]] = {name: set() for both in results for name in both}  # against whom a player scored
    behind: dict[str, set[str]] = {name: set() for name in ahead}
    for (white, black), (losses, draws, wins) in results.items():
        for winner, loser, scored in ((white, black, draws + wins), (black, white, draws + losses)):
            if scored:
                ahead[winner].add(loser)
                behind[loser].add(winner)
    parts, missing = [], set(ahead)
    while missing:
        name = next(iter(missing))
        parts.append(_reached(name, ahead) & _reached(name, behind))
        missing -= parts[-1]
    return sorted(parts, key=lambda group: (-sum(map(sum, _within(group, results))), min(group)))


def _reached(start: str, links: Mapping[str, Iterable[str]]) -> set[str]:
    """Return all that can be reached."""
    reached, to_do = {start}, [start]
    while to_do:
        added = set(links[to_do.pop()]) - reached
        reached |= added
        to_do += added
    return reached


def _within(group: set[str], results: Mapping[tuple[str, str], Sequence[int]]) -> list[Sequence[int]]:
    """The results among the players of a group."""
    return [each for both, each in results.items() if group.issuperset(both)]


def _why(group: set[str], results: Mapping[tuple[str, str], Sequence[int]]) -> str:
    """Why a group cannot be compared with the others."""
    names = "; ".join(shorten(name) for name in sorted(group)[:MAX_NAMED]) + "; ..." * (len(group) > MAX_NAMED)
    outside = {both: each for both, each in results.items() if group & {*both} and not group.issuperset(both)}
    if not outside:
        return f"{names} never met the other players"
    points, games = 0.0, 0
    for (white, _), (losses, draws, wins) in outside.items():
        points += (wins if white in group else losses) + draws / 2
        games += losses + draws + wins
    if points in (0, games):
        return f"{names} {'won' if points else 'lost'} every game against the other players ({games})"
    return f"{names} won every game against some of the other players and lost every game against the rest"


# --- Ratings ---


def rate(results: Mapping[tuple[str, str], Sequence[int]], fixed: tuple[str, float] | None = None) -> Table:
    """The ratings of players that can be compared; `fixed` is one of them and its rating, else their mean is 0."""
    names = sorted({name for both in results for name in both})
    index = {name: number for number, name in enumerate(names)}
    fit = fit_ratings(len(names), {(index[white], index[black]): each for (white, black), each in results.items()})
    counts: dict[str, Counter[int]] = {name: Counter() for name in names}  # how often each had no, half a, and a whole point
    for (white, black), each in results.items():
        counts[white].update(dict(enumerate(each)))
        counts[black].update(dict(enumerate(reversed(each))))
    zero = index[fixed[0]] if fixed else None
    shift = fixed[1] - fit.elo[index[fixed[0]]] if fixed else 0.0
    order = sorted(range(len(names)), key=lambda number: -fit.elo[number])
    players = []
    for number, following in zip(order, [*order[1:], None], strict=True):
        error, los = 0.0, None
        if number != zero:
            error = fit.error({number: 1} if zero is None else {number: 1, zero: -1})
        if following is not None:
            ahead = fit.elo[number] - fit.elo[following]
            los = likelihood_of_superiority(ahead / fit.deviation({number: 1, following: -1}))
        mine = counts[names[number]]
        games, points = mine.total(), mine[2] + mine[1] / 2
        players.append(Player(names[number], fit.elo[number] + shift, error, games, points, mine[1] / games, los))
    total, drawn = sum(map(sum, results.values())), sum(draws for _, draws, _ in results.values())
    return Table(total, drawn / total, fit.white, fit.error({len(names): 1}), players)


HEADINGS = ("", "player", "Elo", "+/-", "games", "points", "%", "draws %", "LOS %")


def _show(table: Table) -> None:
    """Print the table for a person."""
    rows = []
    for place, each in enumerate(table.players, start=1):
        los = "" if each.los is None else f"{100 * each.los:.1f}"
        row = [f"{place}", each.name, f"{each.elo:+.1f}", f"{each.error:.1f}", f"{each.games}", f"{each.points:g}"]
        rows.append([*row, f"{100 * each.points / each.games:.1f}", f"{100 * each.draw_share:.1f}", los])
    white = f"White's advantage {table.white_advantage:+.1f} +/- {table.white_advantage_error:.1f} Elo"
    show(f"{table.games} games, draws {100 * table.draw_share:.1f} %, {white} (95 %)", HEADINGS, rows, left=2)
