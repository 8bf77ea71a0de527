"""Chunks as `leafmark show` prints them: text, outline, JSON."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from leafmark.model import Chunk, Entry, Omission, Passage, Related, Shown, ShowReport, plural
from leafmark.render.jsontext import SCHEMA_VERSION, dump_object
from leafmark.render.marks import omissions_in, relation_name, render_omission
from leafmark.render.names import breadcrumb_of, line_range
from leafmark.render.outlines import levels_of
from leafmark.render.packed import packed_outline_record, packed_shown_record
from leafmark.render.passages import expanded_records, omission_record
from leafmark.render.records import chunk_record, entry_record
from leafmark.render.terminal import Style, clean, clean_line, fold

__all__ = [
    "not_found_records",
    "render_outline",
    "render_packed_show",
    "render_show",
    "show_record",
]

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
        lines.append(clean(shown.read_text).rstrip("\n"))
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
    lines = [head + _size(shown, shown.entry, style)]
    levels = levels_of(shown)
    for child in shown.children:
        level = levels[child.position]
        name = f"~{child.piece}" if child.piece else fold(child.title)
        fragment = style.dim(clean_line(child.fragment))
        number = style.cyan(f".{child.position}")
        size = _size(shown, child, style)
        lines.append(f"{'  ' * level}{number} {name}  {fragment}{size}")
    lines += [style.dim(render_omission(one)) for one in omissions_in(shown.passages)]
    if shown.stale:
        lines.append(style.dim(_CHANGED))
    return "\n".join(lines) + "\n"


def _size(shown: Shown, entry: Entry, style: Style) -> str:
    size = shown.sizes.get(entry.position)
    if size is None:
        return ""
    tokens, count = plural("token", size.tokens), plural("byte", size.bytes)
    return style.dim(f"  {size.tokens} {tokens}, {size.bytes} {count}")


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
