"""A document that is open, and where its links lead."""

from __future__ import annotations

import pytest
from support.projects import Here

from leafmark.app import read_document

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
