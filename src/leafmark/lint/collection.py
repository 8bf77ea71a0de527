"""Rules about all documents: links and anchors, near duplicates, pages that no text links to."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from leafmark.lint.facts import DocumentFacts, LinkFact, SectionSketch
from leafmark.lint.model import Finding, Level
from leafmark.lint.rules import RULES

__all__ = ["Collection", "LinkOutcome", "check_collection"]

ALIKE = 0.9
"""Share of a sketch that two sections have in common from which they say nearly the same."""

MAX_BUCKET = 40
"""Sections with one hash in their sketches from which that hash is boilerplate's."""

LINKED_SHARE = 0.6
"""Pages of a tree that texts link to, from which a page without a link stands out."""

MIN_PAGES = 10
"""Pages from which a tree has a habit of linking."""

_ENTRANCES = re.compile(
    r"(?:^|/)(?:index|readme|_index|home|start|default|toc|contents|summary|changelog|changes|"
    r"history|news|license|licence|copying|contributing|code_of_conduct|security|authors|"
    r"genindex|search|404|_sidebar|_navbar|_coverpage|_footer|maintainers|governance|"
    r"pull_request_template|glossary)(?:[.-][^/]*)?$",
    re.IGNORECASE,
)


class LinkOutcome(NamedTuple):
    """Where a link leads: `state` is `ok`, `file` or `anchor` (what is not there), or `outside`.

    `doc_id` is the document that it leads to, None where there is none.
    """

    state: str
    doc_id: str | None = None


FollowLink = Callable[[DocumentFacts, LinkFact], LinkOutcome]


class Collection(NamedTuple):
    """All documents by what is kept of them, and how their links are followed."""

    documents: Sequence[DocumentFacts]
    follow: FollowLink


def check_collection(
    collection: Collection, levels: dict[str, Level] | None = None
) -> Iterator[Finding]:
    """Yield the findings of the rules that look at all documents."""
    levels = levels or {}
    linked: set[str] = set()
    for document in collection.documents:
        for link in document.links:
            outcome = collection.follow(document, link)
            if outcome.doc_id is not None and outcome.doc_id != document.doc_id:
                linked.add(outcome.doc_id)
            finding = _broken(document, link, outcome, levels)
            if finding is not None:
                yield finding
    yield from _near_duplicates(collection.documents, levels)
    yield from _unlinked(collection.documents, linked, levels)


def _broken(
    document: DocumentFacts, link: LinkFact, outcome: LinkOutcome, levels: dict[str, Level]
) -> Finding | None:
    if outcome.state not in ("file", "anchor"):
        return None
    rule = RULES["broken-link" if outcome.state == "file" else "broken-anchor"]
    if outcome.state == "file":
        message = f"there is no {link.target!r}"
    else:
        message = f"{outcome.doc_id} has no place {link.target.partition('#')[2]!r}"
    return Finding(
        rule.name,
        levels.get(rule.name, rule.level),
        document.doc_id,
        document.path,
        link.line,
        link.section_id,
        message,
        link.target,
    )


def _near_duplicates(
    documents: Iterable[DocumentFacts], levels: dict[str, Level]
) -> Iterator[Finding]:
    """Yield the second of each two sections that share nearly all of their sketches."""
    rule = RULES["near-duplicate"]
    by_hash: dict[int, list[int]] = defaultdict(list)
    found: list[tuple[DocumentFacts, SectionSketch]] = []
    for document in documents:
        for sketch in document.sketches:
            shared: Counter[int] = Counter()
            for value in sketch.hashes:
                places = by_hash[value]
                if len(places) <= MAX_BUCKET:
                    shared.update(places)
            best = max(shared.items(), key=lambda item: (item[1], -item[0]), default=None)
            if best is not None and _are_alike(found[best[0]][1], sketch):
                other = found[best[0]][1]
                yield Finding(
                    rule.name,
                    levels.get(rule.name, rule.level),
                    document.doc_id,
                    document.path,
                    sketch.line,
                    sketch.section_id,
                    f"it says nearly what {other.section_id} says",
                    other.section_id,
                )
            for value in sketch.hashes:
                by_hash[value].append(len(found))
            found.append((document, sketch))


def _are_alike(one: SectionSketch, other: SectionSketch) -> bool:
    lengths = sorted((one.weight, other.weight))
    if lengths[0] < ALIKE * lengths[1]:
        return False
    smallest = sorted({*one.hashes, *other.hashes})[: max(len(one.hashes), len(other.hashes))]
    both = set(one.hashes) & set(other.hashes)
    return sum(value in both for value in smallest) >= ALIKE * len(smallest)


def _unlinked(
    documents: Sequence[DocumentFacts], linked: set[str], levels: dict[str, Level]
) -> Iterator[Finding]:
    rule = RULES["unlinked-page"]
    by_tree: dict[str, list[DocumentFacts]] = defaultdict(list)
    for document in documents:
        if document.format not in ("script", "text"):
            by_tree[document.tree].append(document)
    for pages in by_tree.values():
        share = sum(page.doc_id in linked for page in pages) / len(pages)
        if len(pages) < MIN_PAGES or share < LINKED_SHARE:
            continue
        for page in pages:
            if page.doc_id not in linked and not _ENTRANCES.search(page.path.rpartition(".")[0]):
                yield Finding(
                    rule.name,
                    levels.get(rule.name, rule.level),
                    page.doc_id,
                    page.path,
                    1,
                    page.doc_id,
                    "no text of another page links to it",
                )
