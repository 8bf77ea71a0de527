"""Where a cut would be penalty, because what is before it leads on to what is behind it.

These stay together:

- a list, code or a table, and the sentence above it that ends with a colon or without a
  mark, or says "the following" or "below"; in notebooks code and any text above it
- a line of nothing but bold type, which is a heading in all but name, and what follows;
  likewise an anchor, a term, a tag that opens a box, an opening bracket in source code
- in plain text a title and its text, and who wrote a text and what he wrote (`plain_text`)
- an example in a comment of source code, and the text above it that does not end like a sentence
- code, and a paragraph behind it that begins in lower case: it goes on with the sentence before
- code, a table or a picture, and the caption or the line of attributes below it
- a row of a table, and a row below it whose first cell is empty
- what is in a box, and what closes it

All of this is told by the bytes next to the cut.
"""

from __future__ import annotations

import re
from itertools import islice
from operator import itemgetter

from leafmark.chunking.blocks import BodyReader
from leafmark.chunking.tables import goes_on_in_page, is_title_in_page
from leafmark.model import Block, Document

__all__ = [
    "VOID",
    "WORST_CUT",
    "are_opening_tags",
    "cut_penalty",
    "depth_in_code",
    "is_code_by_name",
    "is_inside_code",
    "is_unfinished",
    "is_unread",
    "item_starts",
    "keep_with_next",
    "last_paragraphs",
    "leads_in_text",
]

VOID = rb"(?!(?:area|br|hr|img|input|wbr)\b)"
"""Tags that open nothing."""

_OPENING = rb"<%b[a-z][^<>]*+(?<!/)>\s*+" % VOID
_OPENING_TAGS = re.compile(rb"\s*+(?:%b)+" % _OPENING, re.IGNORECASE)
_UNREAD = re.compile(rb"\s*+(?:%b|<!--.*?-->\s*+)+" % _OPENING, re.IGNORECASE | re.DOTALL)


def are_opening_tags(data: bytes, start: int, end: int) -> bool:
    """Whether there is nothing but tags that open something.

    >>> text = b"<details>\\n<summary>More</summary>"
    >>> are_opening_tags(text, 0, 10), are_opening_tags(text, 0, len(text))
    (True, False)
    """
    return _OPENING_TAGS.fullmatch(data, start, end) is not None


def is_unread(data: bytes, start: int, end: int) -> bool:
    """Whether there is nothing but such tags and comments.

    >>> text = b'<!-- more -->\\n<div class="a">\\n\\nMore'
    >>> is_unread(text, 0, 31), is_unread(text, 0, len(text))
    (True, False)
    """
    return _UNREAD.fullmatch(data, start, end) is not None


WORST_CUT = 1000
"""What is poorer than any depth."""

_OPEN = 500
"""Added to the depth right below a bracket that opens, and inside a list."""

_DEEPEST = 400
_PROSE = (".txt", ".text")

_CLOSES_BLOCK = re.compile(rb"[ \t]*+[}\])]++[;,]?+[ \t]*+(?:[\r\n]|\Z)")
_CALL = re.compile(rb"[ \t]*+(?:[\w.:!?*$@&-]++ ?+|(?!))?+\(")
"""What a line of nothing but a call begins with."""
_LIST_ITEM = re.compile(
    rb"[ \t]*+(?:[-*+!]|\xe2\x80\xa2|\(?(?:[0-9]{1,3}|[A-Za-z]|[ivx]{2,4})[.)])[ \t]"
)


def depth_in_code(path: str, before: bytes, behind: bytes) -> int:
    """Return how penalty a cut is that stands inside code, 0 if it does not.

    `before` has no space at its end.

    >>> depth_in_code("a.css", b"a {\\n  b: c;", b"  d: e;\\n}\\n")
    3
    >>> depth_in_code("a.css", b"a {\\n  b: c;\\n}", b"d {\\n  e: f;\\n}\\n")
    0
    """
    line = before.rpartition(b"\n")[2]
    above, below = _margin(line), _margin(behind)
    mark = line[-1:]
    if _CLOSES_BLOCK.match(behind):
        return WORST_CUT
    if mark in (b"{", b"(", b"["):
        return _OPEN + below if below > above else 0
    if _may_be_prose(path):
        return below + 1 if _is_statement(line, mark) and 0 < below <= above else 0
    if mark == b"," and line.strip():
        return _OPEN + below
    return below + 1 if below else 0


def is_inside_code(path: str, text: bytes, at: int) -> bool:
    """Whether a line that begins at `at` goes on with the definition that is above it."""
    before = text[max(0, at - _REACH) : at].rstrip()
    return depth_in_code(path, before, text[at : at + _REACH]) > 0


def _is_statement(line: bytes, mark: bytes) -> bool:
    """Whether a line ends with a semicolon, a bracket, or that of a call that begins it."""
    if _LIST_ITEM.match(line):
        return False
    return mark in (b";", b"}") or (mark == b")" and _CALL.match(line) is not None)


def is_code_by_name(document: Document) -> bool:
    """Whether a document that is read as plain text is source code, as its suffix says."""
    return document.format == "text" and not _may_be_prose(document.path)


def _may_be_prose(path: str) -> bool:
    """Whether a name has no suffix, or that of text."""
    name = path.rpartition("/")[2].lower()
    return name.endswith(_PROSE) or "." not in name


def _margin(text: bytes) -> int:
    indented = _INDENTED.match(text)
    return min(_DEEPEST, len(indented[0].expandtabs())) if indented else 0


_MAX_CHARACTER_BYTES = 4

_GAP = re.compile(rb"\n(?:[ \t]*+\n)+")
_RECORD_TITLE = re.compile(rb"(?:\A|\n)%++[ \t\r]*+\n[^\n]{1,80}+\Z")
"""A line alone below a line of `%`, which parts records."""
_RECORD = re.compile(rb"%++[ \t]*+[\r\n]")
_LINE = re.compile(rb"([ \t]*+)(?!--|\xe2\x80)[^\n]{1,80}\Z")
_RULED = re.compile(
    rb"(?:[ \t]*+([-=~^*#_+.%])\1{2,}+[ \t]*+\n|(?!))?+([^\n]*+)\n"
    rb"[ \t]*+([-=~^*#_+.])\3{2,}+[ \t]*+\Z"
)
"""A line above a line of marks, and maybe below one, too."""
_MARKS = b"-=~^*#_+."
_NUMBERED = re.compile(
    rb"[ \t]*+(?:[0-9]{1,3}(?:\.[0-9]{1,3}|(?!))*+|[A-Z]|[IVX]{1,5})[.)][ \t]+[A-Z]"
)
_INDENTED = re.compile(rb"[ \t]*+")
_UNDER_LINE = re.compile(rb"([ \t]*+)[^\s][^\r\n]*+(?:\r\n?|\n|(?!))?+(?:([ \t]*+)([^\s])?)")
"""The indentation of a line of plain text, that of the next one, and what is in that."""

_BY = re.compile(
    rb"[ \t]*+(?:--|\xe2\x80[\x93-\x95])[ \t]++[^\s-][^\r\n]{0,120}+(?<![.!?,;:])[ \t]*+"
    rb"(?:\Z|(?:\r\n?+|\n)[ \t]*+(?:[\r\n]|\Z|%))"
)
"""Who wrote the text above, behind a dash and in one line."""

_PAGE_BREAK_REACH = 300
"""Bytes before a cut in which the break of a page is looked for."""

_PAGE_END = re.compile(rb"(?:[ \t\r]*\n){2,}[^\n\f]+\n(?:[ \t\r]*\n)*\f\s*[^\n\f]+\Z")
"""The foot of a printed page and the head of the next one."""

_ITEM = rb"(?:[-*+!]|\xe2\x80\xa2|\(?(?:[0-9]{1,3}|[A-Za-z]|[ivx]{2,4})[.)])[ \t]"  # or a bullet
_ITEM_LINE = re.compile(rb"^[ \t]*+%b" % _ITEM, re.MULTILINE)
_LINES = re.compile(rb"^([ \t]*+)(%b)?(?=[^\r\n])" % _ITEM, re.MULTILINE)
_MIN_ITEMS = 2


def item_starts(text: bytes) -> list[int]:
    """Return where the items of a list in a paragraph begin, and what is indented less behind one.

    None for a single item, which may be a line of prose that begins so.

    >>> item_starts(b"News:\\n - one\\n   more\\n - two\\nMore:\\n - three\\n")
    [6, 21, 28, 34]
    """
    if sum(1 for _ in islice(_ITEM_LINE.finditer(text), _MIN_ITEMS)) < _MIN_ITEMS:
        return []
    starts: list[int] = []
    margin = 0  # of the item above
    for line in _LINES.finditer(text):
        width = _width(line[1])
        if line[2]:
            starts.append(line.start())
            margin = width
        elif width < margin:
            starts.append(line.start())
            margin = 0
    return starts


def leads_in_text(before: bytes, behind: bytes, *, whole: bool) -> bool:
    """Whether `before`, without the space at its end, should not be parted from `behind`.

    Both are what stands beside a cut; `whole`, if all that is before it is there.
    """
    if _BY.match(behind):
        return True
    if b"\f" in before[-_PAGE_BREAK_REACH:]:
        before = before[:-_PAGE_BREAK_REACH] + _PAGE_END.sub(b"", before[-_PAGE_BREAK_REACH:])
    *others, last = last_paragraphs(before)
    whole = whole or bool(others)
    ruled = _RULED.match(last) if whole and last[-1:] in _MARKS else None
    if ruled is not None:
        return not ruled[2].rstrip().endswith((b".", b",", b";"))
    if _RECORD.match(behind):
        return False
    if is_unfinished(before) and _RECORD_TITLE.search(before):
        return True
    is_numbered = whole and _NUMBERED.match(last) is not None
    is_open = is_unfinished(last.rstrip(b")"))
    following = _UNDER_LINE.match(behind) if is_open or is_numbered else None
    if following is None:
        return False
    if whole and _is_title(last, behind, following):
        return True
    return is_open and _is_indented_below(last.rpartition(b"\n")[2], following)


def _is_title(last: bytes, behind: bytes, following: re.Match[bytes]) -> bool:
    """Whether a paragraph that ends no sentence, or has a number, is the title of what follows.

    It is one line, and what follows is indented or of several lines. A line that begins with a
    dash is none.
    """
    line = _LINE.match(last)
    if line is None:
        return False
    by = _width(following[1]) - _width(line[1])
    if by:
        return by > 0
    is_alone = following[3] is None
    return not is_alone and not (_NUMBERED.match(last) and _NUMBERED.match(behind))


def _is_indented_below(line: bytes, following: re.Match[bytes]) -> bool:
    """Whether all that follows a line is indented more than it is."""
    indented = _INDENTED.match(line)
    margin = _width(indented[0]) if indented else 0
    if following[3] is not None and _width(following[2]) <= margin:
        return False
    return _width(following[1]) > margin


def _width(blank: bytes) -> int:
    return len(blank.expandtabs())


def last_paragraphs(before: bytes) -> list[bytes]:
    """Return the paragraphs that a stretch of text ends with, whose lines end in LF then."""
    return _GAP.split(before.replace(b"\r\n", b"\n").replace(b"\r", b"\n"))


def is_unfinished(text: bytes) -> bool:
    """Whether a text ends with a letter, a digit or a comma, which end no sentence."""
    last = text[-_MAX_CHARACTER_BYTES:].decode("utf-8", "ignore")[-1:]
    return last.isalnum() or last == ","


_REACH = 240
"""Bytes beside a cut that are looked at: the end of a sentence, or a whole line."""

_PAGE_REACH = 3 * _REACH
"""The same in pages, where tags stand among the words."""

_LAST = frozenset(b":*_`\"')]>" + "：’”»".encode())
"""What a text that leads on may end with, a full stop behind it or not."""

_CLOSING = rb"""(?:[*_`"')\]]|\xe2\x80[\x99\x9d]|\xc2\xbb|\s*</(?!pre\b)[a-z]+[0-9]?\s*>|(?!))*+"""
_COLON = re.compile(  # each way to begin is one byte, since such bytes are looked for at once
    rb"(?::(?<![:\s]:):?|\xef\xbc\x9a(?<![:\s]\xef\xbc\x9a))%b\Z" % _CLOSING, re.IGNORECASE
)
_SHORTCODE = re.compile(rb"(?<![\w:]):[a-z0-9_+-]++:\Z")

_INTRODUCED = frozenset(("list", "code", "table"))
_INTRODUCED_IN_PAGES = _INTRODUCED | {"definition"}
"""What a text without the end of a sentence introduces, and items of lists have below theirs."""

_TAG = re.compile(rb"<[^<>]*>")
_CLOSING_MARKS = " \t\r\n.!\u3002\uff01*_)\"'\\"
_SENTENCE_END = re.compile(r"[.!?][\"')\]*_]*\s+|[\u3002\uff01\uff1f]|\n\s*\n")
_ANNOUNCES = re.compile(
    r"\b(?:following|below|as follows)\b|以下|下面|下列|如下|下表|下图|次の|다음|아래",
    re.IGNORECASE,
)
"""What sentences with a full stop above a list, code or a table say where they introduce it.

Of 42,132 such in 26,000 Markdown files 3,300, in the four languages that have more than two.
"""

_CLOSED = re.compile(rb"(?:\s|</?[a-z][^<>]*>)+\Z", re.IGNORECASE)

_CAPTIONED = frozenset(("code", "table"))

_kind_of = itemgetter(0)  # of a block

_BREAK = re.compile(rb"[ \t]*+(?:\*[* \t]{2,}|-[- \t]{2,}|_[_ \t]{2,})\Z")
_LABEL = re.compile(
    rb"""\s*+(?:
      (\*\*|__)(?=\S)(?:(?!\1)[^\n])+\1[.]?                 # bold type
    | <a\b[^>]*+>\s*+</a>                                   # an anchor
    | <%b([a-z][\w.-]*+)(?=[\s>])(?:(?!</\2\b)[^\0])*(?<=>)(?<!/>)
    )\Z"""
    % VOID,
    re.VERBOSE | re.IGNORECASE,
)
_BLANK_COMMENTS = re.compile(rb"(?:\n[ \t]*+(?://[/!]?|\*|#|--)[ \t]*+(?=\n|\Z)|(?!))++\Z")
"""Lines of a comment that have nothing but its marker."""

_FENCE = re.compile(
    rb"\s*+(?://[/!]?|\*|\#|--|(?!))?+[ \t]*+(?:`{3}|~{3}|\.\.[ ](?:code|sourcecode)\b)", re.VERBOSE
)
"""What begins an example in a comment, in Markdown or in reStructuredText."""

_GOES_ON = re.compile(rb"\s*+[a-z]")

_OPENED = re.compile(rb"(?:\s*<(?!p\b|dt\b)%b[a-z][^<>]*>)+\Z" % VOID, re.IGNORECASE)
_INLINE = rb"(?:\s|</?(?:a|em|font|i|span)\b[^<>]*>)*"
_TITLE = re.compile(
    rb"""<p\b(?:
      [^>]*\bclass="(?:[^">]*\s)?(?:[a-z]+-)?(?:title|rubric)[\s"][^>]*>(?:(?!</p\b)[^\0])*
    | [^>]*>%b<(b|strong)\b[^>]*>(?:(?!</\1\b)[^\0])+</\1\s*>[.]?%b
    )</p\s*>\Z"""
    % (_INLINE, _INLINE),
    re.VERBOSE | re.IGNORECASE,
)
_WORDLESS = re.compile(rb"(?<=>)(?:\s*+</?(?:a|div|header)\b[^<>]*>|(?!))++\Z", re.IGNORECASE)
"""Tags between the title of a box and what stands in it; the title is in a box of its own."""
_NAMED_BOX = re.compile(
    rb"""<div\b[^<>]*\bclass="(?:[^">]*\s)?(?:[a-z]+-)?(?:title|heading)[\s"][^<>]*>
      (?:(?!</?div\b)[^\0])*</div\s*>\Z""",
    re.VERBOSE | re.IGNORECASE,
)
"""What AsciiDoctor and RDoc call the name of a listing or a method, and Bootstrap that of a box."""

_TAGS = rb"(?:\s|<[^<>]*>|&nbsp;|\xc2\xa0|(?!))*+"
_CAPTION = re.compile(
    rb"""%b[*_(\[]*+(?:
      fig(?:ure|\.)?|tab(?:le|\.)|listing|example|abb(?:ildung|\.)|tabelle|tableau
    | (?:figur|tabell?|tabl)a|%b)%b[.]?%b[0-9]"""
    % (
        _TAGS,
        "|".join(("Рис", "Рисунок", "Таблица", "Листинг", "図", "表", "图", "圖", "그림")).encode(),
        rb"[*_]*+",
        _TAGS,
    ),
    re.VERBOSE | re.IGNORECASE,
)
"""What names a figure, a table or a listing by its number, in the languages with most documents."""

_ATTRIBUTES = re.compile(rb"\s*+(?:\{[:#.][^{}\n]*\}[ \t]*+(?:[\r\n]|\Z)|/// [a-z-]*caption\b)")
_CLOSES = re.compile(
    rb"""\s*+(?:
      </[A-Za-z][\w.:-]*+[ \t]*+>
    | (?::{3,}|/{3,})[ \t]*+(?:[\r\n]|\Z)
    | \{%-?[ \t]*+end[^%\n]*%\} | \{\{[<%][ \t]*+/[^}\n]*\}\}
    )""",
    re.VERBOSE,
)
"""What closes a box that was opened above: of HTML and MDX, directives, Jekyll and Hugo."""

_UNDER_TABLE = re.compile(rb"\s*+(?:Table)?:[ \t]")
_DEFINITION = re.compile(rb"[ ]{0,3}:[ \t]+[^\s]")
"""What a term has below it in the Markdown of kramdown, Pandoc and others."""
_UNDER_PICTURE = re.compile(rb"\s*+([*_])(?![*_\s])[^\n]*\1[ \t]*+(?:[\r\n]|\Z)")
_PICTURE = re.compile(
    rb"""(?:
      !\[[^\n]*\)\]?[^\n\s]* | <img\b[^<>]*> | </(?:svg|figure|object)\s*> | :::image\b[^\n]*
    )(?:\s|</[a-z][^<>]*>|<br\b[^<>]*>|(?!))*+\Z""",
    re.VERBOSE | re.IGNORECASE,
)

_TERM_END = re.compile(rb"(?:\s|<(?!/?d[dlt]\b)[^<>]*>|(?!))*+</dt\s*>", re.IGNORECASE)
"""What stands between the words of a term and what explains it."""

_PARAGRAPH_GOES_ON = re.compile(rb"\s*+<p\b[^>]*+>\s*+[a-z]")


def cut_penalty(reader: BodyReader, start: int, at: int) -> int:
    """How penalty a cut is at `at`, behind `[start, at)`: 0 if it is not, else the less the better.

    What leads on to a tag that opens a box is better parted from the tag than both from the box.
    """
    document = reader.document
    if document.format == "text":
        behind = document.data[at : at + _REACH]
        depth = depth_in_code(document.path, _tail(reader, start, at), behind)
        if depth:
            return depth
    if not keep_with_next(reader, start, at):
        return 0
    last = reader.last_top_within(start, at)
    return WORST_CUT + (last is not None and _opens(document, last))


def keep_with_next(reader: BodyReader, start: int, at: int) -> bool:
    """Whether `[start, at)`, which ends between blocks, should not be parted from what follows."""
    document = reader.document
    if document.format == "script":
        return _script_leads(document.data, start, at)
    if reader.headings_within(at, at + 1):
        return False
    before, last = _tail(reader, start, at), reader.last_top_within(start, at)
    if last is None or last.end > at:
        if _stands_below(reader, at):
            return True
    elif _names_what_is_above(reader, last, at, before=before):
        return True
    elif last.kind == "code":  # which may end with anything
        return _code_leads(document, at)
    if last is not None and _leads_by_kind(reader, last, at, before=before):
        return True
    return _words_lead(document, before, at)


def _code_leads(document: Document, at: int) -> bool:
    """Whether a sentence goes on at `at`, behind code that stands in its midst."""
    goes_on = _PARAGRAPH_GOES_ON if document.format == "html" else _GOES_ON
    return goes_on.match(document.data, at, at + _REACH) is not None


def _words_lead(document: Document, before: bytes, at: int) -> bool:
    """Whether what is written right before `at` leads on, by the custom of the format."""
    data = document.data
    if document.format == "html":
        is_in_term = _TERM_END.match(data, at, at + _PAGE_REACH) is not None
        return is_in_term or _page_leads(before) or _is_behind_name(data, at)
    if document.format == "text":
        is_whole = len(before) < _REACH
        if leads_in_text(before, data[at : at + _REACH], whole=is_whole):
            return True
    return _text_leads(before)


def _opens(document: Document, block: Block) -> bool:
    """Whether a block of Markdown is tags that open what follows."""
    is_html = block.kind == "html" and document.format == "markdown"
    return is_html and are_opening_tags(document.data, block.start, block.end)


def _script_leads(data: bytes, start: int, at: int) -> bool:
    """Whether source code opens something, or a text in a comment introduces an example."""
    text = _BLANK_COMMENTS.sub(b"", data[start:at].rstrip()[-_REACH:])
    if text[-1:] in (b":", b"(", b"[", b"{"):
        return True
    return is_unfinished(text) and _FENCE.match(data, at, at + _REACH) is not None


def _leads_by_kind(reader: BodyReader, last: Block, at: int, *, before: bytes) -> bool:
    """Whether a paragraph introduces what begins at `at`, or a row of a table is read with it."""
    if last.kind == "paragraph":
        return _introduces(reader, before, at)
    if last.kind == "html":
        return _opens(reader.document, last)
    if last.kind != "table" or reader.document.format != "html":
        return False
    data = reader.document.data
    return goes_on_in_page(data, at) or (
        data[at : at + 3].lower() == b"<tr" and is_title_in_page(data, last.start, last.end)
    )


def _introduces(reader: BodyReader, before: bytes, at: int) -> bool:
    """Whether a paragraph that ends like this belongs to the list, code or table at `at`."""
    is_page = reader.document.format == "html"
    following = {*reader.top_within(at, at + 1).kinds}
    if "code" in following and reader.document.format == "notebook":
        return True
    introduced = _INTRODUCED_IN_PAGES if is_page else _INTRODUCED
    if introduced.isdisjoint(following):
        return False
    return _is_unfinished(before, is_page=is_page) or _announces(before, is_page=is_page)


def _announces(before: bytes, *, is_page: bool) -> bool:
    """Whether the last sentence says that something follows."""
    text = (_TAG.sub(b" ", before) if is_page else before).decode("utf-8", "ignore")
    last = _SENTENCE_END.split(text.rstrip(_CLOSING_MARKS))[-1]
    return _ANNOUNCES.search(last) is not None


def _is_unfinished(before: bytes, *, is_page: bool) -> bool:
    """Whether a text ends with a letter, a digit or a comma, which end no sentence."""
    return is_unfinished(_CLOSED.sub(b"", before) if is_page else before)


def _names_what_is_above(reader: BodyReader, above: Block, at: int, *, before: bytes) -> bool:
    """Whether the caption, the attributes or the end of the block `above` begin at `at`."""
    data = reader.document.data
    end = at + _REACH
    if _CAPTION.match(data, at, end):
        return above.kind in _CAPTIONED or _PICTURE.search(before) is not None
    if reader.document.format == "html":
        return False
    if _ATTRIBUTES.match(data, at, end) or _CLOSES.match(data, at, end):
        return True
    if above.kind == "table":
        return _UNDER_TABLE.match(data, at, end) is not None
    if above.kind == "paragraph" and _DEFINITION.match(data, at, end):
        return True
    is_short = _UNDER_PICTURE.match(data, at, end) is not None
    return is_short and _PICTURE.search(before) is not None


def _stands_below(reader: BodyReader, at: int) -> bool:
    """Whether a list, code or a table inside an item begins at `at`."""
    if reader.begins_item(at):
        return False
    return not _INTRODUCED.isdisjoint(map(_kind_of, reader.blocks_within(at, at + 1)))


def _tail(reader: BodyReader, start: int, at: int) -> bytes:
    """The end of a range without the space behind it; of a notebook, as it is read."""
    document = reader.document
    if document.format == "notebook" and reader.document_text is not None:
        return reader.document_text.within(start, at)[-_REACH:].encode().rstrip()
    reach = _PAGE_REACH if document.format == "html" else _REACH
    return document.data[max(start, at - reach) : at].rstrip()


def _text_leads(before: bytes) -> bool:
    end = before.removesuffix(b".")[-1:]
    if not end or end[0] not in _LAST:
        return False
    *others, last = last_paragraphs(before)
    if others and _BREAK.match(last):
        last = others.pop()
    is_whole = bool(others) or len(before) < _REACH
    return _has_colon(last) or (is_whole and _LABEL.match(last) is not None)


def _page_leads(before: bytes) -> bool:
    opened = _OPENED.search(before)
    if opened is not None:
        if b"<figcaption" in opened[0].lower():
            return True
        before = before[: opened.start()].rstrip()
    if before[-5:].lower() == b"</dt>":
        return True  # a term, by what explains it
    if _has_colon(before):
        return True
    before = _WORDLESS.sub(b"", before)
    return _TITLE.match(before, before.lower().rfind(b"<p")) is not None


def _is_behind_name(data: bytes, at: int) -> bool:
    """Whether the box right before a place is the name of what follows."""
    before = data[max(0, at - _PAGE_REACH) : at].rstrip()
    opened = _OPENED.search(before)
    before = before[: opened.start()].rstrip() if opened else before
    lower = before.lower()
    if not lower.endswith(b"</div>"):
        return False
    return _NAMED_BOX.match(before, lower.rfind(b"<div")) is not None


def _has_colon(text: bytes) -> bool:
    return _COLON.search(text) is not None and _SHORTCODE.search(text) is None
