# SPDX-License-Identifier: GPL-3.0-or-later
"""The plots: names of any letters are text. That each command draws its plot is tested with the command."""

from pathlib import Path

import pytest
from coachwhip.bench.common.plot import as_text, new_figure, picture

HOSTILE = ["_hidden $x^2$ <b>", "棋 $a_", "\x1b[31mred"]


@pytest.mark.parametrize("name", HOSTILE)
def test_a_name_is_drawn_as_it_is(name: str, tmp_path: Path) -> None:
    """No formula, no entry that the legend leaves out, no error for a letter that the font lacks."""
    figure = new_figure()
    axes = figure.subplots()
    axes.plot([0, 1], [0, 1], label=as_text(name))
    axes.set_title(as_text(name))
    axes.legend()
    picture(figure, tmp_path / "plot.svg")
    (text,) = axes.get_legend().get_texts()
    assert text.get_text().replace(r"\$", "$").strip() == "".join(letter if letter.isprintable() else "?" for letter in name)
