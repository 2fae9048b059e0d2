# SPDX-License-Identifier: GPL-3.0-or-later
"""The checkpoint of a training: one file, replaced after each epoch, from which `train --resume` continues.

A line of JSON holds the settings, the losses of the epochs and the SHA-256 of what follows: the parameters, and AdamW's means of the
gradients and of their squares, as little-endian floats.
"""

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ...cli.command import CommandError
from ...cli.files import naming, write_bytes
from ..run import Epoch
from .trainer import State

FORMAT = "coachwhip checkpoint 1"


class Checkpoint(NamedTuple):
    """The content of a checkpoint."""

    settings: dict[str, Any]
    epochs: list[Epoch]
    state: State


def save(path: Path, settings: dict[str, Any], epochs: Sequence[Epoch], state: State) -> None:
    """Replace the checkpoint by the state after these epochs. Raises OSError."""
    data = b"".join(part.astype("<f4").tobytes() for part in state[1:])
    head = {"format": FORMAT, "settings": settings, "epochs": epochs, "sha256": hashlib.sha256(data).hexdigest()}
    write_bytes(path, json.dumps(head).encode() + b"\n" + data)


def read(path: Path) -> Checkpoint | None:
    """Read a checkpoint; None if there is none yet. Raises CommandError for another or a damaged file, OSError."""
    if not path.exists() or not path.stat().st_size:
        return None
    with naming(path):
        line, _, data = path.read_bytes().partition(b"\n")
    if not line.startswith(f'{{"format": "{FORMAT}"'.encode()):
        raise CommandError(f"{path} is not a checkpoint of train")
    try:
        head = json.loads(line)
        epochs = [Epoch(*epoch) for epoch in head["epochs"]]
        arrays = np.frombuffer(data, "<f4").astype(np.float32).reshape(3, -1)
        is_whole = head["sha256"] == hashlib.sha256(data).hexdigest()
    except (ValueError, LookupError, TypeError, RecursionError):
        is_whole = False
    if not is_whole:
        raise CommandError(f"{path} is damaged: its checksum does not match; remove it, and the training starts again")
    return Checkpoint(head["settings"], epochs, State(len(epochs), *arrays))
