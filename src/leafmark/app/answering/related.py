"""Searches for chunks related to a text, for `context` and `like`."""

from __future__ import annotations

import errno
import os
import re
import stat
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from leafmark.app.answering.opening import INDEX_FIRST, mending, open_index
from leafmark.app.answering.resolving import Resolver
from leafmark.app.answering.searching import (
    answer_topics,
    complete_answer,
    project_hints,
    search_params,
)
from leafmark.app.configuration.config_file import ContextRule
from leafmark.app.configuration.project import Project
from leafmark.app.indexed_sources import Sources
from leafmark.app.requests import ContextRequest, LikeRequest, Progress, SearchRequest
from leafmark.app.sources.file_names import is_secret, nearest_paths
from leafmark.app.sources.ignore import parse_rules
from leafmark.errors import AmbiguousError, ForbiddenError, NotFoundError, UsageError, unreadable
from leafmark.index import IndexReader
from leafmark.model import Answer, Document, Entry, Factor, Hint, KeyTerm, WeightedText, document_id
from leafmark.namedtuples import NamedTuple
from leafmark.parsing import is_binary, parse
from leafmark.parsing.formats import suffix_of
from leafmark.query import Filter, any_of
from leafmark.search import SearchOptions
from leafmark.search.keyterms import find_key_terms, query_for

TERMS = 25
"""The number of words of the files that are searched."""

CUTOFF_RATIO = 0.25
"""Like `search.cutoff_ratio`, for these long queries."""

WEIGHTS = {
    "path": 3.0,
    "headings": 3.0,
    "tags": 3.0,
    "symbols": 2.0,
    "imports": 1.5,
    "comments": 1.5,
    "body": 1.0,
    "rule": 4.0,
}
"""Weights of the words of each part of a file, and of the words of rules."""


def plain_params(project: Project, request: SearchRequest, **changes: Any) -> SearchOptions:
    """Return the options of a search for terms; these occur, so none are corrected."""
    fixed: dict[str, Any] = {"fuzzy_distance": 0, "cutoff_ratio": CUTOFF_RATIO}
    return search_params(project, request)._replace(**(fixed | changes))


def _part(name: str, text: str) -> WeightedText:
    return WeightedText(name, text, WEIGHTS[name])


class Aim(NamedTuple):
    """The target of a search: chunks with the terms, after the documents in `named` (ids).

    `without` and `apart` are excluded: see `query_for`.
    """

    terms: Sequence[KeyTerm]
    without: Sequence[str] = ()
    apart: Sequence[str] = ()
    named: Sequence[str] = ()


def answer_terms(
    project: Project, reader: IndexReader, aim: Aim, params: SearchOptions, request: SearchRequest
) -> Answer:
    """Return the chunks with the terms, as the request asks; a hint says if there are no terms."""
    began = time.perf_counter()
    sources = Sources(project)
    answer = Answer("", "lexical", ())
    terms, named = tuple(aim.terms), aim.named
    if terms:
        topic = query_for(terms, without=[*aim.without, *named], apart=aim.apart)
        answer = answer_topics(project, reader, [topic], params, sources)
    if named:
        answer = _with_named(project, reader, answer, named, params, sources)
    if not terms:
        none = Hint("no-terms")
        answer = answer._replace(hints=(*answer.hints, none))
    answer = answer._replace(
        query=" ".join(term.word for term in terms),
        terms=terms,
        hints=project_hints(project, answer),
        elapsed_ms=(time.perf_counter() - began) * 1000,
    )
    return complete_answer(project, reader, answer, request, sources)


def _with_named(
    project: Project,
    reader: IndexReader,
    answer: Answer,
    named: Sequence[str],
    params: SearchOptions,
    sources: Sources,
) -> Answer:
    """Return the named documents before the results, with the score of the best result."""
    query = any_of([Filter("id", name) for name in named])
    plain = SearchOptions(limit=len(named), max_results=len(named), aggregation=False)
    named_results = answer_topics(project, reader, [query], plain, sources).results
    score = answer.results[0].score if answer.results else 1.0
    factors = (Factor("rule", score, how="named by a rule: as good as the best"),)
    first = [result._replace(score=score, whole=True, factors=factors) for result in named_results]
    first.sort(key=lambda result: named.index(result.entry.id))
    results = tuple(
        result._replace(rank=rank)
        for rank, result in enumerate([*first, *answer.results][: params.limit], start=1)
    )
    counts = dict(answer.counts) | {"returned": len(results)}
    return answer._replace(results=results, counts=counts)


# The documents that matter for the files that a user edits: `leafmark context`.


@mending
def find_context(
    project: Project, request: ContextRequest, *, progress: Progress | None = None
) -> Answer:
    """Return the documents that matter for files, without the files; `terms` are the words used.

    Raises:
        NotFoundError: a file or a tree does not exist, or there is no index.
        StorageError: a file cannot be read.
        UsageError: no file is named.
    """
    if not request.files:
        raise UsageError("no file is named")
    files = [_File.of(project, name) for name in request.files]
    rules = _applying(project.configuration.rules, files)
    texts, hints = _texts(project, files, rules, lenient=request.lenient)
    search = request.search
    if not search.trees:
        named = dict.fromkeys(tree for rule in rules for tree in rule.trees)
        search = search._replace(trees=tuple(named))
    params = plain_params(project, search)
    reader, notes = open_index(project, search, progress)
    own = _own_ids(project, reader, files)
    terms = find_key_terms(
        reader, texts, limit=TERMS, trees=params.trees, without=own, ignored=KEYWORDS
    )
    named_ids, missing = _named(reader, rules)
    aim = Aim(
        terms,
        without=own,
        named=[name for name in named_ids if name not in own],
    )
    answer = answer_terms(project, reader, aim, params, search)
    return answer._replace(hints=(*notes, *hints, *missing, *answer.hints))


class _File(NamedTuple):
    """A file as the user wrote it: where it is, and what its project calls it."""

    path: Path
    name: str

    @classmethod
    def of(cls, project: Project, written: str) -> _File:
        path = Path(os.path.abspath(project.directory / written))
        for folder in (project.configuration.project, project.configuration.directory):
            if path.is_relative_to(folder):
                return cls(path, path.relative_to(folder).as_posix())
        return cls(path, Path(written).name if Path(written).is_absolute() else written)


def _texts(
    project: Project, files: Sequence[_File], rules: Iterable[ContextRule], *, lenient: bool
) -> tuple[list[WeightedText], list[Hint]]:
    """Return the parts of all files and the terms of rules; of an unread file, only its path."""
    texts: list[WeightedText] = []
    hints: list[Hint] = []
    for file in files:
        try:
            texts += read_working_file(file.path, file.name)
        except NotFoundError:
            if not lenient:
                raise
            texts.append(describe_path(file.name))
            hints.append(Hint("file-missing", values={"name": file.name}))
        except ForbiddenError:
            texts.append(describe_path(file.name))
            hints.append(Hint("file-secret", values={"name": file.name}))
    added = " ".join(term for rule in rules for term in rule.terms)
    if added:
        texts.append(_part("rule", added))
    return texts, hints


def _applying(rules: Iterable[ContextRule], files: Sequence[_File]) -> list[ContextRule]:
    """Return the rules that fit one of the files; a rule without patterns fits all."""
    applying = []
    for rule in rules:
        patterns = parse_rules(rule.match)
        if not rule.match or any(patterns.covers(file.name) for file in files):
            applying.append(rule)
    return applying


def _named(reader: IndexReader, rules: Iterable[ContextRule]) -> tuple[list[str], list[Hint]]:
    """Return the ids that rules name, and hints about names that fit none or several."""
    resolver = Resolver(reader, reader.manifest)
    ids: dict[str, None] = {}
    hints = []
    for name in dict.fromkeys(file for rule in rules for file in rule.files):
        try:
            ids[resolver.resolve(name).id] = None
        except (NotFoundError, AmbiguousError) as error:
            hints.append(Hint("rule-file", values={"name": name, "reason": error.message}))
    return list(ids), hints


def _own_ids(project: Project, reader: IndexReader, files: Iterable[_File]) -> list[str]:
    """Return the ids of the files' own documents, in all trees."""
    keys = (key for file in files for key in project.keys_of(file.path))
    return [document_id(*key) for key in keys if key in reader.manifest]


# Chunks like a chunk or a file: `leafmark like`.


_NEVER = 1_000_000
"""More children than a node has, so that nothing is merged: a parent may be like its section."""


@mending
def find_like(
    project: Project, request: LikeRequest, *, progress: Progress | None = None
) -> Answer:
    """Return chunks like an indexed one, or like a file; `terms` are the words used.

    The chunk itself, its parents and its parts are excluded.

    Raises:
        NotFoundError: there is neither such a chunk nor such a file; or no index.
        AmbiguousError: the id fits several chunks.
    """
    search = request.search
    params = plain_params(project, search, aggregation_min_matches=_NEVER)
    reader, notes = open_index(project, search, progress)
    try:
        entry = Resolver(reader, reader.manifest).resolve(request.name)
    except NotFoundError as error:
        texts = _of_file(project, request.name, error)
        own, above = list[str](), list[str]()
    else:
        texts = _of_chunk(project, reader, entry)
        own, above = [entry.id], _above(reader, entry)
    terms = find_key_terms(
        reader, texts, limit=TERMS, trees=params.trees, without=own, ignored=KEYWORDS
    )
    aim = Aim(terms, without=own, apart=above)
    answer = answer_terms(project, reader, aim, params, search)
    return answer._replace(hints=(*notes, *answer.hints))


def _of_file(project: Project, name: str, unknown: NotFoundError) -> list[WeightedText]:
    path = project.directory / name
    if not os.path.isfile(path):  # a pasted text is too long for a name
        raise NotFoundError(
            f"{unknown.message}, and there is no such file",
            did_you_mean=unknown.did_you_mean,
            hint=unknown.hint,
            exit_code=unknown.exit_code,
        ) from unknown
    return read_working_file(path, name)


def _of_chunk(project: Project, reader: IndexReader, entry: Entry) -> list[WeightedText]:
    """Return the titles and the text of a chunk and of the chunks below it."""
    document = reader.document(entry.doc_id)
    sources = Sources(project)
    data = None if document is None else sources.data(document)
    if document is None or data is None:
        raise NotFoundError(f"{entry.id} has changed since it was indexed", hint=INDEX_FIRST)
    span = (entry.byte_start, entry.byte_end)
    readable = sources.readable(document, data, [span])
    text = data[slice(*span)].decode("utf-8", "replace") if readable is None else readable.text
    titles = [
        chunk.title
        for chunk in reader.chunks_of(entry.doc_id)
        if entry.holds(chunk) and not chunk.piece
    ]
    return [
        _part("headings", "\n".join([entry.title, *titles])),
        _part("tags", "\n".join(document.tags)),
        _part("body", text),
    ]


def _above(reader: IndexReader, entry: Entry) -> list[str]:
    """Return the ids of a chunk's parents."""
    ids = []
    parent = reader.entry(entry.doc_id, entry.parent_position)
    while parent is not None:
        ids.append(parent.id)
        parent = reader.entry(parent.doc_id, parent.parent_position)
    return ids


# The parts of a file that a user edits, by how much their words say about it.
#
# The path and the headings (in code: the definitions) say most, then names,
# imports and comments, then the rest. Formats are those of `parsing`; a text
# without a suffix of prose is read as code, by the usual forms of comments and
# imports.


MAX_BYTES = 2_000_000
"""The first bytes of a file, which say what it is about; the rest is not read."""

_PROSE = frozenset(("", ".log", ".pod", ".tex", ".text", ".txt"))
_MIXED_FORMATS = frozenset(("pod", "script", "text"))
"""Formats whose suffix says whether they are prose."""

_OPENERS = re.compile(
    r'"""|\'\'\'|/\*|<!--|(?:^|(?<=[\s;{}]))(?:#(?!(?:include|define|undef|if|ifdef|ifndef|endif'
    r"|else|pragma|import)\b|[!\[{])|//|--(?=[ \t]))",
    re.MULTILINE,
)
_CLOSERS = {'"""': '"""', "'''": "'''", "/*": "*/", "<!--": "-->"}
_IMPORT = re.compile(
    r"^[ \t]*(?:import|from|use|using|require|require_relative|include|package|mod|extern crate"
    r"|source|#[ \t]*include|#[ \t]*import|@import)\b[^\n]*",
    re.MULTILINE,
)
_NAME = re.compile(r"(?<!\w)(?:[^\W\d]\w*+(?=\()|[^\W\d]\w*_\w+|[^\W\d]*[a-z][A-Z]\w*)")
_CODE_SPAN = re.compile(r"`([^`\n]+)`")

_KEYWORDS = """
abstract args array assert async await bool boolean break byte case catch char class const
continue def default del delete double elif else elsif end endif enum except export extends extern
false final finally float for foreach from func function global goto if impl implements import in
include init instanceof int integer interface is isinstance kwargs lambda len let long main match
mod module mut namespace new nil none nonlocal not null object operator or override package pass
print printf println private protected pub public raise range require return returns self short
signed sizeof static str string struct super switch template then this throw throws todo trait
true try tuple type typedef typename typeof undefined union unsafe unsigned until use using var vec
virtual void volatile while with yield
"""
KEYWORDS = frozenset(_KEYWORDS.split())
"""Words of programming languages, which say nothing about what a program does."""


def read_working_file(path: Path, name: str) -> list[WeightedText]:
    """Return the parts of the file `path`, whose name in the project is `name` (with `/`).

    Raises:
        ForbiddenError: it may hold secrets, whose words an answer would show.
        NotFoundError: there is no such file.
        StorageError: it cannot be read.
    """
    if _may_hold_secrets(path, name):
        raise ForbiddenError(
            "the file may hold secrets by its name, and is not read", location=name
        )
    try:
        with open(path, "rb", opener=_open_at_once) as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise OSError(errno.EINVAL, "it is not a regular file")
            data = file.read(MAX_BYTES)
    except (FileNotFoundError, NotADirectoryError) as error:
        near = nearest_paths(path, name)
        raise NotFoundError("there is no such file", location=name, did_you_mean=near) from error
    except (OSError, ValueError) as error:
        raise unreadable(error, name) from error
    parts = [describe_path(name)]
    if not is_binary(data):
        parts += describe_document(parse(data, name))
    return [part for part in parts if part.text]


def _may_hold_secrets(path: Path, name: str) -> bool:
    """Whether an index leaves it out for its name, that of a folder or of what it leads to."""
    real = os.path.realpath(path)
    folders = [part for part in name.split("/")[:-1] if part.startswith(".")]
    return any(map(is_secret, (path.name, os.path.basename(real), *folders)))


def _open_at_once(path: str, flags: int) -> int:
    """Open without waiting for the writer of a pipe, which may never come."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def describe_path(name: str) -> WeightedText:
    """Return the words of a path without the suffix."""
    stem = name[: len(name) - len(suffix_of(name))]
    return _part("path", stem.replace("/", " "))


def describe_document(document: Document) -> list[WeightedText]:
    """Return the parts of a parsed file."""
    titles = [document.title, *document.tags, *(heading.title for heading in document.headings)]
    parts = [_part("headings", "\n".join(titles))]
    text = _readable(document)
    if document.format not in _MIXED_FORMATS or suffix_of(document.path) in _PROSE:
        names = "\n".join(_CODE_SPAN.findall(text))
        parts.append(_part("symbols", names))
        parts.append(_part("body", text))
        return parts
    return [*parts, *_describe_code(text)]


def _readable(document: Document) -> str:
    """Return the text of a document without its front matter; of markup, the readable text."""
    start = document.front_matter.end if document.front_matter else 0
    return document.read(start, len(document.data))


def _describe_code(text: str) -> Iterator[WeightedText]:
    comments, code = _split_comments(text)
    yield _part("comments", comments)
    yield _part("imports", "\n".join(_IMPORT.findall(code)))
    code = _IMPORT.sub(" ", code)
    yield _part("symbols", "\n".join(_NAME.findall(code)))
    yield _part("body", _NAME.sub(" ", code))


def _split_comments(text: str) -> tuple[str, str]:
    """Return comments and docstrings, and the rest; linear in the text."""
    comments: list[str] = []
    code: list[str] = []
    unclosed: set[str] = set()
    at = 0
    while match := _OPENERS.search(text, at):
        code.append(text[at : match.start()])
        opener = match[0]
        closer = _CLOSERS.get(opener, "\n")
        end = -1 if closer in unclosed else text.find(closer, match.end())
        if end < 0 and closer != "\n":
            unclosed.add(closer)
            code.append(opener)
            at = match.end()
            continue
        end = len(text) if end < 0 else end
        comments.append(text[match.end() : end])
        at = end + len(closer)
    code.append(text[at:])
    return "\n".join(comments), "\n".join(code)
