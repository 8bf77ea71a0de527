"""Which matches are in the sections asked for: the same however they are told, and read once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from leafmark.retrieval import section_members
from leafmark.retrieval.sections import parse_section
from support.library import Library

from leafmark.errors import UsageError
from leafmark.index import IndexReader, fold
from leafmark.index.queries import AllChunks

WIDE = {"limit": 200, "max_results": 200, "candidate_limit": 200}
PATTERNS = [
    ("Use",),
    ("USE",),
    ("gu?de 1*",),
    ("Guide 7 > *",),
    ("Guide 1[0-4] > use",),
    ("** > Tok*",),
    ("[T]okens", "Handbook"),
    ("Rc<T> > new",),
    ("strasse*",),
    ("Nowhere",),
    ("Guide 3 > Nowhere*",),
    ("*",),
]


@pytest.fixture
def library(tmp_path: Path) -> Library:
    guides = {
        f"{n:02}.md": f"# Guide {n}\n\n## Tokens\n\ntoken token {n}\n\n## Use\n\ntoken {n}\n"
        for n in range(30)
    }
    others = {
        "h.md": "# Handbook\n\ntoken\n\n## Straße\n\ntoken\n\n### Rc<T>\n\n#### new\n\ntoken\n",
        "test/u.md": "token, and no heading\n",
    }
    return Library(tmp_path, t={**guides, **others})


@pytest.mark.parametrize("patterns", PATTERNS)
@pytest.mark.parametrize("query", ["token", "path:h", "token 7"])
@pytest.mark.parametrize("limits", [WIDE, {"limit": 2, "max_results": 2, "candidate_limit": 2}])
def test_many_matches_are_told_as_a_few_are(
    library: Library,
    patterns: tuple[str, ...],
    query: str,
    limits: dict[str, Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    one_by_one = library.search(query, section=patterns, **limits)
    monkeypatch.setattr(section_members, "FEW_LOOKED_AT", 0)
    at_once = library.search(query, section=patterns, **limits)
    assert at_once == one_by_one


def test_where_no_section_is_meant_few_of_the_matches_are_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "".join(f"## Part {n}\n\ntoken\n\n" for n in range(200))
    library = Library(tmp_path, t={f"{n}.md": f"# Guide {n}\n\n{text}" for n in range(20)})
    looked_at: list[int] = []
    read = IndexReader.section_paths

    def counted(reader: IndexReader, addresses: Any) -> Any:
        paths = read(reader, addresses)
        looked_at.append(len(paths))
        return paths

    monkeypatch.setattr(IndexReader, "section_paths", counted)
    assert not library.search("token", section=("Nowhere",)).results
    assert sum(looked_at) < 4000


def test_what_is_found_at_once_is_remembered_of_a_reader(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(section_members, "FEW_LOOKED_AT", 0)
    passes: list[object] = []
    find = IndexReader.chunks_in_sections

    def counted(reader: IndexReader, *asked: Any) -> Any:
        passes.append(asked)
        return find(reader, *asked)

    monkeypatch.setattr(IndexReader, "chunks_in_sections", counted)
    reader = library.reader
    chunks = [at for _, at in reader.search([(AllChunks(), 200)])[0]]
    for _ in range(2):
        members = section_members.SectionMembers(reader, ["Use"])
        assert sum(members.choose(chunks)) == members.count == 30
    assert len(passes) == 1


characters = st.one_of(
    st.sampled_from('aAbB ÉéßſKİıΣσς"\\*?[]!<>›-\u0301\u0338\u00ad\u1100\u1161日Ａｶﾞ\t\x1f'),
    st.characters(codec="utf-8"),
)
titles = st.text(characters, min_size=1, max_size=6)


def _changed(text: str) -> list[str]:
    return [text, text.upper(), text.lower(), text.casefold(), fold(text)]


@given(st.lists(titles, min_size=1, max_size=3), st.data())
@example(["a > b", "c"], None)
def test_the_record_of_an_admitted_path_holds_the_words_of_the_pattern(
    path: list[str], data: st.DataObject | None
) -> None:
    written = " > ".join(path)
    if data is not None:
        signs = st.sampled_from(["*", "?", "**", " > ", "[a-z]", "[", "]", "x"])
        written = data.draw(st.sampled_from(_changed(written)))
        for _ in range(data.draw(st.integers(0, 2))):
            start = data.draw(st.integers(0, len(written)))
            end = data.draw(st.integers(start, len(written)))
            written = written[:start] + data.draw(signs) + written[end:]
    try:
        pattern = parse_section(written)
    except UsageError:
        return
    if pattern.admits(tuple(path)):
        record = fold(json.dumps(path, ensure_ascii=False)).casefold()
        assert any(all(word in record for word in words) for words in pattern.words)
