# SPDX-License-Identifier: GPL-3.0-or-later
"""Engine processes: their end, and their output."""

import os
import sys
import threading
from pathlib import Path

import pytest
from coachwhip.bench.engines.client import Client
from coachwhip.bench.engines.faults import StartError
from coachwhip.bench.engines.process import LONGEST_LINE, MOST_UNREAD, EngineProcess
from coachwhip.bench.engines.spec import EngineSpec
from uci_process import TIMEOUT, is_running, wait_for

SILENT = "import os, sys, time; open(sys.argv[1], 'w').write(f'{os.getpid()}.'); time.sleep(600)"
LEAVES = """
import os, subprocess, sys, time
quiet = subprocess.DEVNULL
subprocess.Popen([sys.executable, "-c", sys.argv[1], sys.argv[2]], stdin=quiet, stdout=quiet, stderr=quiet)
while not (os.path.exists(sys.argv[2]) and open(sys.argv[2]).read().endswith(".")): time.sleep(0.01)
"""


def test_what_is_being_started_can_be_ended_at_once(tmp_path: Path) -> None:
    mark = tmp_path / "pid"
    client = Client(EngineSpec((sys.executable, "-c", SILENT, str(mark)), "", {}, start_seconds=600))
    raised: list[BaseException] = []

    def start() -> None:
        try:
            client.start()
        except StartError as error:
            raised.append(error)

    thread = threading.Thread(target=start, daemon=True)
    thread.start()
    wait_for(lambda: mark.exists() and mark.read_text().endswith("."))
    client.end()
    thread.join(TIMEOUT)
    assert not thread.is_alive()
    assert len(raised) == 1
    if os.name != "nt":
        with pytest.raises(ProcessLookupError):
            os.kill(int(mark.read_text()[:-1]), 0)
    with pytest.raises(StartError):  # and no other follows
        client.new_game()


@pytest.mark.skipif(os.name == "nt", reason="Windows has no process groups")
def test_what_an_engine_has_started_ends_with_it_also_after_a_crash(tmp_path: Path) -> None:
    mark = tmp_path / "pid"
    client = Client(EngineSpec((sys.executable, "-c", LEAVES, SILENT, str(mark)), "", {}))
    with pytest.raises(StartError, match="has ended"):
        client.start()
    wait_for(lambda: not is_running(int(mark.read_text()[:-1])))


def test_an_engine_that_writes_without_end_waits_until_somebody_reads_and_nothing_is_lost(
    tmp_path: Path,
) -> None:
    mark, blocks = tmp_path / "mark", 40
    code = (
        f"for _ in range({blocks}): print('x' * (1 << 20))\n"
        f"open({str(mark)!r}, 'w').close()\nprint('end', flush=True)\ninput()"
    )
    process = EngineProcess((sys.executable, "-c", code))
    wait_for(lambda: process.unread > MOST_UNREAD)
    assert not mark.exists()
    length, last = 0, ""
    while last != "end":
        assert process.unread <= MOST_UNREAD + LONGEST_LINE
        lines = process.receive(TIMEOUT)[1]
        length, last = length + sum(map(len, lines)), [last, *lines][-1]
    assert length == (blocks << 20) + len(last)
    process.end()
