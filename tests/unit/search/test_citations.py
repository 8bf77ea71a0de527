"""Citations in texts of every kind."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leafmark.search.citations import citation_name, cited_ids, find_citations, format_citation

TAIL = "@0123456789ab:3-9"


def found(text: str, *trees: str) -> list[str]:
    return [one.text for one in find_citations(text, trees or ("docs",))]


@pytest.mark.parametrize(
    "text",
    [
        f"docs:a.md#b{TAIL}",
        f"(docs:a.md#b{TAIL}).",
        f"see [docs:a.md#b{TAIL}], and more",
        f"**docs:a.md#b{TAIL}**",
        f"_docs:a.md#b{TAIL}_",
        f"-docs:a.md#b{TAIL}",
        f"source:docs:a.md#b{TAIL}",
        f"`docs:a.md#b{TAIL}`\n",
        f"| docs:a.md#b{TAIL} |",
        f"“docs:a.md#b{TAIL}”",
        f"<docs:a.md#b{TAIL}>",
        f'{{"citation":"docs:a.md#b{TAIL}"}}',
        f"日本docs:a.md#b{TAIL}日本"[2:],
        f"x\u3000docs:a.md#b{TAIL}。",
        json.dumps(f"one\ndocs:a.md#b{TAIL}\ttwo"),
        f"a@b.example,docs:a.md#b{TAIL}",
    ],
)
def test_a_citation_is_found_whatever_stands_around_it(text: str) -> None:
    assert found(text) == [f"docs:a.md#b{TAIL}"]


@pytest.mark.parametrize(
    "text",
    [
        "docs:a.md@0123456789a:3-9",
        "docs:a.md@0123456789AB:3-9",
        "docs:a.md@0123456789ab:3",
        "docs:a.md@0123456789ab:-9",
        f"nocolon{TAIL}",
        TAIL,
        "docs:a.md@0123456789ab:3-99999999999999999999",
        "",
    ],
)
def test_what_only_looks_like_one_is_none(text: str) -> None:
    assert found(text) == []


def test_several_touch() -> None:
    text = f"docs:a.md{TAIL},docs:b.md{TAIL};docs:c.md{TAIL}docs:d.md{TAIL}"
    assert found(text) == [f"docs:{name}.md{TAIL}" for name in "abcd"]


def test_a_tree_that_is_not_known_is_taken_as_it_stands() -> None:
    assert found(f"old-docs:a.md{TAIL}", "docs2") == [f"old-docs:a.md{TAIL}"]
    assert found(f"see:a.md{TAIL}", "docs") == [f"see:a.md{TAIL}"]
    assert found(f"→old:a.md{TAIL}", "docs") == [f"old:a.md{TAIL}"]


def test_a_colon_in_a_path_does_not_begin_another_id() -> None:
    assert found(f"docs:a/docs:b.md{TAIL}") == [f"docs:a/docs:b.md{TAIL}"]


def test_the_place_is_that_of_the_first_character() -> None:
    (one,) = find_citations(f"see *docs:a.md{TAIL}*", ["docs"])
    assert (one.offset, one.digest, one.start, one.end) == (5, "0123456789ab", 3, 9)


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("docs:caf\\u00e9.md", "docs:café.md"),
        ("docs:a\\_b.md", "docs:a_b.md"),
        ("docs:a&amp;b.md", "docs:a&b.md"),
    ],
)
def test_escapes_of_json_markdown_and_html_are_read_too(written: str, name: str) -> None:
    (one,) = find_citations(f'"{written}{TAIL}"', ["docs"])
    assert one.names[0] == written
    assert name in one.names


@pytest.mark.parametrize(
    ("cited", "ids"),
    [
        ("docs:a.md#b", ["docs:a.md#b"]),
        ("docs:a%20b.md#c%28d%29", ["docs:a%20b.md#c%28d%29", "docs:a b.md#c(d)"]),
        ("docs:a%E2%80%9Cb.md", ["docs:a%E2%80%9Cb.md", "docs:a“b.md"]),
        ("docs:a%23b%09.md", ["docs:a%23b%09.md"]),  # so are they written in ids, too
        ("docs:a.md#%41%09", ["docs:a.md#%41%09", "docs:a.md#%41\t"]),  # no citation escapes an A
    ],
)
def test_ids_that_a_citation_may_be_of(cited: str, ids: list[str]) -> None:
    assert cited_ids(f"{cited}{TAIL}") == tuple(ids)


@pytest.mark.parametrize("text", ["docs:a.md", f"docs:a.md{TAIL}.", f"docs:a.md{TAIL} ", "@", ""])
def test_what_is_no_citation_is_of_no_id(text: str) -> None:
    assert cited_ids(text) == ()


def test_a_long_line_costs_no_more_than_its_length() -> None:
    text = f"docs:{'a' * 100}.md{TAIL}," * 5000
    assert len(find_citations(text, ["docs"])) == 5000
    assert found("x" * 3_000_000 + " docs:a.md" + TAIL) == [f"docs:a.md{TAIL}"]


ids = st.text(
    st.one_of(st.sampled_from(" \t\u3000\"'()[]{}<>@#~%:0123456789abc.-\\&;/"), st.characters()),
    max_size=40,
).map(lambda rest: f"docs:{rest}")


@given(ids, st.sampled_from(["", "(", "“", "see ", "`", "\n"]))
def test_whatever_the_id_its_citation_is_found_whole(chunk_id: str, before: str) -> None:
    text = format_citation(chunk_id, "ab" * 32, 7, 12)
    (one,) = find_citations(f"{before}{text}.", ["docs"])
    assert citation_name(chunk_id) in one.names
    assert (one.digest, one.start, one.end, one.offset) == ("ab" * 6, 7, 12, len(before))


@given(st.lists(ids, min_size=2, max_size=2, unique=True))
def test_different_ids_have_different_names_unless_escapes_stand_in_them(two: list[str]) -> None:
    one, other = two
    if "%" not in one + other:
        assert citation_name(one) != citation_name(other)


def test_a_long_name_before_a_citation_is_read_before_the_timeout() -> None:
    """Inside a pattern, work is not counted; quadratic work would take hours."""
    text = ":" + "a" * 16_000 + "@0123456789ab:1-2 "
    assert len(find_citations(text * 60)) == 60
