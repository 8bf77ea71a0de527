"""Judged queries read from files, and the bytes that their answers name.

A reference is looked up in the sources as they are now, never in an index, so
that it means the same bytes under every strategy. One that leads nowhere is an
error that names it: a wrong judgment would count as a bad search.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import sha256
from pathlib import Path

from leafmark.app.configuration.project import Project
from leafmark.app.indexing.scanning import scan
from leafmark.app.sources.contents import refuse_contents
from leafmark.app.sources.files import read_beneath
from leafmark.app.sources.formats import parse_source, unless_broken, unread
from leafmark.app.standard_input import read_bytes, read_named
from leafmark.chunking import ChunkingOptions, chunk_document
from leafmark.errors import LeafmarkError, NotFoundError, StorageError, UsageError, unreadable
from leafmark.evaluation.judgments import (
    JudgedQuery,
    Reference,
    abridged,
    as_listed,
    parse_judgments,
)
from leafmark.evaluation.metrics import Passage
from leafmark.index import IndexReader
from leafmark.model import (
    LEFT_OUT,
    PREAMBLE,
    Chunk,
    ChunkedDocument,
    Diagnostic,
    document_id,
    document_part,
    encode_path,
    subtract,
    whole_range,
)
from leafmark.search.citations import DIGEST_DIGITS, Citation, read_citation
from leafmark.suggest import nearest

_Place = Callable[[int, int], tuple[int, int]]

_PART = re.compile(r"(?P<head>.+)(?:~|\.)\d+")
_OF_ONE_STRATEGY = "is what one strategy calls it: name the section, or give the citation"


def read_queries(paths: Iterable[str], directory: Path) -> list[JudgedQuery]:
    """Return the queries of all files, in order, each file once; `-` is standard input.

    Raises:
        StorageError: a file cannot be read.
        UsageError: a file or query is wrong, or there is no query at all.
    """
    files = tuple(dict.fromkeys(paths))
    found = [query for path in files for query in parse_judgments(_text(path, directory), path)]
    if not found:
        raise UsageError("there is no query to judge", location=", ".join(files))
    _check_once(found)
    return found


def _check_once(queries: Iterable[JudgedQuery]) -> None:
    """Refuse a query that stands twice: it would count twice."""
    first: dict[tuple[str, str], str] = {}
    for query in queries:
        before = first.setdefault((query.tree, query.query), query.location)
        if before is not query.location:
            raise UsageError(
                f"the query {abridged(query.query)} stands twice",
                location=query.location,
                hint=f"it is in {before}, too: a query with several answers lists them all",
            )


def _text(path: str, directory: Path) -> str:
    try:
        data = read_bytes() if path == "-" else read_named(directory / path, path)
        return data.decode("utf-8-sig")
    except OSError as error:
        raise unreadable(error, path) from error
    except UnicodeDecodeError as error:
        raise UsageError("the file is not UTF-8", location=path) from error


class Library:
    """The project's sources, each parsed at most once, with the sections of each."""

    def __init__(self, project: Project):
        self.scan = scan(project, ())
        self._project = project
        self._documents: dict[str, ChunkedDocument | Diagnostic | None] = {}
        self._digests: dict[str, str] = {}
        self._files = {
            document_id(source.tree, source.path): (source.tree, source.path)
            for source in self.scan.found
        }
        self._by_path: dict[str, list[str]] = {}
        for doc_id, (tree, _) in self._files.items():
            self._by_path.setdefault(doc_id[len(tree) + 1 :], []).append(doc_id)

    def documents(self) -> Iterator[ChunkedDocument]:
        """Yield every source that can be read, by id."""
        for doc_id in sorted(self._files):
            found = self.document(doc_id)
            if found is not None:
                yield found

    def document(self, doc_id: str) -> ChunkedDocument | None:
        """Return a source chunked by heading; None if there is none, or it is left out."""
        if doc_id not in self._documents:
            self._documents[doc_id] = self._read(doc_id)
        found = self._documents[doc_id]
        return None if isinstance(found, Diagnostic) else found

    def _read(self, doc_id: str) -> ChunkedDocument | Diagnostic | None:
        """Return a source, None if there is none, or why nothing of it is indexed."""
        name, path = self._files.get(doc_id, ("", ""))
        tree = self._project.tree(name)
        if tree is None:
            return None
        try:
            data, state = read_beneath(tree, path)
        except FileNotFoundError:
            return None
        except (OSError, MemoryError) as error:
            return unread(path, error)
        refused = refuse_contents(tree, path, data)
        if refused is not None:
            return refused
        self._digests[doc_id] = state.digest
        set_up = self._project.chunking_options(tree)
        options = ChunkingOptions(strategy="heading", slug_style=set_up.slug_style)

        def chunked() -> ChunkedDocument:
            outputs = set_up.notebook_outputs
            document = parse_source(tree, path, data, notebook_outputs=outputs)
            return chunk_document(document, tree=name, options=options)

        return unless_broken(chunked, path, "prepared")

    def unread(self) -> tuple[Diagnostic, ...]:
        """Return why folders, and those sources that were asked for, could not be read."""
        found = (each for each in self._documents.values() if isinstance(each, Diagnostic))
        told = (note for note in found if note.code not in LEFT_OUT)
        return (*self.scan.notes.diagnostics, *told)

    def check_unchanged(self, reader: IndexReader) -> None:
        """Refuse an index of other bytes than those that were read here.

        Raises:
            StorageError: a source was written or removed meanwhile.
        """
        for doc_id, digest in self._digests.items():
            entry, owner = reader.document(doc_id), self.document(doc_id)
            gone = entry is None and owner is not None and bool(owner.chunks)
            if gone or (entry is not None and entry.state.digest != digest):
                raise StorageError(
                    "a document was changed while searches in it were judged",
                    location=doc_id,
                    hint="evaluate again",
                )

    def text(self, doc_id: str, start: int, end: int) -> str:
        """Return what a person reads in bytes `[start, end)` of a source."""
        owner = self.document(doc_id)
        return "" if owner is None else _readable(owner, (start, end))[0]

    def texts(self, doc_id: str, chunks: Iterable[Sequence[tuple[int, int]]]) -> list[str]:
        """Return what a person reads in the spans of each chunk of a source, read at once."""
        owner = self.document(doc_id)
        if owner is None:
            return ["" for _ in chunks]
        document = owner.document
        if document.reader is None:
            parts = [[document.data[slice(*span)] for span in spans] for spans in chunks]
            return [b"\n".join(each).decode("utf-8", "replace") for each in parts]
        kept = list(subtract(0, len(document.data), document.dropped_ranges))
        whole = document.reader(document.data, kept)
        return [
            "\n".join(whole.text[slice(*whole.text_range(*span))] for span in spans)
            for spans in chunks
        ]

    def passages(self, queries: Sequence[JudgedQuery]) -> list[tuple[Passage, ...]]:
        """Return the bytes that answer each query.

        Raises:
            UsageError: references lead nowhere, to several places, or to where the query does not
                search; they are named.
        """
        found, problems, files = [], [], []
        for query in queries:
            passages: list[Passage] = []
            for reference in query.answers:
                try:
                    passage = self._searched(self._passage(reference, query.tree), query.tree)
                    if any(passage[:3] == each[:3] for each in passages):  # it would count twice
                        raise UsageError(f"two answers are the same bytes of {passage.doc_id}")
                    passages.append(passage)
                except LeafmarkError as error:
                    problems.append(f"{query.location}: {error.message}")
                    files.append(query.location.rpartition(":")[0])
            found.append(tuple(passages))
        if problems:
            hint = "; ".join(self._project.missing_trees()) or None
            noun = "reference does" if len(problems) == 1 else "references do"
            said = as_listed(f"{len(problems)} {noun} not lead to one place", problems)
            raise UsageError(said, location=files[0], hint=hint)
        return found

    def _searched(self, passage: Passage, tree: str) -> Passage:
        """Return the passage, unless its query searches only a tree which has not got it."""
        if tree and self._files[passage.doc_id][0] != tree:
            raise NotFoundError(
                f"{passage.doc_id} is not in the tree {tree}, the only one that the query searches"
            )
        return passage

    def _passage(self, reference: Reference, tree: str) -> Passage:
        if not reference.id:
            return self._within(reference, tree)
        cited = read_citation(reference.id)
        if cited is not None:
            return self._cited(cited, reference)
        return _passage(*self._named(reference.id, tree), reference)

    def _named(self, name: str, tree: str) -> tuple[str, int, int]:
        """Return what an id names: a section, a document, or what stands before its sections.

        An id begins with the tree, or with the path.
        Pieces and ordinals are names of one strategy, so they name nothing here.
        """
        head, sharp, slug = name.rpartition("#") if "#" in name else (name, "", "")
        part = _PART.fullmatch(name)
        if part and not self._is_document(head) and self._is_document(part["head"]):
            raise NotFoundError(f"{name} {_OF_ONE_STRATEGY}")
        owner = self.document(head) or self._at(head, tree)
        position = owner.slugs.get(slug) if sharp else 0
        if position is None and slug == PREAMBLE and owner.chunks:
            return owner.doc_id, *_preamble(owner)
        if position is None or position >= len(owner.chunks):
            of_one = part and part["head"].rpartition("#")[2] in owner.slugs
            said = f"{name} {_OF_ONE_STRATEGY}" if of_one else f"{head} has no section #{slug}"
            raise NotFoundError(said + ("" if of_one else _nearest(slug, owner.slugs, "#")))
        chunk = owner.chunks[position]
        return chunk.doc_id, *whole_range(chunk)

    def _is_document(self, name: str) -> bool:
        return name in self._files or name in self._by_path or encode_path(name) in self._by_path

    def _cited(self, cited: Citation, reference: Reference) -> Passage:
        owners = map(self.document, map(document_part, cited.names))
        owner = next(filter(None, owners), None)
        start, end = cited.start, cited.end
        data = b"" if owner is None else owner.document.data[start:end]
        if owner is None or sha256(data).hexdigest()[:DIGEST_DIGITS] != cited.digest:
            raise NotFoundError(f"the bytes cited by {reference.id} are no longer there")
        return _passage(owner.doc_id, start, end, reference)

    def _within(self, reference: Reference, tree: str) -> Passage:
        owner = self._at(reference.path, tree)
        data = owner.document.data
        if reference.start is not None and reference.end is not None:
            if reference.end > len(data):
                raise NotFoundError(
                    f"{reference.path} has {len(data)} bytes, and none at {reference.end}"
                )
            return _passage(owner.doc_id, reference.start, reference.end, reference)
        span = (0, len(data))
        if reference.section:
            span = whole_range(_section(owner, reference))
        if reference.quote:
            span = _quoted(owner, span, reference)
        return _passage(owner.doc_id, *span, reference)

    def _at(self, path: str, tree: str) -> ChunkedDocument:
        doc_ids = self._by_path.get(path) or self._by_path.get(encode_path(path), [])
        if tree:
            doc_ids = [doc_id for doc_id in doc_ids if self._files[doc_id][0] == tree]
        owners = [owner for owner in map(self.document, doc_ids) if owner is not None]
        if len(owners) == 1:
            return owners[0]
        if owners:
            raise NotFoundError(f"{path} is in several trees: name the tree of the query")
        for doc_id in (*doc_ids, path):
            why = self._documents.get(doc_id)
            if isinstance(why, Diagnostic):
                raise NotFoundError(f"nothing of {path} is indexed: {why.message}")
        raise NotFoundError(
            f"there is no document {path}"
            + (f" in the tree {tree}" if tree else _nearest(path, [*self._by_path, *self._files]))
        )


def _nearest(name: str, known: Iterable[str], mark: str = "") -> str:
    near = nearest(name, known)
    return f"; did you mean {mark}{near[0]}?" if near else ""


def _passage(doc_id: str, start: int, end: int, reference: Reference) -> Passage:
    if start >= end:
        raise NotFoundError(f"{reference.id or reference.path} names no bytes")
    return Passage(doc_id, start, end, reference.grade)


def _preamble(owner: ChunkedDocument) -> tuple[int, int]:
    """Return the document's own text up to its first section; no bytes where it has none."""
    document, *below = owner.chunks
    if not (below and document.body_spans):
        return whole_range(document) if not below else (0, 0)
    return document.body_spans[0][0], whole_range(below[0])[0]


def _section(owner: ChunkedDocument, reference: Reference) -> Chunk:
    """Return the section that a reference names by its titles.

    The first heading of a document is often its title, and has then no other titles above
    it than the document has: the section is meant.
    """
    wanted = tuple(title.casefold() for title in reference.section)
    found = [
        chunk
        for chunk in owner.chunks
        if tuple(title.casefold() for title in chunk.section_path[-len(wanted) :]) == wanted
    ]
    if len(found) > 1 and found[0].kind == "document":
        del found[0]
    shown = " > ".join(reference.section)
    if not found:
        near = nearest(reference.section[-1], (chunk.title for chunk in owner.chunks))
        meant = f"; did you mean {near[0]!r}?" if near else ""  # quoted: titles may end with a "?"
        raise NotFoundError(f"{reference.path} has no section {shown!r}{meant}")
    if len(found) > 1:
        raise NotFoundError(f"{reference.path} has {len(found)} sections {shown!r}")
    return found[0]


def _quoted(
    owner: ChunkedDocument, within: tuple[int, int], reference: Reference
) -> tuple[int, int]:
    """Return the bytes from where the quote begins to where it, or `until`, ends.

    White space in a quote stands for any white space; in HTML the readable text
    is searched.
    """
    text, place = _readable(owner, within)
    quoted = list(_pattern(reference.quote).finditer(text))
    if len(quoted) != 1:
        said = abridged(reference.quote)
        many = f"holds {said} {len(quoted)} times: quote more of it, or name its section"
        raise NotFoundError(f"{reference.path} {many if quoted else f'does not hold {said}'}")
    end = quoted[0].end()
    if reference.until:
        last = _pattern(reference.until).search(text, quoted[0].start())
        if last is None:
            raise NotFoundError(
                f"{reference.path} does not hold {abridged(reference.until)} after the quote"
            )
        end = max(end, last.end())
    return place(quoted[0].start(), end)


def _readable(owner: ChunkedDocument, within: tuple[int, int]) -> tuple[str, _Place]:
    """Return the text of some bytes, and a function from its ranges to bytes of the source."""
    document = owner.document
    if document.reader is not None:
        kept = list(subtract(*within, document.dropped_ranges))
        readable = document.reader(document.data, kept)
        return readable.text, readable.source_range
    text = document.data[within[0] : within[1]].decode("utf-8", "surrogateescape")

    def place(start: int, end: int) -> tuple[int, int]:
        before = within[0] + len(text[:start].encode("utf-8", "surrogateescape"))
        return before, before + len(text[start:end].encode("utf-8", "surrogateescape"))

    return text, place


def _pattern(quote: str) -> re.Pattern[str]:
    return re.compile(r"\s+".join(map(re.escape, quote.split())))


def sections_of(library: Library, passages: Iterable[Passage]) -> tuple[Passage, ...]:
    """Return the sections that hold the passages, each once, with the best grade of those in it.

    A section is a heading and its own text up to the next heading. A passage that goes on
    into other sections stands for all of them; one that is a section with its subsections
    stays that. In a document without sections a passage stays as it is.
    """
    found: dict[tuple[str, int, int], Passage] = {}
    for passage in passages:
        owner = library.document(passage.doc_id)
        widened = passage if owner is None else _widened(passage, owner)
        other = found.setdefault(widened[:3], widened)
        if widened.grade > other.grade:
            found[widened[:3]] = widened
    return tuple(found.values())


def _widened(passage: Passage, owner: ChunkedDocument) -> Passage:
    if len(owner.chunks) < 2:
        return passage
    edges = sorted({edge for chunk in owner.chunks for edge in whole_range(chunk)})
    start = edges[bisect_right(edges, passage.start) - 1]
    return passage._replace(start=start, end=edges[bisect_left(edges, passage.end)])
