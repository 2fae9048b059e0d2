# SPDX-License-Identifier: GPL-3.0-or-later
"""The compiled core: rules, evaluation and search. Python programs use `engine`.

This file chooses the compiled modules for this processor (levels.py), before one of them is loaded, and loads
the engine: `LEVEL` is their name. Raises ImportError if there are none, this processor can run none of them,
or they cannot be loaded.
"""

import os

from . import board, evaluate, learning, levels, search

try:
    from .cpu import LACKING, LEVELS

    LEVEL = levels.choose(LEVELS, LACKING, os.environ.get(levels.VARIABLE, ""))
    if LEVEL not in (levels.BASELINE, levels.NATIVE):
        _folder = os.path.join(__path__[0], f"_{LEVEL}")
        if not os.path.isdir(_folder):
            raise ImportError(f"the folder {_folder} is missing: install coachwhip again")
        __path__.insert(0, _folder)
        for _package in (board, evaluate, learning, search):
            _package.__path__.insert(0, os.path.join(_folder, _package.__name__.rpartition(".")[2]))
    from . import engine  # noqa: F401 (a session finds out here, before its first answer)
except Exception as error:  # ValueError: its modules are from two builds
    _fault = str(error)
    if isinstance(error, ModuleNotFoundError) and error.name == f"{__name__}.cpu":
        _fault = (
            f"{__path__[0]} has no compiled modules for this Python: leave this folder to use the coachwhip "
            "that is installed, or build one here with python3 setup.py build_ext --inplace"
        )
    raise ImportError(_fault, name=__name__) from error
