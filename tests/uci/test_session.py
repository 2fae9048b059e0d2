# SPDX-License-Identifier: GPL-3.0-or-later
"""Whole conversations with the real process: what a GUI and a match runner see.

Whatever comes down the pipe does no harm.
"""

from __future__ import annotations

import os
import re
import sys
from typing import TYPE_CHECKING

import chess
import chess.engine
import chess.polyglot
import networks
import pytest
from search_output import after, check_search
from uci_process import MODULE, TIMEOUT, UciProcess, environment, run_once

from coachwhip import __version__, open_engine
from coachwhip.__main__ import main

if TYPE_CHECKING:
    from pathlib import Path

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
WEAKER = "setoption name UCI_LimitStrength value true"


def test_greeting() -> None:
    with UciProcess() as engine:
        engine.send("uci")
        lines = engine.read_until("uciok")
        assert lines[0] == f"id name coachwhip {__version__}"
        assert lines[1].startswith("id author ")
        assert all(line.startswith("option name ") for line in lines[2:-1])
        quiet = (
            "debug on",
            "register later",
            "ucinewgame",
            "position startpos",
            "",
            "# note",
            "stop",
            "ponderhit",
        )
        assert engine.ask(*quiet) == []
        assert b"\r" not in engine.raw
        assert not re.search(rb" \n", engine.raw)
        engine.quit()


# Searches


@pytest.mark.parametrize(
    "options",
    [
        (),
        ("MultiPV value 4",),
        ("Threads value 3",),
        *((f"UCI_Elo value {elo}", "UCI_LimitStrength value true") for elo in (200, 2800)),
    ],
)
@pytest.mark.parametrize("words", ["", " searchmoves e2a6 a2a4", " ponder"])
def test_no_search_has_more_nodes_than_asked_for(
    engine: UciProcess, options: tuple[str, ...], words: str
) -> None:
    """Where the limit ends the search, the last line has exactly so many. A level may need fewer."""
    engine.send(*(f"setoption name {option}" for option in options))
    board = chess.Board(KIWIPETE)
    for nodes in (1, 2, 29, 400, 2500):
        engine.send(f"position fen {KIWIPETE}", f"go{words} nodes {nodes}")
        lines = engine.go("ponderhit") if words == " ponder" else engine.read_until("bestmove")
        counts = [int(line.split(" nodes ")[1].split(" ")[0]) for line in lines if " nodes " in line]
        assert max(counts) == counts[-1] <= nodes
        assert counts[-1] == nodes or (len(options) == 2 and nodes >= 400)
        move = board.parse_uci(lines[-1].split(" ")[1])
        assert "searchmoves" not in words or move.uci() in words


LIMITS = """depth 6|nodes 20000|movetime 50|wtime 500 btime 500 winc 10 binc 10
wtime 200 btime 200 movestogo 1|wtime 100|btime 100
depth 40 movetime 50|mate 1 movetime 50|wtime 60000 btime 60000 nodes 5000
wtime -170671 btime -170671|wtime 0 btime 0|wtime 10 btime 10 winc 0 binc 0|wtime 50 btime 50 movestogo 0
wtime 100 btime 100 movestogo 1000000000|movetime -5|nodes -1|depth -7|depth 999999 nodes 1000
wtime 100 winc 99999999999999999999"""


@pytest.mark.parametrize("go", LIMITS.replace("\n", "|").split("|"))
def test_every_limit_however_absurd_ends_the_search_with_the_score_of_its_move(
    engine: UciProcess, go: str
) -> None:
    check_search(engine.go(f"go {go}"))
    check_search(
        engine.go(f"position fen {KIWIPETE} moves e1g1 h3g2", f"go {go}"), after("e1g1 h3g2", KIWIPETE)
    )


@pytest.mark.parametrize(
    "lines",
    [
        ["go infinite", "stop"],
        ["go ponder wtime 1000 btime 1000", "ponderhit"],
        ["position fen 7k/8/8/8/8/8/r7/1r5K w - - 0 1", "go movetime 50"],  # mate
        ["position fen k7/8/8/8/8/8/1r6/K7 w - - 0 1", "go depth 4"],  # one legal move
        [WEAKER, "go ponder wtime 100 btime 100", "ponderhit"],
        ["setoption name MultiPV value 3", f"position fen {KIWIPETE}", "go infinite", "stop"],
        ["setoption name Threads value 2", f"position fen {KIWIPETE}", "go movetime 100"],
        *(  # stalemate, checkmate
            [f"position fen {fen}", *go.split(",")]
            for fen in ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1")
            for go in (
                "go depth 5",
                "go infinite,stop",
                "go ponder,ponderhit",
                "go wtime 100 btime 100",
                "go mate 2",
            )
        ),
        *(  # a draw already
            [f"position fen {fen}", *go]
            for fen in ("4k3/8/8/8/8/8/8/4K3 w - - 0 1", "4k3/8/8/8/8/8/8/4K2R w - - 100 80")
            for go in (["go depth 6"], ["go nodes 500"], ["go infinite", "stop"])
        ),
        [f"position fen {chess.STARTING_FEN} moves {'g1f3 g8f6 f3g1 f6g8 ' * 2}", "go depth 6"],
    ],
)
def test_the_score_of_the_move_stands_before_the_bestmove(engine: UciProcess, lines: list[str]) -> None:
    fen = next(
        (line[13:].partition(" moves ")[0] for line in lines if line.startswith("position")),
        chess.STARTING_FEN,
    )
    check_search(engine.go(*lines), chess.Board(fen), multipv=3)
    assert engine.ask("stop", "ponderhit") == []


def test_without_a_readable_limit_a_search_is_short(engine: UciProcess) -> None:
    """But it waits for the GUI where that is to end it."""
    lines = engine.go("go mate 3 depth x")
    assert [line for line in lines if line.startswith("info string")] == [
        "info string go: ignored depth 'x' (not a whole number); without a limit, searching 1000 ms"
    ]
    check_search(lines)
    for go, end in (("go infinite depth x", "stop"), ("go ponder movetime x depth 2", "ponderhit")):
        engine.send(go)
        waiting = engine.ask("stopp")
        assert not any(line.startswith("bestmove") for line in waiting)
        check_search(waiting + engine.go(end))


def test_threads(engine: UciProcess) -> None:
    """They change only between searches, and one thread gives the same result each time."""
    engine.ask("setoption name Threads value 3")
    engine.send("go infinite", "setoption name Threads value 2")
    check_search(engine.read_until("info depth 6 ") + engine.go("stop"))

    def search() -> str:
        lines = engine.go("setoption name Threads value 1", "ucinewgame", "position startpos", "go depth 8")
        return re.sub(r" nps \d+| time \d+", "", lines[-2])

    first = search()
    engine.go("setoption name Threads value 4", "go movetime 50")
    assert search() == first


NO_THREADS = """import sys, threading
def start(thread):
    raise RuntimeError("can't start new thread")
threading.Thread.start = start
from coachwhip.__main__ import main
sys.exit(main())"""


def test_without_a_thread_every_go_is_answered() -> None:
    """As under `ulimit -v`: nothing can stop such a search, so it ends by itself."""
    with UciProcess(command=[sys.executable, "-c", NO_THREADS]) as engine:
        for go in ("go movetime 50", "go infinite", "go ponder depth 3", "go wtime 99 btime 99"):
            check_search(engine.go(go))
        engine.send("setoption name Threads value 3", "go depth 5")
        assert engine.read_until("bestmove")
        assert "Nodes searched: 20" in engine.ask("stop", "ponderhit", "perft 1")
        engine.quit()


# Other commands


def test_chess960_castling(engine: UciProcess) -> None:
    castle = "4k3/8/8/8/8/8/8/4K2R w K - 0 1"
    for chess960, spelling in (("false", "e1g1: 1"), ("true", "e1h1: 1")):
        engine.send(f"setoption name UCI_Chess960 value {chess960}", f"position fen {castle}", "go perft 1")
        assert spelling in engine.read_until("info string perft took ")
    engine.send("position startpos", "setoption name UCI_Chess960 value false")
    for spelling in ("e1g1", "e1h1"):
        assert engine.ask(f"position fen {castle} moves {spelling}") == []


def test_perft_d_eval_and_help(engine: UciProcess) -> None:
    engine.send(f"position fen {KIWIPETE}", "go perft 3")
    lines = engine.read_until("info string perft took ")
    moves = [line for line in lines if re.fullmatch(r"[a-h][1-8][a-h][1-8][nbrq]?: \d+", line)]
    assert lines[:51] == [*sorted(moves), "", "Nodes searched: 97862", ""]
    assert sum(int(line.split(": ")[1]) for line in moves) == 97862
    lines = engine.ask("d")
    assert f"Fen: {KIWIPETE}" in lines
    assert [line for line in lines if re.fullmatch(r"Key: [0-9A-F]{16}", line)]
    assert "In check: no" in lines
    assert "In check: yes" in engine.ask("position fen 4k3/8/8/8/8/8/8/4RK2 b - - 0 1", "d")
    shown = engine.ask("position startpos", "eval")
    assert len(shown) > 5
    assert (
        engine.ask("position startpos moves e2e4", "eval startpos")
        == shown
        == engine.ask(f"eval {chess.STARTING_FEN}")
    )
    assert engine.ask("eval") != shown  # the position of the session stays
    assert engine.ask("eval 8/8") == ["info string eval: a FEN has 2 to 6 fields, not 1"]
    assert engine.ask("compiler")[0].startswith("coachwhip ")
    assert [line for line in engine.ask("help") if line.startswith("bench ")]


def test_bench_in_a_session() -> None:
    """The result is a line of the session; the positions go by on stderr."""
    with UciProcess() as engine:
        engine.send("bench 1")
        (line,) = engine.read_until("")
        assert re.fullmatch(r"\d+ nodes \d+ nps", line)
        engine.send("bench nonsense")
        (line,) = engine.read_until("info string")
        assert line == (
            "info string bench: argument DEPTH: expected a whole number from 1 to 127, not 'nonsense'; "
            "see coachwhip bench --help"
        )
        engine.send(f"bench {'x' * 100_000}")
        (line,) = engine.read_until("info string")
        assert len(line) < 250
        engine.send("quit")
        assert engine.finish() == 0
        assert b"nonsense" in engine.errors


def test_weights_file_and_its_network(
    engine: UciProcess, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """It plays with them at once, and a file that cannot be used leaves everything as it was."""
    text = run_once("weights").stdout
    for number, name in enumerate(("one", "two", "bad")):
        data = networks.by_chance(16, number).encode()
        (tmp_path / f"{name}.cwnet").write_bytes(data[:-1] if name == "bad" else data)
        path = tmp_path / f"my {name}.py"
        path.write_text(
            re.sub(r"^NETWORK = .*$", f'NETWORK = "{name}.cwnet"', text, flags=re.MULTILINE), encoding="utf-8"
        )
    (tmp_path / "import.py").write_text("import os\nos.remove('x')\n")
    seen = [engine.ask("eval")]
    for name in ("one", "two"):
        assert engine.ask(f"setoption name WeightsFile value {tmp_path}/my {name}.py") == []
        seen.append(engine.ask("eval"))
        assert [line for line in seen[-1] if line.startswith("Network ")]
        assert seen[-1] not in seen[:-1]
    truncated = "my bad.py: NETWORK: bad.cwnet cannot be used: the network is truncated"
    for file, reason in (("my bad.py", truncated), ("import.py", ""), ("absent.py", ""), ("", "")):
        (answer,) = engine.ask(f"setoption name WeightsFile value {tmp_path / file}")
        assert answer.startswith(f"info string setoption: WeightsFile: {reason}")
        assert "my two.py" in answer
    assert engine.ask("eval") == seen[-1]
    assert engine.ask("setoption name WeightsFile value <empty>", "eval") == seen[0]
    assert main(["--weights", str(tmp_path / "my one.py"), "eval"]) == 0
    assert "Network " in capfd.readouterr().out


# Whatever comes down the pipe


def fen(engine: UciProcess) -> str:
    return next(line for line in engine.ask("d") if line.startswith("Fen: "))[5:]


BAD_LINES: dict[str, list[str | bytes]] = {
    "position": [
        "position",
        "position fen moves e2e4",
        "position fen 4k3/8/8/8/8/8/8/4RK2 w - - 0 1",  # side not to move in check
        "position fen 4k3/8/8/8/8/8/8/٤K٣ w - - 0 1",
        f"position fen {'x' * 100_000}",
        f"position fen 4k3/8/8/8/8/8/8/4K3 w - {'e3' * 50_000}",
        *(
            f"position fen {KIWIPETE} moves {moves}"
            for moves in ("e1g1 e2e5", "0000", "d5d6x", "é2e4", "x" * 9999)
        ),
    ],
    "setoption: ": [
        "setoption name Hash value 1000000000000",
        "setoption name Nonsense value 1",
        "setoption name WeightsFile value bad\x01\u2028name",
        *(
            f"setoption name {name} value {'x' * 100_000}"
            for name in ("Hash", "WeightsFile", "BookFile", "SyzygyPath")
        ),
        f"setoption name Debug Log File value {'x' * 100_000}",
    ],
    "Unknown command: '": [
        *(b"\xff\xfe\xfd", b"caf\xe9", b"\0\0\0x", b"qu\x01it", b"\x1b[31m", b"go\x1cdepth"),
        *("uci\u2028quit", "　go"),
    ],
}


@pytest.mark.parametrize(
    ("start", "line"), [(start, line) for start, lines in BAD_LINES.items() for line in lines]
)
def test_a_bad_line_is_reported_once_and_changes_nothing(
    engine: UciProcess, start: str, line: str | bytes
) -> None:
    assert engine.ask(f"position fen {KIWIPETE}") == []
    (answer,) = engine.ask(line)
    assert answer.startswith(f"info string {start}")
    assert answer.isprintable()
    assert len(answer) < 500
    assert fen(engine) == KIWIPETE


@pytest.mark.skipif(sys.platform == "win32", reason="no FIFO")
def test_a_file_that_would_be_waited_for_is_rejected(tmp_path: Path) -> None:
    pipe, weights = tmp_path / "KRvK.rtbw", tmp_path / "weights.py"
    os.mkfifo(pipe)
    weights.write_text(f'NETWORK = "{pipe}"')
    values: dict[str, list[Path | str]] = {
        "BookFile": [pipe, "/dev/stdin"],
        "WeightsFile": [pipe, "/dev/stdin", weights],
        "Debug Log File": [pipe, "/dev/null"],
        "SyzygyPath": [pipe, tmp_path],
    }
    with UciProcess() as engine:
        for name, paths in values.items():
            for path in paths:
                (answer,) = engine.ask(f"setoption name {name} value {path}")
                assert answer.startswith(f"info string setoption: {name}: ")
        engine.quit()
    for name, paths in values.items():
        with pytest.raises(chess.engine.EngineError, match=name):
            open_engine({name: str(paths[0])})


def test_megabyte_lines_and_a_game_of_thousands_of_moves(engine: UciProcess) -> None:
    engine.send("x" * 2**20, "x " * 2**19, "position startpos moves " + "e2e4 " * 2**18)
    engine.send("setoption name " + "y " * 2**19, "position startpos", "go depth 1 " + "9" * 2**20, "stop")
    assert engine.read_until("bestmove")
    assert fen(engine) == chess.STARTING_FEN
    shuffle = ("g1f3 g8f6 f3g1 f6g8 " * 1250).strip()
    assert engine.ask(f"position startpos moves {shuffle}") == []
    check_search(engine.go("go depth 4"))
    assert engine.ask(f"position startpos moves {shuffle} e2e4") == []
    assert fen(engine).startswith("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq")


def test_line_ends_blanks_and_tabs(engine: UciProcess) -> None:
    engine.send(b"\r", b"", b" \t ", b"\tgo\t depth \t 2  \r", b"isready\0\r")
    lines = engine.read_until("readyok") + engine.ask()
    assert sum(line.startswith("bestmove") for line in lines) == 1 or engine.read_until("bestmove")
    assert b"\r" not in engine.raw


# python-chess


def test_python_chess_is_answered_at_once_where_its_position_was_rejected() -> None:
    with chess.engine.SimpleEngine.popen_uci(MODULE, env=environment(), timeout=TIMEOUT) as engine:
        # whose move gives up a king: python-chess sends it
        board = chess.Board("4k3/8/8/8/8/8/8/4RK2 w - - 0 1")
        limit = chess.engine.Limit(white_clock=3600, black_clock=3600)
        result = engine.play(board, limit, info=chess.engine.INFO_ALL, ponder=True)
        assert result.move == chess.Move.null()
        assert "in check" in result.info["string"]
        assert engine.analysis(board).wait().move == chess.Move.null()
        assert engine.play(chess.Board(), chess.engine.Limit(depth=3)).move in list(chess.Board().legal_moves)
