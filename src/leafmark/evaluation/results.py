"""The results of an evaluation: means with intervals, differences between ways, gates, tables.

Queries are drawn repeatedly with replacement; the interval has the middle 95 % of the means. The
draws depend on the seed and the number of queries alone, so two runs give the same numbers.
Differences are paired: each draw compares two ways to search on the same queries.
"""

from __future__ import annotations

import operator
import random
import re
from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter
from types import MappingProxyType
from typing import NamedTuple

from leafmark.errors import UsageError
from leafmark.evaluation.judgments import JudgedQuery
from leafmark.evaluation.metrics import METRICS, PERFECT
from leafmark.model import Diagnostic

_Draw = Callable[[Sequence[float]], tuple[float, ...]]

TAIL = 0.025
"""The share of draws outside an interval, on each side."""

SEED = 1
"""The seed of the draws of an evaluation, whose intervals never differ by chance."""

MIN_QUERIES = 6
"""This many differences have one sign by chance in one case of 32; one less, in one of 16."""


class Estimate(NamedTuple):
    """A mean over a number of `queries`, and its interval of 95 %."""

    mean: float
    low: float
    high: float
    queries: int

    @property
    def is_clear(self) -> bool:
        """Whether 0 is outside the interval: for a difference, whether it is more than chance.

        Never with few queries: five of them may all go one way by chance, as coins do.
        """
        return self.queries >= MIN_QUERIES and (self.low > 0 or self.high < 0)


class Resampler:
    """Draws queries; a seed always gives the same draws, independent of earlier estimates.

    Intervals are meaningful from `1 / TAIL` resamples on.
    """

    def __init__(self, *, seed: int, resamples: int):
        self._seed = seed
        self._resamples = resamples
        self._draws: dict[int, list[_Draw]] = {}

    def estimate(self, values: Sequence[float]) -> Estimate:
        """Return the mean of the values, one for each query, with its interval.

        >>> Resampler(seed=1, resamples=500).estimate([0.5] * 20)
        Estimate(mean=0.5, low=0.5, high=0.5, queries=20)

        Raises:
            ValueError: there are no values.
        """
        count = len(values)
        if not count:
            raise ValueError("there is no mean of no values")
        mean = sum(values) / count
        if count == 1:
            return Estimate(mean, mean, mean, 1)
        means = sorted(sum(draw(values)) / count for draw in self._of(count))
        cut = int(TAIL * len(means))
        return Estimate(mean, means[cut], means[-1 - cut], count)

    def difference(self, values: Sequence[float], base: Sequence[float]) -> Estimate:
        """Return by how much the values exceed those of the same queries in `base`."""
        return self.estimate([value - other for value, other in zip(values, base, strict=True)])

    def _of(self, count: int) -> list[_Draw]:
        if count not in self._draws:
            source = random.Random(f"{self._seed} {count}")
            among = range(count)
            self._draws[count] = [
                itemgetter(*source.choices(among, k=count)) for _ in range(self._resamples)
            ]
        return self._draws[count]


_FORM = re.compile(
    r"\s*(?:(?P<variant>.+?)\s*:)?\s*(?P<metric>[a-z@0-9-]+)\s*(?P<sign>[<>]=?)(?P<bound>.+)",
    re.IGNORECASE,
)
_SIGNS: Mapping[str, Callable[[float, float], bool]] = MappingProxyType(
    {">=": operator.ge, ">": operator.gt, "<=": operator.le, "<": operator.lt}
)


class Gate(NamedTuple):
    """A bound of a metric. `variant` is the way to search that it is for, empty for the last.

    `variant` keeps its spelling: the names of models may differ by capitals alone.
    """

    metric: str
    sign: str
    bound: float
    variant: str = ""

    def admits(self, value: float) -> bool:
        return _SIGNS[self.sign](value, self.bound)

    def __str__(self) -> str:
        variant = f"{self.variant}:" if self.variant else ""
        return f"{variant}{self.metric}{self.sign}{self.bound:g}"


def parse_gate(text: str) -> Gate:
    """Return the gate in `text`.

    >>> parse_gate("auto:rr500 >= 0.55")
    Gate(metric='rr500', sign='>=', bound=0.55, variant='auto')

    Raises:
        UsageError: the text is not a gate, or has an unknown metric.
    """
    match = _FORM.fullmatch(text)
    if match is None:
        raise UsageError(f"{text!r} is not a gate", hint="write it like rr500>=0.55")
    metric = match["metric"].lower()
    if metric not in METRICS:
        raise UsageError(
            f"the gate {text!r} names no metric", hint="there are: " + ", ".join(METRICS)
        )
    is_plain = match["bound"].isascii() and "_" not in match["bound"]  # `float` reads 0_1 as 1
    try:
        bound = float(match["bound"]) if is_plain else -1.0
    except ValueError:
        bound = -1.0
    if not 0 <= bound <= 1:
        raise UsageError(
            f"the gate {text!r} has no bound from 0 to 1", hint="write it like rr500>=0.55"
        )
    return Gate(metric, match["sign"], bound, match["variant"] or "")


class Variant(NamedTuple):
    """A way to search: its name as the user wrote it, and the settings that differ from theirs.

    `constants` are changed constants of the code, by name. A `plain` variant ranks by plain BM25
    in place of the search.
    """

    name: str
    settings: Mapping[str, object]
    constants: Mapping[str, object] = MappingProxyType({})
    plain: bool = False


class Outcome(NamedTuple):
    """The outcome of one query.

    `rank` is the rank of the first result that overlaps an answer, `cover_rank` of the first that
    covers one, `tokens` the tokens read up to there. `refused` says why the search refused it.
    `perfect` are the values of the best order of the same chunks.
    """

    query: JudgedQuery
    values: Mapping[str, float]
    results: tuple[str, ...] = ()
    rank: int | None = None
    cover_rank: int | None = None
    tokens: int | None = None
    doubtful: bool = False
    refused: str = ""
    perfect: Mapping[str, float] = MappingProxyType({})


class Drafts(NamedTuple):
    """Drafted queries.

    `warnings` name omissions, `diagnostics` the documents that could not be read.
    """

    queries: tuple[JudgedQuery, ...]
    warnings: tuple[str, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()


class VariantOutcomes(NamedTuple):
    """The outcomes of all queries under one way to search, in the order of the files.

    `limit` is the number of results of a query that were judged.
    """

    variant: Variant
    chunks: int
    limit: int
    outcomes: tuple[Outcome, ...]


class Cell(NamedTuple):
    """A metric under one way to search; `difference` is against the first, paired by query.

    `perfect` is the mean of the best order of the same chunks, if known. `closed` is the share of
    the distance from the first way to `perfect` that this way gains, None if unknown or if
    this way is worse.
    """

    value: Estimate
    difference: Estimate | None = None
    perfect: float | None = None
    closed: float | None = None


class Group(NamedTuple):
    """One table: rows by metric, each with a cell for every way to search.

    `by` is the key by which queries are grouped, such as `kind`, and `name` their value of it,
    empty for queries without one. For all queries, `by` is empty and `name` is `all`. A metric
    that none of the group's queries has is left out.
    """

    by: str
    name: str
    answerable: int
    unanswerable: int
    rows: Mapping[str, tuple[Cell, ...]]


class GateOutcome(NamedTuple):
    """A gate as written, the measured value, and whether it holds."""

    gate: str
    value: float
    passed: bool


class EvaluationReport(NamedTuple):
    """The whole evaluation; the first group has all queries.

    `warnings` name omissions and
    refused queries, `diagnostics` are those of the documents.
    """

    mode: str
    drafts: int
    variants: tuple[VariantOutcomes, ...]
    groups: tuple[Group, ...]
    gates: tuple[GateOutcome, ...] = ()
    warnings: tuple[str, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()


def build_groups(
    variants: Sequence[VariantOutcomes], resampler: Resampler, by: str = ""
) -> tuple[Group, ...]:
    """Return the table of all queries, then one for each value of the key `by`, in order.

    Queries without a value come last.
    """
    outcomes = variants[0].outcomes
    groups = [_group("", "all", range(len(outcomes)), variants, resampler)]
    if by:
        places: dict[str, list[int]] = {}
        for at, outcome in enumerate(outcomes):
            places.setdefault(getattr(outcome.query, by), []).append(at)
        names = sorted(places, key=lambda name: (not name, name))
        groups += [_group(by, name, places[name], variants, resampler) for name in names]
    return tuple(groups)


def _group(
    by: str,
    name: str,
    places: Sequence[int],
    variants: Sequence[VariantOutcomes],
    resampler: Resampler,
) -> Group:
    rows: dict[str, tuple[Cell, ...]] = {}
    values = [[variant.outcomes[at].values for at in places] for variant in variants]
    for metric in METRICS:
        columns = [[row[metric] for row in column if metric in row] for column in values]
        if columns[0]:
            best = [_perfect(variant, places, metric) for variant in variants]
            rows[metric] = _cells(columns, best, resampler)
    answerable = sum(bool(variants[0].outcomes[at].query.answers) for at in places)
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


def _perfect(variant: VariantOutcomes, places: Sequence[int], metric: str) -> float | None:
    """Return the mean of the best values, None if some query has none."""
    outcomes = [variant.outcomes[at] for at in places if metric in variant.outcomes[at].values]
    values = [outcome.perfect[metric] for outcome in outcomes if metric in outcome.perfect]
    known = metric in PERFECT and bool(values) and len(values) == len(outcomes)
    return sum(values) / len(values) if known else None
