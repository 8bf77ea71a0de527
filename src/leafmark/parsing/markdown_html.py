"""Parts of a Markdown document as HTML, for display; the HTML is not sanitised.

A part is rendered by itself, so the link definitions of the whole document are put below it.
"""

from __future__ import annotations

import re

import pyromark

from leafmark.parsing.markdown import find_excess
from leafmark.parsing.markdown_walk import OPTIONS
from leafmark.patterns import lazy_pattern

MAX_DEFINITIONS = 200
"""The most definitions below a part: more would cost more than the part."""

_OPTIONS = (
    OPTIONS
    | pyromark.Options.ENABLE_GFM
    | pyromark.Options.ENABLE_HEADING_ATTRIBUTES
    | pyromark.Options.ENABLE_DEFINITION_LIST
    | pyromark.Options.ENABLE_MATH
)
_MATH = lazy_pattern(r'<span class="math math-(inline|display)">(.*?)</span>', re.DOTALL)
_DEFINITION = lazy_pattern(r"^ {0,3}\[(?!\^)[^\]\n]+\]:[ \t]*\S[^\n]*$", re.MULTILINE)


def link_definitions(data: bytes) -> str:
    """Return the link definitions of a document, each on a line, without footnotes.

    >>> link_definitions(b"[a][b]\\n\\n[b]: c.md\\n[^1]: note\\n")
    '[b]: c.md'
    """
    if b"]:" not in data:
        return ""
    definitions = _DEFINITION.findall(data.decode("utf-8", "replace"))
    return "\n".join(definitions[:MAX_DEFINITIONS])


def markdown_html(text: str, definitions: str = "") -> str | None:
    """Return a part of a document as HTML; None where it is nested too deeply to be rendered.

    >>> markdown_html("*a* [b]", "[b]: c.md")
    '<p><em>a</em> <a href="c.md">b</a></p>\\n'
    >>> markdown_html("$x_1 \\\\, y_1$ for $5 or $6")
    '<p><code>$x_1 \\\\, y_1$</code> for $5 or $6</p>\\n'
    """
    if find_excess(text.encode("utf-8", "replace")):
        return None
    whole = f"{text}\n\n{definitions}\n" if definitions else text
    return _MATH.sub(_as_written, pyromark.html(whole, options=_OPTIONS))


def _as_written(match: re.Match[str]) -> str:
    """Return a formula as code, with its signs, since text between two prices may look like one."""
    if match[1] == "inline":
        return f"<code>${match[2]}$</code>"
    return f"<pre><code>$${match[2]}$$</code></pre>"
