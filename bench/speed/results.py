# SPDX-License-Identifier: GPL-3.0-or-later
"""What `coachwhip speed` has measured so far, and the rows and JSON it is shown as. The first contender is ourselves."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from .child import CLOCK
from .measure import Contender, Counted, Started
from .stats import Spread, Work, known, rates, ratios, spread


class Workload(NamedTuple):
    """Something every contender does in every round."""

    name: str
    run: Callable[[Contender], Work]
    is_perft: bool = False


class Results:
    """For each workload and contender what it took, a list by round; starts are measured several times in a round."""

    def __init__(self, contenders: Sequence[Contender], workloads: Sequence[Workload]) -> None:
        self.contenders = contenders
        self.workloads = workloads
        self.starts: list[list[Started]] = [[] for _ in contenders]
        self.python: list[float] = []  # seconds on the wall of `python3 -c pass`
        self.counted: list[Counted] = []  # by contender, as far as it got
        self.faults: dict[tuple[int, int], str] = {}  # (workload, contender)
        self._works: dict[tuple[int, int], list[Work]] = {}

    def add(self, workload: int, contender: int, work: Work) -> None:
        """Keep a measurement. A perft that counts something else than ours is a fault instead."""
        ours = self.works(workload, 0)
        if self.workloads[workload].is_perft and contender and ours and ours[0].amount != work.amount:
            self.faults[workload, contender] = f"it counts {work.amount}, and we {ours[0].amount}"
        else:
            self._works.setdefault((workload, contender), []).append(work)

    def works(self, workload: int, contender: int) -> list[Work]:
        """The measurements, by round."""
        return self._works.get((workload, contender), [])

    def startup(self, contender: int) -> float:
        """Seconds (by CLOCK) that a process of this contender takes without work."""
        found = spread([started.seconds for started in self.starts[contender]])
        return found.median if found else 0.0

    def rates(self, workload: int, contender: int) -> list[float | None]:
        """Nodes per second without the start-up, by round; None where the time was too short."""
        return rates(self.works(workload, contender), self.startup(contender))

    def ratios(self, workload: int, contender: int) -> Spread | None:
        """Our rate over theirs."""
        return ratios(self.rates(workload, 0), self.rates(workload, contender)) if contender else None

    def uciok(self, contender: int) -> list[float]:
        """Seconds on the wall from exec to `uciok`."""
        return [started.uciok for started in self.starts[contender]]


START_HEADINGS = ("process", "ms", "lowest", "highest", "ratio", "lowest", "highest")


def start_rows(results: Results) -> list[list[str]]:
    """Start-up of each contender, then Python's own."""
    measured = [(contender.name, results.uciok(index)) for index, contender in enumerate(results.contenders)]
    measured.append(("python -c pass", results.python))
    ours = measured[0][1]
    return [
        [
            name,
            *_cells(spread([1000 * second for second in seconds]), ".1f"),
            *_cells(ratios(ours, seconds, more_is_faster=False) if index else None, ".2f"),
        ]
        for index, (name, seconds) in enumerate(measured)
    ]


WORK_HEADINGS = ("work", "engine", "Mn/s", "lowest", "highest", "ratio", "lowest", "highest")


def work_rows(results: Results) -> list[list[str]]:
    """Rates in millions of nodes per second, and how much faster ours is."""
    rows = []
    for number, workload in enumerate(results.workloads):
        for index, contender in enumerate(results.contenders):
            millions = [rate / 1e6 for rate in known(results.rates(number, index))]
            ratio = _cells(results.ratios(number, index), ".3f")
            rows.append([workload.name, contender.name, *_cells(spread(millions), ".3f"), *ratio])
    return rows


def _cells(found: Spread | None, style: str) -> list[str]:
    """Three cells."""
    return ["-"] * 3 if found is None else [format(value, style) for value in found]


COUNT_HEADINGS = ("engine", "start-up, millions", "a perft leaf", "a search node")


def count_rows(results: Results) -> list[list[str]]:
    """Instructions of each contender."""
    return [
        [
            contender.name,
            "-" if counted.start is None else f"{counted.start / 1e6:.1f}",
            "-" if counted.perft is None else f"{counted.perft:.1f}",
            "-" if counted.search is None else f"{counted.search:.0f}",
        ]
        for contender, counted in zip(results.contenders, results.counted, strict=False)  # fewer after Ctrl-C
    ]


def remarks(results: Results) -> list[str]:
    """Why a figure is missing, one sentence each."""
    said = [
        f"{results.contenders[contender].name}: {results.workloads[workload].name}: {fault}"
        for (workload, contender), fault in results.faults.items()
    ]
    for number, workload in enumerate(results.workloads):
        said += [
            f"{contender.name}: {workload.name}: too short to measure"
            for index, contender in enumerate(results.contenders)
            if results.works(number, index) and not known(results.rates(number, index))
        ]
    for contender, counted in zip(results.contenders, results.counted, strict=False):
        said += [f"{contender.name}: instructions: {counted.fault}"] if counted.fault else []
    return said


def as_dict(results: Results) -> dict[str, object]:
    """Everything as JSON-ready values: rates in nodes per second, times in seconds, ratios above 1 where ours is faster."""
    engines = [
        {
            "name": contender.name,
            "command": contender.command,
            "start": _json(spread(results.uciok(index))),
            "startup_cost": results.startup(index),
        }
        for index, contender in enumerate(results.contenders)
    ]
    works = [
        {
            "work": workload.name,
            "engine": contender.name,
            "nodes": [work.amount for work in results.works(number, index)],
            "seconds": [work.seconds for work in results.works(number, index)],
            "rate": _json(spread(known(results.rates(number, index)))),
            "ratio": _json(results.ratios(number, index)),
            "fault": results.faults.get((number, index)),
        }
        for number, workload in enumerate(results.workloads)
        for index, contender in enumerate(results.contenders)
    ]
    counted = [
        {"engine": contender.name, **found._asdict()}
        for contender, found in zip(results.contenders, results.counted, strict=False)
    ]
    python = _json(spread(results.python))
    return {"clock": CLOCK, "engines": engines, "python_start": python, "works": works, "instructions": counted}


def _json(found: Spread | None) -> dict[str, float] | None:
    return found._asdict() if found else None
