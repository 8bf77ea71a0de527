"""Large chunks that stand for what is before the first chunk below them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.candidates import Forest, count_by, make_entry, match, shape
from support.library import Library

from leafmark.model import Entry, Phase
from leafmark.search.grain import Introduce, bring_to_grain, give_introductions
from leafmark.search.options import SearchOptions

LIMIT = 100
SIZES = {"t:a.md": 300, "t:a.md#one": 200, "t:a.md#two": 40}

DOCUMENT: dict[str, Any] = {"last_position": 2, "byte_end": 900, "body_spans": ((5, 80),)}
FIRST = make_entry(
    position=1, kind="section", slug="one", byte_start=90, byte_end=500, heading_start=80,
    line_start=9,
)  # fmt: skip


def _give(entry: Entry, *, tokens: int = 300, **more: Any) -> list[Any]:
    found, _ = give_introductions(
        [match(entry, 1.0)._replace(**more)],
        LIMIT,
        count_by({entry.id: tokens}),
        Introduce(lambda _entry: FIRST),
    )
    return found


def test_a_large_chunk_ends_where_what_is_below_it_begins() -> None:
    entry = make_entry(**DOCUMENT, line_end=70)
    (found,) = _give(entry)
    assert found.introduction
    assert found.entry == entry._replace(byte_end=80, last_position=0, line_end=8)
    assert found.score == 1.0


def test_text_between_the_chunks_below_is_left_out() -> None:
    """Blank lines between the methods of a class, and what else stands there."""
    (found,) = _give(make_entry(**DOCUMENT | {"body_spans": ((5, 80), (500, 501), (700, 720))}))
    assert found.introduction
    assert found.entry.body_spans == ((5, 80),)


@pytest.mark.parametrize(
    ("name", "fields", "more"),
    [
        ("small enough", {}, {"tokens": LIMIT}),
        ("nothing below", {"last_position": 0}, {}),
        ("no text of its own", {"content_type": "empty"}, {}),
        ("text between its children alone", {"body_spans": ((500, 520),)}, {}),
        ("near in meaning as a whole", {}, {"whole": True}),
    ],
)
def test_others_stay_as_they_are(name: str, fields: dict[str, Any], more: dict[str, Any]) -> None:
    entry = make_entry(**DOCUMENT | fields)
    (found,) = _give(entry, **more)
    assert found.entry is entry
    assert not found.introduction


def _forest() -> Forest:
    forest = Forest()
    forest.add("a.md", ["A", ["one", ["deep"], ["deeper"], ["deepest"]], ["two"]])
    return forest


@pytest.mark.parametrize(
    ("grain", "limit", "expected"),
    [
        # each by itself: an introduction takes nothing in, and gives way to nothing
        ("auto", LIMIT, ["t:a.md#one", "t:a.md", "t:a.md#deep"]),
        # without a limit the section stands for its part, and the document for all
        ("auto", 0, ["t:a.md", ["t:a.md#one", "t:a.md#deep"]]),
        # who asks for sections gets them: the large one gives way to the part that is as good
        ("section", LIMIT, ["t:a.md#one", ["t:a.md#deep"]]),
        ("piece", LIMIT, ["t:a.md#one", "t:a.md", "t:a.md#deep"]),
    ],
)
def test_introductions_at_each_grain(grain: Any, limit: int, expected: list[Any]) -> None:
    forest = _forest()
    scores = {"t:a.md#one": 3.0, "t:a.md": 2.5, "t:a.md#deep": 1.9}
    found, phases = bring_to_grain(
        [match(forest.by_id(name), score) for name, score in scores.items()],
        SearchOptions(grain=grain, aggregation_max_tokens=limit),
        find_parent=forest.find_parent,
        measure_text=count_by(SIZES),
        introduce=forest.introduce,
    )
    assert shape(found) == expected
    introduced = [one.entry.id for one in found if one.introduction]
    told = Phase("introductions", 3, 3, "2 of over 100 tokens stand for their own text")
    assert introduced == (expected[:2] if grain == "auto" and limit else [])
    assert (told in phases) == (grain == "auto" and limit > 0)


def test_a_page_that_is_asked_for_by_name_begins_with_its_first_text(tmp_path: Path) -> None:
    page = "<body>\n\n<h1>Limits</h1>\n\n<h2>Of size</h2>\n<p>No more than ten.</p>\n</body>"
    far = "".join(f"<h2>{n}</h2><p>{'Said of the limits. ' * 40}</p>" for n in range(12))
    library = Library(tmp_path, t={"limits.html": page.replace("</body>", far)})
    first = library.search("limits").results[0]
    assert first.entry.path == "limits.html"
    assert "No more than ten." in (first.body or "")


def test_what_a_section_says_behind_the_first_entry_below_it_is_shown(tmp_path: Path) -> None:
    entry = "<dl><dt id='Pool.size'>Pool.size</dt><dd><p>How many.</p></dd></dl>\n"
    said = "<p>A heron stands in the pool. It waits for a fish to come by, and is still.</p>\n"
    more = "".join(f"<h3>{n}</h3><p>{'Said of it. ' * 60}</p>" for n in range(8))
    page = f"<h1>Book</h1><p>All.</p><h2 id='pool'>Pool</h2>\n{entry}{said}{more}"
    answer = Library(tmp_path, t={"a.html": page}).search("heron fish still")
    result = answer.results[0]
    data = page.encode()
    assert (result.entry.id, result.introduction) == ("t:a.html#pool", True)
    assert "A heron stands" in result.snippet.text or "A heron stands" in (result.body or "")
    shown = data[result.entry.byte_start : result.entry.byte_end].decode()
    assert "A heron" in shown
    assert "Said of it" not in shown
    line = page[: page.index("<p>A heron")].count("\n") + 1
    assert result.entry.line_start <= line <= result.entry.line_end <= line + 1
