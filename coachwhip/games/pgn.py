# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads and writes PGN, for every command.

A game ends at its result, at the tags of the next one, or where a line begins with move 1 again; blank lines do not matter.
What cannot be read becomes an error of its game and stays there as a comment, so that nothing gets lost.
python-chess holds the games and knows the rules; its own reader skips what it does not know without a word.
"""

import codecs
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import chess
import chess.pgn

from ..compressed import CompressedError, expanded
from ..text import reason, shorten, storable

BLOCK = 1 << 20  # characters that are read at a time
LONGEST_WORD = 40  # characters of a move with all that may stand around it
MAX_FAULTS = 100  # of a game
COLUMNS = 80  # width of the text that is written
UTF16 = (b"\xff\xfe", b"\xfe\xff")  # how such a file begins

PIECES = "KQRBN"
FIGURINES = dict(zip("♔♕♖♗♘♙♚♛♜♝♞♟", [*PIECES, "", *PIECES, ""], strict=True))
LANGUAGES = {  # their letters for these; the last one has a letter for pawns, too
    "English": "K Q R B N", "German, Danish, Norwegian, Swedish, Croatian, Slovene": "K D T L S", "French": "R D T F C",
    "Spanish, Italian, Catalan": "R D T A C", "Portuguese": "R D T B C", "Dutch": "K D T L P", "Polish": "K H W G S",
    "Czech, Slovak": "K D V S J", "Hungarian": "K V B F H", "Romanian": "R D T N C", "Finnish": "K D T L R", "Icelandic": "K D H B R",
    "Russian": "Кр Ф Л С К", "Ukrainian": "Кр Ф Т С К", "Bulgarian": "Ц Д Т О К", "English with pawns": "K Q R B N P",
}  # fmt: skip
ALPHABETS = [{"": "", **FIGURINES, **dict(zip(letters.split(), [*PIECES, ""], strict=False))} for letters in LANGUAGES.values()]

NAGS = {  # of the signs behind a move
    "!": 1, "?": 2, "!!": 3, "??": 4, "!?": 5, "?!": 6, "□": 7, "=": 10, "∞": 13, "+=": 14, "⩲": 14, "=+": 15, "⩱": 15, "+/=": 14,
    "=/+": 15, "±": 16, "+/-": 16, "∓": 17, "-/+": 17, "+-": 18, "-+": 19, "N": 146,
}  # fmt: skip
UNKNOWN_RESULTS = ("*", "?", "")  # of a tag; the end of the movetext says more

CLEANED = str.maketrans({**dict.fromkeys("‐‑‒–—−", "-"), **dict.fromkeys("\ufe0e\ufe0f\u200b\u200c\u200d\u2060\u00ad")})
BLANK = r"[^\S\n]*"
DASH = rf"{BLANK}[-‐‑‒–—−:]{BLANK}"
DRAW = rf"(?:½|1/2)(?:{DASH}(?:½|1/2))?|0[.,]5{DASH}0[.,]5"
RESULT = rf"(?:(?P<white>1{DASH}0)|(?P<black>0{DASH}1)|(?P<draw>{DRAW})|(?P<open>\*))(?![^\s;(){{}}\[\]*])"
WRITTEN = {"white": "1-0", "black": "0-1", "draw": "1/2-1/2", "open": "*"}
TAG_LINE = rf"{BLANK}\[\w+{BLANK}\"[^\n]*\]{BLANK}$"
TAG = (
    rf"(?:^{BLANK})?\[{BLANK}(?P<name>[A-Za-z0-9][A-Za-z0-9_+#=:-]*){BLANK}"
    rf'"(?:(?P<value>(?:[^"\\\n]|\\.)*)"{BLANK}\]|(?P<loose>[^\n]{{0,255}})"{BLANK}\]{BLANK}$)'  # `loose`: quotes without a backslash
)
TOKEN = re.compile(
    rf"(?![A-Za-z2-9])(?:"  # most words begin so; this saves time
    rf"\{{(?P<comment>[^{{}}]*)\}}|\{{(?P<odd>(?:[^}}\n]*\n(?!{TAG_LINE}))*[^}}\n]*)\}}?|;(?P<rest>[^\n]*)|(?P<escape>^%[^\n]*)"
    rf"|{TAG}|(?P<untag>^{BLANK}\[[^\n]*)|\$(?P<nag>\d{{1,3}})(?!\d)|(?P<offer>\(=\))|(?P<begin>\()|(?P<end>\))|(?P<result>{RESULT})"
    r")|(?P<word>[^\s{}();$*\[]+(?:(?<=[18])\([^\s\d()]\)[+#!?]*)?|[\[}*]|\$\d*)",
    re.MULTILINE,
)
DEPTH = {"(": 1, ")": -1}
FIRST_MOVE = re.compile(rf"1(?:\.(?![\s.]*\.)|{BLANK}(?<=\s)(?=[^\W\d]|[♔-♟]))")
MOVE = (
    r"(?P<other>(?:--|Z0|0000|@@@@)(?=[!?]*$)|[A-Z]?@[a-h][1-8])|(?P<castling>[O0oОо]-?[O0oОо](?P<long>-?[O0oОо])?(?![\dO:]))"
    r"|(?!(?P<file>[a-h])[-x:×х]?(?P=file)[1-8])"  # as `dd5`, which may be a German queen's move
    r"(?P<piece>[^\W\d_]{0,2}?|[♔-♟])(?P<squares>[a-h]?[1-8]?[-x:×х]?[a-h][1-8]):?"
    r"(?:(?<![2-7])(?!ch)[=/(]?(?P<promotion>[^\W\d_]|[♔-♟])\)?)?"
)
WORD = re.compile(rf"(?:(?P<number>(?!00)\d{{1,5}})(?:[.…]+|$))?[.…]*(?P<move>{MOVE})?(?P<tail>.*)")
TAIL = re.compile(rf"(?:e\.?p\.?)?[+#†‡]*?(?:ch)?(?P<marks>[!?]*)[+#†‡]*?(?P<sign>{'|'.join(map(re.escape, list(NAGS)[6:]))})?")


class PgnError(ValueError):
    """A text that is no PGN; the message says why."""


class BrokenLine(ValueError):
    """The error of a game whose main line ends early because of it."""


class RawGame(NamedTuple):
    """The text of a game, from its first tag, comment or move to the next game."""

    line: int  # of the file, where it begins
    text: str


def read_games(file: io.BufferedReader) -> Iterator[chess.pgn.Game]:
    """Yield the games of an open file, which may be compressed; the faults of a game are in its `errors`.

    Raises PgnError where no game can be read any more, and what reading the file raises.
    """
    return map(read_game, split_games(file))


def is_empty(game: chess.pgn.Game) -> bool:
    """Return whether the game has neither moves nor tags, as a text that is no game."""
    return not game.variations and game.headers == chess.pgn.Headers()


def result_of(text: str) -> str:
    """Return the result in a tag or at the end of the movetext; `*` for any other text."""
    result = re.match(RESULT, text.strip())
    return WRITTEN[result.lastgroup or "open"] if result else "*"


# --- From a file to the texts of games ---


def split_games(file: io.BufferedReader) -> Iterator[RawGame]:
    """Yield the games as text, which takes far less time than reading their moves. See `read_games`."""
    line, text, least = 1, "", 0
    for block in _blocks(file):
        text += block
        if block and len(text) < least:
            continue  # a game that is longer than a block
        begin = 0
        for end in _ends(text, is_all=not block):
            yield RawGame(line, text[begin:end])
            line += text.count("\n", begin, end)
            begin = end
        text = text[begin:]
        least = 2 * len(text)


def _blocks(file: io.BufferedReader) -> Iterator[str]:
    """Whole lines of UTF-8, UTF-16 with a byte order mark, or the Latin-1 of Windows, each with a line feed; "" at the end.

    All of a large file at once would take up to four bytes a character.
    """
    try:
        content = expanded(file)
        utf16 = content.peek(2).startswith(UTF16)
        with io.TextIOWrapper(content, *(("utf-16",) if utf16 else ("utf-8", "or cp1252"))) as text:
            while block := text.read(BLOCK) + text.readline():
                yield block.replace("\x1a", " ").replace("\ufeff", "")  # the end of a DOS file, a byte order mark
        yield ""
    except (CompressedError, UnicodeError) as error:  # of UTF-16
        raise PgnError(reason(error)) from error


def _in_cp1252(error: UnicodeError) -> tuple[str, int]:
    """Decode what is no UTF-8, also within a file of UTF-8: databases mix encodings."""
    assert isinstance(error, UnicodeDecodeError)
    return error.object[error.start : error.end].decode("cp1252", "replace"), error.end


codecs.register_error("or cp1252", _in_cp1252)


def _ends(text: str, *, is_all: bool) -> Iterator[int]:
    """Yield where the games of a text end. Unless the text `is_all`, the last one may go on and is left out."""
    end = 0  # of the last token
    stage = ""  # "tags", "moves" or "result": the last of these in the game
    names: set[str] = set()  # of its tags
    depth = 0  # of variations
    for token in TOKEN.finditer(text):
        breaks, end = text.count("\n", end, token.start()), token.end()
        kind = "tag" if token["name"] else token.lastgroup
        if kind == "odd" and not is_all and text.find("}", token.start()) < 0:
            return  # its end may come
        if kind in ("tag", "untag"):
            is_next = stage in ("moves", "result") or (breaks > 1 and token["name"] in names)
        elif kind == "word" and not depth and FIRST_MOVE.match(text, token.start()):
            is_next = stage == "result" or (stage == "moves" and breaks > 0)
        else:
            is_next = stage == "result" and (breaks > 1 or (breaks == 1 and kind == "word" and bool(_letters(token[0]))))
        if is_next:
            yield token.start()
            stage, names, depth = "", set(), 0
        if kind in ("tag", "untag"):
            stage = "tags"
            names.add(token["name"] or "")
        elif kind not in ("comment", "odd", "rest", "escape"):
            depth = max(0, depth + DEPTH.get(token[0], 0))
            stage = "result" if stage == "result" or (kind == "result" and not depth) else "moves"
    if is_all and end:
        yield len(text)


# --- From the text of a game to the game ---


def read_game(raw: RawGame) -> chess.pgn.Game:
    """Read the game, in the language that its piece letters show. Its `errors` name its faults."""
    tokens = list(TOKEN.finditer(raw.text))
    letters = set().union(*(_letters(token["word"]) for token in tokens if token["word"]))
    return _Reader(raw, tokens, max(ALPHABETS, key=lambda alphabet: len(letters & alphabet.keys()))).game


def read_tags(raw: RawGame) -> dict[str, str]:
    """Return the tags of a game without reading its moves. `Result` is always there: without a tag it is read behind the moves."""
    tags: dict[str, str] = {}
    depth = 0
    for token in TOKEN.finditer(raw.text):
        if token["name"]:
            tags.setdefault(token["name"], _value(token))
        elif token["result"] and not depth:
            tags["Result"] = token[0]
        elif token["word"] and result_of(tags.get("Result", "")) != "*":
            break
        depth = max(0, depth + DEPTH.get(token[0], 0))
    tags["Result"] = result_of(tags.get("Result", ""))
    return tags


def _value(tag: re.Match[str]) -> str:
    """Return the value of a tag."""
    return re.sub(r'\\(["\\])', r"\1", tag["loose"] if tag["value"] is None else tag["value"])


def _parts(word: str) -> re.Match[str] | None:
    """Number, move and what follows it in a word."""
    return WORD.fullmatch(word.translate(CLEANED)) if len(word) <= LONGEST_WORD else None


def _letters(word: str) -> set[str]:
    """Return the piece letters in a move, "" for a pawn's; none in another word."""
    parts = _parts(word)
    return {parts["piece"], (parts["promotion"] or "").upper()} if parts and parts["squares"] else set()


class _Reader(chess.pgn.GameBuilder[chess.pgn.Game]):
    """Builds a game from its tokens.

    A move that cannot be played ends its line: the rest of the variation, or of the game, becomes a comment.
    """

    def __init__(self, raw: RawGame, tokens: Sequence[re.Match[str]], letters: Mapping[str, str]) -> None:
        super().__init__()
        self.begin_game()
        self._raw, self._letters = raw, letters
        self._boards: list[chess.Board] = []  # of the main line and the open variations; none if the start cannot be read
        self._is_unsure = True  # whether moves may be missing, until a number fits
        self._skipped: int | None = None  # where the rest of a line begins that cannot be read
        self._depth = 0  # of variations in it
        self._result = ""  # at the end of the movetext
        for token in tokens:
            if token["name"]:
                self._tag(token)
        try:
            self._boards.append(self.game.board())
        except ValueError as error:
            self.game.errors.append(BrokenLine(reason(error)))
        for token in tokens:
            self._load_token(token)
        self._end_skipping(len(raw.text))
        if len(self.variation_stack) > 1:
            self.game.errors.append(ValueError("a variation without an end"))
        while len(self.variation_stack) > 1:
            self._close()
        tag, last = self.game.headers["Result"], self._result or "*"
        if tag not in UNKNOWN_RESULTS and last not in ("*", result_of(tag)):
            self.game.errors.append(ValueError(f"the tag Result says {shorten(tag)}, the movetext {last}"))
        if tag in UNKNOWN_RESULTS or (last != "*" and result_of(tag) == "*"):
            self.game.headers["Result"] = last

    def _tag(self, token: re.Match[str]) -> None:
        name, value = token["name"], _value(token)
        if self.game.headers.get(name, value) not in (value, chess.pgn.Headers().get(name)):
            self._complain(token, "a second tag of this name")
        else:
            self.game.headers[name] = value

    def _load_token(self, token: re.Match[str]) -> None:
        kind, is_main = token.lastgroup or "", len(self.variation_stack) == 1 and not self._depth
        if kind == "result" and is_main and self._result in ("", result_of(token[0])):
            self._result = result_of(token[0])
            if self._skipped is not None:
                self._end_skipping(token.start())
                self._skipped = token.end()
        elif self._skipped is not None:
            self._skip(token)
        elif kind == "odd" and token[0][-1] != "}":
            self._complain(token, "a comment without an end")
        elif kind in ("comment", "odd", "rest", "offer") or (kind == "result" and not is_main):
            self.visit_comment(token[kind].strip())
        elif kind == "nag":
            self._nag(token, int(token["nag"]))
        elif kind in ("begin", "end", "word", "untag", "result"):
            self._move(token)

    def _move(self, token: re.Match[str]) -> None:
        """Take what belongs to the moves."""
        if not self._boards:
            self._skipped = token.start()
            self._skip(token)
        elif token[0] == "(":
            if not self.in_variation:
                self._complain(token, "a variation without a move before it", stops=True)
                return
            self.begin_variation()
            self._boards.append(self._boards[-1].copy(stack=1))
            self._boards[-1].pop()
        elif token[0] == ")" and len(self.variation_stack) > 1:
            self._close()
        else:
            self._word(token)

    def _word(self, token: re.Match[str]) -> None:
        parts = _parts(token[0])
        tail = TAIL.fullmatch(parts["tail"]) if parts else None
        number = int(parts["number"] or 0) if parts else 0
        if self._result:
            self._complain(token, "text behind the result", stops=True)
        elif parts is None or not (tail or parts["move"]):
            self._is_unsure = True
            self._complain(token, "unknown word")
        elif self._is_unsure and number not in (0, self._boards[-1].fullmove_number) and "FEN" not in self.game.headers:
            self._complain(token, "not the number of the next move", stops=True)  # after a FEN people count as they like
        elif parts["castling"] and not self._raw.text[token.end() :].strip() and self.game.headers["Result"] == token[0]:
            self._result = "*"  # `0-0`: lost by both
        elif not parts["move"] or self._play(token, parts):
            self._is_unsure &= not number
            for sign in filter(None, (tail["marks"], tail["sign"]) if tail else (parts["tail"],)):
                self._nag(token, NAGS.get(sign))

    def _san(self, parts: re.Match[str]) -> str:
        """Return a move with English letters; "" if it has others."""
        if parts["other"]:
            return parts["other"]
        if parts["castling"]:
            return "O-O-O" if parts["long"] else "O-O"
        piece, promotion = parts["piece"], (parts["promotion"] or "").upper()
        if not {piece, promotion} <= self._letters.keys():
            return ""
        san = self._letters[piece] + re.sub("[:×х]", "x", parts["squares"])
        return f"{san}={self._letters[promotion]}" if promotion else san

    def _play(self, token: re.Match[str], parts: re.Match[str]) -> bool:
        """Make the move; False if that cannot be done."""
        board, san = self._boards[-1], self._san(parts)
        try:
            move = board.parse_san(san)
        except ValueError as error:
            fault = "ambiguous" if isinstance(error, chess.AmbiguousMoveError) else "illegal"
            self._complain(token, f"{fault} in {board.fen()}" if san else "unknown piece letter", stops=True)
            return False
        self.visit_move(board, move)
        board.push(move)
        return True

    def _nag(self, token: re.Match[str], nag: int | None) -> None:
        if nag is None or not self.in_variation:
            self._complain(token, "unknown marks" if nag is None else "a NAG without a move")
        else:
            self.visit_nag(nag)

    def _close(self) -> None:
        comment, self.starting_comment, self.in_variation = self.starting_comment, "", True
        self.end_variation()
        self._boards.pop()
        self.visit_comment(comment)  # of a variation without a move

    def _skip(self, token: re.Match[str]) -> None:
        if token[0] == ")" and not self._depth and len(self.variation_stack) > 1:
            self._end_skipping(token.start())
            self._close()
        self._depth = max(0, self._depth + DEPTH.get(token[0], 0))

    def _end_skipping(self, end: int) -> None:
        """Keep what has been skipped as a comment."""
        if self._skipped is not None:
            self.visit_comment(" ".join(self._raw.text[self._skipped : end].split()))
            self._skipped = None

    def _complain(self, token: re.Match[str], fault: str, *, stops: bool = False) -> None:
        """Name what cannot be read and keep it as a comment; go on behind it, unless it `stops` the line or has too many faults."""
        stops |= len(self.game.errors) >= MAX_FAULTS and bool(self._boards)  # not among the tags
        rest = "variation" if len(self.variation_stack) > 1 else "game"
        kind = BrokenLine if stops and rest == "game" and not self._result else ValueError
        kept = f"; the rest of the {rest} is kept" if stops else ", kept"
        line = self._raw.line + self._raw.text.count("\n", 0, token.start())
        self.game.errors.append(kind(f"line {line}: {shorten(token[0])!r}: {fault}{kept} as a comment"))
        if stops:
            self._skipped = token.start()
            self._skip(token)
        else:
            self.visit_comment(token[0])


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
        super().visit_result(result_of(result))


def game_text(game: chess.pgn.Game) -> str:
    """Return the game as PGN, with a blank line behind it."""
    writer = _Writer(columns=COLUMNS)
    try:
        game.accept(writer)
    except ValueError:  # the start cannot be read, so there are tags and a comment only
        writer.visit_comment(game.comment)
        writer.visit_result(game.headers["Result"])
    return storable(writer.result()) + "\n\n"
