"""The constants of ranking, each with its unit or range and where it comes from.

"Measured" is by `leafmark eval` on the half `choose` of the shipped queries on
2026-11-21, with `rr500` deciding; docs/DECISIONS.md has the numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

__all__ = [
    "CORRECTED_FROM",
    "DERIVED_SHARE",
    "DOUBT_AT_LEAST",
    "DOUBT_BELOW",
    "DOUBT_LESS",
    "DOUBT_MATCHES",
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
    "B",
]

KEYWORD_WEIGHTS: Mapping[str, float] = MappingProxyType(
    {"title": 0.7, "tags": 1.0, "path": 0.1, "body": 1.0}
)
"""Factors of the fields for a short keyword query, where settings say nothing else.

The founding factors (title 3, tags 2.5, path and its components 2 each, one
field here) did worse: every chunk of a file has its path, so that its words tell
files apart and no sections. A title's words count with the text below it, too, see
`index.headed`. Measured, but for tags, which no set has: as the title at first.
"""

QUESTION_WEIGHTS: Mapping[str, float] = MappingProxyType(
    {"title": 0.3, "tags": 0.4, "path": 0.05, "body": 1.0}
)
"""Factors of the fields for a question, likewise."""

QUESTION_WORDS = 4
"""From this many words on, a query with a stop word is a question (chosen by eye)."""

LONG_QUERY_WORDS = 7
"""From this many words on, stop words left out, any query is one (chosen by eye)."""

K1 = 1.2
B = 0.75
"""Tantivy's BM25 parameters, which cannot be set; needed to explain and to test."""

EDIT_SHARE = 0.5
"""Factor of a word found by correcting the typed one, where the typed one occurs too.

Such matches are moved below the exact ones anyway; this weighs them against the
other words of the query (chosen by eye).
"""

DERIVED_SHARE = 0.5
"""Factor of another form of a word, beside the typed one (measured: 0.3 to 0.8 do the same)."""

MOST_CORRECTIONS = 8
"""Indexed words that one typed word may stand for."""

MOST_ASKED_FOR = 50
"""The same where the query asks for edits (`word~1`)."""

CORRECTED_FROM = 3
"""The least length of a word that is corrected, in characters."""

WIDENED_FROM = 7
"""The least length of a word that is corrected though it occurs.

Words of 7 letters and more have so few neighbours that widening hardly adds
matches (1.0 times, against 40 times for 3 letters; measured on 188,000 chunks).
"""

WIDENED_UP_TO = 3
"""A word in more chunks than this is no typing error (chosen by eye)."""

RELAXED_FROM = 5
"""The least length of a corrected word that a relaxed match may rest on.

Nearly any three or four letters are one edit from some word, so that a query
about nothing would match (the same measurement).
"""

MOST_PREFIXED = 50
"""Indexed words that a prefix stands for with a score; rarer ones match without."""

WIDENED_BELOW = 0.99
"""The best of the widened matches scores at most this share of the worst exact one."""

RAISED_MATCHES = 30
"""The relaxed matches whose surroundings are looked at. Measured: 20 do less, 40 no more."""

TITLED_MATCHES = 12
"""The matches whose titles are looked at. Measured: 10 do less, 14 and 20 no more."""

NAMED_AHEAD = 1.01
"""What a match that is called exactly what was asked scores of the best other one, at least.

Chosen by eye: only that it comes first matters.
"""

NEARBY_CHUNKS = 2
"""How many chunks before and after a match count as near it. Measured: 1 does less, 3 no more."""

FARTHER = 0.7
"""Factor of what is one chunk farther away. Measured: 0.5 and 1 are hardly worse."""

DOUBT_BELOW = 0.8
"""A relaxed match that holds less than this share of the words asked for may be no answer.

`DOUBT_LESS` is taken off for every word: who asks with two means both, of ten some only tell
what is meant. Words are weighed by idf, those that occur nowhere as the rarest. Measured: see
the curve in docs/evaluation.md.
"""

DOUBT_LESS = 0.04
"""What `DOUBT_BELOW` falls by for every word asked for."""

DOUBT_AT_LEAST = 0.5
"""What `DOUBT_BELOW` does not fall below, however many words there are."""

DOUBT_MATCHES = 5
"""An answer is doubtful where so many of the best matches are. Measured: 10 do the same, 1 less."""

GUESS_HOLDS = 0.75
"""A word that occurs nowhere counts so much of itself where its correction is held: a guess.

So a match that has nothing but the correction of one of two unknown words is doubtful.
"""
