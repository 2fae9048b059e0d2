# SPDX-License-Identifier: GPL-3.0-or-later
"""The checkpoint of a training: one file, replaced after each epoch, from which `train --resume` continues.

A line of JSON holds the settings and the losses of the epochs. The parameters follow, and AdamW's means of
the gradients and of their squares, as little-endian floats, and last the SHA-256 of all this.
"""

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ...cli.command import CommandError
from ...cli.files import naming, write_bytes
from ...cli.journal import part, usable
from ..run import Epoch
from .integers import size
from .trainer import State

START = '{"format": "coachwhip checkpoint '  # of every format
FORMAT = f'{START}2"'
DIGEST = hashlib.sha256().digest_size


class Checkpoint(NamedTuple):
    """The content of a checkpoint."""

    settings: dict[str, Any]
    epochs: list[Epoch]
    state: State


def save(path: Path, settings: dict[str, Any], epochs: Sequence[Epoch], state: State) -> None:
    """Replace the checkpoint by the state after these epochs. Raises OSError."""
    head = f"{FORMAT}, {json.dumps({'settings': settings, 'epochs': epochs})[1:]}\n"
    data = head.encode() + b"".join(array.astype("<f4").tobytes() for array in state[1:])
    write_bytes(path, data + hashlib.sha256(data).digest())


def read(path: Path) -> Checkpoint | None:
    """Read a checkpoint; None if there is none yet.

    Raises CommandError for another or a damaged file, OSError.
    """
    if not path.exists() or not path.stat().st_size:
        return None
    with naming(path):
        content = path.read_bytes()
    data, digest = content[:-DIGEST], content[-DIGEST:]
    if not data.startswith(FORMAT.encode()):
        if data.startswith(START.encode()):
            raise CommandError(
                f"{path} was written by another version of coachwhip: remove it, "
                "and the training starts again"
            )
        raise CommandError(f"{path} is not a checkpoint of train")
    if hashlib.sha256(data).digest() != digest:
        raise CommandError(
            f"{path} is damaged: its checksum does not match; remove it, and the training starts again"
        )
    with usable(str(path)):
        line, _, arrays = data.partition(b"\n")
        head = json.loads(line)
        settings = part(head["settings"], dict)
        for file in settings["files"]:
            part(file["games"], int)
        epochs = [
            Epoch(part(number, int), part(training, float), part(held, float))
            for number, training, held in head["epochs"]
        ]
        state = (
            np.frombuffer(arrays, "<f4").astype(np.float32).reshape(3, size(part(settings["hidden"], int)))
        )
        if not np.isfinite(state).all() or [epoch.number for epoch in epochs] != list(
            range(1, len(epochs) + 1)
        ):
            raise ValueError("a parameter is no number, or an epoch is missing")
    return Checkpoint(settings, epochs, State(len(epochs), *state))
