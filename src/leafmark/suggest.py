"""The likeness of two words or names, by the edits between them.

An edit is an insertion, a deletion, a substitution, or a transposition of two neighbours. `nearest`
answers "did you mean …?" for commands, options, settings, trees and slugs; ids are compared whole
(`app.answering.resolving`). Names are compared word by word, in any case and order, without their
common words: a common beginning such as LEAFMARK_SEARCH_ does not make two variables alike.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import lru_cache

MAX_SUGGESTED = 3
"""Maximum number of names that one hint suggests."""

MIN_LIKENESS = 0.55
"""Minimum likeness of a suggestion, in [0, 1]: two wrong letters of four are too many.
Chosen on 133 wrong names of commands, options, settings, slugs and paths (2026-11)."""

MIN_BEGINNING = 3
"""Minimum number of letters of an abbreviation, as `conf`; chosen by eye."""

BEGINNING_LIKENESS = 0.7
"""Minimum likeness of an abbreviation and its word, in [0, 1]; chosen by eye."""

MAX_LENGTH = 300
"""Characters of a name that are compared; the longest paths in real folders have fewer."""

_WORD = re.compile(r"[^\W_]+")
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")


def nearest(name: str, known: Iterable[str], limit: int = 1) -> tuple[str, ...]:
    """Return at most `limit` known names, the most like `name` first, ties in their order.

    >>> nearest("serach", ["status", "show", "search"])
    ('search',)
    >>> nearest("timeout", ["index.dir", "index.lock_timeout_s"])
    ('index.lock_timeout_s',)
    >>> nearest("LEAFMARK_SEARCH_FOO", ["LEAFMARK_SEARCH_MODE"])
    ()
    """
    words = _words(name)
    scored = [(_likeness(words, _words(other)), other) for other in dict.fromkeys(known)]
    near = sorted((pair for pair in scored if pair[0] >= MIN_LIKENESS), key=lambda pair: -pair[0])
    return tuple(other for _, other in near[:limit])


def choices_hint(name: str, choices: Collection[str]) -> str:
    """Return the hint for a name that is not among a few choices.

    >>> choices_hint("jsn", ["list", "json"])
    'did you mean `json`? There are: list, json'
    """
    known = ", ".join(choices)
    near = nearest(name, choices)
    return f"did you mean `{near[0]}`? There are: {known}" if near else f"there are: {known}"


def _words(name: str) -> list[str]:
    return _WORD.findall(_HUMP.sub(" ", name[:MAX_LENGTH]).casefold())


def _likeness(words: Sequence[str], others: Sequence[str]) -> float:
    """Return the likeness of two names; 0 if their words that are not common are unlike."""
    left, right = _subtract(words, others), _subtract(others, words)
    if left and right:
        rest = max(_word_by_word(left, right), _share("".join(left), "".join(right), MIN_LIKENESS))
    else:
        rest = 1.0 if words and others else 0.0
    if rest < MIN_LIKENESS:
        return 0.0
    as_written = _share("".join(words), "".join(others))
    in_any_order = _share("".join(sorted(words)), "".join(sorted(others)))
    return max(MIN_LIKENESS, (rest + max(as_written, in_any_order)) / 2)


def _subtract(words: Sequence[str], others: Sequence[str]) -> list[str]:
    """Return the words without those of `others`, as multisets, in order."""
    rest = list(others)
    missing: list[str] = []
    for word in words:
        if word in rest:
            rest.remove(word)
        else:
            missing.append(word)
    return missing


def _word_by_word(words: Sequence[str], others: Sequence[str]) -> float:
    """Return the mean likeness of the words to their best of `others`; 0 if one has none."""
    if len(others) > 1 and any(len(word) < MIN_BEGINNING for word in words):
        return 0.0  # `in` is like `min`, but not like each name with the word `min`
    total = 0.0
    for word in words:
        best = max(_word_likeness(word, other) for other in others)
        if best < MIN_LIKENESS:
            return 0.0
        total += best
    return total / len(words)


@lru_cache(maxsize=4096)  # folders repeat in paths, tables in settings
def _word_likeness(word: str, other: str) -> float:
    short, long = sorted((word, other), key=len)
    begins = len(short) >= MIN_BEGINNING and long.startswith(short)
    return max(BEGINNING_LIKENESS if begins else 0.0, _share(word, other, MIN_LIKENESS))


def _share(word: str, other: str, least: float = 0.0) -> float:
    """Return the share of the longer word that no edit touches; 0 if it is below `least`."""
    longer = max(len(word), len(other))
    if min(len(word), len(other)) < least * longer:
        return 0.0
    share = 1 - edits_from(word)(other) / longer
    return share if share >= least else 0.0


@lru_cache(maxsize=256)
def edits_from(word: str) -> Callable[[str], int]:
    """Return a function that counts the edits from `word` to another one.

    It is the optimal string alignment distance: no place is edited twice. A column of the usual
    table is a few numbers, whose bits say where it goes up and down (H. Hyyrö, A bit-vector
    algorithm for computing Levenshtein and Damerau edit distances, 2003).

    >>> [edits_from("recieve")(other) for other in ("receive", "relieved", "")]
    [1, 2, 7]
    """
    if not word:
        return len
    places: dict[str, int] = {}
    for at, letter in enumerate(word):
        places[letter] = places.get(letter, 0) | 1 << at
    last = 1 << (len(word) - 1)
    everywhere = 2 * last - 1

    def edits(other: str) -> int:
        distance = len(word)
        up, down, diagonal, before = everywhere, 0, 0, 0
        for letter in other:
            same = places.get(letter, 0)
            swapped = (~diagonal & same) << 1 & before
            diagonal = ((same & up) + up ^ up) | same | down | swapped
            right, left = down | ~(diagonal | up), diagonal & up
            if right & last:
                distance += 1
            elif left & last:
                distance -= 1
            right, left = right << 1 | 1, left << 1
            up, down = (left | ~(diagonal | right)) & everywhere, right & diagonal & everywhere
            before = same
        return distance

    return edits
