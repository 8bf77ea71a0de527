"""Rules about all documents: links and anchors, near duplicates, pages without a link to them."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from leafmark.lint.facts import DocumentFacts, LinkFact, SectionSketch
from leafmark.lint.model import Finding
from leafmark.lint.rule_words import EDITION, NEWS
from leafmark.lint.rules import RULES

ALIKE = 0.9
"""Common share of two sketches from which the sections are near duplicates."""

MAX_BUCKET = 40
"""Maximum number of sections that share a hash; a more frequent one is boilerplate."""

LINKED_SHARE = 0.6
"""Share of linked pages in a tree from which a page without a link stands out."""

MIN_ASSEMBLED = 3
ASSEMBLED_SHARE = 0.5
"""Minimum number and share of a page's sections in other pages that make it an assembled page."""

MIN_PAGES = 10
"""Minimum number of pages in a tree that can have a habit of linking."""

_ENTRANCES = re.compile(
    r"(?:^|/)(?:index|readme|_index|home|start|default|toc|contents|summary|changelog|changes|"
    r"history|news|license|licence|copying|contributing|code_of_conduct|security|authors|"
    r"genindex|search|404|_sidebar|_navbar|_coverpage|_footer|maintainers|governance|"
    r"pull_request_template|glossary)(?:[.-][^/]*)?$",
    re.IGNORECASE,
)


class LinkOutcome(NamedTuple):
    """The target of a link: `state` is `ok`, `outside`, or the missing part, `file` or `anchor`.

    `doc_id` is the target document, None if there is none.
    """

    state: str
    doc_id: str | None = None


FollowLink = Callable[[DocumentFacts, LinkFact], LinkOutcome]


class Collection(NamedTuple):
    """The facts of all documents, and the function that follows their links."""

    documents: Sequence[DocumentFacts]
    follow: FollowLink


def check_collection(collection: Collection) -> Iterator[Finding]:
    """Yield the findings of the rules about all documents."""
    linked = {*included_pages(collection.documents)}
    for document in collection.documents:
        for link in document.links:
            outcome = collection.follow(document, link)
            if outcome.doc_id is not None and outcome.doc_id != document.doc_id:
                linked.add(outcome.doc_id)
            finding = _broken_link(document, link, outcome)
            if finding is not None:
                yield finding
    yield from _near_duplicates(collection.documents)
    yield from _unlinked(collection.documents, linked)


def included_pages(documents: Iterable[DocumentFacts]) -> Iterator[str]:
    """Yield the ids of documents that others include, by the ends of their paths."""
    documents = list(documents)
    names = {name.lstrip("./") for document in documents for name in document.includes}
    for document in documents:
        parts = document.path.split("/")
        ends = ("/".join(parts[at:]) for at in range(len(parts)))
        if not names.isdisjoint(ends):
            yield document.doc_id


def _finding(
    rule: str, document: DocumentFacts, line: int, section_id: str, message: str, text: str = ""
) -> Finding:
    place = (document.doc_id, document.path, line, section_id)
    return Finding(rule, RULES[rule].level, *place, message, text)


def _broken_link(document: DocumentFacts, link: LinkFact, outcome: LinkOutcome) -> Finding | None:
    if outcome.state == "file":
        rule, message = "broken-link", f"there is no {link.target!r}"
    elif outcome.state == "anchor":
        rule = "broken-anchor"
        message = f"{outcome.doc_id} has no anchor {link.target.partition('#')[2]!r}"
    else:
        return None
    return _finding(rule, document, link.line, link.section_id, message, link.target)


def _near_duplicates(documents: Sequence[DocumentFacts]) -> Iterator[Finding]:
    """Yield one finding for each group of near duplicates, at its second section.

    A page that has most of its sections in other pages, too, gets only one finding: it was put
    together from them, or they were taken from it.
    """
    groups = _duplicates(documents)
    repeated: dict[str, set[str]] = defaultdict(set)
    by_id = {document.doc_id: document for document in documents}
    for (first_page, first), others in groups:
        for page, sketch in others:
            if page.doc_id != first_page.doc_id:
                repeated[page.doc_id].add(sketch.section_id)
                repeated[first_page.doc_id].add(first.section_id)
    assembled = {
        doc_id
        for doc_id, sections in repeated.items()
        if len(sections) >= max(MIN_ASSEMBLED, ASSEMBLED_SHARE * len(by_id[doc_id].sketches))
    }
    reported: set[str] = set()
    for (first_page, first), others in groups:
        duplicates = []
        for page, sketch in others:
            pages = [side.doc_id for side in (first_page, page) if side.doc_id in assembled]
            if not pages or first_page is page:
                duplicates.append((page, sketch))
            elif not reported.intersection(pages):
                reported.add(pages[0])
                other = page if pages[0] == first_page.doc_id else first_page
                yield _assembled_page(by_id[pages[0]], other, len(repeated[pages[0]]))
        if duplicates:
            page, sketch = duplicates[0]
            more = f"; so have {len(duplicates) - 1} more" if len(duplicates) > 1 else ""
            message = f"it has nearly the same text as {first.section_id}{more}"
            place = (sketch.line, sketch.section_id)
            yield _finding("near-duplicate", page, *place, message, first.section_id)


def _assembled_page(page: DocumentFacts, other: DocumentFacts, count: int) -> Finding:
    share = f"{count} of its {len(page.sketches)} longer sections"
    message = f"{share} are in other pages, too, such as {other.doc_id}"
    return _finding("near-duplicate", page, 1, page.doc_id, message, other.doc_id)


_Sketched = tuple[DocumentFacts, SectionSketch]


def _duplicates(
    documents: Iterable[DocumentFacts],
) -> list[tuple[_Sketched, list[_Sketched]]]:
    """Return sections with their near duplicates, in the order of the first."""
    by_hash: dict[int, list[int]] = defaultdict(list)
    firsts: list[_Sketched] = []
    groups: dict[int, list[_Sketched]] = defaultdict(list)
    for document in documents:
        for sketch in document.sketches:
            shared: Counter[int] = Counter()
            for value in sketch.hashes:
                places = by_hash[value]
                if len(places) <= MAX_BUCKET:
                    shared.update(places)
            best = max(shared.items(), key=lambda item: (item[1], -item[0]), default=(-1, 0))[0]
            if best < 0 or not _are_alike(firsts[best][1], sketch):
                for value in sketch.hashes:
                    by_hash[value].append(len(firsts))
                firsts.append((document, sketch))
            elif not _are_editions(firsts[best][0], document):
                groups[best].append((document, sketch))
    return [(firsts[number], groups[number]) for number in sorted(groups)]


def _are_editions(first: DocumentFacts, second: DocumentFacts) -> bool:
    """Whether two documents are one page in two formats, versions or languages.

    The paths of versions and languages differ in one folder, or in a number.
    """
    folders = [document.path.split("/") for document in (first, second)]
    names = [parts.pop() for parts in folders]
    if names[0] == names[1] and len(folders[0]) == len(folders[1]):
        return [a != b for a, b in zip(*folders, strict=True)].count(True) == 1
    stems = [name.rpartition(".")[0] for name in names]
    if stems[0] == stems[1]:
        return first.format != second.format
    rests = [EDITION.sub("", stem) for stem in stems]
    return folders[0] == folders[1] and rests[0] == rests[1] != ""


def _are_alike(first: SectionSketch, second: SectionSketch) -> bool:
    lengths = sorted((first.weight, second.weight))
    if lengths[0] < ALIKE * lengths[1]:
        return False
    length = max(len(first.hashes), len(second.hashes))
    smallest = sorted({*first.hashes, *second.hashes})[:length]
    both = set(first.hashes) & set(second.hashes)
    return sum(value in both for value in smallest) >= ALIKE * len(smallest)


def _unlinked(documents: Sequence[DocumentFacts], linked: set[str]) -> Iterator[Finding]:
    by_tree: dict[str, list[DocumentFacts]] = defaultdict(list)
    for document in documents:
        if document.format not in ("script", "text"):
            by_tree[document.tree].append(document)
    for pages in by_tree.values():
        share = sum(page.doc_id in linked for page in pages) / len(pages)
        if len(pages) < MIN_PAGES or share < LINKED_SHARE:
            continue
        for page in pages:
            stem = page.path.rpartition(".")[0]
            if page.doc_id not in linked and not (_ENTRANCES.search(stem) or NEWS.search(stem)):
                message = "no text of another page links to it"
                yield _finding("unlinked-page", page, 1, page.doc_id, message)
