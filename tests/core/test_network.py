# SPDX-License-Identifier: GPL-3.0-or-later
"""The network: score as by plain Python, accumulators as made from scratch, and rejected files."""

import itertools
import random
import weakref
from typing import Any, cast

import chess
import networks
import oracle
import pytest
from coachwhip.core.engine import FULL_PHASE, FULL_SCALE, Engine, Network, Position
from coachwhip.core.tunables import TUNABLES
from coachwhip.evaluation.layout import cells, unpack_pair
from networks import OUTPUTS, PlainNetwork

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
# Either way of castling takes one of the kings to its other half.
HALFWAY = "rk2r3/pppppppp/8/8/8/8/PPPPPPPP/R2K3R w KQkq - 0 1"
PROMOTIONS = "4k3/1P4P1/8/2pP4/2Pp4/8/1p4p1/4K3 w - c6 0 1"
SIZES = (16, 48, 256)


@pytest.fixture(scope="module")
def boards() -> list[chess.Board]:
    """Positions of random games of all kinds, with the clock of the fifty-move rule at 0."""
    rng = random.Random(11)
    boards = []
    for kind, greedy in itertools.product(oracle.KINDS, (False, True)):
        board = oracle.start_board(kind, rng)
        for _ in oracle.play(board, rng, greedy, 90):
            if rng.random() < 0.4:
                boards.append(board.copy(stack=False))
                boards[-1].halfmove_clock = 0
    assert len(boards) > 150
    return boards


def engine_with(network: PlainNetwork | None) -> Engine:
    return Engine(oracle.terms(), hash_mb=1, network=None if network is None else Network(network.encode()))


def traced(engine: Engine, position: Position) -> dict[str, Any]:
    return cast("dict[str, Any]", engine.trace(position))


def flat(**values: int) -> PlainNetwork:
    """A network of 16 units with the same number in each place of a kind."""
    of = {"feature": 0, "bias": 0, "own": 0, "other": 0, **values}
    features = [[of["feature"]] * 16 for _ in range(networks.INPUTS)]
    return PlainNetwork(features, [of["bias"]] * 16, [[[of["own"]] * 16, [of["other"]] * 16]] * OUTPUTS)


# --- Its score ---


def blended(trace: dict[str, Any], score: int, residual: bool) -> int:
    """The evaluation for stm: a network's score from that view, and the terms that a trace counts."""
    mg = eg = 0
    for weight, value, (white, black) in zip(cells(), trace["weights"], trace["features"], strict=True):
        if weight.is_tapered and residual:
            pair = unpack_pair(value)
            mg, eg = mg + pair[0] * (white - black), eg + pair[1] * (white - black)
    sign = 1 if trace["stm"] == "w" else -1
    scaled = sign * score if trace["network"]["scaled"] else 0
    both = (mg + scaled) * trace["phase"] + int((eg + scaled) * trace["scale"] / FULL_SCALE) * (
        FULL_PHASE - trace["phase"]
    )
    total = sign * int(both / FULL_PHASE) + score - sign * scaled
    return max(-networks.EVAL_LIMIT, min(networks.EVAL_LIMIT, total))


@pytest.mark.parametrize("hidden", SIZES)
@pytest.mark.parametrize("kind", ["residual", "pure"])
def test_the_score_is_that_of_plain_python(boards: list[chess.Board], hidden: int, kind: str) -> None:
    network = networks.by_chance(hidden, 1, kind)
    engine = engine_with(network)
    seen = set()
    for board in boards[:: 2 if hidden <= 64 else 5]:
        position = Position(oracle.fen_of(board))
        score = network.score(board)
        seen.add(score)
        assert engine.evaluate(position) == blended(traced(engine, position), score, kind == "residual"), (
            board.fen()
        )
    assert len(seen) > 20
    assert min(seen) < 0 < max(seen)


def test_the_score_is_in_the_trace(boards: list[chess.Board]) -> None:
    network = networks.by_chance(32, 2)
    engine, terms = engine_with(network), engine_with(None)
    for board in boards[::25]:
        position = Position(oracle.fen_of(board))
        trace, plain, sign = traced(engine, position), traced(terms, position), 1 if board.turn else -1
        assert trace["network"]["score"] == sign * network.score(board)
        assert trace["network"]["residual"] is True
        assert (trace["raw"], trace["features"]) == (plain["raw"], plain["features"])
        assert trace["score"] == sign * engine.evaluate(position)
        assert plain["network"] is None
        for square, worth in enumerate(trace["network"]["worth"]):
            piece = board.piece_at(square)
            if piece is None or piece.piece_type == chess.KING:
                assert worth is None
            else:
                without = board.copy()
                without.remove_piece_at(square)
                assert worth == sign * (network.score(board) - network.score(without))


@pytest.mark.parametrize("kind", ["residual", "pure"])
@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize(
    "fen",
    [
        "7k/8/8/8/7P/8/4BK2/8 w - - 0 1",  # the bishop does not see h8
        "8/8/8/3nn3/3k4/8/8/3K4 w - - 0 1",
        "8/8/4k3/8/4K3/8/8/2N4b w - - 0 1",
        "4k3/8/8/8/8/3b4/8/R3K3 b - - 0 1",
        "k7/8/P7/8/8/8/8/4K3 w - - 0 1",
    ],
)
def test_no_network_sees_a_win_in_a_dead_draw(fen: str, sign: int, kind: str) -> None:
    network = flat(bias=255, own=3 * sign, other=3 * sign)
    network.kind = kind
    assert abs(network.score(chess.Board(fen))) > 500
    assert abs(engine_with(network).evaluate(Position(fen))) < 120


def test_the_largest_sums_that_are_accepted_are_right() -> None:
    """All units at 255 and the sum of the output weights as large as it may be."""
    features = [[0] * 512 for _ in range(networks.INPUTS)]
    for sign in (1, -1):
        output = [sign * 127] * 260 + [sign * 5] + [0] * 763
        network = PlainNetwork(
            features, [255] * 512, [[output[:512], output[512:]]] * OUTPUTS, kind="pure", scale=10
        )
        assert abs(sum(output)) * 255 * 255 <= 2**31 - 1 < (abs(sum(output)) + 1) * 255 * 255
        assert engine_with(network).evaluate(Position()) == network.score(chess.Board())


# --- Its accumulators ---


def minimax(engine: Engine, position: Position, depth: int) -> int:
    """Every leaf evaluated alone, so from scratch."""
    if depth == 0:
        return engine.evaluate(position)
    values = []
    for move in position.legal_moves():
        position.make(move)
        values.append(-minimax(engine, position, depth - 1))
        position.undo()
    return max(values)


@pytest.mark.parametrize(
    ("fen", "depth"),
    [(Position().fen(), 2), (KIWIPETE, 2), (HALFWAY, 3), (PROMOTIONS, 3)],
    ids=["start", "kiwipete", "halfway", "pawns"],
)
@pytest.mark.parametrize("hidden", [16, 112])
def test_accumulators_follow_the_moves_of_a_search(fen: str, depth: int, hidden: int) -> None:
    """Castling, kings that cross to the other half, en passant and promotions.

    A build with checks compares each accumulator.
    """
    network = networks.by_chance(hidden, 5)
    switches_off = {name: 0 for name, *_ in TUNABLES if name.startswith("use_")}
    engine = Engine(oracle.terms(), hash_mb=1, tunables=switches_off, network=Network(network.encode()))
    for move in Position(fen).legal_moves():
        after = Position(fen)
        after.make(move)
        info = engine.search(Position(fen), depth=depth, searchmoves=[move]).info
        assert info is not None
        assert info.score_cp == -minimax(engine, after, depth - 1), move


# --- As a part of the engine ---


def test_a_search_uses_the_network_at_once_and_forgets_the_old_one() -> None:
    """A new evaluator means a new table: an old search leaves nothing, with one network, another or none."""
    first, second = networks.by_chance(16, 7), networks.by_chance(64, 8, "pure")

    def search(engine: Engine) -> tuple[int, str, int]:
        result = engine.search(Position(KIWIPETE), depth=6)
        assert result.info is not None
        return result.nodes, result.bestmove, result.info.score_cp

    expected = [search(engine_with(network)) for network in (None, first, second)]
    assert len(set(expected)) == 3
    engine = engine_with(None)
    assert search(engine) == expected[0]
    for network, like in ((first, 1), (second, 2), (first, 1), (None, 0), (second, 2)):
        engine.set_network(None if network is None else Network(network.encode()))
        assert search(engine) == expected[like]


def test_a_network_lives_as_long_as_an_engine_uses_it() -> None:
    """Engines share it; a file's bytes in its place are rejected and change nothing."""

    class Watched(Network):
        """A network to which weak references are possible."""

    network = Watched(networks.by_chance(512, 11).encode())
    life = weakref.ref(network)
    engines = [Engine(oracle.terms(), 1, network=network), engine_with(None)]
    engines[1].set_network(network)
    expected = engines[0].evaluate(Position(KIWIPETE))
    del network
    for engine in engines:
        assert life() is not None
        with pytest.raises(TypeError):
            engine.set_network(GOOD)  # type: ignore[arg-type]
        assert engine.evaluate(Position(KIWIPETE)) == expected
        engine.set_network(None)
        assert engine.evaluate(Position(KIWIPETE)) != expected
    assert life() is None


def test_threads_come_and_go_with_a_network() -> None:
    network = networks.by_chance(64, 9)
    engine = engine_with(network)
    for threads in (3, 1, 4):
        engine.set_threads(threads)
        assert engine.search(Position(KIWIPETE), depth=7).threads == threads
    engine.set_network(Network(networks.by_chance(16, 10).encode()))
    assert engine.search(Position(KIWIPETE), depth=7).threads == 4


# --- Files that are rejected ---


def header_with(**values: Any) -> bytes:
    """A good network but for its header."""
    network = networks.by_chance(16, 0)
    header = {name: value for name, value in (network.header() | values).items() if value is not None}
    return networks.encode(header, network.numbers(), network.output_biases)


GOOD = networks.by_chance(16, 0).encode()
START = GOOD.index(b"}\n") + 2
BAD_FILES: list[tuple[bytes, str]] = [
    (b"", "not a network: its first line is not 'coachwhip network 2'"),
    (random.Random(1).randbytes(50_000), "not a network"),
    (GOOD[:60], "ends inside its header"),
    (GOOD[:20] + b" " * 65535 + b"\n", "second line is not a JSON object"),
    (GOOD[:20] + b" " * 65536 + b"\n", "header has no end"),
    (GOOD[:START], f"truncated: it has {START} bytes, and {len(GOOD)} are needed for 16 units"),
    (GOOD[:-1], "truncated"),
    (GOOD + b"\0", "too long"),
    (GOOD[:-4] + GOOD[:-5:-1], "damaged: its checksum is wrong"),
    (GOOD[: START + 9] + bytes([GOOD[START + 9] ^ 4]) + GOOD[START + 10 :], "damaged: its checksum is wrong"),
    (networks.encode("[" * 60_000, [], []), "not a JSON object"),
    (networks.encode('{"hidden": 1' + "0" * 5000 + "}", [], []), "not a JSON object"),
    *(
        (header_with(**{name: None}), f"header has no '{name}'")
        for name in ("kind", "inputs", "hidden", "outputs", "qa", "qb", "scale")
    ),
    (header_with(kind="deep"), "kind is 'deep', and must be one of residual, pure"),
    (header_with(qa=256), "'qa' is 256, and must be 255"),
    (header_with(hidden=24), "'hidden' is 24, and must be a multiple of 16"),
    (header_with(hidden=True), "'hidden' is True"),
    (header_with(hidden="x" * 1000), "'hidden' is 'xxxx"),
    (header_with(scale=1 << 40), "'scale' is 1099511627776, and must be from 1 to 32768"),
    (flat(feature=1000, bias=768).encode(), "unit 0 can overflow: with 32 pieces its sum may reach 32768"),
    (flat(feature=-1000, bias=-769).encode(), "unit 0 can overflow: with 32 pieces its sum may reach -32769"),
    (flat(own=128).encode(), "output weight 0 is 128, and must be from -127 to 127"),
]


@pytest.mark.parametrize(("data", "message"), BAD_FILES, ids=[message[:40] for _, message in BAD_FILES])
def test_a_wrong_file_is_rejected_in_one_message(data: bytes, message: str) -> None:
    with pytest.raises(ValueError) as info:  # noqa: PT011 - the message is compared below
        Network(data)
    assert message in str(info.value)
    assert str(info.value).isprintable()
    assert len(str(info.value)) < 160
    assert "." not in str(info.value)


@pytest.mark.parametrize("weight", [127, -127])
def test_output_sums_that_could_overflow_are_rejected(weight: int) -> None:
    output = [weight] * 261 + [0] * 763
    few = [[0] * 512] * 2
    outputs = [few, few, [output[:512], output[512:]], *[few] * 21]
    network = PlainNetwork([[0] * 512 for _ in range(networks.INPUTS)], [0] * 512, outputs)
    with pytest.raises(ValueError, match="output can overflow"):
        Network(network.encode())


def test_sums_at_the_limit_are_accepted() -> None:
    for network in (
        flat(feature=1000, bias=767),
        flat(feature=-1000, bias=-768),
        flat(feature=32767 // 32),
        flat(bias=32767),
    ):
        engine = engine_with(network)
        engine.search(Position(), depth=3)
        assert engine.trace(Position()) == engine_with(network).trace(Position())


def test_the_bound_of_a_sum_counts_one_piece_a_square() -> None:
    """Only the best piece on each of the best 32 squares.

    768 large weights are no overflow where they cannot come together.
    """
    rng = random.Random(3)
    features = [[0] * 16 for _ in range(networks.INPUTS)]
    for square in range(64):
        features[64 * rng.randrange(12) + square][5] = 1023
    network = PlainNetwork(features, [31] + [0] * 15, [[[1] * 16, [1] * 16]] * OUTPUTS)
    Network(network.encode())
    network.bias[5] = 32
    with pytest.raises(ValueError, match="unit 5 can overflow"):
        Network(network.encode())


@pytest.mark.parametrize(
    ("bias", "scale", "good"), [(2**31 - 1, 8000, True), (-(2**31), 8000, True), (2**31 - 1, 8200, False)]
)
def test_scores_that_could_overflow_are_rejected(bias: int, scale: int, good: bool) -> None:
    network = flat(bias=255, own=1, other=-1)
    network.output_biases[7], network.scale = bias, scale
    if good:
        assert engine_with(network).evaluate(Position()) == networks.EVAL_LIMIT * (1 if bias > 0 else -1)
    else:
        with pytest.raises(ValueError, match="score can overflow"):
            Network(network.encode())


def test_any_numbers_are_rejected_or_give_the_score_of_plain_python() -> None:
    """Files with a right checksum and random numbers."""
    rng = random.Random(5)
    board = chess.Board(KIWIPETE)
    accepted = 0
    for _ in range(24):
        wide = 1 << rng.randrange(8, 12)
        most = 127 if rng.random() < 0.7 else 130
        *features, bias = (
            [rng.randint(-wide, wide - 1) for _ in range(16)] for _ in range(networks.INPUTS + 1)
        )
        outputs = [[[rng.randint(-most, most) for _ in range(16)] for _ in range(2)] for _ in range(OUTPUTS)]
        network = PlainNetwork(features, bias, outputs, kind="pure", scale=30)
        try:
            engine = engine_with(network)
        except ValueError as error:
            assert "network" in str(error)  # noqa: PT017 - whether it is rejected is open
            continue
        accepted += 1
        assert engine.evaluate(Position(KIWIPETE)) == network.score(board)
    assert 3 < accepted < 22
