"""Words and patterns of the rules: data, which can be extended without touching a rule."""

from __future__ import annotations

import re

VAGUE_TITLES = frozenset(
    (
        "untitled",
        "untitled document",
        "new page",
        "misc",
        "miscellaneous",
        "miscellanea",
        "various",
        "stuff",
        "other",
        "others",
        "other stuff",
        "other things",
        "more",
        "etc",
        "todo",
        "tbd",
        "fixme",
        "wip",
        "lorem ipsum",
        "here",
        "click here",
        "details",
    )
)
"""Titles that say nothing about their section, in lower case."""

LEANING_STARTS = re.compile(
    r"(?:However|Therefore|Thus|Hence|Consequently|Furthermore|Moreover|Likewise|Nevertheless"
    r"|In addition to (?:this|that|the above)|Because of (?:this|that)|For this reason"
    r"|(?:As|Like) (?:mentioned|described|shown|noted|explained|discussed|stated|said|seen)"
    r"(?: in the previous section| above| before| earlier| previously)"
    r"|The (?:above|former|latter)|Both of (?:these|them)|Neither of (?:these|them)"
    r")\b"
)
"""Beginnings that refer to the text before."""

CODE_MARKS = re.compile(
    r"[{};]\s*$|^\s*(?:def|class|import|from|function|const|let|var|public|private|return|if|for|"
    r"while|#include|package|use|fn)\b.*[\w(){}:;]|^\s*(?:[$>] \w+|# [a-z])|=>"
    r"|\w\(.*\)\s*[;:]?\s*$|</\w+>"
)
"""Marks of a line of code, as opposed to output or a drawing."""

NOTATION_MARKS = re.compile(
    r"::=|\[\s*(?:<[\w-]+>|--?\w)|[\w\])>}]\s*\.\.\.\s*[\])}]?$"
    r"|\{\s*[\w<>-]+(?:\s*\|\s*[\w<>-]+)+\s*\}"
)
"""Marks of a line that describes a syntax: `[--all]`, `{a|b}`, `name ::= …`."""

RECORDS = re.compile(
    r"(?:^|/)(?:changelogs?|changes|history|news|releases?|release[-_ ]?notes|whats?[-_ ]?new|"
    r"licen[cs]es?|copy(?:ing|right)|notice|third[-_ ]?party[^/]*|"
    r"authors|contributors)(?:[-._/][^/]*)?",
    re.IGNORECASE,
)
"""Paths of records, which by nature repeat themselves and have fixed titles and lengths."""

NEWS = re.compile(r"(?:^|/)(?:blogs?|news|posts?|announcements?)/", re.IGNORECASE)
"""Paths of dated pages, which a generated list links to."""

EDITION = re.compile(r"[-._ ]v?\d+(?:[-._]\d+)*")
"""The number of an edition in a file's name: `spec-2_0`, `upgrade-v5`."""

INCLUDES = re.compile(
    r"(?:\{\{\s*#\w*include|\{\{[%<]\s*\w*(?:include|snippet|readfile)\w*|\{%-?\s*\w*include[\w-]*"
    r"|^[ \t]*\.\. \w*include::|^include::|--8<--|<!--\s*@include:|^<<<)"
    r"\s*[\"']?[@~./]*([^\s\"'{}()\[\]<>]+\.\w{1,8})\b",
    re.MULTILINE,
)
"""Inclusions of files: `{{#include a.md}}`, `{{% include "/b.md" %}}`, `.. include::`."""

FILLED = re.compile(r"^::: (\w+(?:\.\w+)+)[ \t]*$", re.MULTILINE)
"""Names whose documentation mkdocstrings inserts, with an anchor for each."""

COMPONENTS = re.compile(r"^[ \t]*<(?:[A-Z]\w*|[a-z]+-[a-z-]+)[\s/>]", re.MULTILINE)
"""A line with a component, which a program fills in when the page is shown."""

TEMPLATES = re.compile(r"\{\{|\{%|<%|\sv-(?:if|else|for|show|model|bind|on)\b|</?slot\b")
"""Marks of an HTML file that is a template."""
