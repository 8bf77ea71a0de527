"""What is kept of a document for rules about all documents, once it was read."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any, NamedTuple

from leafmark.history import Section, SectionedDocument
from leafmark.lint.words import COMPONENTS, FILLED, INCLUDES, RECORDS

MIN_SKETCHED_PAIRS = 80
"""Pairs of words from which a section is compared with others."""

SKETCH_HASHES = 24
"""Smallest hashes of pairs of words that stand for a section."""


class LinkFact(NamedTuple):
    """A link: its target as written, its kind, where it stands."""

    target: str
    kind: str
    line: int
    section_id: str


class SectionSketch(NamedTuple):
    """A section's text by its smallest hashes (a bottom-k sketch), and how much text it is."""

    section_id: str
    line: int
    title: str
    weight: int
    hashes: tuple[int, ...]


class DocumentFacts(NamedTuple):
    """What rules about all documents need of one."""

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
    """Files that its text takes in, as written."""
    is_drawn: bool = False
    """Whether a program fills lines of it when it is shown."""


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
            _sketch(one)
            for one in (() if _says_nothing_new(document) else document.sections)
            if one.weight >= MIN_SKETCHED_PAIRS
        ),
        metadata={"base": parsed.metadata["base"]} if "base" in parsed.metadata else {},
        includes=() if parsed.format == "script" else _included(text),
        is_drawn=parsed.format == "markdown" and COMPONENTS.search(text) is not None,
    )


def _included(text: str) -> tuple[str, ...]:
    """Return the files and the names of programs whose text a program puts into a page."""
    return (*INCLUDES.findall(text), *FILLED.findall(text))


def _says_nothing_new(document: SectionedDocument) -> bool:
    """Whether a document repeats others by its nature: code does, and so do licences."""
    return document.document.format == "script" or RECORDS.search(document.path) is not None


def _sketch(section: Section) -> SectionSketch:
    hashes = sorted(
        int.from_bytes(hashlib.blake2b(" ".join(pair).encode(), digest_size=8).digest())
        for pair in section.features
    )
    smallest = tuple(hashes[:SKETCH_HASHES])
    return SectionSketch(section.id, section.line, section.title, section.weight, smallest)
