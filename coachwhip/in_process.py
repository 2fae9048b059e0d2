# SPDX-License-Identifier: GPL-3.0-or-later
"""`open_engine`: python-chess's own `SimpleEngine` and UCI protocol on a session in this process.

python-chess believes that it talks to another process. The lines that it writes go into a queue, which a UCI
session reads in a thread; the lines that the session writes go to python-chess's event loop. Searches run
without the GIL, so other threads go on.
"""

from __future__ import annotations

import asyncio
import atexit
import os
import threading
from concurrent.futures import Future
from contextlib import contextmanager
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from chess.engine import EngineError, SimpleEngine, UciProtocol

from . import __version__
from .core.engine import Position
from .uci.loop import UciLoop
from .uci.reader import read_lines
from .uci.session import Session
from .uci.tunables import read

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import chess
    from chess.engine import ConfigMapping

REJECTED = "info string setoption: "

END_TIMEOUT = 5.0  # seconds that a session may take to end; it gives its search 2

_open_engines: WeakSet[SimpleEngine] = WeakSet()
_sessions: WeakSet[threading.Thread] = WeakSet()


def open_engine(
    options: ConfigMapping | None = None, *, tunables: Mapping[str, int] | None = None
) -> SimpleEngine:
    """Return a `chess.engine.SimpleEngine` on coachwhip in this process.

    `options` are those of its `configure`. `tunables` are changes to the numbers of the search and the
    switches of its techniques (`coachwhip tunables` lists them). Close it after use, or use it in a `with`
    statement; the end of the program closes it too.

    Raises `chess.engine.EngineError` for an option or a tunable that is unknown or has a wrong value, as
    `configure` does.

    >>> import chess, chess.engine
    >>> with open_engine({"Hash": 1}) as engine:
    ...     board = chess.Board("7k/5ppp/8/8/8/8/8/R3K3 w - - 0 1")
    ...     print(engine.play(board, chess.engine.Limit(nodes=1000)).move)
    a1a8
    """
    with _engine_errors():
        changes = read(f"{name}={value:d}" for name, value in (tunables or {}).items())
    engine = _start(Session(tunables=changes))
    _open_engines.add(engine)
    try:
        engine.configure(options or {})
    except BaseException:
        engine.close()
        raise
    return engine


def _start(session: Session) -> SimpleEngine:
    """Return an engine whose threads do not keep the program alive.

    They are daemons, as is the thread that starts them.
    """
    started: Future[SimpleEngine] = Future()

    def start() -> None:
        try:
            started.set_result(
                SimpleEngine.popen(InProcessProtocol, "coachwhip", timeout=None, session=session)
            )
        except BaseException as error:  # noqa: BLE001 - raised where the engine is waited for
            started.set_exception(error)

    threading.Thread(target=start, daemon=True).start()
    return started.result()


@contextmanager
def _engine_errors() -> Iterator[None]:
    """Turn all errors into EngineErrors."""
    try:
        yield
    except Exception as error:
        raise EngineError(str(error)) from error


@atexit.register
def _close_what_is_open() -> None:
    """Close the open engines, and wait for all sessions: a search must not outlive the interpreter."""
    for engine in tuple(_open_engines):
        engine.close()
    for session in tuple(_sessions):
        session.join(END_TIMEOUT)


class InProcessProtocol(UciProtocol):
    """python-chess's side of a session in this process."""

    # messages about options during `configure`, which are shown as its error
    _rejected: list[str] | None = None

    @classmethod
    async def popen(cls, *_: Any, **popen_args: Any) -> tuple[InProcessTransport, InProcessProtocol]:
        """Start a session on `session`, the one argument that counts."""
        protocol = cls()
        transport = InProcessTransport(protocol, popen_args["session"])
        protocol.connection_made(transport)
        return transport, protocol

    async def communicate(self, command_factory: Any) -> Any:
        """Run a command.

        After another error than EngineError, as from an argument of a wrong type, python-chess waits for
        ever.
        """
        command = command_factory(self)
        for method in ("start", "line_received"):
            setattr(command, method, _engine_errors()(getattr(command, method)))
        return await super().communicate(lambda _: command)

    def _position(self, board: chess.Board) -> None:
        """Set a position.

        Raises ValueError if it is not legal: python-chess would take the answer for a null move.
        """
        Position.from_board(board)
        super()._position(board)

    async def configure(self, options: ConfigMapping) -> None:
        """Set options.

        Raises EngineError with the engine's own message if one, such as a file, is rejected: it keeps its
        value.
        """
        config, target = self.config.copy(), self.target_config.copy()
        await super().configure(options)
        self._rejected = []  # the session answers later
        await self.ping()
        rejected, self._rejected = self._rejected, None
        for message in rejected:
            name = message.partition(":")[0]
            self.config[name], self.target_config[name] = config[name], target[name]
        if rejected:
            raise EngineError(rejected[0])

    def session_line(self, line: str) -> None:
        """Handle a line of the session."""
        if self._rejected is not None and line.startswith(REJECTED):
            self._rejected.append(line.removeprefix(REJECTED))
        else:
            self.pipe_data_received(1, line.encode(errors="replace") + b"\n")


class InProcessTransport(asyncio.SubprocessTransport):
    """The session as python-chess sees a process.

    It is its own input pipe, and the `Writer` of the session.
    """

    closed = False  # for the session: python-chess reads until the session has ended

    def __init__(self, protocol: InProcessProtocol, session: Session) -> None:
        super().__init__()
        self._protocol = protocol
        self._written: SimpleQueue[bytes] = SimpleQueue()
        thread = threading.Thread(target=self._run_session, args=(session,), name="coachwhip session")
        _sessions.add(thread)
        thread.start()

    def _run_session(self, session: Session) -> None:
        UciLoop(self, f"coachwhip {__version__}", session=session).run(
            read_lines(lambda _: self._written.get())
        )
        session.close()
        self._protocol.loop.call_soon_threadsafe(self._protocol.connection_lost, None)

    def is_closed(self) -> bool:
        """Return False: nobody can close the pipe on the session."""
        return self.closed

    def __call__(self, line: str, /) -> None:
        """Give a line of the session to python-chess."""
        self._protocol.loop.call_soon_threadsafe(self._protocol.session_line, line)

    def write(self, data: bytes) -> None:
        """Give lines of python-chess to the session."""
        self._written.put(data)

    def get_pipe_transport(self, _fd: int) -> Any:
        """Return the only pipe, the session's input."""
        return self

    def get_pid(self) -> int:
        """Return the number of this process."""
        return os.getpid()

    def get_returncode(self) -> int:
        """Return the exit code of a session that has ended."""
        return 0

    def close(self) -> None:
        """End the session, also while it searches."""
        self.write(b"stop\nquit\n")
