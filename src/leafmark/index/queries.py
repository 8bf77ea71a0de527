"""What can be asked of an engine: frozen values, compiled by each engine in its own way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

__all__ = [
    "AllChunks", "AllOf", "AnyOf", "BestOf", "Constant", "HasAny", "HasMatch", "HasPhrase",
    "HasPhraseMatch", "HasTerm", "InRange", "NoChunk", "Query", "Scaled",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class NoChunk:
    pass


@dataclass(frozen=True, slots=True)
class AllChunks:
    pass


@dataclass(frozen=True, slots=True)
class HasTerm:
    field: str
    term: str
    idf: float | None = None


@dataclass(frozen=True, slots=True)
class HasPhrase:
    field: str
    terms: tuple[str, ...]
    slop: int = 0
    idf: float | None = None


@dataclass(frozen=True, slots=True)
class HasAny:
    field: str
    terms: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class HasMatch:
    field: str
    pattern: str


@dataclass(frozen=True, slots=True)
class HasPhraseMatch:
    field: str
    patterns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class InRange:
    field: str
    first: int | None
    last: int | None


@dataclass(frozen=True, slots=True)
class Scaled:
    query: Query
    factor: float


@dataclass(frozen=True, slots=True)
class Constant:
    query: Query
    score: float


@dataclass(frozen=True, slots=True)
class AnyOf:
    queries: tuple[Query, ...]
    least: int = 1


@dataclass(frozen=True, slots=True)
class AllOf:
    must: tuple[Query, ...]
    should: tuple[Query, ...] = ()
    without: tuple[Query, ...] = ()


@dataclass(frozen=True, slots=True)
class BestOf:
    queries: tuple[Query, ...]


Query: TypeAlias = (
    NoChunk | AllChunks | HasTerm | HasPhrase | HasAny | HasMatch | HasPhraseMatch | InRange
    | Scaled | Constant | AnyOf | AllOf | BestOf
)  # fmt: skip
