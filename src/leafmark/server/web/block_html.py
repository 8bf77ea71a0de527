"""Documents of any format as HTML, built from the blocks that the parsers found.

The kind of each block is known already. This module removes the block's own marks (bullets,
fences, directives) and turns the format's marks for emphasis, code and links into tags. The marks
of a format are a row of data. A format without a row, such as manual pages, whose text is read
without marks, is shown by its blocks alone. The HTML is not safe yet: `rendering` sanitises it.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from leafmark.model import Block, Document, Heading
from leafmark.parsing.markdown_html import markdown_html
from leafmark.parsing.rst import anchor_of
from leafmark.server.web.fonts import font_ranges, mark_fonts, show_fonts
from leafmark.server.web.rendering import CUT
from leafmark.server.web.table_cells import table_rows

_S = rf"[ \t{CUT}]*"


class _Marks(NamedTuple):
    """The marks of a format: inside a paragraph, at the start of a block, and around terms.

    A group of `inline` has the name of the tag that it becomes. Links have the groups `label`,
    `target` and `role`, and `reference` where the target stands elsewhere. The groups of `lead`
    are the `name` of a directive, its `argument`, and a `title`.
    """

    inline: re.Pattern[str]
    lead: re.Pattern[str] | None = None
    term: re.Pattern[str] | None = None


_REFERENCE = r"(?<![\w`.])(?P<reference>[A-Za-z][\w.-]{0,60}[A-Za-z0-9])_(?![\w_])"
_URL = r"(?P<target9>https?://[^\s<>\"'`)\]}|]{3,400}[^\s<>\"'`)\]}|.,;:!?])"
_URLS_ONLY = re.compile(_URL)
_ADDRESS = re.compile(
    rb"^[ \t]*\.\. _(`[^`\n]{1,300}`|[^:`\n]{1,300}):[ \t]+(\S{1,600})[ \t]*$", re.MULTILINE
)
"""Definitions of link targets in reStructuredText: name and address."""

_MARKS = {
    "rst": _Marks(
        re.compile(
            r"``(?P<code>\S[^`\n]{0,300}(?:\n?[^`\n]{0,300})?)``"
            r"|:(?P<series>pep|rfc):`(?P<number>\d{1,6})`"
            r"|:(?:std:)?(?P<role>ref|numref|doc):`!?(?P<label3>[^`<>]{1,300}?)"
            r"(?:\s*<(?P<target3>[^<>`]{1,300})>)?`"
            r"|:[\w+.:-]{1,40}:`[!~]?(?P<code1>[^`<>]{1,300}?)(?:\s*<[^<>`]{1,300}>)?`"
            r"|`(?P<label>[^`<>]{1,300}?)\s*<(?P<target>[^<>`\s]{1,600})>`__?"
            r"|`(?P<reference1>[^`<>]{1,300})`__?(?!\w)|`(?P<em1>[^`<>]{1,300})`"
            r"|\*\*(?P<strong>[^\s*][^*]{0,300})\*\*|(?<![\w*])\*(?P<em>[^\s*][^*]{0,300})\*(?![\w*])"
            rf"|(?P<sup>\[[#*\w]{{1,30}}\])_\b|\\(?P<text>[^\w\s])|{_REFERENCE}|{_URL}"
        ),
        re.compile(
            rf"{_S}\.\. +(?:[\w-]+:)?(?P<name>[\w-]+)::[ \t]*(?P<argument>[^\n]*)\n?"
            r"(?:[ \t]+:[\w-]+:[^\n]*\n?)*|\.\. +[_|\[][^\n]*\n?|\.\.(?:[ \t][^\n]*)?\n?"
        ),
        re.compile(r":(?P<term>[^:\n]+):(?:[ \t]+|\n|\Z)|(?P<term1>[-/][^\n]*?)(?:  +|\n|\Z)"),
    ),
    "asciidoc": _Marks(
        re.compile(
            r"`\+?(?P<code>[^`\s][^`]{0,300}?)\+?`|\+(?P<code1>[^+\s][^+\n]{0,200})\+"
            r"|(?:link:|xref:)(?P<target>[^\s\[\]]{1,600})\[(?P<label>[^\[\]]{0,300})\]"
            r"|(?P<target1>(?:https?|mailto):[^\s\[\]]{1,600})\[(?P<label1>[^\[\]]{1,300})\]"
            r"|<<(?P<target2>[^<>,\n]{1,300})(?:,(?P<label2>[^<>]{1,300}))?>>"
            r"|image::?[^\s\[\]]{1,600}\[(?P<image>[^\[\],]{0,300})[^\[\]]{0,300}\]"
            r"|(?:kbd|btn|menu|footnote):\[(?P<em2>[^\[\]]{1,300})\]"
            r"|(?P<break> \+)\n|\blinkgit:(?P<code2>[\w.-]{1,80})\[\d?\]"
            r"|(?<![\w*])\*{1,2}(?P<strong>[^\s*][^*]{0,300})\*{1,2}(?![\w*])"
            r"|(?<!\w)_{1,2}(?P<em>[^\s_][^_]{0,300})_{1,2}(?!\w)"
            r"|\\(?P<text>[^\w\s])"
            rf"|(?<!\w)'(?P<em1>[^\s'][^'\n]{{0,80}})'(?!\w)|{_URL}"
        ),
        re.compile(
            rf"{_S}(?P<silent>/{{4,}}\n.*|(?://(?!/)[^\n]*\n)+|toc::\S*\s*|:!?\w[^:\n]*:[^\n]*\n?"
            r"|(?:ifdef|ifndef|ifeval|endif)::[^\n]*\n?)?(?:\[(?P<name>\w*)[^\]\n]*\]\n|\[\[[^\n]*\]\]\n"
            r"|\.(?P<title>[^\s.][^\n]*)\n|(?:={4,}|-{2,}|_{4,}|\*{4,}|\.{4,}|\+)[ \t]*\n)*"
            r"(?:(?P<name1>NOTE|TIP|IMPORTANT|WARNING|CAUTION):[ \t]+)?",
            re.DOTALL,
        ),
        re.compile(r"(?P<term>[^\n]*?)(?::{2,4}|;;)(?:[ \t]+|\n|\Z)"),
    ),
    "org": _Marks(
        re.compile(
            r"\[\[(?P<target>[^\[\]]{1,600})\](?:\[(?P<label>[^\[\]]{1,300})\])?\]"
            r"|(?<![\w=~])[=~](?P<code>[^\s=~][^=~\n]{0,300})[=~](?![\w=~])"
            r"|(?<![\w*])\*(?P<strong>[^\s*][^*\n]{0,300})\*(?![\w*])"
            rf"|(?<![\w/:])/(?P<em>[^\s/][^/\n]{{0,300}})/(?![\w/])|{_URL}"
        ),
        re.compile(
            rf"{_S}(?:#\+begin_(?P<name>\w+)[^\n]*\n|#\+caption:(?P<title>[^\n]*)\n"
            r"|#\+\w+:[^\n]*\n)*",
            re.IGNORECASE,
        ),
        re.compile(r"(?P<term>[^\n]*?) ::(?:[ \t]+|\n|\Z)"),
    ),
}
_MARKDOWN = re.compile(r"!?\[(?P<label>[^\[\]]{0,300})\]\([^()\s]{0,600}\)|`+|\*\*")
_IN_EXCERPTS = {
    "markdown": _MARKDOWN,
    "notebook": _MARKDOWN,
    **{name: marks.inline for name, marks in _MARKS.items()},
}
_UNMARKED = _Marks(_URLS_ONLY, term=re.compile(r"(?P<term>\S[^\n]*)\n(?= {2,}\S)"))
"""For formats whose text is read without marks: a term stands before indented lines."""

_MARKER = re.compile(
    r"[ \t]*(?:(?P<bullet>[-+*\u2022\u00b7]{1,6}|\*)"
    r"|(?P<number>\.{1,5}|\(?(?:\d{1,9}|#|[A-Za-z]|[ivxlcdm]{1,8})[.)]|<\d{1,3}>))(?:[ \t]+|\n|\Z)"
)
_FENCE = re.compile(
    rf"{_S}(?:-{{2,}}|\.{{4,}}|`{{3,}}|\+{{4,}}|={{4,}}|_{{4,}}|#\+end\S*)\s*", re.IGNORECASE
)
_FIXED = re.compile(rf"^({_S}): ?", re.MULTILINE)
_AFTER_CUT = re.compile(rf"\A\s*{CUT}\s+")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


ALERTS = _words("note tip important warning caution")
_LABELS = {
    "seealso": "See also",
    "versionadded": "Added in version",
    "versionchanged": "Changed in version",
    "deprecated": "Deprecated since version",
    **{name: name.capitalize() for name in ("danger", "attention", "hint", "error", "admonition")},
}
_SILENT = _words(
    "index sectionauthor codeauthor highlight currentmodule contents module meta tabularcolumns "
    "default-domain raw testsetup testcleanup"
)
"""Directives that show nothing to a reader."""


def spans_of_words(text: str, format_name: str) -> Iterator[tuple[int, int]]:
    """Yield the ranges of characters in an excerpt that are words, between and inside marks.

    >>> list(spans_of_words("a ``b`` c", "rst"))
    [(0, 2), (4, 5), (7, 9)]
    """
    pattern = _IN_EXCERPTS.get(format_name)
    at = 0
    for match in pattern.finditer(text) if pattern else ():
        yield at, match.start()
        named = [name for name, value in match.groupdict().items() if value is not None]
        visible = [
            name for name in named if not name.startswith(("target", "break", "series", "role"))
        ]
        if visible or named:
            yield match.span((visible or named)[0])
        at = match.end()
    yield at, len(text)


class Piece(NamedTuple):
    """A title, or a block with its inner blocks, and its span in the source."""

    start: int
    end: int
    block: Block | None = None
    inside: Sequence[Piece] = ()
    heading: Heading | None = None


def iter_pieces(document: Document) -> Iterator[Piece]:
    """Yield the titles and the blocks of a document in order, each block with its inner blocks."""
    headings = [
        heading
        for heading in document.headings
        if heading.start < heading.end and not heading.nested
    ]
    titles = [Piece(heading.start, heading.end, heading=heading) for heading in headings]
    yield from sorted((*titles, *_nest_blocks(document.blocks)), key=lambda piece: piece.start)


def _nest_blocks(blocks: Sequence[Block]) -> list[Piece]:
    top: list[Piece] = []
    open_lists: list[list[Piece]] = [top]
    for block in blocks:
        del open_lists[block.level + 1 :]
        inside: list[Piece] = []
        open_lists[-1].append(Piece(block.start, block.end, block, inside))
        open_lists += [inside] * (block.level + 1 - len(open_lists) + 1)
    return top


class SourceText:
    """The readable text of ranges of a document, in order; its reader runs once over all."""

    def __init__(self, document: Document, ranges: Sequence[tuple[int, int]]):
        self.document = document
        self.start, self.end = ranges[0][0], ranges[-1][1]
        self._ranges = ranges
        reader = document.reader
        # a cell of a notebook has its fences only where the cell is read by itself
        is_whole = reader is not None and document.format != "notebook"
        self._readable = reader(document.data, ranges) if reader and is_whole else None

    def read(self, start: int, end: int) -> str:
        """Return the readable text of the bytes `[start, end)`."""
        if self._readable is not None:
            first, last = self._readable.text_range(start, end)
            text = self._readable.shown(first, last)
            return mark_fonts(text, self._fonts(start, end, first))
        document = self.document
        if document.reader is None:
            return document.data[start:end].decode("utf-8", "replace")
        within = [
            (max(first, start), min(last, end))
            for first, last in self._ranges
            if first < end and start < last
        ]
        return document.reader(document.data, within).all_shown

    def _fonts(self, start: int, end: int, first: int) -> Iterator[tuple[int, int, str]]:
        """Yield the ranges of characters, counted from `first`, that stand in a font."""
        assert self._readable is not None, "only a readable text has lost its fonts"
        for font in font_ranges(self.document.data, self.document.format, start, end):
            begin, stop = self._readable.text_range(font.start, font.end)
            yield begin - first, stop - first, font.name


class BlockWriter:
    """Writes pieces of a document as HTML, with `CUT` at each of the `cuts`.

    Pieces come in order, and each cut is written once.
    """

    def __init__(
        self,
        source: SourceText,
        cuts: Sequence[int],
        find_title: Callable[[str], str | None] = lambda _: None,
    ):
        self._document = document = source.document
        self._find_title = find_title
        self._read = source.read
        self._marks = _MARKS.get(
            document.format, _UNMARKED if document.is_rendered else _Marks(_URLS_ONLY)
        )
        self._keeps_lines = document.format == "text"
        self._cuts = list(reversed(cuts))
        self._start, self._end = source.start, source.end

    @cached_property
    def _targets(self) -> Mapping[str, str]:
        """Return the targets of references by anchor: addresses, and titles of this document."""
        document = self._document
        targets = {
            anchor_of(heading.title): f"#{anchor_of(heading.title)}"
            for heading in document.headings
        }
        for match in _ADDRESS.finditer(document.data):
            name, address = (part.decode("utf-8", "replace").strip("` ") for part in match.groups())
            targets[anchor_of(name)] = address
        return targets

    def html(self, pieces: Sequence[Piece]) -> str:
        return show_fonts("".join(map(self._piece, pieces)))

    def _piece(self, piece: Piece) -> str:
        if piece.end <= self._start or piece.start >= self._end:
            return ""
        if piece.heading is not None:
            cuts = CUT * self._text(piece.start, piece.end).count(CUT)
            title = html.escape(piece.heading.title, quote=False)
            return f"<h{min(6, piece.heading.level)}>{cuts}{title}</h{min(6, piece.heading.level)}>"
        assert piece.block is not None, "a piece that is not a title is a block"
        if piece.block.kind == "front_matter":
            return ""
        if self._document.format == "notebook":  # the text of its cells is Markdown
            text = self._text(piece.start, piece.end)
            return markdown_html(text) or html.escape(text, quote=False)
        write = {
            "code": self._code,
            "table": self._table,
            "list": self._list,
            "thematic_break": self._rule,
        }.get(piece.block.kind, self._paragraph)
        return write(piece)

    def _text(self, start: int, end: int) -> str:
        """Return the readable text of some bytes, with all cuts before their end."""
        start, end = max(start, self._start), min(end, self._end)
        parts = []
        while self._cuts and self._cuts[-1] < end:
            cut = self._cuts.pop()
            if start < cut:
                parts.append(self._read(start, cut))
                start = cut
            parts.append(CUT)
        if start < end:
            parts.append(self._read(start, end))
        return "".join(parts)

    # -- kinds of blocks --------------------------------------------------------------

    def _rule(self, piece: Piece) -> str:
        text = self._text(piece.start, piece.end)
        return "<hr>" if re.fullmatch(r"[\W_]+", text.strip(CUT).strip() or "x") else ""

    def _code(self, piece: Piece) -> str:
        block = piece.block
        assert block is not None, "only blocks are code"
        lead = self._text(piece.start, block.content_start or piece.start)
        lines = self._text(block.content_start or piece.start, piece.end).strip("\n").split("\n")
        while lines and not lines[0].strip():
            del lines[0]
        if block.content_start is not None and lines and _FENCE.fullmatch(lines[-1]):
            lines[-1] = CUT * lines[-1].count(CUT)
        text = _dedent("\n".join(lines)).rstrip("\n ")
        if self._document.format == "org":
            text = _FIXED.sub(r"\1", text)
        kind, title, _ = self._lead(lead)
        title = "" if kind == "described" else title
        markup = f"{CUT * lead.count(CUT)}{html.escape(text, quote=False)}"
        return f"{title}<pre><code>{markup}</code></pre>"

    def _paragraph(self, piece: Piece) -> str:
        """Return a paragraph, a quotation or a definition: its words, then its inner blocks."""
        stop = piece.inside[0].start if piece.inside else piece.end
        text = self._text(piece.start, stop)
        if self._keeps_lines and _is_indented(text):
            return f"<pre>{html.escape(text.strip(chr(10)), quote=False)}</pre>"
        kind, head, text = self._lead(text)
        inside = self.html(piece.inside)
        if kind == "silent":
            return CUT * (head + inside + text).count(CUT)
        if self._document.format == "rst" and text.startswith("| "):
            kind, text = "verse", re.sub(r"^\| ?", "", text, flags=re.MULTILINE)
        lines = kind == "verse" or self._keeps_lines
        markup = self._inline(text.strip(), keeps_lines=lines)
        block = piece.block
        if block is not None and block.kind == "definition" and inside:
            return f"<dl><dt>{markup}</dt><dd>{inside}</dd></dl>"
        if kind == "described":
            return f"<dl><dt>{head}</dt><dd>{markup and f'<p>{markup}</p>'}{inside}</dd></dl>"
        body = f"{head}{markup and f'<p>{markup}</p>'}{inside}"
        if kind in ALERTS:
            return f'<blockquote class="markdown-alert-{kind}">{body}</blockquote>'
        is_quote = kind in _LABELS or (block is not None and block.kind == "quote" and inside)
        return f"<blockquote>{body}</blockquote>" if is_quote and kind != "example" else body

    def _lead(self, text: str) -> tuple[str, str, str]:
        """Return the kind that a block's first lines name, their HTML, and the text after them."""
        match = self._marks.lead.match(text) if self._marks.lead else None
        if match is None or not match[0]:
            return "", "", text
        groups = {name: value for name, value in match.groupdict().items() if value}
        cuts = CUT * match[0].count(CUT)
        rest = cuts + text[match.end() :]
        name = (groups.get("name") or groups.get("name1") or "").lower()
        title, argument = groups.get("title", ""), groups.get("argument", "")
        head = f"<p><strong>{self._inline(title.strip())}</strong></p>" if title.strip() else ""
        is_comment = self._document.format == "rst" and not name
        if is_comment or name in _SILENT or "silent" in groups:
            return "silent", "", rest
        if name in ("image", "figure"):
            return "", f'<p><img alt="{html.escape(argument)}"></p>', rest
        if name in _LABELS:
            label = _LABELS[name] if name != "admonition" else ""
            if label.endswith("version"):
                version, _, argument = argument.partition(" ")
                label = f"{label} {version}"
            head = f"<p><strong>{self._inline(label or argument)}</strong></p>"
            return name, head, rest if not label else f"{argument} {rest}".strip(" ")
        if name in ALERTS:
            return name, head, f"{argument} {rest}".strip(" ")
        if argument:
            return "described", f"<code>{html.escape(argument)}</code>", rest
        return name or ("example" if match[0].strip() else ""), head, rest

    # -- lists ------------------------------------------------------------------------

    def _list(self, piece: Piece) -> str:
        if not piece.inside:
            return self._paragraph(piece)
        within = (
            item for item in piece.inside if item.end > self._start and item.start < self._end
        )
        items = [self._item(item) for item in within]
        if 2 * sum(bool(term) for _, term, _ in items) > len(items):
            return f"<dl>{''.join(_definition_item(term, body) for _, term, body in items)}</dl>"
        tag = "ol" if items and items[0][0] == "number" else "ul"
        markup = (
            f"<li>{term and f'<strong>{term}</strong> '}{body}</li>" for _, term, body in items
        )
        return f"<{tag}>{''.join(markup)}</{tag}>"

    def _item(self, piece: Piece) -> tuple[str, str, str]:
        """Return the kind of an item's marker, the term that it describes, and its body."""
        lead, below = _split_item(piece)
        text = self._text(piece.start, lead)
        cuts = CUT * (len(text) - len(text.lstrip(CUT)))
        text = text.lstrip(CUT)
        marker = _MARKER.match(text)
        text = text[marker.end() :] if marker else text
        match = self._marks.term.match(text.lstrip(" \t")) if self._marks.term else None
        term = ""
        if match:
            words = next(filter(None, match.groups()), "")
            term, text = f"{cuts}{self._inline(words.strip())}", text.lstrip(" \t")[match.end() :]
            cuts = ""
        rest = self.html(below)
        markup = self._inline(_dedent(text).strip())
        if not term and not marker and "\n" not in text.strip() and _is_quote(below):
            return (
                "",
                f"{cuts}{markup}",
                rest.removeprefix("<blockquote>").removesuffix("</blockquote>"),
            )
        body = f"<p>{cuts}{markup}</p>{rest}" if rest and markup else f"{cuts}{markup}{rest}"
        return (marker.lastgroup or "" if marker else ""), term, body

    # -- tables -----------------------------------------------------------------------

    def _table(self, piece: Piece) -> str:
        text = self._text(piece.start, piece.end)
        kind, title, rest = self._lead(text)
        lines = rest.replace(CUT, "").strip("\n").split("\n")
        rows, headers = table_rows(text.replace(CUT, ""), [line.strip() for line in lines])
        if not rows:
            cuts = CUT * text.count(CUT)
            return f"<pre>{cuts}{html.escape(rest.replace(CUT, ''), quote=False)}</pre>"
        cuts_of = _rows_of_cuts(text, len(rows))
        body = []
        for number, row in enumerate(rows):
            tag, lead = "th" if number < headers else "td", CUT * cuts_of.count(number)
            cells = (f"<{tag}>{self._inline(cell)}</{tag}>" for cell in row)
            body.append(f"<tr>{''.join(cells).replace('>', f'>{lead}', 1)}</tr>")
        head = f"<thead>{''.join(body[:headers])}</thead>" if headers else ""
        title = "" if kind == "described" else title
        return f"{title}<table>{head}<tbody>{''.join(body[headers:])}</tbody></table>"

    # -- words ------------------------------------------------------------------------

    def _inline(self, text: str, *, keeps_lines: bool = False) -> str:
        """Return the words of a paragraph as HTML."""
        if self._document.format == "rst":
            text = re.sub(r"(?:(?<=\s)|\A)::\Z|:(?=:\Z)", "", text)
        text = _AFTER_CUT.sub(CUT, text)
        parts, at = [], 0
        for match in self._marks.inline.finditer(text):
            parts.append(html.escape(text[at : match.start()], quote=False))
            parts += [CUT * match[0].count(CUT), self._word(match)]
            at = match.end()
        parts.append(html.escape(text[at:], quote=False))
        markup = "".join(parts)
        return markup.replace("\n", "<br>") if keeps_lines else markup

    def _word(self, match: re.Match[str]) -> str:
        groups = {
            name.rstrip("0123456789"): value.replace(CUT, "")
            for name, value in match.groupdict().items()
            if value
        }
        if "break" in groups:
            return "<br>"
        if "series" in groups:
            return f"{groups['series'].upper()} {groups['number']}"
        if "image" in match.groupdict() and match["image"] is not None:
            return f'<img alt="{html.escape(match["image"])}">'
        if groups.keys() & {"target", "role", "reference"}:
            return self._link(groups)
        name, words = next(iter(groups.items()), ("text", ""))
        markup = html.escape(words, quote=False)
        return markup if name == "text" else f"<{name}>{markup}</{name}>"

    def _link(self, groups: Mapping[str, str]) -> str:
        """Return a link; a link to a section without a label shows the section's title."""
        target, label = groups.get("target"), groups.get("label")
        if "reference" in groups:
            label = groups["reference"]
            target = self._targets.get(anchor_of(label))
        elif "role" in groups:
            reference = " ".join((target or label or "").split())
            is_titled = target is not None
            target = reference if groups["role"] == "doc" else f"#{anchor_of(reference)}"
            label = label if is_titled else self._find_title(target) or reference
        address = (target or "").removeprefix("file:")
        markup = html.escape(label or address, quote=False)
        return f'<a href="{html.escape(address)}">{markup}</a>' if target else markup


def _rows_of_cuts(text: str, count: int) -> list[int]:
    """Return about which row each cut in a table stands at, from the lines before it."""
    before = [part.count("\n") for part in text.split(CUT)]
    return [
        min(count - 1, sum(before[: at + 1]) * count // (sum(before) + 1))
        for at in range(len(before) - 1)
    ]


def _split_item(item: Piece) -> tuple[int, Sequence[Piece]]:
    """Return where the words after an item's marker end, and the pieces that follow them."""
    if not item.inside:
        return item.end, ()
    first = item.inside[0]
    is_paragraph = first.block is not None and first.block.kind == "paragraph"
    if is_paragraph and first.start == item.start and not first.inside:
        return first.end, item.inside[1:]
    return first.start, item.inside


def _is_quote(below: Sequence[Piece]) -> bool:
    """Whether the pieces below a line are one indented block, as the description of a term is."""
    return len(below) == 1 and below[0].block is not None and below[0].block.kind == "quote"


def _definition_item(term: str, body: str) -> str:
    """Return an item of a definition list; a term without a body shares that of the next."""
    head = f"<dt>{term}</dt>" if term else ""
    return f"{head}<dd>{body}</dd>" if body.strip() else head


def _is_indented(text: str) -> bool:
    return all(line[:1] in " \t" for line in text.split("\n") if line.strip(CUT))


def _dedent(text: str) -> str:
    """Return lines without their common indentation; cuts do not count."""
    lines = text.expandtabs().split("\n")
    bare = (line.replace(CUT, "") for line in lines)
    indents = (len(line) - len(line.lstrip(" ")) for line in bare if line.strip())
    shared = min(indents, default=0)
    pattern = re.compile(rf"^({CUT}*) {{{shared}}}")
    return "\n".join(pattern.sub(r"\1", line) for line in lines)
