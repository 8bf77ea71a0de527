"""HTML pages of real documentation against html5lib: headings, anchors, spans.

    python -m benchmarks.pages [--every N] FOLDER…

For each page, the headings of the content region outside navigation must have
html5lib's levels and words, each anchor must be an id or name of the page, and
each heading's bytes must begin with its own tag. Prints what differs; exit code
1 if anything does. html5lib is no dependency: install it beside leafmark.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from leafmark.model import Document
from leafmark.parsing import parse

_LEVELS = {f"h{level}": level for level in range(1, 7)}
_LEFT_OUT = frozenset(("nav", "script", "style", "template", "button"))
_NAVIGATION = frozenset(
    ("navigation", "navbar", "nav", "sidebar", "breadcrumb", "breadcrumbs", "pagination", "toc")
)
_NOT_SHOWN = re.compile(
    r"\b(?:headerlink|header-anchor|hash-link|anchorjs-link|permalink|out-of-band)\b"
)
_SIGNS = "¶§#🔗\uf0c1"
_SHOWN_AT_MOST = 20


def is_left_out(element: Any) -> bool:
    name = element.tag if isinstance(element.tag, str) else ""
    called = {*(element.get("class") or "").split(), *(element.get("role") or "").lower().split()}
    return name in _LEFT_OUT or not called.isdisjoint(_NAVIGATION)


def regions(body: Any) -> list[Any]:
    """The first `main`, else every outermost `article` or `role=main`, else the body."""
    main = next((each for each in body.iter("main") if "".join(each.itertext()).strip()), None)
    if main is not None:
        return [main]
    return list(_articles(body)) or [body]


def _articles(element: Any) -> Iterator[Any]:
    for child in element:
        if child.tag == "article" or "main" in (child.get("role") or "").lower().split():
            yield child
        else:
            yield from _articles(child)


def headings(element: Any) -> Iterator[tuple[int, str]]:
    for child in element:
        if not isinstance(child.tag, str) or is_left_out(child):
            continue
        if child.tag in _LEVELS:
            yield _LEVELS[child.tag], plain("".join(words(child)))
        else:
            yield from headings(child)


def words(element: Any) -> Iterator[str]:
    yield element.text or ""
    for child in element:
        hidden = not isinstance(child.tag, str) or is_left_out(child)
        hidden = hidden or child.get("aria-hidden") == "true"
        if not hidden and not _NOT_SHOWN.search(child.get("class") or ""):
            text = "".join(words(child))
            sign = child.tag == "a" and "#" in (child.get("href") or "") and text.strip() in _SIGNS
            yield "" if sign else text
        yield child.tail or ""


def plain(text: str) -> str:
    """Without white space: whether a line break parts words is not what is compared."""
    return "".join(text.split()).replace("\0", "")


def differences(page: Path, html5lib: Any) -> Iterator[str]:
    data = page.read_bytes()
    document = parse(data, page.name)
    tree = html5lib.parse(document.data.decode("utf-8", "replace"), namespaceHTMLElements=False)
    body = tree.find("body")
    expected = (
        [each for part in regions(body) for each in headings(part)] if body is not None else []
    )
    found = [(heading.level, plain(heading.title)) for heading in document.headings]
    if found != expected:
        pairs = zip([*found, None], [*expected, None], strict=False)
        yield next(f"{mine} for {theirs}" for mine, theirs in pairs if mine != theirs)
    names = {value for each in tree.iter() for value in (each.get("id"), each.get("name")) if value}
    yield from _wrong_places(document, names)


def _wrong_places(document: Document, names: set[str]) -> Iterator[str]:
    for heading in document.headings:
        if heading.anchor is not None and heading.anchor not in names:
            yield f"no place {heading.anchor!r} in the page"
        tag = document.data[heading.start : heading.start + 3].lower()
        if tag != f"<h{heading.level}".encode():
            yield f"{tag!r} where h{heading.level} should begin"


def main(arguments: list[str]) -> int:
    every = 1
    if arguments[:1] == ["--every"]:
        every, arguments = int(arguments[1]), arguments[2:]
    html5lib = import_module("html5lib")
    bad = 0
    for folder in arguments:
        pages = sorted(p for p in Path(folder).rglob("*.htm*") if p.is_file())[::every]
        wrong = 0
        for page in pages:
            found = list(differences(page, html5lib))
            wrong += bool(found)
            if found and wrong <= _SHOWN_AT_MOST:
                print(f"{page}: {found[0]}")
        print(f"{folder}: {len(pages)} pages, {wrong} differ", flush=True)
        bad += wrong
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
