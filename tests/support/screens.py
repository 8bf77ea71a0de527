"""Pictures of what a terminal shows: an output as SVG, on a light and a dark theme.

Only what leafmark prints is understood: bold, dim, and the terminal's own
colours. Widths are those of `display_width`, so that wide characters stay in
their columns.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import NamedTuple

from leafmark.render.terminal import display_width

COLUMN, LINE, MARGIN = 8.4, 18, 14
"""Pixels: of a column at 14 pixels of type, of a line, around the text."""

_SPACE = "\u00a0"
"""Plain spaces are folded where pictures are drawn."""

_CLEARED = "\r\x1b[K"
"""A line that is begun anew, as a slow run's progress is."""

_CODE = re.compile(r"\x1b\[([\d;]*)m")
_COLOURS = {"31": "red", "33": "yellow", "36": "cyan"}


class Theme(NamedTuple):
    """The colours of a terminal."""

    ground: str
    text: str
    red: str
    yellow: str
    cyan: str


LIGHT = Theme("#ffffff", "#24292f", "#cf222e", "#7d4e00", "#1b6f82")
DARK = Theme("#0d1117", "#e6edf3", "#ff7b72", "#d29922", "#56b6c2")


def draw(printed: str, theme: Theme, columns: int = 80) -> str:
    """Return an SVG of lines with escape codes; what was taken away again is not shown.

    Raises:
        ValueError: there is an escape code that is not understood.
    """
    lines = [line.rpartition(_CLEARED)[2] for line in printed.rstrip("\n").split("\n")]
    width, height = columns * COLUMN + 2 * MARGIN, len(lines) * LINE + 2 * MARGIN
    rows = [(MARGIN + at * LINE + 13, _spans(line, theme)) for at, line in enumerate(lines)]
    body = "\n".join(f'<text x="{MARGIN}" y="{y}">{"".join(spans)}</text>' for y, spans in rows)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height}"'
        f' width="{width:g}" height="{height}" font-size="14"'
        f' font-family="ui-monospace, Menlo, Consolas, monospace" fill="{theme.text}">\n'
        f'<rect width="100%" height="100%" rx="8" fill="{theme.ground}"/>\n{body}\n</svg>\n'
    )


def _spans(line: str, theme: Theme) -> Iterator[str]:
    """Yield the stretches of one style, each at its own column."""
    column = 0
    for style, text in _regions(line):
        x = MARGIN + column * COLUMN
        if not text.isprintable():
            raise ValueError(f"there are control characters in {text!r}")
        wide = display_width(text)
        attributes = "".join(_attributes(style, theme))
        place = f'x="{x:g}" textLength="{wide * COLUMN:g}"'
        yield f"<tspan {place}{attributes}>{html.escape(text).replace(' ', _SPACE)}</tspan>"
        column += wide


def _regions(line: str) -> Iterator[tuple[frozenset[str], str]]:
    style: frozenset[str] = frozenset()
    at = 0
    for code in _CODE.finditer(line):
        if code.start() > at:
            yield style, line[at : code.start()]
        named = frozenset(code[1].split(";")) - {"", "0"}
        if not named <= {"1", "2", *_COLOURS}:
            raise ValueError(f"the escape code {code[0]!r} is not understood")
        style = style | named if named else named
        at = code.end()
    if line[at:]:
        yield style, line[at:]


def _attributes(style: frozenset[str], theme: Theme) -> Iterator[str]:
    if "1" in style:
        yield ' font-weight="bold"'
    if "2" in style:
        yield ' opacity="0.6"'
    for code in sorted(style & _COLOURS.keys()):
        yield f' fill="{getattr(theme, _COLOURS[code])}"'
