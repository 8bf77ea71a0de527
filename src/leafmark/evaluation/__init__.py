"""Judged queries to numbers: how well did the results of a search answer?

In: what people said which bytes answer a query, and the bytes that a search
gave. Out: metrics for each query, their means with intervals, and differences
between ways to search. Everything is judged by bytes, so that chunks of any
shape are compared by the same rule. Pure: knows no index, no engine, no files.
"""

from leafmark.evaluation.bootstrap import LEAST_RESAMPLES, Estimate, Resampler
from leafmark.evaluation.drafting import KINDS, draft_queries
from leafmark.evaluation.gates import Gate, parse_gate
from leafmark.evaluation.judgments import (
    HALVES,
    JudgedQuery,
    Reference,
    abridged,
    as_listed,
    check_all,
    half_of,
    judgment_record,
    parse_judgments,
)
from leafmark.evaluation.metrics import METRICS, Read, measure, queries_of, rank_of, tokens_to
from leafmark.evaluation.passages import Passage, covers, overlaps, shared_bytes
from leafmark.evaluation.perfect import perfect_values
from leafmark.evaluation.report import (
    Cell,
    Drafts,
    EvaluationReport,
    GateOutcome,
    Group,
    Outcome,
    Variant,
    VariantOutcomes,
    build_groups,
)

__all__ = [
    "HALVES",
    "KINDS",
    "LEAST_RESAMPLES",
    "METRICS",
    "Cell",
    "Drafts",
    "Estimate",
    "EvaluationReport",
    "Gate",
    "GateOutcome",
    "Group",
    "JudgedQuery",
    "Outcome",
    "Passage",
    "Read",
    "Reference",
    "Resampler",
    "Variant",
    "VariantOutcomes",
    "abridged",
    "as_listed",
    "build_groups",
    "check_all",
    "covers",
    "draft_queries",
    "half_of",
    "judgment_record",
    "measure",
    "overlaps",
    "parse_gate",
    "parse_judgments",
    "perfect_values",
    "queries_of",
    "rank_of",
    "shared_bytes",
    "tokens_to",
]
