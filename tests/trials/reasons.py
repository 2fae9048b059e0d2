# SPDX-License-Identifier: GPL-3.0-or-later
"""How true the reasons of `analyse` are, judged by another engine, by hand: `reasons.py COMMAND... --pgn FILE --judge STOCKFISH`.

Each COMMAND (two or more versions of coachwhip) analyses the first games of the file at `--nodes` and, with `--stable`, at 100,000 and
400,000 nodes. The judge searches every position at `--judge-nodes`; its bad moves are a list that serves all versions alike. Prints, for
each version, how many of them have a sentence of mate, draw, material or motif, by sign, and how many of the sentences are agreed, claim
too much, or are contradicted. `--folder` keeps the analyses and the judge's searches, which a later call uses again.

A gain is the least one, over the judge's answers within 5 points of winning chances of its best one, at the first quiet position
(neither side can win material at once) of its lines, not before a promotion. One pawn with a piece is not counted, as the sentences do not name it.
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
from itertools import islice
from pathlib import Path
from typing import Any

import chess
import chess.pgn
from chess.engine import Limit, SimpleEngine

from coachwhip.coach import judge
from coachwhip.coach.exchange import Evaluator
from coachwhip.games.adjudication import MATE_SCORE, parse_score

VALUES = {"queen": 9, "rook": 5, "bishop": 3, "knight": 3, "pawn": 1, "exchange": 2}
NUMBERS = {"a": 1, "an": 1, "the": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8}
PIECES = re.compile(rf"({'|'.join(NUMBERS)}) (new )?({'|'.join(VALUES)})s?")
MOVE = re.compile(r"(\d+)\.(\.\.)?\s?([A-Za-z][\w=+#-]*)(?: ([A-Z][\w=+#-]*|[a-h][\w=+#-]*\d[\w=+#-]*|O-O(?:-O)?[+#]?))?")
MOTIF = re.compile(
    r"(forks|pins|skewers|discovers|traps|attacks the pinned|gives double check|gives a discovered check|promotes|takes an)"
)
LOST, FAR = 5.0, 10.0  # points of winning chances


class Judge:
    """The other engine, with a memory on disk."""

    def __init__(self, command: str, nodes: int, path: Path) -> None:
        self.command, self.nodes, self.path, self.evaluator = command, nodes, path, Evaluator()
        lines = path.read_text().splitlines() if path.exists() else []
        self.known: dict[str, Any] = dict(map(json.loads, lines))
        self.engine: SimpleEngine | None = None

    def lines(self, board: chess.Board, count: int = 1) -> list[tuple[chess.engine.Score, list[chess.Move]]]:
        """Return the best lines with their scores from the side to move."""
        key = f"{board.fen()} {count}"
        if key not in self.known:
            self.engine = self.engine or SimpleEngine.popen_uci(self.command)
            infos = self.engine.analyse(board.copy(stack=False), Limit(nodes=self.nodes), multipv=count)
            self.known[key] = [[str(info["score"].white()), *(move.uci() for move in info.get("pv", ()))] for info in infos]
            with self.path.open("a") as file:
                print(json.dumps([key, self.known[key]]), file=file)
        sign = 1 if board.turn else -1
        scores = ((parse_score(score), moves) for score, *moves in self.known[key])
        return [(score if sign > 0 else -score, list(map(chess.Move.from_uci, moves))) for score, moves in scores]

    def chances(self, board: chess.Board, side: chess.Color) -> float:
        """Return the winning chances of a side, 0 to 100."""
        if board.is_checkmate():
            return 0.0 if board.turn == side else 100.0
        score = chess.engine.Cp(0) if board.is_game_over() else self.lines(board)[0][0]
        return judge.win_percent(score if board.turn == side else -score)

    def loss(self, board: chess.Board, move: chess.Move) -> float:
        """Return the points of winning chances that a move loses."""
        return self.chances(board, board.turn) - self.chances(after(board, move), board.turn)

    def gain(self, board: chess.Board, start: chess.Board) -> int:
        """Return what the side that has just moved to `board` wins against every good answer, compared to `start`, in pawns."""
        side, gains = not board.turn, []
        if board.is_game_over():
            return balance(board, side) - balance(start, side)
        lines = self.lines(board, 3)
        for score, moves in lines:
            if judge.win_percent(lines[0][0]) - judge.win_percent(score) >= LOST:
                continue
            at, last = board.copy(stack=False), max((ply for ply, move in enumerate(moves[:14]) if move.promotion), default=0)
            for ply, move in enumerate(moves[:14]):
                at.push(move)
                if ply >= last and self.evaluator.is_settled(at):
                    break
            gains.append(balance(at, side) - balance(start, side))
        return min(gains)


def after(board: chess.Board, move: chess.Move) -> chess.Board:
    board = board.copy()
    board.push(move)
    return board


def balance(board: chess.Board, side: chess.Color) -> int:
    counts = ((VALUES[chess.piece_name(kind)], kind) for kind in range(chess.PAWN, chess.KING))
    return sum(value * (len(board.pieces(kind, side)) - len(board.pieces(kind, not side))) for value, kind in counts)


def kind_of(sentence: str) -> str:
    """Return what a sentence names: mate, draw, material, motif; other for the rest, "" for none."""
    if not sentence:
        return ""
    if re.search(r"\bmate\b|^Mates", sentence):
        return "mate"
    if re.search(r"\bdraws?\b", sentence):
        return "draw"
    if "which" in sentence and MOTIF.search(sentence) and "wins" not in sentence:
        return "motif"
    return "material" if re.match(r"(Loses|Misses|Allows a new)", sentence) or " wins " in sentence else "other"


def quoted(sentence: str, board: chess.Board, move: chess.Move) -> list[chess.Board] | None:
    """Return the boards along the first moves that a sentence quotes, from the position before or after the move played."""
    for start in (board, after(board, move)):
        match = next((found for found in MOVE.finditer(sentence) if found), None)
        if not match or int(match[1]) != start.fullmove_number or bool(match[2]) == start.turn:
            continue
        boards = [start]
        for word in re.findall(
            r"(?:\d+\.(?:\.\.)?)?([A-Za-z][\w=+#-]*)", sentence[match.start() :].split(" ... ", maxsplit=1)[0]
        ):
            try:
                boards.append(after(boards[-1], boards[-1].parse_san(word)))
            except ValueError:
                break
        if len(boards) > 1:
            return boards
    return None


def claimed(sentence: str) -> int:
    """Return the pawns of material that a sentence claims, the least that its words allow."""
    text = (
        re.sub(r"\d.*?(, which wins|$)", "", sentence, count=1)
        if not sentence.startswith("Misses") or ":" in sentence
        else sentence
    )
    won, _, given = text.partition(" for ")
    value = [
        sum(NUMBERS[number] * (8 if new else VALUES[name]) for number, new, name in PIECES.findall(part)) for part in (won, given)
    ]
    return value[0] - value[1] - (1 if re.search("queen|rook|bishop|knight", won) and "pawn" not in sentence else 0)


def geometry(sentence: str, boards: list[chess.Board]) -> bool:
    """Return whether the motif that is named is on the board after the last move quoted."""
    motif = MOTIF.search(sentence)
    if not motif or len(boards) < 2:
        return not motif
    before, board = boards[-2], boards[-1]
    move, side = board.peek(), not board.turn
    words = re.findall("|".join((*VALUES, "king")), sentence[motif.end() :].split(".", maxsplit=1)[0])
    hits = [
        chess.piece_name(board.piece_type_at(square) or 6)
        for square in board.attacks(move.to_square)
        if board.color_at(square) == board.turn
    ]
    lines = []
    for slider in chess.SquareSet(board.occupied_co[side]):
        if board.piece_type_at(slider) in (chess.BISHOP, chess.ROOK, chess.QUEEN):
            for front in board.attacks(slider):
                without = board.copy(stack=False)
                without.remove_piece_at(front)
                new = (without.attacks(slider) & chess.SquareSet(chess.ray(slider, front))) - board.attacks(slider)
                lines += [(slider, front, back) for back in new if board.color_at(front) == board.color_at(back) == board.turn]
    name = motif[1]
    if name == "forks":
        return not Counter(words[:2]) - Counter(hits)  # "two pawns" has one word
    if name in ("pins", "attacks the pinned"):
        return any(chess.piece_name(board.piece_type_at(front) or 6) == words[0] for _, front, _ in lines)
    if name == "skewers":
        pairs = [(front, back) for slider, front, back in lines if slider == move.to_square]
        return any([chess.piece_name(board.piece_type_at(square) or 6) for square in pair] == words[:2] for pair in pairs)
    if name in ("discovers", "gives a discovered check"):
        targets = board.pieces(chess.PIECE_NAMES.index(words[0]) if name == "discovers" else chess.KING, board.turn)
        sliders = chess.SquareSet(before.occupied_co[side]) - chess.SquareSet.from_square(move.from_square)
        return any((board.attacks(slider) - before.attacks(slider)) & targets for slider in sliders)
    if name == "traps":
        return words[0] in hits
    if name == "takes an":
        return before.is_capture(move) and not before.attackers(not side, move.to_square)
    return len(board.checkers()) > 1 if name == "gives double check" else bool(move.promotion)


def verdict(sentence: str, board: chess.Board, move: chess.Move, judging: Judge, *, is_marked: bool = True) -> str:
    """Return agreed, too much, or contradicted."""
    kind, boards, mover = kind_of(sentence), quoted(sentence, board, move), board.turn
    if not boards or not geometry(sentence, boards):
        return "contradicted"
    is_reply = boards[0].turn != mover
    first, best_side = boards[1], boards[0].turn
    if is_marked and judging.loss(board, move) < LOST:
        return "contradicted"
    if judging.chances(boards[0], best_side) - judging.chances(first, best_side) >= FAR:
        return "contradicted"
    if kind == "mate":
        score = chess.engine.MateGiven if first.is_checkmate() else -judging.lines(first)[0][0]
        return (
            "agreed"
            if score.score(mate_score=MATE_SCORE) > MATE_SCORE // 2
            else "too much"
            if judging.chances(first, best_side) > 90
            else "contradicted"
        )
    if kind == "draw":
        end = judging.lines(boards[-1])[0][0] if not boards[-1].is_game_over() else chess.engine.Cp(0)
        before = judging.lines(board)[0][0].score(mate_score=MATE_SCORE)
        return "agreed" if abs(end.score(mate_score=MATE_SCORE)) <= 30 and (abs(before) > 30 or not is_reply) else "contradicted"
    gain = judging.gain(first, board)
    claim = 1 if kind == "motif" else claimed(sentence)
    if kind == "motif":
        return "agreed"
    return "agreed" if gain >= claim else "too much" if gain > 0 else "contradicted"


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


def sentences(game: dict[str, Any]) -> dict[int, tuple[str, bool]]:
    """Return the sentences of a game by ply, and whether the move is marked."""
    return {move["ply"]: (move["reason"] or "", bool(move["judgement"])) for move in game["moves"]}


def same(one: str, other: str) -> bool:
    """Return whether two sentences name the same kind, the same largest piece and the same first move."""

    def core(text: str) -> tuple[object, ...]:
        names = [name for _, _, name in PIECES.findall(re.split(r"\d", text)[0] if ":" in text else text)]
        match = MOVE.search(text)
        return kind_of(text), max(names, key=lambda name: VALUES[name], default=""), match and match.group(0).split()[0]

    return core(one) == core(other)


def report(command: str, pgn: Path, args: argparse.Namespace, judging: Judge) -> None:
    """Print the figures of one version."""
    games, seconds = analysed(command, pgn, args.nodes, args.folder)
    spoken: Counter[str] = Counter()
    total: Counter[str] = Counter()
    verdicts: Counter[str] = Counter()
    unmarked: Counter[str] = Counter()
    others, texts = 0, []
    for game in games:
        known, boards = sentences(game), [chess.Board(position["fen"]) for position in game["positions"]]
        for move in game["moves"]:
            board, played = boards[move["ply"] - 1], chess.Move.from_uci(move["uci"])
            reason, is_marked = known[move["ply"]]
            is_reason = kind_of(reason) not in ("", "other")
            if mark := judge.judge(judging.loss(board, played)):
                total[mark.sign] += 1
                spoken[mark.sign] += is_reason
            others += kind_of(reason) == "other"
            if is_reason:
                said = verdict(reason, board, played, judging, is_marked=is_marked)
                (verdicts if is_marked else unmarked)[said] += 1
                texts.append((said, is_marked, board.fen(), board.variation_san([played]), reason))
    print(f"{command}: {len(games)} games, {seconds:.0f} s")
    print(
        "  with a sentence:",
        ", ".join(f"{sign} {spoken[sign]}/{total[sign]}" for sign in ("??", "?", "?!")),
        f"; of part 5: {others}",
    )
    print("  marked:", dict(verdicts), "not marked:", dict(unmarked))
    if args.stable:
        few, many = ([sentences(game) for game in analysed(command, pgn, nodes, args.folder)[0]] for nodes in (100_000, 400_000))
        pairs = [
            (one[ply][0], two[ply][0]) for one, two in zip(few, many, strict=True) for ply in one if one[ply][0] or two[ply][0]
        ]
        print(f"  stable: {sum(same(*pair) for pair in pairs)} of {len(pairs)}")
    for text in texts if args.show else ():
        print("   ", *text, sep=" | ")


# Position, move, and a sentence about it that is false: the judge's own examination.
FALSE = (
    ("6k1/p4pp1/7p/8/5n2/2R5/P4PPP/6K1 w - - 0 1", "Rc1", "Loses a queen: 1...Ne2+ forks king and rook."),
    ("6k1/p4pp1/7p/8/5n2/2R5/P4PPP/6K1 w - - 0 1", "Rc1", "Loses a rook: 1...Ne2+ forks queen and rook."),
    ("6k1/p4pp1/7p/8/5n2/2R5/P4PPP/6K1 w - - 0 1", "Rc1", "Loses a rook: 1...Nd3 forks rook and pawn."),
    ("4r1k1/pp3ppp/8/8/4N3/5P2/PP4PP/4KR2 w - - 0 1", "a3", "Loses a knight: 1...h6 pins the knight."),
    ("4r1k1/pp3ppp/8/8/4N3/5P2/PP4PP/4KR2 w - - 0 1", "a3", "Allows mate: 1...f5."),
    ("3r2k1/5ppp/8/8/8/8/1R3PPP/6K1 w - - 0 1", "Rb7", "Loses a rook: 1...Rd1+ skewers king and rook."),
    ("3r2k1/5ppp/8/8/8/8/1R3PPP/6K1 w - - 0 1", "h3", "Loses a pawn: 1...Rd1+."),
    ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "f3", "Loses a pawn: 1...e5."),
    (
        "rnbqkbnr/pppp1ppp/8/4p3/6P1/5P2/PPPPP2P/RNBQKBNR b KQkq g3 0 2",
        "d6",
        "Misses a pawn: 2...d5 discovers an attack on the queen.",
    ),
    ("4k3/pp3ppp/3b4/8/8/4P3/PP3PPP/2B2K2 b - - 0 1", "Bxh2", "Lets White draw by stalemate: 2.g3."),
)


def examine(judging: Judge) -> int:
    """Return how many of the false sentences the judgement rejects."""
    rejected = 0
    for fen, san, sentence in FALSE:
        board = chess.Board(fen)
        said = verdict(sentence, board, board.parse_san(san), judging)
        rejected += said != "agreed"
        print("accepted:" if said == "agreed" else f"{said}:", sentence)
    return rejected


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("commands", nargs="+")
    parser.add_argument("--pgn", type=Path, required=True)
    parser.add_argument("--judge", default="/usr/games/stockfish")
    parser.add_argument("--judge-nodes", type=int, default=600_000)
    parser.add_argument("--nodes", type=int, default=150_000)
    parser.add_argument("--games", type=int, default=1000)
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
        print(f"false sentences rejected: {examine(judging)} of {len(FALSE)}")
        for command in args.commands:
            report(command, pgn, args, judging)
    finally:
        if judging.engine:
            judging.engine.quit()


if __name__ == "__main__":
    main()
