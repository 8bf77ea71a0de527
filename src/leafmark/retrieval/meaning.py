"""What retrieval needs of vectors, and the words of a topic that are put into one.

Nothing here knows a model or a number format: similarities come from whoever
implements `Meaning`.
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
    """A chunk near to a text; position 0 stands for the document where that is asked for."""

    @property
    def place(self) -> Place: ...
    @property
    def similarity(self) -> float: ...


class Usual(NamedTuple):
    """What is known of the similarities to a text before any chunk is looked at.

    `mean` is that of all chunks. A chunk may be a result by its meaning alone from
    `least` on, a document as a whole from `least_document` on; below `doubtful` its
    meaning is no reason to believe in it.
    """

    mean: float
    least: float
    doubtful: float
    least_document: float


class Meaning(Protocol):
    """Similarities between a text and the chunks of the index, by vectors."""

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
    """Return the words of a topic in order, without operators, filters and what is left out.

    A word that is a key of `instead` is given as the value there.
    """
    if filters_only(topic):
        return ""
    leaves = [asked.leaf for asked in iter_terms(topic)]
    texts = (leaf.text for leaf in leaves if isinstance(leaf, Term | Phrase | Prefix))
    return " ".join(instead.get(text, text) for text in texts)


def corrected_text(topic: Expression, compiled: Iterable[Compiled]) -> str:
    """Return `topic_text` with the words that a search looks for in place of misspelt ones.

    A model does not know misspelt words. Short ones are left as they are, since they
    become anything (see `RELAXED_FROM`); and so is a topic with a word that is like none
    that occurs: it is in another language, or about something else. `compiled` is the
    topic in each language.
    """
    instead = {
        looked.label: looked.corrected[0]
        for each in compiled
        if all(looked.queries for looked in each.looked)
        for looked in each.looked
        if looked.corrected and len(looked.label) >= RELAXED_FROM
    }
    return topic_text(topic, instead)
