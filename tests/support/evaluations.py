"""An evaluation of three queries in two ways, with round numbers."""

from __future__ import annotations

from leafmark.evaluation import EvaluationReport, JudgedQuery
from leafmark.evaluation.judgments import Reference
from leafmark.evaluation.results import (
    GateOutcome,
    Outcome,
    Resampler,
    Variant,
    VariantOutcomes,
    build_groups,
)

FOUND = JudgedQuery("restore", (Reference("t:a.md"),), "keywords", location="q.jsonl:1")
LOST = JudgedQuery("lost\x1b[1m words", (Reference("t:b.md"),), location="q.jsonl:2")
SILENT = JudgedQuery("xylophone", (), location="q.jsonl:3")


def _outcomes(lost: float) -> tuple[Outcome, ...]:
    return (
        Outcome(FOUND, {"rr500": 1.0}, ("t:a.md",), 1, 1, 200, perfect={"rr500": 1.0}),
        _lost(lost)._replace(perfect={"rr500": 0.8}),
        Outcome(SILENT, {"empty-unanswerable": 0.0}, ("t:a.md",), doubtful=True),
    )


def _lost(value: float) -> Outcome:
    if not value:
        return Outcome(LOST, {"rr500": 0.0}, ("t:a.md",), refused="no word")
    return Outcome(LOST, {"rr500": value}, ("t:a.md", "t:b.md"), 2, 2, 1250)


def small_report(gates: tuple[GateOutcome, ...] = ()) -> EvaluationReport:
    found = (
        VariantOutcomes(Variant("fixed", {"chunking.strategy": "fixed"}), 1200, 10, _outcomes(0.0)),
        VariantOutcomes(Variant("auto", {"chunking.strategy": "auto"}), 30, 50, _outcomes(0.4)),
    )
    return EvaluationReport(
        mode="lexical",
        drafts=1,
        variants=found,
        groups=build_groups(found, Resampler(seed=1, resamples=200)),
        gates=gates,
    )
