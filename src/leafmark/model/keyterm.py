"""What a file or a chunk is about: the terms by which others like it are found."""

from typing import NamedTuple

__all__ = ["KeyTerm", "WeightedText"]


class WeightedText(NamedTuple):
    """A part of a file and how much its words say about it; `source` names the part."""

    source: str
    text: str
    weight: float


class KeyTerm(NamedTuple):
    """A word that says what a text is about.

    `score` is `weight` × idf; `weight` the sum over `sources` of their weights ×
    (1 + ln of how often the word stands there); `chunks` tells how many chunks
    have it.
    """

    word: str
    score: float
    weight: float
    chunks: int
    sources: tuple[str, ...]
