# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads and writes PGN, for every command.

The text is split into games first: a game ends at its result, at the tags of the next one, or where a line begins with move 1 again.
Blank lines do not matter. What cannot be read becomes an error of its game and stays there as a comment, so that nothing gets lost.
python-chess holds the games and knows the rules; its own reader skips what it does not know without a word.
"""

import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import chess
import chess.pgn

from ...evaluation.compressed import CompressedError, expanded
from ...uci.parse import OF_A_TEXT, printable, reason, shorten

MAX_PLIES = 6000  # of a line; python-chess walks through all of it to find whose move it is
LONGEST_LINE = 1 << 22  # characters; some programs write a game with its comments on one line
LONGEST_WORD = 40  # characters of a move with all that may stand around it
COLUMNS = 80  # width of the text that is written
UTF16 = (b"\xff\xfe", b"\xfe\xff")  # how such a file begins

PIECES = "KQRBN"
FIGURINES = dict(zip("♔♕♖♗♘♙♚♛♜♝♞♟", [*PIECES, "", *PIECES, ""], strict=True))
ENGLISH = {"": "", **FIGURINES, **{letter: letter for letter in PIECES}}
LANGUAGES = [
    {"": "", **FIGURINES, **dict(zip(letters.split(), PIECES, strict=True))}
    for letters in (
        "K D T L S",  # German, Danish, Norwegian, Swedish, Croatian, Slovene
        "R D T F C",  # French
        "R D T A C",  # Spanish, Italian, Catalan
        "R D T B C",  # Portuguese
        "K D T L P",  # Dutch
        "K H W G S",  # Polish
        "K D V S J",  # Czech, Slovak
        "K V B F H",  # Hungarian
        "R D T N C",  # Romanian
        "K D T L R",  # Finnish
        "K D H B R",  # Icelandic
        "Кр Ф Л С К",  # Russian
        "Кр Ф Т С К",  # Ukrainian
        "Ц Д Т О К",  # Bulgarian
    )
]
WITH_PAWNS = {**ENGLISH, "P": ""}  # in Dutch, P is a knight

RESULTS = {each: each for each in ("1-0", "0-1", "1/2-1/2", "*")} | {"1/2": "1/2-1/2", "½": "1/2-1/2", "½-½": "1/2-1/2"}
UNKNOWN_RESULTS = ("*", "?", "")  # of a tag; the end of the movetext says more
NULL_MOVES = ("--", "Z0", "0000", "@@@@")
MARKS = {"!": 1, "?": 2, "!!": 3, "??": 4, "!?": 5, "?!": 6}  # behind a move, and their NAGs
SYMBOLS = {
    "□": 7, "=": 10, "∞": 13, "+=": 14, "⩲": 14, "=+": 15, "⩱": 15, "+/=": 14, "=/+": 15, "±": 16, "+/-": 16, "∓": 17, "-/+": 17,
    "+-": 18, "-+": 19, "N": 146,
}  # fmt: skip

CLEANED = str.maketrans({**dict.fromkeys("‐‑‒–—−", "-"), "\ufe0e": None, "\ufe0f": None, "\u200b": None})
BLANK = r"[^\S\n]*"
END_OF_FILE = "\x1a"  # of DOS
TAG = (
    rf"\[{BLANK}(?P<name>[A-Za-z0-9][A-Za-z0-9_+#=:-]*){BLANK}"
    rf'"(?:(?P<value>(?:[^"\\\n]|\\.)*)"{BLANK}\]|(?P<loose>[^\n]{{0,255}})"{BLANK}\]{BLANK}$)'  # `loose`: quotes without a backslash
)
TAG_AT = re.compile(TAG, re.MULTILINE)
TAG_LINE = re.compile(rf'^{BLANK}\[\w+{BLANK}"[^\n]*\]{BLANK}$', re.MULTILINE)
MARK = re.compile(r"[{;()\[*]|[^\s{;()\[*]+")  # what can begin or end a game
FIRST_MOVE = re.compile(r"1\.(?![\s.]*\.)")
TOKEN = re.compile(
    rf"\{{(?P<comment>[^}}]*)\}}|;(?P<rest>[^\n]*)|{TAG}|(?P<untag>^{BLANK}\[[^\n]*)|\$(?P<nag>\d{{1,3}})(?!\d)"
    r"|(?P<offer>\(=\))|(?P<open>\()|(?P<close>\))|(?P<word>\*|[^\s{}();$*]+(?:(?<=[18])\([^\s\d()]\)[+#!?]*)?|[{}]|\$\d*)",
    re.MULTILINE,
)
WORD = re.compile(r"(?:(?P<number>(?!00)\d{1,5})(?:[.…]+|$))?[.…]*(?P<core>.*?)(?:e\.?p\.?)?(?P<marks>[+#†‡!?]*)")
DROP = re.compile(r"[A-Z]?@[a-h][1-8]")  # Crazyhouse
CASTLING = re.compile("[O0oОо]-?[O0oОо](?P<long>-?[O0oОо])?")
MOVE = re.compile(
    r"(?!([a-h])[-x:×х]?\1[1-8])"  # as `dd5`, which may be a German queen's move
    r"(?P<piece>[^\W\d_]{0,2}?|[♔-♟])(?P<squares>[a-h]?[1-8]?[-x:×х]?[a-h][1-8]):?(?:[=/(]?(?P<promotion>[^\W\d_]|[♔-♟])\)?)?"
)


class PgnError(ValueError):
    """A text that is no PGN; the message says why."""


class RawGame(NamedTuple):
    """The text of a game, from its first tag, comment or move to the next game."""

    line: int  # of the file, where it begins
    text: str
    torn: int = 0  # the line of a comment without an end; 0 if there is none


def read_games(file: io.BufferedReader) -> Iterator[chess.pgn.Game]:
    """The games of an open file, which may be compressed; its faults are in its `errors`.

    Raises PgnError where no game can be read any more, and what reading the file raises.
    """
    return map(read_game, split_games(file))


def is_empty(game: chess.pgn.Game) -> bool:
    """Whether it has neither moves nor tags, as a text that is no game."""
    return not game.variations and game.headers == chess.pgn.Headers()


# --- From a file to the texts of games ---


def split_games(file: io.BufferedReader) -> Iterator[RawGame]:
    """The games as text, which takes far less time than reading their moves. See `read_games`."""
    return _split(_lines(file))


def _lines(file: io.BufferedReader) -> Iterator[str]:
    """The lines of UTF-8, UTF-16 with a byte order mark, or the Latin-1 of Windows; each ends with a line feed alone."""
    try:
        content = expanded(file)
        is_utf16 = content.peek(2)[:2] in UTF16
        with io.TextIOWrapper(content, encoding="utf-16" if is_utf16 else "latin-1") as text:
            while line := text.readline(LONGEST_LINE + 1):
                if len(line) > LONGEST_LINE:
                    raise PgnError(f"a line is longer than {LONGEST_LINE} characters")
                yield line if is_utf16 else _decoded(line)
    except CompressedError as error:
        raise PgnError(str(error)) from error
    except UnicodeError as error:
        raise PgnError(f"not UTF-16 text: {reason(error)}") from error


def _decoded(line: str) -> str:
    """A line that was read as Latin-1, in which every byte is a character. Each line is judged alone: databases mix encodings."""
    if line.isascii():
        return line
    data = line.encode("latin-1")
    for encoding in ("utf-8", "cp1252"):
        try:
            return data.decode(encoding).removeprefix("\ufeff")
        except UnicodeDecodeError:
            continue
    return line


def _split(lines: Iterable[str], first: int = 1, torn_from: int = 0) -> Iterator[RawGame]:
    """The games in the lines, the first of which has the number `first`. Comments from line `torn_from` on end at a blank line."""
    game = _Extent(first)
    for number, raw_line in enumerate(lines, start=first):
        line = game.meaning(raw_line, torn_from)
        lead = len(line) - len(line.lstrip())
        begin = end = 0
        while end < len(line):
            if game.comment:
                end = line.find("}", end) + 1 or len(line)
                game.comment = 0 if line[end - 1] == "}" else game.comment
                continue
            match = MARK.search(line, end)
            if match is None:
                break
            leads = match.start() == lead
            if game.ends_before(line, match, leads=leads):
                yield game.raw(line[begin : match.start()])
                game, begin = _Extent(number), match.start()
            end = game.take(line, match, number, leads=leads)
        game.parts.append(line[begin:])
    if game.comment and not torn_from:
        yield from _split(game.parts, game.line, game.comment)
    elif game.stage:
        yield game.raw("}" if game.comment else "")


class _Extent:
    """The text of a game so far, and what decides whether another one begins."""

    def __init__(self, line: int) -> None:
        self.line = line
        self.parts: list[str] = []
        self.stage = ""  # "comment", "tags", "moves" or "result": the last of these that was read
        self.comment = 0  # the line where the one that is open begins
        self.torn = 0
        self._names: set[str] = set()  # of tags
        self._depth = 0  # of variations
        self._after_blank = False  # line

    def raw(self, last: str) -> RawGame:
        """The game, which ends with this text."""
        return RawGame(self.line, "".join(self.parts) + last, self.torn or (self.comment if last == "}" else 0))

    def meaning(self, line: str, torn_from: int) -> str:
        """A line, or what stands for it: nothing for an escaped one, the end of a comment that has none of its own for a blank one."""
        is_blank = not line.strip().strip(END_OF_FILE)
        if self.comment:
            if not (is_blank and torn_from and self.comment >= torn_from):
                return line
            self.torn, self._after_blank = self.torn or self.comment, True
            return "}\n"
        self._after_blank |= is_blank
        return "\n" if is_blank or line.startswith("%") else line

    def ends_before(self, line: str, match: re.Match[str], *, leads: bool) -> bool:
        """Whether the token, the first of its line or not, belongs to another game."""
        mark, at = match[0], match.start()
        tag = TAG_AT.match(line, at) if mark == "[" else None
        if tag or (mark == "[" and leads):
            repeats = tag is not None and tag["name"] in self._names
            return self.stage in ("moves", "result") or (repeats and self._after_blank)
        if self.stage == "result" and self._after_blank:
            return True
        if mark in "{;()[":
            return False
        begins = self._depth == 0 and FIRST_MOVE.match(line, at) is not None
        return begins and (self.stage == "result" or (self.stage == "moves" and leads))

    def take(self, line: str, match: re.Match[str], number: int, *, leads: bool) -> int:
        """Add the token; returns where the next one may begin."""
        mark, at = match[0], match.start()
        self._after_blank = False
        if mark in "{;":
            self.stage = self.stage or "comment"
            self.comment = number if mark == "{" else 0
            return match.end() if mark == "{" else len(line)
        tag = TAG_AT.match(line, at) if mark == "[" else None
        if tag or (mark == "[" and leads):
            self.stage = "tags"
            self._names.add(tag["name"] if tag else "")
            return tag.end() if tag else len(line)
        self._depth = max(0, self._depth + {"(": 1, ")": -1}.get(mark, 0))
        if self.stage != "result":
            self.stage = "result" if mark in RESULTS and not self._depth else "moves"
        return match.end()


# --- From the text of a game to the game ---


def read_game(raw: RawGame) -> chess.pgn.Game:
    """The game, in the language whose piece letters make all its moves legal. What is wrong in it is in its `errors`."""
    tokens = list(TOKEN.finditer(raw.text))
    english = _Reader(raw, tokens, ENGLISH)
    if not english.game.errors:
        return english.game
    letters = set().union(*(_letters(token["word"]) for token in tokens if token["word"]))
    if letters <= ENGLISH.keys():
        return english.game
    covered = max(len(letters & language.keys()) for language in (ENGLISH, *LANGUAGES, WITH_PAWNS))
    readers = [_Reader(raw, tokens, each) for each in LANGUAGES if len(letters & each.keys()) == covered]
    if len(letters & WITH_PAWNS.keys()) == covered and all(each.is_broken for each in readers):
        readers.append(_Reader(raw, tokens, WITH_PAWNS))
    best = min([english, *readers], key=lambda each: (each.is_broken, -each.plies))
    if any(not each.is_broken and str(each.game) != str(best.game) for each in readers):
        best.game.errors.append(ValueError("its piece letters fit more than one language"))
    return best.game


def _letters(word: str) -> set[str]:
    """The piece letters in a move; none in another word."""
    parts = WORD.fullmatch(word.translate(CLEANED)) if len(word) <= LONGEST_WORD else None
    move = MOVE.fullmatch(parts["core"]) if parts else None
    return {move["piece"], (move["promotion"] or "").upper()} if move else set()


class _Reader:
    """Reads the tokens of one game.

    What cannot be read ends its line: the rest of the variation, or of the game, becomes a comment.
    """

    def __init__(self, raw: RawGame, tokens: Sequence[re.Match[str]], letters: Mapping[str, str]) -> None:
        self.game = chess.pgn.Game()
        self.plies = 0  # of all lines
        self.is_broken = False  # whether a line ended early
        self._raw = raw
        self._counted = 0, raw.line  # a place in the text, and its line
        self._letters = letters
        self._node: chess.pgn.GameNode = self.game
        self._branches: list[tuple[chess.pgn.GameNode, chess.Board]] = []  # where the open variations continue the line above
        self._is_fresh = False  # whether the variation has no move yet
        self._starting_comment = ""
        self._unread: int | None = None  # where the rest of the line begins that cannot be read
        self._depth = 0  # of variations in it
        self._result = ""  # at the end of the movetext
        self._result_span = 0, 0
        self._board = chess.Board()
        if raw.torn:
            self._complain(f"line {raw.torn}: a comment without an end")
        tags = [token for token in tokens if token["name"]]
        for tag in tags:
            self._tag(tag)
        try:
            self._board = self.game.board()
        except ValueError as error:
            self._complain(reason(error))
            self._unread = tags[-1].end()
        for token in tokens:
            if self._unread is None or token.start() < self._unread:
                self._take(token)
            else:
                self._pass(token)
        self._end()

    def _complain(self, fault: str) -> None:
        self.game.errors.append(ValueError(fault))

    def _line(self, at: int) -> int:
        """The number of the line at this place, which is behind the last one asked for."""
        before, line = self._counted
        self._counted = at, line + self._raw.text.count("\n", before, at)
        return self._counted[1]

    def _tag(self, token: re.Match[str]) -> None:
        name, value = token["name"], token["loose"] if token["value"] is None else token["value"]
        value = re.sub(r'\\(["\\])', r"\1", value)
        known = self.game.headers
        if name in known and known[name] not in (value, chess.pgn.Headers().get(name)):
            self._keep(token, "a second tag of this name")
        else:
            known[name] = value

    def _take(self, token: re.Match[str]) -> None:
        kind = token.lastgroup
        if kind in ("comment", "rest", "offer"):  # of a draw
            self._comment(token[kind])
            if kind == "comment" and "{" in token[kind] and TAG_LINE.search(token[kind]):
                self._complain(f"line {self._line(token.start())}: a comment with tags in it: its end may be missing")
        elif kind == "untag":
            self._keep(token, "not a tag")
        elif kind == "nag":
            self._nag(token, int(token["nag"]))
        elif kind == "open":
            self._open(token)
        elif kind == "close" and self._branches:
            self._close()
        elif kind in ("word", "close"):
            self._word(token)

    def _word(self, token: re.Match[str]) -> None:
        word = token[0].translate(CLEANED)
        parts = WORD.fullmatch(word) if len(word) <= LONGEST_WORD else None
        if word in RESULTS and self._branches:
            self._comment(word)
        elif RESULTS.get(word) and self._result in ("", RESULTS[word]):
            self._result = RESULTS[word]
        elif self._result:
            self._stop(token, "text behind the result")
        elif word in SYMBOLS:
            self._nag(token, SYMBOLS[word])
        elif word in NULL_MOVES:
            self._play(token, chess.Move.null())
        elif parts is None or (parts["core"] and not self._san(parts["core"])):
            self._stop(token, "unknown word")
        elif parts["number"] and self._node is self.game and not self._is_expected(int(parts["number"])):
            self._stop(token, "not the number of the first move")
        else:
            if parts["core"]:
                self._move(token, self._san(parts["core"]))
            marks = "".join(mark for mark in parts["marks"] if mark in MARKS)
            if marks and self._unread is None:
                self._nag(token, MARKS.get(marks))

    def _is_expected(self, number: int) -> bool:
        """Whether a game may begin with the move of this number: after a FEN people count as they like."""
        return "FEN" in self.game.headers or number == 1

    def _move(self, token: re.Match[str], san: str) -> None:
        try:
            self._play(token, self._board.parse_san(san))
        except ValueError as error:
            fault = "ambiguous" if isinstance(error, chess.AmbiguousMoveError) else "illegal"
            self._stop(token, f"{fault} in {self._board.fen()}")

    def _san(self, core: str) -> str:
        """A move with English letters; "" for another word."""
        if castling := CASTLING.fullmatch(core):
            return "O-O-O" if castling["long"] else "O-O"
        move = MOVE.fullmatch(core)
        if move is None:
            return core if DROP.fullmatch(core) else ""
        piece, promotion = move["piece"], (move["promotion"] or "").upper()
        if not {piece, promotion} <= self._letters.keys():
            return ""
        san = self._letters[piece] + re.sub("[:×х]", "x", move["squares"])
        return f"{san}={self._letters[promotion]}" if promotion else san

    def _play(self, token: re.Match[str], move: chess.Move) -> None:
        if len(self._board.move_stack) >= MAX_PLIES:
            self._stop(token, f"a game of more than {MAX_PLIES} plies")
            return
        node = self._node.add_variation(move, starting_comment=self._starting_comment)
        self._board.push(move)
        self._node, self._starting_comment, self._is_fresh = node, "", False
        self.plies += 1

    def _comment(self, text: str) -> None:
        text = text.strip()
        if self._is_fresh:
            self._starting_comment = " ".join(filter(None, (self._starting_comment, text)))
        else:
            self._node.comment = " ".join(filter(None, (self._node.comment, text)))

    def _nag(self, token: re.Match[str], nag: int | None) -> None:
        if nag is None or self._is_fresh or self._node is self.game:
            self._keep(token, "unknown marks" if nag is None else "a NAG without a move")
        else:
            self._node.nags.add(nag)

    def _open(self, token: re.Match[str]) -> None:
        parent = self._node.parent
        if parent is None or self._is_fresh:
            self._stop(token, "a variation without a move before it")
            self._depth = 1
            return
        self._branches.append((self._node, self._board))
        self._node, self._board, self._is_fresh = parent, self._board.copy(), True
        self._board.pop()

    def _close(self) -> None:
        comment, self._starting_comment, self._is_fresh = self._starting_comment, "", False
        self._node, self._board = self._branches.pop()
        self._comment(comment)

    def _keep(self, token: re.Match[str], fault: str) -> None:
        """Name what cannot be read, keep it as a comment, and go on."""
        self._complain(f"line {self._line(token.start())}: {shorten(token[0])!r}: {fault}, kept as a comment")
        self._comment(token[0])

    def _stop(self, token: re.Match[str], fault: str) -> None:
        """Name what cannot be read, and read nothing more of this line."""
        rest = "variation" if self._branches else "game"
        where = f"line {self._line(token.start())}: {shorten(token[0])!r}"
        self._complain(f"{where}: {fault}; the rest of the {rest} is kept as a comment")
        self._unread, self._depth, self.is_broken = token.start(), 0, True

    def _pass(self, token: re.Match[str]) -> None:
        """Go on to the end of the line that cannot be read."""
        if token.lastgroup == "open":
            self._depth += 1
        elif token.lastgroup == "close" and self._depth:
            self._depth -= 1
        elif token.lastgroup == "close" and self._branches:
            self._comment(" ".join(self._raw.text[self._unread : token.start()].split()))
            self._unread = None
            self._close()
        elif token[0] in RESULTS and not (self._depth or self._branches or (self._result and not self._result_span[1])):
            self._result, self._result_span = RESULTS[token[0]], token.span()

    def _end(self) -> None:
        if self._unread is not None:
            start, end = self._result_span
            text = self._raw.text
            rest = text[self._unread : start] + text[end:] if start else text[self._unread :]
            self._comment(" ".join(rest.split()))
        if self._branches:
            self._complain("a variation without an end")
        while self._branches:
            self._close()
        tag, last = self.game.headers.get("Result", "*"), self._result or "*"
        if tag in UNKNOWN_RESULTS:
            self.game.headers["Result"] = last
        elif last not in ("*", RESULTS.get(tag, tag)):
            self._complain(f"the tag Result says {shorten(tag)}, the movetext {last}")


# --- From a game to text ---


class _Writer(chess.pgn.StringExporter):
    """Writes what python-chess's own exporter leaves as it is or drops: quotes in tags, braces in comments, odd results."""

    def visit_header(self, tagname: str, tagvalue: str) -> None:
        value = printable(re.sub(r"\s", " ", tagvalue))
        super().visit_header(tagname, value.replace("\\", "\\\\").replace('"', '\\"'))

    def visit_comment(self, comment: str) -> None:
        if "}" not in comment:
            super().visit_comment(comment)
            return
        for line in comment.split("\n"):
            self.write_line(f"; {line}")
        self.force_movenumber = True

    def visit_result(self, result: str) -> None:
        super().visit_result(RESULTS.get(result, "*"))


def game_text(game: chess.pgn.Game) -> str:
    """The game as PGN, with a blank line behind it."""
    writer = _Writer(columns=COLUMNS)
    try:
        game.accept(writer)
    except ValueError:  # the start cannot be read, so there are tags and a comment only
        writer.visit_comment(game.comment)
        writer.visit_result(game.headers["Result"])
    return printable(writer.result(), OF_A_TEXT) + "\n\n"
