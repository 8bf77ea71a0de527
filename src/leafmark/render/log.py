"""The history of a section, as text and JSON."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from leafmark.history import LogEntry, RevisionList, SectionLog
from leafmark.model import decodable
from leafmark.render.changes import describe_change
from leafmark.render.jsontext import SCHEMA_VERSION
from leafmark.render.terminal import Style, clean_line, fold

__all__ = ["iter_log", "iter_revisions", "log_record", "revisions_record"]


def iter_log(log: SectionLog, style: Style) -> Iterator[str]:
    """Yield three lines for each entry, newest first: commit, what it did, how to cite it.

    A line more says where a shallow clone ends.
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
        "id": section.id,
        "title": section.title,
        "citation": section.citation,
        "old_id": None if change.old is None else change.old.id,
        "parted_from": change.parts[0].id if "added" in change.fates and change.parts else None,
    }


def iter_revisions(found: RevisionList, style: Style) -> Iterator[str]:
    """Yield a line for each revision: hash, day, kind and name, subject."""
    for one in found.references:
        name = f"{one.kind} {style.bold(clean_line(one.name))}"
        yield f"{one.oid[:12]} {_day(one.time)} {name}  {fold(one.subject)}\n"
    for commit in found.commits:
        yield f"{style.bold(commit.oid[:12])} {_day(commit.time)} {fold(commit.subject)}\n"


def revisions_record(found: RevisionList) -> dict[str, Any]:
    """Return the published shape `ls`, with the key `revisions`."""
    rows: list[dict[str, Any]] = [
        {
            "commit": one.oid,
            "date": _time(one.time),
            "subject": one.subject,
            "kind": one.kind,
            "name": decodable(one.name),
        }
        for one in found.references
    ]
    rows += [
        {
            "commit": one.oid,
            "date": _time(one.time),
            "subject": one.subject,
            "kind": "commit",
            "name": None,
        }
        for one in found.commits
    ]
    return {"schema_version": SCHEMA_VERSION, "revisions": rows}


def _day(seconds: int) -> str:
    return _time(seconds)[:10]


def _time(seconds: int) -> str:
    """Return a time in ISO 8601, UTC; one that no calendar has, as the earliest."""
    try:
        return datetime.fromtimestamp(seconds, UTC).isoformat()
    except (OverflowError, OSError, ValueError):
        return datetime.fromtimestamp(0, UTC).isoformat()
