"""The chunk that an id names, the outline below it, and the citations of a text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from leafmark.model import (
    Chunk,
    Entry,
    Omission,
    Passage,
    Related,
    Shown,
    ShowReport,
    Verified,
    VerifyReport,
    count_of,
    decodable,
    plural,
)
from leafmark.render.json_objects import (
    chunk_record,
    entry_record,
    expanded_records,
    omission_record,
    packed_outline_record,
    packed_shown_record,
)
from leafmark.render.jsontext import SCHEMA_VERSION, dump_object, fields_of
from leafmark.render.terminal import (
    Style,
    breadcrumb_of,
    clean,
    clean_line,
    display_width,
    fold,
    line_range,
    omissions_in,
    relation_name,
    render_omission,
    wrap_prose,
)


def levels_of(shown: Shown) -> dict[int, int]:
    """Return the depth of each chunk of an outline, by position; the first has 0."""
    levels = {shown.entry.position: 0}
    for child in shown.children:
        levels[child.position] = levels.get(child.parent_position, 0) + 1
    return levels


def outline_order(shown: Shown) -> list[int]:
    """Return the positions of the chunks of an outline in the order in which they are added."""
    levels = levels_of(shown)
    children = sorted(
        shown.children,
        key=lambda child: (child.kind == "piece", levels[child.position], child.position),
    )
    return [child.position for child in children]


class OutlinesShown:
    """Outlines that are filled up step by step; `count` returns the cost of a title."""

    def __init__(self, report: ShowReport, count: Callable[[str], int]):
        self._report = report
        self._orders = [outline_order(shown) for shown in report.shown]
        self._cost = {
            child.id: count(f"  .{child.position} {child.title}  {child.fragment}\n")
            for shown in report.shown
            for child in shown.children
        }
        self.size = len(report.shown) + sum(map(len, self._orders))

    def at(self, steps: int, marks: bool = True) -> ShowReport:
        """Return the report after so many steps."""
        shown = self._report.shown
        rest = shown[steps:]
        left = max(0, steps - len(shown))
        outlines = []
        for outline, order in zip(shown[:steps], self._orders, strict=False):
            outlines.append(self._cut(outline, frozenset(order[:left]), marks))
            left = max(0, left - len(order))
        omission = None
        if rest and marks:
            tokens = sum(self._cost[child.id] for omitted in rest for child in omitted.children)
            omission = Omission(rest[0].entry.id, tokens, len(rest))
        return self._report._replace(shown=tuple(outlines), omission=omission)

    def _cut(self, shown: Shown, positions: frozenset[int], marks: bool) -> Shown:
        """Return an outline with only some of its titles, and the cost of the others."""
        children = tuple(child for child in shown.children if child.position in positions)
        rest = [child for child in shown.children if child.position not in positions]
        if not rest:
            return shown
        tokens = sum(self._cost[child.id] for child in rest)
        mark = (Omission(shown.entry.id, tokens),) if marks else ()
        return shown._replace(children=children, passages=mark)


_CHANGED = "(changed since it was indexed: `leafmark index` reads it again)"


def render_show(report: ShowReport, style: Style) -> str:
    """Return each chunk: its id and lines, its breadcrumb, and its text."""
    blocks = [
        block
        for shown in report.shown
        for block in (_shown(shown, style), *(_added(related, style) for related in shown.expanded))
    ]
    if report.omission is not None:
        blocks.append(style.dim(render_omission(report.omission)) + "\n")
    return "\n".join(blocks)


def _shown(shown: Shown, style: Style) -> str:
    place = shown.section or shown.entry
    part = ""
    if shown.lines is not None:
        part = f"{line_range(*shown.lines)} of "
    elif shown.own_ranges is not None and shown.section is None:
        part = "own text in "
    head = _head(place, style, part)
    lines = [head, style.dim(breadcrumb_of(place)), ""]
    if shown.passages is not None and not shown.stale:
        return "\n".join(lines) + "\n" + "\n".join(_passages(shown.passages, style))
    if shown.stale or shown.read_text is None:
        lines.append(style.dim(_CHANGED))
    else:
        width = None if shown.document.format == "script" else style.width
        lines.append(wrap_prose(clean(shown.read_text).rstrip("\n"), width))
    return "\n".join(lines) + "\n"


def _added(related: Related, style: Style) -> str:
    """Return an added chunk: its relation to the chunk above it, and its own text."""
    head = f"{style.cyan('+ ' + relation_name(related.relation))}  {_head(related.entry, style)}"
    lines = [head, style.dim(breadcrumb_of(related.entry)), ""]
    return "\n".join(lines) + "\n" + "\n".join(_passages(related.passages, style))


def _passages(passages: Iterable[Passage | Omission], style: Style) -> list[str]:
    """Return the shown passages, with marks for the omissions between them."""
    return [
        style.dim(render_omission(passage)) + "\n"
        if isinstance(passage, Omission)
        else clean(passage.text).strip("\n") + "\n"
        for passage in passages
    ]


def _head(entry: Chunk | Entry, style: Style, what: str = "") -> str:
    lines = line_range(entry.line_start, entry.line_end)
    return f"{style.bold(clean_line(entry.id))}  {style.dim(what + lines)}"


def render_outline(report: ShowReport, style: Style) -> str:
    """Return a table of contents for each chunk: its descendants, indented, with sizes and ids."""
    blocks = [_outline(shown, style) for shown in report.shown]
    if report.omission is not None:
        blocks.append(style.dim(render_omission(report.omission)) + "\n")
    return "\n".join(blocks)


def _outline(shown: Shown, style: Style) -> str:
    head = f"{style.bold(clean_line(shown.entry.id))}  {fold(shown.entry.title)}"
    lines = [head + style.dim(_size(shown, shown.entry))]
    levels = levels_of(shown)
    for child in shown.children:
        inset = "  " * levels[child.position]
        number = f".{child.position}"
        name = f"~{child.piece}" if child.piece else fold(child.title)
        about = clean_line(child.fragment) + _size(shown, child)
        columns = display_width(f"{inset}{number} {name}  {about}")
        fits = style.width is None or columns <= style.width
        gap = "  " if fits else f"\n{inset}    "
        lines.append(f"{inset}{style.cyan(number)} {name}{gap}{style.dim(about)}")
    lines += [style.dim(render_omission(omission)) for omission in omissions_in(shown.passages)]
    if shown.stale:
        lines.append(style.dim(_CHANGED))
    return "\n".join(lines) + "\n"


def _size(shown: Shown, entry: Entry) -> str:
    size = shown.sizes.get(entry.position)
    if size is None:
        return ""
    tokens, count = plural("token", size.tokens), plural("byte", size.bytes)
    return f"  {size.tokens} {tokens}, {size.bytes} {count}"


def show_record(report: ShowReport) -> dict[str, Any]:
    """Return the show object; `children` have places and no text."""
    return {
        "schema_version": SCHEMA_VERSION,
        "results": [_shown_record(shown) for shown in report.shown],
        "not_found": not_found_records(report),
    }


def render_packed_show(
    report: ShowReport, *, ascii_only: bool = False, outline: bool = False
) -> str:
    """Return the show object under a budget, a result on each line."""
    make = packed_outline_record if outline else packed_shown_record
    head: dict[str, Any] = {
        "schema_version": SCHEMA_VERSION,
        "not_found": not_found_records(report),
    }
    if report.omission is not None:
        head["omitted"] = omission_record(report.omission)
    records = [make(shown) for shown in report.shown]
    return dump_object(head, "results", records, ascii_only=ascii_only)


def not_found_records(report: ShowReport) -> list[dict[str, Any]]:
    """Return the ids that name nothing, each with the nearest ones."""
    return [
        {"id": chunk_id, "did_you_mean": list(nearest)} for chunk_id, nearest in report.not_found
    ]


def _child_record(shown: Shown, child: Entry) -> dict[str, Any]:
    record = entry_record(child)
    size = shown.sizes.get(child.position)
    return record | {"tokens": size.tokens, "bytes": size.bytes} if size else record


def _shown_record(shown: Shown) -> dict[str, Any]:
    record = chunk_record(shown.entry, shown.document, None if shown.stale else shown.record)
    if not shown.stale:
        record["body"] = shown.body
    record |= {
        "heading": shown.heading,
        "full_text": shown.full_text,
        "stale": shown.stale,
        "children": [_child_record(shown, child) for child in shown.children],
    }
    if shown.expanded:
        record["expanded"] = expanded_records(shown.expanded)
    return record


def render_verification(
    reports: Sequence[VerifyReport], style: Style, *, everything: bool = False
) -> str:
    """Return a line for each citation that does not hold, and below it one that would.

    With `everything`, citations that hold have a line, too.
    """
    lines: list[str] = []
    for report in reports:
        for citation in report.citations:
            if citation.status != "ok" or everything:
                lines += _lines(report.name, citation, style)
    return "".join(f"{line}\n" for line in lines)


def _lines(name: str, verified: Verified, style: Style) -> list[str]:
    where = f"{clean_line(name)}:{verified.line}:{verified.column}:"
    lines = [
        f"{style.dim(where)} {style.bold(f'{verified.status:<7}')} {clean_line(verified.citation)}"
    ]
    if verified.status == "moved" and verified.current is not None:
        lines.append(f"  now {clean_line(verified.current)}{_lines_of(verified)}")
    elif verified.status == "changed" and verified.current is not None:
        lines.append(f"  now there: {clean_line(verified.current)}")
    elif verified.nearest:
        lines.append(f"  the nearest: {', '.join(map(clean_line, verified.nearest))}")
    return lines


def _lines_of(verified: Verified) -> str:
    place = verified.place
    return "" if place is None else f" ({line_range(place.line_start, place.line_end)})"


def summarise(reports: Sequence[VerifyReport]) -> str:
    """Return how many citations there are of each status.

    >>> summarise([VerifyReport("-")])
    'there is no citation in it'
    """
    counts = _counts(reports)
    total = sum(counts.values())
    if not total:
        return "there is no citation in " + ("it" if len(reports) == 1 else "them")
    counted = ", ".join(f"{number} {status}" for status, number in counts.items() if number)
    return f"{count_of(total, 'citation')}: {counted}"


def _counts(reports: Sequence[VerifyReport]) -> dict[str, int]:
    counts = dict(VerifyReport("").counts)
    for report in reports:
        for status, number in report.counts.items():
            counts[status] += number
    return counts


def verification_record(reports: Sequence[VerifyReport]) -> dict[str, Any]:
    """Return `{schema_version, ok, counts, citations}`; `ok` as the exit code tells it."""
    counts = _counts(reports)
    return {
        "schema_version": SCHEMA_VERSION,
        "ok": counts["ok"] == sum(counts.values()) > 0,
        "counts": counts,
        "citations": [
            _record(report.name, citation) for report in reports for citation in report.citations
        ],
    }


def _record(name: str, verified: Verified) -> dict[str, Any]:
    names = ("id", "byte_start", "byte_end", "line_start", "line_end")
    place = dict.fromkeys(names) if verified.place is None else fields_of(verified.place, *names)
    return {
        "file": decodable(name),
        **fields_of(verified, "line", "column", "citation", "status", "current"),
        **place,
        "did_you_mean": list(verified.nearest),
    }
