"""Exact token counts, offline.

Counts are those of the model's own tokenizer on ordinary text: text that looks like
a special token (`<|endoftext|>`) is counted as its characters.
The tokenizer is loaded on the first count, never on import.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Protocol, cast

from leafmark.errors import UsageError
from leafmark.frozen import Frozen

Count = Callable[[str], int]

_BUILT_IN = ("o200k_base", "cl100k_base")
REGISTERED: dict[str, Count] = {"characters": len}

MAX_TOKEN_CHARACTERS = 64
"""The search for the end of a prefix assumes at most so many characters per token."""

_COMMON_TOKEN_CHARACTERS = 6
"""The search begins with so many characters per token, and reads more on demand."""

_MAX_TOKEN_BYTES = {"characters": 4, "o200k_base": 128, "cl100k_base": 128}
"""The bytes of the longest token: in models, a run of spaces."""


def tokenizer_names() -> tuple[str, ...]:
    """Return the names that `ChunkingOptions.tokenizer` accepts; `characters` counts characters."""
    return (*_BUILT_IN, *REGISTERED)


def register_tokenizer(name: str, count: Count) -> None:
    """Register the tokenizer `name`. `count` returns the number of tokens of a text.

    It must be a pure function. It returns 0 for the empty text, never more than the
    text's bytes in UTF-8, and never more for a text than for its parts
    together. A registered name may be registered again, a built-in one may not.

    Raises:
        UsageError: `name` is built in, or `count` does not return a number, or not 0 for "".
    """
    given_name: object = name
    if not given_name or not isinstance(given_name, str):
        raise UsageError(f"a tokenizer cannot be called {name!r}", hint="give a text")
    if name in (*_BUILT_IN, "characters"):
        raise UsageError(f"the tokenizer {name} is built in and cannot be replaced")
    if not callable(count):
        hint = "give a function from a text to the number of its tokens"
        raise UsageError(f"count is {count!r}", hint=hint)
    none: object = count("")
    if not isinstance(none, int):
        hint = "return a whole number, such as len(encode(text))"
        raise UsageError(f"the tokenizer {name} counts {none!r} in the empty text", hint=hint)
    if none:
        hint = "count no special tokens: encode(text, add_special_tokens=False)"
        raise UsageError(f"the tokenizer {name} counts {none} tokens in the empty text", hint=hint)
    REGISTERED[name] = count


def token_counter(tokenizer: str) -> Count:
    """Return the function that counts the tokens of one text; it can be pickled."""
    return REGISTERED.get(tokenizer) or _model_counter(tokenizer)


class _ModelCounter(Frozen):
    """Counts with a built-in tokenizer."""

    encoding: str

    def __call__(self, text: str) -> int:
        return model_tokenizer(self.encoding).count(text)


_model_counter = cache(_ModelCounter)


def direct_counter(count: Count) -> Count:
    """Return an equal function that is cheaper to call many times; it cannot be pickled."""
    return model_tokenizer(count.encoding).count if isinstance(count, _ModelCounter) else count


class _Tokenizer(Protocol):
    """One of toktok's own tokenizers.

    Its functions for many texts start threads on every call, 25 µs each; these do not.
    """

    def count(self, text: str) -> int: ...

    def truncate(self, text: str, limit: int) -> tuple[str, int]:
        """Return the longest prefix within a limit, and the tokens of the whole text."""


@cache
def model_tokenizer(name: str) -> _Tokenizer:
    from toktok import _toktok  # type: ignore[import-untyped]

    return cast("_Tokenizer", _toktok.Tokenizer(name, ""))


def least_tokens(size: int, tokenizer: str) -> int:
    """Return a lower bound for the tokens of a text of `size` bytes."""
    most = _MAX_TOKEN_BYTES.get(tokenizer)
    return -(-size // most) if most else 0


def take_tokens(text: str, limit: int, tokenizer: str, *, likely: int = 0) -> int:
    """Return the length, in characters, of a long prefix of at most `limit` tokens.

    At least 1 for a text that is not empty. Reads only as much of the text as the
    prefix needs: half more than `likely`, a guess at its length, if that is enough.
    """
    window = limit * _COMMON_TOKEN_CHARACTERS
    narrow = likely + max(likely // 2, 2 * MAX_TOKEN_CHARACTERS)
    if likely and narrow < min(window, len(text)) and tokenizer in _BUILT_IN:
        length = _take(text[:narrow], limit, tokenizer)
        # more text may change the token at the end of the window
        if length + MAX_TOKEN_CHARACTERS <= narrow:
            return max(1, length)
    while window < len(text):
        length = _take(text[:window], limit, tokenizer)
        if length < window:
            return max(1, length)
        window *= 4
    return max(1, _take(text, limit, tokenizer)) if text else 0


class Prefixes:
    """Takes prefixes one after another; in a long run of one character, each equals the last."""

    def __init__(self, tokenizer: str) -> None:
        self._tokenizer = tokenizer
        self._last: dict[int, tuple[str, int]] = {}
        """By limit: the last text, and the length of its prefix."""

    def take(self, ahead: str, limit: int) -> int:
        """Return the length of the prefix of `ahead`, as `take_tokens`."""
        before, length = self._last.get(limit, ("", 0))
        if ahead != before:
            length = take_tokens(ahead, limit, self._tokenizer, likely=length)
            self._last[limit] = ahead, length
        return length


def _take(text: str, limit: int, tokenizer: str) -> int:
    built_in = tokenizer in _BUILT_IN
    length = len(model_tokenizer(tokenizer).truncate(text, limit)[0]) if built_in else len(text)
    return _shrink(text[:length], limit, token_counter(tokenizer))


def _shrink(text: str, limit: int, count: Count) -> int:
    """Return the length of a prefix that fits: the longest, to within one in sixty-four.

    Guesses come from the tokens per character so far, so that a few counts suffice.
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
