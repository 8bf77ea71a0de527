"""Names in a query that nothing has: tags, trees, paths, ids, languages, metadata.

Each is told with the nearest names that exist. Used only for empty answers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from leafmark.index import (
    IndexReader,
    canonical,
    fact,
    language_fact,
    meta_prefix,
    path_spellings,
    tag_fact,
)
from leafmark.likeness import MOST_SUGGESTED, nearest
from leafmark.model import Hint, encode_path
from leafmark.query import Expression, Filter, Range, admits, format_query, iter_leaves
from leafmark.retrieval.naming import find_chunks
from leafmark.retrieval.params import SearchParams

__all__ = ["unknown_names"]

_META = "meta."
"""The beginning of the facts of all metadata keys."""

_KINDS = {"code": "code", "table": "a table", "list": "a list"}
"""The values of `has:` as a sentence names them."""


def unknown_names(
    reader: IndexReader, topics: Iterable[Expression], params: SearchParams
) -> Iterator[Hint]:
    """Yield a hint for each name in topics and parameters that nothing has."""
    for name in params.trees:
        yield from _tree(reader, name)
    tags = _facts(reader, fact("tag", "")) if params.tags else []
    for tag in params.tags:
        if tag_fact(tag) not in (fact("tag", one) for one in tags):
            yield _unknown("unknown-tag", f"no document has the tag {tag}", tag, tags)
    for topic in topics:
        for asked in iter_leaves(topic):
            if isinstance(asked.leaf, Filter) and not asked.negated:
                yield from _unknown_value(reader, asked.leaf)


def _unknown_value(reader: IndexReader, node: Filter) -> Iterator[Hint]:
    value = str(node.value)
    if node.key is not None:
        yield from _metadata(reader, node, node.key)
    if node.name == "tree":
        yield from _tree(reader, value)
    if node.name == "path":
        yield from _path(reader, value)
    if node.name in ("id", "under") and not find_chunks(reader, value):
        yield _id(reader, value)
    if node.name == "lang":
        known = _facts(reader, fact("lang", ""))
        if language_fact(value) not in (fact("lang", one) for one in known):
            yield _unknown("unknown-language", f"there is no code in {value}", value, known)
    if node.name == "has" and value not in _facts(reader, fact("has", "")):
        yield Hint("unknown-value", f"no chunk holds {_KINDS[value]}")


def _facts(reader: IndexReader, begin: str) -> list[str]:
    """Return the rest of each live chunk's facts that begin with `begin`."""
    live = reader.every_chunk()
    terms = reader.searcher.terms_with_prefix("facts", begin, filter_query=live)
    return [term[len(begin) :] for term, _ in terms]


def _tree(reader: IndexReader, name: str) -> Iterator[Hint]:
    if name not in reader.tree_names:
        yield _unknown("unknown-tree", f"there is no tree named {name}", name, reader.tree_names)
    elif name not in reader.trees or not reader.trees[name].chunks:
        yield Hint("empty-tree", f"there is nothing in the tree {name}")


def _path(reader: IndexReader, value: str) -> Iterator[Hint]:
    paths = [path for _, path in reader.manifest]
    begins = tuple(map(encode_path, path_spellings(value)))
    if not any(encode_path(path).startswith(begins) for path in paths):
        near = {*paths, *(f"{path.rpartition('/')[0]}/" for path in paths if "/" in path)}
        yield _unknown("unknown-path", f"no path begins with {value}", value, sorted(near))


def _id(reader: IndexReader, value: str) -> Hint:
    message = f"nothing indexed is called {value}"
    folder = value.rstrip("/") + "/"
    if any(path.startswith(folder) for _, path in reader.manifest):
        return Hint("unknown-id", f"{message}; path:{folder} admits all in that folder")
    names = [f"{tree}:{encode_path(path)}" for tree, path in reader.manifest]
    return _unknown("unknown-id", message, value, names)


def _metadata(reader: IndexReader, node: Filter, key: str) -> Iterator[Hint]:
    values = _facts(reader, meta_prefix(key))
    if not values:
        keys = {one.partition("=")[0] for one in _facts(reader, _META)}
        message = f"no document has the metadata {key}"
        yield _unknown("unknown-key", message, key.casefold(), sorted(keys))
    elif not any(admits(node.value, one) for one in values):
        message = f"no document has {format_query(node)}"
        wanted = "" if isinstance(node.value, Range) else canonical(node.value)
        yield _unknown("unknown-value", message, wanted, values)


def _unknown(code: str, message: str, name: str, known: Iterable[str]) -> Hint:
    near = nearest(name, known, MOST_SUGGESTED)
    return Hint(code, f"{message}; the nearest: {', '.join(near)}" if near else message)
