# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads and writes PGN, for every command.

A game ends at its result, at the tags of the next one, or where a line begins with move 1 again; blank lines
do not matter. What cannot be read becomes an error of its game and stays there as a comment, so that nothing
gets lost. python-chess holds the games and knows the rules; its own reader skips what it does not know
without a word.
"""

import io
import re
from collections import deque
from collections.abc import Iterator
from typing import NamedTuple

import chess.pgn

from ..compressed import CompressedError, expanded
from ..text import reason, shorten, storable

BLOCK = 1 << 20  # characters that are read at a time
MAX_FAULTS = 100  # of a game that are named
COLUMNS = 80  # width of the text that is written
# what a byte that is not UTF-8 stands for
CP1252 = {0xDC00 + byte: bytes([byte]).decode("cp1252", "replace") for byte in range(128, 256)}
READABLE = CP1252 | {0x1A: " ", 0xFEFF: None}  # the end of a DOS file, a byte order mark

NAGS = {f"${number}": number for number in range(256)} | {  # of the codes and signs behind a move
    "!": 1, "?": 2, "!!": 3, "??": 4, "!?": 5, "?!": 6, "□": 7, "=": 10, "∞": 13, "+=": 14, "⩲": 14, "=+": 15,
    "⩱": 15, "+/=": 14, "=/+": 15, "±": 16, "+/-": 16, "∓": 17, "-/+": 17, "+-": 18, "-+": 19, "N": 146,
}  # fmt: skip
# figurines, dashes, capture signs and a Cyrillic O; what cannot be seen is removed
ENGLISH = str.maketrans(
    "♔♕♖♗♘♙♚♛♜♝♞♟‐‑‒–—−:×Оо", "KQRBNPKQRBNP------xxOO", "\ufe0e\ufe0f\u200b\u200c\u200d\u2060\u00ad"
)

BLANK = r"[^\S\n]*"
DASH = rf"{BLANK}[-‐‑‒–—−:]{BLANK}"
DRAW = rf"(?:½|1/2)(?:{DASH}(?:½|1/2))?|0[.,]5{DASH}0[.,]5"
RESULT = rf"(?:(?P<white>1{DASH}0)|(?P<black>0{DASH}1)|(?P<draw>{DRAW})|\*)(?![^\s;(){{}}\[\]*])"
# `dd5` is no move.
PAWN = (
    r"(?!(?P<file>[a-h])[-x]?(?P=file)[1-8])(?:[a-h][1-8]?[-x]?)?[a-h][1-8]"
    r"(?:(?<=[18])[=/(]?[KQRBNkqrbn]\)?)?"
)
SAN = rf"(?:--|Z0|0000|@@@@)(?=[!?]*$)|[A-Z]?@[a-h][1-8]|[KQRBN][a-h]?[1-8]?[-x]?[a-h][1-8]|{PAWN}"
CASTLING = r"[O0o]-[O0o](?:-?[O0o])?|(?<!\d[.])[O0o][O0o](?:-?[O0o])?"
MOVE = rf"(?:(?P<castling>{CASTLING})|(?:P(?=[a-h]))?(?P<san>{SAN}))"
SIGN = "|".join(re.escape(sign) for sign in NAGS if sign[0] not in "$!?")
# what stands behind a move without a blank, as `mate`, and is no part of it
GLUED = r"(?:(?<=[1-8KQRBNkqrbn)])|(?<=-[O0o]))(?![-x])(?:(?![a-h][1-8]).)+"
TAIL = (
    rf"(?:e\.?p\.?)?[+#†‡]{{0,2}}?(?:ch)?(?P<marks>[!?]{{1,2}})?[+#†‡]{{0,2}}?(?P<sign>{SIGN})?"
    rf"|(?P<other>\W+|\$\d*|{GLUED})"
)
WORD = re.compile(rf"(?:(?P<number>\d*)[.…]+(?![.…]))?(?P<move>{MOVE})?(?:{TAIL})|\d+")
# What may be a move in another notation: without it, the moves behind it would be the other side's.
FOREIGN_MOVE = re.compile(
    r"(?:\d*[.…]+)?(?:.*[a-h][1-8]|[KQRBNP]{1,3}[-x][KQRBNP]|[A-Z]?[a-h]?x[a-hA-Z](?![a-z])"
    r"|[KQRB](?![\w-])|[Oo]\W?[Oo](?![a-z])|[Cc]astl"
    r"|(?:ab|b[ac]|c[bd]|d[ce]|e[df]|f[eg]|g[fh]|hg)\b)"
)
BOTH_LOST = re.compile(rf"0{DASH}0")
ONE_MOVE = re.compile(rf"{MOVE}(?!\w)")
FIRST_MOVE = re.compile(rf"1(?:\.(?![\s.]*\.)|{BLANK}(?<=\s)(?=[^\W\d]|[♔-♟]))")
PLAIN_WORD = r"[^\s{}();$*\[]+"
TAG = (
    rf"(?:^{BLANK})?\[{BLANK}(?P<name>[A-Za-z0-9][A-Za-z0-9_+#=:-]*){BLANK}"
    rf'"(?:(?P<value>(?:[^"\\\n]|\\.)*)"{BLANK}\](?P<behind>(?:{BLANK}(?![\d½]|{MOVE}){PLAIN_WORD})*)'
    rf'|(?P<loose>[^\n]{{0,255}})"{BLANK}\]{BLANK}$)|^{BLANK}\[[^\n]*'  # `loose`: quotes without a backslash
)
TOKEN = re.compile(
    rf"(?![A-Za-z2-9])(?:"  # most words begin so; this saves time
    rf"\{{(?P<comment>[^{{}}]*)\}}"
    rf"|\{{(?P<odd>(?:[^}}\n]*\n(?!{BLANK}\[\w+{BLANK}\"))*[^}}\n]*)\}}?|;(?P<rest>[^\n]*)"
    rf"|^%(?P<escape>)[^\n]*|(?P<tag>{TAG})|(?P<offer>\(=\))|(?P<begin>\()|(?P<end>\))|(?P<result>{RESULT})"
    rf")|(?P<word>{PLAIN_WORD}(?:(?<=[18])\([^\s\d()]\)[+#!?]*)?|[\[}}*]|\$\d*)",
    re.MULTILINE,
)
COMMENTS = ("comment", "odd", "rest", "escape", "offer")
DEPTH = {"(": 1, ")": -1}


class PgnError(ValueError):
    """A text that is no PGN; the message says why."""


class BrokenLine(ValueError):
    """The error of a game whose main line ends early because of it."""


class RawGame(NamedTuple):
    """The text of a game, from its first tag, comment or move to the next game."""

    line: int  # of the file, where it begins
    text: str


def read_games(file: io.BufferedReader) -> Iterator[chess.pgn.Game]:
    """Yield the games of `split_games`; the faults of a game are in its `errors`."""
    return map(read_game, split_games(file))


def split_games(file: io.BufferedReader) -> Iterator[RawGame]:
    """Yield the games of an open file as text, which takes far less time than reading their moves.

    The file may be compressed. It is UTF-8, the Latin-1 of Windows, a mixture of both, or UTF-16 with a byte
    order mark. Raises PgnError where no game can be read any more, and what reading the file raises.
    """
    line, text, block = 1, "", "first"
    try:
        content = expanded(file)
        if content.peek(1).lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
            raise PgnError("it is a web page, not PGN: save the games of the page as PGN")
        is_utf16 = content.peek(2)[:2] in (b"\xff\xfe", b"\xfe\xff")
        with io.TextIOWrapper(content, *(("utf-16",) if is_utf16 else ("utf-8", "surrogateescape"))) as lines:
            while block:
                block = lines.read(max(BLOCK, len(text))) + lines.readline()
                text += block.translate(READABLE)
                begin = 0
                for end in _ends(text, is_all=not block):
                    yield RawGame(line, text[begin:end])
                    line += text.count("\n", begin, end)
                    begin = end
                text = text[begin:]
    except (CompressedError, UnicodeError) as error:  # of UTF-16
        raise PgnError(reason(error)) from error


def _ends(text: str, *, is_all: bool) -> Iterator[int]:
    """Yield where the games of a text end.

    Unless the text `is_all`, the last one may go on and is left out.
    """
    end = 0  # of the last token
    stage = ""  # "moves" or "result", once the game has these
    names: set[str] = set()  # of its tags
    depth = 0  # of variations
    for token in TOKEN.finditer(text):
        breaks, end, kind = text.count("\n", end, token.start()), token.end(), token.lastgroup
        if kind == "odd" and not is_all and text.find("}", token.start()) < 0:
            return  # its end may come
        if kind == "tag":
            is_next = bool(stage) or (breaks > 1 and token["name"] in names)
        elif kind == "word" and not depth and FIRST_MOVE.match(text, token.start()):
            is_next = stage == "result" or (stage == "moves" and breaks > 0)
        else:
            is_next = stage == "result" and (
                breaks > 1 or (breaks == 1 and bool(ONE_MOVE.match(text, token.start())))
            )
        if is_next:
            yield token.start()
            stage, names, depth = "", set(), 0
        if kind == "tag":
            names.add(token["name"] or "")
        elif kind not in COMMENTS:
            depth = max(0, depth + DEPTH.get(token[0], 0))
            stage = "result" if stage == "result" or (kind == "result" and not depth) else "moves"
    if is_all and end:
        yield len(text)


def read_tags(raw: RawGame) -> dict[str, str]:
    """Return the tags of a game without reading its moves.

    `Result` is always there: without a tag it is read behind the moves.
    """
    tags: dict[str, str] = {}
    depth = 0
    for token in TOKEN.finditer(raw.text):
        if token["name"]:
            tags.setdefault(token["name"], _value(token))
        elif token["word"] and result_of(tags.get("Result", "")) != "*":
            break
        elif token["result"] and not depth:
            tags["Result"] = token[0]
            break
        depth = max(0, depth + DEPTH.get(token[0], 0))
    return tags | {"Result": result_of(tags.get("Result", ""))}


def _value(tag: re.Match[str]) -> str:
    return re.sub(r'\\(["\\])', r"\1", tag["value"] or tag["loose"] or "")


def result_of(text: str) -> str:
    """Return the result in a tag or at the end of the movetext; `*` for any other text."""
    result = re.match(RESULT, text.strip())
    return (
        {"white": "1-0", "black": "0-1", "draw": "1/2-1/2"}.get(result.lastgroup or "", "*")
        if result
        else "*"
    )


def is_empty(game: chess.pgn.Game) -> bool:
    """Return whether the game has neither moves nor tags, as a text that is no game."""
    return not game.variations and game.headers == chess.pgn.Headers()


def read_game(raw: RawGame) -> chess.pgn.Game:
    """Read the game. Its `errors` name its faults."""
    return _Reader(raw).game


def _parts(token: re.Match[str]) -> re.Match[str] | None:
    """Return number, move and signs of a word; None if it has something else."""
    return WORD.fullmatch(token[0].translate(ENGLISH))


class _Reader(chess.pgn.GameBuilder[chess.pgn.Game]):
    """Builds a game from its tokens. An illegal move ends its line, and the rest of that becomes a comment.

    So does a word that is no move, if it may be one in another notation, or if no legal move of the line is
    behind it.
    """

    def __init__(self, raw: RawGame) -> None:
        super().__init__()
        self.begin_game()
        self.game.headers.update(read_tags(raw))
        self._raw = raw
        self._tokens = TOKEN.finditer(raw.text)
        self._ahead: deque[re.Match[str]] = deque()  # tokens that were looked at and are still to be read
        # the boards of the main line and the open variations; none if the start cannot be read
        self._boards: list[chess.Board] = []
        self._is_over = False  # behind the result
        self._both_lost = False  # by the tag Result; then `0-0` is not castling where the game ends
        self._legal_at = 0  # where the next legal move is, as far as it has been looked for
        self._is_unsure = False  # whether a move may be missing, until a number fits
        self._counted = (0, raw.line)  # a place in the text, and its line of the file
        try:
            self._boards.append(self.game.board())
        except ValueError as error:
            self.game.errors.append(BrokenLine(reason(error)))
        while token := self._next():
            self._load(token)
        if len(self._boards) > 1:
            self.game.errors.append(ValueError("a variation without an end"))
        while len(self._boards) > 1:
            self._close()

    def _next(self) -> re.Match[str] | None:
        return self._ahead.popleft() if self._ahead else next(self._tokens, None)

    def _later(self) -> Iterator[re.Match[str]]:
        """Look at the tokens that come next."""
        yield from tuple(self._ahead)
        for token in self._tokens:
            self._ahead.append(token)
            yield token

    def _load(self, token: re.Match[str]) -> None:
        kind, in_main = token.lastgroup or "", len(self._boards) < 2
        if kind == "tag":
            self._tag(token)
        elif kind == "result" and in_main and not self._is_over:
            self._is_over = True
            if result_of(token[0]) not in ("*", self.game.headers["Result"]):
                self._complain(token, f"the game's Result is {self.game.headers['Result']!r}")
        elif kind == "odd" and token[0][-1] != "}":
            self._complain(token, "a comment without an end")
        elif kind in COMMENTS or (kind == "result" and not in_main):
            self.visit_comment(token[kind].strip())
        else:
            self._move(token)

    def _tag(self, token: re.Match[str]) -> None:
        """Name what `read_tags` has passed over."""
        value, known = _value(token), self.game.headers.get(token["name"] or "")
        if token["name"] == "Result" and known:
            self._both_lost = bool(BOTH_LOST.fullmatch(value.strip()))
            value = known if value.strip() in ("*", "?", "") else result_of(value)
        if value != known:
            self._complain(
                token, "not a tag" if known is None else f"the game's {token['name']} is {shorten(known)!r}"
            )
        elif token["behind"]:
            self._complain(token, "text behind a tag")

    def _move(self, token: re.Match[str]) -> None:
        if not self._boards:
            self._end_line(token)
        elif token[0] == ")" and len(self._boards) > 1:
            self._close()
        elif token[0] == "(" and self.in_variation:
            self.begin_variation()
            self._boards.append(self._boards[-1].copy(stack=1))
            self._boards[-1].pop()
        elif self._is_over or token[0] == "(":
            self._complain(
                token,
                "text behind the result" if self._is_over else "no move before this variation",
                stops=True,
            )
        elif self._both_lost and BOTH_LOST.fullmatch(token[0]) and self._is_last():
            self._is_over = True
            self.visit_comment(token[0])
        elif parts := _parts(token):
            self._play(token, parts)
        else:
            stops = bool(FOREIGN_MOVE.match(token[0].translate(ENGLISH))) or not self._goes_on(token)
            self._is_unsure = "FEN" not in self.game.headers  # behind that, people count as they like
            self._complain(token, "not a move", stops=stops)

    def _is_last(self) -> bool:
        """Return whether at most comments are left."""
        return all(later.lastgroup in COMMENTS for later in self._later())

    def _goes_on(self, token: re.Match[str]) -> bool:
        """Return whether the next move of this line is legal."""
        depth = 0
        for later in self._later() if token.end() > self._legal_at else ():
            depth = max(depth + DEPTH.get(later[0], 0), -(len(self._boards) > 1))
            parts = _parts(later) if later["word"] and not depth else None
            if depth < 0 or (later["result"] and not depth) or (parts and parts["move"]):
                self._legal_at = later.start()
                return bool(parts and self._read(parts)[0])
        return token.end() <= self._legal_at

    def _read(self, parts: re.Match[str]) -> tuple[chess.Move | None, str]:
        """Return the move of a word, or why there is none."""
        board = self._boards[-1]
        san = re.sub("[/()]", "", parts["san"] or "-".join("O" * len(parts["castling"].replace("-", ""))))
        try:
            return board.parse_san(san), ""
        except ValueError as error:
            fault = "ambiguous" if isinstance(error, chess.AmbiguousMoveError) else "illegal"
            return None, fault + (f" in {board.fen()}" if len(self.game.errors) < MAX_FAULTS else "")

    def _play(self, token: re.Match[str], parts: re.Match[str]) -> None:
        """Make the move, if there is one, and take the signs behind it."""
        board = self._boards[-1]
        if self._is_unsure and parts["number"]:
            if parts["number"].lstrip("0") != str(board.fullmove_number):
                self._complain(token, f"not the number of the next move, {board.fullmove_number}", stops=True)
                return
            self._is_unsure = False
        if parts["move"]:
            move, fault = self._read(parts)
            if move is None:
                self._complain(token, fault, stops=True)
                return
            self.visit_move(board, move)
            board.push(move)
        for sign in filter(None, parts.group("marks", "sign", "other")):
            if sign in NAGS and self.in_variation:
                self.visit_nag(NAGS[sign])
            else:
                self._complain(token, "a NAG without a move" if sign in NAGS else "unknown marks")

    def _close(self) -> None:
        """End a variation. The comment of one without a move belongs to the move before it."""
        comment, self.starting_comment, self.in_variation = self.starting_comment, "", True
        self.end_variation()
        self._boards.pop()
        self.visit_comment(comment)

    def _complain(self, token: re.Match[str], fault: str, *, stops: bool = False) -> None:
        """Name what cannot be read and keep it as a comment.

        Reading goes on behind it, unless it `stops` the line or the game has too many faults.
        """
        stops |= len(self.game.errors) + 1 >= MAX_FAULTS
        kind = BrokenLine if stops and len(self._boards) < 2 and not self._is_over else ValueError
        place, line = self._counted
        self._counted = token.start(), line + self._raw.text.count("\n", place, token.start())
        kept = "; what follows is" if stops else ","
        if len(self.game.errors) < MAX_FAULTS or kind is BrokenLine:
            self.game.errors.append(
                kind(f"line {self._counted[1]}: {shorten(token[0])!r}: {fault}{kept} kept as a comment")
            )
        if stops:
            self._end_line(token)
        else:
            self.visit_comment(token[0])

    def _end_line(self, token: re.Match[str]) -> None:
        """Keep the rest of the variation, or of the game up to its result, as a comment."""
        start, depth, in_main = token.start(), 0, len(self._boards) < 2
        last: re.Match[str] | None = token
        while last and (depth or not (last["result"] and not self._is_over if in_main else last[0] == ")")):
            depth = max(0, depth + DEPTH.get(last[0], 0))
            last = self._next()
        self.visit_comment(" ".join(self._raw.text[start : last.start() if last else None].split()))
        if last:
            self._load(last)


class _Writer(chess.pgn.StringExporter):
    """Writes quotes in tags and braces in comments so that they can be read again.

    python-chess's own exporter does not.
    """

    def visit_header(self, tagname: str, tagvalue: str) -> None:
        super().visit_header(tagname, re.sub(r'(["\\])', r"\\\1", re.sub(r"[\r\n]", " ", tagvalue)))

    def visit_comment(self, comment: str) -> None:
        super().visit_comment(comment.translate(str.maketrans("{}", "()")))


def game_text(game: chess.pgn.Game) -> str:
    """Return the game as PGN, with a blank line behind it."""
    writer = _Writer(columns=COLUMNS)
    try:
        game.accept(writer)
    except ValueError:  # the start cannot be read, so there are tags and a comment only
        writer.visit_comment(game.comment)
        writer.visit_result(game.headers["Result"])
    return storable(writer.result()) + "\n\n"
