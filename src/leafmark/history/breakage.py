"""Names that a change broke, and the sections that have their text now.

A name is the id of a document, or of a place in it by slug or anchor. It is broken if nothing has
it any more, or if another section has it now. Citations are checked by their bytes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

from leafmark.history.compared_sections import Section, SectionedDocument
from leafmark.history.comparison import Comparison
from leafmark.model import CitationStatus
from leafmark.search.citations import DIGEST_DIGITS, Citation, format_citation


class BrokenName(NamedTuple):
    """A name that no longer leads to `old`.

    `kind` is `gone` (nothing has the name) or `taken` (another section has it). `now` are the
    sections that have the text, best first; none if it was removed.
    """

    name: str
    kind: Literal["gone", "taken"]
    old: Section
    now: tuple[Section, ...]


class CitedOutcome(NamedTuple):
    """The outcome for one citation of the old side; `unfounded` ones did not hold there either."""

    citation: str
    status: CitationStatus | Literal["unfounded"]
    current: str | None = None
    section: Section | None = None


def broken_names(comparison: Comparison, new: Iterable[SectionedDocument]) -> Iterator[BrokenName]:
    """Yield the broken names of old documents, in order of the old documents."""
    after = {document.key: document for document in new}
    befores = [change.old for change in comparison.documents if change.old is not None]
    for document in sorted(befores, key=lambda document: document.key):
        if document.sections:
            yield from _broken_in(document, after.get(document.key), comparison)


def _broken_in(
    old: SectionedDocument, new: SectionedDocument | None, comparison: Comparison
) -> Iterator[BrokenName]:
    if new is None or not new.sections:
        root = old.sections[0]
        yield BrokenName(old.id, "gone", root, comparison.destinations(root))
    for name, position in old.names.items():
        section = old.sections[position]
        now = comparison.destinations(section)
        target = None
        if new is not None and name in new.names:
            target = new.sections[new.names[name]]
        if target is None:
            yield BrokenName(f"{old.id}#{name}", "gone", section, now)
        elif comparison.matching.new_of.get(section) is not target and target not in now:
            yield BrokenName(f"{old.id}#{name}", "taken", section, now)


def check_citation(
    citation: Citation,
    old: SectionedDocument | None,
    new: SectionedDocument | None,
    comparison: Comparison,
    *,
    elsewhere: SectionedDocument | None = None,
) -> CitedOutcome:
    """Return the outcome for a citation whose document is `old` and, at the same path, `new`.

    `elsewhere` is another document that has its bytes now; `comparison` has the fate of the cited
    section if no document has them.
    """
    if old is None or not _holds(old.document.data, citation):
        return CitedOutcome(citation.text, "unfounded")
    data = old.document.data[citation.start : citation.end]
    if new is not None:
        outcome = _find_in(new, citation, data, old)
        if outcome is not None:
            return outcome
    outcome = None if elsewhere is None else _moved_to(elsewhere, citation, data)
    return outcome or _successor(citation, old, comparison)


def _holds(data: bytes, citation: Citation) -> bool:
    start, end = citation.start, citation.end
    if not start <= end <= len(data):
        return False
    return hashlib.sha256(data[start:end]).hexdigest()[:DIGEST_DIGITS] == citation.digest


def _find_in(
    new: SectionedDocument, citation: Citation, data: bytes, old: SectionedDocument
) -> CitedOutcome | None:
    if _holds(new.document.data, citation):
        before = old.section_around(citation.start, citation.end)
        after = new.section_around(citation.start, citation.end)
        if before is not None and after is not None and before.id == after.id:
            return CitedOutcome(citation.text, "ok", citation.text, after)
    return _moved_to(new, citation, data)


def _moved_to(document: SectionedDocument, citation: Citation, data: bytes) -> CitedOutcome | None:
    """Return the nearest place of the bytes in a document."""
    source = document.document.data
    if not data or not document.sections:
        return None
    start = _nearest(source, data, citation.start)
    if start is None:
        return None
    section = document.section_around(start, start + len(data)) or document.sections[0]
    current = format_citation(section.id, citation.digest, start, start + len(data))
    return CitedOutcome(citation.text, "moved", current, section)


def _nearest(source: bytes, data: bytes, near: int) -> int | None:
    after = source.find(data, max(0, near))
    before = source.rfind(data, 0, max(0, near) + len(data))
    places = [at for at in (before, after) if at >= 0]
    return min(places, key=lambda at: abs(at - near), default=None)


def _successor(citation: Citation, old: SectionedDocument, comparison: Comparison) -> CitedOutcome:
    section = old.section_around(citation.start, citation.end)
    now: tuple[Section, ...] = ()
    if section is not None and section in comparison.fates:
        now = comparison.destinations(section)
    if not now:
        return CitedOutcome(citation.text, "gone")
    return CitedOutcome(citation.text, "changed", now[0].citation, now[0])
