# SPDX-License-Identifier: GPL-3.0-or-later
"""An engine that is sent blocks of bytes while its answers are read: many lines at once, where UciProcess asks one by one."""

import os
import re
import subprocess
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

CHUNK = 2**16
SERIOUS = re.compile(rb"Traceback|Sanitizer|runtime error|Fatal Python|ERROR")


class Silent(Exception):
    """The engine has not answered, is gone, or complains on standard error."""


class UciStream:
    """An engine's process. `lines` are its answers since they were last cleared, `errors` what it wrote on standard error.

    Threads read both, so that a write cannot block for ever; an engine that is silent for `patience` seconds is killed.
    """

    def __init__(self, command: Sequence[str], folder: Path, environment: Mapping[str, str], patience: float) -> None:
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, cwd=folder, env=environment, stdin=pipe, stdout=pipe, stderr=pipe, bufsize=0)
        self._patience = patience
        self._benches = False
        self._changed = threading.Condition()
        self._gone = False
        self._ready = self._wanted = 0  # `readyok`, in all
        self._lines: list[bytes] = []
        self.errors = b""
        self._readers = [
            threading.Thread(target=read, args=(stream,), daemon=True)
            for read, stream in ((self._read, self.process.stdout), (self._read_errors, self.process.stderr))
        ]
        for reader in self._readers:
            reader.start()

    @property
    def lines(self) -> list[str]:
        """The answers. Raises UnicodeDecodeError."""
        return [line.decode() for line in self._lines[:]]

    @property
    def count(self) -> int:
        """How many lines have come."""
        return len(self._lines)

    def last(self, count: int = 40) -> list[str]:
        """The last answers, readable whatever they are."""
        return [line.decode(errors="backslashreplace") for line in self._lines[-count:]]

    def clear(self) -> None:
        """Forget the answers."""
        with self._changed:
            self._lines = []

    def exchange(self, data: bytes, ready: int) -> None:
        """Send bytes and read until so many more `readyok` have come. Raises Silent, also for what is on standard error.

        A bench writes there, so that with one only a traceback or the message of a sanitizer counts.
        """
        self._wanted += ready
        self._benches = self._benches or b"bench" in data
        watchdog = threading.Timer(self._patience, self.process.kill)
        watchdog.start()
        try:
            self._write(data)
            with self._changed:
                self._changed.wait_for(lambda: self._gone or self._ready >= self._wanted)
        finally:
            watchdog.cancel()
        if self._ready < self._wanted:
            code = self.process.wait(self._patience)
            raise Silent(f"gone, or killed after {self._patience:g} s of silence: exit code {code}, {self._missing()} missing")
        if self.has_errors():
            raise Silent("it wrote on standard error")

    def has_errors(self) -> bool:
        """Whether there is on standard error what should not be."""
        return bool(SERIOUS.search(self.errors) if self._benches else self.errors)

    def finish(self) -> int:
        """Close its input, read to the end; returns the exit code. Raises Silent."""
        assert self.process.stdin
        self.process.stdin.close()
        try:
            code = self.process.wait(self._patience)
        except subprocess.TimeoutExpired:
            raise Silent(f"still there {self._patience:g} s after its input was closed") from None
        self._join()
        return code

    def close(self) -> None:
        """End it, whatever it does, and take in what it has written."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self._join()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            assert stream
            try:
                stream.close()
            except OSError:  # what was not written is lost
                pass

    def _missing(self) -> str:
        return f"{self._wanted - self._ready} of {self._wanted} readyok"

    def _join(self) -> None:
        for reader in self._readers:
            reader.join(self._patience)

    def _write(self, data: bytes) -> None:
        assert self.process.stdin
        rest = memoryview(data)
        try:
            while rest:
                rest = rest[self.process.stdin.write(rest[:CHUNK]) or 0 :]
        except OSError as error:
            raise Silent(f"it has closed its input, or was killed after {self._patience:g} s: {error}") from None

    def _read(self, stream: IO[bytes]) -> None:
        begun = b""
        while data := os.read(stream.fileno(), CHUNK):
            *whole, begun = (begun + data).split(b"\n")
            with self._changed:
                self._lines += whole
                self._ready += whole.count(b"readyok")
                self._changed.notify_all()
        with self._changed:
            self._lines += [begun] if begun else []
            self._gone = True
            self._changed.notify_all()

    def _read_errors(self, stream: IO[bytes]) -> None:
        while data := os.read(stream.fileno(), CHUNK):
            self.errors += data
