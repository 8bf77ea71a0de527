"""What an id names, the outline below it, and the citations of a text."""

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
from leafmark.render.jsontext import SCHEMA_VERSION, dump_object, fields_of
from leafmark.render.records import (
    chunk_record,
    entry_record,
    expanded_records,
    omission_record,
    packed_outline_record,
    packed_shown_record,
)
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
    """Return how deep each chunk of an outline stands in it, by position; the first is at 0."""
    levels = {shown.entry.position: 0}
    for child in shown.children:
        levels[child.position] = levels.get(child.parent_position, 0) + 1
    return levels


def outline_order(shown: Shown) -> list[int]:
    """Return the positions of what is in an outline in the order in which they are added."""
    levels = levels_of(shown)
    children = sorted(
        shown.children,
        key=lambda child: (child.kind == "piece", levels[child.position], child.position),
    )
    return [child.position for child in children]


class OutlinesShown:
    """Outlines that are filled up step by step; `count` tells what a title costs."""

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
        found = []
        for one, order in zip(shown[:steps], self._orders, strict=False):
            found.append(self._cut(one, frozenset(order[:left]), marks))
            left = max(0, left - len(order))
        omission = None
        if rest and marks:
            tokens = sum(self._cost[child.id] for one in rest for child in one.children)
            omission = Omission(rest[0].entry.id, tokens, len(rest))
        return self._report._replace(shown=tuple(found), omission=omission)

    def _cut(self, shown: Shown, kept: frozenset[int], marks: bool) -> Shown:
        """Return an outline with some of its titles, and what the others cost."""
        children = tuple(child for child in shown.children if child.position in kept)
        rest = [child for child in shown.children if child.position not in kept]
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
        for block in (_shown(shown, style), *(_added(one, style) for one in shown.expanded))
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


def _added(one: Related, style: Style) -> str:
    """A chunk that was added: how it belongs to the one above it, and its own text."""
    head = f"{style.cyan('+ ' + relation_name(one.relation))}  {_head(one.entry, style)}"
    lines = [head, style.dim(breadcrumb_of(one.entry)), ""]
    return "\n".join(lines) + "\n" + "\n".join(_passages(one.passages, style))


def _passages(passages: Iterable[Passage | Omission], style: Style) -> list[str]:
    """What is shown under a budget, and between it what was left out."""
    return [
        style.dim(render_omission(one)) + "\n"
        if isinstance(one, Omission)
        else clean(one.text).strip("\n") + "\n"
        for one in passages
    ]


def _head(entry: Chunk | Entry, style: Style, what: str = "") -> str:
    lines = line_range(entry.line_start, entry.line_end)
    return f"{style.bold(clean_line(entry.id))}  {style.dim(what + lines)}"


def render_outline(report: ShowReport, style: Style) -> str:
    """Return a table of contents for each chunk: what is below it, set in, with sizes and ids."""
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
    lines += [style.dim(render_omission(one)) for one in omissions_in(shown.passages)]
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
    """Return the show object; `children` tell where each is, not what it says."""
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
    return [{"id": asked, "did_you_mean": list(nearest)} for asked, nearest in report.not_found]


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
    """Return a line for each citation that does not hold, and one below it with what does.

    With `everything` those that hold have a line too.
    """
    lines: list[str] = []
    for report in reports:
        for one in report.citations:
            if one.status != "ok" or everything:
                lines += _lines(report.name, one, style)
    return "".join(f"{line}\n" for line in lines)


def _lines(name: str, one: Verified, style: Style) -> list[str]:
    where = f"{clean_line(name)}:{one.line}:{one.column}:"
    lines = [f"{style.dim(where)} {style.bold(f'{one.status:<7}')} {clean_line(one.citation)}"]
    if one.status == "moved" and one.current is not None:
        lines.append(f"  now {clean_line(one.current)}{_lines_of(one)}")
    elif one.status == "changed" and one.current is not None:
        lines.append(f"  now there: {clean_line(one.current)}")
    elif one.nearest:
        lines.append(f"  the nearest: {', '.join(map(clean_line, one.nearest))}")
    return lines


def _lines_of(one: Verified) -> str:
    place = one.place
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
    found = ", ".join(f"{number} {status}" for status, number in counts.items() if number)
    return f"{count_of(total, 'citation')}: {found}"


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
        "citations": [_record(report.name, one) for report in reports for one in report.citations],
    }


def _record(name: str, one: Verified) -> dict[str, Any]:
    names = ("id", "byte_start", "byte_end", "line_start", "line_end")
    place = dict.fromkeys(names) if one.place is None else fields_of(one.place, *names)
    return {
        "file": decodable(name),
        **fields_of(one, "line", "column", "citation", "status", "current"),
        **place,
        "did_you_mean": list(one.nearest),
    }
