# SPDX-License-Identifier: GPL-3.0-or-later
"""MultiPV: the k best moves, each with its own score and line, against plain minimax of every root move."""

import itertools

import chess
import oracle
import pytest
from coachwhip.core.engine import STARTPOS_FEN, Engine, Position, SearchInfo, SearchResult
from coachwhip.core.tunables import TUNABLES

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
MIDDLEGAME = "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10"
ENDGAME = "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1"
# one mate in 1, many longer ones and worse moves
MATES = "r1b2r1k/pppp1Qpp/n3p3/8/2P3n1/N2P4/4N1K1/b1B3R1 w - - 1 18"
MATED = "1n2k3/8/2r1b1P1/pRpn2K1/4P3/P2P4/3N4/2B3q1 w - - 3 29"
FENS = (STARTPOS_FEN, KIWIPETE, MIDDLEGAME, ENDGAME, MATES, MATED)
SWITCHES = tuple(row[0] for row in TUNABLES if row[0].startswith("use_"))
PLAIN = dict.fromkeys(SWITCHES, 0) | {
    "use_alpha_beta": 1,
    "use_iterative_deepening": 1,
    "use_captures_first": 1,
}
NARROW = {"use_aspiration": 1, "aspiration_min_depth": 2, "aspiration_window": 4, "use_pvs": 1}


@pytest.fixture
def engine() -> Engine:
    engine = oracle.new_engine(hash_mb=4)
    engine.prepare()
    return engine


def search(engine: Engine, fen: str, multipv: int, **limits: int) -> tuple[SearchResult, list[SearchInfo]]:
    infos: list[SearchInfo] = []
    result = engine.search(Position(fen), multipv=multipv, on_info=infos.append, **limits)  # type: ignore[arg-type]
    return result, [info for info in infos if not info.currmove and not info.bound]


def groups(infos: list[SearchInfo]) -> list[list[SearchInfo]]:
    """The reports of one iteration each: they begin with line 1."""
    starts = [index for index, info in enumerate(infos) if info.multipv == 1]
    return [infos[start:end] for start, end in itertools.pairwise([*starts, len(infos)])]


def value(info: SearchInfo) -> int:
    """Centipawns, or what the oracle calls a mate."""
    if not info.is_mate:
        return info.score_cp
    return oracle.MATE - 2 * info.mate_in + 1 if info.mate_in > 0 else -oracle.MATE - 2 * info.mate_in


def check_group(fen: str, group: list[SearchInfo], count: int) -> None:
    """All lines, by depth and score, each with another first move, each legal to its end."""
    assert [info.multipv for info in group] == list(range(1, count + 1))
    assert len({info.pv[0] for info in group}) == count
    keys = [(-info.depth, -value(info)) for info in group]
    assert keys == sorted(keys)
    for info in group:
        board = chess.Board(fen)
        for move in info.pv:
            board.push(board.parse_uci(move))


@pytest.mark.parametrize("settings", [{}, NARROW], ids=["plain", "narrow"])
@pytest.mark.parametrize("fen", FENS)
def test_line_k_is_the_k_th_best_move_of_plain_minimax(fen: str, settings: dict[str, int]) -> None:
    engine = oracle.new_engine(**PLAIN | settings)
    root = oracle.line_of(fen)
    expected = {}
    for move in list(root.board.legal_moves):
        root.push(move)
        expected[move.uci()] = -oracle.search_value(engine, root, 1, 1)
        root.pop()
    engine.prepare()
    _, infos = search(engine, fen, 256, depth=2)
    group = groups(infos)[-1]
    check_group(fen, group, len(expected))
    assert {info.pv[0]: value(info) for info in group} == expected


@pytest.mark.parametrize("fen", FENS)
@pytest.mark.parametrize("multipv", [3, 64])
def test_every_iteration_shows_all_lines_in_order(engine: Engine, fen: str, multipv: int) -> None:
    result, infos = search(engine, fen, multipv, depth=7)
    count = min(multipv, len(Position(fen).legal_moves()))
    assert [group[0].depth for group in groups(infos)] == list(range(1, 8))
    for group in groups(infos):
        check_group(fen, group, count)
        assert {info.depth for info in group} == {group[0].depth}
    assert result.info is not None
    assert result.bestmove == result.info.pv[0] == infos[-count].pv[0]
    assert all(info.seldepth >= info.depth for info in infos)
    assert [info.nodes for info in infos] == sorted(info.nodes for info in infos)


@pytest.mark.parametrize("multipv", [2, 40])
def test_a_search_broken_off_shows_one_consistent_list(engine: Engine, multipv: int) -> None:
    """Whatever node it ends at: the lines of the last depth first, and then the others as they were."""
    mixed = 0
    for nodes in range(20_000, 60_000, 3_777):
        engine.clear()
        result, infos = search(engine, MIDDLEGAME, multipv, nodes=nodes)
        assert result.nodes == nodes  # the lines that are not reached cost nothing
        last = groups(infos)[-1]
        check_group(MIDDLEGAME, last, min(multipv, len(Position(MIDDLEGAME).legal_moves())))
        assert result.bestmove == last[0].pv[0]
        assert result.info is not None
        assert (result.info.depth, result.info.pv) == (last[0].depth, last[0].pv)
        assert last[0].depth - last[-1].depth in (0, 1)
        mixed += last[0].depth != last[-1].depth
    assert mixed
