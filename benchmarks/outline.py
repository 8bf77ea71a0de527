"""An independent look at Markdown: headings, code and tables as cmark-gfm sees them.

Nothing here shares code with leafmark. cmark-gfm knows no front matter, so the
span that leafmark found is blanked before, its line ends kept.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from typing import NamedTuple
from xml.etree import ElementTree

EXTENSIONS = ("table", "strikethrough", "autolink", "tasklist", "footnotes")
_SPACE = "{http://commonmark.org/xml/1.0}"
_DROPPED = {"image", "html_inline", "footnote_reference"}
_CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")


class Lines(NamedTuple):
    """A block by its lines, 1-based and inclusive."""

    first: int
    last: int


class Title(NamedTuple):
    """A heading at the top level: its first line, its level, its rendered text."""

    line: int
    level: int
    text: str


class Outline(NamedTuple):
    titles: list[Title]
    code: list[Lines]
    tables: list[Lines]


def is_available() -> bool:
    return shutil.which("cmark-gfm") is not None


def outline(data: bytes, front_end: int = 0) -> Outline | None:
    """Return what stands where; None where the program cannot tell (its XML is broken)."""
    front = re.sub(rb"[^\r\n]", b" ", data[:front_end])
    command = ["cmark-gfm", "-t", "xml", "--sourcepos"]
    for extension in EXTENSIONS:
        command += ["-e", extension]
    done = subprocess.run(command, input=front + data[front_end:], capture_output=True, check=False)
    if done.returncode:
        return None
    text = _CONTROLS.sub(" ", done.stdout.decode("utf-8", "replace"))
    try:
        root = ElementTree.fromstring(text)
    except ElementTree.ParseError:
        return None
    titles = [
        Title(_lines(child).first, int(child.get("level", "1")), " ".join(_text(child).split()))
        for child in root
        if child.tag == f"{_SPACE}heading"
    ]
    return Outline(
        titles,
        [_lines(node) for node in root.iter(f"{_SPACE}code_block")],
        list(_tables(root)),
    )


def _tables(root: ElementTree.Element) -> Iterator[Lines]:
    """The tables, without the lines of prose right above the header that cmark-gfm counts in.

    It makes a paragraph of those lines that says no place, and leaves theirs to the table.
    """
    for holder in root.iter():
        above = None
        for node in holder:
            if node.tag == f"{_SPACE}table":
                first, last = _lines(node)
                yield Lines(first + _unplaced_lines(above), last)
            above = node


def _unplaced_lines(node: ElementTree.Element | None) -> int:
    if node is None or node.tag != f"{_SPACE}paragraph" or node.get("sourcepos"):
        return 0
    breaks = (f"{_SPACE}softbreak", f"{_SPACE}linebreak")
    return 1 + sum(part.tag in breaks for part in node.iter())


def _lines(node: ElementTree.Element) -> Lines:
    first, last = node.get("sourcepos", "1:1-1:1").split("-")
    return Lines(int(first.split(":")[0]), int(last.split(":")[0]))


def _text(node: ElementTree.Element) -> str:
    return "".join(_parts(node))


def _parts(node: ElementTree.Element) -> Iterator[str]:
    for child in node:
        name = child.tag.removeprefix(_SPACE)
        if name in ("softbreak", "linebreak"):
            yield " "
        elif name in ("text", "code"):
            yield child.text or ""
        elif name not in _DROPPED:
            yield from _parts(child)
