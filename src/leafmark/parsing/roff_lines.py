"""The lines of roff: which macro each calls, and which are no text.

Of conditions what a terminal shows is taken (`.ie n`), definitions of macros are not looked
into. A line that is not read has the macro `-`, one of text none. A `.HP` begins a tagged item
where a break parts its first line from what is set in below; it then has a name of its own.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile
from typing import NamedTuple

from leafmark.parsing.roff_escapes import shown

__all__ = ["HUNG", "TEXT", "UNREAD", "Line", "classified", "macro_of"]

TEXT, UNREAD = "", "-"
HUNG = "HP br"
"""What a `.HP` that begins a tagged item is said to call; no line can call it."""

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
_NAMES = """
INDENT UNINDENT ad af aln als am as ascii bd bp c2 cc ce cf ch char color cp cs cu da de defcolor
device di do ds ec eo em ev evc ex fam fchar fcolor fp ft fspacewidth gcolor hc hcode hla hlm hpf
hw hy hym hys hlf IX in it ig kern lc lf lg linetabs ll ls lt mc mk mso na ne nh nm nn nop nr
nroff ns nx open opena os output pc pi pl pm pn po PD DT LINKSTYLE rchar rd rfschar rj rm rn rnn
rr rs rt schar shc shift sizes so special spreadwarn ss stringup sv sy ta tc ti tl tm tm1 tmc tr
trf trin trnt troff uf ul unformat vpt vs warn warnscale wh while write writec writem AT UC Os Dd
Sm Bf Ef Bk Ek hlr PU fc Ud Bt BB BE Db ULI ULE
"""
_REQUESTS = frozenset(_NAMES.split())
"""Requests and macros that show nothing."""

_FONTS = frozenset(("B", "I", "R", "SM", "SB", "BI", "BR", "IB", "IR", "RB", "RI"))
_BLANKS = " \t\r\v\f"
_NO_ENDS = (".", ":", ",", ";", "(")
"""Ends of sentences, and of lines that go on."""

_MOST_OF_TAG = 4
"""Lines that may be the tag of a `.HP`."""

_LONGEST_HUNG = 20
"""Lines below a `.HP` in which its text begins, those that are not read included."""


class Line(NamedTuple):
    """`macro` is what a line calls; its arguments begin at column `at`, in characters."""

    macro: str
    at: int = 0


_UNREAD_LINE, _TEXT_LINE = Line(UNREAD), Line(TEXT)
_MARKS = frozenset((".", "'"))
_COMMENTS = frozenset(('\\"', "\\#"))


def macro_of(line: str) -> Line:
    """What a line calls, whatever stands around it.

    >>> macro_of(".SH NAME").macro, macro_of('.\\\\" a comment').macro, macro_of("text").macro
    ('SH', '-', '')
    """
    if line[:1] not in _MARKS:
        return _UNREAD_LINE if line[:2] in _COMMENTS else _TEXT_LINE
    found = _CONTROL.match(line)
    if found is None or not found[1] or found[2] or found[1] in _REQUESTS:
        return _UNREAD_LINE
    return Line(found[1], found.end())


def classified(text: Sequence[str]) -> list[Line]:
    """Return what each line calls."""
    conditions = _Conditions()
    rows = [conditions.take(line) for line in text]
    for at, row in enumerate(rows):
        below = slice(at + 1, at + 1 + _LONGEST_HUNG)
        if row.macro == "HP" and _is_hung(rows[below], text[below]):
            rows[at] = Line(HUNG, row.at)
    return rows


def _is_hung(rows: Sequence[Line], text: Sequence[str]) -> bool:
    """Whether the lines below a `.HP` are a tag, a break, and a text.

    What ends as a sentence, or goes on, is no tag. Neither is what begins as the text does: in a
    synopsis breaks stand between the ways to call one command.
    """
    read = [one for one in zip(rows, text, strict=True) if one[0].macro != UNREAD]
    tag = [*takewhile(bool, (_words(*one) for one in read))]
    rest = read[len(tag) :]
    if not 0 < len(tag) <= _MOST_OF_TAG or len(rest) < 2 or rest[0][0].macro != "br":
        return False
    words = _words(*rest[1])
    goes_on = tag[-1].endswith(_NO_ENDS) and not tag[-1].endswith("...")
    return bool(words) and not goes_on and _first(words) != _first(tag[0])


def _words(row: Line, line: str) -> str:
    """What a line shows that is text or calls a font; nothing of any other."""
    is_text = row.macro == TEXT or row.macro in _FONTS
    return shown(line[row.at :]).strip(_BLANKS) if is_text else ""


def _first(words: str) -> str:
    return words.partition(" ")[0]


class _Conditions:
    """Knows what is open: a definition, and the conditions that hold or do not."""

    def __init__(self) -> None:
        self._closing = ""  # what ends a definition
        self._took = True  # whether the last condition held that may have an other case
        self._depth = 0
        self._skipped = -1  # the depth at which what is not shown began

    def take(self, line: str) -> Line:
        """Return what the next line calls."""
        if self._closing:
            return self._defined(line)
        is_shown = self._skipped < 0  # before the line closes what is not
        has_braces = "\\}" in line or "\\{" in line
        if line[:1] not in _MARKS:
            if has_braces:
                self._count(line)
            return _TEXT_LINE if is_shown and line[:2] not in _COMMENTS else _UNREAD_LINE
        name = _CONTROL.match(line)
        called = name[1] if name else ""
        if name and called in _DEFINING:
            return self._definition(called, line[name.end() :])
        if name and called in _CONDITIONS:
            return self._condition(line, name)
        if has_braces:
            self._count(line)
        if name is None or name[2] or not called or called in _REQUESTS or not is_shown:
            return _UNREAD_LINE
        return Line(called, name.end())

    def _definition(self, called: str, rest: str) -> Line:
        """Open a definition, or what is ignored: the word behind its name closes it."""
        words = rest.partition('\\"')[0].split()
        self._closing = next(iter(words[called != "ig" :]), ".")
        return _UNREAD_LINE

    def _defined(self, line: str) -> Line:
        """Take a line of a definition, perhaps the one that closes it."""
        if line[:1] in _MARKS and line[1:].partition("\\")[0].strip() == self._closing:
            self._closing = ""
        return _UNREAD_LINE

    def _count(self, line: str) -> None:
        """Count the braces in a line."""
        self._depth = max(0, self._depth + line.count("\\{") - line.count("\\}"))
        if self._skipped >= self._depth:
            self._skipped = -1

    def _condition(self, line: str, name: re.Match[str]) -> Line:
        """What a line calls if its condition holds."""
        at, holds = name.end(), not self._took
        if name[1] != "el":
            found = _CONDITION.match(line, at)
            assert found is not None, "it may be empty"
            at = found.end()
            holds = (found["mode"] not in _FALSE_MODES) != bool(found["not"])
            self._took = holds if name[1] == "ie" else self._took
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
