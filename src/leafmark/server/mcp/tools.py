"""The tools: what each is for, what it takes, and what its answer looks like."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from leafmark.model import GRAINS, RELATIONS
from leafmark.server.mcp import calls, listings
from leafmark.server.mcp.replies import Draft
from leafmark.server.mcp.request import Request
from leafmark.server.parameters import Parameter

__all__ = ["TOOLS", "Tool"]


class Tool(NamedTuple):
    """One tool. `properties` are the schema of what its answers hold beside what every one does."""

    name: str
    title: str
    description: str
    parameters: tuple[Parameter, ...]
    properties: dict[str, Any]
    run: Callable[[Request], Draft]

    @property
    def output_schema(self) -> dict[str, Any]:
        """The JSON schema of the structured content."""
        return {
            "type": "object",
            "properties": self.properties | _COMMON,
            "required": [*self.properties, *_COMMON],
        }


_COMMON: dict[str, Any] = {
    "truncated": {
        "type": "boolean",
        "description": "Whether something was left out to keep to max_tokens.",
    },
    "next": {
        "type": "string",
        "description": "What to ask for to see more; empty when there is no more.",
    },
    "index": {
        "type": "object",
        "description": "How fresh the index is: fresh, building (done of total) or failed.",
        "properties": {
            "state": {"enum": ["fresh", "building", "failed"]},
            "done": {"type": "integer"},
            "total": {"type": "integer"},
            "message": {"type": "string"},
        },
        "required": ["state", "done", "total", "message"],
    },
}

_STRING = {"type": "string"}
_INTEGER = {"type": "integer"}
_OMITTED = {
    "type": "object",
    "properties": {
        "id": _STRING,
        "tokens": _INTEGER,
        "results": _INTEGER,
        "own": {"const": True, "description": "Only own text is missing: ask with own."},
    },
    "required": ["id", "tokens"],
}
_PASSAGE = {
    "oneOf": [
        {
            "type": "object",
            "description": "Exact text of the source, and the citation that covers it.",
            "properties": {"text": _STRING, "citation": {"type": ["string", "null"]}},
            "required": ["text", "citation"],
        },
        {
            "type": "object",
            "description": "What was left out: its cost, and the id to ask for.",
            "properties": {"omitted": _OMITTED},
            "required": ["omitted"],
        },
    ]
}
_PLACE = {"id": _STRING, "ordinal_id": _STRING, "breadcrumb": _STRING}
_EXPANDED = {
    "type": "array",
    "description": "What was added from around it, as asked for.",
    "items": {
        "type": "object",
        "properties": {
            "relation": {"enum": list(RELATIONS)},
            **_PLACE,
            "passages": {"type": "array", "items": _PASSAGE},
        },
        "required": ["relation", *_PLACE, "passages"],
    },
}
_RESULTS = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {
            **_PLACE,
            "rank": _INTEGER,
            "score": {"type": "number"},
            "relaxed": {"type": "boolean"},
            "stale": {"type": "boolean"},
            "no_specific_section": {"type": "boolean"},
            "introduction": {"type": "boolean"},
            "passages": {"type": "array", "items": _PASSAGE},
            "expanded": _EXPANDED,
        },
        "required": ["id", "ordinal_id", "breadcrumb", "rank", "score", "passages"],
    },
}
_SHOWN = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {
            **_PLACE,
            "stale": {"type": "boolean"},
            "passages": {"type": "array", "items": _PASSAGE},
            "expanded": _EXPANDED,
        },
        "required": [*_PLACE, "passages"],
    },
}
_HINTS = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {"code": _STRING, "message": _STRING},
        "required": ["code", "message"],
    },
}
_MISSING = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {"id": _STRING, "did_you_mean": {"type": "array", "items": _STRING}},
        "required": ["id", "did_you_mean"],
    },
}
_ROWS = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {
            "id": _STRING,
            "title": _STRING,
            "depth": _INTEGER,
            "bytes": {
                "type": "integer",
                "description": "Of the source: of a page or a notebook, more than what is read.",
            },
            "chunks": _INTEGER,
        },
        "required": ["id", "title", "depth", "bytes", "chunks"],
    },
}
_TREES = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {
            "name": _STRING,
            "scope": {"enum": ["local", "global"]},
            "documents": _INTEGER,
            "chunks": _INTEGER,
            "bytes": _INTEGER,
            "missing": {"type": "boolean"},
            "folders": {"type": "array", "items": _STRING},
        },
        "required": ["name", "scope", "documents", "chunks", "bytes", "missing", "folders"],
    },
}
_CITATIONS = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {
            "citation": _STRING,
            "status": {"enum": ["ok", "moved", "changed", "gone"]},
            "line": _INTEGER,
            "column": _INTEGER,
            "current": {
                "type": ["string", "null"],
                "description": "The citation that holds now: of the moved text, or of the place.",
            },
        },
        "required": ["citation", "status", "line", "column", "current"],
    },
}


def _budget(default: int) -> Parameter:
    return Parameter(
        "max_tokens",
        "The most tokens that the whole answer may take, text and data together.",
        "integer",
        default=default,
        least=200,
        most=200_000,
    )


_EXPAND = Parameter(
    "expand",
    "What to add from around each result.",
    "strings",
    most=5,
    choices=RELATIONS,
)
_TREE = Parameter("trees", "Only these trees (see list_sources).", "strings", most=50)

TOOLS: tuple[Tool, ...] = (
    Tool(
        "search",
        "Search the documents",
        "Find the pieces, sections and documents that answer a question or hold some words, best "
        "first, with their text and a citation each. All words must match; of a question, those "
        'that carry it. "quoted words" are a phrase, -word leaves out, a OR b takes either, '
        "title:word looks in titles, path:folder/ limits to a folder. No results means that "
        "nothing in the documents is about the query, the hint `doubtful` that perhaps nothing is.",
        (
            Parameter("query", "A question, or words.", required=True, least=1, most=2000),
            Parameter(
                "topics",
                "Further questions, each searched for by itself. The best matches of all make one "
                "list; a hint names a question without a result.",
                "strings",
                most=7,
            ),
            Parameter(
                "limit",
                "The most results. All places come before the first text: with a small max_tokens, "
                "ask for few.",
                "integer",
                default=10,
                least=1,
                most=50,
            ),
            _TREE,
            Parameter("tags", "Only documents that have all of these tags.", "strings", most=20),
            Parameter("since", "Only documents changed since then: 7d, 36h, 2026-01-31.", most=40),
            Parameter("grain", "How large a result may be.", choices=GRAINS),
            Parameter(
                "strict", "Whether all words of a question must match.", "boolean", default=False
            ),
            Parameter(
                "section",
                "Only sections whose path ends so: titles or globs, as in 'Guide > Auth*'. With "
                "' > **' behind it, those below them too.",
                least=1,
                most=500,
            ),
            _EXPAND,
            _budget(6000),
        ),
        {"query": _STRING, "results": _RESULTS, "hints": _HINTS},
        calls.search,
    ),
    Tool(
        "get",
        "Read by id",
        "Read documents, sections or pieces by the ids that search and outline give. A path, "
        "path#anchor, path:line or an ordinal id will do too. The text is what the file "
        "holds; of pages and notebooks, what people read in it.",
        (
            Parameter("ids", "What to read.", "strings", required=True, least=1, most=20),
            Parameter(
                "own",
                "Only the section's own text, without the sections below it.",
                "boolean",
                default=False,
            ),
            Parameter(
                "full_document",
                "The whole document that each id belongs to.",
                "boolean",
                default=False,
            ),
            _EXPAND,
            _budget(10_000),
        ),
        {"results": _SHOWN, "not_found": _MISSING},
        calls.get,
    ),
    Tool(
        "outline",
        "List documents or sections",
        "Without an id, the documents; with the id of a document or a section, the sections below "
        "it, with their ids and their sizes in the source. Use it to see what there is before "
        "reading.",
        (
            Parameter("id", "A document or a section; none lists the documents.", most=2000),
            _TREE,
            Parameter("under", "Only documents whose path begins with this.", most=2000),
            _budget(4000),
        ),
        {"of": {"type": ["string", "null"]}, "rows": _ROWS, "total": _INTEGER},
        listings.outline,
    ),
    Tool(
        "context",
        "What matters for files",
        "Find the documents and sections that matter for files you are working on: by the words "
        "of their paths, headings, definitions, comments and imports. The files are named as seen "
        "from the project's folder.",
        (
            Parameter("files", "The files.", "strings", required=True, least=1, most=50),
            Parameter("limit", "The most results.", "integer", default=8, least=1, most=50),
            _TREE,
            _budget(6000),
        ),
        {"query": _STRING, "results": _RESULTS, "hints": _HINTS},
        calls.context,
    ),
    Tool(
        "list_sources",
        "What is indexed",
        "The trees of documents that can be searched: how much is in each, and its top folders.",
        (_budget(2000),),
        {"trees": _TREES, "warnings": {"type": "array", "items": _STRING}},
        listings.list_sources,
    ),
    Tool(
        "verify",
        "Check citations",
        "Check every citation (id@hash:start-end) in a text against the documents as they are "
        "now: ok, moved (with the new place), changed or gone. Use it before you give an answer "
        "that cites, and on texts of others.",
        (
            Parameter("text", "Any text with citations.", required=True, least=1, most=500_000),
            _budget(4000),
        ),
        {
            "ok": {"type": "boolean", "description": "Whether all hold, and there is any."},
            "counts": {"type": "object", "additionalProperties": _INTEGER},
            "citations": _CITATIONS,
        },
        calls.verify,
    ),
)
