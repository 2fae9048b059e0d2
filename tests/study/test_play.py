# SPDX-License-Identifier: GPL-3.0-or-later
"""`coachwhip play`: games from scripts, judged by python-chess; files with games; games that end early."""

import io
import locale
import random
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace

import chess
import chess.pgn
import pytest
from chess.engine import SimpleEngine
from uci_process import environment

from coachwhip import open_engine
from coachwhip.games.time_control import TimeControl
from coachwhip.study.play.__main__ import main, time_control
from coachwhip.study.play.game import Game, Setup
from coachwhip.study.play.opponent import Opponent
from coachwhip.study.play.terminal import Screen, Terminal
from coachwhip.study.play.typed import read_move

MATE_IN_ONE = "6k1/5ppp/8/8/8/8/8/R6K w - - 0 1"
FAST = ["--time", "0.01"]

Run = Callable[..., tuple[int, str]]


class Script(io.TextIOBase):
    """Standard input that gives these lines; KeyboardInterrupt among them is Ctrl-C."""

    def __init__(self, lines: Iterator[str | type[KeyboardInterrupt]]) -> None:
        self._lines = lines

    def readline(self, _size: int = -1) -> str:  # type: ignore[override]
        line = next(self._lines, "")
        if isinstance(line, str):
            return f"{line}\n" if line else ""
        raise line


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs the command with lines of input; returns the exit code and what is printed."""

    def run(options: Sequence[str], *lines: str | type[KeyboardInterrupt]) -> tuple[int, str]:
        monkeypatch.setattr(sys, "stdin", Script(iter(lines)))
        code = main([*FAST, *options])
        return code, "".join(capsys.readouterr())

    return run


@pytest.fixture
def run_from(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Plays White from a position with lines of input; returns what is printed."""

    def run_from(fen: str, *lines: str, time: str = "0.01") -> str:
        monkeypatch.setattr(sys, "stdin", Script(iter(lines)))
        with open_engine() as engine:
            at_a_terminal(engine, Setup(chess.Board(fen), chess.WHITE, time_control(time)))
        return capsys.readouterr().out

    return run_from


def at_a_terminal(engine: SimpleEngine, setup: Setup, pgn: Path | None = None) -> None:
    game = Game(setup)
    Terminal(game, Opponent(engine, game), pgn).play()


def games(path: Path) -> list[chess.pgn.Game]:
    with path.open() as file:
        read = list(iter(lambda: chess.pgn.read_game(file), None))
    assert not any(game.errors for game in read)
    return read


@pytest.mark.parametrize("options", [["--elo", "2800"], ["--color", "black", "--chess960", "17"]])
def test_a_person_who_plays_at_random_is_mated(
    options: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every printed move of the engine is legal, and the file has the game that was played.

    It has its result, too.
    """
    chess960 = "--chess960" in options
    board = chess.Board.from_chess960_pos(17) if chess960 else chess.Board()
    rng = random.Random(1)

    def person() -> Iterator[str]:
        while True:
            printed = capsys.readouterr().out
            for san in re.findall(r"^coachwhip.* plays (\S+)\.$", printed, re.MULTILINE):
                board.push_san(san)
            if "The game is over" in printed:
                assert "You lose by checkmate" in printed
                return
            move = rng.choice(list(board.legal_moves))
            yield rng.choice([board.san(move), board.uci(move)])
            board.push(move)

    monkeypatch.setattr(sys, "stdin", Script(person()))
    pgn = tmp_path / "game.pgn"
    assert main([*FAST, *options, "--pgn", str(pgn)]) == 0
    (game,) = games(pgn)
    assert board.is_checkmate()
    assert list(game.mainline_moves()) == board.move_stack
    assert game.headers["Result"] == board.result() == ("1-0" if chess960 else "0-1")
    assert game.board().fen() == board.root().fen()


def test_take_back_save_and_resign(run_from: Callable[..., str], tmp_path: Path) -> None:
    """A mate can be taken back; a file keeps its games, and gets the game as it is when saved, once."""
    pgn = tmp_path / "games.pgn"
    pgn.write_text('[White "Old"]\n\n1. e4 1-0')
    printed = run_from(
        MATE_IN_ONE,
        "Ra8",
        f"save {pgn}",
        "h4",
        "undo",
        "Ra2",
        "resign",
        f"save {pgn}",
        "new",
        "Ra8",
        f"save {pgn}",
    )
    assert "You win by checkmate: 1-0" in printed
    assert "You lose by resignation: 0-1" in printed
    old, new, mate = games(pgn)
    assert old.headers["White"] == "Old"
    assert mate.headers["Result"] == mate.end().board().result() == "1-0"
    assert new.headers["Result"] == "0-1"
    assert new.board().fen() == MATE_IN_ONE
    assert next(iter(new.mainline_moves())).uci() == "a1a2"
    assert new.end().ply() == 2


def test_a_game_goes_on_from_a_file(run: Run, tmp_path: Path) -> None:
    """Its moves are in the saved game and can be taken back; each game that `new` ends is kept."""
    start, pgn = tmp_path / "start.pgn", tmp_path / "games.pgn"
    start.write_text('[Result "0-1"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 0-1\n\n1. d4 d5 *')
    _, printed = run(
        ["--pgn-start", str(start), "--no-board", "--pgn", str(pgn)], "undo", "undo", "Bc4", "new", "quit"
    )
    assert not re.search(r"^ 8 ", printed, re.MULTILINE)
    assert "3... " not in printed
    first, second = ([move.uci() for move in game.mainline_moves()] for game in games(pgn))
    assert first[:3] == ["e2e4", "e7e5", "f1c4"]
    assert len(first) == 4
    assert second[:5] == ["e2e4", "e7e5", "g1f3", "b8c6", "f1b5"]
    assert len(second) == 6
    start.write_text("1. f3 e5 2. g4 Qh4#")
    assert "the game is over: checkmate" in run(["--pgn-start", str(start)])[1]


def test_a_game_goes_on_after_null_moves(run: Run, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """UCI has none; python-chess would print a warning into the game."""
    start, pgn = tmp_path / "start.pgn", tmp_path / "games.pgn"
    start.write_text("1. e4 -- 2. e5 *")
    _, printed = run(["--color", "black", "--pgn-start", str(start), "--pgn", str(pgn)], "d5", "hint", "quit")
    assert "Perhaps" in printed
    assert not caplog.records
    assert "1. e4 -- 2. e5 d5 3. " in pgn.read_text()


def test_a_game_starts_from_a_position(run: Run) -> None:
    chess960 = "bqnbnrkr/pppppppp/8/8/8/8/PPPPPPPP/BQNBNRKR w HFhf - 0 1"
    assert "\n1. your move> O-O\n" in run(["--fen", "4k3/8/8/8/8/8/8/4K2R w K -"], "O-O")[1]
    _, printed = run(["--fen", chess960, "--elo", "500"], "resign", "quit")
    assert " 1  B  Q  N  B  N  R  K  R\n" in printed


def test_a_draw_is_offered(run: Run) -> None:
    fen = "4k3/4p3/8/8/8/8/4P3/4K3 w - - 0"
    assert "A draw by agreement: 1/2-1/2" in run(["--fen", f"{fen} 30"], "draw")[1]
    assert (
        "declines the draw.\n60. your"
        in run(["--fen", "3qk3/8/8/8/8/8/8/4K3 w - - 0 60", "--no-board"], "draw")[1]
    )
    assert (
        "coachwhip declines the draw.\n1. your move> " in run(["--fen", f"{fen} 1", "--no-board"], "draw")[1]
    )


def test_a_game_that_cannot_be_saved_is_printed(run: Run, tmp_path: Path) -> None:
    _, printed = run([], "e4", f"save {tmp_path}", "hint")
    assert f"{tmp_path}: " in printed
    assert re.search(r"^1\. e4 \S+ \*$", printed, re.MULTILINE)
    assert "Perhaps " in printed  # the game goes on
    other = tmp_path / "net.cwnet"
    other.write_bytes(b"coachwhip network 1")
    _, printed = run([], "e4", f"save {other}", "quit")
    assert f"{other} is not PGN: choose another name. This is the game:" in printed
    assert other.read_bytes() == b"coachwhip network 1"


def test_a_hint_says_why(run_from: Callable[..., str]) -> None:
    printed = run_from("rnb1k1nr/pppp1ppp/5q2/2b1p3/4P3/2N5/PPPP1PPP/R1BQKBNR w KQkq - 0 1", "hint")
    assert re.search(r"Black threatens mate: 1\.\.\.Qxf2#\. Perhaps \S+\.", printed)


def test_what_is_no_move_changes_nothing(run_from: Callable[..., str]) -> None:
    """The same move is asked for again, and no control character comes back."""
    illegal, unreadable = ["qh8", "e2e5", "Ke2", "0-0"], ["Nf9", "--", "0000", "\x1b[2J", "e4 and e5"]
    texts = [*illegal, *unreadable, "save \0", "undo", "save", "SAVE"]
    printed = run_from("4k3/8/8/8/8/8/4P3/4KQN1 w - - 0 1", *texts)
    assert printed.count("\n1. your move> ") == len(texts) + 1
    assert printed.count("is not legal here.") == len(illegal)
    assert printed.count("is not a move I can read") == len(unreadable)
    assert printed.count("name of the file is missing") == 2
    assert "\x1b" not in printed


def test_wrong_bytes_do_not_end_the_game(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"\xff\xfe\nresign\n"), encoding="utf-8"))
    assert main(FAST) == 0
    assert "You lose by resignation" in capsys.readouterr().out


def test_moves_as_people_type_them() -> None:
    board = chess.Board("r3k2r/1P6/8/8/3n4/2P5/8/R3K2R w KQkq - 0 1")
    typed = {"o-o": "e1g1", "0-0-0": "e1c1", "cxd4": "c3d4", "bxa8=q": "b7a8q", "e1d1": "e1d1", "ra4": "a1a4"}
    typed |= {" Ra4\n": "a1a4", "e1 - d1": "e1d1", "♜\ufe0e a4": "a1a4", "♙c4": "c3c4", "c3×d4": "c3d4"}
    assert {text: read_move(board, text).uci() for text in typed} == typed


@pytest.mark.parametrize(
    ("fen", "text", "answer"),
    [
        ("4k3/8/8/8/8/5N2/8/1N2K3 w - - 0 1", "nd2", "nd2 is ambiguous: write Nbd2 or Nfd2."),
        ("4k3/8/8/8/8/1N3N2/8/1N2K3 w - - 0 1", "Nbd2", "Nbd2 is ambiguous: write N1d2 or Nb3d2 or Nfd2."),
        ("8/1P5k/8/8/8/8/8/4K3 w - - 0 1", "b8", "b8 is ambiguous: write b8=B or b8=N or b8=Q or b8=R."),
        ("4k3/4r3/8/8/8/8/4N3/4K3 w - - 0 1", "Nd4", "Nd4 is not legal here."),
    ],
)
def test_a_move_that_cannot_be_made_is_explained(fen: str, text: str, answer: str) -> None:
    with pytest.raises(ValueError, match=re.escape(answer)):
        read_move(chess.Board(fen), text)


@pytest.mark.parametrize(
    ("fen", "ending"),
    [
        (chess.STARTING_FEN, "You lose by time forfeit: 0-1"),
        ("k7/8/8/8/8/8/P7/K7 w - - 0 1", "A draw by time forfeit: 1/2-1/2"),
    ],
)
def test_a_move_that_comes_too_late(
    engine: SimpleEngine,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    fen: str,
    ending: str,
) -> None:
    """It loses, unless a lone king cannot win."""
    now = stopped_clock(monkeypatch)

    def person() -> Iterator[str]:
        yield "a2a3"
        now[0] += 2
        yield "a3a4"

    monkeypatch.setattr(sys, "stdin", Script(person()))
    at_a_terminal(engine, Setup(chess.Board(fen), chess.WHITE, TimeControl(1)))
    assert ending in capsys.readouterr().out


@pytest.mark.parametrize("pgn", ["", '[White "Old"]\n\n1. e4 1-0'])
def test_a_game_is_in_its_file_as_soon_as_it_ends(
    engine: SimpleEngine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pgn: str
) -> None:
    """Once, also if it goes on; games that another program has added meanwhile stay."""
    path = tmp_path / "games.pgn"
    path.write_text(pgn)
    old = bool(pgn)

    def person() -> Iterator[str]:
        yield "Ra8"
        assert [game.headers["Result"] for game in games(path)[old:]] == ["1-0"]
        yield "undo"
        yield "Ra2"
        yield "resign"
        assert [game.headers["Result"] for game in games(path)[old:]] == ["0-1"]
        path.write_text(f"{path.read_text()}\n1. d4 *\n")
        yield "undo"
        yield "Ra3"

    monkeypatch.setattr(sys, "stdin", Script(person()))
    at_a_terminal(engine, Setup(chess.Board(MATE_IN_ONE), chess.WHITE, TimeControl(time=0.01)), path)
    assert [game.headers["Result"] for game in games(path)[old:]] == ["0-1", "*", "*"]


def test_ctrl_c_keeps_the_game(run: Run, tmp_path: Path) -> None:
    pgn = tmp_path / "game.pgn"
    code, _ = run(["--time", "5+3", "--pgn", str(pgn)], "e4", KeyboardInterrupt)
    assert code == 130
    (game,) = games(pgn)
    assert game.headers["Result"] == "*"
    assert game.end().ply() == 2
    assert game.headers["TimeControl"] == "300+3"
    assert game.end().clock()


@pytest.mark.skipif(sys.platform == "win32", reason="no signals to another process")
def test_sigterm_keeps_the_game(tmp_path: Path) -> None:
    pgn, pipe = tmp_path / "game.pgn", subprocess.PIPE
    command = [sys.executable, "-m", "coachwhip", "play", "--chess960", "0", "--time", "1", "--pgn", str(pgn)]
    with subprocess.Popen(
        command, env=environment(), text=True, stdin=pipe, stdout=pipe, stderr=pipe
    ) as process:
        assert process.stdin
        assert process.stdout
        print("e4", "d4", sep="\n", file=process.stdin, flush=True)
        assert any("plays" in line for line in process.stdout)
        process.terminate()
        assert process.wait(60) == 130
        assert "Traceback" not in process.communicate()[1]
    (game,) = games(pgn)
    assert next(iter(game.mainline_moves())) == chess.Move.from_uci("e2e4")


@pytest.mark.parametrize(
    ("term", "no_color", "encoding", "expected"),
    [
        ("xterm", "", "utf-8", True),
        ("xterm", "1", "utf-8", False),
        ("dumb", "", "utf-8", False),
        ("xterm", "", "latin-1", False),
    ],
)
def test_letters_without_colour_where_the_terminal_has_no_more(
    term: str, no_color: str, encoding: str, expected: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setenv("TERM", term)
    monkeypatch.setenv("NO_COLOR", no_color)
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(locale, "getpreferredencoding", lambda *_, **__: encoding)
    monkeypatch.setattr(sys, "stdout", terminal := Terminal())
    Screen(chess.BLACK).draw(chess.Board())
    lines = terminal.getvalue().split("\n")
    assert ("\x1b[" in lines[1] and "♜" in lines[1]) is expected
    assert (lines[1] == " 1  R  N  B  K  Q  B  N  R") is not expected


@pytest.mark.parametrize(
    "options",
    [
        ["--time", "40/5+3"],
        ["--time", "0+1"],
        ["--fen", "8/8"],
        ["--pgn-start", "nowhere.pgn"],
    ],
)
def test_wrong_options(run: Run, options: list[str]) -> None:
    code, printed = run(options)
    assert code == 2
    assert printed.startswith("coachwhip play: ")
    assert printed.count("\n") == 1


def stopped_clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds on the game's clock, which only the test changes."""
    now = [0.0]
    clock = SimpleNamespace(monotonic=lambda: now[0], strftime=lambda _: "")
    monkeypatch.setattr("coachwhip.study.play.game.time", clock)
    return now


@pytest.fixture
def engine() -> Iterator[SimpleEngine]:
    with open_engine() as engine:
        yield engine


@pytest.mark.parametrize(
    ("human", "moves", "ends", "plies"),
    [
        (chess.WHITE, "a2a3 a7a6 a3a4 a6a5", "resignation", 4),
        (chess.WHITE, "", "resignation", 0),
        (chess.BLACK, "a2a3", "resignation", 1),
        (chess.WHITE, "a2a3 a7a6 a3a4 a6a5", "time forfeit", 4),  # of the person
        (chess.WHITE, "a2a3 a7a6 a3a4", "time forfeit", 3),  # of the engine
        (chess.BLACK, "f2f3 e7e5 g2g4 d8h4", "checkmate", 3),
        (chess.WHITE, "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8", "threefold repetition", 6),
    ],
)
def test_undo_opens_a_finished_game(
    monkeypatch: pytest.MonkeyPatch, human: chess.Color, moves: str, ends: str, plies: int
) -> None:
    """What was no move is taken back alone, else the person's last move.

    The clocks are those of then, here 10 seconds less a move.
    """
    now = stopped_clock(monkeypatch)
    game = Game(Setup(chess.Board(), human, TimeControl(60)))
    for move in moves.split():
        assert game.make(chess.Move.from_uci(move))
        now[0] += 10
    if ends == "resignation":
        game.resign()
    now[0] += 60
    assert game.ending
    assert game.ending.reason == ends
    assert game.undo()
    assert not game.ending
    assert game.board.move_stack == list(game.tree.mainline_moves())
    assert [len(game.board.move_stack), game.clock(chess.WHITE), game.clock(chess.BLACK)] == [
        plies, 60 - 10 * max(0, (plies - 1) // 2), 60 - 10 * max(0, plies // 2 - (human == chess.BLACK))
    ]  # fmt: skip


@pytest.mark.parametrize("change", [Game.undo, Game.resign, Game.new])
def test_a_change_while_the_engine_thinks_drops_its_move(
    engine: SimpleEngine, change: Callable[[Game], object]
) -> None:
    """It stops at once and its move is not made on the new position; the next one is that of the game."""
    game = Game(Setup(chess.Board(), chess.WHITE, TimeControl(time=1e6)))
    opponent = Opponent(engine, game)
    answers: list[str | None] = []
    game.make(chess.Move.from_uci("a2a3"))
    thread = threading.Thread(target=lambda: answers.append(opponent.answer()))
    thread.start()
    while not engine.protocol.command:  # until it thinks
        pass
    change(game)
    thread.join(60)
    assert answers == [None]
    assert game.ending or game.board == chess.Board()


@pytest.mark.parametrize("human", chess.COLORS, ids=chess.COLOR_NAMES)
def test_the_clock_of_a_person_who_does_nothing(monkeypatch: pytest.MonkeyPatch, human: chess.Color) -> None:
    """It runs after the first move of the person, who may have opened the page later."""
    now = stopped_clock(monkeypatch)
    game = Game(Setup(chess.Board(), human, TimeControl(60, 1)))
    for move, seconds in zip(
        ["a2a3", "a7a6", "b2b3"][: 3 - human], (100, 0 if human else 100, 0), strict=False
    ):
        now[0] += seconds
        assert game.make(chess.Move.from_uci(move))
    now[0] += 61.5
    assert game.ending == ("0-1" if human else "1-0", "time forfeit")
    assert not game.make(chess.Move.from_uci("e2e4"))
    assert (game.clock(human), game.clock(not human)) == (0, 61 if human else 62)
    assert 'Termination "time forfeit"' in game.pgn()
    assert game.undo()
