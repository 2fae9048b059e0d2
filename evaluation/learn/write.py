# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes fitted weights as a file like weights.py, with its comments and the new numbers. Its docstring says how they were fitted."""

from __future__ import annotations

import ast
import textwrap
from typing import TYPE_CHECKING

from .. import config

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

PROVENANCE = "Where the values come from:"  # the line of the docstring after which the file says it
WIDTH = 128


def weights_file(weights: dict[str, Any], provenance: Sequence[str]) -> str:
    """The text of a weights file with these entries; each paragraph of `provenance` starts a new line."""
    text = config.dump(weights)
    docstring = ast.parse(text).body[0]
    if not (isinstance(docstring, ast.Expr) and isinstance(docstring.value, ast.Constant)):
        raise config.WeightsError(
            "weights.py does not begin with a docstring, and the new file says there how its values were fitted"
        )
    kept = str(docstring.value.value).partition(PROVENANCE)[0].rstrip()
    lines = [line for paragraph in provenance for line in _wrapped(paragraph)]
    head = "\n".join([f'"""{kept}', "", PROVENANCE, *lines, '"""', ""])
    before, after = text.splitlines(keepends=True)[: docstring.lineno - 1], text.splitlines(keepends=True)[docstring.end_lineno :]
    return "".join([*before, head, *after])


def _wrapped(paragraph: str) -> list[str]:
    """Lines of a docstring. Characters that could end it, as names of files may hold them, become question marks."""
    plain = "".join(char if char.isascii() and char.isprintable() and char not in '"\\' else "?" for char in paragraph)
    return textwrap.wrap(plain, WIDTH, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)
