"""A comparison as one static page: changed blocks side by side, with the words that differ marked.

The page is whole in one file and holds no script. Whatever comes from a document is escaped.
`iter_changes_body` is the same without the page around it, for a page that has its own.
"""

from __future__ import annotations

import hashlib
import re
from base64 import b64encode
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from functools import cache
from html import escape
from importlib.resources import files

from leafmark.history import BlockChange, BrokenName, DiffReport, DocumentChange, SectionChange
from leafmark.render.changes import describe_change, summarise_changes
from leafmark.render.terminal import clean, clean_line, fold, joined_titles

__all__ = ["iter_changes_body", "iter_changes_page"]

MAX_MARKED_WORDS = 2_000
"""Words of a block up to which those that differ are marked; longer ones are shown as a whole."""

_HEAD = """<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; \
style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width">
<meta name="generator" content="leafmark">
<title>{title}</title>
<style>{style}</style>
<header><h1>{title}</h1></header>
<main>
"""
_WORD = re.compile(r"\w+|\s+|[^\w\s]")


@cache
def _style() -> str:
    return files("leafmark.render").joinpath("changespage.css").read_text(encoding="utf-8")


def iter_changes_page(report: DiffReport) -> Iterator[str]:
    """Yield a whole page."""
    style = _style()
    digest = b64encode(hashlib.sha256(style.encode()).digest()).decode()
    title = _safe(f"{fold(report.old)} to {fold(report.new)}")
    yield _HEAD.format(digest=digest, title=title, style=style)
    yield from iter_changes_body(report)
    yield "</main>\n</html>\n"


def iter_changes_body(report: DiffReport) -> Iterator[str]:
    """Yield what stands in the page: the summary, each document, and what broke."""
    yield f'<p class="about">{_safe(summarise_changes(report))}</p>\n'
    for document in report.comparison.documents:
        yield from _document(document)
    if report.broken:
        yield "<section><h2>Names that no longer lead there</h2>\n<table>\n"
        yield "<tr><th scope=col>Name<th scope=col>Now\n"
        yield from map(_broken_row, report.broken)
        yield "</table></section>\n"
    if report.links:
        yield "<section><h2>Links to what has gone</h2>\n<table>\n"
        yield "<tr><th scope=col>Place<th scope=col>Link<th scope=col>Now\n"
        for link in report.links:
            place = _safe(f"{clean_line(link.path)}:{link.line}")
            yield f"<tr><td>{place}<td>{_safe(clean_line(link.target))}<td>{_now(link.broken)}\n"
        yield "</table></section>\n"


def _broken_row(broken: BrokenName) -> str:
    return f"<tr><td>{_safe(clean_line(broken.name))}<td>{_now(broken)}\n"


def _now(broken: BrokenName) -> str:
    names = ", ".join(clean_line(section.id) for section in broken.now)
    return _safe(names or "removed")


def _document(document: DocumentChange) -> Iterator[str]:
    yield f"<section><h2>{_safe(clean_line(document.document.id))}</h2>\n"
    moved = "" if document.old is None else f" from {clean_line(document.old.id)}"
    said = f"moved{moved}" if document.fate == "moved" else document.fate
    yield f'<p class="about">{_safe(said)}</p>\n'
    for change in document.changes:
        yield from _section(change)
    yield "</section>\n"


def _section(change: SectionChange) -> Iterator[str]:
    section = change.section
    title = joined_titles(section.section_path[1:]) or fold(section.title)
    yield f"<h3>{_safe(title)}</h3>\n"
    yield f'<p class="id">{_safe(describe_change(change))} · {_safe(clean_line(section.id))}</p>\n'
    blocks: Sequence[BlockChange] = change.blocks
    if not blocks and change.old is None:
        blocks = [BlockChange("added", one.kind, None, one.text) for one in section.blocks]
    elif not blocks and change.new is None and not change.parts:
        blocks = [BlockChange("removed", one.kind, one.text, None) for one in section.blocks]
    for block in blocks:
        yield _sides(block)


def _sides(block: BlockChange) -> str:
    if block.old is None or block.new is None:
        old = '<div class="none"></div>' if block.old is None else _whole("old", block.old)
        new = '<div class="none"></div>' if block.new is None else _whole("new", block.new)
        return f'<div class="sides">{old}{new}</div>\n'
    befores, afters = _WORD.findall(clean(block.old)), _WORD.findall(clean(block.new))
    if max(len(befores), len(afters)) > MAX_MARKED_WORDS:
        return f'<div class="sides">{_whole("old", block.old)}{_whole("new", block.new)}</div>\n'
    olds, news = list[str](), list[str]()
    for tag, a, b, c, d in SequenceMatcher(None, befores, afters, False).get_opcodes():
        before, after = _safe("".join(befores[a:b])), _safe("".join(afters[c:d]))
        olds.append(before if tag == "equal" or not before else f"<del>{before}</del>")
        news.append(after if tag == "equal" or not after else f"<ins>{after}</ins>")
    return (
        f'<div class="sides"><div class="old">{"".join(olds)}</div>'
        f'<div class="new">{"".join(news)}</div></div>\n'
    )


def _whole(side: str, text: str) -> str:
    return f'<div class="{side} all">{_safe(clean(text))}</div>'


def _safe(text: str) -> str:
    return escape(text)
