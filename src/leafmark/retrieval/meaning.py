"""What retrieval needs of vectors, and the text of a topic that is embedded.

Nothing here knows a model or a number format: an implementation of `Meaning` gives
similarities.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple, Protocol, TypeAlias

from leafmark.query import Expression, Phrase, Prefix, Term, filters_only, iter_terms
from leafmark.retrieval.compiler import Compiled
from leafmark.retrieval.weights import RELAXED_FROM

__all__ = ["Meaning", "NearChunk", "Place", "Usual", "corrected_text", "topic_text"]

Place: TypeAlias = tuple[str, int]
"""Document id and position of a chunk."""


class NearChunk(Protocol):
    """A chunk near to a text, or a document, whose position is 0."""

    @property
    def place(self) -> Place: ...
    @property
    def similarity(self) -> float: ...


class Usual(NamedTuple):
    """Which similarities to a text are usual, and which are enough.

    `mean` is the mean of all chunks. A chunk with at least `least` may be a result by its
    meaning alone, and so may a document with at least `least_document` as a whole. If all
    are below `doubtful`, meaning gives no reason to trust the answer.
    """

    mean: float
    least: float
    doubtful: float
    least_document: float


class Meaning(Protocol):
    """Similarities between a text and the chunks of the index, by vectors."""

    @property
    def damaged(self) -> bool:
        """Whether vectors that were met so far are damaged; they count as missing."""
        ...

    def nearest(
        self, text: str, limit: int, admits: Callable[[str], bool] | None
    ) -> Sequence[NearChunk]:
        """Return the nearest chunks, best first; `admits` is asked about trees by name."""
        ...

    def similarities(self, text: str, places: Sequence[Place]) -> Sequence[float | None]:
        """Return the similarity of each chunk, None where there is no vector (yet)."""
        ...

    def documents(
        self, text: str, least: float, admits: Callable[[str], bool] | None
    ) -> Sequence[NearChunk]:
        """Return the documents of several chunks that are near as a whole, best first."""
        ...

    def document_similarity(self, text: str, doc_id: str) -> float | None:
        """Return the similarity of a document as a whole, None where vectors are missing."""
        ...

    def usual(self, text: str) -> Usual: ...


def topic_text(topic: Expression, instead: Mapping[str, str] = MappingProxyType({})) -> str:
    """Return the words of a topic in order, without operators, filters and negated parts.

    `instead` maps words to replacements.
    """
    if filters_only(topic):
        return ""
    leaves = [asked.leaf for asked in iter_terms(topic)]
    texts = (leaf.text for leaf in leaves if isinstance(leaf, Term | Phrase | Prefix))
    return " ".join(instead.get(text, text) for text in texts)


def corrected_text(topic: Expression, compiled: Iterable[Compiled]) -> str:
    """Return `topic_text` with misspelt words replaced by their corrections.

    A model does not know misspelt words. Short words are kept, since they can be corrected
    to anything (see `RELAXED_FROM`). A topic with a word that has no correction is kept as
    it is: it is in another language, or about something else. `compiled` is the topic in
    each language.
    """
    instead = {
        looked.label: looked.corrected[0]
        for each in compiled
        if all(looked.queries for looked in each.looked)
        for looked in each.looked
        if looked.corrected and len(looked.label) >= RELAXED_FROM
    }
    return topic_text(topic, instead)
