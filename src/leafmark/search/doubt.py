"""Whether the best matches may be no answer at all: they lack too much of what was asked."""

from __future__ import annotations

from collections.abc import Sequence

from leafmark.index import Snapshot
from leafmark.search.candidates import TopicMatches
from leafmark.search.fuse import Meaning
from leafmark.search.options import SearchOptions
from leafmark.search.score import Scored

__all__ = ["is_doubtful", "shares_held"]

DOUBT_BELOW = 0.72
"""Matches that hold less than this share of the words asked for may be no answer.

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
"""The share of a word that counts as held if a match only has its correction, a guess."""


def is_doubtful(
    snapshot: Snapshot, found: TopicMatches, options: SearchOptions, meaning: Meaning | None
) -> bool:
    """Whether the best matches lack too much of the query.

    A single one that has nearly everything may be the answer. Otherwise the best three count:
    what is only mentioned stands in one place, and what documents are about in several. Text
    in quotes counts as a word does, and every match has it. What is near in meaning is no doubt.
    """
    best = list(found.scored.values())[:DOUBT_MATCHES]
    if not best or any(one.name for one in best):
        return False
    if meaning is not None and options.mode != "lexical" and not _is_far(best, meaning):
        return False
    shares = sorted(shares_held(snapshot, found), reverse=True)
    if not shares or shares[0] >= DOUBT_NONE_FROM:
        return False
    topic = best[0].topic
    words = len(topic.words) + len(topic.quoted)
    mean = shares[:DOUBT_MEAN_OF]
    return sum(mean) < len(mean) * max(DOUBT_AT_LEAST, DOUBT_BELOW - DOUBT_LESS * words)


def _is_far(best: Sequence[Scored], meaning: Meaning) -> bool:
    """Whether the meaning of no match says much."""
    near = [one.similarity for one in best if one.similarity is not None]
    return not near or max(near) < meaning.usual(best[0].topic.text).doubtful


def shares_held(snapshot: Snapshot, found: TopicMatches) -> list[float]:
    """Return the share of what was asked that the best matches have, words weighed by rarity."""
    best = list(found.scored.values())[:DOUBT_MATCHES]
    if not best:
        return []
    topic = best[0].topic
    asked = (*topic.words, *topic.quoted)
    total = sum(one.idf for one in asked)
    if not total:
        return []
    same = [one for one in best if one.topic is topic]
    held = snapshot.scores([one.query for one in asked], [one.chunk for one in same])
    return [
        1.0
        if not one.relaxed and one.words
        else sum(
            word.idf * (GUESS_HOLDS if word.corrected else 1.0)
            for word, scores in zip(asked, held, strict=True)
            if scores[at] is not None
        )
        / total
        for at, one in enumerate(same)
    ]
