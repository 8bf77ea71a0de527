"""Remedies for a chunk that a phase lost: settings to change, parts of the query to drop."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from types import MappingProxyType
from typing import Any, NamedTuple

from leafmark.model import AbsenceReason, Candidate
from leafmark.query import Expression, Filter, Not, all_of, parts_of
from leafmark.retrieval.params import SearchParams

__all__ = ["PARAM_FILTERS", "Change", "past_the_cut", "unfiltered", "without_parts"]


class ParamFilter(NamedTuple):
    """A parameter that filters: its option, and the value that admits everything."""

    option: str
    everything: Any


PARAM_FILTERS: Mapping[str, ParamFilter] = MappingProxyType(
    {
        "trees": ParamFilter("--tree", ()),
        "tags": ParamFilter("--tag", ()),
        "since": ParamFilter("--since", None),
        "section": ParamFilter("--section", ()),
    }
)
"""Those of `SearchParams`, by name."""


def unfiltered(params: SearchParams) -> SearchParams:
    """Return the parameters without those that filter."""
    return replace(params, **{name: each.everything for name, each in PARAM_FILTERS.items()})


@dataclass(frozen=True, slots=True)
class Change:
    """What to change of a search; `without` is for one topic, `added` for all of them."""

    params: Mapping[str, Any]
    without: tuple[Expression, ...] = ()
    added: Filter | None = None


def past_the_cut(
    hits: Sequence[Candidate], number: int, params: SearchParams
) -> tuple[AbsenceReason, Change]:
    """Return why match `number` of a tier, sorted best first, did not become a result."""
    candidate = hits[number - 1]
    facts: dict[str, Any] = {"rank": number, "score": candidate.score, "of": len(hits)}
    if number > params.candidates:
        message = (
            f"{number - 1} chunks match better, and the first {params.candidates} are considered"
        )
        reason = AbsenceReason("candidates", message, candidate.entry.id, **facts)
        return reason, Change({"candidate_limit": number})
    drops = [worse.score / better.score for better, worse in pairwise(hits[:number])]
    cut = next((at for at, drop in enumerate(drops) if drop < params.cutoff_ratio), None)
    change: dict[str, Any] = {"max_results": number} if number > params.kept else {}
    if cut is None:
        message = (
            f"it is match {number}, and {params.kept} are kept where scores do not fall sharply"
        )
    else:
        change["cutoff_ratio"] = math.floor(min(drops) * 1000) / 1000
        facts["ratio"] = drops[cut]
        last, after = hits[cut].score, hits[cut + 1].score
        message = (
            f"it is match {number} with {candidate.score:.2f}; the list ends after match "
            f"{cut + 1}, where scores fall from {last:.2f} to {after:.2f}, "
            f"below {params.cutoff_ratio:g} of the one before"
        )
    return AbsenceReason("cutoff", message, candidate.entry.id, **facts), Change(change)


def without_parts(topic: Expression, parts: Iterable[Expression]) -> Expression | None:
    """Return a topic without some of its parts; None if nothing to look for would be left."""
    left_out = {id(part) for part in parts}
    kept = [part for part in parts_of(topic) if id(part) not in left_out]
    if all(isinstance(part, Not) for part in kept):
        return None
    return all_of(kept)
