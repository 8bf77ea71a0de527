"""Titles that say what was asked, and little else, raise what stands under them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.library import Library

from leafmark.model import Result

FILLER = "Words of other things stand here, so that rare words are rare.\n"


def library_of(
    tmp_path: Path, *titles: str, body: str = "The quota of a disk is set here."
) -> Library:
    sections = "".join(f"## {title}\n\n{body}\n\n" for title in titles)
    others = "".join(f"## Part {number}\n\n{FILLER}\n" for number in range(8))
    return Library(tmp_path, t={"a.md": f"# Guide\n\n{sections}{others}"})


def found(library: Library, query: str, **params: Any) -> list[Result]:
    flat: dict[str, Any] = {"aggregation": False, "cutoff_ratio": 0.0, "explain": True}
    return list(library.search(query, **(flat | params)).results)


def titled(result: Result) -> float:
    """The factor that its title gave."""
    return next((one.value for one in result.factors if one.name == "titled"), 1.0)


@pytest.mark.parametrize(
    ("title", "query", "share"),
    [
        ("Quota", "quota", 1),
        ("The quota", "quotas", 1),  # stop words do not count, nor do endings
        ("Disk quota", "quota", 1 / 2),  # half of the title
        ("Quota", "disk quota", 1 / 2),  # half of the query
        ("Disk quota", "quota disk", 1),
        ("Quota of old disks", "new disk quota", 2 / 3 * 2 / 3),
        ("setQuota(disk: Disk)", "set quota", 1),  # a name by its parts, up to its bracket
        ("class Quota", "Quota", 1),
        ("Quota (optional)", "quota", 1),
        ("How do I set a quota?", "how do I set a quota", 1),
        ("Set a quota", "I want to set a quota", 2 / 3),  # what only asks is not said
        ("Other things", "quota", 0),
    ],
)
def test_the_share_of_both_counts_squared(
    tmp_path: Path, title: str, query: str, share: float
) -> None:
    library = library_of(tmp_path, title, body="To set a new quota of a disk is easy, they say.")
    result = next(one for one in found(library, query) if one.entry.title == title)
    assert titled(result) == pytest.approx(1 + 0.25 * share**2)


def test_the_section_that_is_called_so_comes_first(tmp_path: Path) -> None:
    often = "The quota, a quota and every quota: quota.\n"
    library = Library(
        tmp_path,
        t={"a.md": f"# G\n\n## Notes\n\n{often}\n## Quota\n\nWhat each user may store of files.\n"},
    )
    plainly = found(library, "quota", title_agreement=0.0, keyword_title_weight=0.3)
    assert [one.entry.title for one in plainly] == ["Notes", "Quota"]
    raised = found(library, "quota", title_agreement=2.0, keyword_title_weight=0.3)
    assert [one.entry.title for one in raised] == ["Quota", "Notes"]
    assert titled(raised[0]) == 3.0


MENTIONS = "- read [[Clock drift]]\n"
NOTES: dict[str, str] = {
    "clock.md": "# Clock drift\n\nQuartz runs slow in the cold, as measured over a year.\n",
    "monday.md": f"# Monday\n\n{MENTIONS}",
    "home.md": f"# Home\n\n{MENTIONS}- called Ann\n",
}


def test_a_page_comes_before_those_that_only_mention_it(tmp_path: Path) -> None:
    library = Library(tmp_path, t=NOTES)
    plainly = [one.entry.path for one in found(library, "clock drift", title_agreement=0.0)]
    assert plainly.index("monday.md") < plainly.index("clock.md")
    assert found(library, "clock drift")[0].entry.path == "clock.md"
    assert found(library, "the clock drift")[0].entry.path == "clock.md"
    assert found(library, "clock")[0].entry.path != "clock.md"  # not all of the title


def test_it_is_raised_no_more_than_that_takes_and_so_cuts_nothing_off(tmp_path: Path) -> None:
    library = Library(tmp_path, t=NOTES)
    first, *others = found(library, "clock drift")
    best = max(one.score for one in others if one.entry.path != "clock.md")
    assert first.score == pytest.approx(1.01 * best, abs=1e-3)
    kept = found(library, "clock drift", cutoff_ratio=0.9)
    assert {one.entry.path for one in kept} >= {"clock.md", "monday.md"}


def test_all_that_are_called_so_gain_the_same(tmp_path: Path) -> None:
    other = "# Clock drift\n\nWhat the clock of the other house does in winter and in summer.\n"
    library = Library(tmp_path, t=NOTES | {"other.md": other})
    factors = {
        titled(one)
        for one in found(library, "clock drift")
        if one.entry.path in ("clock.md", "other.md")
    }
    assert len(factors) == 1
    assert factors.pop() > 1.25


def test_a_title_that_weighs_nothing_comes_before_nothing(tmp_path: Path) -> None:
    weights = {"keyword_title_weight": 0.0, "keyword_path_weight": 0.0}
    results = found(Library(tmp_path, t=NOTES), "clock drift", **weights)
    assert [one.entry.path for one in results if one.score > 0] == ["monday.md", "home.md"]


def test_a_match_by_a_correction_stays_behind_the_exact_ones(tmp_path: Path) -> None:
    library = Library(
        tmp_path, t={"a.md": "# G\n\n## One\n\nA quarantine.\n\n## Quarantime\n\nA text.\n"}
    )
    results = found(library, "quarantine", title_agreement=9.0)
    assert [one.entry.title for one in results] == ["One", "Quarantime"]
    assert [titled(one) for one in results] == [1.0, 1.0]


def test_relaxed_matches_stay_behind_strict_ones(tmp_path: Path) -> None:
    library = Library(
        tmp_path,
        t={"a.md": "# G\n\n## Disk\n\nNothing.\n\n## Other\n\nA disk has a quota, at times.\n"},
    )
    results = found(library, "disk quota", title_agreement=9.0)
    assert [(one.entry.title, one.relaxed) for one in results[:2]] == [
        ("Other", False),
        ("Disk", True),
    ]
