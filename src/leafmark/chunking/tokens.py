"""Exact token counts, offline.

Counts are those of the model's own tokenizer on ordinary text: what looks like
a special token (`<|endoftext|>`) is counted as the characters it is made of.
The tokenizer is loaded on the first count, never on import.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import cast

__all__ = [
    "Count",
    "register_tokenizer",
    "take_tokens",
    "token_counter",
    "tokenizer_names",
]

Count = Callable[[str], int]

_BUILT_IN = ("o200k_base", "cl100k_base")
_NO_LIMIT = 1 << 62
_registered: dict[str, Count] = {"characters": len}

_LONGEST_COMMON = 6
"""Characters per token that are looked at first when a prefix is taken; more on demand."""


def tokenizer_names() -> tuple[str, ...]:
    """The names that `ChunkingOptions.tokenizer` accepts; `characters` counts characters."""
    return (*_BUILT_IN, *_registered)


def register_tokenizer(name: str, count: Count) -> None:
    """Make `name` a tokenizer. `count` returns the number of tokens of a text.

    It must be a pure function, 0 for the empty text, never more than the
    text's bytes in UTF-8, and never more for a text than for its parts
    together. A registered name may be registered again; a built-in one not.

    Raises:
        ValueError: `name` is built in.
    """
    if name in (*_BUILT_IN, "characters"):
        raise ValueError(f"the tokenizer {name} is built in and cannot be replaced")
    _registered[name] = count


def token_counter(tokenizer: str) -> Count:
    """Return the function that counts the tokens of one text; it can be pickled."""
    return _registered.get(tokenizer) or _ModelCounter(tokenizer)


@dataclass(frozen=True, slots=True)
class _ModelCounter:
    """Counts with a built-in tokenizer."""

    encoding: str

    def __call__(self, text: str) -> int:
        # This counts one text without the threads that toktok's batches start
        # on every call: 1 µs against 30.
        return _truncate()(text, _NO_LIMIT, self.encoding)[1]


@cache
def _truncate() -> Callable[[str, int, str], tuple[str, int]]:
    """`toktok.truncate`: the longest prefix within a limit, and the tokens of the whole."""
    from toktok import truncate  # type: ignore[import-untyped]

    return cast("Callable[[str, int, str], tuple[str, int]]", truncate)


def take_tokens(text: str, limit: int, tokenizer: str) -> int:
    """Return the length, in characters, of a long prefix of at most `limit` tokens.

    At least 1 for a text that is not empty. Only as much of the text is looked
    at as the prefix needs.
    """
    window = limit * _LONGEST_COMMON
    while window < len(text):
        length = _take(text[:window], limit, tokenizer)
        if length < window:
            return max(1, length)
        window *= 4
    return max(1, _take(text, limit, tokenizer)) if text else 0


def _take(text: str, limit: int, tokenizer: str) -> int:
    built_in = tokenizer in _BUILT_IN
    length = len(_truncate()(text, limit, tokenizer)[0]) if built_in else len(text)
    return _shrink(text[:length], limit, token_counter(tokenizer))


def _shrink(text: str, limit: int, count: Count) -> int:
    """Return the length of a prefix that fits; among the greatest, to one in sixty-four.

    Guessed from the tokens per character so far, so that a few counts do.
    """
    length = len(text)
    low, high, tokens = 0, length, count(text)
    if tokens <= limit:
        return length
    guess = length * limit // tokens
    while high - low > max(1, length // 64):
        guess = min(max(guess, low + 1), high - 1)
        tokens = count(text[:guess])
        if tokens == limit:
            return guess
        low, high = (guess, high) if tokens < limit else (low, guess)
        guess = (low + high) // 2
    return low
