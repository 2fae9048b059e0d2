# SPDX-License-Identifier: GPL-3.0-or-later
"""The mutants of tests/trials/mutants.py: which faults are made, and that each is alive under its number alone."""

import os
import subprocess
import sys
from pathlib import Path

import equivalent
import mutate
import pytest

SMALL = '''"""A module, whose 1 + 1 is no code."""

cdef enum:
    LIMIT = 7

cdef int add(int* out, const int* a, int count) noexcept nogil:
    """Docstring: 2 < 3."""
    cdef int sum = 1 + a[0]
    cdef int i
    for i in range(1, count):
        if a[i] > LIMIT and not (
            a[i] == 9  # more than this
        ):
            continue
        sum += <int>a[i]
    out[0] = sum
    return sum

def total(*values):
    cdef int[8] a
    cdef int out = 0
    for i, value in enumerate(values):
        a[i] = value
    return add(&out, a, len(values)), out
'''
CHANGES = [  # of the function `add`
    ("number", "cdef int sum = 1 + a[0]", "cdef int sum = 2 + a[0]"),
    ("number", "cdef int sum = 1 + a[0]", "cdef int sum = 0 + a[0]"),
    ("operator", "cdef int sum = 1 + a[0]", "cdef int sum = 1 - a[0]"),
    ("number", "for i in range(1, count):", "for i in range(2, count):"),
    ("number", "for i in range(1, count):", "for i in range(0, count):"),
    ("comparison", "if a[i] > LIMIT and not ( a[i] == 9 ):", "if a[i] >= LIMIT and not ( a[i] == 9 ):"),
    ("word", "if a[i] > LIMIT and not ( a[i] == 9 ):", "if a[i] > LIMIT or not ( a[i] == 9 ):"),
    ("word", "if a[i] > LIMIT and not ( a[i] == 9 ):", "if a[i] > LIMIT and  ( a[i] == 9 ):"),
    ("comparison", "if a[i] > LIMIT and not ( a[i] == 9 ):", "if a[i] > LIMIT and not ( a[i] != 9 ):"),
    ("number", "if a[i] > LIMIT and not ( a[i] == 9 ):", "if a[i] > LIMIT and not ( a[i] == 10 ):"),
    ("number", "if a[i] > LIMIT and not ( a[i] == 9 ):", "if a[i] > LIMIT and not ( a[i] == 8 ):"),
    ("condition", "if a[i] > LIMIT and not ( a[i] == 9 ):", "if not (a[i] > LIMIT and not ( a[i] == 9 )):"),
    ("word", "continue", "break"),
    ("operator", "sum += <int>a[i]", "sum -= <int>a[i]"),
    ("statement", "sum += <int>a[i]", "pass"),
    ("statement", "out[0] = sum", "pass"),
]
CALL = "import small; print(*small.total(5, 7, 8, 9, 2))"


def test_which_faults_are_made() -> None:
    found = [mutant for mutant in mutate.mutants_of("core/small.pyx", SMALL) if mutant.function == "add"]
    assert [(mutant.what, mutant.old, mutant.new) for mutant in found] == CHANGES


def test_the_choice_depends_on_the_seed_alone() -> None:
    found = mutate.mutants_of("core/small.pyx", SMALL)
    assert mutate.chosen(found, 1, "core") == mutate.chosen(found, 1, "core") != mutate.chosen(found, 2, "core")


@pytest.mark.skipif(sys.platform == "win32", reason="mutants need gcc or clang")
def test_a_build_has_all_mutants_and_the_variable_chooses_one(tmp_path: Path, user_environment: dict[str, str]) -> None:
    found = [mutant for mutant in mutate.mutants_of("core/small.pyx", SMALL) if mutant.function == "add"]
    assert len(found) == len(CHANGES)
    text = mutate.with_mutants("core/small.pyx", SMALL, list(enumerate(found, 1)))
    (tmp_path / "small.pyx").write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "Cython.Build.Cythonize", "-i", "-3", "small.pyx"]
    environment = user_environment | {"CFLAGS": "-O0 -g0"}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    sums = [25, 23, 14, 17, 29, 17, 6, 23, 23, 15, 23, 14, 13, -12, 6]
    expected = ["24 24", *(f"{value} {value}" for value in sums), "24 0"]  # 1 + 5 + 7 + 9 + 2; the last one forgets the second
    assert [total(tmp_path, number) for number in range(len(found) + 1)] == expected


def total(folder: Path, number: int) -> str:
    """What the small module computes with a mutant."""
    environment = os.environ | {mutate.VARIABLE: str(number), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(
        [sys.executable, "-c", CALL], cwd=folder, env=environment, capture_output=True, text=True, check=True
    ).stdout.strip()


def test_mutants_that_are_called_equivalent_are_of_the_code_of_today(root: Path) -> None:
    for path, function, old, _ in equivalent.reasons():
        source = (root / path).read_text(encoding="utf-8")
        assert (root / path).suffix == ".py" or (function, old) in {
            (line.function, line.text) for line in mutate.body_lines(source)
        }
