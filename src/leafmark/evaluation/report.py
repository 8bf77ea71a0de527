"""What an evaluation found: outcomes by query and way to search, and tables made of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from leafmark.evaluation.bootstrap import Estimate, Resampler
from leafmark.evaluation.judgments import JudgedQuery
from leafmark.evaluation.metrics import METRICS
from leafmark.evaluation.perfect import PERFECT
from leafmark.model import Diagnostic

__all__ = [
    "Cell",
    "Drafts",
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
    an answer was not found, or was found dear. `perfect` are the values that the best
    order of the same chunks would have.
    """

    query: JudgedQuery
    values: Mapping[str, float]
    results: tuple[str, ...] = ()
    rank: int | None = None
    cover_rank: int | None = None
    tokens: int | None = None
    doubtful: bool = False
    lost: str = ""
    perfect: Mapping[str, float] = MappingProxyType({})


class Drafts(NamedTuple):
    """Queries that a program drafted.

    `warnings` say what was left out, `diagnostics` which documents could not be read.
    """

    queries: tuple[JudgedQuery, ...]
    warnings: tuple[str, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()


class VariantOutcomes(NamedTuple):
    """What all queries came to under one way to search, in the order of the files.

    `limit` is the most results that a query had.
    """

    variant: Variant
    chunks: int
    limit: int
    outcomes: tuple[Outcome, ...]


class Cell(NamedTuple):
    """A metric under one way to search; `difference` is against the first, paired by query.

    `perfect` is the mean that the best order of the same chunks would have, where that
    is known; `closed` the share that is gone of the distance from the first way to there,
    where this way is not worse than the first.
    """

    value: Estimate
    difference: Estimate | None = None
    perfect: float | None = None
    closed: float | None = None


class Group(NamedTuple):
    """One table: rows by metric, each with a cell for every way to search.

    `by` is the key that its queries have in common, as `kind`, and `name` their value of it,
    empty for those without one. Of all queries, `by` is empty and `name` is `all`. A metric
    that none of the group's queries has is left out.
    """

    by: str
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
    """The whole evaluation; the first group holds all queries.

    `answers` is what a judged passage stood for: `passage` or `section`. `warnings` say
    what was left out, `diagnostics` what is to be known of documents.
    """

    mode: str
    answers: str
    seed: int
    resamples: int
    drafts: int
    variants: tuple[VariantOutcomes, ...]
    groups: tuple[Group, ...]
    gates: tuple[GateOutcome, ...] = ()
    warnings: tuple[str, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()


def build_groups(
    found: Sequence[VariantOutcomes], resampler: Resampler, by: str = ""
) -> tuple[Group, ...]:
    """Return the table of all queries, then one for each value of the key `by`, in order.

    Queries without a value come last.
    """
    outcomes = found[0].outcomes
    groups = [_group("", "all", range(len(outcomes)), found, resampler)]
    if by:
        places: dict[str, list[int]] = {}
        for at, outcome in enumerate(outcomes):
            places.setdefault(getattr(outcome.query, by), []).append(at)
        names = sorted(places, key=lambda name: (not name, name))
        groups += [_group(by, name, places[name], found, resampler) for name in names]
    return tuple(groups)


def _group(
    by: str,
    name: str,
    places: Sequence[int],
    found: Sequence[VariantOutcomes],
    resampler: Resampler,
) -> Group:
    rows: dict[str, tuple[Cell, ...]] = {}
    values = [[each.outcomes[at].values for at in places] for each in found]
    for metric in METRICS:
        columns = [[one[metric.name] for one in each if metric.name in one] for each in values]
        if columns[0]:
            best = [_perfect(each, places, metric.name) for each in found]
            rows[metric.name] = _cells(columns, best, resampler)
    answerable = sum(bool(found[0].outcomes[at].query.answers) for at in places)
    return Group(by, name, answerable, len(places) - answerable, rows)


def _cells(
    columns: Sequence[Sequence[float]], best: Sequence[float | None], resampler: Resampler
) -> tuple[Cell, ...]:
    first = resampler.estimate(columns[0])
    cells = [Cell(first, None, best[0])]
    for column, perfect in zip(columns[1:], best[1:], strict=True):
        change = resampler.difference(column, columns[0])
        distance = 0.0 if perfect is None else perfect - first.mean
        closed = change.mean / distance if distance > 0 and change.mean >= 0 else None
        cells.append(Cell(resampler.estimate(column), change, perfect, closed))
    return tuple(cells)


def _perfect(found: VariantOutcomes, places: Sequence[int], metric: str) -> float | None:
    """Return the mean of the best values, None where some query has none."""
    asked = [found.outcomes[at] for at in places if metric in found.outcomes[at].values]
    values = [each.perfect[metric] for each in asked if metric in each.perfect]
    known = metric in PERFECT and bool(values) and len(values) == len(asked)
    return sum(values) / len(values) if known else None
