# SPDX-License-Identifier: GPL-3.0-or-later
"""Keeps two runs from writing one file: a lock of the operating system on the open file itself.

The system releases it when the process ends, also after a crash, so that no old lock blocks a resumed run.
"""

import errno
import os
import sys
from pathlib import Path
from typing import IO, Any

from .command import CommandError

HELD = (errno.EACCES, errno.EAGAIN, errno.EDEADLK)  # what the systems say of a file that another has locked
FAR = 2**31 - 2  # Windows locks bytes, and nobody else may read them: one that is never there


def hold(file: IO[Any], path: Path, *, wait: bool = False) -> None:
    """Lock an open file until it is closed, or `wait` until that can be done; does nothing where locks are unknown.

    Raises CommandError if another run has it (on Windows also one that keeps it for more than ten seconds).
    """
    try:
        if sys.platform == "win32":
            import msvcrt

            at = os.lseek(file.fileno(), 0, os.SEEK_CUR)
            os.lseek(file.fileno(), FAR, os.SEEK_SET)
            try:
                msvcrt.locking(file.fileno(), msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK, 1)
            finally:
                os.lseek(file.fileno(), at, os.SEEK_SET)
        else:
            import fcntl

            fcntl.flock(file.fileno(), fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in HELD:
            raise CommandError(f"{path} is in use by another run: wait for its end, or give another file") from error
