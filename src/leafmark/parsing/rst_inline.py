"""Inline markup of reStructuredText: the words of a title, and links.

Recognised as the specification's rules have it in the main: markup starts after
white space or an opening mark and ends before white space or a closing one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from leafmark.model import Link

__all__ = ["anchor_of", "find_links", "title_text"]

_BEFORE = r"(?:(?<=[\s'\"(\[{<\-/:])|(?<=[^\w\x00-\x7f])|(?<![\s\S]))"
_AFTER = r"(?=[\s'\")\]}>\-/:.,;!?\\]|[^\w\x00-\x7f]|\Z)"
_NAME = r"\w++(?:[.+-]\w++|(?!)){0,8}+"
_INLINE = re.compile(
    rf"{_BEFORE}``(?P<literal>[^\s`](?:[^`]|`(?!`)|(?!))*+)``"
    rf"|{_BEFORE}(?::(?P<role>{_NAME}(?::{_NAME}|(?!)){{0,4}}+):|_|(?!))?+"
    r"`(?P<text>(?![ `])[^`\\]*+(?:\\[\s\S][^`\\]*+|(?!))*+)`"
    rf"(?P<after>__?|:{_NAME}(?::{_NAME}|(?!)){{0,4}}+:|(?!))?+"
    rf"|{_BEFORE}\*\*(?P<strong>(?![ *])[^*]++)\*\*{_AFTER}"
    rf"|{_BEFORE}\*(?P<emphasis>(?![ *])[^*]++)(?<! )\*{_AFTER}"
    rf"|{_BEFORE}\|(?P<substitution>(?![ |])[^|]++)(?<! )\|(?:__?)?{_AFTER}"
    rf"|{_BEFORE}\[(?P<note>\#?[\w.-]*+|\*)\]_{_AFTER}"
    rf"|{_BEFORE}(?P<reference>[^\W_]++(?:[-_.:+][^\W_]++|(?!)){{0,16}}+)__?{_AFTER}"
    r"|\\(?P<escaped>[\s\S])"
)
_NOT_IN_ID = re.compile(r"[^a-z0-9]+")
_SHORTENED = "~"
_LINKING = frozenset(("ref", "doc", "any", "numref", "download"))


def title_text(source: str) -> str:
    r"""Return what is shown of a title.

    >>> title_text(":mod:`os` --- *Misc* ``x`` interfaces\\ s")
    'os --- Misc x interfacess'
    """
    if not _MARKS.search(source):
        return source
    return _INLINE.sub(_shown, source)


_MARKS = re.compile(r"[`*|\\_]")


def _shown(found: re.Match[str]) -> str:
    kind = found.lastgroup
    if kind in ("text", "after"):
        return _interpreted(found)
    if kind == "note":
        return found["note"] if found["note"][:1].isalpha() else ""
    if kind == "escaped":
        return "" if found["escaped"].isspace() else found["escaped"]
    assert kind is not None, "every alternative has a name"
    return found[kind]


def _interpreted(found: re.Match[str]) -> str:
    text = found["text"]
    shown, target = _explicit(text)
    if target and (found["role"] or (found["after"] or "").startswith("_")):
        return shown or target
    if found["role"] and text.startswith(_SHORTENED):
        return text.rpartition(".")[2].removeprefix(_SHORTENED)
    return re.sub(r"\\(.)", r"\1", text.removeprefix("!") if found["role"] else text)


def _explicit(text: str) -> tuple[str, str]:
    """What stands before a target in angle brackets at the end of `text`, and the target, if any.

    >>> _explicit("a page <page.html>")
    ('a page', 'page.html')
    """
    opening = text.rfind("<") if text.endswith(">") else -1
    if opening < 0:
        return text, ""
    return text[:opening].rstrip(), text[opening + 1 : -1]


def anchor_of(name: str) -> str:
    """Return the id that a page has for the target `name`.

    >>> anchor_of("My_Label 2")
    'my-label-2'
    """
    return _NOT_IN_ID.sub("-", name.lower()).strip("-").lstrip("0123456789-")


def find_links(text: str, offset: int) -> Iterator[Link]:
    """Yield the links in `text`, which is not code and begins at byte `offset`.

    A reference to a label is `#` and its id; a document is its path, without a suffix.
    """
    at, place = 0, offset
    for found in _INLINE.finditer(text):
        target = _link_target(found)
        if target:
            place += _size(text[at : found.start()])
            at = found.start()
            shown = target.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
            yield Link(place, place + _size(found[0]), shown)


def _size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogateescape"))


def _link_target(found: re.Match[str]) -> str:
    if found.lastgroup not in ("text", "after"):
        return ""
    role, explicit = found["role"], _explicit(found["text"])[1]
    if role:
        name = role.rpartition(":")[2]
        target = " ".join((explicit or found["text"]).split())
        if name not in _LINKING:
            return ""
        return f"#{anchor_of(target)}" if name in ("ref", "numref") else target
    if explicit and (found["after"] or "").startswith("_"):
        target = "".join(explicit.split())
        return "" if target.endswith("_") else target
    return ""
