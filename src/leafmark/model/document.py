"""`Document`: one parsed source, in document order, before any chunking decision.

All offsets are bytes into `Document.data`. Parsers make documents; `chunking`
turns them into a node tree. A document records the place of each element; `chunking`
decides which headings become sections, and their slugs. Rows are named tuples because
there are many, and a frozen dataclass costs five times as much.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import compress
from operator import itemgetter
from types import MappingProxyType
from typing import Any, Literal, overload

from leafmark.model.sequences import Deferred
from leafmark.model.span import Reader, Span
from leafmark.namedtuples import NamedTuple

BINARY = "binary"
"""The code of a source that is not text."""

REPEATED = "repeated"
"""The code of a source that leafmark itself wrote from the others."""

ELSEWHERE = "elsewhere"
"""The code of a page without content of its own: it only leads to other pages."""

GENERATED = "generated"
"""The code of source code and data that programs generate for programs."""

LEFT_OUT = {
    BINARY: "binary",
    REPEATED: "written by leafmark",
    ELSEWHERE: "leads to another page",
    GENERATED: "generated code",
}
"""The codes of sources that are skipped and remembered, so as not to read them again; why."""

UNREADABLE = "unreadable"
"""The code of a source that the system did not let us read."""

NO_MEMORY = "no-memory"
"""The code of a source for which the memory did not suffice."""

NO_PROCESS = "no-process"
"""The code of a source whose parsing process was killed or could not start."""

PASSING = frozenset((UNREADABLE, NO_MEMORY, NO_PROCESS))
"""The codes of failures that are not due to the source's bytes: a later attempt may succeed."""


class Diagnostic(NamedTuple):
    """One finding about the source at `path` (as in its document's id, or as found on disk).

    `code` is stable and for programs (`bad-utf8`, `front-matter`, `unreadable`, …);
    `message` is for people and names the value at fault. `line` is 1-based.
    """

    path: str
    code: str
    message: str
    line: int | None = None


_new = tuple.__new__  # half the cost of calling a named tuple's class

Format = str
"""The name of a format: one of `CORE_FORMATS`, or one that a package registers."""

CORE_FORMATS = ("asciidoc", "html", "markdown", "notebook", "rst", "script", "text")
"""The formats that `parsing` reads itself."""

FORMAT_NAMES: Mapping[Format, str] = MappingProxyType(
    {
        "asciidoc": "AsciiDoc",
        "html": "HTML",
        "info": "Info manuals",
        "markdown": "Markdown",
        "notebook": "notebooks",
        "org": "Org",
        "pod": "POD",
        "rdoc": "RDoc",
        "roff": "manual pages",
        "rst": "reStructuredText",
        "script": "source code",
        "text": "text",
    }
)
"""The names of formats for people; a format that a package adds brings its own name."""

_AS_WRITTEN = frozenset(CORE_FORMATS) - {"html", "notebook"}
"""Core formats that are shown as written, except for the parts left out."""

BlockKind = Literal[
    "paragraph",
    "heading",  # one inside a container: content, not a section
    "list",
    "list_item",
    "table",
    "table_row",
    "code",
    "quote",
    "html",
    "front_matter",
    "thematic_break",
    "definition",  # such as a footnote
]


class Heading(NamedTuple):
    """A heading line, or the place where a definition begins.

    `title` is the rendered text, white space folded; `slug_text` is the same
    before folding, a line break counting as one space. `start` and `end` bound
    the heading's lines with indentation and terminating newline (HTML: the
    element; a definition: empty, where its span starts).

    `limit` is where the section ends at the latest: the end of the source, of
    the HTML content region, or of the definition. `nested` headings stand
    inside a container: they take a slug number and open nothing. `anchor` is
    the page's own anchor, as written; `slug_path` is the name path of a
    definition and replaces the rule for slugs.
    """

    level: int
    title: str
    slug_text: str
    start: int
    end: int
    limit: int
    nested: bool = False
    anchor: str | None = None
    slug_path: str | None = None
    # a definition's own first line (its signature), where comments stand above it
    line_offset: int | None = None


class HeadingColumns(NamedTuple):
    """The fields of many headings: a sequence for each, in the order of `Heading`."""

    levels: Sequence[int] = ()
    titles: Sequence[str] = ()
    slug_texts: Sequence[str] = ()
    starts: Sequence[int] = ()
    ends: Sequence[int] = ()
    limits: Sequence[int] = ()
    nested: Sequence[bool] = ()
    anchors: Sequence[str | None] = ()
    slug_paths: Sequence[str | None] = ()
    line_offsets: Sequence[int | None] = ()

    @classmethod
    def of(cls, headings: Sequence[Heading]) -> HeadingColumns:
        """Return the columns of headings; `Headings` have theirs ready."""
        if isinstance(headings, Headings):
            return headings.columns
        return cls(*zip(*headings, strict=True))

    def only(self, chosen: Sequence[bool]) -> HeadingColumns:
        """Return the columns of the chosen headings alone."""
        if False not in chosen:
            return self
        columns: list[Any] = [[*compress(column, chosen)] for column in self]
        return HeadingColumns(*columns)

    def between(self, first: int, after: int) -> HeadingColumns:
        """Return the columns of the headings `[first, after)`."""
        columns: list[Any] = [column[first:after] for column in self]
        return HeadingColumns(*columns)

    def headings(self) -> tuple[Heading, ...]:
        return tuple([_new(Heading, row) for row in zip(*self, strict=True)])


class Headings(Deferred[Heading]):
    """Headings stored in columns and made on access: a document may have many."""

    __slots__ = ("columns",)

    def __init__(self, columns: HeadingColumns) -> None:
        super().__init__(columns.headings)
        self.columns = columns

    def __len__(self) -> int:
        return len(self.columns.levels)


class Block(NamedTuple):
    """A block element; `level` 0 stands at the top level of its section.

    `start` and `end` take in whole lines for Markdown and text (indentation of
    the first line and the last line's newline included). Blocks of level 0 are
    disjoint and in order. A nested block (an item of a list, a row of a table,
    code inside an item) follows the block it lies in, with a higher level.

    `info` is the language of code (first word of the info string, lower-case),
    else empty. `content_start` is where code's own lines begin after an opening
    fence, or a table's rows after its header and delimiter lines.
    """

    kind: BlockKind
    start: int
    end: int
    level: int = 0
    info: str = ""
    content_start: int | None = None


class Link(NamedTuple):
    """A link or image as written; `target` is the destination after entity and escape decoding."""

    start: int
    end: int
    target: str
    kind: Literal["link", "image", "wiki", "autolink"] = "link"


class Anchor(NamedTuple):
    """A name for a place in the source, and the byte that it leads to."""

    name: str
    at: int


class Document(NamedTuple):
    """One parsed source.

    `data` are the bytes that spans refer to: the file's own for UTF-8, else its
    UTF-8 decoding. `path` is relative to the tree's root, with `/`, undecodable
    bytes as surrogate escapes. `headings` include nested ones, in order of
    `start`. `front_matter` is the span of the metadata block with its fences.
    `metadata` is the front matter as data (JSON types, and ISO 8601 strings for
    dates); `tags` and `version` are taken from it. `dropped_spans` are the bytes
    that are in no body, in order and disjoint. `reader` makes the readable text
    of spans where it differs from the bytes; it is a module-level function, so that a
    document can be pickled. `anchors` are names in addition to the headings' slugs.
    `headings`, `blocks`, `links` and `anchors` may be made on first access.
    """

    path: str
    data: bytes
    format: Format
    title: str
    encoding: str = "utf-8"
    headings: Sequence[Heading] = ()
    blocks: Sequence[Block] = ()
    links: Sequence[Link] = ()
    front_matter: Span | None = None
    metadata: Mapping[str, Any] = {}
    tags: tuple[str, ...] = ()
    version: str | None = None
    dropped_spans: tuple[Span, ...] = ()
    degraded: bool = False
    diagnostics: tuple[Diagnostic, ...] = ()
    reader: Reader | None = None
    anchors: Sequence[Anchor] = ()

    def __repr__(self) -> str:
        return f"<Document {self.path}: {len(self.data)} bytes of {self.format}>"

    @property
    def is_rendered(self) -> bool:
        """Whether the readable text is rendered from markup or escapes, as in pages and manuals.

        Otherwise it is the source, without embedded data.
        """
        if self.reader is None or self.format in _AS_WRITTEN:
            return False
        return not getattr(self.reader, "is_as_written", False)

    def read(self, start: int, end: int) -> str:
        """Return the readable text of the bytes `[start, end)`."""
        if self.reader is not None:
            return self.reader(self.data, [(start, end)]).text
        return self.data[start:end].decode("utf-8", "replace")

    @property
    def dropped_ranges(self) -> list[tuple[int, int]]:
        """Where `dropped_spans` start and end, in order."""
        return [(span.start, span.end) for span in self.dropped_spans]


_NO_DETAILS: tuple[str, int | None] = ("", None)
_PLACE_COLUMNS: tuple[Callable[[Block], Any], ...]
_PLACE_COLUMNS = itemgetter(0), itemgetter(1), itemgetter(2)  # a block's kind, start and end


class TopBlocks(Sequence[Block]):
    """Blocks of level 0 in columns, in order, each made on access. Slices are columns, too.

    `details` maps the start of a block to its language and the start of its content, for
    blocks that have one of them.
    """

    __slots__ = ("details", "ends", "kinds", "starts")

    def __init__(
        self,
        kinds: list[BlockKind],
        starts: list[int],
        ends: list[int],
        details: dict[int, tuple[str, int | None]],
    ) -> None:
        self.kinds, self.starts, self.ends, self.details = kinds, starts, ends, details

    @classmethod
    def of(cls, blocks: Sequence[Block]) -> TopBlocks:
        details = {
            start: (info, content)
            for _, start, _, _, info, content in blocks
            if info or content is not None
        }
        kinds, starts, ends = [[*map(column, blocks)] for column in _PLACE_COLUMNS]
        return cls(kinds, starts, ends, details)

    def starting_within(self, start: int, end: int) -> TopBlocks:
        """Return the blocks that start in `[start, end)`; if all do, this object, unchanged."""
        starts = self.starts
        if not starts or (start <= starts[0] and starts[-1] < end):
            return self
        return self[bisect_left(starts, start) : bisect_left(starts, end)]

    @classmethod
    def joined(cls, parts: Iterable[TopBlocks]) -> TopBlocks:
        """Return the blocks of several regions as one sequence."""
        blocks = cls([], [], [], {})
        for part in parts:
            blocks.kinds += part.kinds
            blocks.starts += part.starts
            blocks.ends += part.ends
            blocks.details.update(part.details)
        return blocks

    @overload
    def __getitem__(self, index: int) -> Block: ...
    @overload
    def __getitem__(self, index: slice) -> TopBlocks: ...
    def __getitem__(self, index: int | slice) -> Block | TopBlocks:
        if isinstance(index, slice):
            columns = self.kinds[index], self.starts[index], self.ends[index]
            return TopBlocks(*columns, self.details)
        start = self.starts[index]
        info, content = self.details.get(start, _NO_DETAILS)
        return Block(self.kinds[index], start, self.ends[index], 0, info, content)

    def __iter__(self) -> Iterator[Block]:
        return map(self.__getitem__, range(len(self.starts)))

    def __len__(self) -> int:
        return len(self.starts)


MAX_REGIONS = 4096
"""How many regions keep their blocks in memory: they are read in order, and may be many."""


class BlockRegion:
    """The blocks of one region, nested ones too, in order; `top` are those of level 0."""

    __slots__ = ("_places", "blocks", "top")

    def __init__(self, blocks: Sequence[Block]) -> None:
        places = [place for place, block in enumerate(blocks) if not block[3]]
        self.blocks = blocks
        self.top = TopBlocks.of([blocks[place] for place in places])
        self._places = [*places, len(blocks)]

    def inside(self, block: Block) -> Sequence[Block]:
        """Return the blocks that lie in a block of level 0, in order."""
        number = bisect_right(self.top.starts, block.start)
        first, after = self._places[number - 1 : number + 1]
        return self.blocks[first + 1 : after]


class BlockRegions(ABC):
    """Blocks by the region they lie in: an alternative to a sequence as `Document.blocks`.

    A heading at the top level begins a region; no block lies in two. A region is cheaper to
    make than all blocks.
    """

    __slots__ = ()

    @abstractmethod
    def regions_of(self, start: int, end: int) -> range:
        """Return the numbers of the regions that have bytes in `[start, end)`."""

    @abstractmethod
    def region(self, number: int) -> BlockRegion:
        """Return the region with that number."""
