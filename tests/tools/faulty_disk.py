# SPDX-License-Identifier: GPL-3.0-or-later
"""A disk that is full."""

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def room_of(size: int) -> Iterator[None]:
    """Let this process and what it starts write no file longer than that, as on a disk that is full."""
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
