"""The labels of links and footnotes in Markdown, and what a text defines them to be.

What may be a label is found by its brackets; whether it is defined, the parser says.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import pyromark

from leafmark.parsing.markdown_walk import OPTIONS

__all__ = ["defined_in", "labels_in"]

_LABEL = re.compile(rb"\\.|\[((?:[^\[\]\\]|\\.|(?!))++)\](:)?", re.DOTALL)
"""What may be a label, and whether it may be defined there; nothing begins with an escape."""


def labels_in(text: bytes, *, defined: bool = False) -> set[bytes]:
    r"""Return what may be labels; with `defined` those that may be defined there.

    >>> sorted(labels_in(rb"[a\]b] and [[c]]: x")), labels_in(rb"[a] \[b]: [c]:", defined=True)
    ([b'a\\]b', b'c'], {b'c'})
    """
    found = _LABEL.findall(text)
    return {label for label, colon in found if label and (colon or not defined)}


def defined_in(portion: bytes, labels: Sequence[bytes]) -> Iterator[tuple[bytes, str | None]]:
    """Yield those of the labels that a portion defines, with the target; None for a note.

    >>> list(defined_in(b"[a]: /x\\n\\n[^1]: Said there.", [b"a", b"b", b"^1"]))
    [(b'a', '/x'), (b'^1', None)]
    """
    if not labels:
        return
    paragraphs = b"".join(b"[%b]\n\n" % label for label in labels)
    events = iter(pyromark.events((paragraphs + portion).decode(), options=OPTIONS))
    for label in labels:
        next(events)  # the paragraph begins
        event: object = next(events)
        if isinstance(event, dict) and "Text" not in event:  # else it is the bracket
            tag = event.get("Start")
            yield label, None if tag is None else tag["Link"]["dest_url"]
        while event != {"End": "Paragraph"}:
            event = next(events)
