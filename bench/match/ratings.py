# SPDX-License-Identifier: GPL-3.0-or-later
"""`coachwhip ratings`: rates the players of PGN files by their results, as Ordo and bayeselo do."""

import argparse
import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

from ...cli.command import CommandError, Parser, file_name, suggestion, warn
from ...cli.files import naming
from ...cli.outputs import require_distinct
from ...cli.table import show
from ...games.adjudication import BLACK_WINS, DRAW, UNFINISHED, WHITE_WINS
from ...games.pgn import PgnError, read_tags, split_games
from ...text import counted, shorten
from ...uci.parse import MAX_NAMED
from .elo import Rating, fit_ratings, groups, likelihood_of_superiority

EPILOG = """\
Ratings make the expected score of every player the actual one: 400 points are 10 to 1, a draw is half a point, and White's advantage is
estimated. Their mean is 0 without --anchor. LOS is the likelihood that a player is stronger than the next one.

example:
  coachwhip ratings games.pgn more.pgn --anchor 'Stockfish 15.1=3500'
"""
RESULTS = (BLACK_WINS, DRAW, WHITE_WINS)
LARGEST = 1e5  # Elo, of an anchor
HEADINGS = ("", "player", "Elo", "+/-", "games", "points", "%", "draws %", "LOS %")
Results = dict[tuple[str, str], list[int]]  # (White, Black) -> White's losses, draws and wins


def main(argv: Sequence[str]) -> int:
    """Run the subcommand."""
    parser = Parser("ratings", "Rate the players of PGN files by the results of their games.", EPILOG)
    parser.add_argument("files", nargs="+", type=file_name, metavar="FILE", help="PGN files; - for standard input")
    about = "the player who has this rating (default: the mean is 0)"
    parser.add_argument("--anchor", type=anchor, metavar="NAME=ELO", help=about)
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
    require_distinct(args.files)
    results, skipped = _read([str(path) for path in args.files])
    _warn("not counted", skipped)
    if not results:
        raise CommandError("there is no finished game to count")
    if args.anchor and args.anchor[0] not in (names := {name for both in results for name in both}):
        raise CommandError(f"--anchor: no player is called {shorten(args.anchor[0])!r}{suggestion(args.anchor[0], names)}")
    parts = groups(results)
    rated = parts[0] if not args.anchor else next(part for part in parts if args.anchor[0] in part)
    if len(rated) < 2:
        raise CommandError(f"no rating can be computed: {_why(rated, results)}")
    left_out = [_why(part, results) for part in parts if part is not rated]
    _warn("not rated", left_out)
    table = rate({both: counts for both, counts in results.items() if rated.issuperset(both)}, args.anchor)
    if args.json:
        print(json.dumps(table | {"not_rated": left_out, "not_counted": skipped}, indent=2))
    else:
        _show(table)
    return 0


def _warn(what: str, messages: Sequence[str]) -> None:
    """Print some of the messages."""
    for message in messages[:MAX_NAMED]:
        warn(f"{what}: {message}")
    if len(messages) > MAX_NAMED:
        warn(f"{what}: {len(messages) - MAX_NAMED} more like these")


def _read(paths: Sequence[str]) -> tuple[Results, list[str]]:
    """Return the results in the files ("-" is standard input), and a message for each game that does not count.

    Raises CommandError, OSError.
    """
    results: Results = {}
    skipped = []
    for path in paths:
        try:
            with naming(path), open(0 if path == "-" else path, "rb", closefd=path != "-") as file:
                for raw in split_games(file):
                    tags = read_tags(raw)
                    white, black = (tags.get(colour, "").strip() for colour in ("White", "Black"))
                    game = f"{path}:{raw.line}: {shorten(white)} - {shorten(black)}"
                    if not white.strip("?") or not black.strip("?") or white == black:
                        skipped.append(f"{game}: not two players")
                    elif tags["Result"] == UNFINISHED:
                        skipped.append(f"{game}: unfinished (*)")
                    else:
                        results.setdefault((white, black), [0, 0, 0])[RESULTS.index(tags["Result"])] += 1
        except PgnError as error:
            raise CommandError(f"{path}: {error}") from error
    return results, skipped


def _why(group: set[str], results: Mapping[tuple[str, str], Sequence[int]]) -> str:
    """Return why a group cannot be compared with the others."""
    names = "; ".join(shorten(name) for name in sorted(group)[:MAX_NAMED]) + "; ..." * (len(group) > MAX_NAMED)
    outside = {both: counts for both, counts in results.items() if group & {*both} and not group.issuperset(both)}
    if not outside:
        return f"{names} never met the other players"
    points, games = 0.0, 0
    for (white, _), (losses, draws, wins) in outside.items():
        points += (wins if white in group else losses) + draws / 2
        games += losses + draws + wins
    if points in (0, games):
        return f"{names} {'won' if points else 'lost'} every game against the other players ({games})"
    return f"{names} won every game against some of the other players and lost every game against the rest"


def rate(results: Mapping[tuple[str, str], Sequence[int]], fixed: tuple[str, float] | None = None) -> dict[str, Any]:
    """Return the ratings of players who can be compared, best first, as --json has them.

    `fixed` is a player and the rating of this player; without it the mean is 0. `error` is half the 95 % interval.
    """
    fit = fit_ratings(results)
    points: dict[str, list[float]] = {name: [] for name in fit.elo}  # of each game
    for (white, black), counts in results.items():
        for half_points, count in enumerate(counts):
            points[white] += [half_points / 2] * count
            points[black] += [1 - half_points / 2] * count
    zero, value = fixed or (None, 0.0)
    shift = value - fit.elo[zero] if fixed else 0.0
    order = sorted(fit.elo, key=lambda name: -fit.elo[name])
    players = []
    for name, following in zip(order, [*order[1:], None], strict=True):
        error, los = 0.0, None
        if name != zero:
            error = fit.error({name: 1, zero: -1} if fixed else {name: 1})
        if following is not None:
            ahead = fit.elo[name] - fit.elo[following]
            los = likelihood_of_superiority(ahead / fit.deviation({name: 1, following: -1}))
        mine = points[name]
        player = {"name": name, "elo": fit.elo[name] + shift, "error": error, "games": len(mine), "points": sum(mine)}
        players.append({**player, "draw_share": mine.count(0.5) / len(mine), "los": los})
    total, drawn = sum(map(sum, results.values())), sum(draws for _, draws, _ in results.values())
    advantage = {"white_advantage": fit.white, "white_advantage_error": fit.error({None: 1})}
    return {"games": total, "draw_share": drawn / total, **advantage, "players": players}


def _show(table: Mapping[str, Any]) -> None:
    rows = []
    for number, player in enumerate(table["players"], start=1):
        games, points = player["games"], player["points"]
        shares = (points / games, player["draw_share"], player["los"])
        percents = ["" if share is None else f"{100 * share:.1f}" for share in shares]
        rating = Rating(player["elo"], player["error"]).cells()
        rows.append([f"{number}", player["name"], *rating, f"{games}", f"{points:g}", *percents])
    white = Rating(table["white_advantage"], table["white_advantage_error"])
    title = f"{counted(table['games'], 'game')}, draws {100 * table['draw_share']:.1f} %, Elo of White's advantage {white} (95 %)"
    show(title, HEADINGS, rows, left=2)
