# SPDX-License-Identifier: GPL-3.0-or-later
"""What earlier searches teach about moves and evaluations. Search and move picker go through these functions only.

Killers; how well quiet moves did by squares, after the moves before them (continuation) and in this pawn structure; how well
captures did; and how far the static evaluation was off in positions like this one (correction).
Sources: https://www.chessprogramming.org/Killer_Heuristic, https://www.chessprogramming.org/History_Heuristic,
https://www.chessprogramming.org/Static_Evaluation_Correction_History.
"""

from ..board.types cimport *

cdef enum:
    HISTORY_MAX = 16384  # no entry leaves -HISTORY_MAX..HISTORY_MAX
    PIECE_TYPES = 6
    PIECES = 2 * PIECE_TYPES  # a piece with its colour: PIECE_TYPES * colour + type
    PAGE_SIZE = PIECES * 64  # entries by piece and square it goes to
    NO_MOVE_PAGE = PAGE_SIZE  # the continuation page after no move, or a null move
    PAWN_PAGES = 512  # a power of two
    CORRECTIONS = 16384  # a power of two
    LOOK_BACK = 3  # moves whose continuation counts: one, two and four plies ago
    OLDEST_DIVISOR = 2  # the last of these counts so much less

cdef struct History:  # a technique that is off never writes its table, which so stays 0
    int16_t quiet[2][64][64]  # [stm][from][to]
    int16_t capture[PIECES][64][6]  # [piece][to][type taken]
    int16_t continuation[PAGE_SIZE + 1][PAGE_SIZE]  # [earlier piece and its square][piece and its square]
    int16_t pawn[PAWN_PAGES][PAGE_SIZE]  # [pawn key][piece and its square]
    int16_t pawn_correction[2][CORRECTIONS]  # [stm][pawn key]
    int16_t piece_correction[2][2][CORRECTIONS]  # [stm][colour][key of that colour's pieces]
    int16_t move_correction[2][PAGE_SIZE + 1]  # [stm][piece and square of the last move]
    Move killers[MAX_PLY + 1][2]  # [ply], newest first

cdef struct HistoryView:
    # The tables as one node needs them.
    int16_t* quiet  # of stm
    int16_t* capture
    int16_t* pages[LOOK_BACK]  # continuations of the earlier moves
    int16_t* pawn
    const uint8_t* piece_on
    int first_piece  # of stm, in PIECES

cdef inline void update_entry(int16_t* entry, int bonus) noexcept nogil:
    """The one update formula: move towards +-HISTORY_MAX, the less the nearer it is ("history gravity")."""
    cdef int size = -bonus if bonus < 0 else bonus
    entry[0] = <int16_t>(entry[0] + bonus - entry[0] * size // HISTORY_MAX)

cdef inline int page_after(const PositionC* pos, Move move) noexcept nogil:
    """Number of the continuation page for a move of stm."""
    return (PIECE_TYPES * pos.stm + pos.piece_on[move_from(move)]) * 64 + move_to(move)

cdef inline int place_of(const HistoryView* view, Move move) noexcept nogil:
    """Where the moving piece and the square it goes to stand in a page."""
    return (view.first_piece + view.piece_on[move_from(move)]) * 64 + move_to(move)

cdef inline int quiet_history(const HistoryView* view, Move move) noexcept nogil:
    """All that is known of a quiet move, at most 5 * HISTORY_MAX either way."""
    cdef int place = place_of(view, move)
    return (
        view.quiet[move_from(move) * 64 + move_to(move)]
        + view.pages[0][place] + view.pages[1][place] + view.pages[2][place] // OLDEST_DIVISOR
        + view.pawn[place]
    )

cdef inline int16_t* capture_entry(const HistoryView* view, Move move) noexcept nogil:
    """Of a capture or promotion; one that takes nothing, or a pawn in passing, counts as taking a pawn."""
    cdef int victim = view.piece_on[move_to(move)]
    return &view.capture[PIECE_TYPES * place_of(view, move) + (PAWN if victim == NO_PIECE else victim)]

cdef inline int capture_history(const HistoryView* view, Move move) noexcept nogil:
    return capture_entry(view, move)[0]

cdef inline void add_killer(History* h, int ply, Move move) noexcept nogil:
    if h.killers[ply][0] != move:
        h.killers[ply][1] = h.killers[ply][0]
        h.killers[ply][0] = move

cdef inline void forget_killers(History* h, int ply) noexcept nogil:
    h.killers[ply][0] = 0
    h.killers[ply][1] = 0
