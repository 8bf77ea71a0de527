"""Where a text matches: ranges for what was looked for, by the analyzer of the index.

Whatever made a chunk match marks its words here by the same terms: stems,
corrections, prefixes, parts of words. A phrase marks its words only where they
stand beside each other.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from leafmark.index import Analyzer, Token
from leafmark.retrieval.leaves import Looked
from leafmark.retrieval.snippets import Match

__all__ = ["find_matches"]


def find_matches(text: str, looked: Iterable[Looked], analyzer: Analyzer) -> list[Match]:
    """Return the matches in `text`, sorted by start; offsets count its characters."""
    wanted = [each for each in looked if each.sequences]
    terms = {term for each in wanted for sequence in each.sequences for term in sequence}
    if not terms:
        return []
    tokens = analyzer.find(text, terms.__contains__)
    found: list[Match] = []
    for each in wanted:
        found += _matches_of(each, text, tokens)
    return sorted(found)


def _matches_of(looked: Looked, text: str, tokens: Sequence[Token]) -> list[Match]:
    """Return the matches of one word, phrase or prefix among the tokens of its terms."""
    words = {sequence[0] for sequence in looked.sequences if len(sequence) == 1}
    phrases = [sequence for sequence in looked.sequences if len(sequence) > 1]
    found = [token for token in tokens if token.term in words and _begins(token, text, looked)]
    if phrases:
        by_position = {token.position: token for token in tokens}
        for phrase in phrases:
            found += _words_of_phrase(phrase, tokens, by_position, text, looked)
    return [Match(token.start, token.end, looked.number) for token in dict.fromkeys(found)]


def _words_of_phrase(
    phrase: Sequence[str],
    tokens: Sequence[Token],
    by_position: dict[int, Token],
    text: str,
    looked: Looked,
) -> list[Token]:
    """Return the tokens of every place where the phrase stands."""
    found: list[Token] = []
    for first in tokens:
        if first.term != phrase[0]:
            continue
        here = [by_position.get(first.position + offset) for offset in range(len(phrase))]
        stands = [token for token in here if token is not None]
        if [token.term for token in stands] == list(phrase) and _begins(stands[-1], text, looked):
            found += stands
    return found


def _begins(token: Token, text: str, looked: Looked) -> bool:
    """Whether the word begins as a prefix asks: stems may be shorter than what was typed."""
    return text[token.start : token.end].lower().startswith(looked.prefix)
