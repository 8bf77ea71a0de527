"""Compile filters to engine queries, which admit chunks by facts about them and never score."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping

from leafmark.index import (
    IndexReader,
    canonical,
    fact,
    language_fact,
    meta_prefix,
    path_spellings,
    tag_fact,
)
from leafmark.index.queries import (
    AllOf,
    HasAny,
    HasMatch,
    HasTerm,
    InRange,
    NoChunk,
    Query,
    any_of,
)
from leafmark.model import Entry
from leafmark.model.ids import encode_path
from leafmark.query import Filter, Range, admits
from leafmark.retrieval.naming import find_chunks
from leafmark.retrieval.params import SearchParams

__all__ = ["Filters"]

_REGEX_SIGNS = re.compile(r"[\\.+*?()|\[\]{}^$]")
_NUMBER_LIKE = re.compile(r"[+-]?[0-9.]")


class Filters:
    """Makes the queries for one index."""

    def __init__(self, reader: IndexReader):
        self._reader = reader

    def compile(self, node: Filter) -> Query:
        """Return the query for a filter; its score means nothing."""
        if node.key is not None:
            return self._meta(node.key, node.value)
        assert isinstance(node.value, str), "only metadata has ranges"
        return _BY_NAME[node.name](self, node.value)

    def of_params(self, params: SearchParams) -> list[Query]:
        """Return the queries for what the parameters admit, all of which must hold."""
        found = []
        if params.trees:
            found.append(self.trees(params.trees))
        found += [self._fact(tag_fact(tag)) for tag in params.tags]
        if params.since is not None:
            found.append(InRange("mtime", max(0, int(params.since))))
        return found

    def trees(self, names: Iterable[str]) -> Query:
        """Return the query for the chunks of some trees."""
        return self._any_fact(fact("tree", name) for name in names)

    def _fact(self, term: str) -> Query:
        return HasTerm("facts", term)

    def _any_fact(self, terms: Iterable[str]) -> Query:
        return any_of([self._fact(term) for term in terms])

    def _path(self, prefix: str) -> Query:
        """Return the query for paths that begin with `prefix`: document ids are `tree:path`."""
        begins = [_quote(encode_path(one)) + ".*" for one in path_spellings(prefix)]
        return any_of(
            [
                HasMatch("doc_id", f"{_quote(tree)}:{one}")
                for tree in sorted(self._reader.tree_names)
                for one in begins
            ]
        )

    def _id(self, value: str) -> Query:
        found = find_chunks(self._reader, value)
        return any_of([self._span(entry, entry.position) for entry in found])

    def _under(self, value: str) -> Query:
        found = find_chunks(self._reader, value)
        return any_of([self._span(entry, entry.last_position) for entry in found])

    def document(self, doc_id: str) -> Query:
        """Return the query for all chunks of a document."""
        return HasTerm("doc_id", doc_id)

    def chunk(self, doc_id: str, position: int) -> Query:
        """Return the query for one chunk."""
        return self._places(doc_id, position, position)

    def _span(self, entry: Entry, last: int) -> Query:
        """Return the query for the chunks from `entry` to the position `last`."""
        return self._places(entry.doc_id, entry.position, last)

    def _places(self, doc_id: str, first: int, last: int) -> Query:
        return AllOf((self.document(doc_id), InRange("position", first, last)))

    def _meta(self, key: str, condition: str | Range) -> Query:
        prefix = meta_prefix(key)
        if isinstance(condition, str) and not _NUMBER_LIKE.match(condition):
            return self._fact(prefix + canonical(condition))
        terms = self._reader.terms("facts", prefix)
        admitted = tuple(term for term, _ in terms if admits(condition, term[len(prefix) :]))
        return HasAny("facts", admitted) if admitted else NoChunk()


_BY_NAME: Mapping[str, Callable[[Filters, str], Query]] = {
    "tree": lambda filters, value: filters._fact(fact("tree", value)),
    "has": lambda filters, value: filters._fact(fact("has", value)),
    "lang": lambda filters, value: filters._fact(language_fact(value)),
    "path": Filters._path,
    "id": Filters._id,
    "under": Filters._under,
}
"""Not an attribute of `Filters`: an object that holds its own methods is a cycle, and would
keep an index open, with its files and a thread, until Python collects cycles."""


def _quote(text: str) -> str:
    return _REGEX_SIGNS.sub(r"\\\g<0>", text)
