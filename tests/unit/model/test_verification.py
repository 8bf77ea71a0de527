"""What a report on citations counts."""

from __future__ import annotations

from leafmark.model import Verified, VerifyReport


def test_every_status_is_counted_those_that_none_has_too() -> None:
    report = VerifyReport(
        "a.md",
        (Verified("x", "ok", 1, 1), Verified("y", "ok", 1, 9), Verified("z", "moved", 2, 1)),
    )
    assert report.counts == {"ok": 2, "moved": 1, "changed": 0, "gone": 0}
    assert not report.holds
    assert report._replace(citations=report.citations[:2]).holds
    assert not VerifyReport("a.md").holds
