"""The constants of ranking, each with its unit or range and where it comes from.

"Measured" is by `leafmark eval` on the half `choose` of the shipped queries on
2026-11-21, with `rr500` deciding; docs/DECISIONS.md has the numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

__all__ = [
    "COORDINATED_MATCHES",
    "CORRECTED_FROM",
    "DERIVED_SHARE",
    "DOUBT_AT_LEAST",
    "DOUBT_BELOW",
    "DOUBT_LESS",
    "DOUBT_MATCHES",
    "DOUBT_MEAN_OF",
    "DOUBT_NONE_FROM",
    "EDIT_SHARE",
    "FARTHER",
    "GUESS_HOLDS",
    "K1",
    "KEYWORD_WEIGHTS",
    "LONG_QUERY_WORDS",
    "MOST_ASKED_FOR",
    "MOST_CORRECTIONS",
    "MOST_PREFIXED",
    "NAMED_AHEAD",
    "NEARBY_CHUNKS",
    "QUESTION_WEIGHTS",
    "QUESTION_WORDS",
    "RAISED_MATCHES",
    "RELAXED_FROM",
    "TITLED_MATCHES",
    "WIDENED_BELOW",
    "WIDENED_FROM",
    "WIDENED_UP_TO",
]

KEYWORD_WEIGHTS: Mapping[str, float] = MappingProxyType(
    {"title": 0.7, "tags": 1.0, "path": 0.1, "body": 1.0}
)
"""Factors of the fields for a short keyword query, where settings say nothing else.

The founding factors (title 3, tags 2.5, path and its components 2 each, here one field)
did worse: every chunk of a file has its path, so path words tell files apart, but not
sections. A title's words also count in the text below it: see `index.headed`. Measured,
except for tags, which no set has: they got the title's first value.
"""

QUESTION_WEIGHTS: Mapping[str, float] = MappingProxyType(
    {"title": 0.3, "tags": 0.4, "path": 0.05, "body": 1.0}
)
"""Factors of the fields for a question, likewise."""

QUESTION_WORDS = 4
"""From this many words on, a query with a stop word is a question (chosen by eye)."""

LONG_QUERY_WORDS = 7
"""From this many words on, not counting stop words, any query is a question (chosen by eye)."""

K1 = 1.2
"""Tantivy's BM25 parameter for how often a word stands in a field; it cannot be set."""

EDIT_SHARE = 0.5
"""Factor of a correction of a word that occurs too.

Such matches are moved below the exact ones anyway; this weighs the correction against the
other words of the query (chosen by eye).
"""

DERIVED_SHARE = 0.5
"""Factor of another form of a word, beside the typed one (measured: 0.3 to 0.8 do the same)."""

MOST_CORRECTIONS = 8
"""The most indexed words that one typed word is corrected to."""

MOST_ASKED_FOR = 50
"""The same if the query asks for edits (`word~1`)."""

CORRECTED_FROM = 3
"""The least length of a word that is corrected, in characters."""

WIDENED_FROM = 7
"""The least length of a word that is corrected although it occurs.

Words of 7 letters and more have so few neighbours that this hardly adds matches (1.0 times
as many, against 40 times for 3 letters; measured on 188,000 chunks).
"""

WIDENED_UP_TO = 3
"""A word that stands in more chunks than this is no typing error (chosen by eye)."""

RELAXED_FROM = 5
"""The least length of a corrected word that a relaxed match may rest on.

Nearly any three or four letters are one edit from some word, so a query about nothing
would match (the same measurement).
"""

MOST_PREFIXED = 50
"""The most indexed words that a prefix scores by one by one; rarer ones all score alike."""

WIDENED_BELOW = 0.99
"""The best match by correction scores at most this share of the worst exact match."""

RAISED_MATCHES = 30
"""The relaxed matches that surroundings may raise. Measured: 20 gain less, 40 no more."""

COORDINATED_MATCHES = 60
"""The relaxed matches that coordination may raise. Measured: 30 gain less, 100 no more."""

TITLED_MATCHES = 12
"""The matches that titles may raise. Measured: 10 gain less, 14 and 20 no more."""

NAMED_AHEAD = 1.01
"""A match whose title is exactly the query scores at least this times the best other match.

Chosen by eye: it only has to come first.
"""

NEARBY_CHUNKS = 2
"""How many chunks before and after a match count as near it. Measured: 1 gains less, 3 no more."""

FARTHER = 0.7
"""Factor for each chunk farther away. Measured: 0.5 and 1 are hardly worse."""

DOUBT_BELOW = 0.72
"""Relaxed matches that hold less than this share of the words asked for may be no answer.

`DOUBT_LESS` is subtracted for every word: a user who types two words means both, but some of
ten words only add detail. Words are weighed by idf; those that occur nowhere count as the
rarest. Measured: see the curve in docs/quality.md.
"""

DOUBT_LESS = 0.04
"""What is subtracted from `DOUBT_BELOW` for every word asked for."""

DOUBT_AT_LEAST = 0.4
"""The least share, however many words there are."""

DOUBT_MATCHES = 5
"""How many of the best matches are looked at."""

DOUBT_MEAN_OF = 3
"""Of how many of these, those that hold most, the mean share counts. Measured: 1 does worse."""

DOUBT_NONE_FROM = 0.9
"""An answer with a match that holds this share is not doubtful (measured: it costs nothing)."""

GUESS_HOLDS = 0.75
"""The share of a word that counts as held if a match only has its correction, a guess.

So a match that has only the correction of one of two unknown words is doubtful.
"""
