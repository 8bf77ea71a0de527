"""Documents as lines for human eyes: `[17:61) h1 "Install"`."""

from __future__ import annotations

from leafmark.model import Document


def show_document(document: Document) -> list[str]:
    """Return a line for each heading, block and link, by start; a nested one is indented."""
    rows = []
    for heading in document.headings:
        mark = " nested" if heading.nested else ""
        rows.append((heading.start, 0, heading.end, f'h{heading.level} "{heading.title}"{mark}'))
    for block in document.blocks:
        info = f" {block.info}" if block.info else ""
        content = "" if block.content_start is None else f" from {block.content_start}"
        text = "  " * block.level + block.kind + info + content
        rows.append((block.start, 1 + block.level, block.end, text))
    rows += [(link.start, 99, link.end, f"{link.kind} -> {link.target}") for link in document.links]
    return [f"[{start}:{end}) {text}" for start, _, end, text in sorted(rows, key=lambda r: r[:2])]
