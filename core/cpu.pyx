# SPDX-License-Identifier: GPL-3.0-or-later
# distutils: extra_compile_args = -Og
"""What the processor can do, in the registers of its instruction CPUID, and what this build needs.

setup.py compiles this module for every processor of the architecture, whatever the others are compiled for. levels.py reads it.
"""

from libc.stdint cimport uint32_t, uint64_t

cdef extern from *:
    """
    #ifndef COACHWHIP_LEVELS /* setup.py: names of the levels, empty if there is only one; features that this one needs */
      #define COACHWHIP_LEVELS ""
    #endif
    #ifndef COACHWHIP_NEEDS
      #define COACHWHIP_NEEDS ""
    #endif
    #if defined(_MSC_VER) && (defined(_M_X64) || defined(_M_IX86))
      #include <immintrin.h>
      #include <intrin.h>
      #define CW_X86 1
      static void cw_cpuid(uint32_t leaf, uint32_t subleaf, uint32_t* out) { __cpuidex((int*)out, (int)leaf, (int)subleaf); }
      static uint64_t cw_xcr0(void) { return _xgetbv(0); }
    #elif (defined(__GNUC__) || defined(__clang__)) && (defined(__x86_64__) || defined(__i386__))
      #include <cpuid.h>
      #define CW_X86 1
      static void cw_cpuid(uint32_t leaf, uint32_t subleaf, uint32_t* out) {
        __cpuid_count(leaf, subleaf, out[0], out[1], out[2], out[3]);
      }
      static uint64_t cw_xcr0(void) { /* the mnemonic needs -mxsave in some compilers */
        uint32_t low, high;
        __asm__ volatile(".byte 0x0f, 0x01, 0xd0" : "=a"(low), "=d"(high) : "c"(0));
        return (uint64_t)high << 32 | low;
      }
    #else
      #define CW_X86 0
      static void cw_cpuid(uint32_t leaf, uint32_t subleaf, uint32_t* out) {
        (void)leaf; (void)subleaf; out[0] = out[1] = out[2] = out[3] = 0;
      }
      static uint64_t cw_xcr0(void) { return 0; }
    #endif
    """
    const bint IS_X86 "CW_X86"
    const char* BUILT_LEVELS "COACHWHIP_LEVELS"
    const char* BUILT_NEEDS "COACHWHIP_NEEDS"
    void read_cpuid "cw_cpuid" (uint32_t leaf, uint32_t subleaf, uint32_t* out) noexcept
    uint64_t read_xcr0 "cw_xcr0" () noexcept

LEVELS = BUILT_LEVELS.decode()
NEEDS = BUILT_NEEDS.decode()


def cpuid(uint32_t leaf, uint32_t subleaf):
    """EAX, EBX, ECX and EDX of a leaf of CPUID; None if this is no x86. A leaf beyond the last one gives another's numbers."""
    cdef uint32_t[4] out
    if not IS_X86:
        return None
    read_cpuid(leaf, subleaf, out)
    return out[0], out[1], out[2], out[3]


def xcr0():
    """The register XCR0: which registers the system saves. Only where leaf 1 of CPUID says OSXSAVE; elsewhere it is fatal."""
    return read_xcr0()
