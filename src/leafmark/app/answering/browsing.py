"""Answers for people who browse, with counts to narrow a search by, and whole documents.

`browse_project` answers a search, counts its matches by tree, folder, tag, format and content,
and returns a function that marks the words of the query in any text. `read_document` opens one
document with its chunks and the targets of its links. `overview` returns entries to start from.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from posixpath import commonprefix
from weakref import WeakKeyDictionary

from leafmark.app.answering.listing import list_trees
from leafmark.app.answering.opening import mending, open_index, open_reporting
from leafmark.app.answering.resolving import Resolver
from leafmark.app.answering.searching import parse_request, search_index
from leafmark.app.configuration.project import Project
from leafmark.app.indexed_sources import Sources
from leafmark.app.linking import KnownKeys, Links, indexed_place
from leafmark.app.requests import ListRequest, SearchRequest
from leafmark.chunking import ChunkingOptions, token_counter
from leafmark.errors import QueryError
from leafmark.index import IndexReader
from leafmark.index.filter_terms import fact
from leafmark.index.queries import AllOf, HasTerm, Query, unscored
from leafmark.model import Answer, Document, DocumentEntry, Entry, TreeStatus, document_id
from leafmark.namedtuples import NamedTuple
from leafmark.parsing import format_of
from leafmark.search.compile import CompiledTopic
from leafmark.search.highlight import Highlighter
from leafmark.search.lookup import find_chunk
from leafmark.search.pipeline import Compile
from leafmark.search.snippets import join_ranges

MAX_COUNTED = 2000
"""Best matches that facets are counted from; reading more takes longer than a search."""

MAX_COUNTED_DOCUMENTS = 20_000
"""Documents that they are counted from if a request only narrows documents: 3 µs for each."""

MAX_BROWSED = 12
"""The number of folders and of tags in an overview."""

MAX_TAGGED = 300
"""Documents whose tags are counted: each needs its record."""

KINDS = ("format", "has")
"""Filters that are facets: the format of a document, and the kinds of content of a section."""

MarkText = Callable[[str], Sequence[tuple[int, int]]]
"""Returns the ranges of the characters of a text that match."""


class Facet(NamedTuple):
    """One value that a search can be narrowed to, and how many documents it leaves."""

    name: str
    value: str
    number: int


class Browsed(NamedTuple):
    """An answer, the facets of its matches by name, and the marker of its words in a text."""

    answer: Answer
    facets: Mapping[str, tuple[Facet, ...]] = {}
    mark: MarkText = lambda _: ()


@mending
def browse_project(project: Project, request: SearchRequest, *, folder: str = "") -> Browsed:
    """Return an answer with its facets; those of folders are directly below `folder`."""
    reader, hints = open_index(project, request)
    answer = search_index(project, reader, request, Sources(project))
    answer = answer._replace(hints=(*hints, *answer.hints))
    if any(hint.code == "plain" for hint in answer.hints):
        request = request._replace(plain=True)
    parsed = parse_request(project, request)
    compiled = Compile(reader, parsed.params)
    topics = [topic for expression in parsed.topics for topic in compiled(expression).values()]
    facets = _facets(reader, topics, folder, is_browsed=_is_browsed(request))
    return Browsed(answer, facets, _marker(topics))


def _is_browsed(request: SearchRequest) -> bool:
    """Say whether a request has no query, and only filters on whole documents."""
    names = {name for name, _ in request.filters}
    return not request.queries and not request.section and names <= {"path", "tree", "format"}


def _facets(
    reader: IndexReader, topics: Sequence[CompiledTopic], folder: str, *, is_browsed: bool
) -> dict[str, tuple[Facet, ...]]:
    documents: Counter[str] = Counter()
    kinds: dict[str, dict[str, set[str]]] = {name: {} for name in KINDS}
    for topic in topics:
        whole = query = _matching(reader, topic)
        if is_browsed:
            whole = AllOf((query, HasTerm("facts", fact("kind", "document"))))
        documents.update(_documents(reader, whole, is_browsed=is_browsed))
        for name, values in kinds.items():
            within = whole if name == "format" else query
            begin = fact(name, "")
            for term, _ in reader.terms("facts", begin, within=unscored(within)):
                having = AllOf((within, HasTerm("facts", term)))
                doc_ids = _documents(reader, having, is_browsed=is_browsed)
                values.setdefault(term[len(begin) :], set()).update(doc_ids)
    return {
        "tree": _facet("tree", Counter(doc_id.partition(":")[0] for doc_id in documents)),
        "folder": _facet("folder", _folders(documents, folder)),
        "tag": _facet("tag", _tags(reader, documents)),
        **{
            name: _facet(name, Counter({value: len(ids) for value, ids in values.items()}))
            for name, values in kinds.items()
        },
    }


def _documents(reader: IndexReader, query: Query, *, is_browsed: bool) -> list[str]:
    """Return the document of each match, of so many at most."""
    limit = MAX_COUNTED_DOCUMENTS if is_browsed else MAX_COUNTED
    matches = reader.search([(unscored(query), limit)])[0]
    return [doc_id for doc_id, _ in reader.refs([chunk for _, chunk in matches])]


def _matching(reader: IndexReader, topic: CompiledTopic) -> Query:
    """Return the query for chunks with all words or, if there is none, with enough of them."""
    if topic.filters_only or reader.count([topic.every_word])[0]:
        return topic.every_word
    return topic.some_words


def _facet(name: str, counts: Counter[str]) -> tuple[Facet, ...]:
    """Return the values of a facet, most frequent first."""
    rows = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    return tuple(Facet(name, value, count) for value, count in rows if count)


def _folders(documents: Iterable[str], within: str) -> Counter[str]:
    """Count documents by their folder directly below `within`, spelled as in ids."""
    folders: Counter[str] = Counter()
    for doc_id in documents:
        path = doc_id.partition(":")[2]
        if path.startswith(within):
            head, slash, _ = path[len(within) :].partition("/")
            if slash:
                folders[f"{within}{head}/"] += 1
    return folders


def _tags(reader: IndexReader, documents: Mapping[str, int]) -> Counter[str]:
    tags: Counter[str] = Counter()
    for doc_id in heapq.nlargest(MAX_TAGGED, documents, key=documents.__getitem__):
        entry = reader.document(doc_id)
        tags.update(set(entry.tags) if entry is not None else ())
    return tags


def _marker(topics: Sequence[CompiledTopic]) -> MarkText:
    """Return a function that marks the words of topics, but for stop words, in any text."""
    highlighters = [
        Highlighter(
            [term for term in topic.all_terms if term.number not in topic.stops],
            topic.language.analyzer,
        )
        for topic in topics
    ]

    def mark(text: str) -> Sequence[tuple[int, int]]:
        ranges = [match[:2] for highlighter in highlighters for match in highlighter.find(text)]
        return join_ranges(sorted(ranges))

    return mark


_LABELS: WeakKeyDictionary[IndexReader, dict[str, Mapping[str, Sequence[str]]]]
_LABELS = WeakKeyDictionary()
"""Cached results of `_labels` for each open reader, by tree."""


def _labels(reader: IndexReader, tree: str) -> Mapping[str, Sequence[str]]:
    """Return the paths of the reStructuredText documents with each slug; 0.1 ms a document."""
    known = _LABELS.setdefault(reader, {})
    if tree not in known:
        labels: dict[str, list[str]] = {}
        paths = sorted(path for name, path in reader.manifest if name == tree)
        for path in paths:
            stored = reader.stored(document_id(tree, path)) if format_of(path) == "rst" else None
            for slug in stored.slugs() if stored is not None else ():
                labels.setdefault(slug, []).append(path)
        known[tree] = labels
    return known[tree]


class DocumentReading:
    """One indexed document, open: its chunks, its bytes, and the targets of its links.

    `entry` is the named chunk. `data` is None if the source has changed since it was indexed.
    `root` is the absolute folder of its tree.
    """

    def __init__(self, project: Project, reader: IndexReader, entry: Entry):
        self.entry = entry
        self.document: DocumentEntry = reader.get_document(entry.doc_id)
        self.chunks: Sequence[Entry] = reader.chunks_of(entry.doc_id)
        self._sources = Sources(project)
        self._reader = reader
        self.data = self._sources.data(self.document)
        tree = project.tree(entry.tree)
        self.root = None if tree is None else str(tree.root)
        options = ChunkingOptions() if tree is None else project.chunking_options(tree)
        self._tokenizer = options.tokenizer

    @cached_property
    def parsed(self) -> Document | None:
        """The parsed document; None if the source has changed."""
        return self._sources.parsed(self.document)

    @cached_property
    def _links(self) -> Links:
        return Links(indexed_place(self._reader), KnownKeys(self._reader.manifest))

    def find_link(self, target: str) -> str | None:
        """Return the id that a link of the document leads to, None if its target is not indexed.

        A label of reStructuredText can stand in any document of the tree.
        """
        target_id = self._links.find(target, "link", self.document)
        if target[:1] != "#" or target_id != self.document.doc_id or self.document.format != "rst":
            return target_id
        paths = _labels(self._reader, self.document.tree).get(target[1:], ())
        holding = [path for path in paths if path != self.document.path]
        if not holding:
            return target_id
        own = self.document.path.split("/")
        near = max(holding, key=lambda path: len(commonprefix((path.split("/"), own))))
        return self._links.find(f"/{near}{target}", "link", self.document)

    def find_title(self, target: str) -> str | None:
        """Return the title of a link's target, None if that is not indexed."""
        target_id = self.find_link(target)
        entry = find_chunk(self._reader, target_id) if target_id else None
        return entry.title if entry is not None else None

    @cached_property
    def _count_tokens(self) -> Callable[[str], int]:
        return token_counter(self._tokenizer)

    def tokens(self, chunk: Entry) -> int:
        """Return the number of tokens of a chunk's text, counted as for its size."""
        spans = chunk.body_spans
        text = self.readable(spans)
        if text is None:
            data = b"".join((self.data or b"")[start:end] for start, end in spans)
            text = data.decode("utf-8", "replace")
        return self._count_tokens(text)

    def readable(self, ranges: Sequence[tuple[int, int]]) -> str | None:
        """Return the readable text of ranges of the source; None if the bytes are the text."""
        reading = self._sources.reading(self.document, ranges)
        return None if reading is None else reading.all_shown


def read_document(project: Project, name: str) -> DocumentReading:
    """Open the document of the chunk that an id names.

    Raises:
        AmbiguousError, NotFoundError: the id names several chunks or none; there is no index.
    """
    reader = open_reporting(project, ListRequest(refresh=False), None)
    return DocumentReading(project, reader, Resolver(reader, reader.manifest).resolve(name))


class Overview(NamedTuple):
    """Entries to browse from: trees with their sizes, first folders, tags.

    Tags count chunks, folders documents.
    """

    trees: tuple[TreeStatus, ...] = ()
    folders: tuple[Facet, ...] = ()
    tags: tuple[Facet, ...] = ()


def overview(project: Project) -> Overview:
    """Return entries to browse from, at most `MAX_BROWSED` of each kind but trees.

    Raises:
        NotFoundError: there is no index.
    """
    trees = list_trees(project, ListRequest(refresh=False))
    reader = open_reporting(project, ListRequest(refresh=False), None)
    keys = (key for key, row in reader.manifest.items() if row.chunks)
    folders = _folders((document_id(*key) for key in keys), "")
    tags = reader.terms("facts", fact("tag", ""), limit=MAX_BROWSED)
    return Overview(
        trees,
        _facet("folder", folders)[:MAX_BROWSED],
        tuple(Facet("tag", term.partition("=")[2], count) for term, count in tags),
    )


def text_marker(project: Project, query: str) -> MarkText:
    """Return a function that marks the words of a query in any text; none of an invalid query."""
    if not query.strip():
        return lambda _: ()
    request = SearchRequest((query,), mode="lexical")
    reader = open_reporting(project, ListRequest(refresh=False), None)
    try:
        parsed = parse_request(project, request)
    except QueryError:
        parsed = parse_request(project, request._replace(plain=True))
    compiled = Compile(reader, parsed.params)
    return _marker(
        [topic for expression in parsed.topics for topic in compiled(expression).values()]
    )
