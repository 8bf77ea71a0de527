from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from leafmark.app.answering.searching import parse_since
from leafmark.errors import UsageError

NOW = datetime(2026, 3, 10, 12, 0, tzinfo=timezone(timedelta(hours=2)))


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("90s", datetime(2026, 3, 10, 9, 58, 30, tzinfo=UTC)),
        ("15m", datetime(2026, 3, 10, 9, 45, tzinfo=UTC)),
        ("36h", datetime(2026, 3, 8, 22, 0, tzinfo=UTC)),
        (" 7 d ", datetime(2026, 3, 3, 10, 0, tzinfo=UTC)),
        ("2w", datetime(2026, 2, 24, 10, 0, tzinfo=UTC)),
        ("2026-03-01", datetime(2026, 2, 28, 22, 0, tzinfo=UTC)),
        ("2026-03-01T08:30", datetime(2026, 3, 1, 6, 30, tzinfo=UTC)),
        ("2026-03-01T08:30+00:00", datetime(2026, 3, 1, 8, 30, tzinfo=UTC)),
        ("999999y", datetime(1, 1, 1, tzinfo=UTC)),
    ],
)
def test_ages_and_dates(text: str, moment: datetime) -> None:
    seconds = (moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(seconds=1)
    assert parse_since(text, now=NOW) == seconds * 1_000_000_000


@pytest.mark.parametrize("text", ["", "soon", "7", "-7d", "7 days", "2026-13-01", "٣d"])
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_since(text, now=NOW)
    assert caught.value.message == f"`{text}` is neither an age nor a date"
    assert caught.value.hint == ("write an age (90s, 15m, 36h, 7d, 2w, 1y) or a date (2026-01-31)")
