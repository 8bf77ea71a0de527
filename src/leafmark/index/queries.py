"""The algebra of queries: the requests of a search, as values that are independent of an engine.

A query matches chunks and gives each a score. Values are frozen and hashable; an engine
compiles them (`embedded.querying`). `field` is the engine's name of a field (`body_english`,
`facts`); terms are the output of the analyzer.

Scores are the BM25 of a fresh index: chunks that were deleted, but are still in the engine's
files, do not count in the rarity of a term.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from leafmark.frozen import Frozen
from leafmark.namedtuples import NamedTuple


class NoChunk(Frozen):
    """Matches nothing."""


class AllChunks(Frozen):
    """Matches every chunk, and no other record of the index; the score is 1."""


class HasTerm(NamedTuple):
    """The field has a term; the score is BM25."""

    field: str
    term: str


class HasPhrase(NamedTuple):
    """The field has two or more terms next to each other, in order; the score is BM25.

    With `slop`, they may be moved by so many positions in all.
    """

    field: str
    terms: tuple[str, ...]
    slop: int = 0


class HasAny(NamedTuple):
    """The field has one of the terms; the score is 1."""

    field: str
    terms: tuple[str, ...]


class HasMatch(NamedTuple):
    """The field has a term that matches the whole regular expression; the score is 1.

    Expressions use the syntax that every engine has: characters, classes, groups, `|`, `.`, `*`,
    `+`, `?`.
    """

    field: str
    pattern: str


class HasPhraseMatch(NamedTuple):
    """The field has terms next to each other that match the regular expressions (two or more)."""

    field: str
    patterns: tuple[str, ...]


class HasPhrasePrefix(NamedTuple):
    """The field has the terms, followed by a term that begins with `prefix`.

    Unlike `HasPhraseMatch` it may miss some: engines expand a prefix to its first terms only.
    """

    field: str
    terms: tuple[str, ...]
    prefix: str


class InRange(NamedTuple):
    """A number of the chunk (`position`, `mtime`) is in the closed range; the score is 1.

    An open end is None.
    """

    field: str
    first: int | None = None
    last: int | None = None


class Scaled(NamedTuple):
    """Matches what `query` matches, with `factor` times its score."""

    query: Query
    factor: float


class Constant(NamedTuple):
    """Matches what `query` matches, with a fixed score; 0.0 makes it a filter."""

    query: Query
    score: float


class AnyOf(NamedTuple):
    """At least `least` of the queries match; the score is the sum over the matching ones."""

    queries: tuple[Query, ...]
    least: int = 1


class AllOf(NamedTuple):
    """All of `must` match and none of `without`; the score is the sum over `must` and `should`.

    The queries in `should` need not match.
    """

    must: tuple[Query, ...]
    should: tuple[Query, ...] = ()
    without: tuple[Query, ...] = ()


class BestOf(NamedTuple):
    """One of the queries matches; the score is that of the best one."""

    queries: tuple[Query, ...]


Query: TypeAlias = (
    NoChunk
    | AllChunks
    | HasTerm
    | HasPhrase
    | HasAny
    | HasMatch
    | HasPhraseMatch
    | HasPhrasePrefix
    | InRange
    | Scaled
    | Constant
    | AnyOf
    | AllOf
    | BestOf
)


def any_of(queries: Iterable[Query]) -> Query:
    """Return the query that matches if any of the queries matches; without queries, nothing."""
    operands = tuple(queries)
    if not operands:
        return NoChunk()
    return operands[0] if len(operands) == 1 else AnyOf(operands)


def unscored(query: Query) -> Query:
    """Return a query that matches the same, with score 0."""
    return Constant(query, 0.0)
