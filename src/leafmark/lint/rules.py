"""The table of rules, and the rules about one document.

A rule about one document is a function from the document to faults: offset, message, and text. The
rules about all documents are in `collection`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import NamedTuple

from leafmark.history import Section, SectionedDocument
from leafmark.lint.model import Finding, MissedQuery, Rule
from leafmark.lint.rule_words import (
    CODE_MARKS,
    LEANING_STARTS,
    NOTATION_MARKS,
    RECORDS,
    TEMPLATES,
    VAGUE_TITLES,
)
from leafmark.model import Document

MAX_SECTION_WORDS = 1_200
"""Maximum number of words of prose in one section without subsections: some 1,600 tokens, more than
five results can show."""

_WORDS = re.compile(r"\w+")
_ONLY_NUMBERS = re.compile(r"(?:chapter|section|part|step|appendix)?\s*\d{1,3}[.:)]?", re.I)
_FENCE = re.compile(rb"[ \t]*(`{3,}|~{3,})[ \t]*([^\r\n]*)")
_IMAGE = re.compile(rb"!\[([ \t\r\n]*)\]")
_IMG = re.compile(rb"<img\b[^>]*>", re.I)
_COMMENT = re.compile(rb"<!--.*?(?:-->|\Z)", re.S)
_CODE = re.compile(rb"`|<(?:code|tt)\b", re.I)
_TAG = re.compile(r"<[^>]*>")
_ALT = re.compile(rb"\balt\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s>]+))", re.I)


class _Fault(NamedTuple):
    """A broken rule at a byte offset: the message, and the text that identifies the finding."""

    at: int
    message: str
    text: str = ""


Check = Callable[[SectionedDocument], Iterator[_Fault]]


def _repeated_titles(document: SectionedDocument) -> Iterator[_Fault]:
    for parent in document.sections:
        children = document.children_of(parent.position)
        seen: Counter[str] = Counter()
        for child in children:
            title = child.title.casefold().strip()
            seen[title] += 1
            if title and seen[title] == 2 and child.chunk.heading_start is not None:
                yield _Fault(
                    _start(child), f"a section beside it is called {child.title!r}, too", title
                )


def _vague_titles(document: SectionedDocument) -> Iterator[_Fault]:
    for section in document.sections[1:]:
        if section.chunk.heading_start is None:
            continue
        title = " ".join(_WORDS.findall(section.title.casefold()))
        if not section.title.strip():
            continue  # the heading may be an image
        is_vague = title in VAGUE_TITLES and not _is_name(document, section, title)
        if is_vague or _ONLY_NUMBERS.fullmatch(section.title):
            yield _Fault(
                _start(section), f"the title {section.title!r} does not say what it is about", title
            )


def _is_name(document: SectionedDocument, section: Section, title: str) -> bool:
    """Whether a title is the name of code, or of the document's subject."""
    parsed, chunk = document.document, section.chunk
    heading = parsed.data[chunk.heading_start or 0 : chunk.heading_end or 0]
    stem = parsed.path.rpartition("/")[2].partition(".")[0].casefold()
    return parsed.format == "script" or stem == title or _CODE.search(heading) is not None


def _long_sections(document: SectionedDocument) -> Iterator[_Fault]:
    if document.document.format in ("script", "notebook"):
        return
    for section in document.sections:
        prose = _prose_words(section, is_markup=document.document.format == "html")
        if prose > MAX_SECTION_WORDS:
            message = f"{prose:,} words of prose stand under one heading"
            yield _Fault(_start(section), message, section.title)


def _prose_words(section: Section, *, is_markup: bool) -> int:
    """Return the number of words in paragraphs; in markup, at most the visible ones.

    HTML pages use quotes to indent: such a quote may be a table, or the output of a program.
    """
    kinds = ("paragraph",) if is_markup else ("paragraph", "quote")
    words = sum(len(_WORDS.findall(block.text)) for block in section.blocks if block.kind in kinds)
    if not is_markup or words <= MAX_SECTION_WORDS:
        return words
    others = (block for block in section.blocks if block.kind not in kinds)
    shown = len(_WORDS.findall(section.chunk.readable_body))
    return max(0, shown - sum(len(_WORDS.findall(_TAG.sub("", block.text))) for block in others))


def _leaning_sections(document: SectionedDocument) -> Iterator[_Fault]:
    for section in document.sections[1:]:
        first = section.blocks[0] if section.blocks else None
        if first is None or first.kind != "paragraph" or not section.title.strip():
            continue
        match = LEANING_STARTS.match(first.text.lstrip())
        if match is not None:
            message = f"it begins with {match[0]!r}, so it needs the text before it"
            yield _Fault(first.start, message, match[0])


def _headings_without_text(document: SectionedDocument) -> Iterator[_Fault]:
    parsed = document.document
    if parsed.format in ("script", "notebook"):
        return
    starts = {section.chunk.heading_start for section in document.sections}
    for heading in parsed.headings[1:]:  # the first is the page's title, with or without text
        if not heading.nested and heading.start < heading.end and heading.start not in starts:
            yield _Fault(heading.start, f"there is no text under {heading.title!r}", heading.title)


def _images_without_words(document: SectionedDocument) -> Iterator[_Fault]:
    parsed = document.document
    for link in parsed.links:
        if link.kind != "image":
            continue
        raw = parsed.data[link.start : link.end]
        name = link.target.rpartition("/")[2][:80]
        if _IMAGE.match(raw) is not None:
            yield _Fault(link.start, f"the image {name!r} has no words", link.target)
    if parsed.format not in ("html", "markdown"):
        return
    comments = [m.span() for m in _COMMENT.finditer(parsed.data) if not _is_code(parsed, m.start())]
    for match in _IMG.finditer(parsed.data):
        at = match.start()
        if any(start <= at < end for start, end in comments) or _is_code(parsed, at):
            continue
        if b"src" in match[0] and not _ALT.search(match[0]):
            yield _Fault(
                match.start(), "the image has no `alt`", match[0][:200].decode("utf-8", "replace")
            )


def _tables_without_header(document: SectionedDocument) -> Iterator[_Fault]:
    parsed = document.document
    for section in document.sections:
        for block in section.blocks:
            if block.kind == "table" and _has_no_header(parsed, block.start, block.end):
                yield _Fault(block.start, "no column of the table has a title", block.text[:200])


def _has_no_header(parsed: Document, start: int, end: int) -> bool:
    raw = parsed.data[start:end]
    if parsed.format == "markdown":
        lines = raw.lstrip().splitlines()
        return len(lines) > 2 and not _WORDS.search(lines[0].decode("utf-8", "replace"))
    return False


def _code_without_language(document: SectionedDocument) -> Iterator[_Fault]:
    parsed = document.document
    if parsed.format != "markdown":
        return
    blocks = [
        block for section in document.sections for block in section.blocks if block.kind == "code"
    ]
    heads = [(block, _FENCE.match(parsed.data, block.start)) for block in blocks]
    named_count = sum(1 for _, head in heads if head is not None and head[2].strip())
    bare = [block for block, head in heads if head is not None and not head[2].strip()]
    if named_count <= len(bare):
        return  # its author names few languages, if any
    for block in bare:
        lines = block.text.split("\n")[1:-1]
        code = [
            line for line in lines if CODE_MARKS.search(line) and not NOTATION_MARKS.search(line)
        ]
        if 2 * len(code) > len(lines):
            yield _Fault(
                block.start,
                "the code has no language, unlike most of the document",
                block.text[:200],
            )


class _RuleCheck(NamedTuple):
    rule: Rule
    check: Check | None


_TABLE: tuple[_RuleCheck, ...] = (
    _RuleCheck(
        Rule(
            "broken-link",
            "error",
            "a link leads to a missing file",
            "readers and agents who follow it find nothing, and the right page is read less",
            "correct the path, or remove the link; `leafmark diff REV` shows moved files",
        ),
        None,
    ),
    _RuleCheck(
        Rule(
            "broken-anchor",
            "error",
            "a link leads to an anchor that its page does not have",
            "the reader comes to the top of the page instead of the right section",
            "use the section's slug; `leafmark ls chunks PAGE` lists them",
        ),
        None,
    ),
    _RuleCheck(
        Rule(
            "missed-query",
            "warning",
            "a judged query does not find the section, whose titles have none of its words",
            "people ask for it in other words than its title has",
            "put a word of the query into the title, or into the first sentence",
        ),
        None,
    ),
    _RuleCheck(
        Rule(
            "repeated-title",
            "warning",
            "two sections below one heading have the same title",
            "their results and ids look alike, and the second one's anchor changes when the "
            "first one is removed",
            "put the difference into the titles",
        ),
        _repeated_titles,
    ),
    _RuleCheck(
        Rule(
            "vague-title",
            "warning",
            "a title says nothing about its section",
            "titles count most when sections are searched, and are what people choose by",
            "name what the section is about",
        ),
        _vague_titles,
    ),
    _RuleCheck(
        Rule(
            "long-section",
            "warning",
            "a section is far too long",
            "a match shows only a part of it, and a citation of it says little",
            "add headings where the subject changes",
        ),
        _long_sections,
    ),
    _RuleCheck(
        Rule(
            "leaning-section",
            "note",
            "a section does not stand alone",
            "a reader who finds it by search starts here, and does not know what it refers to",
            "replace `this`, `it` or `above` by a name",
        ),
        _leaning_sections,
    ),
    _RuleCheck(
        Rule(
            "empty-section",
            "warning",
            "a heading has no text",
            "it tells a reader nothing; it is not a section, and its words count for the one above",
            "write its text, or remove it",
        ),
        _headings_without_text,
    ),
    _RuleCheck(
        Rule(
            "image-without-words",
            "warning",
            "an image has no words",
            "search and screen readers cannot see it",
            "describe what it shows: `![what it shows](file.png)`, or `alt` in HTML (empty for "
            "decoration)",
        ),
        _images_without_words,
    ),
    _RuleCheck(
        Rule(
            "table-without-header",
            "warning",
            "a table has no header",
            "a row alone does not explain its cells",
            "name the columns in the first row",
        ),
        _tables_without_header,
    ),
    _RuleCheck(
        Rule(
            "code-without-language",
            "note",
            "a block of code has no language",
            "it is not found by `lang:`, and is not coloured",
            "write the language after the fence: ```sh",
        ),
        _code_without_language,
    ),
    _RuleCheck(
        Rule(
            "near-duplicate",
            "note",
            "two sections have nearly the same text",
            "both appear among results, and one of them may become outdated",
            "keep one and link to it",
        ),
        None,
    ),
    _RuleCheck(
        Rule(
            "unlinked-page",
            "note",
            "no text of another page links to a page",
            "readers reach it only through menus and search",
            "link to it where its subject is mentioned",
        ),
        None,
    ),
)

_NOT_FOR_RECORDS = frozenset(("repeated-title", "vague-title", "long-section", "empty-section"))
"""Rules that do not apply to changelogs, licences and the like."""

RULES: dict[str, Rule] = {entry.rule.name: entry.rule for entry in _TABLE}


def check_document(document: SectionedDocument) -> Iterator[Finding]:
    """Yield the findings of the rules about one document."""
    if _is_form(document.document):
        return
    is_record = RECORDS.search(document.path) is not None
    for rule, check in _TABLE:
        if check is None or not document.sections or (is_record and rule.name in _NOT_FOR_RECORDS):
            continue
        for fault in check(document):
            yield finding_at(rule, document, fault.at, fault.message, fault.text)


def _is_form(document: Document) -> bool:
    """Whether a document is a template for pages, or a part of one, and not a page."""
    if document.format != "html":
        return False
    text = document.data.decode("utf-8", "replace")
    is_page = (
        document.path.lower().endswith((".html", ".htm", ".xhtml")) and "<body" in text.lower()
    )
    return not is_page and TEMPLATES.search(text) is not None


def finding_at(
    rule: Rule, document: SectionedDocument, at: int, message: str, text: str
) -> Finding:
    """Return a finding at a byte offset of a document."""
    section = document.section_around(at, at) or document.sections[0]
    place = (document.id, document.path, document.chunked.line_of(at), section.id)
    return Finding(rule.name, rule.level, *place, message, text)


def _start(section: Section) -> int:
    chunk = section.chunk
    return chunk.byte_start if chunk.heading_start is None else chunk.heading_start


def _is_code(parsed: Document, at: int) -> bool:
    """Whether an offset is in a block of code, at any level, or between backticks."""
    before = parsed.data[parsed.data.rfind(b"\n", 0, at) + 1 : at]
    if before.count(b"`") % 2:
        return True
    return any(block.kind == "code" and block.start <= at < block.end for block in parsed.blocks)


# Findings that an evaluation confirms: queries that fail because a title lacks their words.


_MIN_STEM = 4
"""Equal letters at the beginning that make two words forms of one."""

_COMMON = frozenset(
    _WORDS.findall(
        "a an and any are as at be by can do does for from have how i if in into is it its may "
        "me my not of on or our should so than that the their them then there this to use used "
        "using was we what when where which who why will with you your"
    )
)
"""Words that say nothing about the subject of a question."""


def check_missed(document: SectionedDocument, missed: Iterable[MissedQuery]) -> Iterator[Finding]:
    """Yield a finding for each missed query whose answer's titles have none of its words."""
    rule = RULES["missed-query"]
    for miss in missed:
        section = document.section_around(miss.start, miss.end)
        if section is None or _have_common_word(miss.query, " ".join(section.section_path)):
            continue
        instead = f"; {miss.first_result} came first" if miss.first_result else ""
        message = f"{miss.query!r} does not find it, and no title of it has a word of that{instead}"
        chunk = section.chunk
        at = chunk.byte_start if chunk.heading_start is None else chunk.heading_start
        yield finding_at(rule, document, at, message, miss.query)._replace(confirmed=True)


def with_confirmed(
    findings: Iterable[Finding], missed_sections: Collection[str]
) -> Iterator[Finding]:
    """Yield the findings; those about the title or length of a missed section become confirmed."""
    for finding in findings:
        is_title = finding.rule in ("vague-title", "repeated-title", "long-section")
        yield finding._replace(
            confirmed=finding.confirmed or (is_title and finding.section_id in missed_sections)
        )


def _have_common_word(query: str, titles: str) -> bool:
    stems = {word[:_MIN_STEM] for word in _WORDS.findall(titles.casefold())}
    words = (word for word in _WORDS.findall(query.casefold()) if word not in _COMMON)
    return any(word[:_MIN_STEM] in stems for word in words)
