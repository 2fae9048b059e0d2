# SPDX-License-Identifier: GPL-3.0-or-later
# Types only: the docstrings are in blocks.pyx.

from array import array

def compress_games(data: bytearray, ends: array[int]) -> bytes: ...
def expand_games(compressed: bytes, data: bytearray, ends: array[int], *, first: int = ...) -> int: ...
