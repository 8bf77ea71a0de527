"""Compile filters to engine queries, which admit chunks by facts about them and never score."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping

import tantivy

from leafmark.index import (
    IndexReader,
    canonical,
    fact,
    language_fact,
    meta_prefix,
    path_spellings,
    tag_fact,
)
from leafmark.model import Entry, encode_path
from leafmark.query import Filter, Range, admits
from leafmark.retrieval.naming import find_chunks
from leafmark.retrieval.params import SearchParams

__all__ = ["Filters", "any_of", "unscored"]

_REGEX_SIGNS = re.compile(r"[\\.+*?()|\[\]{}^$]")
_NUMBER_LIKE = re.compile(r"[+-]?[0-9.]")


class Filters:
    """Makes the queries for one index."""

    def __init__(self, reader: IndexReader):
        self._reader = reader
        self._schema = reader.schema

    def compile(self, node: Filter) -> tantivy.Query:
        """Return the query for a filter; its score means nothing."""
        if node.key is not None:
            return self._meta(node.key, node.value)
        assert isinstance(node.value, str), "only metadata has ranges"
        return _BY_NAME[node.name](self, node.value)

    def of_params(self, params: SearchParams) -> list[tantivy.Query]:
        """Return the queries for what the parameters admit, all of which must hold."""
        found = []
        if params.trees:
            found.append(self.trees(params.trees))
        found += [self._fact(tag_fact(tag)) for tag in params.tags]
        if params.since is not None:
            number = tantivy.FieldType.Unsigned
            seconds = max(0, int(params.since))
            query = tantivy.Query.range_query(self._schema, "mtime", number, seconds, None)
            found.append(query)
        return found

    def trees(self, names: Iterable[str]) -> tantivy.Query:
        """Return the query for the chunks of some trees."""
        return self._any_fact(fact("tree", name) for name in names)

    def _fact(self, term: str) -> tantivy.Query:
        return tantivy.Query.term_query(self._schema, "facts", term, "basic")

    def _any_fact(self, terms: Iterable[str]) -> tantivy.Query:
        return any_of([self._fact(term) for term in terms])

    def _path(self, prefix: str) -> tantivy.Query:
        """Return the query for paths that begin with `prefix`: document ids are `tree:path`."""
        begins = [_quote(encode_path(one)) + ".*" for one in path_spellings(prefix)]
        return any_of(
            [
                tantivy.Query.regex_query(self._schema, "doc_id", f"{_quote(tree)}:{one}")
                for tree in sorted(self._reader.tree_names)
                for one in begins
            ]
        )

    def _id(self, value: str) -> tantivy.Query:
        found = find_chunks(self._reader, value)
        return any_of([self._span(entry, entry.position) for entry in found])

    def _under(self, value: str) -> tantivy.Query:
        found = find_chunks(self._reader, value)
        return any_of([self._span(entry, entry.last_position) for entry in found])

    def document(self, doc_id: str) -> tantivy.Query:
        """Return the query for all chunks of a document."""
        return tantivy.Query.term_query(self._schema, "doc_id", doc_id, "basic")

    def chunk(self, doc_id: str, position: int) -> tantivy.Query:
        """Return the query for one chunk."""
        return self._places(doc_id, position, position)

    def _span(self, entry: Entry, last: int) -> tantivy.Query:
        """Return the query for the chunks from `entry` to the position `last`."""
        return self._places(entry.doc_id, entry.position, last)

    def _places(self, doc_id: str, first: int, last: int) -> tantivy.Query:
        number = tantivy.FieldType.Unsigned
        query, must = tantivy.Query, tantivy.Occur.Must
        places = query.range_query(self._schema, "position", number, first, last)
        return query.boolean_query([(must, self.document(doc_id)), (must, places)])

    def _meta(self, key: str, condition: str | Range) -> tantivy.Query:
        prefix = meta_prefix(key)
        if isinstance(condition, str) and not _NUMBER_LIKE.match(condition):
            return self._fact(prefix + canonical(condition))
        terms = self._reader.searcher.terms_with_prefix("facts", prefix)
        admitted = [term for term, _ in terms if admits(condition, term[len(prefix) :])]
        if not admitted:
            return tantivy.Query.empty_query()
        return tantivy.Query.term_set_query(self._schema, "facts", admitted)


_BY_NAME: Mapping[str, Callable[[Filters, str], tantivy.Query]] = {
    "tree": lambda filters, value: filters._fact(fact("tree", value)),
    "has": lambda filters, value: filters._fact(fact("has", value)),
    "lang": lambda filters, value: filters._fact(language_fact(value)),
    "path": Filters._path,
    "id": Filters._id,
    "under": Filters._under,
}
"""Not an attribute of `Filters`: an object that holds its own methods is a cycle, and would
keep an index open, with its files and a thread, until Python collects cycles."""


def any_of(queries: list[tantivy.Query]) -> tantivy.Query:
    """Return the query that matches what any of the queries matches; without any, nothing."""
    if not queries:
        return tantivy.Query.empty_query()
    if len(queries) == 1:
        return queries[0]
    return tantivy.Query.boolean_query([(tantivy.Occur.Should, query) for query in queries])


def unscored(query: tantivy.Query) -> tantivy.Query:
    return tantivy.Query.const_score_query(query, 0.0)


def _quote(text: str) -> str:
    return _REGEX_SIGNS.sub(r"\\\g<0>", text)
