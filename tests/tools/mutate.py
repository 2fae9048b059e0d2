# SPDX-License-Identifier: GPL-3.0-or-later
"""Mutants of Cython source: small faults, all compiled into one build, from which an environment variable chooses one.

A mutant changes one logical line inside a function: a comparison, a number by one, an operator, `and`, `not`, a whole condition, `break`,
or it drops a statement. `with_mutants` writes a line and its mutants as alternatives, `if NUMBER == 7: mutant, else: the line`, where
NUMBER is COACHWHIP_MUTANT. So there is one build for all of them. Source: R. Untch, J. Offutt and M. Harrold, "Mutation analysis using
mutant schemata" (1993). The compiler must be gcc or clang.
"""

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

VARIABLE = "COACHWHIP_MUTANT"
TOKEN = re.compile(
    r"""(?P<string>[rbfuRBFU]{0,2}(?:\"{3}(?:\\.|[^\\])*?\"{3}|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'))
    |(?P<comment>\#[^\n]*)
    |(?P<number>0[xX][0-9a-fA-F_]+[uUlL]*|\d[\w.]*)
    |(?P<name>[A-Za-z_]\w*)
    |(?P<op><<=|>>=|//=|\*\*|<<|>>|<=|>=|==|!=|->|[-+*/&|^]=|//|[^\s\w])
    |(?P<newline>\n)|(?P<space>[ \t]+)""",
    re.VERBOSE | re.DOTALL,
)
COMPARISONS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
OPERATORS = {
    "+": "-", "-": "+", "&": "|", "|": "&", "^": "|", "<<": ">>", ">>": "<<", "+=": "-=", "-=": "+=", "&=": "|=", "|=": "&=", "^=": "|=",
}  # fmt: skip
WORDS = {"and": "or", "or": "and", "break": "continue", "continue": "break", "True": "False", "False": "True"}
KEYWORDS = {"and", "or", "not", "if", "else", "elif", "while", "return", "in", "is", "for"}
# Other builds and other processors: a release build on this one cannot tell these lines from any others.
UNSEEN = {"CHECKS", "USE_PEXT", "fail", "prefetch", "tt_prefetch"}
# A verbatim block for each file, since the files share their names by `cimport *`.
HEADER = '''cdef extern from * nogil:
    """
    #ifndef CW_MUTANT
    #define CW_MUTANT
    #include <stdlib.h>
    static int cw_mutant;
    __attribute__((constructor)) static void cw_choose_mutant(void) {
      const char* number = getenv("COACHWHIP_MUTANT");
      cw_mutant = number ? atoi(number) : 0;
    }
    #endif
    """
    const int %s "cw_mutant"

'''


class Token(NamedTuple):
    """A piece of source that is no space."""

    kind: str
    text: str
    line: int  # from 1
    column: int
    is_apart: bool  # something is between it and the token before


class Mutant(NamedTuple):
    """One change of one logical line."""

    path: str  # from the checkout's root
    line: int  # where the logical line begins, from 1
    function: str
    what: str  # which kind of change
    old: str  # the logical line on one line, without comments
    new: str
    region: int  # which of the line's regions is changed
    text: str  # the changed region


@dataclass
class Line:
    """A logical line inside a function, and the parts of it that may change."""

    tokens: list[Token]
    function: str
    regions: list[tuple[int, int]]  # from token, to token
    is_statement: bool  # is replaced as a whole; else each region is an expression

    @property
    def text(self) -> str:
        """The whole line."""
        return spaced(self.tokens)


def tokens(source: str) -> Iterator[Token]:
    """The tokens, comments left out."""
    line, begin, is_apart = 1, 0, False
    for match in TOKEN.finditer(source):
        kind = str(match.lastgroup)
        if kind not in ("space", "comment"):
            yield Token(kind, match[0], line, match.start() - begin, is_apart)
        is_apart = kind in ("space", "comment", "newline")
        if "\n" in match[0]:
            line += match[0].count("\n")
            begin = match.start() + match[0].rindex("\n") + 1


def spaced(found: Sequence[Token]) -> str:
    """Tokens as one line; those that had a space before them have one."""
    return "".join(f" {token.text}" if place and token.is_apart else token.text for place, token in enumerate(found))


def logical_lines(source: str) -> Iterator[list[Token]]:
    """Lists of the tokens between two newlines outside brackets."""
    depth = 0
    found: list[Token] = []
    for token in tokens(source):
        if token.kind == "newline":
            if depth == 0 and found:
                yield found
                found = []
            continue
        depth += (token.text in "([{") - (token.text in ")]}") if token.kind == "op" else 0
        found.append(token)


def function_name(line: Sequence[Token]) -> str:
    """The name of the function whose header this is; "" if it is none."""
    words = [token.text for token in line]
    if words[0] not in ("cdef", "cpdef", "def") or words[-1] != ":" or "(" not in words or words[1] in ("class", "extern"):
        return ""
    return words[words.index("(") - 1]


def body_lines(source: str) -> Iterator[Line]:
    """The lines inside functions that may be changed."""
    name, outside = "", 0
    for line in logical_lines(source):
        if not name or line[0].column <= outside:
            name, outside = function_name(line), line[0].column
            continue
        if UNSEEN.isdisjoint(token.text for token in line):
            regions, is_statement = changeable(line)
            if regions:
                yield Line(line, name, regions, is_statement)


def changeable(line: Sequence[Token]) -> tuple[list[tuple[int, int]], bool]:
    """The parts of a line that may be changed, and whether it is a statement that can be written twice."""
    first, last = line[0], len(line) - 1
    words = [token.text for token in line]
    if first.text in ("if", "elif", "while") and words[last] == ":":
        return [(1, last)], False
    if first.text == "for" and "range" in words and words[last] == ":" and words[last - 1] == ")":
        begin = words.index("range") + 2
        return (arguments(words, begin, last - 1) if words[begin - 3] == "in" else []), False
    if first.text == "cdef":
        places = [place for place in top_level(words, 1, last + 1) if words[place] == "="]
        commas = [place for place in top_level(words, 1, last + 1) if words[place] == ","]
        return ([(places[0] + 1, last + 1)] if len(places) == 1 and not commas else []), False
    if first.text in ("return", "break", "continue"):
        return [(0, last + 1)], True
    plain = first.kind == "name" and first.text not in {*KEYWORDS, *COMPOUND}
    return ([(0, last + 1)] if (plain or first.text in ("(", "<")) and words[last] != ":" else []), True


COMPOUND = set(
    "else try except finally with raise assert import from cimport global nonlocal del pass def class yield lambda".split()
)


def top_level(words: Sequence[str], begin: int, end: int) -> list[int]:
    """The places outside all brackets."""
    depth, found = 0, []
    for place in range(begin, end):
        depth -= words[place] in (")", "]", "}")
        if depth == 0:
            found.append(place)
        depth += words[place] in ("(", "[", "{")
    return found


def arguments(words: Sequence[str], begin: int, end: int) -> list[tuple[int, int]]:
    """The arguments of a call. None if there are three: Cython must know the sign of the step of a range."""
    commas = [place for place in top_level(words, begin, end) if words[place] == ","]
    edges = [begin - 1, *commas, end]
    return [(left + 1, right) for left, right in pairwise(edges)] if len(commas) < 2 else []


def operand_before(line: Sequence[Token], place: int) -> bool:
    """Whether an operator here has a left side: else it is a sign, an address or a cast."""
    if place == 0:
        return False
    before = line[place - 1]
    if before.kind in ("number", "string"):
        return True
    return before.text in (")", "]") or (before.kind == "name" and before.text not in KEYWORDS)


def closes_cast(line: Sequence[Token], place: int) -> bool:
    """Whether this `>` ends a cast."""
    while place > 0:
        place -= 1
        if line[place].text == "<":
            return not operand_before(line, place)
        if line[place].kind != "name" and line[place].text not in "*[]&.":
            return False
    return False


def next_numbers(text: str) -> list[str]:
    """A whole number one up and one down; floats stay."""
    match = re.fullmatch(r"(0[xX][0-9a-fA-F]+|\d+)([uUlL]*)", text)
    if match is None:
        return []
    value = int(match[1], 0) if match[1] != "0" else 0
    shown = hex if match[1][:2] in ("0x", "0X") else str
    return [shown(other) + match[2] for other in (value + 1, value - 1) if other >= 0]


def changes(line: Sequence[Token], place: int) -> Iterator[tuple[str, str]]:
    """What a token may become: the kind of change, and the text."""
    token = line[place]
    around = [line[place - 1].text if place else "", line[place + 1].text if place + 1 < len(line) else ""]
    if token.kind == "number":
        if token.text == "0" and around == ["[", "]"]:
            return  # a pointer is read through `[0]`
        for other in next_numbers(token.text):
            yield "number", other
    elif token.text in COMPARISONS:
        if operand_before(line, place) and not (token.text == ">" and closes_cast(line, place)):
            yield "comparison", COMPARISONS[token.text]
    elif token.text in OPERATORS:
        if operand_before(line, place):
            yield "operator", OPERATORS[token.text]
    elif token.text in WORDS and token.kind == "name":
        yield "word", WORDS[token.text]
    elif token.text == "not" and around[1] != "in" and around[0] != "is":
        yield "word", ""


def mutants_of(path: str, source: str) -> list[Mutant]:
    """All mutants of a file, in the order of its text."""
    found = []
    for line in body_lines(source):
        for region, (begin, end) in enumerate(line.regions):
            for what, text in region_changes(line, begin, end):
                new = spaced([*line.tokens[:begin], line.tokens[begin]._replace(text=text), *line.tokens[end:]])
                found.append(Mutant(path, line.tokens[0].line, line.function, what, line.text, new, region, text))
    return found


def region_changes(line: Line, begin: int, end: int) -> Iterator[tuple[str, str]]:
    """The changed texts of one region of a line, each with the kind of change."""
    part = line.tokens[begin:end]
    for place in range(begin, end):
        for what, text in changes(line.tokens, place):
            changed = part[place - begin]._replace(text=text)
            yield what, spaced([*part[: place - begin], changed, *part[place - begin + 1 :]]).strip()
    if line.tokens[0].text in ("if", "elif", "while"):
        yield "condition", f"not ({spaced(part)})"
    if line.is_statement and line.tokens[0].text not in ("return", "break", "continue"):
        yield "statement", "pass"


def chosen(found: Sequence[Mutant], seed: int, room: str) -> list[Mutant]:
    """The mutants of a room in the order in which they are taken."""
    order = list(found)
    random.Random(f"{seed} {room}").shuffle(order)
    return order


def with_mutants(path: str, source: str, numbered: Sequence[tuple[int, Mutant]]) -> str:
    """The source of a file with its chosen mutants, each under its number."""
    name = f"MUTANT_{re.sub(r'[^a-z]', '_', path)}"
    by_line: dict[int, list[tuple[int, Mutant]]] = {}
    for number, mutant in numbered:
        by_line.setdefault(mutant.line, []).append((number, mutant))
    lines = source.split("\n")
    for line in sorted(body_lines(source), key=lambda line: -line.tokens[0].line):
        if here := by_line.get(line.tokens[0].line):
            begin, end = line.tokens[0].line - 1, line.tokens[-1].line
            indent = " " * line.tokens[0].column
            lines[begin:end] = [indent + text for text in (rewritten(line, here, name))]
    at = first_code(lines)
    return "\n".join([*lines[:at], *(HEADER % name).split("\n"), *lines[at:]])


def rewritten(line: Line, here: Sequence[tuple[int, Mutant]], name: str) -> list[str]:
    """A line as alternatives."""
    if line.is_statement:
        found: list[str] = []
        for number, mutant in here:
            found += [f"{'elif' if found else 'if'} {name} == {number}:", f"    {mutant.text}  # mutant {number}"]
        return [*found, "else:", f"    {line.text}"]
    text, place = "", 0
    for region, (begin, end) in enumerate(line.regions):
        inner = spaced(line.tokens[begin:end])
        for number, mutant in here:
            if mutant.region == region:
                inner = f"(({mutant.text}) if {name} == {number} else ({inner}))"
        text += f"{spaced(line.tokens[place:begin])} {inner}"
        place = end
    return [f"{text}{spaced(line.tokens[place:])}  # mutants {' '.join(str(number) for number, _ in here)}"]


def first_code(lines: Sequence[str]) -> int:
    """The index of the line behind comments and docstring at the head of a file."""
    source = "\n".join(lines)
    first = next(iter(logical_lines(source)))
    if first[0].kind != "string":
        return first[0].line - 1
    return first[0].line - 1 + first[0].text.count("\n") + 1


def mutants_at(text: str) -> list[int]:
    """The numbers of the mutants on a line that `with_mutants` wrote."""
    match = re.search(r"# mutants? ([\d ]+)$", text)
    return [int(number) for number in match[1].split()] if match else []


def room_mutants(root: Path, room: str) -> list[Mutant]:
    """All mutants of the .pyx and .pxd files of a folder of the checkout."""
    found: list[Mutant] = []
    for path in sorted(path for path in (root / room).rglob("*.p*") if path.suffix in (".pyx", ".pxd")):
        found += mutants_of(path.relative_to(root).as_posix(), path.read_text(encoding="utf-8"))
    return found
