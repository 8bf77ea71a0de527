"""The YAML that nearly all front matter is made of, read without a YAML parser.

Keys at the margin, each with one word, one quoted string, or a list of such, on
one line or one item a line. Whatever is not plainly that is left to the real
parser; what is read here is read exactly as it would be there. It is some
twenty times as fast, and front matter would else take a third of parsing.
"""

from __future__ import annotations

import re

from leafmark.parsing.scalars import Scalar, Tree, scalar_of

__all__ = ["read_simple_yaml"]

_FORBIDDEN = r"\x00-\x1f\x7f-\xa0\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff"
"""Control characters and line ends of YAML 1.1, which the real parser must judge."""

_VALUE = (
    rf'(?:"(?P<double>[^"\\{_FORBIDDEN}]*)"'
    rf"|'(?P<single>[^'{_FORBIDDEN}]*)'"
    rf"|\[(?P<flow>[^\[\]{{}}:?#&*!|>'\"%@`{_FORBIDDEN}]*)\]"
    rf"|(?P<plain>[^\W_][^{_FORBIDDEN}]*?|[/.(_][^{_FORBIDDEN}]*?))"
)
_KEY_LINE = re.compile(rf"(?P<key>[A-Za-z_][A-Za-z0-9_-]{{0,99}}):(?: +{_VALUE})? *\r?")
_ITEM_LINE = re.compile(rf"(?P<indent> *)- +{_VALUE} *\r?")
_SKIPPED_LINE = re.compile(rf" *(?:#[^{_FORBIDDEN}]*)?\r?")
_FLOW_ITEM = re.compile(r"[^\W_]|[/.(_]")


def read_simple_yaml(text: str) -> Tree | None:
    """Return the mapping that `text` holds, or None where it takes a real parser to tell."""
    tree: Tree = {}
    items: list[Scalar] | None = None  # of the key above, while it may be a list
    indent: str | None = None
    for line in text.split("\n"):
        match = _KEY_LINE.fullmatch(line)
        if match:
            if match["key"] in tree:
                return None
            value = _value(match)
            if value is None:
                return None
            tree[match["key"]] = value
            items, indent = ([], None) if value == _NOTHING else (None, None)
            last = match["key"]
        elif not _SKIPPED_LINE.fullmatch(line):
            match = _ITEM_LINE.fullmatch(line)
            item = _value(match) if match else None
            if items is None or match is None or not isinstance(item, Scalar):
                return None
            if indent not in (None, match["indent"]):
                return None
            indent = match["indent"]
            items.append(item)
            tree[last] = items
    return tree


_NOTHING = Scalar(None, "")


def _value(match: re.Match[str]) -> Scalar | list[Scalar] | None:
    """The value on a line, None where it is not simple after all."""
    double, single, flow, plain = match.group("double", "single", "flow", "plain")
    if plain is not None:
        ambiguous = ": " in plain or " #" in plain or plain[-1] == ":"
        return None if ambiguous else scalar_of(plain)
    if double is not None or single is not None:
        text = single if double is None else double
        return Scalar(text, text)
    if flow is None:
        return _NOTHING
    words = [word.strip(" ") for word in flow.split(",")] if flow.strip(" ") else []
    if not all(_FLOW_ITEM.match(word) for word in words):
        return None
    return [scalar_of(word) for word in words]
