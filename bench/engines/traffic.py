# SPDX-License-Identifier: GPL-3.0-or-later
"""A file with all lines between the runner and its engines, for `match --log`."""

import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from ...cli.command import in_words, warn
from ...cli.files import append
from ...text import storable

SENT, RECEIVED, COMPLAINT = ">", "<", "!"


class Traffic:
    """The open file, to which all threads write.

    A line has seconds since the start, engine, process, sign and text.
    """

    def __init__(self, path: Path) -> None:
        """Add a run to the file. Raises OSError."""
        self._file = path.open("ab", buffering=0)
        self._start = time.perf_counter()
        self._lock = threading.Lock()
        signs = f"{SENT} to the engine, {RECEIVED} from it, {COMPLAINT} on its stderr"
        append(self._file, f"coachwhip match log, {datetime.now(UTC).isoformat()}: {signs}\n".encode())

    def write(self, when: float, engine: str, sign: str, lines: Sequence[str]) -> None:
        """Add lines sent or received at a time of `time.perf_counter`.

        After an error, as on a full disk, the log has ended.
        """
        start = f"{when - self._start:.6f} {engine} {sign}"
        data = "".join(f"{start} {storable(line)}\n" for line in lines).encode()
        with self._lock, suppress(ValueError):  # it is closed
            try:
                append(self._file, data)
            except OSError as error:
                warn(f"warning: the --log ends here: {in_words(error)}")
                self._file.close()

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._file.close()
