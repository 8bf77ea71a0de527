"""Pairing the sections of old and new documents by content, title and place.

Passes go from sure to likely, and none undoes a pair of an earlier one:

1. equal heading and own body, the nearest of several equal sections;
2. equal body of some length under another heading;
3. likely pairs, best first: they share an id, a title or rare pairs of words, and their score
   (content, then title, then place) is high enough;
4. sections without content of their own, by the votes of their subsections;
5. a single section between two pairs.

Likely pairs come from an index of rare features, so that the cost is linear in the size of the
given documents, which are the changed ones.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from heapq import nlargest

from leafmark.history.compared_sections import Features, Section, SectionedDocument

MIN_BODY_PAIRS = 4
"""Word pairs in a body from which equal bodies suffice: many sections consist of `None.`"""

MAX_SHARING = 20
"""Maximum number of sections with a word pair; a more frequent one leads to no candidates."""

MAX_CANDIDATES = 5
"""Sections with the most shared rare word pairs, which are compared in full."""

MAX_SAME_TITLE = 20
"""Maximum number of candidates that share a title in one file, a path of titles or an id."""

SURE_LIKENESS = 0.5
"""Likeness of content that makes a pair whatever the title."""

LIKELY_LIKENESS = 0.2
"""Likeness of content that makes a pair if title and place agree."""

LIKE_TITLE = 0.6
"""Likeness from which two titles are spellings of one (chosen by eye)."""


class Matching:
    """Pairs of old and new sections, each in one pair at most."""

    def __init__(self) -> None:
        self.new_of: dict[Section, Section] = {}
        self.old_of: dict[Section, Section] = {}

    def pair(self, old: Section, new: Section) -> None:
        self.new_of[old] = new
        self.old_of[new] = old

    def is_free(self, old: Section, new: Section) -> bool:
        return old not in self.new_of and new not in self.old_of

    def parents_are_paired(self, old: Section, new: Section) -> bool:
        """Whether the parents are a pair; two documents count as such, they have no parents."""
        if old.is_document or new.is_document:
            return old.is_document == new.is_document
        return self.new_of.get(parent_of(old)) is parent_of(new)


def parent_of(section: Section) -> Section:
    """Return the section above `section`, which is not a document."""
    return section.owner.sections[section.parent]


def likeness(old: Features, new: Features) -> float:
    """Return the share of pairs of words that two texts have in common: 0 to 1; 1 for no words."""
    total = old.total() + new.total()
    return 2 * _common(old, new) / total if total else 1.0


def containment(part: Features, whole: Features) -> float:
    """Return the share of the pairs of words of `part` that `whole` has, too."""
    total = part.total()
    return _common(part, whole) / total if total else 0.0


def _overlap(first: Features, second: Features) -> float:
    """Return the share of the shorter text's word pairs that the longer one has."""
    shorter = min(first.total(), second.total())
    return _common(first, second) / shorter if shorter else 0.0


def _common(first: Features, second: Features) -> int:
    if len(second) < len(first):
        first, second = second, first
    return sum(min(count, second[pair]) for pair, count in first.items() if pair in second)


def match_documents(old: Sequence[SectionedDocument], new: Sequence[SectionedDocument]) -> Matching:
    """Return the pairs among all sections of the changed, added and removed documents."""
    matching = Matching()
    new_by_key = {document.key: document for document in new if document.sections}
    for document in old:
        other = new_by_key.get(document.key)
        if other is not None and document.sections:
            matching.pair(document.sections[0], other.sections[0])
    sides = _Sides(old, new, matching)
    sides.pair_equal(lambda section: (section.heading, section.body), _IN_ONE_FILE)
    sides.pair_equal(
        lambda section: (section.heading, section.body) if _has_content(section) else None,
        _ANYWHERE,
    )
    sides.pair_equal(lambda section: section.body if _has_content(section) else None, _ANYWHERE)
    sides.pair_likely()
    sides.pair_parents()
    sides.pair_between()
    return matching


def _has_content(section: Section) -> bool:
    return section.weight >= MIN_BODY_PAIRS


class _Sides:
    """The sections of both sides, and the passes over the free ones."""

    def __init__(
        self,
        old: Iterable[SectionedDocument],
        new: Iterable[SectionedDocument],
        matching: Matching,
    ) -> None:
        self._old = [section for document in old for section in document.sections]
        self._new = [section for document in new for section in document.sections]
        self._matching = matching

    def _free_old(self) -> Iterator[Section]:
        return (section for section in self._old if section not in self._matching.new_of)

    def _free_new(self) -> Iterator[Section]:
        return (section for section in self._new if section not in self._matching.old_of)

    def pair_equal(
        self, key_of: Callable[[Section], Hashable | None], nearness: Iterable[_Place]
    ) -> None:
        """Pair sections with equal keys, first those that agree in the first of `nearness`.

        Documents are paired with documents only.
        """
        groups: dict[Hashable, tuple[list[Section], list[Section]]] = defaultdict(lambda: ([], []))
        for side, sections in enumerate((self._free_old(), self._free_new())):
            for section in sections:
                key = key_of(section)
                if key is not None:
                    groups[section.is_document, key][side].append(section)
        for olds, news in groups.values():
            if olds and news:
                self._pair_nearest(olds, news, nearness)

    def _pair_nearest(
        self, olds: list[Section], news: list[Section], nearness: Iterable[_Place]
    ) -> None:
        for near in nearness:
            waiting: dict[Hashable, list[Section]] = defaultdict(list)
            for new in reversed(news):
                waiting[near(new)].append(new)
            for old in olds:
                same = waiting.get(near(old))
                if same:
                    self._matching.pair(old, same.pop())
            olds = [old for old in olds if old not in self._matching.new_of]
            news = [new for new in news if new not in self._matching.old_of]
            if not olds or not news:
                return

    def pair_likely(self) -> None:
        """Pair the candidates whose score is high enough, best first."""
        olds = list(self._free_old())
        candidates = _Candidates(olds)
        scored = []
        for at, new in enumerate(self._free_new()):
            for old in candidates.of(new):
                score = _score(old, new)
                if score is not None:
                    scored.append((-score, old.position, at, old, new))
        scored.sort(key=lambda item: item[:3])
        for *_, old, new in scored:
            if self._matching.is_free(old, new):
                self._matching.pair(old, new)

    def pair_parents(self) -> None:
        """Pair parents with at least half of the votes of the old one's children, deepest first."""
        matching = self._matching
        children: Counter[Section] = Counter()
        votes: dict[Section, Counter[Section]] = defaultdict(Counter)
        for section in reversed(self._old):  # children come before their parents
            if section not in matching.new_of and votes[section]:
                best, count = votes[section].most_common(1)[0]
                if 2 * count >= children[section] and matching.is_free(section, best):
                    matching.pair(section, best)
            if section.is_document:
                continue
            above = parent_of(section)
            children[above] += 1
            new = matching.new_of.get(section)
            if new is not None and not new.is_document:
                candidate = parent_of(new)
                if candidate.is_document == above.is_document:
                    votes[above][candidate] += 1

    def pair_between(self) -> None:
        """Pair a single free section between paired neighbours, if the two may be the same."""
        matching = self._matching
        for old in list(self._free_old()):
            if old.is_document:
                continue
            above = matching.new_of.get(parent_of(old))
            if above is None:
                continue
            new = _at_same_place(old, above, matching)
            if new is not None and matching.is_free(old, new) and _may_be(old, new):
                matching.pair(old, new)


_Place = Callable[[Section], Hashable]
_IN_ONE_FILE: tuple[_Place, ...] = (
    lambda section: (section.id, section.section_path),
    lambda section: (section.owner.key, section.section_path),
    lambda section: section.owner.key,
)
_ANYWHERE: tuple[_Place, ...] = (
    *_IN_ONE_FILE,
    lambda section: section.section_path,
    lambda section: section.title,
    lambda section: None,
)
"""Where equal sections may agree, nearest first."""


class _Candidates:
    """Old sections by their names and word pairs."""

    def __init__(self, olds: Sequence[Section]) -> None:
        self._olds = olds
        self._by_name: dict[Hashable, list[Section]] = defaultdict(list)
        self._by_pair: dict[Hashable, list[int]] = defaultdict(list)
        for at, old in enumerate(olds):
            for key in _names(old):
                self._by_name[key].append(old)
            for pair in old.features:
                self._by_pair[pair].append(at)

    def of(self, new: Section) -> Iterator[Section]:
        """Yield the old sections that `new` may be, each once."""
        candidates: dict[Section, None] = {}
        for key in _names(new):
            candidates |= dict.fromkeys(self._by_name.get(key, ())[:MAX_SAME_TITLE])
        shared: Counter[int] = Counter()
        for pair in new.features:
            places = self._by_pair.get(pair, ())
            if len(places) <= MAX_SHARING:
                shared.update(places)
        nearest = nlargest(MAX_CANDIDATES, shared.items(), key=lambda item: (item[1], -item[0]))
        candidates |= dict.fromkeys(self._olds[at] for at, _ in nearest)
        return (old for old in candidates if old.is_document == new.is_document)


def _names(section: Section) -> Iterator[Hashable]:
    yield section.id
    yield section.owner.key, section.title.casefold()
    yield section.section_path


def _score(old: Section, new: Section) -> float | None:
    """Return how likely two sections are the same, None if they are not.

    Content counts most: a reader looks for the text, not for another one under its old title.
    """
    same_file = old.owner.key == new.owner.key
    title = 1.0 if old.title == new.title else _title_likeness(old.title, new.title)
    if same_file and title == 1:  # a section that was split or took in another keeps its name
        content = _overlap(old.features, new.features)
    else:
        content = likeness(old.features, new.features)
    same_above = old.section_path[:-1] == new.section_path[:-1]
    place = 0.6 * same_file + 0.4 * same_above
    if not old.weight and not new.weight:
        is_one = title == 1 and (same_file or same_above)
        content = 0.5
    else:
        is_one = content >= SURE_LIKENESS or _is_likely(content, title, place)
    return 2 * content + 0.5 * title + 0.3 * place if is_one else None


def _is_likely(content: float, title: float, place: float) -> bool:
    if title == 1:
        return place >= 0.6 or (content >= LIKELY_LIKENESS and place > 0)
    return content >= LIKELY_LIKENESS and title >= LIKE_TITLE


def _title_likeness(old: str, new: str) -> float:
    return SequenceMatcher(None, old.casefold()[:200], new.casefold()[:200], False).ratio()


def _at_same_place(old: Section, above: Section, matching: Matching) -> Section | None:
    """Return the new section below `above`, between the pairs of the neighbours of `old`."""
    siblings = _children(parent_of(old))
    others = _children(above)
    before = matching.new_of.get(siblings[old.number - 1]) if old.number else None
    if old.number and (before is None or before.is_document or parent_of(before) is not above):
        return None
    at = 0 if before is None else before.number + 1
    if at >= len(others):
        return None
    after = siblings[old.number + 1] if old.number + 1 < len(siblings) else None
    following = others[at + 1] if at + 1 < len(others) else None
    if after is None or following is None:
        return others[at] if after is following else None
    return others[at] if matching.new_of.get(after) is following else None


def _children(section: Section) -> Sequence[Section]:
    return section.owner.children_of(section.position)


def _may_be(old: Section, new: Section) -> bool:
    """Whether the titles are alike, or the texts (of which one is not empty)."""
    if _title_likeness(old.title, new.title) >= LIKE_TITLE:
        return True
    content = likeness(old.features, new.features)
    return content >= LIKELY_LIKENESS and max(old.weight, new.weight) > 0
