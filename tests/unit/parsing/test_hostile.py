"""Any source makes a document, in work that grows as the source does."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count, pairwise
from types import FrameType
from typing import Any

import pytest
from support.hostile import HOSTILE, quadratic_fails

import leafmark
from leafmark import parsing
from leafmark.parsing import parse

LARGE_BYTES = 200_000
KINDS = pytest.mark.parametrize(
    ("suffix", "name"), [pytest.param(*key, id=f"{key[0]}: {key[1]}") for key in HOSTILE]
)


@contextmanager
def counted() -> Iterator[list[int]]:
    """Count the calls that are made inside, of C functions too."""
    calls, step = [0], count(1)

    def see(frame: FrameType, event: str, arg: Any) -> None:
        if event in ("call", "c_call"):
            calls[0] = next(step)

    before = sys.getprofile()
    sys.setprofile(see)
    try:
        yield calls
    finally:
        sys.setprofile(before)


def work(suffix: str, data: bytes) -> int:
    with counted() as calls:
        document = parse(data, f"a.{suffix}")
        list(document.blocks)
        list(document.links)
        list(document.anchors)
    return calls[0]


@KINDS
def test_twice_the_source_is_twice_the_work(suffix: str, name: str) -> None:
    make = HOSTILE[suffix, name]
    work(suffix, make(20))  # what is imported and compiled once

    assert work(suffix, make(800)) <= 2.2 * work(suffix, make(400)) + 500


@pytest.mark.slow
@KINDS
def test_large_sources_are_read_in_time(suffix: str, name: str) -> None:
    make = HOSTILE[suffix, name]
    unit = (len(make(2000)) - len(make(1000))) / 1000
    data = make(int(LARGE_BYTES / unit))
    with quadratic_fails():
        document = parse(data, f"a.{suffix}")
        list(document.blocks)
        list(document.links)
        list(document.anchors)


@KINDS
def test_chunks_hold_what_was_read(suffix: str, name: str) -> None:
    data = HOSTILE[suffix, name](60)
    for strategy in ("auto", "section"):
        chunks = leafmark.chunk(data, path=f"a.{suffix}", strategy=strategy)
        spans = sorted(span for chunk in chunks for span in chunk.body_spans)
        assert all(a[1] <= b[0] for a, b in pairwise(spans))


@pytest.mark.parametrize(
    ("path", "data", "reason"),
    [
        ("a.rst", b"a\n" * 1_000_001, "it has more than 1000000 lines"),
        ("a.adoc", b"a\r" * 1_000_001, "it has more than 1000000 lines"),
        ("a.rst", b"`a " * 500_001, "it has more than 500000 marks of links"),
        ("a.adoc", b"<<a [" * 200_000, "it has more than 500000 marks of links"),
        (
            "a.ipynb",
            b'{"cells":[{"cell_type":"code","source":[' + b'"a",' * 500_001 + b'"b"]}]}',
            "its cells have more than 500000 lines",
        ),
        (
            "a.ipynb",
            b'{"cells":[{"cell_type":"code","source":"' + b"\\n" * 1_000_001 + b'"}]}',
            "its cells have more than 1000000 escapes",
        ),
    ],
)
def test_what_would_take_too_much_memory_is_read_as_text_and_said(
    path: str, data: bytes, reason: str
) -> None:
    document = parse(data, path)

    assert (document.format, document.degraded, document.headings) == ("text", True, ())
    assert [found.message for found in document.diagnostics] == [f"read as plain text: {reason}"]


@pytest.mark.parametrize(
    ("suffix", "heading"),
    [
        ("md", b"# a\n"),
        ("html", b"<h1>a</h1>x"),
        ("rst", b"T\n=\n"),
        ("adoc", b"= a\n"),
        ("py", b"def f(): 0\n"),
    ],
)
def test_too_many_headings_are_text(
    suffix: str, heading: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parsing, "MAX_HEADINGS", 20)
    assert len(parse(heading * 20, f"a.{suffix}").headings) == 20
    document = parse(heading * 21, f"a.{suffix}")

    assert (document.degraded, document.headings) == (True, ())
    assert document.data == heading * 21
    message = "read as plain text: it has more than 20 headings"
    assert [found.message for found in document.diagnostics] == [message]
