"""Where sentences end, in the UTF-8 bytes of prose.

Made for technical text: abbreviations, initials, versions, file names and code
spans do not end a sentence, CJK full stops need no space, scripts with stops of their
own end sentences with these, and a blank line ends whatever stands before it. Linear
in the text, for hostile text too.
"""

from __future__ import annotations

import re

from leafmark.chunking.graphemes import extends
from leafmark.model import span_at

__all__ = ["SOLID_STOPS", "STOPS", "sentence_starts"]

STOPS = rb"""(?: \xe2\x80\xa6 | \xd6\x89 | \xd8\x9f | \xdb\x94  # ellipsis, Armenian, Arabic, Urdu
    | \xe0\xa5[\xa4\xa5] | \xe0\xbc\x8d                 # dandas, a shad
    | \xe1 (?: \x8d[\xa2\xa7] | \x81\x8b | \x9f\x94 ) )   # Ethiopic, Burmese, Khmer
    """
"""What ends a sentence where a space follows, beside what ASCII has."""

SOLID_STOPS = rb"(?: \xe3\x80\x82 | \xef\xbc[\x81\x8e\x9f] | \xef\xbd\xa1 )"
"""Ideographic stops, which need no space."""

_HAN = rb"[\xe4-\xe9]"
"""The first byte of most Chinese characters."""

_CLOSING = rb"""[\"')\]*_] | \xe2\x80[\x98\x99\x9c\x9d\xb9\xba] | \xc2[\xab\xbb]
    | (?: [ ] | \xc2\xa0 | \xe2\x80\xaf ) \xc2\xbb (?= [ \t\r\n] )
    """
"""Marks that close after a stop, where white space follows; French puts a space before its own."""

_SOLID_CLOSING = rb"""[\"')*_?] | \] (?! \( ) | ! (?! \[ ) | \xe2\x80[\x99\x9d]
    | \xe3\x80[\x89\x8b\x8d\x8f\x91\x95\x97\x99\x9b] | \xef\xbc[\x89\xbd] | \xef\xbd[\x9d\xa0\xa3]
    """
"""Marks that close after an ideographic stop, whatever follows; a second stop is one of them."""

_END = re.compile(
    rb"""
    [.!?\n\xd6\xd8\xdb\xe0-\xe3\xef]    # one byte that ends begin with, looked for at once
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
"""What stands before a word is as good as a space."""

_FIRST_LETTER = 0xC3
"""The first byte of U+00C0, the first letter beyond ASCII that may begin a word."""

_FIRST_MARK = 0xCC
"""The first byte of U+0300; before it there are no marks."""

_LONGEST_WORD = 11
_DEEPEST_INDENT = 24

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
"""What no sentence begins with: a small letter, and marks that close or part."""

_WIDE_DOT = "．".encode()
_NUMERALS = re.compile(rb"[0-9]\Z|\xef\xbc[\x90-\x99]\Z")
_STOPS = frozenset(b".!?:")
_STOP_ALONE = re.compile(rb"[.!?:]++(?:[\s\"')\]*_]|\Z)")
"""One of several stops with spaces between them (`. . .`)."""

_ITEM_MARKS = (b"!", b"?")
"""What stands before items in changelogs and lists of states."""

_BACKTICKS = re.compile(rb"``*+")  # begins with one byte, which is looked for at once


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
    before = prose[max(0, dot - _LONGEST_WORD) : dot].translate(_OPENING)
    word = before.rpartition(b" ")[2].lower()  # of ASCII letters only
    if not word.isascii():
        letters = word.decode("utf-8", "replace").lower()
        initial = len(letters) == 1 and letters.islower() and word.decode() not in _NO_INITIALS
        return initial or letters.encode() in _ABBREVIATIONS
    if len(word) == 1 and word.isalpha():
        return word != b"i"
    return word in _ABBREVIATIONS or (word.isdigit() and _begins_line(prose, dot - len(word)))


def _begins_line(prose: bytes, at: int) -> bool:
    return not prose[max(0, at - _DEEPEST_INDENT) : at].rpartition(b"\n")[2].strip()


def _code_spans(prose: bytes) -> list[tuple[int, int]]:
    """The code spans: runs of backticks paired with the next run of the same length."""
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
