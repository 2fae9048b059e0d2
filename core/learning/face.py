# SPDX-License-Identifier: GPL-3.0-or-later
"""The Python face of this folder. Types: face.pyi."""

from .features import (  # noqa: F401
    DANGER_STEP,
    HIDDEN_STEP,
    INPUTS,
    MAX_HIDDEN,
    MAX_OUTPUT_WEIGHT,
    MAX_PIECES,
    MAX_RECORDED_PLIES,
    PACKED_SIZE,
    QA,
    QB,
    RESULT_AT,
    RULE50_AT,
    SCORE_AT,
    STM_AT,
    Scorer,
)
from .packed import pack, unpack  # noqa: F401
from .recorded import decode_games  # noqa: F401
from .training import TRAINING_BLOCK, adam_step, network_gradient, network_outputs  # noqa: F401
