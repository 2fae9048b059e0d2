# SPDX-License-Identifier: GPL-3.0-or-later
"""Compressed games: what goes in comes out, the bytes are the same everywhere, and bytes that are no block do no harm."""

import itertools
import random
from array import array
from collections.abc import Sequence

import labelled_files
import numpy as np
import pytest
from coachwhip.core.blocks import compress_games, expand_games
from coachwhip.core.engine import ROW_SIZE, Position, decode_games
from coachwhip.evaluation.learn import labelled
from hypothesis import given, settings
from hypothesis import strategies as st


def compressed(games: Sequence[bytes]) -> bytes:
    data = bytearray(b"".join(games))
    found = compress_games(data, array("q", itertools.accumulate(map(len, games))))
    assert data == b"".join(games)
    return found


def expanded(block: bytes, games: int, room: int, first: int = 0) -> list[bytes]:
    data, ends = bytearray(room), array("q", bytes(8 * games))
    size = expand_games(block, data, ends, first=first)
    assert list(ends)[-1:] == [size][:games]
    return [bytes(data[start:end]) for start, end in itertools.pairwise([0, *ends])]


def games_of(seed: int, count: int) -> list[bytes]:
    played = labelled_files.many(count, seed=seed, plies=80, side_lines=seed % 3)
    return [labelled.recorded(each.game) for each in played]


@pytest.mark.parametrize("seed", range(3))
def test_games_come_out_as_they_went_in(seed: int) -> None:
    """Of standard chess and Chess960, with castling, promotion, en passant, mates, side lines, and one without a ply."""
    games = games_of(seed, 20)
    block = compressed(games)
    assert expanded(block, len(games), sum(map(len, games))) == games
    assert len(block) < sum(map(len, games)) / 1.5  # random moves and scores


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 255), st.integers(-32768, 32767)), max_size=60), st.integers(0, 2))
def test_any_scores_and_legal_moves_come_out(choices: list[tuple[int, int]], result: int) -> None:
    position, plies = Position(), []
    for choice, score in choices:
        moves = position.legal_moves()
        if not moves:
            break
        move = moves[choice % len(moves)]
        plies.append(labelled.Ply(position.move_code(move), score))
        position.make(move)
    game = labelled.recorded(labelled.Game(0, labelled.RESULTS[result], Position().pack(), tuple(plies)))
    assert expanded(compressed([game, game]), 2, 2 * len(game)) == [game, game]


def test_the_bytes_are_the_same_on_every_machine() -> None:
    """They also do not depend on the order in which moves are generated. Other bytes are another format: then FORMAT changes."""
    position = Position()
    plies = []
    for move, score in zip("e2e4 c7c5 g1f3 d7d6 d2d4 c5d4 f3d4 g8f6".split(), (30, 25, 31, 20, 31, 40, 33, 31999), strict=True):
        plies.append(labelled.Ply(position.move_code(move), score))
        position.make(move)
    game = labelled.recorded(labelled.Game(0, "1-0", Position().pack(), tuple(plies)))
    wanted = "297356a6b92f7bdef7bdffffffffe739ce739ce131462298387822fdfd9476e8d61d0022b3c0a178baa1302706e9df536433a841c1468940c3f0c128e8046ce2ff"
    assert compressed([game, game]).hex() == wanted + "30460990cd1b11"


def test_a_game_that_is_none_is_not_compressed() -> None:
    (game,) = games_of(1, 1)
    with pytest.raises(ValueError, match=r"game 1: (ply \d+: )?it ends too early"):
        compressed([game, game[:-1]])
    with pytest.raises(ValueError, match="game 1: ply 1: the move is illegal"):
        compressed([game, game[:33] + b"\0\0" + game[35:]])
    with pytest.raises(ValueError, match=r"game 0: (ply \d+: )?its side lines are not in order"):
        compressed([game + b"\0\0"])
    with pytest.raises(ValueError, match="game 0: it ends outside the data"):
        compress_games(bytearray(game), array("q", [len(game) + 1]))


def test_a_block_that_is_not_whole_or_has_more_is_rejected() -> None:
    games = games_of(2, 12)
    block, room = compressed(games), sum(map(len, games))
    with pytest.raises(ValueError, match="game 81: the block does not end with it"):
        expanded(block + b"\1", 12, room, first=70)
    with pytest.raises(ValueError, match="game 0: the block does not end with it"):
        expanded(block, 1, room)
    with pytest.raises(ValueError, match=r"game 11: (ply [0-9]+: )?it ends too early"):
        expanded(block, 12, room - 1)
    with pytest.raises(ValueError, match=r"game [0-9]+: "):
        expanded(block[: len(block) // 2], 12, room)
    for empty in (b"", bytes(50_000)):
        with pytest.raises(ValueError, match=r"game [0-9]+: "):
            expanded(empty, 12, room)


def test_random_bytes_do_no_harm() -> None:
    """Whatever the bytes are, they are expanded to games that can be decoded, or rejected."""
    rng = random.Random(5)
    games = games_of(2, 12)
    block, accepted = compressed(games), 0
    for _ in range(500):
        data = bytearray(block if rng.random() < 0.8 else rng.randbytes(rng.randrange(300)))
        for _ in range(rng.randint(1, 3) if data else 0):
            data[rng.randrange(len(data))] = rng.randrange(256)
        count = rng.randint(1, 14)
        room, ends = bytearray(rng.choice((100, 3000, 30_000))), array("q", bytes(8 * count))
        try:
            size = expand_games(bytes(data), room, ends)
        except ValueError as error:
            assert str(error).startswith("game ")  # noqa: PT017 - whether it is rejected is open
            if not (whole := sum(end > 0 for end in ends)):
                continue
            ends, size = ends[:whole], ends[whole - 1]
        accepted += 1
        rows, counts = np.empty((1 + size // 4, ROW_SIZE), np.uint8), np.empty(len(ends), np.int64)
        try:
            decode_games(room[:size], ends, rows, counts, every=True)
        except ValueError as error:
            assert "it has no result" in str(error) or "a side line from here" in str(error)  # noqa: PT017 - the same
    assert accepted > 30
