# SPDX-License-Identifier: GPL-3.0-or-later
"""The techniques of adversarial search that `coachwhip lab` compares, in the order of its ladder, and the rows made of them.

A technique is a few switches of core/tunables.py; a row is a set of techniques, so what is measured is the engine itself.
Three kinds: a safe one finds the same value with less work, a deeper one looks beyond the asked depth and so answers a
better question, a risky one leaves out moves that it expects not to matter.
"""

from collections.abc import Sequence
from typing import NamedTuple

from ...core import tunables

SAFE = "safe"
DEEPER = "deeper"
RISKY = "risky"

_WIKI = "https://www.chessprogramming.org/"


class Technique(NamedTuple):
    """One rung of the ladder."""

    key: str  # its name on the command line
    title: str
    kind: str  # SAFE, DEEPER or RISKY
    switches: tuple[str, ...]  # tunables that it turns on
    source: str
    text: str

    @property
    def needs(self) -> tuple[str, ...]:
        """Keys of the techniques that its switches need (core/tunables.py), besides alpha-beta, in the order of the ladder."""
        needed = {f"use_{need}" for name, _, needs, _ in tunables.SWITCHES if name in self.switches for need in needs.split()}
        return tuple(each.key for each in TECHNIQUES[2:] if each.key != self.key and needed.intersection(each.switches))


class Row(NamedTuple):
    """One line of the table: an engine's settings, and the line it is compared with."""

    label: str
    kind: str
    keys: tuple[str, ...]  # the techniques in it
    base: int  # index of the row it differs from by one technique; its own for the first
    exact: bool  # whether its values must be those of `base`

    def settings(self) -> dict[str, int]:
        """Every switch of the engine, 1 or 0."""
        on = {switch for key in self.keys for switch in BY_KEY[key].switches}
        return {name: int(name in on) for name in SWITCHES}


SWITCHES = tuple(name for name, *_ in tunables.SWITCHES)

DESCRIBED = (
    Technique(
        "minimax", "minimax", SAFE, (), _WIKI + "Minimax",
        "Every line is followed to the asked depth and the positions at its end are scored by the static evaluation; the side to "
        "move takes the best score, the opponent the worst. Full width, nothing left out: about b^d positions for b moves a position.",
    ),
    Technique(
        "alpha-beta", "alpha-beta, unordered", SAFE, ("use_alpha_beta",), _WIKI + "Alpha-Beta",
        "Once one reply refutes a move, its other replies cannot matter. With the best move always first, Knuth and Moore proved, "
        "about b^(d/2) positions are enough; with moves in the order in which they happen to be generated, far more.",
    ),
    Technique(
        "captures", "+ captures first", SAFE, ("use_captures_first",), _WIKI + "MVV-LVA",
        "Most refutations are captures, so they are tried first, the most valuable victim first and among equals by the least "
        "valuable attacker.",
    ),
    Technique(
        "killers", "+ killers", SAFE, ("use_killers",), _WIKI + "Killer_Heuristic",
        "A quiet move that refuted one move often refutes its neighbours too: the last two such moves of the same ply are tried "
        "right after the captures.",
    ),
    Technique(
        "history", "+ history", SAFE, ("use_history",), _WIKI + "History_Heuristic",
        "The other quiet moves are ordered by how often a move from that square to that square has cut anywhere in the tree.",
    ),
    Technique(
        "threats", "+ threat history", SAFE, ("use_threats",), _WIKI + "History_Heuristic",
        "The history of a move from a square that the other side attacks is kept apart, and so is that of a move to one: to save a "
        "piece is another matter than to move it.",
    ),
    Technique(
        "swing", "+ evaluation swing", SAFE, ("use_swing",), _WIKI + "History_Heuristic",
        "A quiet move that has raised the static evaluation of its side gets a better history at once, one that has lowered it a worse "
        "one, before any search has shown what it is worth.",
    ),
    Technique(
        "escapes", "+ escapes", SAFE, ("use_threat_escape",), _WIKI + "Move_Ordering",
        "A quiet move that takes a piece out of the attack of a less valuable one comes earlier, and one that takes it into such an "
        "attack later, the more so the more the piece is worth: it would be lost even if it is defended.",
    ),
    Technique(
        "check-order", "+ checks earlier", SAFE, ("use_check_order",), _WIKI + "Move_Ordering",
        "Quiet moves that give check come earlier: few replies have to be searched, and a bad check is soon refuted.",
    ),
    Technique(
        "continuation", "+ continuation history", SAFE, ("use_continuation",), _WIKI + "History_Heuristic#Continuation_History",
        "How a quiet move did right after a given move of the opponent's, or after one's own move before that: many good moves are "
        "answers, or the second half of a plan.",
    ),
    Technique(
        "pawn-history", "+ pawn history", SAFE, ("use_pawn_history",), _WIKI + "History_Heuristic",
        "How a quiet move did in positions with the same pawns: the pawns say where the pieces belong.",
    ),
    Technique(
        "capture-history", "+ capture history", SAFE, ("use_capture_history",), _WIKI + "History_Heuristic",
        "Captures of equal victims are ordered by how often such a capture cut.",
    ),
    Technique(
        "mate-distance", "+ mate distance", SAFE, ("use_mate_distance",), _WIKI + "Mate_Distance_Pruning",
        "Where a mate has been found, lines that are already too long to be a shorter one are given up.",
    ),
    Technique(
        "tt", "+ transposition table", SAFE, ("use_tt",), _WIKI + "Transposition_Table",
        "Different move orders reach the same position; what was found the first time is remembered. Up to here a stored score is "
        "taken only if it was searched to the very depth asked for, which keeps the value exact. One thing is not: a draw by "
        "repetition depends on the way to a position, which the table does not know. It needs a search of five plies or more.",
    ),
    Technique(
        "iterative-deepening", "+ iterative deepening", SAFE, ("use_iterative_deepening",), _WIKI + "Iterative_Deepening",
        "Search to depth 1, then 2, then 3. The earlier searches cost little compared with the last, and the moves they found best are "
        "tried first by it; an engine with a clock also has a move at any time. The nodes of all iterations are counted.",
    ),
    Technique(
        "root-order", "+ ordered root moves", SAFE, ("use_root_order",),
        _WIKI + "Root#Move_Ordering",
        "The moves of the root are tried in the order of the nodes that were searched below them so far: one that took much work to "
        "refute comes nearest to being the best.",
    ),
    Technique(
        "pvs", "+ principal variation", SAFE, ("use_pvs",), _WIKI + "Principal_Variation_Search",
        "If the first move is the best, the others need no exact score: a window of no width is enough to show that they are not "
        "better. The rare one that is better is searched again.",
    ),
    Technique(
        "aspiration", "+ aspiration windows", SAFE, ("use_aspiration",), _WIKI + "Aspiration_Windows",
        "Each iteration expects about the last one's score and starts with a narrow window around it, which is widened when the "
        "guess was wrong.",
    ),
    Technique(
        "quiescence", "+ quiescence", DEEPER, ("use_qsearch",), _WIKI + "Quiescence_Search",
        "A position in the middle of an exchange cannot be scored. At the end of each line captures go on until nothing is left "
        "to take; the side to move may stop at any time. It answers a better question than minimax does, so its values differ.",
    ),
    Technique(
        "see-order", "+ losing captures last", SAFE, ("use_see_order",), _WIKI + "Static_Exchange_Evaluation",
        "The exchange on a square is counted out without searching; captures that lose material are tried after the quiet moves. "
        "It pays only once quiescence punishes them: to a static leaf a queen that takes a guarded pawn has won one.",
    ),
    Technique(
        "qs-see", "+ skip losing captures", RISKY, ("use_qs_see",), _WIKI + "Quiescence_Search",
        "Quiescence leaves out captures that lose material by that count, though some are sacrifices that work.",
    ),
    Technique(
        "qs-delta", "+ delta pruning", RISKY, ("use_qs_delta",), _WIKI + "Delta_Pruning",
        "Quiescence leaves out captures that could not lift the score to alpha even if the piece came for free.",
    ),
    Technique(
        "qs-checks", "+ quiet checks", DEEPER, ("use_qs_checks",), _WIKI + "Quiescence_Search#Checks",
        "The first ply of quiescence tries quiet moves that give check and lose nothing, besides the captures.",
    ),
    Technique(
        "qs-evasions", "+ one way out of check", RISKY, ("use_qs_evasions",), _WIKI + "Quiescence_Search#Checks",
        "In check, quiescence tries quiet moves only until one of them is not mated: the other ones rarely matter.",
    ),
    Technique(
        "check-extension", "+ check extension", DEEPER, ("use_check_extension",), _WIKI + "Check_Extensions",
        "A side in check has few replies: its line is searched one ply deeper, so that checks cannot push a threat out of sight.",
    ),
    Technique(
        "upcoming", "+ repetition foreseen", DEEPER, ("use_upcoming",), _WIKI + "Repetitions",
        "Where the side to move can bring back an earlier position with one move, it has at least a draw: seen before the move is made.",
    ),
    Technique(
        "tt-deeper", "+ deeper table entries", DEEPER, ("use_tt_deeper",), _WIKI + "Transposition_Table#Depth",
        "The table's scores of deeper searches are taken too. They know more, so the value differs from a plain search's.",
    ),
    Technique(
        "correction", "+ correction history", DEEPER, ("use_correction",), _WIKI + "Static_Evaluation_Correction_History",
        "The static evaluation is moved by what searches of positions with the same pawns, the same pieces or the same last move have "
        "found it to be off.",
    ),
    Technique(
        "razoring", "+ razoring", RISKY, ("use_razoring",), _WIKI + "Razoring",
        "Near the horizon, a static evaluation far below alpha is believed if captures do not help.",
    ),
    Technique(
        "reverse-futility", "+ reverse futility", RISKY, ("use_rfp",), _WIKI + "Reverse_Futility_Pruning",
        "Near the horizon, a static evaluation far above beta is believed at once.",
    ),
    Technique(
        "null-move", "+ null move", RISKY, ("use_nmp",), _WIKI + "Null_Move_Pruning",
        "If even passing keeps the score above beta, a move will too. Wrong in zugzwang, where passing would be best.",
    ),
    Technique(
        "futility", "+ futility", RISKY, ("use_futility",), _WIKI + "Futility_Pruning",
        "Near the horizon, quiet moves are left out when the static evaluation is too far below alpha for them to help.",
    ),
    Technique(
        "late-move-pruning", "+ late move pruning", RISKY, ("use_lmp",), _WIKI + "Futility_Pruning#Move_Count_Based_Pruning",
        "Near the horizon only the first quiet moves are tried: move ordering puts the others last for a reason.",
    ),
    Technique(
        "history-pruning", "+ history pruning", RISKY, ("use_history_pruning",), _WIKI + "History_Leaf_Pruning",
        "Near the horizon quiet moves are left out that have failed too often elsewhere.",
    ),
    Technique(
        "see-pruning", "+ SEE pruning", RISKY, ("use_see_pruning",), _WIKI + "Static_Exchange_Evaluation",
        "Near the horizon moves are left out that lose more material than the depth could win back.",
    ),
    Technique(
        "lmr", "+ late move reductions", RISKY, ("use_lmr",), _WIKI + "Late_Move_Reductions",
        "Moves ordered late are rarely best: they are searched less deeply, and to full depth only if that surprises.",
    ),
    Technique(
        "aspiration-reduction", "+ aspiration reduction", RISKY, ("use_aspiration_reduction",),
        _WIKI + "Aspiration_Windows",
        "When the score is above the narrow window, the wider search is a ply less deep, up to three: that a move is better is known "
        "sooner, and by how much the next iteration will tell.",
    ),
    Technique(
        "iir", "+ internal iterative reduction", RISKY, ("use_iir",), _WIKI + "Internal_Iterative_Reductions",
        "Without a move from the table to try first, a deep search is dear: it is made a ply shallower, and the next iteration, which "
        "will have a move, makes up for it.",
    ),
    Technique(
        "singular", "+ singular extension", DEEPER, ("use_singular",), _WIKI + "Singular_Extensions",
        "A table move that all others fall short of in a shallower search is followed a ply or two deeper. Where several moves beat beta "
        "instead, the node cuts at once (multi-cut).",
    ),
    Technique(
        "probcut", "+ ProbCut", RISKY, ("use_probcut",), _WIKI + "ProbCut",
        "A shallow search says much about a deep one: a capture that beats beta by a margin in a shallower search cuts at once. "
        "With this rung the ladder has reached the engine as it plays.",
    ),
    Technique(
        "beam", "+ beam search", RISKY, ("use_beam",), "https://en.wikipedia.org/wiki/Beam_search",
        "Only the few moves that a shallow guess likes best are searched at all, at every node. What the guess does not see, the "
        "search never will: the oldest idea of selective search, and the riskiest. Off in play.",
    ),
)  # fmt: skip


def with_new(described: Sequence[Technique]) -> tuple[Technique, ...]:
    """Techniques, and one for each switch that none of them has: those on by default before the last, the others after it."""
    known = {switch for technique in described for switch in technique.switches}
    new: dict[int, list[Technique]] = {0: [], 1: []}
    for switch, default, _, note in tunables.SWITCHES:
        if switch not in known:
            name = switch.removeprefix("use_").replace("_", " ")
            new[default].append(Technique(name.replace(" ", "-"), f"+ {name}", RISKY, (switch,), _WIKI, f"{note}."))
    return (*described[:-1], *new[1], described[-1], *new[0])


TECHNIQUES = with_new(DESCRIBED)
BY_KEY = {technique.key: technique for technique in TECHNIQUES}
ON = {name for name, default, *_ in tunables.SWITCHES if default}
ENGINE = tuple(technique.key for technique in TECHNIQUES if ON.issuperset(technique.switches))  # what plays
ALONE = tuple(BY_KEY)[2:]  # what can be put on plain alpha-beta
MISSING = ENGINE[2:]  # what can be taken from the engine
ORDERED = ("minimax", "alpha-beta", "captures", "killers", "history")  # exact, and free of every table: the judge of moves


def ladder() -> list[Row]:
    """Each technique on top of all those before it."""
    rows = []
    for index, technique in enumerate(TECHNIQUES):
        keys = tuple(each.key for each in TECHNIQUES[: index + 1])
        rows.append(Row(technique.title, technique.kind, keys, max(0, index - 1), technique.kind == SAFE))
    return rows


def each_alone(keys: Sequence[str]) -> list[Row]:
    """Minimax, alpha-beta, and then alpha-beta with one technique of ALONE (and what it needs, each in its own row)."""
    rows = ladder()[:2]
    for key in keys:
        base = 1
        for count in range(1, len(BY_KEY[key].needs) + 2):
            base = _add_row(rows, (*BY_KEY[key].needs, key)[:count], base)
    return rows


def _add_row(rows: list[Row], extra: Sequence[str], base: int) -> int:
    """Add alpha-beta with `extra`, whose last one is what the row is about, unless it is there; returns its index."""
    wanted = {*rows[1].keys, *extra}
    keys = tuple(technique.key for technique in TECHNIQUES if technique.key in wanted)
    technique = BY_KEY[extra[-1]]
    if all(row.keys != keys for row in rows):
        rows.append(Row(f"alpha-beta {technique.title}", technique.kind, keys, base, technique.kind == SAFE))
    return [row.keys for row in rows].index(keys)


def each_missing(keys: Sequence[str]) -> list[Row]:
    """Minimax, the engine as it plays, and then the engine without one technique of MISSING (and without what needs that)."""
    rows = [ladder()[0], Row("the engine", RISKY, ENGINE, 0, exact=False)]
    for key in keys:
        left = tuple(each for each in ENGINE if each != key and key not in BY_KEY[each].needs)
        rows.append(Row(f"without {BY_KEY[key].title.removeprefix('+ ')}", BY_KEY[key].kind, left, 1, exact=False))
    return rows
