"""`--since`: an age such as `7d`, or a date, as a point in time."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from leafmark.errors import UsageError

__all__ = ["parse_since"]

_AGE = re.compile(r"(\d{1,6})\s*([smhdwy])", re.ASCII)
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800, "y": 31_557_600}
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def parse_since(text: str, *, now: datetime) -> int:
    """Return the moment that `text` names, in nanoseconds since 1970, as `st_mtime_ns` counts.

    `text` is an age before `now`, which has a time zone (`90s`, `15m`, `36h`, `7d`, `2w`, `1y`),
    or an ISO 8601 date or time; one without an offset is in `now`'s zone.

    Raises:
        UsageError: `text` is neither.

    >>> parse_since("1970-01-02", now=datetime(2026, 1, 1, tzinfo=UTC))
    86400000000000
    """
    moment = _before(text, now) or _read_date(text, now)
    if moment is None:
        raise UsageError(
            f"`{text}` is neither an age nor a date",
            hint="write an age (90s, 15m, 36h, 7d, 2w, 1y) or a date (2026-01-31)",
        )
    return (moment - _EPOCH) // timedelta(microseconds=1) * 1000


def _before(text: str, now: datetime) -> datetime | None:
    match = _AGE.fullmatch(text.strip())
    if match is None:
        return None
    try:
        return now - timedelta(seconds=int(match[1]) * _SECONDS[match[2]])
    except OverflowError:
        return datetime.min.replace(tzinfo=UTC)


def _read_date(text: str, now: datetime) -> datetime | None:
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=now.tzinfo)
