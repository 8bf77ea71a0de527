"""Which pages only lead to another one."""

from __future__ import annotations

import pytest

from leafmark.parsing.html import leads_away


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        ('<meta http-equiv="refresh" content="0; url=new.html">', True),
        ("<META HTTP-EQUIV=Refresh CONTENT='0;URL=../new.html#part'>", True),
        ('<meta http-equiv="refresh" content="0, new.html">', True),
        ("""<meta http-equiv="refresh" content="0; url='new.html'">""", True),
        ('<meta http-equiv="refresh" content="10; url=new.html">', False),
        ('<meta http-equiv="refresh" content="0">', False),
        ('<meta http-equiv="refresh" content="0; url=#part">', False),
        ('<meta http-equiv="refresh" content="0; url=">', False),
        ('<meta name="refresh" content="0; url=new.html">', False),
        ('<!-- <meta http-equiv="refresh" content="0; url=new.html"> -->', False),
        ('<noscript><meta http-equiv="refresh" content="0; url=plain.html"></noscript>', False),
        ('<body><p>Write <meta http-equiv="refresh" content="0; url=new.html">', False),
    ],
)
def test_a_page_leads_away_where_its_head_says_so(head: str, expected: bool) -> None:
    assert leads_away(f"<title>Old</title>{head}<p>It is there.".encode()) is expected


def test_a_long_page_may_hold_more_than_that() -> None:
    page = b'<meta http-equiv="refresh" content="0; url=new.html">' + b"word " * 2000
    assert not leads_away(page)
