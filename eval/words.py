"""Three words of a section's body as a query, and its document as the answer.

Documents, sections and words are told apart here by simple means of their own,
so that nothing of leafmark decides what it is asked.
"""

from __future__ import annotations

import html
import random
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

WORDS: Mapping[str, int] = {"markdown": 150, "python": 120, "postgresql": 120, "node": 80}
"""Queries of each body."""

MIN_WORDS = 40
"""Shorter sections say little that is their own."""

MAX_SHARE = 0.03
"""Words in more of the documents than this are no rare ones."""

MAX_DOCUMENTS = 3
"""So many documents may hold the three words of a query."""

_STOPS = (
    "about above after again also although always among another because been before being below "
    "between both cannot could does doing done down during each either else even every example "
    "from further have having here however http https into itself just like made make many more "
    "most must need needs never only other others over same should since some still such than "
    "that their them then there these they this those through thus unless until upon used user "
    "uses using very what when where whether which while will with within without would your"
)
_STOP = frozenset(_STOPS.split())
_WORD = re.compile(r"[^\W\d_]{4,}")
_UNREAD = re.compile(
    r"<(script|style|nav|head|header|footer)\b.*?</\1>|<!--.*?-->|<div[^>]*(?:sphinxsidebar|"
    r"related|toctree-wrapper|navheader|navfooter)[^>]*>.*?</div>",
    re.S | re.I,
)
_HTML_HEADING = re.compile(r"<h[1-6]\b[^>]*>.*?</h[1-6]>", re.S | re.I)
_MD_HEADING = re.compile(r"^#{1,6} .*$", re.M)
_FENCED = re.compile(r"^(```|~~~).*?^\1", re.M | re.S)
_FRONT = re.compile(r"\A---\n.*?\n---\n", re.S)
_LISTS = re.compile(
    r"genindex|contents|modindex|search|bookindex|all\.html|license|changelog|index"
)


def word_queries(body: str, root: Path) -> list[dict[str, Any]]:
    """Return queries of three words, the same ones every time."""
    sections = {
        path.relative_to(root).as_posix(): list(_sections(path))
        for path in sorted(root.rglob("*"))
        if path.suffix in (".html", ".md") and not _is_hidden(path.relative_to(root))
    }
    words = {path: {word for part in parts for word in part} for path, parts in sections.items()}
    spread = Counter(word for each in words.values() for word in each)
    lot = random.Random(f"words {body}")
    order = sorted(path for path in sections if not _LISTS.search(path.lower()))
    lot.shuffle(order)
    made: list[dict[str, Any]] = []
    for path in order:
        query = _query(sections[path], words, spread, lot)
        if query:
            answers = [{"path": path}]
            made.append({"query": query, "answers": answers, "kind": "words", "tree": body})
        if len(made) == WORDS[body]:
            break
    return made


def _is_hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)


def _query(
    sections: Sequence[Sequence[str]],
    words: Mapping[str, set[str]],
    spread: Mapping[str, int],
    lot: random.Random,
) -> str:
    """Return three words of one of the sections that few documents hold together."""
    most = max(10, int(MAX_SHARE * len(words)))
    long = [section for section in sections if len(section) >= MIN_WORDS]
    if not long:
        return ""
    section = lot.choice(long)
    rare = sorted({word for word in section if 2 <= spread[word] <= most and word not in _STOP})
    for _ in range(20):
        if len(rare) < 6:
            return ""
        chosen = lot.sample(rare, 3)
        if sum(each.issuperset(chosen) for each in words.values()) <= MAX_DOCUMENTS:
            return " ".join(chosen)
    return ""


def _sections(path: Path) -> Iterator[list[str]]:
    """Yield the words of each section, without its heading."""
    text = path.read_text(encoding="utf-8", errors="replace")
    if path.suffix == ".html":
        parts = _HTML_HEADING.split(_UNREAD.sub(" ", text))
        plain = [html.unescape(re.sub(r"<[^>]*>", " ", part)) for part in parts]
    else:
        text = _FENCED.sub(" ", _FRONT.sub("", text))
        text = re.sub(r"\]\([^)]*\)|<[^>]*>|https?:\S+", " ", text)
        plain = _MD_HEADING.split(text)
    for part in plain:
        yield [word.lower() for word in _WORD.findall(part)]
