# SPDX-License-Identifier: GPL-3.0-or-later
"""The readers of files that trials give spoilt files to: small valid files, how each is read, and what is expected of what was read."""

import contextlib
import io
import lzma
import math
import os
import random
import re
import shutil
import zlib
from collections.abc import Callable, Sequence
from functools import cache, partial
from pathlib import Path
from typing import NamedTuple

import chess
import chess.polyglot
import labelled_files
import mutations
import networks
import numpy as np
from coachwhip.bench import perft, train, wdl_fit
from coachwhip.bench.analyse import games as analysed
from coachwhip.bench.analyse import report
from coachwhip.bench.common import adjudication, openings
from coachwhip.bench.common.command import CommandError
from coachwhip.bench.common.journal import Journal
from coachwhip.bench.common.pgn import game_text
from coachwhip.bench.engines.clock import TimeControl
from coachwhip.bench.engines.spec import EngineSpec
from coachwhip.bench.lab import __main__ as lab
from coachwhip.bench.lab import techniques
from coachwhip.bench.lab.experiment import Experiment, Found, LabJournal
from coachwhip.bench.lab.report import summarise, text
from coachwhip.bench.match.game import GameRecord, MoveRecord
from coachwhip.bench.match.journal import MatchJournal
from coachwhip.bench.match.match import Match
from coachwhip.bench.match.schedule import Pairing
from coachwhip.bench.match.standings import describe
from coachwhip.bench.spsa import __main__ as spsa
from coachwhip.bench.suite import epd, record
from coachwhip.bench.suite import report as suite_report
from coachwhip.bench.suite.problem import Moment, attempt
from coachwhip.core.engine import Engine, Position
from coachwhip.evaluation import config
from coachwhip.evaluation.learn import data, labelled, layers, positions
from coachwhip.evaluation.learn.train import Epoch, State
from coachwhip.uci.book import Book
from coachwhip.uci.tablebase import Tablebase
from places import DATA, ROOT

EVAL_LIMIT = 30_000  # centipawns
LOOKED_AT = 50  # entries of a file
HIDDEN = 16  # units
START = chess.STARTING_FEN
PGN = """[Event "Trial"]
[Site "?"]
[Date "2026.01.02"]
[White "One"]
[Black "Two"]
[Result "1-0"]
[TimeControl "60+1"]
[ECO "C20"]

1. e4 { [%eval 0.30] [%clk 0:01:00] } e5 $1 { [%eval 0.25,12] [%emt 0:00:02] } 2. Bc4 (2. Nf3 Nc6 (2... d6 3. d4) 3. Bb5) 2... Nc6
{ [%eval 0.4] a comment } 3. Qh5?! { [%eval -0.2] } 3... Nf6?? ; to the end of the line
4. Qxf7# 1-0

[Event "Chess960"]
[FEN "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9"]
[SetUp "1"]
[Variant "Chess960"]
[Result "*"]

9. O-O e5 10. fxe5 dxe5 { [%eval #-12] } *
"""


class Reader(NamedTuple):
    """How files of a kind are made, spoilt and read."""

    suffix: str
    seeds: Callable[[], Sequence[bytes]]  # valid files
    read: Callable[[Path], str]  # "", or what is not consistent in what was read
    refuses: tuple[type[Exception], ...]  # what it may raise
    seal: mutations.Mutator | None = None  # faults behind checksums that fit


# --- Weights and networks ---


@cache
def weights_files() -> list[bytes]:
    shipped = config.load_default()
    return [config.dump(shipped | {"NETWORK": ""}).encode(), b'"""Mine."""\nNETWORK = ""\n', b'NETWORK = "none.cwnet"\n']


@cache
def network_files() -> list[bytes]:
    return [networks.by_chance(HIDDEN, number, kind).encode() for number, kind in enumerate(("residual", "pure"))]


def evaluates(weights: Sequence[int], network: bytes | None) -> str:
    """Whether scores are within the limits, the same each time, and mirrored."""
    engine = Engine(weights, hash_mb=1, network=network)
    for fen, mirror in (
        (START, chess.Board().mirror().fen()),
        ("r3k2r/8/8/3Q4/8/8/P7/R3K2R b KQkq - 0 1", "r3k2r/p7/8/8/3q4/8/8/R3K2R w KQkq - 0 1"),
    ):
        score = engine.evaluate(Position(fen))
        if not -EVAL_LIMIT <= score <= EVAL_LIMIT or engine.evaluate(Position(mirror)) != score:
            return f"{fen} has score {score}, its mirror {engine.evaluate(Position(mirror))}"
    return ""


def read_weights(path: Path) -> str:
    weights, network = config.evaluator(path)
    return (
        evaluates(weights, network) if len(weights) == len(config.flatten(config.load_default())) else "wrong number of weights"
    )


def read_network(path: Path) -> str:
    names = path.with_name("names.py")
    names.write_text(f'NETWORK = "{path.name}"\n')
    weights, network = config.evaluator(names)
    return evaluates(weights, network)


# --- Positions and games ---


def files(folder: str, *names: str) -> list[bytes]:
    return [(DATA / folder / name).read_bytes()[:3000].rpartition(b"\n")[0] + b"\n" for name in names]


@cache
def suite_files() -> list[bytes]:
    return files("suites", "best-moves.epd", "graded.epd", "mates.epd")


@cache
def position_files() -> list[bytes]:
    return [*files("books", "dfrc.epd"), *suite_files()[:1], f"# start\n{START}\n".encode()]


@cache
def pgn_files() -> list[bytes]:
    return [PGN.encode(), PGN.encode("latin-1").replace(b"One", b"Ren\xe9"), *files("games", "chess960-games.pgn")]


@cache
def labelled_texts() -> list[bytes]:
    lines = [
        f'{line} c9 "{result}"; c8 "{score}";'
        for line, result, score in zip(_epds(), ("1-0", "0-1", "1/2-1/2") * 9, (0.3, -9, 0) * 9, strict=False)
    ]
    games = [line + f' c7 "{number // 3}";' for number, line in enumerate(lines)]
    return ["\n".join(each).encode() + b"\n" for each in (lines, games)]


def _epds() -> list[str]:
    board, found = chess.Board(), []
    rng = random.Random(5)
    for _ in range(20):
        board.push(rng.choice(list(board.legal_moves)))
        found.append(board.epd(en_passant="legal"))
    return found


def read_suite(path: Path) -> str:
    problems, _ = epd.read_file(path, path.name)
    for problem in problems[:LOOKED_AT]:
        board = chess.Board(problem.fen, chess960=problem.chess960)
        if not board.is_valid() or any(not board.is_legal(board.parse_uci(move)) for move in (*problem.best, *problem.avoid)):
            return f"{problem} is not possible"
    record.digest_of(problems)
    return ""


def read_openings(path: Path) -> str:
    book = openings.open_book(path)
    refused = 0
    for entry in book[:LOOKED_AT]:
        try:
            board = entry().position()
        except CommandError as error:  # a run ends with it; here the others are looked at too
            if path.stem not in str(error):
                return f"a message that does not name the file: {error}"
            refused += 1
            continue
        if not board.is_valid() or not any(board.legal_moves):
            return f"{board.fen()} cannot be played"
        Position(board.fen(shredder=board.chess960), chess960=board.chess960)
    return ""


def read_perft(path: Path) -> str:
    perft.run_suite(perft.read_suite(path), max_nodes=500)
    return ""


def read_lab_positions(path: Path) -> str:
    return "" if all(Position(fen).legal_moves() for fen in lab.read_positions(path)) else "a position without moves"


def read_pgn(path: Path) -> str:
    found = analysed.read_files([str(path)])
    for fault in found.faults:
        if path.stem not in fault or len(fault.splitlines()) != 1:
            return f"a message that does not name the file in one line: {fault[:200]!r}"
    for study in found.studies:
        game_text(study.game)
        list(study.steps())
    shown = [study for study in found.studies if study.boards][:3]
    return read_page(report.page(shown, "trial")) if shown else ""


def read_page(page: str) -> str:
    """Whether the page has its own two scripts and nothing else that could run or load something."""
    body = re.sub(r"(?s)<style>.*?</style>|<script[ >].*?</script>", "", page)
    if page.count("<script") != 2 or page.count("</script") != 2:
        return "the page has more scripts than its own"
    if re.search(r"(?i)<(script|img|iframe|object|embed|base|form|link)\b|<[^>]*\s(on\w+|src|action|background)\s*=", body):
        return "the page has an element that runs or loads something"
    return ""


def read_scored(path: Path) -> str:
    samples = wdl_fit.read([path])
    rows = {len(samples.score), len(samples.material), len(samples.outcome)}
    return "" if len(rows) == 1 and np.isfinite(samples.score).all() else "samples of different length, or infinite"


# --- Books and tables ---


@cache
def book_files() -> list[bytes]:
    return [(DATA / "books" / "own.bin").read_bytes(), b"".join(_start_entries((ROOT / "uci" / "book.bin").read_bytes()))]


def _start_entries(content: bytes) -> list[bytes]:
    """A part of a book that has the start position: as many entries on each side of it."""
    entries = [content[at : at + 16] for at in range(0, len(content), 16)]
    key = chess.polyglot.zobrist_hash(chess.Board()).to_bytes(8, "big")
    place = next(place for place, entry in enumerate(entries) if entry.startswith(key))
    return entries[max(0, place - 50) : place + 50]


def sorted_book(rng: random.Random, content: bytes) -> bytes:
    """Faults behind keys that are in order."""
    content = mutations.mutated(rng, content)
    return b"".join(sorted(content[at : at + 16] for at in range(0, len(content) - 15, 16)))


def read_book(path: Path) -> str:
    try:
        book = Book(str(path))
    except ValueError as error:
        raise CommandError(f"{path.name}: {error}") from error  # as the options do, which say whose error it is
    with contextlib.closing(book):
        position = Position()
        for game in range(8):
            chosen = book.choose(position, [], game % 2 == 0, game)
            if chosen is None:
                break
            if chosen.move not in position.legal_moves() or not 0 < chosen.weight <= chosen.total:
                return f"{chosen.move} with weight {chosen.weight} of {chosen.total}"
            position.make(chosen.move)
    return ""


TABLES = ("KQvK", "KRvK", "KPvK", "KBvK")


@cache
def table_files(suffix: str) -> list[bytes]:
    return [(DATA / "syzygy" / f"{name}{suffix}").read_bytes() for name in TABLES]


def read_table(path: Path) -> str:
    """A spoilt table of each name, its partner whole; what it says may be wrong, not how it says it."""
    folder = path.with_name("tables")
    rng = random.Random(path.stat().st_size)
    try:
        for name in TABLES:
            folder.mkdir()
            for suffix in (".rtbw", ".rtbz"):
                (folder / f"{name}{suffix}").write_bytes((DATA / "syzygy" / f"{name}{suffix}").read_bytes())
            shutil.copyfile(path, folder / f"{name}{path.suffix}")
            wrong = probe_tables(folder, name, rng)
            shutil.rmtree(folder)
            if wrong:
                return wrong
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return ""


def probe_tables(folder: Path, name: str, rng: random.Random) -> str:
    tables = Tablebase(str(folder))
    try:
        for _ in range(3):
            board = three_men(name[1], rng)
            wdl = tables.probe(board.fen())
            if wdl not in (None, -2, -1, 0, 1, 2):
                return f"{board.fen()} has wdl {wdl}"
            position = Position(board.fen())
            verdict = tables.judge(position, position.legal_moves(), 7)
            ranked = sorted(move for rank in verdict.ranks for move in rank.moves) if verdict else []
            if verdict and ranked != sorted(position.legal_moves()):
                return f"{board.fen()} has the moves {ranked}"
            if position.fen() != Position(board.fen()).fen():
                return "judging moved the position"
            with contextlib.suppress(OSError):  # a damaged header, told before a match
                adjudication.by_tablebase(board, str(folder))
        fault = tables.take_fault()
        return "" if len(fault.splitlines()) < 2 else f"a message that is not one line: {fault!r}"
    finally:
        tables.close()
        adjudication.open_tables.cache_clear()


def three_men(letter: str, rng: random.Random) -> chess.Board:
    """A legal position of these men that is not over."""
    while True:
        board = chess.Board(None)
        for square, symbol in zip(rng.sample(range(8, 56), 3), ("K", letter, "k"), strict=True):
            board.set_piece_at(square, chess.Piece.from_symbol(symbol))
        board.turn = rng.random() < 0.5
        board.halfmove_clock = rng.choice((0, 30, 98))
        if board.is_valid() and any(board.legal_moves):
            return board


# --- Data for learning ---


@cache
def data_files() -> list[bytes]:
    whole = labelled_files.file_of(labelled_files.many(4, plies=12), {"games": 4})
    old = [
        labelled_files.OldGame(number, "1-0", tuple(labelled_files.OldPosition(row.packed, row.score) for row in game.rows))
        for number, game in enumerate(labelled_files.many(3, plies=6))
    ]
    return [whole, labelled_files.file_of(labelled_files.many(1, plies=30), {}), labelled_files.old_file(old)]


def sealed_data(rng: random.Random, content: bytes) -> bytes:
    """Games with other bytes, or a head with other numbers; the sums are right."""
    if not content.startswith(labelled.FORMAT):
        return mutations.mutated(rng, content)
    reader = labelled.Reader(io.BytesIO(content), "seed")
    parts = [labelled.header(rng.choice(({}, {"a": 1})))]
    if rng.random() < 0.1:
        parts[0] = labelled.FORMAT + mutations.mutated(rng, b'{"games":4}').replace(b"\n", b" ") + b"\n"
    for block in reader:
        game = mutations.mutated(rng, block.data) if rng.random() < 0.5 else block.data
        start = block.number.to_bytes(4, "little") + len(game).to_bytes(4, "little")
        parts += [start, *(zlib.crc32(part).to_bytes(4, "little") for part in (start, game)), game]
    return b"".join(parts)


def read_data(path: Path) -> str:
    found = data.read(path)
    lengths = {len(found.boards), len(found.results), len(found.scores), len(found.groups)}
    if lengths != {len(found)} or not np.isin(found.results, (0, 0.5, 1)).all() or (np.abs(found.scores) > 33_000).any():
        return "arrays of different length, or with other values"
    try:
        for fen in found.chosen(slice(LOOKED_AT)).fens():
            Position(fen)
    except ValueError as error:  # told where the positions are used: files of earlier versions have no moves to check them by
        if labelled.OLD_FORMAT not in path.read_bytes()[:40]:
            return f"a position that cannot be: {error}"
    return ""


def read_store(path: Path) -> str:
    """As `train` and `selfplay` read it."""
    found = labelled.summary(path)
    if found.size > path.stat().st_size:
        return "more bytes than there are"
    for _, _ in zip(data.epd(path, None, None), range(LOOKED_AT), strict=False):
        pass
    cache_file = path.with_name(path.name + ".positions")
    opened = positions.open_file(path, cache_file)
    wrong = "" if opened.positions == int(opened.counts.sum()) else "counts that do not add up"
    again = positions.open_file(path, cache_file)
    return wrong or (
        "" if again.sha256 == opened.sha256 and len(again.rows) == len(opened.rows) else "another content the second time"
    )


def xz_of(seeds: Callable[[], Sequence[bytes]]) -> Callable[[], Sequence[bytes]]:
    return cache(lambda: [lzma.compress(content) for content in seeds()])


def sealed_xz(rng: random.Random, content: bytes) -> bytes:
    """Faults in what is compressed."""
    return lzma.compress(mutations.mutated(rng, lzma.decompress(content)), preset=0)


# --- Journals ---


@cache
def scratch() -> Path:
    import tempfile

    return Path(tempfile.mkdtemp())


def journal_of(name: str, fill: Callable[[Path], Journal]) -> bytes:
    """What a run writes."""
    path = scratch() / f"{os.getpid()}-{name}"
    path.unlink(missing_ok=True)
    journal = fill(path)
    journal.close()
    content = path.read_bytes()
    path.unlink()
    return content


MATCH = {"engines": [{"name": name, "command": [name], "options": {}, "tc": "1+0"} for name in "ab"], "form": "round-robin"}


def _match_journal(path: Path) -> Journal:
    journal = MatchJournal(path, MATCH, resume=False)
    for number in range(4):
        moves = tuple(MoveRecord(move, 0.1, 1.5, chess.engine.Cp(30), 7, 900) for move in ("g1f3", "g8f6"))
        moves += (MoveRecord("b1c3", 0.2, None, chess.engine.Mate(3), None, None), MoveRecord("b8c6", 0.2, 1.0, None, 3, 5))
        result, reason, detail = (("1-0", "time loss", "late"), ("1/2-1/2", "fifty moves", ""))[number % 2]
        start = openings.Opening(START, False, "e2e4 e7e5")
        players = "ab"[number % 2], "ba"[number % 2]
        journal.add(GameRecord(number, "2026.01.02", start, *players, moves, result, reason, detail, (number, 0)))
    return journal


def read_match(path: Path) -> str:
    pairings = [Pairing(number, openings.Opening(START, False), number % 2, 1 - number % 2) for number in range(6)]
    with contextlib.closing(MatchJournal(path, MATCH, resume=True)) as journal, contextlib.redirect_stderr(io.StringIO()):
        played = Match(["a", "b"], ["1+0", "1+0"], pairings, None, journal, path.with_name("games.pgn"))
        if played.tally.results:
            describe(played.tally, ["a", "b"])
    return ""


def _suite_journal(path: Path) -> Journal:
    source = scratch() / "suite.epd"
    source.write_bytes(suite_files()[0])
    problems, _ = epd.read_file(source, source.name)
    settings = record.SuiteSettings((str(source),), "nodes", 100, 5.0, (EngineSpec(("a",), "a", {}, 5.0),))
    journal = record.begin(path, settings, problems)
    for problem in problems[:4]:
        journal.add(attempt(problem, 0, [Moment(0.1, 3, 90, (problem.best or problem.avoid)[0], None)]))
    return journal


def read_suite_journal(path: Path) -> str:
    found = record.load(path)
    engines = len(found.settings.engines)
    for run in suite_report.by_engine(found.attempts, engines):
        suite_report.summary_row("a", suite_report.summarize(run.values()))
        suite_report.compare(run, run)
        suite_report.curve(run.values())
    found.settings.control()
    str(found.settings)
    return "" if isinstance(found.settings.control(), TimeControl) else "no limit"


@cache
def experiment() -> Experiment:
    rows = techniques.ladder()[:3] if hasattr(techniques, "ladder") else ()
    return Experiment((START,), tuple(rows), 3, 10_000, 1, (), {})


def _lab_journal(path: Path) -> Journal:
    journal = LabJournal(path, experiment(), resume=False)
    for row in range(len(experiment().rows)):
        journal.add((row, 0), tuple(Found(20**depth, 0.1, 30, "e2e4", 30) for depth in range(1, 4)))
    return journal


def read_lab_journal(path: Path) -> str:
    with contextlib.closing(LabJournal(path, experiment(), resume=True)) as journal:
        text(summarise(experiment(), journal.results))
    return ""


SPSA = {"games": 8, "batch": 2}


def _spsa_journal(path: Path) -> Journal:
    journal = spsa.SpsaJournal(path, SPSA, resume=False)
    for _ in range(2):
        journal.add([[1, 0], [-1, 0]], {"rfp_margin": 70.5})
    return journal


def read_spsa(path: Path) -> str:
    tuned = spsa.Spsa([spsa.Parameter("rfp_margin", 70, 10, 200, 5)], 4, 0.02, 1)
    with contextlib.closing(spsa.SpsaJournal(path, SPSA, resume=True)) as journal:
        run = spsa.TuningRun(tuned, 4, 2, journal)
        if run.games:
            run.line()
    return "" if all(math.isfinite(value) for value in tuned.values) else f"values {tuned.values}"


TRAIN = {"hidden": HIDDEN}


def _train_journal(path: Path) -> Journal:
    journal = train.TrainJournal(path, TRAIN, resume=False)
    zeros = np.zeros(layers.size(HIDDEN), np.float32)
    for number in (1, 2):
        journal.add(Epoch(number, 0.1, 0.2), State(number, *([zeros] * (len(State._fields) - 1))))
    return journal


def read_train(path: Path) -> str:
    with contextlib.closing(train.TrainJournal(path, TRAIN, resume=True)) as journal:
        state = journal.state
    if state and not all(np.isfinite(part).all() for part in state[1:]):
        return "a network that is not finite"
    return ""


def journals(name: str, fill: Callable[[Path], Journal]) -> Callable[[], list[bytes]]:
    return cache(lambda: [journal_of(name, fill)])


COMMAND = (CommandError,)
FORMAT = (labelled.FormatError,)
SEALED = mutations.mutated_journal
READERS: dict[str, Reader] = {
    "weights": Reader(".py", weights_files, read_weights, (config.WeightsError,)),
    "network": Reader(".cwnet", network_files, read_network, (config.WeightsError,), mutations.mutated_network),
    "suite": Reader(".epd", suite_files, read_suite, COMMAND),
    "openings epd": Reader(".epd", position_files, read_openings, COMMAND),
    "openings pgn": Reader(".pgn", pgn_files, read_openings, COMMAND),
    "openings bin": Reader(".bin", book_files, read_openings, COMMAND, sorted_book),
    "perft suite": Reader(".epd", partial(files, "perft", "castling.epd", "en-passant.epd", "chess960.epd"), read_perft, COMMAND),
    "lab positions": Reader(".fen", position_files, read_lab_positions, COMMAND),
    "analyse": Reader(".pgn", pgn_files, read_pgn, COMMAND),
    "wdl-fit": Reader(".pgn", pgn_files, read_scored, COMMAND),
    "wdl-fit xz": Reader(".pgn.xz", xz_of(pgn_files), read_scored, COMMAND, sealed_xz),
    "book": Reader(".bin", book_files, read_book, COMMAND, sorted_book),
    "table wdl": Reader(".rtbw", partial(table_files, ".rtbw"), read_table, COMMAND),
    "table dtz": Reader(".rtbz", partial(table_files, ".rtbz"), read_table, COMMAND),
    "labelled text": Reader(".epd", labelled_texts, read_data, FORMAT),
    "labelled xz": Reader(".epd.xz", xz_of(labelled_texts), read_data, FORMAT, sealed_xz),
    "labelled games": Reader(".bin", data_files, read_data, FORMAT, sealed_data),
    "selfplay store": Reader(".bin", data_files, read_store, FORMAT, sealed_data),
    "match journal": Reader(".jsonl", journals("match", _match_journal), read_match, COMMAND, SEALED),
    "suite journal": Reader(".jsonl", journals("suite", _suite_journal), read_suite_journal, COMMAND, SEALED),
    "lab journal": Reader(".jsonl", journals("lab", _lab_journal), read_lab_journal, COMMAND, SEALED),
    "spsa journal": Reader(".jsonl", journals("spsa", _spsa_journal), read_spsa, COMMAND, SEALED),
    "train journal": Reader(".jsonl", journals("train", _train_journal), read_train, COMMAND, SEALED),
}
