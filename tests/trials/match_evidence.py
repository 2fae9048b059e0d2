# SPDX-License-Identifier: GPL-3.0-or-later
"""Full-length trials of `coachwhip match`, too long for the tests: `match_evidence.py faults|killed|cluster|overhead [GAMES]`.

faults: ours against ours, 5 % of the games failing on purpose. killed: the same, the runner killed half way and resumed.
cluster: node-limited games here and on two Dask workers, one of them killed. overhead: what a move costs beyond what an
engine that moves at once says it used. Each checks what it finds and ends with an error if that is wrong.
"""

import argparse
import json
import os
import random
import shlex
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

import chess
import chess.pgn

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tools"))
from places import ROOT, TOOLS

SEED = 2024
FAULTS = {"killed": "crash", "stall": "stall", "cheat": "illegal move", "late": "time loss"}
OURS = [sys.executable, "-m", "coachwhip"]


def environment() -> dict[str, str]:
    """This checkout first."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH", "")]))}


def random_openings(count: int) -> list[str]:
    """Different positions a few random moves from the start."""
    generator = random.Random(SEED)
    found: dict[str, None] = {}
    while len(found) < count:
        board = chess.Board()
        while len(board.move_stack) < 8 and not board.is_game_over():
            board.push(generator.choice(list(board.legal_moves)))
        if any(board.legal_moves):
            found[board.fen()] = None
    return list(found)


def write_book(folder: Path, games: int) -> list[str]:
    """A book with an opening for each pair."""
    openings = random_openings((games + 1) // 2)
    (folder / "book.fen").write_text("".join(f"{fen}\n" for fen in openings))
    return openings


def command(journal: str, engines: list[list[str]], *words: str) -> list[str]:
    """A match; the files it keeps are named from where it is run."""
    named = [
        word for name, engine in zip("AB", engines, strict=True) for word in ("--engine", shlex.join(engine), "--name", name)
    ]
    files = ["--openings", "book.fen", "--order", "sequential", "--journal", journal, "--resume"]
    return [*OURS, "match", *named, *files, "--pgn", Path(journal).with_suffix(".pgn").name, "--json", *words]


def games_of(path: Path) -> list[dict[str, Any]]:
    """The games in a journal; a torn line is none."""
    lines = path.read_bytes().split(b"\n")[:-1] if path.exists() else []
    return [game for game in map(json.loads, lines) if "game" in game]


def run(words: list[str], folder: Path) -> Any:
    """Run to the end; the summary."""
    done = subprocess.run(words, cwd=folder, env=environment(), stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout)


def check(condition: bool, what: str) -> None:
    """Say it, or fail."""
    print(("ok: " if condition else "WRONG: ") + what)
    if not condition:
        sys.exit(1)


def plan_faults(folder: Path, openings: list[str], games: int) -> dict[int, tuple[str, str]]:
    """Choose every twentieth game, and who fails in it and how: number to (name, reason)."""
    plans: dict[str, dict[str, str]] = {"A": {}, "B": {}}
    wanted = {}
    for place, number in enumerate(sorted(random.Random(SEED).sample(range(games), games // 20))):
        fault = list(FAULTS)[place % len(FAULTS)]
        name = "AB"[place // len(FAULTS) % 2]
        has_white = (name == "A") == (number % 2 == 0)
        plans[name][f"{openings[number // 2]}|{'w' if has_white else 'b'}"] = fault
        wanted[number] = name, FAULTS[fault]
    for name, plan in plans.items():
        (folder / f"plan{name}.json").write_text(json.dumps(plan))
    return wanted


def faulty_match(folder: Path, games: int) -> tuple[list[str], dict[int, tuple[str, str]]]:
    """The match of the first two trials, and what must go wrong in it."""
    wanted = plan_faults(folder, write_book(folder, games), games)
    engines = [[sys.executable, str(TOOLS / "faulty_engine.py"), f"plan{name}.json", *OURS] for name in "AB"]
    # The node limit keeps the games short; the clock is wide, so that on a busy machine only those fail that are meant to.
    words = "--tc 5+0.1 --nodes 5000 --stall 3 --concurrency 2 --max-moves 60 --resign 3,600 --draw 20,4,15".split()
    return command("faults.jsonl", engines, "--games", str(games), *words), wanted


def check_faults(folder: Path, games: int, found: Any, wanted: dict[int, tuple[str, str]]) -> None:
    """All games accounted for, once, and each culprit named."""
    played = games_of(folder / "faults.jsonl")
    check(found["games"] == games, f"{found['games']} of {games} games counted")
    check(sorted(game["game"] for game in played) == list(range(games)), "each number stands in the journal once")
    with (folder / "faults.pgn").open() as file:
        read = list(iter(lambda: chess.pgn.read_game(file), None))
    check(sorted(int(game.headers["GameId"]) for game in read) == list(range(1, games + 1)), "and in the PGN file once, whole")
    failed = {}
    for game in played:
        if game["reason"] in FAULTS.values():
            loser = game["black"] if game["result"] == "1-0" else game["white"]
            failed[game["game"]] = loser, game["reason"]
    for number, (name, reason) in sorted(wanted.items()):
        print(f"  game {number + 1}: {reason} of {name} planned, found {failed.get(number)}")
    check(failed == wanted, f"{len(wanted)} games failed, each by the engine and for the reason that was planned, and no other")
    counted = Counter({(engine["name"], reason): n for engine in found["engines"] for reason, n in engine["faults"].items()})
    check(+counted == Counter(wanted.values()), "the summary says the same")


def faults(folder: Path, games: int) -> None:
    """Games that fail on purpose."""
    words, wanted = faulty_match(folder, games)
    check_faults(folder, games, run(words, folder), wanted)


def killed(folder: Path, games: int) -> None:
    """The runner killed by SIGKILL half way, then resumed."""
    words, wanted = faulty_match(folder, games)
    process = subprocess.Popen(words, cwd=folder, env=environment(), stdout=subprocess.DEVNULL)
    while len(games_of(folder / "faults.jsonl")) < games // 2 and process.poll() is None:
        time.sleep(0.05)
    process.kill()
    process.wait()
    half = [game["game"] for game in games_of(folder / "faults.jsonl")]
    check(games // 2 <= len(half) < games, f"killed after {len(half)} games")
    found = run(words, folder)
    check([game["game"] for game in games_of(folder / "faults.jsonl")][: len(half)] == half, "those are kept")
    check_faults(folder, games, found, wanted)


def cluster(folder: Path, games: int) -> None:
    """The same node-limited games here and on a cluster that loses a worker."""
    from distributed import LocalCluster

    write_book(folder, games)
    words = ["--games", str(games), "--nodes", "2000", "--max-moves", "80"]
    os.environ["PYTHONPATH"] = environment()["PYTHONPATH"]  # of the workers
    sys.path.insert(0, str(ROOT))  # the scheduler is in this process
    options = {"processes": True, "dashboard_address": None, "silence_logs": 50}
    with LocalCluster(n_workers=2, threads_per_worker=1, **options) as workers:
        victim = next(iter(workers.workers.values())).pid
        address = ["--scheduler", workers.scheduler_address]
        process = subprocess.Popen(
            [*command("cluster.jsonl", [OURS, OURS], *words), *address],
            cwd=folder,
            env=environment(),
            stdout=subprocess.PIPE,
        )
        while len(games_of(folder / "cluster.jsonl")) < games // 4 and process.poll() is None:
            time.sleep(0.05)
        os.kill(victim, signal.SIGKILL)
        print(f"killed worker {victim} after {len(games_of(folder / 'cluster.jsonl'))} games")
        out, _ = process.communicate()
    check(process.returncode == 0 and json.loads(out)["games"] == games, f"{games} games finished on the cluster")
    run(command("local.jsonl", [OURS, OURS], *words), folder)
    sets = []
    for name in ("cluster", "local"):
        played = games_of(folder / f"{name}.jsonl")
        sets.append(sorted((game["game"], game["white"], game["result"], [move[0] for move in game["moves"]]) for game in played))
    check(len(sets[0]) == games and sets[0] == sets[1], "the same games as here, move by move")


def overhead(folder: Path, games: int) -> None:
    """Time charged beyond what the engine says it used, at 1+0.01."""
    write_book(folder, games)
    engines = [[sys.executable, str(TOOLS / "stub_engine.py"), "instant", name] for name in "ab"]
    run(command("overhead.jsonl", engines, "--games", str(games), "--tc", "1+0.01"), folder)
    beyond = sorted(1000 * move[1] - move[5] / 1000 for game in games_of(folder / "overhead.jsonl") for move in game["moves"])
    tenths = [beyond[int(len(beyond) * share)] for share in (0.9, 0.99)]
    median = statistics.median(beyond)
    print(f"{len(beyond)} moves: median {median:.3f} ms, 90 % {tenths[0]:.3f}, 99 % {tenths[1]:.3f}, most {beyond[-1]:.3f}")
    check(median < 2, "under 2 ms at the median")


TRIALS = {"faults": (faults, 200), "killed": (killed, 200), "cluster": (cluster, 100), "overhead": (overhead, 40)}


def main() -> None:
    """Run one trial in a fresh folder."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trial", choices=TRIALS)
    parser.add_argument("games", type=int, nargs="?")
    args = parser.parse_args()
    trial, games = TRIALS[args.trial]
    folder = Path(tempfile.mkdtemp(prefix=f"coachwhip-{args.trial}-"))
    print(f"files in {folder}")
    trial(folder, args.games or games)


if __name__ == "__main__":
    main()
