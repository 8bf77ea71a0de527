"""A document that is open, and where its links lead."""

from __future__ import annotations

import pytest
from support.projects import Here

from leafmark.app import browse_project, read_document
from leafmark.app.answering import browsing
from leafmark.app.requests import SearchRequest

LABELLED = ".. _{label}:\n\n{title}\n======\n\nWords.\n"


@pytest.mark.parametrize(
    ("target", "found", "title"),
    [
        ("#far", "here:other/c.rst#far", "C title"),
        ("#both", "here:docs/b.rst#both", "B title"),
        ("#own", "here:docs/a.rst#own", "A title"),
        ("#nowhere", "here:docs/a.rst", "A title"),
        ("b", "here:docs/b.rst", "B title"),
        ("https://x.org/", None, None),
    ],
)
def test_a_label_leads_to_the_nearest_document_that_has_it(
    here: Here, target: str, found: str | None, title: str | None
) -> None:
    here.write("docs/a.rst", LABELLED.format(label="own", title="A title"))
    here.write("docs/b.rst", LABELLED.format(label="both", title="B title"))
    here.write("other/c.rst", ".. _both:\n" + LABELLED.format(label="far", title="C title"))
    here.index()
    reading = read_document(here.project(), "docs/a.rst")
    assert reading.find_link(target) == found
    assert reading.find_title(target) == title


def test_what_is_browsed_is_counted_by_documents(
    here: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(browsing, "MAX_COUNTED", 3)
    for number in range(6):
        sections = "".join(f"## Part {n}\n\nWords.\n\n" for n in range(5))
        code = "```\nx\n```\n" if number % 2 else ""
        here.write(f"docs/{'ab'[number % 2]}/{number}.md", f"# One\n\n{sections}{code}")
    here.index()
    request = SearchRequest(
        queries=(), filters=(("path", "docs/"),), grain="document", refresh=False
    )
    facets = browse_project(here.project(), request, folder="docs/").facets
    found = {name: {one.value: one.number for one in values} for name, values in facets.items()}
    assert found["tree"] == {"here": 6}
    assert found["folder"] == {"docs/a/": 3, "docs/b/": 3}
    assert found["format"] == {"markdown": 6}
    assert found["has"] == {"code": 3}
