"""Formats of other packages: the entry points of the group `leafmark.formats`.

In: the folders that Python imports from. Out: the formats that packages in them register, each
with its functions, which are called here and nowhere else: what they raise or return in place of
a document is a `FormatError` that the caller tells. Names are found without importing a format,
or `importlib.metadata`, which takes longer than a search; a format is imported when a file comes
that may be its own. leafmark registers its own formats beyond the core in just this way.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import cache, lru_cache, partial
from importlib import import_module
from typing import Any, Protocol, get_args

from leafmark.model import (
    CORE_FORMATS,
    Block,
    BlockKind,
    Document,
    Format,
    Heading,
    Link,
    ReadableText,
    Reader,
)
from leafmark.namedtuples import NamedTuple
from leafmark.parsing.readable import read_source

_GROUP = "leafmark.formats"
_OWN = "leafmark.formats:"
"""What the entry points of leafmark's own formats begin with; what they return is not checked."""

_KINDS = frozenset(get_args(BlockKind))


class FormatError(Exception):
    """A format cannot be used: it cannot be imported, fails, or returns a wrong document."""


class SourceFormat(Protocol):
    """What an entry point names: a module, or any object, with these functions.

    A third, `read(data, spans)`, may make the `ReadableText` of spans of a document's data;
    without it the bytes are their own text.
    """

    def takes(self, path: str, data: bytes) -> bool:
        """Whether the file at `path`, relative to its tree, with `/`, is of this format.

        It is asked of each file whose suffix no core format has, and should be quick.
        """

    def parse(self, data: bytes, path: str) -> Document:
        """Return the document of a source; its spans are bytes of the document's `data`."""


class _Entry(NamedTuple):
    """An entry point: `value` says where its object is, `origin` is the package's version."""

    name: Format
    value: str
    origin: str

    @property
    def is_own(self) -> bool:
        return self.value.startswith(_OWN)


class _Functions(NamedTuple):
    takes: Callable[[str, bytes], bool]
    parse: Callable[[bytes, str], Document]
    read: Reader | None


def installed_formats() -> list[str]:
    """Return the registered formats; those of other packages with the version of the package."""
    return [" ".join(entry) for entry in _registered()]


def foreign_formats() -> list[Format]:
    """Return the names of the formats that are registered."""
    return [entry.name for entry in _registered()]


def find_claim(path: str, data: bytes) -> tuple[Format | None, tuple[str, ...]]:
    """Return the first format that takes a file, and the errors of the formats tried before."""
    faults = []
    for entry in _registered():
        try:
            if _functions(entry).takes(path, data):
                return entry.name, ()
        except Exception as error:
            faults.append(_fault(entry, error))
    return None, tuple(faults)


def foreign_parser(name: Format) -> Callable[[bytes, str], Document]:
    """Return the function that parses a format, which may raise whatever it likes.

    Raises:
        FormatError: there is none, or it cannot be used.
    """
    entry = _entry(name)
    if entry is None:
        raise FormatError(f"there is no format `{name}`")
    functions = _functions(entry)
    return functions.parse if entry.is_own else partial(_parse, entry)


def foreign_reader(name: Format) -> Reader | None:
    """Return the function for the readable text of a format, if it has one."""
    entry = _entry(name)
    if entry is None:
        return None
    try:
        functions = _functions(entry)
    except FormatError:
        return None
    return functions.read if entry.is_own or functions.read is None else partial(_read, name)


def _parse(entry: _Entry, data: bytes, path: str) -> Document:
    """Parse with another package's function, and check its document.

    Raises:
        FormatError: it fails, or what it returns cannot be cut and cited.
    """
    functions = _functions(entry)
    try:
        document = functions.parse(data, path)
        fault = _fault_of(document, data)
        if not fault and functions.read is not None:
            fault = _fault_of_text(functions.read(document.data, [(0, len(document.data))]))
    except Exception as error:
        raise FormatError(_fault(entry, error)) from error
    if fault:
        raise FormatError(f"the format `{entry.name}` of {entry.origin} returned {fault}")
    reader = None if functions.read is None else partial(_read, entry.name)
    return document._replace(path=path, format=entry.name, reader=reader)


def _read(name: Format, data: bytes, spans: Sequence[tuple[int, int]]) -> ReadableText:
    """Read with another package's function; what it cannot read is shown as it is written.

    It has read the whole document once: a part that it fails at is no reason to lose the rest.
    """
    entry = _entry(name)
    try:
        read = None if entry is None else _functions(entry).read
        text = None if read is None else read(data, spans)
    except Exception:
        text = None
    return read_source(data, spans) if text is None or _fault_of_text(text) else text


# -- which formats there are --------------------------------------------------------------


def _registered() -> tuple[_Entry, ...]:
    return _found_on(tuple(sys.path))


def _entry(name: Format) -> _Entry | None:
    return next((entry for entry in _registered() if entry.name == name), None)


@lru_cache(maxsize=8)
def _found_on(places: tuple[str, ...]) -> tuple[_Entry, ...]:
    """Return the entry points of the packages in some folders, one for each name.

    Of a package that is there twice the first one counts, as for imports. leafmark's own come
    first, and no package can replace a core format: a tree's `formats` set one aside. The folder
    that is worked in is no place for packages, whatever Python says: what is in it may have come
    from anywhere.
    """
    entries: list[_Entry] = []
    packages: set[str] = set()
    for folder in _metadata_folders(places):
        origin = os.path.basename(folder).rpartition(".")[0]
        package = origin.partition("-")[0].lower()
        if package not in packages:
            packages.add(package)
            for name, value in _entry_points(folder):
                if name not in CORE_FORMATS:
                    is_own = value.startswith(_OWN)
                    entries.append(_Entry(name, value, "" if is_own else origin))
    entries.sort(key=lambda entry: (not entry.is_own, entry))
    return tuple({entry.name: entry for entry in reversed(entries)}.values())[::-1]


def _metadata_folders(places: Sequence[str]) -> Iterator[str]:
    for place in places:
        if _is_current(place):
            continue
        try:
            names = sorted(os.listdir(place))
        except OSError:  # missing, or the zip of a standard library
            continue
        for name in names:
            if name.endswith((".dist-info", ".egg-info")):
                yield os.path.join(place, name)


def _is_current(place: str) -> bool:
    """Whether a place is the current folder; where that was deleted, relative ones lead nowhere."""
    try:
        return not place or os.path.abspath(place) == os.path.abspath("")
    except OSError:
        return not os.path.isabs(place)


def _entry_points(folder: str) -> Iterator[tuple[str, str]]:
    """Yield names and values of our group (packaging.python.org, "Entry points specification")."""
    try:
        with open(os.path.join(folder, "entry_points.txt"), "rb") as file:
            data = file.read()
        text = data.decode() if _GROUP.encode() in data else ""  # a search asks all packages
    except (OSError, ValueError):
        return
    section = ""
    for line in map(str.strip, text.splitlines()):
        if line[:1] == "[":
            section = line
        elif section == f"[{_GROUP}]" and "=" in line and line[0] not in "#;":
            name, _, value = line.partition("=")
            yield name.strip(), value.partition("[")[0].strip()


def _functions(entry: _Entry) -> _Functions:
    """Return the functions of a format.

    Raises:
        FormatError: it cannot be imported, or has not these functions.
    """
    functions = _loaded(entry)
    if isinstance(functions, str):
        raise FormatError(functions)
    return functions


@cache
def _loaded(entry: _Entry) -> _Functions | str:
    """Return the functions of a format, or the error."""
    module, _, attributes = entry.value.partition(":")
    try:
        loaded: Any = import_module(module)
        for attribute in filter(None, attributes.split(".")):
            loaded = getattr(loaded, attribute)
    except (Exception, SystemExit) as error:
        return _fault(entry, error)
    takes, parse, read = (getattr(loaded, name, None) for name in ("takes", "parse", "read"))
    if not (callable(takes) and callable(parse) and (read is None or callable(read))):
        return f"the format `{entry.name}` of {entry.origin} has no functions `takes` and `parse`"
    return _Functions(takes, parse, read)


def _fault(entry: _Entry, error: BaseException) -> str:
    if isinstance(error, FormatError):
        return str(error)
    reason = f"{type(error).__name__}: {error}".rstrip(": ")
    return f"the format `{entry.name}` of {entry.origin} failed: {reason}"


# -- what a format returns ----------------------------------------------------------------


def _fault_of(document: object, data: bytes) -> str:
    """Return the first error in a document; empty if it can be cut and cited."""
    if not isinstance(document, Document) or not isinstance(document.data, bytes):
        return f"no Document but {type(document).__name__}"
    if document.encoding == "utf-8" and document.data != data:
        return "other bytes than the file's"
    if not isinstance(document.title, str):
        return "a title that is not a text"
    checks = (_fault_of_headings, _fault_of_blocks, _fault_of_rest)
    return next(filter(None, (check(document) for check in checks)), "")


def _fault_of_headings(document: Document) -> str:
    last = 0
    headings: Sequence[object] = document.headings
    for heading in headings:
        if not isinstance(heading, Heading) or not heading.level >= 1:
            return f"an invalid heading: {heading!r:.100}"
        texts = (heading.title, heading.slug_text)
        if not all(isinstance(text, str) for text in texts):
            return f"a heading without a title: {heading!r:.100}"
        start, end, limit = heading.start, heading.end, heading.limit
        in_order = last <= start <= end <= limit <= len(document.data)
        if not in_order or not _are_edges(document.data, start, end, limit):
            return f"a heading that is out of place: {heading!r:.100}"
        last = start
    return ""


def _fault_of_blocks(document: Document) -> str:
    """A block is inside the one that it follows with a higher level, and behind its siblings."""
    around: list[Block] = []
    last = 0
    blocks: Sequence[object] = document.blocks
    for block in blocks:
        if not isinstance(block, Block) or block.kind not in _KINDS or block.level < 0:
            return f"an invalid block: {block!r:.100}"
        while around and around[-1].level >= block.level:
            last = around.pop().end
        if around:
            last = max(last, around[-1].start)
        stop = around[-1].end if around else len(document.data)
        inner = block.start if block.content_start is None else block.content_start
        in_order = last <= block.start <= inner <= block.end <= stop and block.start < block.end
        if not in_order or not _are_edges(document.data, block.start, inner, block.end):
            return f"a block that is out of place: {block!r:.100}"
        around.append(block)
    return ""


def _fault_of_rest(document: Document) -> str:
    size, links = len(document.data), list[object](document.links)
    for link in links:
        if not isinstance(link, Link) or not 0 <= link.start <= link.end <= size:
            return f"an invalid link: {link!r:.100}"
    for start, end in document.dropped_ranges:
        if not 0 <= start <= end <= size:
            return f"a dropped span out of place: {start} to {end}"
    return "" if all(isinstance(tag, str) for tag in document.tags) else "tags that are not texts"


def _are_edges(data: bytes, *offsets: int) -> bool:
    """Whether none of the offsets is inside a character."""
    return all(at >= len(data) or data[at] & 0xC0 != 0x80 for at in offsets)


def _fault_of_text(text: object) -> str:
    if not isinstance(text, ReadableText) or not isinstance(text.text, str):
        return f"no ReadableText but {type(text).__name__}"
    places, starts, ends = text.runs
    is_sound = len(places) == len(starts) == len(ends) and list(places) == sorted(places)
    is_sound = is_sound and (not text.text or (len(places) > 0 and places[0] == 0))
    is_sound = is_sound and all(0 <= start <= end for start, end in zip(starts, ends, strict=True))
    return "" if is_sound else "a ReadableText whose runs are not in order"
