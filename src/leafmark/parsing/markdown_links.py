"""Rows of the walk to links and images, bare addresses, and wiki links (`[[Page]]`).

Done when a document's links are looked at. Wiki links are no Markdown; they leave
headings and blocks as they are: a title keeps its brackets, as on GitHub.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyromark

from leafmark.model import Link
from leafmark.parsing.markdown_addresses import addresses_of
from leafmark.parsing.markdown_walk import OPTIONS, Row

__all__ = ["links_of"]


def links_of(rows: Sequence[Row], text: str) -> tuple[Link, ...]:
    """Return the links and images of a document, in order, with the parser's own ranges.

    `text` is what the rows were made of. A wiki link takes the place of what
    Markdown sees inside its brackets.
    """
    links = [_link(tag, start, end) for tag, start, end in rows if _is_link(tag)]
    bare = addresses_of(text, rows, links)
    if bare:
        links = sorted(links + bare, key=_place)
    if "[[" not in text or "]]" not in text:
        return tuple(links)
    shown = {link.start for link in links}  # [[text]](target) begins as a wiki link does
    wiki = [link for link in _wiki_links(text) if link.start not in shown]
    inside = {at for link in wiki for at in range(link.start, link.end)}
    links = [link for link in links if link.start not in inside]
    return tuple(sorted(links + wiki, key=_place))


def _place(link: Link) -> tuple[int, int]:
    return link.start, -link.end


def _is_link(tag: Any) -> bool:
    return tag.__class__ is not str and ("Link" in tag or "Image" in tag)


def _link(tag: dict[str, Any], start: int, end: int) -> Link:
    if "Image" in tag:
        return Link(start, end, tag["Image"]["dest_url"], "image")
    kind, target = tag["Link"]["link_type"], tag["Link"]["dest_url"]
    if kind == "Email":
        return Link(start, end, f"mailto:{target}", "autolink")
    return Link(start, end, target, "autolink" if kind == "Autolink" else "link")


def _wiki_links(text: str) -> list[Link]:
    """The wiki links outside of code: `[[target]]`, `[[target|shown]]`, embedded ones with `!`."""
    options = OPTIONS | pyromark.Options.ENABLE_WIKILINKS
    links = []
    for event, extent in pyromark.events_with_range(text, options=options):
        if isinstance(event, str) or "Start" not in event or not _is_link(event["Start"]):
            continue
        tag: Any = event["Start"]
        link = tag["Link"] if "Link" in tag else tag["Image"]
        target = link["dest_url"].rstrip("\\").strip()  # in a table, the bar is escaped
        if "WikiLink" in link["link_type"] and target and "\n" not in target:
            links.append(Link(extent["start"], extent["end"], target, "wiki"))
    return links
