"""An answer as text: grouped by document, flat, a list, whole texts; or as places in files.

```
Top matches: docs:README.md.58 (0.87), docs:AnnouncementBannerApi.md.1 (0.75)

README.md (v3) [jira, api]
  .58 (0.87) Authorization › OAuth2
  .62 (0.81) basicAuth
```

`.58` abbreviates the group's id followed by it. Results that were merged into another
stand indented below it. A document that is a result is the head of its own group.
"""

from __future__ import annotations

import os
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby, islice, pairwise

from leafmark.model import (
    Answer,
    DocumentEntry,
    Entry,
    Omission,
    Passage,
    ReadableText,
    Related,
    Result,
    Snippet,
    encode_path,
    format_breadcrumb,
    whole_range,
)
from leafmark.namedtuples import NamedTuple
from leafmark.render.terminal import (
    CHANGED,
    MAX_TITLE,
    PLAIN,
    Style,
    breadcrumb_of,
    clean,
    clean_line,
    display_width,
    fold,
    join_names,
    joined_titles,
    omissions_in,
    relation_name,
    render_omission,
    shorten,
    tokens_left_out,
    version_and_tags,
    wrap,
)

TOP_MATCHES = 5
"""Documents in the line of top matches; chosen by eye, to fit on one line."""


class Group(NamedTuple):
    """The results of one document, in rank order.

    `best_score` is the highest of the results that are not relaxed, if there are any.
    """

    document: DocumentEntry
    results: tuple[Result, ...]

    @property
    def doc_id(self) -> str:
        return self.document.doc_id

    @property
    def best_score(self) -> float:
        return _best(self.results).score

    @property
    def no_specific_section(self) -> bool:
        """Whether the document matched as a whole while none of its sections did."""
        return all(result.whole for result in self.results)


def group_results(results: Iterable[Result]) -> list[Group]:
    """Return the groups in the order of their first results."""
    by_document: dict[str, list[Result]] = {}
    for result in results:
        by_document.setdefault(result.document.doc_id, []).append(result)
    return [Group(members[0].document, tuple(members)) for members in by_document.values()]


def top_matches(answer: Answer) -> list[Result]:
    """Return the best result of each of the best documents, best first in any order of results."""
    groups = group_results(answer.results)
    if all(result.score >= other.score for result, other in pairwise(answer.results)):
        return [group.results[0] for group in groups[:TOP_MATCHES]]
    best = [_best(group.results) for group in groups]
    return sorted(best, key=_worth, reverse=True)[:TOP_MATCHES]


def _best(results: tuple[Result, ...]) -> Result:
    return max(results, key=_worth)


def _worth(result: Result) -> tuple[bool, float, int]:
    return not result.relaxed, result.score, -result.rank


_BOM = "\ufeff".encode()


class Places(NamedTuple):
    """Turns the path of a chunk, relative to its tree, into one that can be opened.

    `roots` are the absolute folders of the trees, `directory` the reader's current folder,
    absolute. Paths below it become relative to it.
    """

    roots: Mapping[str, str]
    directory: str

    def absolute(self, entry: Entry) -> str | None:
        """Return the file's absolute path, or None when the tree's folder is not known."""
        root = self.roots.get(entry.tree)
        return None if root is None else os.path.join(root, *entry.path.split("/"))

    def shown(self, entry: Entry) -> str:
        """Return the path to print: the tree's own where its folder is not known."""
        path = self.absolute(entry)
        if path is None:
            return entry.path
        return path.removeprefix(self.directory.rstrip(os.sep) + os.sep)


class MatchLine(NamedTuple):
    """A line of a body with matches in it.

    `number` and `columns` (in bytes, one for each match) are 1-based places in
    the file; `ranges` are the matches in `text`, in characters.
    """

    number: int
    text: str
    columns: tuple[int, ...]
    ranges: tuple[tuple[int, int], ...]

    def with_names_whole(self) -> MatchLine:
        """Return the line with one match for a name (`max_connections`) whose words all match."""
        pairs = zip(self.ranges, self.columns, strict=True)
        columns = {span: column for span, column in pairs if span[0] < span[1]}
        begins = {start: column for (start, _), column in columns.items()}
        ranges = tuple(join_names(self.text, columns))
        return self._replace(columns=tuple(begins[start] for start, _ in ranges), ranges=ranges)


def match_lines(result: Result) -> list[MatchLine]:
    """Return the lines of the result's own body on which a match begins, in order.

    A match that continues on the next line is marked up to the end of its line. The list is
    empty if nothing matched in the body, or if it could not be read.

    Raises:
        ValueError: there are matches, but not where each of the body's ranges begins.
    """
    if not result.match_ranges:
        return []
    if len(result.body_places) != len(result.entry.body_spans):
        raise ValueError(f"{result.entry.id}: matches without the places of its body")
    data = result.body_bytes
    if data is None:
        data = (result.body or "").encode("utf-8", "surrogatepass")
    by_line: dict[tuple[int, int], list[tuple[int, int]]] = {}
    lines = _BodyLines(data, result)
    for start, end in result.match_ranges:
        if 0 <= start < end <= len(data):
            by_line.setdefault(lines.around(start), []).append((start, end))
    return [lines.describe(line, matches) for line, matches in sorted(by_line.items())]


class _BodyLines:
    """Lines of a body that consists of several ranges of its file.

    Each range begins at a known line and column of the file; a line never crosses its end.
    """

    def __init__(self, data: bytes, result: Result):
        self.data = data
        self.starts = [0]
        for start, end in result.entry.body_spans:
            self.starts.append(self.starts[-1] + end - start)
        self.starts[-1] = max(self.starts[-1], len(data))
        self.places = result.body_places

    def around(self, offset: int) -> tuple[int, int]:
        """Return the range of the line that holds the byte at `offset`, without its end."""
        part = bisect_right(self.starts, offset) - 1
        least, most = self.starts[part], min(self.starts[part + 1], len(self.data))
        start = max(self.data.rfind(b"\n", least, offset), self.data.rfind(b"\r", least, offset))
        feed = self.data.find(b"\n", offset, most)
        end = most if feed < 0 else feed
        lone = self.data.find(b"\r", offset, end)
        return (least if start < 0 else start + 1), (end if lone < 0 else lone)

    def describe(self, line: tuple[int, int], matches: list[tuple[int, int]]) -> MatchLine:
        start, end = line
        part = bisect_right(self.starts, start) - 1
        begin = self.starts[part]
        number, column = self.places[part]
        before = self.data[begin:start]
        breaks = before.count(b"\n") + before.count(b"\r") - before.count(b"\r\n")
        first_column = column if breaks == 0 else 1
        if (number + breaks, first_column) == (1, 1) and self.data.startswith(_BOM, start):
            start += len(_BOM)  # no column of an editor
            matches = [match for match in matches if match[0] >= start]
        text = self.data[start:end].decode("utf-8", "replace")
        return MatchLine(
            number=number + breaks,
            text=text,
            columns=tuple(first_column + match[0] - start for match in matches),
            ranges=tuple(
                (self._characters(start, left), self._characters(start, min(right, end)))
                for left, right in matches
            ),
        )

    def _characters(self, start: int, end: int) -> int:
        return len(self.data[start:end].decode("utf-8", "replace"))


def render_matches(answer: Answer, places: Places, style: Style) -> str:
    """Return each result's titles and place, and under it the matching lines with their numbers."""
    blocks = [_matches_of(result, places, style) for result in answer.results]
    if answer.omission is not None:
        blocks.append(style.dim(render_omission(answer.omission)) + "\n")
    return "\n".join(blocks)


def _matches_of(result: Result, places: Places, style: Style) -> str:
    entry = result.entry
    path = clean_line(places.shown(entry))
    place, score = f"{path}:{entry.line_start}", f"({result.score:.2f})"
    where = style.link(place, places.absolute(entry), entry.line_start)
    room = None
    if style.width is not None:
        room = max(MIN_TITLES, style.width - display_width(f" {score}  {place}"))
    lines = [f"{style.bold(joined_titles(entry.section_path, room))} {score}  {style.dim(where)}"]
    match_lines = _lines_of(result)
    digits = max((len(str(line.number)) for line in match_lines), default=0)
    width = (style.width or MAX_LINE) - digits - 4
    for number, text, ranges in _windows(match_lines, width):
        lines.append(f"  {style.dim(f'{number:>{digits}}:')} {style.highlight(text, ranges)}")
    lines += [
        f"  {style.dim(render_omission(omission))}" for omission in omissions_in(result.passages)
    ]
    if not match_lines and result.passages is None:
        why = "(matched by title, path, tags or filter: no line of the text)"
        lines.append(f"  {style.dim(CHANGED if result.stale else why)}")
    return "\n".join(lines) + "\n"


def _windows(
    lines: Iterable[MatchLine], width: int
) -> Iterator[tuple[int, str, list[tuple[int, int]]]]:
    """Yield the number, the text and the matches of each line as it is shown.

    A readable line may stand on several lines of a page: the others are shown only if their first
    match is not visible yet.
    """
    for text, same in groupby(lines, key=lambda line: line.text):
        left = [(line.number, span) for line in same for span in line.ranges]
        while left:
            number, spans = left[0][0], [left[0][1]]
            for _, span in left[1:]:
                if span <= spans[-1]:  # another line that says the same
                    break
                spans.append(span)
            shown, ranges = cut_around(text, spans, width)
            yield number, shown, ranges
            del left[: max(1, len(ranges))]
            while left and left[0][0] == number:
                left.pop(0)


MAX_LINE = 200
"""Columns of a matching line if the output has no width of its own; chosen by eye."""


def cut_around(
    text: str, ranges: Sequence[tuple[int, int]], width: int
) -> tuple[str, list[tuple[int, int]]]:
    """Return at most `width` columns of a line with its first match, and the matches in them.

    >>> cut_around("one two three four five", [(14, 18)], 12)
    ('…four five', [(1, 5)])
    """
    if display_width(text) <= width:
        return text, list(ranges)
    first = ranges[0][0] if ranges else 0
    start = max(0, first - width // 2)
    if display_width(text[:first]) < width * 2 // 3:
        start = 0
    elif (space := text.find(" ", start, first)) >= 0:
        start = space + 1
    before = "…" if start else ""
    part = before + text[start:]
    cut = shorten(part, width)
    shift = len(before) - start
    end = len(cut) - (cut != part)
    moved = ((left + shift, min(right + shift, end)) for left, right in ranges)
    return cut, [(left, right) for left, right in moved if len(before) <= left < right]


def excerpt_lines(result: Result) -> str:
    """Return the result's own matching lines, as text."""
    return "".join(f"{line.text}\n" for line in match_lines(result))


def _lines_of(result: Result) -> list[MatchLine]:
    """Return the matching lines of the result and of the results merged into it, each line once.

    Those of a page or a notebook are lines of its readable text.
    """
    by_place: dict[tuple[int, str], MatchLine] = {}
    for part in result.with_constituents():
        matches = iter(part.file_ranges)
        for line in match_lines(part):
            for match_line in _as_read(line, [*islice(matches, len(line.columns))], result.reading):
                by_place.setdefault(
                    (match_line.number, match_line.text), match_line.with_names_whole()
                )
    return sorted(by_place.values(), key=lambda line: (line.number, line.columns))


def _as_read(
    line: MatchLine, matches: Sequence[tuple[int, int]], reading: ReadableText | None
) -> list[MatchLine]:
    """Return the readable lines that hold the matches of a line; none for those in markup alone."""
    if reading is None:
        return [line]
    by_extent: dict[tuple[int, int], list[tuple[int, tuple[int, int]]]] = {}
    for column, match in zip(line.columns, matches, strict=False):
        start, end = reading.text_range(*match)
        end = start + len(reading.text[start:end].rstrip("\n"))  # what parts blocks may be in it
        # a mark such as a fence may stand for the same bytes, before them
        first = reading.text.rfind("\n", 0, max(0, end - 1)) + 1
        feed = reading.text.find("\n", max(0, end - 1))
        last = len(reading.text) if feed < 0 else feed
        start = max(start, first)
        if start < min(end, last):
            by_extent.setdefault((first, last), []).append(
                (column, (start - first, min(end, last) - first))
            )
    return [
        line._replace(
            text=reading.shown(first, last),
            columns=tuple(column for column, _ in inside),
            ranges=tuple(span for _, span in inside),
        )
        for (first, last), inside in by_extent.items()
    ]


def render_vimgrep(answer: Answer, places: Places) -> str:
    """Return `path:line:column:text` for every match: columns are 1-based and count bytes.

    This is what Vim's `%c`, Emacs' grep mode and `rg --vimgrep` understand. A
    result with no match in its text has its first line and its title; one whose source has
    changed has its former place, and a note in place of the text.
    """
    rows: dict[str, None] = {}
    for result in answer.results:
        path = clean_line(places.shown(result.entry))
        lines = _lines_of(result)
        for line in lines:
            for column, span in zip(line.columns, line.ranges, strict=True):
                text, _ = cut_around(line.text, [span], MAX_LINE)
                rows[f"{path}:{line.number}:{column}:{clean(text)}\n"] = None
        if not lines and result.passages != ():
            title = CHANGED if result.stale else clean_line(result.entry.title)
            rows[f"{path}:{result.entry.line_start}:1:{title}\n"] = None
    return "".join(rows)


def render_files(answer: Answer, places: Places, *, null: bool = False) -> str:
    """Return the paths of the results in rank order, each once, on a line of its own.

    With `null`, they are not cleaned, and a null character ends each.
    """
    paths = dict.fromkeys(places.shown(result.entry) for result in answer.results)
    return "".join(f"{path}\0" if null else f"{clean_line(path)}\n" for path in paths)


_SNIPPET_WIDTH = 100
"""Columns of a snippet if the output has no width of its own; chosen by eye."""


def render_grouped(answer: Answer, places: Places, style: Style, *, explain: bool = False) -> str:
    """Return the line of top matches, and a block for each document."""
    groups = group_results(answer.results)
    if not groups:
        return ""
    several = len({group.document.tree for group in groups}) > 1
    blocks = [_top_line(answer, style)]
    blocks += [_group_block(group, places, style, several, explain) for group in groups]
    return "\n".join(blocks) + _rest(answer, style)


def _rest(answer: Answer, style: Style) -> str:
    """Return the line for results that a budget left out altogether."""
    if answer.omission is None:
        return ""
    return style.dim(render_omission(answer.omission)) + "\n"


def _top_line(answer: Answer, style: Style) -> str:
    named = [
        f"{clean_line(result.entry.ordinal_id)} ({result.score:.2f})"
        for result in top_matches(answer)
    ]
    lines, used = [style.dim("Top matches:")], len("Top matches:")
    for at, name in enumerate(named):
        name += "," if at + 1 < len(named) else ""
        needed = display_width(name) + 1
        if at and style.width is not None and used + needed > style.width:
            lines.append(f"  {name}")
            used = needed + 1
        else:
            lines[-1] += f" {name}"
            used += needed
    return "\n".join(lines) + "\n"


def _group_block(group: Group, places: Places, style: Style, several: bool, explain: bool) -> str:
    # its id, without the tree where all results are of one tree
    document = group.document
    head = clean_line(document.doc_id if several else encode_path(document.path))
    head = style.link(style.bold(head), places.absolute(group.results[0].entry))
    lines = [head + style.dim(version_and_tags(document))]
    documents = [result for result in group.results if result.entry.kind == "document"]
    sections = [result for result in group.results if result.entry.kind != "document"]
    digits = max(
        (len(str(part.entry.position)) for top in sections for part in top.with_constituents()),
        default=0,
    )
    for result in documents:
        # Its line is the head of the group; its own parts stand below, as sections do.
        lines[0] += f" ({result.score:.2f})" + _marks(result, style)
        lines += _below(result, places, style, 1, digits, explain)
    for result in sections:
        lines.append(_section_line(result, places, style, 1, digits))
        lines += _below(result, places, style, 2, digits, explain)
    return "\n".join(lines) + "\n"


def _section_line(
    result: Result,
    places: Places,
    style: Style,
    level: int,
    digits: int,
    above: Sequence[str] = (),
) -> str:
    """Return the line of a section, below the line of one with the section path `above`."""
    entry = result.entry
    number = f".{entry.position}"
    padding = " " * max(0, digits + 1 - len(number))
    number = style.link(style.cyan(number), places.absolute(entry), entry.line_start)
    score = f"({result.score:.2f})"
    room = None
    if style.width is not None:
        used = 2 * level + digits + len(score) + 3 + display_width(_marks(result, PLAIN))
        room = max(MIN_SNIPPET, style.width - used)
    titles = joined_titles(_titles_below(above, entry), room)
    return f"{'  ' * level}{number}{padding} {score} {titles}{_marks(result, style)}"


def _titles_below(above: Sequence[str], entry: Entry) -> Sequence[str]:
    """Return the section path without the titles `above` it and the title of the document."""
    path = entry.section_path
    known = len(above) if path[: len(above)] == above else 1
    return path[known or 1 :] or (entry.title or "(no title)",)


def _marks(result: Result, style: Style) -> str:
    marks = []
    if result.whole:
        marks.append("(no specific section)")
    if result.introduction:
        marks.append("(introduction)")
    if result.relaxed:
        marks.append("(some of the words)")
    if result.stale:
        marks.append(CHANGED)
    return "".join(f" {style.dim(mark)}" for mark in marks)


def _below(
    result: Result, places: Places, style: Style, level: int, digits: int, explain: bool
) -> list[str]:
    """Return the lines under a result's own: its snippet, copies, parts, and factors."""
    lines = []
    below = (part.snippet.text for part in result.with_constituents() if part is not result)
    if result.snippet.text not in below:
        # Without a match of its own, an aggregate's snippet is that of one of its parts.
        lines += _snippet_lines(result.snippet, style, level + 1)
    others = [entry.id for entry in result.other_versions]
    for words, ids in (("also in", result.also_in), ("nearly the same in", others)):
        if ids:
            indent = "  " * (level + 1)
            room = None if style.width is None else style.width - len(f"{indent}{words}: ")
            lines.append(indent + style.dim(f"{words}: {_first_of(ids, room)}"))
    if explain:
        lines += _factors(result, level + 1)
    for part in result.constituents:
        lines.append(_section_line(part, places, style, level, digits, result.entry.section_path))
        lines += _below(part, places, style, level + 1, digits, explain)
    for related in result.expanded:
        lines += _added(related, places, style, level)
    for omission in omissions_in(result.passages):
        lines.append(f"{'  ' * (level + 1)}{style.dim(render_omission(omission))}")
    return lines


MAX_COPIES = 3
"""Copies of a result that are named below it; chosen by eye."""


def _first_of(ids: Sequence[str], room: int | None) -> str:
    """Return the first ids that fit on a line, and the number of the others."""
    named = ""
    for count in range(min(MAX_COPIES, len(ids)), 0, -1):
        named = ", ".join(map(clean_line, ids[:count]))
        named += f" and {len(ids) - count} more" if count < len(ids) else ""
        if room is None or display_width(named) <= room:
            break
    return named


def _factors(result: Result, level: int) -> list[str]:
    from leafmark.render.explaining import render_factors  # late: few answers are explained

    return list(render_factors(result.factors, level))


def _added(related: Related, places: Places, style: Style, level: int) -> list[str]:
    """Return an added chunk: its relation to the result, and its beginning."""
    entry = related.entry
    number = style.link(style.cyan(f".{entry.position}"), places.absolute(entry), entry.line_start)
    titles = joined_titles(_titles_below((), entry))
    line = f"{'  ' * level}+ {number} {style.dim(relation_name(related.relation))} {titles}"
    return [line, *_snippet_lines(related.lead, style, level + 2)]


def _snippet_lines(snippet: Snippet, style: Style, level: int) -> list[str]:
    """Return a snippet, wrapped; code, rows and items keep their lines."""
    indent = "  " * level
    width = max(20, (style.width or _SNIPPET_WIDTH) - len(indent))
    text, ranges = snippet.text, snippet.ranges
    lines, at = [], 0
    for line in text.split("\n"):
        own = len(line) - len(line.lstrip())
        inset, first = indent + " " * own, at + own
        lines += [
            inset
            + style.highlight_line(
                text[first + start : first + end], _within(ranges, first + start, first + end)
            )
            for start, end in wrap(line[own:], width - own)
        ]
        at += len(line) + 1
    return lines


def _folded(snippet: Snippet) -> tuple[str, list[tuple[int, int]]]:
    """Return the snippet on one line with its white space folded, and the moved ranges."""
    text, moved = [], [0]
    space = True
    for char in snippet.text:
        blank = char.isspace()
        if not blank or not space:
            text.append(" " if blank else char)
        space = blank
        moved.append(len(text))
    folded = "".join(text).rstrip()
    ranges = [(moved[start], min(moved[end], len(folded))) for start, end in snippet.ranges]
    return folded, [(start, end) for start, end in ranges if start < end]


def _within(ranges: Iterable[tuple[int, int]], start: int, end: int) -> list[tuple[int, int]]:
    """Return the parts of `ranges` in `[start, end)`, relative to `start`."""
    cut = [(max(start, left) - start, min(end, right) - start) for left, right in ranges]
    return [(left, right) for left, right in cut if left < right]


def render_flat(answer: Answer, places: Places, style: Style, *, explain: bool = False) -> str:
    """Return the results in rank order with whole ids, each with the lines under it."""
    blocks = []
    for result in answer.results:
        entry = result.entry
        name = style.link(
            style.bold(clean_line(entry.id)), places.absolute(entry), entry.line_start
        )
        digits = max(len(str(part.entry.position)) for part in result.with_constituents())
        lines = [f"{name} ({result.score:.2f}){_marks(result, style)}"]
        lines.append(f"  {style.dim(breadcrumb_of(result.entry))}")
        lines += _below(result, places, style, 1, digits, explain)
        blocks.append("\n".join(lines) + "\n")
    return "\n".join(blocks) + _rest(answer, style)


def render_list(answer: Answer, style: Style) -> str:
    """Return one line for each result: titles, id, score, snippet; cut to the terminal's width.

    The id is never cut; the titles are shortened for it, and the snippet for both.
    """
    lines = []
    for result in answer.results:
        marks = _marks(result, PLAIN)
        for omission in omissions_in(result.passages):
            marks += f" [{tokens_left_out(omission)}]"
        known = _titled(result.entry, f" ({result.score:.2f}){marks}", style)
        text, ranges = _folded(result.snippet)
        room = _UNLIMITED if style.width is None else style.width - display_width(known) - 3
        if text and room >= MIN_SNIPPET:
            text = shorten(text, room)
            known += f" — {style.highlight_line(text, _within(ranges, 0, len(text)))}"
        lines.append(known + "\n")
        lines += [_added_line(related, style) for related in result.expanded]
    return "".join(lines) + _rest(answer, style)


MIN_SNIPPET = 20
"""Columns that a snippet behind an id has at least; chosen by eye."""

MIN_TITLES = 12
"""Columns that titles before an id have at least; chosen by eye."""

_UNLIMITED = 1 << 30


def _titled(entry: Entry, after: str, style: Style) -> str:
    """Return titles with the id behind them; within a width, the id may have its short form.

    A line that is too narrow for both keeps the end of the titles and the beginning of the id.
    """
    name = clean_line(entry.id)
    if style.width is None:
        name = name if len(name) <= MAX_TITLE else clean_line(entry.ordinal_id)
        return f"{joined_titles(entry.section_path)}  {name}{after}"
    if display_width(name) > style.width // 2:
        name = clean_line(entry.ordinal_id)
    room = max(MIN_TITLES, style.width - display_width(name + after) - 2)
    return shorten(f"{joined_titles(entry.section_path, room)}  {name}{after}", style.width)


def _added_line(related: Related, style: Style) -> str:
    lead, _ = _folded(related.lead)
    line = "  + " + _titled(related.entry, f" ({relation_name(related.relation)})", style)
    line += f" — {clean_line(lead)}" if lead else ""
    return (line if style.width is None else shorten(line, style.width)) + "\n"


def render_full(
    answer: Answer, places: Places, style: Style, *, explain: bool = False, lean: bool = False
) -> str:
    """Return for each result its breadcrumb, heading and whole text, and its citation.

    Under a budget, each passage has a citation, and marks show the omissions between them. A
    `lean` text repeats nothing: no title right above its heading, and no mark that all results
    have.
    """
    blocks = []
    all_relaxed = lean and all(result.relaxed for result in answer.results)
    for result in answer.results:
        titles = result.entry.section_path
        if lean and len(titles) > 1 and _begins_with_heading(result):
            titles = titles[:-1]
        head = style.link(
            style.dim(format_breadcrumb(map(fold, titles))),
            places.absolute(result.entry),
            result.entry.line_start,
        )
        ranges = {match for part in result.with_constituents() for match in part.file_ranges}
        lines = [head + _marks(result._replace(relaxed=False) if all_relaxed else result, style)]
        lines += _passage_lines(_passages_of(result), sorted(ranges), style)
        if explain:
            lines += _factors(result, 0)
        for related in result.expanded:
            lines += _added_whole(related, places, style)
        blocks.append("\n".join(lines) + "\n")
    rest = _rest(answer, style)
    return "\n".join([*blocks, rest] if rest else blocks)


def _begins_with_heading(result: Result) -> bool:
    first = next(iter(_passages_of(result)), None)
    return isinstance(first, Passage) and first.start == result.entry.heading_start


def _passages_of(result: Result) -> Sequence[Passage | Omission]:
    """Return the shown passages of a result: without a budget its whole text, as one."""
    if result.passages is not None:
        return result.passages
    text = result.body if result.full_text is None else result.full_text
    whole = whole_range(result.entry)
    return (Passage(*whole, text or "", result.citation, result.reading),)


def _cited(text: str, citation: str | None, style: Style) -> list[str]:
    """Return a text as it stands in the answer, with its citation below it."""
    text = text.strip("\n")
    lines = ["", text, ""] if text else []
    return [*lines, style.dim(f"[{clean_line(citation)}]")] if citation else lines


def _passage_lines(
    passages: Sequence[Passage | Omission], matches: Sequence[tuple[int, int]], style: Style
) -> list[str]:
    """Return the passages, each with its citation, and marks for the omissions."""
    lines: list[str] = []
    for passage in passages:
        if isinstance(passage, Omission):
            lines.append(style.dim(render_omission(passage)))
        else:
            ranges = _in_passage(passage, matches)
            lines += _cited(style.highlight(passage.text, ranges), passage.citation, style)
    return lines


def _in_passage(passage: Passage, matches: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the matches in a passage, as character ranges of its text."""
    if passage.reading is None:
        return _in_text(passage.text, passage.start, passage.end, matches)
    inside = [match for match in matches if passage.start <= match[0] and match[1] <= passage.end]
    text_ranges = (passage.reading.text_range(*match) for match in inside)
    at = passage.text_start
    return [(start - at, end - at) for start, end in text_ranges if start < end]


def _added_whole(related: Related, places: Places, style: Style) -> list[str]:
    """Return an added chunk with its own text."""
    entry = related.entry
    titles = style.link(style.dim(breadcrumb_of(entry)), places.absolute(entry), entry.line_start)
    lines = ["", f"{style.cyan('+ ' + relation_name(related.relation))} {titles}"]
    return lines + _passage_lines(related.passages, (), style)


def _in_text(
    text: str, start: int, end: int, matches: Iterable[tuple[int, int]]
) -> list[tuple[int, int]]:
    """Return the matches in bytes `[start, end)` as character ranges of `text`, the text there."""
    data = text.encode("utf-8", "surrogatepass")
    if len(data) != end - start:
        # Bytes that are not UTF-8 were replaced: offsets in the file do not apply to this text.
        return []
    ranges: list[tuple[int, int]] = []
    at = characters = 0
    for left, right in matches:
        if left - start < at or right > end:
            continue
        characters += len(data[at : left - start].decode("utf-8", "replace"))
        matched = len(data[left - start : right - start].decode("utf-8", "replace"))
        ranges.append((characters, characters + matched))
        characters += matched
        at = right - start
    return ranges
