"""A comparison as one static page: changed blocks side by side, with the words that differ marked.

The page is one file without scripts. All text of documents is escaped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from html import escape as _safe

from leafmark.history import BlockChange, BrokenName, DiffReport, DocumentChange, SectionChange
from leafmark.render.changes import describe_change, summarise_changes
from leafmark.render.chunks import html_head
from leafmark.render.terminal import clean, clean_line, fold, joined_titles

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
