# SPDX-License-Identifier: GPL-3.0-or-later
"""The hook that PyInstaller runs when a program imports coachwhip. The program is the UCI engine with a few subcommands."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# What only the measuring tools and Python programs use. python-chess stays: books and endgame tables are read with it.
excludedimports = ["chess.engine", "chess.svg", "coachwhip.in_process", "distributed", "numpy", "rich"]

# A file that can be read, since `coachwhip weights` prints it and a user may want to see it.
module_collection_mode = {"coachwhip.evaluation.weights": "py"}


def hook(hook_api: Any) -> None:
    """Add what PyInstaller cannot see. Exits with one sentence if the package has no compiled modules."""
    from coachwhip._pyinstaller import SUBCOMMANDS, USED_BY_CORE, compiled_modules, data_files, python_modules

    package = os.path.dirname(hook_api.__file__)
    binaries = compiled_modules(package)
    if not binaries:
        raise SystemExit(
            f"coachwhip: {package} has no compiled modules; install the package (python3 -m pip install ., without -e), "
            "and give pyinstaller no --paths of a checkout"
        )
    hook_api.add_binaries(binaries)
    hook_api.add_datas(data_files(package))
    hook_api.add_imports(*python_modules(package), *SUBCOMMANDS, *USED_BY_CORE)
