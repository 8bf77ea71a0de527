"""`llms.txt` and `llms-full.txt` for a tree, as llmstxt.org describes them.

`llms.txt` is a title, a summary and a list of links with notes, by folder.
`llms-full.txt` holds the texts themselves, in the same order, each with its id.
Deterministic: the same documents give the same bytes. The last line of both is
the mark by which they are known, and not indexed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple
from urllib.parse import quote

from leafmark.app.agents.agent_block import AGENT_FILES
from leafmark.app.answering.opening import open_telling
from leafmark.app.configuration.project import Project
from leafmark.app.indexed_sources import Sources
from leafmark.app.requests import LlmsRequest, Progress
from leafmark.app.sources.contents import LLMS_FILES, LLMS_MARK
from leafmark.app.sources.trees import Tree
from leafmark.app.writing import replace_file
from leafmark.errors import UsageError
from leafmark.index import IndexReader
from leafmark.model import ChunkedDocument, DocumentEntry, LlmsReport
from leafmark.model.ids import document_id

__all__ = ["write_llms"]

_NOTE_LENGTH = 160
"""Characters of a note behind a link; chosen by eye."""

_FIRST = ("readme", "index", "introduction", "overview")
"""Names of the documents that a folder begins with."""

_LINK = re.compile(r"!?\[([^\[\]]*)\]\([^()\s]*\)")
"""A link in a note: its text is kept, since its target is seen from another place."""

_LEADING_CHUNKS = 20
"""So many chunks are looked at for a first paragraph; chosen by eye."""

_MARKUP = ("#", "<", "```", "~~~", "|", "---", "===", "![", "[!", ">", "- ", "* ")
"""What a paragraph that says something does not begin with."""


class _Part(NamedTuple):
    """One document: what stands behind its link, and its whole text."""

    entry: DocumentEntry
    note: str
    text: str


def write_llms(
    project: Project, request: LlmsRequest, *, progress: Progress | None = None
) -> LlmsReport:
    """Write both files into the folder `request.directory`, and say what they hold.

    With `max_tokens`, `llms-full.txt` holds as many whole documents, from the
    first on, as fit; its last line says how many are left out.

    Raises:
        UsageError: the tree must be named, the base URL is none, or not even the
            first document fits.
        NotFoundError: there is no such tree.
        StorageError: a file cannot be written.
    """
    tree = _tree(project, request.tree)
    if request.base_url and not request.base_url.startswith(("http://", "https://")):
        raise UsageError(
            f"the base URL is {request.base_url!r}", hint="it begins with http:// or https://"
        )
    reader = open_telling(project, request, progress)
    documents = _documents(reader, tree)
    # each source on its own: together they need not fit into memory
    chunked = ((entry, Sources(project).chunked(entry, reader)) for entry in documents)
    found = [_part(entry, each, request) for entry, each in chunked if each is not None]
    short = _short(tree, found, request.base_url)
    full, kept = _full(found, request, project.configuration.chunking.tokenizer)
    folder = project.directory / request.directory
    for name, text in zip(LLMS_FILES, (short, full), strict=True):
        replace_file(folder / name, text.encode("utf-8", "replace"), what="the file")
    read = {part.entry.doc_id for part in found}
    return LlmsReport(
        paths=tuple(str(folder / name) for name in LLMS_FILES),
        documents=len(found),
        left_out=tuple(part.entry.doc_id for part in found[kept:]),
        stale=tuple(entry.doc_id for entry in documents if entry.doc_id not in read),
    )


def _tree(project: Project, name: str | None) -> Tree:
    if name is not None:
        return project.get_tree(name)
    if len(project.trees) == 1:
        return project.trees[0]
    names = ", ".join(tree.name for tree in project.trees)
    raise UsageError("there are several trees", hint=f"name one with -t: {names}")


def _documents(reader: IndexReader, tree: Tree) -> list[DocumentEntry]:
    """The documents with text, folder by folder; agent files and our own are none."""
    ours = {name.casefold() for name in (*AGENT_FILES, *LLMS_FILES)}
    found = [
        entry
        for name, path in reader.manifest
        if name == tree.name and path.rpartition("/")[2].casefold() not in ours
        for entry in (reader.document(document_id(name, path)),)
        if entry is not None and entry.chunk_count
    ]
    return sorted(found, key=_order)


def _order(entry: DocumentEntry) -> tuple[str, int, str]:
    folder, _, name = entry.path.rpartition("/")
    return folder, _rank(entry), name


def _rank(entry: DocumentEntry) -> int:
    stem = entry.path.rpartition("/")[2].partition(".")[0].casefold()
    return _FIRST.index(stem) if stem in _FIRST else len(_FIRST)


def _part(entry: DocumentEntry, chunked: ChunkedDocument, request: LlmsRequest) -> _Part:
    head = (
        f"# {_line(entry.title)}\n\nSource: {_url(entry.path, request.base_url)} ({entry.doc_id})"
    )
    return _Part(entry, _note(chunked), f"{head}\n\n{_whole(chunked).strip()}\n")


def _short(tree: Tree, parts: Sequence[_Part], base_url: str | None) -> str:
    """Return the text of `llms.txt`; the first document of the top folder may name it."""
    first = parts[0] if parts and "/" not in parts[0].entry.path else None
    lead = first if first is not None and _rank(first.entry) < len(_FIRST) else None
    lines = [f"# {_line(lead.entry.title) if lead else tree.name}", ""]
    lines += [f"> {lead.note}", ""] if lead is not None and lead.note else []
    section = None
    for part in parts:
        folder = part.entry.path.rpartition("/")[0]
        if folder != section:
            lines += [] if section is None else [""]
            lines += [f"## {_line(folder) or 'Documents'}", ""]
            section = folder
        lines.append(_link(part, base_url))
    return "\n".join(lines).rstrip("\n") + f"\n\n{LLMS_MARK}\n"


def _link(part: _Part, base_url: str | None) -> str:
    title = _line(part.entry.title).replace("[", "(").replace("]", ")")
    note = f": {part.note}" if part.note else ""
    return f"- [{title}]({_url(part.entry.path, base_url)}){note}"


def _url(path: str, base_url: str | None) -> str:
    quoted = quote(path.encode("utf-8", "surrogateescape"), safe="/-._~")
    return quoted if base_url is None else f"{base_url.rstrip('/')}/{quoted}"


def _note(chunked: ChunkedDocument) -> str:
    """What a document says of itself: its description, else the beginning of its first text."""
    said = chunked.document.metadata.get("description")
    text = said if isinstance(said, str) else next(_leads(chunked), "")
    line = _line(_LINK.sub(r"\1", text))
    if len(line) <= _NOTE_LENGTH:
        return line
    return line[:_NOTE_LENGTH].rpartition(" ")[0].rstrip(",;:.") + " …"


def _leads(chunked: ChunkedDocument) -> Iterator[str]:
    """The paragraphs at the beginning that say something, first one first."""
    for chunk in chunked.chunks[:_LEADING_CHUNKS]:
        for part in chunk.readable_body.split("\n\n"):
            if part.strip() and not part.lstrip().startswith(_MARKUP):
                yield part


def _whole(chunked: ChunkedDocument) -> str:
    """The whole text as it is read; that of a page or notebook has its headings as Markdown."""
    document = chunked.document
    if not document.is_rendered:
        start = 0 if document.front_matter is None else document.front_matter.end
        return document.read(start, len(document.data)).removeprefix("\ufeff")
    parts = []
    for chunk in chunked.chunks:
        if chunk.kind == "section":
            parts.append(f"{'#' * min(6, chunk.depth)} {chunk.title}")
        parts.append(chunk.readable_body.strip())
    return "\n\n".join(part for part in parts if part)


def _line(text: str) -> str:
    """The text on one line, with nothing in it that a terminal or a list would obey."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def _full(parts: Sequence[_Part], request: LlmsRequest, tokenizer: str) -> tuple[str, int]:
    """Return the text of `llms-full.txt` and how many documents are in it."""
    if request.max_tokens is None:
        return _joined(parts, len(parts)), len(parts)
    from leafmark.chunking import token_counter  # late: it loads a vocabulary

    count = token_counter(tokenizer)
    kept, total = 0, 0
    while kept < len(parts) and total <= request.max_tokens:
        total += count(parts[kept].text)
        kept += 1
    # the sum is near; the count of the whole decides
    while kept and count(_joined(parts, kept)) > request.max_tokens:
        kept -= 1
    if parts and not kept:
        least = count(_joined(parts, 1))
        raise UsageError(
            f"not even the first document fits into {request.max_tokens} tokens",
            hint=f"--max-tokens {least} takes it in",
        )
    return _joined(parts, kept), kept


def _joined(parts: Sequence[_Part], kept: int) -> str:
    left = len(parts) - kept
    more = [f"({left} more documents are left out; llms.txt names them.)\n"] if left else []
    return "\n".join([*(part.text for part in parts[:kept]), *more, f"{LLMS_MARK}\n"])
