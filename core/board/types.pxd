# SPDX-License-Identifier: GPL-3.0-or-later
"""The glossary of the core: type aliases, enums, structs, limits, and differences between compilers.

Squares are little-endian rank-file: a1 = 0, b1 = 1, h8 = 63. A `bitboard` has bit s set for square s. Scores are centipawns from
the view of the side to move (stm); inside the evaluation, from White's. `us` is the side that a function works for: stm in move
generation and search, either colour in the evaluation; `them` is the other side. Names that end in C are C structs next to a
Python class or value of the same name: `PositionC` is one position, the Python class `Position` a game that ends in one. Sources
of the terms: https://www.chessprogramming.org.
"""

from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t

cdef extern from * nogil:
    """
    #ifndef COACHWHIP_SHIMS
    #define COACHWHIP_SHIMS
    /* gcc ignores Cython's `inline` for large bodies. The generator and the evaluation need it: their constant arguments
       (colour, kind of move) are folded into each inlined copy. */
    #if defined(__GNUC__) || defined(__clang__)
      #undef CYTHON_INLINE
      #define CYTHON_INLINE inline __attribute__((always_inline))
      #define cw_popcount(b) __builtin_popcountll(b)
      #define cw_lsb(b) __builtin_ctzll(b)
      #define cw_msb(b) (63 ^ __builtin_clzll(b))
      #define cw_prefetch(p) __builtin_prefetch(p)
      #define cw_unlikely(x) __builtin_expect(!!(x), 0)
    #else
      #if defined(_MSC_VER)
        #include <intrin.h>
        #undef CYTHON_INLINE
        #define CYTHON_INLINE __forceinline
      #endif
      #if defined(_M_X64) && defined(__AVX__) /* such processors have POPCNT */
      #define cw_popcount(b) ((int)__popcnt64(b))
      #else
      static int cw_popcount(unsigned long long b) {
        b -= (b >> 1) & 0x5555555555555555ULL;
        b = (b & 0x3333333333333333ULL) + ((b >> 2) & 0x3333333333333333ULL);
        return (int)((((b + (b >> 4)) & 0x0F0F0F0F0F0F0F0FULL) * 0x0101010101010101ULL) >> 56);
      }
      #endif
      #if defined(_MSC_VER) && (defined(_M_X64) || defined(_M_ARM64))
        static int cw_lsb(unsigned long long b) { unsigned long i; _BitScanForward64(&i, b); return (int)i; }
        static int cw_msb(unsigned long long b) { unsigned long i; _BitScanReverse64(&i, b); return (int)i; }
      #else
        static int cw_lsb(unsigned long long b) { return cw_popcount((b & (0 - b)) - 1); }
        static int cw_msb(unsigned long long b) {
          int i; for (i = 1; i < 64; i <<= 1) b |= b >> i; return cw_popcount(b) - 1;
        }
      #endif
      #if defined(_M_X64)
        #define cw_prefetch(p) _mm_prefetch((const char*)(p), _MM_HINT_T0)
      #else
        #define cw_prefetch(p) ((void)(p))
      #endif
      #define cw_unlikely(x) (x)
    #endif
    /* What another thread may read or write at any moment: relaxed atomics, the instructions of a plain read or write. Other
       compilers, and 32-bit processors, for which 64 bits may be a call, have volatile instead. */
    #if (defined(__GNUC__) || defined(__clang__)) && __SIZEOF_POINTER__ >= 8
      #define cw_get_int(p) __atomic_load_n(p, __ATOMIC_RELAXED)
      #define cw_get_word(p) __atomic_load_n(p, __ATOMIC_RELAXED)
      #define cw_set_int(p, x) __atomic_store_n(p, x, __ATOMIC_RELAXED)
      #define cw_set_word(p, x) __atomic_store_n(p, x, __ATOMIC_RELAXED)
    #else
      #define cw_get_int(p) (*(const volatile int*)(p))
      #define cw_get_word(p) (*(const volatile uint64_t*)(p))
      #define cw_set_int(p, x) ((void)(*(volatile int*)(p) = (x)))
      #define cw_set_word(p, x) ((void)(*(volatile uint64_t*)(p) = (x)))
    #endif
    /* 32-bit code has no PEXT of 64 bits. Zen 1, Zen 2 and Excavator have it only in microcode: magics are faster there. */
    #if ((defined(__x86_64__) && defined(__BMI2__)) || (defined(_M_X64) && defined(__AVX2__))) && !defined(COACHWHIP_NO_PEXT) && \
        !defined(__znver1__) && !defined(__znver2__) && !defined(__bdver4__)
      #include <immintrin.h>
      #define CW_USE_PEXT 1
      #define cw_slider_index(occ, mask, magic, shift) _pext_u64(occ, mask)
    #else
      #define CW_USE_PEXT 0
      #define cw_slider_index(occ, mask, magic, shift) ((((occ) & (mask)) * (magic)) >> (shift))
    #endif
    #ifndef COACHWHIP_CHECKS
      #define COACHWHIP_CHECKS 0
    #endif
    /* A build with checks aborts when a check fails: nogil code cannot raise an exception. */
    #include <stdio.h>
    #include <stdlib.h>
    static inline void cw_fail(const char* why) { fprintf(stderr, "coachwhip check failed: %s\\n", why); abort(); }
    /* Monotonic microseconds. */
    #if defined(_WIN32)
      #ifndef WIN32_LEAN_AND_MEAN
        #define WIN32_LEAN_AND_MEAN
      #endif
      #include <windows.h>
      static inline long long cw_now_us(void) {
        LARGE_INTEGER f, c; QueryPerformanceFrequency(&f); QueryPerformanceCounter(&c);
        return (long long)((double)c.QuadPart * 1e6 / (double)f.QuadPart);
      }
    #else
      #include <time.h>
      static inline long long cw_now_us(void) {
        struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t);
        return (long long)t.tv_sec * 1000000 + t.tv_nsec / 1000;
      }
    #endif
    #endif
    """
    int popcount "cw_popcount" (uint64_t b) noexcept
    int lsb "cw_lsb" (uint64_t b) noexcept  # index of the lowest set bit; undefined for 0
    int msb "cw_msb" (uint64_t b) noexcept
    void prefetch "cw_prefetch" (const void* address) noexcept
    int get_int "cw_get_int" (const int* shared) noexcept
    uint64_t get_word "cw_get_word" (const uint64_t* shared) noexcept
    void set_int "cw_set_int" (int* shared, int value) noexcept
    void set_word "cw_set_word" (uint64_t* shared, uint64_t value) noexcept
    bint unlikely "cw_unlikely" (bint x) noexcept
    uint64_t slider_index "cw_slider_index" (uint64_t occ, uint64_t mask, uint64_t magic, int shift) noexcept
    int64_t now_us "cw_now_us" () noexcept  # monotonic clock, microseconds
    const bint USE_PEXT "CW_USE_PEXT"
    const bint CHECKS "COACHWHIP_CHECKS"
    void fail "cw_fail" (const char* why) noexcept

ctypedef uint64_t bitboard
ctypedef uint64_t Key  # Zobrist key
ctypedef uint16_t Move  # bits 0-5 from, 6-11 to, 12-15 MoveFlag; castling is written king takes own rook
ctypedef int32_t MgEg  # a midgame and an endgame score in one integer: mg + (eg << 16), both signed

cdef enum:
    WHITE = 0
    BLACK = 1

cdef enum:
    PAWN = 0
    KNIGHT = 1
    BISHOP = 2
    ROOK = 3
    QUEEN = 4
    KING = 5
    NO_PIECE = 6

cdef enum:  # MoveFlag; bit 2: captures; bit 3: promotes, to KNIGHT + (flag & 3)
    QUIET = 0
    DOUBLE_PUSH = 1
    CASTLE = 2
    CAPTURE = 4
    EN_PASSANT = 5
    PROMOTION = 8
    PROMOTION_CAPTURE = 12

cdef enum:  # MoveKind: which moves `generate` writes
    NOISY = 1  # captures, en passant, promotions
    QUIETS = 2  # everything else
    ALL_MOVES = 3

cdef enum:
    MAX_PIECES = 32  # on the board, kings and pawns included
    MAX_MOVES = 256  # more than any legal position has (218)
    FIFTY_MOVES = 100  # plies without a capture or a pawn move that make a draw
    MAX_PLY = 128  # longest line from the root
    NO_SQUARE = 64
    MATE = 32000  # the score of being mated is -MATE + ply
    MATE_BOUND = 31744  # scores beyond +-MATE_BOUND are mates
    TB_WIN = 31000  # a win by the endgame tablebases, minus the plies from the root: above every evaluation, below every mate
    TB_BOUND = 30872  # scores beyond +-TB_BOUND are tablebase wins or mates
    EVAL_LIMIT = 29999  # |evaluate| never exceeds this; smaller than every tablebase and mate score
    INFINITE = 32001
    NO_SCORE = 32002  # means "unknown"; outside every window

cdef enum:
    BOUND_NONE = 0
    BOUND_UPPER = 1
    BOUND_LOWER = 2
    BOUND_EXACT = 3

cdef struct BoardC:
    # What move generation reads. A perft node is this and the side to move.
    bitboard by_type[6]
    bitboard by_colour[2]
    bitboard castling_rooks  # rooks that may still castle; rank 1: White's, rank 8: Black's
    bitboard ep  # target square of an en-passant capture, or 0

cdef struct PositionC:
    BoardC b
    Key key
    Key pawn_key  # pawns only
    Key piece_key[2]  # of each colour, all but its pawns
    bitboard checkers  # pieces giving check to stm
    bitboard pinned  # pieces of stm that may move only on the line to their king
    uint8_t piece_on[64]  # PieceType, NO_PIECE if empty
    uint8_t stm
    uint8_t captured  # PieceType taken by last_move, NO_PIECE if none
    uint16_t rule50  # plies since a capture or a pawn move
    uint16_t reversible  # plies that a repetition can reach back: rule50, but counted from the last null move too
    Move last_move  # the move that led here; 0 after a FEN or a null move

cdef inline int move_from(Move m) noexcept nogil:
    return m & 63

cdef inline int move_to(Move m) noexcept nogil:
    return (m >> 6) & 63

cdef inline int move_flag(Move m) noexcept nogil:
    return m >> 12

cdef inline Move make_code(int from_sq, int to_sq, int flag) noexcept nogil:
    return <Move>(from_sq | (to_sq << 6) | (flag << 12))

cdef inline bint is_capture(Move m) noexcept nogil:
    return (m >> 14) & 1

cdef inline bint is_promotion(Move m) noexcept nogil:
    return m >> 15

cdef inline bint is_noisy(Move m) noexcept nogil:
    return (m >> 14) != 0

cdef inline int promotion_type(Move m) noexcept nogil:
    return KNIGHT + ((m >> 12) & 3)

cdef inline bitboard bit(int sq) noexcept nogil:
    return (<bitboard>1) << sq

cdef inline int pop_lsb(bitboard* b) noexcept nogil:
    cdef int sq = lsb(b[0])
    b[0] &= b[0] - 1
    return sq

cdef inline int file_of(int sq) noexcept nogil:
    return sq & 7

cdef inline int rank_of(int sq) noexcept nogil:
    return sq >> 3

cdef inline int relative_square(int sq, int colour) noexcept nogil:
    # The square as its owner sees it: a1 of Black is a8.
    return sq ^ (56 if colour else 0)

cdef inline int relative_rank(int sq, int colour) noexcept nogil:
    return relative_square(sq, colour) >> 3
