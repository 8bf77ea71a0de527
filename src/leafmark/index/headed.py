"""A text with the titles of the sections that it stands in, as the index takes it.

A text seldom repeats what its headings say: "Windows › Auto-start › Turn it off" stands
above "Open the settings …". Read as one, short texts are compared with long ones fairly,
and a word counts once, wherever it stands. The document's title is left out, which all
texts of a document share.

`body:x` asks for the text alone, so the terms that it has from its titles only are
kept beside it.
"""

from __future__ import annotations

from collections.abc import Sequence

from leafmark.index.analyzer import Analyzer

__all__ = ["BETWEEN", "headed"]

BETWEEN = " \U00010280 "
"""Stands after each title: a letter (Lycian) that nobody types, so that no phrase goes over it."""


def headed(analyzer: Analyzer, section_path: Sequence[str], body: str) -> tuple[str, list[str]]:
    """Return what the index takes for a body that is not empty, and the terms of its titles alone.

    `body` is as `Analyzer.for_index` gives it. `section_path` begins with the document's title.
    """
    if len(section_path) < 2:
        return body, []
    titles = analyzer.for_index(BETWEEN.join((*section_path[1:], "")))
    alone = analyzer.distinct_terms(titles) - analyzer.distinct_terms(body)
    return titles + body, sorted(alone - {BETWEEN.strip()})
