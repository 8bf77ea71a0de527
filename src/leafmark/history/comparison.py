"""What became of each section between two states of some documents.

In: the documents that are not equal by bytes on both sides. Out: a `Comparison`, in which every
section of theirs has its fate. A section is `changed` only if its own bytes differ.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from typing import Literal, NamedTuple

from leafmark.history.matching import (
    MAX_SHARING,
    Matching,
    containment,
    likeness,
    match_documents,
    parent_of,
)
from leafmark.history.sections import Features, Section, SectionedDocument, TextBlock

Fate = Literal[
    "added", "removed", "moved", "reordered", "renamed", "changed", "split", "merged", "unchanged"
]
FATES: tuple[Fate, ...] = Fate.__args__  # type: ignore[attr-defined]

PART_SHARE = 0.5
"""Of a section's pairs of words, the share that stands in another one that it was part of."""

MIN_PART_PAIRS = 6
"""Pairs of words from which a text is a part of another; shorter ones stand in many."""

MAX_ALIGNED_BLOCKS = 1_000
"""Blocks of a section that are aligned; of more, those that are gone and new are listed."""

MIN_SHARE = 0.005
"""What is told of a change that touches no word, but more than white space."""


class BlockChange(NamedTuple):
    """A block of a section that is there on one side, or other on both."""

    kind: Literal["added", "removed", "changed"]
    block: str
    old: str | None
    new: str | None


class SectionChange(NamedTuple):
    """One section on both sides; None where it is not there.

    `fates` are in the order of `FATES`. `share` is how much of its text is other, 0 to 1; 0 is
    white space. `parts` are the new sections that a split or merged one stands in now.
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
        found = self.new or self.old
        assert found is not None
        return found


class DocumentChange(NamedTuple):
    """One document on both sides, with all its sections in their new order, gone ones in between.

    `fate` is `moved` where its path is another; `is_edited` says whether its bytes are other.
    """

    fate: Literal["added", "removed", "moved", "changed"]
    old: SectionedDocument | None
    new: SectionedDocument | None
    sections: tuple[SectionChange, ...]
    is_edited: bool

    @property
    def document(self) -> SectionedDocument:
        found = self.new or self.old
        assert found is not None
        return found

    @property
    def changes(self) -> list[SectionChange]:
        return [one for one in self.sections if one.is_change]


class Comparison(NamedTuple):
    """All that is not the same, by document. `unchanged` counts documents that are."""

    documents: tuple[DocumentChange, ...]
    matching: Matching
    fates: dict[Section, SectionChange]
    """By old section, and by new section where there is no old one."""

    unchanged: int = 0

    def counts(self) -> dict[Fate, int]:
        """How many sections have each fate; a document counts where its own text has one."""
        found = Counter(fate for one in self.fates.values() for fate in one.fates)
        return {fate: found[fate] for fate in FATES if found[fate]}

    def destinations(self, old: Section) -> tuple[Section, ...]:
        """Return where the text of an old section stands now, best first; nothing if it is gone."""
        change = self.fates[old]
        first = () if change.new is None else (change.new,)
        return (*first, *(part for part in change.parts if part is not change.new))


def compare_documents(
    old: Sequence[SectionedDocument], new: Sequence[SectionedDocument], *, unchanged: int = 0
) -> Comparison:
    """Return what became of each section; documents with equal bytes on both sides are left out."""
    matching = match_documents(old, new)
    reordered = _reordered(old, matching)
    fates = {}
    parts_of = _find_parts(old, new, matching)
    for document in old:
        for section in document.sections:
            fates[section] = _fate_of(section, matching, reordered, parts_of.get(section, ()))
    for document in new:
        for section in document.sections:
            if section not in matching.old_of:
                fates[section] = SectionChange(("added",), None, section)
    documents = tuple(_by_document(old, new, matching, fates))
    return Comparison(documents, matching, fates, unchanged)


def compare_pair(old: Section, new: Section) -> tuple[float, tuple[BlockChange, ...]]:
    """Return how much of the text is other, 0 for white space alone, and which blocks are."""
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
    found: set[Fate] = set()
    if _has_moved(old, new, matching):
        found.add("moved")
    if old in reordered:
        found.add("reordered")
    if _is_renamed(old, new):
        found.add("renamed")
    share, blocks = 0.0, _NO_BLOCKS
    if old.body != new.body:
        found.add("changed")
        share, blocks = compare_pair(old, new)
    elif old.heading != new.heading and not found & {"moved", "renamed"}:
        found.add("changed")  # the markup of the heading alone
    if parts:
        found.add("split")
    fates = tuple(fate for fate in FATES if fate in found) or ("unchanged",)
    return SectionChange(fates, old, new, share, blocks, tuple(parts))


_NO_BLOCKS: tuple[BlockChange, ...] = ()


def _has_moved(old: Section, new: Section, matching: Matching) -> bool:
    if old.is_document:
        return old.owner.key != new.owner.key
    return not matching.parents_are_paired(old, new) or old.depth != new.depth


def _is_renamed(old: Section, new: Section) -> bool:
    """Whether the title is another by what is written; a definition elsewhere may change a link."""
    if old.title == new.title or (old.heading and old.heading == new.heading):
        return False
    return not _is_named_after_file(old, new)


def _is_named_after_file(old: Section, new: Section) -> bool:
    """Whether a document has no title of its own on either side: then only its path is other."""
    if not old.is_document:
        return False
    stems = (one.path.rpartition("/")[2].rpartition(".")[0] for one in (old, new))
    return tuple(stems) == (old.title, new.title)


def _reordered(old: Iterable[SectionedDocument], matching: Matching) -> frozenset[Section]:
    """Return the fewest old sections whose siblings would else stand as before."""
    found = set()
    for document in old:
        for section in document.sections:
            new = matching.new_of.get(section)
            if new is None:
                continue
            kept = [
                (one, matching.new_of[one].number)
                for one in document.children_of(section.position)
                if one in matching.new_of and _is_child(matching.new_of[one], new)
            ]
            in_order = _longest_increasing([number for _, number in kept])
            found |= {one for at, (one, _) in enumerate(kept) if at not in in_order}
    return frozenset(found)


def _is_child(section: Section, above: Section) -> bool:
    return not section.is_document and parent_of(section) is above


def _longest_increasing(numbers: Sequence[int]) -> set[int]:
    """Return the places of a longest increasing run.

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
    found: set[int] = set()
    last = places[-1] if places else None
    while last is not None:
        found.add(last)
        last = before[last]
    return found


def _find_parts(
    old: Sequence[SectionedDocument], new: Sequence[SectionedDocument], matching: Matching
) -> dict[Section, list[Section]]:
    """Return the new sections that old ones were split into, or merged into, by old section.

    A new one that has no pair is part of the old one that held most of it; an old one that has
    none is part of the new one that holds most of it. What is unchanged took and gave nothing.
    """
    olds = [one for each in old for one in each.sections if _gave(one, matching)]
    news = [one for each in new for one in each.sections if _took(one, matching)]
    found: dict[Section, list[Section]] = defaultdict(list)
    given = _Offers(olds, matching.new_of)
    for section in news:
        if section not in matching.old_of:
            whole = given.whole_around(section)
            if whole is not None:
                found[whole].append(section)
    taken = _Offers(news, matching.old_of)
    for section in olds:
        if section not in matching.new_of and section not in found:
            whole = taken.whole_around(section)
            if whole is not None:
                found[section].append(whole)
    return found


def _gave(old: Section, matching: Matching) -> bool:
    new = matching.new_of.get(old)
    return old.weight >= MIN_PART_PAIRS and (new is None or new.body != old.body)


def _took(new: Section, matching: Matching) -> bool:
    old = matching.old_of.get(new)
    return new.weight >= MIN_PART_PAIRS and (old is None or new.body != old.body)


class _Offers:
    """What sections gave or took: their words without those that their pairs have, too."""

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

    def whole_around(self, part: Section) -> Section | None:
        """Return the section that gave or took most of a text, if it was enough of it."""
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
    befores, afters = [one.text for one in old], [one.text for one in new]
    if max(len(old), len(new)) > MAX_ALIGNED_BLOCKS:
        yield from _unaligned(old, new)
        return
    for tag, a, b, c, d in SequenceMatcher(None, befores, afters, False).get_opcodes():
        if tag == "equal":
            continue
        both = min(b - a, d - c)
        for one, other in zip(old[a : a + both], new[c : c + both], strict=True):
            yield BlockChange("changed", other.kind, one.text, other.text)
        for one in old[a + both : b]:
            yield BlockChange("removed", one.kind, one.text, None)
        for other in new[c + both : d]:
            yield BlockChange("added", other.kind, None, other.text)


def _unaligned(old: Sequence[TextBlock], new: Sequence[TextBlock]) -> Iterator[BlockChange]:
    befores, afters = {one.text for one in old}, {one.text for one in new}
    for one in old:
        if one.text not in afters:
            yield BlockChange("removed", one.kind, one.text, None)
    for other in new:
        if other.text not in befores:
            yield BlockChange("added", other.kind, None, other.text)


def _by_document(
    old: Sequence[SectionedDocument],
    new: Sequence[SectionedDocument],
    matching: Matching,
    fates: dict[Section, SectionChange],
) -> Iterator[DocumentChange]:
    """Yield the documents in order of their new keys, gone ones at theirs."""
    rows: list[tuple[tuple[str, str], DocumentChange]] = []
    taken = set()
    for document in new:
        before = _document_before(document, old, matching)
        taken.add(None if before is None else before.key)
        rows.append((document.key, _document_change(before, document, matching, fates)))
    rows += [
        (document.key, _document_change(document, None, matching, fates))
        for document in old
        if document.key not in taken
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
    return next((one for one in old if one.key == document.key), None)


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
    """Yield the changes of a new document's sections; one that is gone follows what it followed."""
    gone: dict[Section | None, list[SectionChange]] = defaultdict(list)
    last: Section | None = None
    for section in () if old is None else old.sections:
        after = matching.new_of.get(section)
        if after is None:
            gone[last].append(fates[section])
        elif new is not None and after.owner is new:
            last = after
    yield from gone[None]
    for section in () if new is None else new.sections:
        before = matching.old_of.get(section)
        yield fates[section if before is None else before]
        yield from gone[section]
