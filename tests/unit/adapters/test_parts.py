"""Parts of a text are slices of it: found again by search, complete, and in the right section."""

from __future__ import annotations

from itertools import pairwise
from typing import Unpack

import pytest

from leafmark.adapters.parts import Cutter, Part
from leafmark.chunking import Sizes
from leafmark.errors import ConfigError, UsageError

PAGE = (
    "---\ntitle: T\n---\n\n# Größe\n\n## Leer\n\n### 日本語 🚀\n\n  indented\n\n"
    "Text.\n\n# Größe\n\nEnde.  \n\n"
)


def cut(text: str, path: str = "p.md", **sizes: Unpack[Sizes]) -> list[Part]:
    return Cutter("auto", "t", "source", sizes).cut(text, path)


def test_headings_without_text_stand_with_what_follows() -> None:
    assert [(part.chunk.id, part.content) for part in cut(PAGE)] == [
        ("t:p.md#日本語-", "# Größe\n\n## Leer\n\n### 日本語 🚀\n\n  indented\n\nText."),
        ("t:p.md#größe-1", "# Größe\n\nEnde."),
    ]


def test_offsets_are_characters_and_metadata_bytes_and_lines() -> None:
    first, second = cut(PAGE)
    data = PAGE.encode()
    for part in (first, second):
        assert PAGE[part.start : part.end] == part.content
        span = slice(part.metadata["byte_start"], part.metadata["byte_end"])
        assert data[span].decode() == part.content
    assert second.start == PAGE.rindex("# Größe")
    assert (first.metadata["line_start"], first.metadata["line_end"]) == (5, 13)
    assert (second.metadata["line_start"], second.metadata["line_end"]) == (15, 17)
    assert second.metadata["section_path"] == ["T", "Größe"]
    assert second.metadata["breadcrumb"] == "> T › Größe"


def test_pieces_of_a_long_section_follow_each_other_and_have_its_section_as_parent() -> None:
    paragraphs = "\n\n".join(f"Paragraph {n} {'word ' * 80}" for n in range(9))
    text = f"# A\n\nLead.\n\n## B\n\n{paragraphs}"
    parts = cut(text)
    assert [part.chunk.id for part in parts][:3] == ["t:p.md#a", "t:p.md#b~1", "t:p.md#b~2"]
    assert [part.parent for part in parts] == [None] + [0] * (len(parts) - 1)
    assert parts[1].content.startswith("## B\n\nParagraph 0")
    assert all(one.end <= other.start for one, other in pairwise(parts))


def test_html_is_cut_in_its_markup_or_given_as_it_reads() -> None:
    page = "<body><nav>x</nav><main><h1>Über</h1><p>one <b>ü</b></p><h2>B</h2><p>two</p></main>"
    source = Cutter("heading", "t", "source", {}).cut(page, "p.html")
    assert [part.content for part in source] == [
        "<h1>Über</h1><p>one <b>ü</b></p>",
        "<h2>B</h2><p>two</p>",
    ]
    text = Cutter("heading", "t", "text", {}).cut(page, "p.html")
    assert [part.content for part in text] == ["> Über\n\none ü", "> Über › B\n\ntwo"]
    assert [(part.start, part.end) for part in text] == [(part.start, part.end) for part in source]


@pytest.mark.parametrize(
    "text",
    ["", " \n\n", "---\ntitle: x\n---\n", "\ufeff", "\ufeffé", "a\ud800b é", "a\0b", "# \n", "# A"],
)
def test_odd_texts_are_cut_too(text: str) -> None:
    for path in ("p.md", "p.html", "p.txt", "p.py", "p.ipynb", "p"):
        for part in cut(text, path):
            assert text[part.start : part.end] == part.content != ""
            assert part.content.strip()


def test_all_of_a_text_with_the_escapes_of_another_encoding_is_cut() -> None:
    text = "# A\n\nescapes \x1b$B$3$l\x1b(B here\n\n## B\n\nlast words\n"
    assert [part.content for part in cut(text)] == [
        "# A\n\nescapes \x1b$B$3$l\x1b(B here",
        "## B\n\nlast words",
    ]


def test_mistakes_are_told_before_anything_is_cut() -> None:
    with pytest.raises(UsageError) as content:
        Cutter("auto", "t", "html", {})  # type: ignore[arg-type]
    assert (content.value.message, content.value.hint) == (
        "content is 'html'",
        "one of source, text",
    )
    with pytest.raises(ConfigError) as size:
        Cutter("auto", "t", "source", {"max_token": 3})  # type: ignore[typeddict-unknown-key]
    assert size.value.message == "there is no size called 'max_token'"
    with pytest.raises(UsageError):
        Cutter("auto", "a b", "source", {})
