"""The facts of a document that the rules about all documents need after it was read."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any, NamedTuple

from leafmark.history import Section, SectionedDocument
from leafmark.lint.rule_words import COMPONENTS, FILLED, INCLUDES, RECORDS

MIN_SKETCHED_PAIRS = 80
"""Minimum number of word pairs of a section that is compared with others."""

SKETCH_HASHES = 24
"""Hashes in the sketch of a section: the smallest of its word pairs."""


class LinkFact(NamedTuple):
    """A link: its target as written, its kind and its place."""

    target: str
    kind: str
    line: int
    section_id: str


class SectionSketch(NamedTuple):
    """A section's text by its smallest hashes (a bottom-k sketch), with its count of word pairs."""

    section_id: str
    line: int
    title: str
    weight: int
    hashes: tuple[int, ...]


class DocumentFacts(NamedTuple):
    """The facts of one document for rules about all documents."""

    doc_id: str
    tree: str
    path: str
    format: str
    title: str
    names: frozenset[str]
    links: tuple[LinkFact, ...]
    sketches: tuple[SectionSketch, ...]
    metadata: Mapping[str, Any]
    includes: tuple[str, ...] = ()
    """Files that its text includes, as written."""
    is_drawn: bool = False
    """Whether a program fills some of its lines when it is shown."""


def facts_of(document: SectionedDocument) -> DocumentFacts:
    """Return the facts of one document."""
    parsed, chunked = document.document, document.chunked
    text = parsed.data.decode("utf-8", "replace")
    links = []
    for link in parsed.links:
        if link.target:
            around = document.section_around(link.start, link.start) or document.sections[0]
            line = chunked.line_of(link.start)
            links.append(LinkFact(link.target, link.kind, line, around.id))
    return DocumentFacts(
        doc_id=document.id,
        tree=document.tree,
        path=parsed.path,
        format=parsed.format,
        title=parsed.title,
        names=frozenset(document.names),
        links=tuple(links),
        sketches=tuple(
            _sketch(section)
            for section in (() if _is_repetitive(document) else document.sections)
            if section.weight >= MIN_SKETCHED_PAIRS
        ),
        metadata={"base": parsed.metadata["base"]} if "base" in parsed.metadata else {},
        includes=() if parsed.format == "script" else _find_includes(text),
        is_drawn=parsed.format == "markdown" and COMPONENTS.search(text) is not None,
    )


def _find_includes(text: str) -> tuple[str, ...]:
    """Return the included files, and the names whose documentation is inserted."""
    return (*INCLUDES.findall(text), *FILLED.findall(text))


def _is_repetitive(document: SectionedDocument) -> bool:
    """Whether a document repeats others by nature, as code and licences do."""
    return document.document.format == "script" or RECORDS.search(document.path) is not None


def _sketch(section: Section) -> SectionSketch:
    hashes = sorted(
        int.from_bytes(hashlib.blake2b(" ".join(pair).encode(), digest_size=8).digest())
        for pair in section.features
    )
    smallest = tuple(hashes[:SKETCH_HASHES])
    return SectionSketch(section.id, section.line, section.title, section.weight, smallest)
