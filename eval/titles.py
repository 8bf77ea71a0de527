"""Titles of sections as people type them, and the page that has each as the answer.

A title that only one page has is asked for as it stands, behind "how to", and with one wrong
letter. Titles are told here by simple means, so that nothing of leafmark decides what it is asked.
"""

from __future__ import annotations

import html
import random
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

TITLES: tuple[str, ...] = ("apache", "django", "git", "markdown", "node", "postgresql", "python")
"""The bodies whose titles are asked for."""

MOST = 40
"""Queries of each kind and body."""

WORDS = range(3, 10)
"""How many words a title has: shorter ones are names, longer ones are not typed."""

_HEADING = re.compile(r"<h([1-4])\b[^>]*>(.*?)</h\1>", re.S | re.I)
_MD_HEADING = re.compile(r"^#{1,4} (.*?)[ #]*$", re.M)
_FENCED = re.compile(r"^(```|~~~).*?^\1", re.M | re.S)
_NUMBERS = re.compile(
    r"^(?:(?:chapter|part|appendix)\s+)?(?:[0-9]+|[A-Z])(?:\.[0-9]+)*\.?\s+", re.I
)
_PLAIN = re.compile(r"[\w ,.'()/-]+")
_LISTS = re.compile(r"genindex|modindex|contents|search|bookindex|all\.html")


def title_queries(body: str, root: Path) -> list[dict[str, Any]]:
    """Return the queries of a body, the same ones every time."""
    pages: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for path in sorted(root.rglob("*")):
        place = path.relative_to(root).as_posix()
        if path.is_file() and path.suffix in (".html", ".md") and not _LISTS.search(place):
            for title in _titles(path):
                pages[title.casefold()].add((place, title))
    single = sorted(next(iter(found)) for found in pages.values() if len(found) == 1)
    lot = random.Random(f"titles {body}")
    lot.shuffle(single)
    return [
        {"query": query, "answers": [{"path": place}], "kind": kind, "tree": body}
        for place, title in single[:MOST]
        for kind, query in _typed(title, lot)
    ]


def _titles(path: Path) -> Iterator[str]:
    text = path.read_text(encoding="utf-8", errors="replace")
    if path.suffix == ".html":
        found = [re.sub(r"<[^>]*>", "", match[2]) for match in _HEADING.finditer(text)]
    else:
        found = _MD_HEADING.findall(_FENCED.sub(" ", text))
    for each in found:
        title = _NUMBERS.sub("", " ".join(html.unescape(each).split()).strip(" ¶#"))
        if len(title.split()) in WORDS and _PLAIN.fullmatch(title):
            yield title


def _typed(title: str, lot: random.Random) -> Iterator[tuple[str, str]]:
    """Yield the kinds of a title's queries."""
    yield "title", title
    words = title.lower().split()
    if words[0] not in ("how", "what", "why", "when"):
        yield "how to", f"how to {title.lower()}"
    longest = max(words, key=len)
    if longest.isalpha() and len(longest) > 5:
        at = lot.randrange(1, len(longest) - 1)
        wrong = longest[:at] + longest[at + 1] + longest[at] + longest[at + 2 :]
        yield "typo", " ".join(wrong if word == longest else word for word in words)
