"""Conditions on metadata: `3..7`, `>2026-01-01`, `..2`, and whether a value meets one.

Numbers are compared as numbers, and dates as dates, to the precision of the bound: `>2026-01`
begins with February, and `2025..2026` ends with the last day of 2026. The same holds for a plain
value: `2026-01-05` is any time of that day. Other values are compared as text, ignoring case. But
a range of numbers or dates contains no other words, and no range contains an empty value:
`priority: high` is not above 3, and an empty `date:` is not before 2026.
"""

from __future__ import annotations

import math

from leafmark.frozen import Frozen
from leafmark.patterns import lazy_pattern

# A bound begins like a number, a date or a word, so that `../img` stays a value.
_BOUND = r"[+-]?\.?\w(?:(?!\.\.)[^\s()<>\"“”„‟＂])*"
_IS_BOUND = lazy_pattern(_BOUND)
_BETWEEN = lazy_pattern(rf"({_BOUND})?\.\.({_BOUND})?")
_COMPARED = lazy_pattern(rf"([<>]=?)({_BOUND})")
_NUMBER = lazy_pattern(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_DATE = lazy_pattern(r"[0-9]{4}(?:-[0-9]{2}(?:-[0-9]{2}(?:[Tt ][0-9:.Zz+-]*)?)?)?")
_LIKE_NUMBER = lazy_pattern(r"[+-]?\.?[0-9]")
_LIKE_DATE = lazy_pattern(r"[0-9]{4}(?![0-9])")


class Range(Frozen):
    """Values from `low` to `high`; None is open. Bounds are texts as typed.

    A bound is in the range unless its `include_` flag is False, which is allowed only in ranges
    with one bound (`>3`, `<7`).

    Raises:
        ValueError: there is no bound, a bound cannot be written, or one of two is excluded.
    """

    low: str | None = None
    high: str | None = None
    include_low: bool = True
    include_high: bool = True

    def __post_init__(self) -> None:
        bounds = [b for b in (self.low, self.high) if b is not None]
        if not bounds or not all(_IS_BOUND.fullmatch(b) and b[-1] != "." for b in bounds):
            raise ValueError(f"not a range: {self.low!r}..{self.high!r}")
        if len(bounds) == 2 and not (self.include_low and self.include_high):
            raise ValueError("a range with two bounds holds both")
        if (self.low is None and not self.include_low) or (
            self.high is None and not self.include_high
        ):
            raise ValueError("an open end cannot be excluded")

    def __str__(self) -> str:
        if self.low is not None and not self.include_low:
            return f">{self.low}"
        if self.high is not None and not self.include_high:
            return f"<{self.high}"
        return f"{self.low or ''}..{self.high or ''}"

    @property
    def runs_backwards(self) -> bool:
        """Whether no value can be in the range: `7..3`."""
        return self.low is not None and self.high is not None and _compare(self.low, self.high) > 0


def parse_range(text: str) -> Range | None:
    """Return the range in `text`, None if it is a plain value.

    >>> parse_range(">=3"), parse_range("draft")
    (Range(low='3', high=None, include_low=True, include_high=True), None)
    """
    if compared := _COMPARED.fullmatch(text):
        sign, bound = compared.groups()
        included = sign.endswith("=")
        try:
            return (
                Range(low=bound, include_low=included)
                if sign[0] == ">"
                else Range(high=bound, include_high=included)
            )
        except ValueError:
            return None
    between = _BETWEEN.fullmatch(text)
    if between is None or between.groups() == (None, None):
        return None
    low, high = between.groups()
    try:
        return Range(low, high)
    except ValueError:
        return None


def admits(condition: str | Range, value: object) -> bool:
    """Whether a metadata value meets a condition; a list does if one of its items does.

    >>> admits(Range("3", "7"), 5), admits(Range("3", "7"), "12"), admits("draft", "Draft")
    (True, False, True)
    """
    if isinstance(value, list | tuple | set | frozenset):
        return any(admits(condition, item) for item in value)
    text = _as_text(value)
    if isinstance(condition, str):
        return _compare(text, condition) == 0
    bounds = [bound for bound in (condition.low, condition.high) if bound is not None]
    if not text or not all(_may_compare(text, bound) for bound in bounds):
        return False
    return _above(condition, text) and _below(condition, text)


def _may_compare(text: str, bound: str) -> bool:
    """Whether a value begins like a number or a date if the bound is one, as `1.2.3` and `1.2`."""
    if _NUMBER.fullmatch(bound):
        return _LIKE_NUMBER.match(text) is not None
    return not _DATE.fullmatch(bound) or _LIKE_DATE.match(text) is not None


def _as_text(value: object) -> str:
    if value is None or isinstance(value, bool):
        return str(value).lower().replace("none", "")
    isoformat = getattr(value, "isoformat", None)
    return str(isoformat()) if callable(isoformat) else str(value)


def _above(condition: Range, text: str) -> bool:
    if condition.low is None:
        return True
    order = _compare(text, condition.low)
    return order > 0 or (order == 0 and condition.include_low)


def _below(condition: Range, text: str) -> bool:
    if condition.high is None:
        return True
    order = _compare(text, condition.high)
    return order < 0 or (order == 0 and condition.include_high)


def _compare(text: str, bound: str) -> int:
    """Return -1, 0 or 1 if `text` is below, at or above `bound`; dates to the bound's precision."""
    number, limit = _number(text), _number(bound)
    if number is not None and limit is not None:
        return (number > limit) - (number < limit)
    if _DATE.fullmatch(text) and _DATE.fullmatch(bound):
        text = text[: len(bound)]
    left, right = text.casefold(), bound.casefold()
    return (left > right) - (left < right)


def _number(text: str) -> float | None:
    if not _NUMBER.fullmatch(text):
        return None
    number = float(text)
    return number if math.isfinite(number) else None
