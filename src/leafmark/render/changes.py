"""What changed between two states, or in a section over time: as text, JSON, and Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from difflib import SequenceMatcher
from html import escape as _safe
from typing import Any

from leafmark.history import (
    BlockChange,
    BrokenName,
    CitedFile,
    CitedOutcome,
    DiffReport,
    DocumentChange,
    LogEntry,
    RevisionList,
    Section,
    SectionChange,
    SectionLog,
)
from leafmark.model import count_of, decodable
from leafmark.render.chunks import html_head
from leafmark.render.json_objects import diagnostic_records
from leafmark.render.jsontext import SCHEMA_VERSION, fields_of
from leafmark.render.terminal import Style, clean, clean_line, fold, joined_titles

_SIGNS = {"added": "+", "removed": "-", "split": "/", "merged": "&", "moved": ">", "renamed": "="}
_MAX_PARTS = 3


def changed_share(change: SectionChange) -> str:
    """Return the share of a section that changed, as a percentage.

    >>> changed_share(SectionChange(("changed",), None, None, 0.123))
    '12 %'
    """
    if not change.share:
        return "white space or markup"
    return f"{max(1, round(100 * change.share))} %"


def describe_change(change: SectionChange) -> str:
    """Describe the change of a section, as the end of a sentence about it."""
    return ", ".join(_clauses(change))


def _clauses(change: SectionChange) -> Iterator[str]:
    old, new = change.old, change.new
    for fate in change.fates:
        if fate == "changed":
            yield f"changed ({changed_share(change)})"
        elif fate in ("split", "merged"):
            yield f"{fate} into {_listed(change.parts)}"
        elif fate == "renamed" and old is not None:
            yield f"was called {fold(old.title)!r}"
        elif fate == "moved" and old is not None and new is not None:
            yield _came_from(old, new)
        else:
            yield fate


def _came_from(old: Section, new: Section) -> str:
    if old.is_document or old.owner.key != new.owner.key:
        return f"moved from {clean_line(old.owner.id if old.is_document else old.id)}"
    return f"moved from under {joined_titles(old.section_path[:-1])!r}"


def _listed(sections: Sequence[Section]) -> str:
    names = ", ".join(clean_line(section.id) for section in sections[:_MAX_PARTS])
    more = len(sections) - _MAX_PARTS
    return f"{names} and {more} more" if more > 0 else names


def iter_changes(report: DiffReport, style: Style, *, blocks: bool = False) -> Iterator[str]:
    """Yield the documents with their changed sections, then broken names; `blocks` adds text."""
    for document in report.comparison.documents:
        yield from _document_lines(document, style, blocks=blocks)
    yield from _breakage_lines(report, style)


def _document_lines(document: DocumentChange, style: Style, *, blocks: bool) -> Iterator[str]:
    changes = document.changes
    if document.fate == "changed" and not changes:
        yield f"{style.bold(clean_line(document.document.id))}  white space between sections\n"
        return
    yield f"{style.bold(clean_line(document.document.id))}  {_about(document)}\n"
    is_whole = document.fate in ("added", "removed")
    if is_whole and all(
        len(change.fates) == 1 and change.fates[0] == document.fate for change in changes
    ):
        return
    for change in changes:
        yield section_line(change, style)
        if blocks:
            yield from _block_lines(change, style)


def _about(document: DocumentChange) -> str:
    sections = len(document.document.sections)
    if document.fate in ("added", "removed"):
        return f"{document.fate} ({count_of(sections, 'section')})"
    size = count_of(len(document.changes), "change")
    if document.fate == "moved" and document.old is not None:
        return f"moved from {clean_line(document.old.id)} ({size})"
    return size


def section_line(change: SectionChange, style: Style) -> str:
    """Return the line of one section: its titles, its fates, its id."""
    section = change.section
    sign = next((_SIGNS[fate] for fate in change.fates if fate in _SIGNS), "~")
    title = joined_titles(section.section_path[1:]) or fold(section.title)
    return f"  {sign} {title}  {describe_change(change)}  {style.dim(clean_line(section.id))}\n"


def _block_lines(change: SectionChange, style: Style) -> Iterator[str]:
    for block in change.blocks:
        for sign, text in (("-", block.old), ("+", block.new)):
            for line in () if text is None else clean(text).split("\n"):
                yield style.dim(f"      {sign} {line}".rstrip()) + "\n"


def _breakage_lines(report: DiffReport, style: Style) -> Iterator[str]:
    if report.broken:
        is_one = len(report.broken) == 1
        verb = "leads to what it led to" if is_one else "lead to what they led to"
        yield style.bold(f"{count_of(len(report.broken), 'name')} no longer {verb}:\n")
        yield from (f"  {broken_line(broken)}" for broken in report.broken)
    if report.links:
        verb = "leads" if len(report.links) == 1 else "lead"
        yield style.bold(f"{count_of(len(report.links), 'link')} {verb} to what has gone:\n")
        for link in report.links:
            place = f"{clean_line(link.path)}:{link.line}:"
            yield f"  {place} {clean_line(link.target)}  {_went(link.broken)}\n"
    for cited in report.cited:
        yield from _cited_lines(cited)


def broken_line(broken: BrokenName) -> str:
    """Return the line of a broken name, with the present place of what it named."""
    return f"{clean_line(broken.name)}  {_went(broken)}\n"


def _went(broken: BrokenName) -> str:
    taken = "another section has the name; " if broken.kind == "taken" else ""
    if not broken.now:
        return f"{taken}removed"
    return f"{taken}now {_listed(broken.now)}"


def _cited_lines(cited: CitedFile) -> Iterator[str]:
    name = clean_line(cited.name)
    for citation in cited.citations:
        if citation.status != "ok":
            now = "" if citation.current is None else f"  now {clean_line(citation.current)}"
            yield f"{name}: {citation.status:<9} {clean_line(citation.citation)}{now}\n"
    for broken in cited.ids:
        yield f"{name}: {broken.kind:<9} {clean_line(broken.name)}  {_went(broken)}\n"


def summarise_changes(report: DiffReport) -> str:
    """Return one line with how many sections have which fate."""
    counts = report.comparison.counts()
    counted = [f"{number} {fate}" for fate, number in counts.items() if fate != "unchanged"]
    documents = len(report.comparison.documents)
    if not documents:
        return f"{clean_line(report.old)} and {clean_line(report.new)}: no document differs"
    same = count_of(report.comparison.unchanged, "document")
    differ = "differs" if documents == 1 else "differ"
    do_not = "does not" if report.comparison.unchanged == 1 else "do not"
    return (
        f"{clean_line(report.old)} to {clean_line(report.new)}: "
        f"{count_of(documents, 'document')} {differ}, {same} {do_not}; "
        f"sections: {', '.join(counted) or 'all as before'}"
    )


# -- JSON ------------------------------------------------------------------------------


def changes_record(report: DiffReport) -> dict[str, Any]:
    """Return the published shape `diff`."""
    return {
        "schema_version": SCHEMA_VERSION,
        "old": report.old,
        "new": report.new,
        "counts": report.comparison.counts(),
        "unchanged_documents": report.comparison.unchanged,
        "documents": [_document_record(document) for document in report.comparison.documents],
        "broken": [_broken_record(broken) for broken in report.broken],
        "links": [
            fields_of(link, "doc_id", "path", "line", "target") | _broken_record(link.broken)
            for link in report.links
        ],
        "citations": [
            {"file": decodable(file.name), **_cited_record(citation)}
            for file in report.cited
            for citation in file.citations
        ],
        "ids": [
            {"file": decodable(file.name), **_broken_record(broken)}
            for file in report.cited
            for broken in file.ids
        ],
        "breaks": report.breaks_something,
        "diagnostics": diagnostic_records(report.diagnostics),
    }


def _document_record(document: DocumentChange) -> dict[str, Any]:
    return {
        "fate": document.fate,
        "old_id": None if document.old is None else document.old.id,
        "new_id": None if document.new is None else document.new.id,
        "sections": [_section_record(change) for change in document.changes],
    }


def _section_record(change: SectionChange) -> dict[str, Any]:
    return {
        "fates": list(change.fates),
        "old": _place_record(change.old),
        "new": _place_record(change.new),
        "share": round(change.share, 4),
        "parts": [_place_record(part) for part in change.parts],
        "blocks": [block._asdict() for block in change.blocks],
    }


def _place_record(section: Section | None) -> dict[str, Any] | None:
    names = ("id", "title", "section_path", "path", "line", "citation")
    return None if section is None else fields_of(section, *names)


def _broken_record(broken: BrokenName) -> dict[str, Any]:
    return {
        "name": broken.name,
        "kind": broken.kind,
        "now": [_place_record(section) for section in broken.now],
    }


def _cited_record(outcome: CitedOutcome) -> dict[str, Any]:
    section = None if outcome.section is None else outcome.section.id
    return {**fields_of(outcome, "citation", "status", "current"), "id": section}


# -- Markdown --------------------------------------------------------------------------

_MARKUP = re.compile(r"([\\`*_\[\]<>|#])")


def iter_release_note(report: DiffReport) -> Iterator[str]:
    """Yield Markdown for a release note: new, changed, moved and removed sections."""
    yield f"## Documentation: {_plain(report.old)} to {_plain(report.new)}\n"
    rows = list(_note_rows(report.comparison.documents))
    for heading, kind in _NOTE_PARTS:
        lines = [line for line_kind, line in rows if line_kind == kind]
        if lines:
            yield f"\n### {heading}\n\n"
            yield from (f"- {line}\n" for line in lines)
    if report.broken:
        yield "\n### Links to mend\n\n"
        for broken in report.broken:
            yield f"- {_code(broken.name)}: {_note_went(broken)}\n"


_NOTE_PARTS = (
    ("New", "added"),
    ("Changed", "changed"),
    ("Renamed and moved", "moved"),
    ("Removed", "removed"),
)


def _note_rows(documents: Iterable[DocumentChange]) -> Iterator[tuple[str, str]]:
    for document in documents:
        if document.fate in ("added", "removed"):
            root = document.document.sections
            title = root[0].title if root else document.document.path
            yield document.fate, f"**{_plain(title)}** ({_code(document.document.id)})"
            continue
        for change in document.changes:
            title = _plain(" › ".join(map(fold, change.section.section_path)))
            yield _note_part(change), f"**{title}**: {_plain(describe_change(change))}"


def _note_part(change: SectionChange) -> str:
    fates = set(change.fates)
    if "added" in fates:
        return "added"
    if fates & {"removed", "merged"} or (change.new is None):
        return "removed"
    return "changed" if fates & {"changed", "split"} else "moved"


def _note_went(broken: BrokenName) -> str:
    if not broken.now:
        return "removed"
    return "now " + ", ".join(_code(section.id) for section in broken.now[:_MAX_PARTS])


def _plain(text: str) -> str:
    return _MARKUP.sub(r"\\\1", fold(text))


def _code(text: str) -> str:
    """Return text as a code span, also if it contains backticks.

    >>> _code("a`b")
    '`` a`b ``'
    """
    cleaned = clean_line(text)
    longest = max(map(len, re.findall(r"`+", cleaned)), default=0)
    ticks = "`" * (longest + 1)
    return f"{ticks} {cleaned} {ticks}" if longest else f"`{cleaned}`"


# The history of a section, as text and JSON.


def iter_log(log: SectionLog, style: Style) -> Iterator[str]:
    """Yield three lines for each entry, newest first: commit, change, citation.

    One more line says where a shallow clone ends.
    """
    for entry in log.entries:
        commit = entry.commit
        if commit is None:
            yield style.bold("not committed") + "\n"
        else:
            yield f"{style.bold(commit.oid[:12])} {_day(commit.time)} {fold(commit.subject)}\n"
        yield f"  {_what(entry)}  {style.dim(clean_line(entry.section.id))}\n"
        yield f"  {style.dim(clean_line(entry.section.citation))}\n"
    if log.ends_at is not None:
        yield f"{style.bold(log.ends_at[:12])} a shallow clone ends here: git fetch --unshallow\n"


def _what(entry: LogEntry) -> str:
    change = entry.change
    if change.fates == ("added",) and change.parts:
        return f"parted from {clean_line(change.parts[0].id)}"
    return describe_change(change)


def log_record(log: SectionLog) -> dict[str, Any]:
    """Return the published shape `log`."""
    return {
        "schema_version": SCHEMA_VERSION,
        "id": log.id,
        "entries": [_entry_record(entry) for entry in log.entries],
        "ends_at": log.ends_at,
    }


def _entry_record(entry: LogEntry) -> dict[str, Any]:
    commit, change, section = entry
    date = None if commit is None else _time(commit.time)
    return {
        "commit": None if commit is None else commit.oid,
        "date": date,
        "subject": None if commit is None else commit.subject,
        "fates": list(change.fates),
        "share": round(change.share, 4),
        **fields_of(section, "id", "title", "citation"),
        "old_id": None if change.old is None else change.old.id,
        "parted_from": change.parts[0].id if "added" in change.fates and change.parts else None,
    }


def iter_revisions(revisions: RevisionList, style: Style) -> Iterator[str]:
    """Yield a line for each revision: hash, day, kind and name, subject."""
    for reference in revisions.references:
        name = f"{reference.kind} {style.bold(clean_line(reference.name))}"
        yield f"{reference.oid[:12]} {_day(reference.time)} {name}  {fold(reference.subject)}\n"
    for commit in revisions.commits:
        yield f"{style.bold(commit.oid[:12])} {_day(commit.time)} {fold(commit.subject)}\n"


def revisions_record(revisions: RevisionList) -> dict[str, Any]:
    """Return the published shape `ls`, with the key `revisions`."""
    rows: list[tuple[Any, str, str | None]] = [
        (reference, reference.kind, decodable(reference.name)) for reference in revisions.references
    ]
    rows += [(commit, "commit", None) for commit in revisions.commits]
    return {
        "schema_version": SCHEMA_VERSION,
        "revisions": [
            {
                "commit": revision.oid,
                "date": _time(revision.time),
                "subject": revision.subject,
                "kind": kind,
                "name": name,
            }
            for revision, kind, name in rows
        ],
    }


def _day(seconds: int) -> str:
    return _time(seconds)[:10]


def _time(seconds: int) -> str:
    """Return a time in ISO 8601, UTC; one out of range becomes the earliest time."""
    try:
        return datetime.fromtimestamp(seconds, UTC).isoformat()
    except (OverflowError, OSError, ValueError):
        return datetime.fromtimestamp(0, UTC).isoformat()


# A comparison as one static page: changed blocks side by side, with the words that differ marked.
#
# The page is one file without scripts. All text of documents is escaped.


MAX_MARKED_WORDS = 2_000
"""The longest block, in words, whose different words are marked one by one."""

_WORD = re.compile(r"\w+|\s+|[^\w\s]")


def iter_changes_page(report: DiffReport) -> Iterator[str]:
    """Yield a whole page: the summary, each document, and the broken names."""
    yield html_head(f"{fold(report.old)} to {fold(report.new)}", "changespage.css")
    yield f'<main>\n<p class="about">{_safe(summarise_changes(report))}</p>\n'
    for document in report.comparison.documents:
        yield from _document(document)
    if report.broken:
        yield "<section><h2>Names that no longer lead there</h2>\n<table>\n"
        yield "<tr><th scope=col>Name<th scope=col>Now\n"
        for broken in report.broken:
            yield f"<tr><td>{_safe(clean_line(broken.name))}<td>{_now(broken)}\n"
        yield "</table></section>\n"
    if report.links:
        yield "<section><h2>Links to what has gone</h2>\n<table>\n"
        yield "<tr><th scope=col>Place<th scope=col>Link<th scope=col>Now\n"
        for link in report.links:
            place = _safe(f"{clean_line(link.path)}:{link.line}")
            yield f"<tr><td>{place}<td>{_safe(clean_line(link.target))}<td>{_now(link.broken)}\n"
        yield "</table></section>\n"
    yield "</main>\n</html>\n"


def _now(broken: BrokenName) -> str:
    names = ", ".join(clean_line(section.id) for section in broken.now)
    return _safe(names or "removed")


def _document(document: DocumentChange) -> Iterator[str]:
    yield f"<section><h2>{_safe(clean_line(document.document.id))}</h2>\n"
    moved = "" if document.old is None else f" from {clean_line(document.old.id)}"
    fate = f"moved{moved}" if document.fate == "moved" else document.fate
    yield f'<p class="about">{_safe(fate)}</p>\n'
    for change in document.changes:
        yield from _section(change)
    yield "</section>\n"


def _section(change: SectionChange) -> Iterator[str]:
    section = change.section
    title = joined_titles(section.section_path[1:]) or fold(section.title)
    yield f"<h3>{_safe(title)}</h3>\n"
    yield f'<p class="id">{_safe(describe_change(change))} · {_safe(clean_line(section.id))}</p>\n'
    for block in shown_blocks(change):
        yield f"{sides(block)}\n"


def shown_blocks(change: SectionChange) -> Sequence[BlockChange]:
    """Return the blocks of a section to show: all of them if it is on one side only."""
    if not change.blocks and change.old is None:
        return [
            BlockChange("added", block.kind, None, block.text) for block in change.section.blocks
        ]
    if not change.blocks and change.new is None and not change.parts:
        return [
            BlockChange("removed", block.kind, block.text, None) for block in change.section.blocks
        ]
    return change.blocks


def sides(block: BlockChange) -> str:
    """Return a block before and after as HTML, with the different words marked."""
    if block.old is None or block.new is None:
        old = '<div class="none"></div>' if block.old is None else _whole("old", block.old)
        new = '<div class="none"></div>' if block.new is None else _whole("new", block.new)
        return f'<div class="sides">{old}{new}</div>'
    befores, afters = _WORD.findall(clean(block.old)), _WORD.findall(clean(block.new))
    if max(len(befores), len(afters)) > MAX_MARKED_WORDS:
        return f'<div class="sides">{_whole("old", block.old)}{_whole("new", block.new)}</div>'
    olds, news = list[str](), list[str]()
    for tag, a, b, c, d in SequenceMatcher(None, befores, afters, False).get_opcodes():
        before, after = _safe("".join(befores[a:b])), _safe("".join(afters[c:d]))
        olds.append(before if tag == "equal" or not before else f"<del>{before}</del>")
        news.append(after if tag == "equal" or not after else f"<ins>{after}</ins>")
    return (
        f'<div class="sides"><div class="old">{"".join(olds)}</div>'
        f'<div class="new">{"".join(news)}</div></div>'
    )


def _whole(side: str, text: str) -> str:
    return f'<div class="{side} all">{_safe(clean(text))}</div>'
