"""Places inside a text where it may be cut: sentences, lines, tokens, never inside a character.

A character here is one extended grapheme cluster of Unicode (UAX 29), as far as general
categories and a few ranges determine it. The rules for sentences suit technical text:
abbreviations, initials, versions, file names and code spans do not end one, CJK full stops
need no space, scripts with their own stops end sentences with these, and a blank line ends any
sentence. Linear in the text, for hostile text too. Offsets are bytes into the text, in order, 0
first.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Container, Iterator, Sequence
from itertools import pairwise

from leafmark.chunking.tokens import MAX_TOKEN_CHARACTERS, Prefixes
from leafmark.model import span_at

_JOINING = frozenset(
    "\u200d\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\u0d4e\u1cf5\u1cf6"
    "\U000110bd\U000110cd\U000111c2\U000111c3\U000113d1\U0001193f\U00011941\U00011a84"
    "\U00011a3a\U00011a85\U00011a86\U00011a87\U00011a88\U00011a89\U00011d46\U00011f02"
)
"""Characters that belong to the next one: the joiner, and signs before a number."""

_VIRAMA = 9
"""Unicode's combining class of the marks that join two consonants."""

_MAX_CLUSTER = 64
"""The search for a boundary goes so many characters back; longer clusters are cut anyway."""


def grapheme_boundary(text: str, at: int) -> int:
    """Return the last boundary at or before `at`, 0 if there is no later one.

    >>> grapheme_boundary("e\\u0301e\\u0301", 3), grapheme_boundary("abc", 2)
    (2, 2)
    """
    for cut in range(at, max(0, at - _MAX_CLUSTER), -1):
        if cut >= len(text) or _is_boundary(text, cut):
            return cut
    return 0 if at < _MAX_CLUSTER else at


def next_boundary(text: str, at: int) -> int:
    """Return the first boundary at or after `at`.

    >>> next_boundary("e\u0301\u0301x", 1)
    3
    """
    for cut in range(at, min(len(text), at + _MAX_CLUSTER)):
        if _is_boundary(text, cut):
            return cut
    return min(len(text), at + _MAX_CLUSTER)


def extends(character: str) -> bool:
    """Whether it belongs to the character before it: marks, joiners, emoji modifiers and tags.

    Callers check that it does not begin a line, where it would stand alone.
    """
    return (
        unicodedata.category(character)[0] == "M"
        # Thai and Lao AM, and the sound marks of narrow Katakana, follow their letter
        or character in "\u200c\u200d\u0e33\u0eb3\uff9e\uff9f"
        or "\U0001f3fb" <= character <= "\U0001f3ff"
        or "\U000e0020" <= character <= "\U000e007f"
    )


def _is_boundary(text: str, at: int) -> bool:
    before, after = text[at - 1], text[at]
    if before < "\u0300" and after < "\u0300":
        return not (before == "\r" and after == "\n")
    if extends(after) or before in _JOINING or _is_conjunct(text, at):
        return False
    if _is_flag(before) and _is_flag(after):
        return _flags_before(text, at) % 2 == 0
    return not _same_syllable(before, after)


def _is_conjunct(text: str, at: int) -> bool:
    """Whether a virama joins the consonant at `at`, maybe with other marks between them."""
    if unicodedata.category(text[at]) != "Lo":
        return False
    for place in range(at - 1, max(-1, at - _MAX_CLUSTER), -1):
        if unicodedata.combining(text[place]) == _VIRAMA:
            return True
        if not extends(text[place]):
            return False
    return False


def _is_flag(character: str) -> bool:
    return "\U0001f1e6" <= character <= "\U0001f1ff"


def _flags_before(text: str, at: int) -> int:
    start = at
    while start > 0 and at - start < _MAX_CLUSTER and _is_flag(text[start - 1]):
        start -= 1
    return at - start


def _same_syllable(before: str, after: str) -> bool:
    """Hangul: leading consonant, vowel, trailing consonant, or a composed syllable and its tail."""
    vowel_next, tail_next = _is_vowel(after), _is_tail(after)
    if _is_leading(before):
        return vowel_next or _is_leading(after) or "\uac00" <= after <= "\ud7a3"
    if "\uac00" <= before <= "\ud7a3":
        open_syllable = (ord(before) - 0xAC00) % 28 == 0
        return tail_next or (vowel_next and open_syllable)
    return (_is_vowel(before) and (vowel_next or tail_next)) or (_is_tail(before) and tail_next)


def _is_leading(character: str) -> bool:
    return "\u1100" <= character <= "\u115f" or "\ua960" <= character <= "\ua97c"


def _is_vowel(character: str) -> bool:
    return "\u1160" <= character <= "\u11a7" or "\ud7b0" <= character <= "\ud7c6"


def _is_tail(character: str) -> bool:
    return "\u11a8" <= character <= "\u11ff" or "\ud7cb" <= character <= "\ud7fb"


STOPS = rb"""(?: \xe2\x80\xa6 | \xd6\x89 | \xd8\x9f | \xdb\x94  # ellipsis, Armenian, Arabic, Urdu
    | \xe0\xa5[\xa4\xa5] | \xe0\xbc\x8d                 # dandas, a shad
    | \xe1 (?: \x8d[\xa2\xa7] | \x81\x8b | \x9f\x94 ) )   # Ethiopic, Burmese, Khmer
    """
"""Stops outside ASCII that end a sentence before a space."""

SOLID_STOPS = rb"(?: \xe3\x80\x82 | \xef\xbc[\x81\x8e\x9f] | \xef\xbd\xa1 )"
"""Ideographic stops, which need no space."""

_HAN = rb"[\xe4-\xe9]"
"""The first byte of most Chinese characters."""

_CLOSING = rb"""[\"')\]*_] | \xe2\x80[\x98\x99\x9c\x9d\xb9\xba] | \xc2[\xab\xbb]
    | (?: [ ] | \xc2\xa0 | \xe2\x80\xaf ) \xc2\xbb (?= [ \t\r\n] )
    """
"""Closing marks between a stop and white space; French puts a space before its own."""

_SOLID_CLOSING = rb"""[\"')*_?] | \] (?! \( ) | ! (?! \[ ) | \xe2\x80[\x99\x9d]
    | \xe3\x80[\x89\x8b\x8d\x8f\x91\x95\x97\x99\x9b] | \xef\xbc[\x89\xbd] | \xef\xbd[\x9d\xa0\xa3]
    """
"""Closing marks after an ideographic stop, before any text; a second stop is one of them."""

_END = re.compile(
    rb"""
    [.!?\n\xd6\xd8\xdb\xe0-\xe3\xef]    # the first byte of an end: a fast search
    (?: (?: (?<= [.!?] ) (?<! [.!?][.!?] ) [.!?]*+
          | (?<= (?= %b ) [^\n] ) [\x80-\xbf]++ (?: %b | (?!) )*+ )
        (?: %b | (?!) )*+
        [ \t\r\n]++
    | (?<= (?= %b ) [^\n] ) [\x80-\xbf]++
        (?: %b | %b | (?!) )*+ (?! \] \( )               # not inside a link
        [ \t\r\n]*+
    | (?<= %b .. [.!?] ) (?= %b )                        # between Chinese characters
    | (?<= \n ) [ \t\r]*+ \n [ \t\r\n]*+                # a blank line
    )
    """
    % (STOPS, STOPS, _CLOSING, SOLID_STOPS, SOLID_STOPS, _SOLID_CLOSING, _HAN, _HAN),
    re.VERBOSE,
)

_OPENING = bytes.maketrans(b"\t\r\n([{\"'*_", b" " * 10)
"""Turns the characters before a word into spaces."""

_FIRST_LETTER = 0xC3
"""The first byte of U+00C0, the first letter beyond ASCII that may begin a word."""

_FIRST_MARK = 0xCC
"""The first byte of U+0300; before it there are no marks."""

_MAX_WORD_BYTES = 11
_MAX_INDENT = 24

_MORE_ABBREVIATIONS = """
abb bspw bzgl einschl evtl exkl inkl kap nr sog zzgl bijv blz dhr mevr dvs bl.a t.ex f.eks esim núm
pág p.ej např tzn tzv obr m.in pkt rys örn bkz βλ δηλ π.χ πχ σελ гл др им напр рис см стр табл
"""
_ABBREVIATIONS = frozenset(
    b"""e.g i.e etc vs cf al approx ca resp incl excl esp fig figs eq eqs sec secs ch chap vol no
    nos op pp ed eds rev ver dr mr mrs ms prof st jr sr inc ltd co corp dept est jan feb mar apr jun
    jul aug sep sept oct nov dec mon tue wed thu fri sat sun a.k.a w.r.t p.s u.s u.k z.b d.h bzw
    usw ggf vgl p.ex""".split()
).union(_MORE_ABBREVIATIONS.encode().split())

_NO_INITIALS = ("д", "п", "я")
"""Single letters that end sentences: Russian `и т. д.`, `и т. п.`, and `I`."""

_GOING_ON = frozenset(b"abcdefghijklmnopqrstuvwxyz,;)]}")
"""No sentence begins with these: a small letter, and marks that close or separate."""

_WIDE_DOT = "．".encode()
_NUMERALS = re.compile(rb"[0-9]\Z|\xef\xbc[\x90-\x99]\Z")
_STOPS = frozenset(b".!?:")
_STOP_ALONE = re.compile(rb"[.!?:]++(?:[\s\"')\]*_]|\Z)")
"""One of several stops with spaces between them (`. . .`)."""

_ITEM_MARKS = (b"!", b"?")
"""Marks before items in changelogs and lists of states."""

_BACKTICKS = re.compile(rb"``*+")  # begins with a literal byte, for a fast search


def sentence_starts(prose: bytes) -> list[int]:
    """Return the byte offsets at which sentences begin, 0 first.

    White space belongs to the sentence before it.

    >>> sentence_starts(b"Use v1.2, e.g. here. Then stop.")
    [0, 21]
    """
    starts = [0]
    if not prose:
        return starts
    code = _code_spans(prose)
    for match in _END.finditer(prose):
        end = match.end()
        if end < len(prose) and _ends_sentence(prose, match) and span_at(code, end - 1) is None:
            starts.append(end)
    return starts if prose.isascii() else [at for at in starts if not _is_torn(prose, at)]


def _is_torn(prose: bytes, at: int) -> bool:
    """Whether the character at `at` belongs to the one before it, on the same line."""
    if prose[at] < _FIRST_MARK or prose[at - 1 : at] in (b"", b"\n", b"\r"):
        return False
    return extends(prose[at : at + 4].decode("utf-8", "replace")[0])


def _ends_sentence(prose: bytes, match: re.Match[bytes]) -> bool:
    mark = match[0][:1]
    if mark >= b"\xe3":
        return not match[0].startswith(_WIDE_DOT) or not _NUMERALS.search(
            prose[max(0, match.start() - 3) : match.start()]
        )
    if match[0].count(b"\n") > 1:
        return True
    follower = prose[match.end()]
    if follower in _GOING_ON:
        return False
    if follower >= _FIRST_LETTER and _begins_small(prose, match.end()):
        return False
    if follower in _STOPS and b"\n" not in match[0] and _STOP_ALONE.match(prose, match.end()):
        return False
    if mark in _ITEM_MARKS and b"\n" not in match[0] and _begins_line(prose, match.start()):
        return False
    return mark != b"." or not _is_abbreviation(prose, match.start())


def _begins_small(prose: bytes, at: int) -> bool:
    """Whether a small letter beyond ASCII is at `at`."""
    return prose[at : at + 4].decode("utf-8", "replace")[0].islower()


def _is_abbreviation(prose: bytes, dot: int) -> bool:
    """Whether the word before the dot is an abbreviation, an initial or an item's number."""
    before = prose[max(0, dot - _MAX_WORD_BYTES) : dot].translate(_OPENING)
    word = before.rpartition(b" ")[2].lower()  # of ASCII letters only
    if not word.isascii():
        letters = word.decode("utf-8", "replace").lower()
        initial = len(letters) == 1 and letters.islower() and word.decode() not in _NO_INITIALS
        return initial or letters.encode() in _ABBREVIATIONS
    if len(word) == 1 and word.isalpha():
        return word != b"i"
    return word in _ABBREVIATIONS or (word.isdigit() and _begins_line(prose, dot - len(word)))


def _begins_line(prose: bytes, at: int) -> bool:
    return not prose[max(0, at - _MAX_INDENT) : at].rpartition(b"\n")[2].strip()


def _code_spans(prose: bytes) -> list[tuple[int, int]]:
    """Return the code spans: runs of backticks paired with the next run of the same length."""
    runs = [match.span() for match in _BACKTICKS.finditer(prose)]
    following: dict[int, int] = {}
    closers = [-1] * len(runs)
    for index in range(len(runs) - 1, -1, -1):
        length = runs[index][1] - runs[index][0]
        closers[index] = following.get(length, -1)
        following[length] = index
    spans, at = [], 0
    while at < len(runs):
        closer = closers[at]
        if closer >= 0:
            spans.append((runs[at][0], runs[closer][1]))
        at = max(at, closer) + 1
    return spans


_OPENED = re.compile(rb"[ \t]*+<t([dhr])\b", re.IGNORECASE)
_OTHER = 2  # the rank of a line that begins neither a row nor a cell
_UNDECODABLE = re.compile("[\udc80-\udcff]")
_LINE_END = re.compile(rb"(?:\r\n?|\n)(?:[ \t\f\v]*+(?:\r\n?|\n)|(?!))*+")
_UNCUT = re.compile(
    rb"(?:(?<=\n)|\A)[ \t]*+(?:<(?!(?:area|br|hr|img|input)\b)[A-Za-z][^<>]*+(?<!/)>\s*+|(?!))++"
    rb"|<[A-Za-z/!][^<>]*+>(?:\s*+</[^<>]*+>|(?!))*+",
    re.IGNORECASE,
)
"""Start tags on their own lines with the space after them; other tags, with end tags."""


def line_starts(raw: bytes) -> list[int]:
    """Return the starts of lines; blank lines belong to the line before.

    >>> line_starts(b"a\\r\\nb\\r\\n \\r\\nc\\n")
    [0, 3, 9]
    """
    ends = (match.end() for match in _LINE_END.finditer(raw))
    filled = len(raw.rstrip())
    return [0, *[end for end in ends if end < filled]]


def markup_starts(raw: bytes, *, row_bytes: int) -> list[int]:
    """Return the starts of lines of HTML at which it may be cut.

    Not in a tag, before an end tag, after a start tag, nor in a row or a cell of at most
    `row_bytes` bytes.

    >>> markup_starts(b'<td>\\n<img\\n src="a"\\n>\\n</td>\\n<td>', row_bytes=0)
    [0, 27]
    >>> markup_starts(b"<TR>\\n<td>a\\n<td>b\\n<tr>\\n<td>c", row_bytes=20)
    [0, 17]
    """
    places = [*_cuttable_lines(raw), (len(raw), 0)]
    starts: list[int] = []
    at = 0
    while at < len(places) - 1:
        start, rank = places[at]
        starts.append(start)
        at += 1
        if rank < _OTHER:
            after = next(number for number in range(at, len(places)) if places[number][1] <= rank)
            at = after if places[after][0] - start <= row_bytes else at
    return starts


def _cuttable_lines(raw: bytes) -> Iterator[tuple[int, int]]:
    """Yield the lines at which a part may begin, each with a rank: 0 a row, 1 a cell, 2 others."""
    uncut = [match.span() for match in _UNCUT.finditer(raw)]
    at = 0
    for start in line_starts(raw):
        while at < len(uncut) and uncut[at][1] < start:
            at += 1
        if not start or at == len(uncut) or start <= uncut[at][0]:
            opened = _OPENED.match(raw, start)
            yield start, _OTHER if opened is None else opened[1].lower() != b"r"


def coalesce(
    starts: Sequence[int], end: int, size: int, *, kept_starts: Container[int] = ()
) -> list[int]:
    """Return `starts` without some, so that neighbours of at most `size` bytes become one.

    The `kept_starts` are never left out.

    >>> coalesce([0, 2, 4, 20, 22], 24, 5)
    [0, 4, 20]
    >>> coalesce([0, 2, 4, 20, 22], 24, 5, kept_starts=[2, 22])
    [0, 2, 4, 20, 22]
    """
    last = starts[0]
    spaced = [last]
    for start, after in pairwise([*starts, end]):
        if start > last and (after - last > size or start in kept_starts):
            spaced.append(start)
            last = start
    return spaced


def decode_for_cutting(raw: bytes) -> str:
    """Decode with one character for every byte that is not UTF-8."""
    return raw.decode("utf-8", "surrogateescape")


def count_ready(text: str) -> str:
    """Return the text for tokenizers: U+FFFD for each undecodable byte."""
    return text if text.isascii() else _UNDECODABLE.sub("\ufffd", text)


def byte_length(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogateescape"))


def token_cuts(raw: bytes, limit: int, tokenizer: str) -> list[int]:
    """Return the starts of parts of at most `limit` tokens, after white space where possible.

    A part has at least one grapheme, whatever its tokens.

    >>> token_cuts(b"one two three", 5, "characters")
    [0, 4, 8]
    """
    text = decode_for_cutting(raw)
    shown = count_ready(text)
    cuts, at, offset = [0], 0, 0
    prefixes = Prefixes(tokenizer)
    while at < len(text):
        fitting = prefixes.take(shown[at : at + limit * MAX_TOKEN_CHARACTERS], limit)
        length = _shorten(text, at, fitting)
        offset += byte_length(text[at : at + length])
        at += length
        cuts.append(offset)
    return cuts[:-1]


def _shorten(text: str, at: int, length: int) -> int:
    """Return a part's length up to a line end or space in its second half, or whole graphemes."""
    end = at + length
    if end >= len(text):
        return length
    for stop in ("\n", " "):
        stop_at = text.rfind(stop, at + length // 2, end)
        if stop_at >= 0 and (stop == "\n" or not extends(text[stop_at + 1])):
            return stop_at + 1 - at
    boundary = grapheme_boundary(text, end)
    return (boundary if boundary > at else next_boundary(text, end)) - at
