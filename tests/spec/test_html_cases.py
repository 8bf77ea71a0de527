"""Pages and what they are read as: `cases/html.md`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from leafmark.model import Document, subtract
from leafmark.parsing.html import parse_html, read_html

CASES = Path(__file__).with_name("cases") / "html.md"
_CASE = re.compile(r"^## ([^\n]+)\n\n```html\n(.*?)\n```\n\n```text\n(.*?)```\n", re.M | re.S)


def render(document: Document) -> Iterator[str]:
    """Say what `document` holds, with the source that each part stands for."""
    data = document.data

    def shown(start: int, end: int) -> str:
        return data[start:end].decode().replace("\n", "⏎")

    yield f"title {document.title}"
    for heading in document.headings:
        anchor = "" if heading.anchor is None else f" #{heading.anchor}"
        rest = "" if heading.limit == len(data) else f" | until {shown(heading.limit, len(data))}"
        box = " (in a box)" if heading.nested else ""
        name = f"h{heading.level} {heading.title}{anchor}{box}"
        yield f"{name} | {shown(heading.start, heading.end)}{rest}"
    for span in document.dropped_spans:
        yield f"dropped | {shown(span.start, span.end)}"
    for block in document.blocks:
        info = f" {block.info}" if block.info else ""
        rows = (
            ""
            if block.content_start is None
            else f" | rows {shown(block.content_start, block.end)}"
        )
        yield f"{'  ' * block.level}{block.kind}{info} | {shown(block.start, block.end)}{rows}"
    for link in document.links:
        yield f"{link.kind} {link.target} | {shown(link.start, link.end)}"
    for name, value in document.metadata.items():
        yield f"{name} {value}"
    dropped = [(span.start, span.end) for span in document.dropped_spans]
    yield f"text {read_html(data, [*subtract(0, len(data), dropped)]).text!r}"


def cases() -> list[tuple[str, str, str]]:
    return _CASE.findall(CASES.read_text(encoding="utf-8"))


@pytest.mark.parametrize(("html", "expected"), [pytest.param(h, e, id=t) for t, h, e in cases()])
def test_page_is_read_as_written_below_it(html: str, expected: str) -> None:
    found = "".join(f"{line}\n" for line in render(parse_html(html.encode(), "page.html")))

    assert found == expected


def test_every_case_is_found() -> None:
    assert len(cases()) == CASES.read_text(encoding="utf-8").count("\n## ")


def test_update(request: pytest.FixtureRequest) -> None:
    """With --update-golden, write what is found below each page."""
    if not request.config.getoption("--update-golden"):
        pytest.skip("nothing to rewrite")

    def rewrite(case: re.Match[str]) -> str:
        title, html, _ = case.groups()
        found = "".join(f"{line}\n" for line in render(parse_html(html.encode(), "page.html")))
        return f"## {title}\n\n```html\n{html}\n```\n\n```text\n{found}```\n"

    text = CASES.read_text(encoding="utf-8")
    CASES.write_text(_CASE.sub(rewrite, text), encoding="utf-8", newline="\n")
