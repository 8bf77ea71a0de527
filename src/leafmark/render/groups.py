"""Results grouped by document, and the best of each group: what people look at first."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from leafmark.model import Answer, DocumentEntry, Result

__all__ = ["Group", "group_results", "top_matches"]

TOP_MATCHES = 5
"""How many documents the line of top matches names; chosen by eye, to fit on one line."""


class Group(NamedTuple):
    """The results of one document, in rank order.

    `best_score` is the highest among those that are not relaxed, if there are any.
    """

    document: DocumentEntry
    results: tuple[Result, ...]

    @property
    def doc_id(self) -> str:
        return self.document.doc_id

    @property
    def best_score(self) -> float:
        return _best(self.results).score

    @property
    def no_specific_section(self) -> bool:
        """Whether the document matched as a whole while none of its sections did."""
        return all(result.whole for result in self.results)


def group_results(results: Iterable[Result]) -> list[Group]:
    """Return the groups in the order of their first results."""
    found: dict[str, list[Result]] = {}
    for result in results:
        found.setdefault(result.document.doc_id, []).append(result)
    return [Group(members[0].document, tuple(members)) for members in found.values()]


def top_matches(answer: Answer) -> list[Result]:
    """Return the best result of each of the best documents, best first, however they are sorted."""
    best = [_best(group.results) for group in group_results(answer.results)]
    return sorted(best, key=_worth, reverse=True)[:TOP_MATCHES]


def _best(results: tuple[Result, ...]) -> Result:
    return max(results, key=_worth)


def _worth(result: Result) -> tuple[bool, float, int]:
    return not result.relaxed, result.score, -result.rank
