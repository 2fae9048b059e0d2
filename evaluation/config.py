# SPDX-License-Identifier: GPL-3.0-or-later
"""Loads and checks evaluation weights, and writes them as a file to start from.

A weights file is data in Python's syntax: assignments of numbers, lists and strings, read with `ast`, never
executed. layout.py declares the entries and their types. An entry that is left out has the shipped value.
"""

from __future__ import annotations

import os

from ..core.engine import Network
from ..text import nearest
from . import weights as defaults
from .layout import ENTRIES, NETWORK_LENGTH, flatten, leaves, unflatten

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ast
    from typing import Any

    from .layout import Entry

__all__ = ["WeightsError", "dump", "evaluator", "flatten", "load", "load_default", "network", "unflatten"]

MAX_FILE_SIZE = 1 << 18  # bytes, about ten times the default file
MAX_NETWORK_SIZE = 1 << 20  # bytes, more than the largest network has
MAX_QUOTED = 40  # characters of a name in a message
PROVENANCE = "Where the values come from:"  # a paragraph of the docstring of a weights file, its last
QUOTES = '"""'
HERE = os.path.dirname(os.path.abspath(__file__))
NETWORKS = os.path.join(HERE, "networks")  # the folder of the shipped ones


class WeightsError(ValueError):
    """A weights file, or the network it names, cannot be used. The message names the line or the entry."""


def evaluator(path: str | os.PathLike[str] | None = None) -> tuple[list[int], Network | None]:
    """Return the weights and the network of a weights file, as `Engine` takes them.

    `path` is the file; None or "": the shipped one. Raises WeightsError.
    """
    weights = load(path) if path else load_default()
    return flatten(weights), network(weights, path or None)


def load_default() -> dict[str, Any]:
    """Return the shipped weights, by the names of weights.py."""
    weights = {name: value for name, value in vars(defaults).items() if name.isupper()}
    _check(weights, {}, "weights.py")
    return weights


def load(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return the shipped weights with the entries of a file.

    Raises WeightsError if one is unknown or wrong, or the file cannot be read.
    """
    where = os.path.basename(path)
    entries, lines = _read_assignments(_read_text(path), where)
    weights = load_default() | entries
    _check(weights, lines, where)
    return weights


def network(weights: dict[str, Any], path: str | os.PathLike[str] | None = None) -> Network | None:
    """Return the network that the entries of a weights file name; None if they name none.

    `path` is the weights file (None: the shipped one). A relative name is looked up in its folder, then among
    the shipped networks. Raises WeightsError.
    """
    name = weights["NETWORK"]
    if not name:
        return None
    where = f"{os.path.basename(path or defaults.__file__)}: NETWORK"
    if name.replace("\\", "/").startswith("//"):  # Windows would send a name and a password's hash there
        raise WeightsError(f"{where} must name a file of this computer, not {name[:MAX_QUOTED]}")
    folders = [NETWORKS] if path is None else [os.path.dirname(os.path.abspath(path)), NETWORKS]
    existing = next(
        (file for file in (os.path.join(folder, name) for folder in folders) if os.path.exists(file)), None
    )
    if existing is None:
        shipped = "among the shipped networks"
        places = (
            f" {shipped}, in {NETWORKS}" if path is None else f", neither from {folders[0]} nor {shipped}"
        )
        raise WeightsError(f"{where}: there is no file {name}{places}")
    try:
        return Network(_read_bytes(existing, MAX_NETWORK_SIZE))
    except WeightsError as error:
        raise WeightsError(f"{where}: {error}") from error
    except ValueError as error:
        raise WeightsError(f"{where}: {name} cannot be used: {error}") from error


def dump(weights: dict[str, Any]) -> str:
    """Return the text of a weights file: weights.py with its comments, and with these values.

    Where the values come from is said of the shipped ones only.
    """
    import ast

    with open(os.path.join(HERE, "weights.py"), encoding="utf-8") as file:
        text = file.read()
    if flatten(weights) != flatten(load_default()):
        kept, _, account = text.partition(PROVENANCE)
        text = f"{kept.rstrip()}\n{account[account.index(QUOTES) :]}"
    lines = text.splitlines(keepends=True)
    for node in reversed(ast.parse(text).body):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            name, value = node.targets[0].id, node.value
            first, last = value.lineno - 1, (value.end_lineno or value.lineno) - 1
            head, tail = lines[first][: value.col_offset], lines[last][value.end_col_offset :]
            lines[first : last + 1] = [head + _text_of(weights[name], ENTRIES.get(name)) + tail]
    return "".join(lines)


def _text_of(value: Any, entry: Entry | None) -> str:
    """Return the text of a value: a string, or numbers in columns.

    Each row of a table is a line; long lists have lines of equal length.
    """
    if entry is None:
        return '"' + str(value).replace("\\", "\\\\").replace('"', '\\"') + '"'
    shape = entry.shape
    cells = [
        f"({leaf[0]:>3}, {leaf[1]:>3})" if entry.is_paired else str(leaf)
        for leaf in leaves(value, len(shape))
    ]
    if not shape:
        return cells[0]
    width = max(map(len, cells))
    cells = [cell.rjust(width) for cell in cells]
    across = next((n for n in (9, 8, 7, 5) if shape[-1] % n == 0), shape[-1])
    rows = [", ".join(cells[at : at + across]) for at in range(0, len(cells), across)]
    if len(rows) == 1:
        return f"[{rows[0]}]"
    return "[\n" + "".join(f"    [{row}],\n" if len(shape) == 2 else f"    {row},\n" for row in rows) + "]"


# --- Checking ---


def _check(weights: dict[str, Any], lines: dict[str, int], where: str) -> None:
    """Raise WeightsError at the first entry that is unknown, wrongly shaped or out of range."""
    for name, value in weights.items():
        at = f"{where}, line {lines[name]}" if name in lines else where
        if name == "NETWORK":
            _check_network(value, f"{at}: {name}")
        elif name in ENTRIES:
            entry = ENTRIES[name]
            shape = (*entry.shape, 2) if entry.is_paired else entry.shape
            _check_value(value, shape, entry.low, entry.high, f"{at}: {name}")
        else:
            near = nearest(name, [*ENTRIES, "NETWORK"])
            guess = f" (did you mean {near}?)" if near else ""
            raise WeightsError(f"{at}: {name[:MAX_QUOTED]} is not the name of a weight{guess}")


def _check_network(value: Any, at: str) -> None:
    if not isinstance(value, str):
        raise WeightsError(f"{at} must be a string in quotes, not {_described(value)}")
    if len(value) > NETWORK_LENGTH:
        raise WeightsError(f"{at} must have at most {NETWORK_LENGTH} characters, but has {len(value)}")
    if not value.isprintable():
        raise WeightsError(f"{at} must hold printable characters only")


def _check_value(value: Any, shape: tuple[int, ...], low: int, high: int, at: str) -> None:
    if not shape:
        if type(value) is not int:
            raise WeightsError(f"{at} must be a whole number, not {_described(value)}")
        if not low <= value <= high:
            raise WeightsError(f"{at} must be from {low} to {high}")
        return
    if not isinstance(value, (list, tuple)):
        raise WeightsError(f"{at} must be {_form(shape)}, not {_described(value)}")
    if len(value) != shape[0]:
        raise WeightsError(f"{at} must be {_form(shape)}, but has {len(value)} instead of {shape[0]}")
    for i, item in enumerate(value):
        _check_value(item, shape[1:], low, high, f"{at}[{i}]")


def _form(shape: tuple[int, ...]) -> str:
    if shape == (2,):
        return "a pair (midgame, endgame)"
    return f"a list of {shape[0]} " + (
        "numbers" if len(shape) == 1 else "pairs" if shape[1:] == (2,) else "lists"
    )


def _described(value: Any) -> str:
    return (
        "a list"
        if isinstance(value, list)
        else "a tuple"
        if isinstance(value, tuple)
        else repr(value)[:MAX_QUOTED]
    )


# --- Reading ---


def _read_text(path: str | os.PathLike[str]) -> str:
    data = _read_bytes(path, MAX_FILE_SIZE)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        from ..compressed import compression

        raise WeightsError(
            f"{os.path.basename(path)} is {'compressed' if compression(data) else 'not UTF-8 text'}"
        ) from error


def _read_bytes(path: str | os.PathLike[str], most: int) -> bytes:
    """Return the bytes of a file. Raises WeightsError if it cannot be read or is larger than `most`."""
    if os.path.exists(path) and not os.path.isfile(path):
        raise WeightsError(f"{path} is not a file")
    try:
        with open(path, "rb") as file:
            data = file.read(most + 1)
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        raise WeightsError(f"cannot read {path}: {getattr(error, 'strerror', error)}") from error
    if len(data) > most:
        raise WeightsError(f"{os.path.basename(path)} is larger than {most} bytes")
    return data


def _read_assignments(text: str, where: str) -> tuple[dict[str, Any], dict[str, int]]:
    """Return the values and the line numbers of `NAME = value` statements; strings alone are comments."""
    import ast
    import warnings

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a stray backslash in a comment string is harmless
            body = ast.parse(text).body
    except SyntaxError as error:
        raise WeightsError(f"{where}, line {error.lineno}: {error.msg[:200]}") from error
    except (ValueError, RecursionError, MemoryError) as error:
        raise WeightsError(f"{where} cannot be read as Python: {error or 'nested too deeply'}") from error
    weights: dict[str, Any] = {}
    lines: dict[str, int] = {}
    for node in body:
        at = f"{where}, line {node.lineno}"
        if (
            isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Constant)
            and isinstance(node.value.value, str)
        ):
            continue
        if not (
            isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name)
        ):
            raise WeightsError(f"{at}: a weights file can hold only assignments NAME = value")
        name = node.targets[0].id
        if name in weights:
            raise WeightsError(
                f"{at}: {name[:MAX_QUOTED]} is assigned a second time; delete one of the two lines"
            )
        is_text = isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        weights[name] = (
            ast.literal_eval(node.value) if is_text else _numbers(node.value, f"{where}, line", name)
        )
        lines[name] = node.lineno
    return weights, lines


def _numbers(node: ast.expr, at: str, name: str) -> Any:
    import ast

    if isinstance(node, (ast.List, ast.Tuple)):
        items = [_numbers(item, at, name) for item in node.elts]
        return tuple(items) if isinstance(node, ast.Tuple) else items
    sign = 1
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.UAdd, ast.USub)):
        sign = -1 if isinstance(node.op, ast.USub) else 1
        node = node.operand
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return sign * node.value
    raise WeightsError(
        f"{at} {node.lineno}: {name[:MAX_QUOTED]} holds something that is not a whole number "
        "or a list of them"
    )
