"""Records of chunks, a line each."""

from __future__ import annotations

from typing import Any

import pytest

from leafmark.chunking import ChunkingOptions, chunk_document
from leafmark.model import ChunkedDocument
from leafmark.parsing import parse
from leafmark.render import chunks
from leafmark.render.jsontext import dump_line

OPTIONS = ChunkingOptions()


def _chunked(source: str) -> ChunkedDocument:
    return chunk_document(parse(source.encode(), "ü.md"), tree="t", options=OPTIONS)


@pytest.mark.parametrize("ascii_only", [False, True])
@pytest.mark.parametrize(
    "source",
    ["", "x", "# A\n\nx", '# A\n\n"sibling_ids": []\n\n## Ü\n\nx\n\n## C\n\nx\n\n# D\n\nx'],
)
def test_a_line_is_the_record(source: str, ascii_only: bool) -> None:
    document = _chunked(source)
    lines = [*chunks.iter_chunk_lines(document, OPTIONS, ascii_only=ascii_only)]
    assert lines == [dump_line(one.to_dict(), ascii_only=ascii_only) for one in document.chunks]


def test_ids_of_siblings_are_written_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of many below one heading has all the others in its record."""
    written: list[int] = []

    def counting(value: Any, *, ascii_only: bool = False) -> str:
        line = dump_line(value, ascii_only=ascii_only)
        written.append(len(line))
        return line

    monkeypatch.setattr(chunks, "dump_line", counting)
    sums = []
    for count in (100, 200):
        written.clear()
        document = _chunked("# A\n\n" + "".join(f"## B{at:03}\n\nx\n\n" for at in range(count)))
        assert len([*chunks.iter_chunk_lines(document, OPTIONS)]) == count + 2
        sums.append(sum(written))
    assert sums[1] < 2.1 * sums[0]
