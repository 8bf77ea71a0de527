"""The algebra of queries: what a search asks of an engine, as values that name no engine.

A query matches chunks and gives each a score. Values are frozen and hashable; an engine
compiles them (`embedded.compiling`). `field` is the engine's name of a field (`body_english`,
`facts`), a term is what the analyzer makes of a word.

Scores are BM25 as a fresh index has it: chunks that were deleted, but are still in the engine's
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
    """A term stands in the field; the score is BM25."""

    field: str
    term: str


class HasPhrase(NamedTuple):
    """Terms, two or more, stand beside each other in their order; the score is BM25.

    With `slop`, they may be moved by so many places in all.
    """

    field: str
    terms: tuple[str, ...]
    slop: int = 0


class HasAny(NamedTuple):
    """One of the terms stands in the field; the score is 1."""

    field: str
    terms: tuple[str, ...]


class HasMatch(NamedTuple):
    """A term stands in the field that matches the whole regular expression; the score is 1.

    The expressions are those that every engine has: characters, classes, groups, `|`, `.`, `*`,
    `+`, `?`.
    """

    field: str
    pattern: str


class HasPhraseMatch(NamedTuple):
    """Terms that match regular expressions, two or more, stand beside each other."""

    field: str
    patterns: tuple[str, ...]


class HasPhrasePrefix(NamedTuple):
    """Terms and, behind them, a term that begins with `prefix` stand beside each other.

    Unlike `HasPhraseMatch` it may miss some: engines look only at the first terms that begin so.
    """

    field: str
    terms: tuple[str, ...]
    prefix: str


class InRange(NamedTuple):
    """A number of the chunk (`position`, `mtime`) lies in the closed range; the score is 1.

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
    """At least `least` of the queries match; the score is the sum over those that do."""

    queries: tuple[Query, ...]
    least: int = 1


class AllOf(NamedTuple):
    """All of `must` match and none of `without`; the score is the sum over `must` and `should`.

    Those of `should` need not match.
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
    """Return the query that matches what any of the queries matches; without any, nothing."""
    given = tuple(queries)
    if not given:
        return NoChunk()
    return given[0] if len(given) == 1 else AnyOf(given)


def unscored(query: Query) -> Query:
    """Return a query that matches the same, with score 0."""
    return Constant(query, 0.0)
