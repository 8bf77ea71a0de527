"""Results limited to sections: what a pattern admits, and that it is a filter, not a sieve."""

from __future__ import annotations

from fnmatch import fnmatchcase
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.library import Library

from leafmark.errors import UsageError
from leafmark.search.sections import parse_section

GUIDE = ("Guide", "Authorization", "OAuth2")


@pytest.mark.parametrize(
    ("pattern", "admitted"),
    [
        ("OAuth2", True),
        ("oauth2", True),
        ("Authorization > OAuth2", True),
        ("Guide > Authorization > OAuth2", True),
        ("guide > AUTH* > oauth?", True),
        ("Guide > Auth* > [NO]*2", True),
        ("> Guide › Authorization › OAuth2", True),
        ("Guide  >Authorization>   OAuth2", True),
        ("Guide > **", True),
        ("** > OAuth2", True),
        ("Guide > ** > OAuth2", True),
        ("Auth* > ** > OAuth2", True),
        ("**", True),
        ("*", True),
        ("Authorization", False),
        ("Guide > Auth*", False),
        ("Guide > OAuth2", False),
        ("Other > Guide > Authorization > OAuth2", False),
        ("OAuth", False),
        ("Guide > ** > Authorization", False),
    ],
)
def test_the_whole_path_or_an_end_of_it(pattern: str, admitted: bool) -> None:
    assert parse_section(pattern).admits(GUIDE) is admitted


@pytest.mark.parametrize("title", ["[Unreleased]", "What? *why*", "ÜBER  uns", "日本語"])
def test_a_title_admits_itself_as_it_is_written(title: str) -> None:
    assert parse_section(title).admits(("Changes", " ".join(title.split())))


PATHS = (
    ("ch16", "Comparing Rc<T> and Arc<T>"),
    ("<title>", "Reference {/reference/}", "<title> {/title/}"),
    ("Common (e.g. <div>)", "new Window([options])"),
    ("a > b", "c › d", "->", "e"),
    ("->",),
)


@pytest.mark.parametrize("path", PATHS)
def test_a_printed_breadcrumb_admits_its_section(path: tuple[str, ...]) -> None:
    for sign in (" › ", " > "):
        assert parse_section("> " + sign.join(path)).admits(path)
        assert parse_section(sign.join(path)).admits(path)
        assert parse_section(sign.join(path)).admits(("above", *path))
        assert not parse_section(sign.join(path)).admits((*path, "below"))
        assert not parse_section(sign.join(path)).admits((f"x{path[0]}", *path[1:]))


@pytest.mark.parametrize("pattern", ["", "  ", ">", "a > > b", "a >", "a › ", "> > a"])
def test_an_empty_title_is_refused(pattern: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_section(pattern)
    assert caught.value.message == f"the section pattern `{pattern}` has an empty title"
    assert caught.value.hint == "write titles with > between them, as in 'Guide > Auth*'"


titles = st.sampled_from(["a", "ab", "b", "A b"])
elements = st.sampled_from(["a", "a*", "*b", "?", "**", "*", "A B"])


def _oracle(pattern: list[str], path: list[str]) -> bool:
    """Whether the pattern matches the whole path, by trying everything."""
    if not pattern:
        return not path
    if pattern[0] == "**":
        return any(_oracle(pattern[1:], path[at:]) for at in range(len(path) + 1))
    if not path or not fnmatchcase(path[0].casefold(), pattern[0].casefold()):
        return False
    return _oracle(pattern[1:], path[1:])


@given(st.lists(elements, min_size=1, max_size=4), st.lists(titles, min_size=1, max_size=5))
def test_patterns_against_trying_everything(pattern: list[str], path: list[str]) -> None:
    expected = any(_oracle(pattern, path[at:]) for at in range(len(path)))
    assert parse_section(" > ".join(pattern)).admits(tuple(path)) is expected


@pytest.fixture
def library(tmp_path: Path) -> Library:
    """Sixty guides that match better than the one section that is looked for."""
    sources = {
        f"{n:02}.md": f"# Guide {n}\n\n## Tokens\n\ntoken token token {n}\n\n## Use\n\ntoken {n}\n"
        for n in range(60)
    }
    last = (
        "# Handbook\n\nIntro.\n\n## Rare place\n\n" + "other words " * 200 + "token\n\n## B\n\nx\n"
    )
    return Library(tmp_path, t={**sources, "last.md": last})


def test_the_filter_comes_before_every_limit(library: Library) -> None:
    wide = {"limit": 1, "candidate_limit": 5, "max_results": 1}
    assert "last.md#rare-place" not in library.find("token", **wide)
    assert library.find("token", section=("Rare *",), **wide) == ["last.md#rare-place"]
    assert library.find("path:last", section=("Rare *",), **wide) == ["last.md#rare-place"]


def test_all_and_only_the_sections_asked_for_are_found(library: Library) -> None:
    everything = {"limit": 500, "max_results": 500, "candidate_limit": 500}
    found = library.find("token", section=("Guide 1? > use", "Tokens"), **everything)
    expected = [f"{n:02}.md#use" for n in range(10, 20)] + [f"{n:02}.md#tokens" for n in range(60)]
    assert sorted(found) == sorted(expected)
    answer = library.search("token", section=("Tokens",), limit=500, cutoff_ratio=0.0)
    assert {one.entry.title for one in answer.results} == {"Tokens"}, "never merged out of it"


def test_nothing_like_it_says_so(library: Library) -> None:
    answer = library.search("token", section=("Nowhere",))
    assert answer.results == ()
    assert answer.phases[0].note == "only sections like “Nowhere”"


def test_under_takes_any_form_of_an_id_and_bounds_what_is_merged(library: Library) -> None:
    names = ["t:01.md#tokens", "01.md#tokens", "./01.md#tokens", "t:01.md.2", "01.md.2"]
    for name in (*names, ".\\01.md#tokens"):
        answer = library.search(f"under:{name} token")
        assert [one.entry.id for one in answer.results] == ["t:01.md#tokens"]
    (whole,) = library.search("under:01.md token 1").results
    assert whole.entry.id == "t:01.md"
