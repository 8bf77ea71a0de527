"""The lines of roff: which macro each calls, and which are no text.

Of conditions what a terminal shows is taken (`.ie n`), definitions of macros are not looked
into. A line that is not read has the macro `-`, one of text none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

__all__ = ["TEXT", "UNREAD", "Line", "classified", "macro_of"]

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
    return [conditions.take(line) for line in text]


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
            if line[:1] in _MARKS and line[1:].partition("\\")[0].strip() == self._closing:
                self._closing = ""
            return _UNREAD_LINE
        has_braces = "\\}" in line or "\\{" in line
        if line[:1] not in _MARKS:
            is_shown = self._skipped < 0 and line[:2] not in _COMMENTS
            if has_braces:
                self._count(line)
            return _TEXT_LINE if is_shown else _UNREAD_LINE
        name = _CONTROL.match(line)
        called = name[1] if name else ""
        if name and called in _DEFINING:
            words = line[name.end() :].partition('\\"')[0].split()
            self._closing = next(iter(words[called != "ig" :]), ".")
            return _UNREAD_LINE
        if name and called in _CONDITIONS:
            return self._condition(line, name)
        is_shown = self._skipped < 0 and bool(name and called) and called not in _REQUESTS
        if has_braces:
            self._count(line)
        if not is_shown or name is None or name[2]:
            return _UNREAD_LINE
        return Line(called, name.end())

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
