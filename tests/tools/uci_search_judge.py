# SPDX-License-Identifier: GPL-3.0-or-later
"""Judges the output of one search: its lines agree with the rules, with each other and with the options."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import uci_grammar as grammar
from played import Game, Key
from short_mates import Prover

ONE_MOVE = "[a-h][1-8][a-h][1-8][nbrq]?"
INFO = re.compile(
    r"info depth (\d+) seldepth (\d+) multipv (\d+) score (cp|mate) (-?\d+)(?: (lowerbound|upperbound))?(?: wdl (\d+) (\d+) (\d+))?"
    rf" nodes (\d+) nps (\d+) hashfull (\d+) tbhits (\d+) time (\d+)(?: pv ({ONE_MOVE}(?: {ONE_MOVE})*))?"
)
CURRMOVE = re.compile(rf"info depth (\d+) currmove ({ONE_MOVE}) currmovenumber (\d+)")
BEST = re.compile(rf"bestmove ({ONE_MOVE})(?: ponder ({ONE_MOVE}))?")
MESSAGES = ("searchmoves: ignored, not legal here: ", "book move ", "only ", "SyzygyPath: ")
SHORT = 3  # moves to a mate that is proven by trying everything
LEAST_NODES = 2_000  # about so many a search makes before a stop or a limit takes effect, unless depth 1 is finished
MATE = 100_000  # centipawns that a mate counts as, when scores are compared


class Fault(Exception):
    """What the engine must not do."""


@dataclass(slots=True)
class Report:
    """An `info` line with a score."""

    depth: int
    multipv: int
    is_mate: bool
    score: int
    bound: str
    nodes: int
    pv: list[str]

    @property
    def value(self) -> int:
        """Comparable: centipawns, mates beyond them."""
        if not self.is_mate:
            return self.score
        return MATE - self.score if self.score > 0 else -MATE - self.score


class SearchJudge:
    """Judges searches. `tally` counts what was checked."""

    def __init__(self, prover: Prover, tally: Counter[str]) -> None:
        self._prover = prover
        self._proven: dict[tuple[Key, str, int], bool | None] = {}
        self.tally = tally

    def judge(
        self, game: Game | None, go: grammar.Go, options: Mapping[str, str | None], lines: Sequence[str], best: str
    ) -> None:
        """Raise Fault if something is wrong. `game` None: the position is not known. `lines`: those before the `bestmove`."""
        if game is not None and not game.node.any_move():
            score = "mate" if game.node.in_check else "cp"
            if list(lines) != [f"info depth 0 score {score} 0"] or best != "bestmove (none)":
                raise Fault(f"no legal move: {lines} {best}")
            return
        if game is None:
            return
        chess960 = options["UCI_Chess960"] == "true"
        wanted = self._wanted(game, go, chess960)
        messages = [line[12:] for line in lines if line.startswith("info string ")]
        self._judge_messages(messages, go, game)
        from_book = any(message.startswith("book move ") for message in messages)
        reports = self._reports(game, lines, None if from_book else options["UCI_ShowWDL"] == "true", chess960)
        for report in reports:
            self._judge_report(game, report, wanted, go, chess960)
        self._judge_order(reports, game, wanted, options, bool(messages))
        self._judge_best(game, best, reports, chess960)

    @staticmethod
    def _wanted(game: Game, go: grammar.Go, chess960: bool) -> set[str]:
        """The moves that may be searched, as the engine writes them; empty for all."""
        steps = [step for move in go.searchmoves if (step := game.node.step(move))]
        return {step.written(chess960) for step in steps}

    @staticmethod
    def _judge_messages(messages: Sequence[str], go: grammar.Go, game: Game) -> None:
        for message in messages:
            if not message.startswith(MESSAGES):
                raise Fault(f"unexpected message: {message}")
        illegal = any(game.node.step(move) is None for move in go.searchmoves)
        told = sum(message.startswith("searchmoves") for message in messages)
        if told != illegal:
            raise Fault(f"searchmoves {' '.join(go.searchmoves)[:100]}: {told} messages instead of {int(illegal)}")

    def _reports(self, game: Game, lines: Sequence[str], with_wdl: bool | None, chess960: bool) -> list[Report]:
        found = []
        for line in lines:
            if line.startswith("info string "):
                continue
            if match := CURRMOVE.fullmatch(line):
                step = game.node.step(match[2])
                if step is None or step.written(chess960) != match[2]:
                    raise Fault(f"currmove is not legal in {game.fen(True)}: {line}")
                continue
            match = INFO.fullmatch(line)
            if match is None:
                raise Fault(f"malformed: {line!r}")
            self._judge_numbers(line, match, with_wdl)
            pv = match[15].split(" ") if match[15] else []
            found.append(
                Report(int(match[1]), int(match[3]), match[4] == "mate", int(match[5]), match[6] or "", int(match[10]), pv)
            )
        self.tally["reports"] += len(found)
        return found

    @staticmethod
    def _judge_numbers(line: str, match: re.Match[str], with_wdl: bool | None) -> None:
        """`with_wdl` None: a book move has no probabilities."""
        wdl = match.group(7, 8, 9)
        if with_wdl is not None and (wdl[0] is not None) != with_wdl:
            raise Fault(f"wdl is missing or unasked: {line}")
        if wdl[0] is not None and sum(map(int, wdl)) != 1000:
            raise Fault(f"the sum of wdl is not 1000: {line}")
        nodes, nps, hashfull, time = (int(match[index]) for index in (10, 11, 12, 14))
        if nps != nodes * 1000 // max(time, 1) or hashfull > 1000:
            raise Fault(f"nps or hashfull are wrong: {line}")

    def _judge_report(self, game: Game, report: Report, wanted: set[str], go: grammar.Go, chess960: bool) -> None:
        if go.depth is not None and report.depth > go.depth:
            raise Fault(f"depth {report.depth} under a limit of {go.depth}")
        if not report.pv:
            if not report.bound:
                raise Fault("an exact report without a line")
            return
        if wanted and report.pv[0] not in wanted:
            raise Fault(f"the line begins with {report.pv[0]}, and searchmoves are {sorted(wanted)}")
        end = self._play(game, report.pv, chess960)
        if report.is_mate:
            self._judge_mate(game, report, end)

    def _play(self, game: Game, pv: Sequence[str], chess960: bool) -> Game:
        """Play a line to its end."""
        after = game.copy()
        for index, move in enumerate(pv):
            step = after.node.step(move)
            if step is None or step.written(chess960) != move:
                raise Fault(f"illegal: {move} in the line {' '.join(pv)} from {game.fen(True)}")
            if index and (after.clock >= 100 or after.node.is_dead or after.keys.count(after.node.key) >= 3):
                raise Fault(f"the game is over before {move} in the line {' '.join(pv)} from {game.fen(True)}")
            after.push(step)
        self.tally["pv moves"] += len(pv)
        return after

    def _judge_mate(self, game: Game, report: Report, end: Game) -> None:
        """An announced mate is there; a bound announces one only in its direction."""
        mate_in = report.score
        if report.bound == ("upperbound" if mate_in > 0 else "lowerbound"):
            return
        plies = 2 * mate_in - 1 if mate_in > 0 else -2 * mate_in
        mated = end.node.in_check and not end.node.any_move()
        if mate_in == 0 or len(report.pv) > plies or (len(report.pv) == plies) != mated:
            raise Fault(f"mate {mate_in} with the line {' '.join(report.pv)} from {game.fen(True)}")
        if abs(mate_in) > SHORT:
            self.tally["mates too long to prove"] += 1
            return
        key = game.node.key, report.pv[0], mate_in
        if key not in self._proven:
            self._proven[key] = self._prover.is_sound(f"{game.node.text(False)} 0 1", report.pv[0], mate_in)
        sound = self._proven[key]
        if sound is False:
            raise Fault(f"mate {mate_in} by {report.pv[0]} is not there: {game.fen(True)}")
        self.tally["mates too wide to prove" if sound is None else "mates proven"] += 1

    def _judge_order(
        self, reports: Sequence[Report], game: Game, wanted: set[str], options: Mapping[str, str | None], told: bool
    ) -> None:
        """The lines of an iteration are numbered from 1, each with another first move, best first."""
        groups: list[list[Report]] = []
        for report in reports:
            if report.bound:
                continue
            if report.multipv == 1:
                groups.append([])
            if not groups or report.multipv != len(groups[-1]) + 1:
                raise Fault(f"a line of number {report.multipv} after {len(groups[-1]) if groups else 0}")
            groups[-1].append(report)
        if not groups:
            raise Fault("no exact report")
        lines = min(int(options["MultiPV"] or 1), len(wanted or game.node.moves()))
        for group in groups:
            self._judge_group(group, lines, exempt=told or options["UCI_LimitStrength"] == "true")

    @staticmethod
    def _judge_group(group: Sequence[Report], lines: int, exempt: bool) -> None:
        firsts = [report.pv[0] for report in group]
        if len(set(firsts)) < len(firsts):
            raise Fault(f"two lines begin with the same move: {firsts}")
        if len(group) > lines or (len(group) < lines and not exempt and group[-1].nodes < LEAST_NODES):
            raise Fault(f"{len(group)} lines instead of {lines}")
        for better, worse in pairwise(group):
            if better.depth == worse.depth and better.value < worse.value:
                raise Fault(f"line {worse.multipv} is better than line {better.multipv}: {worse.value} and {better.value}")

    def _judge_best(self, game: Game, best: str, reports: Sequence[Report], chess960: bool) -> None:
        match = BEST.fullmatch(best)
        if match is None:
            raise Fault(f"malformed: {best!r}")
        step = game.node.step(match[1])
        if step is None or step.written(chess960) != match[1]:
            raise Fault(f"illegal: {best} in {game.fen(True)}")
        exact = [report for report in reports if report.multipv == 1 and not report.bound]
        if exact[-1].pv[0] != match[1]:
            raise Fault(f"{best} after a line that begins with {exact[-1].pv[0]}")
        self.tally["best moves"] += 1
        if match[2]:
            reply = step.after.step(match[2])
            if reply is None or reply.written(chess960) != match[2] or not reply.after.any_move():
                raise Fault(f"illegal, or it ends the game: {best} in {game.fen(True)}")
