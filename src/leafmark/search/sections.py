"""`--section`: the section paths that a pattern admits, and the limits of merging.

A pattern is a list of globs, `Guide > Auth*`. It admits a path if it matches the whole path
or its end, element by element, in any case. `**` stands for any number of elements. A
breadcrumb as leafmark prints it is a pattern too. Since titles may hold the sign between
titles (`Rc<T>`), a path is also compared with the pattern as it is written.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from fnmatch import translate

from leafmark.errors import UsageError
from leafmark.index import Language, Snapshot
from leafmark.index.folding import fold
from leafmark.index.queries import AllOf, HasTerm, Query, any_of, unscored
from leafmark.index.snapshot import Handle
from leafmark.model import Entry
from leafmark.patterns import lazy_pattern
from leafmark.query import Expression, Filter, parts_of

Admits = Callable[[Entry], bool]
"""Says whether a chunk may be a result."""

_SEPARATOR = lazy_pattern(r"\s*[>›]\s*")
_SPACED = lazy_pattern(r"\s+[>›]\s+")
_DANGLING = lazy_pattern(r"[>›]\s|.*\s[>›]$|[>›]?$", re.DOTALL)
"""An empty title, or one that begins or ends with a separator beside a space."""

_ANY_DEPTH = "**"

_SETS = lazy_pattern(r"\[.*\]|\[.*", re.DOTALL)
"""The parts of a glob that may be sets of characters."""

_GLOBBED = lazy_pattern(r"\w*[*?]+\w*")
"""A word with a wildcard."""


class SectionPattern:
    """One pattern, as written and as elements; remembers its answer for each path."""

    def __init__(self, written: str, elements: Sequence[str]):
        self._written = _fold(written)
        self._elements = [_matcher(element) for element in elements]
        self._globs = [_fold(element) for element in elements]
        self._known: dict[tuple[str, ...], bool] = {}

    @property
    def words(self) -> tuple[str, str]:
        """The texts whose words an admitted path contains: of the elements, and as written."""
        return " ".join(_SETS.sub(" ", glob) for glob in self._globs), self._written

    def admits(self, path: tuple[str, ...]) -> bool:
        if path not in self._known:
            titles = [_fold(title) for title in path]
            self._known[path] = self._is_written(titles) or self._is_end_of(titles)
        return self._known[path]

    def _is_written(self, path: Sequence[str]) -> bool:
        """Whether the path, or its end, is exactly what was written."""
        return any(
            f"{sign}{sign.join(path)}".endswith(f"{sign}{self._written}") for sign in (" › ", " > ")
        )

    def _is_end_of(self, path: Sequence[str]) -> bool:
        """Whether the elements match the path or its end.

        Walks the path with the set of places in the pattern that can be reached.
        """
        last = self._elements[-1]
        if last is not None and not last(path[-1]):  # most paths need no more
            return False
        reached = {0}
        for title in path:
            following = {0}  # the pattern may begin at any element
            for at in self._skipped(reached):
                matches = self._elements[at] if at < len(self._elements) else None
                if at < len(self._elements) and matches is None:
                    following.add(at)
                elif matches is not None and matches(title):
                    following.add(at + 1)
            reached = following
        return len(self._elements) in self._skipped(reached)

    def _skipped(self, reached: Iterable[int]) -> set[int]:
        """Return the places in the pattern and those behind a `**` that stands for nothing more."""
        states = set(reached)
        for at, element in enumerate(self._elements):
            if at in states and element is None:
                states.add(at + 1)
        return states


def _matcher(element: str) -> Callable[[str], bool] | None:
    """Return a function that compares a title with the element, as text or glob; None for `**`."""
    if element == _ANY_DEPTH:
        return None
    literal = _fold(element)
    glob = re.compile(translate(literal))
    return lambda title: title == literal or glob.match(title) is not None


def _fold(title: str) -> str:
    return " ".join(fold(title).split()).casefold()


def parse_section(pattern: str) -> SectionPattern:
    """Return the pattern written as titles with `>` or `›` between them.

    Raises:
        UsageError: it has an empty element, or none at all.

    >>> parse_section("> Guide › Auth*").admits(("Guide", "Authorization"))
    True
    >>> parse_section("guide > **").admits(("Guide", "Authorization", "OAuth2"))
    True
    """
    written = pattern.strip()
    written = written[1:].strip() if written[:1] in (">", "›") else written
    elements = _SEPARATOR.split(written)
    if not all(elements):
        elements = _SPACED.split(written)
    if any(map(_DANGLING.match, elements)):
        raise UsageError(
            f"the section pattern `{pattern}` has an empty title",
            hint="write titles with > between them, as in 'Guide > Auth*'",
        )
    return SectionPattern(written, elements)


class SectionFilter:
    """Finds the matches in the requested sections; checks each path once.

    Raises:
        UsageError: a pattern is empty.
    """

    def __init__(self, snapshot: Snapshot, patterns: Sequence[str]):
        self._snapshot = snapshot
        self._parsed = [parse_section(pattern) for pattern in patterns]

    def query(self, language: Language) -> Query:
        """Return a query by words that all chunks in the sections match, and some others.

        Words with a wildcard are not part of it.
        """
        queries = [self._of(text, language) for pattern in self._parsed for text in pattern.words]
        return unscored(any_of(queries))

    def _of(self, text: str, language: Language) -> Query:
        terms = dict.fromkeys(language.analyzer.terms(_GLOBBED.sub(" ", text)))
        return AllOf(tuple(HasTerm(language.titles, term) for term in terms))

    def choose(self, chunks: Sequence[Handle]) -> list[bool]:
        """Return for each chunk whether it is in the sections."""
        paths = self._snapshot.section_paths(chunks)
        return [any(pattern.admits(path) for pattern in self._parsed) for path in paths]


def section_filter(patterns: Iterable[str]) -> Admits | None:
    """Return a filter of chunks whose section path matches a pattern; None without patterns.

    Raises:
        UsageError: a pattern is empty.
    """
    parsed = [parse_section(pattern) for pattern in patterns]
    if not parsed:
        return None
    return lambda entry: any(pattern.admits(entry.section_path) for pattern in parsed)


def within_bounds(
    topics: Sequence[Expression], find: Callable[[str], Sequence[Entry]]
) -> Admits | None:
    """Return a filter of the chunks in the subtrees that the topics are limited to by `under:`.

    None if one of the topics is not limited. `find` returns the chunks that an id names.
    """
    roots: list[Entry] = []
    for topic in topics:
        limited = next(
            (part for part in parts_of(topic) if isinstance(part, Filter) and part.name == "under"),
            None,
        )
        if limited is None:
            return None
        roots += find(str(limited.value))
    return lambda entry: any(root.holds(entry) for root in roots)
