# SPDX-License-Identifier: GPL-3.0-or-later
# distutils: extra_compile_args = -Og
"""CPU features that this build needs, and which of them are missing.

setup.py compiles this module for every processor of the architecture, whatever the others are compiled for. levels.py reads it.
"""

cdef extern from *:
    """
    #ifndef COACHWHIP_LEVELS /* setup.py: names of the levels, empty if there is one; CW_ASK(name) for each feature they need */
      #define COACHWHIP_LEVELS ""
      #define COACHWHIP_FEATURES
    #endif
    #if defined(_MSC_VER) && (defined(_M_X64) || defined(_M_IX86)) /* here a feature is AVX-512, or what /arch:AVX2 uses */
      #include <intrin.h>
      #include <string.h>
      #include <windows.h>
      static int cw_has(const char* name) {
        int leaf[4];
        int avx = strncmp(name, "avx512", 6) == 0 ? 41 : 40; /* PF_AVX512F_..., PF_AVX2_INSTRUCTIONS_AVAILABLE */
        if (!IsProcessorFeaturePresent(avx)) return 0;
        __cpuidex(leaf, 7, 0);
        return (leaf[1] & 0x108) == 0x108; /* BMI1, BMI2 */
      }
      static int cw_has_fast_pext(void) {
        int leaf[4];
        __cpuid(leaf, 0);
        if (leaf[1] == 0x756E6547) return 1; /* GenuineIntel */
        if (leaf[1] != 0x68747541) return 0; /* AuthenticAMD */
        __cpuid(leaf, 1);
        return (leaf[0] >> 8 & 15) + (leaf[0] >> 20 & 255) >= 0x19; /* the family: Zen 3 */
      }
    #elif (defined(__GNUC__) || defined(__clang__)) && (defined(__x86_64__) || defined(__i386__))
      #define cw_has(name) __builtin_cpu_supports(name)
      #define cw_has_fast_pext() \\
        (__builtin_cpu_is("intel") || \\
         (__builtin_cpu_is("amd") && !__builtin_cpu_is("amdfam15h") && !__builtin_cpu_is("amdfam17h")))
    #else
      #define cw_has(name) 0
      #define cw_has_fast_pext() 0
    #endif
    static const char* cw_lacking[64];
    #define CW_ASK(name) if (!cw_has(#name)) cw_lacking[count++] = #name;
    static int cw_count_lacking(void) {
      int count = 0;
    #ifdef __GNUC__
      #if defined(__x86_64__) || defined(__i386__)
      __builtin_cpu_init();
      #endif
    #endif
      COACHWHIP_FEATURES
      if (COACHWHIP_LEVELS[0] && !cw_has_fast_pext()) cw_lacking[count++] = "fast pext";
      return count;
    }
    """
    const char* BUILT_LEVELS "COACHWHIP_LEVELS"
    const char** FOUND_LACKING "cw_lacking"
    int count_lacking "cw_count_lacking" () noexcept

LEVELS = BUILT_LEVELS.decode().split()
LACKING = [FOUND_LACKING[i].decode() for i in range(count_lacking())]
