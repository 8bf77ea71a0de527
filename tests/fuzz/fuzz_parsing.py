"""Coverage-guided fuzzing of every parser, outside the suite.

    python tests/fuzz/fuzz_parsing.py [-max_total_time=SECONDS] [FOLDER]

The first byte chooses the format, the rest is the source. A crash is written to
a file by atheris, which must be installed beside leafmark; what it finds becomes
a case in `tests/unit/parsing`.
"""

from __future__ import annotations

import pickle
import sys
from importlib import import_module

from leafmark.chunking import ChunkingOptions, chunk_document
from leafmark.parsing import FORMAT_FAILED, parse

SUFFIXES = ("md", "html", "txt", "ipynb", "rst", "adoc", "py", "info", "org", "pod", "1", "rdoc")
OPTIONS = ChunkingOptions(min_tokens=2, target_tokens=10, max_tokens=30)


def check(data: bytes) -> None:
    """Parse and chunk; nothing may raise, and spans must lie where they can."""
    path = f"a.{SUFFIXES[data[0] % len(SUFFIXES)]}" if data else "a.md"
    document = parse(data[1:], path, notebook_outputs=True)
    assert all(note.code != FORMAT_FAILED for note in document.diagnostics)
    size = len(document.data)
    for block in document.blocks:
        assert 0 <= block.start <= block.end <= size, block
    for heading in document.headings:
        assert 0 <= heading.start <= heading.end <= heading.limit <= size, heading
        heading.slug_text.encode()
    for link in document.links:
        assert 0 <= link.start <= link.end <= size, link
        link.target.encode()
    at = 0
    for span in document.dropped_spans:
        assert at <= span.start < span.end <= size, span
        at = span.end
    chunked = chunk_document(document, tree="t", options=OPTIONS)
    for chunk in chunked.chunks:
        chunk.to_dict()
    pickle.dumps(document)


def main() -> None:
    atheris = import_module("atheris")
    atheris.instrument_all()
    atheris.Setup(sys.argv, check)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
