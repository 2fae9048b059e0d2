# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes endgame tables of three men in the Syzygy format: WDL (.rtbw) and DTZ (.rtbz).

A table is a list of small numbers, one for each placing of the men up to symmetry, for one side to move. The list is compressed
in two steps: pairs of symbols that often stand together become new symbols, again and again; then each symbol gets a Huffman
code. The codes lie in blocks of equal size; two short tables tell in which block a place of the list is.

    header   magic, flags (both sides stored, pawns), the men in the order in which they are numbered
    lists    for each list: block size, code lengths, and what each symbol stands for
    index    for every SPAN places the block in which the middle of the span lies, and where in it
    sizes    how many places each block holds, less one
    blocks   the codes, most significant bit first

A list of one value alone is its header only. The 16 bytes at the end, a checksum in the original files, are zero: the readers
that we know ignore them.
"""

from __future__ import annotations

import heapq
import struct
from collections import Counter
from dataclasses import dataclass
from functools import cache
from itertools import permutations
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from three_men import Array, Solution

WDL_MAGIC, DTZ_MAGIC = bytes.fromhex("71e8235d"), bytes.fromhex("d7660ca5")
BOTH_SIDES, HAS_PAWNS = 1, 2  # of a file
BLACK_TO_MOVE, LOSSES_IN_PLIES, WINS_IN_PLIES, ONE_VALUE = 1, 4 << 1, 4, 0x80  # of a list; PLIES: not in moves
CODES = {"P": 1, "N": 2, "B": 3, "R": 4, "Q": 5, "K": 6, "k": 14}
BLOCK_BITS, SPAN_BITS = 6, 12  # 64 bytes a block, an index entry for 4096 places
MAX_SYMBOLS, MAX_PLACES = 4095, 256  # of a list; of a symbol
WORTH_WHILE = 6  # a pair that stands in the list less often saves less than it costs
LEAF = 0xFFF
DRAW = 2  # in a WDL list: 0 to 4 for lost to won
PIECE_PLACES, PAWN_PLACES = 31332, 6 * 63 * 62

Order = tuple[int, int, int]  # which of (White's king, the piece, Black's king) is numbered first, second, third


# --- Numbering the positions ---


def number_of_pieces(squares: tuple[int, int, int]) -> int:
    """The place of three different men without pawns; the first stands in the triangle a1-d1-d4, see `is_standard`."""
    first, second, third = squares
    later = third - (third > first) - (third > second)
    after_first = second - (second > first)
    if above(first):
        return (triangle(first) * 63 + after_first) * 62 + later
    on_diagonal = first % 8
    start = 6 * 63 * 62
    if above(second):
        return start + (on_diagonal * 28 + below_diagonal(second)) * 62 + later
    start += 4 * 28 * 62
    after = second % 8 - (second > first)
    if above(third):
        return start + (on_diagonal * 7 + after) * 28 + below_diagonal(third)
    return start + 4 * 7 * 28 + (on_diagonal * 7 + after) * 6 + third % 8 - (third > first) - (third > second)


def above(square: int) -> int:
    """How far above the diagonal a1-h8 a square lies; negative below it."""
    return square // 8 - square % 8


def triangle(square: int) -> int:
    """The number of b1 c1 d1 c2 d2 d3."""
    return (1, 2, 3, 10, 11, 19).index(square)


def below_diagonal(square: int) -> int:
    """The number of a square below the diagonal, rank by rank."""
    rank, file = divmod(square, 8)
    return rank * 7 - rank * (rank - 1) // 2 + file - rank - 1


def is_standard(squares: tuple[int, int, int]) -> bool:
    """Whether no reflection of the board is numbered instead: the first man that is off the diagonal lies below it."""
    first = squares[0]
    if first % 8 > 3 or first // 8 > 3:
        return False
    return next((above(square) < 0 for square in squares if above(square)), True)


@cache
def piece_positions(order: Order) -> Array:
    """The placing of the men (White's king, the piece, Black's king) for every place of a list without pawns."""
    positions = np.full((PIECE_PLACES, 3), -1)
    for first in (0, 1, 2, 3, 9, 10, 11, 18, 19, 27):
        for second in range(64):
            for third in range(64):
                squares = first, second, third
                if len(set(squares)) == 3 and is_standard(squares):
                    positions[number_of_pieces(squares), order] = squares
    assert (positions >= 0).all()
    return positions


def pawn_positions(file: int, order: Order, pawn_rank: int) -> Array:
    """The same with the pawn, which comes first, on one file; `pawn_rank` of the coordinates vary faster than the pawn's rank."""
    factors = {0: (1, 6, 6 * 63), 1: (63, 1, 63 * 6), 2: (63 * 62, 1, 63)}[pawn_rank]
    positions = np.full((PAWN_PLACES, 3), -1)
    for rank in range(1, 7):
        pawn = 8 * rank + file
        for second in range(64):
            for third in range(64):
                if len({pawn, second, third}) == 3:
                    places = (rank - 1, second - (second > pawn), third - (third > pawn) - (third > second))
                    place = sum(a * b for a, b in zip(places, factors, strict=True))
                    positions[place, order] = pawn, second, third
    assert (positions >= 0).all()
    return positions


# --- Compressing a list ---


@dataclass
class Symbols:
    """A list as symbols: what each stands for (a value, or two symbols), and how many places it covers."""

    sequence: Array
    parts: list[tuple[int, int]]  # (value, LEAF) or a pair
    lengths: list[int]


def in_pairs(values: Sequence[int]) -> Symbols:
    """Replace the most frequent pair by a new symbol until no pair is worth it."""
    kinds = sorted(set(values))
    sequence = np.array([kinds.index(value) for value in values])
    parts = [(value, LEAF) for value in kinds]
    lengths = [1] * len(kinds)
    while len(parts) < MAX_SYMBOLS:
        sizes = np.array(lengths)
        fits = sizes[sequence[:-1]] + sizes[sequence[1:]] <= MAX_PLACES
        pairs, counts = np.unique((sequence[:-1] * 4096 + sequence[1:])[fits], return_counts=True)
        if not len(counts) or counts.max() < WORTH_WHILE:
            break
        left, right = divmod(int(pairs[counts.argmax()]), 4096)
        sequence = replaced(sequence, left, right, len(parts))
        parts.append((left, right))
        lengths.append(lengths[left] + lengths[right])
    return Symbols(sequence, parts, lengths)


def replaced(sequence: Array, left: int, right: int, symbol: int) -> Array:
    """The sequence with `left right` replaced, from its beginning on; in a run of equal symbols every second one begins a pair."""
    begins = np.flatnonzero((sequence[:-1] == left) & (sequence[1:] == right))
    if left == right:
        runs = np.cumsum(np.diff(begins, prepend=-2) != 1)
        starts = begins[np.searchsorted(runs, runs)]
        begins = begins[(begins - starts) % 2 == 0]
    sequence = sequence.copy()
    sequence[begins] = symbol
    return np.delete(sequence, begins + 1)


def code_lengths(counts: dict[int, int]) -> dict[int, int]:
    """Huffman's: how many bits each symbol takes."""
    heap = [(count, symbol, {symbol: 0}) for symbol, count in counts.items()]
    heapq.heapify(heap)
    while len(heap) > 1:
        first, second = heapq.heappop(heap), heapq.heappop(heap)
        deeper = {symbol: bits + 1 for tree in (first[2], second[2]) for symbol, bits in tree.items()}
        heapq.heappush(heap, (first[0] + second[0], min(first[1], second[1]), deeper))
    return heap[0][2]


@dataclass
class Packed:
    """A compressed list: its header, and what belongs in the other three parts of the file."""

    header: bytes
    index: bytes = b""
    sizes: bytes = b""
    blocks: bytes = b""

    def __len__(self) -> int:
        return len(self.header) + len(self.index) + len(self.sizes) + len(self.blocks)


def pack(values: Sequence[int], flags: int = 0) -> Packed:
    """Compress a list of at least one value, each below 4095."""
    if len(set(values)) == 1:
        return Packed(bytes([flags | ONE_VALUE, values[0]]))
    symbols = in_pairs(values)
    counts = Counter(symbols.sequence.tolist())
    if len(counts) == 1:  # a code needs two
        counts[next(symbol for symbol in range(len(symbols.parts)) if symbol not in counts)] = 0
    bits = code_lengths(counts)
    # A reader numbers the symbols from the longest code to the shortest; those that stand in pairs only come last.
    numbered = sorted(range(len(symbols.parts)), key=lambda symbol: (-bits.get(symbol, 0), symbol))
    numbers = {symbol: number for number, symbol in enumerate(numbered)}
    shortest, longest = min(bits.values()), max(bits.values())
    longer = {length: sum(each > length for each in bits.values()) for length in range(shortest, longest + 1)}
    first_code = {longest: 0}
    for length in range(longest - 1, shortest - 1, -1):
        first_code[length] = (first_code[length + 1] + longer[length] - longer[length + 1]) // 2
    codes = {symbol: (first_code[length] + numbers[symbol] - longer[length], length) for symbol, length in bits.items()}
    blocks, covered = in_blocks(symbols, codes)
    header = struct.pack("<BBBBIBB", flags, BLOCK_BITS, SPAN_BITS, 0, len(blocks), longest, shortest)
    header += struct.pack(f"<{len(longer)}HH", *longer.values(), len(numbered))
    for symbol in numbered:
        left, right = symbols.parts[symbol]
        if right != LEAF:
            left, right = numbers[left], numbers[right]
        header += (left | right << 12).to_bytes(3, "little")
    header += bytes(len(numbered) & 1)
    sizes = struct.pack(f"<{len(covered)}H", *(places - 1 for places in covered))
    return Packed(header, index_of(covered, len(values)), sizes, b"".join(blocks))


def in_blocks(symbols: Symbols, codes: dict[int, tuple[int, int]]) -> tuple[list[bytes], list[int]]:
    """The blocks, each with whole symbols, and how many places of the list each covers."""
    room = 8 << BLOCK_BITS
    texts, covered = [""], [0]
    for symbol in symbols.sequence.tolist():
        code, length = codes[symbol]
        if len(texts[-1]) + length > room:
            texts.append("")
            covered.append(0)
        texts[-1] += f"{code:0{length}b}"
        covered[-1] += symbols.lengths[symbol]
    return [int(text.ljust(room, "0"), 2).to_bytes(room // 8, "big") for text in texts], covered


def index_of(covered: list[int], places: int) -> bytes:
    """For each span the block of its middle, and how far into the block; beyond the end of the list it is the last block."""
    index = b""
    for middle in range(1 << SPAN_BITS - 1, places + (1 << SPAN_BITS - 1), 1 << SPAN_BITS):
        block, start = 0, 0
        while block + 1 < len(covered) and middle >= start + covered[block]:
            start += covered[block]
            block += 1
        index += struct.pack("<IH", block, middle - start)
    return index


# --- Files ---


def assembled(header: bytes, lists: list[Packed]) -> bytes:
    """A file: the header, and the parts of all lists, part by part."""
    data = header + bytes(len(header) & 1)
    data += b"".join(each.header for each in lists)
    data += b"".join(each.index for each in lists) + b"".join(each.sizes for each in lists)
    for each in lists:
        if each.blocks:
            data += bytes(-len(data) % 64) + each.blocks
    return data + bytes(-len(data) % 64) + bytes(16)


def filled(values: Array, known: Array) -> list[int]:
    """The values, each that nobody asks for replaced by the one before it, so that the list gets shorter."""
    if not known.any():
        return [int(values[0])] * len(values)
    latest = np.maximum.accumulate(np.where(known, np.arange(len(values)), known.argmax()))
    return [int(value) for value in values[latest]]


def wdl_list(solution: Solution, white_to_move: bool, men: Array) -> list[int]:
    """The results of all places."""
    plies, legal = (solution.white, solution.white_is_legal) if white_to_move else (solution.black, solution.black_is_legal)
    where = tuple(men.T)
    results = np.where(plies[where] >= 0, 4 if white_to_move else 0, DRAW)
    return filled(results, legal[where])


def dtz_list(solution: Solution, white_to_move: bool, men: Array) -> list[int]:
    """The plies to the next zeroing move or mate, less one; asked for only where the game is won and no zeroing move wins."""
    plies = (solution.white if white_to_move else solution.black)[tuple(men.T)]
    return filled(np.maximum(plies - 1, 0), plies >= 0)


def letters(piece: str, order: Order) -> list[int]:
    """The men as a file names them, in this order."""
    codes = [CODES["K"], CODES[piece], CODES["k"]]
    return [codes[man] for man in order]


@dataclass
class Choice:
    """One way to number and store a list, and what it comes to."""

    packed: Packed
    men: list[int]
    order: int = 0


def best_piece_list(piece: str, values: Callable[[Array], list[int]], flags: int = 0) -> Choice:
    """The order of the men whose list is shortest."""
    choices = [
        Choice(pack(values(piece_positions(order)), flags), letters(piece, order))
        for order in ((a, b, c) for a, b, c in permutations(range(3)))
    ]
    return min(choices, key=lambda choice: len(choice.packed))


def best_pawn_list(file: int, values: Callable[[Array], list[int]], flags: int = 0) -> Choice:
    """The same for a list with a pawn, which always comes first."""
    choices = [
        Choice(pack(values(pawn_positions(file, order, rank)), flags), letters("P", order), rank)
        for order in ((1, 0, 2), (1, 2, 0))
        for rank in range(3)
    ]
    return min(choices, key=lambda choice: len(choice.packed))


def wdl_file(piece: str, solution: Solution) -> bytes:
    """A .rtbw file: for each file of the board, if there is a pawn, a list with White to move and one with Black."""
    pawns = piece == "P"
    header = WDL_MAGIC + bytes([BOTH_SIDES | HAS_PAWNS * pawns])
    lists: list[Packed] = []
    for file in range(4 if pawns else 1):
        sides = []
        for white in (True, False):

            def values(men: Array, white: bool = white) -> list[int]:
                return wdl_list(solution, white, men)

            sides.append(best_pawn_list(file, values) if pawns else best_piece_list(piece, values))
        header += bytes([sides[0].order | sides[1].order << 4])
        header += bytes(white | black << 4 for white, black in zip(sides[0].men, sides[1].men, strict=True))
        lists += [side.packed for side in sides]
    return assembled(header, lists)


def dtz_file(piece: str, solution: Solution) -> bytes:
    """A .rtbz file: the side to move whose lists are shorter."""
    pawns = piece == "P"
    files = []
    for white in (True, False):

        def values(men: Array, white: bool = white) -> list[int]:
            return dtz_list(solution, white, men)

        flags = WINS_IN_PLIES | LOSSES_IN_PLIES | BLACK_TO_MOVE * (not white)
        sides = [
            best_pawn_list(file, values, flags) if pawns else best_piece_list(piece, values, flags)
            for file in range(4 if pawns else 1)
        ]
        header = DTZ_MAGIC + bytes([HAS_PAWNS * pawns]) + b"".join(bytes([side.order, *side.men]) for side in sides)
        files.append(assembled(header, [side.packed for side in sides]))
    return min(files, key=len)
