"""Judged queries from files, and the bytes of their answers.

A reference is looked up in the current sources, never in an index, so that it means the same bytes
under every strategy. A reference without a target is an error: a wrong judgment would count as a
bad search.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import sha256
from pathlib import Path

from leafmark.app.configuration.project import Project
from leafmark.app.indexing.scanning import scan
from leafmark.app.sources.contents import refuse_contents
from leafmark.app.sources.files import read_beneath
from leafmark.app.sources.source_formats import parse_source, unless_broken, unread
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
_OF_ONE_STRATEGY = "is an id of one strategy only: name the section, or give the citation"


def read_queries(paths: Iterable[str], directory: Path) -> list[JudgedQuery]:
    """Return the queries of all files, in order, each file once; `-` is standard input.

    Raises:
        StorageError: a file cannot be read.
        UsageError: a file or query is wrong, or there is no query at all.
    """
    files = tuple(dict.fromkeys(paths))
    queries = [query for path in files for query in parse_judgments(_text(path, directory), path)]
    if not queries:
        raise UsageError("there is no query to judge", location=", ".join(files))
    _check_once(queries)
    return queries


def _check_once(queries: Iterable[JudgedQuery]) -> None:
    """Refuse a repeated query: it would count twice."""
    first: dict[tuple[str, str], str] = {}
    for query in queries:
        before = first.setdefault((query.tree, query.query), query.location)
        if before is not query.location:
            raise UsageError(
                f"the query {abridged(query.query)} appears twice",
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
    """The project's sources with their sections; each source is parsed at most once."""

    def __init__(self, project: Project):
        self.scan = scan(project, ())
        self._project = project
        self._documents: dict[str, ChunkedDocument | Diagnostic | None] = {}
        self._digests: dict[str, str] = {}
        self._files = {
            document_id(source.tree, source.path): (source.tree, source.path)
            for source in self.scan.sources
        }
        self._by_path: dict[str, list[str]] = {}
        for doc_id, (tree, _) in self._files.items():
            self._by_path.setdefault(doc_id[len(tree) + 1 :], []).append(doc_id)

    def documents(self) -> Iterator[ChunkedDocument]:
        """Yield every source that can be read, by id."""
        for doc_id in sorted(self._files):
            document = self.document(doc_id)
            if document is not None:
                yield document

    def document(self, doc_id: str) -> ChunkedDocument | None:
        """Return a source chunked by heading; None if it is missing, unreadable or left out."""
        if doc_id not in self._documents:
            self._documents[doc_id] = self._read(doc_id)
        document = self._documents[doc_id]
        return None if isinstance(document, Diagnostic) else document

    def _read(self, doc_id: str) -> ChunkedDocument | Diagnostic | None:
        """Return a source, None if it is missing, or the reason why it is left out."""
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
        configured = self._project.chunking_options(tree)
        options = ChunkingOptions(strategy="heading", slug_style=configured.slug_style)

        def chunked() -> ChunkedDocument:
            outputs = configured.notebook_outputs
            document = parse_source(tree, path, data, notebook_outputs=outputs)
            return chunk_document(document, tree=name, options=options)

        return unless_broken(chunked, path, "prepared")

    def unread(self) -> tuple[Diagnostic, ...]:
        """Return the diagnostics of unreadable folders, and of requested sources."""
        diagnostics = (note for note in self._documents.values() if isinstance(note, Diagnostic))
        reported = (note for note in diagnostics if note.code not in LEFT_OUT)
        return (*self.scan.notes.diagnostics, *reported)

    def check_unchanged(self, reader: IndexReader) -> None:
        """Refuse an index whose bytes are not those of this library.

        Raises:
            StorageError: a source was written or removed meanwhile.
        """
        for doc_id, digest in self._digests.items():
            entry, owner = reader.document(doc_id), self.document(doc_id)
            gone = entry is None and owner is not None and bool(owner.chunks)
            if gone or (entry is not None and entry.state.digest != digest):
                raise StorageError(
                    "a document was changed during the evaluation",
                    location=doc_id,
                    hint="evaluate again",
                )

    def text(self, doc_id: str, start: int, end: int) -> str:
        """Return the readable text of bytes `[start, end)` of a source."""
        owner = self.document(doc_id)
        return "" if owner is None else _readable(owner, (start, end))[0]

    def texts(self, doc_id: str, chunks: Iterable[Sequence[tuple[int, int]]]) -> list[str]:
        """Return the readable text of each chunk's spans; the source is read once."""
        owner = self.document(doc_id)
        if owner is None:
            return ["" for _ in chunks]
        document = owner.document
        if document.reader is None:
            parts = [[document.data[slice(*span)] for span in spans] for spans in chunks]
            return [b"\n".join(pieces).decode("utf-8", "replace") for pieces in parts]
        read_spans = list(subtract(0, len(document.data), document.dropped_ranges))
        whole = document.reader(document.data, read_spans)
        return [
            "\n".join(whole.text[slice(*whole.text_range(*span))] for span in spans)
            for spans in chunks
        ]

    def passages(self, queries: Sequence[JudgedQuery]) -> list[tuple[Passage, ...]]:
        """Return the bytes that answer each query.

        Raises:
            UsageError: references have no target, several, or one outside the query's tree; the
                message lists them.
        """
        all_passages, problems, files = [], [], []
        for query in queries:
            passages: list[Passage] = []
            for reference in query.answers:
                try:
                    passage = self._check_tree(self._passage(reference, query.tree), query.tree)
                    if any(passage[:3] == other[:3] for other in passages):  # would count twice
                        raise UsageError(f"two answers are the same bytes of {passage.doc_id}")
                    passages.append(passage)
                except LeafmarkError as error:
                    problems.append(f"{query.location}: {error.message}")
                    files.append(query.location.rpartition(":")[0])
            all_passages.append(tuple(passages))
        if problems:
            hint = "; ".join(self._project.missing_trees()) or None
            noun = "reference does" if len(problems) == 1 else "references do"
            message = as_listed(f"{len(problems)} {noun} not lead to one place", problems)
            raise UsageError(message, location=files[0], hint=hint)
        return all_passages

    def _check_tree(self, passage: Passage, tree: str) -> Passage:
        """Return the passage, or raise if it is outside the only tree that the query searches."""
        if tree and self._files[passage.doc_id][0] != tree:
            raise NotFoundError(
                f"{passage.doc_id} is not in the tree {tree}, the only one that the query searches"
            )
        return passage

    def _passage(self, reference: Reference, tree: str) -> Passage:
        if not reference.id:
            return self._find_place(reference, tree)
        cited = read_citation(reference.id)
        if cited is not None:
            return self._find_cited(cited, reference)
        return _passage(*self._find_named(reference.id, tree), reference)

    def _find_named(self, name: str, tree: str) -> tuple[str, int, int]:
        """Return the document and range of an id: of a section, a document, or its preamble.

        An id begins with the tree or with the path. Pieces and ordinals are names of one strategy,
        so they are not valid here.
        """
        head, sharp, slug = name.rpartition("#") if "#" in name else (name, "", "")
        part = _PART.fullmatch(name)
        if part and not self._is_document(head) and self._is_document(part["head"]):
            raise NotFoundError(f"{name} {_OF_ONE_STRATEGY}")
        owner = self.document(head) or self._get_document(head, tree)
        position = owner.slugs.get(slug) if sharp else 0
        if position is None and slug == PREAMBLE and owner.chunks:
            return owner.doc_id, *_preamble(owner)
        if position is None or position >= len(owner.chunks):
            of_one = part and part["head"].rpartition("#")[2] in owner.slugs
            message = f"{name} {_OF_ONE_STRATEGY}" if of_one else f"{head} has no section #{slug}"
            raise NotFoundError(message + ("" if of_one else _nearest(slug, owner.slugs, "#")))
        chunk = owner.chunks[position]
        return chunk.doc_id, *whole_range(chunk)

    def _is_document(self, name: str) -> bool:
        return name in self._files or name in self._by_path or encode_path(name) in self._by_path

    def _find_cited(self, cited: Citation, reference: Reference) -> Passage:
        owners = map(self.document, map(document_part, cited.names))
        owner = next(filter(None, owners), None)
        start, end = cited.start, cited.end
        data = b"" if owner is None else owner.document.data[start:end]
        if owner is None or sha256(data).hexdigest()[:DIGEST_DIGITS] != cited.digest:
            raise NotFoundError(f"the bytes cited by {reference.id} are no longer there")
        return _passage(owner.doc_id, start, end, reference)

    def _find_place(self, reference: Reference, tree: str) -> Passage:
        owner = self._get_document(reference.path, tree)
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
            span = _find_quote(owner, span, reference)
        return _passage(owner.doc_id, *span, reference)

    def _get_document(self, path: str, tree: str) -> ChunkedDocument:
        doc_ids = self._by_path.get(path) or self._by_path.get(encode_path(path), [])
        if tree:
            doc_ids = [doc_id for doc_id in doc_ids if self._files[doc_id][0] == tree]
        owners = [owner for owner in map(self.document, doc_ids) if owner is not None]
        if len(owners) == 1:
            return owners[0]
        if owners:
            raise NotFoundError(f"{path} is in several trees: name the tree of the query")
        for doc_id in (*doc_ids, path):
            result = self._documents.get(doc_id)
            if isinstance(result, Diagnostic):
                raise NotFoundError(f"nothing of {path} is indexed: {result.message}")
        raise NotFoundError(
            f"there is no document {path}"
            + (f" in the tree {tree}" if tree else _nearest(path, [*self._by_path, *self._files]))
        )


def _nearest(name: str, known: Iterable[str], mark: str = "") -> str:
    near = nearest(name, known)
    return f"; did you mean {mark}{near[0]}?" if near else ""


def _passage(doc_id: str, start: int, end: int, reference: Reference) -> Passage:
    if start >= end:
        raise NotFoundError(f"{reference.id or reference.path} is empty")
    return Passage(doc_id, start, end, reference.grade)


def _preamble(owner: ChunkedDocument) -> tuple[int, int]:
    """Return the range of a document's own text up to its first section; empty without one."""
    document, *below = owner.chunks
    if not (below and document.body_spans):
        return whole_range(document) if not below else (0, 0)
    return document.body_spans[0][0], whole_range(below[0])[0]


def _section(owner: ChunkedDocument, reference: Reference) -> Chunk:
    """Return the section that a reference names by its titles.

    The first heading of a document is often its title too; then the document and this section have
    the same titles, and the reference means the section.
    """
    titles = tuple(title.casefold() for title in reference.section)
    chunks = [
        chunk
        for chunk in owner.chunks
        if tuple(title.casefold() for title in chunk.section_path[-len(titles) :]) == titles
    ]
    if len(chunks) > 1 and chunks[0].kind == "document":
        del chunks[0]
    shown = " > ".join(reference.section)
    if not chunks:
        near = nearest(reference.section[-1], (chunk.title for chunk in owner.chunks))
        hint = f"; did you mean {near[0]!r}?" if near else ""  # quoted: a title may end in "?"
        raise NotFoundError(f"{reference.path} has no section {shown!r}{hint}")
    if len(chunks) > 1:
        raise NotFoundError(f"{reference.path} has {len(chunks)} sections {shown!r}")
    return chunks[0]


def _find_quote(
    owner: ChunkedDocument, within: tuple[int, int], reference: Reference
) -> tuple[int, int]:
    """Return the range from the beginning of the quote to its end, or to the end of `until`.

    White space in a quote matches any white space; in HTML the readable text is searched.
    """
    text, place = _readable(owner, within)
    quoted = list(_pattern(reference.quote).finditer(text))
    if len(quoted) != 1:
        quote = abridged(reference.quote)
        problem = f"contains {quote} {len(quoted)} times: quote more of it, or name its section"
        missing = f"does not contain {quote}"
        raise NotFoundError(f"{reference.path} {problem if quoted else missing}")
    end = quoted[0].end()
    if reference.until:
        last = _pattern(reference.until).search(text, quoted[0].start())
        if last is None:
            raise NotFoundError(
                f"{reference.path} does not contain {abridged(reference.until)} after the quote"
            )
        end = max(end, last.end())
    return place(quoted[0].start(), end)


def _readable(owner: ChunkedDocument, within: tuple[int, int]) -> tuple[str, _Place]:
    """Return the text of a range, and a function from ranges of the text to those of the source."""
    document = owner.document
    if document.reader is not None:
        spans = list(subtract(*within, document.dropped_ranges))
        readable = document.reader(document.data, spans)
        return readable.text, readable.source_range
    text = document.data[within[0] : within[1]].decode("utf-8", "surrogateescape")

    def place(start: int, end: int) -> tuple[int, int]:
        before = within[0] + len(text[:start].encode("utf-8", "surrogateescape"))
        return before, before + len(text[start:end].encode("utf-8", "surrogateescape"))

    return text, place


def _pattern(quote: str) -> re.Pattern[str]:
    return re.compile(r"\s+".join(map(re.escape, quote.split())))
