"""The language of code in a page, by the classes that programs which colour it give it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice

from leafmark.parsing.html_page import HtmlElement, HtmlPage
from leafmark.parsing.html_tokens import attribute, tag_name

__all__ = ["code_language"]

_LANGUAGE = re.compile(r"(?:language|lang|highlight|src|highlight-source|brush:)-?(\S+)", re.I)
_MARKERS = frozenset(("sourcecode", "hljs", "prettyprint", "prettyprinted", "src", "rouge"))
_NO_LANGUAGE = frozenset(("default", "none", "notranslate", "nohighlight", "plain", "plaintext"))
_WRAPPERS = (b"div", b"figure", b"details", b"td")
_NUMBERING = (b"td", b"tr", b"tbody", b"table")
"""What stands around the code of a table with line numbers."""
_CODE_TAG = re.compile(rb"\s*(?:<span[^<>]*>\s*</span>\s*)?<code(?=[\s>])[^<>]*>", re.IGNORECASE)


def code_language(page: HtmlPage, element: HtmlElement) -> str:
    """The language of a `pre`: by the class of it, its `code`, or the two elements around it."""
    data = page.data
    code = _CODE_TAG.match(data, element.inner, element.close)
    tags = [(element.start, element.inner)]
    if code:
        tags.append((code.end() - len(code[0].lstrip()), code.end()))
    found = _first_language(data, tags)
    if not found:
        found = _first_language(data, _wrappers(page, element))
    return found


def _wrappers(page: HtmlPage, element: HtmlElement) -> Iterator[tuple[int, int]]:
    """The start tags of the two elements around an element that may name its language.

    The table that puts line numbers beside code stands between them, and does not count.
    """
    left = 2
    for tag in islice(page.parents(element.node), 2 + len(_NUMBERING)):
        name = tag_name(page.data, tag[0])
        if name in _WRAPPERS:
            yield tag
        left -= name not in _NUMBERING
        if not left:
            return


def _first_language(data: bytes, tags: Iterable[tuple[int, int]]) -> str:
    for start, end in tags:
        named = attribute(data, start, end, b"data-lang") or ""
        if named.strip():
            return named.strip().lower()
        classes = (attribute(data, start, end, b"class") or "").lower()
        language = _class_language(classes.replace("brush: ", "brush:").split())
        if language:
            return language
    return ""


def _class_language(classes: list[str]) -> str:
    """The language that a list of classes names.

    >>> _class_language(["highlight-python3", "notranslate"])
    'python3'
    >>> _class_language(["sourcecode", "haskell"])
    'haskell'
    """
    for name in classes:
        found = _LANGUAGE.fullmatch(name)
        if found:
            language = found[1].removeprefix("source-").rstrip(";")
            return "" if language in _NO_LANGUAGE else language
    if any(name in _MARKERS for name in classes):
        rest = [name for name in classes if name not in _MARKERS | _NO_LANGUAGE]
        return rest[0] if rest and rest[0].replace("+", "").replace("#", "").isalnum() else ""
    return "rust" if "rust-example-rendered" in classes else ""
