"""What a search answers: candidates, results, what of them is shown, and why one is absent.

Byte ranges are half-open. `match_ranges` count from the start of the body
(`Chunk.body_bytes`); snippet ranges are character offsets into the snippet. An answer that
must fit a number of tokens is the beginning of one fixed order of bytes: see `Packing`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, get_args, overload

from leafmark.frozen import Frozen
from leafmark.model.entry import DocumentEntry, Entry
from leafmark.model.span import ReadableText
from leafmark.namedtuples import NamedTuple


class WeightedText(NamedTuple):
    """A part of a file and how much its words say about it; `source` names the part."""

    source: str
    text: str
    weight: float


class KeyTerm(NamedTuple):
    """A word that says what a text is about.

    `score` is `weight` × idf; `weight` the sum over `sources` of their weights ×
    (1 + ln of how often the word stands there); `chunks` tells how many chunks
    have it.
    """

    word: str
    score: float
    weight: float
    chunks: int
    sources: tuple[str, ...]


class Passage(NamedTuple):
    """Consecutive bytes of a source, as text.

    `citation` covers those that lie in the result's span; it is None for a
    heading alone, which lies before the span. Where the bytes are markup, `text`
    is what a person reads in them: the part of `reading` from `text_start` on.
    """

    start: int
    end: int
    text: str
    citation: str | None = None
    reading: ReadableText | None = None
    text_start: int = 0


class Omission(NamedTuple):
    """What was left out: its cost, and the id to ask for.

    `results` counts whole results that have no place; `id` is the first one's then.
    `own` says that nothing of the sections below it is missing here, only its own text.
    """

    id: str
    tokens: int
    results: int = 0
    own: bool = False


class Unit(NamedTuple):
    """Bytes that are shown or left out together: a block of text, with a heading before it."""

    start: int
    end: int
    tokens: int


class Extent(NamedTuple):
    """Where a chunk lies, its heading included; `own_end` is where sections below it begin."""

    start: int
    end: int
    id: str
    own_end: int


class Item(NamedTuple):
    """One result as it is packed.

    `units` are in order of the text and disjoint; `order` holds their indexes in
    the order in which they are added. `span` is the chunk's own, without its
    heading. `extents` are those of the chunk and of all below it, each after
    its parent. An item whose source cannot be read has no units. `reading` is what
    a person reads in all of it where the bytes are markup. `preamble` is what stands
    in a document before its sections, which has an id of its own.
    """

    id: str
    source: bytes
    span: tuple[int, int]
    units: tuple[Unit, ...] = ()
    order: tuple[int, ...] = ()
    extents: tuple[Extent, ...] = ()
    reading: ReadableText | None = None
    preamble: Extent | None = None


class Step(NamedTuple):
    """One addition to an answer: an item's place (`unit` is None), or one of its units."""

    item: int
    unit: int | None = None


class Packing(NamedTuple):
    """The items of an answer and the order in which they are filled in.

    First the results, by rank, then what was added to each of them by expansion.
    The order depends on nothing but the answer, so that more room only adds to
    what is shown.
    """

    items: tuple[Item, ...]
    steps: tuple[Step, ...]


WORD = "word"
"""The `how` of a factor that a word of the query is: its name is how it was typed."""

Grain = Literal["auto", "piece", "section", "document"]
"""How large a result may be."""

GRAINS: tuple[Grain, ...] = get_args(Grain)
Sort = Literal["score", "mtime", "path"]
"""What results are ordered by."""

SORTS: tuple[Sort, ...] = get_args(Sort)


class Factor(NamedTuple):
    """One part of a score: `value` is what it contributes, `how` says by which rule.

    `operation` tells how the parts of one level combine: `add` (term × field
    contributions) or `multiply` (boosts); `parts` break a factor down further.
    """

    name: str
    value: float
    operation: str = "add"
    how: str = ""
    parts: tuple[Factor, ...] = ()


class Candidate(NamedTuple):
    """A scored chunk. `relaxed` ones match some of a question's words, not all.

    `topics` are the 0-based numbers of the query arguments that it matched.
    `direct_score` is the chunk's own match, None for a parent that stands here
    only for its `constituents`. `whole` marks a document that is near as a whole,
    with none of its chunks among the candidates. An `introduction` is a chunk as it
    stands before what is below it: its `entry` ends there. `more` counts the further
    matches of its document that found no place. A `named` one is the query is its name.
    """

    entry: Entry
    score: float
    relaxed: bool = False
    topics: tuple[int, ...] = (0,)
    direct_score: float | None = None
    constituents: tuple[Candidate, ...] = ()
    also_in: tuple[str, ...] = ()
    whole: bool = False
    factors: tuple[Factor, ...] = ()
    introduction: bool = False
    other_versions: tuple[Entry, ...] = ()
    more: int = 0
    named: bool = False

    def with_constituents(self) -> Iterator[Candidate]:
        """Yield the candidate and all that was merged into it, from the top down."""
        yield self
        for part in self.constituents:
            yield from part.with_constituents()


class Snippet(NamedTuple):
    """An excerpt of a body, `ranges` marking the matches in `text` (characters)."""

    text: str = ""
    ranges: tuple[tuple[int, int], ...] = ()

    @property
    def html(self) -> str:
        """The text escaped, with `<b>…</b>` around the matches.

        >>> Snippet("a <b> c", ((2, 5),)).html
        'a <b>&lt;b&gt;</b> c'
        """
        import html  # late: only HTML and JSON need it

        parts, at = [], 0
        for start, end in self.ranges:
            parts.append(html.escape(self.text[at:start], quote=False))
            parts.append(f"<b>{html.escape(self.text[start:end], quote=False)}</b>")
            at = end
        return "".join(parts) + html.escape(self.text[at:], quote=False)


Relation = Literal["parent", "siblings", "children", "prev", "next"]
RELATIONS: tuple[Relation, ...] = get_args(Relation)


class Related(NamedTuple):
    """A chunk that was added to a result: its heading and own body, in passages.

    Under a budget some of them are omissions. `lead` is the beginning of its
    text, for forms that show excerpts.
    """

    relation: Relation
    entry: Entry
    passages: tuple[Passage | Omission, ...] = ()
    lead: Snippet = Snippet()


class Result(NamedTuple):
    """What the user gets for one place in the ranking.

    `body` and `span_sha256` are None when the source is not what was indexed
    (`stale`); then `snippet` is empty and there are no ranges and no citation.

    `body_bytes` are the bytes that `match_ranges` count in (they differ from
    `body` where a source has bytes that are not UTF-8). `body_places` holds the
    1-based line and byte column at which each of `entry.body_spans` begins.
    `cited` are the sha256 of its span, hex, and the citation. These, the places, `match_ranges`
    and `constituents` may be made when they are first looked at.
    `full_text` is heading and whole section as it is read, where it was asked for;
    `reading` tells where it comes from if the bytes are markup. Under a
    budget `passages` says what of the result is shown and what is left out; it is
    None where there is none. `expanded` is what was added to it. Of an
    `introduction`, `entry`, texts and citation end before the first chunk below it. `more`
    further matches of its document found no place.
    """

    entry: Entry
    document: DocumentEntry
    score: float
    rank: int = 0
    relaxed: bool = False
    stale: bool = False
    whole: bool = False
    body: str | None = None
    cited: Sequence[str] = ()
    snippet: Snippet = Snippet()
    match_ranges: Sequence[tuple[int, int]] = ()
    constituents: Sequence[Result] = ()
    also_in: tuple[str, ...] = ()
    factors: tuple[Factor, ...] = ()
    body_bytes: bytes | None = None
    body_places: Sequence[tuple[int, int]] = ()
    full_text: str | None = None
    reading: ReadableText | None = None
    passages: tuple[Passage | Omission, ...] | None = None
    expanded: tuple[Related, ...] = ()
    introduction: bool = False
    other_versions: tuple[Entry, ...] = ()
    more: int = 0

    def __repr__(self) -> str:
        return f"<Result {self.rank}: {self.entry.id}, score {self.score:.2f}>"

    @property
    def id(self) -> str:
        return self.entry.id

    @property
    def span_sha256(self) -> str | None:
        return self.cited[0] if self.cited else None

    @property
    def citation(self) -> str | None:
        return self.cited[1] if self.cited else None

    @property
    def path(self) -> str:
        """The path of its document below the root of the tree."""
        return self.entry.path

    @property
    def title(self) -> str:
        return self.entry.title

    @property
    def breadcrumb(self) -> str:
        return self.entry.breadcrumb

    @property
    def line_start(self) -> int:
        return self.entry.line_start

    @property
    def text(self) -> str:
        """`full_text` where it was read, else `body`; empty for a stale result."""
        return (self.body if self.full_text is None else self.full_text) or ""

    def with_constituents(self) -> Iterator[Result]:
        """Yield the result and all that was merged into it, from the top down."""
        yield self
        for part in self.constituents:
            yield from part.with_constituents()

    @property
    def file_ranges(self) -> list[tuple[int, int]]:
        """The matches as byte ranges of the source; one over a gap of the body ends there."""
        ranges = []
        body_start = 0
        for start, end in self.entry.body_spans:
            length = end - start
            for left, right in self.match_ranges:
                if body_start <= left < body_start + length:
                    stop = min(right, body_start + length)
                    ranges.append((start + left - body_start, start + stop - body_start))
            body_start += length
        return ranges


class Phase(NamedTuple):
    """What one phase of the pipeline did: how many went in, how many came out, and why."""

    name: str
    before: int
    after: int
    note: str = ""


class Hint(NamedTuple):
    """Something the user may want to know or do next: a stable `code` with its `values`.

    Front ends word it (`render.hints`), each in its own terms. Where `message` is given, it is
    the wording for all of them. Where an answer lacks something, `reason` says why, without what
    that means for the answer.
    """

    code: str
    message: str = ""
    reason: str = ""
    values: Mapping[str, Any] = {}


class Answer(Frozen, Sequence[Result]):
    """The answer to one search: the sequence of its results, and what there is to say of them.

    `records` are the full chunk records by id, where asked for. `roots` holds the absolute root
    folder of each tree, by name. `terms` are what was looked for where it was taken from files or
    chunks. `packing` is the order in which it is cut to a budget, where that was asked for, and
    `omission` what a budget left out altogether; `tokenizer` is what a budget is counted in.
    """

    query: str
    mode: str
    results: tuple[Result, ...]
    phases: tuple[Phase, ...] = ()
    hints: tuple[Hint, ...] = ()
    elapsed_ms: float = 0.0
    counts: Mapping[str, int] = {}
    expressions: tuple[str, ...] = ()
    records: Mapping[str, Mapping[str, Any]] = {}
    roots: Mapping[str, str] = {}
    terms: tuple[KeyTerm, ...] = ()
    packing: Packing | None = None
    omission: Omission | None = None
    tokenizer: str = "o200k_base"

    def __len__(self) -> int:
        return len(self.results)

    @overload
    def __getitem__(self, at: int) -> Result: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[Result, ...]: ...
    def __getitem__(self, at: int | slice) -> Result | tuple[Result, ...]:
        return self.results[at]

    def __repr__(self) -> str:
        count = len(self.results)
        return f"<Answer to {self.query!r}: {count} result{'' if count == 1 else 's'}>"


LostAt = Literal[
    "filter",
    "match",
    "meaning",
    "strict",
    "relaxed",
    "candidates",
    "cutoff",
    "merged",
    "duplicate",
    "document",
    "limit",
]
"""The phase at which a chunk was lost.

- `filter`: a filter does not admit it.
- `match`: it does not match; `meaning`: it is not near, where words do not count.
- `strict`, `relaxed`: it matches some of the words, while all are asked for, or enough
  others match all.
- `candidates`, `cutoff`, `limit`: it came after the last that was considered, kept, shown.
- `merged`: it is part of a larger result; `duplicate`: a result has the same text.
- `document`: its document has taken all the places that one may take.
"""


class UnmatchedPart(NamedTuple):
    """A part of the query that the chunk does not meet.

    `refuses` says that the chunk has what the part leaves out. `chunks` tells how
    many chunks have it, `near` which words of the chunk are most like it.
    """

    text: str
    refuses: bool = False
    chunks: int = 0
    near: tuple[str, ...] = ()


class AbsenceReason(NamedTuple):
    """Where one topic lost a chunk, and what it was that came that far.

    `id` is the chunk itself or one below it. `rank` and `score` are its place
    among `of` matches. `by` is the id of the result that took it in, or has the
    same text. `ratio` is the drop of scores that ended the list before it. `values` are what
    else there is to say: front ends word it (`render.absence`).
    """

    lost_at: LostAt
    id: str
    topic: int = 0
    rank: int | None = None
    score: float | None = None
    of: int | None = None
    by: str | None = None
    ratio: float | None = None
    unmatched: tuple[UnmatchedPart, ...] = ()
    values: Mapping[str, Any] = {}


class WhyNotReport(NamedTuple):
    """Why the chunk `id` is not among the results; or, with `shown_as`, at which rank it is.

    `shown_as` is the id of the result: its own or that of a chunk below it.
    `remedy` are settings, `without` parts of the query to leave out, and `added` one
    to add, that together do show it: this was tried. They are empty where nothing
    tried did. `hints` say what a search would: that it is lexical, for example.
    """

    id: str
    query: str
    reasons: tuple[AbsenceReason, ...] = ()
    shown_as: str | None = None
    rank: int | None = None
    remedy: Mapping[str, Any] = {}
    without: tuple[str, ...] = ()
    added: str | None = None
    hints: tuple[Hint, ...] = ()
