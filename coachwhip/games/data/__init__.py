# SPDX-License-Identifier: GPL-3.0-or-later
"""The data that come with coachwhip, for subcommands to which no file is named.

`coachwhip data` lists them. All but the games and the opening names is coachwhip's own, made by
tests/tools/make_shipped.py of commit 1385447, the tactics by searches of commit deb56b0:

openings  6, 8 or 10 random moves among those that a search finds nearly as good as the best; a deeper search
          finds neither side more than 60 centipawns ahead. EPD; `ce` is that score, `id` the moves.
book      in uci/, where OwnBook reads it: the positions that its moves reach most often, each with the moves
          that a search likes.
perft     positions of random games and random placements: checks, en passant that is legal or only looks so,
          promotions, pins, castling, Chess960 and double Chess960. The small counts are python-chess's too.
tactics   positions of its games against others at 10+0.1 in which one move is 50 centipawns better than all
          others, to a search of 16 million nodes or more, which finds it late: after `c0` nodes, so that a
          second solves about half. The easy ones come first.
games     six games of masters from 1851 to 1927, with mistakes to explain; the bare moves.
names     ECO codes and names of opening positions. Source: https://github.com/lichess-org/chess-openings, CC0
          1.0 (public domain).
"""

import lzma
from pathlib import Path
from typing import NamedTuple

from ...cli.command import warn
from ...uci import book

FOLDER = Path(__file__).parent


class Shipped(NamedTuple):
    """A file, what its entries are, and what uses it where no other file is named."""

    path: Path
    entries: str
    used_by: str

    @property
    def number(self) -> int:
        """How many entries there are. Raises OSError."""
        if self.path.suffix == ".bin":
            return self.path.stat().st_size // book.ENTRY_BYTES
        data = self.path.read_bytes()
        if self.path.suffix == ".xz":
            data = lzma.decompress(data)
        lines = data.splitlines()
        if ".pgn" in self.path.suffixes:
            return sum(line.startswith(b"[Event ") for line in lines)
        return sum(bool(line.strip()) and not line.startswith(b"#") for line in lines)

    def in_words(self) -> str:
        """Describe the file for the help of an option, even where it is missing."""
        number = f"{self.number} " if self.path.is_file() else ""
        return f"the {number}built-in {self.entries}; `coachwhip data` lists them"

    def warn_default(self) -> None:
        """Print on standard error that these are used by default."""
        warn(f"using the {self.number} built-in {self.entries}, {self.path}")


OPENINGS = Shipped(FOLDER / "openings.epd", "balanced openings", "match")
BOOK = Shipped(Path(book.SHIPPED), "book moves", "OwnBook")
PERFT = Shipped(FOLDER / "perft.epd", "positions with known counts", "perft --suite")
TACTICS = Shipped(FOLDER / "tactics.epd", "test positions", "suite")
GAMES = Shipped(FOLDER / "games.pgn", "games", "analyse")
NAMES = Shipped(FOLDER / "opening-names.tsv.xz", "opening names", "analyse")
ALL = {"openings": OPENINGS, "book": BOOK, "perft": PERFT, "tactics": TACTICS, "games": GAMES, "names": NAMES}
