"""Words that lint knows: data, to be extended without touching a rule."""

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
"""Titles that say nothing of what stands under them, in lower case."""

LEANING_STARTS = re.compile(
    r"(?:However|Therefore|Thus|Hence|Consequently|Furthermore|Moreover|Likewise|Nevertheless"
    r"|In addition to (?:this|that|the above)|Because of (?:this|that)|For this reason"
    r"|(?:As|Like) (?:mentioned|described|shown|noted|explained|discussed|stated|said|seen)"
    r"(?: in the previous section| above| before| earlier| previously)"
    r"|The (?:above|former|latter)|Both of (?:these|them)|Neither of (?:these|them)"
    r")\b"
)
"""How a text begins that refers to what stands before it."""

CODE_MARKS = re.compile(
    r"[{};]\s*$|^\s*(?:def|class|import|from|function|const|let|var|public|private|return|if|for|"
    r"while|#include|package|use|fn)\b.*[\w(){}:;]|^\s*(?:[$>] \w+|# [a-z])|=>"
    r"|\w\(.*\)\s*[;:]?\s*$|</\w+>"
)
"""What a line has that is code, and no output or drawing."""

NOTATION_MARKS = re.compile(
    r"::=|\[\s*(?:<[\w-]+>|--?\w)|[\w\])>}]\s*\.\.\.\s*[\])}]?$"
    r"|\{\s*[\w<>-]+(?:\s*\|\s*[\w<>-]+)+\s*\}"
)
"""What a line has that says how something is written: `[--all]`, `{a|b}`, `name ::= …`."""

RECORDS = re.compile(
    r"(?:^|/)(?:changelogs?|changes|history|news|releases?|release[-_ ]?notes|whats?[-_ ]?new|"
    r"licen[cs]es?|copy(?:ing|right)|notice|third[-_ ]?party[^/]*|"
    r"authors|contributors)(?:[-._/][^/]*)?",
    re.IGNORECASE,
)
"""Paths of records that repeat themselves by their nature: their titles and lengths are given."""

NEWS = re.compile(r"(?:^|/)(?:blogs?|news|posts?|announcements?)/", re.IGNORECASE)
"""Paths of what is found by its date, in a list that a program makes."""

EDITION = re.compile(r"[-._ ]v?\d+(?:[-._]\d+)*")
"""What the name of a file has where it is one of several editions: `spec-2_0`, `upgrade-v5`."""

INCLUDES = re.compile(
    r"(?:\{\{\s*#\w*include|\{\{[%<]\s*\w*(?:include|snippet|readfile)\w*|\{%-?\s*\w*include[\w-]*"
    r"|^[ \t]*\.\. \w*include::|^include::|--8<--|<!--\s*@include:|^<<<)"
    r"\s*[\"']?[@~./]*([^\s\"'{}()\[\]<>]+\.\w{1,8})\b",
    re.MULTILINE,
)
"""How pages take other files in: `{{#include a.md}}`, `{{% include "/b.md" %}}`, `.. include::`."""

FILLED = re.compile(r"^::: (\w+(?:\.\w+)+)[ \t]*$", re.MULTILINE)
"""What mkdocstrings puts the explanations of, with a place for each name."""

COMPONENTS = re.compile(r"^[ \t]*<(?:[A-Z]\w*|[a-z]+-[a-z-]+)[\s/>]", re.MULTILINE)
"""A line that a program fills in when the page is shown."""

TEMPLATES = re.compile(r"\{\{|\{%|<%|\sv-(?:if|else|for|show|model|bind|on)\b|</?slot\b")
"""What pages of HTML have that are forms for pages."""
