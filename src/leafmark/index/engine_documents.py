"""Fill the fields of the index from chunks: which text goes where.

The engine gets the fields of a chunk as JSON, which it reads in half the time of Python
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
from leafmark.index.definitions import DEFINING_FORMATS, MARKED_FORMATS, defined_names
from leafmark.index.facts import (
    cut_fact,
    cut_number,
    fact,
    format_fact,
    language_fact,
    meta_facts,
    tag_fact,
)
from leafmark.index.inline import INLINE_FORMATS, terms_apart
from leafmark.index.records import document_entry, serialise_document
from leafmark.index.roles import CODE, role_number, role_of_title
from leafmark.index.schema import FILLER, Language, language_fields
from leafmark.index.text_with_titles import (
    MAX_TITLE,
    MAX_TITLES,
    from_titles_alone,
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


def _escaped(sign: str) -> str:
    """Return a sign as JSON in ASCII: itself it would widen each character of a row to four bytes.

    >>> _escaped("\U00010280")
    '\\\\ud800\\\\ude80'
    """
    return json.dumps(sign)[1:-1]


_BETWEEN = f" {_escaped(BETWEEN)} "
_FILLER = _escaped(FILLER)

MAX_ADDRESS = 300
"""Characters. Longer ones are data, which nobody types."""

MAX_ADDRESSES = 500
"""The most addresses of one chunk."""

_DEFINED_LINK = re.compile(rb"^ {0,3}\[[^\]\n]+\]:", re.MULTILINE)
"""A link's target that stands apart from the link, in Markdown."""

MANY_CHUNKS = 4096
"""The fields of more chunks than this are kept compressed, which takes time."""


@dataclass(frozen=True, slots=True)
class EngineDocuments:
    """A source as the writer takes it: its entry, and the fields of each chunk.

    It is plain data, so that another process can make it. `shared` is the beginning of the
    JSON of every chunk, up to its own facts, and `rows` are the rest of each chunk's.
    """

    entry: DocumentEntry
    stemmer: str | None
    shared: str = ""
    rows: Sequence[str] = ()

    def documents(self, others: str = "") -> Iterator[str]:
        """Yield the fields of each chunk, as the engine reads them, with those of `others`."""
        return map(f"{{{others}{self.shared[1:]}".__add__, self.rows)


def fillers(languages: Sequence[Language]) -> dict[str | None, str]:
    """Return for each language the beginning of the fields of all others, which hold `FILLER`."""
    filled = {each: "".join(map(_filled, each.measured)) for each in languages}
    return {
        language.name: "".join(text for each, text in filled.items() if each is not language)
        for language in languages
    }


def _filled(field: str) -> str:
    return f'"{field}":"{_FILLER}",'


def prepare_source(
    chunked: ChunkedDocument, state: FileState, *, stemmer: str | None, named: bool = False
) -> EngineDocuments:
    """Return all that the index will hold of a source; the writer has little left to do.

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
    """Yield the end of each chunk's JSON; that of the first one holds the source's record.

    Terms are letters and digits, which need no escapes in JSON.
    """
    analyzer = language.analyzer
    contents, record = _record(chunked, entry)
    form = chunked.document.format
    role = role_number(entry.doc_id, entry.title, entry.metadata, lambda: _words_and_links(chunked))
    role = CODE if form == "script" and not role else role
    front = chunked.folded_position or 0
    links = _may_lead_elsewhere(chunked)
    ids = _given_ids(chunked)
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
            given = document_names(entry.title, entry.path, entry.metadata, heading)
            names = (
                *names,
                *name_terms(analyzer, given, DOCUMENT),
                *name_terms(analyzer, [file_tail(entry.path)], FILE_TAIL),
            )
        if names:
            fields.append(',"names":["{}"]'.format('","'.join(names)))
        if body:
            parts = _terms(analyzer, body, form)
            indexed = _BETWEEN.join((*above.titles, *parts))
            fields.append(f',"{language.body}":"{indexed}"')
            if alone := from_titles_alone(above, " ".join(parts)):
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
    """Return the terms of what is read of a body, and of each part that stands apart from it.

    With them are those of what else is asked for in texts of its format.
    """
    if form in INLINE_FORMATS:
        return terms_apart(analyzer, body)
    terms = [analyzer.for_index(body)]
    if form == "script":
        terms += terms_of_names(analyzer, body)
    elif form in HYPHENATING_FORMATS:
        terms += terms_of_hyphenated(analyzer, body)
    return [" ".join(terms)]


def _main_heading(chunked: ChunkedDocument) -> str:
    """Return the only heading of the first level, "" if there is another, or none."""
    headings = HeadingColumns.of(chunked.document.headings)
    if list(headings.levels).count(1) != 1:
        return ""
    return headings.titles[headings.levels.index(1)]


def _words_and_links(chunked: ChunkedDocument) -> tuple[int, int]:
    """Return how many words a document has, and how many links to other pages."""
    words = sum(len(chunk.readable_body.split()) for chunk in chunked.chunks)
    links = (one for one in chunked.document.links if one.kind != "image")
    return words, sum(one.target[:1] != "#" for one in links)


def _may_lead_elsewhere(chunked: ChunkedDocument) -> bool:
    """Whether links may lead to addresses that the text of their chunk does not have.

    In Markdown only those do whose target stands elsewhere; to list links takes time.
    """
    document = chunked.document
    if document.format in INLINE_FORMATS:
        return b"]:" in document.data and _DEFINED_LINK.search(document.data) is not None
    return bool(document.links)


def _addresses(analyzer: Analyzer, chunk: Chunk, body: str) -> str:
    """Return the terms of the addresses of the web to which a chunk links, beside its text."""
    targets = dict.fromkeys(link.target for link in chunk.links if link.kind != "image")
    given = (
        analyzer.for_index(target)
        for target in targets
        if target[:4].lower() == "http" and len(target) <= MAX_ADDRESS and target not in body
    )
    return _BETWEEN.join(islice(given, MAX_ADDRESSES))


def _names(
    analyzer: Analyzer, chunked: ChunkedDocument, chunk: Chunk, body: str, path: str
) -> tuple[str, ...]:
    """Return the names that a chunk answers to; later pieces of a section only define some."""
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
    """Whether a file of plain text says that it is in a language, or in none that is known."""
    return "." in path.rpartition("/")[2] and not path.lower().endswith((".txt", ".text"))


def _given_ids(chunked: ChunkedDocument) -> Mapping[int, Sequence[str]]:
    """Return by position the ids that a source gives its places, without those that count them."""
    if not chunked.emitted.own_slugs and not chunked.document.anchors:
        return {}
    found: dict[int, list[str]] = defaultdict(list)
    known = frozenset(chunked.emitted.own_slugs)
    for name, position in chunked.slugs.items():
        if name not in known and not _COUNTED.fullmatch(name):
            found[position].append(name)
    return found


class _Title(NamedTuple):
    """What the index holds of a title: its terms, the names in it, and the role that it tells."""

    terms: str
    names: tuple[str, ...]
    role: int


def _title(analyzer: Analyzer, chunk: Chunk) -> _Title:
    """Read a chunk's title; of later pieces its beginning, else a long one stands in each."""
    title = chunk.title
    if len(title) <= MAX_TITLE:
        return _short_title(analyzer, title)
    title = title if chunk.piece < 2 else title[:MAX_TITLE]
    return _read_title(analyzer, analyzer.for_index(with_parts(title)), title)


@memo(4096)
def _short_title(analyzer: Analyzer, title: str) -> _Title:
    """Read a title once: it repeats in many files, and in all pieces of a section."""
    return _read_title(analyzer, title_terms(analyzer, title), title)


def _read_title(analyzer: Analyzer, terms: str, title: str) -> _Title:
    names = name_terms(analyzer, title_names(title), CHUNK)
    return _Title(terms, tuple(names), role_of_title(title))


@memo(4096)
def _own_facts(kind: ChunkKind, made_of: tuple[tuple[str, ...], tuple[str, ...], bool]) -> str:
    """Return the JSON of the facts of a chunk with these block types, languages and code or not."""
    block_types, languages, holds_code = made_of
    held = {*block_types, "code"} if holds_code else block_types
    found = [f"kind={kind}", *(f"has={each}" for each in _HAS if each in held)]
    found += dict.fromkeys(map(language_fact, languages))
    return "".join(f",{_json(each)}" for each in found)


_NUMBER = re.compile(r"-[0-9]+$")
"""What a slug ends in if the name is defined again."""


_COUNTED = re.compile(r"\W*[^\W\d_]{0,8}[-_.:]?[0-9][0-9a-f.:_-]*|\W*\w{1,3}", re.IGNORECASE)
"""An id that a program made by counting (`section-2.1`, `id7`), or one too short for a name."""

_FOR_ITS_FOLDER = frozenset(("__init__", "index", "mod"))
"""Source files that are known by the name of their folder."""


def _module(path: str) -> str:
    """Return the name of the module that a file is.

    >>> _module("src/util.py"), _module("src/parser/index.d.ts")
    ('util', 'parser')
    """
    *folders, file = path.split("/")
    name = file.partition(".")[0]
    return folders[-1] if folders and name in _FOR_ITS_FOLDER else name


def _record(chunked: ChunkedDocument, entry: DocumentEntry) -> tuple[list[Content], str]:
    """Return the contents of the chunks, and the record of the source."""
    chunks = tuple(chunked.chunks)
    contents = [chunk.content for chunk in chunks]
    record = serialise_document(entry, chunks, contents, folded_position=chunked.folded_position)
    return contents, b2a_base64(record, newline=False).decode()
