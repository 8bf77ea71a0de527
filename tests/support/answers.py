"""Hand-made answers and reports: a guide of four sections, and a search in it."""

from __future__ import annotations

from typing import Any

from leafmark.model import (
    Answer,
    DocumentEntry,
    Entry,
    Factor,
    FileState,
    Hint,
    Phase,
    Result,
    Shown,
    Snippet,
)
from leafmark.model.result import WORD

SOURCE = b"""# Guide

Preamble of the guide.

## Setup

Install the client.
Then start the client twice.

## Usage

Call `run`.

### Retries

The client retries.
"""

ROOTS = {"docs": "/srv/docs"}


def make_document(path: str = "guide.md", **fields: Any) -> DocumentEntry:
    values: dict[str, Any] = {
        "tree": "docs",
        "path": path,
        "state": FileState(len(SOURCE), 1, 1, 1, "00"),
        "title": "Guide",
        "format": "markdown",
        "encoding": "utf-8",
        "chunk_count": 4,
        "tags": ("ops", "client"),
        "version": "3",
    }
    return DocumentEntry(**values | fields)


def make_entry(title: str = "Setup", position: int = 1, **fields: Any) -> Entry:
    """The section of SOURCE with this title, or one that is not in it, at byte 0."""
    heading = f"# {title}\n".encode("utf-8", "surrogatepass")
    found = SOURCE.find(heading)
    heading_start = SOURCE.rfind(b"\n", 0, found) + 1 if found > 0 else max(found, 0)
    start = max(found, 0) + (len(heading) if found >= 0 else 0)
    end = SOURCE.find(b"\n#", start) + 1 or len(SOURCE)
    values: dict[str, Any] = {
        "tree": "docs",
        "path": "guide.md",
        "position": position,
        "parent_position": 0,
        "parent_fragment": "",
        "last_position": position,
        "kind": "section",
        "depth": 2,
        "title": title,
        "slug": title.lower().replace(" ", "-"),
        "piece": 0,
        "byte_start": start,
        "byte_end": end,
        "heading_start": heading_start,
        "heading_end": start,
        "line_start": SOURCE.count(b"\n", 0, heading_start) + 1,
        "line_end": SOURCE.count(b"\n", 0, end - 1) + 1,
        "sibling_count": 2,
        "body_spans": ((start, end),),
        "section_path": ("Guide", title),
        "content_type": "prose",
        "block_types": ("paragraph",),
    }
    return Entry(**values | fields)


def make_result(
    title: str = "Setup", position: int = 1, score: float = 2.5, word: str = "client", **fields: Any
) -> Result:
    """A result for a section of SOURCE, every `word` in its body a match."""
    entry = fields.pop("entry", None) or make_entry(title, position)
    body = b"".join(SOURCE[start:end] for start, end in entry.body_spans)
    ranges, at = [], body.find(word.encode())
    while word and at >= 0:
        ranges.append((at, at + len(word)))
        at = body.find(word.encode(), at + 1)
    values: dict[str, Any] = {
        "entry": entry,
        "document": make_document(entry.path),
        "score": score,
        "rank": 1,
        "body": body.decode(),
        "body_bytes": body,
        "body_places": tuple(place_of(start) for start, _ in entry.body_spans),
        "cited": ("ab" * 32, f"{entry.id}@{'ab' * 6}:{entry.byte_start}-{entry.byte_end}"),
        "snippet": Snippet(body.decode(), tuple(ranges)),
        "match_ranges": tuple(ranges),
        "full_text": SOURCE[entry.heading_start or 0 : entry.byte_end].decode(),
    }
    return Result(**values | fields)


def place_of(offset: int) -> tuple[int, int]:
    """The 1-based line and byte column of a byte of SOURCE."""
    return SOURCE.count(b"\n", 0, offset) + 1, offset - SOURCE.rfind(b"\n", 0, offset)


def make_answer(*results: Result, **fields: Any) -> Answer:
    """An answer with these results, ranked in the order given."""
    ranked = tuple(result._replace(rank=rank) for rank, result in enumerate(results, start=1))
    values: dict[str, Any] = {
        "query": "client",
        "mode": "lexical",
        "results": ranked,
        "phases": (
            Phase("candidates", 4, len(ranked)),
            Phase("cutoff", len(ranked), len(ranked), "no drop below 0.5"),
        ),
        "hints": (Hint("relaxed", "some results have only some of the words"),),
        "elapsed_ms": 1.23456,
        "counts": {
            "candidates": 4,
            "after_cutoff": 3,
            "after_aggregation": 2,
            "returned": len(ranked),
        },
        "expressions": ("client",),
        "roots": ROOTS,
    }
    return Answer(**values | fields)


def make_shown(**fields: Any) -> Shown:
    """What is shown of the section Setup, with a shorter text."""
    values: dict[str, Any] = {
        "entry": make_entry(),
        "document": make_document(),
        "record": {"text": "> Guide › Setup\n\nInstall.", "tokens": 9},
        "heading": "## Setup\n",
        "body": "Install.\n",
        "full_text": "## Setup\nInstall.\n",
        "raw": b"## Setup\nInstall.\n",
    }
    return Shown(**values | fields)


def mixed_answer() -> Answer:
    """Every kind of result: plain, aggregate, whole document, relaxed, stale, with a copy."""
    api = make_document("api.md", title="Api", version=None, tags=())
    usage = make_result("Usage", 2, 3.0, word="run")
    retries = make_result(
        "Retries",
        3,
        2.75,
        factors=(
            Factor("client", 2.0, how=WORD, parts=(Factor("body", 2.0),)),
            Factor("nearness", 0.5),
            Factor("local_boost", 1.1, "multiply"),
        ),
    )
    document = make_entry(
        "Api", 0, kind="document", slug=None, path="api.md", section_path=("Api",), depth=0
    )
    stale = make_entry("Old", 4, path="api.md", section_path=("Api", "Old"))
    gone = make_result(
        entry=stale, document=api, score=0.5, stale=True, body=None, body_bytes=None,
        body_places=(), cited=(), snippet=Snippet(), match_ranges=(), full_text=None,
    )  # fmt: skip
    return make_answer(
        usage._replace(constituents=(retries,)),
        make_result(
            "Setup",
            1,
            2.5,
            also_in=("docs:copy.md#setup",),
            other_versions=(make_entry("Setup", path="v1/copy.md"),),
        ),
        make_result(
            entry=document, document=api, score=1.25, whole=True, word="", full_text="# Api\n",
            body="", body_bytes=b"", snippet=Snippet(), match_ranges=(),
        ),
        gone._replace(relaxed=True),
    )  # fmt: skip
