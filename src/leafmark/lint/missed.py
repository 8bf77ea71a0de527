"""Findings that an evaluation confirms: queries that fail for want of a word in a title."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator

from leafmark.history import SectionedDocument
from leafmark.lint.model import Finding, MissedQuery
from leafmark.lint.rules import RULES, finding_at

_WORD = re.compile(r"\w+")
_MIN_STEM = 4
"""Letters at the beginning of two words by which they are forms of one."""

_COMMON = frozenset(
    _WORD.findall(
        "a an and any are as at be by can do does for from have how i if in into is it its may "
        "me my not of on or our should so than that the their them then there this to use used "
        "using was we what when where which who why will with you your"
    )
)
"""Words that say nothing of what a question is about."""


def check_missed(document: SectionedDocument, missed: Iterable[MissedQuery]) -> Iterator[Finding]:
    """Yield a finding for each missed query whose answer's titles have none of its words."""
    rule = RULES["missed-query"]
    for one in missed:
        section = document.section_around(one.start, one.end)
        if section is None or _share_a_word(one.query, " ".join(section.section_path)):
            continue
        instead = f"; {one.found} came first" if one.found else ""
        message = f"{one.query!r} does not find it, and no title of it has a word of that{instead}"
        chunk = section.chunk
        at = chunk.byte_start if chunk.heading_start is None else chunk.heading_start
        yield finding_at(rule, document, at, message, one.query)._replace(confirmed=True)


def with_confirmed(
    findings: Iterable[Finding], missed_sections: Collection[str]
) -> Iterator[Finding]:
    """Yield the findings, those confirmed that are about a title of a section that was missed."""
    for finding in findings:
        is_title = finding.rule in ("vague-title", "repeated-title", "long-section")
        yield finding._replace(
            confirmed=finding.confirmed or (is_title and finding.section_id in missed_sections)
        )


def _share_a_word(query: str, titles: str) -> bool:
    stems = {word[:_MIN_STEM] for word in _WORD.findall(titles.casefold())}
    words = (word for word in _WORD.findall(query.casefold()) if word not in _COMMON)
    return any(word[:_MIN_STEM] in stems for word in words)
