"""Candidates to results: the text, where it matches, a snippet, a citation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from leafmark.index import IndexReader, with_parts
from leafmark.model import Candidate, Deferred, Entry, Result, Snippet
from leafmark.retrieval.citations import format_citation
from leafmark.retrieval.compiler import Compiled
from leafmark.retrieval.highlighting import Highlighter
from leafmark.retrieval.ordering import key_of
from leafmark.retrieval.snippets import Match, join_ranges, join_snippets, make_snippet
from leafmark.retrieval.texts import Body, Texts

__all__ = ["Presenter"]


class Presenter:
    """Makes the results of one answer.

    `topics` are the compiled queries of each topic, by the name of the language.
    """

    def __init__(
        self,
        reader: IndexReader,
        texts: Texts,
        topics: Sequence[Mapping[str | None, Compiled]],
    ):
        self._reader = reader
        self._texts = texts
        self._topics = topics
        self._constituents: dict[int, Result] = {}
        self._found: dict[tuple[object, ...], list[list[Match]]] = {}
        self._highlighters: dict[tuple[int, bool], Highlighter] = {}

    def present(self, candidate: Candidate, rank: int) -> Result:
        """Return the result at a 1-based rank, with its constituents."""
        entry = candidate.entry
        digest = self._texts.digest(entry)
        if digest is None:
            return self._present(candidate, rank, None, None)
        citation = format_citation(entry.id, digest, entry.byte_start, entry.byte_end)
        return self._present(candidate, rank, digest, citation)

    def has_matches(self, candidate: Candidate) -> bool:
        """Whether the own text of a candidate matches; that of a changed source does not."""
        body = self._texts.body(candidate.entry)
        return body is not None and any(self._matches(candidate, body))

    def stands_out(self, candidate: Candidate) -> bool:
        """Whether a candidate matched by its own text, or by the title of its section."""
        is_of_section = candidate.entry.slug is not None
        return self.has_matches(candidate) or (
            is_of_section and self._title_matches(candidate, candidate.entry)
        )

    def _present(
        self, candidate: Candidate, rank: int, digest: str | None, citation: str | None
    ) -> Result:
        """Return a result; constituents have no rank, digest and citation."""
        entry, texts, parts = candidate.entry, self._texts, candidate.constituents
        body = texts.body(entry)
        matches = self._matches(candidate, body) if body else []
        ranges = join_ranges([(start, end) for each in matches for start, end, _ in each])
        whole = body is not None and self._is_whole(candidate, ranges)
        if whole:
            parts = ()
        snippet = self._excerpt(candidate, body, matches, whole=whole) if body else Snippet()
        constituents = Deferred(lambda: tuple(map(self._constituent, parts))) if parts else ()
        return Result(
            entry,
            texts.document(entry),
            candidate.score,
            rank,
            candidate.relaxed,
            body is None,
            whole,
            body.source_text if body else None,
            digest,
            citation,
            snippet,
            body.byte_ranges(ranges) if body else (),
            constituents,
            candidate.also_in,
            body_bytes=body.data if body else None,
            body_places=texts.places(entry) if body else (),
            introduction=candidate.introduction,
            other_versions=candidate.other_versions,
        )

    def _constituent(self, candidate: Candidate) -> Result:
        """Return the result for a constituent, made once: few of them are looked at."""
        key = id(candidate)
        if key not in self._constituents:
            self._constituents[key] = self._present(candidate, 0, None, None)
        return self._constituents[key]

    def _matches(self, candidate: Candidate, body: Body) -> list[list[Match]]:
        """Return the matches in the body for each topic that the candidate matched."""
        key = (*key_of(candidate.entry), candidate.entry.body_spans, candidate.topics)
        if key not in self._found:
            self._found[key] = list(self._find(candidate, body))
        return self._found[key]

    def _find(self, candidate: Candidate, body: Body) -> Iterator[list[Match]]:
        for topic in candidate.topics:
            compiled = self._compiled(topic, candidate.entry)
            if compiled is not None:
                highlighter = self._highlighter(compiled)
                written_in = self._texts.document(candidate.entry).format
                yield highlighter.find_in(body.shown, written_in)

    def _highlighter(self, compiled: Compiled, *, of_titles: bool = False) -> Highlighter:
        """Return what finds the matches of what was asked for in bodies, or in titles.

        In titles it finds stop words, too, which need not match: in a text they would mark
        half of it.
        """
        key = (id(compiled), of_titles)  # it lives as long as we do
        found = self._highlighters.get(key)
        if found is None:
            stops = frozenset[int]() if of_titles else compiled.stops
            fields = (None, "title" if of_titles else "body")
            looked = [
                each
                for each in compiled.looked
                if each.number not in stops and each.field in fields
            ]
            found = Highlighter(looked, compiled.language.analyzer)
            self._highlighters[key] = found
        return found

    def _compiled(self, topic: int, entry: Entry) -> Compiled | None:
        language = self._reader.language_of(entry.tree)
        return None if language is None else self._topics[topic].get(language.name)

    def _excerpt(
        self, candidate: Candidate, body: Body, matches: Sequence[Sequence[Match]], *, whole: bool
    ) -> Snippet:
        """Return the snippet of a result; a document as a `whole` has its beginning.

        That of most documents stands under their first heading.
        """
        if whole:
            own = self._snippet(candidate._replace(constituents=()), body, matches)
            if own.text:
                return own
        return self._snippet(candidate, body, matches)

    def _snippet(
        self,
        candidate: Candidate,
        body: Body,
        matches: Sequence[Sequence[Match]],
    ) -> Snippet:
        """Return an excerpt of the own match, else of the best constituent, else the lead."""
        own = [each for each in matches if each]
        if candidate.constituents and (candidate.direct_score is None or not own):
            best = _best_snippet(map(self._snippet_of, candidate.constituents))
            if best.ranges or (best.text and not own):
                return best
        return join_snippets(make_snippet(body.shown, each) for each in own or [[]])

    def _snippet_of(self, part: Candidate) -> Snippet:
        body = self._texts.body(part.entry)
        return self._snippet(part, body, self._matches(part, body)) if body else Snippet()

    def _is_whole(self, candidate: Candidate, ranges: Sequence[tuple[int, int]]) -> bool:
        """Whether a document with sections matched by its title, path or tags, and none of them.

        Its path and tags are every section's too: one that matched by nothing else
        does not stand out. One that is near in meaning as a whole needs no matches.
        """
        if candidate.whole and not candidate.constituents:
            return True
        if ranges:
            return False
        entry = candidate.entry
        if entry.kind != "document" or entry.last_position == entry.position:
            return False
        found = (self._compiled(topic, entry) for topic in candidate.topics)
        if not any(one.looked for one in found if one):
            return False
        below = (part for part in candidate.with_constituents() if part is not candidate)
        return not any(
            self.has_matches(part) or self._has_title(candidate, part.entry) for part in below
        )

    def _has_title(self, candidate: Candidate, entry: Entry) -> bool:
        """Whether a section's own title matches; that of the document is no section's."""
        if entry.title == self._texts.document(entry).title or entry.kind == "document":
            return False
        return self._title_matches(candidate, entry)

    def _title_matches(self, candidate: Candidate, entry: Entry) -> bool:
        found = (self._compiled(topic, entry) for topic in candidate.topics)
        text = with_parts(entry.title)
        return any(self._highlighter(one, of_titles=True).find(text) for one in found if one)

    def with_sections(
        self, results: Sequence[Result], candidates: Sequence[Candidate]
    ) -> tuple[Result, ...]:
        """Return the results, no document of them `whole` beside a section that stands out."""
        wholes = {result.entry.doc_id for result in results if result.whole}
        if not wholes:
            return tuple(results)
        standing_out = {
            one.entry.doc_id
            for one, candidate in zip(results, candidates, strict=True)
            if one.entry.doc_id in wholes
            and not one.whole
            and (one.match_ranges or self._has_title(candidate, one.entry))
        }
        return tuple(
            one._replace(whole=False) if one.whole and one.entry.doc_id in standing_out else one
            for one in results
        )


def _best_snippet(snippets: Iterable[Snippet]) -> Snippet:
    """Return the first snippet that has matches, else the first there is."""
    lead = Snippet()
    for snippet in snippets:
        if snippet.ranges:
            return snippet
        lead = lead if lead.text else snippet
    return lead
