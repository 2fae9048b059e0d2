# SPDX-License-Identifier: GPL-3.0-or-later
"""How true the reasons of `analyse` are, judged by another engine, by hand.

`reasons.py COMMAND... --pgn FILE --judge STOCKFISH`. Each COMMAND (two or more versions of coachwhip)
analyses the first games of the file at `--nodes` and, with `--stable`, at 100,000 and 400,000 nodes. The
judge searches every position at `--judge-nodes`; its bad moves are a list that serves all versions alike.
Prints, for each version, how many of them have a reason, by sign; how many of the claims are agreed, claim
too much, are contradicted, or stand on a move that loses 2.5 to 5 points by the judge ("edge"), by class; and
how the signs stand to the judge's losses. `--folder` keeps the analyses and the judge's searches, which a
later call uses again.

A gain is the least one, over the judge's answers within 5 points of winning chances of its best one, of the
best balance that holds at two settled positions running (neither side can win material at once), compared
with the position before the captures that led to the board. One pawn with a piece is not counted, as the
sentences do not name it.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import subprocess
import time
from collections import Counter
from collections.abc import Sequence
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

import chess
import chess.pgn
from chess.engine import Cp, Limit, MateGiven, Score, SimpleEngine

from coachwhip.boards import Position
from coachwhip.coach import judge, words
from coachwhip.coach.claims import Claim, Draw, Mate, Material, Role, Threat, Trade, from_plain, passed
from coachwhip.coach.exchange import VALUES
from coachwhip.coach.exchange import lead as balance
from coachwhip.coach.line import after
from coachwhip.coach.motifs import SLIDERS, Kind, Motif
from coachwhip.games.adjudication import MATE_SCORE, parse_score

EDGE, LOST, FAR, RISE = 2.5, 5.0, 10.0, 15.0  # points of winning chances
SHORT, LONG = 8, 14  # plies of a line that is continued, and that is looked at
NAMED = {chess.piece_name(kind): value for kind, value in VALUES.items()}
CLASSES = ("agreed", "edge", "too much", "contradicted")


class Judge:
    """The other engine, with a memory on disk."""

    def __init__(self, command: str, nodes: int, path: Path) -> None:
        self.command, self.nodes, self.path = command, nodes, path
        lines = path.read_text().splitlines() if path.exists() else []
        self.known: dict[str, Any] = dict(map(json.loads, lines))
        self.engine: SimpleEngine | None = None

    def lines(self, board: chess.Board, count: int = 1) -> list[tuple[Score, list[chess.Move]]]:
        """Return the best lines with their scores from the side to move."""
        key = f"{board.fen()} {count}"
        if key not in self.known:
            self.engine = self.engine or SimpleEngine.popen_uci(self.command)
            infos = self.engine.analyse(board.copy(stack=False), Limit(nodes=self.nodes), multipv=count)
            self.known[key] = [
                [str(info["score"].white()), *(move.uci() for move in info.get("pv", ()))] for info in infos
            ]
            with self.path.open("a") as file:
                print(json.dumps([key, self.known[key]]), file=file)
        sign = 1 if board.turn else -1
        scores = ((parse_score(score), moves) for score, *moves in self.known[key])
        return [
            (score if sign > 0 else -score, list(map(chess.Move.from_uci, moves))) for score, moves in scores
        ]

    def chances(self, board: chess.Board, side: chess.Color) -> float:
        """Return the winning chances of a side, 0 to 100."""
        if board.is_checkmate():
            return 0.0 if board.turn == side else 100.0
        score = Cp(0) if board.is_game_over() else self.lines(board)[0][0]
        return judge.win_percent(score if board.turn == side else -score)

    def loss(self, board: chess.Board, move: chess.Move) -> float:
        """Return the points of winning chances that a move loses."""
        return self.chances(board, board.turn) - self.chances(after(board, move), board.turn)

    def gain(self, board: chess.Board, start: int) -> int:
        """Return what the side that has just moved wins against every good answer, in pawns.

        It counts from the balance `start` to `board`.
        """
        side = not board.turn
        if board.is_game_over():
            return balance(board, side) - start
        lines = self.lines(board, 3)
        good = [
            moves
            for score, moves in lines
            if judge.win_percent(lines[0][0]) - judge.win_percent(score) < LOST
        ]
        return min(self.kept(board, moves, side) for moves in good) - start

    def kept(self, board: chess.Board, moves: Sequence[chess.Move], side: chess.Color) -> int:
        """Return the best balance that holds at two settled positions of a line running."""
        boards = [board]
        for move in moves[:LONG]:
            boards.append(after(boards[-1], move))
        if len(moves) < SHORT and not boards[-1].is_game_over():
            for move in self.lines(boards[-1])[0][1][: LONG - len(moves)]:
                boards.append(after(boards[-1], move))
        settled = [balance(at, side) for at in boards[1:] if at.is_game_over() or is_settled(at)]
        return max(map(min, pairwise(settled)), default=(settled or [balance(boards[-1], side)])[0])


def is_settled(board: chess.Board) -> bool:
    """Return whether neither side, were it to move, could win material at once."""
    passed = board.copy(stack=False)
    passed.turn, passed.ep_square = not board.turn, None
    return is_quiet(board) and is_quiet(passed)


def is_quiet(board: chess.Board) -> bool:
    """Return whether quiescence would change nothing: no check, and no capture or promotion wins material."""
    position = Position.from_board(board)
    noisy = (move for move in board.legal_moves if move.promotion or board.is_capture(move))
    return not position.in_check and all(position.see(move.uci()) <= 0 for move in noisy)


def claimed(claim: Material) -> int:
    """Return the pawns of material that a claim names, the least that its words allow."""
    if claim.promoted:
        return 8
    won, given = (sum(NAMED[name] for name in names) for names in (claim.won, claim.given))
    return won - given - ("pawn" not in (*claim.won, *claim.given) and set(claim.won) != {"pawn"})


def geometry(motif: Motif, before: chess.Board, board: chess.Board) -> bool:
    """Return whether a motif is on the board after its move."""
    move, side, squares = board.peek(), not board.turn, motif.squares
    hits = board.attacks(move.to_square) & chess.SquareSet(board.occupied_co[board.turn])
    match motif.kind:
        case Kind.FORK:
            return all(square in hits for square in squares)
        case Kind.TRAP:
            return squares[0] in hits
        case Kind.HANGING:
            return before.is_capture(move) and not before.attackers(not side, move.to_square)
        case Kind.DOUBLE_CHECK:
            return len(board.checkers()) > 1
        case Kind.PROMOTION:
            return bool(move.promotion)
        case Kind.DISCOVERED_CHECK:
            return bool(board.checkers() - chess.SquareSet.from_square(move.to_square))
        case Kind.DISCOVERED_ATTACK:
            sliders = board.attackers(side, squares[0]) - before.attackers(side, squares[0])
            return bool(sliders - chess.SquareSet.from_square(move.to_square))
    lines = list(pairs_on_lines(board, side))
    if motif.kind is Kind.SKEWER:
        return (move.to_square, *squares) in lines
    return any(front == squares[0] for _, front, _ in lines)


def pairs_on_lines(
    board: chess.Board, side: chess.Color
) -> list[tuple[chess.Square, chess.Square, chess.Square]]:
    """Return the sliders of a side with two enemies behind each other."""
    found = []
    for slider in chess.SquareSet(board.occupied_co[side]):
        for front in board.attacks(slider) if board.piece_type_at(slider) in SLIDERS else ():
            without = board.copy(stack=False)
            without.remove_piece_at(front)
            behind = (without.attacks(slider) & chess.SquareSet(chess.ray(slider, front))) - board.attacks(
                slider
            )
            found += [
                (slider, front, back)
                for back in behind
                if board.color_at(front) == board.color_at(back) == board.turn
            ]
    return found


def base_of(boards: Sequence[chess.Board], moves: Sequence[chess.Move], ply: int) -> int:
    """Return White's balance before the captures that led to a position of a game."""
    while ply and boards[ply - 1].is_capture(moves[ply - 1]):
        ply -= 1
    return balance(boards[ply], chess.WHITE)


def verdict(
    claim: Claim, board: chess.Board, move: chess.Move, base: int, judging: Judge, *, is_marked: bool = True
) -> str:
    """Return the class of a claim about a move.

    `base` is White's balance before the captures that led to the board.
    """
    boards = [board]
    for each in claim.moves:
        if not boards[-1].is_legal(each):
            return "contradicted"
        boards.append(after(boards[-1], each))
    motif = claim.motif if isinstance(claim, Material) else None
    if motif and not geometry(motif, boards[-2], boards[-1]):
        return "contradicted"
    if is_marked and (loss := judging.loss(board, move)) < LOST:
        return "edge" if loss >= EDGE else "contradicted"
    first = 1 if claim.role is Role.ALLOWS and len(boards) > 2 else 0
    if judging.loss(boards[first], claim.moves[first]) >= FAR:
        return "contradicted"
    return of_kind(claim, boards, first + 1, base, judging)


def of_kind(claim: Claim, boards: Sequence[chess.Board], at: int, base: int, judging: Judge) -> str:
    """Return the class of a claim whose first move that counts, a good one, leads to `boards[at]`."""
    side = boards[at - 1].turn
    match claim:
        case Mate():
            score = MateGiven if boards[at].is_checkmate() else -judging.lines(boards[at])[0][0]
            if score.score(mate_score=MATE_SCORE) > MATE_SCORE // 2:
                return "agreed"
            return "too much" if judging.chances(boards[at], side) > 90 else "contradicted"
        case Draw():
            end = Cp(0) if boards[-1].is_game_over() else judging.lines(boards[-1])[0][0]
            is_level = abs(end.score(mate_score=MATE_SCORE)) <= 30
            before = judging.lines(boards[0])[0][0].score(mate_score=MATE_SCORE)
            return (
                "agreed" if is_level and (abs(before) > 30 or claim.role is Role.MISSES) else "contradicted"
            )
        case Material():
            start = base if claim.role is Role.ALLOWS else balance(boards[0], chess.WHITE)
            gain = judging.gain(boards[at], start if side else -start)
            return "agreed" if gain >= claimed(claim) else "too much" if gain > 0 else "contradicted"
        case Threat():
            then = passed(boards[-1])
            if judging.chances(then, side) - judging.chances(boards[-1], side) >= RISE:
                return "agreed"
            gain = judging.gain(after(then, claim.next[0]), balance(then, side))
            return "agreed" if gain >= 2 else "contradicted"
        case Trade():
            return "agreed" if is_kept(claim, boards, judging) else "contradicted"


def is_kept(claim: Trade, boards: Sequence[chess.Board], judging: Judge) -> bool:
    """Return whether the judge's best line keeps the pieces (or trades them) and is worth 10 points more."""
    player, board = boards[0].turn, boards[0]
    best = judging.lines(board)[0][1]
    at = board
    for move in best[: len(boards) - 1]:
        at = after(at, move)
    kinds = [kind for kind in VALUES if chess.piece_name(kind) in claim.pieces]
    goes = all(
        len(at.pieces(kind, side)) < len(board.pieces(kind, side)) for kind in kinds for side in chess.COLORS
    )
    traded = judging.chances(boards[-1], player)
    if claim.role is Role.MISSES:
        return goes and judging.chances(board, player) - traded < LOST
    return not goes and judging.chances(board, player) - traded >= FAR


def analysed(command: str, pgn: Path, nodes: int, folder: Path) -> tuple[list[dict[str, Any]], float]:
    """Return the games as `analyse --json` reports them, and the seconds it took."""
    path = folder / f"{re.sub(r'[^a-z0-9]+', '-', command.lower()).strip('-')}-{pgn.stem}-{nodes}.json"
    if not path.exists():
        start = time.monotonic()
        environment = {
            name: value for name, value in os.environ.items() if name != "PYTHONPATH"
        }  # else all would run this one's code
        call = [*shlex.split(command), "analyse", str(pgn), "--nodes", str(nodes), "--json"]
        run = subprocess.run(call, capture_output=True, text=True, check=True, env=environment)
        path.write_text(json.dumps([json.loads(run.stdout)["games"], time.monotonic() - start]))
    games, seconds = json.loads(path.read_text())
    return games, seconds


def core(move: dict[str, Any]) -> list[tuple[str, str, tuple[chess.Move, ...]]]:
    """Return what must be the same from one number of nodes to another: kind, largest piece, first move."""
    cores = []
    for claim in map(from_plain, move["claims"]):
        names = (*claim.won, claim.promoted) if isinstance(claim, Material) else ()
        largest = max(filter(None, names), key=NAMED.__getitem__, default="")
        cores.append(
            (type(claim).__name__, largest, claim.moves[:2] if claim.role is Role.ALLOWS else claim.moves[:1])
        )
    return cores


class Tally:
    """The figures of some games of one version."""

    def __init__(self) -> None:
        self.spoken: Counter[str] = Counter()
        self.total: Counter[str] = Counter()  # bad moves by the judge
        self.kept: Counter[bool] = Counter()  # of those that lose 10 points and more: whether there is a sign
        self.signs: Counter[str] = Counter()  # by the judge's loss
        self.classes: Counter[tuple[str, str, str]] = Counter()  # sign, kind, class

    def add(self, game: dict[str, Any], judging: Judge, *, show: bool) -> None:
        """Count a game."""
        boards = [chess.Board(position["fen"]) for position in game["positions"]]
        played = {move["ply"]: chess.Move.from_uci(move["uci"]) for move in game["moves"]}
        for move in game["moves"]:
            ply = move["ply"]
            board, made = boards[ply - 1], played[ply]
            loss, sign = judging.loss(board, made), SIGNS.get(move["judgement"], "")
            if mark := judge.judge(loss):
                self.total[mark.sign] += 1
                self.spoken[mark.sign] += bool(move["claims"])
            if loss >= FAR and not is_decided(judging, board, made):
                self.kept[bool(sign)] += 1
            if sign:
                self.signs["below 2.5" if loss < EDGE else "below 5" if loss < LOST else "5 and more"] += 1
            for claim in map(from_plain, move["claims"]):
                goes_on = board.is_capture(made) and len(played) == len(boards) - 1
                base = (
                    base_of(boards, [*played.values()], ply - 1) if goes_on else balance(board, chess.WHITE)
                )
                said = verdict(claim, board, made, base, judging, is_marked=bool(sign))
                self.classes[sign, type(claim).__name__, said] += 1
                if show:
                    quoted = (
                        f"{board.variation_san([made])}{sign}",
                        words.sentence(claim, board),
                        f"{loss:.1f}",
                    )
                    print("   ", said, board.fen(), *quoted, sep=" | ")

    def of(self, signs: Sequence[str], kind: str = "") -> str:
        """Return the classes of the claims on moves with these signs."""
        counts = Counter[str]()
        for (sign, name, said), number in self.classes.items():
            counts[said] += number * (sign in signs and kind in ("", name))
        total = sum(counts.values()) or 1
        return ", ".join(f"{name} {counts[name]} ({100 * counts[name] / total:.0f} %)" for name in CLASSES)

    def show(self) -> None:
        """Print the figures."""
        print(
            "  with a reason:",
            ", ".join(f"{sign} {self.spoken[sign]}/{self.total[sign]}" for sign in ("??", "?", "?!")),
        )
        print("  claims on signs:", self.of(("??", "?", "?!")))
        print("  on ?? and ?:", self.of(("??", "?")))
        print("  without a sign:", self.of(("",)))
        for kind in sorted({kind for _, kind, _ in self.classes}):
            print(f"  {kind}:", self.of(("??", "?", "?!"), kind))
        print("  signs by the judge's loss:", dict(self.signs), "of 10 and more kept:", dict(self.kept))


SIGNS = {kind.name: kind.sign for kind in judge.JUDGEMENTS}


def is_decided(judging: Judge, board: chess.Board, move: chess.Move) -> bool:
    chances = [judging.chances(at, board.turn) for at in (board, after(board, move))]
    return min(chances) > judge.DECIDED or max(chances) < 100 - judge.DECIDED


def report(command: str, pgn: Path, args: argparse.Namespace, judging: Judge) -> None:
    """Print the figures of one version."""
    games, seconds = analysed(command, pgn, args.nodes, args.folder)
    print(f"{command}: {len(games)} games, {seconds:.0f} s")
    everything, apart = Tally(), Tally()
    for number, game in enumerate(games, start=1):
        everything.add(game, judging, show=args.show)
        if number in args.apart:
            apart.add(game, judging, show=False)
    everything.show()
    if args.apart:
        print("  apart:")
        apart.show()
    if args.stable:
        few, many = (analysed(command, pgn, nodes, args.folder)[0] for nodes in (100_000, 400_000))
        stable, hard = Counter[bool](), Counter[bool]()
        for one, two in zip(few, many, strict=True):
            for pair in zip(one["moves"], two["moves"], strict=True):
                cores = [core(move) for move in pair]
                if any(cores):
                    stable[cores[0] == cores[1]] += 1
                    hard[cores[0] == cores[1]] += all(
                        name in ("Mate", "Draw", "Material") for each in cores for name, *_ in each
                    )
        print(f"  stable: {dict(stable)}; of mates, draws and material alone: {dict(hard)}")


RC1 = "6k1/p4pp1/7p/8/5n2/2R5/P4PPP/6K1 w - - 0 1"
A3 = "4r1k1/pp3ppp/8/8/4N3/5P2/PP4PP/4KR2 w - - 0 1"
RB7 = "3r2k1/5ppp/8/8/8/8/1R3PPP/6K1 w - - 0 1"
START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
FOOL = "rnbqkbnr/pppp1ppp/8/4p3/6P1/5P2/PPPPP2P/RNBQKBNR b KQkq g3 0 2"
BXH2 = "4k3/pp3ppp/3b4/8/8/4P3/PP3PPP/2B2K2 b - - 0 1"
# Position, moves, and a claim about the first (of them, or that its best move is missed) that is false: the
# judge's own examination.
FALSE: tuple[tuple[str, str, str, dict[str, Any]], ...] = (
    (RC1, "c3c1", "f4e2", {"kind": "material", "won": ["queen"], "motif": ("fork", "g1 c1")}),
    (RC1, "c3c1", "f4e2", {"kind": "material", "won": ["rook"], "motif": ("fork", "g1 a2")}),
    (RC1, "c3c1", "f4d3", {"kind": "material", "won": ["rook"], "motif": ("fork", "c1 f2")}),
    (A3, "a2a3", "h7h6", {"kind": "material", "won": ["knight"], "motif": ("pin", "e4")}),
    (A3, "a2a3", "f7f5", {"kind": "mate", "number": 2}),
    (RB7, "b2b7", "d8d1", {"kind": "material", "won": ["rook"], "motif": ("skewer", "g1 b7")}),
    (RB7, "h2h3", "d8d1", {"kind": "material", "won": ["pawn"]}),
    (START, "f2f3", "e7e5", {"kind": "material", "won": ["pawn"]}),
    (
        FOOL,
        "d7d6",
        "",
        {"kind": "material", "won": ["pawn"], "moves": ["d7d5"], "motif": ("discovered attack", "g4")},
    ),
    (BXH2, "d6h2", "g2g3", {"kind": "draw", "ending": "stalemate"}),
)


def examine(judging: Judge) -> int:
    """Return how many of the false claims the judgement rejects."""
    rejected = 0
    for fen, made, answer, values in FALSE:
        board, move = chess.Board(fen), chess.Move.from_uci(made)
        whole = {"role": "allows" if answer else "misses", "moves": [made, answer], **values}
        if values["kind"] == "material":
            whole = {"given": [], **whole}
        if found := values.get("motif"):
            whole["motif"] = {"kind": found[0], "squares": found[1].split()}
        claim = from_plain(whole)
        said = verdict(claim, board, move, balance(board, chess.WHITE), judging)
        rejected += said != "agreed"
        print("accepted:" if said == "agreed" else f"{said}:", words.sentence(claim, board))
    return rejected


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("commands", nargs="+")
    parser.add_argument("--pgn", type=Path, required=True)
    parser.add_argument("--judge", default="/usr/games/stockfish")
    parser.add_argument("--judge-nodes", type=int, default=600_000)
    parser.add_argument("--nodes", type=int, default=150_000)
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument(
        "--apart", type=int, nargs="*", default=(), metavar="GAME", help="games that are also counted apart"
    )
    parser.add_argument("--folder", type=Path, default=Path("reasons-trial"))
    parser.add_argument("--stable", action="store_true", help="also analyse at 100,000 and 400,000 nodes")
    parser.add_argument("--show", action="store_true", help="print all sentences with their verdicts")
    args = parser.parse_args()
    args.folder.mkdir(exist_ok=True)
    pgn = args.folder / f"first-{args.games}-{args.pgn.stem}.pgn"
    with args.pgn.open() as file:
        games = list(islice(iter(lambda: chess.pgn.read_game(file), None), args.games))
    pgn.write_text("".join(f"{game}\n\n" for game in games))
    judging = Judge(args.judge, args.judge_nodes, args.folder / "judge.jsonl")
    try:
        print(f"false claims rejected: {examine(judging)} of {len(FALSE)}")
        for command in args.commands:
            report(command, pgn, args, judging)
    finally:
        if judging.engine:
            judging.engine.quit()


if __name__ == "__main__":
    main()
