# SPDX-License-Identifier: GPL-3.0-or-later
# Types only: the docstrings are in network_file.pyx.

from typing import Self

class Network:
    @property
    def data(self) -> bytes: ...
    def __new__(cls, data: bytes) -> Self: ...
