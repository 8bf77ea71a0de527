"""The answer of a search: candidates, results, their shown parts, and reasons of absence.

Byte ranges are half-open. `match_ranges` count from the start of the body
(`Chunk.body_bytes`); snippet ranges are character offsets into the snippet. An answer within
a budget of tokens is a prefix of one fixed order of bytes: see `Packing`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, get_args, overload

from leafmark.frozen import Frozen
from leafmark.model.entry import DocumentEntry, Entry
from leafmark.model.span import ReadableText
from leafmark.namedtuples import NamedTuple


class WeightedText(NamedTuple):
    """A part of a file and the weight of its words; `source` names the part."""

    source: str
    text: str
    weight: float


class KeyTerm(NamedTuple):
    """A word that characterises a text.

    `score` is `weight` × idf; `weight` the sum over `sources` of their weights ×
    (1 + ln of the word's frequency there); `chunks` counts the chunks with the word.
    """

    word: str
    score: float
    weight: float
    chunks: int
    sources: tuple[str, ...]


class Passage(NamedTuple):
    """Consecutive bytes of a source, as text.

    `citation` covers the bytes that lie in the result's span; it is None for a
    heading alone, which lies before the span. Where the bytes are markup, `text`
    is their readable text: the part of `reading` from `text_start` on.
    """

    start: int
    end: int
    text: str
    citation: str | None = None
    reading: ReadableText | None = None
    text_start: int = 0


class Omission(NamedTuple):
    """An omitted part: its cost, and the id that shows it.

    `results` counts omitted whole results; then `id` is that of the first.
    `own` marks an omission of own text alone, without the sections below it.
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
    """The range of a chunk with its heading; `own_end` is where the sections below it begin."""

    start: int
    end: int
    id: str
    own_end: int


class Item(NamedTuple):
    """One result for packing.

    `units` are in order of the text and disjoint; `order` holds their indexes in
    the order of addition. `span` is the chunk's own, without its heading. `extents`
    are those of the chunk and of all chunks below it, each after its parent. An item
    whose source cannot be read has no units. `reading` is the readable text of the whole
    item where the bytes are markup. `preamble` is the part of a document before its
    sections, which has its own id.
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
    """The items of an answer and the order of their additions.

    First come the results, by rank, then the chunks that expansion added to each of them.
    The order depends only on the answer, so that a larger budget only adds to the shown parts.
    """

    items: tuple[Item, ...]
    steps: tuple[Step, ...]


WORD = "word"
"""The `how` of a factor for a word of the query, whose name is the word as typed."""

Grain = Literal["auto", "piece", "section", "document"]
"""The size of results."""

GRAINS: tuple[Grain, ...] = get_args(Grain)
Sort = Literal["score", "mtime", "path"]
"""The sort key of results."""

SORTS: tuple[Sort, ...] = get_args(Sort)


class Factor(NamedTuple):
    """One part of a score: `value` is its contribution, `how` the rule that produced it.

    `operation` combines the factors of one level: `add` (term × field
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
    `direct_score` is the score of the chunk's own match, None for a parent that only
    represents its `constituents`. `whole` marks a document that is near as a whole,
    with none of its chunks among the candidates. An `introduction` is the part of a chunk
    before the chunks below it: its `entry` ends there. `more` counts the further
    matches of its document that are not among the candidates. The query is the name of a
    `named` one.
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
        """Yield the candidate and all candidates merged into it, from the top down."""
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

    Under a budget some of the passages are omissions. `lead` is the beginning of its
    text, for forms that show excerpts.
    """

    relation: Relation
    entry: Entry
    passages: tuple[Passage | Omission, ...] = ()
    lead: Snippet = Snippet()


class Result(NamedTuple):
    """One result of the ranking, as the user sees it.

    `body` and `span_sha256` are None when the source differs from the indexed one
    (`stale`); then `snippet` is empty and there are no ranges and no citation.

    `body_bytes` are the bytes that `match_ranges` refer to (they differ from
    `body` where a source has bytes that are not UTF-8). `body_places` holds the
    1-based line and byte column at which each of `entry.body_spans` begins.
    `cited` are the sha256 of its span, hex, and the citation. These, the places, `match_ranges`
    and `constituents` may be made on first access.
    `full_text`, if requested, is the readable text of heading and whole section;
    `reading` maps it to the source if the bytes are markup. Under a
    budget `passages` are the shown and the omitted parts of the result; without one it is
    None. `expanded` are the chunks added to it. The `entry`, texts and citation of an
    `introduction` end before the first chunk below it. `more` counts the further matches of
    its document that are not among the results.
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
        """The document's path, relative to the root of the tree."""
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
        """`full_text` if it was requested, otherwise `body`; empty for a stale result."""
        return (self.body if self.full_text is None else self.full_text) or ""

    def with_constituents(self) -> Iterator[Result]:
        """Yield the result and all results merged into it, from the top down."""
        yield self
        for part in self.constituents:
            yield from part.with_constituents()

    @property
    def file_ranges(self) -> list[tuple[int, int]]:
        """The matches as byte ranges of the source; a match over a gap of the body ends there."""
        ranges = []
        body_start = 0
        for start, end in self.entry.body_spans:
            length = end - start
            for first, after in self.match_ranges:
                if body_start <= first < body_start + length:
                    stop = min(after, body_start + length)
                    ranges.append((start + first - body_start, start + stop - body_start))
            body_start += length
        return ranges


class Phase(NamedTuple):
    """The work of one phase of the pipeline: candidates before and after it, and why."""

    name: str
    before: int
    after: int
    note: str = ""


class Hint(NamedTuple):
    """A fact or a next step for the user: a stable `code` with its `values`.

    Front ends word it (`render.hints`), each in its own terms, unless `message` words it for
    all of them. Where an answer lacks something, `reason` says why, without the consequence
    for the answer.
    """

    code: str
    message: str = ""
    reason: str = ""
    values: Mapping[str, Any] = {}


class Answer(Frozen, Sequence[Result]):
    """The answer to one search: the sequence of its results, and information about them.

    `records`, if requested, are the full chunk records by id. `roots` holds the absolute root
    folder of each tree, by name. `terms` are the words of the search if they were taken from
    files or chunks. `packing`, for an answer with a budget, is the order of its parts, and
    `omission` the results that the budget left out; `tokenizer` counts the tokens of a budget.
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

- `filter`: a filter excludes it.
- `match`: it does not match; `meaning`: it is not near, in a search by meaning alone.
- `strict`, `relaxed`: it matches some of the words, while the query requires all, or enough
  others match all.
- `candidates`, `cutoff`, `limit`: it came after the last one considered, kept, shown.
- `merged`: it is part of a larger result; `duplicate`: a result has the same text.
- `document`: its document already has the maximum number of results.
"""


class UnmatchedPart(NamedTuple):
    """A part of the query that the chunk does not meet.

    `refuses` marks a part that excludes the chunk for its content. `chunks` counts the
    chunks that have the part, `near` are the words of the chunk most like it.
    """

    text: str
    refuses: bool = False
    chunks: int = 0
    near: tuple[str, ...] = ()


class AbsenceReason(NamedTuple):
    """The phase at which one topic lost a chunk, and the state of the chunk at that phase.

    `id` is the chunk itself or one below it. `rank` and `score` are its place
    among `of` matches. `by` is the id of the result that contains it, or has the
    same text. `ratio` is the drop of scores that ended the list before it. `values` are
    further facts, which front ends word (`render.absence`).
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
    `remedy` are settings, `without` parts of the query to leave out, and `added` a part
    to add: a search with all of them shows the chunk, as a trial confirmed. They are empty if
    no trial did. `hints` are those of a search: that it is lexical, for example.
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
