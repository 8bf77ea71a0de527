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
    """Yield one finding for each group of sections that say nearly the same, at its second one.

    What is written once and shown in several formats is one page.
    """
    rule = RULES["near-duplicate"]
    groups = _alike(documents)
    for first, others in groups.values():
        document, sketch = others[0]
        more = f", and {len(others) - 1} more do, too" if len(others) > 1 else ""
        yield Finding(
            rule.name,
            levels.get(rule.name, rule.level),
            document.doc_id,
            document.path,
            sketch.line,
            sketch.section_id,
            f"it says nearly what {first.section_id} says{more}",
            first.section_id,
        )


_Sketched = tuple[DocumentFacts, SectionSketch]


def _alike(
    documents: Iterable[DocumentFacts],
) -> dict[str, tuple[SectionSketch, list[_Sketched]]]:
    """Return sections with those that say nearly what they say, by the id of the first."""
    by_hash: dict[int, list[int]] = defaultdict(list)
    firsts: list[_Sketched] = []
    groups: dict[str, tuple[SectionSketch, list[_Sketched]]] = {}
    for document in documents:
        for sketch in document.sketches:
            shared: Counter[int] = Counter()
            for value in sketch.hashes:
                places = by_hash[value]
                if len(places) <= MAX_BUCKET:
                    shared.update(places)
            best = max(shared.items(), key=lambda item: (item[1], -item[0]), default=None)
            other = None if best is None else firsts[best[0]]
            if other is None or not _are_alike(other[1], sketch):
                for value in sketch.hashes:
                    by_hash[value].append(len(firsts))
                firsts.append((document, sketch))
            elif not _are_one_page(other[0], document):
                group = groups.setdefault(other[1].section_id, (other[1], []))
                group[1].append((document, sketch))
    return groups


def _are_one_page(one: DocumentFacts, other: DocumentFacts) -> bool:
    """Whether two documents are one in two formats."""
    names = [each.path.rpartition("/")[2].rpartition(".")[0] for each in (one, other)]
    return names[0] == names[1] and one.format != other.format


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
