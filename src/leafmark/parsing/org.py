"""Org to a `Document`, by a scanner of our own.

In: the bytes of a source, as Emacs has them for notes, READMEs and manuals. Out:
its headlines with exact lines, blocks, ids and links. `*` is depth 1, `**` depth 2;
`#+TITLE:` names the document. Nothing is included, evaluated or run.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from leafmark.model import Document, Heading, Link
from leafmark.parsing.lined_document import outside_code, parse_lined
from leafmark.parsing.org_blocks import OrgScanner

__all__ = ["parse_org"]

_LINK = re.compile(
    rb"\[\[(?P<target>[^\[\]\n]{1,1000}+)\](?P<shown>\[[^\[\]\n]{1,1000}+\]|(?!))?+\]"
    rb"|(?<![\w:])(?P<address>https?://[^\s\[\]<>{}\"|]{0,1000}[\w/=#&])"
)
_LINKED = re.compile(r"\[\[([^\[\]]{1,1000}+)\](?:\[([^\[\]]{1,1000}+)\]|(?!))?+\]")
_MARK = re.compile(r"[*/_+=~]")
_VERBATIM = "=~"
_BEFORE = re.compile(r"[\s\-('\"{]")
_AFTER = re.compile(r"[\s\-.,:!?;'\")}\\\[]")

_UNSHOWN = re.compile(r"\[fn:[^\[\]]*+\]|@@[\w-]++:.*?@@|(?<!<)<<[^<>\n]++>>(?!>)")
_RADIO = re.compile(r"<<<([^<>\n]++)>>>")
_FILE = re.compile(r"(?:file(?:\+\w+)?:)?(?P<path>[^:]+?|[A-Za-z]:[^:]+)(?:::(?P<place>.*))?\Z")
_PATH = re.compile(r"(?:\.{0,2}/|~/|[A-Za-z]:[\\/])")
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_PICTURE = re.compile(r"\.(?:png|jpe?g|gif|svg|webp|avif|bmp|tiff?)\Z", re.IGNORECASE)
_NOT_IN_SLUG = re.compile(r"[^\w\- ]")
_LONGEST_TITLE = 1000


def parse_org(data: bytes, path: str) -> Document:
    """Return the document of an Org source."""
    return parse_lined(
        data,
        path,
        "org",
        scanner=OrgScanner,
        link_marks=b"[",
        title_text=title_text,
        find_links=_links,
    )


def title_text(source: str) -> str:
    """Return what is shown of a headline, marks of formatting and targets left out.

    >>> title_text("The =org-mode= /file/ a_b, see [[file:b.org][the *other*]]")
    'The org-mode file a_b, see the other'
    >>> title_text("<<id>>Notes[fn:1] on 2*3*4")
    'Notes on 2*3*4'
    """
    if len(source) > _LONGEST_TITLE:
        return source
    words = _RADIO.sub(r"\1", _UNSHOWN.sub("", source))
    words = _LINKED.sub(lambda found: found[2] or found[1], words)
    return _without_marks(words)


def _without_marks(words: str) -> str:
    """Leave out pairs of marks of formatting; they count only at the edges of words.

    >>> _without_marks("*/both/* =a *b= *c a_b_c 2*3 +open")
    'both a *b *c a_b_c 2*3 +open'
    """
    opened: dict[str, int] = {}
    paired: list[int] = []
    for found in _MARK.finditer(words):
        at, mark = found.start(), found[0]
        before, after = words[at - 1 : at], words[at + 1 : at + 2]
        is_outer = not after or after in opened or _AFTER.match(after)
        first = opened.get(mark, at)
        if first < at - 1 and not before.isspace() and is_outer:
            while mark in _VERBATIM and paired and paired[-1] > first:
                paired.pop()
            paired += (first, at)
            opened = {other: place for other, place in opened.items() if place < first}
            continue
        is_inner = not before or _BEFORE.match(before) or opened.get(before) == at - 1
        if mark not in opened and after.strip() and is_inner:
            opened[mark] = at
    unshown = frozenset(paired)
    return "".join(char for at, char in enumerate(words) if at not in unshown)


def _links(data: bytes, headings: Sequence[Heading], scanner: OrgScanner) -> Iterator[Link]:
    """The links outside of code; one to a headline is `#` and its slug."""
    anchors: dict[str, str] = {}
    for heading in headings:
        anchors.setdefault(heading.title.lower(), heading.anchor or "")
    for found in outside_code(_LINK, data, scanner.blocks):
        raw = (found["target"] or found["address"]).decode("utf-8", "replace").strip()
        target = raw if found["address"] else _target(raw, anchors)
        if target:
            is_image = not found["address"] and not found["shown"] and _PICTURE.search(target)
            yield Link(found.start(), found.end(), target, "image" if is_image else "link")


def _target(raw: str, anchors: Mapping[str, str]) -> str:
    """What a link leads to, empty where only Emacs can tell.

    >>> _target("file:b.org::*Some Part", {}), _target("*A: b", {}), _target("./p.png", {})
    ('b.org#some-part', '#a-b', './p.png')
    >>> _target("a word", {"a word": ""}), _target("a word", {}), _target("info:org", {})
    ('#a-word', '', 'info:org')
    """
    if raw[0] == "#":
        return raw
    if raw[0] == "*":
        return f"#{_slug(raw[1:], anchors)}"
    if raw.startswith("file") or _PATH.match(raw):
        found = _FILE.match(raw)
        return _file(found) if found else ""
    if _ADDRESS.match(raw):
        return raw
    return f"#{_slug(raw, anchors)}" if " ".join(raw.lower().split()) in anchors else ""


def _file(found: re.Match[str]) -> str:
    place = found["place"] or ""
    if place[:1] == "*":
        return f"{found['path']}#{_slug(place[1:], {})}"
    return found["path"] + (place if place[:1] == "#" else "")


def _slug(title: str, anchors: Mapping[str, str]) -> str:
    words = " ".join(title.split()).lower()
    return anchors.get(words) or _NOT_IN_SLUG.sub("", words).replace(" ", "-")
