"""Whether the best match has so little support that the answer is doubtful."""

from __future__ import annotations

from typing import TYPE_CHECKING

from leafmark.index import Snapshot
from leafmark.search.candidates import TopicMatches
from leafmark.search.options import SearchOptions

if TYPE_CHECKING:
    from leafmark.search.fuse import Meaning

DOUBT_BELOW = 1.42
"""An answer whose best match has less support than this is doubtful.

Chosen on 455 questions of eight sets, 50 of them on foreign subjects: it marks 0.09 of those with
an answer, and 0.96 of the foreign ones.
"""

SCORE_SUPPORT = 0.5
"""The weight of the words' score, as a share of their rarity; the share of words has 1."""

WORD_SUPPORT = 0.15
"""Support for each word of the query: in a long query, some words only add detail."""

DOUBT_MATCHES = 5
"""The number of best matches that are considered."""

DOUBT_NONE_FROM = 0.9
"""An answer with a match of this share of the words is not doubtful."""

DOUBT_NONE_IF_QUOTED = 0.5
"""The same where several words occur as quoted (by eye)."""

GUESS_HOLDS = 0.75
"""The share of a word that counts if a match only has its correction, which is a guess."""


def is_doubtful(
    snapshot: Snapshot, matches: TopicMatches, options: SearchOptions, meaning: Meaning | None
) -> bool:
    """Whether the best match by words has too little support: words, and the strength of each.

    Words are weighted by rarity; words that do not occur count as the rarest. A text about the
    subject has its words often or in titles, a text that mentions it once does not. Several words
    that are all corrections are always doubtful. A match that is near in meaning,
    or that has the query as its name, is never doubtful.
    """
    best = list(matches.scored.values())[:DOUBT_MATCHES]
    if not best or any(match.name for match in best):
        return False
    if meaning is not None and options.mode != "lexical":
        near = [match.similarity for match in best if match.similarity is not None]
        if near and max(near) >= meaning.usual(best[0].topic.text).doubtful:
            return False
    first = max(best, key=lambda match: match.words + match.completeness + match.nearness)
    topic = first.topic
    words = (*topic.words, *topic.quoted)
    total = sum(word.idf for word in words)
    if len(words) > 1 and all(word.corrected for word in words):
        return True
    if not total or any(not match.relaxed and match.words > 0 for match in best):
        return False
    scores = snapshot.scores([word.query for word in words], [first.chunk])
    share = sum(
        word.idf * (GUESS_HOLDS if word.corrected else 1.0)
        for word, (score,) in zip(words, scores, strict=True)
        if score is not None
    )
    support = (share + SCORE_SUPPORT * first.words) / total + WORD_SUPPORT * len(words)
    is_quoted = any(len(phrase.terms) > 1 for phrase in topic.quoted)
    enough = DOUBT_NONE_IF_QUOTED if is_quoted else DOUBT_NONE_FROM
    return share < enough * total and support < DOUBT_BELOW
