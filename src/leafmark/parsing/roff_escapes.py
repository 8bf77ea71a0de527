r"""What the escapes of roff show: `\fB\-x\fR` is `-x`, `\(bu` a bullet, `\*(C+` is `C++`.

In: bytes and a range of them on one or more lines. Out: its pieces in order, each the bytes it
stands for and its words, or None where the bytes are the words.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import NamedTuple

__all__ = ["Argument", "Piece", "arguments", "pieces", "shown", "words_of"]

_SIGN = rb"[^\s\x80-\xbf][\x80-\xbf]*+"
"""A character in UTF-8: no escape ends inside it."""

_ESCAPE = re.compile(
    rb"\\(?:(?P<comment>[\"#][^\n]*+)"
    rb"|\n"
    rb"|\((?P<two>\S\S)|\[(?P<long>[^\]\n]{1,60}+)\]|C'(?P<called>[^'\n]{1,60}+)'"
    rb"|\*(?:\((?P<string2>\S\S)|\[(?P<strings>[^\]\n]{1,60}+)\]|(?P<string>\S))"
    rb"|[fFmMgkVYO](?:\(\S\S|\[[^\]\n]{0,60}+\]|\S)"
    rb"|n[+-]?(?:\(\S\S|\[[^\]\n]{0,60}+\]|\S)"
    rb"|s(?:[+-]?(?:[0-9]|\([0-9]{2}|\[[^\]\n]{0,20}+\]|'[^'\n]{0,20}+')|\([+-]?[0-9]{2})"
    rb"|N'(?P<number>[0-9]{1,6}+)'"
    rb"|[AbBDhHlLoRSvwxXZ](?P<delimiter>['\"/|!^])(?:(?!(?P=delimiter))[^\n]){0,200}(?P=delimiter)"
    rb"|(?P<one>[^\n][\x80-\xbf]*+|\Z))".replace(rb"\S", _SIGN)
)
_UNSHOWN = frozenset("&)|^%/,:c{}dupzr!?")
_ONE = {"e": "\\", "E": "\\", "~": " ", "0": " ", "t": "\t", "'": "'", "a": ""}
_CHARACTERS = {
    "aq": "'",
    "dq": '"',
    "oq": "‘",
    "cq": "’",
    "lq": "“",
    "rq": "”",
    "ga": "`",
    "aa": "´",
    "ha": "^",
    "ti": "~",
    "rs": "\\",
    "at": "@",
    "sh": "#",
    "Do": "$",
    "ba": "|",
    "br": "|",
    "bu": "•",
    "em": "—",
    "en": "–",
    "hy": "-",
    "mi": "−",
    "pl": "+",
    "mu": "×",
    "di": "÷",
    "co": "©",
    "rg": "®",
    "tm": "™",
    "de": "°",
    "+-": "±",
    "->": "→",
    "<-": "←",
    "ua": "↑",
    "da": "↓",
    "<=": "≤",
    ">=": "≥",
    "!=": "≠",
    "==": "≡",
    "~=": "≈",
    "if": "∞",
    "sq": "□",
    "dg": "†",
    "dd": "‡",
    "sc": "§",
    "ps": "¶",
    "ct": "¢",
    "Po": "£",
    "Ye": "¥",
    "eu": "€",
    "Fo": "«",
    "Fc": "»",
    "fo": "‹",
    "fc": "›",
    "Bq": "„",
    "bq": "‚",
    "r!": "¡",
    "r?": "¿",
    "lB": "[",
    "rB": "]",
    "lC": "{",
    "rC": "}",
    "la": "⟨",
    "ra": "⟩",
    "ul": "_",
    "ru": "_",
    "rn": "‾",
    "sl": "/",
    "eq": "=",
    "14": "¼",
    "12": "½",
    "34": "¾",
    "mc": "µ",
    "no": "¬",
    "*a": "α",
    "*b": "β",
    "*p": "π",
    "*m": "μ",
    "*l": "λ",
    "*e": "ε",
    "ss": "ß",
    "ae": "æ",
    "AE": "Æ",
    "oe": "œ",
    "OE": "Œ",
    "/o": "ø",
    "/O": "Ø",
    "oa": "å",
    "oA": "Å",
    "lh": "☜",
    ",c": "ç",
    ",C": "Ç",
    "OK": "✓",
    "CR": "↵",
    "lz": "◊",
    "ci": "○",
    "S1": "¹",
    "S2": "²",
    "S3": "³",
    "fi": "fi",
    "fl": "fl",
    "ff": "ff",
    "Fi": "ffi",
    "Fl": "ffl",
    "nb": " ",
}
_ACCENTS = {"'": "\u0301", "`": "\u0300", "^": "\u0302", ":": "\u0308", "~": "\u0303"}
_STRINGS = {
    "lq": "“",
    "rq": "”",
    "R": "®",
    "Tm": "™",
    "Aq": "'",
    "aq": "'",
    "Lq": "“",
    "Rq": "”",
    'L"': '"',
    'R"': '"',
    "C`": "",
    "C'": "",
    "C+": "C++",
    "--": "—",
    "PI": "π",
    "W-": "-",
    "-": "-",
    "q": '"',
    "Ge": "≥",
    "Le": "≤",
    "Ne": "≠",
    "Ba": "|",
    "Pm": "±",
}
_ARGUMENT = re.compile(
    rb"\"(?P<quoted>(?:[^\"\n]|\"\"|(?!))*+)(?:\"|(?=\n|\Z))|(?P<bare>(?:\\[^\n]|[^\s\\]|\\\n|(?!))++)"
)


class Piece(NamedTuple):
    """`words` for the bytes `[start, end)`; None: the bytes themselves."""

    start: int
    end: int
    words: str | None = None


class Argument(NamedTuple):
    """An argument of a macro, without the quotes around it."""

    start: int
    end: int


def shown(source: str) -> str:
    r"""Return what is shown of some words.

    >>> shown(r"\fBgit\-add\fR \(en \*(C+, \[u00E9]\|\(bu\&.\s-1x\s0 \\e \" left out")
    'git-add – C++, é•.x \\e '
    """
    data = source.encode("utf-8", "surrogatepass")
    return words_of(data, pieces(data, 0, len(data)))


def words_of(data: bytes, found: Iterable[Piece]) -> str:
    return "".join(
        data[start:end].decode("utf-8", "replace") if words is None else words
        for start, end, words in found
    )


def pieces(data: bytes, start: int, end: int) -> Iterator[Piece]:
    """Yield the pieces of `data[start:end]`, in order."""
    at = start
    for escape in _ESCAPE.finditer(data, start, end) if data.find(b"\\", start, end) >= 0 else ():
        if at < escape.start():
            yield Piece(at, escape.start())
        at = escape.end()
        words = _words(escape)
        if words:
            yield Piece(escape.start(), at, words)
    if at < end:
        yield Piece(at, end)


def _words(escape: re.Match[bytes]) -> str:
    group = escape.lastgroup
    if group is None or group in ("comment", "delimiter"):
        return ""
    name = escape[group].decode("utf-8", "replace")
    if group == "one":
        return "" if name in _UNSHOWN else _ONE.get(name, name)
    if group == "number":
        return chr(int(name)) if 32 <= int(name) < 127 else ""
    return _STRINGS.get(name, "") if group.startswith("string") else _character(name)


def _character(name: str) -> str:
    r"""The character of a name; one that is not known is shown as it is called.

    >>> _character("u2014"), _character("'e"), _character("char64"), _character("zz")
    ('—', 'é', '@', 'zz')
    """
    if name in _CHARACTERS:
        return _CHARACTERS[name]
    try:
        if name[:1] == "u" and len(name) > 4:
            return "".join(chr(int(code, 16)) for code in name[1:].split("_")).encode().decode()
        if name[:4] == "char":
            return chr(int(name[4:])).encode().decode()
    except (ValueError, OverflowError):
        return name
    if len(name) == 2 and name[0] in _ACCENTS and name[1].isalpha():
        return unicodedata.normalize("NFC", name[1] + _ACCENTS[name[0]])
    return name


def arguments(data: bytes, start: int, end: int) -> list[Argument]:
    """Return the arguments in a range of a line; a comment ends them."""
    found: list[Argument] = []
    for one in _ARGUMENT.finditer(data, start, end):
        if one["bare"] is not None and one["bare"].startswith((b'\\"', b"\\#")):
            break
        found.append(Argument(*one.span("bare" if one["quoted"] is None else "quoted")))
    return found
