"""Ties, duplicates, limit."""

from __future__ import annotations

from support.candidates import make_entry, match

from leafmark.model import Entry
from leafmark.search.order import join_duplicates, sort_candidates


def _entry(path: str, size: int = 10) -> Entry:
    return make_entry(path=path, byte_end=size)


def test_score_then_id() -> None:
    found = sort_candidates(
        [
            match(_entry("d"), 0.5, relaxed=True),
            match(_entry("c"), 1.0),
            match(_entry("b"), 1.0),
            match(_entry("a"), 2.0),
        ]
    )
    assert [one.entry.path for one in found] == ["a", "b", "c", "d"]


def test_the_same_text_is_shown_once() -> None:
    candidates = [match(_entry(path), 1.0) for path in "abcd"]
    digests = {"a": "1", "b": "2", "c": "1", "d": "1"}
    found = join_duplicates(candidates, lambda entry: digests[entry.path])
    assert [(one.entry.path, one.also_in) for one in found] == [("a", ("t:c", "t:d")), ("b", ())]


def test_what_has_no_digest_is_nobodys_duplicate() -> None:
    candidates = [match(_entry(path), 1.0) for path in "ab"]
    assert join_duplicates(candidates, lambda entry: None) == candidates


def test_a_copy_of_a_result_brings_what_it_stands_for() -> None:
    older = make_entry(path="v1/b")
    candidates = [match(_entry("a"), 2.0), match(_entry("v2/b"), 1.0)]
    candidates[1] = candidates[1]._replace(also_in=("t:v0/b",), other_versions=(older,))
    (found,) = join_duplicates(candidates, lambda entry: "same")
    assert (found.also_in, found.other_versions) == (("t:v2/b", "t:v0/b"), (older,))


def test_only_spans_of_equal_length_are_read() -> None:
    asked = []

    def digest(entry: Entry) -> str:
        asked.append(entry.path)
        return entry.path

    sizes = {"a": 5, "b": 6, "c": 5, "d": 0, "e": 0}
    join_duplicates([match(_entry(path, size), 1.0) for path, size in sizes.items()], digest)
    assert asked == ["a", "c"]
