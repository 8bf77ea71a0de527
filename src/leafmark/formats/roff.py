"""Manual pages in roff to a `Document`, by a scanner of our own.

In: the bytes of a page written with the macros `man` or `mdoc`. Out: its sections
with exact lines, blocks and links to other pages. The title of the page comes from its head and
from the section NAME. Nothing is included or run, and macros that a page defines are not expanded.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from leafmark.model import BlockKind, Document, Heading, Link, ReadableText
from leafmark.parsing.lined import (
    LeadingLineScanner,
    Piece,
    SourceLines,
    Title,
    outside_code,
    parse_lined,
    words_of,
)
from leafmark.parsing.lines import without_lone_returns
from leafmark.parsing.readable import ReadableBuilder, without_mark
from leafmark.parsing.titles import fold

# -- roff_escapes ------------------------------------------------------------
# The shown text of roff's escapes: `\fB\-x\fR` is `-x`, `\(bu` a bullet, `\*(C+` is `C++`.
#
# In: bytes and a range of them on one or more lines. Out: its pieces in order, each the bytes it
# stands for and its words, or None if the bytes are the words.

_SIGN = rb"[^\s\x80-\xbf][\x80-\xbf]*+"
"""A whole character in UTF-8, so that no escape ends inside it."""

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


def _pairs(text: str) -> dict[str, str]:
    """Return a table of names and their values, both without blanks."""
    words = text.split()
    return dict(zip(words[::2], words[1::2], strict=True))


_CHARACTERS = _pairs(
    r"""
aq '  dq "  oq ‘  cq ’  lq “  rq ”  ga `  aa ´  ha ^  ti ~  rs \  at @  sh #  Do $  ba |
br |  bu •  em —  en –  hy -  mi −  pl +  mu ×  di ÷  co ©  rg ®  tm ™  de °  +- ±  -> →
<- ←  ua ↑  da ↓  <= ≤  >= ≥  != ≠  == ≡  ~= ≈  if ∞  sq □  dg †  dd ‡  sc §  ps ¶  ct ¢
Po £  Ye ¥  eu €  Fo «  Fc »  fo ‹  fc ›  Bq „  bq ‚  r! ¡  r? ¿  lB [  rB ]  lC {  rC }
la ⟨  ra ⟩  ul _  ru _  rn ‾  sl /  eq =  14 ¼  12 ½  34 ¾  mc µ  no ¬  *a α  *b β  *p π
*m μ  *l λ  *e ε  ss ß  ae æ  AE Æ  oe œ  OE Œ  /o ø  /O Ø  oa å  oA Å  lh ☜  ,c ç  ,C Ç
OK ✓  CR ↵  lz ◊  ci ○  S1 ¹  S2 ²  S3 ³  fi fi  fl fl  ff ff  Fi ffi  Fl ffl
"""
) | {"nb": " "}
_ACCENTS = {"'": "\u0301", "`": "\u0300", "^": "\u0302", ":": "\u0308", "~": "\u0303"}
_STRINGS = _pairs(
    r"""
lq “  rq ”  R ®  Tm ™  Aq '  aq '  Lq “  Rq ”  L" "  R" "  C+ C++  -- —  PI π  W- -  - -
q "  Ge ≥  Le ≤  Ne ≠  Ba |  Pm ±
"""
) | {"C`": "", "C'": ""}
_ARGUMENT = re.compile(
    rb"\"(?P<quoted>(?:[^\"\n]|\"\"|(?!))*+)(?:\"|(?=\n|\Z))|(?P<bare>(?:\\[^\n]|[^\s\\]|\\\n|(?!))++)"
)


class Argument(NamedTuple):
    """An argument of a macro, without the quotes around it."""

    start: int
    end: int


def pieces(data: bytes, start: int, end: int) -> Iterator[Piece]:
    r"""Yield the pieces of `data[start:end]`, in order; in a quoted argument two quotes are one.

    >>> data = rb"\fBgit\-add\fR \(en \*(C+, \[u00E9]\|\(bu\&.\s-1x\s0 \\e \" left out"
    >>> words_of(data, pieces(data, 0, len(data)))
    'git-add – C++, é•.x \\e '
    """
    if data[start - 1 : start] == b'"':
        while (quote := data.find(b'""', start, end)) >= 0:
            yield from _plain_pieces(data, start, quote)
            yield Piece(quote, quote + 2, '"')
            start = quote + 2
    yield from _plain_pieces(data, start, end)


def _plain_pieces(data: bytes, start: int, end: int) -> Iterator[Piece]:
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
    r"""Return the character of a name; the name itself if it is unknown.

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
    words: list[Argument] = []
    for match in _ARGUMENT.finditer(data, start, end):
        if match["bare"] is not None and match["bare"].startswith((b'\\"', b"\\#")):
            break
        words.append(Argument(*match.span("bare" if match["quoted"] is None else "quoted")))
    return words


# -- roff_mdoc ------------------------------------------------------------
# The shown text of a line of mdoc: `.Fl a Ar file` is `-a file`, `.Xr ls 1` is `ls(1)`.
#
# Macros mark the meaning of words, and may call others in their arguments. Marks of sentences
# come after the enclosing brackets, without a blank before them.

_NAMES = """
Ad An Ar Cd Cm Dv Em Er Ev Fa Fl Fn Fo Ft Fr Hf Ic In Li Lk Ms Mt Nd Nm No Ns Ot Pa Pf Sx Sy Tn Va
Vt Xr Ap Ta Bx Bsx Dx Fx Nx Ox Ux At St Lb Cx Er Rv Ex Ud Fc Xo Xc Es En %A %B %C %D %I %J %N %O
%P %Q %R %T %U %V
"""
_SIMPLE = frozenset(_NAMES.split())
_ENCLOSED = _pairs('Op [] Bq [] Pq () Brq {} Aq <> Dq “” Qq "" Sq ‘’ Ql ‘’') | {"Eq": "  "}
_OPENING = _pairs('Oo [ Bo [ Po ( Bro { Ao < Do “ Qo " So ‘')
_CLOSING = _pairs('Oc ] Bc ] Pc ) Brc } Ac > Dc ” Qc " Sc ’ Fc )')
MDOC = _SIMPLE | _ENCLOSED.keys() | _OPENING.keys() | _CLOSING.keys()
"""Macros inside text, which other macros may call."""

_SYSTEMS = "Bx BSD Bsx BSD/OS Dx DragonFly Fx FreeBSD Nx NetBSD Ox OpenBSD Ux UNIX"
_BEGINS = {
    **{macro: f"{around[0]}~" for macro, around in _ENCLOSED.items()},
    **{macro: f"{opening}~" for macro, opening in _OPENING.items()},
    **{macro: f"~{closing}" for macro, closing in _CLOSING.items()},
    **_pairs(_SYSTEMS),
    **dict.fromkeys(("Ex", "Rv"), "Exit status: 0 on success, else an error"),
    "At": "AT&T UNIX",
    "Nd": "–",
    "Ns": "~",
    "Ap": "~'~",
    "Ta": "~\t~",
}
"""The text that a macro shows before its arguments. A `~` means that no blank separates it."""

_BEFORE_ONE = {
    "Fl": ("-~",),
    "In": ("<~",),
    "Xr": ("", "~(~", ""),
    "Fo": ("", "~(~", ""),
    "Fn": ("", "~(~", "~,"),
    "Fa": ("", "~,"),
}
"""The text before a macro's first argument, the second, and so on; the last is for the rest."""

_BEHIND_ALL = {
    "Fl": ("-~", ""),
    "In": ("", "~>"),
    "Xr": ("", "", "~)"),
    "Fo": ("", "~(~"),
    "Fn": ("", "~()", "~)"),
    "Ar": ("file ...", ""),
}
"""The text after a macro's arguments, if there are none, one, and so on."""

_MARKS = frozenset((".", ",", ":", ";", ")", "]", "?", "!"))
_LEFT = frozenset(("(", "["))
_OPTIONED = frozenset(("Ex", "Rv", "An"))
"""Macros with options among their arguments, which are not shown."""


def mdoc_pieces(
    data: bytes, macro: str, given_words: Sequence[Argument], at: int, name: str
) -> Iterator[Piece]:
    """Yield the pieces of a line whose macro ends at the byte `at`; `name` is the page's."""
    line = _Line(data, name)
    words = [data[start:end].decode("utf-8", "replace") for start, end in given_words]
    last = len(given_words)
    while last and words[last - 1] in _MARKS:
        last -= 1
    line.call(macro, at)
    for word, (start, end) in zip(words[:last], given_words[:last], strict=True):
        line.take(word, start, end)
    line.close(given_words[last - 1].end if last else at)
    for start, end in given_words[last:]:
        line.add_mark(start, end)
    return iter(line.out)


class _Line:
    """Collects the pieces of a line; `_count` counts the arguments of its current macro."""

    def __init__(self, data: bytes, name: str) -> None:
        self._data = data
        self._name = name
        self.out: list[Piece] = []
        self._space = False
        self._macro = ""
        self._count = 0
        self._closers: list[str] = []

    def call(self, macro: str, at: int) -> None:
        """Begin a macro."""
        self._end_macro(at)
        self._macro, self._count = macro, 0
        self._add_words(_BEGINS.get(macro, ""), at)
        if macro in _ENCLOSED:
            self._closers.append(_ENCLOSED[macro][1])

    def take(self, word: str, start: int, end: int) -> None:
        """Add an argument: a macro call, or words."""
        if word in MDOC and (self._macro != "Xr" or self._count):  # otherwise it names a page
            self.call(word, end)
            return
        if word in _MARKS:
            self._end_macro(start)
            self.add_mark(start, end)
            return
        before = _BEFORE_ONE.get(self._macro, ("",))
        if self._macro not in _OPTIONED or not word.startswith("-"):
            self._add_words(before[min(self._count, len(before) - 1)], start)
            self._add_blank(start)
            self.out += pieces(self._data, start, end)
            self._space = word not in _LEFT and self._macro != "Pf"
            self._macro = "" if self._macro == "Pf" else self._macro
        self._count += 1

    def _end_macro(self, at: int) -> None:
        """Add the text after the last argument of a macro."""
        behind = (self._name, "") if self._macro == "Nm" else _BEHIND_ALL.get(self._macro, ("",))
        self._add_words(behind[min(self._count, len(behind) - 1)], at)
        self._macro, self._count = "", 0

    def close(self, at: int) -> None:
        """End the line, and close all open brackets."""
        self._end_macro(at)
        while self._closers:
            self._add_words(f"~{self._closers.pop()}", at)

    def add_mark(self, start: int, end: int) -> None:
        self.out.append(Piece(start, end))
        self._space = True

    def _add_words(self, marked: str, at: int) -> None:
        """Add words, separated from the others by a blank except at a `~`."""
        words = marked.strip("~")
        self._space = self._space and not marked.startswith("~")
        if words:
            self._add_blank(at)
            self.out.append(Piece(at, at, words))
        if marked:
            self._space = not marked.endswith("~")

    def _add_blank(self, at: int) -> None:
        if self._space:
            self.out.append(Piece(at, at, " "))


# -- roff_lines ------------------------------------------------------------
# The lines of roff: the macro that each calls, and the lines that are not text.
#
# Conditions hold as on a terminal (`.ie n`); definitions of macros are skipped. A line that is
# not read has the macro `-`, a line of text has none.

TEXT, UNREAD = "", "-"
_CONTROL = re.compile(r"[.'][ \t]*([^\s\"\\]*)(\\[\"#])?[ \t]*", re.ASCII)
_CONDITION = re.compile(
    r"(?P<not>!?)(?:(?P<mode>[nteov])(?=[\s\\.'])|\([^()\n]*+\)"
    r"|(?:'[^'\n]*+'[^'\n]*+'|[^\s\\]|\\[^{\n]|(?!))*+)[ \t]*",
    re.ASCII,
)
_CALL = re.compile(r"[.'][ \t]*[A-Za-z]")
_FALSE_MODES = frozenset("tev")
_DEFINING = frozenset(("de", "de1", "dei", "am", "am1", "ami", "ig"))
_CONDITIONS = frozenset(("if", "ie", "el"))
_REQUEST_NAMES = """
INDENT UNINDENT ad af aln als am as ascii bd bp c2 cc ce cf ch char color cp cs cu da de defcolor
device di do ds ec eo em ev evc ex fam fchar fcolor fp ft fspacewidth gcolor hc hcode hla hlm hpf
hw hy hym hys hlf IX in it ig kern lc lf lg linetabs ll ls lt mc mk mso na ne nh nm nn nop nr
nroff ns nx open opena os output pc pi pl pm pn po PD DT LINKSTYLE rchar rd rfschar rj rm rn rnn
rr rs rt schar shc shift sizes so special spreadwarn ss stringup sv sy ta tc ti tl tm tm1 tmc tr
trf trin trnt troff uf ul unformat vpt vs warn warnscale wh while write writec writem AT UC Os Dd
Sm Bf Ef Bk Ek hlr PU fc Ud Bt BB BE Db ULI ULE
"""
_REQUESTS = frozenset(_REQUEST_NAMES.split())
"""Requests and macros without shown text."""


class Line(NamedTuple):
    """The macro that a line calls; its arguments begin at column `at`, in characters."""

    macro: str
    at: int = 0


_UNREAD_LINE, _TEXT_LINE = Line(UNREAD), Line(TEXT)
_CONTROL_MARKS = frozenset((".", "'"))
_COMMENTS = frozenset(('\\"', "\\#"))


def macro_of(line: str) -> Line:
    """Return the macro that a line calls, regardless of the lines around it.

    >>> macro_of(".SH NAME").macro, macro_of('.\\\\" a comment').macro, macro_of("text").macro
    ('SH', '-', '')
    """
    if line[:1] not in _CONTROL_MARKS:
        return _UNREAD_LINE if line[:2] in _COMMENTS else _TEXT_LINE
    match = _CONTROL.match(line)
    if match is None or not match[1] or match[2] or match[1] in _REQUESTS:
        return _UNREAD_LINE
    return Line(match[1], match.end())


def classified(text: Sequence[str], literal: Mapping[str, str] | None = None) -> list[Line]:
    """Return the macro of each line; `literal` is the `literal_macros` of the page."""
    conditions = _Conditions(literal)
    return [conditions.take(line) for line in text]


def literal_macros(text: Sequence[str]) -> Mapping[str, str]:
    """Return the macros that a page defines to begin or end unfilled lines: `nf` or `fi`.

    >>> literal_macros([".de CS", ".RS", ".nf", "..", ".CS", "set a 1"])
    {'CS': 'nf'}
    """
    conditions = _Conditions()
    for line in text:
        conditions.take(line)
    return conditions.literal


class _Conditions:
    """Tracks the open definition, and the open conditions with their results."""

    def __init__(self, literal: Mapping[str, str] | None = None) -> None:
        self.literal = {**(literal or {})}
        self._closing = ""  # the macro that ends the open definition
        self._name = ""  # the defined macro
        self._modes: list[str] = []  # its requests `nf` and `fi`, and `argument` for an argument
        self._condition_held = True  # whether the condition of the last `.ie` held
        self._depth = 0
        self._skipped = -1  # the depth at which lines that are not shown began

    def take(self, line: str) -> Line:
        """Return the macro of the next line."""
        if self._closing:
            return self._defined(line)
        is_shown = self._skipped < 0  # before the line closes skipped ones
        has_braces = "\\}" in line or "\\{" in line
        if line[:1] not in _CONTROL_MARKS:
            if has_braces:
                self._count(line)
            return _TEXT_LINE if is_shown and line[:2] not in _COMMENTS else _UNREAD_LINE
        name = _CONTROL.match(line)
        macro = name[1] if name else ""
        if name and macro in _DEFINING:
            return self._definition(macro, line[name.end() :])
        if name and macro in _CONDITIONS:
            return self._condition(line, name)
        if has_braces:
            self._count(line)
        if name is None or name[2] or not macro or macro in _REQUESTS or not is_shown:
            return _UNREAD_LINE
        return Line(self.literal.get(macro, macro), name.end())

    def _definition(self, request: str, rest: str) -> Line:
        """Open a definition or ignored lines; the word after its name closes it."""
        words = rest.partition('\\"')[0].split()
        self._name, self._modes = words[0] if words else "", []
        self._closing = next(iter(words[request != "ig" :]), ".")
        return _UNREAD_LINE

    def _defined(self, line: str) -> Line:
        """Read a line of a definition, which may be the one that closes it."""
        if line[:1] in _CONTROL_MARKS and line[1:].partition("\\")[0].strip() == self._closing:
            self._closing = ""
            if self._name not in _KNOWN_LITERALS and self._modes in (["nf"], ["fi"]):
                self.literal[self._name] = self._modes[0]
        elif "\\$" in line:
            self._modes.append("argument")
        else:
            request = _CONTROL.match(line)
            self._modes += [request[1]] if request and request[1] in ("nf", "fi") else []
        return _UNREAD_LINE

    def _count(self, line: str) -> None:
        """Count the braces in a line."""
        self._depth = max(0, self._depth + line.count("\\{") - line.count("\\}"))
        if self._skipped >= self._depth:
            self._skipped = -1

    def _condition(self, line: str, name: re.Match[str]) -> Line:
        """Return the macro of a conditional line, if its condition holds."""
        at, holds = name.end(), not self._condition_held
        if name[1] != "el":
            condition = _CONDITION.match(line, at)
            assert condition is not None, "it may be empty"
            at = condition.end()
            holds = (condition["mode"] not in _FALSE_MODES) != bool(condition["not"])
            self._condition_held = holds if name[1] == "ie" else self._condition_held
        is_shown = holds and self._skipped < 0
        if self._skipped < 0 and not holds and "\\{" in line:
            self._skipped = self._depth
        self._count(line)
        while line.startswith(("\\{", " ", "\t"), at):
            at += 2 if line[at] == "\\" else 1
        if not is_shown or not _CALL.match(line, at):
            return _UNREAD_LINE
        macro, inside = macro_of(line[at:])
        return Line(macro, at + inside)


# -- roff_text ------------------------------------------------------------
# The readable text of manual pages in roff: as `man` shows it, without the width of its lines.
#
# In: a source and spans of it. Out: `ReadableText`. A paragraph is one line; unfilled lines stay
# lines. Tags stand above their text, which is indented, so that a list reads as a list. Comments,
# requests and definitions are left out.

_ALTERNATING = frozenset(("BI", "BR", "IB", "IR", "RB", "RI"))
_BULLETS = frozenset(("•", "*", "-", "o", "·", "–", "—", "+", "○", "−"))
_NAMED = re.compile(rb"^\.[ \t]*Nm[ \t]+\"?([^\s\"]+)", re.MULTILINE)
_INDENT = "    "
_ASCII_BLANKS = " \t\r\v\f"
"""Only ASCII, since lines are decoded as Latin-1, one character for each byte."""

_SHORT_TAG = 3
_DEEPEST = 8

_LEVELS = {"SH": 1, "Sh": 1, "SS": 2, "Ss": 2}
_HEADS = frozenset(("TH", "Dt"))
_PARAGRAPHS = frozenset(("PP", "LP", "P", "HP"))
_SPACES = frozenset(("Pp", "sp", "Sp"))
_LITERAL = {"nf": "fi", "EX": "EE", "Vb": "Ve", "DS": "DE", "PS": "PE", "EQ": "EN"}
_NOT_FILLED = ("-literal", "-unfilled")
_BEGINS_LITERAL = [f"\n.{macro}".encode() for macro in (*_LITERAL, "Bd -l", "Bd -u")]
_ENDS_LITERAL = [f"\n.{macro}".encode() for macro in (*_LITERAL.values(), "Ed", "SH", "SS", "Sh")]


class _Effect(NamedTuple):
    """The effect of a macro: the minimum of line ends `before` its shown text, and `behind` it.

    None for another field changes nothing. A macro that `shows` its arguments does so afterwards.
    """

    before: int = 0
    behind: int = 0
    in_item: bool | None = None
    tag: bool | None = None
    literal: bool | None = None
    indents: int = 0
    shows: bool = False


_EFFECTS = {
    **dict.fromkeys(_HEADS, _Effect()),
    **dict.fromkeys((*_SPACES, "Rs", "Re", "TS", "T&", "TE"), _Effect(2)),
    **dict.fromkeys(_PARAGRAPHS, _Effect(2, in_item=False, tag=False)),
    **dict.fromkeys(_LEVELS, _Effect(2, 2, in_item=False, tag=False, literal=False, shows=True)),
    **dict.fromkeys(_LITERAL, _Effect(2, literal=True)),
    **dict.fromkeys((*_LITERAL.values(), "Ed"), _Effect(2, literal=False)),
    **dict.fromkeys(("D1", "Dl"), _Effect(1, 1, shows=True)),
    "br": _Effect(1),
    "RS": _Effect(1, in_item=False, tag=False, indents=1),
    "RE": _Effect(1, in_item=False, tag=False, indents=-1),
    "TP": _Effect(2, in_item=False, tag=True),
    "TQ": _Effect(1, in_item=False, tag=True),
    "SY": _Effect(1, shows=True),
    "YS": _Effect(2, shows=True),
}
"""The effects of macros without a handler; one that is not here shows its arguments."""

_SHOWN = _Effect(shows=True)


def read(data: bytes, spans: Sequence[tuple[int, int]]) -> ReadableText:
    """Return the readable text of `spans` of `data`, in order."""
    reader = _Reader(without_lone_returns(without_mark(data)))
    for start, end in spans:
        reader.read(start, end)
    return reader.out.build(spans)


def name_of(data: bytes) -> str:
    """Return the name that a page of mdoc gives itself."""
    match = _NAMED.search(data)
    return words_of(data, pieces(data, *match.span(1))) if match else ""


def line_pieces(data: bytes, macro: str, start: int, end: int, name: str = "") -> list[Piece]:
    """Return the pieces of a line with arguments `data[start:end]`, or text without a macro."""
    if not macro:
        return [*pieces(data, start, end)]
    words = arguments(data, start, end)
    if macro in MDOC:
        return [*mdoc_pieces(data, macro, words, start, name)]
    if macro in ("Sh", "Ss", "It", "D1", "Dl") and words:
        return [*mdoc_pieces(data, "No", words, start, name)]
    between = "" if macro in _ALTERNATING else " "
    around = ("[", "]") if macro == "OP" else ("", "")
    return _joined(data, words, between, around)


def _joined(
    data: bytes, words: Sequence[Argument], between: str, around: tuple[str, str]
) -> list[Piece]:
    out: list[Piece] = []
    for start, end in words:
        separator = between if out else around[0]
        out += [Piece(start, start, separator)] if separator else []
        out += pieces(data, start, end)
    if out and around[1]:
        out.append(Piece(out[-1].end, out[-1].end, around[1]))
    return out


class _Reader:
    """Reads spans line by line; writes pending breaks or a blank before words."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.out = ReadableBuilder()
        self._name: str | None = None
        self._breaks = 0
        self._last = 0  # the end of the previous words
        self._is_joined = False  # whether the next words follow them without a blank
        self._literal = False
        self._indents = 0
        self._in_item = False
        self._tagged = False
        self._is_below_tag = False
        self._address = Argument(0, 0)
        self._lists: list[bool] = []  # for each open list of mdoc: whether its items have no tag
        self._table = 0
        self._in_cell = False
        is_defined = b"\n.de" in data or data.startswith(b".de")
        self._macros = literal_macros(data.decode("latin-1").split("\n") if is_defined else ())

    def read(self, start: int, end: int) -> None:
        data = self.data
        self._breaks = max(self._breaks, 1)
        begins = max(data.rfind(mark, 0, start) for mark in _BEGINS_LITERAL)
        self._literal = begins >= 0 and begins > max(
            data.rfind(mark, 0, start) for mark in _ENDS_LITERAL
        )
        self._indents, self._in_item, self._tagged = 0, False, False
        self._table, self._in_cell = 0, False
        text = data[start:end].decode("latin-1").split("\n")
        at = start
        for row, line in zip(classified(text, self._macros), text, strict=True):
            stop = at + len(line)
            if row.macro == TEXT:
                self._text(at, at + len(line.rstrip(_ASCII_BLANKS)))
            elif row.macro != UNREAD:
                self._macro(row.macro, at + row.at, stop)
            at = stop + 1

    # -- words ---------------------------------------------------------------------------

    def _text(self, start: int, end: int) -> None:
        data = self.data
        if self._table:
            self._row(start, end)
            return
        if start >= end:
            self._breaks = self._breaks if self._is_below_tag else max(self._breaks, 2)
            return
        if data[start : start + 1] in (b" ", b"\t"):
            self._breaks = max(self._breaks, 1)
        self._write(pieces(data, start, end))
        self._is_joined = data.endswith(b"\\c", start, end) or data.endswith(b"\\", start, end)

    def _write(self, written: Iterable[Piece]) -> None:
        is_first = True
        for start, end, words in written:
            if is_first:
                self._begin(start)
                is_first = False
            if words is None:
                self.out.add_verbatim(self.data, start, end)
            else:
                self.out.add(words, start, end)
            self._last = max(self._last, end)
        if not is_first:
            self._breaks, self._is_below_tag = int(self._literal), False
            if self._tagged:
                self._tagged, self._in_item, self._breaks = False, True, 1
                self._is_below_tag = True

    def _begin(self, at: int) -> None:
        if not self.out:
            return
        indent = _INDENT * min(self._indents + self._in_item, _DEEPEST)
        if self._is_joined and self._breaks < 2:
            self._is_joined = False
        elif self._breaks:
            self.out.add_break(self._breaks)
            self.out.add(indent, at, at)
        else:
            self.out.add(" ", min(self._last, at), at)

    def _shown(self, macro: str, start: int, end: int) -> None:
        if self._name is None:
            self._name = name_of(self.data)
        if macro in ("Ns", "Ap") or (macro in _CLOSING and not self._breaks):
            self._is_joined = True
        self._write(line_pieces(self.data, macro, start, end, self._name))
        self._is_joined = (
            self.data[start:end].rstrip().endswith((b"\\c", b" Ns")) or macro in _OPENED
        )

    # -- macros --------------------------------------------------------------------------

    def _macro(self, macro: str, start: int, end: int) -> None:
        handle = _HANDLERS.get(macro)
        if handle is not None:
            handle(self, macro, start, end)
            return
        effect = _EFFECTS.get(macro, _SHOWN)
        if macro in ("TS", "T&", "TE"):
            self._table = int(macro != "TE")
        if macro in _LEVELS:
            self._indents = 0
        self._breaks = max(self._breaks, effect.before)
        self._in_item = self._in_item if effect.in_item is None else effect.in_item
        self._tagged = self._tagged if effect.tag is None else effect.tag
        self._literal = self._literal if effect.literal is None else effect.literal
        self._indents = max(0, self._indents + effect.indents)
        if effect.shows:
            self._shown(macro, start, end)
            self._breaks = max(self._breaks, effect.behind)

    def _indented(self, macro: str, start: int, end: int) -> None:
        tag = arguments(self.data, start, end)[:1]
        self._breaks = 2
        words = [*pieces(self.data, *tag[0])] if tag else []
        if words:
            self._tag(words)

    def _tag(self, tag: list[Piece]) -> None:
        """Write a tag; short ones, such as bullets and numbers, stand on the line of their text."""
        words = words_of(self.data, tag).strip()
        if words in _BULLETS:
            tag = [Piece(tag[0].start, tag[-1].end, "-")]
        self._in_item = False
        self._write(tag)
        is_short = len(words) <= _SHORT_TAG and (words in _BULLETS or words[:1] not in "-+")
        self._in_item, self._breaks = True, 0 if is_short else 1

    def _display(self, macro: str, start: int, end: int) -> None:
        words = self.data[start:end]
        self._literal = b"-literal" in words or b"-unfilled" in words
        self._breaks = max(self._breaks, 2)

    def _bl(self, macro: str, start: int, end: int) -> None:
        kinds = (b"-bullet", b"-dash", b"-hyphen", b"-enum", b"-item")
        self._indents += bool(self._lists) and self._in_item
        self._lists.append(any(kind in self.data[start:end] for kind in kinds))
        self._breaks = max(self._breaks, 1)

    def _el(self, macro: str, start: int, end: int) -> None:
        if self._lists:
            self._lists.pop()
        self._indents = max(0, min(self._indents, len(self._lists) - 1))
        self._breaks, self._in_item = 2, bool(self._lists)

    def _it(self, macro: str, start: int, end: int) -> None:
        self._breaks, self._in_item = max(self._breaks, 1), False
        if self._lists and self._lists[-1]:
            self._tag([Piece(start, start, "-")])
            return
        self._shown(macro, start, end)
        self._is_joined = False
        self._breaks, self._in_item = 1, True

    def _link(self, macro: str, start: int, end: int) -> None:
        words = arguments(self.data, start, end)
        if macro in ("UR", "MT"):
            self._address = words[0] if words else Argument(0, 0)
            return
        first, after = self._address
        if first < after <= start:
            at = self.data.find(b"\n", after)
            text = words_of(self.data, pieces(self.data, first, after))
            self._write([Piece(max(at, self._last), max(at, self._last), f"<{text}>")])
        if words:
            self._is_joined = True
            self._write(pieces(self.data, *words[0]))
        self._address = Argument(0, 0)

    def _row(self, start: int, end: int) -> None:
        data = self.data
        if self._table == 1:
            self._table += data.endswith(b".", start, end)
            return
        if not data[start:end].strip(b"_=- \t"):
            return
        self._breaks = max(self._breaks, not self._in_cell)
        is_closed = data.startswith(b"T}", start)
        start += 2 * is_closed
        self._in_cell = data.endswith(b"T{", start, end) or (self._in_cell and not is_closed)
        end -= 2 * data.endswith(b"T{", start, end)
        if start < end:
            self._write(pieces(data, start, end))
            self._breaks = 0


_OPENED = _OPENING.keys() | {"Fo"}
_Handler = Callable[[_Reader, str, int, int], None]
_HANDLERS: dict[str, _Handler] = {
    **dict.fromkeys(("UR", "UE", "MT", "ME"), _Reader._link),
    "IP": _Reader._indented,
    "Bd": _Reader._display,
    "Bl": _Reader._bl,
    "El": _Reader._el,
    "It": _Reader._it,
}


# -- roff_blocks ------------------------------------------------------------
# The lines of manual pages in roff (`man` and `mdoc`) to headings and blocks.
#
# A heading ends every open block above it. A tag and its text are an item; so is a short
# paragraph above indented lines, as DocBook writes terms. Unfilled lines are code. Nothing is
# included; only those of the page's own macros are known that begin or end unfilled lines.

_PARAGRAPH_MACROS = _PARAGRAPHS | _SPACES
_ENDS_LIST = _PARAGRAPHS | {"RE"}
_CLOSERS = {"RS": "RE", "Bl": "El", "Bd": "Ed", "TS": "TE"}
_OPENERS = {closer: opener for opener, closer in _CLOSERS.items()}
_KNOWN_LITERALS = frozenset((*_LITERAL, *_LITERAL.values()))
_BEHIND_NAMES = re.compile(r"(?<!\s)\s++[-\u2013\u2014\u2212]++\s+")
"""Separates the names of a page from its summary."""

_MAX_TERM = 4
"""The maximum of lines in a paragraph that is the term of the indented lines below it."""


class RoffScanner(LeadingLineScanner):
    """Scans roff; knows the macro of each line, and the end of each open block."""

    _alone = "thematic_break"

    def __init__(self, lines: SourceLines) -> None:
        super().__init__(lines)
        self._rows = classified(lines.text)
        self._ends: dict[int, int] = {}
        self._places: dict[str, list[int]] = {}
        opened: list[int] = []
        for at, row in enumerate(self._rows):
            if row.macro in _CLOSERS:
                opened.append(at)
            elif row.macro in _LEVELS:
                self._ends.update(dict.fromkeys(opened, at))
                opened = []
                self._places.setdefault("SH", []).append(at)
            elif row.macro in _OPENERS:
                self._close(opened, at)
            elif row.macro in _CLOSED_LITERALS:
                self._places.setdefault(row.macro, []).append(at)
        self._ends.update(dict.fromkeys(opened, len(lines)))

    def _close(self, opened: list[int], at: int) -> None:
        """Record that line `at` closes the last line that opens its block, and blocks inside."""
        opener = _OPENERS[self._rows[at].macro]
        if any(self._rows[row].macro == opener for row in opened[-8:]):
            while self._rows[opened[-1]].macro != opener:
                self._ends[opened.pop()] = at
            self._ends[opened.pop()] = at

    def scan(self) -> None:
        headings = self._places.get("SH", [])
        at, size = 0, len(self.lines)
        for heading in (*headings, size):
            self._stop = heading
            while at < heading:
                at = self._next(at, 0)
            self._flush(heading, 0)
            if heading < size:
                self._stop = size
                at = max(self._heading(heading), at)
        self.title = self._page_title(headings)

    # -- words ---------------------------------------------------------------------------

    def _encoded(self, at: int) -> tuple[bytes, int]:
        """Return a line, and the byte at which the arguments of its macro begin."""
        line = self.lines.text[at]
        return line.encode(), len(line[: self._rows[at].at].encode())

    def _words(self, at: int) -> str:
        """Return the words of a line."""
        data, first = self._encoded(at)
        return words_of(data, line_pieces(data, self._rows[at].macro, first, len(data)))

    def _arguments(self, at: int) -> list[str]:
        data, first = self._encoded(at)
        return [
            words_of(data, pieces(data, *argument))
            for argument in arguments(data, first, len(data))
        ]

    def _heading(self, at: int) -> int:
        """Read a heading, whose words may be on the next line."""
        level, words, after = _LEVELS[self._rows[at].macro], self._words(at), at + 1
        if not words and after < self._stop and self._is_words(after):
            words, after = self._words(after), after + 1
        self.titles.append(Title(level, words, at, after, ""))
        return after

    def _page_title(self, headings: list[int]) -> str:
        """Return `tar(1) - an archiving utility`, from the page's head and its first section."""
        first = headings[0] if headings else len(self.lines)
        heads = (at for at in range(first) if self._rows[at].macro in _HEADS)
        head = next(iter(heads), -1)
        head_words = self._arguments(head)[:2] if head >= 0 else []
        stop = headings[1] if len(headings) > 1 else min(first + 40, len(self.lines))
        inside = range(first + 1, min(stop, first + 40))
        text = " ".join(self._words(at) for at in inside if self._is_words(at))
        dash = _BEHIND_NAMES.search(text)
        names = [name.strip() for name in text[: dash.start()].split(",")] if dash else []
        name = head_words[0] if head_words else ""
        same = (other for other in names if other.lower() == name.lower())
        name = next(
            same, name.lower() if name.isupper() and not names else names[0] if names else name
        )
        section = f"({head_words[1]})" if len(head_words) > 1 and head_words[1] else ""
        summary = f" - {text[dash.end() :]}" if dash else ""
        return f"{name}{section}{summary}" if name else ""

    # -- lines ---------------------------------------------------------------------------

    def _is_words(self, at: int) -> bool:
        """Whether a line is text, or calls a macro inside text."""
        macro = self._rows[at].macro
        if macro == TEXT:
            return bool(self.lines.text[at])
        return macro != UNREAD and macro not in _PARTING

    def _is_tag(self, at: int) -> bool:
        """Whether a line begins an item."""
        macro = self._rows[at].macro
        return macro == "TP" or (macro == "IP" and bool(self._arguments(at)[:1]))

    def _after_text(self, at: int) -> int:
        """Return the first line from `at` on that does not continue a paragraph."""
        while at < self._stop:
            if not self._is_words(at) and self._rows[at].macro not in (UNREAD, "br", "TQ"):
                break
            at += 1
        return at

    def _flush(self, at: int, level: int) -> None:
        """Add the pending lines as a block, without the blank ones below them."""
        while 0 <= self._lead < at - 1 and not self.lines.text[at - 1]:
            at -= 1
        super()._flush(at, level)

    # -- blocks --------------------------------------------------------------------------

    def _next(self, at: int, level: int) -> int:
        macro = self._rows[at].macro
        if macro == TEXT and not self.lines.text[at]:
            return at + 1
        if self._is_words(at):
            return self._paragraph(at, level)
        if macro == "IP" and not self._is_tag(at):
            macro = "PP"
        take = _BLOCK_READERS.get(macro)
        if take is not None:
            return take(self, at, level)
        return self._keep(at)

    def _paragraph(self, at: int, level: int) -> int:
        after = self._term_end(at)
        if after:
            return self._terms(at, level)
        return self._add("paragraph", at, self._after_text(at + 1), level)

    def _until(self, at: int) -> tuple[int, int]:
        """Return the closing line of the block opened on line `at`, and the line after that."""
        end = min(self._ends[at], self._stop)
        closes = end < self._stop and self._rows[end].macro == _CLOSERS[self._rows[at].macro]
        return end, end + closes

    def _literal(self, at: int, level: int) -> int:
        end = self._literal_end(at)
        return self._add("code", at, end, level)

    def _literal_end(self, at: int) -> int:
        places = self._places.get(_LITERAL[self._rows[at].macro], [])
        place = bisect_left(places, at)
        return min(places[place] + 1 if place < len(places) else self._stop, self._stop)

    def _display(self, at: int, level: int) -> int:
        """Read unfilled lines, or indented text."""
        end, after = self._until(at)
        is_code = any(mark in self.lines.text[at] for mark in _NOT_FILLED)
        return self._holder("code" if is_code else "quote", at, end, after, level)

    def _set_in(self, at: int, level: int) -> int:
        return self._holder("quote", at, *self._until(at), level)

    def _holder(self, kind: BlockKind, at: int, end: int, after: int, level: int) -> int:
        self._add(kind, at, after, level)
        if kind != "code":
            self._inside(at + 1, end, level + 1)
        return after

    def _table(self, at: int, level: int) -> int:
        """Read a table, which begins with its format up to a line with a full stop."""
        end, after = self._until(at)
        first = at + 1
        while first < end and not self.lines.text[first].endswith("."):
            first += 1
        self._add("table", at, after, level)
        starts = [*self._rows_of(first + 1, end)]
        for row, following in pairwise([*starts, max(end, first + 1)]):
            self._add("table_row", row, following, level + 1)
        return after

    def _rows_of(self, at: int, end: int) -> list[int]:
        """Return the lines that begin rows; lines inside a cell do not."""
        rows: list[int] = []
        in_cell = False
        while at < end:
            line = self.lines.text[at]
            if not in_cell and line and self._rows[at].macro == TEXT and line.strip("_=-"):
                rows.append(at)
            in_cell = line.endswith("T{") or (in_cell and not line.startswith("T}"))
            at += 1
        return rows

    # -- lists ---------------------------------------------------------------------------

    def _tags(self, at: int, level: int) -> int:
        """Read tags with their texts, one after another."""
        starts, end = [at], at + 1
        while end < self._stop and self._rows[end].macro not in _ENDS_LIST:
            if self._is_tag(end):
                starts.append(end)
            end = self._behind(end)
        return self._items(starts, end, level)

    def _behind(self, at: int) -> int:
        """Return the line after line `at`, or after the block that it opens."""
        if at in self._ends:
            return max(self._until(at)[1], at + 1)
        return self._literal_end(at) if self._rows[at].macro in _LITERAL else at + 1

    def _term_end(self, at: int) -> int:
        """Return the end of an item that is a term above indented lines; 0 if there is none."""
        after = self._after_text(at + 1)
        if after - at > _MAX_TERM or after >= self._stop or self._rows[after].macro != "RS":
            return 0
        words = self._words(after - 1).rstrip()
        ends_sentence = words.endswith((".", ":")) and not words.endswith("...")
        return 0 if ends_sentence else self._behind(after)

    def _terms(self, at: int, level: int) -> int:
        """Read terms with their texts, one after another."""
        starts, after, end = [], 0, at
        while end < self._stop:
            begin = end
            while end < self._stop and self._is_gap(end):
                end += 1
            following = self._term_end(end) if end < self._stop and self._is_words(end) else 0
            if not following:
                break
            starts.append(begin)
            after = end = following
        return self._items(starts, after, level)

    def _is_gap(self, at: int) -> bool:
        """Whether a line only separates blocks."""
        row = self._rows[at].macro
        return row in (UNREAD, *_PARAGRAPH_MACROS) or (row == TEXT and not self.lines.text[at])

    def _items(self, starts: list[int], end: int, level: int) -> int:
        while end > starts[-1] + 1 and self._is_gap(end - 1):
            end -= 1
        self._add("list", starts[0], end, level)
        for first, stop in pairwise([*starts, end]):
            self._item(first, stop, level + 1)
        return end

    def _item(self, first: int, stop: int, level: int) -> None:
        """Read an item: its tag with the text right below, then the rest of its content."""
        self._add("list_item", first, stop, level)
        outer_stop, self._stop = self._stop, stop
        after = first + 1
        while after < stop and self._rows[first].macro in _PARAGRAPH_MACROS and self._is_gap(after):
            after += 1
        after = self._after_text(after)
        self._stop = outer_stop
        self._add("paragraph", first, after, level + 1)
        if after < stop:
            self._inside(after, stop, level + 1)

    def _bl(self, at: int, level: int) -> int:
        """Read a list of mdoc; one with columns is a table."""
        end, after = self._until(at)
        starts, line = list[int](), at + 1
        while line < end:
            if self._rows[line].macro == "It":
                starts.append(line)
            line = self._behind(line)
        is_table = "-column" in self.lines.text[at]
        self._add("table" if is_table else "list" if starts else "quote", at, after, level)
        for first, stop in pairwise([*starts, end]):
            if is_table:
                self._add("table_row", first, stop, level + 1)
            else:
                self._item(first, stop, level + 1)
        return after


_CLOSED_LITERALS = frozenset(_LITERAL.values())
_PARTING = (
    _LEVELS.keys() | _HEADS | _PARAGRAPH_MACROS | _CLOSERS.keys() | _OPENERS.keys()
    | _LITERAL.keys()
    | _CLOSED_LITERALS | {"TP", "TQ", "IP", "It", "br", "T&", "Rs", "Re"}
)  # fmt: skip
_Taker = Callable[[RoffScanner, int, int], int]
_BLOCK_READERS: dict[str, _Taker] = {
    **dict.fromkeys(_LITERAL, RoffScanner._literal),
    "Bd": RoffScanner._display,
    "RS": RoffScanner._set_in,
    "TS": RoffScanner._table,
    "TP": RoffScanner._tags,
    "IP": RoffScanner._tags,
    "Bl": RoffScanner._bl,
}


_LINK = re.compile(
    rb"\((?P<section>[1-9][a-zA-Z]{0,6}+)\)|(?P<address>https?://[^\s\[\]<>{}\"|\\]{0,1000}[\w/=#&])"
    rb"|^\.Xr[ \t]++(?P<named>[^\s\"]{1,100}+)[ \t]++(?P<part>[1-9n][a-zA-Z]{0,6}+)(?=\s|\Z)",
    re.MULTILINE,
)
_PAGE = re.compile(rb"(?:\\f[BI])?(?P<name>\w(?:[\w+:.@-]|\\-|(?!)){0,100}+)(?:\\f[RP])?[ ]?\Z")
"""The name of a page, right before its section."""

_BEFORE = re.compile(rb"[\s\",(\[|/=]")
_MAX_NAME = 120


def parse(data: bytes, path: str) -> Document:
    """Return the document of a manual page."""
    document = parse_lined(
        data,
        path,
        "roff",
        scanner=RoffScanner,
        link_marks=b"(",
        title_text=fold,
        find_links=_links,
    )
    return document if document.degraded else document._replace(reader=read)


def _links(data: bytes, _headings: Sequence[Heading], scanner: RoffScanner) -> Iterator[Link]:
    for match in outside_code(_LINK, data, scanner.blocks):
        start, end = match.span()
        name, section = match["named"], match["part"] or match["section"]
        if match["address"]:
            yield Link(start, end, match["address"].decode("utf-8", "replace"), "link")
            continue
        if name is None:
            name, start = _page_before(data, start)
        if name:
            page = name.replace(b"\\-", b"-").decode("utf-8", "replace")
            yield Link(start, end, f"{page}.{section.decode('ascii')}", "wiki")


def _page_before(data: bytes, end: int) -> tuple[bytes, int]:
    """Return the name of a page that ends at a byte, and its start; "" if there is none."""
    start = max(0, end - _MAX_NAME)
    first = start
    for parting in _BEFORE.finditer(data, start, end - 1):
        first = parting.end()
    match = _PAGE.match(data, first, end)
    return (match["name"], first) if match else (b"", end)
