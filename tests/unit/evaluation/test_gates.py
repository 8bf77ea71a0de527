"""Gates: how they are written, and when they hold."""

from __future__ import annotations

import pytest

from leafmark.errors import UsageError
from leafmark.evaluation import METRICS, Gate, parse_gate


@pytest.mark.parametrize(
    ("text", "gate"),
    [
        ("rr500>=0.55", Gate("rr500", ">=", 0.55)),
        ("auto: overlap-MRR@10 > 0.5", Gate("overlap-mrr@10", ">", 0.5, "auto")),
        (
            "auto+relax_share=0.5:recall-2000t<=1",
            Gate("recall-2000t", "<=", 1.0, "auto+relax_share=0.5"),
        ),
        ("empty<0.1", Gate("empty", "<", 0.1)),
        (
            "auto + embedding.model = BAAI/bge:small : RR500 >= 0.5",
            Gate("rr500", ">=", 0.5, "auto + embedding.model = BAAI/bge:small"),
        ),
    ],
)
def test_gates(text: str, gate: Gate) -> None:
    assert parse_gate(text) == gate
    assert parse_gate(str(gate)) == gate


@pytest.mark.parametrize(
    ("gate", "value", "holds"),
    [
        ("rr500>=0.5", 0.5, True),
        ("rr500>0.5", 0.5, False),
        ("rr500<=0.5", 0.5, True),
        ("rr500<0.5", 0.5, False),
        ("rr500>=0.5", 0.4999, False),
    ],
)
def test_when_a_gate_holds(gate: str, value: float, holds: bool) -> None:
    assert parse_gate(gate).admits(value) is holds


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("rr500", "'rr500' is not a gate", "write it like rr500>=0.55"),
        (
            "rr501>=0.5",
            "the gate 'rr501>=0.5' names no metric",
            "there are: " + ", ".join(metric.name for metric in METRICS),
        ),
        (
            "rr500>=much",
            "the gate 'rr500>=much' has no bound from 0 to 1",
            "write it like rr500>=0.55",
        ),
        (
            "rr500>=55",
            "the gate 'rr500>=55' has no bound from 0 to 1",
            "write it like rr500>=0.55",
        ),
        (
            "rr500>=nan",
            "the gate 'rr500>=nan' has no bound from 0 to 1",
            "write it like rr500>=0.55",
        ),
        (
            "rr500>=0_1",
            "the gate 'rr500>=0_1' has no bound from 0 to 1",
            "write it like rr500>=0.55",
        ),
    ],
)
def test_what_is_no_gate(text: str, message: str, hint: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_gate(text)
    assert (caught.value.message, caught.value.hint) == (message, hint)
