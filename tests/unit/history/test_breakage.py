"""Names that broke, and citations of one state checked against another."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.histories import edited_library, sectioned

from leafmark.history import (
    CitedOutcome,
    Section,
    SectionedDocument,
    broken_names,
    check_citation,
    compare_documents,
)
from leafmark.search.citations import Citation, find_citations, format_citation

_TEXT = "run the installer with all of its parts and wait until the light goes on"
_OTHER = "every evening somebody has to look after the tank and write down its level"


def _broken(
    old: str, new: str, path: str = "a.md", now: str = "a.md"
) -> dict[str, tuple[str, list[str]]]:
    before, after = sectioned(path, old), sectioned(now, new)
    comparison = compare_documents([before], [after])
    return {
        one.name: (one.kind, [section.id for section in one.now])
        for one in broken_names(comparison, [after])
    }


def test_the_name_of_a_renamed_section_leads_to_where_it_went() -> None:
    found = _broken(f"# A\n\n## Setup\n\n{_TEXT}\n", f"# A\n\n## Installing\n\n{_TEXT}!\n")
    assert found == {"t:a.md#setup": ("gone", ["t:a.md#installing"])}


def test_the_name_of_a_removed_section_leads_nowhere() -> None:
    found = _broken(f"# A\n\n## Setup\n\n{_TEXT}\n", f"# A\n\n## Other\n\n{_OTHER}\n")
    assert found == {"t:a.md#setup": ("gone", [])}


def test_a_name_that_another_section_took_is_told() -> None:
    old = f"# A\n\n## Setup\n\n{_TEXT}\n"
    new = f"# A\n\n## Setup\n\n{_OTHER}\n\n## Old setup\n\n{_TEXT}\n"
    assert _broken(old, new) == {"t:a.md#setup": ("taken", ["t:a.md#old-setup"])}


def test_all_names_of_a_moved_file_lead_to_where_it_lies() -> None:
    text = f"# A\n\n## Setup {{#here}}\n\n{_TEXT}\n"
    assert _broken(text, text, now="b/c.md") == {
        "t:a.md": ("gone", ["t:b/c.md"]),
        "t:a.md#a": ("gone", ["t:b/c.md#a"]),
        "t:a.md#here": ("gone", ["t:b/c.md#here"]),
        "t:a.md#setup": ("gone", ["t:b/c.md#here"]),
    }


def test_the_name_of_a_merged_section_leads_to_what_took_it_in() -> None:
    old = f"# A\n\n## One\n\n{_TEXT}\n\n## Two\n\n{_OTHER} {_OTHER}\n"
    new = f"# A\n\n## Two\n\n{_OTHER} {_OTHER}\n\n{_TEXT}\n"
    assert _broken(old, new) == {"t:a.md#one": ("gone", ["t:a.md#two"])}


@pytest.mark.parametrize(
    ("new", "status", "now"),
    [
        (f"# A\n\n## Setup\n\n{_TEXT}\n\n## Next\n\n{_OTHER}\n", "ok", "t:a.md#setup"),
        (f"# A\n\nmore\n\n## Setup\n\n{_TEXT}\n", "moved", "t:a.md#setup"),
        (f"# A\n\n## Install\n\n{_TEXT}\n", "moved", "t:a.md#install"),
        (f"# A\n\n## Setup\n\n{_TEXT} soon\n", "ok", "t:a.md#setup"),
        (f"# A\n\n## Setup\n\nsoon {_TEXT.replace('light', 'lamp')}\n", "changed", "t:a.md#setup"),
        (f"# A\n\n## Install\n\n{_TEXT.replace('wait', 'hope')}\n", "changed", "t:a.md#install"),
        ("# A\n\n## Other\n\nquite another matter\n", "gone", None),
    ],
)
def test_a_citation_is_followed(new: str, status: str, now: str | None) -> None:
    before = sectioned("a.md", f"# A\n\n## Setup\n\n{_TEXT}\n")
    found = _checked(before, before.sections[2], sectioned("a.md", new), strip=True)
    assert found.status == status
    assert (found.section and found.section.id) == now


def _checked(
    before: SectionedDocument, section: Section, after: SectionedDocument, *, strip: bool = False
) -> CitedOutcome:
    start, end = section.chunk.byte_start, section.chunk.byte_end
    data = before.document.data
    if strip:
        start += len(data[start:end]) - len(data[start:end].lstrip())
        end = start + len(data[start:end].rstrip())
    text = format_citation(section.id, hashlib.sha256(data[start:end]).hexdigest(), start, end)
    (citation,) = find_citations(text, {"t"})
    comparison = compare_documents([before], [after])
    return check_citation(citation._replace(offset=0), before, after, comparison)


def test_a_citation_that_never_held_is_told() -> None:
    before = sectioned("a.md", f"# A\n\n{_TEXT}\n")
    (citation,) = find_citations("t:a.md#a@0123456789ab:5-9", {"t"})
    comparison = compare_documents([before], [])
    found = check_citation(citation, before, None, comparison)
    assert found.status == "unfounded"


@given(st.integers(0, 2**32))
def test_every_citation_has_the_status_that_was_made(seed: int) -> None:
    """A citation of each old section's own text: by construction ok, moved, changed or gone."""
    made = edited_library(Random(seed), documents=3, edits=8)
    olds = [sectioned(node.title, node.text()) for node in made.old]
    news = [sectioned(node.title, node.text()) for node in made.new]
    after = {document.path: document for document in news}
    comparison = compare_documents(olds, news)

    for node, document in zip(made.old, olds, strict=True):
        names = [one.name for one, _ in node.walk()]
        for name, section in zip(names, document.sections, strict=True):
            citation = _citation_of(document, section.chunk.body_spans)
            data = document.document.data[citation.start : citation.end]
            found = check_citation(
                citation,
                document,
                after[document.path],
                comparison,
                elsewhere=next((one for one in news if data in one.document.data), None),
            )
            took = name in made.merged.values()  # what it said before stands there still
            if took or name in made.merged or name not in made.changed | made.removed:
                assert found.status in ("ok", "moved")
            elif name in made.removed:
                assert found.status == "gone"
            else:
                assert found.status == "changed"
                new = comparison.matching.new_of[section]
                assert found.section is new
                assert found.current == new.citation


def _citation_of(document: SectionedDocument, spans: Sequence[tuple[int, int]]) -> Citation:
    data = document.document.data
    start, end = spans[0][0], spans[-1][1]
    start += len(data[start:end]) - len(data[start:end].lstrip())
    end = start + len(data[start:end].rstrip())
    around = document.section_around(start, end)
    assert around is not None
    digest = hashlib.sha256(data[start:end]).hexdigest()
    (found,) = find_citations(format_citation(around.id, digest, start, end), {"t"})
    return found._replace(offset=0)
