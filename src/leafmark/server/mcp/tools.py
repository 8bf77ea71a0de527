"""The tools: the purpose and parameters of each, and the schema of its structured content."""

from __future__ import annotations

from typing import Any, NamedTuple

from leafmark.server.parameters import Parameter


class Tool(NamedTuple):
    """One tool. `properties` is the schema of its answers' own fields, besides `_COMMON`.

    Its use case is in `answers`, under the same name.
    """

    name: str
    title: str
    description: str
    parameters: tuple[Parameter, ...]
    properties: dict[str, Any]

    @property
    def output_schema(self) -> dict[str, Any]:
        """The JSON schema of the structured content."""
        required = [name for name in self.properties if name not in _OPTIONAL]
        return {
            "type": "object",
            "properties": _COMMON | self.properties,
            "required": ["note", *required],
        }


_STRING = {"type": "string"}
_STRINGS = {"type": "array", "items": _STRING}
_INTEGER = {"type": "integer"}
_BOOLEAN = {"type": "boolean"}

_COMMON: dict[str, Any] = {
    "note": {"type": "string", "description": "How to take what the answer holds."},
    "next": {
        "type": "string",
        "description": "What to ask for to see what was left out to keep to max_tokens.",
    },
    "index": {
        "type": "object",
        "description": "Where the index is not fresh: being brought up to date, or why it is not.",
        "properties": {
            "state": {"enum": ["building", "failed"]},
            "done": _INTEGER,
            "total": _INTEGER,
            "message": _STRING,
        },
        "required": ["state", "done", "total", "message"],
    },
}
_OPTIONAL = frozenset(("doubtful", "not_found", "warnings"))


def _rows(required: dict[str, Any], **optional: Any) -> dict[str, Any]:
    """Return the schema of a list of objects."""
    item = {"type": "object", "properties": required | optional, "required": [*required]}
    return {"type": "array", "items": item}


_LINES = {"type": "array", "items": _INTEGER, "minItems": 2, "maxItems": 2}
_PLACE = {"id": _STRING, "lines": _LINES}
_EXPANDED = _rows(_PLACE)
_RESULTS = {
    "doubtful": {
        "type": "boolean",
        "description": "Perhaps no result is about the question: only their places are told.",
    },
    "results": _rows(
        _PLACE | {"score": {"type": "number"}}, relaxed=_BOOLEAN, stale=_BOOLEAN, expanded=_EXPANDED
    ),
}


def _budget(default: int) -> Parameter:
    return Parameter(
        "max_tokens",
        "The most tokens that the whole answer may take.",
        "integer",
        default=default,
        least=200,
        most=200_000,
        aliases=("budget", "token_budget", "tokens", "max_token"),
    )


_GOES_ON = "An answer says how it goes on."
_OFFSET_ALIASES = ("skip", "start")


def _offset(what: str) -> Parameter:
    """Return the argument that pages through a list which is not from a search."""
    return Parameter(
        "offset",
        f"Leave out so many of the first {what}. {_GOES_ON}",
        "integer",
        default=0,
        least=0,
        most=1_000_000,
        aliases=_OFFSET_ALIASES,
    )


def _limit(**own: Any) -> Parameter:
    return Parameter.of(
        "search.limit",
        note="All places come before the first text: with a small max_tokens, ask for few.",
        most=50,
        aliases=("n", "k", "top_k", "count", "max_results", "num_results"),
        **own,
    )


_OFFSET = Parameter.of("search.offset", note=_GOES_ON, most=1_000_000, aliases=_OFFSET_ALIASES)
_TREES = Parameter.of(
    "search.trees",
    note="`list_sources` names them.",
    most=50,
    aliases=("tree", "sources", "source"),
)

TOOLS: tuple[Tool, ...] = (
    Tool(
        "search",
        "Search the documents",
        "Find the pieces, sections and documents that answer a question or hold some words, best "
        "first, with their text and a citation each. All words must match; of a question, those "
        'that carry it. "quoted words" are a phrase, -word leaves out, a OR b takes either, '
        "title:word looks in titles, path:folder/ limits to a folder. No results means that "
        "nothing in the documents is about the query; a doubtful answer, that perhaps nothing "
        "is: it gives places only.",
        (
            Parameter(
                "query",
                "A question, or words.",
                required=True,
                least=1,
                most=2000,
                aliases=("q", "question", "search", "keywords", "text"),
            ),
            Parameter(
                "topics",
                "Further questions, each searched for by itself. The best matches of all make one "
                "list; a hint names a question without a result.",
                "strings",
                most=7,
                aliases=("queries",),
            ),
            _limit(),
            _OFFSET,
            _TREES,
            Parameter.of("search.tags", most=20, aliases=("tag",)),
            Parameter.of("search.since", most=40),
            Parameter.of("search.grain"),
            Parameter.of("search.mode"),
            Parameter.of("search.strict"),
            Parameter.of("search.plain"),
            Parameter.of("search.section", single=True, least=1, most=500),
            Parameter.of("search.expand", most=5),
            _budget(6000),
        ),
        _RESULTS,
    ),
    Tool(
        "get",
        "Read by id",
        "Read documents, sections or pieces by the ids that search and outline give. A path, "
        "path#anchor, path:line or an ordinal id will do too. The text is what the file "
        "holds; of pages and notebooks, what people read in it.",
        (
            Parameter(
                "ids",
                "What to read.",
                "strings",
                required=True,
                least=1,
                most=20,
                aliases=("id", "path", "paths", "doc_id", "chunk_id", "chunk_ids"),
            ),
            Parameter(
                "lines",
                "Only these lines of the file, counted from 1: 12-40, or 12- up to its end.",
                most=30,
                aliases=("line_range", "range", "line"),
            ),
            Parameter.of("show.own"),
            Parameter.of("show.full_document"),
            _offset("ids"),
            Parameter.of("show.expand", most=5),
            _budget(10_000),
        ),
        {"results": _rows(_PLACE, stale=_BOOLEAN, expanded=_EXPANDED), "not_found": _STRINGS},
    ),
    Tool(
        "outline",
        "List documents or sections",
        "Without an id, the documents, or the folders where there are many documents; with the "
        "id of a document or a section, the sections below it, with their ids and their sizes "
        "in the source. Use it to see what there is before reading.",
        (
            Parameter(
                "id",
                "A document, a section or a folder; none lists the documents.",
                most=2000,
                aliases=("ids", "doc_id", "path"),
            ),
            _TREES,
            Parameter.of("list.under", most=2000, aliases=("folder", "prefix", "directory")),
            _offset("rows"),
            _budget(4000),
        ),
        {
            "rows": _rows({"id": _STRING}, depth=_INTEGER, bytes=_INTEGER, documents=_INTEGER),
            "total": _INTEGER,
        },
    ),
    Tool(
        "context",
        "What matters for files",
        "Find the documents and sections that matter for files you are working on: by the words "
        "of their paths, headings, definitions, comments and imports. The files are named as seen "
        "from the project's folder.",
        (
            Parameter(
                "files",
                "The files.",
                "strings",
                required=True,
                least=1,
                most=50,
                aliases=("file", "path", "paths"),
            ),
            _limit(default=8),
            _OFFSET,
            _TREES,
            _budget(6000),
        ),
        _RESULTS,
    ),
    Tool(
        "list_sources",
        "What is indexed",
        "The trees of documents that can be searched: how much is in each, and its top folders.",
        (_offset("trees"), _budget(2000)),
        {
            "trees": _rows(
                {"name": _STRING, "documents": _INTEGER, "chunks": _INTEGER}, missing=_BOOLEAN
            ),
            "warnings": _STRINGS,
        },
    ),
    Tool(
        "verify",
        "Check citations",
        "Check every citation (id@hash:start-end) in a text against the documents as they are "
        "now: ok, moved (with the new place), changed or gone. Use it before you give an answer "
        "that cites, and on texts of others.",
        (
            Parameter(
                "text",
                "Any text with citations.",
                required=True,
                least=1,
                most=500_000,
                aliases=("answer", "content", "citations", "citation"),
            ),
            _offset("citations"),
            _budget(4000),
        ),
        {
            "ok": {"type": "boolean", "description": "Whether all hold, and there is any."},
            "counts": {"type": "object", "additionalProperties": _INTEGER},
            "citations": _rows(
                {
                    "line": _INTEGER,
                    "column": _INTEGER,
                    "status": {"enum": ["ok", "moved", "changed", "gone"]},
                },
                current={"type": ["string", "null"], "description": "Where the text is now."},
            ),
        },
    ),
    Tool(
        "changes",
        "What changed since a revision",
        "Compare the documents with those of a revision of their git repository, section by "
        "section: added, removed, moved, renamed, split, merged, changed, and the ids and anchors "
        "that no longer lead to their sections, with the new places of these.",
        (
            Parameter(
                "since",
                "The older revision: a tag, a branch, a hash, HEAD~3, or a date as 2026-01-31.",
                least=1,
                most=200,
                default="HEAD",
                aliases=("old", "from", "rev", "revision", "at"),
            ),
            Parameter(
                "until",
                "The newer revision; without it, the files as they are now.",
                least=1,
                most=200,
                aliases=("new", "to"),
            ),
            _TREES,
            _offset("changes"),
            _budget(4000),
        ),
        {
            "counts": {"type": "object", "additionalProperties": _INTEGER},
            "sections": _rows({"id": _STRING, "fates": _STRINGS}, old_id=_STRING, parts=_STRINGS),
            "broken": _rows({"name": _STRING, "now": _STRINGS}),
        },
    ),
)
