"""The longest beginning of an answer that fits a budget, and marks where something is left out."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import count as count_from
from typing import Generic, TypeVar, cast

from leafmark.chunking import token_counter
from leafmark.errors import BudgetError
from leafmark.model import Answer, Omission, Packing, Passage, Result, Shown, ShowReport, Snippet
from leafmark.namedtuples import NamedTuple
from leafmark.render.reading import OutlinesShown
from leafmark.render.search_results import excerpt_lines
from leafmark.search.packing import passages

Count = Callable[[str], int]

_BUILT_IN = ("o200k_base", "cl100k_base")

_WORD_BREAK = re.compile(r"(?<=\n)(?=[^\s/])")
"""Places that no word of the built-in tokenizers crosses: before the first sign of a line.

They take a slash together with the line end before it.
"""


_PADDING = 8
"""Tokens by which an answer with more steps may cost less, since columns and their padding move."""


class Rendered(NamedTuple):
    """The printed text, and the number of steps in it."""

    text: str
    steps: int


def count_tokens(tokenizer: str) -> Count:
    """Return a function that counts similar texts and remembers the counts of their parts.

    A count is that of the whole text: counts of parts add up where no word is cut.
    """
    count = token_counter(tokenizer)
    if tokenizer not in _BUILT_IN:
        return count
    known: dict[str, int] = {}

    def count_lines(text: str) -> int:
        total = 0
        for part in _WORD_BREAK.split(text):
            if part not in known:
                known[part] = count(part)
            total += known[part]
        return total

    return count_lines


def fit(size: int, render: Callable[[int, bool], str], count: Count, budget: int) -> Rendered:
    """Return `render(steps, marks)` for the highest number of steps, at most `size`, that fits.

    `marks` tells whether omissions are marked. Without marks more steps never cost less (but
    for `_PADDING`), nor more than with them, which narrows the search; with them they may, so
    that the candidates that are left are tried from the longest down.

    Raises:
        BudgetError: the smallest answer does not fit; it names the least budget.
    """
    least = min(1, size)
    for steps in range(_bound(least, size, render, count, budget), least - 1, -1):
        text = render(steps, True)
        if count(text) <= budget:
            return Rendered(text, steps)
    needed = _least(least, size, render, count)
    raise BudgetError(budget, needed)


def _bound(
    least: int, size: int, render: Callable[[int, bool], str], count: Count, budget: int
) -> int:
    """Return the most steps that fit without marks, at least `least`."""
    low, high = least, size
    while low < high:
        middle = (low + high + 1) // 2
        if count(render(middle, False)) <= budget + _PADDING:
            low = middle
        else:
            high = middle - 1
    return low


def _least(least: int, size: int, render: Callable[[int, bool], str], count: Count) -> int:
    """Return the cost of the cheapest answer: more steps may save a mark."""
    best = count(render(least, True))
    for steps in range(least + 1, size + 1):
        if count(render(steps, False)) >= best + _PADDING:
            break
        best = min(best, count(render(steps, True)))
    return best


Packable = TypeVar("Packable", Answer, ShowReport)
Part = TypeVar("Part", Result, Shown)


class Texts(Generic[Packable]):
    """An answer or a report of `show` with its texts, filled up to some step of its packing.

    Passages are made once for each state of an item.
    """

    def __init__(self, packable: Packable):
        assert packable.packing is not None, "a budget is asked for in the request"
        self._packable: Packable = packable
        self._packing: Packing = packable.packing
        self._cache: dict[tuple[int, int], tuple[Passage | Omission, ...]] = {}

    @property
    def size(self) -> int:
        return len(self._packing.steps)

    def at(self, steps: int, marks: bool = True) -> Packable:
        """Return the answer after `steps`; without `marks`, as if nothing were left out."""
        placed: dict[int, int] = {}  # how many units each item shows that has a place
        for item, unit in self._packing.steps[:steps]:
            placed[item] = placed.get(item, 0) + (unit is not None)
        packable: Answer | ShowReport = self._packable
        if isinstance(packable, Answer):
            packable = packable._replace(
                results=tuple(self._filled(packable.results, placed, marks))
            )
        else:
            packable = packable._replace(shown=tuple(self._filled(packable.shown, placed, marks)))
        left_out = self._left_out(placed) if marks else None
        return cast(Packable, packable._replace(omission=left_out))

    def _filled(self, parts: Sequence[Part], placed: dict[int, int], marks: bool) -> Iterator[Part]:
        """Yield the parts that have a place, with their passages and added chunks."""
        numbers = count_from(len(parts))
        for at, part in enumerate(parts):
            added = [(next(numbers), related) for related in part.expanded]
            expanded = [
                related._replace(passages=self._passages(number, placed[number], marks))
                for number, related in added
                if number in placed
            ]
            if at in placed:
                own = self._passages(at, placed[at], marks)
                yield part._replace(passages=own, expanded=tuple(expanded))

    def _passages(self, item: int, units: int, marks: bool) -> tuple[Passage | Omission, ...]:
        if (item, units) not in self._cache:
            packed = self._packing.items[item]
            self._cache[item, units] = passages(packed, packed.order[:units])
        parts = self._cache[item, units]
        return (
            parts
            if marks
            else _as_one([passage for passage in parts if isinstance(passage, Passage)])
        )

    def _left_out(self, placed: dict[int, int]) -> Omission | None:
        """Return the omission of the parts without a place."""
        rest = [item for at, item in enumerate(self._packing.items) if at not in placed]
        if not rest:
            return None
        tokens = sum(unit.tokens for item in rest for unit in item.units)
        return Omission(rest[0].id, tokens, len(rest))


def _as_one(passages: Sequence[Passage]) -> tuple[Passage, ...]:
    """Join passages into one, so that more of them never cost less.

    Each has a citation, and the text of a gap between two of them can cost less than one.
    """
    cited = [passage.citation for passage in passages if passage.citation is not None]
    text = "".join(passage.text for passage in passages)
    return tuple(
        Passage(passage.start, passage.start, text, min(cited, key=len, default=None))
        for passage in passages[:1]
    )


class Excerpts:
    """An answer whose results are printed with excerpts: snippets, or lines that match.

    The places of the results come first; then, by rank, the excerpts of each result and of the
    results merged into it; then the chunks added by expansion. `excerpt` returns that of a part;
    it is None where the form prints places only.
    """

    def __init__(
        self, answer: Answer, excerpt: Callable[[Result], str] | None, count: Count
    ) -> None:
        self._answer = answer
        self._parts = [
            [count(excerpt(part)) for part in result.with_constituents()] if excerpt else []
            for result in answer.results
        ]
        self._added = [
            [count(related.lead.text) for related in result.expanded] for result in answer.results
        ]
        self.size = len(answer.results) + sum(map(len, (*self._parts, *self._added)))

    def at(self, steps: int, marks: bool = True) -> Answer:
        """Return the answer after so many steps."""
        results = self._answer.results
        left = steps - len(results)
        parts, left = _share(left, self._parts)
        added, _ = _share(left, self._added)
        cut_results = [
            self._cut(at, parts[at], added[at], marks) for at in range(len(results[:steps]))
        ]
        rest = results[steps:]
        omission = None
        if rest and marks:
            tokens = sum(map(sum, (*self._parts[steps:], *self._added[steps:])))
            omission = Omission(rest[0].entry.id, tokens, len(rest))
        return self._answer._replace(results=tuple(cut_results), omission=omission)

    def _cut(self, at: int, parts: int, added: int, marks: bool) -> Result:
        """Return a result with the excerpts of its first parts, the others marked as left out."""
        result, costs, more = self._answer.results[at], self._parts[at], self._added[at]
        if not costs:
            return _bare(result)
        if (parts, added) == (len(costs), len(more)):
            return result
        cut = _first_parts(result, parts)[0] if parts else _bare(result)
        cut = cut._replace(expanded=result.expanded[:added])
        if not marks:
            return cut._replace(passages=())
        left_out = sum(costs[parts:]) + sum(more[added:])
        mark = Omission(result.entry.id, left_out)
        return cut._replace(passages=(mark,)) if left_out else cut


def _share(steps: int, costs: Sequence[Sequence[int]]) -> tuple[list[int], int]:
    """Return how many of each list's entries so many steps reach, and the steps left over."""
    taken = []
    for sums in costs:
        taken.append(max(0, min(steps, len(sums))))
        steps -= taken[-1]
    return taken, steps


def _bare(result: Result) -> Result:
    return result._replace(
        snippet=Snippet(),
        match_ranges=(),
        constituents=(),
        also_in=(),
        other_versions=(),
        expanded=(),
    )


def _first_parts(result: Result, count: int) -> tuple[Result, int]:
    """Return the result with the first of its parts, itself counted, and how many it took."""
    constituents: list[Result] = []
    taken = 1
    for part in result.constituents:
        if taken == count:
            break
        cut, used = _first_parts(part, count - taken)
        constituents.append(cut)
        taken += used
    return result._replace(constituents=tuple(constituents)), taken


Written = Callable[[str], str]
"""Returns a text as the output's encoding can hold it."""


def fit_answer(
    answer: Answer,
    output: str,
    render: Callable[[Answer], str],
    budget: int,
    written: Written | None = None,
) -> tuple[str, Answer]:
    """Return the most of the answer that fits, as `render` prints it in the form `output`.

    An answer with a packing is printed with its texts, one without with excerpts.

    Raises:
        BudgetError: not even the least of it fits.
    """
    count = _counter(answer.tokenizer, written)
    plan = plan_answer(answer, output, count)
    fitted = fit(plan.size, lambda steps, marks: render(plan.at(steps, marks)), count, budget)
    return fitted.text, plan.at(fitted.steps)


def fit_report(
    report: ShowReport,
    render: Callable[[ShowReport], str],
    budget: int,
    written: Written | None = None,
) -> str:
    """Return the largest part of a report of `show` that fits; without a packing, of its outlines.

    Raises:
        BudgetError: not even the least of it fits.
    """
    count = _counter(report.tokenizer, written)
    plan = OutlinesShown(report, count) if report.packing is None else Texts(report)
    fitted = fit(plan.size, lambda steps, marks: render(plan.at(steps, marks)), count, budget)
    return fitted.text


def plan_answer(answer: Answer, output: str, count: Count) -> Texts[Answer] | Excerpts:
    """Return the steps by which an answer fills up in the form `output`."""
    if answer.packing is not None:
        return Texts(answer)
    if output not in ("pretty", "list"):
        results = tuple(result._replace(expanded=()) for result in answer.results)
        answer = answer._replace(results=results)
    return Excerpts(answer, _excerpt(output), count)


def _excerpt(output: str) -> Callable[[Result], str] | None:
    """Return the function that makes the excerpt of a result in a form, None if it shows none."""
    if output == "files":
        return None
    return excerpt_lines if output in ("matches", "vimgrep") else lambda part: part.snippet.text


def _counter(tokenizer: str, written: Written | None) -> Count:
    count = count_tokens(tokenizer)
    return count if written is None else lambda text: count(written(text))
