# SPDX-License-Identifier: GPL-3.0-or-later
"""The history tables and functions for their entries; update.pxd updates them after a result.

Killers; how well quiet moves did: by squares and whether the other side attacks them, after the moves before them
(continuation), and in this pawn structure; how well captures did; and the error of the static evaluation in similar positions
(correction).
Sources: https://www.chessprogramming.org/Killer_Heuristic, https://www.chessprogramming.org/History_Heuristic,
https://www.chessprogramming.org/Static_Evaluation_Correction_History.
"""

from ..board.position cimport Attacks
from ..board.types cimport *

cdef enum:
    HISTORY_MAX = 16384  # every entry is in -HISTORY_MAX..HISTORY_MAX
    PIECE_TYPES = 6
    PIECES = 2 * PIECE_TYPES  # index of a piece: PIECE_TYPES * colour + type
    PAGE_SIZE = PIECES * 64  # a page: entries by piece and target square
    NO_MOVE_PAGE = 0  # the continuation page at the root and after a null move; of white pawns on a1, so no move leads to it
    PAWN_PAGES = 512  # a power of two
    CORRECTIONS = 16384  # a power of two
    LOOK_BACK = 3  # continuation pages used: of the moves one, two and four plies ago
    OLDEST_DIVISOR = 2  # the history by the last of these is divided by it

cdef struct History:  # the table of a technique that is off stays 0, since nothing is written to it
    int16_t quiet[2][2][2][64][64]  # [stm][whether from is threatened][whether to is][from][to]
    int16_t capture[PIECES][64][6]  # [piece][to][type taken]
    int16_t continuation[PAGE_SIZE][PAGE_SIZE]  # [earlier piece and target][piece and target]
    int16_t pawn[PAWN_PAGES][PAGE_SIZE]  # [pawn key][piece and target]
    int16_t pawn_correction[2][CORRECTIONS]  # [stm][pawn key]
    int16_t piece_correction[2][2][CORRECTIONS]  # [stm][colour][key of that colour's pieces]
    int16_t move_correction[2][PAGE_SIZE]  # [stm][piece and target of the last move]
    Move killers[MAX_PLY + 1]  # [ply]

cdef struct HistoryView:
    # The parts of the history tables that one node uses.
    int16_t* quiet  # of stm
    const Attacks* threats  # attacks of the other side; needed for quiet moves alone
    int16_t* capture
    int16_t* pages[LOOK_BACK]  # continuation pages of the earlier moves
    int16_t* pawn
    const uint8_t* piece_on
    int first_piece  # index of the first piece of stm

cdef inline void update_entry(int16_t* entry, int bonus) noexcept nogil:
    """Add a bonus to an entry ("history gravity"): the nearer it is to +-HISTORY_MAX, the less it moves towards it."""
    cdef int size = -bonus if bonus < 0 else bonus
    entry[0] = <int16_t>(entry[0] + bonus - entry[0] * size // HISTORY_MAX)

cdef inline int page_after(const PositionC* pos, Move move) noexcept nogil:
    """Return the index of the continuation page for a move of stm."""
    return (PIECE_TYPES * pos.stm + pos.piece_on[move_from(move)]) * 64 + move_to(move)

cdef inline int page_index(const HistoryView* view, Move move) noexcept nogil:
    """Return the index in a page of the moving piece and its target square."""
    return (view.first_piece + view.piece_on[move_from(move)]) * 64 + move_to(move)

cdef inline int16_t* quiet_entry(const HistoryView* view, Move move) noexcept nogil:
    """Return the entry of a quiet move by its squares; a move out of a threat, or into one, has another entry."""
    cdef int from_sq = move_from(move)
    cdef int to_sq = move_to(move)
    cdef int threatened = 2 * (<int>(view.threats.all >> from_sq) & 1) + (<int>(view.threats.all >> to_sq) & 1)
    return &view.quiet[(threatened * 64 + from_sq) * 64 + to_sq]

cdef inline int quiet_history(const HistoryView* view, Move move) noexcept nogil:
    """Return the sum of the histories of a quiet move, within +-4.5 * HISTORY_MAX."""
    cdef int index = page_index(view, move)
    return (
        quiet_entry(view, move)[0]
        + view.pages[0][index] + view.pages[1][index] + view.pages[2][index] // OLDEST_DIVISOR
        + view.pawn[index]
    )

cdef inline int victim_of(const uint8_t* piece_on, Move move) noexcept nogil:
    """Return the type of the piece that is taken. En passant and a promotion without capture count as captures of a pawn."""
    cdef int victim = piece_on[move_to(move)]
    return PAWN if victim == NO_PIECE else victim

cdef inline int16_t* capture_entry(const HistoryView* view, Move move) noexcept nogil:
    """Return the entry of a capture or promotion."""
    return &view.capture[PIECE_TYPES * page_index(view, move) + victim_of(view.piece_on, move)]

cdef inline int capture_history(const HistoryView* view, Move move) noexcept nogil:
    return capture_entry(view, move)[0]

cdef inline int move_history(const HistoryView* view, Move move) noexcept nogil:
    return capture_history(view, move) if is_noisy(move) else quiet_history(view, move)
