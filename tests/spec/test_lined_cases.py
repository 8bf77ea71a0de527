"""What formats that are read by lines are read as: `cases/rst.md` and so on."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from leafmark.model import Document
from leafmark.parsing import parse

CASES = Path(__file__).with_name("cases")
SUFFIXES = {
    "rst": ".rst",
    "asciidoc": ".adoc",
    "rdoc": ".rdoc",
    "org": ".org",
    "pod": ".pod",
    "roff": ".1",
    "info": ".info",
    "txt": ".txt",
}
FORMATS = tuple(SUFFIXES)
SHOWN = str.maketrans("\x1f\0\b\f\n", "␟␀␈␌⏎")
"""Signs for what Info and printed pages have, and the ends of lines."""

WRITTEN = str.maketrans("␟␀␈␌", "\x1f\0\b\f")
_CASE = re.compile(r"^## ([^\n]+)\n\n````(\w+)\n(.*?)\n````\n\n````text\n(.*?)````\n", re.M | re.S)


def render(document: Document) -> Iterator[str]:
    """Say what `document` holds, with the source that each part stands for."""
    data = document.data
    rows: list[tuple[int, int, int, str]] = []
    for heading in document.headings:
        anchor = "" if heading.anchor is None else f" #{heading.anchor}"
        nested = " nested" if heading.nested else ""
        rows.append(
            (heading.start, 0, heading.end, f"h{heading.level} {heading.title}{anchor}{nested}")
        )
    for block in document.blocks:
        info = f" {block.info}" if block.info else ""
        rows.append((block.start, 1 + block.level, block.end, f"{block.kind}{info}"))
    for start, level, end, text in sorted(rows, key=lambda row: row[:2]):
        shown = data[start:end].decode().translate(SHOWN)
        yield f"{'  ' * max(0, level - 1)}{text} | {shown}"
    for link in document.links:
        shown = data[link.start : link.end].decode().translate(SHOWN)
        yield f"{link.kind} {link.target} | {shown}"


def expected_of(format: str, source: str) -> str:
    document = parse(source.translate(WRITTEN).encode(), f"page{SUFFIXES[format]}")
    return "".join(f"{line}\n" for line in render(document))


def cases() -> list[tuple[str, str, str, str]]:
    return [
        case
        for format in FORMATS
        for case in _CASE.findall((CASES / f"{format}.md").read_text(encoding="utf-8"))
    ]


@pytest.mark.parametrize(
    ("format", "source", "expected"), [pytest.param(f, s, e, id=t) for t, f, s, e in cases()]
)
def test_source_is_read_as_written_below_it(format: str, source: str, expected: str) -> None:
    assert expected_of(format, source) == expected


@pytest.mark.parametrize("format", FORMATS)
def test_every_case_is_found(format: str) -> None:
    text = (CASES / f"{format}.md").read_text(encoding="utf-8")
    assert len(_CASE.findall(text)) == text.count(f"\n````{format}\n") > 0


def test_update(request: pytest.FixtureRequest) -> None:
    """With --update-golden, write what is found below each source."""
    if not request.config.getoption("--update-golden"):
        pytest.skip("nothing to rewrite")

    def rewrite(case: re.Match[str]) -> str:
        title, format, source, _ = case.groups()
        found = expected_of(format, source)
        return f"## {title}\n\n````{format}\n{source}\n````\n\n````text\n{found}````\n"

    for format in FORMATS:
        path = CASES / f"{format}.md"
        path.write_text(
            _CASE.sub(rewrite, path.read_text(encoding="utf-8")), encoding="utf-8", newline="\n"
        )
