# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads the text of FEN and EPD lines. Pure text: no chess rules."""

CASTLING = frozenset("KQkq-")  # letters of the castling field in standard chess


def is_shredder(fen: str) -> bool:
    """Whether the castling field names the rooks' files (Shredder-FEN): castling is then written as king takes rook."""
    fields = fen.split()
    return len(fields) > 2 and not set(fields[2]) <= CASTLING


def fen_of(line: str) -> str:
    """The FEN at the start of a line, with its two counters if they are there and without the EPD operations that may follow."""
    fields = line.split(";", maxsplit=1)[0].split()
    counters = fields[4:6] if all(field.isascii() and field.isdigit() for field in fields[4:6]) else []
    return " ".join([*fields[:4], *counters])
