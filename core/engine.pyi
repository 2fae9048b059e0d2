# SPDX-License-Identifier: GPL-3.0-or-later
"""Types of the compiled face: `Position`, `Engine`, and the values a search reports."""

from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence

STARTPOS_FEN: str
DANGER_STEP: int  # danger units of one level of `king_danger`
FULL_PHASE: int  # with all pieces on the board
FULL_SCALE: int  # of a score that counts in full
MAX_DEPTH: int  # deepest iteration a search can be asked for
MAX_PLY: int  # longest line the search follows from the root
MAX_THREADS: int  # most threads a search can have
PACKED_SIZE: int  # bytes of a packed position

class Position:
    """A legal chess position with the game that led to it (for repetition and `undo`). Threads may share one: each call is whole.

    `chess960` only chooses how castling is written (king takes rook, `e1h1`, instead of `e1g1`); Chess960 and
    double Chess960 positions are accepted either way. Castling moves are read in both spellings.
    """

    chess960: bool
    def __init__(self, fen: str = ..., chess960: bool = ...) -> None:
        """Read a FEN (2 to 6 fields; standard, X-FEN or Shredder-FEN castling). Raises ValueError with one clear sentence."""
    def copy(self) -> Position: ...
    def fen(self) -> str:
        """The FEN; castling as KQkq where unambiguous (X-FEN), Shredder letters when `chess960` is set; ep only if a capture is legal."""
    def legal_moves(self) -> list[str]:
        """All legal moves as UCI text, in generation order."""
    def make(self, move: str) -> None:
        """Play a move given as UCI text. Raises ValueError, and changes nothing, if it is not legal."""
    def undo(self) -> None:
        """Take the last move back. Raises IndexError at the first position."""
    def gives_check(self, move: str) -> bool: ...
    def is_capture(self, move: str) -> bool: ...
    def perft(self, depth: int, should_stop: Callable[[], object] | None = ...) -> int:
        """Number of leaf positions `depth` plies ahead (bulk counted, GIL released). ValueError if depth is not in 0..20.

        `should_stop` is asked about every 10 milliseconds; once it says yes, what has been counted by then is returned. Ctrl-C raises
        KeyboardInterrupt as soon, and an exception of `should_stop` comes out.
        """
    def divide(
        self, depth: int, should_stop: Callable[[], object] | None = ..., on_move: Callable[[str, int], object] | None = ...
    ) -> list[tuple[str, int]]:
        """Leaf count behind every legal move, in the order in which Stockfish 15.1 lists them. ValueError if depth is not in 1..20.

        `on_move` is called with each as soon as it is known; when stopped (see `perft`), the moves not counted to the end are missing.
        """
    def see(self, move: str) -> int:
        """Static exchange evaluation of a legal move in centipawns, from the mover's side (largest threshold it reaches)."""
    def is_draw(self) -> bool:
        """Fifty moves, threefold repetition in the game so far, or insufficient material."""
    def can_repeat(self) -> bool:
        """Whether stm can bring back a position of the game so far (looking back 100 plies) with one reversible move."""
    def result(self) -> str:
        """`1-0`, `0-1`, `1/2-1/2` (stalemate, fifty moves, threefold, insufficient material) or `*`."""
    def is_ok(self) -> bool:
        """Whether boards, keys and check masks equal what is computed from scratch (a self-test)."""
    @property
    def key(self) -> int: ...  # 64-bit Zobrist key
    @property
    def pawn_key(self) -> int: ...
    @property
    def in_check(self) -> bool: ...
    @property
    def stm(self) -> str: ...  # "w" or "b"
    @property
    def ply(self) -> int: ...  # plies played since the FEN
    def pack(self) -> bytes:
        """The position in PACKED_SIZE bytes, as core/board/packed.pxd describes them: all of the FEN but the number of the move."""
    def board(self) -> str:
        """The 64 squares as 8 lines of 8 letters, rank 8 first, '.' for empty (for `d`)."""

def unpack(packed: bytes) -> str:
    """The FEN of a packed position. Raises ValueError for bytes that `Position.pack` does not write."""

class SearchInfo:
    """What one iteration (or one bound) found. `score` is from the side to move."""

    depth: int
    seldepth: int
    multipv: int  # number of the line, from 1; of a bound: the line being searched
    score_cp: int  # centipawns; meaningless when is_mate
    is_mate: bool
    is_tb: bool  # a win or loss that the endgame tables promise; score_cp is then near +-20000
    mate_in: int  # full moves, negative when the side to move is mated
    bound: str  # "" exact, "lowerbound", "upperbound"
    nodes: int
    time_ms: int
    hashfull: int  # permille
    tbhits: int
    pv: tuple[str, ...]  # UCI text; never empty in an exact info
    currmove: str  # "" in a normal info; otherwise only depth, currmove and currmovenumber are set
    currmovenumber: int

class SearchResult:
    """The end of a search: `bestmove` is "" when there is no legal move; `ponder` is "" when there is none to suggest."""

    bestmove: str
    ponder: str
    info: SearchInfo | None  # the last exact info of the best line
    nodes: int  # of all threads
    threads: int  # that took part: fewer than were set where the system refused to start more

class Engine:
    """A transposition table, histories, weights and tunables. One search at a time, by one thread or more (`set_threads`).

    While it runs, every method but `stop`, `ponderhit`, `prepare` and `is_searching` raises RuntimeError, from whatever thread."""

    def __init__(self, weights: Sequence[int], hash_mb: int = ..., tunables: Mapping[str, int] | None = ...) -> None:
        """`weights`: what `evaluation.config.pack` returns. Raises ValueError (wrong length, unknown tunable), MemoryError."""
    def set_hash(self, mb: int) -> None:
        """Resize (and clear) the table. Raises MemoryError and keeps the old table if it cannot be had."""
    def set_threads(self, threads: int) -> None:
        """Search with so many threads, 1 at first. With one a search is the same every time; with more the node limit is kept
        roughly, and `nodes` counts those of all. Raises ValueError, or MemoryError, and keeps the old number.

        They share the table and nothing else; the line of the main thread is the result (Lazy SMP)."""
    def set_weights(self, weights: Sequence[int]) -> None:
        """Replace the evaluation weights; clears the table, since its scores no longer hold. ValueError on wrong length."""
    def set_tablebase(self, probe: Callable[[str], int | None] | None, max_pieces: int = ..., probe_depth: int = ...) -> None:
        """Ask `probe` at nodes with at most `max_pieces` men, kings included, that a capture or pawn move has led to; None: ask nobody.

        It gets a FEN and gives -2 (lost for stm), -1 (saved by the fifty-move rule), 0, 1 (a win but for that rule), 2 or None (not
        known), with the GIL, from the searching thread; an exception ends the search and is raised by it. Asking takes as long as
        hundreds of nodes, so it is done only where at least `probe_depth` plies are left to search. RuntimeError during a search."""
    def clear(self) -> None:
        """Forget everything learnt: table, histories (ucinewgame)."""
    def clear_hash(self) -> None: ...
    def search(
        self,
        position: Position,
        *,
        depth: int = ...,  # 0: no limit
        nodes: int = ...,  # 0: no limit
        mate: int = ...,  # stop once a mate (given or suffered) in this many moves is proven; 0: no limit
        soft_ms: int = ...,  # do not start another iteration after this; 0: none
        hard_ms: int = ...,  # stop inside an iteration after this; 0: none
        ponder: bool = ...,  # the two clocks above bind only after `ponderhit`, counted from the start of the search
        searchmoves: Sequence[str] = ...,  # legal moves; empty: all
        multipv: int = ...,  # lines to find, each with another first move; fewer where there are fewer moves
        on_info: Callable[[SearchInfo], None] | None = ...,
    ) -> SearchResult:
        """Search until a limit or `stop`; the GIL is free meanwhile and the position is copied first.

        There is always a legal move and an exact score: limits and `stop` bind when depth 1 is done or has cost some 2000 nodes, and where not
        even its first move could be searched by then, the score of depth 1 is the static evaluation. Ctrl-C, where the search runs in the
        main thread, ends it as an exception would. With `multipv` above 1 all
        lines are reported after each iteration, by score. One that is broken off reports the lines it found, and behind them the
        others from the iteration before; the best move is always that of the line reported first. `on_info` is called with
        the GIL from the searching thread; an exception in it ends the search and is raised here. RuntimeError if a
        search is running already, ValueError if `multipv` is below 1. A `stop` sent before the search starts does not affect it: see `prepare`.
        """
    def prepare(self) -> None:
        """Clear the stop and ponderhit flags. Call it in the thread that will send `stop`, before starting the searching thread;
        `search` itself never clears them, so that a stop can never be lost between the two."""
    def stop(self) -> None: ...
    def ponderhit(self) -> None: ...
    def is_searching(self) -> bool:
        """Whether a search is running, or another call is at work with the engine."""
    def evaluate(self, position: Position) -> int:
        """Static evaluation in centipawns from the side to move, faded as the fifty-move clock runs. Knows nothing of repetition,
        nor that a position is drawn or mate."""
    def trace(self, position: Position) -> dict[str, object]:
        """Every term of the evaluation: see `evaluation.trace` for the table it becomes.

        Keys: "phase" (0 endgame .. 24 all pieces), "scale" (0..128 of the endgame part), "raw" (cp, White's side: what the terms come
        to), "rule50" (plies), "fade" (0..128 of "raw" left at this clock), "score" (cp, White's side: "raw" faded, what `evaluate` gives),
        "stm" ("w" or "b"), and flat lists in the layout's order: "weights" (packed) and "features" (white_count, black_count)."""

    def features(self, fens: Iterable[str]) -> tuple[array[int], array[int], array[int], array[int], array[int]]:
        """What `trace` counts, for many positions as one sparse matrix: `starts`, `columns`, `counts`, and `phase` and `score` by row.

        Row i holds `counts[starts[i] : starts[i + 1]]` in the columns named beside them (compressed sparse rows). Column j of a
        tapered weight is its place in the layout and its count White's less Black's; the plain weights follow as White got them,
        at their place in the layout, and once more as Black did, behind all of them. Scores are centipawns from White's side, not faded.
        Raises ValueError that names the position for a FEN that is none."""

def build_info() -> str:
    """One line: compiler, version, target flags, slider attacks in use (pext or magic), checks on or off."""

def weights_layout() -> list[tuple[str, tuple[int, ...], bool]]:
    """Name, shape and whether tapered ((mg, eg) pairs) of every weight, in packing order. Shape () is a single value."""
