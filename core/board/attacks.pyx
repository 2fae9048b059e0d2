# SPDX-License-Identifier: GPL-3.0-or-later
"""Fills the attack tables at import.

A search by trial for this project gave the magic numbers: random sparse numbers that give two blocker sets of a square the same
index only if their attacks are equal. To repeat it at every start would take 300 ms.
"""

from .types cimport *

cdef extern from *:
    """
    static const unsigned long long CW_BISHOP_MAGICS[64] = {
      0x002082060A003200ULL, 0x0042080200820502ULL, 0x0084080081030060ULL, 0x2808208021208000ULL,
      0x001310C104020010ULL, 0x1000901008402000ULL, 0x0004A80802100010ULL, 0x0200844050042082ULL,
      0x400AC0101A0221D8ULL, 0x0048040882140020ULL, 0x001064A404044042ULL, 0x0498240408880032ULL,
      0x3402042420420000ULL, 0x0000120202201200ULL, 0x000000A410280481ULL, 0x0240120100A21000ULL,
      0x0804014085881201ULL, 0x1002100448020401ULL, 0x0310020200204104ULL, 0x0480804808210000ULL,
      0x0810100202100080ULL, 0x8481001930021000ULL, 0x00804C860104A000ULL, 0x2010800242080140ULL,
      0x4804060410200840ULL, 0x12C4102004100080ULL, 0x0304100202008010ULL, 0x0008080000220020ULL,
      0x0041004004004040ULL, 0x0010004002880800ULL, 0x0084140800820140ULL, 0x010D11200C420800ULL,
      0x310460A002080200ULL, 0xDA04048430202100ULL, 0x5020280801210202ULL, 0xC0A0080800060A01ULL,
      0x0040008120120120ULL, 0x200C080200243100ULL, 0x0004008200008800ULL, 0x081A6A0040002400ULL,
      0x020C012099143000ULL, 0x0420442434092084ULL, 0x8000804040450801ULL, 0x0014C44208008081ULL,
      0x010014010E000400ULL, 0x0020509001100480ULL, 0x2020810400840124ULL, 0x2010010110201100ULL,
      0x8A84040202109208ULL, 0x0082009088484800ULL, 0x0081002201100158ULL, 0x22484004460804C0ULL,
      0x0880000803040000ULL, 0x2420040890510480ULL, 0x2008080880840008ULL, 0x0089620812002302ULL,
      0x0800188201202000ULL, 0x01000A0042680410ULL, 0x0041000100909024ULL, 0x0002080040420884ULL,
      0x0000020884208200ULL, 0x222008649002CA00ULL, 0x0424602450424040ULL, 0x0004010808008080ULL,
    };
    static const unsigned long long CW_ROOK_MAGICS[64] = {
      0x0180001860400080ULL, 0x0040001000200041ULL, 0x2900084020011300ULL, 0x3880080010008005ULL,
      0x8280040008000280ULL, 0x0200010804100200ULL, 0x8880010010800200ULL, 0x0080005A80032100ULL,
      0x4822800020400088ULL, 0x4102402010024002ULL, 0x0011001020010040ULL, 0x4482805000810800ULL,
      0x900D000510080100ULL, 0x1000800200040080ULL, 0x0042000200040801ULL, 0x0002002042008514ULL,
      0x0180184000200044ULL, 0x0410014040002008ULL, 0x4801010020001040ULL, 0xC000230010000900ULL,
      0x0804008008000480ULL, 0x0814008002008004ULL, 0x0001240011021810ULL, 0x0800820000428437ULL,
      0x800140008000EA80ULL, 0x2290500040002002ULL, 0x2000401900200100ULL, 0x0E05002100100008ULL,
      0x10A8000880040080ULL, 0x2001000300040008ULL, 0x4131480400021081ULL, 0x1030803080044B00ULL,
      0x0280004000402000ULL, 0x0300200040401002ULL, 0x0400200101001048ULL, 0x0308080080801001ULL,
      0x4080080080800400ULL, 0x800B800200800400ULL, 0x0001010804001002ULL, 0x8130008042000401ULL,
      0x904001C080248000ULL, 0x803000200040C000ULL, 0x403C200041010010ULL, 0x0200900021030009ULL,
      0x4004080004008080ULL, 0x0000403020280104ULL, 0xA005001A00050004ULL, 0x0220086884020001ULL,
      0x0000208019004100ULL, 0x0020201000400040ULL, 0x4200100020008480ULL, 0x0038080080100080ULL,
      0x0A18080004008080ULL, 0x0008040080020080ULL, 0x080A008104080200ULL, 0x0000004084010200ULL,
      0x1448831021020142ULL, 0x0000400112E08101ULL, 0x8040084010200101ULL, 0x6004040810010021ULL,
      0x0482001004082002ULL, 0x1109000400080213ULL, 0x41050208101100A4ULL, 0x0000008410C30022ULL,
    };
    """
    const uint64_t BISHOP_MAGICS "CW_BISHOP_MAGICS" [64]
    const uint64_t ROOK_MAGICS "CW_ROOK_MAGICS" [64]

cdef int[4][2] ROOK_STEPS = [[1, 0], [-1, 0], [0, 1], [0, -1]]
cdef int[4][2] BISHOP_STEPS = [[1, 1], [-1, -1], [1, -1], [-1, 1]]


cdef bitboard _ray(int sq, int d_rank, int d_file, bitboard occ) noexcept nogil:
    """Return the squares from `sq` in one direction up to the first blocker, included."""
    cdef bitboard attacks = 0
    cdef int rank = rank_of(sq) + d_rank
    cdef int file = file_of(sq) + d_file
    while 0 <= rank < 8 and 0 <= file < 8:
        attacks |= bit(8 * rank + file)
        if occ & bit(8 * rank + file):
            break
        rank += d_rank
        file += d_file
    return attacks


cdef bitboard _slide(int sq, int[4][2] steps, bitboard occ) noexcept nogil:
    cdef bitboard attacks = 0
    cdef int i
    for i in range(4):
        attacks |= _ray(sq, steps[i][0], steps[i][1], occ)
    return attacks


cdef bitboard _step(int sq, int d_rank, int d_file) noexcept nogil:
    """Return the square that a knight, king or pawn reaches by this step; 0 if it is off the board."""
    cdef int rank = rank_of(sq) + d_rank
    cdef int file = file_of(sq) + d_file
    return bit(8 * rank + file) if 0 <= rank < 8 and 0 <= file < 8 else 0


cdef void _fill_leapers(int sq) noexcept nogil:
    cdef int a, b
    for a in range(-2, 3):
        for b in range(-2, 3):
            if a * a + b * b == 5:
                TABLES.knight[sq] |= _step(sq, a, b)
            elif 0 < a * a + b * b <= 2:
                TABLES.king[sq] |= _step(sq, a, b)
    TABLES.pawn[WHITE][sq] = _step(sq, 1, -1) | _step(sq, 1, 1)
    TABLES.pawn[BLACK][sq] = _step(sq, -1, -1) | _step(sq, -1, 1)


cdef bitboard* _fill_slider(Slider* s, int sq, int[4][2] steps, uint64_t magic, bitboard* table) noexcept nogil:
    """Fill one square's part of the slider table. Returns where the next square's part begins."""
    cdef bitboard edges = ((rank_mask(0) | rank_mask(7)) & ~rank_mask(rank_of(sq))) | (
        (file_mask(0) | file_mask(7)) & ~file_mask(file_of(sq))
    )
    cdef bitboard occ = 0
    s.mask = _slide(sq, steps, 0) & ~edges
    s.magic = magic
    s.shift = 64 - popcount(s.mask)
    s.attacks = table
    while True:  # every subset of the mask (carry-rippler)
        table[slider_index(occ, s.mask, s.magic, s.shift)] = _slide(sq, steps, occ)
        occ = (occ - s.mask) & s.mask
        if occ == 0:
            break
    return table + (bit(popcount(s.mask)))


cdef void _fill_lines(int sq) noexcept nogil:
    cdef int i, d_rank, d_file, other
    cdef bitboard line, ray
    for i in range(8):
        d_rank = ROOK_STEPS[i][0] if i < 4 else BISHOP_STEPS[i - 4][0]
        d_file = ROOK_STEPS[i][1] if i < 4 else BISHOP_STEPS[i - 4][1]
        line = _ray(sq, d_rank, d_file, 0) | _ray(sq, -d_rank, -d_file, 0) | bit(sq)
        if d_file == 0:
            TABLES.file_line[sq] = line
        elif d_rank == d_file:
            TABLES.diagonal[sq] = line
        elif d_rank == -d_file:
            TABLES.antidiagonal[sq] = line
        ray = _ray(sq, d_rank, d_file, 0)
        while ray:
            other = pop_lsb(&ray)
            TABLES.line[sq][other] = line
            TABLES.between[sq][other] = _ray(sq, d_rank, d_file, bit(other)) & ~bit(other)


cdef void _fill_tables() noexcept nogil:
    cdef int sq
    cdef bitboard* table = TABLES.slider_attacks
    for sq in range(64):
        _fill_leapers(sq)
        _fill_lines(sq)
        TABLES.rook_rays[sq] = _slide(sq, ROOK_STEPS, 0)
        TABLES.bishop_rays[sq] = _slide(sq, BISHOP_STEPS, 0)
        table = _fill_slider(&TABLES.rook[sq], sq, ROOK_STEPS, ROOK_MAGICS[sq], table)
        table = _fill_slider(&TABLES.bishop[sq], sq, BISHOP_STEPS, BISHOP_MAGICS[sq], table)


_fill_tables()
