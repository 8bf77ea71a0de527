"""`ChunkRecord`: the record of a chunk, as it is printed, sent and read back.

It holds what `Chunk.to_dict` gives and needs no source: what follows from the
source (ids, texts, counts, hash) is written out. The fields, their names and
their order are a published contract.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from leafmark.errors import UsageError

__all__ = ["ChunkRecord"]


class ChunkRecord(NamedTuple):
    """One chunk. Offsets are bytes into the source, spans half-open, lines 1-based and inclusive.

    `content_type` names what most of the body is. `tokens` are those of `text`,
    `body_tokens` those of what is read of `body`: no front matter, and no markup of pages
    and notebooks. `sha256` is of the whole span.
    """

    id: str
    ordinal_id: str
    doc_id: str
    parent_id: str | None
    tree: str
    path: str
    kind: str
    title: str
    slug: str | None
    depth: int
    position: int
    breadcrumb: str
    section_path: tuple[str, ...]
    sibling_count: int
    sibling_ids: tuple[str, ...]
    prev_id: str | None
    next_id: str | None
    covers: tuple[str, ...]
    heading_start: int | None
    heading_end: int | None
    byte_start: int
    byte_end: int
    line_start: int
    line_end: int
    content_type: str
    block_types: tuple[str, ...]
    is_complete_section: bool
    oversize: bool
    undersize: bool
    tokens: int
    body_tokens: int
    tags: tuple[str, ...]
    version: str | None
    metadata: Mapping[str, Any]
    links: tuple[Mapping[str, Any], ...]
    encoding: str
    body: str
    text: str
    context_spans: tuple[tuple[int, int], ...]
    sha256: str

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> "ChunkRecord":
        """Return the record that a line of JSON holds; keys that are not known are left out.

        Raises:
            UsageError: a key is missing.
        """
        missing = [name for name in cls._fields if name not in record]
        if missing:
            raise UsageError(
                f"the record of a chunk has no `{missing[0]}`",
                hint="`leafmark chunk --jsonl` prints whole records, one a line",
            )
        return cls(**{name: _frozen(record[name]) for name in cls._fields})

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready data, equal to what the record was made of."""
        return {name: _thawed(value) for name, value in zip(self._fields, self, strict=True)}


def _frozen(value: Any) -> Any:
    """Lists as tuples; what is in a mapping stays as it is."""
    return tuple(_frozen(part) for part in value) if isinstance(value, list | tuple) else value


def _thawed(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_thawed(part) for part in value]
    return dict(value) if isinstance(value, Mapping) else value
