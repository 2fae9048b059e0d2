# SPDX-License-Identifier: GPL-3.0-or-later
"""The compiled core: rules, evaluation and search. Python programs use `engine`.

This file chooses the compiled modules for this processor (levels.py), before one of them is loaded: `LEVEL` is their name.
Raises ImportError if there are none, or this processor can run none of them.
"""

import os

from . import board, evaluate, learning, levels, search

try:
    from . import cpu
except ImportError as error:
    raise ImportError(
        f"{__path__[0]} has no compiled modules for this Python: leave this folder to use the coachwhip that is installed, or build "
        "one here with python3 setup.py build_ext --inplace",
        name=__name__,
    ) from error

LEVEL = levels.choose(cpu.LEVELS, cpu.LACKING, os.environ.get(levels.VARIABLE, ""))

if LEVEL not in (levels.BASELINE, levels.NATIVE):
    _folder = os.path.join(__path__[0], f"_{LEVEL}")
    if not os.path.isdir(_folder):
        raise ImportError(f"the folder {_folder} is missing: install coachwhip again", name=__name__)
    __path__.insert(0, _folder)
    for _package in (board, evaluate, learning, search):
        _package.__path__.insert(0, os.path.join(_folder, _package.__name__.rpartition(".")[2]))
