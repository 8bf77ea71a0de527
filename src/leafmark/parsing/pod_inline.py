"""What is shown of POD's text: `C<code>`, `L<text|page>`, `E<gt>` and the like.

In: bytes and a range of them. Out: its pieces in order, each the bytes it stands for and
its words, or None where the bytes are the words. A code ends where its paragraph does.
"""

from __future__ import annotations

import html
import re
from typing import NamedTuple

__all__ = ["Piece", "Reference", "page_and_part", "pieces", "references", "shown"]

_TOKEN = re.compile(rb"([A-Z])(<<+(?=\s)|<)|(>+)|(\|)")
_UNSHOWN = frozenset((b"X", b"Z"))
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[^:\s]\S*\Z")
_SYMBOLS = {"verbar": "|", "sol": "/", "lchevron": "«", "rchevron": "»"}
_LONGEST_LINK = 1000


class Piece(NamedTuple):
    """`words` for the bytes `[start, end)`; None: the bytes themselves."""

    start: int
    end: int
    words: str | None = None


class Reference(NamedTuple):
    """A link in the bytes `[start, end)`, and what it leads to, as it is shown."""

    start: int
    end: int
    target: str


class _Open(NamedTuple):
    """A code that `width` marks close, with `first` pieces before it."""

    letter: bytes
    width: int
    first: int
    start: int
    inside: int


def shown(source: str) -> str:
    """Return what is shown of some words.

    >>> shown("The B<-x> and C<< $a->b >>, L<see this|perlop/Quote>, I<E<lt>x> X<index>")
    'The -x and $a->b, see this, <x '
    >>> shown('L<perlop/"Quote and C<q>">, L</Part>, L<perlop>, L<https://x.y/z>, a > b, B<open')
    '"Quote and q" in perlop, "Part", perlop, https://x.y/z, a > b, open'
    """
    data = source.encode("utf-8", "surrogatepass")
    return _words(data, pieces(data, 0, len(data)))


def pieces(data: bytes, start: int, end: int) -> list[Piece]:
    """Return the pieces of `data[start:end]`, in order."""
    return _Inline(data, start, end).found


def references(data: bytes, start: int, end: int) -> list[Reference]:
    """Return the links in `data[start:end]`, in the order in which they end."""
    return _Inline(data, start, end).references


class _Inline:
    """Reads a range of bytes once; what is not closed is closed by its end."""

    def __init__(self, data: bytes, start: int, end: int) -> None:
        self._data = data
        self._opened: list[_Open] = []
        self._bars: dict[int, int] = {}
        self._at = start
        self.found: list[Piece] = []
        self.references: list[Reference] = []
        for token in _TOKEN.finditer(data, start, end):
            if token[1]:
                self._text(token.start())
                place = len(self.found), token.start(), token.end()
                self._opened.append(_Open(token[1], len(token[2]), *place))
                self._at = token.end()
            elif token[3]:
                self._closing(*token.span())
            elif self._opened and self._opened[-1].letter == b"L":
                self._bars.setdefault(self._opened[-1].start, token.start())
        self._text(end)

    def _text(self, end: int) -> None:
        if self._at < end:
            self.found.append(Piece(self._at, end))

    def _closing(self, at: int, end: int) -> None:
        """Close as many codes as a run of `>` can."""
        while at < end and self._opened:
            width = self._opened[-1].width
            if width > 1 and (end - at < width or not self._data[at - 1 : at].isspace()):
                return
            self._text(at)
            self._at = at + width
            self._close(self._opened.pop(), at)
            at += width

    def _close(self, one: _Open, stop: int) -> None:
        """Put what a code shows in place of the pieces inside it."""
        found, end = self.found, stop + one.width
        if one.width > 1:
            _strip(self._data, found, one.first)
        if one.letter in _UNSHOWN:
            del found[one.first :]
        elif one.letter == b"E":
            name = self._data[one.inside : stop].decode("utf-8", "replace")
            found[one.first :] = [Piece(one.start, end, _symbol(name))]
        elif one.letter == b"L" and stop - one.inside <= _LONGEST_LINK:
            self._link(one, stop, end)

    def _link(self, one: _Open, stop: int, end: int) -> None:
        found, bar = self.found, self._bars.get(one.start, -1)
        inside = found[one.first :]
        del found[one.first :]
        if bar >= 0:
            before = [piece for piece in inside if piece.start < bar]
            behind = [piece for piece in inside if piece.end > bar]
            inside = [*before[:-1], *(_until(piece, bar) for piece in before[-1:])]
            target = _words(self._data, [_from(piece, bar + 1) for piece in behind])
        else:
            target = _words(self._data, inside)
            page, part = page_and_part(target)
            if part:
                said = f'"{part}"' + (f" in {page}" if page else "")
                inside = [Piece(one.start, end, said)]
        found += inside
        self.references.append(Reference(one.start, end, target))


def _until(piece: Piece, bar: int) -> Piece:
    return piece if piece.words is not None else Piece(piece.start, min(piece.end, bar))


def _from(piece: Piece, start: int) -> Piece:
    return piece if piece.words is not None else Piece(max(piece.start, start), piece.end)


def _strip(data: bytes, found: list[Piece], first: int) -> None:
    """Leave out the white space at both edges of a code with several marks."""
    if len(found) > first and found[first].words is None:
        start, end, _ = found[first]
        found[first] = Piece(end - len(data[start:end].lstrip()), end)
    if len(found) > first and found[-1].words is None:
        start, end, _ = found[-1]
        found[-1] = Piece(start, start + len(data[start:end].rstrip()))


def _words(data: bytes, found: list[Piece]) -> str:
    return "".join(
        data[start:end].decode("utf-8", "replace") if words is None else words
        for start, end, words in found
    )


def page_and_part(target: str) -> tuple[str, str]:
    """The page and the part of it that a link names, either may be empty.

    >>> page_and_part('perlop/"Quote it"'), page_and_part("/Part"), page_and_part("a b")
    (('perlop', 'Quote it'), ('', 'Part'), ('', 'a b'))
    >>> page_and_part("https://x.y/z"), page_and_part("Foo::Bar"), page_and_part("ls(1)")
    (('https://x.y/z', ''), ('Foo::Bar', ''), ('ls(1)', ''))
    """
    target = " ".join(target.split())
    if _ADDRESS.match(target):
        return target, ""
    page, slash, part = target.partition("/")
    if not slash and (" " in page or page[:1] == '"'):
        page, part = "", page
    if len(part) > 1 and part[0] == part[-1] == '"':
        part = part[1:-1]
    return page.strip(), part.strip()


def _symbol(name: str) -> str:
    r"""What `E<name>` stands for.

    >>> _symbol("gt"), _symbol("sol"), _symbol("233"), _symbol("0x263A"), _symbol("none")
    ('>', '/', 'é', '☺', 'E<none>')
    """
    name = name.strip()
    if name in _SYMBOLS:
        return _SYMBOLS[name]
    digits = name[1:] if name[:1] == "0" and name[1:2] in "xX" else ""
    if digits or name.isdecimal():
        base = 16 if digits else 8 if name[:1] == "0" else 10
        try:
            return chr(int(digits.lstrip("xX") or name, base)).encode("utf-8").decode()
        except (ValueError, OverflowError):
            return f"E<{name}>"
    said = html.unescape(f"&{name};")
    return f"E<{name}>" if said == f"&{name};" else said
