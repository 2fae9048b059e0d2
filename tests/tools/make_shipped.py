# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes the data that coachwhip ships anew: `python tests/tools/make_shipped.py [openings book perft games scored tactics]`.

Everything comes from chance with fixed seeds, from coachwhip's own searches and games, and from python-chess. The searches use
the shipped evaluation: another evaluation, or another search, makes other data. tests/test_shipped_data.py checks what is there.
`openings` comes before `games` and `scored`, which begin with them. All of it takes minutes.
"""

import lzma
import sys
from pathlib import Path

import chess
import own_games
import own_openings
import own_positions
import own_tactics
from coachwhip.bench import data
from coachwhip.core.engine import Position
from coachwhip.uci.book import SHIPPED

OF_A_KIND = 12  # perft positions of each row of own_positions.KINDS
MOST_LEAVES = 5_000_000  # of a count; `coachwhip perft --suite` skips larger ones unless told otherwise
LEAST_DEPTH, MOST_DEPTH = 4, 6
COUNTED_TWICE = 50_000  # counts up to this one are made with python-chess too


def lines(text: str) -> list[str]:
    """The lines that are no comments."""
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def make_openings() -> None:
    """Balanced positions."""
    data.OPENINGS.path.write_text("".join(f"{line}\n" for line in own_openings.opening_lines()), encoding="utf-8")


def make_book() -> None:
    """The Polyglot book of OwnBook."""
    Path(SHIPPED).write_bytes(own_openings.book())


def perft_line(board: chess.Board) -> str:
    """FEN and counts; the smaller ones by python-chess too. Raises AssertionError where the two differ."""
    fen = own_positions.fen_of(board)
    position = Position(fen, chess960=board.chess960)
    fields = [fen]
    for depth in range(1, MOST_DEPTH + 1):
        count = position.perft(depth)
        if depth > LEAST_DEPTH and count > MOST_LEAVES:
            break
        assert count > COUNTED_TWICE or own_positions.leaves(board, depth) == count, (fen, depth)
        fields.append(f";D{depth} {count}")
    return " ".join(fields)


def make_perft() -> None:
    """Positions of each kind with their leaf counts; a comment names the kind."""
    text = ["# the start position", perft_line(chess.Board())]
    kind = ""
    for number, (name, _, source, wanted) in enumerate(own_positions.KINDS):
        if name != kind:
            kind = name
            text.append(f"# {name}")
        text += map(perft_line, own_positions.found(source, wanted, OF_A_KIND, f"shipped {number}"))
    data.PERFT.path.write_text("".join(f"{line}\n" for line in text), encoding="utf-8")


def make_games() -> None:
    """A few games with clocks."""
    texts = own_games.game_texts(lines(data.OPENINGS.path.read_text(encoding="utf-8")))
    data.GAMES.path.write_text("".join(texts), encoding="utf-8")


def make_scored() -> None:
    """Many games with scores, compressed."""
    texts = own_games.scored_texts(lines(data.OPENINGS.path.read_text(encoding="utf-8")))
    data.SCORED.path.write_bytes(lzma.compress("".join(texts).encode(), preset=9 | lzma.PRESET_EXTREME))


def make_tactics() -> None:
    """Problems from fast games, the easy ones first."""
    text = [problem.epd(f"tactics {number:03}") for number, problem in enumerate(own_tactics.tactics(), start=1)]
    data.TACTICS.path.write_text("".join(f"{line}\n" for line in text), encoding="utf-8")


MAKERS = {
    "openings": make_openings,
    "book": make_book,
    "perft": make_perft,
    "games": make_games,
    "scored": make_scored,
    "tactics": make_tactics,
}


def main() -> None:
    """Make what is named, or everything."""
    for name in sys.argv[1:] or MAKERS:
        print(name, flush=True)
        MAKERS[name]()


if __name__ == "__main__":
    main()
