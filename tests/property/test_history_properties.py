"""What became of sections, beside what is known of how the new documents were made."""

from __future__ import annotations

from random import Random

from hypothesis import given
from hypothesis import strategies as st
from support.histories import Edited, Node, edited_library, sectioned

from leafmark.history import Comparison, Section, SectionChange, compare_documents

_seeds = st.integers(0, 2**32)


def _compared(made: Edited) -> tuple[Comparison, dict[int, Section], dict[int, Section]]:
    """Return the comparison, and the sections of both sides by name."""
    sides = []
    for nodes in (made.old, made.new):
        documents = [sectioned(node.title, node.text()) for node in nodes]
        by_name: dict[int, Section] = {}
        for node, document in zip(nodes, documents, strict=True):
            walked = [one for one, _ in node.walk()]
            assert len(walked) == len(document.sections)
            by_name |= {
                one.name: section for one, section in zip(walked, document.sections, strict=True)
            }
        sides.append((documents, by_name))
    (old, old_names), (new, new_names) = sides
    different = [
        (a, b) for a, b in zip(old, new, strict=True) if a.document.data != b.document.data
    ]
    comparison = compare_documents([a for a, _ in different], [b for _, b in different])
    known = set(comparison.fates)
    return comparison, {k: v for k, v in old_names.items() if v in known}, new_names


def _parents(nodes: list[Node]) -> dict[int, int | None]:
    return {
        one.name: None if parent is None else parent.name
        for each in nodes
        for one, parent in each.walk()
    }


@given(_seeds)
def test_every_section_has_the_fate_that_it_was_given(seed: int) -> None:
    made = edited_library(Random(seed))
    comparison, old, new = _compared(made)
    for name, section in old.items():
        change = comparison.fates[section]
        if name in made.removed:
            _check_gone(change, made, name, new)
            continue
        assert change.new is new[name], (change.fates, section.id)
        fates = set(change.fates)
        assert ("renamed" in fates) == (name in made.renamed), section.id
        assert ("changed" in fates) == (name in made.changed), section.id
        assert ("moved" in fates) == (name in made.moved), section.id
        assert ("split" in fates) == (name in made.split), section.id
        if name in made.split:
            assert change.parts == (new[made.split[name]],)
    for name in made.added:
        if new[name] in comparison.fates:
            assert comparison.fates[new[name]].fates == ("added",)


def _check_gone(change: SectionChange, made: Edited, name: int, new: dict[int, Section]) -> None:
    assert change.new is None
    if name in made.merged:
        assert change.fates == ("merged",)
        assert change.parts == (new[made.merged[name]],)
    else:
        assert change.fates == ("removed",)


@given(_seeds)
def test_nothing_is_called_changed_that_is_not_by_bytes(seed: int) -> None:
    made = edited_library(Random(seed), edits=12, vocabulary=40)
    comparison, _, _ = _compared(made)
    for change in comparison.fates.values():
        if change.old is None or change.new is None:
            continue
        old, new = change.old, change.new
        same = (old.body, old.title) == (new.body, new.title)
        if "changed" in change.fates:
            assert (old.heading, old.body) != (new.heading, new.body)
        if old.body != new.body:
            assert "changed" in change.fates
        if change.fates == ("unchanged",):
            assert same


@given(_seeds)
def test_each_section_is_in_one_row_and_the_new_ones_keep_their_order(seed: int) -> None:
    made = edited_library(Random(seed), edits=10)
    comparison, _, _ = _compared(made)
    rows = [row for each in comparison.documents for row in each.sections]
    olds = [row.old for row in rows if row.old is not None]
    news = [row.new for row in rows if row.new is not None]
    assert len(olds) == len(set(olds))
    assert len(news) == len(set(news))
    assert len(rows) == len(comparison.fates)
    for document in comparison.documents:
        if document.new is not None:
            kept = [row.new for row in document.sections if row.new is not None]
            assert kept == list(document.new.sections)
