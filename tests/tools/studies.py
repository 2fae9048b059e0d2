# SPDX-License-Identifier: GPL-3.0-or-later
"""The games of PGN files as `analyse` reads them."""

from collections.abc import Iterable

from coachwhip.coach.study import AnalysedGame
from coachwhip.study.analyse.analysis import read_studies


def read_files(paths: Iterable[str]) -> tuple[list[AnalysedGame], list[str]]:
    """All games of files, and the messages about what cannot be read."""
    studies = [study for path in paths for study in read_studies(path)]
    return studies, [study.fault for study in studies if study.fault]
