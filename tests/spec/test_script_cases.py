"""Sources in every language and the definitions found in them: `cases/scripts.md`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from leafmark.chunking import ChunkingOptions, chunk_document
from leafmark.model import ChunkedDocument
from leafmark.parsing.code.languages import LANGUAGES
from leafmark.parsing.code.sandbox import parse_script

CASES = Path(__file__).with_name("cases") / "scripts.md"
_CASE = re.compile(r"^## ([^\n]+)\n\n```(\w+)\n(.*?)^```\n\n```text\n(.*?)```\n", re.M | re.S)
_SUFFIXES = {language.name: language.suffixes.split()[0] for language in LANGUAGES}


def chunked(code: str, language: str) -> ChunkedDocument:
    document = parse_script(code.encode(), f"case.{_SUFFIXES[language]}")
    assert (document.format, document.diagnostics) == ("script", ())
    return chunk_document(document, tree="t", options=ChunkingOptions(strategy="heading"))


def place(code: bytes, start: int, end: int) -> str:
    """`3-5` for whole lines, else `3:7-5:9`, columns in bytes from 1 and inclusive."""
    first, last = code.count(b"\n", 0, start) + 1, code.count(b"\n", 0, end - 1) + 1
    column = start - code.rfind(b"\n", 0, start)
    if column == 1 and (end == len(code) or code[end - 1 : end] == b"\n"):
        return f"{first}-{last}" if last > first else f"{first}"
    last_column = end - 1 - code.rfind(b"\n", 0, end - 1)
    return f"{first}:{column}-{last}:{last_column}"


def render(document: ChunkedDocument) -> Iterator[str]:
    code = document.document.data
    for chunk in document.chunks[1:]:
        lines = place(code, chunk.byte_start, chunk.byte_end)
        assert chunk.line_offset is not None
        line = code.count(b"\n", 0, chunk.line_offset) + 1
        at = "" if lines.split("-")[0].split(":")[0] == f"{line}" else f" at {line}"
        yield f"{'  ' * (chunk.depth - 1)}#{chunk.slug} | {chunk.title} | {lines}{at}"
    own = (span for span in document.chunks[0].body_spans if code[slice(*span)].strip())
    yield "own " + ", ".join(place(code, start, end) for start, end in own)


def cases() -> list[tuple[str, str, str, str]]:
    return _CASE.findall(CASES.read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("language", "code", "expected"), [pytest.param(n, c, e, id=t) for t, n, c, e in cases()]
)
def test_definitions_are_those_written_below(language: str, code: str, expected: str) -> None:
    assert "".join(f"{line}\n" for line in render(chunked(code, language))) == expected


def test_every_case_is_found_and_every_language_has_one() -> None:
    assert len(cases()) == CASES.read_text(encoding="utf-8").count("\n## ")
    assert {language for _, language, _, _ in cases()} == set(_SUFFIXES)


def test_update(request: pytest.FixtureRequest) -> None:
    """With --update-golden, write what is found below each source."""
    if not request.config.getoption("--update-golden"):
        pytest.skip("nothing to rewrite")

    def rewrite(case: re.Match[str]) -> str:
        title, language, code, _ = case.groups()
        found = "".join(f"{line}\n" for line in render(chunked(code, language)))
        return f"## {title}\n\n```{language}\n{code}```\n\n```text\n{found}```\n"

    text = CASES.read_text(encoding="utf-8")
    CASES.write_text(_CASE.sub(rewrite, text), encoding="utf-8", newline="\n")
