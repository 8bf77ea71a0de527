"""What an evaluation found: outcomes by query and way to search, and tables made of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from leafmark.evaluation.bootstrap import Estimate, Resampler
from leafmark.evaluation.judgments import JudgedQuery
from leafmark.evaluation.metrics import METRICS

__all__ = [
    "Cell",
    "EvaluationReport",
    "GateOutcome",
    "Group",
    "Outcome",
    "Variant",
    "VariantOutcomes",
    "build_groups",
]


class Variant(NamedTuple):
    """A way to search: its name as the user wrote it, and the settings that differ from theirs."""

    name: str
    settings: Mapping[str, object]


class Outcome(NamedTuple):
    """What one query came to.

    `rank` is that of the first result that overlaps an answer, `cover_rank` of
    the first that covers one, `tokens` what is read up to there. `lost` says why
    an answer was not found, or was found dear.
    """

    query: JudgedQuery
    values: Mapping[str, float]
    results: tuple[str, ...] = ()
    rank: int | None = None
    cover_rank: int | None = None
    tokens: int | None = None
    doubtful: bool = False
    lost: str = ""


class VariantOutcomes(NamedTuple):
    """What all queries came to under one way to search, in the order of the files."""

    variant: Variant
    chunks: int
    outcomes: tuple[Outcome, ...]


class Cell(NamedTuple):
    """A metric under one way to search; `difference` is against the first, paired by query."""

    value: Estimate
    difference: Estimate | None = None


class Group(NamedTuple):
    """One table: rows by metric, each with a cell for every way to search.

    A metric that none of the group's queries has is left out.
    """

    name: str
    answerable: int
    unanswerable: int
    rows: Mapping[str, tuple[Cell, ...]]


class GateOutcome(NamedTuple):
    """A gate as written, what it was compared with, and whether it holds."""

    gate: str
    value: float
    passed: bool


class EvaluationReport(NamedTuple):
    """The whole evaluation; the first group holds all queries."""

    mode: str
    limit: int
    seed: int
    resamples: int
    drafts: int
    variants: tuple[VariantOutcomes, ...]
    groups: tuple[Group, ...]
    gates: tuple[GateOutcome, ...] = ()


def build_groups(
    found: Sequence[VariantOutcomes],
    resampler: Resampler,
    key: Callable[[JudgedQuery], str] | None = None,
) -> tuple[Group, ...]:
    """Return the table of all queries, then with `key` one for each value of it, in order."""
    outcomes = found[0].outcomes
    everything = list(range(len(outcomes)))
    groups = [_group("all", everything, found, resampler)]
    if key is not None:
        places: dict[str, list[int]] = {}
        for at, outcome in enumerate(outcomes):
            places.setdefault(key(outcome.query) or "none", []).append(at)
        groups += [_group(name, places[name], found, resampler) for name in sorted(places)]
    return tuple(groups)


def _group(
    name: str, places: Sequence[int], found: Sequence[VariantOutcomes], resampler: Resampler
) -> Group:
    rows: dict[str, tuple[Cell, ...]] = {}
    for metric in METRICS:
        columns = [
            [values[metric.name] for values in _values(each, places) if metric.name in values]
            for each in found
        ]
        if columns[0]:
            rows[metric.name] = tuple(
                Cell(resampler.estimate(one), resampler.difference(one, columns[0]) if at else None)
                for at, one in enumerate(columns)
            )
    answerable = sum(bool(found[0].outcomes[at].query.answers) for at in places)
    return Group(name, answerable, len(places) - answerable, rows)


def _values(found: VariantOutcomes, places: Sequence[int]) -> list[Mapping[str, float]]:
    return [found.outcomes[at].values for at in places]
