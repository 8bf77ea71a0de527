"""The fate of each section between two states of some documents.

In: the documents whose bytes are not the same on both sides. Out: a `Comparison`, in which each of
their sections has its fate. A section is `changed` only if its own bytes differ.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from typing import Literal, NamedTuple

from leafmark.history.compared_sections import Features, Section, SectionedDocument, TextBlock
from leafmark.history.matching import (
    MAX_SHARING,
    Matching,
    containment,
    likeness,
    match_documents,
    parent_of,
)

Fate = Literal[
    "added", "removed", "moved", "reordered", "renamed", "changed", "split", "merged", "unchanged"
]
FATES: tuple[Fate, ...] = Fate.__args__  # type: ignore[attr-defined]

PART_SHARE = 0.5
"""Share of a section's word pairs in another section that makes it a part of that one."""

MIN_PART_PAIRS = 6
"""Minimum number of word pairs of a part: a shorter text is in many sections."""

MAX_ALIGNED_BLOCKS = 1_000
"""Blocks of a section that are aligned; of more, only removed and added ones are listed."""

MIN_SHARE = 0.005
"""Reported share of a change that touches no word, but more than white space."""


class BlockChange(NamedTuple):
    """A block of a section that is on one side only, or differs between them."""

    kind: Literal["added", "removed", "changed"]
    block: str
    old: str | None
    new: str | None


class SectionChange(NamedTuple):
    """One section on both sides; None where it is missing.

    `fates` are in the order of `FATES`. `share` is the changed share of its text, 0 to 1; 0 is
    white space. `parts` are the new sections with the text of a split or merged one.
    """

    fates: tuple[Fate, ...]
    old: Section | None
    new: Section | None
    share: float = 0.0
    blocks: tuple[BlockChange, ...] = ()
    parts: tuple[Section, ...] = ()

    @property
    def is_change(self) -> bool:
        return self.fates != ("unchanged",)

    @property
    def section(self) -> Section:
        """The new section, else the old one."""
        section = self.new or self.old
        assert section is not None
        return section


class DocumentChange(NamedTuple):
    """One document on both sides, with all its sections in new order, removed ones in between.

    `fate` is `moved` if its path changed; `is_edited` says whether its bytes changed.
    """

    fate: Literal["added", "removed", "moved", "changed"]
    old: SectionedDocument | None
    new: SectionedDocument | None
    sections: tuple[SectionChange, ...]
    is_edited: bool

    @property
    def document(self) -> SectionedDocument:
        document = self.new or self.old
        assert document is not None
        return document

    @property
    def changes(self) -> list[SectionChange]:
        return [change for change in self.sections if change.is_change]


class Comparison(NamedTuple):
    """All differences, by document. `unchanged` is the number of equal documents."""

    documents: tuple[DocumentChange, ...]
    matching: Matching
    fates: dict[Section, SectionChange]
    """By old section, and by new section where there is no old one."""

    unchanged: int = 0

    def counts(self) -> dict[Fate, int]:
        """Return the number of sections with each fate; a document's own text counts as one."""
        counts = Counter(fate for change in self.fates.values() for fate in change.fates)
        return {fate: counts[fate] for fate in FATES if counts[fate]}

    def destinations(self, old: Section) -> tuple[Section, ...]:
        """Return the new sections with the text of an old one, best first; none if it is gone."""
        change = self.fates[old]
        first = () if change.new is None else (change.new,)
        return (*first, *(part for part in change.parts if part is not change.new))


def compare_documents(
    old: Sequence[SectionedDocument], new: Sequence[SectionedDocument], *, unchanged: int = 0
) -> Comparison:
    """Return the fate of each section; the caller leaves out documents with equal bytes."""
    matching = match_documents(old, new)
    reordered = _find_reordered(old, matching)
    fates = {}
    parts_of = _find_parts(old, new, matching)
    for document in old:
        for section in document.sections:
            fates[section] = _fate_of(section, matching, reordered, parts_of.get(section, ()))
    for document in new:
        for section in document.sections:
            if section not in matching.old_of:
                fates[section] = SectionChange(("added",), None, section)
    documents = tuple(_group_by_document(old, new, matching, fates))
    return Comparison(documents, matching, fates, unchanged)


def compare_pair(old: Section, new: Section) -> tuple[float, tuple[BlockChange, ...]]:
    """Return the changed share of the text, 0 for white space alone, and the changed blocks."""
    if b"".join(old.body.split()) == b"".join(new.body.split()):
        share = 0.0
    else:
        share = max(MIN_SHARE, 1 - likeness(old.features, new.features))
    return share, tuple(_block_changes(old.blocks, new.blocks))


def _fate_of(
    old: Section, matching: Matching, reordered: frozenset[Section], parts: Sequence[Section]
) -> SectionChange:
    new = matching.new_of.get(old)
    if new is None:
        if not parts:
            return SectionChange(("removed",), old, None)
        is_merged = len(parts) == 1 and parts[0].weight > old.weight
        fate: Fate = "merged" if is_merged else "split"
        return SectionChange((fate,), old, None, parts=tuple(parts))
    fate_set: set[Fate] = set()
    if _has_moved(old, new, matching):
        fate_set.add("moved")
    if old in reordered:
        fate_set.add("reordered")
    if _is_renamed(old, new):
        fate_set.add("renamed")
    share, blocks = 0.0, _NO_BLOCKS
    if old.body != new.body:
        fate_set.add("changed")
        share, blocks = compare_pair(old, new)
    elif old.heading != new.heading and not fate_set & {"moved", "renamed"}:
        fate_set.add("changed")  # only the markup of the heading
    if parts:
        fate_set.add("split")
    fates = tuple(fate for fate in FATES if fate in fate_set) or ("unchanged",)
    return SectionChange(fates, old, new, share, blocks, tuple(parts))


_NO_BLOCKS: tuple[BlockChange, ...] = ()


def _has_moved(old: Section, new: Section, matching: Matching) -> bool:
    if old.is_document:
        return old.owner.key != new.owner.key
    return not matching.parents_are_paired(old, new) or old.depth != new.depth


def _is_renamed(old: Section, new: Section) -> bool:
    """Whether the title changed in the source: a definition elsewhere may change a link in it."""
    if old.title == new.title or (old.heading and old.heading == new.heading):
        return False
    return not _is_named_after_file(old, new)


def _is_named_after_file(old: Section, new: Section) -> bool:
    """Whether a document has no title of its own on either side: then only its path changed."""
    if not old.is_document:
        return False
    stems = (section.path.rpartition("/")[2].rpartition(".")[0] for section in (old, new))
    return tuple(stems) == (old.title, new.title)


def _find_reordered(old: Iterable[SectionedDocument], matching: Matching) -> frozenset[Section]:
    """Return the fewest old sections without which siblings have the same order as before."""
    reordered = set()
    for document in old:
        for section in document.sections:
            new = matching.new_of.get(section)
            if new is None:
                continue
            children = [
                (child, matching.new_of[child].number)
                for child in document.children_of(section.position)
                if child in matching.new_of and _is_child(matching.new_of[child], new)
            ]
            in_order = _longest_increasing([number for _, number in children])
            reordered |= {child for at, (child, _) in enumerate(children) if at not in in_order}
    return frozenset(reordered)


def _is_child(section: Section, above: Section) -> bool:
    return not section.is_document and parent_of(section) is above


def _longest_increasing(numbers: Sequence[int]) -> set[int]:
    """Return the positions of a longest increasing subsequence.

    >>> sorted(_longest_increasing([0, 3, 1, 2]))
    [0, 2, 3]
    """
    ends: list[int] = []
    places: list[int] = []
    before: list[int | None] = []
    for at, number in enumerate(numbers):
        length = bisect_left(ends, number)
        before.append(places[length - 1] if length else None)
        ends[length:] = [number]
        places[length:] = [at]
    members: set[int] = set()
    last = places[-1] if places else None
    while last is not None:
        members.add(last)
        last = before[last]
    return members


def _find_parts(
    old: Sequence[SectionedDocument], new: Sequence[SectionedDocument], matching: Matching
) -> dict[Section, list[Section]]:
    """Return the new sections into which old ones were split or merged, by old section.

    A new section without a pair is part of the old one that had most of it; an old section without
    a pair is part of the new one that has most of it. Unchanged sections lose and gain nothing.
    """
    old_sections = (section for document in old for section in document.sections)
    olds = [section for section in old_sections if _may_lose_text(section, matching)]
    new_sections = (section for document in new for section in document.sections)
    news = [section for section in new_sections if _may_gain_text(section, matching)]
    parts: dict[Section, list[Section]] = defaultdict(list)
    losses = _TextExchange(olds, matching.new_of)
    for section in news:
        if section not in matching.old_of:
            whole = losses.find_whole(section)
            if whole is not None:
                parts[whole].append(section)
    gains = _TextExchange(news, matching.old_of)
    for section in olds:
        if section not in matching.new_of and section not in parts:
            whole = gains.find_whole(section)
            if whole is not None:
                parts[section].append(whole)
    return parts


def _may_lose_text(old: Section, matching: Matching) -> bool:
    new = matching.new_of.get(old)
    return old.weight >= MIN_PART_PAIRS and (new is None or new.body != old.body)


def _may_gain_text(new: Section, matching: Matching) -> bool:
    old = matching.old_of.get(new)
    return new.weight >= MIN_PART_PAIRS and (old is None or new.body != old.body)


class _TextExchange:
    """The text that sections lost or gained: their word pairs without those of their pairs."""

    def __init__(self, sections: Sequence[Section], pairs: Mapping[Section, Section]) -> None:
        self._sections = sections
        self._features: list[Features] = []
        self._places: dict[tuple[str, ...], list[int]] = defaultdict(list)
        for at, section in enumerate(sections):
            pair = pairs.get(section)
            own = section.features if pair is None else section.features - pair.features
            self._features.append(own)
            for words in own:
                self._places[words].append(at)

    def find_whole(self, part: Section) -> Section | None:
        """Return the section that lost or gained most of a text, if that is `PART_SHARE` of it."""
        shared: Counter[int] = Counter()
        for words in part.features:
            places = self._places.get(words, ())
            if len(places) <= MAX_SHARING:
                shared.update(places)
        for at, _ in shared.most_common(3):
            if containment(part.features, self._features[at]) >= PART_SHARE:
                return self._sections[at]
        return None


def _block_changes(old: Sequence[TextBlock], new: Sequence[TextBlock]) -> Iterator[BlockChange]:
    befores, afters = [block.text for block in old], [block.text for block in new]
    if max(len(old), len(new)) > MAX_ALIGNED_BLOCKS:
        yield from _list_changes(old, new)
        return
    for tag, a, b, c, d in SequenceMatcher(None, befores, afters, False).get_opcodes():
        if tag == "equal":
            continue
        both = min(b - a, d - c)
        for before, after in zip(old[a : a + both], new[c : c + both], strict=True):
            yield BlockChange("changed", after.kind, before.text, after.text)
        for before in old[a + both : b]:
            yield BlockChange("removed", before.kind, before.text, None)
        for after in new[c + both : d]:
            yield BlockChange("added", after.kind, None, after.text)


def _list_changes(old: Sequence[TextBlock], new: Sequence[TextBlock]) -> Iterator[BlockChange]:
    befores, afters = {block.text for block in old}, {block.text for block in new}
    for block in old:
        if block.text not in afters:
            yield BlockChange("removed", block.kind, block.text, None)
    for block in new:
        if block.text not in befores:
            yield BlockChange("added", block.kind, None, block.text)


def _group_by_document(
    old: Sequence[SectionedDocument],
    new: Sequence[SectionedDocument],
    matching: Matching,
    fates: dict[Section, SectionChange],
) -> Iterator[DocumentChange]:
    """Yield the documents in order of their new keys, removed ones by their old keys."""
    rows: list[tuple[tuple[str, str], DocumentChange]] = []
    paired_keys = set()
    for document in new:
        before = _document_before(document, old, matching)
        paired_keys.add(None if before is None else before.key)
        rows.append((document.key, _document_change(before, document, matching, fates)))
    rows += [
        (document.key, _document_change(document, None, matching, fates))
        for document in old
        if document.key not in paired_keys
    ]
    rows.sort(key=lambda row: row[0])
    for _, change in rows:
        yield change


def _document_before(
    document: SectionedDocument, old: Sequence[SectionedDocument], matching: Matching
) -> SectionedDocument | None:
    if document.sections:
        root = matching.old_of.get(document.sections[0])
        return None if root is None else root.owner
    return next((candidate for candidate in old if candidate.key == document.key), None)


def _document_change(
    old: SectionedDocument | None,
    new: SectionedDocument | None,
    matching: Matching,
    fates: dict[Section, SectionChange],
) -> DocumentChange:
    sections = list(_in_order(old, new, matching, fates))
    if old is None or new is None:
        fate: Literal["added", "removed"] = "added" if old is None else "removed"
        return DocumentChange(fate, old, new, tuple(sections), True)
    is_edited = old.document.data != new.document.data
    return DocumentChange(
        "changed" if old.key == new.key else "moved", old, new, tuple(sections), is_edited
    )


def _in_order(
    old: SectionedDocument | None,
    new: SectionedDocument | None,
    matching: Matching,
    fates: dict[Section, SectionChange],
) -> Iterator[SectionChange]:
    """Yield the changes of a document's sections; a removed one follows its old predecessor."""
    removed: dict[Section | None, list[SectionChange]] = defaultdict(list)
    last: Section | None = None
    for section in () if old is None else old.sections:
        after = matching.new_of.get(section)
        if after is None:
            removed[last].append(fates[section])
        elif new is not None and after.owner is new:
            last = after
    yield from removed[None]
    for section in () if new is None else new.sections:
        before = matching.old_of.get(section)
        yield fates[section if before is None else before]
        yield from removed[section]
