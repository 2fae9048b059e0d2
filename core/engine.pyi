# SPDX-License-Identifier: GPL-3.0-or-later
"""The Python face of the core: `Position`, `Engine`, and the values a search reports."""

from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

STARTPOS_FEN: str
DANGER_STEP: int  # danger units of one level of `king_danger`
FULL_PHASE: int  # the phase with all pieces on the board
FULL_SCALE: int  # the scale of a score that counts in full
MAX_DEPTH: int  # the deepest iteration
MAX_PLY: int  # longest line the search follows from the root
MAX_THREADS: int  # most threads a search can have
MAX_RECORDED_PLIES: int  # of a recorded game
NEVER_HIDDEN: int  # the `hidden_from` of a row whose position has not been in its game before (core/board/recorded.pxd)
NO_RESULT: int  # the result of a row at the end of a side line
PACKED_SIZE: int  # bytes of a packed position
ROW_SIZE: int  # bytes of a row of a decoded game

class Position:
    """A legal chess position with the game that led to it (for repetition and `undo`). Threads may share one.

    `chess960` only chooses how castling is written (king takes rook, `e1h1`, instead of `e1g1`); Chess960 and
    double Chess960 positions are accepted either way. Castling moves are read in both spellings.
    """

    chess960: bool
    def __init__(self, fen: str = ..., chess960: bool = ...) -> None:
        """Read a FEN (2 to 6 fields; standard, X-FEN or Shredder-FEN castling). Raises ValueError with one clear sentence."""
    def copy(self) -> Position: ...
    def fen(self) -> str:
        """The FEN; castling as X-FEN, or with Shredder letters if `chess960`; the ep square only if a capture there is legal."""
    def passed_square(self) -> str:
        """The square that a pawn has just passed with a double step, or "-", whether or not a capture there is legal. Before the first
        move it is the ep square of the FEN."""
    def legal_moves(self) -> list[str]:
        """All legal moves as UCI text, in generation order."""
    def make(self, move: str) -> None:
        """Make a move given as UCI text. Raises ValueError, and changes nothing, if it is not legal."""
    def undo(self) -> None:
        """Take the last move back. Raises IndexError at the first position."""
    def move_code(self, move: str) -> int:
        """The 16 bits that recorded games have for a legal move (core/board/types.pxd). Raises ValueError if it is not legal."""
    def gives_check(self, move: str) -> bool: ...
    def is_capture(self, move: str) -> bool: ...
    def perft(self, depth: int, should_stop: Callable[[], object] | None = ..., *, threads: int = ..., hash_mb: int = ...) -> int:
        """Number of leaf positions `depth` plies ahead (bulk counted, GIL released). ValueError if depth is not in 0..20.

        `should_stop` is called about every 10 milliseconds; once it returns true, the number counted so far is returned. Ctrl-C
        raises KeyboardInterrupt as quickly, and an exception of `should_stop` is raised here.

        `threads` (1 to 256) count together. `hash_mb` is the size of a table of positions counted before, used for this call
        only, 0: none. With a table a count of 10^12 lookups is wrong with a chance of 3 in 10^12 (core/board/perft_table.pxd).
        Raises MemoryError if there is no memory for it.
        """
    def divide(
        self,
        depth: int,
        should_stop: Callable[[], object] | None = ...,
        on_move: Callable[[str, int], object] | None = ...,
        *,
        threads: int = ...,
        hash_mb: int = ...,
        on_progress: Callable[[int, int, int], object] | None = ...,
    ) -> list[tuple[str, int]]:
        """Leaf count behind every legal move, in the order of Stockfish 15.1. ValueError if depth is not in 1..20.

        `on_move` is called with each move and its count within 10 milliseconds after it and all moves before it are counted,
        `on_progress` as often with the parts of the tree that are counted, all parts, and the leaves counted so far. What they
        raise ends the count and is raised here. If stopped (see `perft`), moves not fully counted are left out, and so are those
        behind them. `threads` and `hash_mb` are as in `perft`.
        """
    def see(self, move: str) -> int:
        """Static exchange evaluation of a legal move: centipawns from the view of the side that moves."""
    def is_draw(self) -> bool:
        """Whether the position is drawn by fifty moves, threefold repetition in the game so far, or insufficient material."""
    def can_repeat(self) -> bool:
        """Whether stm can, with one reversible move, reach a position of the last 100 plies of the game again."""
    def result(self) -> str:
        """`1-0`, `0-1`, `1/2-1/2` (stalemate, fifty moves, threefold, insufficient material) or `*`."""
    def is_ok(self) -> bool:
        """Whether boards, keys, checks and pins equal those computed from scratch (a self-test)."""
    @property
    def key(self) -> int: ...  # 64-bit Zobrist key
    @property
    def pawn_key(self) -> int: ...
    @property
    def in_check(self) -> bool: ...
    @property
    def threats(self) -> int: ...  # squares that the side not to move attacks: bit 0 is a1, bit 63 h8
    @property
    def stm(self) -> str: ...  # "w" or "b"
    @property
    def ply(self) -> int: ...  # plies played since the FEN
    def pack(self) -> bytes:
        """The packed position: PACKED_SIZE bytes, described in core/board/packed.pxd. The FEN's move number is not kept."""
    def board(self) -> str:
        """The 64 squares as 8 lines of 8 letters, rank 8 first, '.' for empty (used by the command `d`)."""

def unpack(packed: bytes) -> str:
    """The FEN of a packed position. Raises ValueError for a wrong length, side to move, number of men or of kings."""

def decode_games(
    data: bytes | NDArray[np.uint8],
    ends: NDArray[np.int64],
    rows: NDArray[np.uint8],
    counts: NDArray[np.int64],
    *,
    first: int = ...,
    every: bool = ...,
) -> int:
    """Write rows of ROW_SIZE bytes for positions of many recorded games (core/board/recorded.pxd). Returns how many there are.

    Game i is `data[ends[i - 1] : ends[i]]`; its number of rows goes to `counts[i]`. Rows are written for the positions that can be
    used, or for `every` one; a row for every 4 bytes of `data` is room enough. The GIL is released. Raises ValueError with the
    number of the first game that is wrong, counted from `first`; games before it are decoded then."""

class SearchInfo:
    """One report of a search: the result of an iteration, a bound, or the root move being searched. Scores: from stm's view."""

    depth: int
    seldepth: int
    multipv: int  # number of the line, from 1; in a report of a bound: the line being searched
    score_cp: int  # centipawns; meaningless when is_mate
    is_mate: bool
    is_tb: bool  # a win or loss by the endgame tablebases; score_cp is then near +-20000
    mate_in: int  # full moves, negative when the side to move is mated
    bound: str  # "" exact, "lowerbound", "upperbound"
    nodes: int
    time_ms: int
    hashfull: int  # permille
    tbhits: int
    pv: tuple[str, ...]  # UCI text; never empty in an exact info
    currmove: str  # the root move being searched: then only depth, currmove and currmovenumber are set; otherwise ""
    currmovenumber: int

class SearchResult:
    """The result of a search: `bestmove` is "" if there is no legal move; `ponder`, the expected reply, "" if unknown."""

    bestmove: str
    ponder: str
    info: SearchInfo | None  # the last exact info of the best line
    nodes: int  # of all threads
    threads: int  # that searched: fewer than were set if the system could not start more
    cut: bool  # whether a stop or a limit ended it inside an iteration

class Engine:
    """A transposition table, histories, weights and tunables. One search at a time, by one thread or more (`set_threads`).

    While it runs, every method but `stop`, `ponderhit`, `prepare` and `is_searching` raises RuntimeError, in any thread."""

    def __init__(
        self,
        weights: Sequence[int],
        hash_mb: int = ...,
        tunables: Mapping[str, int] | None = ...,
        network: bytes | None = ...,
    ) -> None:
        """`weights`: what `evaluation.config.flatten` returns. `network`: the bytes of a network file, see `set_network`.

        Raises ValueError (wrong length, unknown tunable, a network that cannot be used), MemoryError."""
    def set_hash(self, mb: int) -> None:
        """Resize and clear the transposition table. Raises ValueError or MemoryError and keeps the old table."""
    def set_threads(self, threads: int) -> None:
        """Search with so many threads; a new engine has 1. With one thread the same search gives the same result every time. With
        more, the node limit is kept only roughly, and `nodes` is the sum over all. Raises ValueError or MemoryError and keeps the
        old number.

        Threads share only the transposition table and read-only data; the result is the leader's (Lazy SMP)."""
    def set_weights(self, weights: Sequence[int]) -> None:
        """Replace the evaluation weights; clears table and histories, which depend on them. Raises ValueError if they are wrong."""
    def set_network(self, network: bytes | None) -> None:
        """Evaluate with this network, in its file's form (core/evaluate/network_file.pxd); None: with the terms alone.

        A network of the kind "residual" is added to the terms, one of the kind "pure" takes their place. All threads share one
        copy. Clears table and histories, which depend on it. Raises ValueError with one sentence for a file that cannot be used, or
        MemoryError, and then changes nothing."""
    def set_tunables(self, tunables: Mapping[str, int]) -> None:
        """Search with these changes to tunables.py; a number that is not named gets its default. Clears table and histories, so that
        the next search is that of a new engine. Raises ValueError for an unknown name or a value out of range, and changes nothing."""
    def set_tablebase(self, probe: Callable[[str], int | None] | None, max_pieces: int = ..., probe_depth: int = ...) -> None:
        """Call `probe` at nodes with at most `max_pieces` men, kings included, after a capture or pawn move. None: no tablebase.

        It gets a FEN and returns -2 (stm loses), -1 (a loss that the fifty-move rule makes a draw), 0, 1 (a win that it makes a
        draw), 2 (stm wins) or None (not known). It is called with the GIL by a searching thread; an exception ends the search,
        which raises it. A call takes as long as hundreds of nodes, so only nodes with at least `probe_depth` plies left to search
        are probed."""
    def clear(self) -> None:
        """Clear what searches have learnt: transposition table, histories, pawn tables (ucinewgame)."""
    def clear_hash(self) -> None: ...
    def search(
        self,
        position: Position,
        *,
        depth: int = ...,  # 0: no limit
        nodes: int = ...,  # 0: no limit
        mate: int = ...,  # stop once a mate (given or suffered) in this many moves is proven; 0: no limit
        soft_ms: int = ...,  # start no further iteration after about this time; 0: no limit
        hard_ms: int = ...,  # stop within an iteration after this time; 0: no limit
        ponder: bool = ...,  # soft_ms and hard_ms apply only after `ponderhit`; both count from the start of the search
        searchmoves: Sequence[str] = ...,  # legal moves; empty: all
        later: Sequence[Sequence[str]] = ...,  # groups of worse moves, for lines of `multipv` beyond the moves before them
        multipv: int = ...,  # number of lines, each with another first move; fewer if there are fewer moves
        on_info: Callable[[SearchInfo], None] | None = ...,
    ) -> SearchResult:
        """Search until a limit or `stop`. The position is copied first, and the GIL is released during the search.

        If there is a legal move, the result has one, with an exact score: limits and `stop` take effect once depth 1 is done or
        has cost about 2000 nodes. If not even its first move was searched by then, the score of depth 1 is the static evaluation.

        `on_info` is called with the GIL by the searching thread. An exception in it ends the search and is raised here; so is
        Ctrl-C if the search runs in Python's main thread. With `multipv` above 1 all lines are reported after each iteration, by
        score. An iteration that is stopped reports the lines it found and after them the others of the iteration before. The best
        move is that of the line reported first.

        Raises RuntimeError if a search is running, ValueError if `multipv` is below 1. A `stop` before `prepare` has no effect.
        """
    def prepare(self) -> None:
        """Clear the stop and ponderhit flags. Call it in the thread that will send `stop`, before the searching thread starts.
        `search` never clears them, so a `stop` sent between `prepare` and `search` is not lost."""
    def stop(self) -> None: ...
    def ponderhit(self) -> None: ...
    def is_searching(self) -> bool:
        """Whether a search or another method of the engine is running."""
    def evaluate(self, position: Position) -> int:
        """Static evaluation in centipawns from the view of stm: terms and network, faded by the fifty-move counter.

        Detects neither draw nor mate."""
    def trace(self, position: Position) -> dict[str, object]:
        """Every term of the evaluation. `evaluation.trace` prints it as a table.

        Keys: "phase" (0 endgame .. 24 all pieces), "scale" (0..128, factor of the endgame part), "raw" (cp, White's view: the
        score of the terms alone), "network" (None without one, see below), "rule50" (plies), "fade" (0..128, factor of the sum by
        the fifty-move counter), "score" (cp, White's view: all of it, faded), "stm" ("w" or "b"), and lists in the order of
        `weights_layout`: "weights" (integers as in `weights` of Engine) and "features" (pairs white_count, black_count).

        "network" is a dict: "residual" (whether it is added to the terms, else it takes their place), "score" (cp, White's view),
        and "worth" (64 squares from a1: by how many cp, White's view, its score would be less without the piece there; None for
        empty squares and kings)."""
    def check_network(self, position: Position, moves: int, seed: int = ...) -> dict[str, int]:
        """A self-test: make so many moves by chance, in games from the position, and compare accumulators that follow the moves with
        accumulators made from scratch. "wrong" must be 0.

        Keys: "moves", "compared" (positions), "wrong" (of these), and how many moves were "castling", "en_passant", "promotions",
        "null_moves" and "crossings" (of a king, to the other half of the board). Raises ValueError if there is no network."""

    def features(self, fens: Iterable[str]) -> tuple[array[int], array[int], array[int], array[int], array[int]]:
        """What `trace` counts, for many positions as one sparse matrix: `starts`, `columns`, `counts`, `phase` and `score` of each row.

        Row i holds `counts[starts[i] : starts[i + 1]]` in the columns `columns[starts[i] : starts[i + 1]]` (compressed sparse
        rows). The column of a weight is its index in the layout. A tapered weight's count is White's minus Black's; a plain
        weight's is White's, and Black's counts of the plain weights follow in further columns at the end. Scores are centipawns
        from White's view, those of the terms alone, not faded. Raises ValueError with the number of the position if a FEN is wrong."""
    def static_scores(self, packed: NDArray[np.uint8], out: NDArray[np.int16]) -> None:
        """Write what `evaluate` returns, not faded, to an array of 16-bit integers, for an array of packed positions, PACKED_SIZE
        bytes a row.

        Raises ValueError with the number of the first row, from 1, that is not a legal position."""

def network_header(network: bytes) -> dict[str, Any]:
    """The header of a network file, after all checks. Raises ValueError with one sentence if the file cannot be used."""

def build_info() -> str:
    """One line: compiler, version, target flags, level (levels.py), slider attacks (pext or magic), and whether checks are on."""

def weights_layout() -> list[tuple[str, tuple[int, ...], bool]]:
    """Name, shape and whether tapered ((mg, eg) pair) of every weight, in the order that Engine takes them. Shape (): one value."""
