# SPDX-License-Identifier: GPL-3.0-or-later
# distutils: extra_compile_args = -Og
"""What this build was made with and for."""

from .board.types cimport CHECKS, USE_PEXT

from . import LEVEL as _LEVEL

cdef extern from *:
    """
    #if defined(__clang__)
      #define CW_COMPILER "clang " __clang_version__
    #elif defined(__GNUC__)
      #define CW_COMPILER "gcc " __VERSION__
    #elif defined(_MSC_VER)
      #define CW_TEXT_(x) #x
      #define CW_TEXT(x) CW_TEXT_(x)
      #define CW_COMPILER "MSVC " CW_TEXT(_MSC_VER)
    #else
      #define CW_COMPILER "unknown compiler"
    #endif
    #if defined(__x86_64__) || defined(_M_X64)
      #define CW_MACHINE "x86-64"
    #elif defined(__aarch64__) || defined(_M_ARM64)
      #define CW_MACHINE "arm64"
    #else
      #define CW_MACHINE "other machine"
    #endif
    #ifndef COACHWHIP_FLAGS /* what setup.py asked the compiler for */
      #define COACHWHIP_FLAGS ""
    #endif
    """
    const char* COMPILER "CW_COMPILER"
    const char* MACHINE "CW_MACHINE"
    const char* FLAGS "COACHWHIP_FLAGS"


def build_info():
    """Return one line: compiler, target flags, level (levels.py), slider attacks (pext or magic), and whether checks are on."""
    attacks = "pext" if USE_PEXT else "magic"
    checks = ", checks on" if CHECKS else ""
    return f"{COMPILER.decode()} for {MACHINE.decode()} ({FLAGS.decode()}), level {_LEVEL}, {attacks} attacks{checks}"
