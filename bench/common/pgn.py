# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads and writes PGN, for every command.

A game ends at its result, at the tags of the next one, or where a line begins with move 1 again; blank lines do not matter.
What cannot be read becomes an error of its game and stays there as a comment, so that nothing gets lost.
python-chess holds the games and knows the rules; its own reader skips what it does not know without a word.
"""

import io
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

import chess
import chess.pgn

from ...evaluation.compressed import CompressedError, expanded
from ...uci.parse import reason, shorten, storable

MAX_PLIES = 6000  # of a line; python-chess walks through all of it to find whose move it is
LONGEST_WORD = 40  # characters of a move with all that may stand around it
COLUMNS = 80  # width of the text that is written
UTF16 = (b"\xff\xfe", b"\xfe\xff")  # how such a file begins
NOT_ASCII = re.compile(rb"^.*[\x80-\xff].*$", re.MULTILINE)
ODD_CHARACTERS = (("\r\n", "\n"), ("\r", "\n"), ("\x1a", " "), ("\ufeff", ""))  # DOS ends files so; a byte order mark

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
TAG = (
    rf"(?:^{BLANK})?\[{BLANK}(?P<name>[A-Za-z0-9][A-Za-z0-9_+#=:-]*){BLANK}"
    rf'"(?:(?P<value>(?:[^"\\\n]|\\.)*)"{BLANK}\]|(?P<loose>[^\n]{{0,255}})"{BLANK}\]{BLANK}$)'  # `loose`: quotes without a backslash
)
TAG_LINE = re.compile(rf'^{BLANK}\[\w+{BLANK}"[^\n]*\]{BLANK}$', re.MULTILINE)
TOKEN = re.compile(
    rf"\{{(?P<comment>[^}}]*)\}}|;(?P<rest>[^\n]*)|(?P<escape>^%[^\n]*)"
    rf"|{TAG}|(?P<untag>^{BLANK}\[[^\n]*)|\$(?P<nag>\d{{1,3}})(?!\d)|(?P<offer>\(=\))|(?P<open>\()|(?P<close>\))"
    r"|(?P<word>\*|[^\s{}();$*\[]+(?:(?<=[18])\([^\s\d()]\)[+#!?]*)?|[\[{}]|\$\d*)",
    re.MULTILINE,
)
OUTSIDE = rf"^{BLANK}\[[^\n]*\]|^%[^\n]*|;[^\n]*"  # what may have braces that begin and end no comment
COMMENT = re.compile(rf"{OUTSIDE}|\{{[^}}]*\}}?", re.MULTILINE)
TORN = re.compile(rf"{OUTSIDE}|(?P<torn>\{{(?:[^\n]|\n(?!{BLANK}$))*)", re.MULTILINE)
TORN_END = "\x1a"  # in front of the end that such a comment gets
DEPTH = {"(": 1, ")": -1}
FIRST_MOVE = re.compile(r"1\.(?![\s.]*\.)")
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
    text = _text(file)
    begin, line = 0, 1  # of the game
    end = 0  # of the last token
    stage = ""  # "comment", "tags", "moves" or "result": the last of these in the game
    names: set[str] = set()  # of its tags
    depth = 0  # of variations
    after_blank = False  # line
    for token in TOKEN.finditer(text):
        gap, end = text[end : token.start()], token.end()
        leads = "\n" in gap or not token.start()  # its line
        after_blank |= gap.count("\n") > 1
        kind = "tag" if token["name"] else token.lastgroup
        if kind == "escape":
            continue
        if kind in ("tag", "untag"):
            is_next = stage in ("moves", "result") or (after_blank and token["name"] in names)
        elif kind == "word" and not depth and FIRST_MOVE.match(text, token.start()):
            is_next = stage == "result" or (stage == "moves" and leads)
        else:
            is_next = stage == "result" and after_blank
        if is_next:
            yield RawGame(line, text[begin : token.start()])
            line += text.count("\n", begin, token.start())
            begin, stage, names, depth = token.start(), "", set(), 0
        after_blank = False
        if kind in ("comment", "rest"):
            stage = stage or "comment"
        elif kind in ("tag", "untag"):
            stage = "tags"
            names.add(token["name"] or "")
        else:
            depth = max(0, depth + DEPTH.get(token[0], 0))
            stage = "result" if stage == "result" or (token[0] in RESULTS and not depth) else "moves"
    if stage:
        yield RawGame(line, text[begin:])


def _text(file: io.BufferedReader) -> str:
    """The text of UTF-8, UTF-16 with a byte order mark, or the Latin-1 of Windows; lines end with a line feed alone."""
    try:
        data = expanded(file).read()
        text = str(data, "utf-16") if data.startswith(UTF16) else NOT_ASCII.sub(_in_utf8, data).decode()
    except CompressedError as error:
        raise PgnError(str(error)) from error
    except UnicodeError as error:
        raise PgnError(f"not UTF-16 text: {reason(error)}") from error
    for odd, plain in ODD_CHARACTERS:
        text = text.replace(odd, plain)
    if text.rfind("{") > text.rfind("}"):
        text = COMMENT.sub(_ended, text)
    return text


def _ended(comment: re.Match[str]) -> str:
    """A comment. If nothing ends it, it and all others in it end at the next blank line."""
    if comment[0][0] != "{" or comment[0][-1] == "}":
        return comment[0]
    return TORN.sub(lambda each: each[0] + (f"{TORN_END}}}" if each["torn"] else ""), comment[0])


def _in_utf8(line: re.Match[bytes]) -> bytes:
    """A line in UTF-8. Each is judged alone: databases mix encodings."""
    try:
        line[0].decode()
    except UnicodeDecodeError:
        return line[0].decode("cp1252", "replace").encode()
    return line[0]


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


def read_tags(raw: RawGame) -> dict[str, str]:
    """The tags of a game whose moves are not read. `Result` is always there: it stands behind the moves too, where the tag is missing."""
    tags: dict[str, str] = {}
    for token in TOKEN.finditer(raw.text):
        if token["name"]:
            tags.setdefault(token["name"], _value(token))
        elif token["word"]:
            break
    if tags.get("Result", "") in UNKNOWN_RESULTS:
        tags["Result"] = raw.text.split()[-1]
    tags["Result"] = RESULTS.get(tags["Result"], "*")
    return tags


def _value(tag: re.Match[str]) -> str:
    """The value of a tag."""
    return re.sub(r'\\(["\\])', r"\1", tag["loose"] if tag["value"] is None else tag["value"])


def _parts(word: str) -> re.Match[str] | None:
    """Number, move and marks of a word."""
    return WORD.fullmatch(word) if len(word) <= LONGEST_WORD else None


def _letters(word: str) -> set[str]:
    """The piece letters in a move; none in another word."""
    parts = _parts(word.translate(CLEANED))
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
        self._letters = letters
        self._tokens = iter(tokens)
        self._node: chess.pgn.GameNode = self.game
        self._branches: list[tuple[chess.pgn.GameNode, chess.Board]] = []  # where the open variations continue the line above
        self._is_fresh = False  # whether the variation has no move yet
        self._starting_comment = ""
        self._result = ""  # at the end of the movetext
        self._board: chess.Board | None = None
        for token in tokens:
            if token["name"]:
                self._tag(token)
        try:
            self._board = self.game.board()
        except ValueError as error:
            self._complain(reason(error))
        for token in self._tokens:
            self._take(token)
        if self._branches:
            self._complain("a variation without an end")
        while self._branches:
            self._close()
        tag, last = self.game.headers.get("Result", "*"), self._result or "*"
        if tag in UNKNOWN_RESULTS:
            self.game.headers["Result"] = last
        elif last not in ("*", RESULTS.get(tag, tag)):
            self._complain(f"the tag Result says {shorten(tag)}, the movetext {last}")

    def _complain(self, fault: str, token: re.Match[str] | None = None) -> None:
        if token:
            line = self._raw.line + self._raw.text.count("\n", 0, token.start())
            fault = f"line {line}: {fault}"
        self.game.errors.append(ValueError(fault))

    def _tag(self, token: re.Match[str]) -> None:
        name, value = token["name"], _value(token)
        known = self.game.headers
        if name in known and known[name] not in (value, chess.pgn.Headers().get(name)):
            self._keep(token, "a second tag of this name")
        else:
            known[name] = value

    def _take(self, token: re.Match[str]) -> None:
        kind = token.lastgroup or ""
        if kind in ("comment", "rest", "offer"):  # of a draw
            self._comment(token[kind])
            if token[kind].endswith(TORN_END):
                self._complain("a comment without an end", token)
            elif kind == "comment" and "{" in token[kind] and TAG_LINE.search(token[kind]):
                self._complain("a comment with tags in it: its end may be missing", token)
        elif kind == "untag":
            self._keep(token, "not a tag")
        elif kind == "nag":
            self._nag(token, int(token["nag"]))
        elif kind in ("word", "open", "close") and self._board is None:
            self._give_up(token)
        elif kind == "open":
            self._open(token)
        elif kind == "close" and self._branches:
            self._close()
        elif kind in ("word", "close"):
            self._word(token)

    def _word(self, token: re.Match[str]) -> None:
        word = token[0].translate(CLEANED)
        parts = _parts(word)
        if word in RESULTS and self._branches:
            self._comment(word)
        elif RESULTS.get(word) and self._result in ("", RESULTS[word]):
            self._result = RESULTS[word]
        elif self._result:
            self._stop(token, "text behind the result")
        elif word in SYMBOLS:
            self._nag(token, SYMBOLS[word])
        elif parts is None or (parts["core"] and not self._san(parts["core"])):
            self._stop(token, "unknown word")
        elif parts["number"] and self._node is self.game and "FEN" not in self.game.headers and int(parts["number"]) != 1:
            self._stop(token, "not the number of the first move")  # after a FEN people count as they like
        elif not parts["core"] or self._play(token, self._san(parts["core"])):
            marks = "".join(mark for mark in parts["marks"] if mark in MARKS)
            if marks:
                self._nag(token, MARKS.get(marks))

    def _san(self, core: str) -> str:
        """A move with English letters; "" for another word."""
        if core in NULL_MOVES:
            return core
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

    def _play(self, token: re.Match[str], san: str) -> bool:
        """Make the move; False if that cannot be done."""
        board = self._board
        assert board is not None
        try:
            move = board.parse_san(san)
        except ValueError as error:
            fault = "ambiguous" if isinstance(error, chess.AmbiguousMoveError) else "illegal"
            self._stop(token, f"{fault} in {board.fen()}")
            return False
        if len(board.move_stack) >= MAX_PLIES:
            self._stop(token, f"a game of more than {MAX_PLIES} plies")
            return False
        self._node = self._node.add_variation(move, starting_comment=self._starting_comment)
        board.push(move)
        self._starting_comment, self._is_fresh = "", False
        self.plies += 1
        return True

    def _comment(self, text: str) -> None:
        text = text.replace(TORN_END, "").strip()
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
            return
        assert self._board is not None
        self._branches.append((self._node, self._board))
        self._node, self._board, self._is_fresh = parent, self._board.copy(), True
        self._board.pop()

    def _close(self) -> None:
        comment, self._starting_comment, self._is_fresh = self._starting_comment, "", False
        self._node, self._board = self._branches.pop()
        self._comment(comment)

    def _keep(self, token: re.Match[str], fault: str) -> None:
        """Name what cannot be read, keep it as a comment, and go on."""
        self._complain(f"{shorten(token[0])!r}: {fault}, kept as a comment", token)
        self._comment(token[0])

    def _stop(self, token: re.Match[str], fault: str) -> None:
        """Name what cannot be read, and read nothing more of this line."""
        rest = "variation" if self._branches else "game"
        self._complain(f"{shorten(token[0])!r}: {fault}; the rest of the {rest} is kept as a comment", token)
        self._give_up(token)

    def _give_up(self, token: re.Match[str]) -> None:
        """Keep the rest of the variation, or of the game but for its result, as a comment."""
        self.is_broken = True
        text, start, depth = self._raw.text, token.start(), 0
        is_open = not (self._branches or self._result)
        last = None  # result
        for each in chain([token], self._tokens):
            if self._branches and each[0] == ")" and not depth:
                self._comment(" ".join(text[start : each.start()].split()))
                self._close()
                return
            depth = max(0, depth + DEPTH.get(each[0], 0))
            if is_open and each[0] in RESULTS and not depth:
                last = each
        rest = text[start:]
        if last:
            self._result, rest = RESULTS[last[0]], text[start : last.start()] + text[last.end() :]
        self._comment(" ".join(rest.split()))


# --- From a game to text ---


class _Writer(chess.pgn.StringExporter):
    """Writes what python-chess's own exporter leaves as it is or drops: quotes in tags, braces in comments, odd results."""

    def visit_header(self, tagname: str, tagvalue: str) -> None:
        value = re.sub(r"[\r\n]", " ", tagvalue)
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
    return storable(writer.result()) + "\n\n"
