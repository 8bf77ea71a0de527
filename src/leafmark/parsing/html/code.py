"""Code in a page: its language, by the classes of it and of what is around it, and whether it is.

In: where a `pre` stands. A long one that reads like prose, as manual pages and old handbooks have
it, is no code. The tree is not needed: what names a language stands right before the code.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from leafmark.parsing.code.blocks import is_prose
from leafmark.parsing.html.page_words import words_of
from leafmark.parsing.html.tokens import attribute, iter_tokens, unescape

_LANGUAGE = re.compile(r"(?:(?:language|lang|highlight|src|highlight-source)-|brush:)(\S+)", re.I)
_TAG_AROUND = re.compile(
    rb"<(/?)(div|figure|details|td|tr|tbody|table|pre|code|p|section)\b[^<>]*+>", re.IGNORECASE
)
_WRAPPERS = frozenset((b"div", b"figure", b"details", b"td", b"section", b"pre", b"code"))
_INNER = frozenset((b"td", b"pre", b"code"))
"""Wrappers of code with numbers beside it in a table: those of the table count too."""

_CODE_TAG = re.compile(
    rb"\s*(?:<span[^<>]*>\s*</span>\s*)?(<(?:code|pre)(?=[\s>])[^<>]*>)", re.IGNORECASE
)
_MAX_INNER_TAGS = 3
"""A `pre`, one right in it, and the `code` in that."""

_BLANK_OR_NUMBERS = re.compile(rb"(?:[\s0-9]|&nbsp;|&#160;|\xc2\xa0|(?!))*+")
_MAX_TAGS = 40
"""Tags before code in which its wrappers are looked for."""

_MAX_TEXTS, _MAX_TEXT = 3, 100
"""Texts between these tags that are no numbers, and the bytes of each: the name of a file, a
button."""

_MAX_WRAPPERS = 2

_LONG_PRE = 1200
"""Bytes of text, some 300 tokens. What is shorter is handed out whole, as it was laid out."""

_SAMPLE = 6_000
"""Bytes of a `pre` that are looked at for being prose."""

_NO_PROSE = re.compile(
    rb"<(?:code|span|p|ul|ol|menu|dir|li|dl|dt|table|tr|listing|xmp|blockquote|hr|thead)[\s>]"
    rb"|\Apre\s[^<>]*\bprogramlisting\b",
    re.IGNORECASE,
)
"""What says of a `pre` that it is code, as DocBook's class does, or parts it into other blocks."""


_MAX_GAP = 4_000
"""Bytes of one of these tags, and of what stands between two of them."""

_CELL_TAG = re.compile(rb"<(/?)(td|th|table)(?=[\s/>])", re.IGNORECASE)
_CELL_REACH = 20_000
_MAX_NUMBER_TAGS = 400


def code_language(data: bytes, start: int, inner: int) -> str:
    """The language of a `pre` whose start tag is `[start, inner)`, empty where none is named.

    By the class of it, its `code`, or the two elements around it; a table that puts numbers of
    lines beside the code does not count.
    """
    tags = [(start, inner)]
    code = _CODE_TAG.match(data, inner)
    while code and len(tags) < _MAX_INNER_TAGS:
        tags.append(code.span(1))
        code = _CODE_TAG.match(data, code.end())
    return _first_language(data, tags) or _first_language(data, _wrappers(data, start))


def stands_in_cell(data: bytes, at: int) -> bool:
    """Whether `at` is in a cell of a table that has more than code and its numbers."""
    tags = [*_CELL_TAG.finditer(data, max(0, at - _CELL_REACH), at)]
    if not tags or tags[-1][1] or tags[-1][2].lower() == b"table":
        return False
    cells, after, is_headed = 0, at, True
    for start, end in _tags_before(data, at, most=_MAX_NUMBER_TAGS, texts=1):
        if _BLANK_OR_NUMBERS.fullmatch(data, end, after) is None:
            is_headed = False
        name, after = data[start : start + 6].lower(), start
        if name == b"<table":
            return False
        cells += name[:3] == b"<td"
        is_headed = is_headed or name[:3] == b"<th"
        if not is_headed and (name[:3] == b"<td" or cells < _COLUMNS):
            return True
    return True


_COLUMNS = 2
"""Cells of the row of code and its numbers, above which a header cell may name a file."""


def _wrappers(data: bytes, at: int) -> Iterator[tuple[int, int]]:
    """The start tags of the two elements around what is at `at`, nearest first."""
    closed = wrappers = 0
    for start, end in _tags_before(data, at):
        tag = _TAG_AROUND.match(data, start, end)
        if tag is None:
            continue
        if tag[1]:
            closed += 1
        elif closed:
            closed -= 1
        elif tag[2].lower() in _WRAPPERS:
            yield start, end
            wrappers += tag[2].lower() not in _INNER
            if wrappers == _MAX_WRAPPERS:
                return


def _tags_before(
    data: bytes, at: int, most: int = _MAX_TAGS, texts: int = _MAX_TEXTS
) -> Iterator[tuple[int, int]]:
    """The tags before `at`, from the last to the first, with so few texts between them."""
    for _ in range(most):
        low = max(0, at - _MAX_GAP)
        end = data.rfind(b">", low, at) + 1
        is_text = _BLANK_OR_NUMBERS.fullmatch(data, end, at) is None
        texts -= is_text
        if not end or texts < 0 or (is_text and at - end > _MAX_TEXT):
            return
        start = data.rfind(b"<", max(0, end - _MAX_GAP), end)
        if start < 0:
            return
        yield start, end
        at = start


def _first_language(data: bytes, tags: Iterable[tuple[int, int]]) -> str:
    for start, end in tags:
        named = attribute(data, start, end, b"data-lang") or ""
        named = named or attribute(data, start, end, b"data-language") or ""
        written = attribute(data, start, end, b"lang") or ""
        named = named or (
            "" if written.partition("-")[0].lower() in words_of("code", "natural") else written
        )
        if named.strip():
            return named.strip().lower()
        classes = attribute(data, start, end, b"class") or ""
        classes += " " + (attribute(data, start, end, b"data-syntaxhighlighter-params") or "")
        names = classes.lower().replace("brush: ", "brush:").split()
        is_figure = data[start : start + 7].lower() == b"<figure"
        language = _class_language(["figure", *names] if is_figure else names)
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
        match = _LANGUAGE.fullmatch(name)
        if match:
            language = match[1].removeprefix("source-").rstrip(";")
            return "" if language in words_of("code", "none") else language
    is_marked = not words_of("code", "markers").isdisjoint(classes)
    if is_marked or classes[:-1] in (["highlight"], ["figure", "highlight"]):
        lists = [words_of("code", name) for name in ("markers", "none", "beside")]
        rest = [name for name in classes if name not in frozenset().union(*lists)]
        return rest[0] if rest and rest[0].replace("+", "").replace("#", "").isalnum() else ""
    return "rust" if "rust-example-rendered" in classes else ""


def is_prose_pre(data: bytes, start: int, inner: int, close: int) -> bool:
    """Whether a `pre` holds more than one piece does, and reads like prose.

    Its tag begins at `start`, its content is `[inner, close)`.
    """
    close = min(close, inner + _SAMPLE)
    if close - inner < _LONG_PRE or _NO_PROSE.search(data, start + 1, close):
        return False
    raw = data[inner:close]
    if raw.startswith(b"pre") or _NO_PROSE.match(data[start + 1 : inner]):
        return False
    tokens = iter_tokens(raw, 0, len(raw))
    text = b"".join([raw[at:stop] for name, at, stop, _ in tokens if name == b""])
    return len(text) >= _LONG_PRE and is_prose(unescape(text).encode())
