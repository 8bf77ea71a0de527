"""`llms.txt` and `llms-full.txt` for a tree, as llmstxt.org describes them.

`llms.txt` is a title, a summary and a list of links with notes, by folder.
`llms-full.txt` holds the texts themselves, in the same order, each with its id.
Deterministic: the same documents give the same bytes. The last line of both is
the mark by which they are known, and not indexed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from urllib.parse import quote

from leafmark.app.agents.agent_files import AGENT_FILES
from leafmark.app.answering.opening import open_telling
from leafmark.app.configuration.project import Project
from leafmark.app.indexed_sources import Sources
from leafmark.app.requests import LlmsRequest, Progress
from leafmark.app.sources.contents import LLMS_FILES, LLMS_MARK
from leafmark.app.sources.trees import Tree
from leafmark.app.writing import replace_file, replacing
from leafmark.errors import UsageError
from leafmark.index import IndexReader
from leafmark.model import ChunkedDocument, LlmsReport, document_id
from leafmark.namedtuples import NamedTuple

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


class _Link(NamedTuple):
    """One document, and what stands behind its link."""

    doc_id: str
    path: str
    title: str
    note: str


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
    names = [document_id(tree.name, path) for path in _paths(reader, tree)]
    found: list[_Link] = []
    texts: Iterable[str] = _read(project, reader, names, request, found)
    kept: int | None = None
    if request.max_tokens is not None:
        texts, kept = _fitting(texts, request.max_tokens, project)
    short, full = (project.directory / request.directory / name for name in LLMS_FILES)
    with replacing(full, what="the file") as write:
        # each source on its own: together they need not fit into memory
        for text in texts:
            write(f"{text}\n".encode("utf-8", "replace"))
        write(f"{LLMS_MARK}\n".encode())
        links = _short(tree, found, request.base_url)
        replace_file(short, links.encode("utf-8", "replace"), what="the file")
    read = {link.doc_id for link in found}
    return LlmsReport(
        paths=(str(short), str(full)),
        documents=len(found),
        left_out=() if kept is None else tuple(link.doc_id for link in found[kept:]),
        stale=tuple(name for name in names if name not in read),
    )


def _tree(project: Project, name: str | None) -> Tree:
    if name is not None:
        return project.get_tree(name)
    if len(project.trees) == 1:
        return project.trees[0]
    names = ", ".join(tree.name for tree in project.trees)
    raise UsageError("there are several trees", hint=f"name one with -t: {names}")


def _paths(reader: IndexReader, tree: Tree) -> list[str]:
    """The documents with text, folder by folder; agent files and our own are none."""
    ours = {name.casefold() for name in (*AGENT_FILES, *LLMS_FILES)}
    found = [
        path
        for (name, path), row in reader.manifest.items()
        if name == tree.name and row.chunks and path.rpartition("/")[2].casefold() not in ours
    ]
    return sorted(found, key=_order)


def _order(path: str) -> tuple[str, int, str]:
    folder, _, name = path.rpartition("/")
    return folder, _rank(path), name


def _rank(path: str) -> int:
    stem = path.rpartition("/")[2].partition(".")[0].casefold()
    return _FIRST.index(stem) if stem in _FIRST else len(_FIRST)


def _read(
    project: Project,
    reader: IndexReader,
    names: Iterable[str],
    request: LlmsRequest,
    links: list[_Link],
) -> Iterator[str]:
    """Yield the text of each document that is as it was indexed, and add its link to `links`."""
    for entry in filter(None, map(reader.document, names)):
        chunked = Sources(project).chunked(entry, reader)
        if chunked is None:
            continue
        links.append(_Link(entry.doc_id, entry.path, entry.title, _note(chunked)))
        url = _url(entry.path, request.base_url)
        head = f"# {_line(entry.title)}\n\nSource: {url} ({entry.doc_id})"
        yield f"{head}\n\n{_whole(chunked).strip()}\n"


def _short(tree: Tree, links: Sequence[_Link], base_url: str | None) -> str:
    """Return the text of `llms.txt`; the first document of the top folder may name it."""
    first = links[0] if links and "/" not in links[0].path else None
    lead = first if first is not None and _rank(first.path) < len(_FIRST) else None
    lines = [f"# {_line(lead.title) if lead else tree.name}", ""]
    lines += [f"> {lead.note}", ""] if lead is not None and lead.note else []
    section = None
    for link in links:
        folder = link.path.rpartition("/")[0]
        if folder != section:
            lines += [] if section is None else [""]
            lines += [f"## {_line(folder) or 'Documents'}", ""]
            section = folder
        lines.append(_link(link, base_url))
    return "\n".join(lines).rstrip("\n") + f"\n\n{LLMS_MARK}\n"


def _link(link: _Link, base_url: str | None) -> str:
    title = _line(link.title).replace("[", "(").replace("]", ")")
    note = f": {link.note}" if link.note else ""
    return f"- [{title}]({_url(link.path, base_url)}){note}"


def _url(path: str, base_url: str | None) -> str:
    quoted = quote(path.encode("utf-8", "surrogateescape"), safe="/-._~")
    return quoted if base_url is None else f"{base_url.rstrip('/')}/{quoted}"


def _note(chunked: ChunkedDocument) -> str:
    """What a document says of itself: its description, else the beginning of its first text."""
    description = chunked.document.metadata.get("description")
    text = description if isinstance(description, str) else next(_leads(chunked), "")
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


def _fitting(texts: Iterable[str], most: int, project: Project) -> tuple[list[str], int]:
    """Return the first texts that fit into `most` tokens, with a line on the rest; and how many.

    Raises:
        UsageError: not even the first one fits.
    """
    from leafmark.chunking import token_counter  # late: it loads a vocabulary

    count = token_counter(project.configuration.chunking.tokenizer)
    written: list[str] = []
    total = number = 0
    for text in texts:
        number += 1
        if total <= most:
            total += count(text)
            written.append(text)
    kept = len(written)
    # the sum is near; the count of the whole decides
    while kept and count(_joined(written[:kept], number - kept)) > most:
        kept -= 1
    if written and not kept:
        least = count(_joined(written[:1], number - 1))
        raise UsageError(
            f"not even the first document fits into {most} tokens",
            hint=f"--max-tokens {least} takes it in",
        )
    return _with_rest(written[:kept], number - kept), kept


def _with_rest(texts: list[str], left: int) -> list[str]:
    more = f"({left} more documents are left out; llms.txt names them.)\n"
    return [*texts, more] if left else texts


def _joined(texts: list[str], left: int) -> str:
    return "\n".join([*_with_rest(texts, left), f"{LLMS_MARK}\n"])
