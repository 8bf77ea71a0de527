"""How like two words or names are, by the edits between them.

An edit is an insertion, a deletion, a substitution, or a transposition of two
neighbours. `nearest` answers "did you mean …?" for commands, options, settings,
trees and slugs alike; ids are compared whole (`app.answering.resolving`). Names are
compared word by word, in any case and order, without the words that both have: that
all variables begin with LEAFMARK_SEARCH_ makes no two of them alike.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import lru_cache

MAX_SUGGESTED = 3
"""Names that one hint suggests at most."""

LEAST = 0.55
"""Names less alike than this, in [0, 1], are not named: two wrong letters of four are too many.
Chosen on 133 wrong names of commands, options, settings, slugs and paths (2026-11)."""

MIN_BEGINNING = 3
"""Letters with which a word stands for one that it begins, as `conf`; chosen by eye."""

BEGINNING = 0.7
"""How like a word is to one that begins with it, at least, in [0, 1]; chosen by eye."""

LONGEST = 300
"""Characters of a name that are looked at; the longest paths in real folders have fewer."""

_WORD = re.compile(r"[^\W_]+")
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")


def nearest(name: str, known: Iterable[str], limit: int = 1) -> tuple[str, ...]:
    """Return at most `limit` of the names most like `name`, best first, ties in their order.

    >>> nearest("serach", ["status", "show", "search"])
    ('search',)
    >>> nearest("timeout", ["index.dir", "index.lock_timeout_s"])
    ('index.lock_timeout_s',)
    >>> nearest("LEAFMARK_SEARCH_FOO", ["LEAFMARK_SEARCH_MODE"])
    ()
    """
    words = _words(name)
    scored = [(_likeness(words, _words(one)), one) for one in dict.fromkeys(known)]
    near = sorted((each for each in scored if each[0] >= LEAST), key=lambda each: -each[0])
    return tuple(one for _, one in near[:limit])


def choices_hint(name: str, choices: Collection[str]) -> str:
    """Return what to say of a name that is none of a few.

    >>> choices_hint("jsn", ["list", "json"])
    'did you mean `json`? There are: list, json'
    """
    known = ", ".join(choices)
    near = nearest(name, choices)
    return f"did you mean `{near[0]}`? There are: {known}" if near else f"there are: {known}"


def _words(name: str) -> list[str]:
    return _WORD.findall(_HUMP.sub(" ", name[:LONGEST]).casefold())


def _likeness(words: Sequence[str], others: Sequence[str]) -> float:
    """Return how like two names are; 0 where what the words of one lack in the other is unlike."""
    left, right = _lacking(words, others), _lacking(others, words)
    if left and right:
        apart = max(_word_by_word(left, right), _share("".join(left), "".join(right), LEAST))
    else:
        apart = 1.0 if words and others else 0.0
    if apart < LEAST:
        return 0.0
    as_written = _share("".join(words), "".join(others))
    in_any_order = _share("".join(sorted(words)), "".join(sorted(others)))
    return max(LEAST, (apart + max(as_written, in_any_order)) / 2)


def _lacking(words: Sequence[str], others: Sequence[str]) -> list[str]:
    """Return the words that `others` lack, each as often as they lack it."""
    rest = list(others)
    found: list[str] = []
    for word in words:
        if word in rest:
            rest.remove(word)
        else:
            found.append(word)
    return found


def _word_by_word(words: Sequence[str], others: Sequence[str]) -> float:
    """Return how like the words are to those of `others` on average; 0 where one is to none."""
    if len(others) > 1 and any(len(word) < MIN_BEGINNING for word in words):
        return 0.0  # `in` is like `min`, and not like any name that has it
    found = 0.0
    for word in words:
        best = max(_of_words(word, other) for other in others)
        if best < LEAST:
            return 0.0
        found += best
    return found / len(words)


@lru_cache(maxsize=4096)  # folders repeat in paths, tables in settings
def _of_words(word: str, other: str) -> float:
    short, long = sorted((word, other), key=len)
    begins = len(short) >= MIN_BEGINNING and long.startswith(short)
    return max(BEGINNING if begins else 0.0, _share(word, other, LEAST))


def _share(word: str, other: str, least: float = 0.0) -> float:
    """Return the share of the longer of two words that no edit touches; 0 where below `least`."""
    longer = max(len(word), len(other))
    if min(len(word), len(other)) < least * longer:
        return 0.0
    share = 1 - edits_from(word)(other) / longer
    return share if share >= least else 0.0


@lru_cache(maxsize=256)
def edits_from(word: str) -> Callable[[str], int]:
    """Return what counts the edits from `word` to another one.

    It is the optimal string alignment distance: no place is edited twice. A column
    of the usual table is a few numbers, in which bits tell where it goes up and
    down (H. Hyyrö, A bit-vector algorithm for computing Levenshtein and Damerau
    edit distances, 2003).

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
        found = len(word)
        up, down, diagonal, before = everywhere, 0, 0, 0
        for letter in other:
            same = places.get(letter, 0)
            swapped = (~diagonal & same) << 1 & before
            diagonal = ((same & up) + up ^ up) | same | down | swapped
            right, left = down | ~(diagonal | up), diagonal & up
            if right & last:
                found += 1
            elif left & last:
                found -= 1
            right, left = right << 1 | 1, left << 1
            up, down = (left | ~(diagonal | right)) & everywhere, right & diagonal & everywhere
            before = same
        return found

    return edits
