"""The words of the texts, one document each: for corrections and for beginnings.

The cluster lists no terms of a text field, and a search that looked for terms within some edits in
all texts would take as long as all of them together. Words are only added: one of deleted texts
costs a look that finds nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from leafmark.index.embedded.querying import bare, within_distance
from leafmark.index.remote.bulk import Line
from leafmark.index.remote.client import Cluster, dump_json, path_of
from leafmark.index.remote.layout import MAX_RESULTS, Names, word_id

__all__ = ["Words"]

MAX_KNOWN = 1_000_000
"""How many words a writer remembers to have sent; about 100 bytes each."""

MAX_LISTED = 50_000
"""How many words a beginning lists at most."""

_ALL_EDITS = 1_000
"""Expansions of a fuzzy query: more words within two edits are none that was meant."""


class Words:
    """The index of words of one address; only the fields of texts, `bodies`, have any."""

    def __init__(self, cluster: Cluster, names: Names, bodies: Iterable[str]):
        self._cluster = cluster
        self._names = names
        self._bodies = frozenset(bodies)
        self._known: set[str] = set()

    def new(self, field: str, terms: Iterable[str]) -> Iterator[Line]:
        """Yield what adds words that were not sent before."""
        for term in terms:
            if not _is_word(term):
                continue
            key = word_id(field, term)
            if key in self._known:
                continue
            if len(self._known) >= MAX_KNOWN:
                self._known.clear()
            self._known.add(key)
            document = {"field": field, "term": term}
            if not term.isascii():
                document["bare"] = bare(term)
            head = {"create": {"_index": self._names.words, "_id": key}}
            yield Line(head, dump_json(document))

    def near(self, fields: Sequence[str], word: str, distance: int) -> list[str]:
        """Return the words within `distance` edits of a word."""
        fuzzy = {
            "value": word,
            "fuzziness": distance,
            "max_expansions": _ALL_EDITS,
            "transpositions": True,
        }
        found = self._find(fields, {"fuzzy": {"term": fuzzy}})
        return within_distance(word, found, distance)

    def alike(self, fields: Sequence[str], words: Sequence[str]) -> list[str]:
        """Return the words that are one of `words` but for their marks."""
        plain = [word for word in dict.fromkeys(words) if word.isascii()]
        either = [{"terms": {"bare": list(words)}}, {"terms": {"term": plain}}]
        return self._find(fields, {"bool": {"should": either, "minimum_should_match": 1}})

    def beginning(self, field: str, prefix: str) -> list[str]:
        """Return the words that begin with a text, in order, `MAX_LISTED` at most."""
        if field not in self._bodies:
            return []
        query = {"prefix": {"term": {"value": prefix}}} if prefix else {"match_all": {}}
        found = list[str]()
        after: list[Any] | None = None
        while len(found) < MAX_LISTED:
            page = self._page([field], query, after)
            found += [hit["fields"]["term"][0] for hit in page]
            if len(page) < MAX_RESULTS:
                break
            after = page[-1]["sort"]
        return found[:MAX_LISTED]

    def _find(self, fields: Sequence[str], query: Any) -> list[str]:
        fields = [field for field in fields if field in self._bodies]
        hits = self._page(fields, query, None) if fields else ()
        found = [hit["fields"]["term"][0] for hit in hits]
        return list(dict.fromkeys(found))

    def _page(self, fields: Sequence[str], query: Any, after: list[Any] | None) -> list[Any]:
        body: dict[str, Any] = {
            "size": MAX_RESULTS,
            "_source": False,
            "docvalue_fields": ["term"],
            "sort": [{"term": "asc"}],
            "query": {"bool": {"filter": [{"terms": {"field": list(fields)}}, query]}},
        }
        if after is not None:
            body["search_after"] = after
        answer = self._cluster.post(path_of(self._names.words, "_search"), body)
        hits: list[Any] = answer["hits"]["hits"]
        return hits


def _is_word(term: str) -> bool:
    """Whether a term may be meant by another word: numbers are never corrected."""
    return not term.isdigit() and len(term) <= 40
