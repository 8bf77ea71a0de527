"""Judged queries to numbers for `leafmark eval`: how well do searches answer?

In: queries, each with people's judgment of which bytes answer it. Out: metrics for each query,
their means with intervals, and differences between ways to search. Everything is judged by bytes,
so that chunks of any shape are compared by the same rule. `judgments`, `metrics`, `report` and
`drafting` are pure; `references` finds the bytes in the sources, `trials` searches, `run` is the
use case.
"""

from leafmark.evaluation.judgments import (
    HALVES,
    JudgedQuery,
    half_of,
    judgment_record,
    parse_judgments,
)
from leafmark.evaluation.metrics import METRICS, Passage, Read, measure
from leafmark.evaluation.references import Library, read_queries
from leafmark.evaluation.results import EvaluationReport
from leafmark.evaluation.run import draft_judgments, evaluate_project
from leafmark.evaluation.trials import Reading, Trial

__all__ = [
    "HALVES",
    "METRICS",
    "EvaluationReport",
    "JudgedQuery",
    "Library",
    "Passage",
    "Read",
    "Reading",
    "Trial",
    "draft_judgments",
    "evaluate_project",
    "half_of",
    "judgment_record",
    "measure",
    "parse_judgments",
    "read_queries",
]
