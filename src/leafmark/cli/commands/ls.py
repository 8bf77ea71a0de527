"""`leafmark ls`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import Any

from leafmark.cli.options import JSON, NO_REFRESH, TAG, Argument, Call, Command, Option, text
from leafmark.errors import UsageError

__all__ = ["COMMAND"]

KINDS = ("trees", "docs", "chunks", "tags")
_KEYS = {"trees": "trees", "docs": "documents", "chunks": "chunks", "tags": "tags"}

OPTIONS = (
    Option(("-t", "--tree"), "Only this tree.", "TREE", text, repeat=True),
    TAG,
    NO_REFRESH,
    JSON,
)


def run(call: Call) -> int:
    """List; exit code 1 when there is nothing to list."""
    from leafmark import app
    from leafmark.app.requests import ListRequest
    from leafmark.cli.projects import perform

    kind = call.words[0] if call.words else "trees"
    under = call.words[1] if len(call.words) > 1 else None
    if kind == "trees" and (under or call.on("tag")):
        raise UsageError("`leafmark ls trees` lists all trees", hint="try: leafmark ls docs")

    fetchers: dict[str, Callable[..., Collection[Any]]] = {
        "trees": app.list_trees,
        "docs": app.list_documents,
        "chunks": app.list_chunks,
        "tags": app.list_tags,
    }
    items = perform(
        call,
        fetchers[kind],
        lambda confirmed: ListRequest(
            trees=tuple(call.values.get("tree", ())),
            tags=tuple(call.values.get("tag", ())),
            under=under,
            refresh=not call.on("no_refresh"),
            confirmed=confirmed,
        ),
    )
    _print(call, kind, items)
    return 0 if items else 1


def _print(call: Call, kind: str, items: Collection[Any]) -> None:
    from leafmark.render import listing
    from leafmark.render.jsontext import SCHEMA_VERSION

    console, key = call.console, _KEYS[kind]
    if console.json:
        rows = listing.listing_rows(key, items)
        console.write_listing({"schema_version": SCHEMA_VERSION}, key, rows)
        return
    renderers: dict[str, Callable[..., Iterable[str]]] = {
        "trees": listing.iter_tree_lines,
        "docs": listing.iter_document_lines,
        "chunks": listing.iter_chunk_lines,
        "tags": listing.iter_tag_lines,
    }
    for line in renderers[kind](items, console.style):
        console.write(line)
    if not items:
        console.note(f"no {_KEYS[kind]} to list{_limits(call)}\n")


def _limits(call: Call) -> str:
    """What the list was limited to, for one that is empty."""
    from leafmark.render.terminal import clean_line

    tags, trees = call.values.get("tag", ()), call.values.get("tree", ())
    limits = [f" below {path}" for path in call.words[1:]]
    limits += [f" with the tag {' and '.join(tags)}"] if tags else []
    limits += [f" in the tree {' and '.join(trees)}"] if trees else []
    return clean_line("".join(limits))


COMMAND = Command(
    name="ls",
    summary="list trees, documents, chunks or tags",
    description=(
        "Lists what is indexed: all of it, or what is below a folder or an id.\n\n"
        "Exit code 1 means that there is nothing to list."
    ),
    examples=(
        ("leafmark ls", "the trees"),
        ("leafmark ls docs guides/", "the documents of a folder"),
        ("leafmark ls chunks guides/backups.md", "the sections of a document"),
        ("leafmark ls tags --json", "the tags, for programs"),
    ),
    run=run,
    argument=Argument(
        "KIND [PATH]",
        "trees (the default), docs, chunks or tags; with docs, chunks and tags, what they are "
        "listed of: a folder, the beginning of a path, or an id.",
        0,
        2,
        choices=KINDS,
    ),
    options=OPTIONS,
)
