"""Fill the fields of the index from chunks.

The engine receives the fields of a chunk as JSON, which it reads in half the time of Python
values. That matters since one process passes all sources to the engine.
"""

from __future__ import annotations

import json
import re
from binascii import b2a_base64
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice

from leafmark.environment import memo
from leafmark.index.analysis import (
    BETWEEN,
    HYPHENATING_FORMATS,
    Analyzer,
    terms_of_hyphenated,
    terms_of_names,
    with_parts,
)
from leafmark.index.chunk_names import (
    CHUNK,
    DOCUMENT,
    FILE_TAIL,
    document_names,
    file_tail,
    is_qualified,
    name_terms,
    symbol_names,
    title_names,
)
from leafmark.index.filter_terms import (
    cut_fact,
    cut_number,
    fact,
    format_fact,
    language_fact,
    meta_facts,
    tag_fact,
)
from leafmark.index.inline import INLINE_FORMATS, terms_by_part
from leafmark.index.manual_names import DEFINING_FORMATS, MARKED_FORMATS, defined_names
from leafmark.index.records import document_entry, serialise_document
from leafmark.index.roles import CODE, role_number, role_of_title
from leafmark.index.schema import FILLER, Language, language_fields
from leafmark.index.text_with_titles import (
    MAX_TITLE,
    MAX_TITLES,
    terms_from_titles,
    title_terms,
    titles_above,
)
from leafmark.model import (
    Chunk,
    ChunkedDocument,
    ChunkKind,
    CompressedList,
    Content,
    DocumentEntry,
    FileState,
    HeadingColumns,
)
from leafmark.namedtuples import NamedTuple

_HAS = ("code", "table", "list")
"""The block types that `has:` knows."""

_json = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def _escape(sign: str) -> str:
    """Return a sign as JSON in ASCII: the sign itself would widen all of a row to four bytes each.

    >>> _escape("\U00010280")
    '\\\\ud800\\\\ude80'
    """
    return json.dumps(sign)[1:-1]


_BETWEEN = f" {_escape(BETWEEN)} "
_FILLER = _escape(FILLER)

MAX_ADDRESS = 300
"""The most characters of an address; longer ones are data, which nobody types."""

MAX_ADDRESSES = 500
"""The most addresses of one chunk."""

_DEFINED_LINK = re.compile(rb"^ {0,3}\[[^\]\n]+\]:", re.MULTILINE)
"""The definition of a reference link's target in Markdown, which is apart from the link."""

MANY_CHUNKS = 4096
"""The fields of more chunks than this are compressed in memory, which takes time."""


@dataclass(frozen=True, slots=True)
class EngineDocuments:
    """A source in the form for the writer: its entry, and the fields of each chunk.

    It is plain data, so that another process can prepare it. `shared` is the beginning of every
    chunk's JSON, up to the chunk's own facts, and `rows` has the rest for each chunk.
    """

    entry: DocumentEntry
    stemmer: str | None
    shared: str = ""
    rows: Sequence[str] = ()

    def documents(self, others: str = "") -> Iterator[str]:
        """Yield the fields of each chunk as JSON for the engine, with the fields in `others`."""
        return map(f"{{{others}{self.shared[1:]}".__add__, self.rows)


def fillers(languages: Sequence[Language]) -> dict[str | None, str]:
    """Return for each language the JSON of all other languages' fields, filled with `FILLER`."""
    filled = {language: "".join(map(_filler_field, language.measured)) for language in languages}
    return {
        language.name: "".join(text for other, text in filled.items() if other is not language)
        for language in languages
    }


def _filler_field(field: str) -> str:
    return f'"{field}":"{_FILLER}",'


def prepare_source(
    chunked: ChunkedDocument, state: FileState, *, stemmer: str | None, named: bool = False
) -> EngineDocuments:
    """Return everything that the index will contain of a source, ready for the writer.

    `stemmer` is the language of its tree.
    """
    entry = document_entry(chunked, state, named=named)
    language = _language(stemmer)
    keep = CompressedList if len(chunked.chunks) > MANY_CHUNKS else tuple
    rows = keep(_rows(chunked, entry, language))
    return EngineDocuments(entry, stemmer, _shared(entry, language), rows)


@cache
def _language(stemmer: str | None) -> Language:
    return language_fields(stemmer)


def _shared(entry: DocumentEntry, language: Language) -> str:
    """Return the beginning of each chunk's JSON, up to the chunk's own facts."""
    path = entry.path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    fields = {
        language.path: language.analyzer.for_index(path),
        "doc_id": entry.doc_id,
        "mtime": max(0, entry.state.modified_ns // 1_000_000_000),
    }
    if entry.tags:
        fields[language.tags] = language.analyzer.for_index(" ".join(entry.tags))
    facts = [fact("tree", entry.tree), format_fact(entry.format)]
    facts += [*map(tag_fact, entry.tags), *meta_facts(entry.metadata)]
    return _json({**fields, "facts": facts}).removesuffix("]}")


def _rows(chunked: ChunkedDocument, entry: DocumentEntry, language: Language) -> Iterator[str]:
    """Yield the end of each chunk's JSON; the first chunk's has the source's record.

    Terms are letters and digits, which need no escapes in JSON.
    """
    analyzer = language.analyzer
    contents, record = _record(chunked, entry)
    form = chunked.document.format
    role = role_number(entry.doc_id, entry.title, entry.metadata, lambda: _words_and_links(chunked))
    role = CODE if form == "script" and not role else role
    front = chunked.folded_position or 0
    links = _may_hide_addresses(chunked)
    ids = _named_ids(chunked)
    for chunk, content, titles in zip(chunked.chunks, contents, chunked.section_paths, strict=True):
        facts = _own_facts(chunk.kind, content[1:])
        cut = 0
        if chunk.kind == "piece" and chunk.sibling_count > 1:
            cut = cut_number(entry.doc_id, chunk.parent_position)
            facts += f',"{cut_fact(cut)}"'
        title = _title(analyzer, chunk)
        above = titles_above(analyzer, titles[-MAX_TITLES:])
        line = above.text or _FILLER
        fields = [f'],"{language.title}":"{title.terms or _FILLER}","{language.titles}":"{line}"']
        body = chunk.readable_body
        names = _names(analyzer, chunked, chunk, body, entry.path)
        if chunk.position in ids:
            names = tuple(
                dict.fromkeys((*names, *name_terms(analyzer, ids[chunk.position], CHUNK)))
            )
        if chunk.position == front:
            heading = _main_heading(chunked)
            document_titles = document_names(entry.title, entry.path, entry.metadata, heading)
            names = (
                *names,
                *name_terms(analyzer, document_titles, DOCUMENT),
                *name_terms(analyzer, [file_tail(entry.path)], FILE_TAIL),
            )
        if names:
            fields.append(',"names":["{}"]'.format('","'.join(names)))
        if body:
            parts = _terms(analyzer, body, form)
            indexed = _BETWEEN.join((*above.titles, *parts))
            fields.append(f',"{language.body}":"{indexed}"')
            if alone := terms_from_titles(above, " ".join(parts)):
                facts = ',"above='.join((facts, '","above='.join(alone))) + '"'
        else:
            fields.append(f',"{language.body}":"{_FILLER}"')
        if links and (addresses := _addresses(analyzer, chunk, body)):
            fields.append(f',"{language.links}":"{addresses}"')
        if not chunk.position:
            fields.append(f',"source":"{record}"')
        numbers = f',"position":{chunk.position},"cut":{cut},"role":{role or title.role}}}'
        yield "".join([facts, *fields, numbers])


def _terms(analyzer: Analyzer, body: str, form: str) -> list[str]:
    """Return the terms of the text that readers see, and of each hidden part, such as an address.

    The first includes the extra terms of some formats: parts of names, hyphenated words.
    """
    if form in INLINE_FORMATS:
        return terms_by_part(analyzer, body)
    terms = [analyzer.for_index(body)]
    if form == "script":
        terms += terms_of_names(analyzer, body)
    elif form in HYPHENATING_FORMATS:
        terms += terms_of_hyphenated(analyzer, body)
    return [" ".join(terms)]


def _main_heading(chunked: ChunkedDocument) -> str:
    """Return the title of the only heading of level 1, "" if there are several, or none."""
    headings = HeadingColumns.of(chunked.document.headings)
    if list(headings.levels).count(1) != 1:
        return ""
    return headings.titles[headings.levels.index(1)]


def _words_and_links(chunked: ChunkedDocument) -> tuple[int, int]:
    """Return the number of words in a document, and of links to other pages."""
    words = sum(len(chunk.readable_body.split()) for chunk in chunked.chunks)
    links = (link for link in chunked.document.links if link.kind != "image")
    return words, sum(link.target[:1] != "#" for link in links)


def _may_hide_addresses(chunked: ChunkedDocument) -> bool:
    """Whether links may have addresses that are not in the text of their chunk.

    In Markdown, only reference links do. The check saves the time to list links.
    """
    document = chunked.document
    if document.format in INLINE_FORMATS:
        return b"]:" in document.data and _DEFINED_LINK.search(document.data) is not None
    return bool(document.links)


def _addresses(analyzer: Analyzer, chunk: Chunk, body: str) -> str:
    """Return the terms of the web addresses of a chunk's links that are not in its text."""
    targets = dict.fromkeys(link.target for link in chunk.links if link.kind != "image")
    addresses = (
        analyzer.for_index(target)
        for target in targets
        if target[:4].lower() == "http" and len(target) <= MAX_ADDRESS and target not in body
    )
    return _BETWEEN.join(islice(addresses, MAX_ADDRESSES))


def _names(
    analyzer: Analyzer, chunked: ChunkedDocument, chunk: Chunk, body: str, path: str
) -> tuple[str, ...]:
    """Return the terms of a chunk's names; later pieces of a section have only defined names."""
    names = list[str]()
    form, slug = chunked.document.format, chunk.slug
    is_named = slug is not None and chunk.piece < 2
    if is_named and form == "script":
        name = _NUMBER.sub("", slug or "")
        names += symbol_names(name if "." in name else f"{_module(path)}.{name}")
    elif is_named and is_qualified(slug or ""):
        names += symbol_names(slug or "")
    form = "code" if form == "text" and _is_code(path) else form
    if body and form in DEFINING_FORMATS:
        marked = chunk.body if form in MARKED_FORMATS else body
        for name in defined_names(form, marked):
            names += symbol_names(name)
    if not is_named or form == "script":
        return tuple(name_terms(analyzer, names, CHUNK))
    if not names:
        return _title(analyzer, chunk).names
    return tuple(name_terms(analyzer, [*title_names(chunk.title), *names], CHUNK))


def _is_code(path: str) -> bool:
    """Whether the name of a plain text file has another suffix than that of texts."""
    return "." in path.rpartition("/")[2] and not path.lower().endswith((".txt", ".text"))


def _named_ids(chunked: ChunkedDocument) -> Mapping[int, Sequence[str]]:
    """Return by position the ids that a source sets, without generated or very short ones."""
    if not chunked.emitted.own_slugs and not chunked.document.anchors:
        return {}
    ids: dict[int, list[str]] = defaultdict(list)
    known = frozenset(chunked.emitted.own_slugs)
    for name, position in chunked.slugs.items():
        if name not in known and not _GENERATED_ID.fullmatch(name):
            ids[position].append(name)
    return ids


class _Title(NamedTuple):
    """The analysis of a title: its terms, the terms of its names, and its role."""

    terms: str
    names: tuple[str, ...]
    role: int


def _title(analyzer: Analyzer, chunk: Chunk) -> _Title:
    """Return the analysis of a chunk's title; of later pieces, only that of its beginning."""
    title = chunk.title
    if len(title) <= MAX_TITLE:
        return _short_title(analyzer, title)
    title = title if chunk.piece < 2 else title[:MAX_TITLE]
    return _read_title(analyzer, analyzer.for_index(with_parts(title)), title)


@memo(4096)
def _short_title(analyzer: Analyzer, title: str) -> _Title:
    """Return the analysis of a title, cached: it repeats in many files and in all pieces."""
    return _read_title(analyzer, title_terms(analyzer, title), title)


def _read_title(analyzer: Analyzer, terms: str, title: str) -> _Title:
    names = name_terms(analyzer, title_names(title), CHUNK)
    return _Title(terms, tuple(names), role_of_title(title))


@memo(4096)
def _own_facts(kind: ChunkKind, content: tuple[tuple[str, ...], tuple[str, ...], bool]) -> str:
    """Return the JSON of a chunk's facts; `content` is block types, languages, code or not."""
    block_types, languages, holds_code = content
    present = {*block_types, "code"} if holds_code else block_types
    facts = [f"kind={kind}", *(f"has={block_type}" for block_type in _HAS if block_type in present)]
    facts += dict.fromkeys(map(language_fact, languages))
    return "".join(f",{_json(fact_)}" for fact_ in facts)


_NUMBER = re.compile(r"-[0-9]+$")
"""The end of a slug whose name is defined again."""


_GENERATED_ID = re.compile(r"\W*[^\W\d_]{0,8}[-_.:]?[0-9][0-9a-f.:_-]*|\W*\w{1,3}", re.IGNORECASE)
"""An id that a program numbered (`section-2.1`, `id7`), or one too short for a name."""

_NAMED_BY_FOLDER = frozenset(("__init__", "index", "mod"))
"""Source files that have the name of their folder."""


def _module(path: str) -> str:
    """Return the module name of a file.

    >>> _module("src/util.py"), _module("src/parser/index.d.ts")
    ('util', 'parser')
    """
    *folders, file = path.split("/")
    name = file.partition(".")[0]
    return folders[-1] if folders and name in _NAMED_BY_FOLDER else name


def _record(chunked: ChunkedDocument, entry: DocumentEntry) -> tuple[list[Content], str]:
    """Return the contents of the chunks, and the record of the source."""
    chunks = tuple(chunked.chunks)
    contents = [chunk.content for chunk in chunks]
    record = serialise_document(entry, chunks, contents, folded_position=chunked.folded_position)
    return contents, b2a_base64(record, newline=False).decode()
