"""Which matches are in the sections that `--section` asks for.

A few are looked at one by one. Where there are many, all chunks of the index in these sections
are found at once: records without the words of the patterns need not be read.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from weakref import WeakKeyDictionary

from leafmark.index import Handle, IndexReader, Recent
from leafmark.retrieval.sections import parse_section

__all__ = ["SectionMembers"]

FEW_LOOKED_AT = 1000
"""Up to this many matches, looking at each is faster than finding all chunks of the sections of
26,000 documents (measured)."""

_REMEMBERED = 20
"""For how many lists of patterns the chunks are remembered, each a megabyte at most."""

_MOST_REMEMBERED = 10_000
"""More chunks than this are not remembered: some are found among the first matches."""

_known: WeakKeyDictionary[IndexReader, Recent[tuple[str, ...], Set[Handle]]] = WeakKeyDictionary()


class SectionMembers:
    """Tells which matches are in the sections asked for; looks at each match once.

    Raises:
        UsageError: a pattern is empty.
    """

    def __init__(self, reader: IndexReader, patterns: Sequence[str]):
        self._reader = reader
        self._patterns = tuple(patterns)
        self._parsed = [parse_section(one) for one in patterns]
        self._seen: dict[Handle, bool] = {}
        self._remembered = _known.setdefault(reader, Recent(_REMEMBERED))
        self._all = self._remembered.get(self._patterns)

    @property
    def count(self) -> int | None:
        """How many chunks of the index are in the sections; None if that is not known yet."""
        return None if self._all is None else len(self._all)

    def choose(self, chunks: Sequence[Handle]) -> list[bool]:
        """Return which of the chunks are in the sections, in their order."""
        if self._all is None:
            unknown = [chunk for chunk in chunks if chunk not in self._seen]
            if len(unknown) <= FEW_LOOKED_AT:
                paths = self._reader.section_paths(unknown)
                self._seen.update(zip(unknown, map(self._admits, paths), strict=True))
                return [self._seen[chunk] for chunk in chunks]
            self._all = self._find_all()
        members = self._all
        return [chunk in members for chunk in chunks]

    def _admits(self, path: tuple[str, ...]) -> bool:
        return any(one.admits(path) for one in self._parsed)

    def _find_all(self) -> Set[Handle]:
        """Return all chunks in the sections, remembered if they are few."""
        wanted = [words for one in self._parsed for words in one.words]
        found = self._reader.chunks_in_sections(self._admits, wanted)
        if len(found) <= _MOST_REMEMBERED:
            self._remembered.put(self._patterns, found)
        return found
