# SPDX-License-Identifier: GPL-3.0-or-later
"""The search's techniques one by one: what must be exact is, down to plain minimax, and every switch does what it says."""

import oracle
import pytest
from coachwhip.bench import bench
from coachwhip.bench.lab.techniques import SWITCHES
from coachwhip.core.engine import Engine, Position, SearchResult

MATE = 32000
PLAIN = {"use_alpha_beta": 1, "use_captures_first": 1, "use_qsearch": 1, "use_tt": 1}  # what an order of moves is tried in
FENS = [fen for fen in bench.read_positions() if Position(fen).legal_moves()]
QUIET = "r1bqk2r/ppppb2p/2n3p1/4pn2/B7/2P2N2/PP1P1PPP/RNBQ1RK1 w kq - 2 8"
TACTICAL = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
BLOCKED = "8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1"  # only the kings move: repetitions from the fifth ply on


def engine(**on: int) -> Engine:
    """An engine with every technique off but those named."""
    return oracle.new_engine(**{**dict.fromkeys(SWITCHES, 0), **on})


def playing(**changes: int) -> Engine:
    """The engine as it plays, with changes."""
    return oracle.new_engine(**changes)


def search(searcher: Engine, fen: str | Position, depth: int, nodes: int = 0) -> SearchResult:
    searcher.clear()
    searcher.prepare()
    return searcher.search(fen if isinstance(fen, Position) else Position(fen), depth=depth, nodes=nodes)


def score(result: SearchResult) -> int:
    assert result.info is not None
    return result.info.score_cp


def minimax(judge: Engine, position: Position, depth: int, line: list[int]) -> int:
    """Plain minimax in Python with the search's draw rules; `line` holds the keys since the root."""
    ply = len(line) - 1
    moves = position.legal_moves()
    clock = int(position.fen().split()[4])
    if ply:
        if position.key in line[max(1, len(line) - 1 - clock) : -1]:
            return 0
        if position.is_draw() and (clock < 100 or moves):
            return 0
    if not moves:
        return -MATE + ply if position.in_check else 0
    if depth == 0:
        return judge.evaluate(position)
    best = -MATE
    for move in moves:
        position.make(move)
        best = max(best, -minimax(judge, position, depth - 1, [*line, position.key]))
        position.undo()
    return best


@pytest.mark.parametrize("fen", [QUIET, TACTICAL, BLOCKED, "8/8/1KP5/3r4/8/8/8/k7 w - - 0 1"])
def test_plain_minimax_visits_every_position_once(fen: str) -> None:
    position = Position(fen)
    for depth in (1, 2, 3):
        result = search(engine(), fen, depth)
        assert result.nodes == sum(position.perft(ply) for ply in range(1, depth + 1))


@pytest.mark.parametrize(
    ("fen", "depth"),
    [
        *((fen, 2) for fen in FENS[::5]),
        (BLOCKED, 6),
        (BLOCKED.replace("0 1", "96 60"), 6),
        ("7k/5Q2/8/6K1/8/8/8/8 w - - 98 90", 2),
    ],
)
def test_minimax_and_alpha_beta_agree_with_python(fen: str, depth: int) -> None:
    position = Position(fen)
    judge = engine()
    expected = minimax(judge, position, depth, [position.key])
    for switches in ({}, {"use_alpha_beta": 1, "use_captures_first": 1, "use_killers": 1, "use_history": 1, "use_pvs": 1}):
        result = search(engine(**switches), fen, depth)
        assert score(result) == expected
        position.make(result.bestmove)
        assert -minimax(judge, position, depth - 1, [Position(fen).key, position.key]) == expected
        position.undo()


def test_safe_techniques_keep_the_value_at_every_depth() -> None:
    exact = engine(use_alpha_beta=1)
    everything = "alpha_beta captures_first see_order killers history mate_distance tt iterative_deepening pvs aspiration"
    names = [f"use_{name}" for name in everything.split()]
    rungs = [engine(**dict.fromkeys(names[: count + 1], 1)) for count in range(1, len(names))]
    rungs += [engine(use_alpha_beta=1, **{name: 1}) for name in names[1:]]
    nodes = [0] * len(rungs)
    for fen in FENS[::4]:
        for depth in (1, 3, 4):
            expected = score(search(exact, fen, depth))
            for index, rung in enumerate(rungs):
                result = search(rung, fen, depth)
                nodes[index] += result.nodes
                assert score(result) == expected, (fen, depth, index)
    assert len(set(nodes)) > len(names)  # the switches do something


def test_quiescence_is_exact_too_with_ordering_and_table() -> None:
    leaf = {"use_alpha_beta": 1, "use_qsearch": 1}
    plain = engine(**leaf)
    full = engine(use_qsearch=1)
    ordered = engine(**leaf, use_captures_first=1, use_see_order=1, use_killers=1, use_history=1, use_pvs=1, use_tt=1)
    for fen in FENS[::6]:
        for depth in (1, 2, 3):
            assert score(search(ordered, fen, depth)) == score(search(plain, fen, depth))
    for fen in (BLOCKED, "8/4k3/4p3/5p2/8/1PKP2P1/b3P2P/8 b - - 0 1"):
        assert score(search(full, fen, 1)) == score(search(plain, fen, 1))


def test_without_alpha_beta_nothing_that_needs_a_window_is_left() -> None:
    alone = engine()
    crowd = "pvs aspiration mate_distance rfp nmp futility lmr probcut killers history"
    together = engine(**{f"use_{name}": 1 for name in crowd.split()}, use_iterative_deepening=0)
    for fen in (QUIET, TACTICAL):
        assert search(together, fen, 3).nodes == search(alone, fen, 3).nodes
        assert score(search(together, fen, 3)) == score(search(alone, fen, 3))


def test_without_alpha_beta_there_is_no_window_to_widen() -> None:
    alone = engine(use_iterative_deepening=1)
    narrow = engine(use_iterative_deepening=1, use_aspiration=1, aspiration_min_depth=2, aspiration_window=4)
    for fen in (QUIET, TACTICAL):
        assert search(narrow, fen, 3).nodes == search(alone, fen, 3).nodes


def test_captures_first_saves_nodes_of_those_that_alpha_beta_spares() -> None:
    """On all positions together; in one of them the first move in the order of generation may be the best by chance."""
    trees = [
        sum(search(engine(**switches), fen, 3).nodes for fen in FENS[::6])
        for switches in ({"use_alpha_beta": 1, "use_captures_first": 1}, {"use_alpha_beta": 1}, {})
    ]
    assert trees == sorted(trees)
    assert len(set(trees)) == 3


def test_a_history_that_learns_from_evaluations_saves_nodes() -> None:
    trees = [sum(search(playing(use_swing=swing), fen, 10).nodes for fen in FENS[::6]) for swing in (1, 0)]
    assert trees[0] < trees[1]


@pytest.mark.parametrize("depth", [2, 3])
def test_ordered_root_moves_save_nodes(depth: int) -> None:
    """Of plain alpha-beta; as the engine plays, whose later iterations know the best move, the order of the others tells little."""
    searchers = [engine(**PLAIN, use_iterative_deepening=1, use_root_order=order) for order in (1, 0)]
    trees = [sum(search(searcher, fen, depth).nodes for fen in FENS) for searcher in searchers]
    assert trees[0] < trees[1]


@pytest.mark.parametrize("switch", ["use_threat_escape", "use_check_order"])
def test_an_order_of_quiet_moves_without_history_saves_nodes(switch: str) -> None:
    trees = [sum(search(engine(**PLAIN, **{switch: on}), fen, 4).nodes for fen in FENS[::6]) for on in (1, 0)]
    assert trees[0] < trees[1]


def test_the_asked_depth_at_once() -> None:
    depths: list[int] = []
    searcher = playing(use_iterative_deepening=0)
    searcher.prepare()
    result = searcher.search(Position(QUIET), depth=5, on_info=lambda info: depths.append(info.depth))
    assert depths == [5]
    assert result.info is not None
    assert result.info.pv[0] == result.bestmove


def test_a_broken_off_search_without_iterations_still_has_a_score_and_a_move() -> None:
    searcher = playing(use_iterative_deepening=0)
    for stop in (True, False):
        searcher.clear()
        searcher.prepare()
        if stop:
            searcher.stop()
        result = searcher.search(Position(TACTICAL), depth=40, nodes=0 if stop else 20_000)
        assert result.info is not None
        assert result.info.depth == 1
        assert result.bestmove in Position(TACTICAL).legal_moves()


def test_without_a_depth_to_go_for_it_deepens() -> None:
    searcher = playing(use_iterative_deepening=0)
    result = search(searcher, QUIET, 0, nodes=20_000)
    assert result.info is not None
    assert result.info.depth > 2


def test_pruning_does_not_need_null_windows() -> None:
    """Without PVS each of these still changes the trees, and all of them together make them smaller."""
    fens = FENS[:8]
    names = ("use_rfp", "use_nmp", "use_futility", "use_tt")

    def nodes(**changes: int) -> list[int]:
        searcher = playing(use_pvs=0, **changes)
        return [search(searcher, fen, 7).nodes for fen in fens]

    pruned = nodes()
    for name in names:
        assert nodes(**{name: 0}) != pruned, name
    assert sum(pruned) < sum(nodes(**dict.fromkeys(names, 0)))


def test_probcut_changes_the_tree_only_where_it_may() -> None:
    on, off = playing(), playing(use_probcut=0)
    assert search(on, TACTICAL, 4).nodes == search(off, TACTICAL, 4).nodes  # shallower than probcut_min_depth
    assert search(on, TACTICAL, 10).nodes != search(off, TACTICAL, 10).nodes
    mate = "7k/8/8/8/8/8/R7/1R5K w - - 0 1"
    assert score(search(on, mate, 8)) == MATE - 3 == score(search(off, mate, 8))


def test_a_wide_enough_beam_is_no_beam() -> None:
    wide = engine(use_alpha_beta=1, use_beam=1, beam_width=64)
    narrow = engine(use_alpha_beta=1, use_beam=1, beam_width=3)
    exact = engine(use_alpha_beta=1)
    worse = 0
    for fen in FENS[:30:3]:
        value = score(search(exact, fen, 3))
        assert score(search(wide, fen, 3)) == value
        result = search(narrow, fen, 3)
        worse += score(result) != value
        assert result.bestmove in Position(fen).legal_moves()
    assert worse


def test_a_beam_of_k_moves_searches_k_moves() -> None:
    position = Position(QUIET)
    moves = len(position.legal_moves())
    one = engine(use_beam=1, beam_width=1)
    result = search(one, QUIET, 2)
    reply = Position(QUIET)
    reply.make(result.bestmove)
    # At the root every move is guessed at, one is kept; its node and, at the horizon, every reply are visited.
    assert result.nodes == moves + 1 + len(reply.legal_moves())


def test_a_beam_tries_the_best_guess_first() -> None:
    """Once the mate is found, each other move costs one node; the mate is not the first move in the order of generation."""
    fen = "k7/8/1K6/8/8/8/8/7R w - - 0 1"
    one, wide = (search(engine(use_beam=1, beam_width=width, use_alpha_beta=1, use_mate_distance=1), fen, 3) for width in (1, 64))
    assert one.bestmove == wide.bestmove == "h1h8"
    assert wide.nodes == one.nodes + len(Position(fen).legal_moves()) - 1


def test_a_beam_sees_mate_and_stalemate() -> None:
    narrow = playing(use_beam=1, beam_width=1)
    assert score(search(narrow, "k7/8/1K6/8/8/8/8/7R w - - 0 1", 3)) == MATE - 1
    narrow.clear()
    narrow.prepare()
    assert score(narrow.search(Position("7k/5Q2/8/6K1/8/8/8/8 w - - 0 1"), depth=2, searchmoves=["g5g6"])) == 0
