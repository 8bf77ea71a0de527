"""Documents made of parts, with the headings and blocks that a parser would find in them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from leafmark.model import Block, Document, Heading, Span

Part = tuple[Any, ...]
"""`("heading", level, title)`, `("nested", title)` (a heading in a quote), `("paragraph", text)`,
`("code", language, text)`, `("table", rows)`, `("list", items)`, `("front_matter", text)`,
`("blank", text)`."""


class DocumentBuilder:
    """Appends parts to a source, and the blocks and headings that stand for them."""

    def __init__(self) -> None:
        self.data = bytearray()
        self.headings: list[dict[str, Any]] = []
        self.blocks: list[Block] = []
        self.front_matter: Span | None = None

    def add(self, part: Part) -> None:
        getattr(self, f"_add_{part[0]}")(*part[1:])

    def _write(self, text: str) -> tuple[int, int]:
        start = len(self.data)
        self.data += text.encode()
        return start, len(self.data)

    def _block(self, kind: Any, text: str, **fields: Any) -> tuple[int, int]:
        start, end = self._write(text)
        self.blocks.append(Block(kind, start, end, **fields))
        return start, end

    def _add_heading(self, level: int, title: str) -> None:
        start, end = self._write(f"{'#' * level} {title}\n")
        self.headings.append(
            {"level": level, "title": title, "slug_text": title, "start": start, "end": end}
        )

    def _add_nested(self, title: str) -> None:
        start, end = self._block("quote", f"> # {title}\n")
        self.blocks.append(Block("heading", start, end, level=1))
        self.headings.append(
            {"level": 1, "title": title, "slug_text": title, "start": start, "end": end}
            | {"nested": True}
        )

    def _add_paragraph(self, text: str) -> None:
        self._block("paragraph", text + "\n")
        self._write("\n")

    def _add_html(self, text: str) -> None:
        self._block("html", text + "\n")
        self._write("\n")

    def _add_code(self, language: str, text: str) -> None:
        opening = f"```{language}\n"
        content = len(self.data) + len(opening)
        self._block("code", f"{opening}{text}\n```\n", info=language, content_start=content)
        self._write("\n")

    def _add_table(self, rows: Sequence[str]) -> None:
        header = "| Name | Value |\n|---|---|\n"
        start = len(self.data)
        at = start + len(header)
        lines = [f"| {row} | 1 |\n" for row in rows]
        self._block("table", header + "".join(lines), content_start=at)
        self.blocks.append(Block("table_row", start, start + 17, level=1))
        for line in lines:
            self.blocks.append(Block("table_row", at, at + len(line.encode()), level=1))
            at += len(line.encode())
        self._write("\n")

    def _add_list(self, items: Sequence[str]) -> None:
        at = len(self.data)
        lines = [f"- {item}\n" for item in items]
        self._block("list", "".join(lines))
        for line in lines:
            end = at + len(line.encode())
            self.blocks.append(Block("list_item", at, end, level=1))
            self.blocks.append(Block("paragraph", at + 2, end, level=2))
            at = end
        self._write("\n")

    def _add_front_matter(self, text: str) -> None:
        start, end = self._block("front_matter", f"---\n{text}\n---\n")
        self.front_matter = Span(start, end)

    def _add_blank(self, text: str) -> None:
        self._write(text)

    def build(self, path: str, title: str | None, **fields: Any) -> Document:
        data = bytes(self.data)
        top = [h for h in self.headings if h["level"] == 1 and not h.get("nested") and h["title"]]
        if title is None:
            title = top[0]["title"] if top else path.rpartition("/")[2].rpartition(".")[0]
        return Document(
            path=path,
            data=data,
            format="markdown",
            title=title,
            headings=tuple(Heading(limit=len(data), **heading) for heading in self.headings),
            blocks=tuple(self.blocks),
            front_matter=self.front_matter,
            **fields,
        )


def make_document(
    *parts: Part, path: str = "p.md", title: str | None = None, **fields: Any
) -> Document:
    """Return the document made of `parts`, in order."""
    builder = DocumentBuilder()
    for part in parts:
        builder.add(part)
    return builder.build(path, title, **fields)


def words(tokens: int) -> str:
    """Return prose of `tokens` tokens of o200k_base, a multiple of 10: sentences of 10 each."""
    assert tokens % 10 == 0
    return " ".join(["Word word word word word word word word word."] * (tokens // 10))
