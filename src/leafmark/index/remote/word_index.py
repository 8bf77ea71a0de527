"""The words of all texts, one document each, for corrections and prefixes.

The cluster cannot list the terms of a text field, and searching all texts for similar terms would
be slow. Words are only added: the word of a deleted text costs a search without a match.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from leafmark.index.embedded.querying import within_distance
from leafmark.index.folding import bare
from leafmark.index.remote.bulk import Line
from leafmark.index.remote.client import Cluster, dump_json, path_of
from leafmark.index.remote.layout import MAX_RESULTS, Names, word_id
from leafmark.index.snapshot import Lookup

MAX_KNOWN = 1_000_000
"""Sent words that a writer remembers; about 100 bytes each."""

MAX_LISTED = 50_000
"""Maximum number of words of a look-up."""

_WILD = re.compile(r"[*?\\]")
_ESCAPED = r"\\\g<0>"


class Words:
    """The index of words at one address; only the fields `bodies` have words."""

    def __init__(self, cluster: Cluster, names: Names, bodies: Iterable[str]):
        self._cluster = cluster
        self._names = names
        self._bodies = frozenset(bodies)
        self._known: set[str] = set()
        self._terms: dict[Lookup, list[str]] = {}

    def new(self, field: str, terms: Iterable[str]) -> Iterator[Line]:
        """Yield the lines that add words which this writer has not sent yet."""
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

    def find_terms(self, lookup: Lookup) -> list[str] | None:
        """Return the terms of a look-up, None if it has no answer yet."""
        return [] if self._bodies.isdisjoint(lookup.fields) else self._terms.get(lookup)

    def body(self, lookup: Lookup, after: Any = None) -> dict[str, Any]:
        """Return the body of a look-up's search, from behind the sort values `after` on."""
        fields = [field for field in lookup.fields if field in self._bodies]
        either = {"bool": {"should": [*_clauses(lookup)], "minimum_should_match": 1}}
        body: dict[str, Any] = {
            "size": MAX_RESULTS,
            "stored_fields": "_none_",
            "docvalue_fields": ["term"],
            "sort": [{"term": "asc"}],
            "track_total_hits": False,
            "query": {"bool": {"filter": [{"terms": {"field": fields}}, either]}},
        }
        return body if after is None else {**body, "search_after": after}

    def read(self, lookup: Lookup, answer: Mapping[str, Any]) -> list[str]:
        """Return and cache the terms of an answer; further pages are requested."""
        hits = answer["hits"]["hits"]
        terms = [hit["fields"]["term"][0] for hit in hits]
        while len(hits) == MAX_RESULTS and len(terms) < MAX_LISTED:
            body = self.body(lookup, hits[-1]["sort"])
            answer = self._cluster.post(path_of(self._names.words, "_search"), body)
            hits = answer["hits"]["hits"]
            terms += [hit["fields"]["term"][0] for hit in hits]
        if lookup.how == "near":
            near = (within_distance(word, terms, lookup.distance) for word in lookup.texts)
            terms = [term for matches in near for term in matches]
        self._terms[lookup] = terms = list(dict.fromkeys(terms))[:MAX_LISTED]
        return terms


def _clauses(lookup: Lookup) -> Iterator[dict[str, Any]]:
    """Yield the conditions of a look-up; a word has to meet one of them."""
    if lookup.how == "alike":
        plain = [text for text in dict.fromkeys(lookup.texts) if text.isascii()]
        yield {"terms": {"bare": list(lookup.texts)}}
        yield {"terms": {"term": plain}}
        return
    for text in lookup.texts:
        if lookup.how == "near":
            fuzzy = {"value": text, "fuzziness": lookup.distance, "rewrite": "constant_score"}
            yield {"fuzzy": {"term": fuzzy}}
        elif lookup.how == "begins":
            yield {"prefix": {"term": {"value": text}}} if text else {"match_all": {}}
        else:
            yield {"wildcard": {"term": {"value": f"*{_WILD.sub(_ESCAPED, text)}*"}}}


def _is_word(term: str) -> bool:
    """Whether a term may be a correction: numbers are never corrected."""
    return not term.isdigit() and len(term) <= 40
