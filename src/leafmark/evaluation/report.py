"""What an evaluation found: means with intervals, differences between ways, gates, tables.

Queries are drawn again and again with replacement; the interval holds the middle
95 % of the means. The draws depend on the seed and the number of queries alone,
so two runs give the same numbers, and differences are paired: each draw compares
two ways to search on the same queries.
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
"""What is left out on each side of an interval."""

MIN_RESAMPLES = round(1 / TAIL)
"""Of fewer draws an interval would leave out none, and of one it would be that draw."""

MIN_QUERIES = 6
"""So many differences of one sign are chance in one case of 32; of one less, in one of 16."""


class Estimate(NamedTuple):
    """A mean over so many `queries`, and the interval of 95 % around it."""

    mean: float
    low: float
    high: float
    queries: int

    @property
    def is_clear(self) -> bool:
        """Whether the interval leaves out 0: for a difference, whether it is more than chance.

        Never of few queries: all of five may go one way by chance, as coins do.
        """
        return self.queries >= MIN_QUERIES and (self.low > 0 or self.high < 0)


class Resampler:
    """Draws queries; the same for the same seed, whatever is estimated in between.

    Intervals mean something from `MIN_RESAMPLES` on.
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
        """Return how much higher the values are than those of the same queries in `base`."""
        return self.estimate([one - other for one, other in zip(values, base, strict=True)])

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
    """A bound of a metric. `variant` is the way to search that it binds, empty for the last.

    It stands there as it was written: models are told apart by capitals, too.
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
    """Return the gate that `text` states.

    >>> parse_gate("auto:rr500 >= 0.55")
    Gate(metric='rr500', sign='>=', bound=0.55, variant='auto')

    Raises:
        UsageError: it is none, or names no metric.
    """
    found = _FORM.fullmatch(text)
    if found is None:
        raise UsageError(f"{text!r} is not a gate", hint="write it like rr500>=0.55")
    metric = found["metric"].lower()
    if metric not in METRICS:
        raise UsageError(
            f"the gate {text!r} names no metric", hint="there are: " + ", ".join(METRICS)
        )
    is_plain = found["bound"].isascii() and "_" not in found["bound"]  # `float` reads 0_1 as 1
    try:
        bound = float(found["bound"]) if is_plain else -1.0
    except ValueError:
        bound = -1.0
    if not 0 <= bound <= 1:
        raise UsageError(
            f"the gate {text!r} has no bound from 0 to 1", hint="write it like rr500>=0.55"
        )
    return Gate(metric, found["sign"], bound, found["variant"] or "")


class Variant(NamedTuple):
    """A way to search: its name as the user wrote it, and what differs from their settings.

    `constants` are those of the code that have other values, by name. A `plain` one ranks
    by plain BM25 in place of the search.
    """

    name: str
    settings: Mapping[str, object]
    constants: Mapping[str, object] = MappingProxyType({})
    plain: bool = False


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
        columns = [[one[metric] for one in each if metric in one] for each in values]
        if columns[0]:
            best = [_perfect(each, places, metric) for each in found]
            rows[metric] = _cells(columns, best, resampler)
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
