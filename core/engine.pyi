# SPDX-License-Identifier: GPL-3.0-or-later
# Types only: the docstrings are in engine.pyx, position.pyx, results.pyx and the modules of the functions.

from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from typing_extensions import Self

STARTPOS_FEN: str
DANGER_STEP: int  # danger units of one level of `king_danger`
FIFTY_MOVES: int  # plies without a capture or a pawn move that make a draw
FULL_PHASE: int  # the phase with all pieces on the board
FULL_SCALE: int  # the scale of a score that counts in full
HIDDEN_STEP: int  # the units of a network's side are a multiple of it
INPUTS: int  # of a network's side
MATE: int  # the score of being mated is -MATE + ply
MAX_DEPTH: int  # the deepest iteration
MAX_HIDDEN: int  # units of a network's side
MAX_OUTPUT_WEIGHT: int  # of a network
MAX_PIECES: int  # on the board
MAX_PLY: int  # longest line the search follows from the root
MAX_RECORDED_PLIES: int  # of a recorded game
MAX_THREADS: int  # most threads a search can have
NEVER_HIDDEN: int  # the `hidden_from` of a row whose position has not been in its game before (core/board/recorded.pxd)
NO_RESULT: int  # the result of a row at the end of a side line
PACKED_SIZE: int  # bytes of a packed position
QA: int  # 1.0 of a network's accumulator
QB: int  # 1.0 of a network's output weight
ROW_SIZE: int  # bytes of a row of a decoded game
SHOWN_TB_WIN: int  # the score in centipawns of a win by the endgame tablebases
TRAINING_BLOCK: int  # hidden units of a block of the parameters of a network in training

class Position:
    chess960: bool
    def __init__(self, fen: str = ..., chess960: bool = ...) -> None: ...
    def copy(self) -> Self: ...
    def fen(self) -> str: ...
    def passed_square(self) -> str: ...
    def legal_moves(self) -> list[str]: ...
    def make(self, move: str) -> None: ...
    def undo(self) -> None: ...
    def move_code(self, move: str) -> int: ...
    def gives_check(self, move: str) -> bool: ...
    def is_capture(self, move: str) -> bool: ...
    def perft(self, depth: int, *, threads: int = ..., hash_mb: int = ...) -> int: ...
    def divide(
        self,
        depth: int,
        should_stop: Callable[[], object] | None = ...,
        on_move: Callable[[str, int], object] | None = ...,
        *,
        threads: int = ...,
        hash_mb: int = ...,
        on_progress: Callable[[int, int, int], object] | None = ...,
    ) -> list[tuple[str, int]]: ...
    def see(self, move: str) -> int: ...
    def is_draw(self) -> bool: ...
    def can_repeat(self) -> bool: ...
    def result(self) -> str: ...
    def is_ok(self) -> bool: ...
    @property
    def key(self) -> int: ...
    @property
    def pawn_key(self) -> int: ...
    @property
    def in_check(self) -> bool: ...
    @property
    def threats(self) -> int: ...
    @property
    def stm(self) -> str: ...
    @property
    def ply(self) -> int: ...
    def pack(self) -> bytes: ...
    def board(self) -> str: ...

def unpack(packed: bytes) -> str: ...
def decode_games(
    data: bytes | NDArray[np.uint8],
    ends: NDArray[np.int64],
    rows: NDArray[np.uint8],
    counts: NDArray[np.int64],
    *,
    first: int = ...,
    every: bool = ...,
) -> int: ...

class SearchInfo:
    depth: int
    seldepth: int
    multipv: int
    score_cp: int
    is_mate: bool
    is_tb: bool
    mate_in: int
    bound: str
    nodes: int
    time_ms: int
    hashfull: int
    tbhits: int
    pv: tuple[str, ...]
    currmove: str
    currmovenumber: int

class SearchResult:
    bestmove: str
    ponder: str
    info: SearchInfo | None
    nodes: int
    threads: int

class Engine:
    def __new__(
        cls,
        weights: Sequence[int],
        hash_mb: int = ...,
        tunables: Mapping[str, int] | None = ...,
        network: bytes | None = ...,
    ) -> Self: ...
    def set_hash(self, mb: int) -> None: ...
    def set_threads(self, threads: int) -> None: ...
    def set_weights(self, weights: Sequence[int]) -> None: ...
    def set_network(self, network: bytes | None) -> None: ...
    def set_tunables(self, tunables: Mapping[str, int]) -> None: ...
    def set_tablebase(self, probe: Callable[[str], int | None] | None, max_pieces: int = ..., probe_depth: int = ...) -> None: ...
    def clear(self) -> None: ...
    def clear_hash(self) -> None: ...
    def search(
        self,
        position: Position,
        *,
        depth: int = ...,
        nodes: int = ...,
        soft_nodes: int = ...,
        mate: int = ...,
        soft_ms: float = ...,
        hard_ms: int = ...,
        ponder: bool = ...,
        searchmoves: Sequence[str] = ...,
        later: Sequence[Sequence[str]] = ...,
        multipv: int = ...,
        on_info: Callable[[SearchInfo], None] | None = ...,
    ) -> SearchResult: ...
    def prepare(self) -> None: ...
    def stop(self) -> None: ...
    def ponderhit(self) -> None: ...
    def is_searching(self) -> bool: ...
    def evaluate(self, position: Position) -> int: ...
    def trace(self, position: Position) -> dict[str, object]: ...
    def features(self, fens: Iterable[str]) -> tuple[array[int], array[int], array[int], array[int], array[int]]: ...
    def static_scores(self, packed: NDArray[np.uint8], out: NDArray[np.int16]) -> None: ...

def network_header(network: bytes) -> dict[str, Any]: ...
def network_outputs(boards: NDArray[np.uint8], values: NDArray[np.float32], out: NDArray[np.float32]) -> None: ...
def network_gradient(
    boards: NDArray[np.uint8],
    logits: NDArray[np.float32],
    targets: NDArray[np.float32],
    values: NDArray[np.float32],
    gradient: NDArray[np.float32],
) -> float: ...
def adam_step(
    values: NDArray[Any],
    mean: NDArray[Any],
    square: NDArray[Any],
    gradient: NDArray[Any],
    *,
    step: int,
    rate: float,
    tiny: float,
    decay: float,
) -> None: ...
def build_info() -> str: ...
def weights_layout() -> list[tuple[str, tuple[int, ...], bool]]: ...
