"""What a line of mdoc shows: `.Fl a Ar file` is `-a file`, `.Xr ls 1` is `ls(1)`.

Macros are told by what they mean, and may call others in their arguments. Marks of sentences
stand behind what is enclosed, and no blank before them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from leafmark.parsing.roff_escapes import Argument, Piece, pieces

__all__ = ["MDOC", "mdoc_pieces"]

_NAMES = """
Ad An Ar Cd Cm Dv Em Er Ev Fa Fl Fn Fo Ft Fr Hf Ic In Li Lk Ms Mt Nd Nm No Ns Ot Pa Pf Sx Sy Tn Va
Vt Xr Ap Ta Bx Bsx Dx Fx Nx Ox Ux At St Lb Cx Er Rv Ex Ud Fc Xo Xc Es En %A %B %C %D %I %J %N %O
%P %Q %R %T %U %V
"""
_SIMPLE = frozenset(_NAMES.split())
_ENCLOSED = {
    "Op": "[]",
    "Bq": "[]",
    "Pq": "()",
    "Brq": "{}",
    "Aq": "<>",
    "Dq": "“”",
    "Qq": '""',
    "Sq": "‘’",
    "Ql": "‘’",
    "Eq": "  ",
}
_OPENING = {
    "Oo": "[",
    "Bo": "[",
    "Po": "(",
    "Bro": "{",
    "Ao": "<",
    "Do": "“",
    "Qo": '"',
    "So": "‘",
}
_CLOSING = {
    "Oc": "]",
    "Bc": "]",
    "Pc": ")",
    "Brc": "}",
    "Ac": ">",
    "Dc": "”",
    "Qc": '"',
    "Sc": "’",
    "Fc": ")",
}
_SYSTEMS = {
    "Bx": "BSD",
    "Bsx": "BSD/OS",
    "Dx": "DragonFly",
    "Fx": "FreeBSD",
    "Nx": "NetBSD",
    "Ox": "OpenBSD",
    "Ux": "UNIX",
    "At": "AT&T UNIX",
}
MDOC = _SIMPLE | _ENCLOSED.keys() | _OPENING.keys() | _CLOSING.keys()
"""Macros that stand in text, and may be called by others."""

_MARKS = frozenset((".", ",", ":", ";", ")", "]", "?", "!"))
_LEFT = frozenset(("(", "["))


def mdoc_pieces(
    data: bytes, macro: str, found: Sequence[Argument], at: int, name: str
) -> Iterator[Piece]:
    """Yield what a line shows whose macro stands before the byte `at`; `name` is the page's."""
    line = _Line(data, name)
    words = [data[start:end].decode("utf-8", "replace") for start, end in found]
    last = len(found)
    while last and words[last - 1] in _MARKS:
        last -= 1
    line.call(macro, at)
    for word, (start, end) in zip(words[:last], found[:last], strict=True):
        line.take(word, start, end)
    line.close(found[last - 1].end if last else at)
    for start, end in found[last:]:
        line.add_mark(start, end)
    return iter(line.out)


class _Line:
    """Collects the pieces of a line; `_prefix` and `_joint` are due around the next argument."""

    def __init__(self, data: bytes, name: str) -> None:
        self._data = data
        self._name = name
        self.out: list[Piece] = []
        self._space = False
        self._macro = ""
        self._count = 0
        self._closers: list[str] = []

    def call(self, macro: str, at: int) -> None:
        """Begin what a macro shows."""
        self._end_macro(at)
        self._macro, self._count = macro, 0
        if macro in _ENCLOSED:
            self._add(_ENCLOSED[macro][0], at)
            self._space = False
            self._closers.append(_ENCLOSED[macro][1])
        elif macro in _OPENING:
            self._add(_OPENING[macro], at)
            self._space = False
        elif macro in _CLOSING:
            self._space = False
            self._add(_CLOSING[macro], at)
        elif macro in _SYSTEMS:
            self._add(_SYSTEMS[macro], at)
        elif macro in ("Ns", "Ap"):
            self._space = False
            if macro == "Ap":
                self._add("'", at)
                self._space = False
        elif macro == "Nd":
            self._add("–", at)
        elif macro == "Ta":
            self._space = False
            self._add("\t", at)
            self._space = False
        elif macro in ("Ex", "Rv"):
            self._add("Exit status: 0 on success, else an error", at)

    def take(self, word: str, start: int, end: int) -> None:
        """An argument: a macro that is called, or words."""
        if word in MDOC and self._macro != "Xr":
            self.call(word, end)
            return
        if word in _MARKS:
            self._end_macro(start)
            self.add_mark(start, end)
            return
        if self._macro in ("Ex", "Rv", "An") and word.startswith("-"):
            self._count += 1
            return
        self._before(start)
        self._pieces(start, end)
        self._space = word not in _LEFT and self._macro != "Pf"
        self._macro = "" if self._macro == "Pf" else self._macro
        self._count += 1
        if self._macro == "In":
            self.out.append(Piece(end, end, ">"))

    def _before(self, start: int) -> None:
        """What stands before an argument because of its macro."""
        macro, count = self._macro, self._count
        if macro == "Fl":
            self._add("-", start)
            self._space = False
        elif macro == "In":
            self._add("<", start)
            self._space = False
        elif (macro == "Xr" and count == 1) or (macro in ("Fn", "Fo") and count == 1):
            self._add("(", start, space=False)
            self._space = False
        elif macro in ("Fn", "Fa") and count > 1 - (macro == "Fa"):
            self._add(",", start, space=False)

    def _end_macro(self, at: int) -> None:
        """What stands behind the last argument of a macro."""
        macro, count, self._macro = self._macro, self._count, ""
        if macro == "Xr" and count > 1:
            self._add(")", at, space=False)
        elif macro == "Fn" and count:
            self._add("()" if count == 1 else ")", at, space=False)
        elif macro == "Fo" and count:
            self._add("(", at, space=False)
            self._space = False
        elif macro == "Fl" and not count:
            self._add("-", at)
            self._space = False
        elif macro == "Ar" and not count:
            self._add("file ...", at)
        elif macro == "Nm" and not count and self._name:
            self._add(self._name, at)

    def close(self, at: int) -> None:
        """End the line: what is still enclosed is closed."""
        self._end_macro(at)
        while self._closers:
            self._add(self._closers.pop(), at, space=False)

    def add_mark(self, start: int, end: int) -> None:
        self.out.append(Piece(start, end))
        self._space = True

    def _add(self, words: str, at: int, *, space: bool = True) -> None:
        if self._space and space:
            self.out.append(Piece(at, at, " "))
        self.out.append(Piece(at, at, words))
        self._space = True

    def _pieces(self, start: int, end: int) -> None:
        if self._space:
            self.out.append(Piece(start, start, " "))
        self.out += pieces(self._data, start, end)
