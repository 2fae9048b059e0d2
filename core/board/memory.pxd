# SPDX-License-Identifier: GPL-3.0-or-later
"""Memory for hash tables."""

from libc.stdlib cimport calloc

cdef extern from * nogil:
    """
    #if defined(__linux__)
      #include <sys/mman.h>
      #ifdef MADV_HUGEPAGE
        #define cw_advise_huge(p, n) ((void)madvise(p, n, MADV_HUGEPAGE))
      #endif
    #endif
    #ifndef cw_advise_huge
      #define cw_advise_huge(p, n) ((void)(p), (void)(n))
    #endif
    """
    void advise_huge "cw_advise_huge" (void* address, size_t size) noexcept

cdef enum:
    ALIGNMENT = 2 << 20  # the size of a huge page; huge pages avoid most TLB misses

cdef inline void* new_block(size_t size, void** memory) noexcept nogil:
    """Return a block of `size` zeroed bytes, NULL without memory. `memory`: the address to `free`, unchanged without memory."""
    cdef void* found = calloc(size + ALIGNMENT, 1)
    cdef size_t start
    if found == NULL:
        return NULL
    memory[0] = found
    start = (<size_t>found + ALIGNMENT - 1) & ~(<size_t>ALIGNMENT - 1)
    advise_huge(<void*>start, size)
    return <void*>start
